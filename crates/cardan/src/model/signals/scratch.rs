//! Preallocated memory for the evaluation of signals.

use std::cell::RefCell;

use super::Signals;

/// The values of all formulas, and memory for their gradients.
#[derive(Clone, Debug, Default)]
pub(in crate::model) struct SignalScratch {
    pub values: Vec<f64>,
    pub work: RefCell<SignalWork>,
}

/// Memory for arguments and gradients.
#[derive(Clone, Debug, Default)]
pub(in crate::model) struct SignalWork {
    /// The values of the probes.
    pub probes: Vec<f64>,
    /// The arguments of one formula, and the derivatives by them.
    pub arguments: Vec<f64>,
    pub slopes: Vec<f64>,
    /// The gradients of all formulas, one after the other.
    pub gradients: Vec<f64>,
    /// The gradients of all probes, one after the other.
    pub probe_gradients: Vec<f64>,
    /// Row and value of the entries of one direction.
    pub direction: Vec<(usize, f64)>,
    /// A copy of the instant that differences vary.
    pub variation: ProbeVariation,
}

/// A copy of an instant that differences of probes vary.
#[derive(Clone, Debug, Default)]
pub(in crate::model) struct ProbeVariation {
    pub frames: Vec<crate::model::Frame<f64>>,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub multipliers: Vec<f64>,
    pub z: Vec<f64>,
}

impl SignalScratch {
    pub fn new(signals: &Signals) -> Self {
        let max_arguments = signals.formulas.iter().map(|x| x.arguments.len()).max().unwrap_or(0);
        let entries = signals.formulas.iter().map(|x| x.columns.len()).sum();
        let probe_entries = signals.probes.iter().map(|x| x.columns.len()).sum();
        let work = SignalWork {
            probes: vec![0.0; signals.probes.len()],
            arguments: vec![0.0; max_arguments],
            slopes: vec![0.0; max_arguments],
            gradients: vec![0.0; entries],
            probe_gradients: vec![0.0; probe_entries],
            direction: Vec::with_capacity(24),
            variation: ProbeVariation::default(),
        };
        Self { values: vec![f64::NAN; signals.formulas.len()], work: RefCell::new(work) }
    }
}
