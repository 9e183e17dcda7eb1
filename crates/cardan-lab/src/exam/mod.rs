//! The exam: verification problems that every method of a registry is run on.
//!
//! ```text
//! problems    systems written by hand, with smooth solutions
//! reference   an independent integrator of very high order
//! grade       errors and observed orders of q, v, z, a and λ; drift, energy, effort
//! tolerance   errors over the tolerance, for methods that take one
//! proportionality the same for example models
//! linear      spectral radius, polynomial exactness
//! expectation the orders that a method must show, with exceptions and their reasons
//! record      the results as data
//! table       the results as a table
//! ```

mod expectation;
mod grade;
mod linear;
pub mod problems;
mod proportionality;
mod record;
pub mod reference;
mod table;
mod tolerance;

pub use expectation::{
    EXCEPTIONS, Exception, TOLERANCE_EXCEPTIONS, ToleranceException, exception, expected_between,
    expected_order,
};
pub use grade::{Grade, GradeNumbers, InterpolantGrade, grade};
pub use linear::{LinearGrade, estimate_defect, linear, polynomial_defect};
pub use problems::ExamProblem;
pub use proportionality::{PROPORTIONALITY_MODELS, ProportionalityRequest};
pub use record::{ExamRecord, recorded, run_exam, run_tolerances};
pub use tolerance::ToleranceGrade;
