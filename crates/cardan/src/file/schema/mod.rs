//! The contents of a model file as tables: the reader, the checks, the JSON Schema for editors and the
//! reference page for people are made from them.

mod bodies;
mod connections;
mod events;
mod field;
mod sections;
mod signals;

pub use field::{SchemaField, SchemaSection, SchemaVariant, ValueKind};
pub use sections::{SECTIONS, section};
