//! Benchmarks of Cardan; see README.md.
