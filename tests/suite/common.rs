//! Systems that several tests use.

use cardan::Settings;
use cardan::linalg::SparseMatrix;
use cardan::stage::{KeepJacobian, NewtonOptions};
use cardan::system::{Coupling, Derivative, Failure, Space, StateView, System};

/// The pendulum of the front page: an angle from the vertical, g = l = m = 1.
pub struct Pendulum;

impl System for Pendulum {
    fn space(&self) -> Space {
        Space::vector(1)
    }
    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        mass.add(0, 0, 1.0);
        Ok(())
    }
    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        force[0] = -at.q[0].sin();
        Ok(())
    }
    fn potential_energy(&self, at: &StateView<'_>) -> Option<f64> {
        let q = at.q;
        Some(-q[0].cos())
    }
}

/// A skate on ice: (x, y, θ), a knife edge that moves only along its blade, pushed sideways uphill.
pub struct Skate;

impl System for Skate {
    fn space(&self) -> Space {
        Space::vector(3)
    }
    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        mass.add(0, 0, 1.0);
        mass.add(1, 1, 1.0);
        mass.add(2, 2, 0.3);
        Ok(())
    }
    fn force(&self, _at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        force[0] = 2.0;
        Ok(())
    }
    fn nonholonomic_count(&self) -> usize {
        1
    }
    fn jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
        let q = at.q;
        jacobian.add(0, 0, -q[2].sin());
        jacobian.add(0, 1, q[2].cos());
        Ok(())
    }
    fn potential_energy(&self, at: &StateView<'_>) -> Option<f64> {
        let q = at.q;
        Some(-2.0 * q[0])
    }
}

/// A mass on a line whose velocity is prescribed: x = 0.3 sin 2t through G v + b = 0.
pub struct DrivenMass;

impl System for DrivenMass {
    fn space(&self) -> Space {
        Space::vector(1)
    }
    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        mass.add(0, 0, 2.0);
        Ok(())
    }
    fn force(&self, _at: &StateView<'_>, _force: &mut [f64]) -> Result<(), Failure> {
        Ok(())
    }
    fn nonholonomic_count(&self) -> usize {
        1
    }
    fn jacobian(&self, _at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
        jacobian.add(0, 0, 1.0);
        Ok(())
    }
    fn constraint_rate(&self, at: &StateView<'_>, rate: &mut [f64]) -> Result<Derivative, Failure> {
        let t = at.t;
        rate[0] = -0.6 * (2.0 * t).cos();
        Ok(Derivative::Analytic)
    }
}

/// A mass on a plane with Coulomb friction from its own normal force: x free, y held by λ.
pub struct Slider;

impl System for Slider {
    fn space(&self) -> Space {
        Space::vector(2)
    }
    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        mass.add(0, 0, 1.0);
        mass.add(1, 1, 1.0);
        Ok(())
    }
    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        let normal = at.multipliers.first().copied().unwrap_or(0.0).abs();
        force[0] = -0.3 * normal * (at.v[0] / 1e-3).tanh();
        force[1] = -9.81 - 2.0 * at.t;
        Ok(())
    }
    fn force_needs_multipliers(&self) -> bool {
        true
    }
    fn holonomic_count(&self) -> usize {
        1
    }
    fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
        let q = at.q;
        phi[0] = q[1];
        Ok(())
    }
    fn jacobian(&self, _at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
        jacobian.add(0, 1, 1.0);
        Ok(())
    }
}

/// A spring–mass whose force acts through a first-order filter: q̈ = −4z, ż = 3(q − z).
pub struct Filtered;

impl System for Filtered {
    fn space(&self) -> Space {
        Space::vector(1)
    }
    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        mass.add(0, 0, 1.0);
        Ok(())
    }
    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        force[0] = -4.0 * at.z[0];
        Ok(())
    }
    fn state_count(&self) -> usize {
        1
    }
    fn state_residual(
        &self,
        at: &StateView<'_>,
        rates: &[f64],
        residual: &mut [f64],
    ) -> Result<(), Failure> {
        residual[0] = rates[0] - 3.0 * (at.q[0] - at.z[0]);
        Ok(())
    }
}

/// A chain of masses and nonlinear springs, with its sparsity given.
pub struct Springs {
    pub masses: usize,
    pub sparse: bool,
}

impl System for Springs {
    fn space(&self) -> Space {
        Space::vector(self.masses)
    }
    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        for i in 0..self.masses {
            mass.add(i, i, 1.0 + i as f64);
        }
        Ok(())
    }
    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        let pull = |x: f64| 5.0 * x + x * x * x;
        for i in 0..self.masses {
            let left = if i == 0 { 0.0 } else { at.q[i - 1] };
            let tension = pull(at.q[i] - left);
            force[i] -= tension;
            if i > 0 {
                force[i - 1] += tension;
            }
        }
        Ok(())
    }
    fn coupling(&self) -> Coupling {
        if !self.sparse {
            return Coupling::Dense;
        }
        Coupling::Elements((0..self.masses).map(|i| vec![i.saturating_sub(1), i]).collect())
    }
}

/// Settings with which Newton converges to round-off in every step. With matrices kept from step to step it may leave a
/// ten-thousandth of the error of the method.
pub fn with_converged_newton(settings: &Settings) -> Settings {
    let newton =
        NewtonOptions { keep_jacobian: KeepJacobian::WithinStage, ..NewtonOptions::default() };
    settings.clone().newton(newton)
}
