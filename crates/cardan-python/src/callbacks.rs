//! Python functions as signals. An exception is kept and comes out of the run as itself.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use cardan::Failure;
use cardan::model::{Law, LawResponse, Mechanism, Signal, SignalFunction};
use cardan::system::Derivative;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

thread_local! {
    /// The first exception of a callback of this thread: the solver reports failures as text.
    static RAISED: RefCell<Option<(PyErr, String)>> = const { RefCell::new(None) };
}

/// Keeps the exception of a callback, and returns the failure that stops the step.
pub fn raised(error: PyErr, part: &str, t: f64) -> Failure {
    let text = error.to_string();
    RAISED.with_borrow_mut(|kept| {
        let place = match t.is_nan() {
            true => format!("in {part}"),
            false => format!("in {part} at t = {t} s"),
        };
        kept.get_or_insert((error, place));
    });
    Failure::new(text)
}

/// Whether a callback has raised an exception.
pub fn has_raised() -> bool {
    RAISED.with_borrow(Option::is_some)
}

/// The exception of a callback, with a note that names the part and the instant.
pub fn take_raised(py: Python<'_>) -> Option<PyErr> {
    let (error, place) = RAISED.with_borrow_mut(Option::take)?;
    let value = error.value(py);
    // Python 3.10 has no notes
    let _ = value.call_method1("add_note", (&place,));
    let _ = value.setattr("cardan_place", &place);
    Some(error)
}

/// Forgets an exception of an earlier call.
pub fn clear_raised() {
    let _old = RAISED.with_borrow_mut(Option::take);
}

/// How a function of several values is described in Python.
#[derive(FromPyObject)]
pub struct SignalCallback {
    #[pyo3(item)]
    names: Vec<String>,
    #[pyo3(item)]
    arguments: Vec<String>,
    #[pyo3(item)]
    function: Py<PyAny>,
    #[pyo3(item)]
    gradient: bool,
}

/// The values of a function at its last points: several signals share one call.
type Points = Vec<(Vec<u64>, Vec<f64>)>;

/// The number of points that are kept.
const KEPT_POINTS: usize = 32;

/// A Python function with one value, or several that become signals.
struct Callback {
    label: String,
    function: Py<PyAny>,
    count: usize,
    points: Mutex<Points>,
}

/// One value of a function.
struct CallbackValue {
    callback: Arc<Callback>,
    index: usize,
    gradient: bool,
}

impl SignalCallback {
    /// Adds the signals to a mechanism.
    pub fn add_to(&self, py: Python<'_>, mechanism: &mut Mechanism) {
        let callback = Arc::new(Callback {
            label: format!("signal `{}`", self.names.join("`, `")),
            function: self.function.clone_ref(py),
            count: self.names.len(),
            points: Mutex::default(),
        });
        for (index, name) in self.names.iter().enumerate() {
            let value =
                CallbackValue { callback: Arc::clone(&callback), index, gradient: self.gradient };
            mechanism.replace_signal(Signal::function(name, &self.arguments, value));
        }
    }
}

impl Callback {
    fn call<'py>(&self, py: Python<'py>, t: f64, arguments: &[f64]) -> PyResult<Bound<'py, PyAny>> {
        let all = std::iter::once(t).chain(arguments.iter().copied()).collect::<Vec<f64>>();
        self.function.bind(py).call1(PyTuple::new(py, all)?)
    }

    fn one(&self, t: f64, arguments: &[f64]) -> PyResult<f64> {
        Python::attach(|py| number(&self.call(py, t, arguments)?))
    }

    fn value_of(&self, index: usize, t: f64, arguments: &[f64]) -> PyResult<f64> {
        if self.count == 1 {
            return self.one(t, arguments);
        }
        let key: Vec<u64> =
            std::iter::once(t).chain(arguments.iter().copied()).map(f64::to_bits).collect();
        let mut points = self.points.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, values)) = points.iter().find(|(known, _)| *known == key) {
            return Ok(values[index]);
        }
        drop(points);
        let values = Python::attach(|py| numbers(&self.call(py, t, arguments)?, self.count))?;
        let value = values[index];
        points = self.points.lock().unwrap_or_else(PoisonError::into_inner);
        if points.len() >= KEPT_POINTS {
            points.remove(0);
        }
        points.push((key, values));
        Ok(value)
    }
}

impl SignalFunction for CallbackValue {
    fn value(&self, t: f64, arguments: &[f64]) -> Result<f64, Failure> {
        let result = match self.gradient {
            false => self.callback.value_of(self.index, t, arguments),
            true => Python::attach(|py| {
                let result = self.callback.call(py, t, arguments)?;
                value_and_gradient(&result, arguments.len()).map(|(value, _)| value)
            }),
        };
        result.map_err(|error| raised(error, &self.callback.label, t))
    }

    fn gradient(
        &self,
        t: f64,
        arguments: &[f64],
        gradient: &mut [f64],
    ) -> Result<Derivative, Failure> {
        if !self.gradient {
            return Ok(Derivative::Differenced);
        }
        let found = Python::attach(|py| {
            let result = self.callback.call(py, t, arguments)?;
            value_and_gradient(&result, arguments.len()).map(|(_, slopes)| slopes)
        });
        gradient.copy_from_slice(&found.map_err(|error| raised(error, &self.callback.label, t))?);
        Ok(Derivative::Analytic)
    }
}

/// How a force law is described in Python.
#[derive(FromPyObject)]
pub struct LawCallback {
    #[pyo3(item)]
    force: String,
    #[pyo3(item)]
    function: Py<PyAny>,
}

/// The relative interval of the differences of a law: the cube root of the round-off.
const LAW_INTERVAL: f64 = 6e-6;

impl LawCallback {
    /// Gives the law to its spring.
    pub fn add_to(&self, py: Python<'_>, mechanism: &mut Mechanism) {
        let (function, label) =
            (self.function.clone_ref(py), format!("the law of `{}`", self.force));
        let law = Law::fallible(move |x, v| {
            Python::attach(|py| law_response(function.bind(py), x, v))
                .map_err(|error| raised(error, &format!("{label}, x = {x}, v = {v}"), f64::NAN))
        });
        mechanism.replace_law(&self.force, law);
    }
}

/// The force of a law with its derivatives: those that it returns, or central differences.
fn law_response(function: &Bound<'_, PyAny>, x: f64, v: f64) -> PyResult<LawResponse> {
    let result = function.call1((x, v))?;
    if result.is_instance_of::<PyTuple>() {
        let values = numbers(&result, 3)?;
        let [force, stiffness, damping] = [values[0], values[1], values[2]];
        return Ok(LawResponse { force, stiffness, damping });
    }
    let force = number(&result)?;
    let value = |x: f64, v: f64| number(&function.call1((x, v))?);
    let [dx, dv] = [x, v].map(|at: f64| LAW_INTERVAL * at.abs().max(1e-3));
    let stiffness = (value(x + dx, v)? - value(x - dx, v)?) / (2.0 * dx);
    let damping = (value(x, v + dv)? - value(x, v - dv)?) / (2.0 * dv);
    Ok(LawResponse { force, stiffness, damping })
}

/// A number that a callback returned.
pub fn number(value: &Bound<'_, PyAny>) -> PyResult<f64> {
    value.extract().map_err(|_| {
        let found = value.get_type().name().map_or_else(|_| "an object".into(), |x| x.to_string());
        PyTypeError::new_err(format!("the function must return a number, not {found}"))
    })
}

/// As many numbers as are needed that a callback returned.
pub fn numbers(value: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<f64>> {
    let fail = |found: String| {
        PyValueError::new_err(format!("the function must return {count} numbers, not {found}"))
    };
    let found: Vec<f64> = match value.extract::<Vec<f64>>() {
        Ok(list) => list,
        Err(_) => {
            // a list of NumPy numbers, a nested list, a matrix
            let flat = value.py().import("numpy")?.call_method1("ravel", (value,));
            let floats = flat.and_then(|flat| flat.call_method1("astype", ("float64",)));
            floats.and_then(|x| x.extract()).map_err(|_| {
                fail(value.get_type().name().map_or_else(|_| "an object".into(), |x| x.to_string()))
            })?
        }
    };
    match found.len() == count {
        true => Ok(found),
        false => Err(fail(found.len().to_string())),
    }
}

fn value_and_gradient(result: &Bound<'_, PyAny>, count: usize) -> PyResult<(f64, Vec<f64>)> {
    let pair: (Bound<'_, PyAny>, Bound<'_, PyAny>) = result.extract().map_err(|_| {
        PyTypeError::new_err(
            "with gradient=True the function must return its value and the list of its derivatives",
        )
    })?;
    Ok((number(&pair.0)?, numbers(&pair.1, count)?))
}
