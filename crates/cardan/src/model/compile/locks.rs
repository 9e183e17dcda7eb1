//! Compiles the constraint rows of joint coordinates that events lock.

use std::sync::Arc;

use super::signals::switch_names;
use super::{Compiler, NewRow};
use crate::model::elements::HolonomicRow;
use crate::model::switch_data::{SwitchData, SwitchTarget};
use crate::model::{ModelError, Owner, PartKind};

impl Compiler<'_> {
    /// Adds a row for each joint coordinate that events lock. It is inactive until then.
    pub(super) fn locks(&mut self) -> Result<(), ModelError> {
        for name in switch_names(&self.mechanism.events) {
            let joint = name.split('.').next().unwrap_or_default();
            if !self.is_joint(joint) {
                continue;
            }
            let owner = Arc::new(Owner::part(PartKind::Joint, joint));
            let measure = self.coordinate(&owner, "lock".into(), name, None)?;
            let is_angular = measure.measure.is_angle();
            let prevents = format!("locked {}", name.split('.').nth(1).unwrap_or("coordinate"));
            let row = NewRow { owner: &owner, prevents: &prevents, is_angular, drives: false };
            let index = self.model.holonomic_rows.len();
            self.add_holonomic_row(row, HolonomicRow::new(measure));
            let target = SwitchTarget::Positions(index..index + 1);
            self.model.switches.push(SwitchData { name: name.into(), q: usize::MAX, target });
        }
        Ok(())
    }
}
