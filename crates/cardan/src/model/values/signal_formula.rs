//! A formula of the state of the machine, before its names are resolved.

use crate::expression::{Expression, ExpressionError, NameSet};

/// A formula of time, channels, signals, states and inputs. Its names are resolved when the mechanism is assembled.
#[derive(Clone, Debug)]
pub struct SignalFormula {
    text: String,
    /// The parsed formula, if the names were known when it was read.
    parsed: Option<Expression>,
    factor: f64,
}

impl SignalFormula {
    /// A formula in text.
    pub fn new(text: &str) -> Self {
        Self { text: text.into(), parsed: None, factor: 1.0 }
    }

    /// A formula that was parsed with its parameters.
    pub(crate) fn parsed(expression: Expression) -> Self {
        Self { text: expression.text().into(), parsed: Some(expression), factor: 1.0 }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The formula multiplied by a factor.
    pub(in crate::model) fn scaled(&self, factor: f64) -> Self {
        Self { factor: factor * self.factor, ..self.clone() }
    }

    /// The formula over given variables and known names without points; both follow the variables in the order of
    /// their occurrence.
    pub(in crate::model) fn expression(
        &self,
        variables: &[&str],
        known: &NameSet,
    ) -> Result<Expression, ExpressionError> {
        let parsed = match &self.parsed {
            Some(expression) => expression.clone(),
            None => Expression::parse_open(&self.text, &[], variables, known)?,
        };
        Ok(parsed.scaled(self.factor))
    }
}

impl From<&str> for SignalFormula {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for SignalFormula {
    fn from(text: String) -> Self {
        Self::new(&text)
    }
}
