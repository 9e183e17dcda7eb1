//! A planar mechanism of bodies, pins and one spring, written by hand with every tangent; and
//! Andrews' squeezer made of it: 21 coordinates and 20 constraints.

use super::Problem;
use crate::linalg::Entries;
use crate::simulation::Initial;
use crate::system::{Derivative, ForceTangent, Point, Space, System};

type Vector2 = nalgebra::Vector2<f64>;

/// A body with coordinates (x, y, θ) of its centre of mass.
pub struct Body {
    mass: f64,
    inertia: f64,
}

/// A point on a body, or on the ground.
#[derive(Clone, Copy)]
enum Anchor {
    Ground(Vector2),
    On { body: usize, at: Vector2 },
}

/// Two points that stay together.
struct Pin {
    name: &'static str,
    ends: [Anchor; 2],
}

/// A linear spring between two points.
struct Spring {
    ends: [Anchor; 2],
    stiffness: f64,
    length: f64,
}

/// A planar mechanism.
pub struct PlanarMechanism {
    bodies: Vec<Body>,
    pins: Vec<Pin>,
    spring: Spring,
    /// A constant torque on the first body.
    torque: f64,
}

/// The bodies where they are, their angles' sines and cosines computed once.
struct Placed<'a> {
    q: &'a [f64],
    turns: [(f64, f64); MOST_BODIES],
}

const MOST_BODIES: usize = 8;

impl<'a> Placed<'a> {
    fn new(q: &'a [f64]) -> Self {
        let mut turns = [(0.0, 1.0); MOST_BODIES];
        for (turn, body) in turns.iter_mut().zip(q.chunks_exact(3)) {
            *turn = body[2].sin_cos();
        }
        Self { q, turns }
    }

    /// The arm from a body's centre to an anchor on it.
    fn arm(&self, anchor: Anchor) -> Vector2 {
        match anchor {
            Anchor::Ground(_) => Vector2::zeros(),
            Anchor::On { body, at } => turned(self.turns[body], at),
        }
    }

    /// Where an anchor is.
    fn point(&self, anchor: Anchor) -> Vector2 {
        match anchor {
            Anchor::Ground(at) => at,
            Anchor::On { body, .. } => {
                Vector2::new(self.q[3 * body], self.q[3 * body + 1]) + self.arm(anchor)
            }
        }
    }
}

/// A vector turned by an angle given by its sine and cosine.
fn turned((sine, cosine): (f64, f64), at: Vector2) -> Vector2 {
    Vector2::new(cosine * at.x - sine * at.y, sine * at.x + cosine * at.y)
}

/// The derivative of a turned arm with respect to the angle.
fn across(arm: Vector2) -> Vector2 {
    Vector2::new(-arm.y, arm.x)
}

impl PlanarMechanism {
    /// The spring's vector from its first to its second end, and both arms.
    fn stretch(&self, q: &[f64]) -> (Vector2, [Vector2; 2]) {
        let [(a, arm_a), (b, arm_b)] = self.spring.ends.map(|end| match end {
            Anchor::Ground(at) => (at, Vector2::zeros()),
            Anchor::On { body, at } => {
                let arm = turned(q[3 * body + 2].sin_cos(), at);
                (Vector2::new(q[3 * body], q[3 * body + 1]) + arm, arm)
            }
        });
        (b - a, [arm_a, arm_b])
    }

    /// The bodies a pair of anchors lies on, with the sign of each.
    fn sides(ends: &[Anchor; 2]) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        ends.iter().zip([-1.0, 1.0]).enumerate().filter_map(|(k, (end, sign))| match end {
            Anchor::On { body, .. } => Some((k, *body, sign)),
            Anchor::Ground(_) => None,
        })
    }
}

impl System for PlanarMechanism {
    fn space(&self) -> Space {
        self.bodies.iter().fold(Space::default(), |space, _| space.then(Space::vector(3)))
    }

    fn mass(&self, _q: &[f64], mass: &mut Entries) {
        for (i, body) in self.bodies.iter().enumerate() {
            mass.add(3 * i, 3 * i, body.mass);
            mass.add(3 * i + 1, 3 * i + 1, body.mass);
            mass.add(3 * i + 2, 3 * i + 2, body.inertia);
        }
    }

    fn mass_is_constant(&self) -> bool {
        true
    }

    fn force(&self, at: &Point<'_>, force: &mut [f64]) {
        force[2] += self.torque;
        let (stretch, arms) = self.stretch(at.q);
        let length = stretch.norm();
        let pull = self.spring.stiffness * (1.0 - self.spring.length / length) * stretch;
        for (k, body, sign) in Self::sides(&self.spring.ends) {
            force[3 * body] -= sign * pull.x;
            force[3 * body + 1] -= sign * pull.y;
            force[3 * body + 2] -= sign * across(arms[k]).dot(&pull);
        }
    }

    fn force_tangent(&self, at: &Point<'_>, tangent: &mut ForceTangent<'_>) -> Derivative {
        let (stretch, arms) = self.stretch(at.q);
        let (k, ratio) = (self.spring.stiffness, self.spring.length / stretch.norm());
        let along = stretch.normalize();
        let pull = k * (1.0 - ratio) * stretch;
        // ∂pull/∂stretch = k [(1 − l₀/l) I + l₀/l n nᵀ]
        let gradient =
            k * ((1.0 - ratio) * nalgebra::Matrix2::identity() + ratio * along * along.transpose());
        for (i, row, row_sign) in Self::sides(&self.spring.ends) {
            for (j, column, column_sign) in Self::sides(&self.spring.ends) {
                let sign = row_sign * column_sign;
                let (lever_i, lever_j) = (across(arms[i]), across(arms[j]));
                let turned = gradient * lever_j;
                let (r, c) = (3 * row, 3 * column);
                for a in 0..2 {
                    for b in 0..2 {
                        tangent.stiffness.add(r + a, c + b, sign * gradient[(a, b)]);
                    }
                    tangent.stiffness.add(r + a, c + 2, sign * turned[a]);
                    tangent.stiffness.add(r + 2, c + a, sign * (gradient * lever_i)[a]);
                }
                let own = if i == j { -row_sign * arms[i].dot(&pull) } else { 0.0 };
                tangent.stiffness.add(r + 2, c + 2, sign * lever_i.dot(&turned) + own);
            }
        }
        Derivative::Analytic
    }

    fn holonomic(&self) -> usize {
        2 * self.pins.len()
    }

    fn constraint(&self, _t: f64, q: &[f64], phi: &mut [f64]) {
        let placed = Placed::new(q);
        for (pin, phi) in self.pins.iter().zip(phi.chunks_exact_mut(2)) {
            let gap = placed.point(pin.ends[1]) - placed.point(pin.ends[0]);
            phi.copy_from_slice(gap.as_slice());
        }
    }

    fn jacobian(&self, _t: f64, q: &[f64], jacobian: &mut Entries) {
        let placed = Placed::new(q);
        for (row, pin) in self.pins.iter().enumerate() {
            for (k, body, sign) in Self::sides(&pin.ends) {
                let lever = across(placed.arm(pin.ends[k]));
                for axis in 0..2 {
                    jacobian.add(2 * row + axis, 3 * body + axis, sign);
                    jacobian.add(2 * row + axis, 3 * body + 2, sign * lever[axis]);
                }
            }
        }
    }

    fn constraint_rate(&self, _t: f64, _q: &[f64], _rate: &mut [f64]) -> Derivative {
        Derivative::Analytic
    }

    fn acceleration_term(&self, _t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Derivative {
        let placed = Placed::new(q);
        for (pin, out) in self.pins.iter().zip(out.chunks_exact_mut(2)) {
            for (k, body, sign) in Self::sides(&pin.ends) {
                let (arm, rate) = (placed.arm(pin.ends[k]), v[3 * body + 2]);
                out[0] -= sign * arm.x * rate * rate;
                out[1] -= sign * arm.y * rate * rate;
            }
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
        let placed = Placed::new(q);
        for (pin, force) in self.pins.iter().zip(multipliers.chunks_exact(2)) {
            for (k, body, sign) in Self::sides(&pin.ends) {
                let arm = placed.arm(pin.ends[k]);
                let value = -sign * (arm.x * force[0] + arm.y * force[1]);
                tangent.add(3 * body + 2, 3 * body + 2, value);
            }
        }
        Derivative::Analytic
    }

    fn velocity_tangent(&self, _t: f64, q: &[f64], v: &[f64], out: &mut Entries) -> Derivative {
        let placed = Placed::new(q);
        for (row, pin) in self.pins.iter().enumerate() {
            for (k, body, sign) in Self::sides(&pin.ends) {
                let (arm, rate) = (placed.arm(pin.ends[k]), v[3 * body + 2]);
                for axis in 0..2 {
                    out.add(2 * row + axis, 3 * body + 2, -sign * arm[axis] * rate);
                }
            }
        }
        Derivative::Analytic
    }

    fn potential_energy(&self, _t: f64, q: &[f64]) -> Option<f64> {
        let stretch = self.stretch(q).0.norm() - self.spring.length;
        Some(0.5 * self.spring.stiffness * stretch * stretch - self.torque * q[2])
    }

    fn coordinate_name(&self, i: usize) -> String {
        format!("body {} ({})", i / 3 + 1, ["x", "y", "angle"][i % 3])
    }

    fn constraint_name(&self, i: usize) -> String {
        format!("pin {} ({})", self.pins[i / 2].name, ["x", "y"][i % 2])
    }
}

/// Andrews' squeezer, with the data and the start of the IVP test set; the first body is the crank
/// O–F, whose angle is β.
pub fn andrews() -> Problem {
    let masses = [0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498];
    let inertias = [2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5];
    let (a, b, c) = ([-0.06934, -0.00227], [-0.03635, 0.03273], [0.014, 0.072]);
    let (d, da, e, ea, rr, ra) = (0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092);
    let (ss, sa, sb, sc, sd) = (0.035, 0.01874, 0.01043, 0.018, 0.02);
    let (ta, tb, u, ua, ub) = (0.02308, 0.00916, 0.04, 0.01228, 0.00449);
    let (zf, zt, fa) = (0.02, 0.04, 0.01421);

    // points in the axes of their bodies, from the centres of mass
    let on = |body: usize, x: f64, y: f64| Anchor::On { body, at: Vector2::new(x, y) };
    let ground = |at: [f64; 2]| Anchor::Ground(Vector2::new(at[0], at[1]));
    let pin = |name, one, two| Pin { name, ends: [one, two] };
    let ef_e = on(1, da - d, 0.0);
    let pins = vec![
        pin("O", ground([0.0, 0.0]), on(0, -ra, 0.0)),
        pin("F", on(0, rr - ra, 0.0), on(1, da, 0.0)),
        pin("E (EF–BDE)", ef_e, on(2, -sb, sa - ss)),
        pin("E (EF–EG)", ef_e, on(3, 0.0, -ea)),
        pin("E (EF–HE)", ef_e, on(5, fa, 0.0)),
        pin("B", ground(b), on(2, -sb, sa)),
        pin("G", on(3, 0.0, e - ea), on(4, zt - ta, -tb)),
        pin("A (AG)", ground(a), on(4, -ta, -tb)),
        pin("H", on(5, fa - zf, 0.0), on(6, ub, ua - u)),
        pin("A (AH)", ground(a), on(6, ub, ua)),
    ];
    let spring =
        Spring { ends: [ground(c), on(2, sd - sb, sa - sc)], stiffness: 4530.0, length: 0.07785 };

    // angles: β, β + Θ, γ, Φ + δ, δ, Ω + ε, ε
    let (beta, gamma, delta) = (-0.0617138900142764496, 0.455279819163070380, 0.487364979543842550);
    let (phi, epsilon) = (0.222668390165885885, 1.230547444549821192);
    let angles = [beta, beta, gamma, phi + delta, delta, epsilon - phi, epsilon];
    // each centre follows from a pin whose other end is already placed
    let mut q = vec![0.0; 21];
    for (body, angle) in angles.iter().enumerate() {
        q[3 * body + 2] = *angle;
    }
    for (body, pin) in [(0, 0), (1, 1), (2, 5), (4, 7), (3, 6), (6, 9), (5, 8)] {
        let ends: &[Anchor; 2] = &pins[pin].ends;
        let own = ends.iter().position(|e| matches!(e, Anchor::On { body: b, .. } if *b == body));
        let own = own.unwrap_or(0);
        let placed = Placed::new(&q);
        let (target, arm) = (placed.point(ends[1 - own]), placed.arm(ends[own]));
        (q[3 * body], q[3 * body + 1]) = (target.x - arm.x, target.y - arm.y);
    }
    let bodies = masses.iter().zip(inertias).map(|(&mass, inertia)| Body { mass, inertia });
    Problem {
        name: "andrews",
        tests: "a planar mechanism with closed loops, 41 unknowns",
        initial: Initial::new(&q, &[0.0; 21]),
        system: Box::new(PlanarMechanism { bodies: bodies.collect(), pins, spring, torque: 0.033 }),
        conservative: true,
    }
}
