//! What assembling a mechanism changed, and what to know about it.

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
    /// How far its centre of mass moved.
    pub distance: f64,
    /// How far it turned.
    pub angle: f64,
}

/// A joint that was open in the positions described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointGap {
    /// The joint or drive.
    pub joint: String,
    /// How far apart its points were.
    pub distance: f64,
    /// How far its axes were turned against each other.
    pub angle: f64,
}

/// A constraint that follows from others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RedundantConstraint {
    /// The joint: "joint `A`".
    pub joint: String,
    /// What the row prevents: "turning about x".
    pub prevents: String,
    /// The joints it follows from.
    pub follows_from: Vec<String>,
}

/// A known velocity that the constraints do not allow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VelocityChange {
    /// Whose velocity.
    pub owner: String,
    /// What was given.
    pub given: f64,
    /// What it became.
    pub became: f64,
}

/// What assembling a mechanism changed, and what to know about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AssemblyReport {
    /// Degrees of freedom, driven ones not counted.
    pub degrees_of_freedom: usize,
    /// Whether anything is driven.
    pub driven: bool,
    /// Joints that were open.
    pub gaps: Vec<JointGap>,
    /// Bodies that were moved.
    pub moved: Vec<MovedBody>,
    /// Velocities that could not be kept.
    pub velocities: Vec<VelocityChange>,
    /// Constraints that follow from others everywhere. They are left out; the reactions of the
    /// joints involved are then one choice of many.
    pub redundant: Vec<RedundantConstraint>,
    /// Constraints that follow from others in this position only: it is singular, and the motion may
    /// leave it in more than one way.
    pub singular: Vec<RedundantConstraint>,
    /// A constraint that nearly follows from others, and the distance from doing so: axes that ought
    /// to be parallel and are not quite, for instance. The reactions may be enormous.
    pub nearly_redundant: Option<(String, f64)>,
    /// Friction that takes its load from reactions that are not unique.
    pub uncertain_friction: Vec<String>,
}

/// Motions below this, relative to the size of the mechanism, are not worth telling.
const WORTH_TELLING: f64 = 1e-9;

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
            if gap.abs() <= WORTH_TELLING * if row.is_angular { 1.0 } else { size } {
                continue;
            }
            if gaps.last().is_none_or(|(owner, _)| **owner != row.owner) {
                let joint = row.owner.to_string();
                gaps.push((&row.owner, JointGap { joint, distance: 0.0, angle: 0.0 }));
            }
            if let Some((_, last)) = gaps.last_mut() {
                let part = if row.is_angular { &mut last.angle } else { &mut last.distance };
                *part = part.hypot(*gap);
            }
        }
        // rows of joints are sines
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
            if distance > WORTH_TELLING * size || angle > WORTH_TELLING {
                self.moved.push(MovedBody { body: body.name.clone(), distance, angle });
            }
        }
    }

    pub(super) fn constraints(&mut self, model: &Model, findings: &RedundancyFindings) {
        let told = |dependent: &DependentRow| {
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
                prevents: row.prevents.clone(),
                follows_from: owners,
            }
        };
        self.redundant = findings.redundant.iter().map(told).collect();
        self.singular = findings.singular.iter().map(told).collect();
        self.degrees_of_freedom = findings.degrees_of_freedom;
        self.driven = findings.driven;
        self.nearly_redundant =
            findings.nearly.map(|(row, distance)| (model.rows[row].name(), distance));
    }

    pub(super) fn friction(&mut self, mechanism: &Mechanism) {
        let involved = |joint: &str| {
            let name = Owner::part(PartKind::Joint, joint).to_string();
            self.redundant.iter().any(|x| x.joint == name || x.follows_from.contains(&name))
        };
        let rubs = mechanism.forces.iter().filter(
            |force| matches!(&force.acting, ForceKind::Friction { joint, .. } if involved(joint)),
        );
        self.uncertain_friction = rubs.map(|force| force.name.clone()).collect();
    }

    pub(super) fn velocity(&mut self, owner: &str, given: f64, became: f64) {
        self.velocities.push(VelocityChange { owner: owner.into(), given, became });
    }
}

impl fmt::Display for AssemblyReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let driven = if self.driven { " besides those driven" } else { "" };
        writeln!(out, "degrees of freedom{driven}: {}", self.degrees_of_freedom)?;
        if self.is_locked() {
            writeln!(out, "locked: the joints leave no motion")?;
        }
        for JointGap { joint, distance, angle } in &self.gaps {
            writeln!(out, "closed: {joint} was open by {}", amounts(*distance, *angle))?;
        }
        for MovedBody { body, distance, angle } in &self.moved {
            writeln!(out, "moved: body `{body}` by {}", amounts(*distance, *angle))?;
        }
        for VelocityChange { owner, given, became } in &self.velocities {
            writeln!(
                out,
                "velocity not possible: {owner} given as {given:.6e}, became {became:.6e}"
            )?;
        }
        for RedundantConstraint { joint, prevents, follows_from } in &self.redundant {
            let others = follows_from.join(", ");
            writeln!(out, "redundant: {joint} ({prevents}) follows from {others}; it is left out")?;
        }
        if !self.redundant.is_empty() && self.uncertain_friction.is_empty() {
            writeln!(out, "the motion is unique, the reactions in these joints are not")?;
        }
        if let Some((name, distance)) = &self.nearly_redundant {
            writeln!(
                out,
                "nearly redundant: {name} is only {distance:.0e} away from following from others; if \
                 axes or places are meant to agree, give them with all digits"
            )?;
        }
        for force in &self.uncertain_friction {
            writeln!(
                out,
                "friction `{force}` depends on a reaction that is not unique, and so does the motion: \
                           release the joint where \
                           the real one has play"
            )?;
        }
        for RedundantConstraint { joint, prevents, follows_from } in &self.singular {
            let others = follows_from.join(", ");
            writeln!(out, "singular position: {joint} ({prevents}) depends on {others} just here")?;
        }
        Ok(())
    }
}

/// A distance and an angle, as far as they are not zero.
fn amounts(distance: f64, angle: f64) -> String {
    match (distance > 0.0, angle > 0.0) {
        (true, true) => format!("{distance:.3e} m and {angle:.3e} rad"),
        (false, true) => format!("{angle:.3e} rad"),
        _ => format!("{distance:.3e} m"),
    }
}
