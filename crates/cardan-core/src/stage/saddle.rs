//! The matrix [W Bᵀ; B −Γ]: minimal motions that satisfy the rows of B exactly (Γ = 0) or
//! approximately (Γ > 0).

use super::layout::StageLayout;
use crate::linalg::{Group, LinearError, MatrixKind, Pattern, Solver, SparseMatrix};
use crate::system::{Evaluator, Space, SystemMatrix, SystemSizes};

/// A compliance that does not change regular directions and keeps redundant ones finite.
pub const REGULARIZING_COMPLIANCE: f64 = 1e-12;
/// A compliance that removes a row: its multiplier is zero.
pub const REMOVING_COMPLIANCE: f64 = 1e12;

/// A solver for the saddle-point matrix of one pattern.
pub struct SaddlePointSolver {
    solver: Solver,
    values: Vec<f64>,
    diagonal: Vec<u32>,
    /// Slots of the entries of M.
    mass: Vec<u32>,
    /// Slots of the used entries of B, below the diagonal and mirrored above.
    mirrored: Vec<(u32, [u32; 2])>,
    n: usize,
    right: Vec<f64>,
}

impl SaddlePointSolver {
    /// A solver for rows with the pattern of `rows` over the velocities of a space, with diagonal W.
    pub fn new(space: &Space, rows: &SparseMatrix) -> Self {
        Self::with_mass(space, rows, rows.rows(), &SparseMatrix::default())
    }

    /// A solver for the first m rows of the pattern of `rows`, and W of the pattern of `mass` plus a diagonal.
    pub fn with_mass(space: &Space, rows: &SparseMatrix, m: usize, mass: &SparseMatrix) -> Self {
        Self::build(space, rows, m, mass, |_| true)
    }

    /// A solver for the active ones of the first m rows of G; the others have a diagonal entry only.
    pub fn of_active_rows(evaluator: &Evaluator, m: usize, mass: &SparseMatrix) -> Self {
        let (space, rows) = (evaluator.space(), evaluator.part(SystemMatrix::Jacobian));
        Self::build(space, rows, m, mass, |row| !evaluator.is_inactive(row))
    }

    fn build(
        space: &Space,
        rows: &SparseMatrix,
        m: usize,
        mass: &SparseMatrix,
        is_active: impl Fn(usize) -> bool,
    ) -> Self {
        let n = space.velocities();
        let takes_part = |row: u32| (row as usize) < m && is_active(row as usize);
        let first = n as u32;
        let kept = || rows.places().enumerate().filter(|(_, place)| takes_part(place.0));
        let mut places: Vec<(u32, u32)> = mass.places().collect();
        for (_, (i, j)) in kept() {
            places.extend([(first + i, j), (j, first + i)]);
        }
        // slots of M, of the entries of B, and of the diagonal
        let (pattern, slots) = Pattern::with_slots(n + m, places);
        let mut slots = slots.into_iter();
        let mut slot = || slots.next().unwrap_or(0);
        let mass = mass.row_indices().iter().map(|_| slot()).collect();
        let mirrored = kept().map(|(source, _)| (source as u32, [slot(), slot()])).collect();
        let diagonal = slots.collect();
        let sizes =
            SystemSizes { q: space.configurations(), v: n, z: 0, holonomic: m, constraints: m };
        let groups = StageLayout { sizes }.groups(space, rows).to_groups();
        Self {
            values: vec![0.0; pattern.nonzeros()],
            solver: Solver::new(pattern, &groups, MatrixKind::General),
            diagonal,
            mass,
            mirrored,
            n,
            right: vec![0.0; n + m],
        }
    }

    /// The linear solver.
    pub fn solver_mut(&mut self) -> &mut Solver {
        &mut self.solver
    }

    /// Factorizes for weights W, rows B and compliances Γ.
    pub fn factorize(
        &mut self,
        weights: &[f64],
        rows: &SparseMatrix,
        compliance: impl Fn(usize) -> f64,
    ) -> Result<(), LinearError> {
        self.factorize_with_mass(&SparseMatrix::default(), |i| weights[i], rows, compliance)
    }

    /// Factorizes for W = M + a diagonal, rows B and compliances Γ.
    pub fn factorize_with_mass(
        &mut self,
        mass: &SparseMatrix,
        weight: impl Fn(usize) -> f64,
        rows: &SparseMatrix,
        compliance: impl Fn(usize) -> f64,
    ) -> Result<(), LinearError> {
        self.values.fill(0.0);
        for (i, &slot) in self.diagonal.iter().enumerate() {
            let value = if i < self.n { weight(i) } else { -compliance(i - self.n) };
            self.values[slot as usize] = value;
        }
        for (&slot, &value) in self.mass.iter().zip(mass.values()) {
            self.values[slot as usize] += value;
        }
        for &(source, [below, above]) in &self.mirrored {
            let value = rows.values()[source as usize];
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

/// Coordinate blocks and constraint rows as groups for the order of elimination of [A Bᵀ; B 0].
pub fn coordinate_groups(space: &Space, rows: &SparseMatrix) -> Vec<Group> {
    let (n, m) = (space.velocities(), rows.rows());
    let sizes = SystemSizes { q: space.configurations(), v: n, z: 0, holonomic: m, constraints: m };
    StageLayout { sizes }.groups(space, rows).to_groups()
}
