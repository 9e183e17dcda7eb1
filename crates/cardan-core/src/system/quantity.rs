//! The kinds of coordinates that tolerances distinguish.

/// The kind of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// A length.
    Length,
    /// An angle.
    Angle,
    /// A coordinate without a unit, or with an unknown one.
    Other,
}
