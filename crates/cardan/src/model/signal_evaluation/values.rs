//! The values of probes and formulas, and of what is kept when an instant is accepted.

use crate::model::channel_view::ChannelView;
use crate::model::compiled::Model;
use crate::model::signals::{Argument, CompiledFormula, ProbeKind, SignalScratch};
use cardan_core::system::{Failure, StateView};

impl Model {
    /// Writes the values of the first `count` formulas. A formula that fails is not a number.
    pub(in crate::model) fn evaluate_signals(
        &self,
        at: &ChannelView<'_>,
        count: usize,
        scratch: &mut SignalScratch,
    ) {
        let at = &self.completed(at);
        let SignalScratch { values, work } = scratch;
        let work = work.get_mut();
        // the probes of formulas that act come first
        let probes = self.signals.probe_count(count);
        for k in 0..probes {
            work.probes[k] = self.probe_value(&self.signals.probes[k].kind, at);
        }
        for (k, formula) in self.signals.formulas[..count].iter().enumerate() {
            let arguments = &mut work.arguments[..formula.arguments.len()];
            write_arguments(formula, at, &work.probes, values, arguments);
            values[k] = formula.value(at.t, arguments).unwrap_or(f64::NAN);
        }
    }

    /// The view with initial states and zero velocities and multipliers where it has none: not every evaluation needs
    /// them.
    pub(super) fn completed<'a>(&'a self, at: &ChannelView<'a>) -> ChannelView<'a> {
        let signals = &self.signals;
        let or_zeros = |given: &'a [f64], count: usize| match given.len() < count {
            true => &signals.zeros[..count],
            false => given,
        };
        let z =
            if at.z.len() < signals.initial_states.len() { &signals.initial_states } else { at.z };
        ChannelView {
            v: or_zeros(at.v, signals.velocities),
            multipliers: or_zeros(at.multipliers, self.rows.len()),
            z,
            ..*at
        }
    }

    /// The value of a probe.
    pub(in crate::model) fn probe_value(&self, kind: &ProbeKind, at: &ChannelView<'_>) -> f64 {
        match kind {
            ProbeKind::Measure { measure, is_rate: false } => measure.value(at.kinematics),
            ProbeKind::Measure { measure, is_rate: true } => measure.rate(at.kinematics, at.v),
            ProbeKind::Channel { source, component } => {
                let mut values = [0.0; 6];
                self.value(*source, at, &mut values);
                values[*component]
            }
        }
    }

    /// The reason why a formula is not finite, with its name: the failure of a function in Rust, or the arguments.
    pub(in crate::model) fn signal_failure(&self, at: &ChannelView<'_>) -> Option<Failure> {
        let mut scratch = SignalScratch::new(&self.signals);
        self.evaluate_signals(at, self.signals.acting, &mut scratch);
        let SignalScratch { values, work } = &mut scratch;
        let work = work.get_mut();
        let at = &self.completed(at);
        let k = values[..self.signals.acting].iter().position(|value| !value.is_finite())?;
        let formula = &self.signals.formulas[k];
        let mut arguments = vec![0.0; formula.arguments.len()];
        write_arguments(formula, at, &work.probes, values, &mut arguments);
        let failure = match formula.value(at.t, &arguments) {
            Err(failure) => failure,
            Ok(value) => formula
                .refusal(&arguments)
                .unwrap_or_else(|| Failure::new(format!("its formula is {value}"))),
        };
        Some(failure.in_part(|| formula.name.clone()))
    }

    /// The part whose value of the last accepted instant differs between two configurations.
    pub(crate) fn changed_memory(&self, one: &[f64], two: &[f64]) -> Option<String> {
        let differs = |q: usize| (one[q] - two[q]).abs() > 1e-9 * (1.0 + two[q].abs());
        let changed = self.signals.memories.iter().find(|memory| differs(memory.q));
        changed.map(|memory| self.signals.formulas[memory.formula].name.clone())
    }

    /// Whether formulas use values of the last accepted instant, which are constants of linear equations.
    pub fn has_previous_values(&self) -> bool {
        !self.signals.memories.is_empty()
    }

    /// Writes the values that are kept until the next accepted instant; `discrete` has all discrete values.
    pub(in crate::model) fn update_memories(&self, at: &StateView<'_>, discrete: &mut [f64]) {
        if self.signals.memories.is_empty() {
            return;
        }
        let first = self.space.configurations() - discrete.len();
        self.with_signal_values(at, |values| {
            for memory in &self.signals.memories {
                let kept = &mut discrete[memory.q - first];
                *kept = memory.rule.update(*kept, values[memory.formula]);
            }
        });
    }
}

/// Writes the arguments of a formula.
pub(super) fn write_arguments(
    formula: &CompiledFormula,
    at: &ChannelView<'_>,
    probes: &[f64],
    values: &[f64],
    arguments: &mut [f64],
) {
    for (out, argument) in arguments.iter_mut().zip(&formula.arguments) {
        *out = match *argument {
            Argument::Time => at.t,
            Argument::Probe(k) => probes[k],
            Argument::Formula(k) => values[k],
            Argument::State(k) => at.z[k],
            Argument::Rate(k) => at.rates.get(k).copied().unwrap_or(f64::NAN),
            Argument::Discrete(k) => at.kinematics.q[k],
        };
    }
}
