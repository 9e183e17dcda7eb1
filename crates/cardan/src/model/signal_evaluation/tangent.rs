//! The part of signals in the tangents of forces, in the equations of states, and in the columns of inputs.

use crate::model::channel_view::ChannelView;
use crate::model::compiled::Model;
use crate::model::element::ElementView;
use crate::model::elements::ElementKind;
use crate::model::signals::{Column, SignalCoupling, SignalWork};
use cardan_core::system::{ForceTangent, StateTangent};

impl Model {
    /// Adds −b ∂s/∂(q, v, λ, z) of all forces f = s b.
    pub(in crate::model) fn signal_tangent(
        &self,
        at: &ElementView<'_>,
        work: &mut SignalWork,
        tangent: &mut ForceTangent<'_>,
    ) {
        self.write_signal_gradients(&ChannelView::from(at), work);
        let SignalWork { direction, gradients, .. } = work;
        for coupling in &self.signals.couplings {
            if self.is_switched_off(coupling.kind, coupling.index, at.kinematics.q) {
                continue;
            }
            self.direction(coupling, at, direction);
            let formula = &self.signals.formulas[coupling.signal];
            let gradient = formula.gradient(gradients);
            for (column, slope) in formula.columns.iter().zip(gradient) {
                for &(row, b) in direction.iter() {
                    column.add_force(row, -b * slope, tangent);
                }
            }
        }
    }

    /// Row and value of the entries of the direction b of a force f = s b.
    fn direction(
        &self,
        coupling: &SignalCoupling,
        at: &ElementView<'_>,
        direction: &mut Vec<(usize, f64)>,
    ) {
        direction.clear();
        let mut write = |row: usize, value: f64| direction.push((row, value));
        let SignalCoupling { index, component, .. } = *coupling;
        match coupling.kind {
            ElementKind::Load => self.elements.loads[index].direction(component, at, &mut write),
            ElementKind::Spring => self.elements.springs[index].direction(at, &mut write),
            ElementKind::Bushing => self.elements.bushings[index].direction(at, &mut write),
            _ => {}
        }
    }

    /// Adds the forces and the changes of the states' residuals that a unit change of a column causes through signals,
    /// whose gradients were written.
    pub(in crate::model) fn add_input(
        &self,
        wanted: Column,
        at: &ElementView<'_>,
        work: &mut SignalWork,
        loads: &mut [f64],
        residual: &mut [f64],
    ) {
        let SignalWork { direction, gradients, .. } = work;
        let slope = |formula: usize| {
            let formula = &self.signals.formulas[formula];
            let found = formula.columns.binary_search(&wanted).ok();
            found.map_or(0.0, |k| formula.gradient(gradients)[k])
        };
        for coupling in &self.signals.couplings {
            self.direction(coupling, at, direction);
            let slope = slope(coupling.signal);
            direction.iter().for_each(|&(row, b)| loads[row] += b * slope);
        }
        for (k, state) in self.signals.states.iter().enumerate() {
            let sign = if state.is_residual { 1.0 } else { -1.0 };
            residual[self.signals.first_state + k] += sign * slope(state.formula);
        }
    }

    /// Writes the residuals of the states of the mechanism.
    pub(in crate::model) fn signal_state_residual(
        &self,
        values: &[f64],
        rates: &[f64],
        residual: &mut [f64],
    ) {
        for (k, state) in self.signals.states.iter().enumerate() {
            let row = self.signals.first_state + k;
            let value = values[state.formula];
            residual[row] = if state.is_residual { value } else { rates[row] - value };
        }
    }

    /// Writes the derivatives of the residuals of the states of the mechanism.
    pub(in crate::model) fn signal_state_tangent(
        &self,
        at: &ChannelView<'_>,
        work: &mut SignalWork,
        tangent: &mut StateTangent<'_>,
    ) {
        self.write_signal_gradients(at, work);
        for (k, state) in self.signals.states.iter().enumerate() {
            let row = self.signals.first_state + k;
            let formula = &self.signals.formulas[state.formula];
            let sign = if state.is_residual { 1.0 } else { -1.0 };
            for (column, slope) in formula.columns.iter().zip(formula.gradient(&work.gradients)) {
                let value = sign * slope;
                match *column {
                    Column::Position(column) => tangent.configuration.add(row, column, value),
                    Column::Velocity(column) => tangent.velocity.add(row, column, value),
                    Column::State(column) => tangent.state.add(row, column, value),
                    Column::Rate(column) => tangent.rate.add(row, column, value),
                    Column::Multiplier(column) => tangent.multipliers.add(row, column, value),
                    // constant within a step
                    Column::Discrete(_) => {}
                }
            }
            if !state.is_residual {
                tangent.rate.add(row, row, 1.0);
            }
        }
    }
}
