//! Columns of a Parquet file, from its bytes.

use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::DataType;
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use bytes::Bytes;

use super::column::{Column, positions};
use super::error::TableError;

/// The named columns of a file; a value that is missing is NaN.
pub(super) fn columns(bytes: &[u8], names: &[&str]) -> Result<Vec<Column>, TableError> {
    let fail = |error: ParquetError| TableError::new(format!("cannot be read as Parquet: {error}"));
    let reader = SerializedFileReader::new(Bytes::copy_from_slice(bytes)).map_err(fail)?;
    let schema = reader.metadata().file_metadata().schema_descr();
    let all: Vec<String> = schema.columns().iter().map(|column| column.path().string()).collect();
    let wanted = positions(&all, names)?;
    let mut columns: Vec<Column> =
        names.iter().map(|name| Column::list(name, Vec::new())).collect();
    for block in 0..reader.num_row_groups() {
        let group = reader.get_row_group(block).map_err(fail)?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        for (column, k) in columns.iter_mut().zip(&wanted) {
            let cells = group.get_column_reader(*k).map_err(fail)?;
            let Some(numbers) = numbers(cells, rows) else {
                let message = format!("column `{}` has no numbers", column.name);
                return Err(TableError::new(message));
            };
            column.values.extend(numbers.map_err(fail)?);
        }
    }
    Ok(columns)
}

/// The values of a column as numbers; `None` if it has others.
fn numbers(column: ColumnReader, rows: usize) -> Option<Result<Vec<f64>, ParquetError>> {
    Some(match column {
        ColumnReader::DoubleColumnReader(column) => read(column, rows, |x| *x),
        ColumnReader::FloatColumnReader(column) => read(column, rows, |x| f64::from(*x)),
        ColumnReader::Int32ColumnReader(column) => read(column, rows, |x| f64::from(*x)),
        ColumnReader::Int64ColumnReader(column) => read(column, rows, |x| *x as f64),
        _ => return None,
    })
}

fn read<T: DataType>(
    mut column: ColumnReaderImpl<T>,
    rows: usize,
    convert: impl Fn(&T::T) -> f64,
) -> Result<Vec<f64>, ParquetError> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    column.read_records(rows, Some(&mut levels), None, &mut values)?;
    let mut present = values.iter().map(convert);
    // an optional column has a flag for each row: whether the value exists
    Ok(match levels.is_empty() {
        true => present.collect(),
        false => levels
            .iter()
            .map(|level| if *level > 0 { present.next() } else { None }.unwrap_or(f64::NAN))
            .collect(),
    })
}
