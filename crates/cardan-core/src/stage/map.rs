//! The relation of q, v and a at one instant: all that a method passes to the stage.
//!
//! The unknown p is scaled like an acceleration:
//!
//! ```text
//! q = q_ref ⊕ d,   d = d* + c_q p,   v = v* + c_v κ,   a = a* + c_a κ
//! κ = p                                        additive link (Newmark, HHT, BDF2 …), plain coordinates
//! κ = (T(d)(v* + c_v p) − v*)/c_v              chart link (LMS, SS, ESDIRK; c_q = c_v²), rotations
//! κ = T(d) p                                   correction link: a chart centred at the prediction of the chart link
//! ```
//! Newton solves for y with δθ = c_q y, the increment of the configuration itself, so that G and
//! the stiffness need no factor: δp = T⁻¹ y and δκ = S y with one 3×3 block S per rotation,
//! `T⁻¹` for the additive link and `(T + c_v L) T⁻¹` for the chart link.

use super::projection_metric::ProjectionMetric;
use crate::math::{Chart, Matrix3, Vector3, add_scaled, exponential};
use crate::stage::StageError;
use crate::system::{Space, System};

/// Iterations with which rates in a chart are found for an angular velocity: each is more accurate by half of the rotation
/// of a step.
const INVERSIONS: usize = 3;

/// How the velocity of a rotation follows from the chart coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VelocityLink {
    /// Velocities are combined as vectors.
    Additive,
    /// Ω = T(d) ḋ: the method acts on the chart coordinates.
    Chart,
    /// Ω = Ω⁽⁰⁾ + T(d) ḋ: the chart is centred at the prediction, with d = ḋ = 0 there.
    Correction,
}

/// Where the forces of a stage are balanced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ForceEvaluation {
    /// At the instant itself.
    AtStage,
    /// At the instant itself, but with M at another configuration (HHT-I3).
    OtherMass,
    /// At an earlier time and a known configuration, while the constraints are closed at the instant: v
    /// and a are those of the earlier time.
    Earlier {
        /// The earlier time.
        t: f64,
    },
}

impl ForceEvaluation {
    /// The time and configuration of the forces, for an instant at t and q.
    pub(super) fn point<'a>(self, t: f64, q: &'a [f64], elsewhere: &'a [f64]) -> (f64, &'a [f64]) {
        match self {
            Self::Earlier { t } => (t, elsewhere),
            Self::AtStage | Self::OtherMass => (t, q),
        }
    }

    /// Whether forces depend on the configuration that is solved for.
    pub(super) fn is_before(self) -> bool {
        matches!(self, Self::Earlier { .. })
    }
}

/// The coefficients and known parts of one instant; a method fills it before each stage.
#[derive(Clone, Debug)]
pub struct StageMap {
    /// The time of the instant.
    pub t: f64,
    /// The chart for rotations.
    pub chart: Chart,
    /// How velocities follow.
    pub link: VelocityLink,
    /// Whether the chart of rotations is centred at the starting values of Newton before the first correction.
    pub is_centred_at_prediction: bool,
    /// ∂d/∂p.
    pub c_q: f64,
    /// ∂v/∂κ.
    pub c_v: f64,
    /// ∂a/∂κ.
    pub c_a: f64,
    /// ∂z/∂ż.
    pub c_z: f64,
    /// The reference configuration of d.
    pub reference: Vec<f64>,
    /// d*.
    pub d: Vec<f64>,
    /// v*.
    pub v: Vec<f64>,
    /// a*.
    pub a: Vec<f64>,
    /// z* in z = z* + c_z ż.
    pub z: Vec<f64>,
    /// A known load on the left-hand side of the dynamics.
    pub load: Vec<f64>,
    /// Where forces are balanced.
    pub balance: ForceEvaluation,
    /// The configuration at which M or all forces are evaluated, if not at that of the instant.
    pub force_configuration: Vec<f64>,
    /// Baumgarte's rate ω: constraints on accelerations become Φ̈ + 2ω Φ̇ + ω² Φ = 0.
    pub baumgarte_rate: f64,
    /// The largest rotation within a step. Above π the logarithm of a step is another rotation; a
    /// method whose equations have no solution below π sets a smaller limit.
    pub rotation_limit: f64,
}

impl StageMap {
    /// A map for a space and a number of first-order states: everything known is zero.
    pub fn new(space: &Space, states: usize) -> Self {
        let zeros = || vec![0.0; space.velocities()];
        Self {
            t: 0.0,
            chart: Chart::Exponential,
            link: VelocityLink::Additive,
            is_centred_at_prediction: false,
            c_q: 0.0,
            c_v: 0.0,
            c_a: 1.0,
            c_z: 0.0,
            reference: space.neutral(),
            d: zeros(),
            v: zeros(),
            a: zeros(),
            z: vec![0.0; states],
            load: zeros(),
            balance: ForceEvaluation::AtStage,
            force_configuration: space.neutral(),
            baumgarte_rate: 0.0,
            rotation_limit: std::f64::consts::PI,
        }
    }

    /// A frozen instant: q and v given, only a, ż and λ unknown.
    pub(crate) fn freeze(&mut self, t: f64, q: &[f64], v: &[f64], z: &[f64]) {
        self.t = t;
        (self.chart, self.link) = (Chart::Exponential, VelocityLink::Additive);
        self.is_centred_at_prediction = false;
        (self.c_q, self.c_v, self.c_a, self.c_z) = (0.0, 0.0, 1.0, 0.0);
        self.reference.copy_from_slice(q);
        self.v.copy_from_slice(v);
        self.z.copy_from_slice(z);
        self.d.fill(0.0);
        self.a.fill(0.0);
        self.load.fill(0.0);
        self.balance = ForceEvaluation::AtStage;
        self.baumgarte_rate = 0.0;
    }

    /// The metric of a projection that avoids stiff directions, if the stage has an implicit relation of q, v and a.
    pub(crate) fn projection_metric(&self) -> ProjectionMetric {
        let Self { c_q, c_v, c_a, .. } = *self;
        match self.balance == ForceEvaluation::AtStage && c_q > 0.0 && c_v > 0.0 && c_a > 0.0 {
            true => ProjectionMetric::Stage { c_q: c_q / c_a, c_v: c_v / c_a },
            false => ProjectionMetric::Inertia,
        }
    }

    /// The rotation angle of a chart vector.
    pub(crate) fn angle(&self, length: f64) -> f64 {
        match self.chart {
            Chart::Exponential => length,
            Chart::Cayley => 2.0 * (0.5 * length).atan(),
        }
    }

    /// Centres the chart of every rotation at the predicted one, if the method asks for it: the relation of R, Ω and Ω̇ is then
    /// R = R⁽⁰⁾ ret(g), Ω = Ω⁽⁰⁾ + T(g) ġ and g = c ġ, as after (21) of Zhang, Zhang, Zanoni and Masarati 2022, there
    /// with rotation vectors in world axes. It depends on the prediction, and so does the solution.
    pub(super) fn centre_at_prediction(&mut self, space: &Space, p: &mut [f64]) {
        if !std::mem::take(&mut self.is_centred_at_prediction) || self.link != VelocityLink::Chart {
            return;
        }
        for rotation in space.rotations() {
            let (known, predicted) = (rotation.tangent(&self.v), rotation.tangent(p));
            let d = rotation.tangent(&self.d) + self.c_q * predicted;
            let omega = self.chart.tangent(&d) * (known + self.c_v * predicted);
            let a = rotation.tangent(&self.a) + self.c_a * (omega - known) / self.c_v;
            let turned = rotation.of(&self.reference) * self.chart.retract(&d);
            rotation.set(&mut self.reference, turned);
            rotation.set_tangent(&mut self.d, &Vector3::zeros());
            rotation.set_tangent(&mut self.v, &omega);
            rotation.set_tangent(&mut self.a, &a);
            rotation.set_tangent(p, &Vector3::zeros());
        }
        self.link = VelocityLink::Correction;
    }

    /// d = d* + c_q p.
    pub(crate) fn increment(&self, p: &[f64], d: &mut [f64]) {
        for ((d, known), p) in d.iter_mut().zip(&self.d).zip(p) {
            *d = known + self.c_q * p;
        }
    }

    /// κ(p), given d.
    pub(crate) fn kappa(&self, space: &Space, p: &[f64], d: &[f64], kappa: &mut [f64]) {
        kappa.copy_from_slice(p);
        if self.link == VelocityLink::Additive {
            return;
        }
        for rotation in space.rotations() {
            let known = rotation.tangent(&self.v);
            let turned = self.rotation_kappa(&known, &rotation.tangent(p), &rotation.tangent(d));
            rotation.set_tangent(kappa, &turned);
        }
    }

    /// κ of a rotation, given v*, p and d.
    #[inline(always)]
    pub(super) fn rotation_kappa(&self, known: &Vector3, p: &Vector3, d: &Vector3) -> Vector3 {
        match self.link {
            VelocityLink::Additive => *p,
            VelocityLink::Chart => {
                (self.chart.tangent(d) * (known + self.c_v * p) - known) / self.c_v
            }
            VelocityLink::Correction => self.chart.tangent(d) * p,
        }
    }

    /// κ⁻¹: accelerations become the unknowns p with which rotations have them, for a* = 0 and c_a = 1.
    pub(crate) fn unknowns_of_accelerations(&self, space: &Space, a: &mut [f64]) {
        if self.link == VelocityLink::Additive {
            return;
        }
        for rotation in space.rotations() {
            let (known, d) = (rotation.tangent(&self.v), rotation.tangent(&self.d));
            let mut p = rotation.tangent(a);
            let omega = known + self.c_v * p;
            for _ in 0..INVERSIONS {
                let inverse = self.chart.tangent_inverse(&(d + self.c_q * p));
                p = (inverse * omega - known) / self.c_v;
            }
            rotation.set_tangent(a, &p);
        }
    }

    /// v = v* + c_v κ, a = a* + c_a κ.
    pub(crate) fn motion(&self, kappa: &[f64], v: &mut [f64], a: &mut [f64]) {
        for ((v, known), k) in v.iter_mut().zip(&self.v).zip(kappa) {
            *v = known + self.c_v * k;
        }
        for ((a, known), k) in a.iter_mut().zip(&self.a).zip(kappa) {
            *a = known + self.c_a * k;
        }
    }

    /// The block S of every rotation, given p and d.
    pub(crate) fn blocks(&self, space: &Space, p: &[f64], d: &[f64], blocks: &mut [Matrix3]) {
        for (rotation, block) in space.rotations().iter().zip(blocks) {
            let g = rotation.tangent(d);
            let inverse = self.chart.tangent_inverse(&g);
            *block = match self.link {
                VelocityLink::Additive => inverse,
                VelocityLink::Chart => {
                    let rate = rotation.tangent(&self.v) + self.c_v * rotation.tangent(p);
                    let derivative = self.chart.tangent_derivative(&g, &rate);
                    (self.chart.tangent(&g) + self.c_v * derivative) * inverse
                }
                VelocityLink::Correction => {
                    let derivative = self.chart.tangent_derivative(&g, &rotation.tangent(p));
                    (self.chart.tangent(&g) + self.c_q * derivative) * inverse
                }
            };
        }
    }

    /// p += T⁻¹ y.
    pub(crate) fn correct(&self, space: &Space, d: &[f64], y: &[f64], p: &mut [f64]) {
        if space.rotations().is_empty() {
            return add_scaled(1.0, y, p);
        }
        for node in space.nodes() {
            for i in node.v..node.v + node.vector {
                p[i] += y[i];
            }
        }
        for rotation in space.rotations() {
            let inverse = self.chart.tangent_inverse(&rotation.tangent(d));
            let moved = rotation.tangent(p) + inverse * rotation.tangent(y);
            rotation.set_tangent(p, &moved);
        }
    }

    /// The length of a chart vector at the limit of rotations times a factor.
    pub(super) fn longest(&self, factor: f64) -> f64 {
        let limit = factor * self.rotation_limit;
        match self.chart {
            Chart::Exponential => limit,
            Chart::Cayley if limit < std::f64::consts::PI => 2.0 * (0.5 * limit).tan(),
            Chart::Cayley => f64::INFINITY,
        }
    }

    /// An error if the rotation of a step exceeds the limit times a factor.
    pub(crate) fn check_rotations(
        &self,
        system: &dyn System,
        space: &Space,
        d: &[f64],
        factor: f64,
    ) -> Result<(), StageError> {
        let longest = self.longest(factor);
        let overturned = space.rotations().iter().find_map(|rotation| {
            let length = rotation.tangent(d).norm();
            (length > longest).then(|| (rotation.v, self.angle(length)))
        });
        match overturned {
            None => Ok(()),
            Some((coordinate, angle)) => Err(StageError::RotationPerStep {
                name: system.rotation_name(coordinate),
                angle,
                limit: self.rotation_limit,
                chart: self.chart,
            }),
        }
    }
}

/// `q ← q ⊕ d` in place, in the exponential chart.
pub(crate) fn move_by(space: &Space, q: &mut [f64], d: &[f64]) {
    for node in space.nodes() {
        for i in 0..node.vector {
            q[node.q + i] += d[node.v + i];
        }
    }
    for rotation in space.rotations() {
        let turned = rotation.of(q) * exponential::retract(&rotation.tangent(d));
        rotation.set(q, turned);
    }
}
