//! The equations of states, and the values that are kept until the next accepted instant.

use super::{FormulaPlace, PendingArgument, PendingMemory, SignalCompiler};
use crate::expression::Expression;
use crate::model::channel_source::ChannelSource;
use crate::model::checks::fail_at;
use crate::model::describe::StateEquation;
use crate::model::signals::{
    Argument, FormulaBody, MemoryData, MemoryRule, Probe, ProbeKind, StateData,
};
use crate::model::{ModelError, Owner, PartKind};
use cardan_core::system::ValidityLimit;

impl SignalCompiler<'_, '_> {
    /// Compiles the equations of the states.
    pub(super) fn states(&mut self) -> Result<(), ModelError> {
        let mechanism = self.compiler.mechanism;
        for state in &mechanism.states {
            let owner = Owner::part(PartKind::State, &state.name);
            if !state.initial.is_finite() {
                return fail_at(&owner, "start", "its initial value is not finite");
            }
            let (formula, key, is_residual) = match &state.equation {
                StateEquation::Rate(formula) => (formula, "rate", false),
                StateEquation::Residual(formula) => (formula, "residual", true),
            };
            let place = FormulaPlace { owner, key: key.into() };
            let formula = self.formula(&place, formula)?;
            let own = self.signals.first_state + self.signals.states.len();
            let rates = &self.rates[formula];
            if is_residual && !rates.contains(&own) {
                let reason = format!(
                    "its residual does not contain `{}.rate`, so it does not determine the state",
                    state.name
                );
                return fail_at(&place.owner, place.key, reason);
            }
            if !is_residual && !rates.is_empty() {
                let reason = "the formula of a rate cannot contain rates: use `residual`";
                return fail_at(&place.owner, place.key, reason);
            }
            let (name, initial) = (state.name.clone(), state.initial);
            self.signals.states.push(StateData { name, initial, formula, is_residual });
        }
        Ok(())
    }

    /// Compiles what does not act: signals that are recorded only, limits of validity, and the formulas of memories.
    pub(super) fn recorded(&mut self) -> Result<(), ModelError> {
        let mechanism = self.compiler.mechanism;
        for signal in &mechanism.signals {
            let k = self.signal(&signal.name)?;
            self.signals.names.push((signal.name.clone(), k));
        }
        for limit in &mechanism.signal_limits {
            let place = FormulaPlace { owner: limit.owner.clone(), key: "limit".into() };
            let formula = self.formula(&place, &limit.formula)?;
            let limit = ValidityLimit { part: limit.owner.to_string(), ..limit.limit.clone() };
            self.signals.limits.push((formula, limit));
        }
        while let Some(memory) = self.memories.pop() {
            let PendingMemory { place, formula, arguments, q, rule } = memory;
            let mut resolved = Vec::new();
            for argument in arguments {
                resolved.push(match argument {
                    PendingArgument::Known(argument) => argument,
                    PendingArgument::Named(name) => self.named(&place, &name)?,
                });
            }
            self.check_memory(&place, &resolved)?;
            let formula = self.add(&place, FormulaBody::Expression(formula), resolved);
            self.signals.memories.push(MemoryData { q, formula, rule });
        }
        let is_total = |probe: &Probe| matches!(&probe.kind, ProbeKind::Channel { source, .. } if is_total(source));
        self.signals.needs_totals = self.signals.probes.iter().any(is_total);
        Ok(())
    }

    /// Refuses quantities that are not known when an instant is accepted.
    fn check_memory(&self, place: &FormulaPlace, arguments: &[Argument]) -> Result<(), ModelError> {
        let has_points = !self.compiler.model.points.is_empty();
        let mut open = arguments.to_vec();
        let mut is_seen = vec![false; self.signals.formulas.len()];
        while let Some(argument) = open.pop() {
            let kind = match argument {
                Argument::Formula(k) if !is_seen[k] => {
                    is_seen[k] = true;
                    open.extend_from_slice(&self.signals.formulas[k].arguments);
                    continue;
                }
                Argument::Rate(_) => {
                    let reason = "`previous` does not take rates of states";
                    return fail_at(&place.owner, place.key, reason);
                }
                Argument::Probe(k) => &self.signals.probes[k].kind,
                _ => continue,
            };
            let ProbeKind::Channel { source, .. } = kind else { continue };
            let reason = match source {
                source if is_total(source) => "`previous` does not take sums over the whole model",
                ChannelSource::StateRate(_) => "`previous` does not take rates of states",
                source if source.needs_accelerations() && has_points => {
                    "`previous` does not take accelerations in a model with flexible bodies"
                }
                _ => continue,
            };
            return fail_at(&place.owner, place.key, reason);
        }
        Ok(())
    }

    /// A discrete value that follows a formula when instants are accepted.
    pub(super) fn memory(
        &mut self,
        place: &FormulaPlace,
        formula: Expression,
        arguments: Vec<PendingArgument>,
        rule: MemoryRule,
        initial: f64,
    ) -> Argument {
        let q = self.add_discrete(initial);
        let place = place.clone();
        self.memories.push(PendingMemory { place, formula, arguments, q, rule });
        Argument::Discrete(q)
    }
}

/// Whether a channel is a sum over the whole model.
fn is_total(source: &ChannelSource) -> bool {
    matches!(
        source,
        ChannelSource::Energy(_) | ChannelSource::Power(_) | ChannelSource::Momentum { .. }
    )
}
