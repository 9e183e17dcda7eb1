//! The elimination order: minimum degree on the graph of groups.
//!
//! A group is a node's coordinates or the rows of one joint. A constraint group becomes eligible
//! only after all the coordinate groups it touches: its pivot block is then the Schur complement
//! G M⁻¹ Gᵀ, which is regular whenever M is positive and the constraints are independent. The last
//! open joint of a body may follow that body at once, which keeps trees and stars free of fill.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Pattern;
use super::group_graph::{Group, GroupGraph};

/// The order in which the columns of the matrix are eliminated.
pub fn elimination_order(pattern: &Pattern, groups: &[Group]) -> Vec<u32> {
    let graph = GroupGraph::of_pattern(pattern, groups);
    let unknowns = |g: u32| graph.groups.unknowns(g as usize).iter().copied();
    group_order(&graph).into_iter().flat_map(unknowns).collect()
}

/// The order in which groups are eliminated.
pub(crate) fn group_order(graph: &GroupGraph) -> Vec<u32> {
    let groups = &graph.groups;
    let count = groups.count();
    let weight: Vec<u32> = (0..count).map(|g| groups.unknowns(g).len() as u32).collect();
    let is_constraint = |g: u32| groups.is_constraint(g);
    // the constraint groups that depend on a coordinate group
    let attached = |g: u32| {
        let neighbours = if is_constraint(g) { &[] } else { graph.neighbours(g as usize) };
        neighbours.iter().copied().filter(|&c| is_constraint(c))
    };
    // how many coordinate groups each constraint group depends on
    let mut waiting: Vec<u32> = (0..count as u32)
        .map(|c| match is_constraint(c) {
            true => {
                graph.neighbours(c as usize).iter().filter(|&&g| !is_constraint(g)).count() as u32
            }
            false => 0,
        })
        .collect();
    let mut adjacent: Vec<Vec<u32>> = (0..count).map(|g| graph.neighbours(g).to_vec()).collect();
    let mut degree: Vec<u32> = adjacent
        .iter()
        .map(|neighbours| neighbours.iter().map(|&g| weight[g as usize]).sum())
        .collect();

    let mut queue: BinaryHeap<Reverse<(u32, u32)>> = (0..count as u32)
        .filter(|&g| waiting[g as usize] == 0)
        .map(|g| Reverse((degree[g as usize], g)))
        .collect();
    let mut done = vec![false; count];
    let mut order = Vec::with_capacity(count);
    // the last group that each one was found adjacent to
    let mut mark = vec![u32::MAX; count];
    while let Some(Reverse((key, g))) = queue.pop() {
        if done[g as usize] || key != degree[g as usize] {
            continue;
        }
        done[g as usize] = true;
        order.push(g);
        let mut open = attached(g).filter(|&c| !done[c as usize]);
        // the one joint of a body at the end of a chain may follow it at once: its rows act on that
        // body only, and do not couple with the rest of the mechanism
        match (open.next(), open.next()) {
            (Some(c), None) if weight[c as usize] <= weight[g as usize] => waiting[c as usize] = 0,
            _ => attached(g).for_each(|c| {
                waiting[c as usize] = waiting[c as usize].saturating_sub(1);
            }),
        }
        // connect the neighbours with each other
        let neighbours = std::mem::take(&mut adjacent[g as usize]);
        for &n in &neighbours {
            let own = &mut adjacent[n as usize];
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
