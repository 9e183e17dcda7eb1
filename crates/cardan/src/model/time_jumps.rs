//! The times at which functions of time of a model jump: prescribed motions, loads, motors, signals.

use super::compiled::Model;
use super::elements::ElementKind;
use super::signals::{Argument, CompiledFormula, FormulaBody};
use super::{Function, Law, Owner, PartKind};
use crate::expression::{Expression, Jump, Operation};

/// A time at which a function of a part jumps.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeJump {
    /// The part.
    pub owner: Owner,
    /// The time.
    pub time: f64,
    /// The lowest derivative that jumps: 0 is the value, 1 the slope, 2 the curvature.
    pub derivative: usize,
    /// Whether the motion depends on it; a signal may only be recorded.
    pub acts: bool,
}

impl TimeJump {
    /// Whether the accelerations of the motion jump: the value of a force, or the second derivative of a prescribed
    /// motion or a lower one.
    pub fn matters(&self) -> bool {
        let is_prescribed = self.owner.is(PartKind::Drive) || self.owner.is(PartKind::Joint);
        self.acts && self.derivative <= if is_prescribed { 2 } else { 0 }
    }
}

/// A value for arguments of which only the dependence on time matters; zero would hide a factor.
const ARBITRARY: f64 = 0.7320508;

impl Model {
    /// The jumps of all formulas of time between two times, by time. Functions in Rust are not searched.
    pub fn time_jumps(&self, from: f64, to: f64) -> Vec<TimeJump> {
        let mut all: Vec<TimeJump> = Vec::new();
        let mut add = |owner: &dyn Fn() -> Owner, formula: &Expression| {
            let jumps = formula.jumps(from, to).into_iter();
            all.extend(jumps.map(|Jump { time, derivative, .. }| TimeJump {
                owner: owner(),
                time,
                derivative,
                acts: true,
            }));
        };
        let time = |function: &Function| match function {
            Function::Time(formula) => Some(formula.clone()),
            _ => None,
        };
        for formula in self.gravity.iter().filter_map(time) {
            add(&|| Owner::Gravity, &formula);
        }
        for row in &self.holonomic_rows {
            if let Some(formula) = time(&row.target) {
                add(&|| (*self.rows[row.row].owner).clone(), &formula);
            }
        }
        for row in &self.nonholonomic_rows {
            if let Some(formula) = time(&row.target) {
                add(&|| (*self.rows[row.row].owner).clone(), &formula);
            }
        }
        for structure in &self.structures {
            let loads = structure.loads.iter().map(|(_, load)| load);
            let ties = structure.ties.iter().map(|tie| &tie.target);
            for formula in loads.chain(ties).filter_map(time) {
                add(&|| Owner::part(PartKind::Structure, &structure.name), &formula);
            }
        }
        for (i, load) in self.elements.loads.iter().enumerate() {
            for formula in load.components.iter().filter_map(time) {
                add(&|| self.owner_of_element(ElementKind::Load, i), &formula);
            }
        }
        for (i, spring) in self.elements.springs.iter().enumerate() {
            if let Law::Actuator(Function::Time(formula)) = &spring.law {
                add(&|| self.owner_of_element(ElementKind::Spring, i), formula);
            }
        }
        all.extend(self.signal_jumps(from, to));
        all.sort_by(|one, two| one.time.total_cmp(&two.time));
        // parts of one force have the same function
        all.dedup();
        all
    }

    /// The jumps of formulas of signals, forces and states. A time is listed once, for the formula in which it arises.
    fn signal_jumps(&self, from: f64, to: f64) -> Vec<TimeJump> {
        let mut all: Vec<TimeJump> = Vec::new();
        let mut known: Vec<Option<Expression>> = Vec::new();
        for (k, formula) in self.signals.formulas.iter().enumerate() {
            known.push(of_time(formula, &known));
            let Some(formula) = known[k].as_ref().filter(|x| x.needs_time()) else { continue };
            for Jump { time, derivative, .. } in formula.jumps(from, to) {
                if !all.iter().any(|jump| jump.time == time) {
                    let (owner, acts) = (self.owner_of_formula(k), k < self.signals.acting);
                    all.push(TimeJump { owner, time, derivative, acts });
                }
            }
        }
        all
    }

    /// The signal, force or state to which a formula belongs.
    fn owner_of_formula(&self, k: usize) -> Owner {
        let signals = &self.signals;
        if let Some((name, _)) = signals.names.iter().find(|(_, formula)| *formula == k) {
            return Owner::part(PartKind::Signal, name);
        }
        if let Some(state) = signals.states.iter().find(|x| x.formula == k) {
            return Owner::part(PartKind::State, &state.name);
        }
        let coupling = signals.couplings.iter().find(|x| x.signal == k);
        coupling.map_or(Owner::Mechanism, |x| self.owner_of_element(x.kind, x.index))
    }
}

/// A formula as an expression of time, with its other arguments fixed; `known` are those of earlier formulas. `None` if
/// it is a function in Rust, or too long.
fn of_time(formula: &CompiledFormula, known: &[Option<Expression>]) -> Option<Expression> {
    let FormulaBody::Expression(expression) = &formula.body else { return None };
    let (time, fixed) = ([Operation::Variable(0)], [Operation::Number(ARBITRARY)]);
    let argument = |argument: &Argument| match *argument {
        Argument::Time => &time[..],
        Argument::Formula(k) => known[k].as_ref().map_or(&fixed[..], Expression::operations),
        _ => &fixed[..],
    };
    expression.substituted(&formula.arguments.iter().map(argument).collect::<Vec<_>>())
}
