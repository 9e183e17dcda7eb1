//! Backward differentiation of second order (NSTIFF), in the exponential chart.
//!
//! ```text
//! v₊ = α₁ v + α₂ v₋ + h β v̇₊,   q₊ = q ⊕ (α₂ d₋ + h β (α₁ v + α₂ v₋) + h² β² v̇₊),   d₋ = q₋ ⊖ q
//! ```
//! with α = (4/3, −1/3), β = 2/3: 4h²/9 and h(8/9, −2/9) of the paper (Negrut, Jay and Khude 2009,
//! eq. 3). After a step of size h/ω:
//!
//! ```text
//! α = ((1 + ω)², −ω²)/(1 + 2ω),   β = (1 + ω)/(1 + 2ω),   local error (1 + ω)²/(6 ω (1 + 2ω)) h³ y⃛
//! ```
//! The velocity is used as the rate of d, which keeps the order and is exact in steady spin.
//! The first step is one of generalized-α.

use super::generalized_alpha::GeneralizedAlpha;
use super::info::{MethodInfo, NOT_PROJECTED, STABILIZED, Stability};
use super::local_error::{LocalError, two_step_factor};
use super::predictor::EARLIER;
use super::{Estimate, Method, MethodStorage, Step, StepEnd};
use crate::math::Chart;
use crate::stage::{Formulation, StageError};

/// Dissipation of the starting step; any second-order start with ρ < 1 is suitable.
const STARTING_RHO: f64 = 0.6;

/// The constant of the local error of the starting step, about that of every formula of second order.
const STARTING_ERROR: f64 = 0.1;

/// The members.
pub(super) const MEMBERS: &[MethodInfo] = &[
    BDF2,
    MethodInfo {
        name: "nstiff-si2",
        aliases: &[],
        title: "backward differentiation of second order, stabilized index 2",
        formulations: STABILIZED,
        typical_use: "as bdf2, with position and velocity constraints closed to round-off",
        ..BDF2
    },
];

const BDF2: MethodInfo = MethodInfo {
    name: "bdf2",
    aliases: &["nstiff"],
    family: "bdf",
    title: "backward differentiation of second order (NSTIFF)",
    order: 2,
    chart: Chart::Exponential,
    stability: Stability::L,
    parameters: &[],
    formulations: NOT_PROJECTED,
    refuses: &[],
    multipliers_between: 2,
    variable_step: true,
    typical_use: "stiff problems whose fast parts do not matter",
    source: "Negrut, Jay, Khude 2009",
    build: |_| Ok(Box::new(Bdf2 { alpha: [4.0 / 3.0, -1.0 / 3.0], beta: 2.0 / 3.0 })),
};

/// The formula with its coefficients.
#[derive(Clone, Copy, PartialEq)]
struct Bdf2 {
    alpha: [f64; 2],
    beta: f64,
}

impl Bdf2 {
    /// The formula after a step that was `ratio` times shorter than this one.
    fn after(ratio: f64) -> Self {
        let (sum, denominator) = (1.0 + ratio, 1.0 + 2.0 * ratio);
        let alpha = [sum * sum / denominator, -ratio * ratio / denominator];
        Self { alpha, beta: sum / denominator }
    }

    /// The constant of the local error h³ y⃛ after a step that was `ratio` times shorter.
    fn error_constant(ratio: f64) -> f64 {
        (1.0 + ratio).powi(2) / (6.0 * ratio * (1.0 + 2.0 * ratio))
    }

    fn fill_stage_map(&self, ratio: f64, step: &mut Step<'_>) {
        let (h, now, map, past) = (step.h, step.now, &mut step.stage.map, &step.history.earlier[0]);
        let [one, two] = self.alpha;
        map.t = step.t_next;
        (map.c_q, map.c_v, map.c_a, map.c_z) =
            ((h * self.beta).powi(2), h * self.beta, 1.0, h * self.beta);
        map.reference.copy_from_slice(&now.q);
        step.evaluator.space().difference(Chart::Exponential, &now.q, &past.q, &mut map.d);
        for i in 0..map.d.len() {
            map.v[i] = one * now.v[i] + two * past.v[i];
            map.d[i] = two * map.d[i] + h * self.beta * map.v[i];
            map.a[i] = 0.0;
        }
        for (i, z) in map.z.iter_mut().enumerate() {
            *z = one * now.z[i] + two * past.z[i];
        }
        // the formula keeps nothing of earlier accelerations
        step.predict_smoothly(0.0, |step| predict_linearly(ratio, step));
    }
}

/// Starting values with accelerations along the line through the last two.
fn predict_linearly(ratio: f64, step: &mut Step<'_>) {
    let (now, past) = (step.now, &step.history.earlier[0]);
    let predicted = &mut step.next.a;
    for (i, p) in predicted.iter_mut().enumerate() {
        *p = now.a[i] + ratio * (now.a[i] - past.a[i]);
    }
    step.stage.predict(predicted, &now.multipliers, &now.rates);
}

impl Method for Bdf2 {
    fn storage(&self) -> MethodStorage {
        MethodStorage { earlier: EARLIER, ..MethodStorage::default() }
    }

    fn step(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        if step.history.filled == 0 {
            // at the start the algorithmic acceleration and rate are the true ones
            let now = step.now;
            GeneralizedAlpha::from_rho(STARTING_RHO).solve(step, &now.a, &now.rates)?;
            step.end(StepEnd::STAGE)?;
            LocalError::multistep(STARTING_ERROR).write(step);
            return Ok(());
        }
        let ratio = match step.is_steady {
            true => 1.0,
            false => step.h / (step.now.t - step.history.earlier[0].t),
        };
        let formula = if ratio == 1.0 { *self } else { Self::after(ratio) };
        formula.fill_stage_map(ratio, step);
        step.solve()?;
        step.end(StepEnd::STAGE)?;
        let constant = Self::error_constant(ratio);
        // velocities are the rates of d, without the term of rotations that do not commute
        LocalError { commutator: -1.0 / 12.0, ..LocalError::multistep(constant) }.write(step);
        Ok(())
    }

    fn estimate(&self, _constraints: Option<Formulation>) -> Option<Estimate> {
        Some(Estimate { power: 3, order: 2, factor: two_step_factor(self.alpha) })
    }

    fn constrained_radius(&self) -> f64 {
        // with q prescribed: v₊ = (2/3 h)⁻¹(…) depends on q alone, so there is no memory
        0.0
    }

    fn coefficients(&self) -> Vec<(String, f64)> {
        let names = ["alpha_1", "alpha_2", "beta"].map(String::from);
        names.into_iter().zip([self.alpha[0], self.alpha[1], self.beta]).collect()
    }

    fn with_coefficients(&self, values: &[f64]) -> Box<dyn Method> {
        let value = |i: usize, old: f64| values.get(i).copied().unwrap_or(old);
        Box::new(Self {
            alpha: [value(0, self.alpha[0]), value(1, self.alpha[1])],
            beta: value(2, self.beta),
        })
    }
}
