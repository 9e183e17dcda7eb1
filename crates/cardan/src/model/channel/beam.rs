//! Channels of beams: `shaft.mid`, `shaft.mid.velocity`, `shaft.mid.force`, `shaft.energy`.
//!
//! Motions of stations are interpolated by the shape functions of the element. Stresses and strains are most
//! accurate at the evaluation points; at a station they are linear between two evaluation points: those of the
//! element if it has three nodes, those of neighbouring elements if it has two. A station where two elements
//! meet belongs to the first one.

use super::definition::{ANGLE_UNITS, LENGTH_UNITS, Listing};
use crate::model::channel_source::{BeamValue, ChannelSource, Station};
use crate::model::channel_view::ChannelView;
use crate::model::compiled::{BeamData, Model};
use crate::model::elements::SpatialVector;
use crate::model::node_measure::PositionKinematics;
use crate::model::values::{FunctionInput, vector};
use cardan_core::math::{Quaternion, Vector3, exponential};

impl Model {
    pub(super) fn beam_channels(&self, beam: usize, list: &mut Listing<'_>) {
        let data = &self.beams[beam];
        for station in &data.named {
            self.station_channels(beam, station, list);
        }
        // a node is named by its number, as in `node12`
        let number = list.requested.and_then(|name| name.split('.').nth(1)).and_then(|point| {
            let digits = point.strip_prefix("node")?;
            digits
                .parse::<usize>()
                .ok()
                .filter(|k| *k < data.nodes.len() && digits == k.to_string())
        });
        if let Some(number) = number {
            self.station_channels(beam, &data.node_station(number), list);
        }
        let whole = |value| ChannelSource::Beam { beam, station: Station::WHOLE, value };
        list.add("energy", "J", 1, whole(BeamValue::Energy));
        if self.section_laws_of(data).any(|law| law.viscosity.is_some()) {
            list.add("dissipation", "W", 1, whole(BeamValue::Dissipation));
        }
    }

    fn station_channels(&self, beam: usize, station: &(String, Station), list: &mut Listing<'_>) {
        let (name, station) = (&station.0, station.1);
        let of = |value| ChannelSource::Beam { beam, station, value };
        let mut add = |suffix: &str, unit, width, value| {
            list.add(&format!("{name}{suffix}"), unit, width, of(value));
        };
        for (order, suffix) in ["", ".velocity", ".acceleration"].into_iter().enumerate() {
            add(suffix, LENGTH_UNITS[order], 3, BeamValue::Position(order));
        }
        add(".orientation", "", 4, BeamValue::Orientation);
        add(".rotation", "rad", 3, BeamValue::Rotation);
        add(".angular_velocity", ANGLE_UNITS[1], 3, BeamValue::AngularVelocity { world: false });
        add(
            ".angular_velocity_world",
            ANGLE_UNITS[1],
            3,
            BeamValue::AngularVelocity { world: true },
        );
        for (world, suffix) in [(false, ""), (true, "_world")] {
            let stress = |moment| BeamValue::Stress { moment, world };
            add(&format!(".force{suffix}"), "N", 3, stress(false));
            add(&format!(".moment{suffix}"), "N·m", 3, stress(true));
        }
        add(".strain", "", 3, BeamValue::Strain { curvature: false });
        add(".curvature", "1/m", 3, BeamValue::Strain { curvature: true });
        if name == "start" || name == "end" {
            add(".reaction.force", "N", 3, BeamValue::Reaction { moment: false });
            add(".reaction.moment", "N·m", 3, BeamValue::Reaction { moment: true });
        }
    }

    pub(super) fn beam_value(
        &self,
        (beam, station, value): (usize, Station, BeamValue),
        at: &ChannelView<'_>,
        values: &mut [f64; 6],
    ) {
        let (data, kinematics) = (&self.beams[beam], at.kinematics);
        let mut set = |vector: Vector3| values[..3].copy_from_slice(vector.as_slice());
        let (v, index) = (at.v, data.elements.start + station.element);
        let motion = || match data.order {
            3 => {
                let x = &self.elements.beams3[index];
                x.station(&x.section_law, kinematics, [at.v, at.a], station.xi)
            }
            _ => {
                let x = &self.elements.beams2[index];
                x.station(&x.section_law, kinematics, [at.v, at.a], station.xi)
            }
        };
        match value {
            BeamValue::Position(order) => set(motion().derivatives[order]),
            BeamValue::Orientation => {
                let unit = Quaternion::from_matrix(&motion().axes);
                values[..4].copy_from_slice(&unit.to_array());
            }
            BeamValue::Rotation => {
                let now = Quaternion::from_matrix(&motion().axes);
                set(exponential::inverse(now * station.initial.conjugate()));
            }
            BeamValue::AngularVelocity { world } => {
                let motion = motion();
                set(if world { motion.axes * motion.omega } else { motion.omega });
            }
            BeamValue::Stress { moment, world } => {
                let (_, stress) = self.station_strain_and_stress(data, station, kinematics, v);
                let vector = if moment { stress.angular } else { stress.linear };
                set(if world { motion().axes * vector } else { vector });
            }
            BeamValue::Strain { curvature } => {
                let (strain, _) = self.station_strain_and_stress(data, station, kinematics, v);
                set(if curvature { strain.angular } else { strain.linear });
            }
            BeamValue::Reaction { moment } => {
                let reaction = self.end_reaction(beam, station, at);
                set(if moment { reaction.angular } else { reaction.linear });
            }
            BeamValue::Energy => {
                values[0] = data
                    .elements
                    .clone()
                    .map(|i| match data.order {
                        3 => self.elements.beams3[i]
                            .potential(&self.elements.beams3[i].section_law, kinematics),
                        _ => self.elements.beams2[i]
                            .potential(&self.elements.beams2[i].section_law, kinematics),
                    })
                    .sum();
            }
            BeamValue::Dissipation => {
                values[0] = data
                    .elements
                    .clone()
                    .map(|i| match data.order {
                        3 => self.elements.beams3[i].dissipation(
                            &self.elements.beams3[i].section_law,
                            kinematics,
                            v,
                        ),
                        _ => self.elements.beams2[i].dissipation(
                            &self.elements.beams2[i].section_law,
                            kinematics,
                            v,
                        ),
                    })
                    .sum();
            }
        }
    }

    /// Strain and stress at a station.
    fn station_strain_and_stress(
        &self,
        data: &BeamData,
        station: Station,
        kinematics: PositionKinematics<'_>,
        v: &[f64],
    ) -> (SpatialVector, SpatialVector) {
        let (first, k) = (data.elements.start, station.element);
        if data.order == 3 {
            let x = &self.elements.beams3[first + k];
            let [one, two] = x.state(&x.section_law, kinematics, v);
            let share = 0.5 + 0.5 * 3.0_f64.sqrt() * station.xi;
            return (mix(one.0, two.0, share), mix(one.1, two.1, share));
        }
        let state = |k: usize| {
            let x = &self.elements.beams2[first + k];
            let [state] = x.state(&x.section_law, kinematics, v);
            (state, x.shapes[0].weight)
        };
        let (own, length) = state(k);
        let before = k.checked_sub(1);
        let after = Some(k + 1).filter(|k| *k < data.elements.len());
        // interpolate to the neighbour on the station's side, or extrapolate from the other neighbour
        let (neighbour, sign) = match station.xi < 0.0 {
            true => before.map_or((after, -1.0), |k| (Some(k), 1.0)),
            false => after.map_or((before, -1.0), |k| (Some(k), 1.0)),
        };
        let Some((other, far)) = neighbour.map(state) else { return own };
        let share = sign * station.xi.abs() * length / (length + far);
        (mix(own.0, other.0, share), mix(own.1, other.1, share))
    }

    /// The external load on an end of a beam: that of a clamp, a body or a joint, and of forces at that point.
    /// It is in equilibrium with the element load, the weight, the loads per length and the inertia of the
    /// beam's mass that is lumped at the end. World axes; the moment is about the end.
    fn end_reaction(&self, beam: usize, station: Station, at: &ChannelView<'_>) -> SpatialVector {
        let (data, kinematics) = (&self.beams[beam], at.kinematics);
        let index = data.elements.start + station.element;
        let is_last = station.xi > 0.0;
        let load = match data.order {
            3 => {
                let x = &self.elements.beams3[index];
                x.end_load(&x.section_law, kinematics, at.v, if is_last { 2 } else { 0 })
            }
            _ => {
                let x = &self.elements.beams2[index];
                x.end_load(&x.section_law, kinematics, at.v, usize::from(is_last))
            }
        };
        let number = if is_last { data.nodes.len() - 1 } else { 0 };
        let end = &data.ends[usize::from(is_last)];
        let (node, frame) =
            (&self.nodes[data.nodes[number]], &kinematics.frames[data.nodes[number]]);
        let (omega, alpha) = (node.velocity(1, at.v), node.velocity(1, at.a));
        // the centre of the lumped mass moves with the node
        let arm = end.point + end.centre;
        let relative = frame.rotation * (alpha.cross(&arm) + omega.cross(&omega.cross(&arm)));
        let acceleration = node.velocity(0, at.a) + relative;
        let gravity = vector(&self.gravity, FunctionInput::time(at.t));
        let inertia = end.mass * (acceleration - gravity);
        let gyroscopic = end.tensor * alpha + omega.cross(&(end.tensor * omega));
        let mut reaction = SpatialVector {
            linear: inertia - load.linear,
            angular: frame.rotation
                * (end.centre.cross(&frame.rotation.tr_mul(&inertia)) + gyroscopic)
                - load.angular,
        };
        let is_here = |load: &&crate::model::elements::Load| load.on_beam == Some((beam, number));
        for load in self.elements.loads.iter().filter(is_here) {
            let input = FunctionInput { t: at.t, signals: at.signals };
            let force = load.in_world(input, kinematics);
            reaction.linear -= force;
            reaction.angular -= (frame.rotation * (load.point - end.point)).cross(&force);
        }
        reaction
    }
}

/// `one + share (two − one)`.
fn mix(one: SpatialVector, two: SpatialVector, share: f64) -> SpatialVector {
    let between = two - one;
    one + SpatialVector { linear: share * between.linear, angular: share * between.angular }
}
