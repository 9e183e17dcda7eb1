//! The times at which functions of time of a model jump: prescribed motions, loads, motors, signals.

use super::compiled::Model;
use super::signals::{Argument, FormulaBody};
use super::{Function, Law, Owner, PartKind};
use crate::expression::{Expression, Jump};

/// A time at which a function of a part jumps.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeJump {
    /// The part.
    pub owner: Owner,
    /// The time.
    pub time: f64,
    /// The lowest derivative that jumps: 0 is the value, 1 the slope, 2 the curvature.
    pub derivative: usize,
}

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
                add(&|| self.owner_of_force(super::elements::ElementKind::Load, i), &formula);
            }
        }
        for (i, spring) in self.elements.springs.iter().enumerate() {
            if let Law::Actuator(Function::Time(formula)) = &spring.law {
                add(&|| self.owner_of_force(super::elements::ElementKind::Spring, i), formula);
            }
        }
        for (name, k) in &self.signals.names {
            let formula = &self.signals.formulas[*k];
            if let (FormulaBody::Expression(expression), [Argument::Time]) =
                (&formula.body, &formula.arguments[..])
            {
                add(&|| Owner::part(PartKind::Signal, name), expression);
            }
        }
        all.sort_by(|one, two| one.time.total_cmp(&two.time));
        // parts of one force have the same function
        all.dedup();
        all
    }

    /// The force to which an element belongs; gravity has no name.
    fn owner_of_force(&self, kind: super::elements::ElementKind, index: usize) -> Owner {
        let found = self.forces.iter().find(|x| x.kind == kind && x.range.contains(&index));
        found.map_or(Owner::Gravity, |force| Owner::part(PartKind::Force, &force.name))
    }
}
