//! Second-order members: trapezoidal sub-steps and a last one that sets the dissipation.

use nalgebra::Complex;

use super::formula::{CHART, FAMILY, PREDICTOR, RungeKutta};
use super::tableau::Tableau;
use crate::methods::ParameterError;
use crate::methods::info::MethodInfo;
use crate::methods::parameters::{Parameter, ParameterDomain, RHO};

/// The members.
pub(super) const MEMBERS: &[MethodInfo] = &[
    MethodInfo {
        name: "bathe",
        aliases: &["rho-bathe"],
        title: "ρ∞-Bathe: a trapezoidal sub-step and a dissipative one",
        parameters: &[
            RHO,
            Parameter::number(
                "splitting",
                [0.05, 3.0],
                None,
                "where the first sub-step ends, as a part of the step; by default where both \
                 sub-steps have one matrix, 2/(2 + √(2 + 2ρ)); beyond 1 the method is stable for \
                 undamped motions only",
            ),
            CHART,
            PREDICTOR,
        ],
        typical_use: "filtering high frequencies at once, with rho = 0",
        source: "Noh, Bathe 2019; Zhang, Zhang, Zanoni, Masarati 2022",
        build: |values| {
            let rho = values.get("rho");
            let Some(ratio) = values.given("splitting") else {
                return Ok(RungeKutta::boxed(trapezoids(2, rho), values));
            };
            let tableau = split(rho, ratio);
            let diagonal = tableau.rows[1][2].abs();
            match (MIN_COEFFICIENT..MAX_COEFFICIENT).contains(&diagonal) {
                true => Ok(RungeKutta::boxed(tableau, values)),
                false => Err(ParameterError::Meaningless {
                    method: "bathe".into(),
                    name: "splitting",
                    value: ratio,
                    reason: "at 1 and at 2/(1 − rho) the last sub-step has no implicit part or only \
                             an implicit one; use another value",
                }),
            }
        },
        ..FAMILY
    },
    MethodInfo {
        name: "msstc",
        title: "any number of trapezoidal sub-steps, and a dissipative one",
        parameters: &[
            RHO,
            Parameter {
                name: "stages",
                domain: ParameterDomain::Count { least: 2, most: 64, default: 3 },
                meaning: "how many sub-steps a step has",
            },
            CHART,
            PREDICTOR,
        ],
        build: |values| {
            let tableau = trapezoids(values.get("stages") as usize, values.get("rho"));
            Ok(RungeKutta::boxed(tableau, values))
        },
        ..SUBSTEPS
    },
    MethodInfo {
        name: "msstc3",
        title: "two trapezoidal sub-steps and a dissipative one",
        build: |values| Ok(RungeKutta::boxed(trapezoids(3, values.get("rho")), values)),
        ..SUBSTEPS
    },
    MethodInfo {
        name: "msstc4",
        title: "three trapezoidal sub-steps and a dissipative one",
        build: |values| Ok(RungeKutta::boxed(trapezoids(4, values.get("rho")), values)),
        ..SUBSTEPS
    },
    MethodInfo {
        name: "msstc5",
        title: "four trapezoidal sub-steps and a dissipative one",
        build: |values| Ok(RungeKutta::boxed(trapezoids(5, values.get("rho")), values)),
        ..SUBSTEPS
    },
];

/// The last sub-step of `bathe` has a coefficient between these.
const MIN_COEFFICIENT: f64 = 1e-3;
const MAX_COEFFICIENT: f64 = 1e3;

/// The fields that the members with several trapezoidal sub-steps share.
const SUBSTEPS: MethodInfo = MethodInfo {
    parameters: &[RHO, CHART, PREDICTOR],
    typical_use: "keeping low frequencies while filtering high ones sharply",
    source: "Zhang, Zhang, Xing 2020; closed form for any number of sub-steps",
    ..FAMILY
};

/// MSSTC(n): n − 1 trapezoidal sub-steps of 2γh, then weights that make |R(iω)|² as flat as possible:
///
/// ```text
/// κ = (1 − ρ²)^(1/n),  aₘ = √(1 − κ e^(2πim/n)),  γ = 1/(n + Σ aₘ)
/// W(t) = 2⁻ⁿ Π ((1 + aₘ) t + (1 − aₘ)),  wᵢ from 2W(t) − t − 1,  bₖ = γ Σ_{i ≥ k} wᵢ
/// ```
fn trapezoids(n: usize, rho: f64) -> Tableau {
    let kappa = (1.0 - rho * rho).powf(1.0 / n as f64);
    let one = Complex::new(1.0, 0.0);
    let turn = std::f64::consts::TAU / n as f64;
    let roots = (0..n).map(|m| (one - Complex::from_polar(kappa, turn * m as f64)).sqrt());
    let mut sum = Complex::new(0.0, 0.0);
    let mut product = vec![one];
    for root in roots {
        sum += root;
        let mut longer = vec![Complex::new(0.0, 0.0); product.len() + 1];
        for (k, coefficient) in product.iter().enumerate() {
            longer[k] += coefficient * (one - root) * 0.5;
            longer[k + 1] += coefficient * (one + root) * 0.5;
        }
        product = longer;
    }
    let gamma = 1.0 / (n as f64 + sum.re);
    let mut polynomial: Vec<f64> = product.iter().map(|x| 2.0 * x.re).collect();
    polynomial[0] -= 1.0;
    polynomial[1] -= 1.0;

    let mut rows: Vec<Vec<f64>> = (1..n)
        .map(|i| {
            let mut row = vec![2.0 * gamma; i + 1];
            (row[0], row[i]) = (gamma, gamma);
            row
        })
        .collect();
    let weight = |k: usize| gamma * polynomial[k..].iter().sum::<f64>();
    let mut weights: Vec<f64> = (1..=n).map(weight).collect();
    weights.push(gamma);
    rows.push(weights);
    Tableau::new(rows, 2)
}

/// Two sub-steps of any ratio: trapezoidal over `ratio` h, then the weights with R(∞) = ρ.
fn split(rho: f64, ratio: f64) -> Tableau {
    let middle = (1.0 + rho) / (2.0 * ratio * (rho - 1.0) + 4.0);
    let last = 0.5 - ratio * middle;
    let half = 0.5 * ratio;
    Tableau::new(vec![vec![half, half], vec![1.0 - middle - last, middle, last]], 2)
}
