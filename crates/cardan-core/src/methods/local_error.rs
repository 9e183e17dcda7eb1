//! The local error of second-order formulas from differences of accelerations.
//!
//! ```text
//! e_q = h³ (C_q ȧ + r),   e_v = h³ C_v ä,   e_z = h³ C_z z⃛
//! ```
//! ȧ and ä are divided differences of the accelerations at the end of the step, at its start and before. r belongs to
//! rotations, whose chart vectors have other third derivatives than the integral of Ω:
//!
//! ```text
//! r = c₁ Ω × Ω̇ + c₂ |Ω|² Ω
//! ```

use super::Step;

/// The constants of the local error of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LocalError {
    /// C_q.
    pub position: f64,
    /// C_v.
    pub velocity: f64,
    /// The factor of h² ȧ in the velocity, for formulas of first order.
    pub first_order: f64,
    /// C_z.
    pub state: f64,
    /// c₁.
    pub commutator: f64,
    /// c₂.
    pub cubic: f64,
}

impl LocalError {
    /// A linear multistep formula for y, with the same constant for positions, velocities and states.
    pub fn multistep(constant: f64) -> Self {
        Self {
            position: constant,
            velocity: constant,
            first_order: 0.0,
            state: constant,
            commutator: 0.0,
            cubic: 0.0,
        }
    }

    /// Writes the estimate of a step that has been ended, if one is wanted.
    pub fn write(&self, step: &mut Step<'_>) {
        if step.estimate.is_empty() {
            return;
        }
        let Step { h, now, next, history, .. } = step;
        let h = *h;
        let n = now.v.len();
        let (q, rest) = step.estimate.split_at_mut(n);
        let (v, z) = rest.split_at_mut(n);
        let past = history.earlier[..history.filled].first();
        let second = Second::new(h, past.map(|past| now.t - past.t));
        for i in 0..n {
            let change = next.a[i] - now.a[i];
            let before = past.map(|past| now.a[i] - past.a[i]);
            q[i] = h * h * self.position * change;
            v[i] = self.velocity * second.of(change, before) + h * self.first_order * change;
        }
        for i in 0..z.len() {
            let change = next.rates[i] - now.rates[i];
            let before = past.map(|past| now.rates[i] - past.rates[i]);
            z[i] = self.state * second.of(change, before);
        }
        if self.commutator == 0.0 && self.cubic == 0.0 {
            return;
        }
        for rotation in step.evaluator.space().rotations() {
            let (omega, spin) = (rotation.tangent(&next.v), rotation.tangent(&next.a));
            let known = rotation.tangent(q);
            let more =
                self.commutator * omega.cross(&spin) + self.cubic * omega.norm_squared() * omega;
            rotation.set_tangent(q, &(known + h.powi(3) * more));
        }
    }
}

/// The [factor](super::Estimate::factor) of a formula y₊ = α₁ y + α₂ y₋ + …, by whose steps local errors add up with 1/(α₁ + 2 α₂):
/// with the factor (α₁ + 2 α₂)^(−3/2) of an estimate O(h³) the error of the motion, which is O(h²), does not depend on that.
/// A sum below the local errors is left as it is.
pub(super) fn two_step_factor([one, two]: [f64; 2]) -> f64 {
    (one + 2.0 * two).powf(-1.5).max(1.0)
}

/// h³ times the second derivative, from the changes of a first derivative in this step and in the last.
struct Second {
    this: f64,
    last: f64,
}

impl Second {
    fn new(h: f64, before: Option<f64>) -> Self {
        match before {
            // h³ · 2/(h + h₋) (Δ/h − Δ₋/h₋)
            Some(before) => {
                let factor = 2.0 * h.powi(3) / (h + before);
                Self { this: factor / h, last: -factor / before }
            }
            // an upper bound: the change of the rate itself
            None => Self { this: h, last: 0.0 },
        }
    }

    fn of(&self, change: f64, before: Option<f64>) -> f64 {
        self.this * change + self.last * before.unwrap_or(0.0)
    }
}
