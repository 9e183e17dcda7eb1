//! Files that only Cardan reads: a kind, a version, and a checksum before the contents.
//!
//! ```text
//!   cardan state 1\n
//!   sha256 (64 digits)\n
//!   bytes (number)\n
//!   contents
//! ```

use std::path::Path;

use super::bytes_sha256;
use super::origin::first_bytes;

/// What a file of Cardan holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerKind {
    /// All that does not change during a run: model, settings, output.
    Run,
    /// All that evolves during a run.
    State,
    /// How everything moved during a run.
    Motion,
}

/// The most bytes before the contents.
pub const MAX_HEAD: usize = 160;

/// The reason why a file of Cardan cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContainerError {
    /// It begins differently.
    #[error("it is not a file of this kind written by Cardan")]
    Foreign,
    /// It has another version.
    #[error("it has version {found}, and this program reads version {known}")]
    Version {
        /// The version of the file.
        found: String,
        /// The version that is known.
        known: u32,
    },
    /// It is shorter or longer than it says.
    #[error("it has {found} bytes of contents instead of {expected}: it was cut or extended")]
    Length {
        /// The bytes found.
        found: u64,
        /// The bytes expected.
        expected: u64,
    },
    /// Its checksum differs.
    #[error("its SHA-256 differs: it was altered")]
    Altered,
}

impl ContainerKind {
    fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::State => "state",
            Self::Motion => "motion",
        }
    }

    /// The version that is written and read.
    pub fn version(self) -> u32 {
        1
    }

    fn first_line(self) -> String {
        format!("cardan {} ", self.word())
    }

    /// The bytes of a file with these contents, in their memory if that has room for [`MAX_HEAD`].
    pub fn encode(self, contents: Vec<u8>) -> Vec<u8> {
        let (version, digest) = (self.version(), bytes_sha256(&contents));
        let length = contents.len();
        let head = format!("{}{version}\nsha256 {digest}\nbytes {length}\n", self.first_line());
        debug_assert!(head.len() <= MAX_HEAD);
        let mut whole = contents;
        whole.splice(0..0, head.bytes());
        whole
    }

    /// The contents of a file, if its checksum is right.
    pub fn decode(self, bytes: &[u8]) -> Result<&[u8], ContainerError> {
        let rest = bytes.strip_prefix(self.first_line().as_bytes());
        let (version, rest) = rest.and_then(line).ok_or(ContainerError::Foreign)?;
        if version != self.version().to_string() {
            let found = version.chars().take(20).collect();
            return Err(ContainerError::Version { found, known: self.version() });
        }
        let (digest, rest) = line(rest).ok_or(ContainerError::Altered)?;
        let (length, contents) = line(rest).ok_or(ContainerError::Altered)?;
        let digest = digest.strip_prefix("sha256 ").ok_or(ContainerError::Altered)?;
        let length = length.strip_prefix("bytes ").and_then(|text| text.parse::<u64>().ok());
        let (expected, found) = (length.ok_or(ContainerError::Altered)?, contents.len() as u64);
        match () {
            () if found != expected => Err(ContainerError::Length { found, expected }),
            () if bytes_sha256(contents) != digest => Err(ContainerError::Altered),
            () => Ok(contents),
        }
    }

    /// Whether Cardan wrote a file as one of this kind, of any version.
    pub fn is_ours(self, path: &Path) -> bool {
        let head = self.first_line();
        first_bytes(path, head.len() as u64) == head.as_bytes()
    }
}

/// The first line and what follows it.
fn line(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.iter().take(200).position(|byte| *byte == b'\n')?;
    Some((std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_altered_byte_and_every_cut_is_refused() {
        let whole = ContainerKind::State.encode(b"contents".to_vec());
        assert_eq!(ContainerKind::State.decode(&whole), Ok(&b"contents"[..]));
        assert_eq!(ContainerKind::Run.decode(&whole), Err(ContainerError::Foreign));
        for k in 0..whole.len() {
            assert!(ContainerKind::State.decode(&whole[..k]).is_err(), "{k}");
            let mut altered = whole.clone();
            altered[k] ^= 1;
            assert!(ContainerKind::State.decode(&altered).is_err(), "{k}");
        }
        assert!(ContainerKind::State.decode(&[&whole[..], b"x"].concat()).is_err());
        let newer = [b"cardan state 2\n", &whole[15..]].concat();
        let found = ContainerError::Version { found: "2".into(), known: 1 };
        assert_eq!(ContainerKind::State.decode(&newer), Err(found));
    }
}
