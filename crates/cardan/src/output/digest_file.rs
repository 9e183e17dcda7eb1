//! A file with its SHA-256.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

use super::digest::in_digits;
use super::disk::DiskFile;

/// A file whose SHA-256 is computed as it is written.
pub(crate) struct DigestFile {
    inner: Box<dyn DiskFile>,
    digest: Sha256,
    /// Bytes written.
    pub length: u64,
}

impl DigestFile {
    pub fn new(inner: Box<dyn DiskFile>) -> Self {
        Self { inner, digest: Sha256::new(), length: 0 }
    }

    /// The SHA-256 of what was written, in hexadecimal digits.
    pub fn sha256(&self) -> String {
        in_digits(&self.digest.clone().finalize())
    }
}

impl Write for DigestFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.digest.update(&bytes[..count]);
        self.length += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl DiskFile for DigestFile {
    fn sync(&mut self) -> io::Result<()> {
        self.inner.sync()
    }
}
