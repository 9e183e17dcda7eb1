//! Drives: rows that prescribe a motion.

use super::Compiler;
use crate::model::checks::{fail, fail_at};
use crate::model::compiled::{DriveData, RowInfo};
use crate::model::describe::DriveKind;
use crate::model::elements::{HolonomicRow, NonholonomicRow};
use crate::model::node::GROUND;
use crate::model::node_measure::NodeMeasure;
use crate::model::{CoordinateKind, Drive, Function, Measure, ModelError, Owner, PartKind};
use cardan_core::math::Vector3;

impl Compiler<'_> {
    /// The rows of a drive that prescribes positions.
    pub fn driven_coordinates(&mut self, drive: &Drive) -> Result<(), ModelError> {
        let owner = Owner::part(PartKind::Drive, &drive.name);
        match &drive.driven {
            DriveKind::Coordinate { joint, free, motion } => {
                let gauge = self.coordinate(&owner, "joint".into(), joint, Some(*free))?;
                let prevents = match free {
                    CoordinateKind::Angle => "another angle",
                    CoordinateKind::Translation => "another translation",
                };
                self.drive_row(&drive.name, "value", gauge, prevents.into(), motion.clone())
            }
            DriveKind::Point { anchor, motion } => {
                let spot = self.node_point(&owner, "point", anchor)?;
                if spot.node == GROUND {
                    return fail_at(&owner, "point", "the ground does not move");
                }
                let centre = self.model.bodies[spot.node - 1].centre;
                let points = [Vector3::zeros(), spot.point.unwrap_or(-centre)];
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
                        let gauge = NodeMeasure::new(measure, [GROUND, spot.node]);
                        let axis = ["x", "y", "z"][k];
                        let prevents = format!("moving along {axis}");
                        self.drive_row(&drive.name, axis, gauge, prevents, motion.clone())?;
                    }
                }
                Ok(())
            }
            DriveKind::Rate { .. } => Ok(()),
        }
    }

    /// The row of a drive that prescribes a rate.
    pub fn driven_rates(&mut self, drive: &Drive) -> Result<(), ModelError> {
        let owner = Owner::part(PartKind::Drive, &drive.name);
        if let DriveKind::Rate { joint, free, rate } = &drive.driven {
            let gauge = self.coordinate(&owner, "joint".into(), joint, Some(*free))?;
            self.rate_row(&drive.name, gauge, rate.clone())?;
        }
        Ok(())
    }

    /// A row that prescribes something.
    fn drive_row(
        &mut self,
        name: &str,
        key: &'static str,
        gauge: NodeMeasure,
        prevents: String,
        target: Function,
    ) -> Result<(), ModelError> {
        let owner = Owner::part(PartKind::Drive, name);
        self.finite_motion(&owner, key, &target, 3)?;
        let is_angular = gauge.measure.is_angle();
        let held = self.model.holonomic_rows.len();
        let info = RowInfo { owner, prevents, is_angular, drives: true };
        self.hold(info, HolonomicRow { measure: gauge, partner: None, target, row: 0 });
        match self.model.drives.last_mut().filter(|drive| drive.name == name) {
            Some(drive) => drive.holonomic_rows.end = held + 1,
            None => self.model.drives.push(DriveData {
                name: name.into(),
                holonomic_rows: held..held + 1,
                rates: 0..0,
            }),
        }
        Ok(())
    }

    /// A row that prescribes a rate.
    fn rate_row(
        &mut self,
        name: &str,
        gauge: NodeMeasure,
        target: Function,
    ) -> Result<(), ModelError> {
        let owner = Owner::part(PartKind::Drive, name);
        self.finite_motion(&owner, "value", &target, 2)?;
        let is_angular = gauge.measure.is_angle();
        let prevents = "another speed".into();
        let row = self.row(RowInfo { owner, prevents, is_angular, drives: true });
        let rate = self.model.nonholonomic_rows.len();
        self.model.nonholonomic_rows.push(NonholonomicRow { measure: gauge, target, row });
        let rates = rate..rate + 1;
        self.model.drives.push(DriveData { name: name.into(), holonomic_rows: 0..0, rates });
        Ok(())
    }

    /// Refuses a motion whose value or derivatives, as many as are needed, are not finite.
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
