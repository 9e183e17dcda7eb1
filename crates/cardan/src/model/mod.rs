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

mod body;
mod channel;
mod compile;
mod compile_loads;
mod compiled;
mod drive;
mod elements;
mod energy;
mod equations;
mod error;
mod force;
mod frame;
mod function;
mod gauge;
mod inertia;
mod joint;
mod law;
mod measure;
mod mechanism;
mod node;
mod place;
mod start;

pub use body::{Body, Freedom, Tensor};
pub use channel::Channel;
pub use compiled::Model;
pub use drive::{Drive, Rolling, Skate};
pub use energy::{Energy, Ledger, Momentum, Power};
pub use error::ModelError;
pub use force::{Force, Matrix6};
pub use frame::Frame;
pub use function::{Function, Jet, Time};
pub use inertia::{Inertia, InertiaError, Shape};
pub use joint::{Free, Gear, JOINTS, Joint, JointInfo, JointKind};
pub use law::{Law, Response, Stretch};
pub use measure::{Disc, Measure, Motion};
pub use mechanism::{Gravity, Item, Mechanism};
pub use num_dual::DualNum;
pub use place::{Anchor, Place};
pub use start::{Gap, Moved, Redundant, Report, Start, VelocityChange};
