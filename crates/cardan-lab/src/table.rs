//! Tables and numbers as text, and data as JSON for scripts.

use std::fmt;

use serde::Serialize;

/// Rows of text under a header, with notes below.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TextTable {
    /// The names of the columns.
    pub header: Vec<String>,
    /// The rows, each with one cell per column.
    pub rows: Vec<Vec<String>>,
    /// Text below the rows.
    pub notes: String,
}

/// A row of a table with fixed columns.
pub trait TableRow {
    /// The names of the columns.
    const HEADER: &'static [&'static str];
    /// Text below the rows.
    const NOTES: &'static str = "";

    /// The cells.
    fn cells(&self) -> Vec<String>;
}

impl TextTable {
    /// A table without notes.
    pub fn new<S: Into<String>>(header: impl IntoIterator<Item = S>, rows: &[Vec<String>]) -> Self {
        let header = header.into_iter().map(Into::into).collect();
        Self { header, rows: rows.to_vec(), notes: String::new() }
    }

    /// The table of rows of one kind.
    pub fn of<R: TableRow>(rows: &[R]) -> Self {
        let cells: Vec<Vec<String>> = rows.iter().map(R::cells).collect();
        Self { notes: R::NOTES.into(), ..Self::new(R::HEADER.iter().copied(), &cells) }
    }
}

impl fmt::Display for TextTable {
    /// Columns aligned, one line per row, and the notes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            let lengths = cells.map(|cell| cell.chars().count());
            lengths.chain([self.header[column].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let rule: Vec<String> = widths.iter().map(|&width| "─".repeat(width)).collect();
        for cells in [&self.header, &rule].into_iter().chain(&self.rows) {
            let padded: Vec<String> =
                cells.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
            writeln!(f, "{}", padded.join("  ").trim_end())?;
        }
        f.write_str(&self.notes)
    }
}

/// Rows of text under a header, columns aligned.
pub fn render(header: &[&str], rows: &[Vec<String>]) -> String {
    TextTable::new(header.iter().copied(), rows).to_string()
}

/// A number with this many decimals; zero has no sign.
pub fn decimal(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.trim_start_matches(['-', '0', '.']).is_empty() {
        true => text.trim_start_matches('-').into(),
        false => text,
    }
}

/// A number with up to nine significant digits.
pub fn short(value: f64) -> String {
    significant(value, 9)
}

/// A number with up to so many significant digits.
pub fn significant(value: f64, digits: usize) -> String {
    let rounded: f64 = format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value);
    match rounded == 0.0 || (1e-4..1e9).contains(&rounded.abs()) {
        true => format!("{rounded}"),
        false => format!("{rounded:e}"),
    }
}

/// A time span in µs, ms, s or min, by its size.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s if s < 120.0 => format!("{s:.1} s"),
        s => format!("{} min {} s", s.round() as u64 / 60, s.round() as u64 % 60),
    }
}

/// Data as indented JSON with its keys in alphabetical order; numbers that are not finite are null.
pub fn to_json(data: &impl Serialize) -> String {
    serde_json::to_value(data).map_or_else(|_| String::new(), |value| format!("{value:#}\n"))
}
