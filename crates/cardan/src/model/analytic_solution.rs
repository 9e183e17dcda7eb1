//! Analytic solutions of waves, for comparison with computed ones.

use std::f64::consts::TAU;

use super::Function;

/// A wave with an analytic solution.
#[derive(Clone, Debug)]
pub enum AnalyticSolution {
    /// A bar clamped at x = 0 with a force along x at its other end, from rest at t = 0.
    Bar {
        /// The length.
        length: f64,
        /// The axial stiffness EA.
        stiffness: f64,
        /// The mass per length.
        mass: f64,
        /// The force over time.
        load: Function,
    },
    /// An infinite membrane with a force at the origin that is zero at t = 0, from rest. A quarter of the membrane, cut
    /// along two lines of symmetry, is loaded by a quarter of the force.
    Membrane {
        /// The tension per length.
        tension: f64,
        /// The mass per area.
        mass: f64,
        /// The whole force over time; it must be continuous.
        load: Function,
    },
}

/// The integral of a continuous function with possible kinks, to about ten digits.
fn integral(f: &dyn Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    // many panels, so that no short feature is missed; then adaptive Simpson's rule in each
    const PANELS: usize = 64;
    let width = (to - from) / PANELS as f64;
    let edge = |k: usize| from + width * k as f64;
    let values: Vec<[f64; 2]> =
        (0..PANELS).map(|k| [f(edge(k)), f(edge(k) + 0.5 * width)]).collect();
    let last = f(to);
    let end = |k: usize| values.get(k + 1).map_or(last, |x| x[0]);
    let rough = |k: usize| width / 6.0 * (values[k][0] + 4.0 * values[k][1] + end(k));
    let total: f64 = (0..PANELS).map(|k| rough(k).abs()).sum();
    let tolerance = 1e-12 * total;
    (0..PANELS)
        .map(|k| {
            let nodes = [values[k][0], values[k][1], end(k)];
            refined(f, edge(k), width, nodes, rough(k), tolerance, 24)
        })
        .sum()
}

/// Adaptive Simpson's rule on one panel, from the values at its ends and its middle.
fn refined(
    f: &dyn Fn(f64) -> f64,
    from: f64,
    width: f64,
    [a, m, b]: [f64; 3],
    rough: f64,
    tolerance: f64,
    depth: usize,
) -> f64 {
    let [left, right] = [f(from + 0.25 * width), f(from + 0.75 * width)];
    let halves = [width / 12.0 * (a + 4.0 * left + m), width / 12.0 * (m + 4.0 * right + b)];
    let better = halves[0] + halves[1];
    let change = better - rough;
    // changes below the round-off of the function do not need refinement
    let noise = 1e-13 * width.abs() * (a.abs() + m.abs() + b.abs() + left.abs() + right.abs());
    if depth == 0 || change.abs() <= 15.0 * tolerance.max(noise) || !change.is_finite() {
        return better + change / 15.0;
    }
    let half = 0.5 * width;
    refined(f, from, half, [a, left, m], halves[0], 0.5 * tolerance, depth - 1)
        + refined(f, from + half, half, [m, right, b], halves[1], 0.5 * tolerance, depth - 1)
}

impl AnalyticSolution {
    /// The displacement (order 0) or velocity (order 1) at position (x, y) and time t; NaN for other orders.
    pub fn value(&self, [x, y]: [f64; 2], t: f64, order: usize) -> f64 {
        if order > 1 {
            return f64::NAN;
        }
        if t <= 0.0 {
            return 0.0;
        }
        match self {
            Self::Bar { length, stiffness, mass, load } => {
                let speed = (stiffness / mass).sqrt();
                let wave = |delay: f64| {
                    let s = t - delay;
                    match (s > 0.0, order, load) {
                        (false, ..) => 0.0,
                        (true, 0, Function::Constant(force)) => force * s,
                        (true, 0, _) => integral(&|t| load.value(t), 0.0, s),
                        (true, ..) => load.value(s),
                    }
                };
                // the wave and its reflections, which change sign at the clamped end
                let passes = (0.5 * (speed * t / length + 1.0)).ceil().min(1e5) as usize;
                let sum: f64 = (0..passes)
                    .map(|m| {
                        let sign = if m % 2 == 0 { 1.0 } else { -1.0 };
                        let path = (2 * m + 1) as f64 * length;
                        sign * (wave((path - x) / speed) - wave((path + x) / speed))
                    })
                    .sum();
                speed / stiffness * sum
            }
            Self::Membrane { tension, mass, load } => {
                let speed = (tension / mass).sqrt();
                // the displacement at the origin is infinite: keep a distance
                let delay = (x.hypot(y) / speed).max(1e-9 * t);
                if t <= delay {
                    return 0.0;
                }
                // substitute τ = t − (r/c) cosh s where the root is near zero
                let late = (t / delay).min(2.0).acosh();
                let near = |s: f64| load.at((t - delay * s.cosh()).max(0.0))[order];
                let far =
                    |tau: f64| load.at(tau)[order] / ((t - tau).powi(2) - delay * delay).sqrt();
                let early = (t - 2.0 * delay).max(0.0);
                let both = integral(&near, 0.0, late) + integral(&far, 0.0, early);
                both / (TAU * tension)
            }
        }
    }
}
