//! Checks of a step before it is accepted: rotations of joints per step, and rotations between the nodes of beam
//! elements; and the count of turns.

use super::compile::MAX_TURN;
use super::compiled::Model;
use cardan_core::system::{Failure, StateView};

impl Model {
    /// Fails if the rotation between the nodes of a beam element is near half a turn, where its interpolation is
    /// undefined.
    pub(super) fn check_curvatures(&self, at: &StateView<'_>) -> Result<(), Failure> {
        if self.beams.is_empty() {
            return Ok(());
        }
        let limit = MAX_TURN.cos();
        self.placed(at, |kinematics| {
            for beam in &self.beams {
                for (k, i) in beam.elements.clone().enumerate() {
                    let cosine = match beam.order {
                        3 => self.elements.beams3[i].least_cosine(kinematics),
                        _ => self.elements.beams2[i].least_cosine(kinematics),
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

    /// Writes the present values of angles that count turns. Fails if an angle that is measured between −π and π changes by
    /// more than half a turn in a step h: its number of turns is undetermined. The expected change is the step times
    /// the rate.
    pub(super) fn count_turns(
        &self,
        h: Option<f64>,
        at: &StateView<'_>,
        discrete: &mut [f64],
    ) -> Result<(), Failure> {
        if self.turn_counters.is_empty() {
            return Ok(());
        }
        let Some(h) = h else {
            self.placed(at, |kinematics| {
                let counters = self.turn_counters.iter().zip(discrete);
                counters.for_each(|(measure, discrete)| *discrete = measure.value(kinematics));
            });
            return Ok(());
        };
        self.moved(at, at.v, |kinematics, v| {
            for (measure, discrete) in self.turn_counters.iter().zip(discrete) {
                let value = measure.value(kinematics);
                let change = value - measure.turn_counter.map_or(0.0, |counter| at.q[counter]);
                // the rate is near the difference of the angular velocities
                let speed = |side: usize| kinematics.nodes[side].velocity(1, v).norm();
                let fastest = 2.0 * h * (speed(measure.sides[0]) + speed(measure.sides[1]));
                let is_slow = change.abs() + fastest < std::f64::consts::PI;
                if !is_slow
                    && (change - h * measure.rate(kinematics, v)).abs() > std::f64::consts::PI
                {
                    let name = self.joint_of(measure.sides);
                    return Err(format!("{name} turns more than half a turn per step").into());
                }
                *discrete = value;
            }
            Ok(())
        })
    }

    /// Writes the values of angles that count turns to the end of a configuration.
    pub(super) fn count_turns_in(&self, q: &mut [f64]) {
        let counters = self.turn_counters.iter().filter_map(|measure| measure.turn_counter);
        let Some(first) = counters.min() else { return };
        let places = first..first + self.turn_counters.len();
        let mut discrete = q[places.clone()].to_vec();
        // without a step nothing is checked
        let _ = self.count_turns(None, &StateView::at(0.0, q), &mut discrete);
        q[places].copy_from_slice(&discrete);
    }

    /// The name of the joint between two nodes, for messages.
    fn joint_of(&self, sides: [usize; 2]) -> String {
        let is_between = |joint: &&super::compiled::JointData| {
            joint
                .coordinates
                .iter()
                .any(|(_, measure)| measure.sides == sides && measure.turn_counter.is_some())
        };
        let found = self.joints.iter().find(is_between);
        found.map_or_else(|| "a joint".into(), |joint| format!("joint `{}`", joint.name))
    }
}
