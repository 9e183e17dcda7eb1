//! The user's words: what a mechanism consists of, not yet checked.

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
mod place;
mod section;
mod structure;

pub use crate::math::Scalar;
pub use beam::{Beam, BeamForm, PathPoint, Truss};
pub use body::{Body, Freedom, Tensor};
pub use drive::{Drive, Rolling, Skate};
pub use flexible::Flexible;
pub use force::{Force, Matrix6};
pub use function::{Function, Jet, Time};
pub use inertia::{Inertia, InertiaError, Shape};
pub use joint::{CustomJoint, Free, Gear, JOINTS, Joint, JointInfo, JointKind};
pub use law::{Law, Response, Stretch};
pub use mechanism::{Gravity, Item, Mechanism};
pub use place::{Anchor, Place};
pub use section::{Material, Profile, Section};
pub(in crate::model) use structure::MOST_NODES;
pub use structure::{Edge, Layout, Lumping, Structure, Triplet};

pub(super) use beam::{Path, with_residual_flexibility};
pub(super) use drive::Driven;
pub(super) use force::Acting;
pub(super) use function::vector;
pub(super) use joint::Axis;
