//! Channels: named output quantities of a model at an instant, such as `crank.position`, `A.angle`,
//! `A.reaction.force.local`, `spring.length`, `energy.kinetic`. A further `.x`, `.y`, `.z` (`.w`) selects a
//! component.

mod beam;
mod definition;
mod evaluate;
mod flexible;
mod signal;

pub use definition::Channel;
use definition::{ANGLE_UNITS, LENGTH_UNITS, Listing, VECTOR};

use crate::model::channel_source::{BeamValue, ChannelSource, FlexibleValue, StructureValue};
use crate::model::compiled::{DriveData, Model};
use crate::model::element::ElementOutput;
use crate::model::elements::ElementKind;
use crate::model::elements::HolonomicRow;
use crate::model::{BodyKind, Measure, ModelError, Owner};
use cardan_core::math::Vector3;
use cardan_core::state::Instant;
use cardan_core::suggestion;

impl Model {
    /// All channels of the model.
    pub fn channels(&self) -> Vec<Channel> {
        let mut all = Vec::new();
        self.visit_channels(|_| true, |channel| all.push(channel));
        all
    }

    /// Calls a function with all channels of the owners that are wanted, by their names. A large model has more channels than
    /// anything else: they are listed owner by owner.
    pub(crate) fn visit_channels(
        &self,
        is_wanted: impl Fn(&str) -> bool,
        mut visit: impl FnMut(Channel),
    ) {
        let mut list = |owner: &str, add: &dyn Fn(&mut Listing<'_>)| {
            if is_wanted(owner) {
                let (model, channels) = (self.number, Vec::new());
                let mut list = Listing { owner, requested: None, model, channels };
                add(&mut list);
                list.channels.into_iter().for_each(&mut visit);
            }
        };
        for (i, body) in self.bodies.iter().enumerate().filter(|(_, body)| !body.is_node) {
            list(&body.name, &|list| self.body_channels(i, list));
        }
        for (i, structure) in self.structures.iter().enumerate() {
            list(&structure.name, &|list| self.structure_channels(i, list));
        }
        for (i, beam) in self.beams.iter().enumerate() {
            list(&beam.name, &|list| self.beam_channels(i, list));
        }
        for (i, joint) in self.joints.iter().enumerate() {
            list(&joint.name, &|list| self.joint_channels(i, list));
        }
        for (i, drive) in self.drives.iter().enumerate() {
            list(&drive.name, &|list| self.drive_channels(i, list));
        }
        for (i, force) in self.forces.iter().enumerate() {
            list(&force.name, &|list| self.force_channels(i, list));
        }
        TOTALS.iter().for_each(|owner| list(owner, &|list| total_channels(owner, list)));
        self.signal_channels(|name| is_wanted(name)).into_iter().for_each(visit);
    }

    /// The channels of default outputs: positions and orientations of bodies, coordinates of joints, energies.
    pub fn default_channels(&self) -> Vec<Channel> {
        let is_default = |channel: &Channel| match channel.source {
            // the points of flexible bodies, the origin of others
            ChannelSource::Point { order: 0, node, .. } => {
                channel.name.ends_with(".position") || self.base_node(node) != node
            }
            ChannelSource::Orientation(node) | ChannelSource::PlanarAngle(node)
                if self.base_node(node) != node =>
            {
                false
            }
            ChannelSource::Orientation(node) => self.nodes[node].kind == Some(BodyKind::Spatial),
            ChannelSource::PlanarAngle(_)
            | ChannelSource::Energy(_)
            | ChannelSource::Signal(_)
            | ChannelSource::State(_)
            | ChannelSource::Input(_) => true,
            ChannelSource::Coordinate { order, .. } => order == 0,
            ChannelSource::Beam { value, .. } => {
                matches!(value, BeamValue::Position(0) | BeamValue::Energy)
            }
            ChannelSource::Flexible { value, .. } => {
                matches!(value, FlexibleValue::Mode { order: 0, .. })
            }
            ChannelSource::Structure { value, .. } => matches!(
                value,
                StructureValue::Node { order: 0 | 1, .. } | StructureValue::Exact { .. }
            ),
            _ => false,
        };
        let mut all = Vec::new();
        self.visit_channels(
            |_| true,
            |channel| {
                if is_default(&channel) {
                    all.extend(self.significant(channel));
                }
            },
        );
        all
    }

    /// A channel without the components that are zero in a planar model: vectors keep x and y, rotations and
    /// moments keep z.
    pub fn significant(&self, channel: Channel) -> Vec<Channel> {
        // all bodies are planar, or none is; the ground comes first
        let first = self.nodes.get(1).and_then(|node| node.kind);
        let is_in_plane = first.is_some_and(BodyKind::is_in_plane);
        let kept: &[usize] = match channel.source {
            _ if !is_in_plane || channel.width == 1 => return vec![channel],
            // the axes of the joint differ from those of the plane
            ChannelSource::Reaction { local: true, .. } => return vec![channel],
            ChannelSource::Point { .. } => &[0, 1],
            ChannelSource::AngularVelocity { .. } => &[2],
            ChannelSource::Reaction { moment, .. } if moment => &[2],
            ChannelSource::Momentum { angular } if angular => &[2],
            ChannelSource::Reaction { .. } | ChannelSource::Momentum { .. } => &[0, 1],
            ChannelSource::Force { force, output, .. } => {
                let outputs = self.parts_of(&self.forces[force]).next().map(|x| x.outputs());
                match outputs.and_then(|x| x.get(output).map(|x| x.in_plane)) {
                    Some(kept) => kept,
                    None => return vec![channel],
                }
            }
            ChannelSource::Beam { value, .. } => match value.in_plane() {
                Some(kept) => kept,
                None => return vec![channel],
            },
            ChannelSource::Flexible { value, .. } => match value.in_plane() {
                Some(kept) => kept,
                None => return vec![channel],
            },
            _ => return vec![channel],
        };
        let parts = channel.parts();
        kept.iter().map(|&k| parts[k].clone()).collect()
    }

    /// The names with which channels begin.
    fn owners(&self) -> impl Iterator<Item = &str> {
        let bodies = self.bodies.iter().filter(|x| !x.is_node).map(|x| x.name.as_str());
        let bodies = bodies.chain(self.structures.iter().map(|x| x.name.as_str()));
        let bodies = bodies.chain(self.beams.iter().map(|x| x.name.as_str()));
        let joints = self.joints.iter().map(|x| x.name.as_str());
        let drives = self.drives.iter().map(|x| x.name.as_str());
        let forces = self.forces.iter().map(|x| x.name.as_str());
        let signals = self.signals.names.iter().map(|x| x.0.as_str());
        let states = self.signals.states.iter().map(|x| x.name.as_str());
        let inputs = self.signals.inputs.iter().map(|x| x.0.as_str());
        let signals = signals.chain(states).chain(inputs);
        bodies.chain(joints).chain(drives).chain(forces).chain(signals).chain(TOTALS)
    }

    /// All channels of the owner of a requested channel.
    fn channels_of_owner(&self, requested: &str) -> Vec<Channel> {
        let owner = requested.split('.').next().unwrap_or_default();
        let (model, channels) = (self.number, Vec::new());
        let mut list = Listing { owner, requested: Some(requested), model, channels };
        if let Some(i) = self.bodies.iter().position(|x| x.name == owner) {
            self.body_channels(i, &mut list);
        } else if let Some(i) = self.structures.iter().position(|x| x.name == owner) {
            self.structure_channels(i, &mut list);
        } else if let Some(i) = self.beams.iter().position(|x| x.name == owner) {
            self.beam_channels(i, &mut list);
        } else if let Some(i) = self.joints.iter().position(|x| x.name == owner) {
            self.joint_channels(i, &mut list);
        } else if let Some(i) = self.drives.iter().position(|x| x.name == owner) {
            self.drive_channels(i, &mut list);
        } else if let Some(i) = self.forces.iter().position(|x| x.name == owner) {
            self.force_channels(i, &mut list);
        } else {
            total_channels(owner, &mut list);
        }
        // parts of controllers have names with points
        let begins_with = |known: &str, name: &str| {
            name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let is_wanted = |name: &str| begins_with(name, requested) || begins_with(owner, name);
        list.channels.extend(self.signal_channels(is_wanted));
        list.channels
    }

    fn body_channels(&self, i: usize, list: &mut Listing<'_>) {
        let (node, body) = (i + 1, &self.bodies[i]);
        let names = ["position", "velocity", "acceleration"];
        for (order, name) in names.into_iter().enumerate() {
            list.add(
                name,
                LENGTH_UNITS[order],
                3,
                ChannelSource::Point { node, at: -body.centre, order },
            );
        }
        let kind = self.nodes[node].kind;
        if kind.is_some_and(BodyKind::has_orientation) {
            list.add("orientation", "", 4, ChannelSource::Orientation(node));
            if kind.is_some_and(BodyKind::is_in_plane) {
                list.add("angle", "rad", 1, ChannelSource::PlanarAngle(node));
            }
            for (order, name) in [(1, "angular_velocity"), (2, "angular_acceleration")] {
                let spin = |world| ChannelSource::AngularVelocity { node, world, order };
                list.add(name, ANGLE_UNITS[order], 3, spin(false));
                list.add(&format!("{name}_world"), ANGLE_UNITS[order], 3, spin(true));
            }
        }
        if let Some(k) = self.flexible.iter().position(|flexible| flexible.node == node) {
            return self.flexible_channels(k, list);
        }
        list.add("centre", "m", 3, ChannelSource::Point { node, at: Vector3::zeros(), order: 0 });
        for (point, at) in &body.points {
            for (order, suffix) in ["", ".velocity", ".acceleration"].into_iter().enumerate() {
                let source = ChannelSource::Point { node, at: at - body.centre, order };
                list.add(&format!("{point}{suffix}"), LENGTH_UNITS[order], 3, source);
            }
        }
    }

    fn joint_channels(&self, joint: usize, list: &mut Listing<'_>) {
        let data = &self.joints[joint];
        for (index, (name, measure)) in data.coordinates.iter().enumerate() {
            let units = if measure.measure.is_angle() { ANGLE_UNITS } else { LENGTH_UNITS };
            for (order, suffix) in ["", ".rate", ".acceleration"].into_iter().enumerate() {
                let source = ChannelSource::Coordinate { joint, index, order };
                list.add(&format!("{name}{suffix}"), units[order], 1, source);
            }
        }
        let is_gear = self.holonomic_rows[data.holonomic_rows.clone()]
            .iter()
            .any(|row| row.partner.is_some());
        if is_gear {
            let is_angle =
                self.holonomic_rows[data.holonomic_rows.start].measure.measure.is_angle();
            return list.add(
                "force",
                if is_angle { "N·m" } else { "N" },
                1,
                ChannelSource::GearForce(joint),
            );
        }
        for (moment, name, unit) in [(false, "force", "N"), (true, "moment", "N·m")] {
            let reaction = |local| ChannelSource::Reaction { joint, moment, local };
            list.add(&format!("reaction.{name}"), unit, 3, reaction(false));
            list.add(&format!("reaction.{name}.local"), unit, 3, reaction(true));
        }
    }

    fn drive_channels(&self, i: usize, list: &mut Listing<'_>) {
        let drive = &self.drives[i];
        let holonomic =
            self.holonomic_rows[drive.holonomic_rows.clone()].iter().map(|x| &x.measure);
        let mut measures =
            holonomic.chain(self.nonholonomic_rows[drive.rates.clone()].iter().map(|x| &x.measure));
        let unit = if measures.any(|x| x.measure.is_angle()) { "N·m" } else { "N" };
        list.add_named("force", unit, self.driven_axes(drive), ChannelSource::DriveForce(i));
        list.add("power", "W", 1, ChannelSource::DrivePower(i));
    }

    /// The names of the axes along which a drive acts.
    fn driven_axes(&self, drive: &DriveData) -> &'static [&'static str] {
        let along = |k: usize| {
            let axis = Vector3::ith(k, 1.0);
            let is_along = |row: &HolonomicRow| matches!(row.measure.measure, Measure::Gap { direction, .. } if direction == axis);
            self.holonomic_rows[drive.holonomic_rows.clone()].iter().any(is_along)
        };
        match [along(0), along(1), along(2)] {
            [true, true, true] => &VECTOR,
            [true, true, false] => &["x", "y"],
            [true, false, true] => &["x", "z"],
            [false, true, true] => &["y", "z"],
            _ => &VECTOR[..1],
        }
    }

    fn force_channels(&self, force: usize, list: &mut Listing<'_>) {
        let data = &self.forces[force];
        let outputs = self.parts_of(data).next().map_or(Vec::new(), |x| x.outputs());
        for (output, ElementOutput { name, unit, width, .. }) in outputs.into_iter().enumerate() {
            list.add(name, unit, width, ChannelSource::Force { force, output, width });
        }
        if data.kind == ElementKind::Custom {
            let custom = &self.elements.customs[data.range.start];
            for (k, state) in custom.state_list().iter().enumerate() {
                list.add(state.name, "", 1, ChannelSource::State(custom.states.start + k));
            }
        }
    }

    /// The channel with a given name.
    pub fn channel(&self, name: &str) -> Result<Channel, ModelError> {
        let owner = name.split('.').next().unwrap_or_default();
        let channels = self.channels_of_owner(name);
        if let Some(channel) = channels.iter().find(|channel| channel.name == name) {
            return Ok(channel.clone());
        }
        let (base, _) = name.rsplit_once('.').unwrap_or_default();
        if let Some(channel) = channels.iter().find(|channel| channel.name == base) {
            let is_wanted = |part: &Channel| part.name == name;
            if let Some(part) = channel.parts().into_iter().find(is_wanted) {
                return Ok(part);
            }
        }
        let nearest = match channels.is_empty() {
            true => suggestion::nearest(owner, self.owners()),
            false => {
                suggestion::nearest(name, channels.iter().map(|channel| channel.name.as_str()))
            }
        };
        Err(ModelError::missing(&Owner::Outputs, "channels", "channel", name, nearest))
    }

    /// The values of the channel with a given name.
    pub fn read(&self, name: &str, at: &Instant) -> Result<Vec<f64>, ModelError> {
        let channel = self.channel(name)?;
        if !self.fits(at) {
            let owner = Owner::Channel(name.into());
            return Err(ModelError::value(&owner, "the instant belongs to another model"));
        }
        let mut out = vec![0.0; channel.width];
        self.evaluate(&channel, at, &mut out);
        Ok(out)
    }
}

/// The names with which channels of the whole model begin.
const TOTALS: [&str; 3] = ["energy", "power", "momentum"];

fn total_channels(owner: &str, list: &mut Listing<'_>) {
    let all: &[(&str, &'static str, usize, ChannelSource)] = match owner {
        "energy" => &[
            ("kinetic", "J", 1, ChannelSource::Energy(0)),
            ("potential", "J", 1, ChannelSource::Energy(1)),
            ("total", "J", 1, ChannelSource::Energy(2)),
        ],
        "power" => &[
            ("drives", "W", 1, ChannelSource::Power(0)),
            ("forces", "W", 1, ChannelSource::Power(1)),
            ("dissipation", "W", 1, ChannelSource::Power(2)),
        ],
        "momentum" => &[
            ("linear", "kg·m/s", 3, ChannelSource::Momentum { angular: false }),
            ("angular", "kg·m²/s", 3, ChannelSource::Momentum { angular: true }),
        ],
        _ => &[],
    };
    all.iter().for_each(|&(name, unit, width, source)| list.add(name, unit, width, source));
}
