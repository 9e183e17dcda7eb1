//! Two bodies in space: a spherical joint and a drive hold the first, a revolute joint with a
//! tilted axis the second. Nine constraints, three degrees of freedom, every tangent analytic.

use super::Problem;
use super::bodies::gyroscopic;
use crate::linalg::Entries;
use crate::math::Vector3;
use crate::model::{Frame, Measure, Motion};
use crate::simulation::Initial;
use crate::system::{Derivative, ForceTangent, Point, Rotation, Space, System};

const MASS: [f64; 2] = [2.0, 1.0];
const INERTIA: [Vector3; 2] = [Vector3::new(0.2, 0.25, 0.1), Vector3::new(0.1, 0.12, 0.06)];
const GRAVITY: Vector3 = Vector3::new(0.0, 0.0, -9.81);
/// The ground joint on body 1, the joint between the bodies on each, all in body axes.
const GROUND: Vector3 = Vector3::new(0.0, 0.1, 0.5);
const JOINT: [Vector3; 2] = [Vector3::new(0.0, 0.0, -0.5), Vector3::new(0.1, 0.0, 0.4)];
/// The drive turns body 1 so that `UP·(R₁ SIDE) = 0.8 sin 2t`.
const UP: Vector3 = Vector3::new(0.0, 0.0, 1.0);
const SIDE: Vector3 = Vector3::new(1.0, 0.0, 0.0);
/// The revolute axis on body 2 stays perpendicular to these two of body 1.
const AXIS: Vector3 = Vector3::new(0.6, 0.8, 0.0);
const ACROSS: [Vector3; 2] = [Vector3::new(0.8, -0.6, 0.0), Vector3::new(0.0, 0.0, 1.0)];
/// Rows: ground joint 0–2, drive 3, joint 4–6, revolute axis 7–8.
const DRIVE: usize = 3;
const PIN: usize = 4;
const REVOLUTE: usize = 7;

/// The system.
pub struct SpatialPendulum;

impl SpatialPendulum {
    /// The problem of the exam. The drive begins at full speed, so that the velocities given are
    /// projected at the start.
    pub fn problem() -> Problem {
        let hinge = JOINT[0] - GROUND;
        let centre = hinge - JOINT[1];
        let mut q = vec![-GROUND.x, -GROUND.y, -GROUND.z, 1.0, 0.0, 0.0, 0.0];
        q.extend([centre.x, centre.y, centre.z, 1.0, 0.0, 0.0, 0.0]);
        let mut v = vec![0.0; 12];
        (v[3], v[4], v[5], v[9]) = (0.7, -1.6, 0.4, 1.5);
        Problem {
            name: "spatial-double-pendulum",
            tests: "a driven spatial mechanism with a revolute joint",
            system: Box::new(Self),
            initial: Initial::new(&q, &v),
            conservative: false,
        }
    }
}

/// The ground and the two bodies where they are.
fn frames(q: &[f64]) -> [Frame<f64>; 3] {
    let body = |i: usize| Frame {
        position: Vector3::new(q[7 * i], q[7 * i + 1], q[7 * i + 2]),
        rotation: Rotation { q: 7 * i + 3, v: 0 }.of(q).to_matrix(),
    };
    [Frame::ground(), body(0), body(1)]
}

/// A row between two parties, by their number among the frames.
struct Joined {
    row: Measure,
    parties: [usize; 2],
}

impl Joined {
    /// The velocities over the four columns of a row.
    fn motion(&self, v: &[f64]) -> Motion<f64> {
        [0, 1, 2, 3].map(|k| match self.column(k) {
            None => Vector3::zeros(),
            Some(i) => Vector3::new(v[i], v[i + 1], v[i + 2]),
        })
    }

    /// Where column k (x₁, θ₁, x₂, θ₂) stands among the velocities; nowhere for the ground.
    fn column(&self, k: usize) -> Option<usize> {
        self.parties[k / 2].checked_sub(1).map(|body| 6 * body + 3 * (k % 2))
    }

    /// Adds a row of a matrix.
    fn add(&self, entries: &mut Entries, row: usize, values: &Motion<f64>) {
        for (k, values) in values.iter().enumerate() {
            if let Some(column) = self.column(k) {
                (0..3).for_each(|i| entries.add(row, column + i, values[i]));
            }
        }
    }
}

/// The nine rows in order.
fn rows() -> [Joined; 9] {
    let gap = |axis: usize, points, parties| {
        let direction = Vector3::ith(axis, 1.0);
        Joined { row: Measure::Gap { direction, points }, parties }
    };
    let (ground, hinge) = ([Vector3::zeros(), GROUND], JOINT);
    let (held, joined) = ([0, 1], [1, 2]);
    let axis = |across| Joined { row: Measure::Dot { a: across, b: AXIS }, parties: joined };
    [
        gap(0, ground, held),
        gap(1, ground, held),
        gap(2, ground, held),
        Joined { row: Measure::Dot { a: UP, b: SIDE }, parties: held },
        gap(0, hinge, joined),
        gap(1, hinge, joined),
        gap(2, hinge, joined),
        axis(ACROSS[0]),
        axis(ACROSS[1]),
    ]
}

/// The angular velocity of body i.
fn spin(v: &[f64], i: usize) -> Vector3 {
    Rotation { q: 0, v: 6 * i + 3 }.tangent(v)
}

impl System for SpatialPendulum {
    fn space(&self) -> Space {
        Space::bodies(2)
    }

    fn mass(&self, _q: &[f64], mass: &mut Entries) {
        for i in 0..2 {
            mass.add_diagonal(6 * i, 6 * i, MASS[i]);
            for k in 0..3 {
                mass.add(6 * i + 3 + k, 6 * i + 3 + k, INERTIA[i][k]);
            }
        }
    }

    fn mass_is_constant(&self) -> bool {
        true
    }

    fn force(&self, at: &Point<'_>, force: &mut [f64]) {
        for i in 0..2 {
            let omega = spin(at.v, i);
            let spin = omega.cross(&INERTIA[i].component_mul(&omega));
            force[6 * i..6 * i + 3].copy_from_slice((MASS[i] * GRAVITY).as_slice());
            force[6 * i + 3..6 * i + 6].copy_from_slice((-spin).as_slice());
        }
    }

    fn force_tangent(&self, at: &Point<'_>, tangent: &mut ForceTangent<'_>) -> Derivative {
        for (i, inertia) in INERTIA.iter().enumerate() {
            let omega = spin(at.v, i);
            tangent.damping.add_block(6 * i + 3, 6 * i + 3, &gyroscopic(inertia, &omega));
        }
        Derivative::Analytic
    }

    fn holonomic(&self) -> usize {
        9
    }

    fn constraint(&self, t: f64, q: &[f64], phi: &mut [f64]) {
        let frames = frames(q);
        for (phi, joined) in phi.iter_mut().zip(rows()) {
            let [one, two] = joined.parties.map(|party| frames[party]);
            *phi = joined.row.value(&one, &two);
        }
        phi[DRIVE] -= 0.8 * (2.0 * t).sin();
    }

    fn jacobian(&self, _t: f64, q: &[f64], jacobian: &mut Entries) {
        let frames = frames(q);
        for (i, joined) in rows().iter().enumerate() {
            let [one, two] = joined.parties.map(|party| frames[party]);
            joined.add(jacobian, i, &joined.row.gradient(&one, &two));
        }
    }

    fn constraint_rate(&self, t: f64, _q: &[f64], rate: &mut [f64]) -> Derivative {
        rate[DRIVE] = -1.6 * (2.0 * t).cos();
        Derivative::Analytic
    }

    fn acceleration_term(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Derivative {
        let frames = frames(q);
        for (out, joined) in out.iter_mut().zip(rows()) {
            let [one, two] = joined.parties.map(|party| frames[party]);
            *out = joined.row.acceleration(&one, &two, &joined.motion(v));
        }
        out[DRIVE] += 3.2 * (2.0 * t).sin();
        Derivative::Analytic
    }

    fn multiplier_tangent(
        &self,
        _t: f64,
        q: &[f64],
        multipliers: &[f64],
        tangent: &mut Entries,
    ) -> Derivative {
        let frames = frames(q);
        for (joined, &multiplier) in rows().iter().zip(multipliers) {
            let [one, two] = joined.parties.map(|party| frames[party]);
            joined.row.curvature(&one, &two, |i, j, block| {
                if let (Some(row), Some(column)) = (joined.column(i), joined.column(j)) {
                    tangent.add_block(row, column, &(multiplier * block));
                }
            });
        }
        Derivative::Analytic
    }

    fn velocity_tangent(&self, _t: f64, q: &[f64], v: &[f64], out: &mut Entries) -> Derivative {
        let frames = frames(q);
        for (i, joined) in rows().iter().enumerate() {
            let [one, two] = joined.parties.map(|party| frames[party]);
            joined.add(out, i, &joined.row.rate_gradient(&one, &two, &joined.motion(v)));
        }
        Derivative::Analytic
    }

    fn potential_energy(&self, _t: f64, q: &[f64]) -> Option<f64> {
        Some(-GRAVITY.z * (MASS[0] * q[2] + MASS[1] * q[9]))
    }

    fn coordinate_name(&self, i: usize) -> String {
        let axis = ["x", "y", "z", "rotation x", "rotation y", "rotation z"][i % 6];
        format!("body {} ({axis})", i / 6 + 1)
    }

    fn constraint_name(&self, i: usize) -> String {
        match i {
            0..DRIVE => format!("ground joint ({})", ["x", "y", "z"][i]),
            DRIVE => "drive".into(),
            PIN..REVOLUTE => format!("hinge ({})", ["x", "y", "z"][i - PIN]),
            _ => format!("hinge axis ({})", i - REVOLUTE + 1),
        }
    }
}
