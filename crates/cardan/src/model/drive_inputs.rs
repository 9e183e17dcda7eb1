//! Drives as inputs of a linearized model: the prescribed value, its rate and its acceleration.

use super::compiled::{DriveData, Model};
use super::inputs::{InputEffect, PrescribedInput};
use super::{Function, ModelError, Owner, PartKind};
use cardan_core::state::Instant;

/// The names of a prescribed coordinate and its time derivatives.
const ORDERS: [&str; 3] = ["value", "rate", "acceleration"];

impl Model {
    /// The inputs of a drive whose names begin with `name`, in the order of axes and derivatives: `drive.value`,
    /// `drive.rate`, `drive.acceleration`, or `drive.x.value` for a driven point. A prescribed speed has no value.
    /// An empty list if there is none.
    pub(super) fn drive_inputs(
        &self,
        name: &str,
        at: &Instant,
    ) -> Result<Vec<(String, InputEffect)>, ModelError> {
        let mut found = Vec::new();
        for (column, prescribed, drive) in self.drive_columns() {
            let rest = column.strip_prefix(name);
            if !rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.')) {
                continue;
            }
            if at.inactive.contains(&prescribed.row) {
                let owner = Owner::part(PartKind::Drive, &drive.name);
                let reason = "it is redundant: other constraints prescribe the same motion, so it \
                              cannot be an input alone";
                return Err(ModelError::value(&owner, reason));
            }
            let force = vec![0.0; self.points.v];
            let effect =
                InputEffect { force, prescribed: Some(prescribed), ..InputEffect::default() };
            found.push((column, effect));
        }
        Ok(found)
    }

    /// All inputs that drives have: name, prescribed quantity, and drive.
    pub(super) fn drive_columns(
        &self,
    ) -> impl Iterator<Item = (String, PrescribedInput, &DriveData)> {
        self.drives.iter().flat_map(|drive| {
            let positions = self.holonomic_rows[drive.holonomic_rows.clone()].iter();
            let rates = self.nonholonomic_rows[drive.rates.clone()].iter();
            let rows = positions.map(|x| (x.row, 0)).chain(rates.map(|x| (x.row, 1)));
            rows.enumerate().flat_map(move |(k, (row, lowest))| {
                (lowest..3).map(move |order| {
                    let axis = drive.axes.get(k).map_or(String::new(), |axis| format!("{axis}."));
                    let column = format!("{}.{axis}{}", drive.name, ORDERS[order]);
                    (column, PrescribedInput { row, order }, drive)
                })
            })
        })
    }

    /// A copy of the model in which a prescribed quantity is larger at a time by a step. Other channels than those of the
    /// power of drives do not depend on it.
    pub(crate) fn with_prescribed(&self, input: PrescribedInput, t: f64, step: f64) -> Self {
        let mut copy = self.clone();
        // a row that prescribes a rate has the rate as its value
        let shifted = |target: &Function, lowest: usize| {
            let mut jet = target.at(t);
            if let Some(k) = input.order.checked_sub(lowest) {
                jet[k] += step;
            }
            Function::jet(move |_| jet)
        };
        for x in copy.holonomic_rows.iter_mut().filter(|x| x.row == input.row) {
            x.target = shifted(&x.target, 0);
        }
        for x in copy.nonholonomic_rows.iter_mut().filter(|x| x.row == input.row) {
            x.target = shifted(&x.target, 1);
        }
        copy
    }
}
