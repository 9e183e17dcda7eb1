//! Snapshots of structures: values at all nodes at one time.

/// The nodes of a structure at one time: positions, displacements and velocities, and those of the analytic solution if
/// there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The name of the structure.
    pub structure: String,
    /// The time.
    pub time: f64,
    /// The names of the columns.
    pub columns: Vec<&'static str>,
    /// One row per node.
    pub rows: Vec<Vec<f64>>,
}
