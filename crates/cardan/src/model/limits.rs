//! The limits of validity of a model's elements.

use super::Measure;
use super::compiled::Model;
use super::element::ElementView;
use super::elements::ElementKind;
use cardan_core::system::{StateView, ValidityLimit};

/// The root mean square of a floating body's deflection, over its radius of gyration: a cantilever's
/// tip is then at 0.12 of its length, and shortening it has left out at 1 % of it.
const DEFLECTION: f64 = 0.2;
/// The pull of a road on a rolling disc, over the disc's weight at 9.81 m/s²: above round-off.
const PULL: f64 = 1e-6 * 9.81;
/// The elongation of a beam whose section law is linear.
const ELONGATION: f64 = 0.1;

impl Model {
    /// One limit for each element that has one.
    pub(super) fn validity_limits(&self) -> Vec<ValidityLimit> {
        let bodies = self.flexible.iter().map(|body| ValidityLimit {
            part: format!("flexible body `{}`", self.bodies[body.node - 1].name),
            quantity: "deflection (root mean square)",
            unit: "m",
            limit: DEFLECTION * body.modal.radius_of_gyration(),
            beyond: "a floating frame describes small deflections only; try: a geometrically exact \
                     beam, or several flexible bodies in a row",
        });
        let rolling = self.rolling_rows().map(|(name, node, _)| ValidityLimit {
            part: format!("rolling `{name}`"),
            quantity: "pull on the disc",
            unit: "N",
            limit: PULL * self.bodies[node - 1].mass,
            beyond: "a real disc would leave the plane here; try: end the run before, or hold the disc \
                     by a joint if it is meant to be held",
        });
        let forces = self.forces.iter().flat_map(|force| {
            let part = format!("force `{}`", force.name);
            let limits = self.parts_of(force).flat_map(|x| x.limits()).collect::<Vec<_>>();
            limits.into_iter().map(move |limit| ValidityLimit { part: part.clone(), ..limit })
        });
        let beams = self.beams.iter().map(|beam| ValidityLimit {
            part: format!("beam `{}`", beam.name),
            quantity: "elongation",
            unit: "",
            limit: ELONGATION,
            beyond: "the section law is linear and meant for small strains; try: a stiffer section, or \
                     check the loads",
        });
        bodies.chain(rolling).chain(beams).chain(forces).collect()
    }

    /// The quantities of the limits at an instant, in the same order.
    pub(super) fn validity_values(&self, at: &StateView<'_>, values: &mut [f64]) {
        if values.is_empty() {
            return;
        }
        self.placed(at, |place| {
            let bodies = self.flexible.iter().map(|body| body.modal.deflection(body.eta(at.q)));
            let rolling = self.rolling_rows().map(|(_, _, held)| {
                let held = &self.holonomic_rows[held];
                let Measure::Contact { normal, .. } = held.measure.measure else { return 0.0 };
                let [_, _, along, _] = held.measure.gradient(place);
                at.multipliers[held.row] * along.dot(&normal)
            });
            let beams = self.beams.iter().map(|beam| {
                let each = beam.elements.clone().map(|i| match beam.order {
                    3 => self.elements.beams3[i].elongation(place),
                    _ => self.elements.beams2[i].elongation(place),
                });
                each.fold(f64::NEG_INFINITY, f64::max)
            });
            let all = bodies.chain(rolling).chain(beams);
            let set = |(value, new): (&mut f64, f64)| *value = new;
            values.iter_mut().zip(all).for_each(set);
        });
        let count: usize = self.watched.iter().map(|x| x.2).sum();
        if count == 0 {
            return;
        }
        let first = values.len().saturating_sub(count);
        let mut rest = &mut values[first..];
        self.with_element_scratch(at, |place, scratch, room| {
            let seen = ElementView::among(at, place, &scratch.v, room);
            for &(kind, index, count) in &self.watched {
                let (own, others) = std::mem::take(&mut rest).split_at_mut(count);
                self.elements.get(kind, index).limit_values(&seen, own);
                rest = others;
            }
        });
    }

    /// The elements of forces that have limits: kind, index, and how many.
    pub(super) fn watched_elements(&self) -> Vec<(ElementKind, usize, usize)> {
        let each = self.forces.iter().flat_map(|force| {
            let kind = force.kind;
            let count = move |i| (kind, i, self.elements.get(kind, i).limits().len());
            force.range.clone().map(count).filter(|x| x.2 > 0)
        });
        each.collect()
    }

    /// Rolling discs: name, node of the disc, index of the row that holds its height.
    fn rolling_rows(&self) -> impl Iterator<Item = (&str, usize, usize)> {
        self.joints.iter().filter_map(|joint| {
            let held = joint.holonomic_rows.start;
            let is_contact = |k: usize| {
                matches!(self.holonomic_rows[k].measure.measure, Measure::Contact { .. })
            };
            let is_rolling = !joint.holonomic_rows.is_empty() && is_contact(held);
            is_rolling.then(|| (joint.name.as_str(), joint.sides[1], held))
        })
    }
}
