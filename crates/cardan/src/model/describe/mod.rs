//! The description of a mechanism as users write it, not yet checked.

mod anchor;
mod beam;
mod block;
mod body;
mod drive;
mod event;
mod flexible;
mod force;
mod joint;
mod mechanism;
mod signal;
mod structure;

pub use anchor::{Anchor, VectorInput};
pub use beam::{Beam, PathPoint, Truss};
pub use block::{Block, Cylinder, DcMotor, Fluid, Pid};
pub use body::{Body, Tensor};
pub use drive::{Drive, Rolling, Skate};
pub use event::Event;
pub use flexible::FlexibleBody;
pub use force::Force;
pub use joint::{CoordinateKind, CustomJoint, Gear, JOINTS, Joint, JointInfo, JointKind};
pub use mechanism::{Gravity, Mechanism, MechanismItem};
pub use signal::{InputVariable, Signal, StateVariable};
pub(in crate::model) use structure::MAX_NODES;
pub use structure::{Edge, Lumping, Structure, Triplet};

pub(super) use beam::{Path, with_residual_flexibility};
pub(super) use drive::DriveKind;
pub(super) use event::{EventAction, EventClosure, EventCondition, EventFunction};
pub(super) use force::ForceKind;
pub(super) use joint::JointAxis;
pub(super) use signal::{SignalBody, SignalLimit, StateEquation};
