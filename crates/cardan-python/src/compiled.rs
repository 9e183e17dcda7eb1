//! A model that was read and assembled: what every analysis begins with.

use std::collections::BTreeMap;
use std::sync::Arc;

use cardan::file::{ModelFile, Schedule};
use cardan::model::AssembledMechanism;
use pyo3::prelude::*;

use crate::callbacks::{LawCallback, SignalCallback, clear_raised};
use crate::errors::{TextOrigin, model_error};
use crate::event_callback::{EventCallback, SharedModel};
use crate::force_callback::ForceCallback;

/// The model of a text, with the Python functions it uses. Reading reports all problems of the text; the mechanism is
/// assembled when it is needed for the first time.
#[pyclass(module = "cardan", frozen)]
pub struct Compiled {
    pub file: Arc<ModelFile>,
    pub origin: TextOrigin,
    assembled: std::sync::Mutex<Option<Arc<AssembledMechanism>>>,
    /// The model, for Python functions of events.
    model: SharedModel,
}

impl Compiled {
    /// The assembled mechanism.
    pub fn start(&self, py: Python<'_>) -> PyResult<Arc<AssembledMechanism>> {
        let lock = || self.assembled.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(start) = &*lock() {
            return Ok(Arc::clone(start));
        }
        clear_raised();
        let file = &self.file;
        let start = py.detach(|| file.assemble().map(Arc::new));
        let start = start.map_err(|problems| model_error(py, &problems, self.origin))?;
        let _known = self.model.set(Arc::downgrade(&start.model));
        *lock() = Some(Arc::clone(&start));
        Ok(start)
    }

    /// The settings, the end and the number of steps.
    pub fn schedule(&self, py: Python<'_>) -> PyResult<Schedule> {
        self.file.schedule().map_err(|problems| model_error(py, &problems, self.origin))
    }
}

/// The Python functions of a model.
#[derive(FromPyObject)]
pub struct ModelCallbacks {
    #[pyo3(item)]
    signals: Vec<SignalCallback>,
    #[pyo3(item)]
    laws: Vec<LawCallback>,
    #[pyo3(item)]
    forces: Vec<ForceCallback>,
    #[pyo3(item)]
    events: Vec<EventCallback>,
}

#[pymethods]
impl Compiled {
    #[new]
    #[pyo3(signature = (name, text, is_file = false, callbacks = None))]
    fn new(
        py: Python<'_>,
        name: &str,
        text: &str,
        is_file: bool,
        callbacks: Option<ModelCallbacks>,
    ) -> PyResult<Self> {
        let origin = if is_file { TextOrigin::File } else { TextOrigin::Generated };
        let read = py.detach(|| ModelFile::parse(name, text, &[]));
        let mut file = read.map_err(|problems| model_error(py, &problems, origin))?;
        let (model, mechanism) = (SharedModel::default(), &mut file.mechanism);
        if let Some(ModelCallbacks { signals, laws, forces, events }) = callbacks {
            signals.iter().for_each(|signal| signal.add_to(py, mechanism));
            laws.iter().for_each(|law| law.add_to(py, mechanism));
            forces.iter().for_each(|force| force.add_to(py, mechanism));
            events.iter().for_each(|event| event.add_to(py, mechanism, &model));
        }
        Ok(Self { file: Arc::new(file), origin, assembled: std::sync::Mutex::new(None), model })
    }

    /// Values that are allowed and may be mistakes.
    #[getter]
    fn hints(&self) -> Vec<String> {
        let hints = self.file.diagnostics(self.file.hints.clone());
        let line = |hint: &cardan::file::Diagnostic| match self.origin {
            TextOrigin::File => hints.line(hint),
            TextOrigin::Generated => match &hint.help {
                Some(help) => format!("{}; {help}", hint.message),
                None => hint.message.clone(),
            },
        };
        hints.list.iter().map(line).collect()
    }

    /// The values of the parameters.
    #[getter]
    fn parameters(&self) -> BTreeMap<String, f64> {
        self.file.parameters.iter().cloned().collect()
    }
}
