//! Limits of validity of a system's parts, checked during a run.

/// A quantity that must stay below a limit for the equations of a part to be valid.
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
    /// The error above the limit, and what to try.
    pub beyond: &'static str,
}
