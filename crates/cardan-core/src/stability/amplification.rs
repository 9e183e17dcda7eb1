//! The amplification matrix of a method, computed with the code that integrates mechanisms.

use nalgebra::{Complex, DMatrix};

use crate::linalg::{SparseMatrix, roots};
use crate::methods::{Method, MethodInfo};
use crate::simulation::{InitialValues, Settings, Simulation, SimulationError, State};
use crate::stage::NewtonOptions;
use crate::system::{Derivative, Failure, ForceTangent, Space, StateView, System};

/// The test equation q̈ + 2ξω q̇ + ω² q = 0.
#[derive(Clone, Copy, Debug)]
pub struct Oscillator {
    /// ω.
    pub frequency: f64,
    /// ξ.
    pub damping: f64,
}

impl System for Oscillator {
    fn space(&self) -> Space {
        Space::vector(1)
    }

    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        mass.add(0, 0, 1.0);
        Ok(())
    }

    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        let Self { frequency, damping } = *self;
        force[0] = -frequency * (frequency * at.q[0] + 2.0 * damping * at.v[0]);
        Ok(())
    }

    fn force_tangent(
        &self,
        _at: &StateView<'_>,
        tangent: &mut ForceTangent<'_>,
    ) -> Result<Derivative, Failure> {
        tangent.stiffness.add(0, 0, self.frequency * self.frequency);
        tangent.damping.add(0, 0, 2.0 * self.damping * self.frequency);
        Ok(Derivative::Analytic)
    }

    fn has_constant_tangents(&self) -> bool {
        true
    }
}

/// The matrix that takes the state of a method over one step of size one.
pub fn amplification_matrix(
    oscillator: &Oscillator,
    info: &MethodInfo,
    method: &dyn Method,
) -> Result<DMatrix<f64>, SimulationError> {
    let settings = linear_settings(info, 1.0);
    let (method, initial) = (method.with_coefficients(&[]), InitialValues::new(&[0.0], &[0.0]));
    let mut simulation = Simulation::with_method(oscillator, &settings, info, method, &initial)?;
    let mut rest = simulation.state().clone();
    rest.history.filled = rest.history.earlier.len();
    (rest.steps, rest.now.t) = (1, 1.0);
    for (j, past) in rest.history.earlier.iter_mut().enumerate() {
        past.t = -(j as f64);
    }
    let size = values_mut(&mut rest).len();
    let mut matrix = DMatrix::zeros(size, size);
    for j in 0..size {
        let mut state = rest.clone();
        *values_mut(&mut state)[j] = 1.0;
        simulation.replace_state(state);
        simulation.step()?;
        let mut state = simulation.state().clone();
        for (i, value) in values_mut(&mut state).into_iter().enumerate() {
            matrix[(i, j)] = *value;
        }
    }
    Ok(matrix)
}

/// The spectral radius at ωh, with relative damping ξ; NaN if it cannot be computed.
pub fn spectral_radius(
    info: &MethodInfo,
    method: &dyn Method,
    frequency: f64,
    damping: f64,
) -> Result<f64, SimulationError> {
    let roots = characteristic_roots(&Oscillator { frequency, damping }, info, method)?;
    Ok(roots.first().map_or(f64::NAN, |root| root.norm()))
}

/// The characteristic roots, largest first; empty if the method has a pole there, so that its step cannot
/// be computed.
pub fn characteristic_roots(
    oscillator: &Oscillator,
    info: &MethodInfo,
    method: &dyn Method,
) -> Result<Vec<Complex<f64>>, SimulationError> {
    match amplification_matrix(oscillator, info, method) {
        Ok(matrix) => Ok(roots(&matrix)),
        Err(SimulationError::Step { .. }) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Settings for a linear equation: the correction of the second solve is round-off, for every size of the
/// motion.
pub fn linear_settings(info: &MethodInfo, step_size: f64) -> Settings {
    let newton = NewtonOptions { tolerance: 1e-2, ..NewtonOptions::default() };
    Settings::new(info.name, step_size).newton(newton)
}

/// Every number of a state that a linear method acts on.
fn values_mut(state: &mut State) -> Vec<&mut f64> {
    let State { now, history, .. } = state;
    let mut values: Vec<&mut f64> = now.vectors_mut().into_iter().flatten().collect();
    values.extend(history.earlier.iter_mut().flat_map(|at| at.vectors_mut()).flatten());
    values.extend(history.auxiliary.iter_mut().flat_map(|x| &mut x.values));
    values
}
