//! Compiles rolling discs and skates into rows.

use std::sync::Arc;

use super::{Compiler, NewRow, completed, unit};
use crate::model::checks::{MAX_LENGTH, direction, fail_at};
use crate::model::compiled::JointData;
use crate::model::elements::{HolonomicRow, NonholonomicRow};
use crate::model::node::GROUND;
use crate::model::node_measure::NodeMeasure;
use crate::model::values::Dimension;
use crate::model::{
    BodyKind, Function, Measure, ModelError, Owner, PartKind, Rolling, RollingDisc, Skate,
};
use cardan_core::math::Vector3;

impl Compiler<'_> {
    /// Adds the height row of a rolling disc, or its two slip rows.
    pub(super) fn rolling(&mut self, rolling: &Rolling, height: bool) -> Result<(), ModelError> {
        let owner = Arc::new(Owner::part(PartKind::Rolling, &rolling.name));
        let node_point = self.node_point(&owner, "centre", &rolling.centre)?;
        let (frame, planar) =
            (self.frames[node_point.node], (self.dimension() == Dimension::Plane));
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
        if node_point.node == GROUND
            || !self.model.nodes[node_point.node].kind.is_some_and(BodyKind::has_orientation)
        {
            return fail_at(&owner, "centre", "its body must be able to turn");
        }
        if !(rolling.radius > 1e-100 && rolling.radius < MAX_LENGTH) {
            return fail_at(&owner, "radius", "its radius must be positive and less than 1e100");
        }
        if axis.cross(&normal).norm() < 1e-6 {
            let key = if planar { "plane_normal" } else { "axis" };
            return fail_at(&owner, key, "its disc lies flat on the plane");
        }
        if planar && (normal.z != 0.0 || place.z != 0.0) {
            let key = if normal.z != 0.0 { "plane_normal" } else { "plane_point" };
            return fail_at(&owner, key, "a planar disc rolls on a line in the plane z = 0");
        }
        // the body's origin if no point is named
        let centre = node_point.point.unwrap_or(-self.model.bodies[node_point.node - 1].centre);
        let disc =
            RollingDisc { centre, axis: frame.rotation.tr_mul(&axis), radius: rolling.radius };
        let sides = [GROUND, node_point.node];
        let measure =
            |direction| NodeMeasure::new(Measure::Contact { disc, normal, direction }, sides);
        if height {
            let prevents = &format!("moving along {}", direction(&normal));
            let row = NewRow { owner: &owner, prevents, is_angular: false, drives: false };
            let index = self.model.holonomic_rows.len();
            let target = Function::Constant(normal.dot(&place));
            self.add_holonomic_row(
                row,
                HolonomicRow { target, ..HolonomicRow::new(measure(normal)) },
            );
            self.model.joints.push(JointData {
                holonomic_rows: index..index + 1,
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
            let prevents = &format!("slipping along {}", direction(&tangent));
            let row =
                self.row(NewRow { owner: &owner, prevents, is_angular: false, drives: false });
            let target = Function::Constant(0.0);
            self.model.nonholonomic_rows.push(NonholonomicRow {
                measure: measure(tangent),
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
        let owner = Arc::new(Owner::part(PartKind::Skate, &skate.name));
        let node_point = self.node_point(&owner, "point", &skate.point)?;
        if node_point.node == GROUND
            || !self.model.nodes[node_point.node].kind.is_some_and(BodyKind::has_orientation)
        {
            return fail_at(&owner, "point", "its body must be able to turn");
        }
        let frame = self.frames[node_point.node];
        let across = unit(&owner, "across", "direction", &skate.across)?;
        if self.dimension() == Dimension::Plane && across.z != 0.0 {
            return fail_at(&owner, "across", "its direction must lie in the plane z = 0");
        }
        let point = node_point.point.unwrap_or(-self.model.bodies[node_point.node - 1].centre);
        let measure = Measure::Skate { across: frame.rotation.tr_mul(&across), point };
        let prevents = "moving sideways";
        let row = self.row(NewRow { owner: &owner, prevents, is_angular: false, drives: false });
        let index = self.model.nonholonomic_rows.len();
        let sides = [GROUND, node_point.node];
        let target = Function::Constant(0.0);
        self.model.nonholonomic_rows.push(NonholonomicRow {
            measure: NodeMeasure::new(measure, sides),
            target,
            row,
        });
        self.model.joints.push(JointData {
            nonholonomic_rows: index..index + 1,
            ..JointData::new(&skate.name, sides, [frame.point(&point), point])
        });
        Ok(())
    }
}
