//! The formula of the family: stages, predictor, error estimate, and the fields that all members share.

use crate::math::{Chart, add_scaled};
use crate::methods::info::{ALLOWED, MethodInfo, Stability};
use crate::methods::parameters::{Parameter, ParameterValues, chart, predictor};
use crate::methods::predictor::{ExtrapolationWeights, MAX_EXTRAPOLATION, Predictor};
use crate::methods::{Estimate, Method, MethodStorage, StageNodes, StageRecord, Step, StepEnd};
use crate::stage::StageError;
use crate::stage::{Formulation, VelocityLink};
use crate::system::Space;

use super::tableau::Tableau;

pub(super) const CHART: Parameter = chart(&["cayley", "exponential", "previous-stage", "printed"]);
pub(super) const PREDICTOR: Parameter =
    predictor(&["hermite", "constant", "second-order", "fourth-order", "printed"]);

/// The fields that all members share.
pub(super) const FAMILY: MethodInfo = MethodInfo {
    name: "",
    aliases: &[],
    family: "runge-kutta",
    title: "",
    order: 2,
    chart: Chart::Cayley,
    stability: Stability::A,
    parameters: &[CHART, PREDICTOR],
    formulations: ALLOWED,
    refuses: &[],
    multipliers_between: 3,
    variable_step: true,
    typical_use: "",
    source: "",
    build: |values| Ok(RungeKutta::boxed(Tableau::new(vec![vec![0.5, 0.5]], 2), values)),
};

/// A member with its coefficients.
#[derive(Clone, Debug)]
pub(super) struct RungeKutta {
    tableau: Tableau,
    /// cᵢ.
    abscissae: Vec<f64>,
    chart: Chart,
    /// Whether the chart is centred at each stage.
    is_recentred: bool,
    /// Whether it is centred at the prediction of a stage while that is solved.
    corrects_at_prediction: bool,
    predictor: Predictor,
}

impl RungeKutta {
    /// The method with this tableau.
    pub fn boxed(tableau: Tableau, values: &ParameterValues) -> Box<dyn Method> {
        Box::new(Self {
            abscissae: tableau.abscissae(),
            tableau,
            chart: values.chart(),
            is_recentred: matches!(values.word("chart"), "previous-stage" | "printed"),
            corrects_at_prediction: values.word("chart") == "printed",
            predictor: Predictor::of(values.word("predictor")),
        })
    }

    /// Writes the relation of q, v and a at stage i, counted from one.
    fn fill_stage_map(&self, step: &mut Step<'_>, i: usize) {
        let (h, now, map) = (step.h, step.now, &mut step.stage.map);
        let row = &self.tableau.rows[i - 1];
        let c = h * row[i];
        map.t = match i == self.tableau.rows.len() {
            true => step.t_next,
            false => now.t + h * self.abscissae[i],
        };
        (map.chart, map.link) = (self.chart, VelocityLink::Chart);
        map.is_centred_at_prediction = self.corrects_at_prediction;
        (map.c_q, map.c_v, map.c_a, map.c_z) = (c * c, c, 1.0, c);
        match self.is_recentred && i > 1 {
            true => map.reference.copy_from_slice(&step.stage.q),
            false => map.reference.copy_from_slice(&now.q),
        }
        map.a.fill(0.0);
        map.d.copy_from_slice(&step.records[0].g);
        map.v.copy_from_slice(&now.v);
        map.z.copy_from_slice(&now.z);
        for (record, a) in step.records.iter().zip(&row[..i]) {
            add_scaled(h * a, &record.rate, &mut map.d);
            add_scaled(h * a, &record.a, &mut map.v);
            add_scaled(h * a, &record.rates, &mut map.z);
        }
        // g = g* + c ġ with ġ = v* + c p
        add_scaled(c, &map.v, &mut map.d);
        self.predict(step, i);
    }

    /// Predicts the rates of stage i.
    fn predict(&self, step: &mut Step<'_>, i: usize) {
        let at = &self.abscissae;
        // the latest stage that is near enough
        let near = (1..i).rev().find(|j| at[i] <= MAX_EXTRAPOLATION * at[*j]).unwrap_or(0);
        match self.predictor {
            Predictor::Hermite => self.predict_on_parabola(step, i, near),
            _ => self.predict_from_points(step, i),
        }
        let (next, map) = (&mut *step.next, &step.stage.map);
        for (k, p) in next.a.iter_mut().enumerate() {
            *p = (*p - map.v[k]) / map.c_v;
        }
        let (first, last) = (&step.records[0], &step.records[near]);
        let share = if near > 0 { at[i] / at[near] } else { 0.0 };
        for (k, multiplier) in next.multipliers.iter_mut().enumerate() {
            let (one, two) = (first.multipliers[k], last.multipliers[k]);
            *multiplier = one + share * (two - one);
        }
        step.stage.predict(&next.a, &next.multipliers, &next.rates);
        if self.predictor == Predictor::Printed {
            // velocities are not needed before the end of the step
            step.stage.predict_accelerations(&next.v);
        }
    }

    /// The parabola through a stage, along the tangent at the start.
    fn predict_on_parabola(&self, step: &mut Step<'_>, i: usize, near: usize) {
        let (next, at) = (&mut *step.next, &self.abscissae);
        let (first, last) = (&step.records[0], &step.records[near]);
        let share = if near > 0 { at[i] / at[near] } else { 0.0 };
        let ahead = at[i] * step.h;
        let parabola = |rate: f64, slope: f64, later: f64| {
            rate + ahead * slope + share * share * (later - rate) - share * ahead * slope
        };
        for k in 0..next.a.len() {
            next.a[k] = parabola(first.rate[k], first.a[k], last.rate[k]);
        }
        for k in 0..next.rates.len() {
            // the second derivative of z is not known
            next.rates[k] = first.rates[k] + share * (last.rates[k] - first.rates[k]);
        }
    }

    /// The polynomial through stages of this step. As printed, accelerations follow from a polynomial of their own.
    fn predict_from_points(&self, step: &mut Step<'_>, i: usize) {
        let (at, is_last) = (&self.abscissae, i == self.tableau.rows.len());
        let points = at[..i].iter().rev().map(|c| c * step.h);
        let target = at[i] * step.h;
        // the last stage is the one of full order
        let weights = match self.predictor {
            Predictor::Printed => {
                let wanted = if is_last && self.tableau.order >= 4 { 3 } else { 2 };
                ExtrapolationWeights::through(target, points, if i == 1 { 1 } else { wanted })
            }
            Predictor::Quintic if !is_last => ExtrapolationWeights::new(target, points, 2),
            other => ExtrapolationWeights::new(target, points, other.points()),
        };
        let next = &mut *step.next;
        for values in [&mut next.a, &mut next.rates, &mut next.v] {
            values.fill(0.0);
        }
        for &(point, value, rate) in weights.terms() {
            let record = &step.records[i - 1 - point];
            add_scaled(value, &record.g, &mut next.a);
            add_scaled(rate, &record.rate, &mut next.a);
            add_scaled(value, &record.z, &mut next.rates);
            add_scaled(rate, &record.rates, &mut next.rates);
            add_scaled(value, &record.v, &mut next.v);
            add_scaled(rate, &record.a, &mut next.v);
        }
    }

    /// Writes the chart vectors of rotations from a centre, and their rates, after a stage that was solved in another chart.
    fn return_to_centre(&self, space: &Space, centre: &[f64], q: &[f64], record: &mut StageRecord) {
        for rotation in space.rotations() {
            let turned = rotation.of(centre).conjugate() * rotation.of(q);
            let g = self.chart.inverse(turned);
            let rate = self.chart.tangent_inverse(&g) * rotation.tangent(&record.v);
            rotation.set_tangent(&mut record.g, &g);
            rotation.set_tangent(&mut record.rate, &rate);
        }
    }

    /// h Σ (b − b̂)ⱼ ẏⱼ in q, v and z.
    fn estimate(&self, step: &mut Step<'_>) {
        let (Some(embedded), Some(weights)) = (&self.tableau.embedded, self.tableau.rows.last())
        else {
            return;
        };
        step.estimate.fill(0.0);
        let (q, rest) = step.estimate.split_at_mut(step.now.v.len());
        let (v, z) = rest.split_at_mut(q.len());
        for ((record, b), lower) in step.records.iter().zip(weights).zip(&embedded.weights) {
            let weight = step.h * (b - lower);
            add_scaled(weight, &record.rate, q);
            add_scaled(weight, &record.a, v);
            add_scaled(weight, &record.rates, z);
        }
    }
}

impl Method for RungeKutta {
    fn storage(&self) -> MethodStorage {
        MethodStorage { records: self.tableau.rows.len() + 1, ..MethodStorage::default() }
    }

    fn stages(&self) -> usize {
        self.tableau.rows.len()
    }

    fn step(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        step.records[0].begin(step.now);
        for i in 1..=self.tableau.rows.len() {
            self.fill_stage_map(step, i);
            if self.corrects_at_prediction {
                // the configuration is not needed before the end of the step
                step.next.q.copy_from_slice(&step.stage.map.reference);
            }
            step.solve()?;
            step.records[i].keep(step.stage);
            let space = step.evaluator.space();
            if self.corrects_at_prediction {
                self.return_to_centre(space, &step.next.q, &step.stage.q, &mut step.records[i]);
            }
            if self.is_recentred {
                recentre(space, self.chart, &mut step.records[..=i]);
            }
        }
        self.estimate(step);
        // a one-step method: accelerations may be recomputed
        step.end(StepEnd::STAGE_RECOMPUTED)
    }

    fn nodes(&self) -> Option<StageNodes<'_>> {
        let weights = self.tableau.rows.last().filter(|_| !self.is_recentred)?;
        Some(StageNodes { chart: self.chart, abscissae: &self.abscissae, weights, stage_order: 2 })
    }

    fn reach(&self) -> f64 {
        self.abscissae.iter().copied().fold(1.0, f64::max)
    }

    fn constrained_radius(&self) -> f64 {
        self.tableau.radius()
    }

    fn embedded_order(&self) -> Option<u32> {
        self.tableau.embedded.as_ref().map(|formula| formula.order)
    }

    fn estimate(&self, constraints: Option<Formulation>) -> Option<Estimate> {
        // with position constraints the stages have a lower order, which the estimate does not show
        let is_sound = matches!(constraints, None | Some(Formulation::Acceleration));
        let formula = self.tableau.embedded.as_ref().filter(|_| is_sound)?;
        let power = formula.order + 1;
        Some(Estimate { power, order: power, factor: formula.factor })
    }

    fn coefficients(&self) -> Vec<(String, f64)> {
        self.tableau.coefficients()
    }

    fn with_coefficients(&self, values: &[f64]) -> Box<dyn Method> {
        let tableau = self.tableau.with(values);
        Box::new(Self { abscissae: tableau.abscissae(), tableau, ..self.clone() })
    }
}

/// Transforms all records to the chart centred at the last of them.
fn recentre(space: &Space, chart: Chart, records: &mut [StageRecord]) {
    let Some((last, earlier)) = records.split_last_mut() else { return };
    for record in earlier {
        for node in space.nodes() {
            for k in node.v..node.v + node.vector {
                record.g[k] -= last.g[k];
            }
        }
        for rotation in space.rotations() {
            let old = rotation.tangent(&record.g);
            let back = chart.retract(&rotation.tangent(&last.g)).conjugate();
            let new = chart.inverse(back * chart.retract(&old));
            let omega = chart.tangent(&old) * rotation.tangent(&record.rate);
            rotation.set_tangent(&mut record.rate, &(chart.tangent_inverse(&new) * omega));
            rotation.set_tangent(&mut record.g, &new);
        }
    }
    for rotation in space.rotations() {
        let omega = chart.tangent(&rotation.tangent(&last.g)) * rotation.tangent(&last.rate);
        rotation.set_tangent(&mut last.rate, &omega);
    }
    last.g.fill(0.0);
}
