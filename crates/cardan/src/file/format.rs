//! The version of the file format, and the changes that bring files of an older format to the present one.

use std::borrow::Cow;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::diagnostic::Diagnostic;
use super::scope::{Scope, ValueReader, number};
use super::syntax;

/// The version of the format that is read. When a key changes its meaning this number rises, and
/// files of the old format are brought up to date as they are read.
pub const FORMAT: u64 = 2;

/// Brings a table of one format to the next one; returns problems of the file.
type Migration = fn(&mut DeTable<'_>) -> Vec<Diagnostic>;

/// The migration from each older format to the next one; a new format adds one.
const MIGRATIONS: [Migration; FORMAT as usize - 1] = [to_format_2];

/// A key that has another name in a newer format.
struct RenamedKey {
    /// The section of the entries that have it.
    section: &'static str,
    /// The `type` of these entries; `None` if all entries have it.
    variant: Option<&'static str>,
    old: &'static str,
    new: &'static str,
}

/// The keys that format 2 renames.
const RENAMED_IN_2: [RenamedKey; 4] = [
    RenamedKey { section: "body", variant: None, old: "weight", new: "assembly_weight" },
    RenamedKey { section: "flexible", variant: None, old: "weight", new: "assembly_weight" },
    RenamedKey { section: "beam", variant: None, old: "across", new: "axis_2" },
    RenamedKey {
        section: "force",
        variant: Some("friction"),
        old: "speed",
        new: "transition_speed",
    },
];

/// The present name of a key of format 1.
pub(super) fn new_name(section: &str, variant: Option<&str>, old: &str) -> Option<&'static str> {
    let is_it = |key: &&RenamedKey| {
        key.section == section
            && key.old == old
            && (key.variant.is_none() || key.variant == variant)
    };
    RENAMED_IN_2.iter().find(is_it).map(|key| key.new)
}

/// Parses a text and brings it to the present format, with the problems found on the way; a text that is no
/// TOML is one problem.
pub(super) fn tree(text: &str) -> Result<(DeTable<'_>, Vec<Diagnostic>), Diagnostic> {
    let parsed = DeTable::parse(text).map(|table| table.into_inner());
    let mut table = parsed.map_err(|error| syntax::explain(text, error.span().unwrap_or(0..0)))?;
    let format = table.get("format").and_then(|node| number(node.get_ref())).unwrap_or(0.0);
    let older = (1..FORMAT).filter(|known| format <= *known as f64 && format >= 1.0);
    let problems = older.flat_map(|known| MIGRATIONS[known as usize - 1](&mut table)).collect();
    Ok((table, problems))
}

/// Renames keys of format 1; their places in the text stay.
fn to_format_2(table: &mut DeTable<'_>) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for renamed in &RENAMED_IN_2 {
        let Some(section) = table.get_mut(renamed.section) else { continue };
        let DeValue::Table(entries) = section.get_mut() else { continue };
        for (_, entry) in entries.iter_mut() {
            let DeValue::Table(entry) = entry.get_mut() else { continue };
            let variant = match entry.get("type").map(|node| node.get_ref()) {
                Some(DeValue::String(variant)) => Some(variant.as_ref()),
                _ => None,
            };
            if renamed.variant.is_none() || renamed.variant == variant {
                problems.extend(rename(entry, renamed));
            }
        }
    }
    problems
}

/// Renames a key of one entry, which keeps its order; a problem if the entry has the new name already.
fn rename<'a>(entry: &mut DeTable<'a>, renamed: &RenamedKey) -> Option<Diagnostic> {
    let RenamedKey { old, new, .. } = *renamed;
    if let Some((key, _)) = entry.get_key_value(new) {
        let message = format!("`{new}` is a key of format 2; this file has format 1");
        let help = format!("write `format = 2`, or `{old}` instead of `{new}`");
        return Some(Diagnostic::at(key.span(), message).help(help));
    }
    if entry.contains_key(old) {
        let present = |key: Spanned<Cow<'a, str>>| match key.get_ref() == old {
            true => Spanned::new(key.span(), Cow::Borrowed(new)),
            false => key,
        };
        let all = std::mem::take(entry);
        *entry = all.into_iter().map(|(key, value)| (present(key), value)).collect();
    }
    None
}

/// Checks the version of the format; `None` if it cannot be read.
pub(super) fn check_format(reader: &ValueReader<'_>, table: &DeTable<'_>) -> Option<()> {
    let Some(node) = table.get("format") else {
        let message = "the file has no `format`";
        return reader.note(
            Diagnostic::at(0..0, message).help(format!("begin it with `format = {FORMAT}`")),
        );
    };
    let DeValue::Integer(_) = node.get_ref() else {
        return Scope { reader, names: Vec::new() }.unexpected(node, "the number 2");
    };
    let format = Scope { reader, names: Vec::new() }.count(node)?;
    match format {
        1..=FORMAT => Some(()),
        _ if format > FORMAT => {
            let message = format!("this file has format {format}; this program reads {FORMAT}");
            reader.note(Diagnostic::at(node.span(), message).help("use a newer Cardan"))
        }
        _ => {
            let message = format!("there is no format {format}");
            reader
                .note(Diagnostic::at(node.span(), message).help(format!("the format is {FORMAT}")))
        }
    }
}
