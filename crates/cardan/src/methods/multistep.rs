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
//! transport. The first r − 1 steps are trapezoidal in the same chart: other starts leave an error in
//! the multipliers that does not shrink with h. At ρ = 1 the formulas are the trapezoidal rule times
//! (E + 1)^(r−1), whose multiple root lets round-off grow; the rule itself is taken then.

use super::parameters::RHO;
use super::registry::{MethodInfo, NOT_PROJECTED, Stability};
use super::{Memory, Method, Step};
use crate::error::StageError;
use crate::linalg::Entries;
use crate::math::Chart;
use crate::stage::Link;
use crate::state::{History, Instant};

/// The members.
pub(super) const MEMBERS: &[MethodInfo] = &[
    MethodInfo {
        name: "lms2",
        title: "two-step method with tunable dissipation",
        build: |values| Ok(Box::new(Multistep::lms2(values.get("rho")))),
        ..FAMILY
    },
    MethodInfo {
        name: "lms3",
        title: "three-step method with tunable dissipation",
        build: |values| Ok(Box::new(Multistep::lms3(values.get("rho")))),
        ..FAMILY
    },
    MethodInfo {
        name: "lms4",
        title: "four-step method with tunable dissipation",
        build: |values| Ok(Box::new(Multistep::lms4(values.get("rho")))),
        ..FAMILY
    },
];

/// What the members have in common.
const FAMILY: MethodInfo = MethodInfo {
    name: "",
    aliases: &[],
    family: "multistep",
    title: "",
    order: 2,
    stages: 1,
    chart: Chart::Cayley,
    stability: Stability::A,
    parameters: &[RHO],
    formulations: NOT_PROJECTED,
    first_order_states: true,
    source: "Zhang, Zhang, Masarati 2021; Zhang, Zhang, Zanoni, Masarati 2022",
    build: |_| Ok(Box::new(Multistep::trapezoidal())),
};

/// The most steps a member looks back.
const MOST: usize = 4;

/// The formula with its coefficients.
#[derive(Clone, Debug)]
struct Multistep {
    /// How many steps it looks back.
    r: usize,
    alpha: [f64; MOST],
    /// From β₀ on.
    beta: [f64; MOST + 1],
    /// What is left of a constrained direction after a step.
    radius: f64,
}

impl Multistep {
    fn trapezoidal() -> Self {
        let (mut alpha, mut beta) = ([0.0; MOST], [0.0; MOST + 1]);
        alpha[0] = 1.0;
        beta[..2].fill(0.5);
        Self { r: 1, alpha, beta, radius: 1.0 }
    }

    fn new(rho: f64, denominator: f64, numerators: &[f64], first: f64) -> Self {
        if rho == 1.0 {
            return Self::trapezoidal();
        }
        let r = numerators.len();
        let (mut alpha, mut beta) = ([0.0; MOST], [0.0; MOST + 1]);
        for (alpha, numerator) in alpha.iter_mut().zip(numerators) {
            *alpha = numerator / denominator;
        }
        beta[0] = first / ((1.0 + rho) * denominator);
        for j in 1..=r {
            // C(r, j) from C(r, j − 1)
            beta[j] = beta[j - 1] * rho * (r + 1 - j) as f64 / j as f64;
        }
        Self { r, alpha, beta, radius: rho }
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

    /// Writes the relation of q, v and a at the end of the step.
    fn describe(&self, step: &mut Step<'_>) {
        let (h, now, map) = (step.h, step.now, &mut *step.map);
        let (space, history) = (step.evaluator.space(), &*step.history);
        let chart = Chart::Cayley;
        let c = h * self.beta[0];
        map.t = step.t_next;
        (map.chart, map.link) = (chart, Link::Chart);
        (map.c_q, map.c_v, map.c_a, map.c_z) = (c * c, c, 1.0, c);
        map.reference.copy_from_slice(&now.q);
        map.a.fill(0.0);
        let (alpha, beta) = (self.alpha[0], h * self.beta[1]);
        for i in 0..map.d.len() {
            map.d[i] = beta * now.v[i];
            map.v[i] = alpha * now.v[i] + beta * now.a[i];
        }
        for i in 0..map.z.len() {
            map.z[i] = alpha * now.z[i] + beta * now.rates[i];
        }
        // chart vectors and their rates, in what will be the next instant; the latest one stays there
        let (chart_vector, rate) = (&mut step.next.v, &mut step.next.a);
        for j in (1..=history.filled).rev() {
            let past = &history.earlier[j - 1];
            space.difference(chart, &now.q, &past.q, chart_vector);
            rate.copy_from_slice(&past.v);
            for rotation in space.rotations() {
                let inverse = chart.tangent_inverse(&rotation.tangent(chart_vector));
                rotation.set_tangent(rate, &(inverse * rotation.tangent(&past.v)));
            }
            if j >= self.r {
                continue;
            }
            let (alpha, beta) = (self.alpha[j], h * self.beta[j + 1]);
            for i in 0..map.d.len() {
                map.d[i] += alpha * chart_vector[i] + beta * rate[i];
                map.v[i] += alpha * past.v[i] + beta * past.a[i];
            }
            for i in 0..map.z.len() {
                map.z[i] += alpha * past.z[i] + beta * past.rates[i];
            }
        }
        // g = g* + c ġ with ġ = v* + c p
        for (d, v) in map.d.iter_mut().zip(&map.v) {
            *d += c * v;
        }
        match history.filled {
            0 => step.stage.predict(&now.a, &now.multipliers, &now.rates),
            _ => predict(step, c),
        }
    }
}

/// The cubic through the last two positions and rates gives the next rates (equation 12 of the second
/// paper); multipliers go on along a line. The latest chart vector and its rate stand in `next`.
fn predict(step: &mut Step<'_>, c: f64) {
    let (now, past, next, h) = (step.now, &step.history.earlier[0], &mut *step.next, step.h);
    for (i, rate) in next.a.iter_mut().enumerate() {
        let predicted = 12.0 * next.v[i] / h + 8.0 * now.v[i] + 5.0 * *rate;
        *rate = (predicted - step.map.v[i]) / c;
    }
    for (i, multiplier) in next.multipliers.iter_mut().enumerate() {
        *multiplier = 2.0 * now.multipliers[i] - past.multipliers[i];
    }
    for (i, rate) in next.rates.iter_mut().enumerate() {
        *rate = 12.0 * (past.z[i] - now.z[i]) / h + 8.0 * now.rates[i] + 5.0 * past.rates[i];
    }
    step.stage.predict(&next.a, &next.multipliers, &next.rates);
}

impl Method for Multistep {
    fn memory(&self) -> Memory {
        Memory { earlier: self.r.max(2) - 1, auxiliary: &[] }
    }

    fn start(&self, _now: &Instant, _mass: &Entries, _history: &mut History) {}

    fn step(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        match step.history.filled + 1 < self.r {
            true => Self::trapezoidal().describe(step),
            false => self.describe(step),
        }
        step.solve()?;
        step.complete()
    }

    fn constrained_radius(&self) -> f64 {
        // with q prescribed the rates obey Σ βⱼ ẏ = …, whose roots are all −ρ
        self.radius
    }

    fn coefficients(&self) -> Vec<(&'static str, f64)> {
        let alphas = ["alpha_1", "alpha_2", "alpha_3", "alpha_4"].into_iter().zip(self.alpha);
        let betas = ["beta_0", "beta_1", "beta_2", "beta_3", "beta_4"].into_iter().zip(self.beta);
        alphas.take(self.r).chain(betas.take(self.r + 1)).collect()
    }

    fn with_coefficients(&self, values: &[f64]) -> Box<dyn Method> {
        let mut changed = self.clone();
        let r = self.r;
        let coefficients = changed.alpha[..r].iter_mut().chain(&mut changed.beta[..=r]);
        coefficients.zip(values).for_each(|(old, new)| *old = *new);
        Box::new(changed)
    }
}
