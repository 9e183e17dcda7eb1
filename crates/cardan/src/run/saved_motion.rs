//! The motion of a run in a folder: complete, or unfinished with a checkpoint.

use std::fs;
use std::path::Path;

use super::motion::MotionRecord;
use super::record::{RunRecord, decode_states};
use crate::file::ModelFile;
use crate::model::AssembledMechanism;
use crate::output::latest_state;
use crate::results::{MOTION, RUN};

/// Larger files are not read: a record of the motion grows with the logarithm of the time, and the files of a model are limited.
const MAX_FILE: u64 = 1 << 30;

/// The model of a run, and how it moved.
pub struct SavedMotion {
    /// The model file.
    pub file: ModelFile,
    /// The assembled model.
    pub start: AssembledMechanism,
    /// The motion; `None` if the run did not record it.
    pub motion: Option<MotionRecord>,
}

/// The reason why the motion of a run cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read the run in {folder}: {reason}\n  try: {remedy}")]
pub struct MotionError {
    /// The folder.
    pub folder: String,
    /// The reason.
    pub reason: String,
    /// What may help.
    pub remedy: &'static str,
}

impl SavedMotion {
    /// Reads the run in a folder.
    pub fn open(folder: &Path) -> Result<Self, MotionError> {
        let again = "run the model again";
        let fail = |reason: String, remedy| MotionError {
            folder: folder.display().to_string(),
            reason,
            remedy,
        };
        let unfinished = folder.join("unfinished");
        let place = if folder.join(RUN).is_file() { folder } else { unfinished.as_path() };
        let path = place.join(RUN);
        let read = |path: &Path| {
            let fault = |reason: String| format!("{}: {reason}", path.display());
            let length = fs::metadata(path).map_err(|error| fault(error.to_string()))?.len();
            if length > MAX_FILE {
                return Err(fault("it is larger than any file of a run, so it is damaged".into()));
            }
            fs::read(path).map_err(|error| fault(error.to_string()))
        };
        let bytes = read(&path).map_err(|reason| fail(reason, "the folder of a run"))?;
        let record = RunRecord::decode(&bytes)
            .map_err(|reason| fail(format!("{}: {reason}", path.display()), again))?;
        let file = record.model.restore().map_err(|error| fail(error.to_string(), again))?;
        let start = file.assemble().map_err(|error| fail(error.to_string(), again))?;
        let path = place.join(MOTION);
        let motion = match path.is_file() {
            true => Some(read(&path).and_then(|bytes| {
                MotionRecord::decode(&bytes).map_err(|error| format!("{}: {error}", path.display()))
            })),
            // an unfinished run has its motion in the last checkpoint
            false => latest_state(folder).filter(|_| place != folder).map(|path| {
                let states = read(&path).and_then(|bytes| decode_states(&bytes));
                let last = states.map(|states| states.into_iter().last())?;
                let motion = last.and_then(|state| state.motion);
                motion.map(|x| x.completed()).ok_or_else(|| "it has no motion record".to_string())
            }),
        };
        let motion = motion.transpose().map_err(|reason| fail(reason, again))?;
        Ok(Self { file, start, motion })
    }
}
