//! The columns of all gradients, and the refusal of quantities that cannot act.

use super::SignalCompiler;
use crate::model::channel_view::ChannelView;
use crate::model::node_measure::PositionKinematics;
use crate::model::signals::{Argument, Column, CompiledFormula, ProbeKind};
use crate::model::{ModelError, Owner};

impl SignalCompiler<'_, '_> {
    /// Determines the columns of all gradients, and refuses what cannot act.
    pub(super) fn check_acting(&mut self) -> Result<(), ModelError> {
        let compiler = self.compiler;
        let v = vec![0.0; compiler.model.points.velocities(&compiler.model.nodes)];
        let multipliers = vec![0.0; compiler.model.rows.len()];
        let z = vec![0.0; self.signals.first_state + compiler.mechanism.states.len()];
        let (nodes, frames, q) = (&compiler.model.nodes, &compiler.frames, &compiler.q);
        let at = ChannelView {
            t: compiler.mechanism.start,
            v: &v,
            a: &[],
            multipliers: &multipliers,
            z: &z,
            rates: &[],
            signals: &[],
            totals: None,
            kinematics: PositionKinematics { nodes, frames, q },
        };
        let (mut first, acting) = (0, self.signals.acting_probes);
        for k in 0..acting {
            let kind = &self.signals.probes[k].kind;
            let columns = match compiler.model.probe_columns(kind, &at) {
                Ok(columns) => columns,
                Err(reason) => return Err(self.refusal(k, reason)),
            };
            let probe = &mut self.signals.probes[k];
            (probe.columns, probe.first) = (columns, first);
            first += probe.columns.len();
        }
        let mut first = 0;
        for k in 0..self.signals.acting {
            let each: Vec<Vec<Column>> = self.signals.formulas[k]
                .arguments
                .iter()
                .map(|argument| match *argument {
                    Argument::Time => Vec::new(),
                    Argument::Probe(k) => self.signals.probes[k].columns.clone(),
                    Argument::Formula(k) => self.signals.formulas[k].columns.clone(),
                    Argument::State(k) => vec![Column::State(k)],
                    Argument::Rate(k) => vec![Column::Rate(k)],
                    Argument::Discrete(k) => vec![Column::Discrete(k)],
                })
                .collect();
            let mut columns: Vec<Column> = each.iter().flatten().copied().collect();
            columns.sort_unstable();
            columns.dedup();
            let place = |column: &Column| columns.binary_search(column).unwrap_or(0);
            let targets = each.iter().map(|list| list.iter().map(place).collect()).collect();
            let formula = &mut self.signals.formulas[k];
            (formula.first, formula.targets) = (first, targets);
            first += columns.len();
            formula.columns = columns;
        }
        Ok(())
    }

    /// The error for a probe that cannot act: it names a signal or force that uses it.
    fn refusal(&self, probe: usize, reason: &str) -> ModelError {
        let name = self.channel_name(&self.signals.probes[probe].kind);
        let reason = format!("it uses `{name}` in a force or state: {reason}");
        let uses = |formula: &CompiledFormula| formula.arguments.contains(&Argument::Probe(probe));
        match self.signals.formulas.iter().position(uses) {
            Some(k) => {
                ModelError::value(&self.places[k].owner, reason).with_key(self.places[k].key)
            }
            None => ModelError::value(&Owner::Mechanism, reason),
        }
    }

    /// The name of the channel of a probe.
    fn channel_name(&self, kind: &ProbeKind) -> String {
        let ProbeKind::Channel { source, component } = kind else { return "a coordinate".into() };
        let all = self.compiler.model.channels();
        let parts = all.iter().flat_map(|channel| channel.parts());
        let found = parts.into_iter().find(|part| part.source() == (*source, *component));
        found.map_or_else(|| "a channel".into(), |part| part.name().to_string())
    }
}
