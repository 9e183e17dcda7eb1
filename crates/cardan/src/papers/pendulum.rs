//! The simple pendulum: one angle, or a rod's end with the rod's angle.

use std::f64::consts::FRAC_PI_2;

use crate::linalg::Entries;
use crate::simulation::Initial;
use crate::system::{Derivative, ForceTangent, Point, Space, System};

const G: f64 = 9.81;

/// θ̈ = (g/L) cos θ − c θ̇ with θ from the horizontal, downwards; L = m = 1, let go at θ = 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct SimplePendulum {
    /// c.
    pub damping: f64,
}

impl SimplePendulum {
    /// Horizontal, at rest.
    pub fn initial() -> Initial {
        Initial::new(&[0.0], &[0.0])
    }
}

impl System for SimplePendulum {
    fn space(&self) -> Space {
        Space::vector(1)
    }

    fn mass(&self, _q: &[f64], mass: &mut Entries) {
        mass.add(0, 0, 1.0);
    }

    fn force(&self, at: &Point<'_>, force: &mut [f64]) {
        force[0] = G * at.q[0].cos() - self.damping * at.v[0];
    }

    fn force_tangent(&self, at: &Point<'_>, tangent: &mut ForceTangent<'_>) -> Derivative {
        tangent.stiffness.add(0, 0, G * at.q[0].sin());
        if self.damping != 0.0 {
            tangent.damping.add(0, 0, self.damping);
        }
        Derivative::Analytic
    }

    fn mass_is_constant(&self) -> bool {
        true
    }

    fn potential_energy(&self, _t: f64, q: &[f64]) -> Option<f64> {
        Some(-G * q[0].sin())
    }
}

/// A point mass at the end of a rod of length one: (x, y, θ) with x = sin θ, y = −cos θ, let go at
/// θ = π/2. The paper's has no inertia, which makes M singular and leaves the equations regular.
#[derive(Clone, Copy, Debug, Default)]
pub struct RodPendulum {
    /// The inertia of the angle.
    pub inertia: f64,
}

impl RodPendulum {
    /// Horizontal, at rest.
    pub fn initial() -> Initial {
        Initial::new(&[1.0, 0.0, FRAC_PI_2], &[0.0; 3])
    }
}

impl System for RodPendulum {
    fn space(&self) -> Space {
        Space::vector(3)
    }

    fn mass(&self, _q: &[f64], mass: &mut Entries) {
        mass.add(0, 0, 1.0);
        mass.add(1, 1, 1.0);
        mass.add(2, 2, self.inertia);
    }

    fn force(&self, _at: &Point<'_>, force: &mut [f64]) {
        force[1] = -G;
    }

    fn force_tangent(&self, _at: &Point<'_>, _tangent: &mut ForceTangent<'_>) -> Derivative {
        Derivative::Analytic
    }

    fn holonomic(&self) -> usize {
        2
    }

    fn constraint(&self, _t: f64, q: &[f64], phi: &mut [f64]) {
        (phi[0], phi[1]) = (q[0] - q[2].sin(), q[1] + q[2].cos());
    }

    fn jacobian(&self, _t: f64, q: &[f64], jacobian: &mut Entries) {
        jacobian.add(0, 0, 1.0);
        jacobian.add(0, 2, -q[2].cos());
        jacobian.add(1, 1, 1.0);
        jacobian.add(1, 2, -q[2].sin());
    }

    fn constraint_rate(&self, _t: f64, _q: &[f64], _rate: &mut [f64]) -> Derivative {
        Derivative::Analytic
    }

    fn acceleration_term(&self, _t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Derivative {
        let squared = v[2] * v[2];
        (out[0], out[1]) = (q[2].sin() * squared, -q[2].cos() * squared);
        Derivative::Analytic
    }

    fn multiplier_tangent(
        &self,
        _t: f64,
        q: &[f64],
        multipliers: &[f64],
        tangent: &mut Entries,
    ) -> Derivative {
        let curvature = q[2].sin() * multipliers[0] - q[2].cos() * multipliers[1];
        tangent.add(2, 2, curvature);
        Derivative::Analytic
    }

    fn velocity_tangent(&self, _t: f64, q: &[f64], v: &[f64], out: &mut Entries) -> Derivative {
        out.add(0, 2, q[2].sin() * v[2]);
        out.add(1, 2, -q[2].cos() * v[2]);
        Derivative::Analytic
    }

    fn mass_is_constant(&self) -> bool {
        true
    }

    fn potential_energy(&self, _t: f64, q: &[f64]) -> Option<f64> {
        Some(G * q[1])
    }

    fn coordinate_name(&self, i: usize) -> String {
        ["x", "y", "the rod's angle"][i.min(2)].into()
    }
}
