//! A simulation step by step: steps, channels, inputs, states.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use cardan::model::{Channel, Model};
use cardan::simulation::LoggedEvent;
use cardan::system::SystemHandle;
use cardan::{Settings, Simulation as Motion, SimulationError};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::callbacks::{clear_raised, has_raised};
use crate::compiled::Compiled;
use crate::convert::array;
use crate::errors::{busy, other_error, run_error, simulation_error};
use crate::interrupt::Watch;
use crate::settings::of_simulation;

/// A state that was saved: all that evolves. It can be pickled, and a simulation that continues from it has the same bits.
#[pyclass(module = "cardan", frozen)]
pub struct State {
    pub state: cardan::State,
}

#[pymethods]
impl State {
    /// Reads the bytes of a state.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let state = rmp_serde::from_slice(bytes);
        let wrong =
            |_| other_error(py, "ResultsError", "these bytes are not a state of cardan", None);
        Ok(Self { state: state.map_err(wrong)? })
    }

    /// The state as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &rmp_serde::to_vec_named(&self.state).unwrap_or_default())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let py = slf.py();
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (slf.get().to_bytes(py),)))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.state == other.state
    }

    fn __repr__(&self) -> String {
        let state = &self.state;
        format!("State(time={}, steps={}, method={:?})", state.now.t, state.steps, state.method)
    }

    /// Time in s.
    #[getter]
    fn time(&self) -> f64 {
        self.state.now.t
    }

    /// The steps taken.
    #[getter]
    fn steps(&self) -> u64 {
        self.state.steps
    }

    /// Configuration.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, &self.state.now.q)
    }

    /// Velocity.
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, &self.state.now.v)
    }
}

/// What a simulation computes with.
struct Inner {
    motion: Motion<'static>,
    system: SystemHandle<'static>,
    /// The model, if the system is one.
    model: Option<Arc<Model>>,
    channels: HashMap<String, Channel>,
    /// The events so far.
    events: Vec<LoggedEvent>,
}

impl Inner {
    /// The events so far.
    fn events(&mut self) -> &[LoggedEvent] {
        self.events.extend(self.motion.take_events());
        &self.events
    }
}

/// What makes a simulation again: a function, and its arguments.
type Remake<'py> = (Bound<'py, PyAny>, (Py<PyAny>, State));

/// A simulation in progress. Make one by `model.simulate(...)`.
#[pyclass(module = "cardan", frozen)]
pub struct Simulation {
    inner: Arc<Mutex<Inner>>,
    settings: Settings,
    /// What Python needs to make the simulation again: for copies and pickles.
    origin: Py<PyAny>,
    inputs: Py<Inputs>,
}

/// Locks a simulation; an error if it is computing.
fn lock<'a>(py: Python<'_>, inner: &'a Mutex<Inner>) -> PyResult<MutexGuard<'a, Inner>> {
    match inner.try_lock() {
        Ok(guard) => Ok(guard),
        Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => Err(busy(py)),
    }
}

impl Simulation {
    /// A simulation of a system.
    pub fn make(
        py: Python<'_>,
        motion: Motion<'static>,
        system: SystemHandle<'static>,
        model: Option<Arc<Model>>,
        settings: Settings,
        origin: Py<PyAny>,
    ) -> PyResult<Self> {
        let (channels, events) = (HashMap::new(), Vec::new());
        let inner = Arc::new(Mutex::new(Inner { motion, system, model, channels, events }));
        let inputs = Py::new(py, Inputs { inner: Arc::clone(&inner) })?;
        Ok(Self { inner, settings, origin, inputs })
    }

    /// Takes steps while `next` gives a time that they do not pass; looks for signals.
    fn advance(
        &self,
        py: Python<'_>,
        mut next: impl FnMut(&Motion<'static>) -> Option<f64> + Send,
    ) -> PyResult<()> {
        let mut inner = lock(py, &self.inner)?;
        let motion = &mut inner.motion;
        let mut watch = Watch::new(None);
        let taken = py.detach(|| -> Result<(), SimulationError> {
            while let Some(limit) = next(motion).filter(|_| watch.go_on(|| 0.0)) {
                whole_step(motion, limit)?;
                if has_raised() {
                    break;
                }
            }
            Ok(())
        });
        drop(inner);
        if let Err(error) = taken {
            return Err(simulation_error(py, &error));
        }
        match crate::callbacks::take_raised(py).or(watch.stop) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

/// One step, as runs take it: of the fixed size with all shorter steps around jumps, or of the size that the tolerance
/// requires.
#[inline]
fn whole_step(motion: &mut Motion<'static>, limit: f64) -> Result<(), SimulationError> {
    while !motion.advance(limit)?.is_regular {}
    Ok(())
}

#[pymethods]
impl Simulation {
    /// Takes one step, or several.
    #[pyo3(signature = (count = 1))]
    fn step(&self, py: Python<'_>, count: u64) -> PyResult<()> {
        clear_raised();
        if count == 1 {
            let mut inner = lock(py, &self.inner)?;
            let motion = &mut inner.motion;
            let taken = py.detach(|| whole_step(motion, f64::INFINITY));
            return match taken {
                Ok(()) => Ok(()),
                Err(error) => {
                    drop(inner);
                    Err(simulation_error(py, &error))
                }
            };
        }
        let mut left = count;
        self.advance(py, |_| {
            let is_left = left > 0;
            left = left.saturating_sub(1);
            is_left.then_some(f64::INFINITY)
        })
    }

    /// Takes whole steps up to a time; a step that would pass it is not taken. With a tolerance the last step ends there.
    fn run_until(&self, py: Python<'_>, end: f64) -> PyResult<()> {
        if !end.is_finite() {
            let message = format!("the end is {end}; it must be a finite number");
            return Err(PyValueError::new_err(message));
        }
        clear_raised();
        let (is_controlled, step) = (self.settings.control.is_some(), self.settings.step_size);
        self.advance(py, |motion| {
            let now = motion.now().t;
            match is_controlled {
                true => (now < end).then_some(end),
                false => (now + step <= end + ON_INSTANT * step).then_some(f64::INFINITY),
            }
        })
    }

    /// The value of a channel now: a number, or an array for a vector.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let mut inner = lock(py, &self.inner)?;
        let Inner { motion, model, channels, .. } = &mut *inner;
        let Some(model) = model else {
            let read = match name {
                "time" => Ok(vec![motion.now().t]),
                _ => motion.read(name),
            };
            drop(inner);
            return match read {
                Ok(values) => Ok(scalar_or_array(py, &values)),
                Err(error) => Err(other_error(py, "ChannelError", &error.to_string(), None)),
            };
        };
        let channel = match channels.get(name) {
            Some(channel) => channel,
            None if name == "time" => return Ok(motion.now().t.into_pyobject(py)?.into_any()),
            None => {
                let found = model.channel(name).map_err(|error| {
                    other_error(py, "ChannelError", &error.fact(), error.remedy())
                })?;
                channels.entry(name.to_string()).or_insert(found)
            }
        };
        let mut values = [0.0; MAX_WIDTH];
        let width = channel.width().min(MAX_WIDTH);
        let now = motion.now();
        // a read waits for nothing: the interpreter is kept
        let scratch = Some(motion.scratch());
        model.evaluate_with(std::iter::once((channel, 0)), now, scratch, &mut values[..width]);
        drop(inner);
        Ok(scalar_or_array(py, &values[..width]))
    }

    /// Time in s.
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(lock(py, &self.inner)?.motion.now().t)
    }

    /// The steps taken.
    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(lock(py, &self.inner)?.motion.state().steps)
    }

    /// Configuration: positions, and quaternions of rotations.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(py, &lock(py, &self.inner)?.motion.now().q))
    }

    /// Velocity; angular velocities are in body axes.
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(py, &lock(py, &self.inner)?.motion.now().v))
    }

    /// Acceleration.
    #[getter]
    fn a<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(py, &lock(py, &self.inner)?.motion.now().a))
    }

    /// Lagrange multipliers.
    #[getter]
    fn multipliers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(py, &lock(py, &self.inner)?.motion.now().multipliers))
    }

    /// First-order states.
    #[getter]
    fn z<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(py, &lock(py, &self.inner)?.motion.now().z))
    }

    /// The method.
    #[getter]
    fn method(&self) -> &str {
        &self.settings.method
    }

    /// The size of the last step in s; that of the next one before the first.
    #[getter]
    fn step_size(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(lock(py, &self.inner)?.motion.last_step_size())
    }

    /// The inputs by name: `sim.inputs["u"] = 3.0` counts from the next step on.
    #[getter]
    fn inputs(&self, py: Python<'_>) -> Py<Inputs> {
        self.inputs.clone_ref(py)
    }

    /// Warnings about the method and the results so far.
    #[getter]
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(lock(py, &self.inner)?.motion.warnings().iter().map(ToString::to_string).collect())
    }

    /// The events since the simulation was made, in their order: `time`, `name` and, if there are any, `messages`.
    #[getter]
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let mut inner = lock(py, &self.inner)?;
        let names: Vec<String> = match inner.system.get().events() {
            Some(events) => events.list().iter().map(|event| event.name.clone()).collect(),
            None => Vec::new(),
        };
        let entry = |event: &LoggedEvent| {
            let out = PyDict::new(py);
            out.set_item("time", event.time)?;
            out.set_item("name", names.get(event.event))?;
            if !event.messages.is_empty() {
                out.set_item("messages", &event.messages)?;
            }
            Ok(out)
        };
        inner.events().iter().map(entry).collect()
    }

    /// Steps, Newton iterations and factorizations so far.
    #[getter]
    fn effort<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let effort = lock(py, &self.inner)?.motion.effort();
        let out = PyDict::new(py);
        out.set_item("steps", effort.steps)?;
        out.set_item("newton_iterations", effort.iterations)?;
        out.set_item("factorizations", effort.linear.factorizations)?;
        Ok(out)
    }

    /// The largest violations of the position and velocity constraints.
    #[getter]
    fn residuals(&self, py: Python<'_>) -> PyResult<(f64, f64)> {
        let residuals = lock(py, &self.inner)?.motion.residuals();
        Ok((residuals.position, residuals.velocity))
    }

    /// Kinetic plus potential energy in J; `None` if the system has no potential.
    #[getter]
    fn energy(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        Ok(lock(py, &self.inner)?.motion.energy())
    }

    /// The names of all channels.
    fn channels(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let inner = lock(py, &self.inner)?;
        let Some(model) = &inner.model else { return Ok(Vec::new()) };
        Ok(model.channels().iter().map(|channel| channel.name().to_string()).collect())
    }

    fn _ipython_key_completions_(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.channels(py)
    }

    /// All that evolves, as a state that `restore` and pickles take.
    fn state(&self, py: Python<'_>) -> PyResult<State> {
        Ok(State { state: lock(py, &self.inner)?.motion.state().clone() })
    }

    /// Continues from a state: the next steps have the same bits as after it was saved.
    fn restore(&self, py: Python<'_>, state: &State) -> PyResult<()> {
        let mut inner = lock(py, &self.inner)?;
        let (system, settings) = (inner.system.clone(), &self.settings);
        let state = state.state.clone();
        let time = state.now.t;
        let motion = py.detach(|| Motion::resume(system, settings, state));
        let motion = motion.map_err(|error| simulation_error(py, &error))?;
        inner.events();
        inner.events.retain(|event| event.time <= time);
        inner.motion = motion;
        Ok(())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Remake<'py>> {
        let make = py.import("cardan._model")?.getattr("_continue_simulation")?;
        Ok((make, (self.origin.clone_ref(py), self.state(py)?)))
    }

    fn __copy__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (make, arguments) = self.__reduce__(py)?;
        make.call1(arguments)
    }

    fn __deepcopy__<'py>(&self, py: Python<'py>, _memo: Py<PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.__copy__(py)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let method = &self.settings.method;
        match self.time(py) {
            Ok(time) => format!("Simulation(time={time}, method={method:?})"),
            Err(_) => format!("Simulation(computing, method={method:?})"),
        }
    }
}

/// A time this close to an instant, relative to the step, is at the instant.
const ON_INSTANT: f64 = 1e-6;
/// The largest number of components of a channel.
const MAX_WIDTH: usize = 6;

/// A number, or an array of several.
fn scalar_or_array<'py>(py: Python<'py>, values: &[f64]) -> Bound<'py, PyAny> {
    match values {
        [value] => pyo3::types::PyFloat::new(py, *value).into_any(),
        _ => array(py, values).into_any(),
    }
}

/// The inputs of a simulation by name.
#[pyclass(module = "cardan", frozen)]
pub struct Inputs {
    inner: Arc<Mutex<Inner>>,
}

impl Inputs {
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let inner = lock(py, &self.inner)?;
        Ok(inner.model.as_ref().map_or(Vec::new(), |model| model.input_names()))
    }
}

#[pymethods]
impl Inputs {
    fn __setitem__(&self, py: Python<'_>, name: &str, value: f64) -> PyResult<()> {
        let set = lock(py, &self.inner)?.motion.set_input(name, value);
        set.map_err(|error| {
            let names = self.names(py).unwrap_or_default();
            let nearest = cardan::suggestion::nearest(name, names.iter().map(String::as_str));
            let is_known = names.iter().any(|known| known == name);
            let remedy = match (is_known, nearest) {
                (true, _) => None,
                (_, Some(nearest)) => Some(format!("did you mean `{nearest}`?")),
                _ if names.is_empty() => Some("m.input(name) makes an input".into()),
                _ => Some(format!("the inputs are {}", names.join(", "))),
            };
            other_error(py, "ChannelError", &error.to_string(), remedy)
        })
    }

    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<f64> {
        let inner = lock(py, &self.inner)?;
        let index =
            inner.model.as_ref().and_then(|model| cardan::System::input_index(&**model, name));
        let value = index.and_then(|index| inner.motion.now().q.get(index).copied());
        drop(inner);
        value.ok_or_else(|| {
            let names = self.names(py).unwrap_or_default();
            let nearest = cardan::suggestion::nearest(name, names.iter().map(String::as_str));
            let remedy = nearest.map(|nearest| format!("did you mean `{nearest}`?"));
            other_error(py, "ChannelError", &format!("there is no input `{name}`"), remedy)
        })
    }

    fn keys(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.names(py)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.names(py)?.len())
    }

    fn __contains__(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        Ok(self.names(py)?.iter().any(|known| known == name))
    }

    fn _ipython_key_completions_(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.names(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut parts = Vec::new();
        for name in self.names(py)? {
            let value = self.__getitem__(py, &name)?;
            parts.push(format!("{name:?}: {value}"));
        }
        Ok(format!("Inputs({{{}}})", parts.join(", ")))
    }
}

#[pymethods]
impl Compiled {
    /// Begins a simulation, or continues one from a state.
    #[pyo3(signature = (origin, state = None))]
    fn simulate(
        &self,
        py: Python<'_>,
        origin: Py<PyAny>,
        state: Option<&State>,
    ) -> PyResult<Simulation> {
        let settings = of_simulation(py, &self.file, self.origin)?;
        let start = self.start(py)?;
        clear_raised();
        let made = match state {
            None => py.detach(|| Motion::new(start.model.clone(), &settings, &start.initial)),
            Some(state) => {
                let state = state.state.clone();
                py.detach(|| Motion::resume(start.model.clone(), &settings, state))
            }
        };
        let motion = made.map_err(|error| {
            let error = cardan::run::explained(&self.file, error.into());
            run_error(py, &error, self.origin)
        })?;
        let system = SystemHandle::from(start.model.clone());
        Simulation::make(py, motion, system, Some(start.model.clone()), settings, origin)
    }
}
