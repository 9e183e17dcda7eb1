//! The values of a parameter: listed, evenly spaced, or distributed.

use serde::{Deserialize, Serialize};

use crate::error::LabError;

/// The value of a parameter in a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CaseValue {
    /// A number.
    Number(f64),
    /// A formula, or a word such as the name of a method.
    Text(String),
}

impl std::fmt::Display for CaseValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            // all digits, so that the text has the bits of the number
            Self::Number(x) => write!(f, "{x:?}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// A distribution of random values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "distribution", rename_all = "lowercase", deny_unknown_fields)]
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

/// The values of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterValues {
    /// These, in this order.
    List(Vec<CaseValue>),
    /// So many numbers from a bound to another, both included.
    Range {
        /// The first.
        from: f64,
        /// The last.
        to: f64,
        /// How many.
        count: u64,
        /// Whether neighbours have equal ratios instead of equal differences.
        is_logarithmic: bool,
    },
    /// Values of a distribution.
    Distribution(Distribution),
}

impl ParameterValues {
    /// The number of values; `None` for a distribution.
    pub fn count(&self) -> Option<u64> {
        match self {
            Self::List(values) => Some(values.len() as u64),
            Self::Range { count, .. } => Some(*count),
            Self::Distribution(_) => None,
        }
    }

    /// The value of an index; the median of a distribution.
    pub fn get(&self, k: u64) -> CaseValue {
        match *self {
            Self::List(ref values) => {
                values[usize::try_from(k).unwrap_or(0).min(values.len() - 1)].clone()
            }
            Self::Range { from, to, count, is_logarithmic } => {
                let part = k as f64 / (count - 1).max(1) as f64;
                CaseValue::Number(match () {
                    () if k == 0 => from,
                    () if k + 1 == count => to,
                    () if is_logarithmic => from * (to / from).powf(part),
                    () => from + part * (to - from),
                })
            }
            Self::Distribution(ref distribution) => CaseValue::Number(distribution.quantile(0.5)),
        }
    }

    /// The value at a point of (0, 1): values of a list and of a range are equally probable.
    pub fn at(&self, p: f64) -> CaseValue {
        match self {
            Self::Distribution(distribution) => CaseValue::Number(distribution.quantile(p)),
            _ => {
                let count = self.count().unwrap_or(1);
                self.get(((p * count as f64) as u64).min(count - 1))
            }
        }
    }
}

/// One parameter in a manifest: a list, or a table of keys.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Written {
    List(Vec<CaseValue>),
    Table(toml::Table),
    One(CaseValue),
}

/// Reads the values of a parameter, and its base value for designs that vary one parameter at a time.
pub fn read_values(
    name: &str,
    written: &toml::Value,
) -> Result<(ParameterValues, Option<CaseValue>), LabError> {
    let wrong = |reason: &str| {
        LabError::input(format!(
            "[parameters] {name}: {reason}\n  try: [1, 2, 3], {{ from = 1, to = 2, count = 5 }} or \
             {{ distribution = \"normal\", mean = 1, deviation = 0.1 }}"
        ))
    };
    let written: Written =
        written.clone().try_into().map_err(|_| wrong("these values cannot be used"))?;
    let mut table = match written {
        Written::List(values) => return checked(ParameterValues::List(values), &wrong, None),
        Written::One(value) => return checked(ParameterValues::List(vec![value]), &wrong, None),
        Written::Table(table) => table,
    };
    let base = table.remove("base").map(toml::Value::try_into).transpose();
    let base = base.map_err(|_| wrong("`base` must be a number or a text"))?;
    let values = if let Some(values) = table.remove("values") {
        let values = values.try_into().map_err(|_| wrong("`values` must be a list"))?;
        if let Some(key) = table.keys().next() {
            return Err(wrong(&format!("`{key}` has no meaning beside `values`")));
        }
        ParameterValues::List(values)
    } else if table.contains_key("distribution") {
        let read = toml::Value::Table(table).try_into();
        ParameterValues::Distribution(
            read.map_err(|error: toml::de::Error| wrong(error.message()))?,
        )
    } else {
        let range: WrittenRange = toml::Value::Table(table)
            .try_into()
            .map_err(|error: toml::de::Error| wrong(error.message()))?;
        range.values()
    };
    checked(values, &wrong, base)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRange {
    from: f64,
    to: f64,
    count: Option<u64>,
    #[serde(default)]
    scale: WrittenScale,
}

#[derive(Default, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum WrittenScale {
    #[default]
    Linear,
    Logarithmic,
}

impl WrittenRange {
    /// Without a count, a uniform distribution.
    fn values(self) -> ParameterValues {
        let Self { from, to, count, scale } = self;
        let is_logarithmic = scale == WrittenScale::Logarithmic;
        match count {
            Some(count) => ParameterValues::Range { from, to, count, is_logarithmic },
            None if is_logarithmic => {
                ParameterValues::Distribution(Distribution::LogUniform { from, to })
            }
            None => ParameterValues::Distribution(Distribution::Uniform { from, to }),
        }
    }
}

fn checked(
    values: ParameterValues,
    wrong: &dyn Fn(&str) -> LabError,
    base: Option<CaseValue>,
) -> Result<(ParameterValues, Option<CaseValue>), LabError> {
    let is_finite = |value: &CaseValue| !matches!(value, CaseValue::Number(x) if !x.is_finite());
    let reason = match &values {
        ParameterValues::List(list) if list.is_empty() => Some("the list has no values"),
        ParameterValues::List(list) if !list.iter().chain(&base).all(is_finite) => {
            Some("numbers must be finite")
        }
        ParameterValues::List(_) => None,
        ParameterValues::Range { count: 0, .. } => Some("`count` must be positive"),
        ParameterValues::Range { from, to, .. } if !(to - from).is_finite() => {
            Some("numbers must be finite")
        }
        ParameterValues::Range { from, to, is_logarithmic: true, .. }
            if *from <= 0.0 || *to <= 0.0 =>
        {
            Some("bounds of a logarithmic range must be positive")
        }
        ParameterValues::Range { .. } => None,
        ParameterValues::Distribution(distribution) => distribution.refusal(),
    };
    match reason {
        Some(reason) => Err(wrong(reason)),
        None => Ok((values, base)),
    }
}

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
        let range = ParameterValues::Range { from: 1.0, to: 100.0, count: 3, is_logarithmic: true };
        let values: Vec<CaseValue> = (0..3).map(|k| range.get(k)).collect();
        assert_eq!(values, [1.0, 10.0, 100.0].map(CaseValue::Number));
    }
}
