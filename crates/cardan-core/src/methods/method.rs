//! The interface of a method: what it stores between steps, and how it computes a step.

use super::step::Step;
use crate::linalg::SparseMatrix;
use crate::math::Chart;
use crate::stage::StageError;
use crate::stage::{ConstraintForces, Formulation};
use crate::state::{Instant, MethodHistory};
use crate::system::Evaluator;

/// How long an auxiliary vector is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuxiliaryKind {
    /// As long as the velocity.
    Velocity,
    /// As long as the first-order states.
    State,
    /// A configuration.
    Configuration,
}

impl AuxiliaryKind {
    /// The vector at the start.
    pub(crate) fn initial(self, now: &Instant) -> Vec<f64> {
        match self {
            Self::Velocity => vec![0.0; now.v.len()],
            Self::State => vec![0.0; now.z.len()],
            Self::Configuration => now.q.clone(),
        }
    }
}

/// What a method carries from step to step, and what it needs within one.
#[derive(Clone, Debug, Default)]
pub struct MethodStorage {
    /// Number of earlier instants.
    pub earlier: usize,
    /// Its auxiliary vectors.
    pub auxiliary: Vec<(&'static str, AuxiliaryKind)>,
    /// Number of records of stages, scratch within a step.
    pub records: usize,
    /// Whether projections may count every coordinate the same.
    pub euclidean: bool,
}

/// Where the stages stand that records hold: in a chart centred where the step began.
#[derive(Clone, Copy, Debug)]
pub struct StageNodes<'a> {
    /// The chart.
    pub chart: Chart,
    /// Their times, as parts of the step.
    pub abscissae: &'a [f64],
    /// Their weights, of which the sum is one.
    pub weights: &'a [f64],
    /// The order of each of them alone.
    pub stage_order: u32,
}

/// The consistent instant at which a method begins.
#[derive(Clone, Copy, Debug)]
pub struct MethodStart<'a> {
    /// The instant.
    pub now: &'a Instant,
    /// M there.
    pub mass: &'a SparseMatrix,
    /// The step size.
    pub h: f64,
}

/// A method of time integration with its coefficients fixed.
pub trait Method: Send + Sync {
    /// What it carries from step to step.
    fn storage(&self) -> MethodStorage;

    /// Implicit stages per step.
    fn stages(&self) -> usize {
        1
    }

    /// Sets the auxiliary vectors at the start.
    fn start(&self, _from: &MethodStart<'_>, _history: &mut MethodHistory) {}

    /// How constraints act in its stages, if not as the formulation says; for systems that have some.
    fn constraint_forces(&self, _evaluator: &Evaluator) -> Option<Box<dyn ConstraintForces>> {
        None
    }

    /// Computes the next instant.
    fn step(&self, step: &mut Step<'_>) -> Result<(), StageError>;

    /// The stages that its records hold after a step, if they integrate what hangs on the motion to the order of
    /// the method.
    fn nodes(&self) -> Option<StageNodes<'_>> {
        None
    }

    /// The spectral radius in a direction whose position is prescribed: multipliers and
    /// accelerations forget the past only if it is below one.
    fn constrained_radius(&self) -> f64;

    /// Why the method with these parameters does not take a system, if it does not.
    fn unsupported_reason(&self, _is_constrained: bool) -> Option<&'static str> {
        None
    }

    /// What to know of the method with these parameters, for systems without constraints or with
    /// constraints imposed in this way.
    fn parameter_warning(&self, _constraints: Option<Formulation>) -> Option<&'static str> {
        None
    }

    /// The order of the error estimate, if the method makes one.
    fn embedded_order(&self) -> Option<u32> {
        None
    }

    /// The coefficients by name.
    fn coefficients(&self) -> Vec<(String, f64)>;

    /// The same formula with other coefficients, in the order of
    /// [`coefficients`](Method::coefficients); missing ones keep their value.
    fn with_coefficients(&self, values: &[f64]) -> Box<dyn Method>;
}
