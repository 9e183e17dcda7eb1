//! The elements of a compiled model. Each knows its own few coordinates and has the same verbs in
//! the same order: value or force, tangents, energy.

mod alignment;
mod beam;
mod bushing;
mod coincidence;
mod friction;
mod held;
mod load;
mod spring;

pub(super) use alignment::Alignment;
pub(super) use beam::{BeamElement, Fabric, Mount, Pair, Shape};
pub(super) use bushing::Bushing;
pub(super) use coincidence::Coincidence;
pub(super) use friction::Friction;
pub(super) use held::{Held, Rate};
pub(super) use load::{Load, LoadKind};
pub(super) use spring::Spring;
