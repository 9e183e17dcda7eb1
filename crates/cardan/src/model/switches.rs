//! Parts that events switch: locks of joint coordinates, drives, forces. The position of a switch is a discrete value in q.

use super::compiled::Model;
use super::elements::ElementKind;
use super::switch_data::{SwitchData, SwitchTarget};
use cardan_core::system::StateView;

impl Model {
    /// Whether a switch is on.
    fn is_on(switch: &SwitchData, q: &[f64]) -> bool {
        q.get(switch.q).is_none_or(|x| *x != 0.0)
    }

    /// The constraint rows of switches that are off, in increasing order.
    pub(super) fn rows_switched_off(&self, q: &[f64]) -> Vec<usize> {
        let mut rows = Vec::new();
        for switch in self.switches.iter().filter(|x| !Self::is_on(x, q)) {
            match &switch.target {
                SwitchTarget::Positions(range) => {
                    rows.extend(self.holonomic_rows[range.clone()].iter().map(|x| x.row));
                }
                SwitchTarget::Rates(range) => {
                    rows.extend(self.nonholonomic_rows[range.clone()].iter().map(|x| x.row));
                }
                SwitchTarget::Force(_) => {}
            }
        }
        rows.sort_unstable();
        rows
    }

    /// The forces of switches that are off.
    pub(super) fn forces_switched_off<'a>(
        &'a self,
        q: &'a [f64],
    ) -> impl Iterator<Item = usize> + 'a {
        self.switches.iter().filter(|x| !Self::is_on(x, q)).filter_map(|switch| {
            match switch.target {
                SwitchTarget::Force(force) => Some(force),
                _ => None,
            }
        })
    }

    /// Whether an element belongs to a force that is switched off.
    pub(super) fn is_switched_off(&self, kind: ElementKind, index: usize, q: &[f64]) -> bool {
        self.forces_switched_off(q).any(|force| {
            let force = &self.forces[force];
            force.kind == kind && force.range.contains(&index)
        })
    }

    /// Whether all switches have the same positions in two configurations.
    pub(super) fn has_same_switches(&self, one: &[f64], two: &[f64]) -> bool {
        self.switches.iter().all(|switch| Self::is_on(switch, one) == Self::is_on(switch, two))
    }

    /// Writes the offsets of position rows that are off, so that they hold at an accepted instant.
    pub(super) fn follow_offsets(&self, at: &StateView<'_>, discrete: &mut [f64]) {
        let first = self.space.configurations() - discrete.len();
        for switch in self.switches.iter().filter(|x| !Self::is_on(x, at.q)) {
            let SwitchTarget::Positions(range) = &switch.target else { continue };
            self.placed(at, |kinematics| {
                for row in &self.holonomic_rows[range.clone()] {
                    if let Some(offset) = row.offset {
                        discrete[offset - first] = at.q[offset] + row.gap(at.t, kinematics);
                    }
                }
            });
        }
    }
}
