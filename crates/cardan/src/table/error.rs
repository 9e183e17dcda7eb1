//! Errors of tables, with their place in the file or list.

use std::fmt;

/// A table that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}{}", place.map_or(String::new(), |place| format!("{place}: ")), help.as_ref().map_or(String::new(), |help| format!("; {help}")))]
pub struct TableError {
    /// The error.
    pub message: String,
    /// A suggestion, or what to write instead.
    pub help: Option<String>,
    /// Where the error is in the data; `None` if it has no place there.
    pub place: Option<TablePlace>,
}

/// A place in the data of a table; everything counts from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TablePlace {
    /// A character of a text file.
    Character {
        /// The line of the file.
        line: usize,
        /// The column of the character within the line.
        column: usize,
    },
    /// A row of a Parquet file, or an entry of a list.
    Row(usize),
}

impl fmt::Display for TablePlace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Character { line, column } => write!(out, "line {line}, column {column}"),
            Self::Row(row) => write!(out, "row {row}"),
        }
    }
}

impl TableError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, place: None }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(super) fn at(mut self, place: Option<TablePlace>) -> Self {
        self.place = place;
        self
    }
}

/// A value outside the range of a table that has no values there.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "{} has no value at {variable} = {value}: it reaches from {} to {}",
    if table.is_empty() { "the table".into() } else { format!("table `{table}`") },
    range[0],
    range[1]
)]
pub struct OutsideTable {
    /// The name of the table; empty if it has none.
    pub table: String,
    /// `x` or `y`.
    pub variable: &'static str,
    /// The value outside the range.
    pub value: f64,
    /// The smallest and the largest value of the variable.
    pub range: [f64; 2],
}
