//! The model file: a mechanism, how its motion is computed and what is written, as TOML.
//!
//! ```
//! use cardan::Simulation;
//! use cardan::file::ModelFile;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = r#"
//! format = 1
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
//!   text ── tree with places ── tables of the schema ──▶ Mechanism, Plan, Output
//!                 │                     │
//!                 └────── Mistakes ◀────┴── errors found later, by part and key
//! ```

mod beam;
mod body;
mod diagnostic;
mod document;
mod entry;
mod flexible;
mod force;
mod joint;
mod json_schema;
mod location;
mod reference_page;
mod schedule;
mod schema;
mod scope;
mod settings;
mod structure;
mod syntax;

pub use diagnostic::{Diagnostic, Diagnostics, SourceText};
pub use json_schema::json_schema;
pub use reference_page::reference;
pub use schedule::Schedule;
pub use schema::{SECTIONS, SchemaField, SchemaSection, SchemaVariant, ValueKind};
pub use settings::{Located, OutputSettings, SimulationPlan};

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::model::{AssembledMechanism, Mechanism};
use crate::output::{FileDigest, file_sha256, fingerprint};
use scope::ValueReader;

/// The version of the format that is read. When a key changes its meaning this number rises, and
/// files of the old format are brought up to date as they are read.
pub const FORMAT: u64 = 1;

/// Larger files are no models.
const MAX_FILE: u64 = 16 << 20;

/// A model file, read and checked.
#[derive(Clone, Debug)]
pub struct ModelFile {
    /// Its name and text.
    pub source: SourceText,
    /// The files it reads besides, with the SHA-256 of each.
    pub files: Vec<FileDigest>,
    /// Its title.
    pub title: Option<String>,
    /// The values of its parameters.
    pub parameters: Vec<(String, f64)>,
    /// The mechanism it describes.
    pub mechanism: Mechanism,
    /// How the motion is to be computed.
    pub plan: SimulationPlan,
    /// What is to be written.
    pub output: OutputSettings,
    /// What is allowed and looks like a mistake all the same.
    pub hints: Vec<Diagnostic>,
    is_planar: bool,
    /// The place of `[simulation]`.
    simulation: Option<std::ops::Range<usize>>,
}

impl ModelFile {
    /// Reads a file. Parameters may be set to other values, or formulas, than the file's.
    pub fn read(path: &Path, set: &[(String, String)]) -> Result<Self, Diagnostics> {
        let name = path.display().to_string();
        let fail = |message: String| {
            let source = SourceText { name: name.clone(), text: String::new() };
            Diagnostics { source, list: vec![Diagnostic::without_location(message)] }
        };
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path).map_err(|error| {
            let with_ending = path.with_extension("toml");
            fail(match with_ending.exists() && with_ending != path {
                true => format!("cannot open: {error}; did you mean `{}`?", with_ending.display()),
                false => format!("cannot open: {error}"),
            })
        })?;
        if file.metadata().is_ok_and(|about| about.is_dir()) {
            return Err(fail("this is a folder, not a model file".into()));
        }
        let read = file.take(MAX_FILE + 1).read_to_end(&mut bytes);
        read.map_err(|error| fail(format!("cannot read: {error}")))?;
        if bytes.len() as u64 > MAX_FILE {
            return Err(fail("this is larger than 16 MiB: it is no model file".into()));
        }
        match String::from_utf8(bytes) {
            Ok(text) => Self::parse(&name, &text, set),
            Err(error) => {
                let (at, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
                let line = bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
                Err(fail(format!("line {line} is not UTF-8 text (byte {at}): save it as UTF-8")))
            }
        }
    }

    /// Reads a text; its name is for messages.
    pub fn parse(name: &str, text: &str, set: &[(String, String)]) -> Result<Self, Diagnostics> {
        // spans count bytes, and a mark at the beginning is no part of the text
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let source = SourceText { name: name.into(), text: text.into() };
        let table = match document::tree(text) {
            Ok(table) => table,
            Err(mistake) => return Err(Diagnostics { source, list: vec![mistake] }),
        };
        let mut reader = ValueReader::new(text);
        // files it names lie beside it
        reader.folder = Path::new(name).parent().map(Path::to_path_buf).unwrap_or_default();
        let contents = document::read(&mut reader, &table, set);
        let is_planar = reader.is_planar;
        let read = reader.files.take();
        let (list, hints) = reader.into_diagnostics();
        let simulation = table.get_key_value("simulation").map(|(key, _)| key.span());
        if !list.is_empty() {
            return Err(Diagnostics { source, list });
        }
        let document::Contents { title, parameters, mechanism, plan, output } = contents;
        let digest = |path: &PathBuf| {
            let path = path.display().to_string();
            let sha256 = file_sha256(path.as_ref()).unwrap_or_default();
            FileDigest { path, sha256 }
        };
        let file = Self {
            source,
            files: read.iter().map(digest).collect(),
            title,
            parameters,
            mechanism,
            plan,
            output,
            hints,
            is_planar,
            simulation,
        };
        Ok(file)
    }

    /// SHA-256 of the text and, if it reads files, of their contents.
    pub fn sha256(&self) -> String {
        let mut text = self.source.text.clone();
        for (k, file) in self.files.iter().enumerate() {
            text += &format!("\nfile {k}: {}", file.sha256);
        }
        fingerprint(&text)
    }

    /// Assembles the mechanism; what is wrong with it gets its place in the file.
    pub fn assemble(&self) -> Result<AssembledMechanism, Diagnostics> {
        self.mechanism.assemble().map_err(|error| self.explain(&error.into()))
    }

    /// Mistakes in this file.
    pub fn diagnostics(&self, list: Vec<Diagnostic>) -> Diagnostics {
        Diagnostics { source: self.source.clone(), list }
    }
}
