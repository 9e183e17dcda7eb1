//! Distributions of random values.

/// A distribution of random values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Equal density between two bounds.
    Uniform {
        /// The lower bound.
        from: f64,
        /// The upper bound.
        to: f64,
    },
    /// Equal density of the logarithm between two positive bounds.
    LogUniform {
        /// The lower bound.
        from: f64,
        /// The upper bound.
        to: f64,
    },
    /// The normal distribution.
    Normal {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        deviation: f64,
    },
    /// The logarithm has a normal distribution.
    LogNormal {
        /// The median.
        median: f64,
        /// The standard deviation of the logarithm.
        deviation: f64,
    },
    /// Density that rises linearly to the mode and falls linearly behind it.
    Triangular {
        /// The lower bound.
        from: f64,
        /// The place of the largest density.
        mode: f64,
        /// The upper bound.
        to: f64,
    },
}

impl Distribution {
    /// Why the numbers of the distribution cannot be used.
    pub fn refusal(&self) -> Option<&'static str> {
        let is_finite = match *self {
            Self::Uniform { from, to } | Self::LogUniform { from, to } => (to - from).is_finite(),
            Self::Normal { mean: a, deviation: b }
            | Self::LogNormal { median: a, deviation: b } => a.is_finite() && b.is_finite(),
            Self::Triangular { from, mode, to } => (to - from).is_finite() && mode.is_finite(),
        };
        match *self {
            _ if !is_finite => Some("its numbers must be finite"),
            Self::Uniform { from, to } | Self::LogUniform { from, to } if from >= to => {
                Some("`from` must be smaller than `to`")
            }
            Self::LogUniform { from, .. } if from <= 0.0 => Some("`from` must be positive"),
            Self::Normal { deviation, .. } | Self::LogNormal { deviation, .. }
                if deviation <= 0.0 =>
            {
                Some("`deviation` must be positive")
            }
            Self::LogNormal { median, .. } if median <= 0.0 => Some("`median` must be positive"),
            Self::Triangular { from, mode, to } if !(from <= mode && mode <= to && from < to) => {
                Some("`mode` must be between `from` and `to`")
            }
            _ => None,
        }
    }

    /// The value below which a part p of the distribution lies, 0 < p < 1.
    pub fn quantile(&self, p: f64) -> f64 {
        match *self {
            Self::Uniform { from, to } => from + p * (to - from),
            Self::LogUniform { from, to } => (from.ln() + p * (to / from).ln()).exp(),
            Self::Normal { mean, deviation } => mean + deviation * normal_quantile(p),
            Self::LogNormal { median, deviation } => {
                median * (deviation * normal_quantile(p)).exp()
            }
            Self::Triangular { from, mode, to } => {
                let rise = (mode - from) / (to - from);
                match p < rise {
                    true => from + (p * (to - from) * (mode - from)).sqrt(),
                    false => to - ((1.0 - p) * (to - from) * (to - mode)).sqrt(),
                }
            }
        }
    }
}

/// The quantile of the standard normal distribution, by Newton's method on Φ(x) = erfc(−x/√2)/2 in the lower half.
fn normal_quantile(p: f64) -> f64 {
    if p > 0.5 {
        return -normal_quantile(1.0 - p);
    }
    // the tail bound Φ(x) ≤ exp(−x²/2)/2 starts left of the solution, where ln Φ is concave: Newton's steps do not overshoot
    let mut x = -(-2.0 * (2.0 * p).ln()).max(0.0).sqrt();
    for _ in 0..50 {
        let below = 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2);
        let density = (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
        // Newton's step for ln Φ(x) = ln p
        let step = (p / below).ln() * below / density;
        x += step;
        if step.abs() <= 1e-15 * x.abs().max(1e-3) {
            break;
        }
    }
    x
}

/// A kind of distribution.
pub struct DistributionKind {
    /// The word after `distribution =`.
    pub name: &'static str,
    /// Its keys with their meaning.
    pub keys: &'static [(&'static str, &'static str)],
    /// Its meaning.
    pub description: &'static str,
    /// Makes it of the numbers of its keys.
    pub build: fn(&[f64]) -> Distribution,
}

const LOWER: (&str, &str) = ("from", "the lower bound");
const UPPER: (&str, &str) = ("to", "the upper bound");

/// The distributions.
pub const DISTRIBUTIONS: [DistributionKind; 5] = [
    DistributionKind {
        name: "uniform",
        keys: &[LOWER, UPPER],
        description: "equal density between two bounds",
        build: |x| Distribution::Uniform { from: x[0], to: x[1] },
    },
    DistributionKind {
        name: "loguniform",
        keys: &[LOWER, UPPER],
        description: "equal density of the logarithm between two positive bounds",
        build: |x| Distribution::LogUniform { from: x[0], to: x[1] },
    },
    DistributionKind {
        name: "normal",
        keys: &[("mean", "the mean"), ("deviation", "the standard deviation")],
        description: "the normal distribution",
        build: |x| Distribution::Normal { mean: x[0], deviation: x[1] },
    },
    DistributionKind {
        name: "lognormal",
        keys: &[
            ("median", "the median, which is positive"),
            ("deviation", "the standard deviation of the logarithm"),
        ],
        description: "a normal distribution of the logarithm",
        build: |x| Distribution::LogNormal { median: x[0], deviation: x[1] },
    },
    DistributionKind {
        name: "triangular",
        keys: &[LOWER, ("mode", "the value of the largest density"), UPPER],
        description: "density that rises linearly to the mode and falls linearly behind it",
        build: |x| Distribution::Triangular { from: x[0], mode: x[1], to: x[2] },
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles as SciPy's `norm.ppf`, which has an error of a few ulp.
    #[test]
    fn quantiles_of_the_normal_distribution() {
        let known = [
            (1e-15, -7.941345326170998),
            (0.001, -3.0902323061678136),
            (0.25, -0.6744897501960817),
            (0.5, 0.0),
            (0.9, 1.2815515655446008),
            (0.975, 1.959963984540054),
        ];
        for (p, x) in known {
            let found = normal_quantile(p);
            assert!((found - x).abs() <= 1e-14 * x.abs().max(1.0), "{p}: {found} instead of {x}");
        }
    }

    /// Half of a distribution is below its median, and bounds are its ends.
    #[test]
    fn quantiles_of_bounded_distributions() {
        let triangle = Distribution::Triangular { from: 0.0, mode: 1.0, to: 2.0 };
        assert!((triangle.quantile(0.5) - 1.0).abs() < 1e-15);
        // the area left of x = 0.5 is 0.5²/2
        assert!((triangle.quantile(0.125) - 0.5).abs() < 1e-15);
        let log = Distribution::LogUniform { from: 0.01, to: 100.0 };
        assert!((log.quantile(0.5) - 1.0).abs() < 1e-14);
    }
}
