//! A double pendulum of two uniform rods, in two angles (mass depends on q) and in Cartesian
//! coordinates with four constraints.

use std::sync::Arc;

use super::problem::ExamProblem;
use cardan::linalg::SparseMatrix;
use cardan::simulation::InitialValues;
use cardan::system::{Derivative, Failure, Space, StateView, System};

const MASS: [f64; 2] = [1.0, 0.7];
const LENGTH: [f64; 2] = [1.0, 0.8];
const GRAVITY: f64 = 9.81;
/// Initial angles from the downward vertical, and their rates.
const ANGLES: [f64; 2] = [0.9, 1.4];
const RATES: [f64; 2] = [0.5, -1.0];

fn inertia(i: usize) -> f64 {
    MASS[i] * LENGTH[i] * LENGTH[i] / 12.0
}

/// Two angles from the vertical.
pub struct DoublePendulum;

impl DoublePendulum {
    /// The problem of the exam.
    pub fn problem() -> ExamProblem {
        ExamProblem {
            name: "double-pendulum",
            tests: "an ordinary differential equation with a mass that depends on q",
            system: Arc::new(Self),
            initial: InitialValues::new(&ANGLES, &RATES),
            conservative: true,
            coarsest: 40.0,
        }
    }

    /// m₂ l₁ l₂/2, the coupling of the two rods.
    fn coupling() -> f64 {
        0.5 * MASS[1] * LENGTH[0] * LENGTH[1]
    }
}

impl System for DoublePendulum {
    fn space(&self) -> Space {
        Space::vector(2)
    }

    fn mass(&self, at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        let q = at.q;
        let c = Self::coupling() * (q[0] - q[1]).cos();
        mass.add(0, 0, LENGTH[0] * LENGTH[0] * (MASS[0] / 3.0 + MASS[1]));
        mass.add(0, 1, c);
        mass.add(1, 0, c);
        mass.add(1, 1, MASS[1] * LENGTH[1] * LENGTH[1] / 3.0);
        Ok(())
    }

    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        let (q, v) = (at.q, at.v);
        let s = Self::coupling() * (q[0] - q[1]).sin();
        let weight = GRAVITY * LENGTH[0] * (0.5 * MASS[0] + MASS[1]);
        force[0] = -s * v[1] * v[1] - weight * q[0].sin();
        force[1] = s * v[0] * v[0] - 0.5 * MASS[1] * GRAVITY * LENGTH[1] * q[1].sin();
        Ok(())
    }

    fn potential_energy(&self, at: &StateView<'_>) -> Option<f64> {
        let q = at.q;
        let weight = GRAVITY * LENGTH[0] * (0.5 * MASS[0] + MASS[1]);
        Some(-weight * q[0].cos() - 0.5 * MASS[1] * GRAVITY * LENGTH[1] * q[1].cos())
    }
}

/// (x, y, θ) of each rod's centre; θ from the downward vertical, so that the rod points along
/// (sin θ, −cos θ).
pub struct PlanarDoublePendulum;

impl PlanarDoublePendulum {
    /// The problem of the exam.
    pub fn problem() -> ExamProblem {
        let (along, across) = (Self::along, Self::across);
        let (mut q, mut v) = ([0.0; 6], [0.0; 6]);
        for axis in 0..2 {
            let (l1, l2) = (LENGTH[0], 0.5 * LENGTH[1]);
            q[axis] = 0.5 * l1 * along(ANGLES[0])[axis];
            v[axis] = 0.5 * l1 * across(ANGLES[0])[axis] * RATES[0];
            q[3 + axis] = l1 * along(ANGLES[0])[axis] + l2 * along(ANGLES[1])[axis];
            v[3 + axis] =
                l1 * across(ANGLES[0])[axis] * RATES[0] + l2 * across(ANGLES[1])[axis] * RATES[1];
        }
        (q[2], q[5], v[2], v[5]) = (ANGLES[0], ANGLES[1], RATES[0], RATES[1]);
        ExamProblem {
            name: "planar-double-pendulum",
            tests: "a planar mechanism with holonomic constraints",
            system: Arc::new(Self),
            initial: InitialValues::new(&q, &v),
            conservative: true,
            coarsest: 40.0,
        }
    }

    /// The direction of a rod.
    fn along(angle: f64) -> [f64; 2] {
        [angle.sin(), -angle.cos()]
    }

    /// Its derivative.
    fn across(angle: f64) -> [f64; 2] {
        [angle.cos(), angle.sin()]
    }
}

impl System for PlanarDoublePendulum {
    fn space(&self) -> Space {
        Space::vector(3).then(Space::vector(3))
    }

    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        for i in 0..2 {
            mass.add(3 * i, 3 * i, MASS[i]);
            mass.add(3 * i + 1, 3 * i + 1, MASS[i]);
            mass.add(3 * i + 2, 3 * i + 2, inertia(i));
        }
        Ok(())
    }

    fn force(&self, _at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        force[1] = -MASS[0] * GRAVITY;
        force[4] = -MASS[1] * GRAVITY;
        Ok(())
    }

    fn holonomic_count(&self) -> usize {
        4
    }

    fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
        let q = at.q;
        let (first, second) = (Self::along(q[2]), Self::along(q[5]));
        for axis in 0..2 {
            // the upper end of the first rod stays at the origin, the rods stay together
            let (half1, half2) = (0.5 * LENGTH[0] * first[axis], 0.5 * LENGTH[1] * second[axis]);
            phi[axis] = q[axis] - half1;
            phi[2 + axis] = q[3 + axis] - half2 - q[axis] - half1;
        }
        Ok(())
    }

    fn jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
        let q = at.q;
        let (first, second) = (Self::across(q[2]), Self::across(q[5]));
        for axis in 0..2 {
            let (half1, half2) = (0.5 * LENGTH[0] * first[axis], 0.5 * LENGTH[1] * second[axis]);
            jacobian.add(axis, axis, 1.0);
            jacobian.add(axis, 2, -half1);
            jacobian.add(2 + axis, 3 + axis, 1.0);
            jacobian.add(2 + axis, 5, -half2);
            jacobian.add(2 + axis, axis, -1.0);
            jacobian.add(2 + axis, 2, -half1);
        }
        Ok(())
    }

    fn constraint_rate(
        &self,
        _at: &StateView<'_>,
        _rate: &mut [f64],
    ) -> Result<Derivative, Failure> {
        Ok(Derivative::Analytic)
    }

    fn acceleration_term(
        &self,
        at: &StateView<'_>,
        out: &mut [f64],
    ) -> Result<Derivative, Failure> {
        let (q, v) = (at.q, at.v);
        // the second derivative of a direction is the direction reversed
        let (first, second) = (Self::along(q[2]), Self::along(q[5]));
        for axis in 0..2 {
            let turn1 = 0.5 * LENGTH[0] * first[axis] * v[2] * v[2];
            let turn2 = 0.5 * LENGTH[1] * second[axis] * v[5] * v[5];
            out[axis] = turn1;
            out[2 + axis] = turn1 + turn2;
        }
        Ok(Derivative::Analytic)
    }

    fn has_constant_mass(&self) -> bool {
        true
    }

    fn potential_energy(&self, at: &StateView<'_>) -> Option<f64> {
        let q = at.q;
        Some(GRAVITY * (MASS[0] * q[1] + MASS[1] * q[4]))
    }

    fn constraint_name(&self, i: usize) -> String {
        format!("pin {} ({})", ["O", "A"][i / 2], ["x", "y"][i % 2])
    }
}
