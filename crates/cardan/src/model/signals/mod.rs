//! Signals: scalars of time, channels, states and inputs that forces, states and outputs use.
//!
//! ```text
//!   probes      quantities of the model that formulas use: value, and gradient over q, v, λ, z
//!     ▼
//!   formulas    in the order of their dependencies: value, and gradient by the chain rule
//!     ▼
//!   couplings   forces linear in a formula: −b ∂s/∂(q, v, λ, z) in the tangents
//!   states      ż or a residual
//!   memories    values of the last accepted instant, in the discrete values of q
//! ```

mod column;
mod equations;
mod formula;
mod probe;
mod scratch;

use cardan_core::system::ValidityLimit;

pub(in crate::model) use column::Column;
pub(in crate::model) use equations::{MemoryData, MemoryRule, SignalCoupling, StateData};
pub(in crate::model) use formula::{Argument, CompiledFormula, FormulaBody};
pub(in crate::model) use probe::{Probe, ProbeKind};
pub(in crate::model) use scratch::{ProbeVariation, SignalScratch, SignalWork};

/// The signals of a compiled model.
#[derive(Clone, Debug, Default)]
pub(in crate::model) struct Signals {
    pub probes: Vec<Probe>,
    /// In the order of their dependencies; those that act come first.
    pub formulas: Vec<CompiledFormula>,
    /// The number of formulas that forces or states depend on.
    pub acting: usize,
    /// The number of probes that these formulas use; they come first.
    pub acting_probes: usize,
    /// The named signals: name and formula.
    pub names: Vec<(String, usize)>,
    /// The inputs: name, and index in q.
    pub inputs: Vec<(String, usize)>,
    pub couplings: Vec<SignalCoupling>,
    /// The states, after those of custom elements.
    pub states: Vec<StateData>,
    /// The index of the first state of this list among those of the model.
    pub first_state: usize,
    pub memories: Vec<MemoryData>,
    /// Limits of validity: formula and limit.
    pub limits: Vec<(usize, ValidityLimit)>,
    /// The initial values of all states, for evaluations without states.
    pub initial_states: Vec<f64>,
    /// The number of velocities, with those of points of flexible bodies.
    pub velocities: usize,
    /// Zeros, for evaluations without velocities or multipliers.
    pub zeros: Vec<f64>,
    /// Whether a recorded signal depends on energies, powers or momenta.
    pub needs_totals: bool,
}

impl Signals {
    /// Whether forces or states depend on formulas.
    #[inline]
    pub fn is_acting(&self) -> bool {
        self.acting > 0
    }

    /// The number of probes that the first `count` formulas use: those that act, or all.
    pub fn probe_count(&self, count: usize) -> usize {
        if count <= self.acting { self.acting_probes } else { self.probes.len() }
    }

    /// Whether a force depends on multipliers through a signal.
    pub fn forces_need_multipliers(&self) -> bool {
        self.couplings.iter().any(|x| self.needs_multipliers(x.signal))
    }

    /// Whether a state depends on multipliers.
    pub fn states_need_multipliers(&self) -> bool {
        self.states.iter().any(|x| self.needs_multipliers(x.formula))
    }

    fn needs_multipliers(&self, formula: usize) -> bool {
        let is_multiplier = |column: &Column| matches!(column, Column::Multiplier(_));
        self.formulas[formula].columns.iter().any(is_multiplier)
    }
}
