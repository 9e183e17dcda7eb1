//! Flexible multibody dynamics, with every integrator chosen by one word.
//!
//! A pendulum in the plane:
//!
//! ```
//! use cardan::Settings;
//! use cardan::model::{Body, Joint, Mechanism};
//!
//! # fn main() -> Result<(), cardan::Error> {
//! let mut pendulum = Mechanism::new();
//! pendulum.gravity([0.0, -9.81, 0.0]);
//! pendulum.add(Body::planar("bar").mass(2.0).inertia(0.1).position([0.5, 0.0]));
//! pendulum.add(Joint::revolute("pivot", "ground", "bar").at([0.0, 0.0]));
//!
//! let assembled = pendulum.assemble()?;
//! let mut motion = assembled.simulate(&Settings::new("generalized-alpha", 1e-3).rho(0.8))?;
//! motion.run_until(0.5)?;
//! let angle = motion.read("pivot.angle")?[0];
//! # assert!((angle + 1.807).abs() < 1e-3, "{angle}");
//! # Ok(()) }
//! ```
//!
//! # Architecture
//!
//! ```text
//!   file        a model file in TOML: mechanism, settings, output        (feature `file`)
//!     │
//!     ▼
//!   model       Mechanism: bodies, joints, drives, forces, beams by name
//!     │         assemble: joints closed, redundant constraints named, velocities completed
//!     ▼
//!   Model       a System of cardan-core: M(q) a + Gᵀ λ = f, Φ(t, q) = 0, q on a Lie group
//!     │
//!     ├─▶ simulation   steps of any method        (cardan-core, re-exported here)
//!     ├─▶ statics      equilibria under loads
//!     ├─▶ modes        natural frequencies, damping, state space
//!     └─▶ run          results in a folder                       (features `file` and `results`)
//!                        └─▶ results   Parquet or CSV, summary   (feature `results`)
//! ```
//!
//! An integrator never sees a body, and a body never sees an integrator: they meet in the
//! [`stage`](mod@stage), the nonlinear problem that an implicit method solves at one instant. Everything of `cardan-core` is
//! re-exported here: [`simulation`], [`methods`], [`system`], [`stage`](mod@stage), [`stability`], [`linalg`], [`math`]. Forces, joints and
//! controllers from outside implement [`model::Element`] or [`model::MeasureFormula`].
//!
//! # Features
//!
//! | feature | gives | adds |
//! | --- | --- | --- |
//! | `file` (default) | [`mod@file`]: model files in TOML with located messages | toml, ariadne, serde_json |
//! | `results` (default) | [`results`]: tables of channels over time, written atomically | parquet, serde_json |
//! | both | [`run`]: from a model file to results in a folder | |
//! | none | [`model`], [`statics`], [`modes`], [`expression`], [`table`], [`output`] | |
//!
//! # Conventions
//!
//! SI units and radians. Quaternions are scalar first, body to world; angular velocities are in
//! body axes; velocities have three entries per rotation where configurations have four. Multipliers
//! enter as `M a + Gᵀ λ = f`. The reaction of a joint is the load on its second body.
#![doc(test(attr(deny(warnings))))]

mod eigen;
mod error;
pub mod expression;
#[cfg(feature = "file")]
pub mod file;
pub mod model;
pub mod modes;
pub mod output;
#[cfg(feature = "results")]
pub mod results;
#[cfg(all(feature = "file", feature = "results"))]
pub mod run;
pub mod solid;
pub mod statics;
pub mod table;
mod wildcard;

// known mechanisms for the unit tests of models
#[cfg(test)]
extern crate self as cardan;
#[cfg(test)]
#[path = "../../cardan-lab/src/gallery.rs"]
mod gallery;

pub use cardan_core::simulation::{AbsoluteTolerances, ErrorControl};
pub use cardan_core::{
    Coupling, Derivative, Failure, ForceTangent, Formulation, InitialValues, Instant, Settings,
    Simulation, SimulationError, Space, SparseMatrix, State, StateView, System,
};
pub use cardan_core::{
    linalg, math, methods, simulation, stability, stage, state, suggestion, system,
};
pub use error::Error;
