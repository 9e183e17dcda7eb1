//! Compiles events: their conditions and actions, and the switches that they set.

use std::collections::HashMap;

use super::{FormulaPlace, SignalCompiler};
use crate::model::checks::fail_at;
use crate::model::describe::{Event, EventAction, EventCondition};
use crate::model::event_data::{CompiledAction, EventValue, ModelEvents};
use crate::model::node::GROUND;
use crate::model::switch_data::{SwitchData, SwitchTarget};
use crate::model::{InputKey, ModelError, Owner, PartKind, SignalFormula};
use cardan_core::math::Vector3;
use cardan_core::suggestion;
use cardan_core::system::{EventInfo, EventTrigger};

/// The compiled formulas of bounces, by the numbers of event and action.
pub(super) type BounceFormulas = HashMap<(usize, usize), usize>;

/// Compiled events with the switches that they set.
pub(super) struct CompiledEvents {
    pub events: ModelEvents,
    pub switches: Vec<SwitchData>,
    /// For each row with an offset: the row, and the index of the offset in q.
    pub offsets: Vec<(usize, usize)>,
}

fn owner(event: &Event) -> Owner {
    Owner::part(PartKind::Event, &event.name)
}

fn place(event: &Event, key: &'static str) -> FormulaPlace {
    FormulaPlace { owner: owner(event), key: key.into() }
}

impl SignalCompiler<'_, '_> {
    /// Compiles the formulas of bounces, which need gradients.
    pub(super) fn bounces(&mut self) -> Result<BounceFormulas, ModelError> {
        let mechanism = self.compiler.mechanism;
        let mut found = HashMap::new();
        for (i, event) in mechanism.events.iter().enumerate() {
            for (k, action) in event.actions.iter().enumerate() {
                let EventAction::Bounce(formula, restitution) = action else { continue };
                if !(restitution.is_finite() && *restitution >= 0.0) {
                    return fail_at(
                        &owner(event),
                        "bounce",
                        "the restitution must not be negative",
                    );
                }
                found.insert((i, k), self.formula(&place(event, "bounce"), formula)?);
            }
        }
        Ok(found)
    }

    /// Compiles all events.
    pub(super) fn events(
        &mut self,
        bounces: &BounceFormulas,
    ) -> Result<CompiledEvents, ModelError> {
        let mechanism = self.compiler.mechanism;
        let mut compiled = CompiledEvents {
            events: ModelEvents::default(),
            switches: self.compiler.model.switches.clone(),
            offsets: Vec::new(),
        };
        self.switches(&mut compiled)?;
        for (i, event) in mechanism.events.iter().enumerate() {
            let (trigger, function) = self.condition(event)?;
            let mut actions = Vec::new();
            for (k, action) in event.actions.iter().enumerate() {
                let bounce = bounces.get(&(i, k)).copied();
                actions.push(self.action(event, action, bounce, &compiled.switches)?);
            }
            let is_passive = |action: &EventAction| {
                matches!(
                    action,
                    EventAction::Message(_) | EventAction::Record | EventAction::Enable(..)
                )
            };
            compiled.events.list.push(EventInfo {
                name: event.name.clone(),
                trigger,
                is_acting: !event.actions.iter().all(is_passive),
                is_enabled: event.is_enabled,
            });
            compiled.events.functions.push(function);
            compiled.events.actions.push(actions);
        }
        Ok(compiled)
    }

    fn condition(&mut self, event: &Event) -> Result<(EventTrigger, EventValue), ModelError> {
        let owner = owner(event);
        Ok(match &event.condition {
            EventCondition::Crossing(formula, direction) => {
                let formula = self.formula(&place(event, "when"), formula)?;
                (EventTrigger::Crossing(*direction), EventValue::Formula(formula))
            }
            EventCondition::Function(function, direction) => {
                (EventTrigger::Crossing(*direction), EventValue::Function(function.clone()))
            }
            EventCondition::Times(times) => {
                if !times.iter().all(|time| time.is_finite()) {
                    return fail_at(&owner, "at", "its times are not finite");
                }
                let mut times = times.clone();
                times.sort_by(f64::total_cmp);
                times.dedup();
                (EventTrigger::Times(times), EventValue::Time)
            }
            EventCondition::Every { first, period } => {
                let first = first.unwrap_or(self.compiler.mechanism.start);
                if !(period.is_finite() && *period > 0.0 && first.is_finite()) {
                    return fail_at(&owner, "every", "its period must be positive and finite");
                }
                (EventTrigger::Every { first, period: *period }, EventValue::Time)
            }
        })
    }

    fn action(
        &mut self,
        event: &Event,
        action: &EventAction,
        bounce: Option<usize>,
        switches: &[SwitchData],
    ) -> Result<CompiledAction, ModelError> {
        let mechanism = self.compiler.mechanism;
        let owner = owner(event);
        Ok(match action {
            EventAction::Set(name, formula) => self.set_action(event, name, formula)?,
            EventAction::Switch(name, is_on) => match switches.iter().find(|x| x.name == *name) {
                Some(switch) => CompiledAction::Switch { q: switch.q, is_on: *is_on },
                None => return Err(self.no_switch(&owner, *is_on, name)),
            },
            EventAction::Impulse(impulse) => {
                let key = InputKey::from("impulse");
                let found = self.compiler.node_point(&owner, key, &impulse.anchor)?;
                if found.node == GROUND {
                    return fail_at(&owner, "impulse", "the ground does not move");
                }
                let centre = self.compiler.model.bodies[found.node - 1].centre;
                let point = found.point.unwrap_or(-centre);
                let [force, moment] = [impulse.force, impulse.moment].map(Vector3::from);
                if !force.iter().chain(moment.iter()).all(|x| x.is_finite()) {
                    return fail_at(&owner, "impulse", "it is not finite");
                }
                CompiledAction::Impulse { node: found.node, point, force, moment }
            }
            EventAction::Bounce(_, restitution) => CompiledAction::Bounce {
                formula: bounce.unwrap_or(usize::MAX),
                restitution: *restitution,
            },
            EventAction::Enable(name, is_enabled) => {
                let known = mechanism.events.iter().position(|x| x.name == *name);
                let Some(known) = known else {
                    let names = mechanism.events.iter().map(|x| x.name.as_str());
                    let nearest = suggestion::nearest(name, names);
                    let key = if *is_enabled { "enable" } else { "disable" };
                    return Err(ModelError::missing(&owner, key, "event", name.clone(), nearest));
                };
                CompiledAction::Enable { event: known, is_enabled: *is_enabled }
            }
            EventAction::Message(text) => CompiledAction::Message(text.clone()),
            EventAction::Record => CompiledAction::Record,
            EventAction::Stop => CompiledAction::Stop,
            EventAction::Closure(closure) => CompiledAction::Closure(closure.clone()),
        })
    }

    /// Sets a state, an input, or the memory of a relay.
    fn set_action(
        &mut self,
        event: &Event,
        name: &str,
        formula: &SignalFormula,
    ) -> Result<CompiledAction, ModelError> {
        let formula = self.formula(&place(event, "set"), formula)?;
        let names = &self.compiler.signal_names;
        if let Some(k) = names.state(name) {
            return Ok(CompiledAction::SetState { state: self.signals.first_state + k, formula });
        }
        if let Some(&q) = self.inputs.get(name) {
            return Ok(CompiledAction::SetDiscrete { q, formula });
        }
        let block = format!("{name}.");
        let relay =
            self.relays.iter().find(|(known, _)| *known == name || known.starts_with(&block));
        if let Some(&(_, q)) = relay {
            return Ok(CompiledAction::SetDiscrete { q, formula });
        }
        let owner = owner(event);
        if names.signal(name).is_some() {
            let reason = format!(
                "signal `{name}` has no memory: its value follows from its formula; set a state, an input, a parameter \
                 or a hysteresis"
            );
            return fail_at(&owner, "set", reason);
        }
        let known = names.known.iter().map(String::as_str);
        let nearest = suggestion::nearest(name, known);
        Err(ModelError::missing(&owner, "set", "state, input or parameter", name, nearest))
    }

    /// Gives every switch its discrete values, and adds those of drives and forces.
    fn switches(&mut self, compiled: &mut CompiledEvents) -> Result<(), ModelError> {
        let model = &self.compiler.model;
        // locks of joint coordinates have their rows already
        for switch in &mut compiled.switches {
            switch.q = self.add_discrete(0.0);
            if let SwitchTarget::Positions(rows) = &switch.target {
                for row in rows.clone() {
                    let now = self.compiler.now(&model.holonomic_rows[row].measure);
                    compiled.offsets.push((row, self.add_discrete(now)));
                }
            }
        }
        let mechanism = self.compiler.mechanism;
        for name in switch_names(&mechanism.events) {
            if compiled.switches.iter().any(|x| x.name == name) {
                continue;
            }
            let target = if let Some(drive) = model.drives.iter().find(|x| x.name == name) {
                match drive.holonomic_rows.is_empty() {
                    true => SwitchTarget::Rates(drive.rates.clone()),
                    false => SwitchTarget::Positions(drive.holonomic_rows.clone()),
                }
            } else if let Some(force) = model.forces.iter().position(|x| x.name == name) {
                SwitchTarget::Force(force)
            } else {
                continue;
            };
            let q = self.add_discrete(1.0);
            if let SwitchTarget::Positions(rows) = &target {
                for row in rows.clone() {
                    compiled.offsets.push((row, self.add_discrete(0.0)));
                }
            }
            compiled.switches.push(SwitchData { name: name.into(), q, target });
        }
        Ok(())
    }

    fn no_switch(&self, owner: &Owner, is_on: bool, name: &str) -> ModelError {
        let model = &self.compiler.model;
        let coordinates = model.joints.iter().flat_map(|joint| {
            joint.coordinates.iter().map(|(known, _)| format!("{}.{known}", joint.name))
        });
        let drives = model.drives.iter().map(|x| x.name.clone());
        let forces = model.forces.iter().map(|x| x.name.clone());
        let known: Vec<String> = coordinates.chain(drives).chain(forces).collect();
        let nearest = suggestion::nearest(name, known.iter().map(String::as_str));
        let key = if is_on { "lock" } else { "unlock" };
        ModelError::missing(owner, key, "joint coordinate, drive or force", name, nearest)
    }
}

/// The names of switched parts, each once.
pub(in crate::model::compile) fn switch_names(events: &[Event]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for action in events.iter().flat_map(|event| &event.actions) {
        if let EventAction::Switch(name, _) = action
            && !names.contains(&name.as_str())
        {
            names.push(name);
        }
    }
    names
}
