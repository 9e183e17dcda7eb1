//! The places of stored cases by their keys: 24 bytes for each.

use std::collections::HashMap;

/// As many cases are added to the sorted list at once.
const RECENT: usize = 1 << 16;

/// A key with the place of its record. The halves of the key are separate because a number of 128 bits would take 32 bytes
/// with a place.
type StoredCase = ([u64; 2], u64);

/// The places of stored cases: a list in the order of the keys, and those that were added last.
#[derive(Default)]
pub struct CaseIndex {
    sorted: Vec<StoredCase>,
    recent: HashMap<u128, u64>,
}

/// The halves of a key, the higher one first: their order is that of the keys.
pub fn halves(key: u128) -> [u64; 2] {
    [(key >> 64) as u64, key as u64]
}

impl CaseIndex {
    /// The number of cases.
    pub fn len(&self) -> usize {
        self.sorted.len() + self.recent.len()
    }

    /// The place of a case.
    pub fn place(&self, key: u128) -> Option<u64> {
        let wanted = halves(key);
        let recent = || self.recent.get(&key).copied();
        let found = self.sorted.binary_search_by_key(&wanted, |(known, _)| *known);
        found.ok().map(|k| self.sorted[k].1).or_else(recent)
    }

    /// Adds a case, unless it is known.
    pub fn insert(&mut self, key: u128, place: u64) {
        if self.place(key).is_some() {
            return;
        }
        self.recent.insert(key, place);
        if self.recent.len() >= RECENT {
            self.merge();
        }
    }

    /// Merges the recent cases into the list, from its end, without a second list of its size.
    fn merge(&mut self) {
        let mut recent: Vec<StoredCase> =
            self.recent.drain().map(|(key, place)| (halves(key), place)).collect();
        recent.sort_unstable();
        let mut old = self.sorted.len();
        self.sorted.reserve_exact(recent.len());
        self.sorted.resize(old + recent.len(), ([0; 2], 0));
        let mut free = self.sorted.len();
        while let Some(&last) = recent.last() {
            free -= 1;
            let is_old = old > 0 && self.sorted[old - 1] > last;
            self.sorted[free] = if is_old { self.sorted[old - 1] } else { last };
            match is_old {
                true => old -= 1,
                false => _ = recent.pop(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_cases_in_any_order_are_found_after_merging() {
        let mut index = CaseIndex::default();
        // an odd factor permutes the numbers of 128 bits
        let key = |k: u64| u128::from(k).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
        let count = 2 * RECENT as u64 + 100;
        for k in 0..count {
            index.insert(key(k), k);
            index.insert(key(k / 2), u64::MAX);
        }
        assert_eq!((index.len() as u64, index.recent.len()), (count, 100));
        assert!(index.sorted.is_sorted());
        assert!((0..count).all(|k| index.place(key(k)) == Some(k)));
        assert_eq!(index.place(key(count)), None);
    }
}
