//! Mechanisms: bodies, joints, drives and forces by name, compiled to the equations of motion.
//!
//! ```text
//!   Mechanism             description by the user: Body, Joint, Gear, Drive, Rolling, Skate, Force
//!      │  assemble: resolve names, check values, close joints, find redundant constraints
//!      ▼
//!   AssembledMechanism    Model (a System), InitialValues, and an AssemblyReport of the changes
//! ```
//!
//! Every scalar between two bodies is a [`Measure`] with its gradient and curvature: joints constrain measures,
//! drives prescribe them, springs act along them.

mod analytic_solution;
mod assemble;
mod channel;
mod channel_source;
mod channel_view;
mod checks;
mod compile;
mod compiled;
mod coordinate_owner;
mod describe;
mod displacements;
mod drive_inputs;
mod element;
mod element_sums;
mod elements;
mod energy;
mod energy_balance;
mod equations;
mod error;
mod event_data;
mod events;
mod flexible;
mod force_parts;
mod frame;
mod inputs;
mod kinds;
mod limits;
mod loading;
mod measure;
mod mesh;
mod node;
mod node_measure;
mod observer;
mod owner;
mod placement;
mod point_equations;
mod points;
mod recommended_method;
mod residuals;
mod scene;
mod signal_evaluation;
mod signals;
mod snapshot;
mod steady_rotation;
mod step_checks;
mod switch_data;
mod switches;
mod time_jumps;
mod values;

pub use crate::solid::{BodyShape, Colour, Inertia, InertiaError, Shape, SurfaceMesh};
pub use analytic_solution::AnalyticSolution;
pub use assemble::{
    AssembledMechanism, AssemblyReport, EquilibriumStart, JointGap, MovedBody, RedundantConstraint,
    VelocityChange,
};
pub use cardan_core::math::Scalar;
pub use channel::Channel;
pub use compiled::{Counts, Model};
pub use describe::{
    Anchor, Beam, Block, Body, CoordinateKind, CustomJoint, Cylinder, DcMotor, Drive, Edge, Event,
    FlexibleBody, Fluid, Force, Gear, Gravity, InputVariable, JOINTS, Joint, JointInfo, JointKind,
    Lumping, Mechanism, MechanismItem, PathPoint, Pid, Rolling, Signal, Skate, StateVariable,
    Structure, Tensor, Triplet, Truss, VectorInput,
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
pub(crate) use inputs::{InputEffect, PrescribedInput};
pub use measure::{CustomMeasure, Measure, MeasureFormula, PairVelocity, RollingDisc};
pub use observer::RotatingObserver;
pub use owner::{InputKey, Owner, PartKind, RowName};
pub use recommended_method::RecommendedMethod;
pub use residuals::ModelResiduals;
pub use scene::{
    NODE_WIDTH, Scene, SceneBeam, SceneBody, SceneEnd, SceneFlexible, SceneForce, SceneJoint,
    ScenePoint, SceneShape, SceneSolid, SceneStructure, SceneTracks, SceneValue,
};
pub use snapshot::Snapshot;
pub use steady_rotation::SpinError;
pub(crate) use steady_rotation::SteadyRotation;
pub use time_jumps::TimeJump;
pub use values::{
    BeamForm, BodyKind, Dimension, Function, Law, LawResponse, LawScalar, Material, Matrix6,
    NodeLayout, Profile, Section, SignalFormula, SignalFunction, SignalIndex, TimeJet, TimeScalar,
};
