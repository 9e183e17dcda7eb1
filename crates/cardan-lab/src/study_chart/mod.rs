//! Pictures and the report page of a study.
//!
//! ```text
//! pictures   main effects, scatter matrix, histograms, response or Campbell diagram
//! histories  channels over time
//! report     the page that shows them, with statistics, failures and sensitivity indices
//! ```

mod histories;
mod pictures;
mod report;

use std::path::Path;

use cardan::output::origin::is_picture;

use crate::chart;
use crate::error::LabError;
use crate::overwrite::Overwrite;
use crate::study::parameters::StudyTable;

pub use pictures::{PICTURE_KINDS, StudyPicture, study_pictures};

/// Draws all pictures of a study in its folder and writes the page `report.html`. Returns the names of the files.
pub fn draw_study(folder: &Path, overwrite: Overwrite) -> Result<Vec<String>, LabError> {
    let pictures = study_pictures(folder, None)?;
    let mut files = Vec::new();
    for picture in &pictures {
        let existing = overwrite.existing(&is_picture);
        chart::write_svg(picture.svg.clone(), &folder.join(&picture.file), existing)?;
        files.push(picture.file.clone());
    }
    report::write(folder, &StudyTable::open(folder)?, &pictures, overwrite)?;
    files.push(report::REPORT.into());
    Ok(files)
}
