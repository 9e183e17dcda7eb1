//! Matrices in the simplest format that MATLAB, Octave and SciPy read: level 4 of MAT files.

use nalgebra::DMatrix;

/// The bytes of a file, matrices one after the other.
#[derive(Default)]
pub(super) struct Writer(pub Vec<u8>);

/// Little-endian doubles; one for full matrices, another for text.
const NUMBERS: u32 = 0;
const TEXT: u32 = 1;

impl Writer {
    fn header(&mut self, kind: u32, rows: usize, columns: usize, name: &str) {
        let sizes = [kind, rows as u32, columns as u32, 0, name.len() as u32 + 1];
        self.0.extend(sizes.iter().flat_map(|x| x.to_le_bytes()));
        self.0.extend(name.as_bytes());
        self.0.push(0);
    }

    /// A matrix of numbers, by columns.
    pub fn matrix(&mut self, name: &str, matrix: &DMatrix<f64>) {
        self.header(NUMBERS, matrix.nrows(), matrix.ncols(), name);
        self.0.extend(matrix.iter().flat_map(|x| x.to_le_bytes()));
    }

    /// Lines of text, as a matrix of characters padded with blanks.
    pub fn texts(&mut self, name: &str, lines: &[String]) {
        // the format has one byte per character
        let plain: Vec<Vec<u8>> = lines
            .iter()
            .map(|line| line.chars().map(|c| if c.is_ascii() { c as u8 } else { b'?' }).collect())
            .collect();
        let width = plain.iter().map(Vec::len).max().unwrap_or(0);
        self.header(TEXT, lines.len(), width, name);
        for column in 0..width {
            for line in &plain {
                let character = f64::from(line.get(column).copied().unwrap_or(b' '));
                self.0.extend(character.to_le_bytes());
            }
        }
    }
}
