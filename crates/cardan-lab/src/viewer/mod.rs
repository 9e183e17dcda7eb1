//! Pages that show a model in motion: one HTML file with the viewer and its data, which needs no network.
//!
//! ```text
//!   model, run, modes, equilibria ── document: JSON of viewer/FORMAT.md ── page: HTML
//! ```

mod blob;
mod channels;
mod compact;
mod document;
mod envelope;
mod page;
mod scene_json;

pub use channels::PlotChannels;
pub use document::{ViewDocument, ViewedMode, ViewedRun};
pub use page::{is_page, page};
