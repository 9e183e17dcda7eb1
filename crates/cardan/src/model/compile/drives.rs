//! Compiles drives into rows that prescribe a motion.

use std::sync::Arc;

use super::{Compiler, NewRow};
use crate::model::checks::{fail, fail_at};
use crate::model::compiled::DriveData;
use crate::model::describe::DriveKind;
use crate::model::elements::{HolonomicRow, NonholonomicRow};
use crate::model::node::GROUND;
use crate::model::node_measure::NodeMeasure;
use crate::model::{CoordinateKind, Drive, Function, Measure, ModelError, Owner, PartKind};
use cardan_core::math::Vector3;

impl Compiler<'_> {
    /// Adds the rows of a drive that prescribes positions.
    pub fn driven_coordinates(&mut self, drive: &Drive) -> Result<(), ModelError> {
        let owner = Owner::part(PartKind::Drive, &drive.name);
        match &drive.kind {
            DriveKind::Coordinate { joint, kind, motion } => {
                let measure = self.coordinate(&owner, "joint".into(), joint, Some(*kind))?;
                let prevents = match kind {
                    CoordinateKind::Angle => "prescribed angle",
                    CoordinateKind::Translation => "prescribed translation",
                };
                self.drive_row(&drive.name, "value", measure, prevents.into(), motion.clone())
            }
            DriveKind::Point { anchor, motion } => {
                let node_point = self.node_point(&owner, "point", anchor)?;
                if node_point.node == GROUND {
                    return fail_at(&owner, "point", "the ground does not move");
                }
                let centre = self.model.bodies[node_point.node - 1].centre;
                let points = [Vector3::zeros(), node_point.point.unwrap_or(-centre)];
                let axes = self.dimension().axes();
                let flat =
                    motion[axes..].iter().flatten().all(|f| matches!(f, Function::Constant(0.0)));
                if !flat {
                    return fail_at(&owner, "z", "a planar body does not move along z");
                }
                if motion[..axes].iter().all(Option::is_none) {
                    return fail(&owner, "it prescribes nothing");
                }
                for (k, motion) in motion.iter().enumerate().take(axes) {
                    if let Some(motion) = motion {
                        let direction = Vector3::ith(k, 1.0);
                        let measure = Measure::Gap { direction, points };
                        let measure = NodeMeasure::new(measure, [GROUND, node_point.node]);
                        let axis = ["x", "y", "z"][k];
                        let prevents = format!("moving along {axis}");
                        self.drive_row(&drive.name, axis, measure, prevents, motion.clone())?;
                    }
                }
                Ok(())
            }
            DriveKind::Rate { .. } => Ok(()),
        }
    }

    /// Adds the row of a drive that prescribes a rate.
    pub fn driven_rates(&mut self, drive: &Drive) -> Result<(), ModelError> {
        let owner = Owner::part(PartKind::Drive, &drive.name);
        if let DriveKind::Rate { joint, kind, rate } = &drive.kind {
            let measure = self.coordinate(&owner, "joint".into(), joint, Some(*kind))?;
            self.rate_row(&drive.name, measure, rate.clone())?;
        }
        Ok(())
    }

    /// Adds a row that prescribes a measure.
    fn drive_row(
        &mut self,
        name: &str,
        key: &'static str,
        measure: NodeMeasure,
        prevents: String,
        target: Function,
    ) -> Result<(), ModelError> {
        let owner = Arc::new(Owner::part(PartKind::Drive, name));
        let target = self.time_function(&owner, key, &target)?;
        self.finite_motion(&owner, key, &target, 3)?;
        let is_angular = measure.measure.is_angle();
        let index = self.model.holonomic_rows.len();
        let row = NewRow { owner: &owner, prevents: &prevents, is_angular, drives: true };
        self.add_holonomic_row(row, HolonomicRow { target, ..HolonomicRow::new(measure) });
        let axis = (key != "value").then_some(key);
        match self.model.drives.last_mut().filter(|drive| drive.name == name) {
            Some(drive) => {
                drive.holonomic_rows.end = index + 1;
                drive.axes.extend(axis);
            }
            None => self.model.drives.push(DriveData {
                name: name.into(),
                holonomic_rows: index..index + 1,
                rates: 0..0,
                axes: axis.into_iter().collect(),
            }),
        }
        Ok(())
    }

    /// Adds a row that prescribes the rate of a measure.
    fn rate_row(
        &mut self,
        name: &str,
        measure: NodeMeasure,
        target: Function,
    ) -> Result<(), ModelError> {
        let owner = Arc::new(Owner::part(PartKind::Drive, name));
        let target = self.time_function(&owner, "value", &target)?;
        self.finite_motion(&owner, "value", &target, 2)?;
        let is_angular = measure.measure.is_angle();
        let prevents = "prescribed speed";
        let row = self.row(NewRow { owner: &owner, prevents, is_angular, drives: true });
        let index = self.model.nonholonomic_rows.len();
        self.model.nonholonomic_rows.push(NonholonomicRow { measure, target, row });
        let rates = index..index + 1;
        self.model.drives.push(DriveData {
            name: name.into(),
            holonomic_rows: 0..0,
            rates,
            axes: Vec::new(),
        });
        Ok(())
    }

    /// Refuses a motion whose value or required derivatives are not finite at the start; `needed` is the
    /// number of these values.
    fn finite_motion(
        &self,
        owner: &Owner,
        key: &'static str,
        motion: &Function,
        needed: usize,
    ) -> Result<(), ModelError> {
        let start = self.mechanism.start;
        let names = [
            "its motion",
            "the first derivative of its motion",
            "the second derivative of its motion",
        ];
        let jet = motion.at(start);
        match jet.iter().take(needed).position(|x| !x.is_finite()) {
            None => Ok(()),
            Some(k) => {
                let (what, value) = (names[k], jet[k]);
                let reason = format!("{what} is not finite at the start: {value} at t = {start} s");
                fail_at(owner, key, reason)
            }
        }
    }
}
