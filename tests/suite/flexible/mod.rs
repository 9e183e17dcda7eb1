//! Flexible bodies in floating frames, and linear structures.

mod bodies;
mod displacements;
mod reduction;
mod slider_crank;
mod structures;
