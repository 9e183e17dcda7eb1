//! Parquet tables with columns of numbers and of text, written block by block.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cardan::output::origin::first_bytes;
use cardan::output::{ExistingFile, OutputError};
use cardan::results::is_our_parquet;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::reader::ColumnReader;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::store::failed;
use crate::error::LabError;

/// The beginning of Parquet files.
const PARQUET: &[u8] = b"PAR1";
/// The key of the metadata of Cardan's Parquet files.
const KEY: &str = "cardan";

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum TableColumn {
    /// Integers.
    Integers(Vec<i64>),
    /// Numbers.
    Numbers(Vec<f64>),
    /// Text.
    Text(Vec<String>),
}

impl TableColumn {
    fn physical(&self) -> Physical {
        match self {
            Self::Integers(_) => Physical::INT64,
            Self::Numbers(_) => Physical::DOUBLE,
            Self::Text(_) => Physical::BYTE_ARRAY,
        }
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Integers(x) => x.len(),
            Self::Numbers(x) => x.len(),
            Self::Text(x) => x.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all values.
    fn clear(&mut self) {
        match self {
            Self::Integers(x) => x.clear(),
            Self::Numbers(x) => x.clear(),
            Self::Text(x) => x.clear(),
        }
    }

    /// The values as numbers; those of text are NaN.
    pub fn numbers(&self) -> Vec<f64> {
        match self {
            Self::Integers(x) => x.iter().map(|x| *x as f64).collect(),
            Self::Numbers(x) => x.clone(),
            Self::Text(x) => vec![f64::NAN; x.len()],
        }
    }
}

/// An error if the file of a table, or the one that becomes it, exists and is that of others.
pub fn check_place(path: &Path) -> Result<(), LabError> {
    cardan::output::check(path, ExistingFile::ReplaceIf(&is_our_parquet))?;
    Ok(cardan::output::check(&partial_path(path), ExistingFile::ReplaceIf(&is_begun_parquet))?)
}

/// The file in which a table is written until it is complete.
fn partial_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".cardan-{name}.partial"))
}

/// Whether a file is empty or begins like a Parquet file. With the name of [`partial_path`] it is a table that was not completed.
fn is_begun_parquet(path: &Path) -> bool {
    let is_file = path.symlink_metadata().is_ok_and(|about| about.is_file());
    is_file && PARQUET.starts_with(&first_bytes(path, PARQUET.len() as u64))
}

/// Writes a table to a file that gets its name when it is complete.
pub struct TableWriter<'a> {
    path: &'a Path,
    partial: PartialFile,
    inner: SerializedFileWriter<File>,
    /// The names and the values of the block that is not written yet.
    pub block: Vec<(String, TableColumn)>,
}

/// A file that is removed unless it is completed.
struct PartialFile(PathBuf);

impl Drop for PartialFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

impl<'a> TableWriter<'a> {
    /// Begins a table with these columns, which are still empty.
    pub fn create(
        path: &'a Path,
        block: Vec<(String, TableColumn)>,
        metadata: &str,
    ) -> Result<Self, LabError> {
        check_place(path)?;
        let place = partial_path(path);
        let fail = |error: std::io::Error| failed(&place, &error);
        if place.exists() {
            std::fs::remove_file(&place).map_err(fail)?;
        }
        let file = File::create_new(&place).map_err(fail)?;
        let partial = PartialFile(place);
        let begin = || {
            let fields = block.iter().map(|(name, column)| {
                let physical = column.physical();
                let logical = (physical == Physical::BYTE_ARRAY).then_some(LogicalType::String);
                Type::primitive_type_builder(name, physical)
                    .with_repetition(Repetition::REQUIRED)
                    .with_logical_type(logical)
                    .build()
                    .map(Arc::new)
            });
            let fields = fields.collect::<Result<Vec<_>, _>>()?;
            let schema = Type::group_type_builder("study").with_fields(fields).build()?;
            let about = vec![KeyValue::new(KEY.to_string(), metadata.to_string())];
            let properties = WriterProperties::builder()
                .set_compression(Compression::SNAPPY)
                .set_key_value_metadata(Some(about))
                .build();
            SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))
        };
        let inner = begin().map_err(|error| parquet_failed(path, error))?;
        Ok(Self { path, partial, inner, block })
    }

    /// Writes the block and empties it.
    pub fn flush(&mut self) -> Result<(), LabError> {
        if self.block.iter().all(|(_, column)| column.is_empty()) {
            return Ok(());
        }
        let mut written = || {
            let mut group = self.inner.next_row_group()?;
            for (_, values) in &self.block {
                let Some(mut column) = group.next_column()? else { break };
                match values {
                    TableColumn::Integers(x) => {
                        column.typed::<Int64Type>().write_batch(x, None, None)?;
                    }
                    TableColumn::Numbers(x) => {
                        column.typed::<DoubleType>().write_batch(x, None, None)?;
                    }
                    TableColumn::Text(x) => {
                        let x: Vec<ByteArray> = x.iter().map(|x| x.as_str().into()).collect();
                        column.typed::<ByteArrayType>().write_batch(&x, None, None)?;
                    }
                }
                column.close()?;
            }
            group.close().map(|_| ())
        };
        written().map_err(|error| parquet_failed(self.path, error))?;
        self.block.iter_mut().for_each(|(_, column)| column.clear());
        Ok(())
    }

    /// Ends the table and gives it its name.
    pub fn finish(mut self) -> Result<(), LabError> {
        self.flush()?;
        let mut file = self.inner.into_inner().map_err(|error| parquet_failed(self.path, error))?;
        let done = file.flush().and_then(|()| file.sync_all());
        // after the change of the name there is nothing to remove
        done.and_then(|()| std::fs::rename(&self.partial.0, self.path))
            .map_err(|error| failed(self.path, &error))
    }
}

/// The names and columns of a table, and its metadata.
pub fn read_parquet(path: &Path) -> Result<(Vec<(String, TableColumn)>, String), LabError> {
    let fail = |error: ParquetError| LabError::input(format!("{}: {error}", path.display()));
    let file = File::open(path);
    let file = file.map_err(|error| LabError::input(format!("{}: {error}", path.display())))?;
    let reader = SerializedFileReader::new(file).map_err(fail)?;
    let about = reader.metadata().file_metadata();
    let pairs = about.key_value_metadata().into_iter().flatten();
    let metadata = pairs.filter(|pair| pair.key == KEY).find_map(|pair| pair.value.clone());
    let described = about.schema_descr().columns();
    let mut columns = Vec::new();
    for (k, column) in described.iter().enumerate() {
        let mut values = match column.physical_type() {
            Physical::INT64 => TableColumn::Integers(Vec::new()),
            Physical::DOUBLE => TableColumn::Numbers(Vec::new()),
            _ => TableColumn::Text(Vec::new()),
        };
        for block in 0..reader.num_row_groups() {
            let group = reader.get_row_group(block).map_err(fail)?;
            let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
            let of_group = group.get_column_reader(k).map_err(fail)?;
            match (of_group, &mut values) {
                (ColumnReader::Int64ColumnReader(mut x), TableColumn::Integers(all)) => {
                    x.read_records(rows, None, None, all).map_err(fail)?;
                }
                (ColumnReader::DoubleColumnReader(mut x), TableColumn::Numbers(all)) => {
                    x.read_records(rows, None, None, all).map_err(fail)?;
                }
                (ColumnReader::ByteArrayColumnReader(mut x), TableColumn::Text(all)) => {
                    let mut bytes = Vec::new();
                    x.read_records(rows, None, None, &mut bytes).map_err(fail)?;
                    let text = |x: &ByteArray| String::from_utf8_lossy(x.data()).into_owned();
                    all.extend(bytes.iter().map(text));
                }
                _ => {
                    let name = column.name();
                    return Err(LabError::input(format!(
                        "{}: column `{name}` is of an unknown type",
                        path.display()
                    )));
                }
            }
        }
        columns.push((column.name().to_string(), values));
    }
    Ok((columns, metadata.unwrap_or_default()))
}

fn parquet_failed(path: &Path, error: ParquetError) -> LabError {
    match error {
        ParquetError::External(cause) => match cause.downcast::<std::io::Error>() {
            Ok(cause) => failed(path, &cause),
            Err(cause) => LabError::input(format!("cannot write {}: {cause}", path.display())),
        },
        error => OutputError::Failed { path: path.display().to_string(), cause: error.to_string() }
            .into(),
    }
}
