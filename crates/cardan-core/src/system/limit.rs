//! Limits of validity: what a system's parts can be trusted with, watched during a run.

/// A quantity that must stay below a limit for a part's equations to describe the real thing.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidityLimit {
    /// The part: "flexible body `rod`".
    pub part: String,
    /// The quantity: "deflection".
    pub quantity: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The largest value that is valid.
    pub limit: f64,
    /// What is wrong beyond it, and what to try.
    pub beyond: &'static str,
}
