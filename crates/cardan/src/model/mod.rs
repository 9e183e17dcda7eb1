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

mod acceptance;
mod channel;
mod compile;
mod compiled;
mod describe;
mod displacements;
mod element;
mod elements;
mod energy;
mod equations;
mod error;
mod exact;
mod flexible;
mod force_parts;
mod frame;
mod gauge;
mod inputs;
mod kinds;
mod ledger;
mod limits;
mod measure;
mod mesh;
mod node;
mod owner;
mod placement;
mod points;
mod residuals;
mod spinning;
mod start;
mod statics;
mod sums;

pub use channel::Channel;
pub use compiled::{Counts, Model};
pub use describe::{
    Anchor, Beam, BeamForm, Body, CustomJoint, Drive, Edge, Flexible, Force, Free, Freedom,
    Function, Gear, Gravity, Inertia, InertiaError, Item, JOINTS, Jet, Joint, JointInfo, JointKind,
    Law, Layout, Lumping, Material, Matrix6, Mechanism, PathPoint, Place, Profile, Response,
    Rolling, Scalar, Section, Shape, Skate, Stretch, Structure, Tensor, Time, Triplet, Truss,
};
pub use displacements::Displacement;
pub use element::{
    At, Element, ElementState, Flow, Loads, Output, RateTangent, Side, Site, Tangent,
};
pub use energy::{Energy, Momentum, Power};
pub use error::{ModelError, OpenRow};
pub use exact::Exact;
pub use flexible::{
    BeamModes, FiniteElements, Interface, MassPoint, Modal, ModalPoint, ReductionError,
    ReductionInput, Support,
};
pub use frame::Frame;
pub use ledger::{Jump, Ledger};
pub use measure::{Disc, Measure, MeasureFormula, Motion, OwnMeasure};
pub use owner::{Key, Owner, PartKind, RowName};
pub use residuals::Residuals;
pub use start::{Gap, Moved, Redundant, Report, Start, VelocityChange};
pub use statics::{Equilibrium, StaticOptions};
