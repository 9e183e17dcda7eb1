//! Columns of numbers from a file or a list: their checks, and the grid of a map.

use super::csv;
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

/// The values of a map, row by row; a row has one x.
pub(super) struct Grid {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub values: Vec<f64>,
}

impl Column {
    /// A list of numbers.
    pub fn list(name: &str, values: Vec<f64>) -> Self {
        Self { name: name.into(), values, characters: Vec::new() }
    }

    /// The place of a number.
    fn place(&self, row: usize) -> Option<TablePlace> {
        Some(match self.characters.get(row) {
            Some([line, column]) => {
                TablePlace::Character { line: *line as usize, column: *column as usize }
            }
            None => TablePlace::Row(row + 1),
        })
    }
}

/// Some columns of a file, CSV or Parquet.
pub(super) fn read<const N: usize>(
    bytes: &[u8],
    names: [&str; N],
) -> Result<[Column; N], TableError> {
    let columns = match bytes.starts_with(b"PAR1") {
        true => parquet(bytes, &names)?,
        false => csv::columns(bytes, &names)?,
    };
    let columns: [Column; N] = columns.try_into().unwrap_or_else(|_| unreachable!());
    match columns[0].values.is_empty() {
        true => Err(TableError::new("the file has no rows of numbers")),
        false => Ok(columns),
    }
}

#[cfg(feature = "results")]
fn parquet(bytes: &[u8], names: &[&str]) -> Result<Vec<Column>, TableError> {
    super::parquet::columns(bytes, names)
}

#[cfg(not(feature = "results"))]
fn parquet(_: &[u8], _: &[&str]) -> Result<Vec<Column>, TableError> {
    Err(TableError::new(
        "this is a Parquet file, which needs the feature `results` of the crate `cardan`",
    )
    .help("enable the feature, or convert the file to CSV"))
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

/// The rows of a map as one list.
pub(super) fn flattened(
    values: &[Vec<f64>],
    rows: usize,
    columns: usize,
) -> Result<Vec<f64>, TableError> {
    if values.len() != rows {
        let message = format!("`value` has {} rows, and `x` has {rows} entries", values.len());
        return Err(TableError::new(message).help("one row for each x, one entry for each y"));
    }
    for (k, row) in values.iter().enumerate() {
        let place = Some(TablePlace::Row(k + 1));
        if row.len() != columns {
            let message = format!("`value` has {} entries here, and `y` has {columns}", row.len());
            return Err(TableError::new(message).at(place));
        }
        let list = Column::list("value", row.clone());
        check_finite(&list).map_err(|error| error.at(place))?;
    }
    Ok(values.concat())
}

/// The grid of a map whose points are given by rows in any order.
pub(super) fn grid(x: &Column, y: &Column, values: &Column) -> Result<Grid, TableError> {
    [x, y, values].into_iter().try_for_each(check_finite)?;
    let distinct = |column: &Column| {
        // adding zero makes the two zeros equal
        let mut sorted: Vec<f64> = column.values.iter().map(|value| value + 0.0).collect();
        sorted.sort_by(f64::total_cmp);
        sorted.dedup();
        sorted
    };
    let (xs, ys) = (distinct(x), distinct(y));
    for (axis, column) in [(&xs, x), (&ys, y)] {
        if axis.len() < 2 {
            let message = format!("a map needs at least two values of `{}`, not one", column.name);
            return Err(TableError::new(message));
        }
    }
    let rows = values.values.len();
    let missing = |at: [f64; 2]| {
        let message =
            format!("there is no row with `{}` = {} and `{}` = {}", x.name, at[0], y.name, at[1]);
        Err(TableError::new(message).help("a map has one row for each combination of the two"))
    };
    // more than twice as many places as rows: memory is taken for the rows only
    let places = xs.len().saturating_mul(ys.len());
    let at = |axis: &[f64], value: f64| axis.partition_point(|known| *known < value);
    let mut given = vec![false; places.min(2 * rows)];
    let mut grid = vec![f64::NAN; given.len()];
    for row in 0..rows {
        let k = at(&xs, x.values[row]) * ys.len() + at(&ys, y.values[row]);
        let Some(given) = given.get_mut(k) else { continue };
        if *given {
            let message = format!(
                "the row with `{}` = {} and `{}` = {} is given twice",
                x.name, x.values[row], y.name, y.values[row]
            );
            return Err(TableError::new(message).at(x.place(row)));
        }
        (*given, grid[k]) = (true, values.values[row]);
    }
    match given.iter().position(|given| !given) {
        Some(k) => missing([xs[k / ys.len()], ys[k % ys.len()]]),
        None => Ok(Grid { x: xs, y: ys, values: grid }),
    }
}
