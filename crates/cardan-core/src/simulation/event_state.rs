//! The state of a simulation as the actions of an event see it: with and without changes of the motion.

use super::event_memory::{EventMemory, LoggedEvent};
use super::workspace::Workspace;
use crate::stage::StageError;
use crate::state::Instant;
use crate::system::{EventState, Failure, System, SystemHandle};

/// An impulse that changes the rate of a quantity by less than this fraction of |g|²/m has no effect.
const NO_EFFECT: f64 = 1e-14;

impl LoggedEvent {
    pub(super) fn new(event: usize, time: f64) -> Self {
        Self {
            time,
            event,
            messages: Vec::new(),
            is_recorded: false,
            is_stop: false,
            impulses: Vec::new(),
            redundant: Vec::new(),
        }
    }

    pub(super) fn add_impulses(&mut self, impulses: &[f64], factor: f64) {
        self.impulses.resize(impulses.len(), 0.0);
        self.impulses.iter_mut().zip(impulses).for_each(|(sum, x)| *sum += factor * x);
    }
}

/// The notes of an event: what it writes to the log and to the memory of events.
pub(super) struct EventNotes<'a> {
    pub memory: &'a mut EventMemory,
    pub log: LoggedEvent,
}

impl EventNotes<'_> {
    fn stop(&mut self) {
        self.memory.stopped_by = Some(self.log.event);
        self.log.is_stop = true;
    }
}

/// An event that does not change the motion.
pub(super) struct ObservedEvent<'a> {
    pub at: &'a Instant,
    pub notes: EventNotes<'a>,
}

const NOT_ACTING: &str = "it is described as an event that does not change the motion";

impl EventState for ObservedEvent<'_> {
    fn now(&self) -> &Instant {
        self.at
    }
    fn set_discrete(&mut self, _index: usize, _value: f64) -> Result<(), Failure> {
        Err(NOT_ACTING.into())
    }
    fn set_state(&mut self, _index: usize, _value: f64) -> Result<(), Failure> {
        Err(NOT_ACTING.into())
    }
    fn apply_impulse(&mut self, _impulse: &[f64]) -> Result<(), Failure> {
        Err(NOT_ACTING.into())
    }
    fn bounce(&mut self, _: &[f64], _: f64, _: f64) -> Result<(), Failure> {
        Err(NOT_ACTING.into())
    }
    fn set_enabled(&mut self, event: usize, is_enabled: bool) {
        self.notes.memory.set_enabled(event, is_enabled);
    }
    fn stop(&mut self) {
        self.notes.stop();
    }
    fn record(&mut self) {
        self.notes.log.is_recorded = true;
    }
    fn message(&mut self, text: String) {
        self.notes.log.messages.push(text);
    }
}

/// What the actions of an event have done to its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImpulseOnFunction {
    /// An impulse along a gradient has reversed a rate.
    Bounce,
    /// Anything else.
    Other,
}

/// An event that changes the motion.
pub(super) struct ActingEvent<'a, 's> {
    pub system: SystemHandle<'s>,
    pub workspace: &'a mut Workspace,
    pub now: &'a mut Instant,
    pub notes: EventNotes<'a>,
    pub has_changed: bool,
    pub impulse: ImpulseOnFunction,
}

impl ActingEvent<'_, '_> {
    /// Replaces a value by a finite one.
    fn set(
        &mut self,
        value: f64,
        place: impl FnOnce(&mut Instant) -> Option<&mut f64>,
    ) -> Result<(), Failure> {
        if !value.is_finite() {
            return Err(format!("a value that it sets is {value}").into());
        }
        let Some(place) = place(self.now) else {
            return Err("a value that it sets does not exist".into());
        };
        self.has_changed |= *place != value;
        *place = value;
        Ok(())
    }

    /// Changes the velocities by `factor` times the effect of an impulse.
    fn push(
        &mut self,
        impulse: &[f64],
        factor: impl FnOnce(&[f64], &[f64]) -> Result<f64, Failure>,
    ) -> Result<(), Failure> {
        let system: &dyn System = self.system.get();
        let Workspace { evaluator, consistency, .. } = &mut *self.workspace;
        if impulse.len() != self.now.v.len() || !impulse.iter().all(|x| x.is_finite()) {
            return Err("its impulse is not finite, or has the wrong number of components".into());
        }
        let failed =
            |cause: StageError| Failure::new(format!("its impulse cannot be applied: {cause}"));
        let solved = consistency.impulse(system, evaluator, self.now, impulse, true);
        let (change, impulses) = solved.map_err(failed)?;
        let factor = factor(change, &self.now.v)?;
        self.now.v.iter_mut().zip(change).for_each(|(v, dv)| *v += factor * dv);
        self.notes.log.add_impulses(impulses, factor);
        self.has_changed = true;
        Ok(())
    }
}

impl EventState for ActingEvent<'_, '_> {
    fn now(&self) -> &Instant {
        self.now
    }

    fn set_discrete(&mut self, index: usize, value: f64) -> Result<(), Failure> {
        self.set(value, |now| now.q.get_mut(index))
    }

    fn set_state(&mut self, index: usize, value: f64) -> Result<(), Failure> {
        self.set(value, |now| now.z.get_mut(index))
    }

    fn apply_impulse(&mut self, impulse: &[f64]) -> Result<(), Failure> {
        self.push(impulse, |_, _| Ok(1.0))
    }

    fn bounce(
        &mut self,
        gradient: &[f64],
        partial_rate: f64,
        restitution: f64,
    ) -> Result<(), Failure> {
        self.impulse = ImpulseOnFunction::Bounce;
        let along = |x: &[f64]| gradient.iter().zip(x).map(|(g, x)| g * x).sum::<f64>();
        self.push(gradient, |change, v| {
            let (effect, rate) = (along(change), along(v) + partial_rate);
            let size: f64 = gradient.iter().zip(change).map(|(g, x)| (g * x).abs()).sum();
            match effect.is_finite() && effect > NO_EFFECT * size.max(f64::MIN_POSITIVE) {
                true => Ok(-(1.0 + restitution) * rate / effect),
                false => Err("no impulse changes the rate of its quantity: constraints prescribe it, or it does not \
                              depend on positions"
                    .into()),
            }
        })
    }

    fn set_enabled(&mut self, event: usize, is_enabled: bool) {
        self.notes.memory.set_enabled(event, is_enabled);
    }

    fn stop(&mut self) {
        self.notes.stop();
    }

    fn record(&mut self) {
        self.notes.log.is_recorded = true;
    }

    fn message(&mut self, text: String) {
        self.notes.log.messages.push(text);
    }
}
