//! The matrix [W Bᵀ; B −Γ]: minimal motions that satisfy the rows of B, firmly (Γ = 0) or as well as
//! they can (Γ > 0).

use crate::linalg::{Entries, Kind, LinearError, Pattern, Solver};
use crate::stage::layout::Layout;
use crate::system::{Sizes, Space};

/// A compliance that leaves regular directions alone and keeps redundant ones finite.
pub(super) const SLIGHT: f64 = 1e-12;
/// A compliance that takes a row out: its multiplier is nothing.
pub(super) const OUT: f64 = 1e12;

/// A solver for the saddle-point matrix of one pattern.
pub(super) struct Saddle {
    solver: Solver,
    values: Vec<f64>,
    /// Slots of the diagonal, then of each entry of B below and its mirror above.
    diagonal: Vec<u32>,
    mirrored: Vec<[u32; 2]>,
    n: usize,
    right: Vec<f64>,
    /// Entries of W besides its diagonal weights: slot and value.
    mass: Vec<(u32, f64)>,
}

impl Saddle {
    /// For rows of the pattern of `rows` over the velocities of a space.
    pub fn new(space: &Space, rows: &Entries) -> Self {
        Self::with_mass(space, rows, &[])
    }

    /// The same, with entries that belong to W besides the weights.
    pub fn with_mass(space: &Space, rows: &Entries, mass: &[(usize, usize, f64)]) -> Self {
        let (n, m) = (space.velocities(), rows.rows());
        let mut places: Vec<(u32, u32)> = (0..(n + m) as u32).map(|i| (i, i)).collect();
        for &(i, j) in rows.places() {
            places.extend([(n as u32 + i, j), (j, n as u32 + i)]);
        }
        places.extend(mass.iter().map(|&(i, j, _)| (i as u32, j as u32)));
        let pattern = Pattern::new(n + m, places);
        // every place asked for is part of the pattern
        let slot = |row: usize, column: usize| pattern.slot(row, column).unwrap_or(0) as u32;
        let diagonal = (0..n + m).map(|i| slot(i, i)).collect();
        let mirrored = rows.places().iter().map(|&(i, j)| {
            let (i, j) = (n + i as usize, j as usize);
            [slot(i, j), slot(j, i)]
        });
        let mirrored = mirrored.collect();
        let mass = mass.iter().map(|&(i, j, x)| (slot(i, j), x)).collect();
        let sizes = Sizes { q: space.configurations(), v: n, z: 0, holonomic: m, constraints: m };
        let groups = Layout { sizes, stabilized: false }.groups(space, rows);
        Self {
            values: vec![0.0; pattern.nonzeros()],
            solver: Solver::new(pattern, &groups, Kind::General),
            diagonal,
            mirrored,
            n,
            right: vec![0.0; n + m],
            mass,
        }
    }

    /// Factorizes for weights W, rows B and compliances Γ.
    pub fn factorize(
        &mut self,
        weights: &[f64],
        rows: &Entries,
        compliance: impl Fn(usize) -> f64,
    ) -> Result<(), LinearError> {
        self.values.fill(0.0);
        for (i, &slot) in self.diagonal.iter().enumerate() {
            let value = if i < self.n { weights[i] } else { -compliance(i - self.n) };
            self.values[slot as usize] = value;
        }
        for &(slot, value) in &self.mass {
            self.values[slot as usize] += value;
        }
        for (&[below, above], &value) in self.mirrored.iter().zip(rows.values()) {
            self.values[below as usize] = value;
            self.values[above as usize] = value;
        }
        self.solver.factorize(&self.values)
    }

    /// Solves for a right-hand side over the velocities and the rows: (motion, multipliers).
    pub fn solve(
        &mut self,
        motion: impl Fn(usize) -> f64,
        rows: impl Fn(usize) -> f64,
    ) -> Result<(&[f64], &[f64]), LinearError> {
        let n = self.n;
        for (i, right) in self.right.iter_mut().enumerate() {
            *right = if i < n { motion(i) } else { rows(i - n) };
        }
        self.solver.solve(&mut self.right)?;
        Ok(self.right.split_at(n))
    }
}
