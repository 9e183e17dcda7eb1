//! Equations of motion written in Python: a class with a mass matrix, a force and constraints.

use std::sync::Arc;

use cardan::file::ModelFile;
use cardan::system::{Derivative, StateView, SystemHandle};
use cardan::{Failure, InitialValues, Instant, Simulation as Motion, Space, SparseMatrix, System};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::callbacks::{clear_raised, number, numbers, raised};
use crate::convert::array;
use crate::errors::{TextOrigin, simulation_error};
use crate::settings::of_simulation;
use crate::simulation::{Simulation, State};

/// Which optional functions the class has, and its sizes.
struct PythonSystem {
    object: Py<PyAny>,
    space: Space,
    holonomic: usize,
    nonholonomic: usize,
    states: usize,
    names: Vec<String>,
    has_jacobian: bool,
    has_constraint_rate: bool,
    has_acceleration_term: bool,
    has_potential: bool,
    has_constant_mass: bool,
}

/// The relative interval of differences.
const INTERVAL: f64 = 6e-6;

impl PythonSystem {
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let has = |name: &str| -> PyResult<bool> {
            let own = object.getattr(name)?;
            Ok(!own.is_none())
        };
        let mut space: Option<Space> = None;
        let mut add = |part: Space| {
            space = Some(match space.take() {
                Some(before) => before.then(part),
                None => part,
            });
        };
        let described = object.getattr("space")?;
        let parts: Vec<Bound<'_, PyAny>> = match described.extract::<usize>() {
            Ok(_) => vec![described],
            Err(_) => described.extract()?,
        };
        for part in parts {
            match (part.extract::<usize>(), part.extract::<String>().as_deref()) {
                (Ok(n), _) => add(Space::vector(n)),
                (_, Ok("rotation")) => add(Space::rotation()),
                (_, Ok("body")) => add(Space::body()),
                _ => {
                    return Err(PyTypeError::new_err(
                        "`space` is a number of coordinates, or a list of numbers, \"rotation\" and \"body\"",
                    ));
                }
            }
        }
        let count = |name: &str| -> PyResult<usize> { object.getattr(name)?.extract() };
        Ok(Self {
            space: space.ok_or_else(|| PyValueError::new_err("`space` has no coordinates"))?,
            holonomic: count("constraints")?,
            nonholonomic: count("velocity_constraints")?,
            states: count("states")?,
            names: object.getattr("names")?.extract()?,
            has_jacobian: has("jacobian")?,
            has_constraint_rate: has("constraint_rate")?,
            has_acceleration_term: has("acceleration_term")?,
            has_potential: has("potential")?,
            has_constant_mass: object.getattr("constant_mass")?.extract()?,
            object: object.clone().unbind(),
        })
    }

    /// Calls a function of the class with arrays, and takes some numbers.
    fn call(
        &self,
        name: &str,
        t: f64,
        vectors: &[&[f64]],
        count: usize,
    ) -> Result<Vec<f64>, Failure> {
        let called = Python::attach(|py| {
            let mut arguments = vec![t.into_pyobject(py)?.into_any()];
            arguments.extend(vectors.iter().map(|vector| array(py, vector).into_any()));
            let arguments = pyo3::types::PyTuple::new(py, arguments)?;
            let result = self.object.bind(py).call_method1(name, arguments)?;
            match count {
                1 if result.extract::<f64>().is_ok() => Ok(vec![number(&result)?]),
                _ => numbers(&result, count),
            }
        });
        called.map_err(|error| raised(error, &format!("`{name}` of the system"), t))
    }

    /// Φ at a configuration moved along one direction.
    fn moved(&self, at: &StateView<'_>, j: usize, d: f64) -> Result<Vec<f64>, Failure> {
        let mut along = vec![0.0; self.space.velocities()];
        along[j] = d;
        let q = self.space.plus(at.q, &along);
        let q = q.ok_or_else(|| Failure::new("a configuration that is not finite"))?;
        self.call("constraint", at.t, &[&q], self.holonomic)
    }
}

impl System for PythonSystem {
    fn space(&self) -> Space {
        self.space.clone()
    }

    fn mass(&self, at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        let n = self.space.velocities();
        let values = self.call("mass", at.t, &[at.q], n * n)?;
        (0..n * n).for_each(|k| mass.add(k / n, k % n, values[k]));
        Ok(())
    }

    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        let found = match self.states {
            0 => self.call("force", at.t, &[at.q, at.v], force.len())?,
            _ => self.call("force", at.t, &[at.q, at.v, at.z], force.len())?,
        };
        force.copy_from_slice(&found);
        Ok(())
    }

    fn holonomic_count(&self) -> usize {
        self.holonomic
    }

    fn nonholonomic_count(&self) -> usize {
        self.nonholonomic
    }

    fn state_count(&self) -> usize {
        self.states
    }

    fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
        if self.holonomic == 0 {
            return Ok(());
        }
        phi.copy_from_slice(&self.call("constraint", at.t, &[at.q], self.holonomic)?);
        Ok(())
    }

    fn jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
        let (rows, n) = (self.holonomic + self.nonholonomic, self.space.velocities());
        if rows == 0 {
            return Ok(());
        }
        if self.has_jacobian {
            let values = self.call("jacobian", at.t, &[at.q], rows * n)?;
            (0..rows * n).for_each(|k| jacobian.add(k / n, k % n, values[k]));
            return Ok(());
        }
        if self.nonholonomic > 0 {
            return Err("velocity constraints need `jacobian`".into());
        }
        let size = at.q.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        for j in 0..n {
            let d = INTERVAL * size;
            let (ahead, behind) = (self.moved(at, j, d)?, self.moved(at, j, -d)?);
            (0..rows).for_each(|i| jacobian.add(i, j, (ahead[i] - behind[i]) / (2.0 * d)));
        }
        Ok(())
    }

    fn constraint_rate(&self, at: &StateView<'_>, rate: &mut [f64]) -> Result<Derivative, Failure> {
        if !self.has_constraint_rate {
            return Ok(Derivative::Differenced);
        }
        rate.copy_from_slice(&self.call("constraint_rate", at.t, &[at.q], rate.len())?);
        Ok(Derivative::Analytic)
    }

    fn acceleration_term(
        &self,
        at: &StateView<'_>,
        out: &mut [f64],
    ) -> Result<Derivative, Failure> {
        if !self.has_acceleration_term {
            return Ok(Derivative::Differenced);
        }
        out.copy_from_slice(&self.call("acceleration_term", at.t, &[at.q, at.v], out.len())?);
        Ok(Derivative::Analytic)
    }

    fn state_residual(
        &self,
        at: &StateView<'_>,
        rates: &[f64],
        residual: &mut [f64],
    ) -> Result<(), Failure> {
        if self.states == 0 {
            return Ok(());
        }
        let found = self.call("rates", at.t, &[at.q, at.v, at.z], self.states)?;
        (0..self.states).for_each(|i| residual[i] = rates[i] - found[i]);
        Ok(())
    }

    fn has_constant_mass(&self) -> bool {
        self.has_constant_mass
    }

    fn potential_energy(&self, at: &StateView<'_>) -> Option<f64> {
        if !self.has_potential {
            return None;
        }
        self.call("potential", at.t, &[at.q], 1).ok().map(|x| x[0])
    }

    fn coordinate_name(&self, i: usize) -> String {
        self.names.get(i).cloned().unwrap_or_else(|| format!("coordinate {i}"))
    }

    /// A coordinate or its velocity by name.
    fn read(&self, name: &str, at: &Instant) -> Result<Vec<f64>, Failure> {
        let index = |wanted: &str| self.names.iter().position(|known| known == wanted);
        let is_plain = self.space.rotations().is_empty();
        if let Some(i) = index(name).filter(|_| is_plain) {
            return Ok(vec![at.q[i]]);
        }
        if let Some(i) = name.strip_suffix(".rate").and_then(index) {
            return Ok(vec![at.v[i]]);
        }
        let known = self.names.iter().map(String::as_str);
        let hint = cardan::suggestion::nearest(name, known)
            .map_or(String::new(), |nearest| format!("; did you mean `{nearest}`?"));
        Err(Failure::new(format!("the system has no output `{name}`{hint}")))
    }
}

/// A simulation of a system in Python; the text has the section `[simulation]`.
#[pyfunction]
#[pyo3(signature = (object, text, t, q, v, z, origin, state = None))]
#[expect(clippy::too_many_arguments, reason = "the values at the start and the settings")]
pub fn system_simulation(
    py: Python<'_>,
    object: &Bound<'_, PyAny>,
    text: &str,
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    z: Vec<f64>,
    origin: Py<PyAny>,
    state: Option<&State>,
) -> PyResult<Simulation> {
    let file = ModelFile::parse("settings", text, &[])
        .map_err(|problems| crate::errors::model_error(py, &problems, TextOrigin::Generated))?;
    let settings = of_simulation(py, &file, TextOrigin::Generated)?;
    let system: Arc<dyn System> = Arc::new(PythonSystem::new(object)?);
    let initial = InitialValues::new(&q, &v).at(t).states(&z);
    clear_raised();
    let saved = state.map(|state| state.state.clone());
    let handle = SystemHandle::from(system);
    let made = py.detach(|| match saved {
        None => Motion::new(handle.clone(), &settings, &initial),
        Some(state) => Motion::resume(handle.clone(), &settings, state),
    });
    let motion = made.map_err(|error| simulation_error(py, &error))?;
    Simulation::make(py, motion, handle, None, settings, origin)
}
