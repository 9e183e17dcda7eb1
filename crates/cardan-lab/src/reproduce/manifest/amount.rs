//! A number of a manifest, given as a number or as a formula.

use serde::Deserialize;

use crate::error::LabError;

/// A number or a formula without variables.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "a number, or a formula as a text")]
pub enum Amount {
    Number(f64),
    Formula(String),
}

impl Amount {
    pub fn value(&self) -> Result<f64, LabError> {
        match self {
            Self::Number(x) => Ok(*x),
            Self::Formula(text) => match cardan::expression::Expression::parse_of(text, &[]) {
                Ok(formula) => Ok(formula.of(&[])),
                Err(error) => Err(LabError::input(format!("`{text}`: {error}"))),
            },
        }
    }

    pub fn text(&self) -> String {
        match self {
            Self::Number(x) => x.to_string(),
            Self::Formula(text) => text.clone(),
        }
    }
}
