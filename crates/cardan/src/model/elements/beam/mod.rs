//! Geometrically exact beam elements with two or three nodes, in two forms with the same kinematics.
//!
//! ```text
//!   nodes x, R ── mounts ──▶ sections p, S ── interpolation ──▶ points ν, κ ── law ──▶ F, M
//!     ▲                          ▲                                                      │
//!     └──────── mounts ──────────┴──── galerkin (−∂V/∂q) or finite volumes (cuts) ◀─────┘
//! ```
//!
//! A mount is the pose of a section on its node: an offset and a rotation. Forces and tangents are first
//! computed over the sections (force at p in world axes, moment in section axes; increments δp in world axes,
//! δψ in section axes) and then transferred to the nodes.
//!
//! With W the world, N the frame of a node and S that of its section: x = p_WN_W, R = R_WN, p = p_WS_W, and the
//! rotation matrix S = R_WS.

mod beam_element;
mod configuration;
mod finite_volume;
mod forces;
mod galerkin;
mod kinematics;
mod mount;
mod section_law;
mod spatial_vector;
mod transfer;
mod viscosity;

pub(in crate::model) use beam_element::BeamElement;
pub(in crate::model) use configuration::ShapeFunctions;
pub(in crate::model) use mount::Mount;
pub(in crate::model) use section_law::SectionLaw;
pub(in crate::model) use spatial_vector::SpatialVector;
