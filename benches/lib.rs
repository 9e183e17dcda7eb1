//! Benchmarks of Cardan; see README.md.

pub mod speed;
