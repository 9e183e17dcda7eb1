//! Pictures and the report page of a study.
//!
//! ```text
//! pictures   main effects, histograms, response or Campbell diagram, histories
//! scatter    the scatter matrix
//! report     the page that shows them, with statistics, failures and sensitivity indices
//! ```

mod pictures;
mod report;
mod scatter;

use std::path::Path;

use crate::error::LabError;
use crate::overwrite::Overwrite;
use crate::study::parameters::StudyTable;

/// Draws all pictures of a study in its folder and writes the page `report.html`. Returns the names of the files.
pub fn draw_study(folder: &Path, overwrite: Overwrite) -> Result<Vec<String>, LabError> {
    let table = StudyTable::open(folder)?;
    let mut files = pictures::draw(folder, &table, overwrite)?;
    files.extend(scatter::draw(folder, &table, overwrite)?);
    report::write(folder, &table, &files, overwrite)?;
    files.push(report::REPORT.into());
    Ok(files)
}
