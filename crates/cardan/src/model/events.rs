//! The events of a model: their functions and actions.

use super::channel_view::ChannelView;
use super::compiled::Model;
use super::element::ElementView;
use super::event_data::{CompiledAction, EventValue};
use super::points::PointScratch;
use super::signals::Column;
use cardan_core::state::Instant;
use cardan_core::system::{EventInfo, EventSet, EventState, Failure, StateView};

/// The part of a second over which the explicit dependence of a formula on time is differenced.
const TIME_STEP: f64 = 1e-6;

impl Model {
    /// The value of a formula at an instant.
    fn formula_value(&self, formula: usize, at: &Instant) -> f64 {
        let mut value = [f64::NAN];
        self.evaluate(&self.formula_channel(formula), at, &mut value);
        value[0]
    }

    /// The gradient of a formula that acts, and its partial derivative by time.
    fn formula_gradient(&self, formula: usize, at: &Instant) -> Result<(Vec<f64>, f64), Failure> {
        let mut gradient = vec![0.0; at.v.len()];
        let point = StateView::from(at);
        let name = || self.signals.formulas[formula].name.clone();
        let mut wrong = None;
        self.with_rates(&point, &at.rates, |place, scratch, context| {
            let PointScratch { v, loads, .. } = scratch;
            let view = ElementView::among(&point, place, v, context.scratch, context.signals);
            let work = &mut context.signal_work.borrow_mut();
            self.write_signal_gradients(&ChannelView::from(&view), work);
            let formula = &self.signals.formulas[formula];
            for (column, slope) in formula.columns.iter().zip(formula.gradient(&work.gradients)) {
                match *column {
                    Column::Position(i) => loads[i] += slope,
                    Column::Discrete(_) => {}
                    _ if *slope == 0.0 => {}
                    _ => wrong = Some("it depends on more than positions"),
                }
            }
            self.reduce_loads(scratch, &mut gradient);
        });
        if let Some(reason) = wrong {
            return Err(Failure::new(format!("`bounce`: {reason}")).in_part(name));
        }
        let at_time = |t: f64| self.formula_value(formula, &Instant { t, ..at.clone() });
        let rate = (at_time(at.t + TIME_STEP) - at_time(at.t - TIME_STEP)) / (2.0 * TIME_STEP);
        Ok((gradient, rate))
    }

    fn perform(&self, action: &CompiledAction, state: &mut dyn EventState) -> Result<(), Failure> {
        match action {
            CompiledAction::SetDiscrete { q, formula } => {
                let value = self.formula_value(*formula, state.now());
                state.set_discrete(*q, value)
            }
            CompiledAction::SetState { state: z, formula } => {
                let value = self.formula_value(*formula, state.now());
                state.set_state(*z, value)
            }
            CompiledAction::Switch { q, is_on } => {
                state.set_discrete(*q, if *is_on { 1.0 } else { 0.0 })
            }
            CompiledAction::Impulse { node, point, force, moment } => {
                let now = state.now();
                let frame = self.frame(*node, &now.q);
                let turned = frame.rotation.tr_mul(force);
                let about = frame.rotation.tr_mul(moment) + point.cross(&turned);
                let impulse = self.node_load(*node, [*force, about], now);
                state.apply_impulse(&impulse)
            }
            CompiledAction::Bounce { formula, restitution } => {
                let (gradient, rate) = self.formula_gradient(*formula, state.now())?;
                state.bounce(&gradient, rate, *restitution)
            }
            CompiledAction::Enable { event, is_enabled } => {
                state.set_enabled(*event, *is_enabled);
                Ok(())
            }
            CompiledAction::Message(text) => {
                state.message(text.clone());
                Ok(())
            }
            CompiledAction::Record => {
                state.record();
                Ok(())
            }
            CompiledAction::Stop => {
                state.stop();
                Ok(())
            }
            CompiledAction::Closure(closure) => closure(state),
        }
    }

    /// The names of the joints.
    pub fn joint_names(&self) -> impl Iterator<Item = &str> {
        self.joints.iter().map(|joint| joint.name.as_str())
    }

    /// The names of the events.
    pub fn event_names(&self) -> Vec<&str> {
        self.events.list.iter().map(|event| event.name.as_str()).collect()
    }
}

impl EventSet for Model {
    fn list(&self) -> &[EventInfo] {
        &self.events.list
    }

    fn value(&self, event: usize, at: &Instant) -> Result<f64, Failure> {
        match &self.events.functions[event] {
            EventValue::Time => Ok(1.0),
            EventValue::Formula(formula) => Ok(self.formula_value(*formula, at)),
            EventValue::Function(function) => function(at),
        }
    }

    fn act(&self, event: usize, state: &mut dyn EventState) -> Result<(), Failure> {
        self.events.actions[event].iter().try_for_each(|action| self.perform(action, state))
    }
}
