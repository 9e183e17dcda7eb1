//! The part that a coordinate belongs to.

use super::compiled::Model;
use super::owner::{Owner, PartKind};

impl Model {
    /// The part that a velocity coordinate belongs to. Nodes belong to their beam.
    pub(in crate::model) fn coordinate_owner(&self, i: usize) -> Owner {
        for flexible in &self.flexible {
            if (flexible.v..flexible.v + flexible.modal.modes()).contains(&i) {
                return Owner::part(PartKind::Flexible, &self.bodies[flexible.node - 1].name);
            }
        }
        let is_in_range = |v: usize, size: usize| (v..v + size).contains(&i);
        if let Some(structure) = self.structures.iter().find(|x| is_in_range(x.v, x.size())) {
            return Owner::part(PartKind::Structure, &structure.name);
        }
        let next = self.nodes.partition_point(|node| node.v <= i || node.kind.is_none());
        let Some(body) = next.checked_sub(2).and_then(|k| self.bodies.get(k)) else {
            return Owner::Mechanism;
        };
        if let Some(beam) =
            self.beams.iter().find(|x| body.is_node && x.nodes.contains(&(next - 1)))
        {
            return Owner::part(PartKind::Beam, &beam.name);
        }
        let is_flexible = self.flexible.iter().any(|x| x.node == next - 1);
        let kind = if is_flexible { PartKind::Flexible } else { PartKind::Body };
        Owner::part(kind, &body.name)
    }
}
