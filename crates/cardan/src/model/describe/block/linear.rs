//! Linear systems: transfer functions, state-space systems, delays by Padé approximations.

use super::{Block, number};
use crate::model::values::SignalFormula;

/// The most states of a linear block.
const MAX_STATES: usize = 200;

impl Block {
    /// y = (b₀ sᵐ + … + b_m)/(a₀ sⁿ + … + a_n) u, coefficients by falling powers of s, m ≤ n. Its states are
    /// `NAME.x1`, `NAME.x2`, …, zero at the start.
    pub fn transfer_function(
        name: &str,
        input: impl Into<SignalFormula>,
        numerator: &[f64],
        denominator: &[f64],
    ) -> Self {
        let mut block = Self::new(name).part("input", input);
        let all = numerator.iter().chain(denominator);
        block = block
            .check(
                "denominator",
                denominator.first().is_some_and(|x| *x != 0.0),
                "its first coefficient must not be zero",
            )
            .check("numerator", !numerator.is_empty(), "it has no coefficients")
            .check(
                "numerator",
                numerator.len() <= denominator.len(),
                "its degree must not exceed that of `denominator`",
            )
            .check("denominator", denominator.len() <= MAX_STATES, "its degree is too large")
            .check(
                "numerator",
                all.clone().all(|x| x.is_finite()),
                "its coefficients must be finite",
            );
        if block.wrong.is_some() {
            return block;
        }
        let n = denominator.len() - 1;
        let lead = denominator[0];
        // rising powers, the denominator monic
        let a: Vec<f64> = denominator.iter().rev().map(|x| x / lead).collect();
        let mut b: Vec<f64> = numerator.iter().rev().map(|x| x / lead).collect();
        b.resize(n + 1, 0.0);
        // controllable canonical form: ẋ_k = x_{k+1}, ẋ_n = u − Σ a_k x_{k+1}
        let mut last = format!("{name}.input");
        let mut output = format!("{}*{name}.input", number(b[n]));
        for k in 0..n {
            last += &format!(" - {}*{name}.x{}", number(a[k]), k + 1);
            let factor = b[k] - a[k] * b[n];
            if factor != 0.0 {
                output += &format!(" + {}*{name}.x{}", number(factor), k + 1);
            }
        }
        for k in 1..=n {
            let rate = if k < n { format!("{name}.x{}", k + 1) } else { last.clone() };
            block = block.state(&format!("x{k}"), 0.0, rate);
        }
        block.output(output)
    }

    /// ẋ = A x + B u, y = C x + D u, each matrix a list of rows. Its states are `NAME.x1`, …, its outputs `NAME.y1`, …;
    /// `NAME` is the first output.
    pub fn state_space<F: Into<SignalFormula>>(
        name: &str,
        inputs: impl IntoIterator<Item = F>,
        [a, b, c, d]: [&[Vec<f64>]; 4],
    ) -> Self {
        let mut block = Self::new(name);
        let mut m = 0;
        for input in inputs {
            m += 1;
            block = block.part(&format!("u{m}"), input);
        }
        let (n, p) = (a.len(), c.len().max(d.len()));
        let is = |x: &[Vec<f64>], rows: usize, columns: usize| {
            x.len() == rows && x.iter().all(|row| row.len() == columns)
        };
        let fits = is(a, n, n) && (is(b, n, m)) && (is(c, p, n)) && (is(d, p, m));
        let sizes = format!("the sizes of A, B, C, D do not fit each other and {m} inputs");
        let all = [a, b, c, d].into_iter().flatten().flatten();
        block = block
            .check("matrices", p > 0, "it has no outputs")
            .check("matrices", fits, &sizes)
            .check("matrices", n <= MAX_STATES, "it has too many states")
            .check("matrices", all.clone().all(|x| x.is_finite()), "its numbers must be finite");
        if block.wrong.is_some() {
            return block;
        }
        let sum = |row: &[f64], other: &[f64]| {
            let part = |letter: &'static str| {
                move |(k, x): (usize, &f64)| {
                    (*x != 0.0).then(|| format!("{}*{name}.{letter}{}", number(*x), k + 1))
                }
            };
            let terms: Vec<String> = (row.iter().enumerate().filter_map(part("x")))
                .chain(other.iter().enumerate().filter_map(part("u")))
                .collect();
            if terms.is_empty() { "0".to_string() } else { terms.join(" + ") }
        };
        for k in 0..n {
            block = block.state(&format!("x{}", k + 1), 0.0, sum(&a[k], &b[k]));
        }
        for k in 0..p {
            block = block.part(&format!("y{}", k + 1), sum(&c[k], &d[k]));
        }
        let first = format!("{name}.y1");
        block.output(first)
    }

    /// A delay of T seconds by the Padé approximation of e^(−Ts) of a given order.
    pub fn delay(name: &str, input: impl Into<SignalFormula>, delay: f64, order: usize) -> Self {
        if !(delay.is_finite() && delay > 0.0) {
            return Self::new(name).positive("delay", delay);
        }
        if !(1..=MAX_PADE).contains(&order) {
            let reason = format!("it is {order}; it must be between 1 and {MAX_PADE}");
            return Self::new(name).check("order", false, &reason);
        }
        // c_k = (2n − k)! n!/((2n)! k! (n − k)!), of (Ts)^k; the time is scaled to the unit of s below
        let mut coefficients = vec![1.0];
        for k in 0..order {
            let (n, j) = (order as f64, k as f64);
            let last = coefficients[k];
            coefficients.push(last * (n - j) / ((2.0 * n - j) * (j + 1.0)));
        }
        let scaled = |k: usize| coefficients[k] * delay.powi(k as i32);
        let denominator: Vec<f64> = (0..=order).rev().map(scaled).collect();
        let sign = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
        let numerator: Vec<f64> = (0..=order).rev().map(|k| sign(k) * scaled(k)).collect();
        Self::transfer_function(name, input, &numerator, &denominator)
    }
}

/// Approximations of higher order are badly conditioned in this form.
const MAX_PADE: usize = 10;
