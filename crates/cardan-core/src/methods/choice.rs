//! A method and its parameters as one string: `lms3`, `bathe:rho=0`, `lms4:rho=0.6:chart=exponential`.

use std::fmt;
use std::str::FromStr;

use super::parameters::ParameterValue;

/// A method with the parameters given for it.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodChoice {
    /// Its name or an alias.
    pub method: String,
    /// The parameters.
    pub parameters: Vec<(String, ParameterValue)>,
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
