//! What can be read from a model at an instant, by name: `crank.position`, `A.angle`,
//! `A.reaction.force.local`, `spring.length`, `energy.kinetic`. A component is chosen by a further
//! `.x`, `.y`, `.z` (`.w`).

use super::compiled::{ForceElement, Model};
use super::elements::LoadKind;
use super::gauge::Placed;
use super::node::Node;
use super::{Freedom, Measure, ModelError};
use crate::math::Vector3;
use crate::names;
use crate::state::Instant;

/// A quantity with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Its full name.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// How many numbers it has.
    pub width: usize,
    source: Source,
    component: Option<usize>,
}

/// Where a quantity comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    /// A point of a body: the origin or a named one, by its place from the centre of mass.
    Point {
        node: usize,
        at: Vector3,
        order: usize,
    },
    Orientation(usize),
    PlanarAngle(usize),
    Spin {
        node: usize,
        world: bool,
        order: usize,
    },
    Coordinate {
        joint: usize,
        index: usize,
        order: usize,
    },
    Reaction {
        joint: usize,
        moment: bool,
        local: bool,
    },
    Mesh(usize),
    DriveForce(usize),
    DrivePower(usize),
    Spring {
        index: usize,
        what: SpringValue,
    },
    Bushing {
        index: usize,
        what: BushingValue,
    },
    Friction {
        index: usize,
        what: FrictionValue,
    },
    Load {
        index: usize,
        power: bool,
    },
    Energy(usize),
    Power(usize),
    Momentum {
        angular: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum SpringValue {
    Coordinate,
    Rate,
    Force,
    Energy,
    Power,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum BushingValue {
    Deformation,
    Rate,
    Load,
    Energy,
    Dissipation,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum FrictionValue {
    Normal,
    Force,
    Dissipation,
}

const PLACES: [&str; 3] = ["m", "m/s", "m/s²"];
const ANGLES: [&str; 3] = ["rad", "rad/s", "rad/s²"];

/// Collects the channels of one owner.
struct Listing<'a> {
    owner: &'a str,
    channels: Vec<Channel>,
}

impl Listing<'_> {
    fn add(&mut self, name: &str, unit: &'static str, width: usize, source: Source) {
        let name = format!("{}.{name}", self.owner);
        self.channels.push(Channel { name, unit, width, source, component: None });
    }
}

impl Model {
    /// Every channel.
    pub fn channels(&self) -> Vec<Channel> {
        self.owners().flat_map(|owner| self.channels_of(owner)).collect()
    }

    /// The names that channels begin with.
    fn owners(&self) -> impl Iterator<Item = &str> {
        let bodies = self.bodies.iter().map(|x| x.name.as_str());
        let joints = self.joints.iter().map(|x| x.name.as_str());
        let drives = self.drives.iter().map(|x| x.name.as_str());
        let forces = self.forces.iter().map(|x| x.name.as_str());
        let totals = ["energy", "power", "momentum"].into_iter();
        bodies.chain(joints).chain(drives).chain(forces).chain(totals)
    }

    fn channels_of(&self, owner: &str) -> Vec<Channel> {
        let mut list = Listing { owner, channels: Vec::new() };
        if let Some(i) = self.bodies.iter().position(|x| x.name == owner) {
            self.body_channels(i, &mut list);
        } else if let Some(i) = self.joints.iter().position(|x| x.name == owner) {
            self.joint_channels(i, &mut list);
        } else if let Some(i) = self.drives.iter().position(|x| x.name == owner) {
            let drive = &self.drives[i];
            let width = drive.held.len() + drive.rates.len();
            list.add("force", "N or N·m", width, Source::DriveForce(i));
            list.add("power", "W", 1, Source::DrivePower(i));
        } else if let Some(i) = self.forces.iter().position(|x| x.name == owner) {
            self.force_channels(i, &mut list);
        } else {
            let all: &[(&str, &'static str, usize, Source)] = match owner {
                "energy" => &[
                    ("kinetic", "J", 1, Source::Energy(0)),
                    ("potential", "J", 1, Source::Energy(1)),
                    ("total", "J", 1, Source::Energy(2)),
                ],
                "power" => &[
                    ("drives", "W", 1, Source::Power(0)),
                    ("forces", "W", 1, Source::Power(1)),
                    ("dissipation", "W", 1, Source::Power(2)),
                ],
                "momentum" => &[
                    ("linear", "kg·m/s", 3, Source::Momentum { angular: false }),
                    ("angular", "kg·m²/s", 3, Source::Momentum { angular: true }),
                ],
                _ => &[],
            };
            all.iter().for_each(|&(name, unit, width, source)| list.add(name, unit, width, source));
        }
        list.channels
    }

    fn body_channels(&self, i: usize, list: &mut Listing<'_>) {
        let (node, body) = (i + 1, &self.bodies[i]);
        let names = ["position", "velocity", "acceleration"];
        for (order, name) in names.into_iter().enumerate() {
            list.add(name, PLACES[order], 3, Source::Point { node, at: -body.centre, order });
        }
        let freedom = self.nodes[node].freedom;
        if freedom.is_some_and(Freedom::turns) {
            list.add("orientation", "", 4, Source::Orientation(node));
            if freedom.is_some_and(Freedom::is_planar) {
                list.add("angle", "rad", 1, Source::PlanarAngle(node));
            }
            for (order, name) in [(1, "angular_velocity"), (2, "angular_acceleration")] {
                let spin = |world| Source::Spin { node, world, order };
                list.add(name, ANGLES[order], 3, spin(false));
                list.add(&format!("{name}.world"), ANGLES[order], 3, spin(true));
            }
        }
        list.add("centre", "m", 3, Source::Point { node, at: Vector3::zeros(), order: 0 });
        for (point, at) in &body.points {
            for (order, suffix) in ["", ".velocity", ".acceleration"].into_iter().enumerate() {
                let source = Source::Point { node, at: at - body.centre, order };
                list.add(&format!("{point}{suffix}"), PLACES[order], 3, source);
            }
        }
    }

    fn joint_channels(&self, joint: usize, list: &mut Listing<'_>) {
        let data = &self.joints[joint];
        for (index, (name, gauge)) in data.coordinates.iter().enumerate() {
            let angle = gauge.measure.is_angle();
            let units = if angle { ANGLES } else { PLACES };
            for (order, suffix) in ["", ".rate", ".acceleration"].into_iter().enumerate() {
                let source = Source::Coordinate { joint, index, order };
                list.add(&format!("{name}{suffix}"), units[order], 1, source);
            }
        }
        let is_gear = self.held[data.held.clone()].iter().any(|held| held.partner.is_some());
        if is_gear {
            return list.add("force", "N or N·m", 1, Source::Mesh(joint));
        }
        for (moment, name, unit) in [(false, "force", "N"), (true, "moment", "N·m")] {
            let reaction = |local| Source::Reaction { joint, moment, local };
            list.add(&format!("reaction.{name}"), unit, 3, reaction(false));
            list.add(&format!("reaction.{name}.local"), unit, 3, reaction(true));
        }
    }

    fn force_channels(&self, i: usize, list: &mut Listing<'_>) {
        match self.forces[i].element {
            ForceElement::Spring(index) => {
                let spring = |what| Source::Spring { index, what };
                let (name, units, force) = match self.springs[index].gauge.measure {
                    Measure::Distance { .. } => ("length", PLACES, "N"),
                    Measure::Angle { .. } | Measure::PlanarAngle => ("angle", ANGLES, "N·m"),
                    _ => ("translation", PLACES, "N"),
                };
                list.add(name, units[0], 1, spring(SpringValue::Coordinate));
                list.add("rate", units[1], 1, spring(SpringValue::Rate));
                list.add("force", force, 1, spring(SpringValue::Force));
                list.add("energy", "J", 1, spring(SpringValue::Energy));
                list.add("power", "W", 1, spring(SpringValue::Power));
            }
            ForceElement::Bushing(index) => {
                let bushing = |what| Source::Bushing { index, what };
                list.add("deformation", "m, rad", 6, bushing(BushingValue::Deformation));
                list.add("rate", "m/s, rad/s", 6, bushing(BushingValue::Rate));
                list.add("load", "N, N·m", 6, bushing(BushingValue::Load));
                list.add("energy", "J", 1, bushing(BushingValue::Energy));
                list.add("dissipation", "W", 1, bushing(BushingValue::Dissipation));
            }
            ForceElement::Friction(index) => {
                let friction = |what| Source::Friction { index, what };
                list.add("normal", "N", 1, friction(FrictionValue::Normal));
                list.add("force", "N or N·m", 1, friction(FrictionValue::Force));
                list.add("dissipation", "W", 1, friction(FrictionValue::Dissipation));
            }
            ForceElement::Load(index) => {
                let unit = match self.loads[index].kind {
                    LoadKind::Force => "N",
                    LoadKind::Torque => "N·m",
                };
                list.add("force", unit, 3, Source::Load { index, power: false });
                list.add("power", "W", 1, Source::Load { index, power: true });
            }
        }
    }

    /// A channel by its name.
    pub fn channel(&self, name: &str) -> Result<Channel, ModelError> {
        let owner = name.split('.').next().unwrap_or_default();
        let channels = self.channels_of(owner);
        if let Some(channel) = channels.iter().find(|channel| channel.name == name) {
            return Ok(channel.clone());
        }
        if let Some((base, letter)) = name.rsplit_once('.') {
            if let Some(channel) = channels.iter().find(|channel| channel.name == base) {
                let letters = if channel.width == 4 { "wxyz" } else { "xyz" };
                let component =
                    letters.find(letter).filter(|&k| letter.len() == 1 && k < channel.width);
                if let (Some(component), true) = (component, channel.width > 1) {
                    let component = Some(component);
                    let name = name.to_string();
                    return Ok(Channel { name, width: 1, component, ..channel.clone() });
                }
            }
        }
        let nearest = match channels.is_empty() {
            true => names::nearest(owner, self.owners()),
            false => names::nearest(name, channels.iter().map(|channel| channel.name.as_str())),
        };
        Err(ModelError::Missing {
            wanted_by: "an output".into(),
            what: "channel",
            name: name.into(),
            nearest,
        })
    }

    /// The values of a channel by its name.
    pub fn read(&self, name: &str, at: &Instant) -> Result<Vec<f64>, ModelError> {
        let channel = self.channel(name)?;
        let mut out = vec![0.0; channel.width];
        self.evaluate(&channel, at, &mut out);
        Ok(out)
    }

    /// Writes the values of a channel. An instant of another model, or too short an `out`, gives
    /// values that are not numbers.
    pub fn evaluate(&self, channel: &Channel, at: &Instant, out: &mut [f64]) {
        let space = &self.space;
        let fits = at.q.len() == space.configurations()
            && at.v.len() == space.velocities()
            && at.a.len() == space.velocities()
            && at.multipliers.len() == self.rows.len();
        if !fits || out.len() < channel.width {
            return out.fill(f64::NAN);
        }
        let mut values = [0.0; 6];
        self.placed(&at.q, |place| self.value(channel.source, at, place, &mut values));
        match channel.component {
            Some(component) => out[0] = values[component],
            None => out[..channel.width].copy_from_slice(&values[..channel.width]),
        }
    }

    fn value(&self, source: Source, at: &Instant, place: Placed<'_>, values: &mut [f64; 6]) {
        let v = &at.v;
        let mut set = |vector: Vector3| values[..3].copy_from_slice(vector.as_slice());
        match source {
            Source::Point { node, at: point, order } => {
                set(self.point_motion(&self.nodes[node], node, &point, order, at, place));
            }
            Source::Orientation(node) => match self.nodes[node].freedom {
                Some(Freedom::Spatial) => {
                    let unit = self.nodes[node].rotation().of(&at.q);
                    values[..4].copy_from_slice(&unit.to_array());
                }
                _ => {
                    let half = 0.5 * at.q[self.nodes[node].q + 2];
                    (values[0], values[3]) = (half.cos(), half.sin());
                }
            },
            Source::PlanarAngle(node) => values[0] = at.q[self.nodes[node].q + 2],
            Source::Spin { node, world, order } => {
                let spin = self.nodes[node].velocity(1, if order == 1 { v } else { &at.a });
                set(if world { place.frames[node].rotation * spin } else { spin });
            }
            Source::Coordinate { joint, index, order } => {
                let (_, gauge) = &self.joints[joint].coordinates[index];
                values[0] = match order {
                    0 => gauge.value(place),
                    1 => gauge.rate(place, v),
                    _ => gauge.rate(place, &at.a) + gauge.acceleration(place, v),
                };
            }
            Source::Reaction { joint, moment, local } => {
                let (force, couple) = self.reaction(joint, at, place);
                let vector = if moment { couple } else { force };
                let data = &self.joints[joint];
                let axes = place.frames[data.sides[0]].rotation * data.axes;
                set(if local { axes.tr_mul(&vector) } else { vector });
            }
            Source::Mesh(joint) => {
                let row = self.held[self.joints[joint].held.start].row;
                values[0] = -row.map_or(0.0, |row| at.multipliers[row]);
            }
            Source::DriveForce(drive) => {
                let forces = self.drive_rows(drive).map(|(_, force)| force(at));
                values.iter_mut().zip(forces).for_each(|(out, force)| *out = force);
            }
            Source::DrivePower(drive) => {
                values[0] =
                    self.drive_rows(drive).map(|(speed, force)| speed(at.t) * force(at)).sum();
            }
            Source::Spring { index, what } => {
                let spring = &self.springs[index];
                values[0] = match what {
                    SpringValue::Coordinate => spring.gauge.value(place),
                    SpringValue::Rate => spring.gauge.rate(place, v),
                    SpringValue::Force => spring.tension(at.t, place, v),
                    SpringValue::Energy => spring.potential(place),
                    SpringValue::Power => {
                        -spring.tension(at.t, place, v) * spring.gauge.rate(place, v)
                    }
                };
            }
            Source::Bushing { index, what } => {
                let bushing = &self.bushings[index];
                let (deformation, rate) = bushing.deformation(place, v);
                match what {
                    BushingValue::Deformation => *values = deformation.into(),
                    BushingValue::Rate => *values = rate.into(),
                    BushingValue::Load => *values = bushing.load(place, v).into(),
                    BushingValue::Energy => values[0] = bushing.potential(place),
                    BushingValue::Dissipation => values[0] = bushing.dissipation(place, v),
                }
            }
            Source::Friction { index, what } => {
                let friction = &self.frictions[index];
                values[0] = match what {
                    FrictionValue::Normal => friction.normal(&at.multipliers),
                    FrictionValue::Force => friction.resistance(place, v, &at.multipliers).0,
                    FrictionValue::Dissipation => friction.dissipation(place, v, &at.multipliers),
                };
            }
            Source::Load { index, power } => {
                let load = &self.loads[index];
                match power {
                    true => values[0] = load.power(at.t, place, v),
                    false => set(load.in_world(at.t, place)),
                }
            }
            Source::Energy(which) => {
                let energy = self.energy(at);
                let total = energy.kinetic + energy.potential;
                values[0] = [energy.kinetic, energy.potential, total][which];
            }
            Source::Power(which) => {
                let power = self.power(at);
                values[0] = [power.drives, power.forces, power.dissipation][which];
            }
            Source::Momentum { angular } => {
                let momentum = self.momentum(at);
                set(if angular { momentum.angular } else { momentum.linear });
            }
        }
    }

    /// Position, velocity or acceleration of a point of a body, world axes.
    fn point_motion(
        &self,
        node: &Node,
        index: usize,
        point: &Vector3,
        order: usize,
        at: &Instant,
        place: Placed<'_>,
    ) -> Vector3 {
        let frame = &place.frames[index];
        let omega = node.velocity(1, &at.v);
        match order {
            0 => frame.point(point),
            1 => node.velocity(0, &at.v) + frame.rotation * omega.cross(point),
            _ => {
                let alpha = node.velocity(1, &at.a);
                let turning = alpha.cross(point) + omega.cross(&omega.cross(point));
                node.velocity(0, &at.a) + frame.rotation * turning
            }
        }
    }

    /// The load of a joint on body 2 at the joint's point: force and moment in world axes.
    fn reaction(&self, joint: usize, at: &Instant, place: Placed<'_>) -> (Vector3, Vector3) {
        let data = &self.joints[joint];
        let frame = &place.frames[data.sides[1]];
        let (mut force, mut moment) = (Vector3::zeros(), Vector3::zeros());
        if let Some(i) = data.coincidence {
            force -= self.coincidences[i].multipliers(&at.multipliers);
        }
        if let Some(i) = data.alignment {
            for (row, [_, about]) in self.alignments[i].gradients(place) {
                moment -= at.multipliers[row] * (frame.rotation * about);
            }
        }
        let held = self.held[data.held.clone()].iter().map(|x| (&x.gauge, x.row));
        let rates = self.rates[data.rates.clone()].iter().map(|x| (&x.gauge, x.row));
        for (gauge, row) in held.chain(rates) {
            let Some(row) = row else { continue };
            let [_, _, along, about] = gauge.gradient(place);
            let pull = -at.multipliers[row] * along;
            let couple = -at.multipliers[row] * (frame.rotation * about);
            force += pull;
            // from the centre of mass to the joint's point
            moment += couple - (frame.rotation * data.points[1]).cross(&pull);
        }
        (force, moment)
    }

    /// For each row of a drive: its prescribed speed, and the force it takes.
    #[allow(clippy::type_complexity)]
    fn drive_rows(
        &self,
        drive: usize,
    ) -> impl Iterator<Item = (impl Fn(f64) -> f64 + '_, impl Fn(&Instant) -> f64)> + '_ {
        let data = &self.drives[drive];
        let held = self.held[data.held.clone()].iter().map(|x| (&x.target, x.row, 1));
        let rates = self.rates[data.rates.clone()].iter().map(|x| (&x.target, x.row, 0));
        held.chain(rates).map(|(target, row, order)| {
            let speed = move |t: f64| target.at(t)[order];
            let force = move |at: &Instant| -row.map_or(0.0, |row| at.multipliers[row]);
            (speed, force)
        })
    }
}
