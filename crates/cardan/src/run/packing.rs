//! The contents of files that only Cardan reads.

use std::io::{self, Write};

use serde::Serialize;

use crate::output::{ContainerKind, MAX_HEAD};

/// The packed bytes of a value, with room for the head of a file: the state of a large model is not copied while it grows.
pub(super) fn packed(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(packed_length(value) as usize + MAX_HEAD);
    match write(value, &mut bytes) {
        Ok(()) => bytes,
        Err(_) => Vec::new(),
    }
}

/// The number of the packed bytes of a value.
pub(super) fn packed_length(value: &impl Serialize) -> u64 {
    /// Counts bytes.
    struct Count(u64);
    impl Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len() as u64;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // what cannot be written is not counted
    let _ = write(value, &mut count);
    count.0
}

fn write(value: &impl Serialize, out: &mut impl Write) -> Result<(), rmp_serde::encode::Error> {
    // names of fields are written too: fields can be added later
    rmp_serde::encode::write_named(out, value)
}

pub(super) fn unpacked<T: serde::de::DeserializeOwned>(
    kind: ContainerKind,
    bytes: &[u8],
) -> Result<T, String> {
    let contents = kind.decode(bytes).map_err(|error| error.to_string())?;
    rmp_serde::from_slice(contents).map_err(|_| "its contents cannot be read".into())
}
