//! `cardan reproduce`: the figures, tables and claims of papers, computed and laid beside print.
//!
//! ```text
//! manifest ── studies ──▶ runs on all processors ──▶ outcomes and histories in a folder
//!    │                                                        │
//!    └── items: figures, tables, claims ── addresses ─────────┴──▶ verdicts ──▶ pages
//! ```
//! A new paper is a new manifest: nothing here knows one by its name.

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
