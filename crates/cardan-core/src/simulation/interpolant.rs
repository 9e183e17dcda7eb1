//! Interpolation between two instants.

use crate::math::{Chart, Vector3, exponential};
use crate::methods::{StageNodes, StageRecord};
use crate::stage::Formulation;
use crate::state::Instant;
use crate::system::{Evaluator, RotationIndex, System};

/// The motion between two instants.
///
/// ```text
/// q   on the group: the polynomial of a chart centred at the start of the step, through q and v of both ends
///     (cubic), for methods of third and higher order through a as well (quintic)
/// v   its derivative
/// a   the derivative of the cubic through v and a of both ends
/// z   the cubic through z and ż of both ends
/// λ   the polynomial through both ends, and through earlier instants or an inner stage as the order of the method
///     requires
/// ```
/// q and v (a, z and λ too) are those of the instants at both ends: from step to step everything is continuous.
#[derive(Clone, Copy)]
pub struct Interpolant<'a> {
    pub(super) system: &'a dyn System,
    pub(super) evaluator: &'a Evaluator,
    pub(super) from: &'a Instant,
    pub(super) to: &'a Instant,
    pub(super) order: u32,
    pub(super) formulation: Formulation,
    pub(super) nodes: Option<StageNodes<'a>>,
    pub(super) records: &'a [StageRecord],
    /// Instants before `from`, the latest first.
    pub(super) earlier: &'a [Instant],
}

/// From this order on the second derivatives at both ends are used.
const QUINTIC: u32 = 3;
/// The largest number of points for multipliers, in addition to the ends.
const POINTS: usize = 3;
/// The smallest distance of an inner stage from both ends, as a fraction of the step.
const INNER: f64 = 0.2;

/// Points and weights of Lobatto on [0, 1]: exact for polynomials of degree five.
const LOBATTO: [(f64, f64); 4] = [
    (0.0, 1.0 / 12.0),
    (0.276_393_202_250_021, 5.0 / 12.0),
    (0.723_606_797_749_979, 5.0 / 12.0),
    (1.0, 1.0 / 12.0),
];

/// A point at which an integrand is evaluated.
#[derive(Clone, Copy, Debug)]
pub enum QuadratureNode<'a> {
    /// An earlier instant, by its number among the known ones.
    Known(usize),
    /// The end of the step.
    End,
    /// An instant within the step.
    Between(&'a Instant),
}

impl<'a> Interpolant<'a> {
    /// The first instant.
    pub fn from(&self) -> &'a Instant {
        self.from
    }

    /// The last instant.
    pub fn to(&self) -> &'a Instant {
        self.to
    }

    /// The motion at a time. Times outside of the step are extrapolated.
    pub fn at(&self, t: f64) -> Instant {
        let mut out = self.from.clone();
        self.write(t, &mut out);
        out
    }

    /// Writes the motion at a time into an existing instant.
    pub fn write(&self, t: f64, out: &mut Instant) {
        let Self { from, to, .. } = *self;
        out.copy_from(from);
        out.t = t;
        let h = to.t - from.t;
        let basis = HermiteBasis::new((t - from.t) / h, h, self.order >= QUINTIC);
        for node in self.evaluator.space().nodes() {
            for i in 0..node.vector {
                let (q, v) = (node.q + i, node.v + i);
                // increments from the start of the step, to avoid round-off
                let end = [to.q[q] - from.q[q], to.v[v], to.a[v]];
                let [moved, rate] = basis.apply([from.v[v], from.a[v]], end);
                out.q[q] += moved;
                out.v[v] = rate;
            }
        }
        for rotation in self.evaluator.space().rotations() {
            self.turn(&basis, h, rotation, out);
        }
        for (i, a) in out.a.iter_mut().enumerate() {
            // a is the rate of v, also in body axes
            *a = basis.slope(from.a[i], to.v[i] - from.v[i], to.a[i]);
        }
        let cubic = HermiteBasis::new((t - from.t) / h, h, false);
        for (i, z) in out.z.iter_mut().enumerate() {
            let end = [to.z[i] - from.z[i], to.rates[i], 0.0];
            let [more, rate] = cubic.apply([from.rates[i], 0.0], end);
            *z += more;
            out.rates[i] = rate;
        }
        self.multipliers(t, out);
        let share = (t - from.t) / h;
        for (mu, (one, two)) in out
            .stabilization_multipliers
            .iter_mut()
            .zip(from.stabilization_multipliers.iter().zip(&to.stabilization_multipliers))
        {
            *mu = one + share * (two - one);
        }
        self.evaluator.count(self.system, t - from.t, out);
    }

    /// A rotation in the exponential chart.
    fn turn(&self, basis: &HermiteBasis, h: f64, rotation: &RotationIndex, out: &mut Instant) {
        let Self { from, to, .. } = *self;
        let chart = Chart::Exponential;
        let [omega0, omega1] = [from, to].map(|at| rotation.tangent(&at.v));
        let [spin0, spin1] = [from, to].map(|at| rotation.tangent(&at.a));
        let turned = rotation.of(&from.q).conjugate() * rotation.of(&to.q);
        // the rotation may exceed half a turn
        let expected = 0.5 * h * (omega0 + omega1);
        let g1 = exponential::nearest(&chart.inverse(turned), &expected);
        let inverse = chart.tangent_inverse(&g1);
        let rate1 = inverse * omega1;
        let second1 = inverse * (spin1 - chart.tangent_derivative(&g1, &rate1) * rate1);
        let [mut g, mut rate] = [Vector3::zeros(); 2];
        for i in 0..3 {
            let end = [g1[i], rate1[i], second1[i]];
            [g[i], rate[i]] = basis.apply([omega0[i], spin0[i]], end);
        }
        rotation.set(&mut out.q, rotation.of(&from.q) * chart.retract(&g));
        rotation.set_tangent(&mut out.v, &(chart.tangent(&g) * rate));
    }

    /// The multipliers: Lagrange's polynomial through the nearest known values.
    fn multipliers(&self, t: f64, out: &mut Instant) {
        let Self { from, to, .. } = *self;
        if out.multipliers.is_empty() {
            return;
        }
        let mut points: [(f64, &[f64]); POINTS + 2] = [(0.0, &[]); POINTS + 2];
        points[0] = (from.t, &from.multipliers);
        points[1] = (to.t, &to.multipliers);
        let mut count = 2;
        let wanted = (self.order as usize).clamp(2, POINTS + 2);
        if let Some((share, record)) = self.inner_stage().filter(|_| wanted > 2) {
            points[2] = (from.t + share * (to.t - from.t), &record.multipliers);
            count = 3;
        } else {
            for past in self.earlier.iter().take(wanted - 2) {
                points[count] = (past.t, &past.multipliers);
                count += 1;
            }
        }
        let points = &points[..count];
        out.multipliers.fill(0.0);
        for (k, (time, values)) in points.iter().enumerate() {
            let others = points.iter().enumerate().filter(|(j, _)| *j != k);
            let weight: f64 = others.map(|(_, (other, _))| (t - other) / (time - other)).product();
            for (multiplier, value) in out.multipliers.iter_mut().zip(*values) {
                *multiplier += weight * value;
            }
        }
    }

    /// The stage nearest to the middle of the step, if its multipliers have the order of those at the ends.
    fn inner_stage(&self) -> Option<(f64, &'a StageRecord)> {
        // with position constraints multipliers of stages have a lower order than those at the ends
        let is_good = |nodes: &StageNodes<'_>| {
            nodes.stage_order > 1 && self.formulation == Formulation::Acceleration
        };
        let nodes = self.nodes.filter(is_good)?;
        let stages = nodes.abscissae.iter().copied().zip(self.records);
        let inner = stages.filter(|(c, _)| *c > INNER && *c < 1.0 - INNER);
        inner.min_by(|a, b| (a.0 - 0.5).abs().total_cmp(&(b.0 - 0.5).abs()))
    }

    /// Calls `visit` with weights, in seconds, and points: the sum of weight · f(point) is the integral of f over the
    /// step, to the order of the method. The points are the stages of the method, if it has any; Lobatto points for
    /// other methods of fourth order or more; else the end and earlier instants, where f is known already: `known` has
    /// their times, the latest first, which is the start of the step. If it is an earlier one, the integral is over
    /// all steps since then. `scratch` is overwritten.
    pub fn integrate(
        &self,
        known: &[f64],
        scratch: &mut Instant,
        mut visit: impl FnMut(f64, QuadratureNode<'_>),
    ) {
        let h = self.to.t - self.from.t;
        let is_whole = known.first() == Some(&self.from.t);
        if let Some(nodes) = self.nodes.filter(|_| is_whole) {
            visit(h * nodes.weights[0], QuadratureNode::Known(0));
            let stages = nodes.abscissae.iter().zip(nodes.weights).zip(self.records).skip(1);
            for ((c, weight), record) in stages.filter(|((_, weight), _)| **weight != 0.0) {
                self.stage(nodes.chart, c * h, record, scratch);
                visit(h * weight, QuadratureNode::Between(scratch));
            }
        } else if self.order < QUINTIC || !is_whole {
            let (times, count) = spaced(self.to.t, known);
            let times = &times[..count];
            for k in 0..count {
                let place = if k == 0 { QuadratureNode::End } else { QuadratureNode::Known(k - 1) };
                visit(last_interval(times, k), place);
            }
        } else {
            let [(_, first), inner @ .., (_, last)] = LOBATTO;
            visit(h * first, QuadratureNode::Known(0));
            for (share, weight) in inner {
                self.write(self.from.t + share * h, scratch);
                visit(h * weight, QuadratureNode::Between(scratch));
            }
            visit(h * last, QuadratureNode::End);
        }
    }

    /// Writes the instant of a stage at the time `after` from the start.
    fn stage(&self, chart: Chart, after: f64, record: &StageRecord, out: &mut Instant) {
        out.copy_from(self.from);
        out.t += after;
        let space = self.evaluator.space();
        space.retract(chart, &self.from.q, &record.g, &mut out.q);
        out.v.copy_from_slice(&record.rate);
        for rotation in space.rotations() {
            let g = rotation.tangent(&record.g);
            rotation.set_tangent(&mut out.v, &(chart.tangent(&g) * rotation.tangent(&record.rate)));
        }
        out.a.copy_from_slice(&record.a);
        out.z.copy_from_slice(&record.z);
        out.rates.copy_from_slice(&record.rates);
        out.multipliers.copy_from_slice(&record.multipliers);
        self.evaluator.count(self.system, after, out);
    }
}

/// Hermite's polynomials at one point, for functions that are zero at the start.
struct HermiteBasis {
    /// Factors of (v₀, a₀, g₁, v₁, a₁) for the value and the slope.
    factors: [[f64; 5]; 2],
    /// Factors of (v₀, g₁, v₁) for the slope of the cubic.
    cubic_slope: [f64; 3],
}

impl HermiteBasis {
    fn new(s: f64, h: f64, is_quintic: bool) -> Self {
        let cubic_slope =
            [(1.0 - s) * (1.0 - 3.0 * s), 6.0 * s * (1.0 - s) / h, s * (3.0 * s - 2.0)];
        let factors = match is_quintic {
            false => {
                let [v0, g1, v1] = cubic_slope;
                let value =
                    [h * s * (1.0 - s).powi(2), s * s * (3.0 - 2.0 * s), h * s * s * (s - 1.0)];
                [[value[0], 0.0, value[1], value[2], 0.0], [v0, 0.0, g1, v1, 0.0]]
            }
            true => {
                let (s2, s3) = (s * s, s * s * s);
                let (s4, s5) = (s2 * s2, s2 * s3);
                [
                    [
                        h * (s - 6.0 * s3 + 8.0 * s4 - 3.0 * s5),
                        h * h * 0.5 * (s2 - 3.0 * s3 + 3.0 * s4 - s5),
                        10.0 * s3 - 15.0 * s4 + 6.0 * s5,
                        h * (-4.0 * s3 + 7.0 * s4 - 3.0 * s5),
                        h * h * 0.5 * (s3 - 2.0 * s4 + s5),
                    ],
                    [
                        1.0 - 18.0 * s2 + 32.0 * s3 - 15.0 * s4,
                        h * 0.5 * (2.0 * s - 9.0 * s2 + 12.0 * s3 - 5.0 * s4),
                        (30.0 * s2 - 60.0 * s3 + 30.0 * s4) / h,
                        -12.0 * s2 + 28.0 * s3 - 15.0 * s4,
                        h * 0.5 * (3.0 * s2 - 8.0 * s3 + 5.0 * s4),
                    ],
                ]
            }
        };
        Self { factors, cubic_slope }
    }

    /// Value and slope, from the slope and the second derivative at the start, and the value, slope and
    /// second derivative at the end.
    fn apply(&self, [v0, a0]: [f64; 2], [g1, v1, a1]: [f64; 3]) -> [f64; 2] {
        self.factors.each_ref().map(|f| f[0] * v0 + f[1] * a0 + f[2] * g1 + f[3] * v1 + f[4] * a1)
    }

    /// The slope of the cubic that begins with a slope v₀ and ends at g₁ with a slope v₁.
    fn slope(&self, v0: f64, g1: f64, v1: f64) -> f64 {
        let [begin, end, slope] = self.cubic_slope;
        begin * v0 + end * g1 + slope * v1
    }
}

/// The smallest distance of earlier times, as a fraction of the last interval: nearer ones would have large weights.
const APART: f64 = 0.25;

/// The end and up to three earlier times.
fn spaced(end: f64, known: &[f64]) -> ([f64; 4], usize) {
    let (mut times, mut count) = ([end; 4], 1);
    for &time in known {
        let least = APART * (end - known[0]);
        if count == times.len() || times[count - 1] - time < least {
            break;
        }
        times[count] = time;
        count += 1;
    }
    (times, count)
}

/// The weight of a time in the integral, over the interval between the first two of them, of the polynomial through
/// all times.
fn last_interval(times: &[f64], k: usize) -> f64 {
    let &[to, from, ..] = times else { return 0.0 };
    // two Gauss points are exact for cubics
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let basis = |t: f64| -> f64 {
        let others = times.iter().enumerate().filter(|(j, _)| *j != k);
        others.map(|(_, other)| (t - other) / (times[k] - other)).product()
    };
    let aside = half / 3.0_f64.sqrt();
    half * (basis(middle - aside) + basis(middle + aside))
}
