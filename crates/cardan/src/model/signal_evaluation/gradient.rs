//! The gradients of formulas by the chain rule.

use super::values::write_arguments;
use crate::model::channel_view::ChannelView;
use crate::model::compiled::Model;
use crate::model::signals::{Argument, SignalWork};

impl Model {
    /// Writes the gradients of the formulas that act; `at.signals` are their values.
    pub(in crate::model) fn write_signal_gradients(
        &self,
        at: &ChannelView<'_>,
        work: &mut SignalWork,
    ) {
        let at = &self.completed(at);
        let signals = &self.signals;
        let probes = signals.probe_count(signals.acting);
        for k in 0..probes {
            work.probes[k] = self.probe_value(&signals.probes[k].kind, at);
        }
        for probe in &signals.probes[..probes] {
            let places = probe.first..probe.first + probe.columns.len();
            let SignalWork { probe_gradients, variation, .. } = work;
            self.write_probe_gradient(probe, at, variation, &mut probe_gradients[places]);
        }
        for formula in &signals.formulas[..signals.acting] {
            let count = formula.arguments.len();
            let SignalWork { probes, arguments, slopes, gradients, probe_gradients, .. } = work;
            let (arguments, slopes) = (&mut arguments[..count], &mut slopes[..count]);
            write_arguments(formula, at, probes, at.signals, arguments);
            formula.slopes(at.t, arguments, slopes);
            let (earlier, own) = gradients.split_at_mut(formula.first);
            let own = &mut own[..formula.columns.len()];
            own.fill(0.0);
            for ((argument, targets), slope) in
                formula.arguments.iter().zip(&formula.targets).zip(slopes)
            {
                let inner: &[f64] = match *argument {
                    Argument::Time => continue,
                    Argument::Probe(k) => {
                        let probe = &signals.probes[k];
                        &probe_gradients[probe.first..probe.first + probe.columns.len()]
                    }
                    Argument::Formula(k) => signals.formulas[k].gradient(earlier),
                    Argument::State(_) | Argument::Rate(_) | Argument::Discrete(_) => &[1.0],
                };
                for (&target, x) in targets.iter().zip(inner) {
                    // an argument without influence here has none through an infinite derivative either
                    if *slope != 0.0 {
                        own[target] += *slope * x;
                    }
                }
            }
        }
    }
}
