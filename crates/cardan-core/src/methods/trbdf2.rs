//! TR-BDF2 for rotations (Zupan and Zupan, corrected): two implicit stages with the exponential map and
//! a third, explicit one of third order.
//!
//! ```text
//! 1  v₁ = v + τh/2 (a + a₁),            d₁ = τh/2 (v + v₁)            τ = 2 − √2
//! 2  v₂ = v + h [w (a + a₁) + τ/2 a₂],  d₂ = h [w (v + v₁) + τ/2 v₂]   w = √2/4
//! 3  v₃ = v + h (b₁a + b₂a₁ + b₃a₂),    d₃ = h (b₁v + b₂v₁ + b₃v₂) + m,   b = ((1−w)/3, (1+3w)/3, τ/6)
//! m = h²/(12 τ(τ−1)) Ω × (τ² Ω₂ − Ω₁)
//! ```
//! all from q by q ⊕ d, with velocities as the rates of d: the unknown of the papers is the mean
//! velocity d/(cᵢh), which is the same Newton. m is the commutator term of rotations; it makes the
//! third stage of third order, if the velocities are updated too. The paper prints half of m, weights
//! that do not sum to one, and keeps v₂.
//!
//! No result of the third stage is stable for undamped oscillations; under a tolerance a step continues with the second stage. With constraints it gains nothing
//! unless they are imposed on accelerations and the result is projected.

use nalgebra::Matrix2;

use super::info::{ALLOWED, MethodInfo, Stability};
use super::{
    Estimate, Method, MethodStorage, Parameter, ParameterDomain, ParameterValues, Step, StepEnd,
};
use crate::math::{Chart, add_scaled};
use crate::stage::StageError;
use crate::stage::{Formulation, Stage};

/// The members.
pub(super) const MEMBERS: &[MethodInfo] = &[MethodInfo {
    name: "trbdf2",
    aliases: &["tr-bdf2"],
    family: "trbdf2",
    title: "trapezoidal rule, BDF2 and a third stage, for rotations",
    order: 3,
    chart: Chart::Exponential,
    stability: Stability::Conditional,
    parameters: &[
        Parameter {
            name: "result",
            domain: ParameterDomain::Word(&["auto", "stage-2", "stage-3", "printed"]),
            meaning: "what a step continues with: the second stage (L-stable, second order), the third \
                      (third order, weakly unstable; with constraints it is projected), or as printed: \
                      the third stage's positions with half the term that does not commute, and the \
                      second's velocities; auto: the third stage without constraints or with \
                      constraints on accelerations, else and under a tolerance the second. The difference of both is the \
                      error estimate",
        },
        Parameter {
            name: "predictor",
            domain: ParameterDomain::Word(&["acceleration", "velocity"]),
            meaning: "where Newton begins: at the last acceleration and then on the cubic through both \
                      velocities, or at the last velocity",
        },
    ],
    formulations: ALLOWED,
    refuses: &[],
    multipliers_between: 2,
    variable_step: true,
    typical_use: "turning bodies without stiffness; with result = \"stage-2\" as any L-stable method",
    source: "Zupan, Zupan, corrected",
    build: |values| Ok(Box::new(TrBdf2::new(values))),
}];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Auto,
    Second,
    Third,
    Printed,
}

/// The formula with its coefficients.
#[derive(Clone, Copy, Debug)]
struct TrBdf2 {
    tau: f64,
    w: f64,
    /// b.
    b: [f64; 3],
    outcome: Outcome,
    /// Whether Newton starts at the previous accelerations and the Hermite velocity; else at the
    /// previous velocities.
    holds_acceleration: bool,
}

impl TrBdf2 {
    fn new(values: &ParameterValues) -> Self {
        let root = 2.0_f64.sqrt();
        let (tau, w) = (2.0 - root, root / 4.0);
        let outcome = match values.word("result") {
            "stage-2" => Outcome::Second,
            "stage-3" => Outcome::Third,
            "printed" => Outcome::Printed,
            _ => Outcome::Auto,
        };
        Self {
            tau,
            w,
            b: [(1.0 - w) / 3.0, (3.0 * w + 1.0) / 3.0, tau / 6.0],
            outcome,
            holds_acceleration: values.word("predictor") == "acceleration",
        }
    }

    /// The trapezoidal rule to t + τh.
    fn first(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        let (h, now, map) = (self.tau * step.h, step.now, &mut step.stage.map);
        map.t = now.t + h;
        (map.c_q, map.c_v, map.c_a, map.c_z) = (0.25 * h * h, 0.5 * h, 1.0, 0.5 * h);
        map.reference.copy_from_slice(&now.q);
        for i in 0..map.d.len() {
            map.d[i] = h * (now.v[i] + 0.25 * h * now.a[i]);
            map.v[i] = now.v[i] + 0.5 * h * now.a[i];
            map.a[i] = 0.0;
        }
        for i in 0..map.z.len() {
            map.z[i] = now.z[i] + 0.5 * h * now.rates[i];
        }
        let predicted = &mut step.next.a;
        predicted.copy_from_slice(&now.a);
        if !self.holds_acceleration {
            // v₁ = v
            predicted.iter_mut().for_each(|a| *a = -*a);
        }
        step.stage.predict(predicted, &now.multipliers, &now.rates);
        step.solve()?;
        self.keep(step, 1);
        Ok(())
    }

    /// Backward differentiation to t + h.
    fn second(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        let Self { tau, w, .. } = *self;
        let (h, now, map, one) = (step.h, step.now, &mut step.stage.map, &step.records[1]);
        let c = 0.5 * tau * h;
        map.t = step.t_next;
        (map.c_q, map.c_v, map.c_a, map.c_z) = (c * c, c, 1.0, c);
        for i in 0..map.d.len() {
            map.v[i] = now.v[i] + w * h * (now.a[i] + one.a[i]);
            map.d[i] = w * h * (now.v[i] + one.rate[i]) + c * map.v[i];
            map.a[i] = 0.0;
        }
        for i in 0..map.z.len() {
            map.z[i] = now.z[i] + w * h * (now.rates[i] + one.rates[i]);
        }
        let predicted = &mut step.next.a;
        for (i, p) in predicted.iter_mut().enumerate() {
            let (v, v1, a, a1) = (now.v[i], one.rate[i], now.a[i], one.a[i]);
            // the cubic through both velocities and accelerations, or v₂ = v₁
            let velocity = match self.holds_acceleration {
                true => {
                    v + (2.0 - 3.0 * tau) / tau.powi(3) * (v - v1)
                        + h * (1.0 - tau) / (tau * tau) * ((1.0 - tau) * a + a1)
                }
                false => v1,
            };
            *p = (velocity - map.v[i]) / c;
        }
        step.stage.predict(predicted, &one.multipliers, &one.rates);
        step.solve()?;
        self.keep(step, 2);
        Ok(())
    }

    /// Records a solved stage, with its velocity instead of the rate of the chart.
    fn keep(&self, step: &mut Step<'_>, i: usize) {
        let (record, stage) = (&mut step.records[i], &*step.stage);
        record.rate.copy_from_slice(&stage.v);
        record.a.copy_from_slice(&stage.a);
        record.rates.copy_from_slice(&stage.unknowns().rates);
        record.multipliers.copy_from_slice(&stage.unknowns().multipliers);
    }

    /// The third stage: d₃ in the map, v₃ and z₃ in the first record; and the estimate.
    fn third(&self, step: &mut Step<'_>) {
        let (h, now) = (step.h, step.now);
        let space = step.evaluator.space();
        let Stage { q, v, z, map, .. } = &mut *step.stage;
        space.difference(Chart::Exponential, &now.q, q, &mut map.v);
        map.d.fill(0.0);
        step.records[0].begin(now);
        let (first, rest) = step.records.split_at_mut(1);
        let (record, one, two) = (&mut first[0], &rest[0], &rest[1]);
        let share = if self.outcome == Outcome::Printed { 24.0 } else { 12.0 };
        let magnus = h * h / (share * self.tau * (self.tau - 1.0));
        for rotation in space.rotations() {
            let [before, later, last] = [&now.v, &one.rate, &two.rate].map(|v| rotation.tangent(v));
            let m = magnus * before.cross(&(self.tau.powi(2) * last - later));
            rotation.set_tangent(&mut map.d, &m);
        }
        let [b1, b2, b3] = self.b.map(|b| h * b);
        add_scaled(b1, &now.v, &mut map.d);
        add_scaled(b2, &one.rate, &mut map.d);
        add_scaled(b3, &two.rate, &mut map.d);
        for i in 0..record.rate.len() {
            record.rate[i] = now.v[i] + b1 * now.a[i] + b2 * one.a[i] + b3 * two.a[i];
        }
        for i in 0..record.z.len() {
            record.z[i] = now.z[i] + b1 * now.rates[i] + b2 * one.rates[i] + b3 * two.rates[i];
        }
        // third minus second stage
        let n = record.rate.len();
        for i in 0..n {
            step.estimate[i] = map.d[i] - map.v[i];
            step.estimate[n + i] = record.rate[i] - v[i];
        }
        for i in 0..record.z.len() {
            step.estimate[2 * n + i] = record.z[i] - z[i];
        }
    }

    fn outcome(&self, step: &Step<'_>) -> Outcome {
        let is_free = step.now.multipliers.is_empty();
        match self.outcome {
            Outcome::Auto if is_free || step.formulation == Formulation::Acceleration => {
                Outcome::Third
            }
            Outcome::Auto => Outcome::Second,
            chosen => chosen,
        }
    }
}

impl Method for TrBdf2 {
    fn storage(&self) -> MethodStorage {
        MethodStorage { records: 3, ..MethodStorage::default() }
    }

    fn stages(&self) -> usize {
        2
    }

    fn step(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        self.first(step)?;
        self.second(step)?;
        self.third(step);
        let outcome = self.outcome(step);
        if outcome == Outcome::Second {
            return step.end(StepEnd::STAGE_RECOMPUTED);
        }
        step.take_stage();
        let (space, next) = (step.evaluator.space(), &mut *step.next);
        space.retract(Chart::Exponential, &step.now.q, &step.stage.map.d, &mut next.q);
        if outcome == Outcome::Third {
            next.v.copy_from_slice(&step.records[0].rate);
            next.z.copy_from_slice(&step.records[0].z);
        }
        match (next.multipliers.is_empty(), outcome) {
            // as printed the accelerations of the second stage are kept
            (true, Outcome::Printed) => step.end(StepEnd::WRITTEN),
            _ => step.end(StepEnd::PROJECTED),
        }
    }

    fn constrained_radius(&self) -> f64 {
        if self.outcome != Outcome::Second && self.outcome != Outcome::Auto {
            // accelerations and multipliers are recomputed in every step
            return 0.0;
        }
        // positions prescribed, h = 1: d₁ = d₂ = 0
        let Self { tau, w, .. } = *self;
        let column = |v: f64, a: f64| {
            let a1 = -a - 4.0 * v / tau;
            let v1 = v + 0.5 * tau * (a + a1);
            let v2 = -2.0 * w / tau * (v + v1);
            let a2 = 2.0 / tau * (v2 - v - w * (a + a1));
            [v2, a2]
        };
        let map = Matrix2::from_columns(&[column(1.0, 0.0).into(), column(0.0, 1.0).into()]);
        map.complex_eigenvalues().iter().fold(0.0, |most, root| root.norm().max(most))
    }

    fn parameter_warning(&self, constraints: Option<Formulation>) -> Option<&'static str> {
        match (self.outcome, constraints) {
            (Outcome::Second, _) => None,
            (Outcome::Auto, Some(Formulation::Position | Formulation::Stabilized)) => None,
            (Outcome::Auto | Outcome::Third, _) => Some(
                "the third stage is weakly unstable: undamped oscillations grow by 0.013 (ωh)⁴ per step, \
                 stiff ones without bound; result = \"stage-2\" is L-stable, of second order",
            ),
            (Outcome::Printed, _) => Some(
                "as printed the result is of second order, and undamped oscillations grow by 0.012 \
                 (ωh)⁴ per step; result = \"stage-2\" is L-stable, of the same order",
            ),
        }
    }

    fn embedded_order(&self) -> Option<u32> {
        Some(2)
    }

    fn estimate(&self, constraints: Option<Formulation>) -> Option<Estimate> {
        let is_sound = matches!(constraints, None | Some(Formulation::Acceleration));
        let order = match self.outcome {
            Outcome::Auto | Outcome::Third => 3,
            Outcome::Second | Outcome::Printed => 2,
        };
        is_sound.then_some(Estimate { power: 3, order, factor: 1.0 })
    }

    fn coefficients(&self) -> Vec<(String, f64)> {
        let Self { tau, w, b, .. } = *self;
        let names = ["tau", "w", "b_1", "b_2", "b_3"].map(String::from);
        names.into_iter().zip([tau, w, b[0], b[1], b[2]]).collect()
    }

    fn with_coefficients(&self, values: &[f64]) -> Box<dyn Method> {
        let mut other = *self;
        let [b1, b2, b3] = &mut other.b;
        let all = [&mut other.tau, &mut other.w, b1, b2, b3];
        all.into_iter().zip(values).for_each(|(old, new)| *old = *new);
        Box::new(other)
    }
}
