//! The coupling of coordinates: the sparsity of differenced tangents.

/// The sparsity of ∂f/∂q, ∂f/∂v and ∂(M a)/∂q when they are differenced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coupling {
    /// Every coordinate may act on every other.
    Dense,
    /// Each list names the velocity indices that one element couples with each other.
    Elements(Vec<Vec<usize>>),
}

impl Coupling {
    /// The coupled pairs (row, column) among n coordinates; `None` if an index is out of range.
    pub(crate) fn places(&self, n: usize) -> Option<Vec<(u32, u32)>> {
        let mut places = Vec::new();
        let mut couple = |members: &mut dyn Iterator<Item = usize>, all: &[usize]| {
            for i in members {
                places.extend(all.iter().map(|&j| (i as u32, j as u32)));
            }
        };
        match self {
            Self::Dense => couple(&mut (0..n), &(0..n).collect::<Vec<_>>()),
            Self::Elements(elements) => {
                for element in elements {
                    if element.iter().any(|&i| i >= n) {
                        return None;
                    }
                    couple(&mut element.iter().copied(), element);
                }
            }
        }
        places.sort_unstable();
        places.dedup();
        Some(places)
    }
}

/// Columns that can be perturbed together because no two of them share a row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coloring {
    /// The columns of each color.
    pub colors: Vec<Vec<u32>>,
}

impl Coloring {
    /// A greedy coloring of the columns of a pattern sorted by column.
    pub fn new(rows: usize, columns: usize, places: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut by_column = vec![Vec::new(); columns];
        for (i, j) in places {
            by_column[j as usize].push(i as usize);
        }
        let mut colors: Vec<Vec<u32>> = Vec::new();
        // the rows that each color has used so far
        let mut taken: Vec<Vec<bool>> = Vec::new();
        for (j, used) in by_column.iter().enumerate() {
            if used.is_empty() {
                continue;
            }
            let fits = |rows: &Vec<bool>| used.iter().all(|&i| !rows[i]);
            let color = taken.iter().position(fits).unwrap_or_else(|| {
                taken.push(vec![false; rows]);
                colors.push(Vec::new());
                colors.len() - 1
            });
            used.iter().for_each(|&i| taken[color][i] = true);
            colors[color].push(j as u32);
        }
        Self { colors }
    }
}
