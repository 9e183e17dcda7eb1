//! One motion, many methods and steps: the errors of each against a reference.

mod error;
mod plan;
mod reference;
mod request;
mod result;

pub use error::{ComparisonError, OmittedCase};
pub use plan::ComparisonPlan;
pub use reference::ComparisonReference;
pub use request::Comparison;
pub use result::{ComparedCase, ComparisonResult};
