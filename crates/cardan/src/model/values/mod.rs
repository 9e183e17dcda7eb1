//! Values that describe parts: functions of time, force laws, cross-sections, and kinds of parts.

mod function;
mod kind;
mod law;
mod section;

pub(super) use function::vector;
pub use function::{Function, TimeJet, TimeScalar};
pub use kind::{BeamForm, BodyKind, Dimension, NodeLayout};
pub use law::{Law, LawResponse, LawScalar};
pub use section::{Material, Matrix6, Profile, Section};
