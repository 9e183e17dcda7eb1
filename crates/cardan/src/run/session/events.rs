//! The events of a run in its summary.

use super::Session;
use crate::model::Model;
use crate::results::{EventEntry, JointImpulse, MAX_LISTED_EVENTS};
use cardan_core::simulation::LoggedEvent;
use cardan_core::state::Instant;

/// The entry of an event in the summary.
fn event_entry(model: &Model, event: &LoggedEvent, now: &Instant) -> EventEntry {
    let mut impulses = Vec::new();
    if event.impulses.iter().any(|x| *x != 0.0) {
        // impulses have the places of multipliers, and reactions are linear in these
        let at = Instant { multipliers: event.impulses.clone(), ..now.clone() };
        for joint in model.joint_names() {
            let read = |what: &str| -> Option<[f64; 3]> {
                let values = model.read(&format!("{joint}.reaction.{what}"), &at).ok()?;
                values.try_into().ok()
            };
            let Some(force) = read("force") else { continue };
            let moment = read("moment").unwrap_or_default();
            if force.iter().chain(&moment).any(|x| *x != 0.0) {
                impulses.push(JointImpulse { joint: joint.into(), force, moment });
            }
        }
    }
    EventEntry {
        time: event.time,
        name: model.event_names()[event.event].into(),
        messages: event.messages.clone(),
        energy_change: None,
        impulses,
        redundant: event.redundant.clone(),
    }
}

impl Session<'_, '_> {
    /// Adds the events of the last step to the summary; returns the times at which they ask for rows.
    pub(super) fn log_events(&mut self, energy_change: Option<f64>) -> Vec<f64> {
        let logged = self.motion.take_events();
        let last = logged.len().saturating_sub(1);
        let mut times = Vec::new();
        for (k, event) in logged.iter().enumerate() {
            if event.is_recorded {
                times.push(event.time);
            }
            self.summary.event_count += 1;
            if self.summary.events.len() < MAX_LISTED_EVENTS {
                let mut entry = event_entry(&self.start.model, event, self.motion.now());
                entry.energy_change = energy_change.filter(|_| k == last);
                self.summary.events.push(entry);
            }
        }
        times
    }
}
