//! Python functions as actions of events: what they read, and the changes they ask for.

use std::sync::{Arc, OnceLock, Weak};

use cardan::Failure;
use cardan::model::{Mechanism, Model};
use cardan::state::Instant;
use cardan::system::{EventState, System};
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::callbacks::raised;
use crate::convert::array;

/// The model that the events belong to; known when it is assembled.
pub type SharedModel = Arc<OnceLock<Weak<Model>>>;

/// How the action of an event is described in Python.
#[derive(FromPyObject)]
pub struct EventCallback {
    #[pyo3(item)]
    name: String,
    #[pyo3(item)]
    function: Py<PyAny>,
}

impl EventCallback {
    /// Adds the function to the actions of its event.
    pub fn add_to(&self, py: Python<'_>, mechanism: &mut Mechanism, model: &SharedModel) {
        let (function, model) = (self.function.clone_ref(py), Arc::clone(model));
        let label = format!("event `{}`", self.name);
        mechanism.add_event_action(&self.name, move |state: &mut dyn EventState| {
            let t = state.now().t;
            let Some(model) = model.get().and_then(Weak::upgrade) else {
                return Err("its model no longer exists".into());
            };
            let now = state.now().clone();
            let changes = Python::attach(|py| -> PyResult<Vec<Change>> {
                let view = Py::new(py, EventView { model, now, changes: Vec::new() })?;
                function.bind(py).call1((&view,))?;
                Ok(std::mem::take(&mut view.borrow_mut(py).changes))
            });
            let changes = changes.map_err(|error| raised(error, &label, t))?;
            changes.into_iter().try_for_each(|change| change.apply(state))
        });
    }
}

/// A change that an action asks for.
enum Change {
    Discrete(usize, f64),
    State(usize, f64),
    Impulse(Vec<f64>),
    Enable(usize, bool),
    Message(String),
    Record,
    Stop,
}

impl Change {
    fn apply(self, state: &mut dyn EventState) -> Result<(), Failure> {
        match self {
            Self::Discrete(q, value) => return state.set_discrete(q, value),
            Self::State(z, value) => return state.set_state(z, value),
            Self::Impulse(impulse) => return state.apply_impulse(&impulse),
            Self::Enable(event, is_enabled) => state.set_enabled(event, is_enabled),
            Self::Message(text) => state.message(text),
            Self::Record => state.record(),
            Self::Stop => state.stop(),
        }
        Ok(())
    }
}

/// The instant of an event whose action is a Python function. Channels have their values before the changes that the function
/// asks for; these are made when it returns, in their order.
#[pyclass(module = "cardan")]
pub struct EventView {
    model: Arc<Model>,
    now: Instant,
    changes: Vec<Change>,
}

#[pymethods]
impl EventView {
    /// Time.
    #[getter]
    fn t(&self) -> f64 {
        self.now.t
    }

    /// The value of a channel: a number, or an array of its components.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let values = self.model.read(name, &self.now);
        let values = values.map_err(|error| PyKeyError::new_err(error.to_string()))?;
        match values[..] {
            [value] => Ok(value.into_pyobject(py)?.into_any()),
            _ => Ok(array(py, &values).into_any()),
        }
    }

    /// Sets an input or a state to a number.
    fn set(&mut self, name: &str, value: f64) -> PyResult<()> {
        if !value.is_finite() {
            return Err(PyValueError::new_err(format!("`{name}` is set to {value}")));
        }
        let model: &dyn System = &*self.model;
        if let Some(q) = model.input_index(name) {
            self.changes.push(Change::Discrete(q, value));
            return Ok(());
        }
        let states: Vec<String> = (0..self.now.z.len()).map(|i| model.state_name(i)).collect();
        let is_named = |state: &String| state == name || *state == format!("state `{name}`");
        match states.iter().position(is_named) {
            Some(z) => self.changes.push(Change::State(z, value)),
            None => {
                let message = format!(
                    "there is no input or state `{name}`; a parameter is set by `set` of the event"
                );
                return Err(PyKeyError::new_err(message));
            }
        }
        Ok(())
    }

    /// Applies an impulse in N·s and an angular impulse in N·m·s, world axes, to a body or a point of it.
    #[pyo3(signature = (body, force = None, moment = None))]
    fn impulse(
        &mut self,
        body: &str,
        force: Option<Vec<f64>>,
        moment: Option<Vec<f64>>,
    ) -> PyResult<()> {
        let mut impulse = vec![0.0; self.now.v.len()];
        for (what, given) in [("force", force), ("moment", moment)] {
            for (axis, size) in ["x", "y", "z"].iter().zip(given.unwrap_or_default()) {
                if size == 0.0 {
                    continue;
                }
                let unit = self.model.input(&format!("{body}.{what}.{axis}"), &self.now);
                let unit = unit.map_err(|error| PyKeyError::new_err(error.to_string()))?;
                impulse.iter_mut().zip(unit).for_each(|(sum, x)| *sum += size * x);
            }
        }
        self.changes.push(Change::Impulse(impulse));
        Ok(())
    }

    /// Enables an event.
    fn enable(&mut self, event: &str) -> PyResult<()> {
        self.switch(event, true)
    }

    /// Disables an event.
    fn disable(&mut self, event: &str) -> PyResult<()> {
        self.switch(event, false)
    }

    /// Adds a message to the log of events.
    fn message(&mut self, text: String) {
        self.changes.push(Change::Message(text));
    }

    /// Writes a row of results.
    fn record(&mut self) {
        self.changes.push(Change::Record);
    }

    /// Ends the run.
    fn stop(&mut self) {
        self.changes.push(Change::Stop);
    }

    fn __repr__(&self) -> String {
        format!("EventView(t={})", self.now.t)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyRuntimeError::new_err("an EventView exists only while its function is called"))
    }
}

impl EventView {
    fn switch(&mut self, event: &str, is_enabled: bool) -> PyResult<()> {
        let names = self.model.event_names();
        let Some(index) = names.iter().position(|name| *name == event) else {
            return Err(PyKeyError::new_err(format!("there is no event `{event}`")));
        };
        self.changes.push(Change::Enable(index, is_enabled));
        Ok(())
    }
}
