//! Problems of the papers that are not made of bodies and joints: equations in a few coordinates, written by hand.
//! (The mechanisms are model files, or in [`crate::gallery`].)
//!
//! ```text
//! SimplePendulum     Fernández de Bustos et al. 2024, one angle
//! RodPendulum        the pendulum in three coordinates with two constraints, with or without inertia
//! ForcedOscillator   the same paper, section 4.3
//! EulerTop           the same paper's spinning top in Euler angles
//! QuaternionTop      that top as one rotation
//! PrescribedRotation Zupan and Zupan's body under the torque of a known rotation
//! ```

mod oscillator;
mod pendulum;
mod problem;
mod rotation;
mod top;

pub use oscillator::ForcedOscillator;
pub use pendulum::{RodPendulum, SimplePendulum};
pub use problem::{PROBLEMS, PaperProblem};
pub use rotation::{LoadCase, PrescribedRotation, angle_error, relative_angle};
pub use top::{EulerTop, QuaternionTop};
