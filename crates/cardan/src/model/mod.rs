//! Mechanisms: bodies, joints, drives and forces by name, compiled to the equations of motion.
//!
//! ```text
//!   Mechanism   the user's words: Body, Joint, Gear, Drive, Rolling, Skate, Force
//!      │  assemble: names resolved, values checked, joints closed, redundancy found
//!      ▼
//!   Start       Model (a System), Initial values, and a Report of what was changed
//! ```
//!
//! Everything scalar that can be seen between two bodies is a [`Measure`] with its gradient and
//! curvature: joints hold measures, drives prescribe them, springs answer to them.

mod analytic_solution;
mod assemble;
mod channel;
mod compile;
mod compiled;
mod describe;
mod displacements;
mod element;
mod element_sums;
mod elements;
mod energy;
mod energy_balance;
mod equations;
mod error;
mod flexible;
mod force_parts;
mod frame;
mod inputs;
mod kinds;
mod limits;
mod measure;
mod mesh;
mod node;
mod node_measure;
mod owner;
mod placement;
mod points;
mod residuals;
mod snapshot;
mod statics;
mod steady_rotation;
mod step_checks;

pub use analytic_solution::AnalyticSolution;
pub use assemble::{
    AssembledMechanism, AssemblyReport, JointGap, MovedBody, RedundantConstraint, VelocityChange,
};
pub use channel::Channel;
pub use compiled::{Counts, Model};
pub use describe::{
    Anchor, Beam, BeamForm, Body, BodyKind, CoordinateKind, CustomJoint, Drive, Edge, FlexibleBody,
    Force, Function, Gear, Gravity, Inertia, InertiaError, JOINTS, Joint, JointInfo, JointKind,
    Law, LawResponse, LawScalar, Lumping, Material, Matrix6, Mechanism, MechanismItem, NodeLayout,
    PathPoint, Profile, Rolling, Scalar, Section, Shape, Skate, Structure, Tensor, TimeJet,
    TimeScalar, Triplet, Truss, VectorInput,
};
pub use displacements::Displacement;
pub use element::{
    Element, ElementLoads, ElementOutput, ElementState, ElementTangent, ElementView, EnergyFlow,
    RateTangent, Side, Site,
};
pub use energy::{Energy, Momentum, Power};
pub use energy_balance::{BalanceJump, EnergyBalance};
pub use error::{ModelError, OpenRow};
pub use flexible::{
    BeamModes, FiniteElements, Interface, MassPoint, ModalBasis, ModalPoint, ReductionError,
    ReductionInput, Support,
};
pub use frame::Frame;
pub use measure::{CustomMeasure, Measure, MeasureFormula, PairVelocity, RollingDisc};
pub use owner::{InputKey, Owner, PartKind, RowName};
pub use residuals::ModelResiduals;
pub use snapshot::Snapshot;
pub use statics::{Equilibrium, StaticOptions};
