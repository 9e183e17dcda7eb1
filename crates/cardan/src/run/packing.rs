//! The contents of files that only Cardan reads.

use serde::Serialize;

use crate::output::ContainerKind;

pub(super) fn packed(value: &impl Serialize) -> Vec<u8> {
    // names of fields are written too: fields can be added later
    rmp_serde::to_vec_named(value).unwrap_or_default()
}

pub(super) fn unpacked<T: serde::de::DeserializeOwned>(
    kind: ContainerKind,
    bytes: &[u8],
) -> Result<T, String> {
    let contents = kind.decode(bytes).map_err(|error| error.to_string())?;
    rmp_serde::from_slice(contents).map_err(|_| "its contents cannot be read".into())
}
