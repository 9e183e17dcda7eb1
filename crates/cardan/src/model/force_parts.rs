//! The forces on one coordinate, each with the name of its part: for messages only.

use super::compiled::{ForceElement, Model};
use super::describe::vector;
use super::gauge::Placed;
use super::points::Scratch;
use crate::system::{Point, System};

impl Model {
    /// What every named part exerts on velocity coordinate i, as far as it is not zero.
    pub(super) fn forces_by_name(&self, at: &Point<'_>, i: usize) -> Vec<(String, f64)> {
        let mut parts = Vec::new();
        let mut add = |name: String, value: f64| {
            if value != 0.0 {
                parts.push((name, value));
            }
        };
        for force in &self.forces {
            let value = self.element_alone(at, i, |place, v, loads| match force.element {
                ForceElement::Spring(k) => self.springs[k].force(at.t, place, v, loads),
                ForceElement::Bushing(k) => self.bushings[k].force(at.t, place, v, loads),
                ForceElement::Friction(k) => {
                    self.frictions[k].force(place, v, at.multipliers, loads);
                }
                ForceElement::Load(k) => self.loads[k].force(at.t, place, loads),
                ForceElement::Line { first, last } => {
                    self.loads[first..last].iter().for_each(|x| x.force(at.t, place, loads));
                }
            });
            add(format!("force `{}`", force.name), value);
        }
        for beam in &self.beams {
            let value = self.element_alone(at, i, |place, v, loads| {
                for k in beam.elements.clone() {
                    match beam.order {
                        3 => {
                            let x = &self.beams3[k];
                            x.force(&self.fabrics[x.fabric], place, v, loads);
                        }
                        _ => {
                            let x = &self.beams2[k];
                            x.force(&self.fabrics[x.fabric], place, v, loads);
                        }
                    }
                }
            });
            add(format!("beam `{}`", beam.name), value);
        }
        for structure in &self.structures {
            let mut force = vec![0.0; at.v.len()];
            structure.force(at.t, at.q, at.v, &mut force);
            add(format!("structure `{}`", structure.name), force[i]);
        }
        let gravity = vector(&self.gravity, at.t);
        for flexible in &self.flexible {
            let mut force = vec![0.0; at.v.len()];
            self.placed(at, |place| flexible.force(&gravity, place, at.v, &mut force));
            add(format!("flexible body `{}`", self.bodies[flexible.node - 1].name), force[i]);
        }
        if !gravity.iter().all(|x| x.is_finite()) {
            add("gravity".into(), f64::NAN);
        }
        parts
    }

    /// What one element exerts on coordinate i.
    fn element_alone(
        &self,
        at: &Point<'_>,
        i: usize,
        write: impl FnOnce(Placed<'_>, &[f64], &mut [f64]),
    ) -> f64 {
        let mut force = vec![0.0; self.space().velocities()];
        match self.points.is_empty() {
            true => self.placed(at, |place| write(place, at.v, &mut force)),
            false => self.with_points(at, Some(at.v), |place, scratch| {
                let Scratch { v, loads, .. } = scratch;
                write(place, v, loads);
                self.reduce_loads(scratch, &mut force);
            }),
        }
        force[i]
    }
}
