//! The elements of a compiled model. Each knows its own few coordinates and has the same verbs in
//! the same order: value or force, tangents, energy.

mod alignment;
mod beam;
mod bushing;
mod coincidence;
mod constraint_rows;
mod custom;
mod custom_differences;
mod flexible;
mod friction;
mod list;
mod load;
mod rigid;
mod spring;
mod structure;

pub(super) use alignment::Alignment;
pub(super) use beam::{BeamElement, Mount, SectionLaw, ShapeFunctions, SpatialVector};
pub(super) use bushing::Bushing;
pub(super) use coincidence::Coincidence;
pub(super) use constraint_rows::{HolonomicRow, NonholonomicRow};
pub(super) use custom::CustomElement;
pub(super) use flexible::FloatingFrameBody;
pub(super) use friction::Friction;
pub(super) use list::{ElementKind, Elements, Visitor};
pub(super) use load::{Load, LoadKind};
pub(super) use rigid::{RigidBody, SharedMass};
pub(super) use spring::Spring;
pub(super) use structure::{LinearStructure, Matrices, Tie};
