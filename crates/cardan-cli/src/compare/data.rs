//! The data file of a comparison.

use std::path::Path;

use cardan::output::origin;
use cardan::study::ComparisonResult;

use crate::CommandFailure;
use crate::overwrite::{self, Overwrite};

/// The data file.
const DATA: &str = "data.csv";

/// How the data file begins.
const HEADER: &str = "method,constraints,step,";

fn is_data(path: &Path) -> bool {
    origin::is_table(path, HEADER)
}

/// Whether the data file may be written.
pub fn check(folder: &Path, overwrite: Overwrite) -> Result<(), CommandFailure> {
    overwrite::check(&folder.join(DATA), overwrite.existing(&is_data))
}

/// Writes the data file.
pub fn write(
    folder: &Path,
    result: &ComparisonResult,
    overwrite: Overwrite,
) -> Result<(), CommandFailure> {
    let text = result.to_csv();
    overwrite::write(&folder.join(DATA), text.as_bytes(), overwrite.existing(&is_data))
}
