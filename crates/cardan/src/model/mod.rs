//! What mechanisms are made of. So far the rows that joints will be composed of.
//!
//! A joint is a list of [`Row`]s between two [`Frame`]s: each row is one scalar constraint that
//! knows its value, its gradient and its curvature, from which everything a stage may ask follows.

mod frame;
mod row;

pub use frame::Frame;
pub use row::{Motion, Row};
