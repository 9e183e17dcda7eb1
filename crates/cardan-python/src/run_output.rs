//! Runs and their results: in memory, in a folder, continued, and read again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cardan::results::{
    Interruption, ResultsFormat, ResultsTable, RunStatus, RunSummary, write_columns,
};
use cardan::run::{
    CheckpointInterval, ResumeRequest, RunLimits, RunProgress, RunRequest, SavedRun, run,
    run_in_memory,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::callbacks::{clear_raised, has_raised, take_raised};
use crate::compiled::Compiled;
use crate::convert::{block, json_to_python};
use crate::errors::{TextOrigin, other_error, run_error};
use crate::interrupt::Watch;
use crate::simulation::State;
use crate::view::PageSource;

/// The program that runs are recorded with.
pub const VERSION: &str = concat!("cardan ", env!("CARGO_PKG_VERSION"));

/// The limits of a run.
fn limits(seconds: Option<f64>, bytes: Option<u64>) -> RunLimits {
    let time = seconds.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    RunLimits { time, memory: bytes }
}

fn checkpoints(seconds: Option<f64>) -> CheckpointInterval {
    match seconds {
        None => CheckpointInterval::default(),
        Some(seconds) => match Duration::try_from_secs_f64(seconds) {
            Ok(time) => CheckpointInterval::Time(time),
            Err(_) => CheckpointInterval::Never,
        },
    }
}

/// Whether a run goes on: no signal, no exception of a callback.
fn go_on(watch: &mut Watch, at: &RunProgress) -> bool {
    if watch.is_first() {
        // before the first step the model is evaluated at test instants, to identify its saved states; failures do not count
        clear_raised();
    }
    !has_raised() && watch.go_on(|| at.fraction)
}

/// A finished run for Python: the summary, the columns, and the exception that stopped it.
fn output<'py>(
    py: Python<'py>,
    summary: &RunSummary,
    columns: Option<Vec<Vec<f64>>>,
    watch: Watch,
) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let value = serde_json::to_value(summary).unwrap_or_default();
    out.set_item("summary", json_to_python(py, &value)?)?;
    if let Some(columns) = columns {
        out.set_item("data", block(py, columns)?)?;
    }
    let by_request = summary.interruption == Some(Interruption::Request);
    let stopped = summary.status == RunStatus::Failed || by_request;
    // an exception of a callback comes first: the run stopped because of it
    let error = take_raised(py).filter(|_| stopped).or(watch.stop);
    out.set_item("error", error.map(|error| error.into_value(py)))?;
    Ok(out)
}

#[pymethods]
impl Compiled {
    /// Computes the motion; the results stay in memory.
    #[pyo3(signature = (progress = None, max_time = None, max_memory = None, force = false))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        progress: Option<Py<PyAny>>,
        max_time: Option<f64>,
        max_memory: Option<u64>,
        force: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (schedule, start) = (self.schedule(py)?, self.start(py)?);
        let file = &self.file;
        clear_raised();
        let mut watch = Watch::new(progress);
        let request = RunRequest {
            version: VERSION,
            limits: limits(max_time, max_memory),
            force,
            ..RunRequest::new(Path::new(""))
        };
        let done = py.detach(|| {
            run_in_memory(file, &schedule, &start, &request, &mut |at| go_on(&mut watch, at))
        });
        let done = done.map_err(|error| run_error(py, &error, self.origin))?;
        let state = done.state();
        let view = done.motion().map(|motion| PageSource::of_run(Arc::clone(&start), motion));
        let out = output(py, &done.summary, Some(done.columns), watch)?;
        out.set_item("state", state.map(|state| State { state }))?;
        let snapshots: Vec<_> = done
            .snapshots
            .iter()
            .map(|x| (x.structure.clone(), x.time, x.columns.clone(), x.rows.clone()))
            .collect();
        out.set_item("snapshots", snapshots)?;
        out.set_item("view", view)?;
        Ok(out)
    }

    /// Computes the motion and writes the results to a folder, with checkpoints.
    #[expect(clippy::too_many_arguments, reason = "the arguments are keywords in Python")]
    #[pyo3(signature = (folder, format, progress = None, checkpoint = None, max_time = None, max_memory = None, force = false))]
    fn run_in_folder<'py>(
        &self,
        py: Python<'py>,
        folder: PathBuf,
        format: &str,
        progress: Option<Py<PyAny>>,
        checkpoint: Option<f64>,
        max_time: Option<f64>,
        max_memory: Option<u64>,
        force: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (schedule, start) = (self.schedule(py)?, self.start(py)?);
        let file = &self.file;
        clear_raised();
        let mut watch = Watch::new(progress);
        let request = RunRequest {
            format: results_format(py, format)?,
            version: VERSION,
            force,
            checkpoints: checkpoints(checkpoint),
            limits: limits(max_time, max_memory),
            ..RunRequest::new(&folder)
        };
        let done =
            py.detach(|| run(file, &schedule, &start, &request, &mut |at| go_on(&mut watch, at)));
        let summary = done.map_err(|error| run_error(py, &error, self.origin))?;
        output(py, &summary, None, watch)
    }
}

fn results_format(py: Python<'_>, name: &str) -> PyResult<ResultsFormat> {
    match name {
        "parquet" => Ok(ResultsFormat::Parquet),
        "csv" => Ok(ResultsFormat::Csv),
        _ => {
            let message = format!("there is no format `{name}` of results");
            Err(other_error(py, "ResultsError", &message, Some("`parquet` or `csv`".into())))
        }
    }
}

/// Continues a run in the folder of its results.
#[pyfunction]
#[pyo3(signature = (folder, end = None, progress = None, checkpoint = None, max_time = None, max_memory = None, force = false))]
#[expect(clippy::too_many_arguments, reason = "the arguments are keywords in Python")]
pub fn resume<'py>(
    py: Python<'py>,
    folder: PathBuf,
    end: Option<f64>,
    progress: Option<Py<PyAny>>,
    checkpoint: Option<f64>,
    max_time: Option<f64>,
    max_memory: Option<u64>,
    force: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let request = ResumeRequest {
        end,
        version: VERSION,
        checkpoints: checkpoints(checkpoint),
        limits: limits(max_time, max_memory),
        force,
        ..ResumeRequest::default()
    };
    clear_raised();
    let fail = |error| run_error(py, &error, TextOrigin::File);
    let mut watch = Watch::new(progress);
    let done = py.detach(|| {
        let saved = SavedRun::open(&folder, &request)?;
        let notes = saved.notes.clone();
        saved.run(&request, &mut |at| go_on(&mut watch, at)).map(|summary| (summary, notes))
    });
    let (summary, notes) = done.map_err(fail)?;
    let out = output(py, &summary, None, watch)?;
    out.set_item("notes", notes)?;
    Ok(out)
}

/// Reads results: a file, or the folder of a run.
#[pyfunction]
pub fn open_results<'py>(py: Python<'py>, path: PathBuf) -> PyResult<Bound<'py, PyDict>> {
    let fail = |error: cardan::results::ReadError| {
        other_error(py, "ResultsError", &error.to_string(), None)
    };
    let read = py.detach(|| {
        let table = ResultsTable::open(&path)?;
        let all: Vec<usize> = (0..table.columns().len()).collect();
        let values = table.values(&all)?;
        Ok((table, values))
    });
    let (table, values) = read.map_err(fail)?;
    let out = PyDict::new(py);
    let summary = serde_json::to_value(&table.summary).unwrap_or_default();
    out.set_item("summary", json_to_python(py, &summary)?)?;
    let columns = serde_json::to_value(table.columns()).unwrap_or_default();
    out.set_item("columns", json_to_python(py, &columns)?)?;
    out.set_item("data", block(py, values)?)?;
    Ok(out)
}

/// Writes columns as a Parquet file, atomically.
#[pyfunction]
pub fn write_table(
    py: Python<'_>,
    path: PathBuf,
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
) -> PyResult<()> {
    let written = py.detach(|| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        write_columns(&path, &names, &columns)
    });
    written.map_err(|error| other_error(py, "ResultsError", &error.to_string(), None))
}
