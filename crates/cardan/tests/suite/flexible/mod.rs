//! Flexible bodies in floating frames, and linear structures.

mod bodies;
mod reduction;
mod slider_crank;
mod structures;
