//! The report of an assembly: closed gaps, moved bodies, changed velocities, redundant constraints.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::redundancy::{DependentRow, RedundancyFindings};
use crate::model::describe::ForceKind;
use crate::model::{Mechanism, Model, Owner, PartKind};
use cardan_core::system::{StateView, System};

/// A body that was moved to close the joints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MovedBody {
    /// The body.
    pub body: String,
    /// Displacement of its centre of mass, in m.
    pub distance: f64,
    /// Rotation angle, in rad.
    pub angle: f64,
}

/// A joint that was open in the described positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointGap {
    /// The joint or drive.
    pub joint: String,
    /// Distance between its points, in m.
    pub distance: f64,
    /// Angle between its axes, in rad.
    pub angle: f64,
}

/// A constraint that is implied by others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RedundantConstraint {
    /// The joint: "joint `A`".
    pub joint: String,
    /// The motion that the row prevents: "turning about x".
    pub prevents: String,
    /// The joints that imply it.
    pub follows_from: Vec<String>,
}

/// A given velocity that the constraints do not allow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VelocityChange {
    /// The part and the component: "body `rod` (velocity x)".
    pub owner: String,
    /// The given value.
    pub given: f64,
    /// The value that satisfies the constraints.
    pub became: f64,
}

/// What the assembly changed, and properties of the constraints found on the way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AssemblyReport {
    /// Number of undriven degrees of freedom.
    pub degrees_of_freedom: usize,
    /// Whether the mechanism has drives.
    pub driven: bool,
    /// Joints that were open.
    pub gaps: Vec<JointGap>,
    /// Bodies that were moved to close the joints.
    pub moved: Vec<MovedBody>,
    /// Given velocities that were adjusted to the constraints.
    pub velocities: Vec<VelocityChange>,
    /// Constraints that are implied by others in every configuration. They are removed; the reactions
    /// of the joints involved are then not unique.
    pub redundant: Vec<RedundantConstraint>,
    /// Constraints that are implied by others in this configuration only. It is singular: the motion
    /// may continue along more than one branch.
    pub singular: Vec<RedundantConstraint>,
    /// A constraint that is nearly implied by others, and its distance from linear dependence. Example:
    /// axes that should be parallel and differ in the last digits. The reactions may be very large.
    pub nearly_redundant: Option<(String, f64)>,
    /// Friction forces whose normal load is a reaction that is not unique.
    pub uncertain_friction: Vec<String>,
    /// The equilibrium in which the motion starts, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equilibrium: Option<EquilibriumStart>,
}

/// A start in equilibrium.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EquilibriumStart {
    /// The largest change of a coordinate from the assembled configuration, in m or rad.
    pub displacement: f64,
    /// The stability, as text.
    pub stability: String,
    /// Whether the equilibrium is known to be unstable.
    pub is_unstable: bool,
    /// Whether velocities of the description are not used, because the motion starts at rest.
    pub ignores_velocities: bool,
    /// First-order states that keep their initial values.
    pub held_states: Vec<String>,
    /// Limits of validity that the equilibrium exceeds.
    pub warnings: Vec<String>,
}

/// Displacements and gaps below this, relative to the size of the mechanism, are not reported.
const REPORT_THRESHOLD: f64 = 1e-9;

impl AssemblyReport {
    /// Whether the mechanism cannot move at all.
    pub fn is_locked(&self) -> bool {
        self.degrees_of_freedom == 0 && !self.driven
    }

    pub(super) fn record_moved_bodies(
        &mut self,
        model: &Model,
        described: &[f64],
        q: &[f64],
        t: f64,
    ) {
        let mut phi = vec![0.0; model.holonomic_count()];
        model.write_constraint(&StateView::at(t, described), &mut phi);
        let size = described.iter().fold(0.0_f64, |m, x| m.max(x.abs())).max(f64::MIN_POSITIVE);
        let mut gaps: Vec<(&Owner, JointGap)> = Vec::new();
        for (row, gap) in model.rows.iter().zip(&phi) {
            if gap.abs() <= REPORT_THRESHOLD * if row.is_angular { 1.0 } else { size } {
                continue;
            }
            if gaps.last().is_none_or(|(owner, _)| **owner != *row.owner) {
                let joint = row.owner.to_string();
                gaps.push((&row.owner, JointGap { joint, distance: 0.0, angle: 0.0 }));
            }
            if let Some((_, last)) = gaps.last_mut() {
                let part = if row.is_angular { &mut last.angle } else { &mut last.distance };
                *part = part.hypot(*gap);
            }
        }
        // the rows of joints are sines of angles
        for (_, gap) in gaps.iter_mut().filter(|(owner, _)| owner.is(PartKind::Joint)) {
            gap.angle = gap.angle.min(1.0).asin();
        }
        self.gaps = gaps.into_iter().map(|(_, gap)| gap).collect();
        for (i, body) in model.moving() {
            let node = &model.nodes[i];
            let [before, after] = [described, q].map(|q| node.frame(q));
            let distance = (after.position - before.position).norm();
            let turn = before.rotation.tr_mul(&after.rotation);
            let cosine = (0.5 * (turn.trace() - 1.0)).clamp(-1.0, 1.0);
            let sine = 0.5 * (turn - turn.transpose()).norm() / 2.0_f64.sqrt();
            let angle = sine.atan2(cosine);
            if distance > REPORT_THRESHOLD * size || angle > REPORT_THRESHOLD {
                self.moved.push(MovedBody { body: body.name.clone(), distance, angle });
            }
        }
    }

    pub(super) fn record_constraints(&mut self, model: &Model, findings: &RedundancyFindings) {
        let redundant_constraint = |dependent: &DependentRow| {
            let row = &model.rows[dependent.row];
            let mut owners: Vec<String> = Vec::new();
            for &(i, _) in &dependent.relation {
                let owner = &model.rows[i].owner;
                let text = owner.to_string();
                if !owners.contains(&text) && *owner != row.owner {
                    owners.push(text);
                }
            }
            RedundantConstraint {
                joint: row.owner.to_string(),
                prevents: row.prevents.to_string(),
                follows_from: owners,
            }
        };
        self.redundant = findings.redundant.iter().map(redundant_constraint).collect();
        self.singular = findings.singular.iter().map(redundant_constraint).collect();
        self.degrees_of_freedom = findings.degrees_of_freedom;
        self.driven = findings.driven;
        self.nearly_redundant =
            findings.nearly.map(|(row, distance)| (model.rows[row].name(), distance));
    }

    pub(super) fn record_friction(&mut self, mechanism: &Mechanism) {
        let involved = |joint: &str| {
            let name = Owner::part(PartKind::Joint, joint).to_string();
            self.redundant.iter().any(|x| x.joint == name || x.follows_from.contains(&name))
        };
        let frictions = mechanism.forces.iter().filter(
            |force| matches!(&force.kind, ForceKind::Friction { joint, .. } if involved(joint)),
        );
        self.uncertain_friction = frictions.map(|force| force.name.clone()).collect();
    }

    pub(super) fn record_velocity(&mut self, owner: &str, given: f64, became: f64) {
        self.velocities.push(VelocityChange { owner: owner.into(), given, became });
    }
}

impl fmt::Display for AssemblyReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let undriven = if self.driven { "undriven " } else { "" };
        writeln!(out, "{undriven}degrees of freedom: {}", self.degrees_of_freedom)?;
        if self.is_locked() {
            writeln!(out, "locked: the joints allow no motion")?;
        }
        if let Some(start) = &self.equilibrium {
            start.fmt(out)?;
        }
        for JointGap { joint, distance, angle } in &self.gaps {
            writeln!(out, "joint closed: {joint}, initial gap {}", amounts(*distance, *angle))?;
        }
        for MovedBody { body, distance, angle } in &self.moved {
            writeln!(out, "moved: body `{body}` by {}", amounts(*distance, *angle))?;
        }
        for VelocityChange { owner, given, became } in &self.velocities {
            writeln!(
                out,
                "velocity adjusted to the constraints: {owner} from {given:.6e} to {became:.6e}"
            )?;
        }
        for RedundantConstraint { joint, prevents, follows_from } in &self.redundant {
            let others = follows_from.join(", ");
            writeln!(
                out,
                "redundant constraint removed: {joint} ({prevents}), implied by {others}"
            )?;
        }
        if !self.redundant.is_empty() && self.uncertain_friction.is_empty() {
            writeln!(out, "the motion is unique, the reactions in these joints are not")?;
        }
        if let Some((name, distance)) = &self.nearly_redundant {
            writeln!(
                out,
                "nearly redundant constraint: {name}, distance from linear dependence {distance:.0e}; \
                 try: give axes and points that must agree with all digits"
            )?;
        }
        for force in &self.uncertain_friction {
            writeln!(
                out,
                "friction `{force}` depends on a reaction that is not unique: the motion is not unique; \
                 try: release the joint in the directions in which the real joint has play"
            )?;
        }
        for RedundantConstraint { joint, prevents, follows_from } in &self.singular {
            let others = follows_from.join(", ");
            writeln!(
                out,
                "singular configuration: {joint} ({prevents}) depends on {others} in this configuration only"
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for EquilibriumStart {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stability = match self.is_unstable {
            true => String::new(),
            false => format!("; {}", self.stability),
        };
        writeln!(
            out,
            "start in equilibrium: largest displacement {:.3e} m or rad{stability}",
            self.displacement
        )?;
        if self.is_unstable {
            writeln!(
                out,
                "unstable equilibrium at the start: {}; try: initial positions nearer to the stable equilibrium",
                self.stability
            )?;
        }
        if self.ignores_velocities {
            writeln!(out, "start at rest: the velocities of the description are not used")?;
        }
        if !self.held_states.is_empty() {
            let states = self.held_states.join(", ");
            writeln!(out, "start in equilibrium: states that keep their initial values: {states}")?;
        }
        self.warnings.iter().try_for_each(|warning| writeln!(out, "{warning}"))
    }
}

/// A distance and an angle with units; one that is zero is omitted.
fn amounts(distance: f64, angle: f64) -> String {
    match (distance > 0.0, angle > 0.0) {
        (true, true) => format!("{distance:.3e} m and {angle:.3e} rad"),
        (false, true) => format!("{angle:.3e} rad"),
        _ => format!("{distance:.3e} m"),
    }
}
