//! Flexible multibody dynamics, with every integrator chosen by one word.
//!
//! A pendulum in the plane:
//!
//! ```
//! use cardan::model::{Body, Joint, Mechanism};
//! use cardan::{Settings, Simulation};
//!
//! # fn main() -> Result<(), cardan::Error> {
//! let mut pendulum = Mechanism::new();
//! pendulum.gravity([0.0, -9.81, 0.0]);
//! pendulum.add(Body::planar("bar").mass(2.0).inertia(0.1).position([0.5, 0.0]));
//! pendulum.add(Joint::revolute("pivot", "ground", "bar").at([0.0, 0.0]));
//!
//! let start = pendulum.assemble()?;
//! let settings = Settings::new("generalized-alpha", 1e-3).rho(0.8);
//! let mut motion = Simulation::new(&start.model, &settings, &start.initial)?;
//! motion.run_until(0.5)?;
//! let angle = start.model.read("pivot.angle", motion.now())?[0];
//! # assert!((angle + 1.807).abs() < 1e-3, "{angle}");
//! # Ok(()) }
//! ```
//!
//! Or any equations of your own: see [`System`].
//!
//! # How it hangs together
//!
//! ```text
//!   Mechanism   bodies, joints, drives, forces by name; assembled to a Model, which is a System
//!      │
//!      ▼
//!   System      M(q) a + Gᵀ λ = f(t,q,v,λ,z),  Φ(t,q) = 0,  G v + b = 0,  q on a Lie group
//!      ▲
//!      │   Stage: Newton + sparse LU, given how q, v and a hang together at one instant
//!      ▼
//!   Method      data and a few lines: coefficients, history, predictor
//!      ▲
//!      │   attempt → Trial { estimate, interpolant } → accept | reject
//!   Simulation  starts well, takes steps, answers questions; its State is all that evolves
//! ```
//!
//! An integrator never sees a body, and a body never sees an integrator: they meet in the
//! [`stage`]. Mechanisms are built with [`model`], and known ones stand in the [`gallery`]; the
//! registry of [`methods`] lists every integrator, the [`exam`] measures what each is worth, [`spectral`]
//! analyses it on the oscillator, and a [`study`] compares many on one motion. Small motions about a state are
//! looked at by [`modes`].
//!
//! # Conventions
//!
//! SI units and radians. Quaternions are scalar first, body to world; angular velocities are in
//! body axes; velocities have three entries per rotation where configurations have four. Multipliers
//! enter as `M a + Gᵀ λ = f`.
#![doc(test(attr(deny(warnings))))]

pub mod error;
pub mod exam;
pub mod expression;
pub mod file;
pub mod gallery;
pub mod linalg;
pub mod math;
pub mod methods;
pub mod model;
pub mod modes;
pub mod output;
pub mod papers;
pub mod results;
pub mod simulation;
pub mod spectral;
pub mod stage;
pub mod state;
pub mod study;
mod suggestion;
pub mod system;

pub use error::Error;
pub use linalg::SparseMatrix;
pub use simulation::{InitialValues, Settings, Simulation};
pub use stage::Formulation;
pub use state::{Instant, State};
pub use system::{Coupling, Derivative, Failure, ForceTangent, Space, StateView, System};

/// The programs in the documentation, run as tests.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/mechanisms.md")]
    struct BuildingAMechanism;
    #[doc = include_str!("../../../docs/system.md")]
    struct WritingASystem;
    #[doc = include_str!("../../../docs/elements.md")]
    struct ForcesOfYourOwn;
    #[doc = include_str!("../../../docs/integrators.md")]
    struct MethodsOfYourOwn;
}
