//! First-order equations that depend on reactions: r(t, q, v, λ, z, ż).

use cardan::linalg::SparseMatrix;
use cardan::methods::SystemFeature;
use cardan::modes::{Modes, ModesOptions};
use cardan::stage::{NewtonOptions, StaticProblem, StaticSolver};
use cardan::system::{Derivative, Space, StateTangent, StateView, System, verify};
use cardan::{Failure, Formulation, InitialValues, Settings, Simulation};

use super::{contains, roots};

/// A mass on a horizontal rail, pushed down by k x and driven by a filtered measurement of the rail's reaction:
/// ẍ = g z, ÿ + λ = −k x, y = 0, T ż + z = λ. With λ = −k x it is ẍ = g z, T ż + z = −k x, which `direct` writes.
struct Rail {
    is_direct: bool,
    is_analytic: bool,
}

const K: f64 = 8.0;
const GAIN: f64 = 1.5;
const LAG: f64 = 0.3;

impl System for Rail {
    fn space(&self) -> Space {
        Space::vector(2)
    }
    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        (0..2).for_each(|i| mass.add(i, i, 1.0));
        Ok(())
    }
    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        force.copy_from_slice(&[GAIN * at.z[0], -K * at.q[0]]);
        Ok(())
    }
    fn holonomic_count(&self) -> usize {
        1
    }
    fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
        phi[0] = at.q[1];
        Ok(())
    }
    fn jacobian(&self, _at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
        jacobian.add(0, 1, 1.0);
        Ok(())
    }
    fn state_count(&self) -> usize {
        1
    }
    fn state_needs_multipliers(&self) -> bool {
        !self.is_direct
    }
    fn state_residual(
        &self,
        at: &StateView<'_>,
        rates: &[f64],
        residual: &mut [f64],
    ) -> Result<(), Failure> {
        let reaction = if self.is_direct { -K * at.q[0] } else { at.multipliers[0] };
        residual[0] = LAG * rates[0] + at.z[0] - reaction;
        Ok(())
    }
    fn state_tangent(
        &self,
        _at: &StateView<'_>,
        _rates: &[f64],
        tangent: &mut StateTangent<'_>,
    ) -> Result<Derivative, Failure> {
        if !self.is_analytic {
            return Ok(Derivative::Differenced);
        }
        tangent.state.add(0, 0, 1.0);
        tangent.rate.add(0, 0, LAG);
        match self.is_direct {
            true => tangent.configuration.add(0, 0, K),
            false => tangent.multipliers.add(0, 0, -1.0),
        }
        Ok(Derivative::Analytic)
    }
}

fn initial() -> InitialValues {
    InitialValues::new(&[0.5, 0.0], &[0.2, 0.0]).states(&[-1.0])
}

fn end(system: &Rail, method: &str, formulation: Formulation) -> Vec<f64> {
    let settings = Settings::new(method, 5e-3).constraints(formulation);
    let mut motion = Simulation::new(system, &settings, &initial()).unwrap();
    motion.run_until(1.0).unwrap();
    let now = motion.now();
    [&now.q[..], &now.v, &now.z, &now.rates].concat()
}

/// Every method that takes states gives the motion of the equations in which the reaction is replaced by what it is.
#[test]
fn measured_reaction_equals_the_force_that_causes_it() {
    let mut taken = 0;
    for info in cardan::methods::all() {
        if info.unsupported_reason(SystemFeature::FirstOrderStates).is_some() {
            continue;
        }
        for formulation in Formulation::ALL {
            let direct = Rail { is_direct: true, is_analytic: true };
            if info.refusal(formulation, &direct).is_some() {
                continue;
            }
            let known = end(&direct, info.name, formulation);
            for is_analytic in [false, true] {
                let found = end(&Rail { is_direct: false, is_analytic }, info.name, formulation);
                for (found, known) in found.iter().zip(&known) {
                    // multipliers of the stage have the error of the method
                    let gap = (found - known).abs();
                    assert!(gap < 1e-3, "{} {formulation:?}: {found}, not {known}", info.name);
                }
            }
            taken += 1;
        }
    }
    assert!(taken > 20, "{taken}");
}

/// λ first, then ż: T ż = λ − z with λ = −k x at the start.
#[test]
fn start_has_the_rate_of_its_reaction() {
    for is_analytic in [false, true] {
        let system = Rail { is_direct: false, is_analytic };
        let start = Simulation::new(&system, &Settings::new("lms3", 1e-2), &initial()).unwrap();
        let now = start.now();
        assert!((now.multipliers[0] + K * 0.5).abs() < 1e-12);
        assert!((now.rates[0] - (-K * 0.5 + 1.0) / LAG).abs() < 1e-10, "{:?}", now.rates);
    }
}

#[test]
fn written_derivative_for_multipliers_is_verified() {
    let mut at = StateView::new(0.0, &[0.5, 0.0], &[0.2, 0.0]);
    (at.multipliers, at.z) = (&[2.0], &[-1.0]);
    let system = Rail { is_direct: false, is_analytic: true };
    assert_eq!(verify(&system, &at, &[0.0; 2]).unwrap(), []);
}

/// g z = 0, λ = −k x and z = λ: x is determined through the reaction alone.
#[test]
fn equilibrium_is_determined_by_a_measured_reaction() {
    for is_analytic in [false, true] {
        let system = Rail { is_direct: false, is_analytic };
        let (mut q, mut multipliers, mut z, mut log) = ([0.5, 0.0], [0.0], [-1.0], Vec::new());
        let mut search = StaticProblem {
            t: 0.0,
            load: 1.0,
            q: &mut q,
            multipliers: &mut multipliers,
            z: &mut z,
            options: &NewtonOptions::default(),
            log: &mut log,
        };
        let mut solver = StaticSolver::new(&system, 0.0, &[0.5, 0.0]).unwrap();
        solver.solve(&system, &mut search).unwrap();
        let all = [q[0], q[1], multipliers[0], z[0]];
        // linear equations: one correction, up to the error of differences
        assert!(all.iter().all(|x| x.abs() < 1e-9), "{all:?}");
    }
}

/// T λ³ + λ² + k g = 0, whichever way the reaction is written.
#[test]
fn modes_include_the_reaction() {
    for is_direct in [false, true] {
        let system = Rail { is_direct, is_analytic: false };
        let start = Simulation::new(&system, &Settings::new("lms3", 1e-2), &initial()).unwrap();
        let modes = Modes::new(&system, start.now(), &ModesOptions::default()).unwrap();
        let found: Vec<_> = modes.modes.iter().map(|mode| mode.eigenvalue).collect();
        let known = roots(&[K * GAIN / LAG, 0.0, 1.0 / LAG]);
        let known: Vec<_> = known.into_iter().filter(|x| x.im >= 0.0).collect();
        assert_eq!(found.len(), known.len());
        contains(&found, &known, 1e-7);
    }
}
