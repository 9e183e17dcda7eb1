//! The forces on one coordinate by named part, and reasons for values that are not finite: for messages.

use super::channel_view::ChannelView;
use super::compiled::Model;
use super::element::{Element, ElementLoads, ElementView};
use super::elements::ElementKind;
use super::placement::ElementContext;
use super::points::PointScratch;
use super::values::{FunctionInput, vector};
use cardan_core::system::{Failure, StateView, System};

impl Model {
    /// The generalized force of every named part on velocity coordinate i, where it is not zero.
    pub(super) fn forces_by_name(&self, at: &StateView<'_>, i: usize) -> Vec<(String, f64)> {
        let mut parts = Vec::new();
        let mut add = |name: String, value: f64| {
            if value != 0.0 {
                parts.push((name, value));
            }
        };
        for force in &self.forces {
            let value = self.force_of_elements(at, i, self.parts_of(force));
            add(format!("force `{}`", force.name), value);
        }
        for beam in &self.beams {
            let kind = if beam.order == 3 { ElementKind::Beam3 } else { ElementKind::Beam2 };
            let elements = beam.elements.clone().map(|k| self.elements.get(kind, k));
            let value = self.force_of_elements(at, i, elements);
            add(format!("beam `{}`", beam.name), value);
        }
        for structure in &self.structures {
            let mut force = vec![0.0; at.v.len()];
            structure.force(at.t, at.q, at.v, &mut force);
            add(format!("structure `{}`", structure.name), force[i]);
        }
        let gravity = vector(&self.gravity, FunctionInput::time(at.t));
        for flexible in &self.flexible {
            let mut force = vec![0.0; at.v.len()];
            self.placed(at, |kinematics| flexible.force(&gravity, kinematics, at.v, &mut force));
            add(format!("flexible body `{}`", self.bodies[flexible.node - 1].name), force[i]);
        }
        if !gravity.iter().all(|x| x.is_finite()) {
            add("gravity".into(), f64::NAN);
        }
        parts
    }

    /// The generalized force of some elements on coordinate i; NaN if one of them fails.
    fn force_of_elements<'m>(
        &'m self,
        at: &StateView<'_>,
        i: usize,
        mut elements: impl Iterator<Item = &'m dyn Element>,
    ) -> f64 {
        let mut force = vec![0.0; self.space().velocities()];
        self.with_element_scratch(at, |kinematics, scratch, context| {
            let PointScratch { v, loads, .. } = scratch;
            let view = ElementView::among(at, kinematics, v, context.scratch, context.signals);
            if elements.any(|x| x.force(&view, &mut ElementLoads::new(&view, loads)).is_err()) {
                return f64::NAN;
            }
            self.reduce_loads(scratch, &mut force);
            force[i]
        })
    }

    /// The reason why a value is not finite, if a function or an element has one.
    pub(super) fn why_not_finite(&self, at: &StateView<'_>) -> Option<Failure> {
        let named = |failure: Failure, part: &str, name: &str| {
            failure.in_part(|| format!("{part} `{name}`"))
        };
        let gravity = self.gravity.iter().find_map(|x| x.failure(at.t));
        let drive = || {
            self.drives.iter().find_map(|drive| {
                let holonomic =
                    self.holonomic_rows[drive.holonomic_rows.clone()].iter().map(|x| &x.target);
                let nonholonomic =
                    self.nonholonomic_rows[drive.rates.clone()].iter().map(|x| &x.target);
                let failure = holonomic.chain(nonholonomic).find_map(|x| x.failure(at.t))?;
                Some(named(failure, "drive", &drive.name))
            })
        };
        let joint = || {
            self.joints.iter().find_map(|joint| {
                let mut rows = self.holonomic_rows[joint.holonomic_rows.clone()].iter();
                let failure = rows.find_map(|x| x.target.failure(at.t))?;
                Some(named(failure, "joint", &joint.name))
            })
        };
        let structure = || {
            self.structures.iter().find_map(|structure| {
                let loads = structure.loads.iter().map(|(_, load)| load);
                let ties = structure.ties.iter().map(|tie| &tie.target);
                let failure = loads.chain(ties).find_map(|x| x.failure(at.t))?;
                Some(named(failure, "structure", &structure.name))
            })
        };
        let gravity = gravity.map(|failure| failure.in_part(|| "gravity".into()));
        if let Some(failure) = gravity.or_else(drive).or_else(joint).or_else(structure) {
            return Some(failure);
        }
        self.with_element_scratch(at, |kinematics, scratch, context| {
            let ElementContext { scratch: elements, signals, .. } = *context;
            let view = ElementView::among(at, kinematics, &scratch.v, elements, signals);
            if let Some(failure) = self.signal_failure(&ChannelView::from(&view)) {
                return Some(failure);
            }
            self.forces.iter().find_map(|force| {
                let failure = self.parts_of(force).find_map(|x| x.reason_not_finite(&view))?;
                Some(failure.in_part(|| format!("force `{}`", force.name)))
            })
        })
    }

    /// The first-order states of all elements: name and initial value.
    pub(super) fn state_list(&self) -> Vec<(String, f64)> {
        let custom = self.forces.iter().filter(|force| force.kind == ElementKind::Custom);
        let each = custom.flat_map(|force| {
            let states = self.elements.customs[force.range.start].state_list();
            states.into_iter().map(|x| (format!("{}.{}", force.name, x.name), x.initial))
        });
        let own = self.signals.states.iter().map(|state| (state.name.clone(), state.initial));
        each.chain(own).collect()
    }
}
