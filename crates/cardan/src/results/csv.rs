//! CSV files: a header, then one row per instant; numbers with all their digits.

use std::io::{self, Write};

use super::recorder::Column;

/// The header.
pub(super) fn header(out: &mut impl Write, columns: &[Column]) -> io::Result<()> {
    let names: Vec<String> = columns.iter().map(|column| quoted(&column.name)).collect();
    writeln!(out, "{}", names.join(","))
}

/// A row.
pub(super) fn row(out: &mut impl Write, values: &[f64]) -> io::Result<()> {
    for (k, value) in values.iter().enumerate() {
        if k > 0 {
            out.write_all(b",")?;
        }
        match is_plain(*value) {
            true => write!(out, "{value}")?,
            false => write!(out, "{value:e}")?,
        }
    }
    out.write_all(b"\n")
}

/// The rows of columns of equal length.
pub(super) fn rows(out: &mut impl Write, columns: &[Vec<f64>]) -> io::Result<()> {
    let mut values = vec![0.0; columns.len()];
    (0..columns.first().map_or(0, Vec::len)).try_for_each(|k| {
        values.iter_mut().zip(columns).for_each(|(value, column)| *value = column[k]);
        row(out, &values)
    })
}

/// A number with all its digits, and a power of ten where it is very large or small.
pub(super) fn number(value: f64) -> String {
    if is_plain(value) { format!("{value}") } else { format!("{value:e}") }
}

fn is_plain(value: f64) -> bool {
    let size = value.abs();
    size == 0.0 || (1e-5..1e16).contains(&size)
}

/// A name, in quotes if it contains a separator.
pub(super) fn quoted(name: &str) -> String {
    match name.contains([',', '"', '\n']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.into(),
    }
}

/// The fields of a line.
pub(super) fn split(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let (mut inside, mut characters) = (false, line.chars().peekable());
    while let Some(c) = characters.next() {
        let last = fields.len() - 1;
        match c {
            '"' if inside && characters.peek() == Some(&'"') => {
                characters.next();
                fields[last].push('"');
            }
            '"' => inside = !inside,
            ',' if !inside => fields.push(String::new()),
            c => fields[last].push(c),
        }
    }
    fields
}
