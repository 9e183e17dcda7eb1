//! Evaluation of channels at an instant.

use super::definition::Channel;
use crate::model::BodyKind;
use crate::model::channel_source::ChannelSource;
use crate::model::channel_view::{ChannelView, Totals};
use crate::model::compiled::Model;
use crate::model::element::ElementView;
use crate::model::energy::{Energy, Power};
use cardan_core::math::Vector3;
use cardan_core::state::Instant;
use cardan_core::system::Scratch;

impl Model {
    /// Writes the values of a channel to `out`. It writes NaN if the instant belongs to another model or
    /// `out` is too short.
    pub fn evaluate(&self, channel: &Channel, at: &Instant, out: &mut [f64]) {
        if out.len() < channel.width {
            return out.fill(f64::NAN);
        }
        self.evaluate_all(std::iter::once((channel, 0)), at, out);
    }

    /// Writes the values of channels, each from the given index of `out` on. The kinematics are computed once.
    /// Channels that do not fit in `out` are omitted.
    pub fn evaluate_all<'c>(
        &self,
        channels: impl Iterator<Item = (&'c Channel, usize)>,
        at: &Instant,
        out: &mut [f64],
    ) {
        self.evaluate_with(channels, at, None, out);
    }

    /// Like [`Model::evaluate_all`], with scratch that the caller keeps, such as
    /// [`Simulation::scratch`](cardan_core::simulation::Simulation::scratch): results of the last step are used again.
    pub fn evaluate_with<'c>(
        &self,
        channels: impl Iterator<Item = (&'c Channel, usize)>,
        at: &Instant,
        scratch: Option<&Scratch>,
        out: &mut [f64],
    ) {
        self.evaluate_knowing(None, channels, at, scratch, out);
    }

    /// Like [`Model::evaluate_with`], with the energy and the powers of the instant if they are known already.
    pub(crate) fn evaluate_knowing<'c>(
        &self,
        known: Option<&(Energy, Power)>,
        channels: impl Iterator<Item = (&'c Channel, usize)>,
        at: &Instant,
        scratch: Option<&Scratch>,
        out: &mut [f64],
    ) {
        if !self.fits(at) {
            return out.fill(f64::NAN);
        }
        let extended = self.extended(at, scratch);
        let totals = self.signal_totals(at, scratch);
        let mut total: Vec<(&Channel, usize)> = Vec::new();
        self.with_channels(&extended, scratch, totals.as_ref(), |view| {
            for (channel, first) in channels {
                let Some(out) = out.get_mut(first..first + channel.width) else { continue };
                let mut values = [0.0; 6];
                match channel.source {
                    _ if channel.model != self.number => values.fill(f64::NAN),
                    // computed below: they sum over all bodies
                    ChannelSource::Energy(_)
                    | ChannelSource::Power(_)
                    | ChannelSource::Momentum { .. } => {
                        total.push((channel, first));
                    }
                    source => self.value(source, view, &mut values),
                }
                channel.write(&values, out);
            }
        });
        // each sum is computed once for its channels
        let (mut energy, mut power) = known.copied().unzip();
        let mut momentum = None;
        for (channel, first) in total {
            let values = match channel.source {
                ChannelSource::Energy(_) => {
                    let found = *energy.get_or_insert_with(|| self.energy_with(at, scratch));
                    Totals { energy: found, ..Totals::default() }
                }
                ChannelSource::Power(_) => {
                    let found = *power.get_or_insert_with(|| self.power_with(at, scratch));
                    Totals { power: found, ..Totals::default() }
                }
                _ => {
                    let found = *momentum.get_or_insert_with(|| self.momentum(at));
                    Totals { momentum: found, ..Totals::default() }
                }
            };
            channel.write(&values.of(channel.source), &mut out[first..first + channel.width]);
        }
    }

    /// Energy, power and momentum, if a recorded signal depends on them.
    fn signal_totals(&self, at: &Instant, scratch: Option<&Scratch>) -> Option<Totals> {
        self.signals.needs_totals.then(|| self.totals(at, scratch))
    }

    fn totals(&self, at: &Instant, scratch: Option<&Scratch>) -> Totals {
        Totals {
            energy: self.energy_with(at, scratch),
            power: self.power_with(at, scratch),
            momentum: self.momentum(at),
        }
    }

    /// Writes the components of a source.
    pub(in crate::model) fn value(
        &self,
        source: ChannelSource,
        at: &ChannelView<'_>,
        values: &mut [f64; 6],
    ) {
        let (v, kinematics) = (at.v, at.kinematics);
        if source.needs_accelerations() && at.a.len() < v.len() {
            return values.fill(f64::NAN);
        }
        let mut set = |vector: Vector3| values[..3].copy_from_slice(vector.as_slice());
        match source {
            ChannelSource::Point { node, at: point, order } => {
                set(self.point_motion(node, &point, order, at));
            }
            ChannelSource::Orientation(node) => match self.nodes[node].kind {
                Some(BodyKind::Spatial) => {
                    let unit = self.nodes[node].rotation().of(kinematics.q);
                    values[..4].copy_from_slice(&unit.to_array());
                }
                _ => {
                    let half = 0.5 * kinematics.q[self.nodes[node].q + 2];
                    (values[0], values[3]) = (half.cos(), half.sin());
                }
            },
            ChannelSource::PlanarAngle(node) => values[0] = kinematics.q[self.nodes[node].q + 2],
            ChannelSource::AngularVelocity { node, world, order } => {
                let spin = self.nodes[node].velocity(1, if order == 1 { v } else { at.a });
                set(if world { kinematics.frames[node].rotation * spin } else { spin });
            }
            ChannelSource::Coordinate { joint, index, order } => {
                let (_, measure) = &self.joints[joint].coordinates[index];
                values[0] = match order {
                    0 => measure.value(kinematics),
                    1 => measure.rate(kinematics, v),
                    _ => measure.rate(kinematics, at.a) + measure.acceleration(kinematics, v),
                };
            }
            ChannelSource::Reaction { joint, moment, local } => {
                let (force, couple) = self.reaction(joint, at);
                let vector = if moment { couple } else { force };
                let data = &self.joints[joint];
                let axes = kinematics.frames[data.sides[0]].rotation * data.axes;
                set(if local { axes.tr_mul(&vector) } else { vector });
            }
            ChannelSource::GearForce(joint) => {
                let row = self.holonomic_rows[self.joints[joint].holonomic_rows.start].row;
                values[0] = -at.multipliers[row];
            }
            ChannelSource::DriveForce(drive) => {
                let forces = self.drive_rows(drive, at).map(|(_, force)| force);
                values.iter_mut().zip(forces).for_each(|(out, force)| *out = force);
            }
            ChannelSource::DrivePower(drive) => {
                values[0] = self.drive_rows(drive, at).map(|(speed, force)| speed * force).sum();
            }
            ChannelSource::Force { force, output, width } => {
                let ChannelView { t, multipliers, z, signals, .. } = *at;
                let view =
                    ElementView { multipliers, z, signals, ..ElementView::new(t, kinematics, v) };
                let data = &self.forces[force];
                let mut part = [0.0; 6];
                // a force with several elements reports their sum
                for element in self.parts_of(data) {
                    element.output(output, &view, &mut part[..width]);
                    values.iter_mut().zip(&part[..width]).for_each(|(sum, x)| *sum += x);
                }
            }
            ChannelSource::LineLoad(load) => {
                let ChannelView { t, multipliers, z, signals, .. } = *at;
                let view =
                    ElementView { multipliers, z, signals, ..ElementView::new(t, kinematics, v) };
                set(self.elements.loads[load].per_length(view.input(), kinematics));
            }
            ChannelSource::State(k) => {
                values[0] = at.z.get(k).copied().unwrap_or(f64::NAN);
            }
            ChannelSource::StateRate(k) => {
                values[0] = at.rates.get(k).copied().unwrap_or(f64::NAN);
            }
            ChannelSource::Signal(k) => values[0] = at.signals[k],
            ChannelSource::Input(k) => values[0] = kinematics.q[k],
            ChannelSource::Beam { beam, station, value } => {
                self.beam_value((beam, station, value), at, values);
            }
            ChannelSource::Flexible { body, value } => {
                self.flexible_value((body, value), at, values);
            }
            ChannelSource::Structure { structure, value } => {
                values[0] = self.structure_value(structure, value, at);
            }
            ChannelSource::Energy(_) | ChannelSource::Power(_) | ChannelSource::Momentum { .. } => {
                let totals = at.totals.map_or([f64::NAN; 6], |totals| totals.of(source));
                values.copy_from_slice(&totals);
            }
        }
    }

    /// Position, velocity or acceleration of a point of a body, world axes.
    fn point_motion(
        &self,
        node: usize,
        point: &Vector3,
        order: usize,
        at: &ChannelView<'_>,
    ) -> Vector3 {
        let (frame, node) = (&at.kinematics.frames[node], &self.nodes[node]);
        let omega = node.velocity(1, at.v);
        match order {
            0 => frame.point(point),
            1 => node.velocity(0, at.v) + frame.rotation * omega.cross(point),
            _ => {
                let alpha = node.velocity(1, at.a);
                let relative = alpha.cross(point) + omega.cross(&omega.cross(point));
                node.velocity(0, at.a) + frame.rotation * relative
            }
        }
    }

    /// The load of a joint on body 2 at the joint's point: force and moment in world axes.
    fn reaction(&self, joint: usize, at: &ChannelView<'_>) -> (Vector3, Vector3) {
        let (data, kinematics) = (&self.joints[joint], at.kinematics);
        let frame = &kinematics.frames[data.sides[1]];
        let (mut force, mut moment) = (Vector3::zeros(), Vector3::zeros());
        if let Some(i) = data.coincidence {
            force -= self.coincidences[i].multipliers(at.multipliers);
        }
        if let Some(i) = data.alignment {
            for (row, [_, about]) in self.alignments[i].gradients(kinematics) {
                moment -= at.multipliers[row] * (frame.rotation * about);
            }
        }
        let holonomic =
            self.holonomic_rows[data.holonomic_rows.clone()].iter().map(|x| (&x.measure, x.row));
        let nonholonomic = self.nonholonomic_rows[data.nonholonomic_rows.clone()]
            .iter()
            .map(|x| (&x.measure, x.row));
        for (measure, row) in holonomic.chain(nonholonomic) {
            let [_, _, direction, about] = measure.gradient(kinematics);
            let row_force = -at.multipliers[row] * direction;
            let row_moment = -at.multipliers[row] * (frame.rotation * about);
            force += row_force;
            // the moment about the joint's point instead of the centre of mass
            moment += row_moment - (frame.rotation * data.points[1]).cross(&row_force);
        }
        (force, moment)
    }

    /// For each row of a drive: the prescribed speed, and the force of the drive.
    fn drive_rows(&self, drive: usize, at: &ChannelView<'_>) -> impl Iterator<Item = (f64, f64)> {
        let data = &self.drives[drive];
        let holonomic =
            self.holonomic_rows[data.holonomic_rows.clone()].iter().map(|x| (&x.target, x.row, 1));
        let nonholonomic =
            self.nonholonomic_rows[data.rates.clone()].iter().map(|x| (&x.target, x.row, 0));
        holonomic
            .chain(nonholonomic)
            .map(|(target, row, order)| (target.at(at.t)[order], -at.multipliers[row]))
    }
}
