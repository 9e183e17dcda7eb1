//! The parameters a method takes, and the values a user gives.

use thiserror::Error;

/// A number that a method takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// The smallest value allowed.
    pub least: f64,
    /// The largest value allowed.
    pub most: f64,
    /// What is used if neither it nor an alternative to it is given.
    pub default: Option<f64>,
    /// What it means.
    pub meaning: &'static str,
}

/// ρ∞ over its whole range.
pub(crate) const RHO: Parameter = Parameter {
    name: "rho",
    least: 0.0,
    most: 1.0,
    default: Some(0.6),
    meaning: "spectral radius at infinity; 1 means no dissipation",
};

/// A parameter that is unknown, out of range, or contradicts another.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParameterError {
    /// The method does not have it.
    #[error("`{method}` does not take `{name}`; {}", takes(known))]
    Unknown {
        /// The method.
        method: String,
        /// The name given.
        name: String,
        /// The parameters it has.
        known: Vec<&'static str>,
    },
    /// The value is outside the range.
    #[error("`{name}` = {value} is outside [{least}, {most}] for `{method}`")]
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
    /// Two parameters that say the same thing.
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

/// Checked values of a method's parameters.
#[derive(Clone, Debug)]
pub struct Values {
    method: &'static str,
    given: Vec<(&'static Parameter, f64)>,
    known: &'static [Parameter],
}

impl Values {
    /// Checks what a user gives against what a method takes.
    pub fn new(
        method: &'static str,
        known: &'static [Parameter],
        given: &[(String, f64)],
    ) -> Result<Self, ParameterError> {
        let mut checked: Vec<(&'static Parameter, f64)> = Vec::new();
        for (name, value) in given {
            let Some(parameter) = known.iter().find(|p| p.name == name) else {
                let known = known.iter().map(|p| p.name).collect();
                return Err(ParameterError::Unknown {
                    method: method.into(),
                    name: name.clone(),
                    known,
                });
            };
            let Parameter { name, least, most, .. } = *parameter;
            if !(least..=most).contains(value) {
                let method = method.into();
                return Err(ParameterError::OutOfRange {
                    method,
                    name,
                    value: *value,
                    least,
                    most,
                });
            }
            if checked.iter().any(|(p, _)| p.name == name) {
                return Err(ParameterError::Twice { name: name.into() });
            }
            checked.push((parameter, *value));
        }
        Ok(Self { method, given: checked, known })
    }

    /// A value if it was given.
    pub fn given(&self, name: &str) -> Option<f64> {
        self.given.iter().find(|(p, _)| p.name == name).map(|&(_, value)| value)
    }

    /// A value, or its default (zero if it has none).
    pub fn get(&self, name: &str) -> f64 {
        let default = || self.known.iter().find(|p| p.name == name).and_then(|p| p.default);
        self.given(name).or_else(default).unwrap_or(0.0)
    }

    /// A value if it was given, which must not be below a bound that depends on other values.
    pub fn at_least(&self, name: &str, least: f64) -> Result<Option<f64>, ParameterError> {
        match self.given.iter().find(|(p, _)| p.name == name) {
            // the last digits of a bound are rounding
            Some(&(p, value)) if value < least * (1.0 - 1e-12) => Err(ParameterError::OutOfRange {
                method: self.method.into(),
                name: p.name,
                value,
                least,
                most: p.most,
            }),
            found => Ok(found.map(|&(_, value)| value)),
        }
    }

    /// Refuses two parameters that say the same thing.
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
