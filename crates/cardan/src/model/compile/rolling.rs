//! Rolling discs and blades.

use super::{Compiler, completed, unit};
use crate::model::checks::{MAX_LENGTH, direction, fail_at};
use crate::model::compiled::{JointData, RowInfo};
use crate::model::elements::{HolonomicRow, NonholonomicRow};
use crate::model::node::GROUND;
use crate::model::node_measure::NodeMeasure;
use crate::model::values::Dimension;
use crate::model::{
    BodyKind, Function, Measure, ModelError, Owner, PartKind, Rolling, RollingDisc, Skate,
};
use cardan_core::math::Vector3;

impl Compiler<'_> {
    /// The height of a rolling disc, then its two slips.
    pub(super) fn rolling(&mut self, rolling: &Rolling, height: bool) -> Result<(), ModelError> {
        let owner = Owner::part(PartKind::Rolling, &rolling.name);
        let spot = self.node_point(&owner, "centre", &rolling.centre)?;
        let (frame, planar) = (self.frames[spot.node], (self.dimension() == Dimension::Plane));
        let default = if planar { Vector3::y() } else { Vector3::z() };
        let [place, normal] = rolling.plane;
        let normal = match normal == Vector3::zeros() {
            true => default,
            false => unit(&owner, "plane_normal", "normal", &normal)?,
        };
        let axis = match planar {
            true => Vector3::z(),
            false => unit(&owner, "axis", "axis", &rolling.axis)?,
        };
        if spot.node == GROUND
            || !self.model.nodes[spot.node].kind.is_some_and(BodyKind::has_orientation)
        {
            return fail_at(&owner, "centre", "its body must be able to turn");
        }
        if !(rolling.radius > 1e-100 && rolling.radius < MAX_LENGTH) {
            return fail_at(&owner, "radius", "its radius must be positive and within reason");
        }
        if axis.cross(&normal).norm() < 1e-6 {
            let key = if planar { "plane_normal" } else { "axis" };
            return fail_at(&owner, key, "its disc lies flat on the plane");
        }
        if planar && (normal.z != 0.0 || place.z != 0.0) {
            let key = if normal.z != 0.0 { "plane_normal" } else { "plane_point" };
            return fail_at(&owner, key, "a planar disc rolls on a line in the plane z = 0");
        }
        // the body's origin unless a point is named
        let centre = spot.point.unwrap_or(-self.model.bodies[spot.node - 1].centre);
        let disc =
            RollingDisc { centre, axis: frame.rotation.tr_mul(&axis), radius: rolling.radius };
        let sides = [GROUND, spot.node];
        let gauge =
            |direction| NodeMeasure::new(Measure::Contact { disc, normal, direction }, sides);
        if height {
            let info = RowInfo {
                owner,
                prevents: format!("moving along {}", direction(&normal)),
                is_angular: false,
                drives: false,
            };
            let held = self.model.holonomic_rows.len();
            let target = Function::Constant(normal.dot(&place));
            self.hold(info, HolonomicRow { target, ..HolonomicRow::new(gauge(normal)) });
            self.model.joints.push(JointData {
                holonomic_rows: held..held + 1,
                ..JointData::new(&rolling.name, sides, [frame.point(&centre), centre])
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
        let first = self.model.nonholonomic_rows.len();
        for tangent in along {
            let prevents = format!("slipping along {}", direction(&tangent));
            let info = RowInfo { owner: owner.clone(), prevents, is_angular: false, drives: false };
            let row = self.row(info);
            let target = Function::Constant(0.0);
            self.model.nonholonomic_rows.push(NonholonomicRow {
                measure: gauge(tangent),
                target,
                row,
            });
        }
        let end = self.model.nonholonomic_rows.len();
        if let Some(data) = self.model.joints.iter_mut().find(|data| data.name == rolling.name) {
            data.nonholonomic_rows = first..end;
        }
        Ok(())
    }

    pub(super) fn skate(&mut self, skate: &Skate) -> Result<(), ModelError> {
        let owner = Owner::part(PartKind::Skate, &skate.name);
        let spot = self.node_point(&owner, "point", &skate.point)?;
        if spot.node == GROUND
            || !self.model.nodes[spot.node].kind.is_some_and(BodyKind::has_orientation)
        {
            return fail_at(&owner, "point", "its body must be able to turn");
        }
        let frame = self.frames[spot.node];
        let across = unit(&owner, "across", "direction", &skate.across)?;
        if self.dimension() == Dimension::Plane && across.z != 0.0 {
            return fail_at(&owner, "across", "its direction must lie in the plane z = 0");
        }
        let point = spot.point.unwrap_or(-self.model.bodies[spot.node - 1].centre);
        let measure = Measure::Skate { across: frame.rotation.tr_mul(&across), point };
        let prevents = "moving sideways".into();
        let row = self.row(RowInfo { owner, prevents, is_angular: false, drives: false });
        let rate = self.model.nonholonomic_rows.len();
        let sides = [GROUND, spot.node];
        let target = Function::Constant(0.0);
        self.model.nonholonomic_rows.push(NonholonomicRow {
            measure: NodeMeasure::new(measure, sides),
            target,
            row,
        });
        self.model.joints.push(JointData {
            nonholonomic_rows: rate..rate + 1,
            ..JointData::new(&skate.name, sides, [frame.point(&point), point])
        });
        Ok(())
    }
}
