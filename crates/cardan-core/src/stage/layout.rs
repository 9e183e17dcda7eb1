//! The order of unknowns and equations in a stage, and their names.
//!
//! ```text
//! unknowns  y        ż       λ             (y moves q, and v and a with it)
//! rows      dynamics states  constraints
//! ```

use crate::linalg::{GroupKind, Groups, SparseMatrix};
use crate::system::{Space, System, SystemSizes};

/// The coordinates of a block larger than this are ordered one by one.
const MAX_NODE: usize = 12;

/// Offsets of the blocks. Unknowns and rows have the same numbering, so that the diagonal pairs each
/// unknown with the equation that determines it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StageLayout {
    pub sizes: SystemSizes,
}

impl StageLayout {
    /// First-order states.
    pub fn states(&self) -> usize {
        self.sizes.v
    }

    /// λ and its rows.
    pub fn multipliers(&self) -> usize {
        self.states() + self.sizes.z
    }

    /// All unknowns.
    pub fn total(&self) -> usize {
        self.multipliers() + self.sizes.constraints
    }

    /// The name of an equation, for messages.
    pub fn row_name(&self, system: &dyn System, row: usize) -> String {
        match self.locate(row) {
            BlockPosition::Dynamics(i) => format!("motion of {}", system.coordinate_name(i)),
            BlockPosition::State(i) => format!("equation of {}", system.state_name(i)),
            BlockPosition::Multiplier(i) => system.constraint_name(i),
        }
    }

    /// The name of an unknown, for messages.
    pub fn unknown_name(&self, system: &dyn System, column: usize) -> String {
        match self.locate(column) {
            BlockPosition::Dynamics(i) => format!("the motion of {}", system.coordinate_name(i)),
            BlockPosition::State(i) => system.state_name(i),
            BlockPosition::Multiplier(i) => {
                format!("the multiplier of {}", system.constraint_name(i))
            }
        }
    }

    fn locate(&self, index: usize) -> BlockPosition {
        if index >= self.multipliers() {
            BlockPosition::Multiplier(index - self.multipliers())
        } else if index >= self.states() {
            BlockPosition::State(index - self.states())
        } else {
            BlockPosition::Dynamics(index)
        }
    }

    /// Nodes, states and constraints as groups for the elimination order. Neighbouring constraint
    /// rows that act on the same nodes form one group; rows of G after the constraints are omitted.
    pub fn groups(&self, space: &Space, jacobian: &SparseMatrix) -> Groups {
        let mut node_of = vec![0_u32; self.sizes.v];
        let mut groups = Groups::with_capacity(self.total());
        let mut add = |range: std::ops::Range<usize>| {
            node_of[range.clone()].fill(groups.count() as u32);
            groups.push(GroupKind::Coordinates, range.map(|i| i as u32));
        };
        for node in space.nodes() {
            let end = node.v + node.vector + if node.rotation { 3 } else { 0 };
            if end - node.v > MAX_NODE {
                (node.v..end).for_each(|i| add(i..i + 1));
            } else {
                add(node.v..end);
            }
        }
        (self.states()..self.multipliers()).for_each(|i| {
            groups.push(GroupKind::Coordinates, [i as u32]);
        });

        // the nodes of each row: the entries of a row are in the order of their columns
        let m = self.sizes.constraints;
        let entries = || jacobian.places().filter(|place| (place.0 as usize) < m);
        let mut starts = vec![0_u32; m + 1];
        entries().for_each(|place| starts[place.0 as usize + 1] += 1);
        for i in 0..m {
            starts[i + 1] += starts[i];
        }
        let mut ends = starts.clone();
        let mut nodes = vec![0_u32; starts[m] as usize];
        entries().for_each(|(i, j)| {
            let (node, start, end) =
                (node_of[j as usize], starts[i as usize], &mut ends[i as usize]);
            if *end == start || nodes[*end as usize - 1] != node {
                nodes[*end as usize] = node;
                *end += 1;
            }
        });
        let nodes_of_row = |i: usize| &nodes[starts[i] as usize..ends[i] as usize];
        let mut start = 0;
        for i in 1..=m {
            if i == m || nodes_of_row(i) != nodes_of_row(start) {
                let row = |i: usize| (self.multipliers() + i) as u32;
                groups.push(GroupKind::Constraints, row(start)..row(i));
                start = i;
            }
        }
        groups
    }
}

enum BlockPosition {
    Dynamics(usize),
    State(usize),
    Multiplier(usize),
}
