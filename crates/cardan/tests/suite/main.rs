//! The tests of the library, one program.

mod common;
mod convergence;
mod exam;
mod linear_algebra;
mod motion;
mod robustness;
mod rotations;
mod measures;
mod stage;
mod systems;
