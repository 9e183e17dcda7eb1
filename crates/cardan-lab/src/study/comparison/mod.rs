//! One motion, many methods and step sizes: the errors of each against a reference.
//!
//! ```text
//! request    what to compare: problem, methods, step sizes, reference
//! plan       the cases that are possible, and their reference
//! result     errors and observed orders, as a table, JSON and CSV
//! ```

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
