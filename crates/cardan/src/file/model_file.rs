//! A model file: read from the disk, parsed and checked.

use crate::model::{BeamForm, Dimension};
use std::io::Read;
use std::path::{Path, PathBuf};

use toml::de::DeTable;

use super::diagnostic::{Diagnostic, Diagnostics, SourceText};
use super::document;
use super::format::tree;
use super::known_parts::PartReuse;
use super::memory::MemoryLimit;
use super::scope::ValueReader;
use super::settings::{OutputSettings, SimulationPlan};
use super::source_files::{SourceFile, SourceFiles};
use crate::model::Mechanism;
use crate::output::{FileDigest, fingerprint};

/// Larger files are refused.
const MAX_FILE: u64 = 16 << 20;

/// A model file, read and checked.
#[derive(Clone, Debug)]
pub struct ModelFile {
    /// Its name and text.
    pub source: SourceText,
    /// Other files that it reads.
    pub files: Vec<SourceFile>,
    /// The parameters that were set to other values or formulas than the file's.
    pub set: Vec<(String, String)>,
    /// The form of all beam elements, if it was set to another one than the file's.
    pub beam_form: Option<BeamForm>,
    /// Its title.
    pub title: Option<String>,
    /// The values of its parameters.
    pub parameters: Vec<(String, f64)>,
    /// The mechanism it describes.
    pub mechanism: Mechanism,
    /// How the motion is to be computed.
    pub plan: SimulationPlan,
    /// The results that are to be written.
    pub output: OutputSettings,
    /// Values that are allowed and may be mistakes.
    pub hints: Vec<Diagnostic>,
    pub(super) dimension: Dimension,
    /// The place of `[simulation]`.
    pub(super) simulation: Option<std::ops::Range<usize>>,
}

impl ModelFile {
    /// Reads a file. Parameters may be set to other values, or formulas, than the file's.
    pub fn read(path: &Path, set: &[(String, String)]) -> Result<Self, Diagnostics> {
        Self::read_within(path, set, None)
    }

    /// Reads a file, unless the estimated memory of its parts exceeds a limit in bytes; without one, the memory that the
    /// system has available.
    pub fn read_within(
        path: &Path,
        set: &[(String, String)],
        max_memory: Option<u64>,
    ) -> Result<Self, Diagnostics> {
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
            return Err(fail("this is larger than 16 MiB and not read as a model file".into()));
        }
        match String::from_utf8(bytes) {
            Ok(text) => Self::parse_within(&name, &text, set, max_memory),
            Err(error) => {
                let (at, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
                let line = bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
                Err(fail(format!("line {line} is not UTF-8 text (byte {at}): save it as UTF-8")))
            }
        }
    }

    /// Reads a text; its name is for messages.
    pub fn parse(name: &str, text: &str, set: &[(String, String)]) -> Result<Self, Diagnostics> {
        Self::parse_within(name, text, set, None)
    }

    /// Reads a text, unless the estimated memory of its parts exceeds a limit in bytes; without one, the memory that the
    /// system has available.
    pub fn parse_within(
        name: &str,
        text: &str,
        set: &[(String, String)],
        max_memory: Option<u64>,
    ) -> Result<Self, Diagnostics> {
        Self::parse_with(name, text, set, SourceFiles::default(), MemoryLimit::new(max_memory))
    }

    /// Reads a text that was saved together with the files it reads; those on the disk are not used.
    pub fn restore(
        name: &str,
        text: &str,
        set: &[(String, String)],
        files: Vec<SourceFile>,
    ) -> Result<Self, Diagnostics> {
        Self::parse_with(name, text, set, SourceFiles::saved(files), MemoryLimit::new(None))
    }

    fn parse_with(
        name: &str,
        text: &str,
        set: &[(String, String)],
        files: SourceFiles,
        memory: MemoryLimit,
    ) -> Result<Self, Diagnostics> {
        // spans count bytes, and a mark at the beginning is no part of the text
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let source = SourceText { name: name.into(), text: text.into() };
        let (table, outdated) = match tree(text) {
            Ok(read) => read,
            Err(problem) => return Err(Diagnostics { source, list: vec![problem] }),
        };
        let mut reader = ValueReader::new(text, files, memory);
        outdated.into_iter().for_each(|problem| _ = reader.note::<()>(problem));
        // relative paths begin in its folder
        reader.folder = folder_of(name);
        read_tree(&mut reader, source, &table, set, PartReuse::Off)
    }

    /// The folder in which relative paths begin.
    pub(super) fn folder(&self) -> PathBuf {
        folder_of(&self.source.name)
    }

    /// SHA-256 of the text and, if it reads files, of their contents.
    pub fn sha256(&self) -> String {
        let mut text = self.source.text.clone();
        for (k, file) in self.files.iter().enumerate() {
            text += &format!("\nfile {k}: {}", file.sha256());
        }
        fingerprint(&text)
    }

    /// The files that it reads, with the SHA-256 of each.
    pub fn digests(&self) -> Vec<FileDigest> {
        let digest =
            |file: &SourceFile| FileDigest { path: file.path.clone(), sha256: file.sha256() };
        self.files.iter().map(digest).collect()
    }

    /// Frees the description of the parts, which takes a fifth of the memory of a large model: only assembly needs it, and
    /// this file cannot be assembled any more.
    pub fn release_mechanism(&mut self) {
        self.mechanism = Mechanism::default();
    }

    /// Sets the form of all beam elements.
    pub fn set_beam_form(&mut self, form: BeamForm) {
        self.mechanism.set_form(form);
        self.beam_form = Some(form);
    }

    /// Diagnostics of this file.
    pub fn diagnostics(&self, list: Vec<Diagnostic>) -> Diagnostics {
        Diagnostics { source: self.source.clone(), list }
    }
}

/// Reads a parsed text with values of its parameters.
pub(super) fn read_tree<'a>(
    reader: &mut ValueReader<'a>,
    source: SourceText,
    table: &DeTable<'a>,
    set: &[(String, String)],
    reuse: PartReuse<'_>,
) -> Result<ModelFile, Diagnostics> {
    let contents = document::read(reader, table, set, reuse);
    let (list, hints, files) = reader.take_diagnostics();
    if !list.is_empty() {
        return Err(Diagnostics { source, list });
    }
    let document::Contents { title, parameters, mechanism, plan, output } = contents;
    Ok(ModelFile {
        source,
        files,
        set: set.to_vec(),
        beam_form: None,
        title,
        parameters,
        mechanism,
        plan,
        output,
        hints,
        dimension: reader.dimension,
        simulation: table.get_key_value("simulation").map(|(key, _)| key.span()),
    })
}

/// The folder of a model file.
pub(super) fn folder_of(name: &str) -> PathBuf {
    Path::new(name).parent().map(Path::to_path_buf).unwrap_or_default()
}
