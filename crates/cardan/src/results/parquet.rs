//! Parquet files: one column of doubles each, settings and units in the metadata.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{DataType, DoubleType};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::recorder::Column;

/// The key of the metadata.
const KEY: &str = "cardan";

/// The error of the disk, if it caused that of Parquet.
pub(super) fn io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => *cause,
            Err(cause) => io::Error::other(cause),
        },
        error => io::Error::other(error),
    }
}

/// Writes a file of blocks, each a row group.
pub(super) struct ParquetWriter<W: Write + Send> {
    inner: SerializedFileWriter<W>,
}

impl<W: Write + Send> ParquetWriter<W> {
    pub fn create(file: W, columns: &[Column], metadata: &str) -> Result<Self, ParquetError> {
        let fields = columns.iter().map(|column| {
            let field = Type::primitive_type_builder(&column.name, Physical::DOUBLE);
            field.with_repetition(Repetition::REQUIRED).build().map(Arc::new)
        });
        let fields = fields.collect::<Result<Vec<_>, _>>()?;
        let schema = Arc::new(Type::group_type_builder("results").with_fields(fields).build()?);
        let about = vec![KeyValue::new(KEY.to_string(), metadata.to_string())];
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            // trajectories do not repeat their values
            .set_dictionary_enabled(false)
            .set_key_value_metadata(Some(about))
            .build();
        Ok(Self { inner: SerializedFileWriter::new(file, schema, Arc::new(properties))? })
    }

    /// Writes columns of equal length.
    pub fn block<C: AsRef<[f64]>>(&mut self, columns: &[C]) -> Result<(), ParquetError> {
        let mut group = self.inner.next_row_group()?;
        for values in columns {
            let Some(mut column) = group.next_column()? else { break };
            column.typed::<DoubleType>().write_batch(values.as_ref(), None, None)?;
            column.close()?;
        }
        group.close().map(|_| ())
    }

    /// Ends the file.
    pub fn close(self) -> Result<W, ParquetError> {
        self.inner.into_inner()
    }
}

/// A file: its metadata and, block by block, its columns.
pub(super) struct ParquetReader {
    inner: SerializedFileReader<File>,
}

impl ParquetReader {
    pub fn open(path: &Path) -> Result<Self, ParquetError> {
        Ok(Self { inner: SerializedFileReader::new(File::open(path)?)? })
    }

    pub fn names(&self) -> Vec<String> {
        let schema = self.inner.metadata().file_metadata().schema_descr();
        schema.columns().iter().map(|column| column.path().string()).collect()
    }

    pub fn metadata(&self) -> Option<String> {
        let pairs = self.inner.metadata().file_metadata().key_value_metadata()?;
        pairs.iter().find(|pair| pair.key == KEY)?.value.clone()
    }

    pub fn rows(&self) -> u64 {
        u64::try_from(self.inner.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    pub fn blocks(&self) -> usize {
        self.inner.num_row_groups()
    }

    /// Some columns of a block.
    pub fn block(&self, block: usize, wanted: &[usize]) -> Result<Vec<Vec<f64>>, ParquetError> {
        let group = self.inner.get_row_group(block)?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        let column = |&k: &usize| numbers(group.get_column_reader(k)?, rows, k);
        wanted.iter().map(column).collect()
    }
}

/// The values of a column as numbers; a missing value is NaN.
fn numbers(column: ColumnReader, rows: usize, k: usize) -> Result<Vec<f64>, ParquetError> {
    fn read<T: DataType>(
        mut column: ColumnReaderImpl<T>,
        rows: usize,
        convert: impl Fn(&T::T) -> f64,
    ) -> Result<Vec<f64>, ParquetError> {
        let (mut values, mut levels) = (Vec::with_capacity(rows), Vec::new());
        column.read_records(rows, Some(&mut levels), None, &mut values)?;
        let mut present = values.iter().map(&convert);
        // an optional column has a flag for each row: whether the value exists
        Ok(match levels.is_empty() {
            true => present.collect(),
            false => levels
                .iter()
                .map(|&level| if level > 0 { present.next() } else { None }.unwrap_or(f64::NAN))
                .collect(),
        })
    }
    match column {
        ColumnReader::DoubleColumnReader(column) => read(column, rows, |x| *x),
        ColumnReader::FloatColumnReader(column) => read(column, rows, |x| f64::from(*x)),
        ColumnReader::Int32ColumnReader(column) => read(column, rows, |x| f64::from(*x)),
        ColumnReader::Int64ColumnReader(column) => read(column, rows, |x| *x as f64),
        _ => Err(ParquetError::General(format!("column {} holds no numbers", k + 1))),
    }
}
