//! The parameters of a method, and the values that a user gives.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::math::Chart;

/// The possible values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterDomain {
    /// A number between two bounds.
    Number {
        /// The smallest value allowed.
        least: f64,
        /// The largest value allowed.
        most: f64,
        /// The default, used if neither the parameter nor an alternative to it is given.
        default: Option<f64>,
    },
    /// A whole number between two bounds.
    Count {
        /// The smallest value allowed.
        least: u32,
        /// The largest value allowed.
        most: u32,
        /// The default.
        default: u32,
    },
    /// One of a few words; the first is the default.
    Word(&'static [&'static str]),
}

/// A parameter of a method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// The possible values.
    pub domain: ParameterDomain,
    /// The meaning.
    pub meaning: &'static str,
}

/// Other names of parameters.
const ALIASES: &[(&str, &str)] = &[("prediction", "predictor")];

impl Parameter {
    /// ρ∞ over its whole range.
    pub const RHO: Self = Self::number(
        "rho",
        [0.0, 1.0],
        Some(0.6),
        "spectral radius at infinity; 1 means no dissipation",
    );

    /// A number between bounds.
    pub const fn number(
        name: &'static str,
        [least, most]: [f64; 2],
        default: Option<f64>,
        meaning: &'static str,
    ) -> Self {
        Self { name, domain: ParameterDomain::Number { least, most, default }, meaning }
    }

    /// Another name that is understood.
    pub fn alias(&self) -> Option<&'static str> {
        ALIASES.iter().find(|(_, name)| *name == self.name).map(|(alias, _)| *alias)
    }

    /// Whether a key means this parameter.
    pub fn is_called(&self, key: &str) -> bool {
        self.name == key || self.alias() == Some(key)
    }

    /// The default.
    pub fn default(&self) -> Option<ParameterValue> {
        match self.domain {
            ParameterDomain::Number { default, .. } => default.map(ParameterValue::Number),
            ParameterDomain::Count { default, .. } => {
                Some(ParameterValue::Number(f64::from(default)))
            }
            ParameterDomain::Word(words) => Some(words[0].into()),
        }
    }

    /// The checked value.
    fn check(
        &self,
        method: &'static str,
        value: &ParameterValue,
    ) -> Result<Checked, ParameterError> {
        let name = self.name;
        let out_of_range = |value, least, most| {
            let method = method.into();
            Err(ParameterError::OutOfRange { method, name, value, least, most })
        };
        let not_one_of = |words, value| {
            let method = method.into();
            ParameterError::NotOneOf { method, name, value, words }
        };
        match (self.domain, value) {
            (ParameterDomain::Number { least, most, .. }, &ParameterValue::Number(x)) => {
                match (least..=most).contains(&x) {
                    true => Ok(Checked::Number(x)),
                    false => out_of_range(x, least, most),
                }
            }
            (ParameterDomain::Count { least, most, .. }, &ParameterValue::Number(x)) => {
                let (least, most) = (f64::from(least), f64::from(most));
                match (least..=most).contains(&x) && x.fract() == 0.0 {
                    true => Ok(Checked::Number(x)),
                    false if x.fract() != 0.0 => {
                        Err(ParameterError::NotWhole { method: method.into(), name, value: x })
                    }
                    false => out_of_range(x, least, most),
                }
            }
            (ParameterDomain::Word(words), ParameterValue::Word(given)) => {
                let word = words.iter().find(|word| *word == given);
                word.map(|word| Checked::Word(word)).ok_or_else(|| not_one_of(words, given.clone()))
            }
            (ParameterDomain::Word(words), ParameterValue::Number(x)) => {
                Err(not_one_of(words, x.to_string()))
            }
            (_, ParameterValue::Word(given)) => Err(ParameterError::NotANumber {
                method: method.into(),
                name,
                value: given.clone(),
            }),
        }
    }
}

pub(crate) const RHO: Parameter = Parameter::RHO;

/// The parameter `chart`, with the charts that a family supports.
pub(super) const fn chart(words: &'static [&'static str]) -> Parameter {
    Parameter {
        name: "chart",
        domain: ParameterDomain::Word(words),
        meaning: "how rotations become coordinates: `cayley`, `exponential` without a speed limit; methods of \
                  several stages also `previous-stage`, Cayley centred at each stage. `printed`, as in the paper: \
                  Cayley, centred at the last solved point for sums and at the prediction for corrections, \
                  which costs methods of order four and five one and two orders",
    }
}

/// The parameter `startup`, with the starts that a family supports.
pub(super) const fn startup(words: &'static [&'static str]) -> Parameter {
    Parameter {
        name: "startup",
        domain: ParameterDomain::Word(words),
        meaning: "how the first steps are taken: lms2 to lms4 `trapezoidal`, or by the papers' \
                  `single-step` rule; ss2 to ss4 `corrected`, or as `printed`; the papers' ways leave \
                  an error of the reactions that does not shrink with the step",
    }
}

/// The parameter `predictor`, with the predictors that a family supports.
pub(super) const fn predictor(words: &'static [&'static str]) -> Parameter {
    Parameter {
        name: "predictor",
        domain: ParameterDomain::Word(words),
        meaning: "where Newton begins: lms2 to lms4 by default `smooth`, the accelerations of the last \
                  instants as far as they change smoothly (`stabilized`: `second-order`), with fewer \
                  iterations than the papers' `second-order`; ss2 to ss4 `constant`, as in the papers; methods of several \
                  stages `hermite`, which is more robust than `second-order` and `fourth-order`, whose points \
                  are early and far from each other. `printed`: as the papers print it, from the last solved \
                  points whatever their times, rates and accelerations apart",
    }
}

/// The value that a user gives for a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ParameterValue {
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
}

impl From<f64> for ParameterValue {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for ParameterValue {
    fn from(word: &str) -> Self {
        Self::Word(word.into())
    }
}

impl std::fmt::Display for ParameterValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(x) if *x != 0.0 && !(1e-4..1e9).contains(&x.abs()) => write!(f, "{x:e}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Word(word) => write!(f, "{word}"),
        }
    }
}

/// A parameter that is unknown, out of range, or contradicts another.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// The method does not have it.
    #[error("{}; {}", not_taken(method, name), takes(known))]
    Unknown {
        /// The method.
        method: String,
        /// The name given.
        name: String,
        /// The parameters of the method.
        known: Vec<&'static str>,
    },
    /// The value is outside the range.
    #[error("`{name}` = {} is outside [{least}, {most}] for `{method}`", ParameterValue::Number(*value))]
    OutOfRange {
        /// The method.
        method: String,
        /// The parameter.
        name: &'static str,
        /// The value given.
        value: f64,
        /// The smallest value allowed.
        least: f64,
        /// The largest value allowed.
        most: f64,
    },
    /// A number that must be whole.
    #[error("`{name}` = {} is not a whole number, as `{method}` needs it", ParameterValue::Number(*value))]
    NotWhole {
        /// The method.
        method: String,
        /// The parameter.
        name: &'static str,
        /// The value given.
        value: f64,
    },
    /// A word instead of a number.
    #[error("`{name}` of `{method}` is a number, not \"{value}\"")]
    NotANumber {
        /// The method.
        method: String,
        /// The parameter.
        name: &'static str,
        /// The word given.
        value: String,
    },
    /// An unknown word.
    #[error("`{name}` of `{method}` is not \"{value}\" but one of {}", quoted(words))]
    NotOneOf {
        /// The method.
        method: String,
        /// The parameter.
        name: &'static str,
        /// The word given.
        value: String,
        /// The known words.
        words: &'static [&'static str],
    },
    /// A value in the range for which the formula has no solution.
    #[error("`{name}` = {value} leaves `{method}` without a solution: {reason}")]
    Meaningless {
        /// The method.
        method: String,
        /// The parameter.
        name: &'static str,
        /// The value given.
        value: f64,
        /// The reason.
        reason: &'static str,
    },
    /// A parameter that is not used with the values of the others.
    #[error("`{name}` does not apply to `{method}` here: it is used {when}")]
    Unused {
        /// The method.
        method: String,
        /// The parameter.
        name: &'static str,
        /// When it is used.
        when: &'static str,
    },
    /// Two parameters that determine the same coefficient.
    #[error("`{method}` takes `{first}` or `{second}`, not both")]
    Both {
        /// The method.
        method: String,
        /// One of them.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// A parameter given twice.
    #[error("`{name}` is given twice")]
    Twice {
        /// The parameter.
        name: String,
    },
}

impl ParameterError {
    /// The fact, without the remedy.
    pub(crate) fn fact(&self) -> String {
        match self {
            Self::Unknown { method, name, .. } => not_taken(method, name),
            other => other.to_string(),
        }
    }

    /// The values that are possible.
    pub(crate) fn remedy(&self) -> Option<String> {
        match self {
            Self::Unknown { known, .. } => Some(takes(known)),
            _ => None,
        }
    }

    /// The parameter that is wrong.
    pub fn name(&self) -> &str {
        match self {
            Self::Unknown { name, .. } | Self::Twice { name } => name,
            Self::OutOfRange { name, .. }
            | Self::NotWhole { name, .. }
            | Self::Meaningless { name, .. }
            | Self::Unused { name, .. }
            | Self::NotANumber { name, .. }
            | Self::NotOneOf { name, .. }
            | Self::Both { second: name, .. } => name,
        }
    }
}

fn not_taken(method: &str, name: &str) -> String {
    format!("`{method}` does not take `{name}`")
}

/// A checked value.
#[derive(Clone, Copy, Debug)]
enum Checked {
    Number(f64),
    Word(&'static str),
}

/// Checked values of a method's parameters.
#[derive(Clone, Debug)]
pub struct ParameterValues {
    method: &'static str,
    given: Vec<(&'static Parameter, Checked)>,
    known: &'static [Parameter],
}

impl ParameterValues {
    /// Checks the given values against the parameters of a method.
    pub fn new(
        method: &'static str,
        known: &'static [Parameter],
        given: &[(String, ParameterValue)],
    ) -> Result<Self, ParameterError> {
        let mut checked: Vec<(&'static Parameter, Checked)> = Vec::new();
        for (name, value) in given {
            let Some(parameter) = known.iter().find(|p| p.is_called(name)) else {
                let known = known.iter().map(|p| p.name).collect();
                return Err(ParameterError::Unknown {
                    method: method.into(),
                    name: name.clone(),
                    known,
                });
            };
            let value = parameter.check(method, value)?;
            if checked.iter().any(|(p, _)| p.name == parameter.name) {
                return Err(ParameterError::Twice { name: name.clone() });
            }
            checked.push((parameter, value));
        }
        Ok(Self { method, given: checked, known })
    }

    /// A number if it was given.
    pub fn given(&self, name: &str) -> Option<f64> {
        self.given.iter().find(|(p, _)| p.name == name).and_then(|&(_, value)| match value {
            Checked::Number(number) => Some(number),
            Checked::Word(_) => None,
        })
    }

    /// A number, or its default (zero if it has none).
    pub fn get(&self, name: &str) -> f64 {
        let default = || match self.known.iter().find(|p| p.name == name)?.default()? {
            ParameterValue::Number(number) => Some(number),
            ParameterValue::Word(_) => None,
        };
        self.given(name).or_else(default).unwrap_or(0.0)
    }

    /// A word, or its default (empty if the method does not take it).
    pub fn word(&self, name: &str) -> &'static str {
        let given = self.given.iter().find(|(p, _)| p.name == name);
        match (given, self.known.iter().find(|p| p.name == name).map(|p| p.domain)) {
            (Some((_, Checked::Word(word))), _) => word,
            (_, Some(ParameterDomain::Word(words))) => words[0],
            _ => "",
        }
    }

    /// The chart of the parameter `chart`.
    pub fn chart(&self) -> Chart {
        match self.word("chart") {
            "exponential" => Chart::Exponential,
            _ => Chart::Cayley,
        }
    }

    /// A value if it was given; an error if it is below a bound that depends on other values.
    pub fn at_least(&self, name: &str, least: f64) -> Result<Option<f64>, ParameterError> {
        let parameter = self.known.iter().find(|p| p.name == name);
        match (self.given(name), parameter.map(|p| (p.name, p.domain))) {
            // the last digits of a bound are rounding
            (Some(value), Some((name, ParameterDomain::Number { most, .. })))
                if value < least * (1.0 - 1e-12) =>
            {
                let method = self.method.into();
                Err(ParameterError::OutOfRange { method, name, value, least, most })
            }
            (given, _) => Ok(given),
        }
    }

    /// The error of a value for which the formula has no solution.
    pub fn meaningless(
        &self,
        name: &'static str,
        value: f64,
        reason: &'static str,
    ) -> ParameterError {
        ParameterError::Meaningless { method: self.method.into(), name, value, reason }
    }

    /// The error of a parameter that is not used with the values of the others.
    pub fn unused(&self, name: &'static str, when: &'static str) -> ParameterError {
        ParameterError::Unused { method: self.method.into(), name, when }
    }

    /// An error if two parameters that determine the same coefficient are given.
    pub fn not_both(
        &self,
        first: &'static str,
        second: &'static str,
    ) -> Result<(), ParameterError> {
        if self.given(first).is_some() && self.given(second).is_some() {
            let method = self.method.into();
            return Err(ParameterError::Both { method, first, second });
        }
        Ok(())
    }
}

fn takes(known: &[&str]) -> String {
    match known {
        [] => "it takes no parameters".into(),
        _ => format!("it takes {}", known.join(", ")),
    }
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ")
}
