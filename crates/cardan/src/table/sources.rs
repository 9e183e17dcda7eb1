//! The numbers of a table from the bytes of a file or from lists, and the grid of a map.

use super::column::{Column, check_finite};
use super::csv;
use super::error::{TableError, TablePlace};

/// The values of a map, row by row; a row has one x.
pub(super) struct Grid {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub values: Vec<f64>,
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
