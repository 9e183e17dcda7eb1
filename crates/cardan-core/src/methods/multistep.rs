//! Linear multistep methods of second order with tunable dissipation, LMS2–LMS4 (Zhang, Zhang and
//! Masarati 2021; rotations as in Zhang, Zhang, Zanoni and Masarati 2022).
//!
//! ```text
//! y₊ = Σ αⱼ y₁₋ⱼ + h Σ βⱼ ẏ₁₋ⱼ,   j = 1 … r (β from 0),   βⱼ = C(r, j) ρʲ β₀
//! ```
//! | r | D                    | D α₁ … D αᵣ                                                           | β₀            |
//! | - | -------------------- | --------------------------------------------------------------------- | ------------- |
//! | 2 | 3 − ρ                | 4(1 − ρ), 3ρ − 1                                                      | 2/((1 + ρ)D)  |
//! | 3 | ρ² − 5ρ + 10         | 3(2ρ² − 9ρ + 5), −3(5ρ² − 9ρ + 2), 10ρ² − 5ρ + 1                       | 6/((1 + ρ)D)  |
//! | 4 | −ρ³ + 7ρ² − 21ρ + 35 | 4(−2ρ³ + 13ρ² − 35ρ + 14), −4(1 − ρ)(7ρ² − 34ρ + 7),                  | 20/((1 + ρ)D) |
//! |   |                      | −4(14ρ³ − 35ρ² + 13ρ − 2), 35ρ³ − 21ρ² + 7ρ − 1                       |               |
//!
//! Rotations are combined in a chart centred at the current instant: y is the chart vector g of each
//! earlier rotation, ẏ its rate T⁻¹(g) Ω; velocities and accelerations are in body axes and need no
//! transport. The first r − 1 steps are trapezoidal in the same chart: other starts, such as the
//! papers' y₊ = y + h(β₀ ẏ₊ + (1 − β₀) ẏ), leave an error in the multipliers that does not shrink
//! with h. At ρ = 1 the formulas are the trapezoidal rule times (E + 1)^(r−1), whose multiple root
//! lets round-off grow; the trapezoidal rule itself is used then. Only LMS2 has a form for variable steps.

use super::info::{MethodInfo, NOT_PROJECTED, Stability};
use super::local_error::{LocalError, two_step_factor};
use super::parameters::{ParameterValues, RHO, chart, predictor, startup};
use super::predictor::{EARLIER, ExtrapolationWeights, Predictor};
use super::{Estimate, Method, MethodStorage, StageRecord, Step, StepEnd};
use crate::math::{Chart, add_scaled, exponential};
use crate::stage::Formulation;
use crate::stage::StageError;
use crate::stage::VelocityLink;
use crate::state::Instant;
use crate::system::Space;

/// The members.
pub(super) const MEMBERS: &[MethodInfo] = &[
    MethodInfo {
        name: "lms2",
        title: "two-step method with tunable dissipation",
        variable_step: true,
        typical_use: "a robust first choice; with rho = 0, BDF2, it damps low frequencies too",
        build: |values| {
            let member = Multistep::new(Coefficients::lms2, values);
            Ok(Box::new(Multistep { after_change: Some(Coefficients::lms2_after), ..member }))
        },
        ..FAMILY
    },
    MethodInfo {
        name: "lms3",
        title: "three-step method with tunable dissipation",
        build: |values| Ok(Box::new(Multistep::new(Coefficients::lms3, values))),
        ..FAMILY
    },
    MethodInfo {
        name: "lms4",
        title: "four-step method with tunable dissipation",
        build: |values| Ok(Box::new(Multistep::new(Coefficients::lms4, values))),
        ..FAMILY
    },
];

/// The fields that all members share.
const FAMILY: MethodInfo = MethodInfo {
    name: "",
    aliases: &[],
    family: "multistep",
    title: "",
    order: 2,
    chart: Chart::Cayley,
    stability: Stability::A,
    parameters: &[
        RHO,
        startup(&["trapezoidal", "single-step"]),
        chart(&["cayley", "exponential", "printed"]),
        predictor(&["smooth", "second-order", "constant", "fourth-order", "printed"]),
    ],
    formulations: NOT_PROJECTED,
    refuses: &[],
    multipliers_between: 2,
    variable_step: false,
    typical_use: "long runs that keep their energy and many modes, with rho about 0.6; filters slowly",
    source: "Zhang, Zhang, Masarati 2021; Zhang, Zhang, Zanoni, Masarati 2022",
    build: |values| Ok(Box::new(Multistep::new(Coefficients::lms2, values))),
};

/// The largest number of earlier instants of a member.
const MAX_STEPS_BACK: usize = 6;

/// One formula.
#[derive(Clone, Copy, Debug)]
struct Coefficients {
    /// Number of earlier instants, the current one included.
    r: usize,
    alpha: [f64; MAX_STEPS_BACK],
    /// From β₀ on.
    beta: [f64; MAX_STEPS_BACK + 1],
}

impl Coefficients {
    /// y₊ = y + h(β₀ ẏ₊ + (1 − β₀) ẏ).
    fn single_step(first: f64) -> Self {
        let (mut alpha, mut beta) = ([0.0; MAX_STEPS_BACK], [0.0; MAX_STEPS_BACK + 1]);
        alpha[0] = 1.0;
        (beta[0], beta[1]) = (first, 1.0 - first);
        Self { r: 1, alpha, beta }
    }

    /// The constant of the local error h³ y⃛ after a step that was `before` times as long as this one.
    fn error_constant(&self, before: f64) -> f64 {
        let Self { r, alpha, beta } = self;
        let mut constant = 0.5 * beta[0] - 1.0 / 6.0;
        for j in 1..*r {
            // at −j before: y has the coefficient t³/6, ẏ has t²/2
            let t = -(j as f64) * before;
            constant += alpha[j] * t.powi(3) / 6.0 + beta[j + 1] * t * t / 2.0;
        }
        constant
    }

    fn new(rho: f64, denominator: f64, numerators: &[f64], first: f64) -> Self {
        if rho == 1.0 {
            return Self::single_step(0.5);
        }
        let r = numerators.len();
        let (mut alpha, mut beta) = ([0.0; MAX_STEPS_BACK], [0.0; MAX_STEPS_BACK + 1]);
        for (alpha, numerator) in alpha.iter_mut().zip(numerators) {
            *alpha = numerator / denominator;
        }
        beta[0] = first / ((1.0 + rho) * denominator);
        for j in 1..=r {
            // C(r, j) from C(r, j − 1)
            beta[j] = beta[j - 1] * rho * (r + 1 - j) as f64 / j as f64;
        }
        Self { r, alpha, beta }
    }

    fn lms2(rho: f64) -> Self {
        Self::new(rho, 3.0 - rho, &[4.0 * (1.0 - rho), 3.0 * rho - 1.0], 2.0)
    }

    fn lms3(rho: f64) -> Self {
        let square = rho * rho;
        let numerators = [
            3.0 * (2.0 * square - 9.0 * rho + 5.0),
            -3.0 * (5.0 * square - 9.0 * rho + 2.0),
            10.0 * square - 5.0 * rho + 1.0,
        ];
        Self::new(rho, square - 5.0 * rho + 10.0, &numerators, 6.0)
    }

    fn lms4(rho: f64) -> Self {
        let (square, cube) = (rho * rho, rho * rho * rho);
        let numerators = [
            4.0 * (-2.0 * cube + 13.0 * square - 35.0 * rho + 14.0),
            -4.0 * (1.0 - rho) * (7.0 * square - 34.0 * rho + 7.0),
            -4.0 * (14.0 * cube - 35.0 * square + 13.0 * rho - 2.0),
            35.0 * cube - 21.0 * square + 7.0 * rho - 1.0,
        ];
        Self::new(rho, -cube + 7.0 * square - 21.0 * rho + 35.0, &numerators, 20.0)
    }

    /// LMS2 after a step that was `ratio` times shorter than this one.
    fn lms2_after(rho: f64, ratio: f64) -> Self {
        let a = ratio;
        let (square, sum) = ((1.0 - rho).powi(2), 1.0 + a);
        let denominator = 2.0 * sum - square;
        let b = a * (square * (2.0 + a) + 2.0 * (2.0 * rho - 1.0) * sum) / denominator;
        let d = 0.5 * a * a * square / denominator;
        let beta = [d / a + 0.5 * a, 0.5 * (b + a) - d * sum / a, 0.5 * b + d].map(|x| x / a);
        let mut formula =
            Self { r: 2, alpha: [0.0; MAX_STEPS_BACK], beta: [0.0; MAX_STEPS_BACK + 1] };
        formula.alpha[..2].copy_from_slice(&[1.0 - b, b]);
        formula.beta[..3].copy_from_slice(&beta);
        formula
    }
}

/// A member with its coefficients.
#[derive(Clone, Debug)]
struct Multistep {
    formula: Coefficients,
    startup: Coefficients,
    /// The formula after a change of the step by a ratio.
    after_change: Option<fn(f64, f64) -> Coefficients>,
    rho: f64,
    chart: Chart,
    /// Whether the chart is centred at the prediction while the step is solved.
    corrects_at_prediction: bool,
    predictor: Predictor,
}

impl Multistep {
    fn new(formula: fn(f64) -> Coefficients, values: &ParameterValues) -> Self {
        let rho = values.get("rho");
        let formula = formula(rho);
        Self {
            startup: match values.word("startup") {
                "single-step" => Coefficients::single_step(formula.beta[0]),
                _ => Coefficients::single_step(0.5),
            },
            formula,
            after_change: None,
            rho,
            chart: values.chart(),
            corrects_at_prediction: values.word("chart") == "printed",
            predictor: Predictor::of(values.word("predictor")),
        }
    }

    /// The instants that the formula and the polynomial of the predictor need, the current one included.
    fn points(&self) -> usize {
        self.formula.r.max(self.predictor.points()).max(2)
    }

    /// The formula for this step.
    fn formula(&self, step: &Step<'_>) -> Coefficients {
        let history = step.history;
        if history.filled + 1 < self.formula.r {
            return self.startup;
        }
        match (self.after_change, history.earlier.first()) {
            // the trapezoidal rule needs no earlier instants
            (Some(formula), Some(past)) if !step.is_steady && self.formula.r > 1 => {
                formula(self.rho, step.h / (step.now.t - past.t))
            }
            _ => self.formula,
        }
    }

    /// Writes the relation of q, v and a at the end of the step.
    fn fill_stage_map(&self, formula: &Coefficients, step: &mut Step<'_>) {
        let (h, now, map) = (step.h, step.now, &mut step.stage.map);
        let (space, history) = (step.evaluator.space(), step.history);
        let (next, scratch) = (&mut *step.next, &mut step.records[0]);
        let c = h * formula.beta[0];
        map.t = step.t_next;
        (map.chart, map.link) = (self.chart, VelocityLink::Chart);
        map.is_centred_at_prediction = self.corrects_at_prediction;
        (map.c_q, map.c_v, map.c_a, map.c_z) = (c * c, c, 1.0, c);
        map.reference.copy_from_slice(&now.q);
        map.a.fill(0.0);
        let known = &history.earlier[..history.filled];
        let times = std::iter::once(now.t).chain(known.iter().map(|past| past.t));
        let predicted = match self.predictor {
            Predictor::Printed => ExtrapolationWeights::through(step.t_next, times, 2),
            other => ExtrapolationWeights::new(step.t_next, times, other.points()),
        };

        let (alpha, beta) = (formula.alpha[0], h * formula.beta[1]);
        let (value, rate) = predicted.of(0);
        for i in 0..map.d.len() {
            // the chart vector of the current instant is zero
            map.d[i] = beta * now.v[i];
            map.v[i] = alpha * now.v[i] + beta * now.a[i];
            next.a[i] = rate * now.v[i];
        }
        for i in 0..map.z.len() {
            map.z[i] = alpha * now.z[i] + beta * now.rates[i];
            next.rates[i] = value * now.z[i] + rate * now.rates[i];
        }
        // the chart vectors of earlier instants, their rates, and the expected vectors
        let StageRecord { g, rate: g_rate, a: expected, v: accelerations, .. } = scratch;
        expected.fill(0.0);
        let separates = self.predictor == Predictor::Printed;
        if separates {
            accelerations.fill(0.0);
            add_scaled(value, &now.v, accelerations);
            add_scaled(rate, &now.a, accelerations);
        }
        for (j, past) in known.iter().enumerate().take(self.points() - 1) {
            let (alpha, beta) = match j + 1 < formula.r {
                true => (formula.alpha[j + 1], h * formula.beta[j + 2]),
                false => (0.0, 0.0),
            };
            let (value, rate) = predicted.of(j + 1);
            let later = if j == 0 { now.t } else { known[j - 1].t };
            add_scaled(past.t - later, &past.v, expected);
            in_chart(self.chart, space, (&now.q, past), expected, g, g_rate);
            for i in 0..map.d.len() {
                map.d[i] += alpha * g[i] + beta * g_rate[i];
                map.v[i] += alpha * past.v[i] + beta * past.a[i];
                next.a[i] += value * g[i] + rate * g_rate[i];
            }
            for i in 0..map.z.len() {
                map.z[i] += alpha * past.z[i] + beta * past.rates[i];
                next.rates[i] += value * past.z[i] + rate * past.rates[i];
            }
            if separates {
                add_scaled(value, &past.v, accelerations);
                add_scaled(rate, &past.a, accelerations);
            }
        }
        // g = g* + c ġ with ġ = v* + c p
        for (i, d) in map.d.iter_mut().enumerate() {
            *d += c * map.v[i];
            next.a[i] = (next.a[i] - map.v[i]) / c;
        }
    }

    /// The starting values of Newton. With velocity constraints corrections of velocities decide, and the polynomial is
    /// as good, at large steps better.
    fn predict(&self, step: &mut Step<'_>) {
        match (self.predictor, step.formulation) {
            (Predictor::Smooth, Formulation::Position) => {
                step.predict_smoothly(self.rho, predict_by_polynomial);
            }
            // the first step has one point, and keeps its rate
            (Predictor::Printed, _) if step.history.filled == 0 => {
                step.stage.predict(&step.next.a, &step.now.multipliers, &step.next.rates);
            }
            _ => predict_by_polynomial(step),
        }
        if self.predictor == Predictor::Printed {
            step.stage.predict_accelerations(&step.records[0].v);
        }
    }
}

/// Starting values from the polynomial, whose unknowns are those of the next instant.
fn predict_by_polynomial(step: &mut Step<'_>) {
    let (now, next) = (step.now, &mut *step.next);
    let Some(past) = step.history.earlier[..step.history.filled].first() else {
        return step.predict_last();
    };
    // multipliers are extrapolated linearly
    let ratio = if step.is_steady { 1.0 } else { step.h / (now.t - past.t) };
    for (i, multiplier) in next.multipliers.iter_mut().enumerate() {
        let (last, before) = (now.multipliers[i], past.multipliers[i]);
        *multiplier = last + ratio * (last - before);
    }
    step.stage.predict(&next.a, &next.multipliers, &next.rates);
}

/// The chart vector of an earlier instant from the current configuration, and its rate. A rotation vector
/// may exceed half a turn: the one nearest to `expected` is used.
pub fn in_chart(
    chart: Chart,
    space: &Space,
    (now, past): (&[f64], &Instant),
    expected: &[f64],
    g: &mut [f64],
    rate: &mut [f64],
) {
    space.difference(chart, now, &past.q, g);
    rate.copy_from_slice(&past.v);
    for rotation in space.rotations() {
        let mut vector = rotation.tangent(g);
        if chart == Chart::Exponential {
            vector = exponential::nearest(&vector, &rotation.tangent(expected));
            rotation.set_tangent(g, &vector);
        }
        let inverse = chart.tangent_inverse(&vector);
        rotation.set_tangent(rate, &(inverse * rotation.tangent(&past.v)));
    }
}

impl Method for Multistep {
    fn storage(&self) -> MethodStorage {
        let earlier = match self.predictor {
            Predictor::Smooth => EARLIER,
            _ => self.points() - 1,
        };
        MethodStorage { earlier, records: 1, ..MethodStorage::default() }
    }

    fn step(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        let formula = self.formula(step);
        self.fill_stage_map(&formula, step);
        self.predict(step);
        step.solve()?;
        step.end(StepEnd::STAGE)?;
        if !step.estimate.is_empty() {
            let past = step.history.earlier[..step.history.filled].first();
            let before = past.map_or(1.0, |past| (step.now.t - past.t) / step.h);
            let constant = formula.error_constant(before);
            // the third derivative of the chart vector: Ω̈ + Ω × Ω̇/2, in the Cayley chart + |Ω|² Ω/2
            let cubic = if self.chart == Chart::Cayley { 0.5 * constant } else { 0.0 };
            let commutator = 0.5 * constant;
            LocalError { commutator, cubic, ..LocalError::multistep(constant) }.write(step);
        }
        Ok(())
    }

    fn estimate(&self, _constraints: Option<Formulation>) -> Option<Estimate> {
        // after a change of the step only these formulas are known
        let is_variable = self.after_change.is_some() || self.formula.r == 1;
        let [one, two, ..] = self.formula.alpha;
        is_variable.then_some(Estimate { power: 3, order: 2, factor: two_step_factor([one, two]) })
    }

    fn parameter_warning(&self, _constraints: Option<Formulation>) -> Option<&'static str> {
        (self.rho == 1.0).then_some(super::info::TRAPEZOIDAL)
    }

    fn constrained_radius(&self) -> f64 {
        // with q prescribed the rates obey Σ βⱼ ẏ = …, whose roots are all −ρ
        self.rho
    }

    fn coefficients(&self) -> Vec<(String, f64)> {
        let Coefficients { r, alpha, beta } = self.formula;
        let alphas = (0..r).map(|j| (format!("alpha_{}", j + 1), alpha[j]));
        alphas.chain((0..=r).map(|j| (format!("beta_{j}"), beta[j]))).collect()
    }

    fn with_coefficients(&self, values: &[f64]) -> Box<dyn Method> {
        let mut changed = self.clone();
        if !values.is_empty() {
            changed.after_change = None;
        }
        let Coefficients { r, alpha, beta } = &mut changed.formula;
        let coefficients = alpha[..*r].iter_mut().chain(&mut beta[..=*r]);
        coefficients.zip(values).for_each(|(old, new)| *old = *new);
        Box::new(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After a change of the step by any ratio, against the fixture.
    #[test]
    fn two_steps_of_different_size_have_the_known_coefficients() {
        let text = include_str!("../../../../tests/data/coefficients.toml");
        let data: toml::Value = toml::from_str(text).unwrap();
        let rows = data["lms2_variable"].as_array().unwrap();
        assert!(rows.len() > 5);
        for row in rows {
            let number = |key: &str| row[key].as_float().unwrap();
            let list = |key: &str| -> Vec<f64> {
                row[key].as_array().unwrap().iter().map(|x| x.as_float().unwrap()).collect()
            };
            let found = Coefficients::lms2_after(number("rho"), number("step_ratio"));
            for (x, y) in found.alpha.iter().zip(list("alpha")) {
                assert!((x - y).abs() < 1e-14, "{row:?}");
            }
            for (x, y) in found.beta.iter().zip(list("beta_times_hn")) {
                assert!((x - y).abs() < 1e-14, "{row:?}");
            }
        }
    }
}
