//! The elements of a compiled model. Each has the indices of its coordinates, and functions of the same names
//! in the same order: value or force, tangents, energy.

// names of vectors and rotations carry their frames: docs/notation.md
#![allow(non_snake_case)]

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
