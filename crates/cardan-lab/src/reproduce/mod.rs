//! Figures, tables and claims of papers, computed and compared with the printed ones.
//!
//! ```text
//! manifest ── studies ──▶ runs on all processors ──▶ outcomes and histories in a folder
//!    │                                                        │
//!    └── items: figures, tables, claims ── addresses ─────────┴──▶ verdicts ──▶ pages
//! ```
//! A new paper is a new manifest: no paper is named in the code.

mod bundled;
mod check;
mod compute;
mod erratum;
mod figure;
mod items;
mod list;
mod manifest;
mod newton;
mod numbers;
mod options;
mod plan;
mod problem;
mod purpose;
mod quantity;
pub mod record;
mod run;
mod site;
mod write_pages;

pub use list::list;
pub use options::ReproduceOptions;
pub use run::reproduce;
