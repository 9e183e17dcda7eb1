//! Linear analysis of the implemented methods: no second set of formulas.
//!
//! The step of a method on a linear equation is a linear map of everything its state carries. The
//! map is read off column by column from the very code that integrates mechanisms.
//!
//! ```text
//! amplification  the map, and its characteristic roots
//! response       radius, amplitude decay and period elongation over the step, the principal root
//!                followed from small steps on
//! character      order and error constant, stability region, overshoot
//! infinity       the radius in the limit of infinitely fast oscillations
//! spectrum       all of it for methods chosen by name, as rows of data and tables
//! ```

mod frequency;
mod infinity;
mod response;
mod rows;
mod spectrum;
mod stability;

pub use frequency::{HighestFrequency, StableStep, highest_frequency, stable_step};
pub use infinity::radius_at_infinity;
pub use response::{SpectralResponse, responses};
pub use rows::{OvershootRow, RegionRow, ResponseRow, RootsRow, RowLabel, SummaryRow};
pub use spectrum::{AnalysedMethod, Spectrum};
pub use stability::{
    Accuracy, BoundaryPoint, MAX_FREQUENCY, Overshoot, accuracy, overshoot, region, stability_limit,
};

use nalgebra::linalg::balancing::balance_parlett_reinsch;
use nalgebra::{Complex, DMatrix, Schur};

use crate::error::Error;
use crate::linalg::SparseMatrix;
use crate::methods::{Method, MethodInfo};
use crate::simulation::{InitialValues, Settings, Simulation};
use crate::stage::NewtonOptions;
use crate::state::State;
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
) -> Result<DMatrix<f64>, Error> {
    let settings = settings(info, 1.0);
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

/// Entries farther from one than this are scaled before roots are computed.
const MAX_ENTRY_RATIO: f64 = 1e100;

/// The characteristic roots, largest first; empty if they cannot be computed, or the matrix is not square.
pub fn roots(matrix: &DMatrix<f64>) -> Vec<Complex<f64>> {
    if !matrix.is_square() || matrix.iter().any(|x| !x.is_finite()) {
        return Vec::new();
    }
    // balancing and the iteration overflow with numbers far from one
    let most = matrix.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    if most > MAX_ENTRY_RATIO || matrix.iter().any(|x| *x != 0.0 && x.abs() < 1.0 / MAX_ENTRY_RATIO)
    {
        let scale = if most > 0.0 { most } else { 1.0 };
        let tame =
            matrix.map(|x| if (x / scale).abs() < 1.0 / MAX_ENTRY_RATIO { 0.0 } else { x / scale });
        return match tame == *matrix {
            true => Vec::new(),
            false => roots(&tame).into_iter().map(|root| root * scale).collect(),
        };
    }
    // what nothing follows from adds a root of zero, exactly; left in, it takes the others' digits
    let mut active = matrix.clone();
    let is_idle = |active: &DMatrix<f64>, k: usize| active.column(k).iter().all(|x| *x == 0.0);
    while let Some(k) = (0..active.ncols()).find(|&k| is_idle(&active, k)) {
        active = active.remove_row(k).remove_column(k);
    }
    let zeros = matrix.ncols() - active.ncols();
    // positions and accelerations differ by ω²: without balancing round-off would follow the largest
    let mut roots = Vec::new();
    if active.ncols() > 0 {
        balance_parlett_reinsch(&mut active);
        let Some(schur) = Schur::try_new(active, f64::EPSILON, 10_000) else {
            return Vec::new();
        };
        roots.extend(schur.complex_eigenvalues().iter().copied());
    }
    roots.extend(std::iter::repeat_n(Complex::new(0.0, 0.0), zeros));
    roots.sort_by(|a, b| b.norm().total_cmp(&a.norm()));
    roots
}

/// The spectral radius at ωh, with relative damping ξ; NaN if it cannot be computed.
pub fn spectral_radius(
    info: &MethodInfo,
    method: &dyn Method,
    frequency: f64,
    damping: f64,
) -> Result<f64, Error> {
    let roots = characteristic_roots(&Oscillator { frequency, damping }, info, method)?;
    Ok(roots.first().map_or(f64::NAN, |root| root.norm()))
}

/// The characteristic roots, largest first; none where the method has a pole, so that its step cannot
/// be computed.
fn characteristic_roots(
    oscillator: &Oscillator,
    info: &MethodInfo,
    method: &dyn Method,
) -> Result<Vec<Complex<f64>>, Error> {
    match amplification_matrix(oscillator, info, method) {
        Ok(matrix) => Ok(roots(&matrix)),
        Err(Error::Step { .. }) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Settings for a linear equation: the second solve is round-off, however small what is left of the
/// motion.
fn settings(info: &MethodInfo, step_size: f64) -> Settings {
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
