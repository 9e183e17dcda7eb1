//! Finds linearly dependent rows of G by elimination in G Gᵀ and confirms them by least squares.

use std::ops::Range;

use nalgebra::DMatrix;

use super::analysis::{Analysis, norm};
use cardan_core::linalg::{Group, GroupKind, LinearError, Pattern, elimination_order};
use cardan_core::stage::REMOVING_COMPLIANCE;

/// A row closer than this to the span of the rows before it is a candidate. The pivots of the
/// elimination contain its square, which is above round-off.
const CANDIDATE_DISTANCE: f64 = 1e-5;
/// A row of norm one closer than this to a combination of others depends on them: round-off of the
/// Jacobian is 1e-16, and assembled positions are exact to 1e-13.
const DEPENDENT_DISTANCE: f64 = 1e-9;

/// Limit of the number of pairs of rows that share a coordinate.
const MAX_PAIRS: usize = 20_000_000;

/// A relation yᵀG = 0 between rows: (row, coefficient), the first with coefficient one.
pub(super) type RowRelation = Vec<(usize, f64)>;

/// Linear dependences among the rows in one configuration.
#[derive(Debug, Default)]
pub(super) struct RowDependence {
    /// One relation for each dependent row.
    pub relations: Vec<RowRelation>,
    /// The candidate row that is closest to the span of the others without being dependent, and its
    /// distance.
    pub nearly: Option<(usize, f64)>,
}

/// Finds the dependent rows of the scaled Jacobian evaluated last.
pub(super) fn find(analysis: &mut Analysis) -> Result<RowDependence, LinearError> {
    let mut found = RowDependence::default();
    let mut undecided = rows_in_loops(analysis);
    analysis.switched_off.iter().for_each(|row| undecided[*row] = false);
    if !undecided.contains(&true) {
        return Ok(found);
    }
    let mut rows_on = vec![0_usize; analysis.units.len()];
    let undecided_entries = analysis.jacobian.iter().filter(|(i, _, _)| undecided[*i]);
    undecided_entries.for_each(|(_, j, _)| rows_on[j] += 1);
    if rows_on.iter().map(|n| n * n).sum::<usize>() > MAX_PAIRS {
        // too many joints in loops on one body for G Gᵀ: only report whether G is singular
        let ones = vec![1.0; analysis.units.len()];
        let Analysis { saddle, space, jacobian, switched_off, .. } = analysis;
        let off = &*switched_off;
        let compliance = |i: usize| if off.contains(&i) { 1.0 } else { 0.0 };
        saddle.get(space, jacobian).factorize(&ones, jacobian, compliance)?;
        return Ok(found);
    }
    let candidates = candidates(analysis, &undecided);
    if candidates.is_empty() {
        return Ok(found);
    }
    let mut is_removed = vec![false; analysis.factors.len()];
    candidates.iter().for_each(|&row| is_removed[row] = true);
    let dependent = DEPENDENT_DISTANCE.max(10.0 * analysis.round_off);
    project(analysis, &candidates, &is_removed, |row, distance, relation| {
        match distance <= dependent {
            true => found.relations.push(relation),
            false if found.nearly.is_none_or(|(_, least)| distance < least) => {
                found.nearly = Some((row, distance));
            }
            false => {}
        }
    })?;
    Ok(found)
}

/// The distances of rows to the span of all other rows.
pub(super) fn distances(analysis: &mut Analysis, rows: &[usize]) -> Result<Vec<f64>, LinearError> {
    let mut is_removed = vec![false; analysis.factors.len()];
    rows.iter().for_each(|&row| is_removed[row] = true);
    let mut distances = Vec::with_capacity(rows.len());
    project(analysis, rows, &is_removed, |_, distance, _| distances.push(distance))?;
    Ok(distances)
}

/// Calls `record` for each row with its distance to the span of the rows that are not removed, and the
/// nearest combination of them.
fn project(
    analysis: &mut Analysis,
    rows: &[usize],
    is_removed: &[bool],
    mut record: impl FnMut(usize, f64, RowRelation),
) -> Result<(), LinearError> {
    let Analysis { saddle, space, jacobian, units, switched_off, .. } = analysis;
    let (saddle, n) = (saddle.get(space, jacobian), units.len());
    let ones = vec![1.0; n];
    let compliance = |i: usize| match is_removed[i] || switched_off.contains(&i) {
        true => REMOVING_COMPLIANCE,
        false => 0.0,
    };
    saddle.factorize(&ones, jacobian, compliance)?;
    let mut by_row = vec![Vec::new(); is_removed.len()];
    for (i, j, x) in jacobian.iter() {
        by_row[i].push((j, x));
    }
    let mut gradient = vec![0.0; n];
    for &row in rows {
        gradient.fill(0.0);
        by_row[row].iter().for_each(|&(j, x)| gradient[j] = x);
        // [I Gᵀ; G 0] (r, y) = (g, 0): r is the part of g outside the span
        let (_, combination) = saddle.solve(|j| gradient[j], |_| 0.0)?;
        let mut rest = gradient.clone();
        let mut relation = vec![(row, 1.0)];
        for (i, &y) in combination.iter().enumerate() {
            if !is_removed[i] && y.abs() > 1e-12 {
                relation.push((i, -y));
                by_row[i].iter().for_each(|&(j, x)| rest[j] -= y * x);
            }
        }
        record(row, norm(&rest), relation);
    }
    Ok(())
}

/// Whether each row may depend on others. If all rows of a body are independent in the coordinates of
/// that body, they are decided, and so on along open chains; the remaining rows belong to loops.
fn rows_in_loops(analysis: &Analysis) -> Vec<bool> {
    let Analysis { jacobian, .. } = analysis;
    let (row_indices, values) = (jacobian.row_indices(), jacobian.values());
    let nodes: Vec<_> = analysis
        .space
        .nodes()
        .iter()
        .map(|node| node.v..node.v + node.vector + if node.rotation { 3 } else { 0 })
        .collect();
    // the entries of each node: places are sorted by column
    let entries = |node: &Range<usize>| match node.is_empty() {
        true => 0..0,
        false => jacobian.column(node.start).start..jacobian.column(node.end - 1).end,
    };
    // the nodes on which each row acts; and the number of undecided rows of each node
    let m = analysis.factors.len();
    let mut acts_on: Vec<(u32, u32)> = Vec::with_capacity(2 * m);
    let mut last_node = vec![u32::MAX; m];
    let mut open_rows = vec![0_usize; nodes.len()];
    let mut starts = vec![0_u32; m + 1];
    for (node, columns) in nodes.iter().enumerate() {
        for &row in &row_indices[entries(columns)] {
            if std::mem::replace(&mut last_node[row as usize], node as u32) != node as u32 {
                acts_on.push((row, node as u32));
                starts[row as usize + 1] += 1;
                open_rows[node] += 1;
            }
        }
    }
    (0..m).for_each(|i| starts[i + 1] += starts[i]);
    let mut next = starts.clone();
    let mut nodes_of_rows = vec![0_u32; acts_on.len()];
    for &(row, node) in &acts_on {
        let next = &mut next[row as usize];
        nodes_of_rows[*next as usize] = node;
        *next += 1;
    }

    let mut undecided = vec![true; m];
    let mut queue: Vec<usize> = (0..nodes.len()).collect();
    let (mut rows, mut block, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(node) = queue.pop() {
        let width = nodes[node].len();
        if open_rows[node] == 0 || open_rows[node] > width {
            continue;
        }
        let columns = nodes[node].clone();
        rows.clear();
        let undecided_row = |&row: &u32| undecided[row as usize];
        rows.extend(row_indices[entries(&columns)].iter().copied().filter(undecided_row));
        rows.sort_unstable();
        rows.dedup();
        block.clear();
        block.resize(rows.len() * width, 0.0);
        for (column, j) in columns.enumerate() {
            for slot in jacobian.column(j) {
                if let Ok(k) = rows.binary_search(&row_indices[slot]) {
                    block[k * width + column] = values[slot];
                }
            }
        }
        if !are_independent(&block, width, &mut rest) {
            continue;
        }
        for &row in &rows {
            undecided[row as usize] = false;
            let range = starts[row as usize] as usize..starts[row as usize + 1] as usize;
            for &other in &nodes_of_rows[range] {
                open_rows[other as usize] -= 1;
                if other as usize != node {
                    queue.push(other as usize);
                }
            }
        }
    }
    undecided
}

/// Whether the smallest singular value of rows is above [`CANDIDATE_DISTANCE`]; `rest` is storage.
fn are_independent(rows: &[f64], width: usize, rest: &mut Vec<f64>) -> bool {
    let count = rows.len() / width;
    // orthogonalize, the longest rest first: the smallest singular value is at least 2¹⁻ⁿ times the last rest (Lawson
    // and Hanson, Solving Least Squares Problems, theorem 6.31), which decides most joints without it
    rest.clear();
    rest.extend_from_slice(rows);
    let mut last = f64::INFINITY;
    for k in 0..count {
        let others = rest.chunks_exact(width).skip(k);
        let squares = others.map(|row| row.iter().map(|x| x * x).sum::<f64>()).zip(k..count);
        let Some((square, longest)) = squares.max_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        last = square.sqrt();
        (0..width).for_each(|j| rest.swap(k * width + j, longest * width + j));
        let (done, others) = rest.split_at_mut((k + 1) * width);
        let pivot = &done[k * width..];
        for other in others.chunks_exact_mut(width) {
            let along = other.iter().zip(pivot).map(|(a, b)| a * b).sum::<f64>() / square;
            other.iter_mut().zip(pivot).for_each(|(x, b)| *x -= along * b);
        }
    }
    let bound = last * 0.5_f64.powi(count as i32 - 1);
    if bound.is_finite() && bound > 2.0 * CANDIDATE_DISTANCE {
        return true;
    }
    // if the iteration does not converge, the rows stay undecided
    let block = DMatrix::from_row_slice(count, width, rows);
    let svd = nalgebra::SVD::try_new(block, false, false, f64::EPSILON, 1000);
    svd.is_some_and(|svd| svd.singular_values.min() > CANDIDATE_DISTANCE)
}

/// Rows without a pivot in the elimination of G Gᵀ: LDLᵀ row by row along the elimination tree; rows
/// that depend on those before them are skipped.
fn candidates(analysis: &Analysis, undecided: &[bool]) -> Vec<usize> {
    let m = analysis.factors.len();
    // rows that share a coordinate
    let mut by_column = vec![Vec::new(); analysis.units.len()];
    for (i, j, x) in analysis.jacobian.iter().filter(|(i, _, _)| undecided[*i]) {
        by_column[j].push((i as u32, x));
    }
    let mut places: Vec<(u32, u32)> = (0..m as u32).map(|i| (i, i)).collect();
    for rows in &by_column {
        places.extend(rows.iter().flat_map(|&(i, _)| rows.iter().map(move |&(k, _)| (i, k))));
    }
    let pattern = Pattern::new(m, places);
    let mut gram = vec![0.0; pattern.nonzeros()];
    for rows in &by_column {
        for &(i, x) in rows {
            for &(k, y) in rows {
                if let Some(slot) = pattern.slot(i as usize, k as usize) {
                    gram[slot] += x * y;
                }
            }
        }
    }
    let group = |i: u32| Group { kind: GroupKind::Coordinates, unknowns: vec![i] };
    let order = elimination_order(&pattern, &(0..m as u32).map(group).collect::<Vec<_>>());
    let mut position = vec![0; m];
    order.iter().enumerate().for_each(|(k, &row)| position[row as usize] = k);

    // columns of L as they grow, in the order of elimination
    let mut columns: Vec<Vec<(usize, f64)>> = vec![Vec::new(); m];
    let mut pivots = vec![0.0; m];
    let mut parent = vec![usize::MAX; m];
    let mut mark = vec![usize::MAX; m];
    let mut values = vec![0.0; m];
    let mut found = Vec::new();
    for (k, &row) in order.iter().enumerate() {
        // the pattern of row k of L: paths up the elimination tree
        let mut reach = Vec::new();
        mark[k] = k;
        let column = row as usize;
        let mut diagonal = 0.0;
        for slot in pattern.column(column) {
            let i = position[pattern.rows()[slot] as usize];
            if i == k {
                diagonal = gram[slot];
            }
            if i >= k {
                continue;
            }
            values[i] += gram[slot];
            let mut node = i;
            while mark[node] != k {
                mark[node] = k;
                reach.push(node);
                if parent[node] == usize::MAX {
                    parent[node] = k;
                }
                node = parent[node];
            }
        }
        reach.sort_unstable();
        let mut pivot = diagonal;
        for &i in &reach {
            // in ascending order, so that every update of values[i] has been made
            let value = std::mem::take(&mut values[i]);
            if pivots[i] == 0.0 || value == 0.0 {
                continue;
            }
            let factor = value / pivots[i];
            pivot -= factor * value;
            for &(r, l) in &columns[i] {
                values[r] -= l * value;
            }
            columns[i].push((k, factor));
        }
        if undecided[column]
            && pivot <= CANDIDATE_DISTANCE * CANDIDATE_DISTANCE * diagonal.max(f64::MIN_POSITIVE)
        {
            found.push(column);
        } else {
            // decided rows have no entries and no effect
            pivots[k] = if undecided[column] { pivot } else { 1.0 };
        }
    }
    found
}
