//! Whether triangles enclose a volume: every edge is passed as often in one direction as in the other.

use std::collections::HashMap;

/// An edge of a surface that is not closed or not oriented.
pub(super) struct LooseEdge {
    /// The indices of its ends.
    pub ends: [u32; 2],
    /// How many edges are like it.
    pub count: usize,
    /// Whether triangles are missing at it; else neighbours have opposite orientations.
    pub is_open: bool,
}

/// An edge that shows that triangles do not enclose a volume.
pub(super) fn loose_edge(triangles: &[[u32; 3]]) -> Option<LooseEdge> {
    let mut passes: HashMap<[u32; 2], [u32; 2]> = HashMap::new();
    for &[a, b, c] in triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let both = passes.entry([from.min(to), from.max(to)]).or_default();
            both[usize::from(from > to)] += 1;
        }
    }
    let is_open = |passes: &[u32; 2]| !(passes[0] + passes[1]).is_multiple_of(2);
    let find = |wanted: &dyn Fn(&[u32; 2]) -> bool, is_open| {
        let all = || passes.iter().filter(|(_, passes)| wanted(passes)).map(|(ends, _)| *ends);
        // the first in the order of the file, so that messages do not change
        all().min().map(|ends| LooseEdge { ends, count: all().count(), is_open })
    };
    let open = find(&is_open, true);
    open.or_else(|| find(&|passes| passes[0] != passes[1], false))
}
