//! The tests of the library, one program.

mod beams;
mod common;
mod continuation;
mod convergence;
mod exam;
mod expressions;
mod files;
mod flexible;
mod hostile;
mod linear_algebra;
mod measures;
mod mechanisms;
mod methods;
mod modes;
mod motion;
mod newton;
mod outside;
mod outside_methods;
mod papers;
mod robustness;
mod rotations;
mod scalars;
mod stage;
mod starts;
mod systems;
mod validity;
