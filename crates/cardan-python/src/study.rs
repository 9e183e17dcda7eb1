//! Studies: many cases of a model, in this process or in batches for workers.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cardan::file::ModelFile;
use cardan_lab::LabError;
use cardan_lab::study::CaseProgress;
use cardan_lab::study::parameters::{
    STUDY_KEYS, StudyManifest, StudyModel, StudyPlan, StudyRow, StudyStore, StudyTable,
    TableColumn, read_parquet,
};
use cardan_lab::study_chart::{PICTURE_KINDS, study_pictures};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::{TextOrigin, model_error, other_error};

/// Signals are looked up after this time.
const INTERVAL: Duration = Duration::from_millis(40);

/// A study: its plan, and its store on the disk.
#[pyclass(module = "cardan", frozen)]
pub struct StudySession {
    plan: StudyPlan,
    folder: PathBuf,
    store: Mutex<StudyStore>,
}

/// Counts the cases that have ended.
#[derive(Default)]
struct CaseCounter(AtomicU64);

impl CaseProgress for CaseCounter {
    fn end_case(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn lab_error(py: Python<'_>, error: &LabError) -> PyErr {
    match &error.diagnostics {
        Some(problems) => model_error(py, problems, TextOrigin::File),
        None => other_error(py, "SettingsError", &error.message, None),
    }
}

#[pymethods]
impl StudySession {
    /// Plans a study and opens its store.
    #[new]
    fn new(
        py: Python<'_>,
        manifest: &str,
        name: &str,
        text: &str,
        folder: PathBuf,
        program: &str,
    ) -> PyResult<Self> {
        let file = ModelFile::parse(name, text, &[]);
        let file = file.map_err(|problems| model_error(py, &problems, TextOrigin::Generated))?;
        let open = || {
            let mut manifest = StudyManifest::from_json(manifest)?;
            manifest.read_table(Path::new(""))?;
            let plan = StudyPlan::new(manifest, StudyModel::of(&file), program)?;
            StudyPlan::check_tables(&folder)?;
            let store = Mutex::new(StudyStore::open(&folder)?);
            Ok(Self { plan, folder: folder.clone(), store })
        };
        open().map_err(|error| lab_error(py, &error))
    }

    /// The number of cases.
    #[getter]
    fn cases(&self) -> u64 {
        self.plan.design.cases()
    }

    /// The cases that are not stored.
    fn pending(&self) -> Vec<u64> {
        self.plan.pending(&self.lock())
    }

    /// The plan as bytes, for a worker.
    fn pack<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.plan.pack().map_err(|error| lab_error(py, &error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Stores rows that a worker has computed.
    fn append(&self, py: Python<'_>, rows: Vec<Vec<u8>>) -> PyResult<()> {
        let append = || {
            let mut store = self.lock();
            rows.iter().try_for_each(|row| store.append(&StudyRow::decode(row)?))
        };
        append().map_err(|error: LabError| lab_error(py, &error))
    }

    /// Stores a case as failed.
    fn fail(&self, py: Python<'_>, case: u64, reason: String) -> PyResult<()> {
        let key = self.plan.key(&self.plan.design.case(case));
        let row = self.plan.failed(key, reason, f64::NAN);
        self.lock().append(&row).map_err(|error| lab_error(py, &error))
    }

    /// Computes the cases that are not stored, on the processors of this machine.
    fn run(
        &self,
        py: Python<'_>,
        jobs: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let stop = AtomicBool::new(false);
        let counter = CaseCounter::default();
        let (result, interrupted) = py.detach(|| {
            let pending = self.plan.pending(&self.lock());
            let total = pending.len().max(1) as f64;
            std::thread::scope(|scope| {
                let work = scope
                    .spawn(|| self.plan.run(&mut self.lock(), &pending, jobs, &stop, &counter));
                let mut interrupted = None;
                while !work.is_finished() {
                    std::thread::park_timeout(INTERVAL);
                    let looked = Python::attach(|py| {
                        py.check_signals()?;
                        if let Some(progress) = &progress {
                            let done = counter.0.load(Ordering::Relaxed) as f64 / total;
                            progress.call1(py, (done,))?;
                        }
                        Ok(())
                    });
                    if let (Err(error), None) = (looked, &interrupted) {
                        stop.store(true, Ordering::Relaxed);
                        interrupted = Some(error);
                    }
                }
                (work.join(), interrupted)
            })
        });
        match (result, interrupted) {
            (_, Some(error)) => Err(error),
            (Ok(Ok(())), None) => Ok(()),
            (Ok(Err(error)), None) => Err(lab_error(py, &error)),
            (Err(_), None) => Err(other_error(py, "Error", "the study failed", None)),
        }
    }

    /// Writes the table and the histories; the numbers of completed and failed cases.
    fn write(&self, py: Python<'_>) -> PyResult<[u64; 2]> {
        let written = py.detach(|| {
            let mut store = self.lock();
            store.sync()?;
            self.plan.write_tables(&store, &self.folder)
        });
        let written = written.map_err(|error| lab_error(py, &error))?;
        Ok([written.completed, written.failures.cases])
    }
}

impl StudySession {
    fn lock(&self) -> std::sync::MutexGuard<'_, StudyStore> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The last plan of this process with its bytes: batches of one study share it.
static LAST_PLAN: Mutex<Option<(Vec<u8>, Arc<StudyPlan>)>> = Mutex::new(None);

/// Computes cases of a packed study: the row of each, and its time in seconds.
#[pyfunction]
pub fn study_cases<'py>(
    py: Python<'py>,
    packed: Vec<u8>,
    program: &str,
    cases: Vec<u64>,
) -> PyResult<Vec<(Bound<'py, PyBytes>, f64)>> {
    let computed = py.detach(|| {
        let plan = {
            let mut last = LAST_PLAN.lock().unwrap_or_else(PoisonError::into_inner);
            match &*last {
                Some((known, plan)) if *known == packed => Arc::clone(plan),
                _ => {
                    let plan = Arc::new(StudyPlan::unpack(&packed, program)?);
                    *last = Some((packed, Arc::clone(&plan)));
                    plan
                }
            }
        };
        let stop = AtomicBool::new(false);
        let template = plan.template()?;
        let row = |case: &u64| plan.compute(&template, &plan.design.case(*case), &stop);
        let rows = cases.iter().filter(|case| **case < plan.design.cases()).filter_map(row);
        rows.map(|row| Ok((row.encode()?, row.seconds))).collect::<Result<Vec<_>, LabError>>()
    });
    let rows = computed.map_err(|error| lab_error(py, &error))?;
    Ok(rows.into_iter().map(|(bytes, seconds)| (PyBytes::new(py, &bytes), seconds)).collect())
}

/// The columns of a table of a study, and its description as JSON.
#[pyfunction]
pub fn study_table(py: Python<'_>, path: PathBuf) -> PyResult<(Bound<'_, PyDict>, String)> {
    let (columns, about) = read_parquet(&path).map_err(|error| lab_error(py, &error))?;
    let found = PyDict::new(py);
    for (name, column) in columns {
        match column {
            TableColumn::Integers(values) => found.set_item(name, values.into_pyarray(py))?,
            TableColumn::Numbers(values) => found.set_item(name, values.into_pyarray(py))?,
            TableColumn::Text(values) => found.set_item(name, values)?,
        }
    }
    Ok((found, about))
}

/// The answers of a study as JSON: statistics of its quantities, sensitivity indices, reasons of failures.
#[pyfunction]
pub fn study_answers(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    let table = StudyTable::open(&folder).map_err(|error| lab_error(py, &error))?;
    let answers = serde_json::json!({
        "statistics": table.statistics(),
        "sensitivity": table.sensitivity(),
        "failures": table.failures().reasons(),
    });
    Ok(answers.to_string())
}

/// The pictures of a study, or those of one kind: kind, name of the file, caption and SVG of each.
#[pyfunction]
#[pyo3(signature = (folder, kind = None))]
pub fn study_svgs(
    py: Python<'_>,
    folder: PathBuf,
    kind: Option<&str>,
) -> PyResult<Vec<(String, String, String, String)>> {
    let pictures = study_pictures(&folder, kind).map_err(|error| lab_error(py, &error))?;
    Ok(pictures.into_iter().map(|x| (x.kind.into(), x.file, x.caption, x.svg)).collect())
}

/// The keys of a study file, and the kinds of pictures.
#[pyfunction]
pub fn study_words() -> (Vec<&'static str>, Vec<&'static str>) {
    let keys = STUDY_KEYS.iter().map(|known| known.key).collect();
    (keys, PICTURE_KINDS.iter().map(|(word, ..)| *word).collect())
}
