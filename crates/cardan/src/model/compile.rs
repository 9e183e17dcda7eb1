//! From the user's words to a model: names resolved, values checked, joints composed of measures.

use std::collections::{BTreeSet, HashMap};

use super::compiled::{BodyData, DriveData, JointData, Model, RowInfo};
use super::elements::{Alignment, Coincidence, Held, Rate};
use super::gauge::Gauge;
use super::joint::Axis;
use super::node::{GROUND, Node};
use super::{
    Anchor, Body, Disc, Frame, Freedom, Function, Gear, Joint, JointKind, Measure, Mechanism,
    ModelError, Rolling, Skate,
};
use crate::math::{Matrix3, Quaternion, Vector3};
use crate::names;
use crate::system::Space;

/// A model, and the configuration its description puts it in.
pub(super) struct Compiled {
    pub model: Model,
    pub q: Vec<f64>,
}

/// A place on a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub node: usize,
    /// From the centre of mass, body axes; `None` if only the body was named.
    pub point: Option<Vector3>,
}

/// What is known while a model is being built.
pub(super) struct Compiler<'m> {
    pub mechanism: &'m Mechanism,
    pub model: Model,
    pub frames: Vec<Frame<f64>>,
    pub q: Vec<f64>,
    /// Node numbers by the names of bodies.
    nodes: HashMap<&'m str, usize>,
    /// Joints by name.
    joints: HashMap<String, usize>,
    /// Rows to leave out, by their number in the full model.
    dropped: &'m BTreeSet<usize>,
    /// How many rows the full model has so far.
    numbered: usize,
}

/// Builds a model; rows in `dropped`, by their number in the model with all rows, are left out.
pub(super) fn compile(
    mechanism: &Mechanism,
    dropped: &BTreeSet<usize>,
) -> Result<Compiled, ModelError> {
    let mut compiler = Compiler {
        mechanism,
        model: Model::empty(),
        frames: vec![Frame::ground()],
        q: Vec::new(),
        nodes: HashMap::from([("ground", GROUND)]),
        joints: HashMap::new(),
        dropped,
        numbered: 0,
    };
    compiler.names()?;
    compiler.bodies()?;
    compiler.holonomic()?;
    compiler.nonholonomic()?;
    compiler.forces()?;
    let Compiler { mut model, mut q, .. } = compiler;
    model.space = std::mem::take(&mut model.space).then(Space::carried(model.sheets.len()));
    for gauge in &model.sheets {
        let [one, two] = gauge.sides.map(|side| model.nodes[side].frame(&q));
        q.push(gauge.sign * gauge.measure.value(&one, &two) + gauge.zero);
    }
    Ok(Compiled { model, q })
}

impl<'m> Compiler<'m> {
    /// Every name once, and usable in a channel.
    fn names(&self) -> Result<(), ModelError> {
        let Mechanism { bodies, joints, gears, drives, rollings, skates, forces, .. } =
            self.mechanism;
        let names = (bodies.iter().map(|x| &x.name))
            .chain(joints.iter().map(|x| &x.name))
            .chain(gears.iter().map(|x| &x.name))
            .chain(drives.iter().map(|x| &x.name))
            .chain(rollings.iter().map(|x| &x.name))
            .chain(skates.iter().map(|x| &x.name))
            .chain(forces.iter().map(|x| &x.name));
        let mut seen = BTreeSet::from(["ground", "energy", "power", "momentum"]);
        for name in names {
            let fail = |reason| Err(ModelError::Name { name: name.clone(), reason });
            if name.is_empty() || name.contains(['.', '`']) || name.chars().any(char::is_control) {
                return fail("it is empty, or has a point, a backtick or a control character");
            }
            if matches!(name.as_str(), "ground" | "energy" | "power" | "momentum") {
                return fail("the word is reserved");
            }
            if !seen.insert(name) {
                return fail("it is used twice");
            }
        }
        Ok(())
    }

    fn bodies(&mut self) -> Result<(), ModelError> {
        let bodies = &self.mechanism.bodies;
        let Some(first) = bodies.first() else { return Err(ModelError::Empty) };
        if let Some(other) =
            bodies.iter().find(|b| b.freedom.is_planar() != first.freedom.is_planar())
        {
            let (planar, spatial) =
                if first.freedom.is_planar() { (first, other) } else { (other, first) };
            let [planar, spatial] = [planar, spatial].map(|body| body.name.clone());
            return Err(ModelError::Mixed { planar, spatial });
        }
        let mut q = Vec::new();
        let (mut space, mut v) = (Space::default(), 0);
        for (i, body) in bodies.iter().enumerate() {
            let data = checked(body)?;
            let node = Node { freedom: Some(body.freedom), q: q.len(), v };
            let orientation = match body.freedom {
                Freedom::Spatial => body.orientation.normalized(),
                _ => Some(Quaternion::IDENTITY),
            };
            let owner = || format!("body `{}`", body.name);
            let Some(orientation) = orientation else {
                return fail(owner(), "its orientation is not a rotation");
            };
            let rotation = match body.freedom {
                Freedom::Planar => {
                    Quaternion::new((0.5 * body.angle).cos(), 0.0, 0.0, (0.5 * body.angle).sin())
                }
                _ => orientation,
            };
            let position = body.position + rotation.rotate(&data.centre);
            let known = [&body.velocity, &body.angular_velocity];
            let finite = position.iter().all(|x| x.is_finite())
                && body.angle.is_finite()
                && known.into_iter().flatten().all(|x| x.iter().all(|x| x.is_finite()));
            if !finite {
                return fail(owner(), "its position or velocity is not finite");
            }
            if body.freedom.is_planar() && (position.z != 0.0 || data.centre.z != 0.0) {
                return fail(owner(), "a planar body lies in the plane z = 0");
            }
            match body.freedom {
                Freedom::Spatial => {
                    q.extend(position.iter());
                    q.extend(orientation.to_array());
                }
                Freedom::Planar => q.extend([position.x, position.y, body.angle]),
                Freedom::SpatialPoint => q.extend(position.iter()),
                Freedom::PlanarPoint => q.extend([position.x, position.y]),
            }
            let part = match body.freedom {
                Freedom::Spatial => Space::body(),
                Freedom::Planar | Freedom::SpatialPoint => Space::vector(3),
                Freedom::PlanarPoint => Space::vector(2),
            };
            v += part.velocities();
            space = space.then(part);
            self.nodes.insert(&body.name, i + 1);
            self.model.nodes.push(node);
            self.model.bodies.push(data);
        }
        self.frames = self.model.nodes.iter().map(|node| node.frame(&q)).collect();
        self.q = q;
        self.model.space = space;
        self.model.gravity = self.mechanism.gravity.0.clone();
        if !self.mechanism.gravity.0.iter().all(|g| g.value(self.mechanism.start).is_finite()) {
            return fail("gravity".into(), "it is not finite");
        }
        Ok(())
    }

    /// Joints, gears, driven coordinates, discs on their planes.
    fn holonomic(&mut self) -> Result<(), ModelError> {
        let mechanism = self.mechanism;
        for joint in &mechanism.joints {
            self.joint(joint)?;
        }
        for gear in &mechanism.gears {
            self.gear(gear)?;
        }
        for drive in &mechanism.drives {
            self.driven_coordinates(drive)?;
        }
        for rolling in &mechanism.rollings {
            self.rolling(rolling, true)?;
        }
        self.model.holonomic = self.model.rows.len();
        Ok(())
    }

    /// Driven rates, rolling, blades.
    fn nonholonomic(&mut self) -> Result<(), ModelError> {
        let mechanism = self.mechanism;
        for drive in &mechanism.drives {
            self.driven_rates(drive)?;
        }
        for rolling in &mechanism.rollings {
            self.rolling(rolling, false)?;
        }
        for skate in &mechanism.skates {
            self.skate(skate)?;
        }
        Ok(())
    }

    /// The node of a body.
    pub fn node(&self, wanted_by: &str, name: &str) -> Result<usize, ModelError> {
        self.nodes.get(name).copied().ok_or_else(|| ModelError::Missing {
            wanted_by: wanted_by.into(),
            what: "body",
            name: name.into(),
            nearest: names::nearest(name, self.nodes.keys().copied()),
        })
    }

    /// A named joint of the model.
    pub fn joint_named(&self, wanted_by: &str, name: &str) -> Result<&JointData, ModelError> {
        let found = self.joints.get(name).map(|&i| &self.model.joints[i]);
        found.ok_or_else(|| ModelError::Missing {
            wanted_by: wanted_by.into(),
            what: "joint",
            name: name.into(),
            nearest: names::nearest(name, self.joints.keys().map(String::as_str)),
        })
    }

    /// The place an anchor names.
    pub fn spot(&self, wanted_by: &str, anchor: &Anchor) -> Result<Spot, ModelError> {
        let node = self.node(wanted_by, &anchor.body)?;
        let (points, centre) = match node {
            GROUND => (&self.mechanism.ground, Vector3::zeros()),
            _ => {
                let body = &self.model.bodies[node - 1];
                (&body.points, body.centre)
            }
        };
        let turns = self.model.nodes[node].freedom.is_none_or(Freedom::turns);
        let point = match &anchor.point {
            // a point mass is its own only point
            None => (!turns).then(Vector3::zeros),
            Some(name) => {
                let found = points.iter().find(|(known, _)| known == name);
                let (_, at) = found.ok_or_else(|| ModelError::Missing {
                    wanted_by: wanted_by.into(),
                    what: "point",
                    name: anchor.to_string(),
                    nearest: names::nearest(name, points.iter().map(|(known, _)| known.as_str())),
                })?;
                Some(at - centre)
            }
        };
        Ok(Spot { node, point })
    }

    /// Both ends of a joint or bushing as points on their nodes.
    pub fn ends(
        &self,
        owner: &str,
        anchors: &[Anchor; 2],
        at: Option<Vector3>,
    ) -> Result<([usize; 2], [Vector3; 2]), ModelError> {
        let spots = [self.spot(owner, &anchors[0])?, self.spot(owner, &anchors[1])?];
        let sides = spots.map(|spot| spot.node);
        if sides[0] == sides[1] {
            return fail(owner.into(), &format!("both ends are on `{}`", anchors[0].body));
        }
        let world = |spot: Spot| spot.point.map(|point| self.frames[spot.node].point(&point));
        let fallback = at.or(world(spots[0])).or(world(spots[1]));
        let mut points = [Vector3::zeros(); 2];
        for (point, spot) in points.iter_mut().zip(spots) {
            *point = match (spot.point, fallback) {
                (Some(point), _) => point,
                (None, Some(place)) => {
                    let frame = &self.frames[spot.node];
                    frame.rotation.tr_mul(&(place - frame.position))
                }
                (None, None) => {
                    return fail(owner.into(), "its place is missing: name a point, or give `at`");
                }
            };
        }
        if !points.iter().flat_map(|p| p.iter()).all(|x| x.is_finite()) {
            return fail(owner.into(), "its place is not finite");
        }
        if self.is_planar() {
            points.iter_mut().for_each(|point| point.z = 0.0);
        }
        Ok((sides, points))
    }

    pub fn is_planar(&self) -> bool {
        self.mechanism.bodies.first().is_some_and(|body| body.freedom.is_planar())
    }

    /// Numbers the next row of the full model; `None` if it is left out.
    fn row(&mut self, info: RowInfo) -> Option<usize> {
        let number = self.numbered;
        self.numbered += 1;
        if self.dropped.contains(&number) {
            return None;
        }
        self.model.rows.push(info);
        Some(self.model.rows.len() - 1)
    }

    /// Joint axes on body 1 and body 2 that coincide where the description puts the bodies.
    fn axes(
        &self,
        owner: &str,
        joint: &Joint,
        sides: [usize; 2],
    ) -> Result<[Matrix3; 2], ModelError> {
        let [one, two] = sides.map(|side| self.frames[side].rotation);
        let planar = self.is_planar();
        let unit = |axis: &Vector3| unit(owner, "axis", axis);
        let both = |world: Matrix3| [one.tr_mul(&world), two.tr_mul(&world)];
        let takes_pins = joint.kind == JointKind::Universal;
        let in_plane = matches!(joint.kind, JointKind::Prismatic | JointKind::PointOnLine);
        let complete = |axis: Vector3| match planar && in_plane {
            // e₁ across the axis in the plane, e₂ out of it
            true => Matrix3::from_columns(&[Vector3::z().cross(&axis), -Vector3::z(), axis]),
            false => completed(axis),
        };
        let flat = |axis: &Vector3| match planar && in_plane && axis.z != 0.0 {
            true => fail(owner.into(), "its axis must lie in the plane z = 0"),
            false => Ok(()),
        };
        match joint.axis {
            Axis::Absent if joint.kind.info().axis.is_none() || (planar && !in_plane) => {
                Ok(both(Matrix3::identity()))
            }
            Axis::Absent => {
                let meaning = joint.kind.info().axis.unwrap_or_default();
                fail(owner.into(), &format!("its axis is missing: {meaning}"))
            }
            Axis::World(_) if takes_pins => {
                fail(owner.into(), "a universal joint takes two pins: `pins`")
            }
            Axis::World(axis) => {
                let axis = unit(&axis)?;
                flat(&axis)?;
                let turns_in_plane = planar && !in_plane;
                if turns_in_plane && axis.xy().norm() > 0.0 {
                    return fail(owner.into(), "planar bodies turn about z only");
                }
                Ok(both(complete(axis)))
            }
            Axis::Pins(..) if !takes_pins => {
                fail(owner.into(), "only a universal joint takes pins")
            }
            Axis::Pins(first, second) => {
                let (first, second) = (one.tr_mul(&unit(&first)?), two.tr_mul(&unit(&second)?));
                Ok(universal(first, second, &(one.tr_mul(&two))))
            }
            Axis::Bodies(first, second) => {
                let (first, second) = (unit(&first)?, unit(&second)?);
                if takes_pins {
                    return Ok(universal(first, second, &(one.tr_mul(&two))));
                }
                flat(&first)?;
                flat(&second)?;
                let axes = complete(first);
                // the other axes of body 2 as near to those of body 1 as its own axis allows
                let near = two.tr_mul(&(one * axes.column(0)));
                let across = near - second * second.dot(&near);
                let across =
                    across.try_normalize(1e-6).unwrap_or(completed(second).column(0).into());
                let third = second.cross(&across);
                Ok([axes, Matrix3::from_columns(&[across, third, second])])
            }
        }
    }

    fn joint(&mut self, joint: &Joint) -> Result<(), ModelError> {
        let owner = format!("joint `{}`", joint.name);
        let (kind, planar) = (joint.kind, self.is_planar());
        if let (true, Err(instead)) = (planar, kind.info().planar_rows) {
            let name = kind.info().name;
            return fail(owner, &format!("no {name} joint between planar bodies: {instead}"));
        }
        if joint.length.is_some() && kind != JointKind::Distance {
            return fail(owner, "only a distance joint has a length");
        }
        let known = [Some(joint.offset), joint.rate].into_iter().flatten().all(f64::is_finite);
        if !known {
            return fail(owner, "its offset or rate is not finite");
        }
        let (sides, points) = self.ends(&owner, &joint.ends, joint.at)?;
        self.need_orientation(&owner, joint, sides)?;
        let [e, b] = self.axes(&owner, joint, sides)?;
        let axis = |m: &Matrix3, k: usize| -> Vector3 { m.column(k).into() };
        let gauge = |measure| Gauge::new(measure, sides);
        let world = |k: usize| direction(&(self.frames[sides[0]].rotation * e.column(k)));
        // what each row prevents; a Dot of axes i and j prevents turning about the third one
        let project = |k: usize| {
            let row = Measure::Project { a: axis(&e, k), points };
            (row, format!("moving along {}", world(k)))
        };
        let dot = |i: usize, j: usize| {
            let about = if planar { "z".into() } else { world(3 - i - j) };
            (Measure::Dot { a: axis(&e, i), b: axis(&b, j) }, format!("turning about {about}"))
        };
        // points together, rows across, axes parallel, rows besides
        let (coincide, rows, parallel, more) = match (kind, planar) {
            (JointKind::Revolute | JointKind::Spherical, true) => (true, vec![], false, None),
            (JointKind::Fixed, true) => (true, vec![], false, Some(dot(0, 1))),
            (JointKind::Prismatic, true) => (false, vec![project(0)], false, Some(dot(0, 2))),
            (JointKind::PointOnLine, true) => (false, vec![project(0)], false, None),
            (JointKind::Spherical, _) => (true, vec![], false, None),
            (JointKind::Revolute, _) => (true, vec![], true, None),
            (JointKind::Universal, _) => {
                let row = Measure::Dot { a: axis(&e, 2), b: axis(&b, 2) };
                (true, vec![], false, Some((row, "turning about the normal of its pins".into())))
            }
            (JointKind::Fixed, _) => (true, vec![], true, Some(dot(0, 1))),
            (JointKind::Cylindrical, _) => (false, vec![project(0), project(1)], true, None),
            (JointKind::Prismatic, _) => {
                (false, vec![project(0), project(1)], true, Some(dot(0, 1)))
            }
            (JointKind::Planar, _) => (false, vec![project(2)], true, None),
            (JointKind::PointOnLine, _) => (false, vec![project(0), project(1)], false, None),
            (JointKind::PointInPlane, _) => (false, vec![project(2)], false, None),
            (JointKind::Distance, _) => {
                let row = (Measure::Distance { points }, "changing the distance".into());
                (false, vec![row], false, None)
            }
        };
        let tilts = [1, 0].map(|k| format!("turning about {}", world(k)));
        let coincidence = coincide.then(|| self.coincide(&owner, sides, points));
        let alignment = parallel.then(|| {
            let rows = tilts.map(|prevents| {
                self.row(RowInfo { owner: owner.clone(), prevents, drives: false })
            });
            let across = [axis(&e, 0), axis(&e, 1)];
            self.model.alignments.push(Alignment { sides, across, axis: axis(&b, 2), rows });
            self.model.alignments.len() - 1
        });
        let rows = rows.into_iter().chain(more);
        let first = self.model.held.len();
        for (measure, prevents) in rows {
            let drives = joint.length.as_ref().is_some_and(|length| !length.is_constant());
            let row = self.row(RowInfo { owner: owner.clone(), prevents, drives });
            self.model.held.push(Held::new(gauge(measure), row));
        }
        if kind == JointKind::Distance {
            let target = self.length(&owner, joint, sides, points)?;
            self.model.held[first].target = target;
        }
        let aligned = match kind {
            JointKind::Revolute | JointKind::Cylindrical | JointKind::Planar if !planar => vec![2],
            JointKind::Prismatic if planar => vec![2],
            JointKind::Fixed if planar => vec![0],
            JointKind::Fixed | JointKind::Prismatic => vec![2, 1],
            _ => vec![],
        };
        let coordinates = self.coordinates(joint, sides, points, &e, &b);
        let data = JointData {
            name: joint.name.clone(),
            kind: Some(kind),
            sides,
            points,
            axes: e,
            coincidence,
            alignment,
            held: first..self.model.held.len(),
            rates: 0..0,
            coordinates,
            aligned: aligned.into_iter().map(|k| [axis(&e, k), axis(&b, k)]).collect(),
        };
        self.joints.insert(joint.name.clone(), self.model.joints.len());
        self.model.joints.push(data);
        Ok(())
    }

    /// The two or three rows of two points together.
    fn coincide(&mut self, owner: &str, sides: [usize; 2], points: [Vector3; 2]) -> usize {
        let mut rows = [None; 3];
        let axes = if self.is_planar() { 2 } else { 3 };
        for (k, row) in rows.iter_mut().enumerate().take(axes) {
            let prevents = format!("moving along {}", ["x", "y", "z"][k]);
            *row = self.row(RowInfo { owner: owner.into(), prevents, drives: false });
        }
        self.model.coincidences.push(Coincidence { sides, points, rows });
        self.model.coincidences.len() - 1
    }

    /// The length of a distance joint.
    fn length(
        &self,
        owner: &str,
        joint: &Joint,
        sides: [usize; 2],
        points: [Vector3; 2],
    ) -> Result<Function, ModelError> {
        let [one, two] = sides.map(|side| &self.frames[side]);
        let now = Measure::Distance { points }.value(one, two);
        let length = joint.length.clone().unwrap_or(Function::Constant(now));
        let value = length.value(self.mechanism.start);
        match value > 0.0 && value.is_finite() && now > 0.0 {
            true => Ok(length),
            false => {
                fail(owner.into(), "its length must be positive; use a spherical joint for zero")
            }
        }
    }

    /// Refuses joints that need an orientation a point mass does not have.
    fn need_orientation(
        &self,
        owner: &str,
        joint: &Joint,
        sides: [usize; 2],
    ) -> Result<(), ModelError> {
        let needed = match joint.kind {
            JointKind::Spherical | JointKind::Distance => [false, false],
            JointKind::Revolute if self.is_planar() => [false, false],
            JointKind::PointOnLine | JointKind::PointInPlane => [true, false],
            _ => [true, true],
        };
        for (k, side) in sides.into_iter().enumerate() {
            let turns = self.model.nodes[side].freedom.is_none_or(Freedom::turns);
            if needed[k] && !turns {
                let (name, kind) = (&joint.ends[k].body, joint.kind.info().name);
                let reason =
                    format!("`{name}` is a point mass: a {kind} joint needs its orientation");
                return fail(owner.into(), &reason);
            }
        }
        Ok(())
    }

    /// The coordinates a joint reports; each angle has a number in q that counts its turns.
    fn coordinates(
        &mut self,
        joint: &Joint,
        sides: [usize; 2],
        points: [Vector3; 2],
        e: &Matrix3,
        b: &Matrix3,
    ) -> Vec<(&'static str, Gauge)> {
        let axis = |m: &Matrix3, k: usize| -> Vector3 { m.column(k).into() };
        let turns =
            sides.iter().all(|&side| self.model.nodes[side].freedom.is_none_or(Freedom::turns));
        let along = |k: usize| Gauge::new(Measure::Project { a: axis(e, k), points }, sides);
        let angle = match self.is_planar() {
            true => {
                // it counts from where the description puts the bodies
                let gauge = Gauge::new(Measure::PlanarAngle, sides);
                let [one, two] = sides.map(|side| &self.frames[side]);
                Gauge { zero: -gauge.measure.value(one, two), ..gauge }
            }
            false => {
                let axes = [axis(e, 0), axis(e, 1)];
                Gauge::new(Measure::Angle { axes, b: axis(b, 0) }, sides)
            }
        };
        let gauges = match joint.kind {
            JointKind::Revolute if turns => vec![angle],
            JointKind::Cylindrical => vec![along(2), angle],
            JointKind::Prismatic | JointKind::PointOnLine => vec![along(2)],
            JointKind::Planar => vec![along(0), along(1), angle],
            JointKind::PointInPlane => vec![along(0), along(1)],
            JointKind::Universal => {
                // e₃ is the pin on body 1, b₃ the pin on body 2; each is watched from the other body
                let first = Measure::Angle { axes: [axis(e, 0), axis(e, 1)], b: axis(b, 2) };
                let second = Measure::Angle { axes: [axis(b, 0), axis(b, 1)], b: axis(e, 2) };
                let back = Gauge { sign: -1.0, ..Gauge::new(second, [sides[1], sides[0]]) };
                vec![Gauge::new(first, sides), back]
            }
            _ => vec![],
        };
        let names = joint.kind.info().coordinates.iter().map(|(name, _)| *name);
        let first_sheet = self.q.len();
        let mut coordinates: Vec<_> = names.zip(gauges).collect();
        for (i, (_, gauge)) in coordinates.iter_mut().enumerate() {
            if i == 0 {
                gauge.zero += joint.offset;
            }
            if gauge.measure.is_angle() {
                gauge.sheet = Some(first_sheet + self.model.sheets.len());
                self.model.sheets.push(*gauge);
            }
        }
        coordinates
    }

    fn gear(&mut self, gear: &Gear) -> Result<(), ModelError> {
        let owner = format!("gear `{}`", gear.name);
        if !(gear.ratio.is_finite() && gear.ratio != 0.0) {
            return fail(owner, "its ratio must be finite and not zero");
        }
        if gear.joints[0] == gear.joints[1] {
            return fail(owner, "it joins a joint with itself");
        }
        let mut gauges = Vec::new();
        for name in &gear.joints {
            let joint = self.joint_named(&owner, name)?;
            match joint.coordinates.first() {
                Some((_, gauge)) => gauges.push(*gauge),
                None => return fail(owner, &format!("joint `{name}` has no coordinate")),
            }
        }
        let now = |gauge: &Gauge| {
            let [one, two] = gauge.sides.map(|side| &self.frames[side]);
            gauge.sign * gauge.measure.value(one, two) + gauge.zero
        };
        let target = Function::Constant(now(&gauges[1]) - gear.ratio * now(&gauges[0]));
        let prevents = "turning out of mesh".into();
        let row = self.row(RowInfo { owner, prevents, drives: false });
        let held = self.model.held.len();
        let partner = Some((-gear.ratio, gauges[0]));
        self.model.held.push(Held { gauge: gauges[1], partner, target, row });
        self.model.joints.push(JointData {
            name: gear.name.clone(),
            kind: None,
            sides: gauges[1].sides,
            points: [Vector3::zeros(); 2],
            axes: Matrix3::identity(),
            coincidence: None,
            alignment: None,
            held: held..held + 1,
            rates: 0..0,
            coordinates: Vec::new(),
            aligned: Vec::new(),
        });
        Ok(())
    }

    /// A row that prescribes something.
    pub fn drive_row(
        &mut self,
        name: &str,
        gauge: Gauge,
        prevents: String,
        target: Function,
    ) -> Result<(), ModelError> {
        let owner = format!("drive `{name}`");
        self.finite_motion(&owner, &target)?;
        let row = self.row(RowInfo { owner, prevents, drives: true });
        let held = self.model.held.len();
        self.model.held.push(Held { gauge, partner: None, target, row });
        match self.model.drives.last_mut().filter(|drive| drive.name == name) {
            Some(drive) => drive.held.end = held + 1,
            None => self.model.drives.push(DriveData {
                name: name.into(),
                held: held..held + 1,
                rates: 0..0,
            }),
        }
        Ok(())
    }

    /// A row that prescribes a rate.
    pub fn rate_row(
        &mut self,
        name: &str,
        gauge: Gauge,
        target: Function,
    ) -> Result<(), ModelError> {
        let owner = format!("drive `{name}`");
        self.finite_motion(&owner, &target)?;
        let row = self.row(RowInfo { owner, prevents: "another speed".into(), drives: true });
        let rate = self.model.rates.len();
        self.model.rates.push(Rate { gauge, target, row });
        let rates = rate..rate + 1;
        self.model.drives.push(DriveData { name: name.into(), held: 0..0, rates });
        Ok(())
    }

    fn finite_motion(&self, owner: &str, motion: &Function) -> Result<(), ModelError> {
        match motion.at(self.mechanism.start).iter().all(|x| x.is_finite()) {
            true => Ok(()),
            false => fail(owner.into(), "its motion or a derivative is not finite at the start"),
        }
    }

    /// The height of a rolling disc, then its two slips.
    fn rolling(&mut self, rolling: &Rolling, height: bool) -> Result<(), ModelError> {
        let owner = format!("rolling `{}`", rolling.name);
        let spot = self.spot(&owner, &rolling.centre)?;
        let (frame, planar) = (self.frames[spot.node], self.is_planar());
        let default = if planar { Vector3::y() } else { Vector3::z() };
        let [place, normal] = rolling.plane;
        let normal =
            if normal == Vector3::zeros() { default } else { unit(&owner, "normal", &normal)? };
        let axis = if planar { Vector3::z() } else { unit(&owner, "axis", &rolling.axis)? };
        if spot.node == GROUND || !self.model.nodes[spot.node].freedom.is_some_and(Freedom::turns) {
            return fail(owner, "its body must be able to turn");
        }
        if !(rolling.radius.is_finite() && rolling.radius > 0.0) {
            return fail(owner, "its radius must be positive");
        }
        if axis.cross(&normal).norm() < 1e-6 {
            return fail(owner, "its disc lies flat on the plane");
        }
        if planar && (normal.z != 0.0 || place.z != 0.0) {
            return fail(owner, "a planar disc rolls on a line in the plane z = 0");
        }
        // the body's origin unless a point is named
        let centre = spot.point.unwrap_or(-self.model.bodies[spot.node - 1].centre);
        let disc = Disc { centre, axis: frame.rotation.tr_mul(&axis), radius: rolling.radius };
        let sides = [GROUND, spot.node];
        let gauge = |direction| Gauge::new(Measure::Contact { disc, normal, direction }, sides);
        if height {
            let row = self.row(RowInfo {
                owner,
                prevents: format!("moving along {}", direction(&normal)),
                drives: false,
            });
            let held = self.model.held.len();
            let target = Function::Constant(normal.dot(&place));
            self.model.held.push(Held { target, ..Held::new(gauge(normal), row) });
            self.model.joints.push(JointData {
                name: rolling.name.clone(),
                kind: None,
                sides,
                points: [frame.point(&centre), centre],
                axes: Matrix3::identity(),
                coincidence: None,
                alignment: None,
                held: held..held + 1,
                rates: 0..0,
                coordinates: Vec::new(),
                aligned: Vec::new(),
            });
            return Ok(());
        }
        let along = match planar {
            true => vec![Vector3::z().cross(&normal)],
            false => {
                let axes = completed(normal);
                vec![axes.column(0).into(), axes.column(1).into()]
            }
        };
        let first = self.model.rates.len();
        for tangent in along {
            let prevents = format!("slipping along {}", direction(&tangent));
            let row = self.row(RowInfo { owner: owner.clone(), prevents, drives: false });
            let target = Function::Constant(0.0);
            self.model.rates.push(Rate { gauge: gauge(tangent), target, row });
        }
        let end = self.model.rates.len();
        if let Some(data) = self.model.joints.iter_mut().find(|data| data.name == rolling.name) {
            data.rates = first..end;
        }
        Ok(())
    }

    fn skate(&mut self, skate: &Skate) -> Result<(), ModelError> {
        let owner = format!("skate `{}`", skate.name);
        let spot = self.spot(&owner, &skate.point)?;
        if spot.node == GROUND || !self.model.nodes[spot.node].freedom.is_some_and(Freedom::turns) {
            return fail(owner, "its body must be able to turn");
        }
        let frame = self.frames[spot.node];
        let across = unit(&owner, "direction", &skate.across)?;
        let point = spot.point.unwrap_or(-self.model.bodies[spot.node - 1].centre);
        let measure = Measure::Skate { across: frame.rotation.tr_mul(&across), point };
        let prevents = "moving sideways".into();
        let row = self.row(RowInfo { owner, prevents, drives: false });
        let rate = self.model.rates.len();
        let sides = [GROUND, spot.node];
        let target = Function::Constant(0.0);
        self.model.rates.push(Rate { gauge: Gauge::new(measure, sides), target, row });
        self.model.joints.push(JointData {
            name: skate.name.clone(),
            kind: None,
            sides,
            points: [frame.point(&point), point],
            axes: Matrix3::identity(),
            coincidence: None,
            alignment: None,
            held: 0..0,
            rates: rate..rate + 1,
            coordinates: Vec::new(),
            aligned: Vec::new(),
        });
        Ok(())
    }
}

/// A body's data, checked.
fn checked(body: &Body) -> Result<BodyData, ModelError> {
    let fault = |cause| ModelError::Inertia { body: body.name.clone(), cause };
    let mut inertia = body.inertia.clone().map_err(fault)?;
    match body.freedom {
        Freedom::Planar | Freedom::PlanarPoint => inertia.check_planar(),
        _ => inertia.check(),
    }
    .map_err(fault)?;
    let owner = || format!("body `{}`", body.name);
    if !body.freedom.turns() {
        let zero = |x: &Vector3| *x == Vector3::zeros();
        if inertia.tensor != Matrix3::zeros()
            || !zero(&inertia.centre)
            || !body.points.iter().all(|(_, at)| zero(at))
            || body.angular_velocity.is_some()
        {
            return fail(owner(), "a point mass has no inertia, no points but itself and no spin");
        }
    }
    if body.freedom.is_planar() {
        inertia.tensor = Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, inertia.tensor[(2, 2)]));
    }
    if !(body.weight.is_finite() && body.weight > 0.0) {
        return fail(owner(), "its weight must be positive");
    }
    if !body.points.iter().all(|(_, at)| at.iter().all(|x| x.is_finite())) {
        return fail(owner(), "a point on it is not finite");
    }
    Ok(BodyData {
        name: body.name.clone(),
        mass: inertia.mass,
        tensor: 0.5 * (inertia.tensor + inertia.tensor.transpose()),
        centre: inertia.centre,
        points: body.points.clone(),
        weight: body.weight,
    })
}

pub(super) fn fail<T>(owner: String, reason: &str) -> Result<T, ModelError> {
    Err(ModelError::Value { owner, reason: reason.into() })
}

/// A direction of length one.
fn unit(owner: &str, what: &str, axis: &Vector3) -> Result<Vector3, ModelError> {
    match axis.norm() {
        length if length.is_finite() && length > 0.0 => Ok(axis / length),
        _ => {
            fail(owner.into(), &format!("its {what} must be a direction, not {}", direction(axis)))
        }
    }
}

/// Right-handed axes whose third one is given: the first lies across the coordinate axis that is
/// least aligned with it.
fn completed(axis: Vector3) -> Matrix3 {
    let least = axis.abs().imin();
    let second = axis.cross(&Vector3::ith(least, 1.0)).normalize();
    Matrix3::from_columns(&[second.cross(&axis), second, axis])
}

/// Axes of a universal joint: the third is the pin; the first of body 1 points along the other pin,
/// and the first of body 2 along the first pin, as nearly as they can.
fn universal(first: Vector3, second: Vector3, relative: &Matrix3) -> [Matrix3; 2] {
    let frame = |axis: Vector3, toward: Vector3| {
        let across = toward - axis * axis.dot(&toward);
        match across.try_normalize(1e-6) {
            Some(across) => Matrix3::from_columns(&[across, axis.cross(&across), axis]),
            None => completed(axis),
        }
    };
    [frame(first, relative * second), frame(second, relative.tr_mul(&first))]
}

/// A direction in words: an axis if it is one.
pub(super) fn direction(axis: &Vector3) -> String {
    let k = axis.iamax();
    let rest = (axis - Vector3::ith(k, axis[k])).norm();
    match rest <= 1e-6 * axis[k].abs() && axis[k] != 0.0 {
        true => ["x", "y", "z"][k].into(),
        false => format!("({:.3}, {:.3}, {:.3})", axis.x, axis.y, axis.z),
    }
}
