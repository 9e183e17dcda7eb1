//! The elimination order: minimum degree on the graph of groups.
//!
//! A group is a node's coordinates or the rows of one joint. A constraint group becomes eligible
//! only after all the coordinate groups it touches: its pivot block is then the Schur complement
//! G M⁻¹ Gᵀ, which is regular whenever M is positive and the constraints are independent. The last
//! open joint of a body may follow that body at once, which keeps trees and stars free of fill.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::Pattern;

/// The kind of the unknowns of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// Coordinates or states: eligible for elimination at once.
    Coordinates,
    /// Multipliers: eligible after all their coordinates.
    Constraints,
}

/// Unknowns that are eliminated together.
#[derive(Clone, Debug)]
pub struct Group {
    /// The kind of the unknowns.
    pub kind: GroupKind,
    /// Their indices in the matrix.
    pub unknowns: Vec<u32>,
}

/// The order in which the columns of the matrix are eliminated.
pub fn elimination_order(pattern: &Pattern, groups: &[Group]) -> Vec<u32> {
    let groups = &covering(pattern.size(), groups);
    let mut graph = group_graph(pattern, groups);
    let weight: Vec<usize> = groups.iter().map(|g| g.unknowns.len()).collect();
    let degree = |neighbours: &BTreeSet<u32>| -> usize {
        neighbours.iter().map(|&g| weight[g as usize]).sum()
    };
    // the constraint groups that depend on each coordinate group, and how many each depends on
    let mut attached = vec![Vec::new(); groups.len()];
    let mut waiting = vec![0_usize; groups.len()];
    for (c, neighbours) in graph.iter().enumerate() {
        if groups[c].kind == GroupKind::Constraints {
            for &g in neighbours {
                if groups[g as usize].kind == GroupKind::Coordinates {
                    attached[g as usize].push(c);
                    waiting[c] += 1;
                }
            }
        }
    }

    let mut queue: BinaryHeap<Reverse<(usize, u32)>> = (0..groups.len())
        .filter(|&g| waiting[g] == 0)
        .map(|g| Reverse((degree(&graph[g]), g as u32)))
        .collect();
    let mut done = vec![false; groups.len()];
    let mut order = Vec::with_capacity(pattern.size());
    while let Some(Reverse((key, g))) = queue.pop() {
        let g = g as usize;
        if done[g] || key != degree(&graph[g]) {
            continue;
        }
        done[g] = true;
        order.extend_from_slice(&groups[g].unknowns);
        let mut open = attached[g].iter().copied().filter(|&c| !done[c]);
        // the one joint of a body at the end of a chain may follow it at once: its rows act on that
        // body only, and do not couple with the rest of the mechanism
        match (open.next(), open.next()) {
            (Some(c), None) if weight[c] <= weight[g] => waiting[c] = 0,
            _ => attached[g].iter().for_each(|&c| waiting[c] = waiting[c].saturating_sub(1)),
        }
        // connect the neighbours with each other
        let neighbours = std::mem::take(&mut graph[g]);
        for &n in &neighbours {
            let n = n as usize;
            graph[n].remove(&(g as u32));
            graph[n].extend(neighbours.iter().copied().filter(|&m| m as usize != n));
            if waiting[n] == 0 {
                queue.push(Reverse((degree(&graph[n]), n as u32)));
            }
        }
    }
    order
}

/// The groups with every unknown named exactly once.
fn covering(n: usize, groups: &[Group]) -> Vec<Group> {
    let mut named = vec![false; n];
    let mut once = |unknowns: &mut dyn Iterator<Item = u32>| -> Vec<u32> {
        unknowns
            .filter(|&u| named.get_mut(u as usize).is_some_and(|n| !std::mem::replace(n, true)))
            .collect()
    };
    let mut covering: Vec<Group> = groups
        .iter()
        .map(|g| Group { kind: g.kind, unknowns: once(&mut g.unknowns.iter().copied()) })
        .collect();
    for unknown in once(&mut (0..n as u32)) {
        covering.push(Group { kind: GroupKind::Coordinates, unknowns: vec![unknown] });
    }
    covering
}

/// Which groups share an entry of the matrix, in either direction.
fn group_graph(pattern: &Pattern, groups: &[Group]) -> Vec<BTreeSet<u32>> {
    let mut group_of = vec![0; pattern.size()];
    for (g, group) in groups.iter().enumerate() {
        for &unknown in &group.unknowns {
            group_of[unknown as usize] = g as u32;
        }
    }
    let mut graph = vec![BTreeSet::new(); groups.len()];
    for j in 0..pattern.size() {
        for slot in pattern.column(j) {
            let (a, b) = (group_of[pattern.rows()[slot] as usize], group_of[j]);
            if a != b {
                graph[a as usize].insert(b);
                graph[b as usize].insert(a);
            }
        }
    }
    graph
}
