//! Verification of integrators, comparisons, reproduced papers and charts.
#![doc(test(attr(deny(warnings))))]

pub mod chart;
mod error;
pub mod exam;
pub mod examples;
pub mod gallery;
pub mod overwrite;
pub mod papers;
pub mod reproduce;
pub mod snapshot_chart;
pub mod spectral;
pub mod study;
pub mod table;

pub use error::{LabError, LabErrorKind};
