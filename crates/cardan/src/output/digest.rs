//! Fingerprints of texts and files.

use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

/// A file that a model reads.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FileDigest {
    /// Its path.
    pub path: String,
    /// SHA-256 of its contents.
    pub sha256: String,
}

/// The SHA-256 of a text, in hexadecimal digits.
pub fn fingerprint(text: &str) -> String {
    bytes_sha256(text.as_bytes())
}

/// The SHA-256 of bytes, in hexadecimal digits.
pub fn bytes_sha256(bytes: &[u8]) -> String {
    in_digits(&Sha256::digest(bytes))
}

pub(super) fn in_digits(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The SHA-256 of a file, in hexadecimal digits.
pub fn file_sha256(path: &Path) -> std::io::Result<String> {
    let mut file = std::fs::File::open(path)?;
    let (mut digest, mut block) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut block)? {
            0 => break,
            count => digest.update(&block[..count]),
        }
    }
    Ok(in_digits(&digest.finalize()))
}
