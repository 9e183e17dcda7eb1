//! The method that suits a mechanism and a tolerance.

use super::Mechanism;
use super::describe::{ForceKind, SignalBody};
use super::values::{Function, Law, SignalFormula};
use crate::expression::NameSet;
use cardan_core::methods::MethodChoice;

/// A method with the reason for it.
#[derive(Clone, Debug, PartialEq)]
pub struct RecommendedMethod {
    /// The method and its parameters.
    pub choice: MethodChoice,
    /// The reason, as half a sentence.
    pub reason: String,
}

/// Below this tolerance methods of second order need too many steps.
const FINE: f64 = 1e-6;
/// The variables of formulas of forces.
const VARIABLES: [&str; 3] = ["x", "v", "t"];

impl Mechanism {
    /// The method for a relative tolerance:
    ///
    /// | mechanism | tolerance | method |
    /// | --- | --- | --- |
    /// | friction, or a force by a formula with tanh or sign | 1e-6 or more | generalized-alpha |
    /// | all others | | esdirk436 |
    ///
    /// The evidence is in `docs/error-control.md`, and is measured by `cardan accuracy --auto`. Over friction that changes
    /// within a small speed the stages of `esdirk436` pass without an error in the estimate; methods of second order take short
    /// steps there. Everywhere else, also with beams, `esdirk436` needs the least work at equal error, or little more.
    pub fn recommended_method(&self, tolerance: f64) -> RecommendedMethod {
        let method = |name: &str, parameters: &[(&str, f64)], reason: String| {
            let parameters =
                parameters.iter().map(|(name, value)| (name.to_string(), (*value).into()));
            let choice = MethodChoice { method: name.into(), parameters: parameters.collect() };
            RecommendedMethod { choice, reason }
        };
        let abrupt = self.abrupt_force();
        if let (true, Some(name)) = (tolerance >= FINE, abrupt) {
            let reason =
                format!("`{name}` changes abruptly, which short steps of second order follow");
            return method("generalized-alpha", &[("rho", 0.8)], reason);
        }
        let reason = match abrupt {
            Some(name) => {
                format!("a tolerance below {FINE:e} needs a high order, also with `{name}`")
            }
            None => "fourth order takes the fewest steps where the motion is smooth".into(),
        };
        method("esdirk436", &[], reason)
    }

    /// The name of a force or signal that changes abruptly.
    fn abrupt_force(&self) -> Option<&str> {
        let signals = self.signals.iter().map(|signal| &signal.name);
        let states = self.states.iter().map(|state| &state.name);
        let inputs = self.inputs.iter().map(|input| &input.name);
        let known: NameSet = signals.chain(states).chain(inputs).cloned().collect();
        // the assembly reports formulas that cannot be read
        let is_abrupt = |formula: &SignalFormula| {
            let expression = formula.expression(&VARIABLES, &known);
            expression.is_ok_and(|expression| expression.has_abrupt_function())
        };
        let has_abrupt_law = |law: &Law| match law {
            Law::Formula(formula) | Law::Actuator(Function::Formula(formula)) => is_abrupt(formula),
            _ => false,
        };
        let force = self.forces.iter().find(|force| match &force.kind {
            ForceKind::Friction { .. } => true,
            ForceKind::Joint { law, .. } | ForceKind::Between { law, .. } => has_abrupt_law(law),
            _ => false,
        });
        let signal = self.signals.iter().find(|signal| match &signal.body {
            SignalBody::Formula(formula) => is_abrupt(formula),
            _ => false,
        });
        force.map(|force| force.name.as_str()).or(signal.map(|signal| signal.name.as_str()))
    }
}
