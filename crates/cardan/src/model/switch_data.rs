//! Parts that events switch, as data.

/// A part that events switch.
#[derive(Clone, Debug)]
pub(in crate::model) struct SwitchData {
    /// The name in the description: `"A.angle"`, `"motor"`.
    pub name: String,
    /// The index in q of its position: one if it is on, else zero.
    pub q: usize,
    pub target: SwitchTarget,
}

/// The part.
#[derive(Clone, Debug)]
pub(in crate::model) enum SwitchTarget {
    /// Rows of positions: of a lock, or of a drive. While they are off, their offsets follow the motion.
    Positions(std::ops::Range<usize>),
    /// Rows of prescribed rates.
    Rates(std::ops::Range<usize>),
    /// A force, by its index.
    Force(usize),
}
