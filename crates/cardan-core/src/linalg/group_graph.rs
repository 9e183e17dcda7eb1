//! Groups of unknowns and which of them a matrix couples.

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

/// Groups with every unknown named exactly once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    kinds: Vec<GroupKind>,
    unknowns: Vec<u32>,
    starts: Vec<u32>,
}

impl Groups {
    /// No groups of so many unknowns.
    pub fn with_capacity(unknowns: usize) -> Self {
        let mut starts = Vec::with_capacity(unknowns / 4 + 1);
        starts.push(0);
        Self { kinds: Vec::new(), unknowns: Vec::with_capacity(unknowns), starts }
    }

    /// The groups with every unknown where it is named first, or in a group of its own.
    pub fn covering(n: usize, groups: &[Group]) -> Self {
        let mut is_named = vec![false; n];
        let mut covering = Self::with_capacity(n);
        let mut take =
            |u: u32| is_named.get_mut(u as usize).is_some_and(|is| !std::mem::replace(is, true));
        for group in groups {
            covering.push(group.kind, group.unknowns.iter().copied().filter(|&u| take(u)));
        }
        for unknown in (0..n as u32).filter(|&u| !is_named[u as usize]) {
            covering.push(GroupKind::Coordinates, [unknown]);
        }
        covering
    }

    /// Adds a group of unknowns that no other group has.
    pub fn push(&mut self, kind: GroupKind, unknowns: impl IntoIterator<Item = u32>) {
        self.unknowns.extend(unknowns);
        self.kinds.push(kind);
        self.starts.push(self.unknowns.len() as u32);
    }

    /// The number of groups.
    pub fn count(&self) -> usize {
        self.kinds.len()
    }

    /// The number of unknowns.
    pub fn size(&self) -> usize {
        self.unknowns.len()
    }

    /// The unknowns of a group.
    #[inline]
    pub fn unknowns(&self, group: usize) -> &[u32] {
        &self.unknowns[self.starts[group] as usize..self.starts[group + 1] as usize]
    }

    /// Whether a group consists of multipliers.
    #[inline]
    pub fn is_constraint(&self, group: u32) -> bool {
        self.kinds[group as usize] == GroupKind::Constraints
    }

    /// The group of each unknown.
    pub fn group_of(&self) -> Vec<u32> {
        let mut group_of = vec![0; self.unknowns.len()];
        for g in 0..self.count() {
            self.unknowns(g).iter().for_each(|&unknown| group_of[unknown as usize] = g as u32);
        }
        group_of
    }

    /// The groups one by one.
    pub fn to_groups(&self) -> Vec<Group> {
        let group = |g: usize| Group { kind: self.kinds[g], unknowns: self.unknowns(g).to_vec() };
        (0..self.count()).map(group).collect()
    }
}

/// Groups, and for each of them the others that share an entry of the matrix with it, in either direction.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupGraph {
    pub groups: Groups,
    starts: Vec<u32>,
    neighbours: Vec<u32>,
}

impl GroupGraph {
    /// The graph of pairs of groups, each of which may be given more than once and in any direction.
    pub fn new(groups: Groups, pairs: &[(u32, u32)]) -> Self {
        let count = groups.count();
        let mut ends = vec![0_u32; count + 1];
        for &(a, b) in pairs {
            ends[a as usize] += 1;
            ends[b as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        // filled from the end of each list
        let mut all = vec![0_u32; sum as usize];
        let mut put = |a: u32, b: u32| {
            let end = &mut ends[a as usize];
            *end -= 1;
            all[*end as usize] = b;
        };
        for &(a, b) in pairs {
            put(a, b);
            put(b, a);
        }
        // each neighbour once
        let mut mark = vec![u32::MAX; count];
        let mut starts = Vec::with_capacity(count + 1);
        let mut kept = 0;
        for g in 0..count {
            starts.push(kept as u32);
            mark[g] = g as u32;
            for k in ends[g]..ends[g + 1] {
                let other = all[k as usize];
                if std::mem::replace(&mut mark[other as usize], g as u32) != g as u32 {
                    all[kept] = other;
                    kept += 1;
                }
            }
        }
        starts.push(kept as u32);
        all.truncate(kept);
        all.shrink_to_fit();
        Self { groups, starts, neighbours: all }
    }

    /// The graph of a pattern.
    pub fn of_pattern(pattern: &Pattern, groups: &[Group]) -> Self {
        let groups = Groups::covering(pattern.size(), groups);
        let group_of = groups.group_of();
        let mut pairs = PairList::new(groups.count());
        for g in 0..groups.count() {
            for &column in groups.unknowns(g) {
                for &row in &pattern.rows()[pattern.column(column as usize)] {
                    pairs.add(group_of[row as usize], g as u32);
                }
            }
        }
        Self::new(groups, &pairs.pairs)
    }

    /// The groups that are coupled with a group.
    #[inline]
    pub fn neighbours(&self, group: usize) -> &[u32] {
        &self.neighbours[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}

/// Collects pairs of groups; those that follow each other with the same second group are stored once.
pub(crate) struct PairList {
    /// The second group with which each one was stored last.
    last: Vec<u32>,
    pub pairs: Vec<(u32, u32)>,
}

impl PairList {
    pub fn new(count: usize) -> Self {
        Self { last: vec![u32::MAX; count], pairs: Vec::with_capacity(4 * count) }
    }

    #[inline]
    pub fn add(&mut self, a: u32, b: u32) {
        if a != b && std::mem::replace(&mut self.last[a as usize], b) != b {
            self.pairs.push((a, b));
        }
    }
}
