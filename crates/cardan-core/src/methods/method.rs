//! The interface of a method: what it stores between steps, and how it computes a step.

use super::step::Step;
use crate::linalg::SparseMatrix;
use crate::math::Chart;
use crate::stage::StageError;
use crate::stage::{ConstraintForces, Formulation};
use crate::state::{Instant, MethodHistory};
use crate::system::Evaluator;

/// The length of an auxiliary vector.
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

/// The part of earlier instants that a method needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EarlierValues {
    /// All values.
    #[default]
    All,
    /// Accelerations, multipliers and rates of first-order states.
    Accelerations,
}

impl MethodStorage {
    /// An earlier instant with the values of this one that the method needs.
    pub(crate) fn earlier_instant(&self, now: &Instant) -> Instant {
        match self.earlier_values {
            EarlierValues::All => now.clone(),
            EarlierValues::Accelerations => now.accelerations_only(),
        }
    }
}

/// The data that a method keeps from step to step, and its scratch within a step.
#[derive(Clone, Debug, Default)]
pub struct MethodStorage {
    /// Number of earlier instants.
    pub earlier: usize,
    /// The part of them that it needs.
    pub earlier_values: EarlierValues,
    /// Names and lengths of the auxiliary vectors.
    pub auxiliary: Vec<(&'static str, AuxiliaryKind)>,
    /// Number of records of stages, scratch within a step.
    pub records: usize,
    /// Whether projections with equal weights of all coordinates are needed.
    pub euclidean: bool,
}

/// The stages in the records of a step, in a chart centred at the start of the step.
#[derive(Clone, Copy, Debug)]
pub struct StageNodes<'a> {
    /// The chart.
    pub chart: Chart,
    /// The times of the stages, as fractions of the step.
    pub abscissae: &'a [f64],
    /// The weights of the stages; their sum is one.
    pub weights: &'a [f64],
    /// The order of each single stage.
    pub stage_order: u32,
}

/// The consistent instant at which a method begins.
#[derive(Clone, Copy, Debug)]
pub struct MethodStart<'a> {
    /// The instant.
    pub now: &'a Instant,
    /// M at the instant.
    pub mass: &'a SparseMatrix,
    /// The step size.
    pub h: f64,
}

/// Powers of h in the error estimate of a step and in the error of the motion, and a factor of the estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate is O(hᵏ).
    pub power: u32,
    /// The error of the motion at a given time is O(hᵖ).
    pub order: u32,
    /// The error of q, v and z that the controller uses is this factor times the estimate. Errors of many steps add up;
    /// where their sum is far above one estimate the factor is above one.
    pub factor: f64,
}

/// A method of time integration with its coefficients fixed.
pub trait Method: Send + Sync {
    /// The data that it keeps from step to step.
    fn storage(&self) -> MethodStorage;

    /// Implicit stages per step.
    fn stages(&self) -> usize {
        1
    }

    /// Sets the auxiliary vectors at the start.
    fn start(&self, _from: &MethodStart<'_>, _history: &mut MethodHistory) {}

    /// The constraint forces of its stages, if they differ from those of the formulation; called for systems with
    /// constraints.
    fn constraint_forces(&self, _evaluator: &Evaluator) -> Option<Box<dyn ConstraintForces>> {
        None
    }

    /// Computes the next instant.
    fn step(&self, step: &mut Step<'_>) -> Result<(), StageError>;

    /// The stages in the records after a step, if a quadrature over them has the order of the method.
    fn nodes(&self) -> Option<StageNodes<'_>> {
        None
    }

    /// The latest time at which forces are evaluated in a step, as a fraction of it; at least one.
    fn reach(&self) -> f64 {
        1.0
    }

    /// The spectral radius in a direction whose position is prescribed: errors of multipliers and
    /// accelerations decay only if it is below one.
    fn constrained_radius(&self) -> f64;

    /// The reason why the method with these parameters does not support a system, or `None` if it does.
    fn unsupported_reason(&self, _is_constrained: bool) -> Option<&'static str> {
        None
    }

    /// A warning about the method with these parameters, for systems without constraints (`None`) or with
    /// constraints in this formulation.
    fn parameter_warning(&self, _constraints: Option<Formulation>) -> Option<&'static str> {
        None
    }

    /// The order of the embedded method whose difference is the error estimate, if the method has one.
    fn embedded_order(&self) -> Option<u32> {
        None
    }

    /// Power and order of the error estimate, for systems without constraints (`None`) or with constraints in this
    /// formulation. `None` if the method has no estimate there that is good enough to choose steps by.
    fn estimate(&self, _constraints: Option<Formulation>) -> Option<Estimate> {
        None
    }

    /// The coefficients by name.
    fn coefficients(&self) -> Vec<(String, f64)>;

    /// The same formula with other coefficients, in the order of
    /// [`coefficients`](Method::coefficients); missing ones keep their value.
    fn with_coefficients(&self, values: &[f64]) -> Box<dyn Method>;
}
