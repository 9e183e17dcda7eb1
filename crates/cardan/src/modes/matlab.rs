//! Matrices in the simplest format that MATLAB, Octave and SciPy read: level 4 of MAT files.

use std::fs::File;
use std::io::{BufWriter, Result, Write};
use std::path::Path;

use nalgebra::DMatrix;

/// A file that matrices are written to, one after the other.
pub(super) struct Writer(BufWriter<File>);

/// Little-endian doubles; one for full matrices, another for text.
const NUMBERS: u32 = 0;
const TEXT: u32 = 1;

impl Writer {
    pub fn create(path: &Path) -> Result<Self> {
        Ok(Self(BufWriter::new(File::create(path)?)))
    }

    fn header(&mut self, kind: u32, rows: usize, columns: usize, name: &str) -> Result<()> {
        let sizes = [kind, rows as u32, columns as u32, 0, name.len() as u32 + 1];
        sizes.iter().try_for_each(|x| self.0.write_all(&x.to_le_bytes()))?;
        self.0.write_all(name.as_bytes())?;
        self.0.write_all(&[0])
    }

    /// A matrix of numbers, by columns.
    pub fn matrix(&mut self, name: &str, matrix: &DMatrix<f64>) -> Result<()> {
        self.header(NUMBERS, matrix.nrows(), matrix.ncols(), name)?;
        matrix.iter().try_for_each(|x| self.0.write_all(&x.to_le_bytes()))
    }

    /// Lines of text, as a matrix of characters padded with blanks.
    pub fn texts(&mut self, name: &str, lines: &[String]) -> Result<()> {
        // the format has one byte a character
        let plain: Vec<Vec<u8>> = lines
            .iter()
            .map(|line| line.chars().map(|c| if c.is_ascii() { c as u8 } else { b'?' }).collect())
            .collect();
        let width = plain.iter().map(Vec::len).max().unwrap_or(0);
        self.header(TEXT, lines.len(), width, name)?;
        for column in 0..width {
            for line in &plain {
                let character = f64::from(line.get(column).copied().unwrap_or(b' '));
                self.0.write_all(&character.to_le_bytes())?;
            }
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<()> {
        self.0.flush()?;
        self.0.get_ref().sync_all()
    }
}
