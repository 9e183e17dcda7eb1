//! The algebraic conditions that the coefficients of a method satisfy: order, dissipation, equivalence.
//!
//! They hold to round-off, so that a coefficient wrong by 1e-9 is detected. Each family has its conditions;
//! properties that do not follow from coefficients (orders on mechanisms, stability) must be measured.

mod trees;

pub use trees::{Tree, residual};

use super::{Method, MethodChoice, MethodInfo, ParameterValue};
use crate::methods::SettingsError;

/// An equation that should hold, and its residual.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The equation.
    pub name: String,
    /// The absolute residual.
    pub residual: f64,
}

/// The conditions of a method with its parameters.
pub fn conditions(choice: &MethodChoice) -> Result<Vec<Condition>, SettingsError> {
    let (info, method) = choice.build()?;
    Ok(of(info, method.as_ref(), dissipation(info, choice)))
}

/// The conditions of a method that was built with a dissipation.
pub fn of(info: &MethodInfo, method: &dyn Method, rho: Option<f64>) -> Vec<Condition> {
    let c = Coefficients(method.coefficients());
    let mut found = match info.family {
        "runge-kutta" => runge_kutta(info, method, &c),
        "explicit" => explicit(info, method, &c),
        "multistep" => multistep(&c, rho),
        "single-step" => single_step(info, &c, rho),
        "bdf" => backward_differences(&c),
        "generalized-alpha" | "hht-add" => generalized_alpha(info, &c),
        "trbdf2" => trbdf2(&c),
        _ => conditionally_explicit(&c),
    };
    let is_runge_kutta = info.family == "runge-kutta";
    if is_runge_kutta {
        // methods without the parameter are L-stable
        add(&mut found, "R(∞) = ρ∞", method.constrained_radius() - rho.unwrap_or(0.0));
    }
    found
}

/// ρ∞ as it was given, or by default.
fn dissipation(info: &MethodInfo, choice: &MethodChoice) -> Option<f64> {
    let given = choice.parameters.iter().find(|(name, _)| name == "rho");
    let default = || info.parameters.iter().find(|p| p.name == "rho")?.default();
    match given.map(|(_, value)| value.clone()).or_else(default) {
        Some(ParameterValue::Number(rho)) => Some(rho),
        _ => None,
    }
}

struct Coefficients(Vec<(String, f64)>);

impl Coefficients {
    /// A coefficient by its name; zero if the method does not have it.
    fn get(&self, name: &str) -> f64 {
        self.0.iter().find(|(known, _)| known == name).map_or(0.0, |(_, value)| *value)
    }

    /// The coefficients whose names have this prefix, in order.
    fn all(&self, prefix: &str) -> Vec<f64> {
        let is_one = |name: &str| name.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty());
        self.0.iter().filter(|(name, _)| is_one(name)).map(|(_, value)| *value).collect()
    }
}

fn add(to: &mut Vec<Condition>, name: impl Into<String>, residual: f64) {
    to.push(Condition { name: name.into(), residual: residual.abs() });
}

/// Rows of the tableau of a Runge–Kutta method, all of the length of the last; the first is the explicit stage.
pub fn tableau(method: &dyn Method) -> Vec<Vec<f64>> {
    let (all, stages) = (method.coefficients(), method.stages());
    let mut values = all.iter().map(|(_, value)| *value);
    let mut rows = vec![vec![0.0; stages + 1]];
    for i in 1..=stages {
        let mut row: Vec<f64> = values.by_ref().take(i + 1).collect();
        row.resize(stages + 1, 0.0);
        rows.push(row);
    }
    rows
}

fn runge_kutta(info: &MethodInfo, method: &dyn Method, c: &Coefficients) -> Vec<Condition> {
    let a = tableau(method);
    let mut found = Vec::new();
    let abscissae: Vec<f64> = a.iter().map(|row| row.iter().sum()).collect();
    let stage = |row: &Vec<f64>, at: f64| {
        row.iter().zip(&abscissae).map(|(a, c)| a * c).sum::<f64>() - 0.5 * at * at
    };
    let worst = a.iter().zip(&abscissae).map(|(row, at)| stage(row, *at).abs());
    add(&mut found, "stage order 2", worst.fold(0.0, crate::math::larger));
    let diagonal = (1..a.len()).map(|i| (a[i][i] - a[1][1]).abs());
    if !info.takes("splitting") {
        add(&mut found, "one diagonal", diagonal.fold(0.0, crate::math::larger));
    }
    let weights = &a[a.len() - 1];
    for order in 1..=info.order as usize {
        add(&mut found, format!("order {order}"), residual(&a, weights, order));
    }
    let embedded = c.all("embedded");
    for order in 1..=method.embedded_order().unwrap_or(0) as usize {
        add(&mut found, format!("embedded order {order}"), residual(&a, &embedded, order));
    }
    found
}

fn explicit(info: &MethodInfo, method: &dyn Method, c: &Coefficients) -> Vec<Condition> {
    let mut found = Vec::new();
    let (adams, stages) = (c.all("beta_"), method.stages());
    if !adams.is_empty() {
        // ∫₀¹ τᵏ dτ from the values at 0, −1, −2 …
        for k in 0..info.order as i32 {
            let sum: f64 = adams.iter().enumerate().map(|(j, b)| b * (-(j as f64)).powi(k)).sum();
            add(&mut found, format!("order {}", k + 1), sum - 1.0 / f64::from(k + 1));
        }
        return found;
    }
    let entry = |i: usize, j: usize| c.get(&format!("a_{i}{j}"));
    let a: Vec<Vec<f64>> =
        (1..=stages).map(|i| (1..=stages).map(|j| entry(i, j)).collect()).collect();
    for order in 1..=info.order as usize {
        add(&mut found, format!("order {order}"), residual(&a, &c.all("b_"), order));
    }
    found
}

/// Orders of x₊ = Σ αⱼ x₋ⱼ + h Σ βⱼ ẋ₋ⱼ, β from the newest on.
fn linear_orders(alpha: &[f64], beta: &[f64]) -> Vec<Condition> {
    let mut found = Vec::new();
    for k in 0..=2_i32 {
        let past = alpha.iter().zip(1..).map(|(a, j)| a * f64::from(-j).powi(k)).sum::<f64>();
        let rate = |(j, b): (usize, &f64)| match k {
            0 => 0.0,
            _ => f64::from(k) * b * (-(j as f64)).powi(k - 1),
        };
        let rates: f64 = beta.iter().enumerate().map(rate).sum();
        let now = if k == 0 { 1.0 } else { 0.0 };
        add(&mut found, format!("order {k}"), now - past - rates);
    }
    found
}

fn multistep(c: &Coefficients, rho: Option<f64>) -> Vec<Condition> {
    let (alpha, beta) = (c.all("alpha_"), c.all("beta_"));
    let mut found = linear_orders(&alpha, &beta);
    // at infinity all roots are −ρ∞: Σ βⱼ μ^(r−j) = β₀ (μ + ρ∞)^r
    let steps = alpha.len();
    if let Some(rho) = rho.filter(|rho| *rho < 1.0) {
        let mut expected = beta[0];
        let mut worst = 0.0_f64;
        for (j, b) in beta.iter().enumerate() {
            worst = worst.max((b - expected).abs());
            expected *= rho * (steps - j) as f64 / (j + 1) as f64;
        }
        add(&mut found, "all roots −ρ∞ at infinity", worst);
    }
    found
}

/// The polynomials of the single-step form are those of the multistep method.
fn single_step(info: &MethodInfo, c: &Coefficients, rho: Option<f64>) -> Vec<Condition> {
    let mut found = Vec::new();
    let Some(rho) = rho.filter(|rho| *rho < 1.0) else { return found };
    let multistep = format!("{}:rho={rho}", info.name.replace("ss", "lms"));
    let Some(Ok((_, multistep))) =
        multistep.parse::<MethodChoice>().ok().map(|choice| choice.build())
    else {
        return found;
    };
    let multistep = Coefficients(multistep.coefficients());
    let (numerator, mut denominator) = (c.all("n_"), vec![1.0]);
    denominator.extend(c.all("d_"));
    let product = |a: &[f64], b: [f64; 2]| -> Vec<f64> {
        let at = |k: usize| a.get(k).copied().unwrap_or(0.0);
        (0..=a.len()).map(|k| b[0] * at(k) + if k > 0 { b[1] * at(k - 1) } else { 0.0 }).collect()
    };
    let g = c.get("g");
    let difference = |a: &[f64], b: &[f64]| {
        a.iter().zip(b).fold(0.0_f64, |worst, (a, b)| worst.max((a - b).abs()))
    };
    let mut alpha = vec![1.0];
    alpha.extend(multistep.all("alpha_").iter().map(|a| -a));
    let (rho, sigma) = (product(&denominator, [1.0, -1.0]), product(&numerator, [g, 1.0 - g]));
    add(&mut found, "first polynomial of the multistep method", difference(&rho, &alpha));
    add(
        &mut found,
        "second polynomial of the multistep method",
        difference(&sigma, &multistep.all("beta_")),
    );
    found
}

fn backward_differences(c: &Coefficients) -> Vec<Condition> {
    linear_orders(&c.all("alpha_"), &[c.get("beta")])
}

fn generalized_alpha(info: &MethodInfo, c: &Coefficients) -> Vec<Condition> {
    let [mass, force, beta, gamma] = ["alpha_m", "alpha_f", "beta", "gamma"].map(|x| c.get(x));
    let mut found = Vec::new();
    match info.order {
        1 => add(&mut found, "αₘ = α_f = 0 (all forces at one instant)", mass.abs() + force.abs()),
        _ => add(&mut found, "γ = 1/2 − αₘ + α_f (order 2)", gamma - 0.5 + mass - force),
    }
    add(&mut found, "β = (γ + 1/2)²/4 (one double root)", beta - 0.25 * (gamma + 0.5).powi(2));
    found
}

fn trbdf2(c: &Coefficients) -> Vec<Condition> {
    let (tau, w, b) = (c.get("tau"), c.get("w"), c.all("b_"));
    let mut found = Vec::new();
    add(&mut found, "τ = 2 − √2 (one diagonal)", tau * tau - 4.0 * tau + 2.0);
    add(&mut found, "2w + τ/2 = 1 (order 1 of stage 2)", 2.0 * w + 0.5 * tau - 1.0);
    let abscissae = [0.0, tau, 1.0];
    for k in 0..3_i32 {
        let sum: f64 = b.iter().zip(abscissae).map(|(b, c)| b * c.powi(k)).sum();
        add(&mut found, format!("order {}", k + 1), sum - 1.0 / f64::from(k + 1));
    }
    found
}

fn conditionally_explicit(c: &Coefficients) -> Vec<Condition> {
    let [beta, gamma, zeta] = ["beta", "gamma", "zeta"].map(|x| c.get(x));
    let mut found = Vec::new();
    match (gamma, zeta) {
        (0.0, _) => add(&mut found, "β = 1/2 (order 2)", beta - 0.5),
        (_, 0.0) => add(&mut found, "β = γ − 1/6 (order 3)", beta - gamma + 1.0 / 6.0),
        _ => add(&mut found, "2β + ζ = 3γ (order 4)", 2.0 * beta + zeta - 3.0 * gamma),
    }
    found
}
