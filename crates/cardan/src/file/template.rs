//! A model file that is parsed once and read with many values of its parameters.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use toml::de::DeTable;

use super::diagnostic::{Diagnostic, Diagnostics, SourceText};
use super::format::tree;
use super::known_parts::{KnownParts, PartReuse};
use super::memory::MemoryLimit;
use super::model_file::{ModelFile, folder_of, read_tree};
use super::scope::ValueReader;
use super::source_files::{SourceFile, SourceFiles};
use crate::solid::SurfaceMesh;

/// A text with the files it reads, parsed once and read once. Other values of its parameters give the model file that
/// [`ModelFile::restore`] gives, but only those parts are read again that depend on a changed value: beams of another
/// number of elements, say, but not the reduction of a finite element model.
pub struct ModelTemplate<'a> {
    name: &'a str,
    text: &'a str,
    table: DeTable<'a>,
    outdated: Vec<Diagnostic>,
    files: Vec<SourceFile>,
    memory: MemoryLimit,
    parts: KnownParts,
    surfaces: HashMap<(PathBuf, u64), Arc<SurfaceMesh>>,
}

impl<'a> ModelTemplate<'a> {
    /// Parses a text that was saved together with the files it reads, and reads it with values of its parameters. If these
    /// values are wrong, no part is known, and each [`read`](Self::read) reads all of them.
    pub fn new(
        name: &'a str,
        text: &'a str,
        set: &[(String, String)],
        files: Vec<SourceFile>,
    ) -> Result<Self, Diagnostics> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (table, outdated) = tree(text).map_err(|problem| {
            let source = SourceText { name: name.into(), text: text.into() };
            Diagnostics { source, list: vec![problem] }
        })?;
        let memory = MemoryLimit::new(None);
        let (parts, surfaces) = Default::default();
        let mut template = Self { name, text, table, outdated, files, memory, parts, surfaces };
        let (mut parts, mut reader) = (KnownParts::default(), template.reader());
        let read = read_tree(
            &mut reader,
            template.source(),
            &template.table,
            set,
            PartReuse::Store(&mut parts),
        );
        let surfaces = reader.surfaces.take();
        if read.is_ok() {
            (template.parts, template.surfaces) = (parts, surfaces);
        }
        Ok(template)
    }

    /// The model file with other values of its parameters.
    pub fn read(&self, set: &[(String, String)]) -> Result<ModelFile, Diagnostics> {
        let mut reader = self.reader();
        *reader.surfaces.get_mut() = self.surfaces.clone();
        let file =
            read_tree(&mut reader, self.source(), &self.table, set, PartReuse::Use(&self.parts))?;
        // parts that are not read again do not ask for their files
        Ok(ModelFile { files: self.files.clone(), ..file })
    }

    fn source(&self) -> SourceText {
        SourceText { name: self.name.into(), text: self.text.into() }
    }

    fn reader(&self) -> ValueReader<'_> {
        let files = SourceFiles::saved(self.files.clone());
        let mut reader = ValueReader::new(self.text, files, self.memory);
        self.outdated.iter().for_each(|problem| _ = reader.note::<()>(problem.clone()));
        reader.folder = folder_of(self.name);
        reader
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = r#"
format = 2
planar = true
[parameters]
n = 2
k = 100
c = 1
[table.soft]
x = [0, 1]
value = [0, "c"]
[body.a]
mass = 1
inertia = 1
[body.b]
mass = "k"
inertia = 1
[body."link{i}"]
repeat = "n"
mass = 1
inertia = "1 + i"
[force.table]
type = "load"
point = "a"
force = ["soft(t)", 0]
[simulation]
step = 1e-3
end = 1
"#;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    /// The parts that a change of a parameter leaves as they are.
    #[test]
    fn parts_that_depend_on_a_changed_value_are_read_again() -> Outcome {
        let template = ModelTemplate::new("model.toml", MODEL, &[], Vec::new())?;
        let unchanged = |names: &[(&str, f64)]| template.parts.count(names);
        let base = |name: &str, x: f64| {
            let all = [("n", 2.0), ("k", 100.0), ("c", 1.0)];
            let names = all.map(|known| if known.0 == name { (known.0, x) } else { known });
            [0.0, 1.0].map(|i| unchanged(&[&names[..], &[("i", i)]].concat()))
        };
        // with i = 0 or 1, one of the two links
        assert_eq!(base("", 0.0), [4, 4]);
        assert_eq!(base("k", 101.0), [3, 3]);
        // by its table
        assert_eq!(base("c", 2.0), [3, 3]);
        // `repeat` is evaluated each time
        assert_eq!(base("n", 3.0), [4, 4]);
        Ok(())
    }

    #[test]
    fn wrong_values_of_a_template_leave_each_reading_to_itself() -> Outcome {
        let set = |value: &str| [("k".to_string(), value.to_string())];
        let template = ModelTemplate::new("model.toml", MODEL, &set("0/0"), Vec::new())?;
        assert!(template.read(&set("0/0")).is_err());
        let file = template.read(&set("7"))?;
        let fresh = ModelFile::parse("model.toml", MODEL, &set("7"))?;
        assert_eq!(format!("{:?}", file.mechanism), format!("{:?}", fresh.mechanism));
        Ok(())
    }
}
