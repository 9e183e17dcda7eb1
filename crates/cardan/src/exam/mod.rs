//! The exam that every method of the registry sits.
//!
//! ```text
//! problems    systems written by hand, with smooth solutions
//! reference   an independent integrator of very high order
//! grade       errors and observed orders of q, v, a and λ, drift, energy, effort
//! record      the results as data, from which tables are made
//! ```


mod grade;
pub mod problems;

pub mod reference;

pub use grade::{Errors, Grade, grade};
pub use problems::Problem;
