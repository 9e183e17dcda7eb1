//! Two bodies in space: a spherical joint and a drive hold the first, a revolute joint with a
//! tilted axis the second. Nine constraints, three degrees of freedom, every tangent analytic.

use super::Problem;
use super::bodies::gyroscopic;
use crate::linalg::Entries;
use crate::math::{Matrix3, Quaternion, Vector3, hat};
use crate::simulation::Initial;
use crate::system::{Derivative, ForceTangent, Point, Space, System};

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

/// Position, rotation and angular velocity of body i.
struct Body {
    position: Vector3,
    turn: Quaternion,
    omega: Vector3,
}

fn body(q: &[f64], v: &[f64], i: usize) -> Body {
    let (q, v) = (&q[7 * i..7 * i + 7], v.get(6 * i..6 * i + 6).unwrap_or(&[0.0; 6]));
    Body {
        position: Vector3::new(q[0], q[1], q[2]),
        turn: Quaternion::new(q[3], q[4], q[5], q[6]),
        omega: Vector3::new(v[3], v[4], v[5]),
    }
}

/// The directions of the other body's vector seen from each, for (R₁ a)·(R₂ b).
fn dot_frames(one: &Body, two: &Body, a: &Vector3, b: &Vector3) -> (Vector3, Vector3) {
    (one.turn.rotate_back(&two.turn.rotate(b)), two.turn.rotate_back(&one.turn.rotate(a)))
}

/// ∂(Gᵀλ)/∂q of (R₁ a)·(R₂ b) for λ = 1: blocks 11, 12, 21, 22.
fn dot_tangent(one: &Body, two: &Body, a: &Vector3, b: &Vector3) -> [Matrix3; 4] {
    let (u, w) = dot_frames(one, two, a, b);
    let relative = (one.turn.conjugate() * two.turn).to_matrix();
    let mixed = -hat(a) * relative * hat(b);
    [hat(a) * hat(&u), mixed, mixed.transpose(), hat(b) * hat(&w)]
}

fn add_row(entries: &mut Entries, row: usize, column: usize, values: &Vector3) {
    for i in 0..3 {
        entries.add(row, column + i, values[i]);
    }
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
            let omega = body(at.q, at.v, i).omega;
            let spin = omega.cross(&INERTIA[i].component_mul(&omega));
            force[6 * i..6 * i + 3].copy_from_slice((MASS[i] * GRAVITY).as_slice());
            force[6 * i + 3..6 * i + 6].copy_from_slice((-spin).as_slice());
        }
    }

    fn force_tangent(&self, at: &Point<'_>, tangent: &mut ForceTangent<'_>) -> Derivative {
        for (i, inertia) in INERTIA.iter().enumerate() {
            let omega = body(at.q, at.v, i).omega;
            tangent.damping.add_block(6 * i + 3, 6 * i + 3, &gyroscopic(inertia, &omega));
        }
        Derivative::Analytic
    }

    fn holonomic(&self) -> usize {
        9
    }

    fn constraint(&self, t: f64, q: &[f64], phi: &mut [f64]) {
        let (one, two) = (body(q, &[], 0), body(q, &[], 1));
        let ground = one.position + one.turn.rotate(&GROUND);
        let gap =
            two.position + two.turn.rotate(&JOINT[1]) - one.position - one.turn.rotate(&JOINT[0]);
        phi[..3].copy_from_slice(ground.as_slice());
        phi[DRIVE] = UP.dot(&one.turn.rotate(&SIDE)) - 0.8 * (2.0 * t).sin();
        phi[PIN..PIN + 3].copy_from_slice(gap.as_slice());
        for (k, across) in ACROSS.iter().enumerate() {
            phi[REVOLUTE + k] = one.turn.rotate(across).dot(&two.turn.rotate(&AXIS));
        }
    }

    fn jacobian(&self, _t: f64, q: &[f64], jacobian: &mut Entries) {
        let (one, two) = (body(q, &[], 0), body(q, &[], 1));
        let (r1, r2) = (one.turn.to_matrix(), two.turn.to_matrix());
        jacobian.add_diagonal(0, 0, 1.0);
        jacobian.add_block(0, 3, &-(r1 * hat(&GROUND)));
        add_row(jacobian, DRIVE, 3, &SIDE.cross(&one.turn.rotate_back(&UP)));
        jacobian.add_diagonal(PIN, 0, -1.0);
        jacobian.add_block(PIN, 3, &(r1 * hat(&JOINT[0])));
        jacobian.add_diagonal(PIN, 6, 1.0);
        jacobian.add_block(PIN, 9, &-(r2 * hat(&JOINT[1])));
        for (k, across) in ACROSS.iter().enumerate() {
            let (u, w) = dot_frames(&one, &two, across, &AXIS);
            add_row(jacobian, REVOLUTE + k, 3, &across.cross(&u));
            add_row(jacobian, REVOLUTE + k, 9, &AXIS.cross(&w));
        }
    }

    fn constraint_rate(&self, t: f64, _q: &[f64], rate: &mut [f64]) -> Derivative {
        rate[DRIVE] = -1.6 * (2.0 * t).cos();
        Derivative::Analytic
    }

    fn acceleration_term(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Derivative {
        let (one, two) = (body(q, v, 0), body(q, v, 1));
        let turning = |b: &Body, s: &Vector3| b.turn.rotate(&b.omega.cross(&b.omega.cross(s)));
        out[..3].copy_from_slice(turning(&one, &GROUND).as_slice());
        out[DRIVE] = UP.dot(&turning(&one, &SIDE)) + 3.2 * (2.0 * t).sin();
        let gap = turning(&two, &JOINT[1]) - turning(&one, &JOINT[0]);
        out[PIN..PIN + 3].copy_from_slice(gap.as_slice());
        for (k, across) in ACROSS.iter().enumerate() {
            let [k11, k12, _, k22] = dot_tangent(&one, &two, across, &AXIS);
            let (w1, w2) = (one.omega, two.omega);
            out[REVOLUTE + k] =
                w1.dot(&(k11 * w1)) + w2.dot(&(k22 * w2)) + 2.0 * w1.dot(&(k12 * w2));
        }
        Derivative::Analytic
    }

    fn multiplier_tangent(
        &self,
        _t: f64,
        q: &[f64],
        multipliers: &[f64],
        tangent: &mut Entries,
    ) -> Derivative {
        let (one, two) = (body(q, &[], 0), body(q, &[], 1));
        let force = |first: usize| {
            Vector3::new(multipliers[first], multipliers[first + 1], multipliers[first + 2])
        };
        let held = |b: &Body, s: &Vector3, f: Vector3| hat(s) * hat(&b.turn.rotate_back(&f));
        let mut blocks = [
            held(&one, &GROUND, force(0)) - held(&one, &JOINT[0], force(PIN)),
            Matrix3::zeros(),
            Matrix3::zeros(),
            held(&two, &JOINT[1], force(PIN)),
        ];
        blocks[0] += multipliers[DRIVE] * hat(&SIDE) * hat(&one.turn.rotate_back(&UP));
        for (k, across) in ACROSS.iter().enumerate() {
            let parts = dot_tangent(&one, &two, across, &AXIS);
            for (block, part) in blocks.iter_mut().zip(parts) {
                *block += multipliers[REVOLUTE + k] * part;
            }
        }
        for (block, (row, column)) in blocks.iter().zip([(3, 3), (3, 9), (9, 3), (9, 9)]) {
            tangent.add_block(row, column, block);
        }
        Derivative::Analytic
    }

    fn velocity_tangent(&self, _t: f64, q: &[f64], v: &[f64], out: &mut Entries) -> Derivative {
        let (one, two) = (body(q, v, 0), body(q, v, 1));
        let carried = |b: &Body, s: &Vector3| -b.turn.to_matrix() * hat(&b.omega.cross(s));
        out.add_block(0, 3, &carried(&one, &GROUND));
        let up = one.turn.rotate_back(&UP);
        add_row(out, DRIVE, 3, &(hat(&SIDE) * hat(&up)).tr_mul(&one.omega));
        out.add_block(PIN, 3, &-carried(&one, &JOINT[0]));
        out.add_block(PIN, 9, &carried(&two, &JOINT[1]));
        for (k, across) in ACROSS.iter().enumerate() {
            let [k11, k12, k21, k22] = dot_tangent(&one, &two, across, &AXIS);
            let (w1, w2) = (&one.omega, &two.omega);
            add_row(out, REVOLUTE + k, 3, &(k11.tr_mul(w1) + k21.tr_mul(w2)));
            add_row(out, REVOLUTE + k, 9, &(k12.tr_mul(w1) + k22.tr_mul(w2)));
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
