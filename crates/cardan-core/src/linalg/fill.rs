//! The size of the factors before there are any.

use super::Pattern;

/// No parent in the elimination tree.
const NONE: u32 = u32::MAX;

/// The number of entries of L, without its diagonal, if the symmetric pattern of A + Aᵀ is eliminated in this order
/// with pivots on the diagonal. It takes as many operations, and memory for the pattern only (Liu's elimination
/// tree: row i of L is the subtree of the tree spanned by row i of A).
pub(crate) fn entries_below_diagonal(pattern: &Pattern, order: &[u32]) -> u64 {
    let n = pattern.size();
    let mut position = vec![0_u32; n];
    order.iter().enumerate().for_each(|(k, &column)| position[column as usize] = k as u32);
    // the entries of each row left of the diagonal, in the order of elimination
    let mut starts = vec![0_usize; n + 1];
    let pairs = || {
        (0..n).flat_map(|j| pattern.column(j).map(move |slot| (slot, j))).filter_map(|(slot, j)| {
            let (i, j) = (position[pattern.rows()[slot] as usize], position[j]);
            (i != j).then_some((i.max(j), i.min(j)))
        })
    };
    pairs().for_each(|(row, _)| starts[row as usize + 1] += 1);
    (0..n).for_each(|i| starts[i + 1] += starts[i]);
    let mut columns = vec![0_u32; starts[n]];
    let mut next = starts.clone();
    for (row, column) in pairs() {
        columns[next[row as usize]] = column;
        next[row as usize] += 1;
    }
    let mut parent = vec![NONE; n];
    let mut seen = vec![NONE; n];
    let mut count = 0;
    for i in 0..n as u32 {
        seen[i as usize] = i;
        for &column in &columns[starts[i as usize]..starts[i as usize + 1]] {
            let mut k = column;
            while seen[k as usize] != i {
                seen[k as usize] = i;
                count += 1;
                if parent[k as usize] == NONE {
                    parent[k as usize] = i;
                }
                k = parent[k as usize];
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An arrow fills completely if its centre is eliminated first, and not at all if it is eliminated last.
    #[test]
    fn arrow_fills_only_if_its_centre_is_eliminated_first() {
        let n = 7_u32;
        let pattern = Pattern::new(n as usize, (1..n).map(|i| (i, 0)).collect());
        let first: Vec<u32> = (0..n).collect();
        let last: Vec<u32> = (0..n).rev().collect();
        assert_eq!(entries_below_diagonal(&pattern, &first), u64::from(n * (n - 1) / 2));
        assert_eq!(entries_below_diagonal(&pattern, &last), u64::from(n - 1));
    }
}
