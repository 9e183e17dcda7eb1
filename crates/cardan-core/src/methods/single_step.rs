//! Single-step forms of the multistep methods, SS2–SS4 (Zhang, Zhang and Masarati 2021), written
//! without complex numbers.
//!
//! Each keeps r real vectors in addition to y, updated with u = ẏ; from the r-th step on y is that of LMSr:
//!
//! ```text
//! m₊ = n₀ u₊ + s₁,   sᵢ₊ = nᵢ u₊ − dᵢ m₊ + sᵢ₊₁   (i = 1 … r − 1, s_r = 0)
//! y₊ = y + h [(1 − g) m + g m₊],   g = 1/(1 + ρ)
//! ```
//! n and d are the coefficients of (gE + 1 − g)^(r−1) and of D = 1 + e₁(E − 1) + … in powers of the
//! shift E, over the leading one of D; e₁ … are the symmetric functions of the papers' γ₁, γ₃ ….
//! Rotations update the recursion with Ω and use a chart centred at the current instant.
//!
//! The printed start m = u leaves an error in the multipliers that does not shrink with h. The one
//! used here begins at m = u + (½ − g) h u̇ for positions, as if u had moved along a line before.

use super::info::{MethodInfo, NOT_PROJECTED, Stability};
use super::parameters::{Parameter, ParameterDomain, RHO, chart, predictor, startup};
use super::predictor::Predictor;
use super::{AuxiliaryKind, Method, MethodStart, MethodStorage, ParameterValues, Step, StepEnd};
use crate::math::{Chart, add_scaled};
use crate::stage::Formulation;
use crate::stage::StageError;
use crate::stage::VelocityLink;
use crate::state::{AuxiliaryVector, MethodHistory};

/// The members.
pub(super) const MEMBERS: &[MethodInfo] = &[
    MethodInfo {
        name: "ss2",
        title: "single-step form of lms2",
        build: |values| Ok(SingleStep::boxed(2, values)),
        ..FAMILY
    },
    MethodInfo {
        name: "ss3",
        title: "single-step form of lms3",
        build: |values| Ok(SingleStep::boxed(3, values)),
        ..FAMILY
    },
    MethodInfo {
        name: "ss4",
        title: "single-step form of lms4",
        build: |values| Ok(SingleStep::boxed(4, values)),
        ..FAMILY
    },
];

/// The fields that all members share.
const FAMILY: MethodInfo = MethodInfo {
    name: "",
    aliases: &[],
    family: "single-step",
    title: "",
    order: 2,
    chart: Chart::Cayley,
    stability: Stability::A,
    parameters: &[
        RHO,
        startup(&["corrected", "printed"]),
        chart(&["cayley", "exponential", "printed"]),
        predictor(&["constant", "linear", "printed"]),
        AXES,
    ],
    formulations: NOT_PROJECTED,
    refuses: &[],
    multipliers_between: 2,
    variable_step: false,
    typical_use: "as the multistep method it equals, when only one earlier instant may be kept",
    source: "Zhang, Zhang, Masarati 2021; Zhang, Zhang, Zanoni, Masarati 2022; real form",
    build: |values| Ok(SingleStep::boxed(2, values)),
};

/// The parameter `axes`.
const AXES: Parameter = Parameter {
    name: "axes",
    domain: ParameterDomain::Word(&["body", "world"]),
    meaning: "in which axes ss2 to ss4 add up angular velocities of several instants: `body`, or `world` as in the paper",
};

/// The largest number of vectors of a recursion: m, s₁, s₂, s₃.
const MAX_VECTORS: usize = 4;

/// Names of the vectors of the three recursions: of rates, of accelerations, of first-order states.
const NAMES: [[&str; MAX_VECTORS]; 3] = [
    ["mean rate", "rate 1", "rate 2", "rate 3"],
    ["mean acceleration", "acceleration 1", "acceleration 2", "acceleration 3"],
    ["mean state rate", "state rate 1", "state rate 2", "state rate 3"],
];

/// The formula with its coefficients.
#[derive(Clone, Debug)]
struct SingleStep {
    /// Number of vectors of each recursion.
    r: usize,
    /// g.
    weight: f64,
    /// n₀ … n_{r−1}.
    n: [f64; MAX_VECTORS],
    /// d₁ … d_{r−1}; the first is one and not used.
    d: [f64; MAX_VECTORS],
    radius: f64,
    is_printed: bool,
    chart: Chart,
    /// Whether the chart is centred at the prediction while the step is solved.
    corrects_at_prediction: bool,
    /// Whether rates of rotations are added up in world axes.
    is_in_world_axes: bool,
    predictor: Predictor,
}

impl SingleStep {
    fn boxed(r: usize, values: &ParameterValues) -> Box<dyn Method> {
        let rho = values.get("rho");
        // at ρ = 1 all means are the rates themselves: the trapezoidal rule
        let r = if rho == 1.0 { 1 } else { r };
        let g = 1.0 / (1.0 + rho);
        let symmetric: &[f64] = &match r {
            1 => vec![],
            2 => vec![0.5 * (3.0 - rho) * g],
            3 => vec![0.5 * (5.0 - rho) * g, (rho * rho - 5.0 * rho + 10.0) * g * g / 6.0],
            _ => vec![
                0.5 * (7.0 - rho) * g,
                (rho * rho - 7.0 * rho + 21.0) * g * g / 5.0,
                (-rho.powi(3) + 7.0 * rho * rho - 21.0 * rho + 35.0) * g.powi(3) / 20.0,
            ],
        };
        // D in powers of E, lowest first, and the binomial
        let (mut below, mut above) = ([0.0; MAX_VECTORS], [0.0; MAX_VECTORS]);
        let mut power = vec![1.0];
        let mut binomial = vec![1.0];
        below[0] = 1.0;
        for e in symmetric {
            power = times(&power, -1.0, 1.0);
            binomial = times(&binomial, 1.0 - g, g);
            for (below, power) in below.iter_mut().zip(&power) {
                *below += e * power;
            }
        }
        above[..binomial.len()].copy_from_slice(&binomial);
        let leading = below[r - 1];
        let highest_first = |of: [f64; MAX_VECTORS]| {
            std::array::from_fn(|i| if i < r { of[r - 1 - i] / leading } else { 0.0 })
        };
        Box::new(Self {
            r,
            weight: g,
            n: highest_first(above),
            d: highest_first(below),
            radius: rho,
            is_printed: values.word("startup") == "printed",
            chart: values.chart(),
            corrects_at_prediction: values.word("chart") == "printed",
            is_in_world_axes: values.word("axes") == "world",
            predictor: Predictor::of(values.word("predictor")),
        })
    }

    /// The vectors of one recursion.
    fn of(&self, level: usize, index: usize) -> usize {
        level * self.r + index
    }

    /// h [(1 − g) m + g s₁], the known part of the next increment.
    fn known(&self, auxiliary: &[Vec<f64>], level: usize, h: f64, sum: &mut [f64]) {
        let mean = &auxiliary[self.of(level, 0)];
        add_scaled(h * (1.0 - self.weight), mean, sum);
        if self.r > 1 {
            add_scaled(h * self.weight, &auxiliary[self.of(level, 1)], sum);
        }
    }

    /// Expresses the rates of rotations, which are in body axes of the current instant, in those of the next one: they are then
    /// added up as in world axes.
    fn turn(&self, step: &mut Step<'_>) {
        for rotation in step.evaluator.space().rotations() {
            let turned = rotation.of(&step.next.q).conjugate() * rotation.of(&step.now.q);
            for vector in &mut step.auxiliary[self.of(0, 0)..self.of(0, self.r)] {
                let value = turned.rotate(&rotation.tangent(vector));
                rotation.set_tangent(vector, &value);
            }
        }
    }

    /// Updates a recursion with the new rates.
    fn feed(&self, auxiliary: &mut [Vec<f64>], level: usize, rates: &[f64]) {
        for (k, u) in rates.iter().enumerate() {
            let ahead = |auxiliary: &[Vec<f64>], i: usize| match i < self.r {
                true => auxiliary[self.of(level, i)][k],
                false => 0.0,
            };
            let mean = self.n[0] * u + ahead(auxiliary, 1);
            auxiliary[self.of(level, 0)][k] = mean;
            for i in 1..self.r {
                let value = self.n[i] * u - self.d[i] * mean + ahead(auxiliary, i + 1);
                auxiliary[self.of(level, i)][k] = value;
            }
        }
    }

    /// Begins a recursion whose u moves along a line of given slope (per step).
    fn begin(
        &self,
        auxiliary: &mut [AuxiliaryVector],
        level: usize,
        rates: &[f64],
        slopes: &[f64],
    ) {
        for (k, u) in rates.iter().enumerate() {
            let slope = slopes.get(k).copied().unwrap_or(0.0);
            let mean = u + (0.5 - self.weight) * slope;
            auxiliary[self.of(level, 0)].values[k] = mean;
            let (mut value, mut ahead) = (0.0, 0.0);
            for i in (1..self.r).rev() {
                value += self.n[i] * u - self.d[i] * mean - ahead;
                ahead += (self.n[i] - self.d[i]) * slope;
                auxiliary[self.of(level, i)].values[k] = value;
            }
        }
    }

    /// Writes the relation of q, v and a at the end of the step.
    fn fill_stage_map(&self, step: &mut Step<'_>) {
        let (h, now, map) = (step.h, step.now, &mut step.stage.map);
        let auxiliary = &*step.auxiliary;
        let c = h * self.weight * self.n[0];
        map.t = step.t_next;
        (map.chart, map.link) = (self.chart, VelocityLink::Chart);
        map.is_centred_at_prediction = self.corrects_at_prediction;
        (map.c_q, map.c_v, map.c_a, map.c_z) = (c * c, c, 1.0, c);
        map.reference.copy_from_slice(&now.q);
        map.a.fill(0.0);
        map.d.fill(0.0);
        self.known(auxiliary, 0, h, &mut map.d);
        map.v.copy_from_slice(&now.v);
        self.known(auxiliary, 1, h, &mut map.v);
        map.z.copy_from_slice(&now.z);
        self.known(auxiliary, 2, h, &mut map.z);
        // g = g* + c ġ with ġ = v* + c p
        add_scaled(c, &map.v, &mut map.d);
        let ahead = if self.predictor == Predictor::Linear { h } else { 0.0 };
        for (k, p) in step.next.a.iter_mut().enumerate() {
            *p = (now.v[k] + ahead * now.a[k] - map.v[k]) / c;
        }
        step.stage.predict(&step.next.a, &now.multipliers, &now.rates);
        if self.predictor == Predictor::Printed {
            step.stage.predict_accelerations(&now.a);
        }
    }
}

impl Method for SingleStep {
    fn storage(&self) -> MethodStorage {
        let extents = [AuxiliaryKind::Velocity, AuxiliaryKind::Velocity, AuxiliaryKind::State];
        let levels = NAMES.iter().zip(extents);
        let auxiliary = levels
            .flat_map(|(names, extent)| names[..self.r].iter().map(move |name| (*name, extent)));
        MethodStorage { auxiliary: auxiliary.collect(), ..MethodStorage::default() }
    }

    fn start(&self, from: &MethodStart<'_>, history: &mut MethodHistory) {
        let (now, auxiliary) = (from.now, &mut history.auxiliary);
        let slopes: Vec<f64> = match self.is_printed {
            true => Vec::new(),
            false => now.a.iter().map(|a| from.h * a).collect(),
        };
        self.begin(auxiliary, 0, &now.v, &slopes);
        self.begin(auxiliary, 1, &now.a, &[]);
        self.begin(auxiliary, 2, &now.rates, &[]);
    }

    fn step(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        self.fill_stage_map(step);
        step.solve()?;
        step.end(StepEnd::STAGE)?;
        if self.is_in_world_axes {
            self.turn(step);
        }
        self.feed(step.auxiliary, 0, &step.next.v);
        self.feed(step.auxiliary, 1, &step.next.a);
        self.feed(step.auxiliary, 2, &step.next.rates);
        Ok(())
    }

    fn parameter_warning(&self, _constraints: Option<Formulation>) -> Option<&'static str> {
        (self.radius == 1.0).then_some(super::info::TRAPEZOIDAL)
    }

    fn constrained_radius(&self) -> f64 {
        // that of the multistep method
        self.radius
    }

    fn coefficients(&self) -> Vec<(String, f64)> {
        let n = (0..self.r).map(|i| (format!("n_{i}"), self.n[i]));
        let d = (1..self.r).map(|i| (format!("d_{i}"), self.d[i]));
        std::iter::once(("g".to_string(), self.weight)).chain(n).chain(d).collect()
    }

    fn with_coefficients(&self, values: &[f64]) -> Box<dyn Method> {
        let mut changed = self.clone();
        let SingleStep { r, weight, n, d, .. } = &mut changed;
        let all = std::iter::once(weight).chain(&mut n[..*r]).chain(&mut d[1..*r]);
        all.zip(values).for_each(|(old, new)| *old = *new);
        Box::new(changed)
    }
}

/// The product with `low + high E`, coefficients lowest first.
fn times(polynomial: &[f64], low: f64, high: f64) -> Vec<f64> {
    let mut product = vec![0.0; polynomial.len() + 1];
    for (k, coefficient) in polynomial.iter().enumerate() {
        product[k] += low * coefficient;
        product[k + 1] += high * coefficient;
    }
    product
}
