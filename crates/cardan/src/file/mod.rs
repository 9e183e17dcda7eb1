//! The model file: a mechanism, how its motion is computed and what is written, as TOML.
//!
//! ```
//! use cardan::Simulation;
//! use cardan::file::ModelFile;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = r#"
//! format = 2
//! planar = true
//! gravity = [0, -9.81]
//!
//! [parameters]
//! length = 1
//!
//! [body.bar]
//! mass = 2
//! shape = { rod = "length" }
//! position = ["length/2", 0]
//!
//! [joint.O]
//! type = "revolute"
//! between = ["ground", "bar"]
//! at = [0, 0]
//!
//! [simulation]
//! step = 1e-3
//! end = 1
//! "#;
//! let file = ModelFile::parse("pendulum.toml", text, &[])?;
//! let start = file.assemble()?;
//! let schedule = file.schedule()?;
//! let mut motion = Simulation::new(&start.model, &schedule.settings, &start.initial)?;
//! motion.run_until(schedule.end)?;
//! # assert!((start.model.read("O.angle", motion.now())?[0] + 3.13342).abs() < 1e-4);
//! # Ok(()) }
//! ```
//!
//! ```text
//!   text ── tree with places ── tables of the schema ──▶ Mechanism, SimulationPlan, OutputSettings
//!                 │                     │
//!                 └────── Diagnostics ◀─┴── errors of assembly and simulation, by part and key
//! ```

mod actuator;
mod auto_method;
mod beam;
mod body;
mod diagnostic;
mod document;
mod entry;
mod event;
mod flexible;
mod force;
mod format;
mod joint;
mod json_schema;
mod known_parts;
mod linear_system;
mod location;
mod memory;
mod model_file;
mod orientation;
mod parameters;
mod reference_page;
mod row_times;
mod saved_start;
mod schedule;
mod schema;
mod scope;
mod settings;
mod shape;
mod signal;
mod source_files;
mod structure;
mod syntax;
mod table;
mod template;

pub use auto_method::AUTO;
pub use diagnostic::{Diagnostic, Diagnostics, SourceText};
pub use format::FORMAT;
pub use json_schema::json_schema;
pub use model_file::ModelFile;
pub use reference_page::reference;
pub use row_times::RowTimes;
pub use saved_start::StartSource;
pub use schedule::Schedule;
#[cfg(feature = "results")]
pub(crate) use schedule::is_resolved;
pub use schema::{SECTIONS, SchemaField, SchemaSection, SchemaVariant, ValueKind};
pub use settings::{Located, OutputSettings, SimulationPlan};
pub use source_files::SourceFile;
pub use syntax::explain as explain_syntax;
pub use template::ModelTemplate;
