//! The limits of validity of a model's elements.

use super::Measure;
use super::compiled::Model;
use super::element::ElementView;
use super::elements::ElementKind;
use super::placement::ElementContext;
use cardan_core::state::Instant;
use cardan_core::system::{StateView, ValidityLimit};

/// Limit of a flexible body's root mean square deflection over its radius of gyration. The tip
/// deflection of a cantilever is then 0.12 of its length, and the neglected shortening 1 % of it.
const MAX_DEFLECTION_RATIO: f64 = 0.2;
/// Limit of the tensile contact force of a rolling disc over its mass: 1e-6 of the weight at 9.81 m/s²,
/// above round-off.
const MAX_PULL_PER_MASS: f64 = 1e-6 * 9.81;
/// Limit of the elongation of a beam: its section law is linear.
const MAX_ELONGATION: f64 = 0.1;

impl Model {
    /// One limit for each element that has one.
    pub(super) fn validity_limits(&self) -> Vec<ValidityLimit> {
        let bodies = self.flexible.iter().map(|body| ValidityLimit {
            part: format!("flexible body `{}`", self.bodies[body.node - 1].name),
            quantity: "deflection (root mean square)",
            unit: "m",
            limit: MAX_DEFLECTION_RATIO * body.modal.radius_of_gyration(),
            beyond: "a floating frame describes small deflections only; try: a geometrically exact \
                     beam, or several flexible bodies in series",
        });
        let rolling = self.rolling_rows().map(|(name, node, _)| ValidityLimit {
            part: format!("rolling `{name}`"),
            quantity: "pull on the disc",
            unit: "N",
            limit: MAX_PULL_PER_MASS * self.bodies[node - 1].mass,
            beyond: "a real disc would lift off the plane here; try: end the run earlier, or constrain \
                     the disc to the plane by a joint",
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
            limit: MAX_ELONGATION,
            beyond: "the section law is linear and valid for small strains only; try: a stiffer section, \
                     or check the loads",
        });
        let signals = self.signals.limits.iter().map(|(_, limit)| limit.clone());
        bodies.chain(rolling).chain(beams).chain(forces).chain(signals).collect()
    }

    /// The quantities of `validity_limits` at an instant, in the same order.
    pub(super) fn validity_values(&self, at: &StateView<'_>, values: &mut [f64]) {
        if values.is_empty() {
            return;
        }
        self.placed(at, |place| {
            let bodies = self.flexible.iter().map(|body| body.modal.deflection(body.eta(at.q)));
            let rolling = self.rolling_rows().map(|(_, _, index)| {
                let row = &self.holonomic_rows[index];
                let Measure::Contact { normal, .. } = row.measure.measure else { return 0.0 };
                let [_, _, along, _] = row.measure.gradient(place);
                at.multipliers[row.row] * along.dot(&normal)
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
        let signal_limits = &self.signals.limits;
        let (values, of_signals) = values.split_at_mut(values.len() - signal_limits.len());
        if !signal_limits.is_empty() {
            self.with_signal_values(at, |all| {
                let found = signal_limits.iter().map(|(formula, _)| all[*formula]);
                of_signals.iter_mut().zip(found).for_each(|(value, new)| *value = new);
            });
        }
        let count: usize = self.watched.iter().map(|x| x.2).sum();
        if count == 0 {
            return;
        }
        let first = values.len().saturating_sub(count);
        let mut rest = &mut values[first..];
        self.with_element_scratch(at, |place, scratch, context| {
            let ElementContext { scratch: elements, signals, .. } = *context;
            let view = ElementView::among(at, place, &scratch.v, elements, signals);
            for &(kind, index, count) in &self.watched {
                let (own, others) = std::mem::take(&mut rest).split_at_mut(count);
                self.elements.get(kind, index).limit_values(&view, own);
                rest = others;
            }
        });
    }

    /// The limits of validity that an instant exceeds, each with the value.
    pub fn exceeded_limits(&self, at: &Instant) -> Vec<(ValidityLimit, f64)> {
        if !self.fits(at) {
            return Vec::new();
        }
        let limits = self.validity_limits();
        let mut values = vec![0.0; limits.len()];
        self.validity_values(&at.into(), &mut values);
        limits.into_iter().zip(values).filter(|(limit, value)| *value > limit.limit).collect()
    }

    /// The elements of forces that have limits: kind, index, and number of limits.
    pub(super) fn watched_elements(&self) -> Vec<(ElementKind, usize, usize)> {
        let each = self.forces.iter().flat_map(|force| {
            let kind = force.kind;
            let count = move |i| (kind, i, self.elements.get(kind, i).limits().len());
            force.range.clone().map(count).filter(|x| x.2 > 0)
        });
        each.collect()
    }

    /// Rolling discs: name, node of the disc, index of the row that prescribes its height.
    fn rolling_rows(&self) -> impl Iterator<Item = (&str, usize, usize)> {
        self.joints.iter().filter_map(|joint| {
            let height_row = joint.holonomic_rows.start;
            let is_contact = |k: usize| {
                matches!(self.holonomic_rows[k].measure.measure, Measure::Contact { .. })
            };
            let is_rolling = !joint.holonomic_rows.is_empty() && is_contact(height_row);
            is_rolling.then(|| (joint.name.as_str(), joint.sides[1], height_row))
        })
    }
}
