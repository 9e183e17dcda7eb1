//! Flexible multibody dynamics, with every integrator chosen by one word.
//!
//! A pendulum, its angle from the vertical as the only coordinate:
//!
//! ```
//! use cardan::{Entries, Initial, Point, Settings, Simulation, Space, System};
//!
//! struct Pendulum;
//!
//! impl System for Pendulum {
//!     fn space(&self) -> Space { Space::vector(1) }
//!     fn mass(&self, _q: &[f64], mass: &mut Entries) { mass.add(0, 0, 1.0) }
//!     fn force(&self, at: &Point, force: &mut [f64]) { force[0] = -9.81 * at.q[0].sin() }
//! }
//!
//! # fn main() -> Result<(), cardan::Error> {
//! let settings = Settings::new("generalized-alpha", 0.01).rho(0.8);
//! let mut pendulum = Simulation::new(&Pendulum, &settings, &Initial::new(&[1.0], &[0.0]))?;
//! pendulum.run_until(1.0)?;
//! println!("angle at t = {}: {}", pendulum.now().t, pendulum.now().q[0]);
//! # assert!((pendulum.now().q[0] + 0.980067).abs() < 1e-3);
//! # Ok(()) }
//! ```
//!
//! # How it hangs together
//!
//! ```text
//!   System      M(q) a + Gᵀ λ = f(t,q,v,λ,z),  Φ(t,q) = 0,  G v + b = 0,  q on a Lie group
//!      ▲
//!      │   Stage: Newton + sparse LU, given how q, v and a hang together at one instant
//!      ▼
//!   Method      data and a few lines: coefficients, history, predictor
//!      ▲
//!      │   step
//!   Simulation  starts well, takes steps, answers questions; its State is all that evolves
//! ```
//!
//! An integrator never sees a body, and a body never sees an integrator: they meet in the
//! [`stage`]. Constraints and rotations are shown by the systems in [`exam::problems`]; the
//! registry of [`methods`] lists every integrator, and the [`exam`] measures what each is worth.
//!
//! # Conventions
//!
//! SI units and radians. Quaternions are scalar first, body to world; angular velocities are in
//! body axes; velocities have three entries per rotation where configurations have four. Multipliers
//! enter as `M a + Gᵀ λ = f`.
#![doc(test(attr(deny(warnings))))]

pub mod error;
pub mod exam;
pub mod gallery;
pub mod linalg;
pub mod math;
pub mod methods;
pub mod model;
mod names;
pub mod simulation;
pub mod spectral;
pub mod stage;
pub mod state;
pub mod system;

pub use error::Error;
pub use linalg::Entries;
pub use simulation::{Initial, Settings, Simulation};
pub use stage::Formulation;
pub use state::{Instant, State};
pub use system::{Coupling, Derivative, ForceTangent, Point, Space, System};

/// The programs in the documentation, run as tests.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/system.md")]
    struct WritingASystem;
}
