//! Python functions as forces: what they see of their sites, and the loads they write.

use cardan::Failure;
use cardan::math::{Matrix3, Vector3};
use cardan::model::{Element, ElementLoads, ElementView, Force, Mechanism};
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::callbacks::{number, numbers, raised};
use crate::convert::{array, matrix};

/// How a force is described in Python.
#[derive(FromPyObject)]
pub struct ForceCallback {
    #[pyo3(item)]
    name: String,
    #[pyo3(item)]
    sites: Vec<String>,
    #[pyo3(item)]
    function: Py<PyAny>,
}

impl ForceCallback {
    /// Adds the force to a mechanism.
    pub fn add_to(&self, py: Python<'_>, mechanism: &mut Mechanism) {
        let element = PythonForce {
            name: self.name.clone(),
            function: self.function.clone_ref(py),
            sites: self.sites.len(),
        };
        mechanism.add(Force::custom(&self.name, self.sites.clone(), element));
    }
}

struct PythonForce {
    name: String,
    function: Py<PyAny>,
    sites: usize,
}

/// The motion of one site.
#[derive(Clone, Copy)]
struct SiteMotion {
    position: Vector3,
    velocity: Vector3,
    rotation: Matrix3,
    angular_velocity: Vector3,
    coordinate: f64,
    rate: f64,
}

/// A load on one site.
enum Load {
    Force(usize, Vector3),
    Torque(usize, Vector3),
    Along(usize, f64),
}

/// The instant at which a force in Python is evaluated. Sites are numbered from 0, in the order in which they were given.
#[pyclass(module = "cardan")]
pub struct ForceView {
    /// Time.
    #[pyo3(get)]
    t: f64,
    sites: Vec<SiteMotion>,
    loads: Vec<Load>,
}

impl ForceView {
    fn site(&self, k: usize) -> PyResult<&SiteMotion> {
        let count = self.sites.len();
        self.sites.get(k).ok_or_else(|| {
            PyIndexError::new_err(format!("there is no site {k}: the force has {count}, from 0"))
        })
    }
}

#[pymethods]
impl ForceView {
    /// The position of the point of site k, world axes.
    #[pyo3(signature = (k = 0))]
    fn position<'py>(&self, py: Python<'py>, k: usize) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(py, self.site(k)?.position.as_slice()))
    }

    /// The velocity of the point of site k, world axes.
    #[pyo3(signature = (k = 0))]
    fn velocity<'py>(&self, py: Python<'py>, k: usize) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(py, self.site(k)?.velocity.as_slice()))
    }

    /// The rotation matrix of the body of site k, from body to world axes.
    #[pyo3(signature = (k = 0))]
    fn rotation<'py>(&self, py: Python<'py>, k: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rotation = self.site(k)?.rotation;
        matrix(py, 3, 3, |i, j| rotation[(i, j)])
    }

    /// The angular velocity of the body of site k, body axes.
    #[pyo3(signature = (k = 0))]
    fn angular_velocity<'py>(
        &self,
        py: Python<'py>,
        k: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(py, self.site(k)?.angular_velocity.as_slice()))
    }

    /// The coordinate of a joint at site k: an angle or a length.
    #[pyo3(signature = (k = 0))]
    fn coordinate(&self, k: usize) -> PyResult<f64> {
        Ok(self.site(k)?.coordinate)
    }

    /// The rate of the coordinate at site k.
    #[pyo3(signature = (k = 0))]
    fn rate(&self, k: usize) -> PyResult<f64> {
        Ok(self.site(k)?.rate)
    }

    /// Adds a force at the point of site k, world axes.
    fn force(&mut self, k: usize, force: &Bound<'_, PyAny>) -> PyResult<()> {
        self.site(k)?;
        self.loads.push(Load::Force(k, vector(force)?));
        Ok(())
    }

    /// Adds a torque on the body of site k, world axes.
    fn torque(&mut self, k: usize, torque: &Bound<'_, PyAny>) -> PyResult<()> {
        self.site(k)?;
        self.loads.push(Load::Torque(k, vector(torque)?));
        Ok(())
    }

    /// Adds a force or torque along the coordinate of site k: on body 2, and the opposite one on body 1.
    fn along(&mut self, k: usize, force: f64) -> PyResult<()> {
        self.site(k)?;
        self.loads.push(Load::Along(k, force));
        Ok(())
    }
}

/// A vector; two numbers are x and y.
fn vector(value: &Bound<'_, PyAny>) -> PyResult<Vector3> {
    let list: Vec<f64> = value.extract().map_err(|_| {
        PyTypeError::new_err(
            "a force or torque must be a vector of three numbers, in the plane two",
        )
    })?;
    match list[..] {
        [x, y] => Ok(Vector3::new(x, y, 0.0)),
        [x, y, z] => Ok(Vector3::new(x, y, z)),
        _ => {
            let count = list.len();
            Err(PyValueError::new_err(format!(
                "a force or torque must be a vector of three numbers, in the plane two, not {count}"
            )))
        }
    }
}

impl PythonForce {
    fn loads(&self, at: &ElementView<'_>) -> PyResult<Vec<Load>> {
        let motion = |k: usize| SiteMotion {
            position: at.position(k),
            velocity: at.velocity(k),
            rotation: at.rotation(k),
            angular_velocity: at.angular_velocity(k),
            coordinate: at.coordinate(k),
            rate: at.rate(k),
        };
        let is_coordinate = at.coordinate(0).is_finite();
        let sites = (0..self.sites).map(motion).collect();
        Python::attach(|py| {
            let view = Bound::new(py, ForceView { t: at.t, sites, loads: Vec::new() })?;
            let result = self.function.bind(py).call1((&view,))?;
            let mut loads = std::mem::take(&mut view.borrow_mut().loads);
            if !result.is_none() {
                loads.push(match is_coordinate {
                    true => Load::Along(0, number(&result)?),
                    false => match numbers(&result, 2).or_else(|_| numbers(&result, 3))?[..] {
                        [x, y, z] => Load::Force(0, Vector3::new(x, y, z)),
                        [x, y] => Load::Force(0, Vector3::new(x, y, 0.0)),
                        _ => return Err(PyValueError::new_err("expected a vector")),
                    },
                });
            }
            Ok(loads)
        })
    }
}

impl Element for PythonForce {
    fn force(&self, at: &ElementView<'_>, loads: &mut ElementLoads<'_>) -> Result<(), Failure> {
        let part = || format!("force `{}`", self.name);
        for load in self.loads(at).map_err(|error| raised(error, &part(), at.t))? {
            match load {
                Load::Force(k, force) => loads.force(k, &force),
                Load::Torque(k, torque) => loads.torque(k, &torque),
                Load::Along(k, force) => loads.along(k, force),
            }
        }
        Ok(())
    }
}
