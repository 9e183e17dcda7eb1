//! The limits of validity of a model's elements.

use super::Measure;
use super::compiled::Model;
use crate::system::{Limit, Point};

/// The root mean square of a floating body's deflection, over its radius of gyration: a cantilever's
/// tip is then at 0.12 of its length, and shortening it has left out at 1 % of it.
const DEFLECTION: f64 = 0.2;
/// The pull of a road on a rolling disc, over the disc's weight at 9.81 m/s²: above round-off.
const PULL: f64 = 1e-6 * 9.81;
/// The rotation vector of a bushing jumps at half a turn.
const TWIST: f64 = 3.0;
/// The elongation of a beam whose section law is linear.
const ELONGATION: f64 = 0.1;

impl Model {
    /// One limit for each element that has one.
    pub(super) fn validity_limits(&self) -> Vec<Limit> {
        let bodies = self.flexible.iter().map(|body| Limit {
            part: format!("flexible body `{}`", self.bodies[body.node - 1].name),
            quantity: "deflection (root mean square)",
            unit: "m",
            limit: DEFLECTION * body.modal.radius_of_gyration(),
            beyond: "a floating frame describes small deflections only; try: a geometrically exact \
                     beam, or several flexible bodies in a row",
        });
        let rolling = self.rolling_rows().map(|(name, node, _)| Limit {
            part: format!("rolling `{name}`"),
            quantity: "pull on the disc",
            unit: "N",
            limit: PULL * self.bodies[node - 1].mass,
            beyond: "a real disc would leave the plane here; try: end the run before, or hold the disc \
                     by a joint if it is meant to be held",
        });
        let bushings = self.twisted_bushings().map(|(name, _)| Limit {
            part: format!("force `{name}`"),
            quantity: "rotation",
            unit: "rad",
            limit: TWIST,
            beyond: "the rotation vector of a bushing is not continuous beyond half a turn; try: a \
                     joint with a joint-spring",
        });
        let beams = self.beams.iter().map(|beam| Limit {
            part: format!("beam `{}`", beam.name),
            quantity: "elongation",
            unit: "",
            limit: ELONGATION,
            beyond: "the section law is linear and meant for small strains; try: a stiffer section, or \
                     check the loads",
        });
        bodies.chain(rolling).chain(bushings).chain(beams).collect()
    }

    /// The quantities of the limits at an instant, in the same order.
    pub(super) fn validity_values(&self, at: &Point<'_>, values: &mut [f64]) {
        if values.is_empty() {
            return;
        }
        self.placed(at, |place| {
            let bodies = self.flexible.iter().map(|body| body.modal.deflection(body.eta(at.q)));
            let rolling = self.rolling_rows().map(|(_, _, held)| {
                let held = &self.held[held];
                let Measure::Contact { normal, .. } = held.gauge.measure else { return 0.0 };
                let [_, _, along, _] = held.gauge.gradient(place);
                at.multipliers[held.row] * along.dot(&normal)
            });
            let bushings = self.twisted_bushings().map(|(_, index)| {
                let turns = &self.bushings[index].gauges[3..];
                turns.iter().map(|gauge| gauge.value(place).powi(2)).sum::<f64>().sqrt()
            });
            let beams = self.beams.iter().map(|beam| {
                let each = beam.elements.clone().map(|i| match beam.order {
                    3 => self.beams3[i].elongation(place),
                    _ => self.beams2[i].elongation(place),
                });
                each.fold(f64::NEG_INFINITY, f64::max)
            });
            let all = bodies.chain(rolling).chain(bushings).chain(beams);
            values.iter_mut().zip(all).for_each(|(value, new)| *value = new);
        });
    }

    /// Rolling discs: name, node of the disc, index of the row that holds its height.
    fn rolling_rows(&self) -> impl Iterator<Item = (&str, usize, usize)> {
        self.joints.iter().filter_map(|joint| {
            let held = joint.held.start;
            let is_contact =
                |k: usize| matches!(self.held[k].gauge.measure, Measure::Contact { .. });
            let is_rolling = !joint.held.is_empty() && is_contact(held);
            is_rolling.then(|| (joint.name.as_str(), joint.sides[1], held))
        })
    }

    /// Bushings that resist rotations: name and index.
    fn twisted_bushings(&self) -> impl Iterator<Item = (&str, usize)> {
        self.forces.iter().filter_map(|force| match force.element {
            super::compiled::ForceElement::Bushing(index) => {
                let stiffness = &self.bushings[index].stiffness;
                let resists = stiffness.rows(3, 3).iter().any(|x| *x != 0.0);
                resists.then_some((force.name.as_str(), index))
            }
            _ => None,
        })
    }
}
