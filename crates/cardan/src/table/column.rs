//! A column of numbers with its name and places, and its checks.

use super::error::{TableError, TablePlace};
use cardan_core::suggestion;

/// More columns than this are not listed in a message.
const MAX_LISTED: usize = 12;

/// Numbers with their name and their places.
pub(super) struct Column {
    pub name: String,
    pub values: Vec<f64>,
    /// Line and column of each number in a text; empty for other sources.
    pub characters: Vec<[u32; 2]>,
}

impl Column {
    /// A list of numbers.
    pub fn list(name: &str, values: Vec<f64>) -> Self {
        Self { name: name.into(), values, characters: Vec::new() }
    }

    /// The place of a number.
    pub fn place(&self, row: usize) -> Option<TablePlace> {
        Some(match self.characters.get(row) {
            Some([line, column]) => {
                TablePlace::Character { line: *line as usize, column: *column as usize }
            }
            None => TablePlace::Row(row + 1),
        })
    }
}

/// The positions of named columns among all.
pub(super) fn positions(all: &[String], names: &[&str]) -> Result<Vec<usize>, TableError> {
    let position = |name: &&str| {
        let found: Vec<usize> = (0..all.len()).filter(|k| all[*k] == **name).collect();
        match found.as_slice() {
            [k] => Ok(*k),
            [] => {
                let error = TableError::new(format!("there is no column `{name}`"));
                let nearest = suggestion::nearest(name, all.iter().map(String::as_str));
                let list = |names: &[String]| {
                    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
                };
                Err(error.help(match (nearest, all.len()) {
                    (Some(name), _) => format!("did you mean `{name}`?"),
                    (None, 0..=MAX_LISTED) => format!("the columns are {}", list(all)),
                    (None, n) => {
                        format!("the first of {n} columns are {}", list(&all[..MAX_LISTED]))
                    }
                }))
            }
            _ => Err(TableError::new(format!("the name `{name}` has {} columns", found.len()))
                .help("give each column another name")),
        }
    };
    names.iter().map(position).collect()
}

/// Checks that all values are finite.
pub(super) fn check_finite(column: &Column) -> Result<(), TableError> {
    match column.values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(row) => {
            let (name, value) = (&column.name, column.values[row]);
            let what = if value.is_nan() { "not a number or missing" } else { "infinite" };
            Err(TableError::new(format!("`{name}` is {what}")).at(column.place(row)))
        }
    }
}

/// Checks that the values are finite, at least two, and each larger than the one before.
pub(super) fn check_rising(column: &Column) -> Result<(), TableError> {
    check_finite(column)?;
    let (name, values) = (&column.name, &column.values);
    if values.len() < 2 {
        let message =
            format!("a table needs at least two values of `{name}`, not {}", values.len());
        return Err(TableError::new(message));
    }
    let Some(before) = values.windows(2).position(|pair| pair[0] >= pair[1]) else { return Ok(()) };
    let [first, second] = [values[before], values[before + 1]];
    let error = match first == second {
        true => TableError::new(format!("`{name}` = {second} is given twice"))
            .help("remove one of the two rows"),
        false => TableError::new(format!("`{name}` falls from {first} to {second}"))
            .help(format!("sort the rows by rising `{name}`")),
    };
    Err(error.at(column.place(before + 1)))
}
