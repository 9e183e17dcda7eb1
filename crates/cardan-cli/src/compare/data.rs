//! The data file of a comparison.

use std::path::Path;

use cardan::output::origin;
use cardan_lab::study::ComparisonResult;

use crate::failure::CommandFailure;
use cardan_lab::overwrite;

use crate::overwrite_option::OverwriteOption;

/// The data file.
const DATA: &str = "data.csv";

/// How the data file begins.
const HEADER: &str = "method,constraints,step,";

fn is_data(path: &Path) -> bool {
    origin::is_table(path, HEADER)
}

/// Whether the data file may be written.
pub fn check(folder: &Path, overwrite: OverwriteOption) -> Result<(), CommandFailure> {
    Ok(overwrite::check(&folder.join(DATA), overwrite.existing(&is_data))?)
}

/// Writes the data file.
pub fn write(
    folder: &Path,
    result: &ComparisonResult,
    overwrite: OverwriteOption,
) -> Result<(), CommandFailure> {
    let text = result.to_csv();
    Ok(overwrite::write(&folder.join(DATA), text.as_bytes(), overwrite.existing(&is_data))?)
}
