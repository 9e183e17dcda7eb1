//! A laboratory for integrators: verification, linear analysis, comparisons, reproduced papers and charts, on top of
//! the multibody library [`cardan`].
//!
//! ```text
//!   problems                    experiments                          presentation
//!   ───────────────────────     ────────────────────────────────     ─────────────────────────
//!   examples  model files       exam       verification problems     table   text tables, JSON
//!   gallery   mechanisms   ──▶             for every method     ──▶  chart   SVG and PNG
//!   papers    equations         spectral   analysis on q̈ + ω²q = 0   snapshot_chart
//!                               study      errors against a
//!                                          reference
//!                               reproduce  figures, tables and
//!                                          claims of papers     ──▶  web pages
//! ```
//!
//! Every experiment takes methods from a [`Registry`](cardan::methods::Registry), so that a method of your own is
//! examined like the built-in ones.
//!
//! # A first program
//!
//! Two methods on an example model, with errors and observed orders:
//!
//! ```
//! use std::path::Path;
//! use std::sync::atomic::AtomicBool;
//!
//! use cardan_lab::examples;
//! use cardan_lab::study::{Comparison, StudyProblem};
//!
//! let start = examples::read(Path::new("pendulum"), &[])?.assemble()?;
//! let comparison = Comparison {
//!     methods: vec!["generalized-alpha".parse()?, "esdirk325".parse()?],
//!     steps: vec![2e-2, 1e-2],
//!     ..Comparison::new(StudyProblem::new(&start.model, &start.initial, 0.2))
//! };
//! let result = comparison.run(&AtomicBool::new(false))?;
//! println!("{}", result.table());
//! # assert_eq!(result.rows.len(), 4);
//! # assert!(result.rows.iter().all(|row| row.result.failure.is_none()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`exam::run_exam`] runs the verification problems, [`spectral::Spectrum`] the linear analysis, and
//! [`reproduce::reproduce`] the studies of the papers. The program `cardan` offers all of them as commands.
#![doc(test(attr(deny(warnings))))]

pub mod chart;
mod error;
pub mod exam;
pub mod examples;
pub mod gallery;
pub mod gltf;
pub mod live_models;
pub mod overwrite;
pub mod papers;
pub mod reproduce;
pub mod snapshot_chart;
pub mod spectral;
pub mod still;
pub mod study;
pub mod study_chart;
pub mod table;
pub mod viewer;

pub use error::{LabError, LabErrorKind};
