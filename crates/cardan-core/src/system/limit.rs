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

impl ValidityLimit {
    /// The text for a value above the limit.
    pub fn warning(&self, value: f64) -> String {
        let Self { part, quantity, unit, limit, beyond } = self;
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        format!("{part}: {quantity} {value:.3e}{unit}, above {limit:.3e}{unit}: {beyond}")
    }
}
