//! A mass on a spring under a slow force: the step that resolves the force is unstable for the spring.

use cardan::linalg::SparseMatrix;
use cardan::simulation::InitialValues;
use cardan::system::{Derivative, Failure, ForceTangent, Space, StateView, System};

/// ẍ + ω² x = sin(ω̄ t).
#[derive(Clone, Copy, Debug)]
pub struct ForcedOscillator {
    /// ω.
    pub frequency: f64,
    /// ω̄.
    pub forcing: f64,
}

impl ForcedOscillator {
    /// The start without transient: ẋ(0) = ω̄/(ω² − ω̄²). (The paper prints −ω for ω̄.)
    pub fn initial(&self) -> InitialValues {
        InitialValues::new(&[0.0], &[self.amplitude() * self.forcing])
    }

    /// The motion from there.
    pub fn exact(&self, t: f64) -> f64 {
        self.amplitude() * (self.forcing * t).sin()
    }

    fn amplitude(&self) -> f64 {
        1.0 / (self.frequency.powi(2) - self.forcing.powi(2))
    }
}

impl System for ForcedOscillator {
    fn space(&self) -> Space {
        Space::vector(1)
    }

    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        mass.add(0, 0, 1.0);
        Ok(())
    }

    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        force[0] = (self.forcing * at.t).sin() - self.frequency.powi(2) * at.q[0];
        Ok(())
    }

    fn force_tangent(
        &self,
        _at: &StateView<'_>,
        tangent: &mut ForceTangent<'_>,
    ) -> Result<Derivative, Failure> {
        tangent.stiffness.add(0, 0, self.frequency.powi(2));
        Ok(Derivative::Analytic)
    }

    fn has_constant_tangents(&self) -> bool {
        true
    }
}
