//! Linear analysis of a method: identities that hold to round-off, so that they detect the smallest error in a
//! coefficient.

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

use crate::spectral::radius_at_infinity;
use cardan::linalg::SparseMatrix;
use cardan::math::larger;
use cardan::methods::{Method, MethodInfo};
use cardan::simulation::SimulationError;
use cardan::simulation::{InitialValues, Settings, Simulation};
use cardan::stability::spectral_radius;
use cardan::system::{Failure, Space, StateView, System};

/// The linear analysis of a method with given parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LinearGrade {
    /// The method.
    pub method: String,
    /// (Δt/T, spectral radius), undamped.
    pub radii: Vec<(f64, f64)>,
    /// The spectral radius in the limit of infinitely fast oscillations; infinite for explicit methods.
    #[serde(with = "crate::study::number")]
    pub radius_at_infinity: f64,
    /// See [`polynomial_defect`].
    pub polynomial_defect: f64,
}

/// Frequencies, as Δt/T, at which the radius is recorded.
const ABSCISSAE: [f64; 9] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 10.0, 100.0];

/// Analyses a method.
pub fn linear(info: &MethodInfo, method: &dyn Method) -> Result<LinearGrade, SimulationError> {
    let radius = |frequency| spectral_radius(info, method, frequency, 0.0);
    let radii: Result<Vec<_>, SimulationError> =
        ABSCISSAE.iter().map(|&x| Ok((x, radius(TAU * x)?))).collect();
    Ok(LinearGrade {
        method: info.name.into(),
        radii: radii?,
        radius_at_infinity: radius_at_infinity(info, method)?,
        polynomial_defect: polynomial_defect(info, method)?,
    })
}

/// A mass under the force t^(p − 1): the velocity is a polynomial of degree p.
struct Ramp {
    power: i32,
}

impl System for Ramp {
    fn space(&self) -> Space {
        Space::vector(1)
    }

    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        mass.add(0, 0, 1.0);
        Ok(())
    }

    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        force[0] = at.t.powi(self.power);
        Ok(())
    }
}

/// A method of order p moves a velocity that is a polynomial of degree p exactly. Its start may
/// leave a constant; the defect is how much the velocity error still changes, per unit of time,
/// after the effect of the start has decayed. For a correct method it is round-off.
pub fn polynomial_defect(info: &MethodInfo, method: &dyn Method) -> Result<f64, SimulationError> {
    let settings = Settings::new(info.name, 0.1);
    let power = info.order as i32 - 1;
    let ramp = Ramp { power };
    let mut simulation = Simulation::with_method(
        &ramp,
        &settings,
        info,
        method.with_coefficients(&[]),
        &InitialValues::new(&[0.0], &[0.0]),
    )?;
    let exact = |t: f64| t.powi(power + 1) / f64::from(power + 1);
    let mut error_at = |t: f64| -> Result<f64, SimulationError> {
        simulation.run_until(t)?;
        let now = simulation.now();
        Ok(now.v[0] - exact(now.t))
    };
    let (before, after) = (error_at(10.0)?, error_at(20.0)?);
    Ok((after - before).abs() / 10.0)
}

/// The largest error of the error estimate of one step, for velocities that are polynomials of degree 1 … p̂, where p̂
/// is the order of the embedded method. The embedded method integrates them exactly, so the estimate must equal the
/// error of the method: zero up to the order p of the method, and the error itself above it if p̂ > p. `None` if the
/// method has no estimate.
pub fn estimate_defect(
    info: &MethodInfo,
    method: &dyn Method,
) -> Result<Option<f64>, SimulationError> {
    let Some(order) = method.embedded_order() else { return Ok(None) };
    let (settings, initial) = (Settings::new(info.name, 0.1), InitialValues::new(&[0.0], &[0.0]));
    let mut worst = 0.0_f64;
    for power in 0..order as i32 {
        let again = method.with_coefficients(&[]);
        let ramp = Ramp { power };
        let mut simulation = Simulation::with_method(&ramp, &settings, info, again, &initial)?;
        simulation.step()?;
        let velocity = simulation.error_estimate().and_then(|estimate| estimate.get(1));
        let estimate = velocity.map_or(f64::NAN, |x| x.abs());
        let error = match power < info.order as i32 {
            true => 0.0,
            false => {
                let now = simulation.now();
                (now.v[0] - now.t.powi(power + 1) / f64::from(power + 1)).abs()
            }
        };
        // f64::max would drop an estimate that is not a number
        worst = larger(worst, (estimate - error).abs());
    }
    Ok(Some(worst))
}
