//! The version of the program.

/// The version, with the commit it was built from.
pub const VERSION: &str = concat!("cardan ", env!("CARDAN_VERSION"));
