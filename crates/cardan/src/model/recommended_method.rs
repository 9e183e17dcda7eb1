//! The method that suits a mechanism and a tolerance.

use super::Mechanism;
use super::describe::ForceKind;
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

impl Mechanism {
    /// The method for a relative tolerance. The evidence for these rules is in the documentation of error control:
    ///
    /// | mechanism | tolerance | method |
    /// | --- | --- | --- |
    /// | beams, bars, structures, flexible bodies | 1e-6 or more | generalized-alpha |
    /// | friction | 1e-6 or more | bdf2 |
    /// | all others | | esdirk436 |
    pub fn recommended_method(&self, tolerance: f64) -> RecommendedMethod {
        let method = |name: &str, parameters: &[(&str, f64)], reason: String| {
            let parameters =
                parameters.iter().map(|(name, value)| (name.to_string(), (*value).into()));
            let choice = MethodChoice { method: name.into(), parameters: parameters.collect() };
            RecommendedMethod { choice, reason }
        };
        let flexible = [
            ("beams", self.beams.len()),
            ("bars", self.trusses.len()),
            ("flexible bodies", self.flexible.len()),
            ("structures", self.structures.len()),
        ];
        let stiff = flexible.into_iter().find(|(_, count)| *count > 0).map(|(what, _)| what);
        let is_friction = |kind: &ForceKind| matches!(kind, ForceKind::Friction { .. });
        let has_friction = self.forces.iter().any(|force| is_friction(&force.kind));
        if tolerance >= FINE && has_friction {
            let reason =
                "friction changes abruptly, which second order and strong damping follow best";
            return method("bdf2", &[], reason.into());
        }
        if let (true, Some(what)) = (tolerance >= FINE, stiff) {
            let reason = format!("{what} have fast modes, whose forces this method damps");
            return method("generalized-alpha", &[("rho", 0.8)], reason);
        }
        let reason = match stiff {
            Some(what) => {
                format!("a tolerance below {FINE:e} needs a high order, also with {what}")
            }
            None => "fourth order takes the fewest steps where the motion is smooth".into(),
        };
        method("esdirk436", &[], reason)
    }
}
