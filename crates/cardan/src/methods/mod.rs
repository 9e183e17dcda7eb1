//! Time integration methods: each family is one file, a formula and a table of members.

mod bdf2;
mod generalized_alpha;
mod multistep;
mod parameters;
mod registry;
mod step;

pub use parameters::{Parameter, ParameterError, Values};
pub(crate) use registry::nearest;
pub use registry::{MethodInfo, Permission, Stability, all, find};
pub use step::Step;

use crate::error::StageError;
use crate::linalg::Entries;
use crate::state::{History, Instant};

/// What a method carries from step to step.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Number of earlier instants.
    pub earlier: usize,
    /// Names of its auxiliary vectors, each as long as the velocity.
    pub auxiliary: &'static [&'static str],
}

/// A method of time integration with its coefficients fixed.
pub trait Method: Send + Sync {
    /// What it carries from step to step.
    fn memory(&self) -> Memory;

    /// Sets the auxiliary vectors at the consistent initial instant, where M is `mass`.
    fn start(&self, now: &Instant, mass: &Entries, history: &mut History);

    /// Computes the next instant.
    fn step(&self, step: &mut Step<'_>) -> Result<(), StageError>;

    /// The spectral radius in a direction whose position is prescribed: multipliers and
    /// accelerations forget the past only if it is below one.
    fn constrained_radius(&self) -> f64;

    /// The coefficients by name.
    fn coefficients(&self) -> Vec<(&'static str, f64)>;

    /// The same formula with other coefficients, in the order of
    /// [`coefficients`](Method::coefficients); missing ones keep their value.
    fn with_coefficients(&self, values: &[f64]) -> Box<dyn Method>;
}
