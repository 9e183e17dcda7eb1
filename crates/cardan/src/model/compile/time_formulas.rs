//! Formulas that depend on time only, directly or through signals: drives and structures need them, and forces do
//! without gradients for them.

use super::Compiler;
use crate::expression::{Expression, Operation, VariableSource};
use crate::model::checks::fail_at;
use crate::model::describe::SignalBody;
use crate::model::values::SignalFormula;
use crate::model::{Function, InputKey, ModelError, Owner};

/// Why a formula is not a function of time.
pub(super) enum NotOfTime {
    /// It depends on this name.
    Depends(String),
    /// It is too long after its signals are replaced.
    TooLong(String),
    /// It cannot be compiled: signals that depend on each other, a wrong formula, too many operations.
    Wrong(String),
}

impl Compiler<'_> {
    /// A function of time for a part that takes nothing else.
    pub(super) fn time_function(
        &self,
        owner: &Owner,
        key: impl Into<InputKey>,
        function: &Function,
    ) -> Result<Function, ModelError> {
        self.function_of_time(owner, key, function, |reason| match reason {
            NotOfTime::Depends(name) => Some(format!(
                "it depends on `{name}`; a prescribed motion needs two exact time derivatives, so it takes time and \
                 signals of time only"
            )),
            NotOfTime::TooLong(reason) | NotOfTime::Wrong(reason) => Some(reason),
        })
    }

    /// The function for a force: of time if the formula allows it, otherwise the formula.
    pub(super) fn force_function(
        &self,
        owner: &Owner,
        key: impl Into<InputKey>,
        function: &Function,
    ) -> Result<Function, ModelError> {
        self.function_of_time(owner, key, function, |reason| match reason {
            NotOfTime::Depends(_) | NotOfTime::TooLong(_) => None,
            NotOfTime::Wrong(reason) => Some(reason),
        })
    }

    /// The function of time if the formula is one; otherwise the formula, or an error for the reason that `refusal` gives.
    fn function_of_time(
        &self,
        owner: &Owner,
        key: impl Into<InputKey>,
        function: &Function,
        refusal: impl Fn(NotOfTime) -> Option<String>,
    ) -> Result<Function, ModelError> {
        let Function::Formula(formula) = function else { return Ok(function.clone()) };
        match self.of_time(formula).map_err(refusal) {
            Ok(expression) => Ok(Function::from(expression)),
            Err(Some(reason)) => fail_at(owner, key, reason),
            Err(None) => Ok(function.clone()),
        }
    }

    /// The functions of a vector.
    pub(super) fn force_functions(
        &self,
        owner: &Owner,
        key: &'static str,
        functions: &[Function; 3],
    ) -> Result<[Function; 3], ModelError> {
        let one = |k: usize| self.force_function(owner, InputKey::entry(key, k), &functions[k]);
        Ok([one(0)?, one(1)?, one(2)?])
    }

    /// The formula as an expression of time.
    pub(super) fn of_time(&self, formula: &SignalFormula) -> Result<Expression, NotOfTime> {
        self.of_time_within(formula, &mut Vec::new())
    }

    fn of_time_within<'s>(
        &'s self,
        formula: &SignalFormula,
        path: &mut Vec<&'s str>,
    ) -> Result<Expression, NotOfTime> {
        let expression = formula
            .expression(&["t"], &self.signal_names.known)
            .map_err(|error| NotOfTime::Wrong(format!("`{}`: {error}", formula.text())))?;
        let mut parts: Vec<Vec<Operation>> = vec![vec![Operation::Variable(0)]];
        for variable in expression.found() {
            let VariableSource::Named(name) = &variable.source else {
                return Err(NotOfTime::Depends("previous(…)".into()));
            };
            let Some(signal) = self.signal_names.signal(name).map(|k| &self.mechanism.signals[k])
            else {
                return Err(NotOfTime::Depends(name.clone()));
            };
            let SignalBody::Formula(inner) = &signal.body else {
                return Err(NotOfTime::Depends(name.clone()));
            };
            if path.contains(&signal.name.as_str()) {
                return Err(NotOfTime::Wrong(cycle(path, name)));
            }
            if path.len() >= MAX_CHAIN {
                return Err(NotOfTime::TooLong(chain_too_long()));
            }
            path.push(&signal.name);
            let inner = self.of_time_within(inner, path)?;
            path.pop();
            parts.push(inner.operations().to_vec());
        }
        if expression.found().is_empty() {
            return Ok(expression);
        }
        let parts: Vec<&[Operation]> = parts.iter().map(Vec::as_slice).collect();
        expression.substituted(&parts).ok_or_else(|| {
            let text = formula.text();
            NotOfTime::TooLong(format!("`{text}` is too long after its signals are replaced"))
        })
    }
}

/// The most signals that depend on one another in a row.
pub(super) const MAX_CHAIN: usize = 200;

/// The message for a chain of signals that is too long.
pub(super) fn chain_too_long() -> String {
    format!("more than {MAX_CHAIN} signals depend on one another in a row")
}

/// The message for signals that depend on each other.
pub(super) fn cycle<S: AsRef<str>>(path: &[S], last: &str) -> String {
    let first = path.iter().position(|name| name.as_ref() == last).unwrap_or(0);
    let names = path[first..].iter().map(|name| format!("`{}`", name.as_ref()));
    let all: Vec<String> = names.chain([format!("`{last}`")]).collect();
    format!("signals depend on each other: {}", all.join(" → "))
}
