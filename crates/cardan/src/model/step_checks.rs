//! What a model looks at when an instant is to be accepted: turns of angles, and bends of beams.

use super::compile::MAX_TURN;
use super::compiled::Model;
use cardan_core::system::{Failure, StateView};

impl Model {
    /// An angle that is read between −π and π is known only if it turns less than half a turn a step.
    pub(super) fn check_turns(&self, h: Option<f64>, at: &StateView<'_>) -> Result<(), Failure> {
        let Some(h) = h.filter(|_| !self.turn_counters.is_empty()) else { return Ok(()) };
        self.moved(at, at.v, |place, v| {
            for gauge in &self.turn_counters {
                let turned =
                    gauge.value(place) - gauge.turn_counter.map_or(0.0, |sheet| at.q[sheet]);
                let expected = h * gauge.rate(place, v);
                if (turned - expected).abs() > std::f64::consts::PI {
                    let name = self.joint_of(gauge.sides);
                    return Err(format!("{name} turns more than half a turn a step").into());
                }
            }
            Ok(())
        })
    }

    /// An element that is bent by half a turn between its nodes has no shape any more.
    pub(super) fn check_curvatures(&self, at: &StateView<'_>) -> Result<(), Failure> {
        if self.beams.is_empty() {
            return Ok(());
        }
        let limit = MAX_TURN.cos();
        self.placed(at, |place| {
            for beam in &self.beams {
                for (k, i) in beam.elements.clone().enumerate() {
                    let cosine = match beam.order {
                        3 => self.elements.beams3[i].least_cosine(place),
                        _ => self.elements.beams2[i].least_cosine(place),
                    };
                    if cosine < limit {
                        let (degrees, k) = (cosine.max(-1.0).acos().to_degrees(), k + 1);
                        let name = &beam.name;
                        let reason = format!(
                            "beam `{name}` bends by {degrees:.0}° between the nodes of its \
                                            element {k}: divide it into more elements"
                        );
                        return Err(reason.into());
                    }
                }
            }
            Ok(())
        })
    }

    /// The angles that count turns, as they are now.
    pub(super) fn count_turns(&self, at: &StateView<'_>, carried: &mut [f64]) {
        if self.turn_counters.is_empty() {
            return;
        }
        self.placed(at, |place| {
            for (gauge, carried) in self.turn_counters.iter().zip(carried) {
                *carried = gauge.value(place);
            }
        });
    }

    /// The same for a configuration of its own.
    pub(super) fn count_turns_in(&self, q: &mut [f64]) {
        let first = q.len().saturating_sub(self.turn_counters.len());
        let mut carried = q[first..].to_vec();
        self.count_turns(&StateView::at(0.0, q), &mut carried);
        q[first..].copy_from_slice(&carried);
    }

    /// The joint between two nodes, for messages.
    fn joint_of(&self, sides: [usize; 2]) -> String {
        let is_it = |joint: &&super::compiled::JointData| {
            joint
                .coordinates
                .iter()
                .any(|(_, gauge)| gauge.sides == sides && gauge.turn_counter.is_some())
        };
        let found = self.joints.iter().find(is_it);
        found.map_or_else(|| "a joint".into(), |joint| format!("joint `{}`", joint.name))
    }
}
