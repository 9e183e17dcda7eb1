//! The elimination order: minimum degree on the graph of groups.
//!
//! A group is a node's coordinates or the rows of one joint. A constraint group becomes eligible
//! only after all the coordinate groups it touches: its pivot block is then the Schur complement
//! G M⁻¹ Gᵀ, which is regular whenever M is positive and the constraints are independent. The last
//! open joint of a body may follow that body at once, which keeps trees and stars free of fill.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
    let count = groups.kinds.len();
    let weight: Vec<usize> = (0..count).map(|g| groups.unknowns(g).len()).collect();
    let is_constraint = |g: u32| groups.kinds[g as usize] == GroupKind::Constraints;
    // how many coordinate groups each constraint group depends on
    let mut waiting: Vec<u32> = (0..count as u32)
        .map(|c| match is_constraint(c) {
            true => graph[c as usize].iter().filter(|&&g| !is_constraint(g)).count() as u32,
            false => 0,
        })
        .collect();
    // the constraint groups that depend on each coordinate group
    let mut attached_starts = vec![0_u32];
    let mut attached: Vec<u32> = Vec::new();
    for g in 0..count as u32 {
        if !is_constraint(g) {
            attached.extend(graph[g as usize].iter().filter(|&&c| is_constraint(c)));
        }
        attached_starts.push(attached.len() as u32);
    }
    let attached = |g: u32| {
        &attached[attached_starts[g as usize] as usize..attached_starts[g as usize + 1] as usize]
    };
    let mut degree: Vec<usize> = graph
        .iter()
        .map(|neighbours| neighbours.iter().map(|&g| weight[g as usize]).sum())
        .collect();

    let mut queue: BinaryHeap<Reverse<(usize, u32)>> = (0..count as u32)
        .filter(|&g| waiting[g as usize] == 0)
        .map(|g| Reverse((degree[g as usize], g)))
        .collect();
    let mut done = vec![false; count];
    let mut order = Vec::with_capacity(pattern.size());
    // the last group that each one was found adjacent to
    let mut mark = vec![u32::MAX; count];
    while let Some(Reverse((key, g))) = queue.pop() {
        if done[g as usize] || key != degree[g as usize] {
            continue;
        }
        done[g as usize] = true;
        order.extend_from_slice(groups.unknowns(g as usize));
        let mut open = attached(g).iter().copied().filter(|&c| !done[c as usize]);
        // the one joint of a body at the end of a chain may follow it at once: its rows act on that
        // body only, and do not couple with the rest of the mechanism
        match (open.next(), open.next()) {
            (Some(c), None) if weight[c as usize] <= weight[g as usize] => waiting[c as usize] = 0,
            _ => attached(g).iter().for_each(|&c| {
                waiting[c as usize] = waiting[c as usize].saturating_sub(1);
            }),
        }
        // connect the neighbours with each other
        let neighbours = std::mem::take(&mut graph[g as usize]);
        for &n in &neighbours {
            let own = &mut graph[n as usize];
            if let Some(at) = own.iter().position(|&m| m == g) {
                own.swap_remove(at);
            }
            degree[n as usize] -= weight[g as usize];
            if neighbours.len() > 1 {
                mark[n as usize] = n;
                own.iter().for_each(|&m| mark[m as usize] = n);
            }
            for &m in neighbours.iter().filter(|&&m| m != n && mark[m as usize] != n) {
                own.push(m);
                degree[n as usize] += weight[m as usize];
            }
            if waiting[n as usize] == 0 {
                queue.push(Reverse((degree[n as usize], n)));
            }
        }
    }
    order
}

/// Groups with every unknown named exactly once.
struct Covering {
    kinds: Vec<GroupKind>,
    unknowns: Vec<u32>,
    starts: Vec<u32>,
}

impl Covering {
    fn unknowns(&self, group: usize) -> &[u32] {
        &self.unknowns[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}

/// The groups with every unknown named exactly once: where it is named first, or in a group of its own.
fn covering(n: usize, groups: &[Group]) -> Covering {
    let mut is_named = vec![false; n];
    let mut covering = Covering {
        kinds: Vec::with_capacity(groups.len()),
        unknowns: Vec::with_capacity(n),
        starts: vec![0],
    };
    let mut add = |kind: GroupKind, unknowns: &[u32]| {
        let mut take =
            |u: u32| is_named.get_mut(u as usize).is_some_and(|is| !std::mem::replace(is, true));
        covering.unknowns.extend(unknowns.iter().copied().filter(|&u| take(u)));
        covering.kinds.push(kind);
        covering.starts.push(covering.unknowns.len() as u32);
    };
    groups.iter().for_each(|group| add(group.kind, &group.unknowns));
    let unnamed: Vec<u32> = (0..n as u32).filter(|&u| !is_named[u as usize]).collect();
    for unknown in unnamed {
        covering.kinds.push(GroupKind::Coordinates);
        covering.unknowns.push(unknown);
        covering.starts.push(covering.unknowns.len() as u32);
    }
    covering
}

/// Which groups share an entry of the matrix, in either direction.
fn group_graph(pattern: &Pattern, groups: &Covering) -> Vec<Vec<u32>> {
    let count = groups.kinds.len();
    let mut group_of = vec![0; pattern.size()];
    for g in 0..count {
        groups.unknowns(g).iter().for_each(|&unknown| group_of[unknown as usize] = g as u32);
    }
    // the groups of the rows of each group's columns, each once
    let mut graph = vec![Vec::new(); count];
    let mut mark = vec![u32::MAX; count];
    for g in 0..count as u32 {
        mark[g as usize] = g;
        for &column in groups.unknowns(g as usize) {
            for &row in &pattern.rows()[pattern.column(column as usize)] {
                let other = group_of[row as usize];
                if std::mem::replace(&mut mark[other as usize], g) != g {
                    graph[g as usize].push(other);
                }
            }
        }
    }
    // the same in the other direction: the pattern need not be symmetric
    let mut starts = vec![0_u32; count + 1];
    graph.iter().flatten().for_each(|&other| starts[other as usize] += 1);
    for g in 0..count {
        starts[g + 1] += starts[g];
    }
    let mut back = vec![0; starts[count] as usize];
    for (g, others) in graph.iter().enumerate() {
        for &other in others {
            starts[other as usize] -= 1;
            back[starts[other as usize] as usize] = g as u32;
        }
    }
    mark.fill(u32::MAX);
    for (g, others) in graph.iter_mut().enumerate() {
        others.iter().for_each(|&other| mark[other as usize] = g as u32);
        let back = &back[starts[g] as usize..starts[g + 1] as usize];
        others.extend(back.iter().filter(|&&other| mark[other as usize] != g as u32));
    }
    graph
}
