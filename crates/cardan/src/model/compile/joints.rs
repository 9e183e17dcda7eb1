//! Compiles joints and gears into coincident points, parallel axes, and constrained measures.

use std::sync::Arc;

use super::composition::{Geometry, Row};
use super::{Compiler, NewRow, completed, unit};
use crate::model::checks::{fail, fail_at};
use crate::model::compiled::JointData;
use crate::model::describe::JointAxis;
use crate::model::elements::{Alignment, Coincidence, HolonomicRow};
use crate::model::node_measure::NodeMeasure;
use crate::model::values::Dimension;
use crate::model::{
    BodyKind, CustomJoint, CustomMeasure, Function, Gear, InputKey, Joint, JointKind, Measure,
    ModelError, Owner, PartKind,
};
use cardan_core::math::{Matrix3, Vector3};

impl Compiler<'_> {
    /// Joint axes on body 1 and body 2 that coincide in the described positions of the bodies.
    fn axes(
        &self,
        owner: &Owner,
        joint: &Joint,
        sides: [usize; 2],
    ) -> Result<[Matrix3; 2], ModelError> {
        let [one, two] = sides.map(|side| self.frames[side].rotation);
        let planar = self.dimension() == Dimension::Plane;
        // the key of the axis in the model file
        let key = match joint.axis {
            JointAxis::Bodies(..) => "axes_on_bodies",
            JointAxis::Pins(..) => "pins",
            JointAxis::World(_) => "axis",
            JointAxis::Absent if joint.kind == JointKind::Universal => "pins",
            JointAxis::Absent => "axis",
        };
        let unit = |axis: &Vector3| unit(owner, key, "axis", axis);
        let both = |world: Matrix3| [one.tr_mul(&world), two.tr_mul(&world)];
        let takes_pins = joint.kind == JointKind::Universal;
        let in_plane = matches!(joint.kind, JointKind::Prismatic | JointKind::PointOnLine);
        let complete = |axis: Vector3| match planar && in_plane {
            // e₁ across the axis in the plane, e₂ out of it
            true => Matrix3::from_columns(&[Vector3::z().cross(&axis), -Vector3::z(), axis]),
            false => completed(axis),
        };
        let flat = |axis: &Vector3| match planar && in_plane && axis.z != 0.0 {
            true => fail_at(owner, key, "its axis must lie in the plane z = 0"),
            false => Ok(()),
        };
        let about_z = |axis: &Vector3| match planar && !in_plane && axis.xy().norm() > 0.0 {
            true => fail_at(owner, key, "planar bodies turn about z only"),
            false => Ok(()),
        };
        match joint.axis {
            JointAxis::Absent if joint.kind.info().axis.is_none() || (planar && !in_plane) => {
                Ok(both(Matrix3::identity()))
            }
            JointAxis::Absent => {
                let meaning = joint.kind.info().axis.unwrap_or_default();
                fail_at(owner, key, format!("its axis is missing: {meaning}"))
            }
            JointAxis::World(_) if takes_pins => {
                fail_at(owner, key, "a universal joint takes two pins: `pins`")
            }
            JointAxis::World(axis) => {
                let axis = unit(&axis)?;
                flat(&axis)?;
                about_z(&axis)?;
                Ok(both(complete(axis)))
            }
            JointAxis::Pins(..) if !takes_pins => {
                fail_at(owner, key, "only a universal joint takes pins")
            }
            JointAxis::Pins(first, second) => {
                let (first, second) = (one.tr_mul(&unit(&first)?), two.tr_mul(&unit(&second)?));
                Ok(universal(first, second, &(one.tr_mul(&two))))
            }
            JointAxis::Bodies(first, second) => {
                let (first, second) = (unit(&first)?, unit(&second)?);
                if takes_pins {
                    return Ok(universal(first, second, &(one.tr_mul(&two))));
                }
                for axis in [&first, &second] {
                    flat(axis)?;
                    about_z(axis)?;
                }
                let axes = complete(first);
                // the other axes of body 2 are as close to those of body 1 as its third axis allows
                let near = two.tr_mul(&(one * axes.column(0)));
                let across = near - second * second.dot(&near);
                let across =
                    across.try_normalize(1e-6).unwrap_or(completed(second).column(0).into());
                let third = second.cross(&across);
                Ok([axes, Matrix3::from_columns(&[across, third, second])])
            }
        }
    }

    pub(super) fn joint(&mut self, joint: &Joint) -> Result<(), ModelError> {
        let owner = Arc::new(Owner::part(PartKind::Joint, &joint.name));
        self.check(&owner, joint)?;
        let (sides, points) = match joint.kind {
            JointKind::Distance => self.line(&owner, &joint.ends, joint.at)?,
            _ => self.ends(&owner, &joint.ends, joint.at)?,
        };
        self.need_orientation(&owner, joint, sides)?;
        let axes = self.axes(&owner, joint, sides)?;
        let rotation = self.frames[sides[0]].rotation;
        let geometry = Geometry::new(axes, points, &rotation, self.dimension());
        let parts = geometry.compose(joint.kind);
        let aligned = geometry.aligned(&parts);

        let coincidence = parts.has_coincident_points.then(|| self.coincide(&owner, sides, points));
        let first = self.model.holonomic_rows.len();
        let target = match joint.kind {
            JointKind::Distance => self.length(&owner, joint, sides, points)?,
            _ => Function::Constant(0.0),
        };
        let add_row = |compiler: &mut Self, (measure, prevents): Row| {
            let (drives, is_angular) =
                (!target.is_constant(), matches!(measure, Measure::Dot { .. }));
            let row = NewRow { owner: &owner, prevents: &prevents, is_angular, drives };
            let measure = NodeMeasure::new(measure, sides);
            compiler.add_holonomic_row(
                row,
                HolonomicRow { target: target.clone(), ..HolonomicRow::new(measure) },
            );
        };
        parts.across.into_iter().for_each(|row| add_row(self, row));
        let alignment = parts.has_parallel_axes.then(|| self.align(&owner, sides, &geometry));
        parts.extra_row.into_iter().for_each(|row| add_row(self, row));
        let coordinates = self.coordinates(joint, sides, &geometry);
        let data = JointData {
            kind: Some(joint.kind),
            axes: geometry.axes[0],
            coincidence,
            alignment,
            holonomic_rows: first..self.model.holonomic_rows.len(),
            coordinates,
            aligned,
            ..JointData::new(&joint.name, sides, points)
        };
        self.joints.insert(joint.name.clone(), self.model.joints.len());
        self.model.joints.push(data);
        Ok(())
    }

    /// Refuses values that do not apply to a kind of joint.
    fn check(&self, owner: &Owner, joint: &Joint) -> Result<(), ModelError> {
        let info = joint.kind.info();
        if let (true, Err(instead)) = ((self.dimension() == Dimension::Plane), info.planar_rows) {
            let reason = format!("no {} joint between planar bodies: {instead}", info.name);
            return fail(owner, reason);
        }
        if joint.length.is_some() && joint.kind != JointKind::Distance {
            return fail_at(owner, "length", "only a distance joint has a length");
        }
        let names: Vec<_> = info.coordinates.iter().map(|(known, _)| *known).collect();
        if names.is_empty() && (joint.offset != 0.0 || !joint.rates.is_empty()) {
            let key = if joint.offset != 0.0 { "offset" } else { "rate" };
            let reason = "it has no coordinate: `offset` and `rate` do not apply";
            return fail_at(owner, key, reason);
        }
        let mut given = joint.rates.iter().filter_map(|(name, _)| name.as_deref());
        if let Some(name) = given.find(|name| !names.contains(name)) {
            let reason = format!(
                "`rates` names the coordinate `{name}`, but it has no coordinate `{name}`; it has {}",
                names.join(", ")
            );
            return fail_at(owner, "rates", reason);
        }
        let rates = joint.rates.iter().all(|(_, rate)| rate.is_finite());
        match rates && joint.offset.is_finite() {
            true => Ok(()),
            false => fail_at(
                owner,
                if joint.offset.is_finite() { "rate" } else { "offset" },
                "its offset or rate is not finite",
            ),
        }
    }

    /// The two rows of parallel axes.
    fn align(&mut self, owner: &Arc<Owner>, sides: [usize; 2], geometry: &Geometry) -> usize {
        let across = [geometry.axis(0, 0), geometry.axis(0, 1)];
        let axis = geometry.axis(1, 2);
        let rows = geometry.prevented_rotations().map(|prevents| {
            self.row(NewRow { owner, prevents: &prevents, is_angular: true, drives: false })
        });
        self.model.alignments.push(Alignment { sides, across, axis, rows });
        self.model.alignments.len() - 1
    }

    /// The two or three rows of two coincident points.
    fn coincide(&mut self, owner: &Arc<Owner>, sides: [usize; 2], points: [Vector3; 2]) -> usize {
        let first_row = self.model.rows.len();
        let axes = self.dimension().axes();
        for prevents in &["moving along x", "moving along y", "moving along z"][..axes] {
            self.row(NewRow { owner, prevents, is_angular: false, drives: false });
        }
        self.model.coincidences.push(Coincidence { sides, points, first_row, axes });
        self.model.coincidences.len() - 1
    }

    /// The length of a distance joint.
    fn length(
        &self,
        owner: &Owner,
        joint: &Joint,
        sides: [usize; 2],
        points: [Vector3; 2],
    ) -> Result<Function, ModelError> {
        let [one, two] = sides.map(|side| &self.frames[side]);
        let now = Measure::Distance { points }.value(one, two);
        let length = match &joint.length {
            Some(length) => self.time_function(owner, "length", length)?,
            None => Function::Constant(now),
        };
        let value = length.value(self.mechanism.start);
        match value > 0.0 && value.is_finite() && now > 0.0 {
            true => Ok(length),
            false => {
                let error = ModelError::value(owner, "its length must be positive");
                Err(error.with_key("length").with_remedy("use a spherical joint for zero"))
            }
        }
    }

    /// Refuses joints that need an orientation a point mass does not have.
    fn need_orientation(
        &self,
        owner: &Owner,
        joint: &Joint,
        sides: [usize; 2],
    ) -> Result<(), ModelError> {
        let needed = match joint.kind {
            JointKind::Spherical | JointKind::Distance => [false, false],
            JointKind::Revolute if (self.dimension() == Dimension::Plane) => [false, false],
            JointKind::PointOnLine | JointKind::PointInPlane => [true, false],
            _ => [true, true],
        };
        for (k, side) in sides.into_iter().enumerate() {
            let has_rotation = self.model.nodes[side].kind.is_none_or(BodyKind::has_orientation);
            if needed[k] && !has_rotation {
                let (name, kind) = (&joint.ends[k].body, joint.kind.info().name);
                let reason =
                    format!("`{name}` is a point mass: a {kind} joint needs its orientation");
                return fail_at(owner, InputKey::entry("between", k), reason);
            }
        }
        Ok(())
    }

    /// The coordinates of a joint; each angle has a value in q that counts its turns.
    fn coordinates(
        &mut self,
        joint: &Joint,
        sides: [usize; 2],
        geometry: &Geometry,
    ) -> Vec<(&'static str, Arc<NodeMeasure>)> {
        let (e, b) = (|k: usize| geometry.axis(0, k), |k: usize| geometry.axis(1, k));
        let has_rotation =
            |&side: &usize| self.model.nodes[side].kind.is_none_or(BodyKind::has_orientation);
        let has_rotation = sides.iter().all(has_rotation);
        let points = geometry.points;
        let along = |k: usize| NodeMeasure::new(Measure::Project { a: e(k), points }, sides);
        let angle = match self.dimension() {
            Dimension::Plane => {
                // the angle is zero in the described positions
                let [one, two] = sides.map(|side| self.model.nodes[side].angle(&self.q));
                let sign = if e(2).z < 0.0 { -1.0 } else { 1.0 };
                let measure = NodeMeasure::new(Measure::PlanarAngle, sides);
                NodeMeasure { sign, zero: sign * (one - two), ..measure }
            }
            Dimension::Space => {
                let axes = [e(0), e(1)];
                NodeMeasure::new(Measure::Angle { axes, b: b(0) }, sides)
            }
        };
        let measures = match joint.kind {
            JointKind::Revolute if has_rotation => vec![angle],
            JointKind::Cylindrical => vec![along(2), angle],
            JointKind::Prismatic | JointKind::PointOnLine => vec![along(2)],
            JointKind::Planar => vec![along(0), along(1), angle],
            JointKind::PointInPlane => vec![along(0), along(1)],
            JointKind::Universal => {
                // e₃ is the pin on body 1, b₃ the pin on body 2; each angle is measured in axes of the other body
                let first = Measure::Angle { axes: [e(0), e(1)], b: b(2) };
                let second = Measure::Angle { axes: [b(0), b(1)], b: e(2) };
                let back =
                    NodeMeasure { sign: -1.0, ..NodeMeasure::new(second, [sides[1], sides[0]]) };
                vec![NodeMeasure::new(first, sides), back]
            }
            _ => vec![],
        };
        let names = joint.kind.info().coordinates.iter().map(|(name, _)| *name);
        let first_counter = self.system_values;
        let coordinates = names.zip(measures).enumerate().map(|(i, (name, mut measure))| {
            if i == 0 {
                measure.zero += joint.offset;
            }
            let counters = &mut self.model.turn_counters;
            if !matches!(measure.measure, Measure::Angle { .. }) {
                return (name, Arc::new(measure));
            }
            measure.turn_counter = Some(first_counter + counters.len());
            let measure = Arc::new(measure);
            counters.push(Arc::clone(&measure));
            (name, measure)
        });
        coordinates.collect()
    }

    /// Compiles a user-defined joint.
    pub(super) fn custom_joint(&mut self, joint: &CustomJoint) -> Result<(), ModelError> {
        let owner = Arc::new(Owner::part(PartKind::Joint, &joint.name));
        let (sides, points) = self.line(&owner, &joint.ends, None)?;
        let measure =
            |own: &CustomMeasure| NodeMeasure::new(Measure::Own(own.between(points)), sides);
        let first = self.model.holonomic_rows.len();
        for (own, prevents) in &joint.constraints {
            let measure = measure(own);
            if !self.now(&measure).is_finite() {
                return fail(
                    &owner,
                    "one of its measures is not finite in the described positions",
                );
            }
            let is_angular = own.is_angle();
            let row = NewRow { owner: &owner, prevents, is_angular, drives: false };
            self.add_holonomic_row(row, HolonomicRow::new(measure));
        }
        let coordinates =
            joint.coordinates.iter().map(|(name, own)| (*name, Arc::new(measure(own)))).collect();
        let data = JointData {
            holonomic_rows: first..self.model.holonomic_rows.len(),
            coordinates,
            ..JointData::new(&joint.name, sides, points)
        };
        self.joints.insert(joint.name.clone(), self.model.joints.len());
        self.model.joints.push(data);
        Ok(())
    }

    pub(super) fn gear(&mut self, gear: &Gear) -> Result<(), ModelError> {
        let owner = Arc::new(Owner::part(PartKind::Gear, &gear.name));
        if !(gear.ratio.abs() > 1e-100 && gear.ratio.abs() < 1e100) {
            return fail_at(&owner, "ratio", "its ratio must be finite and not zero");
        }
        if gear.joints[0] == gear.joints[1] {
            return fail_at(&owner, "joints", "it couples a coordinate with itself");
        }
        let measure =
            |k: usize| self.coordinate(&owner, InputKey::entry("joints", k), &gear.joints[k], None);
        let measures = [measure(0)?, measure(1)?];
        let now = |measure: &NodeMeasure| self.now(measure);
        let target = Function::Constant(now(&measures[1]) - gear.ratio * now(&measures[0]));
        let prevents = "gear ratio";
        let is_angular = measures[1].measure.is_angle();
        let index = self.model.holonomic_rows.len();
        let [first, second] = measures;
        let sides = second.sides;
        let partner = Some((-gear.ratio, first));
        let row = NewRow { owner: &owner, prevents, is_angular, drives: false };
        self.add_holonomic_row(row, HolonomicRow { partner, target, ..HolonomicRow::new(second) });
        let points = [Vector3::zeros(); 2];
        self.model.joints.push(JointData {
            holonomic_rows: index..index + 1,
            ..JointData::new(&gear.name, sides, points)
        });
        Ok(())
    }
}

/// Axes of a universal joint on body 1 and body 2: the third axis is the pin of the body; the first axis
/// is the component of the other pin perpendicular to it.
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
