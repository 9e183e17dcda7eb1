//! Stability limits: the amplification of a method, and the highest frequency of a system.
//!
//! The step of a method on a linear equation is a linear map of everything its state holds. The map is computed column by
//! column with the code that integrates mechanisms, so there is no second set of formulas.

mod amplification;
mod frequency;
mod limit;

pub use amplification::{
    Oscillator, amplification_matrix, characteristic_roots, linear_settings, spectral_radius,
};
pub use frequency::{HighestFrequency, StableStep, highest_frequency, stable_step};
pub use limit::{MAX_FREQUENCY, stability_limit};
