//! Values that describe parts: functions of time, force laws, cross-sections, and kinds of parts.

mod function;
mod kind;
mod law;
mod section;
mod signal_formula;
mod signal_function;

pub use function::{Function, SignalIndex, TimeJet, TimeScalar};
pub(super) use function::{FunctionInput, vector};
pub use kind::{BeamForm, BodyKind, Dimension, NodeLayout};
pub use law::{Law, LawResponse, LawScalar};
pub use section::{Material, Matrix6, Profile, Section};
pub use signal_formula::SignalFormula;
pub use signal_function::SignalFunction;
pub(super) use signal_function::{GradientClosure, SignalClosure};
