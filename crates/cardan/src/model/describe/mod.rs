//! The user's words: what a mechanism consists of, not yet checked.

mod anchor;
mod beam;
mod body;
mod drive;
mod flexible;
mod force;
mod function;
mod inertia;
mod joint;
mod law;
mod mechanism;
mod section;
mod structure;

pub use anchor::{Anchor, VectorInput};
pub use beam::{Beam, BeamForm, PathPoint, Truss};
pub use body::{Body, BodyKind, Tensor};
pub use cardan_core::math::Scalar;
pub use drive::{Drive, Rolling, Skate};
pub use flexible::FlexibleBody;
pub use force::{Force, Matrix6};
pub use function::{Function, TimeJet, TimeScalar};
pub use inertia::{Inertia, InertiaError, Shape};
pub use joint::{CoordinateKind, CustomJoint, Gear, JOINTS, Joint, JointInfo, JointKind};
pub use law::{Law, LawResponse, LawScalar};
pub use mechanism::{Gravity, Mechanism, MechanismItem};
pub use section::{Material, Profile, Section};
pub(in crate::model) use structure::MAX_NODES;
pub use structure::{Edge, Lumping, NodeLayout, Structure, Triplet};

pub(super) use beam::{Path, with_residual_flexibility};
pub(super) use drive::DriveKind;
pub(super) use force::ForceKind;
pub(super) use function::vector;
pub(super) use joint::JointAxis;
