//! What a run is to do besides computing: where it writes, when it saves its state, and when it stops.

use std::path::Path;
use std::time::Duration;

use crate::error::Error;
use crate::file::Diagnostics;
use crate::results::{ResultsFormat, WriteError};

/// Where and how results are written.
#[derive(Clone, Copy, Debug)]
pub struct RunRequest<'a> {
    /// The folder.
    pub folder: &'a Path,
    /// The format.
    pub format: ResultsFormat,
    /// The program and its version, for the record.
    pub version: &'a str,
    /// Whether to run in spite of very many steps or very much output.
    pub force: bool,
    /// When the state of the run is saved.
    pub checkpoints: CheckpointInterval,
    /// When the run stops before its end.
    pub limits: RunLimits,
    /// The rows of a row group of the results; `None` for groups of two million numbers.
    pub rows_per_group: Option<u64>,
    /// Whether the motion of everything is recorded, for pictures.
    pub has_motion: bool,
    /// Whether a run in memory keeps its last state; one in a folder always does.
    pub has_state: bool,
}

impl<'a> RunRequest<'a> {
    /// Results in a folder, as Parquet, with a checkpoint every minute and without limits.
    pub fn new(folder: &'a Path) -> Self {
        Self {
            folder,
            format: ResultsFormat::Parquet,
            version: concat!("cardan ", env!("CARGO_PKG_VERSION")),
            force: false,
            checkpoints: CheckpointInterval::default(),
            limits: RunLimits::default(),
            rows_per_group: None,
            has_motion: true,
            has_state: true,
        }
    }
}

/// When the state of a run is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckpointInterval {
    /// After this time since the last checkpoint.
    Time(Duration),
    /// After this number of steps since the last checkpoint.
    Steps(u64),
    /// Only at the end.
    Never,
}

impl Default for CheckpointInterval {
    fn default() -> Self {
        Self::Time(Duration::from_secs(60))
    }
}

/// Limits at which a run stops with its results so far; it can be continued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunLimits {
    /// The computing time.
    pub time: Option<Duration>,
    /// The memory of the program, in bytes.
    pub memory: Option<u64>,
}

/// The progress of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunProgress {
    /// The time reached.
    pub time: f64,
    /// Steps taken.
    pub steps: u64,
    /// Steps to take; zero if a tolerance determines them.
    pub total: u64,
    /// The part of the time between start and end that has been computed, from 0 to 1.
    pub fraction: f64,
}

/// A run that could not begin, or whose results could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The file has errors.
    #[error(transparent)]
    Diagnostics(#[from] Diagnostics),
    /// The motion cannot begin.
    #[error(transparent)]
    Start(#[from] Error),
    /// The results cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A saved run cannot be continued.
    #[error(transparent)]
    Resume(#[from] ResumeError),
}

/// A saved run that cannot be continued.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot continue the run in {path}: {reason}\n  try: {remedy}")]
pub struct ResumeError {
    /// The file or folder.
    pub path: String,
    /// The reason.
    pub reason: String,
    /// What to try.
    pub remedy: String,
}
