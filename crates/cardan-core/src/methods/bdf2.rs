//! Backward differentiation of second order (NSTIFF), in the exponential chart.
//!
//! ```text
//! v₊ = α₁ v + α₂ v₋ + h β v̇₊,   q₊ = q ⊕ (α₂ d₋ + h β (α₁ v + α₂ v₋) + h² β² v̇₊),   d₋ = q₋ ⊖ q
//! ```
//! with α = (4/3, −1/3), β = 2/3: 4h²/9 and h(8/9, −2/9) of the paper (Negrut, Jay and Khude 2009,
//! eq. 3). The velocity is used as the rate of d, which keeps the order and is exact in steady spin.
//! The first step is one of generalized-α.

use super::generalized_alpha::GeneralizedAlpha;
use super::info::{MethodInfo, NOT_PROJECTED, STABILIZED, Stability};
use super::{Method, MethodStorage, Step, StepEnd};
use crate::math::Chart;
use crate::stage::StageError;

/// Dissipation of the starting step; any second-order start with ρ < 1 is suitable.
const STARTING_RHO: f64 = 0.6;

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
    variable_step: false,
    typical_use: "stiff problems whose fast parts do not matter",
    source: "Negrut, Jay, Khude 2009",
    build: |_| Ok(Box::new(Bdf2 { alpha: [4.0 / 3.0, -1.0 / 3.0], beta: 2.0 / 3.0 })),
};

/// The formula with its coefficients.
struct Bdf2 {
    alpha: [f64; 2],
    beta: f64,
}

impl Bdf2 {
    fn fill_stage_map(&self, step: &mut Step<'_>) {
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
        // predict the acceleration along the line through the last two
        let predicted = &mut step.next.a;
        for (i, p) in predicted.iter_mut().enumerate() {
            *p = 2.0 * now.a[i] - past.a[i];
        }
        step.stage.predict(predicted, &now.multipliers, &now.rates);
    }
}

impl Method for Bdf2 {
    fn storage(&self) -> MethodStorage {
        MethodStorage { earlier: 1, ..MethodStorage::default() }
    }

    fn step(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        if step.history.filled == 0 {
            // at the start the algorithmic acceleration and rate are the true ones
            let now = step.now;
            GeneralizedAlpha::from_rho(STARTING_RHO).solve(step, &now.a, &now.rates)?;
        } else {
            self.fill_stage_map(step);
            step.solve()?;
        }
        step.end(StepEnd::STAGE)
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
