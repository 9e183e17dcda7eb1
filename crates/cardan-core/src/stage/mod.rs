//! The stage: the nonlinear problem that every implicit method solves at one instant.
//!
//! ```text
//! StageMap           given by the method: q, v, a as functions of one unknown
//! Stage              its unknowns; residual, matrix and correction of the enforced equations
//! ConstraintForces   how constraints act: by multipliers, stabilized, or as the method defines
//! VelocityCorrector  velocities as separate unknowns
//! newton             the Newton loop of all nonlinear problems
//! NewtonMemory       the matrix that is kept from step to step
//! ```

mod assembly;
mod consistency;
mod constraint_forces;
mod context;
mod correction_norm;
mod correction_solve;
mod diagnosis;
mod equations;
mod error;
mod formulation;
mod iterate;
mod kept_matrix;
mod layout;
pub(crate) mod least_squares;
mod map;
mod motion_update;
mod newton;
mod newton_memory;
mod problem;
mod projection_metric;
mod saddle;
mod static_states;
mod statics;
mod unknowns;
mod velocity_corrector;

pub(crate) use assembly::TermCoefficients;
pub use consistency::{ConsistencySolver, ProjectionChange};
pub use constraint_forces::{ConstraintForces, Iterate};
pub(crate) use context::EvaluationContext;
pub use correction_solve::CorrectionSolve;
pub use error::{ForceChange, RowResidual, StageError};
pub use formulation::Formulation;
pub use map::{ForceEvaluation, StageMap, VelocityLink};
pub use newton::{KeepJacobian, NewtonOptions};
pub(crate) use newton_memory::NewtonMemory;
pub use problem::Stage;
pub(crate) use projection_metric::ProjectionMetric;
pub use saddle::{
    REGULARIZING_COMPLIANCE, REMOVING_COMPLIANCE, SaddlePointSolver, coordinate_groups,
};
pub use statics::{StaticIteration, StaticProblem, StaticSolver};
pub use unknowns::Unknowns;
pub use velocity_corrector::VelocityCorrector;
