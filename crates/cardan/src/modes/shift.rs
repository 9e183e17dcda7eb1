//! Shifted matrices under constraints, and the projection to motions that the constraints allow.

use super::linearization::Linearization;
use cardan_core::linalg::{Group, GroupKind, MatrixKind, Pattern, Solver, SparseMatrix};

/// Whether A may be taken to be symmetric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symmetry {
    Symmetric,
    General,
}

/// The saddle-point matrix [A R; G 0], factorized; with first-order states
/// [A R F; G 0 0; σR_v + R_q, R_λ, σR_ż + R_z].
pub(super) struct Shifted {
    solver: Solver,
    n: usize,
    states: usize,
    right: Vec<f64>,
}

impl Shifted {
    /// A is a sum of matrices with their factors; nonholonomic rows are σN + P.
    pub fn new(
        equations: &Linearization,
        symmetry: Symmetry,
        sigma: f64,
        sum: &[(&SparseMatrix, f64)],
    ) -> Option<Self> {
        let (n, m) = (equations.size(), equations.jacobian.rows());
        let holonomic = equations.holonomic;
        let mut places: Vec<(u32, u32)> =
            sum.iter().flat_map(|(matrix, _)| matrix.places()).collect();
        places.extend(equations.jacobian.places().map(|(i, j)| (n as u32 + i, j)));
        let first = (n + holonomic) as u32;
        places.extend(equations.rates.places().map(|(i, j)| (first + i, j)));
        places.extend(equations.reactions.places().map(|(i, j)| (i, n as u32 + j)));
        let states = &equations.states;
        let z = (n + m) as u32;
        places.extend(states.force.places().map(|(i, k)| (i, z + k)));
        for matrix in [&states.configuration, &states.velocity] {
            places.extend(matrix.places().map(|(k, j)| (z + k, j)));
        }
        places.extend(states.multipliers.places().map(|(k, i)| (z + k, n as u32 + i)));
        for matrix in [&states.state, &states.rate] {
            places.extend(matrix.places().map(|(k, l)| (z + k, z + l)));
        }
        let total = n + m + states.count();
        let pattern = Pattern::new(total, places);
        let mut values = vec![0.0; pattern.nonzeros()];
        let mut put = |i: usize, j: usize, x: f64| {
            if let Some(slot) = pattern.slot(i, j) {
                values[slot] += x;
            }
        };
        for (matrix, factor) in sum {
            matrix.iter().for_each(|(i, j, x)| put(i, j, factor * x));
        }
        for (i, j, x) in equations.jacobian.iter() {
            put(n + i, j, if i < holonomic { x } else { sigma * x });
        }
        equations.rates.iter().for_each(|(i, j, x)| put(n + holonomic + i, j, x));
        equations.reactions.iter().for_each(|(i, j, x)| put(i, n + j, x));
        let z = n + m;
        states.force.iter().for_each(|(i, k, x)| put(i, z + k, x));
        states.configuration.iter().for_each(|(k, j, x)| put(z + k, j, x));
        states.velocity.iter().for_each(|(k, j, x)| put(z + k, j, sigma * x));
        states.multipliers.iter().for_each(|(k, i, x)| put(z + k, n + i, x));
        states.state.iter().for_each(|(k, l, x)| put(z + k, z + l, x));
        states.rate.iter().for_each(|(k, l, x)| put(z + k, z + l, sigma * x));
        let own = |k| Group { kind: GroupKind::Coordinates, unknowns: vec![k as u32] };
        let groups: Vec<Group> =
            equations.groups.iter().cloned().chain((z..total).map(own)).collect();
        let factorized = |kind: MatrixKind| {
            let mut solver = Solver::new(pattern.clone(), &groups, kind);
            solver.factorize(&values).ok().map(|()| solver)
        };
        // a matrix that is not positive, because of buckling or too small a shift, is factorized by LU
        let positive = match total == n && symmetry == Symmetry::Symmetric {
            true => factorized(MatrixKind::SymmetricPositive),
            false => None,
        };
        let solver = positive.or_else(|| factorized(MatrixKind::General))?;
        Some(Self { solver, n, states: states.count(), right: vec![0.0; total] })
    }

    pub fn solve(&mut self, right: &[f64], rows: &[f64]) -> Option<Vec<f64>> {
        self.solve_with_states(right, rows, &[]).map(|[x, _]| x)
    }

    /// The displacements and states for right-hand sides of the motion, the last constraint rows and the states.
    pub fn solve_with_states(
        &mut self,
        right: &[f64],
        rows: &[f64],
        states: &[f64],
    ) -> Option<[Vec<f64>; 2]> {
        self.right.fill(0.0);
        self.right[..self.n].copy_from_slice(right);
        let first = self.right.len() - self.states;
        self.right[first - rows.len()..first].copy_from_slice(rows);
        self.right[first..first + states.len()].copy_from_slice(states);
        self.solver.solve(&mut self.right).ok()?;
        let found = [&self.right[..self.n], &self.right[first..]];
        found.iter().all(|x| x.iter().all(|x| x.is_finite())).then(|| found.map(<[f64]>::to_vec))
    }
}

/// How many ω² of K x = ω² M x under the constraints lie below a value: by Sylvester's law of inertia the
/// matrix [K − ω²M Gᵀ; G 0] has as many negative eigenvalues more than there are rows. `None` if a pivot is
/// too small to have a sign.
pub(super) fn count_below(equations: &Linearization, square: f64) -> Option<usize> {
    let (n, m) = (equations.size(), equations.jacobian.rows());
    let sum = [(&equations.stiffness, 1.0), (&equations.mass, -square)];
    // coordinates and rows are brought to one size first, which changes no sign
    let mut scale = vec![0.0_f64; n + m];
    for (matrix, factor) in sum {
        for (i, _, x) in matrix.iter().filter(|(i, j, _)| i == j) {
            scale[i] += (factor * x).abs();
        }
    }
    let root = |x: f64| if x > 0.0 { 1.0 / x.sqrt() } else { 1.0 };
    scale[..n].iter_mut().for_each(|x| *x = root(*x));
    for (i, j, x) in equations.jacobian.iter() {
        scale[n + i] = scale[n + i].max((x * scale[j]).abs());
    }
    scale[n..].iter_mut().for_each(|x| *x = if *x > 0.0 { 1.0 / *x } else { 1.0 });
    let mut places: Vec<(u32, u32)> = sum.iter().flat_map(|(matrix, _)| matrix.places()).collect();
    for k in 0..places.len() {
        places.push((places[k].1, places[k].0));
    }
    for (i, j) in equations.jacobian.places() {
        places.extend([(n as u32 + i, j), (j, n as u32 + i)]);
    }
    let pattern = Pattern::new(n + m, places);
    let mut values = vec![0.0; pattern.nonzeros()];
    let mut put = |i: usize, j: usize, x: f64| {
        if let Some(slot) = pattern.slot(i, j) {
            values[slot] += scale[i] * x * scale[j];
        }
    };
    for (matrix, factor) in sum {
        for (i, j, x) in matrix.iter() {
            put(i, j, 0.5 * factor * x);
            put(j, i, 0.5 * factor * x);
        }
    }
    for (i, j, x) in equations.jacobian.iter() {
        put(n + i, j, x);
        put(j, n + i, x);
    }
    let mut solver = Solver::new(pattern, &equations.groups, MatrixKind::General);
    solver.negative_eigenvalues(&values)?.checked_sub(m)
}

/// Projects displacements and velocities to those that the constraints allow: [W Gᵀ; G 0] with a diagonal W.
/// An operator with a constraint has eigenvalues at infinity, and round-off would find them.
pub(super) struct ConstraintProjection<'a> {
    equations: &'a Linearization,
    solver: Option<Solver>,
    weights: Vec<f64>,
}

impl<'a> ConstraintProjection<'a> {
    pub fn new(equations: &'a Linearization) -> Option<Self> {
        let (n, m) = (equations.size(), equations.jacobian.rows());
        let mut weights = vec![0.0; n];
        for (i, _, x) in equations.mass.iter().filter(|(i, j, _)| i == j) {
            weights[i] += x;
        }
        let most = cardan_core::math::largest(&weights);
        // coordinates without mass get the smallest weight
        let least = weights.iter().copied().filter(|x| *x > 0.0).fold(most, f64::min);
        weights.iter_mut().filter(|x| **x <= 0.0).for_each(|x| *x = least);
        if m == 0 {
            return Some(Self { equations, solver: None, weights });
        }
        let mut places: Vec<(u32, u32)> = (0..n as u32).map(|i| (i, i)).collect();
        for (i, j) in equations.jacobian.places() {
            places.extend([(n as u32 + i, j), (j, n as u32 + i)]);
        }
        let pattern = Pattern::new(n + m, places);
        let mut values = vec![0.0; pattern.nonzeros()];
        let mut put = |i: usize, j: usize, x: f64| {
            if let Some(slot) = pattern.slot(i, j) {
                values[slot] += x;
            }
        };
        weights.iter().enumerate().for_each(|(i, x)| put(i, i, *x));
        for (i, j, x) in equations.jacobian.iter() {
            put(n + i, j, x);
            put(j, n + i, x);
        }
        let mut solver = Solver::new(pattern, &equations.groups, MatrixKind::General);
        solver.factorize(&values).ok()?;
        Some(Self { equations, solver: Some(solver), weights })
    }

    /// The nearest x with G x equal to something for the last rows, zero for the others.
    fn apply(&mut self, x: &mut [f64], last: &[f64], rows: usize) -> Option<()> {
        let Some(solver) = &mut self.solver else { return Some(()) };
        let (n, m) = (x.len(), self.equations.jacobian.rows());
        let mut right = vec![0.0; n + m];
        for (k, x) in x.iter().enumerate() {
            right[k] = self.weights[k] * x;
        }
        // the remaining rows are not changed
        let kept = self.equations.jacobian.product(x);
        for i in 0..m {
            right[n + i] = if i < rows { 0.0 } else { kept[i] };
        }
        for (k, value) in last.iter().enumerate() {
            right[n + m - last.len() + k] = *value;
        }
        solver.solve(&mut right).ok()?;
        x.copy_from_slice(&right[..n]);
        Some(())
    }

    /// ξ under holonomic rows.
    pub fn displacement(&mut self, u: &mut [f64]) -> Option<()> {
        self.apply(u, &[], self.equations.holonomic)
    }

    /// ξ̇ under all rows: N ξ̇ = −P ξ for the nonholonomic ones.
    pub fn velocity(&mut self, u: &[f64], w: &mut [f64]) -> Option<()> {
        let carried: Vec<f64> = self.equations.rates.product(u).iter().map(|x| -x).collect();
        self.apply(w, &carried, self.equations.jacobian.rows())
    }
}
