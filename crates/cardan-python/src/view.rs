//! Pages of the viewer: models, runs, modes and equilibria in motion.

use std::path::PathBuf;
use std::sync::Arc;

use cardan::Instant;
use cardan::model::AssembledMechanism;
use cardan::modes::Mode;
use cardan::run::{MotionRecord, SavedMotion};
use cardan_lab::viewer::{PlotChannels, ViewDocument, page};
use pyo3::prelude::*;

use crate::compiled::Compiled;
use crate::errors::other_error;

/// What a page shows.
enum Shown {
    Run { motion: Box<MotionRecord> },
    Modes { at: Box<Instant>, modes: Vec<Mode> },
    Equilibria { parameter: &'static str, path: Vec<(f64, Instant)> },
}

/// A model with a motion that a page can show.
#[pyclass(module = "cardan", frozen)]
pub struct PageSource {
    start: Arc<AssembledMechanism>,
    shown: Shown,
}

impl PageSource {
    pub fn of_run(start: Arc<AssembledMechanism>, motion: MotionRecord) -> Self {
        Self { start, shown: Shown::Run { motion: Box::new(motion) } }
    }

    pub fn of_modes(start: AssembledMechanism, at: Instant, modes: Vec<Mode>) -> Self {
        Self { start: Arc::new(start), shown: Shown::Modes { at: Box::new(at), modes } }
    }

    pub fn of_equilibria(
        start: Arc<AssembledMechanism>,
        parameter: &'static str,
        path: Vec<(f64, Instant)>,
    ) -> Self {
        Self { start, shown: Shown::Equilibria { parameter, path } }
    }
}

#[pymethods]
impl PageSource {
    /// The page; a run has channels with names, units and values, of which the first is time.
    #[pyo3(signature = (title, channels = Vec::new()))]
    fn page(
        &self,
        py: Python<'_>,
        title: &str,
        channels: Vec<(String, String, Vec<f64>)>,
    ) -> PyResult<String> {
        let made = py.detach(|| {
            let document = match &self.shown {
                Shown::Run { motion } => {
                    let channels = PlotChannels::of_columns(channels);
                    ViewDocument::of_run(title, &self.start, ("run", motion), channels)?
                }
                Shown::Modes { at, modes } => ViewDocument::of_modes(title, &self.start, at, modes),
                Shown::Equilibria { parameter, path } => {
                    ViewDocument::of_equilibria(title, &self.start, parameter, path)
                }
            };
            Ok(page(&document))
        });
        made.map_err(|error: cardan_lab::LabError| {
            other_error(py, "ResultsError", &error.to_string(), None)
        })
    }
}

#[pymethods]
impl Compiled {
    /// The page of the assembled model, in which nothing moves.
    fn view(&self, py: Python<'_>, title: &str) -> PyResult<String> {
        let start = self.start(py)?;
        Ok(py.detach(|| page(&ViewDocument::of_model(title, &start))))
    }
}

/// The page of a run in a folder.
#[pyfunction]
pub fn view_folder(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    let made = py.detach(|| {
        let saved = SavedMotion::open(&folder).map_err(|error| error.to_string())?;
        let Some(motion) = saved.motion else {
            return Err(format!(
                "the run in {} has no record of its motion\n  try: run the model again",
                folder.display()
            ));
        };
        let channels = PlotChannels::of_folder(&folder).map_err(|error| error.to_string())?;
        let title = saved.file.title.as_deref().unwrap_or(&saved.file.source.name);
        let name = folder.display().to_string();
        let document = ViewDocument::of_run(title, &saved.start, (&name, &motion), channels);
        document.map(|document| page(&document)).map_err(|error| error.to_string())
    });
    made.map_err(|message| {
        let (fact, remedy) = match message.split_once("\n  try: ") {
            Some((fact, remedy)) => (fact.to_string(), Some(remedy.to_string())),
            None => (message, None),
        };
        other_error(py, "ResultsError", &fact, remedy)
    })
}
