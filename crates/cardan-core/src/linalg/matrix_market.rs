//! Matrices in the Matrix Market format, as finite element programs write them.

use std::io::BufRead;
use std::path::Path;

use super::SparseMatrix;

/// The entries of a matrix file; both halves of symmetric matrices are listed.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixMarket {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// (row, column, value), counted from zero.
    pub entries: Vec<(usize, usize, f64)>,
}

/// An error in a matrix file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {reason}", line.map_or(String::new(), |line| format!(", line {line}")))]
pub struct MatrixMarketError {
    /// The file.
    pub file: String,
    /// The line, counted from one.
    pub line: Option<usize>,
    /// The reason.
    pub reason: String,
}

/// The largest number of entries that is read.
const MAX_ENTRIES: usize = 200_000_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

impl MatrixMarket {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, MatrixMarketError> {
        let name = path.display().to_string();
        let fail = |reason: String| MatrixMarketError { file: name.clone(), line: None, reason };
        let file =
            std::fs::File::open(path).map_err(|error| fail(format!("cannot open: {error}")))?;
        if file.metadata().is_ok_and(|about| about.is_dir()) {
            return Err(fail("this is a folder, not a file".into()));
        }
        if !file.metadata().is_ok_and(|about| about.is_file()) {
            return Err(fail("this is not a file".into()));
        }
        Self::parse(&name, std::io::BufReader::new(file))
    }

    /// Reads text; `name` is used in messages.
    pub fn parse(name: &str, text: impl BufRead) -> Result<Self, MatrixMarketError> {
        let mut reader = Reader { name, lines: text.lines(), line: 0 };
        let header = reader.next_line()?.unwrap_or_default();
        let words: Vec<String> = header.split_whitespace().map(str::to_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let &["%%matrixmarket", "matrix", format, field, symmetry] = &words[..] else {
            let help =
                "it must begin with a line like `%%MatrixMarket matrix coordinate real symmetric`";
            return reader.fail(help.into());
        };
        let is_sparse = match format {
            "coordinate" => true,
            "array" => false,
            other => return reader.fail(format!("`{other}` is not `coordinate` or `array`")),
        };
        if !["real", "integer", "double"].contains(&field) {
            return reader
                .fail(format!("entries of type `{field}` are not supported, only real ones"));
        }
        let symmetry = match symmetry {
            "general" => Symmetry::General,
            "symmetric" => Symmetry::Symmetric,
            "skew-symmetric" => Symmetry::Skew,
            other => return reader.fail(format!("`{other}` is not `general` or `symmetric`")),
        };
        let Some(sizes) = reader.contents()? else {
            return reader.fail("the file ends before the sizes".into());
        };
        let sizes: Vec<usize> = reader.numbers(&sizes)?;
        let (rows, columns, count) = match (is_sparse, &sizes[..]) {
            (true, &[rows, columns, count]) => (rows, columns, count),
            (false, &[rows, columns]) => (rows, columns, rows.saturating_mul(columns)),
            (true, _) => {
                return reader.fail("expected the numbers of rows, columns and entries".into());
            }
            (false, _) => return reader.fail("expected the numbers of rows and columns".into()),
        };
        if symmetry != Symmetry::General && rows != columns {
            return reader.fail(format!("a {rows}×{columns} matrix cannot be symmetric"));
        }
        if count > MAX_ENTRIES || rows > u32::MAX as usize || columns > u32::MAX as usize {
            return reader.fail(format!("a {rows}×{columns} matrix with {count} entries is too large: at most {MAX_ENTRIES} are read"));
        }
        let mut matrix = Self { rows, columns, entries: Vec::new() };
        match is_sparse {
            true => matrix.coordinates(&mut reader, count, symmetry)?,
            false => matrix.array(&mut reader, symmetry)?,
        }
        match reader.contents()? {
            Some(_) => reader.fail("there are more entries than declared".into()),
            None => Ok(matrix),
        }
    }

    fn coordinates(
        &mut self,
        reader: &mut Reader<'_, impl BufRead>,
        count: usize,
        symmetry: Symmetry,
    ) -> Result<(), MatrixMarketError> {
        for k in 0..count {
            let Some(line) = reader.contents()? else {
                return reader.fail(format!("the file ends after {k} of {count} entries"));
            };
            let words: Vec<&str> = line.split_whitespace().collect();
            let &[row, column, value] = &words[..] else {
                return reader.fail("expected a row, a column and a value".into());
            };
            let (row, column) = (reader.number::<usize>(row)?, reader.number::<usize>(column)?);
            if row == 0 || column == 0 || row > self.rows || column > self.columns {
                let (rows, columns) = (self.rows, self.columns);
                let reason = format!("({row}, {column}) lies outside a {rows}×{columns} matrix");
                return reader.fail(reason);
            }
            let value = reader.finite(value)?;
            self.push(row - 1, column - 1, value, symmetry);
        }
        Ok(())
    }

    fn array(
        &mut self,
        reader: &mut Reader<'_, impl BufRead>,
        symmetry: Symmetry,
    ) -> Result<(), MatrixMarketError> {
        for column in 0..self.columns {
            let first = match symmetry {
                Symmetry::General => 0,
                Symmetry::Symmetric => column,
                Symmetry::Skew => column + 1,
            };
            for row in first..self.rows {
                let Some(line) = reader.contents()? else {
                    let reason =
                        format!("the file ends before entry ({}, {})", row + 1, column + 1);
                    return reader.fail(reason);
                };
                let value = reader.finite(line.trim())?;
                self.push(row, column, value, symmetry);
            }
        }
        Ok(())
    }

    fn push(&mut self, row: usize, column: usize, value: f64, symmetry: Symmetry) {
        self.entries.push((row, column, value));
        if row != column {
            match symmetry {
                Symmetry::General => {}
                Symmetry::Symmetric => self.entries.push((column, row, value)),
                Symmetry::Skew => self.entries.push((column, row, -value)),
            }
        }
    }

    /// The matrix in the form that solvers use.
    pub fn to_entries(&self) -> SparseMatrix {
        SparseMatrix::written(self.rows, self.columns, |out| {
            self.entries.iter().for_each(|&(i, j, x)| out.add(i, j, x));
        })
    }
}

struct Reader<'a, R: BufRead> {
    name: &'a str,
    lines: std::io::Lines<R>,
    line: usize,
}

impl<R: BufRead> Reader<'_, R> {
    fn fail<T>(&self, reason: String) -> Result<T, MatrixMarketError> {
        let line = (self.line > 0).then_some(self.line);
        Err(MatrixMarketError { file: self.name.into(), line, reason })
    }

    fn next_line(&mut self) -> Result<Option<String>, MatrixMarketError> {
        self.line += 1;
        match self.lines.next().transpose() {
            Ok(line) => Ok(line),
            Err(error) => self.fail(format!("cannot read: {error}")),
        }
    }

    /// The next line that is neither empty nor a comment.
    fn contents(&mut self) -> Result<Option<String>, MatrixMarketError> {
        loop {
            match self.next_line()? {
                Some(line) if line.trim().is_empty() || line.starts_with('%') => {}
                found => return Ok(found),
            }
        }
    }

    fn number<T: std::str::FromStr>(&self, word: &str) -> Result<T, MatrixMarketError> {
        match word.parse() {
            Ok(number) => Ok(number),
            Err(_) => self.fail(format!("`{}` is not a number, or out of range", shortened(word))),
        }
    }

    fn finite(&self, word: &str) -> Result<f64, MatrixMarketError> {
        let value: f64 = self.number(word)?;
        match value.is_finite() {
            true => Ok(value),
            false => self.fail(format!("an entry is {value}")),
        }
    }

    fn numbers(&self, line: &str) -> Result<Vec<usize>, MatrixMarketError> {
        line.split_whitespace().map(|word| self.number(word)).collect()
    }
}

/// The beginning of a word, which may be as long as a file.
fn shortened(word: &str) -> String {
    let short: String = word.chars().take(24).collect();
    if short.len() < word.len() { format!("{short}…") } else { short }
}
