//! Reads the tables of a model: `[table.NAME]`, and files that formulas name.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use toml::de::{DeTable, DeValue};

use super::diagnostic::Diagnostic;
use super::entry::{Entry, find, items, words};
use super::schema::section;
use super::scope::{Scope, TomlNode, ValueReader};
use crate::expression::{FUNCTIONS, FormulaTables};
use crate::table::{Interpolation, MapInterpolation, Outside, Table, TableError, TablePlace};

/// Data of a table as the file gives them, with their places.
enum TableData<'a> {
    /// Names of columns.
    Columns(Vec<String>),
    /// Lists of numbers, in the order of the names; the last has the values.
    Lists(Vec<(&'a TomlNode<'a>, Vec<f64>)>),
    /// Lists of x and y, and rows of values.
    Rows(Vec<(&'a TomlNode<'a>, Vec<f64>)>, &'a TomlNode<'a>, Vec<Vec<f64>>),
}

/// Reads all tables into the reader, so that formulas may use them; problems are noted there.
pub(super) fn read_tables<'a>(
    reader: &'a ValueReader<'a>,
    table: &'a DeTable<'a>,
    names: &[(&'a str, f64)],
) {
    let Some(DeValue::Table(entries)) = find(table, "table").map(|node| node.get_ref()) else {
        return;
    };
    let Some(section) = section("table") else { return };
    for (key, span, node) in items(entries) {
        let DeValue::Table(entry) = node.get_ref() else { continue };
        if reader.is_full() {
            return;
        }
        if let Some(reason) = unusable(key, names) {
            let message = format!("`{key}` cannot be the name of a table: {reason}");
            reader.note::<()>(Diagnostic::at(span.clone(), message));
        }
        let scope = Scope { reader, names: names.to_vec() };
        let Some(entry) = Entry::open(scope, section, entry, key.into(), span) else { continue };
        // a table that cannot be read has a substitute, so that formulas that use it are not reported too
        if let Some(table) = read_table(&entry).or_else(|| substitute(&entry)) {
            reader.tables.borrow_mut().push(Arc::new(table));
        }
    }
}

/// A table of zeros with as many variables as a table that cannot be read.
fn substitute(entry: &Entry<'_>) -> Option<Table> {
    let (ends, zeros) = (vec![0.0, 1.0], vec![0.0; 2]);
    let table = match entry.has("y") {
        true => Table::map(ends.clone(), ends, vec![zeros; 2], MapInterpolation::Bilinear),
        false => Table::new(ends, zeros, Interpolation::Linear),
    };
    Some(table.ok()?.named(&entry.name).outside(Outside::Hold))
}

/// Why a word cannot name a table.
fn unusable(name: &str, parameters: &[(&str, f64)]) -> Option<&'static str> {
    let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    match name {
        _ if !is_word => Some("use letters, digits and `_`, a letter first"),
        "t" => Some("it is time"),
        "i" => Some("it is the index of repeated entries"),
        "pi" | "e" | "deg" => Some("it is a constant"),
        "and" | "or" | "not" => Some("it is an operator"),
        "table" | "previous" => Some("it is a function"),
        _ if FUNCTIONS.iter().any(|function| function.name == name) => Some("it is a function"),
        _ if parameters.iter().any(|(known, _)| *known == name) => Some("it is a parameter"),
        _ => None,
    }
}

fn read_table(entry: &Entry<'_>) -> Option<Table> {
    let before = entry.scope.reader.count();
    // everything is read, so that all problems are found at once
    let file = entry.file("file");
    let interpolation = entry.word("interpolation");
    let outside = entry.word("outside");
    let data = data(entry);
    let (data, true) = (data?, entry.scope.reader.count() == before) else { return None };
    let is_map = entry.has("y");
    let kinds: Vec<&str> = match is_map {
        true => MapInterpolation::ALL.iter().map(|(name, _)| *name).collect(),
        false => Interpolation::ALL.iter().map(|(name, _)| *name).collect(),
    };
    let interpolation = interpolation.unwrap_or_else(|| kinds[0].into());
    if !kinds.contains(&interpolation.as_str()) {
        let what = if is_map { "map of two variables" } else { "table of one variable" };
        let message = format!("the interpolation of a {what} cannot be `{interpolation}`");
        let help = format!("it is one of {}", words(kinds));
        let place = entry.get("interpolation")?.span();
        return entry.scope.reader.note(Diagnostic::at(place, message).help(help));
    }
    let curve = chosen(&Interpolation::ALL, &interpolation);
    let map = chosen(&MapInterpolation::ALL, &interpolation);
    let table = match data {
        TableData::Columns(columns) => {
            let node = entry.get("file")?;
            let table = of_file(entry.scope.reader, &file?, &columns, curve, map);
            table.map_err(|reason| Diagnostic::at(node.span(), reason))
        }
        TableData::Lists(lists) => {
            let [x, values] = lists.try_into().ok()?;
            Table::new(x.1.clone(), values.1.clone(), curve)
                .map_err(|error| in_list(error, &[&x, &values]))
        }
        TableData::Rows(lists, node, rows) => {
            let [x, y] = lists.try_into().ok()?;
            Table::map(x.1.clone(), y.1.clone(), rows, map).map_err(|error| {
                let values = (node, Vec::new());
                in_list(error, &[&x, &y, &values])
            })
        }
    };
    match table {
        Err(problem) => entry.scope.reader.note(problem),
        Ok(table) => {
            let outside = outside.map_or(Outside::Refuse, |word| chosen(&Outside::ALL, &word));
            Some(table.named(&entry.name).outside(outside))
        }
    }
}

/// The kind with a name; the first one if there is none.
fn chosen<T: Copy>(all: &[(&str, T)], name: &str) -> T {
    let found = all.iter().find(|(known, _)| *known == name);
    found.map_or(all[0].1, |(_, kind)| *kind)
}

/// The names of columns if there is a file, else the numbers.
fn data<'a>(entry: &Entry<'a>) -> Option<TableData<'a>> {
    let keys: &[&str] = if entry.has("y") { &["x", "y", "value"] } else { &["x", "value"] };
    let nodes: Vec<&'a TomlNode<'a>> = keys.iter().filter_map(|key| entry.get(key)).collect();
    if entry.has("file") {
        let names: Vec<Option<String>> = nodes.iter().map(|node| column(entry, node)).collect();
        let names: Option<Vec<String>> = names.into_iter().collect();
        return names.filter(|names| names.len() == keys.len()).map(TableData::Columns);
    }
    let is_map = entry.has("y");
    let mut lists = Vec::new();
    let mut rows = None;
    for (key, node) in keys.iter().zip(&nodes) {
        match is_map && *key == "value" {
            true => rows = matrix(entry, node).map(|rows| (*node, rows)),
            false => lists.extend(list(entry, node).map(|list| (*node, list))),
        }
    }
    match is_map {
        true if lists.len() == 2 => rows.map(|(node, rows)| TableData::Rows(lists, node, rows)),
        false if lists.len() == 2 => Some(TableData::Lists(lists)),
        _ => None,
    }
}

fn column(entry: &Entry<'_>, node: &TomlNode<'_>) -> Option<String> {
    match node.get_ref() {
        DeValue::String(_) => entry.scope.text(node),
        _ => entry.scope.unexpected(node, "the name of a column, as the table has a `file`"),
    }
}

fn list<'a>(entry: &Entry<'a>, node: &TomlNode<'a>) -> Option<Vec<f64>> {
    let expected = match node.get_ref() {
        DeValue::String(_) => "a list of numbers, as the table has no `file`",
        _ => "a list of numbers",
    };
    let list = entry.scope.list(node, &[], expected)?;
    list.iter().map(|node| entry.scope.number(node)).collect()
}

fn matrix<'a>(entry: &Entry<'a>, node: &TomlNode<'a>) -> Option<Vec<Vec<f64>>> {
    let rows = entry.scope.list(node, &[], "a list of rows, one for each x")?;
    rows.iter().map(|row| list(entry, row)).collect()
}

/// An error of lists at its place: the entry of the list that the message names.
fn in_list(error: TableError, lists: &[&(&TomlNode<'_>, Vec<f64>)]) -> Diagnostic {
    let names: &[&str] = if lists.len() == 3 { &["x", "y", "value"] } else { &["x", "value"] };
    let is_named = |name: &&str| error.message.starts_with(&format!("`{name}`"));
    let k = names.iter().position(is_named).unwrap_or(0);
    let node = lists[k].0;
    let span: Range<usize> = match (node.get_ref(), error.place) {
        (DeValue::Array(list), Some(TablePlace::Row(row))) => {
            list.get(row - 1).map_or(node.span(), |entry| entry.span())
        }
        _ => node.span(),
    };
    Diagnostic { message: error.message, span: Some(span), help: error.help }
}

/// The table of a file with two or three columns; `Err` is what is wrong, with the name of the file.
fn of_file(
    reader: &ValueReader<'_>,
    path: &Path,
    columns: &[String],
    curve: Interpolation,
    map: MapInterpolation,
) -> Result<Table, String> {
    let name = path.display();
    let bytes = reader.files.contents(path).map_err(|reason| format!("{name}: {reason}"))?;
    let table = match columns {
        [x, value] => Table::from_file(&bytes, [x, value], curve),
        [x, y, value] => Table::map_from_file(&bytes, [x, y, value], map),
        _ => return Err("a table has two or three columns".into()),
    };
    table.map_err(|error| match error.place {
        Some(_) => format!("{name}, {error}"),
        None => format!("{name}: {error}"),
    })
}

impl FormulaTables for ValueReader<'_> {
    fn named(&self, name: &str) -> Option<Arc<Table>> {
        self.tables.borrow().iter().find(|table| table.name() == name).map(Arc::clone)
    }

    fn names(&self) -> Vec<String> {
        self.tables.borrow().iter().map(|table| table.name().into()).collect()
    }

    fn of_file(&self, file: &str, columns: &[&str]) -> Result<Arc<Table>, String> {
        // a file is read once for all formulas that use the same columns; names of tables have no spaces
        let key = format!("{file} ({})", columns.join(", "));
        if let Some(known) = FormulaTables::named(self, &key) {
            return Ok(known);
        }
        let columns: Vec<String> = columns.iter().map(|name| name.to_string()).collect();
        let (curve, map) = Default::default();
        let table = of_file(self, &self.folder.join(file), &columns, curve, map)?.named(&key);
        let table = Arc::new(table);
        self.tables.borrow_mut().push(Arc::clone(&table));
        Ok(table)
    }
}
