//! All nodes of a structure at one time.

/// The nodes of a structure at a time: where they are, what they do, and what they should do.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The structure.
    pub structure: String,
    /// The time.
    pub time: f64,
    /// The names of the columns.
    pub columns: Vec<&'static str>,
    /// A row for each node.
    pub rows: Vec<Vec<f64>>,
}
