//! A method in one word: `lms3`, `bathe:rho=0`, `lms4:rho=0.6:chart=exponential`.

use std::fmt;
use std::str::FromStr;

use super::{Method, MethodInfo, ParameterValue, Registry, find};
use crate::methods::SettingsError;

/// A method with the parameters given for it.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodChoice {
    /// Its name or an alias.
    pub method: String,
    /// The parameters.
    pub parameters: Vec<(String, ParameterValue)>,
}

impl MethodChoice {
    /// The method of Cardan, with its parameters checked; [`Registry::build`] knows others too.
    pub fn build(&self) -> Result<(&'static MethodInfo, Box<dyn Method>), SettingsError> {
        let unknown = || Registry::standard().unknown(&self.method);
        let info = find(&self.method).ok_or_else(unknown)?;
        Ok((info, info.build(&self.parameters)?))
    }

    /// The method with each of some values of a parameter; as it is if it has its own value, does not
    /// take the parameter, or there are no values.
    pub fn with_each(&self, registry: &Registry, name: &str, values: &[f64]) -> Vec<Self> {
        let is_given = self.parameters.iter().any(|(given, _)| given == name);
        let is_taken = registry.find(&self.method).is_some_and(|info| info.takes(name));
        if is_given || !is_taken || values.is_empty() {
            return vec![self.clone()];
        }
        let with = |value: &f64| {
            let mut choice = self.clone();
            choice.parameters.push((name.into(), ParameterValue::Number(*value)));
            choice
        };
        values.iter().map(with).collect()
    }
}

impl FromStr for MethodChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(':').map(str::trim);
        let method = parts.next().unwrap_or_default().to_string();
        let parameters = parts.map(|part| {
            let (name, value) = part
                .split_once('=')
                .filter(|(name, value)| !name.trim().is_empty() && !value.trim().is_empty())
                .ok_or_else(|| format!("`{part}` of `{text}` is not written NAME=VALUE"))?;
            let value = value.trim();
            let number = value.parse().ok().map(ParameterValue::Number);
            Ok((
                name.trim().to_string(),
                number.unwrap_or_else(|| ParameterValue::Word(value.into())),
            ))
        });
        Ok(Self { method, parameters: parameters.collect::<Result<_, String>>()? })
    }
}

impl fmt::Display for MethodChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.method)?;
        self.parameters.iter().try_for_each(|(name, value)| write!(f, ":{name}={value}"))
    }
}
