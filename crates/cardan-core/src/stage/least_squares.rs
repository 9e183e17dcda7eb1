//! Accelerations and multipliers if [M Gᵀ; G 0] is singular: coordinates without inertia that
//! are held by springs, constraints that depend on others.
//!
//! The matrix A is symmetric. With a shift δ the augmented system
//!
//! ```text
//! [A −δ; δ A] (x, y) = (b, 0)      x = A (A² + δ²)⁻¹ b
//! ```
//! gives the least-squares solution of least norm up to δ²/σ², σ being the smallest singular value
//! that is not zero, and a few iterations on the residual remove that error.

use super::saddle::{REGULARIZING_COMPLIANCE, SaddlePointSolver};
use crate::linalg::{Group, GroupKind, LinearError, MatrixKind, Pattern, Solver, SparseMatrix};
use crate::math::largest;
use crate::stage::StageError;
use crate::state::Instant;
use crate::system::{Evaluator, StateView, System, SystemMatrix};

/// The shift, for a matrix whose rows have entries of size one.
const SHIFT: f64 = 1e-6;
const REPETITIONS: usize = 6;
/// Number of iterations if forces depend on multipliers.
const ROUNDS: usize = 50;
/// Largest residual of a row that can be satisfied, relative to its largest term.
const SATISFIED: f64 = 1e-8;
/// Round-off of a row, relative to the largest term of all rows.
const ROUND_OFF: f64 = 1e-12;
/// Rounds of scaling rows and columns to entries of size one.
const SCALINGS: usize = 4;

/// Equations that no acceleration satisfies.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct UnsatisfiedRows {
    /// The velocity coordinate with the largest unbalanced force, and that force.
    pub force: Option<(usize, f64)>,
    /// The constraint with the largest remaining acceleration.
    pub constraint: Option<(usize, f64)>,
}

/// Computes a and λ from t, q, v and z, in the sense of least squares, and ż.
pub(crate) fn accelerations(
    system: &dyn System,
    evaluator: &mut Evaluator,
    at: &mut Instant,
) -> Result<UnsatisfiedRows, StageError> {
    let sizes = evaluator.sizes();
    let (n, m) = (sizes.v, sizes.constraints);
    evaluator.mass(system, &at.q)?;
    evaluator.jacobian(system, at.t, &at.q)?;
    let mut right = vec![0.0; n + m];
    evaluator.acceleration_term(system, at.t, &at.q, &at.v, &mut right[n..])?;
    right[n..].iter_mut().for_each(|x| *x = -*x);

    // A by rows and columns
    let mut entries: Vec<(usize, usize, f64)> = evaluator.part(SystemMatrix::Mass).iter().collect();
    for (i, j, x) in evaluator.part(SystemMatrix::Jacobian).iter() {
        entries.extend([(n + i, j, x), (j, n + i, x)]);
    }
    let scale = scaling(n + m, &entries);
    let mut shifted = AugmentedMatrix::new(n + m, &entries, &scale);
    shifted.factorize().map_err(|error| explain(system, n, error))?;

    let mut x = vec![0.0; n + m];
    for _ in 0..if system.force_needs_multipliers() { ROUNDS } else { 1 } {
        let force = &mut right[..n];
        let multipliers = &x[n..];
        let point = StateView { multipliers, ..(&*at).into() };
        evaluator.force(system, &point, force)?;
        if let Some(i) = force.iter().position(|x| !x.is_finite()) {
            let what = format!("the force on {}", system.coordinate_name(i));
            return Err(StageError::NotFinite { what });
        }
        let next = shifted.solve(&right).map_err(|error| explain(system, n, error))?;
        let change = next.iter().zip(&x).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let is_done = change <= 1e-12 * largest(&next);
        x = next;
        if is_done {
            break;
        }
    }
    at.a.copy_from_slice(&x[..n]);
    at.multipliers.copy_from_slice(&x[n..]);
    check_massless_coordinates(system, evaluator, at)?;
    state_rates(system, evaluator, at)?;
    Ok(unsatisfied(n, &entries, &right, &x))
}

/// A coordinate without inertia must be held by a constraint, a spring or a damper: otherwise it is
/// undetermined in every step.
fn check_massless_coordinates(
    system: &dyn System,
    evaluator: &mut Evaluator,
    at: &Instant,
) -> Result<(), StageError> {
    let n = evaluator.sizes().v;
    let point = StateView::from(at);
    evaluator.force_tangent(system, &point)?;
    let all = SparseMatrix::written(n, n, |all| {
        for part in [SystemMatrix::Mass, SystemMatrix::Stiffness, SystemMatrix::Damping] {
            let part = evaluator.part(part);
            let most = largest(part.values());
            if most > 0.0 && most.is_finite() {
                part.iter().for_each(|(i, j, x)| all.add(i, j, x / most));
            }
        }
    });
    let jacobian = evaluator.part(SystemMatrix::Jacobian);
    let mut saddle =
        SaddlePointSolver::with_mass(evaluator.space(), jacobian, jacobian.rows(), &all);
    // constraints that depend on others are treated elsewhere
    match saddle.factorize_with_mass(&all, |_| 0.0, jacobian, |_| REGULARIZING_COMPLIANCE) {
        Err(LinearError::Singular { column }) => {
            let unknown = match column < n {
                true => format!("the motion of {}", system.coordinate_name(column)),
                false => format!("the multiplier of {}", system.constraint_name(column - n)),
            };
            Err(StageError::Singular { unknown })
        }
        _ => Ok(()),
    }
}

/// The rows whose residual is not small relative to their terms.
fn unsatisfied(
    n: usize,
    entries: &[(usize, usize, f64)],
    right: &[f64],
    x: &[f64],
) -> UnsatisfiedRows {
    let mut residual = right.to_vec();
    let mut terms: Vec<f64> = right.iter().map(|x| x.abs()).collect();
    for &(i, j, a) in entries {
        residual[i] -= a * x[j];
        terms[i] = terms[i].max((a * x[j]).abs());
    }
    let worst = |rows: std::ops::Range<usize>| {
        let most = terms[rows.clone()].iter().copied().fold(0.0_f64, f64::max);
        let is_open = |i: &usize| residual[*i].abs() > SATISFIED * terms[*i] + ROUND_OFF * most;
        let open = rows.clone().filter(is_open);
        let worst = open.max_by(|&a, &b| residual[a].abs().total_cmp(&residual[b].abs()));
        worst.map(|i| (i - rows.start, residual[i]))
    };
    UnsatisfiedRows { force: worst(0..n), constraint: worst(n..right.len()) }
}

/// ż from r(t, q, v, z, ż) = 0, by Newton with the full matrix.
fn state_rates(
    system: &dyn System,
    evaluator: &mut Evaluator,
    at: &mut Instant,
) -> Result<(), StageError> {
    let count = evaluator.sizes().z;
    if count == 0 {
        return Ok(());
    }
    for _ in 0..20 {
        let point = StateView::from(&*at);
        let mut residual = vec![0.0; count];
        evaluator.state_residual(system, &point, &at.rates, &mut residual)?;
        evaluator.state_tangent(system, &point, &at.rates)?;
        let mut matrix = nalgebra::DMatrix::zeros(count, count);
        evaluator.part(SystemMatrix::StateRate).iter().for_each(|(i, j, x)| matrix[(i, j)] += x);
        let solved = matrix.lu().solve(&nalgebra::DVector::from_vec(residual));
        let Some(change) = solved.filter(|x| x.iter().all(|x| x.is_finite())) else {
            return Err(StageError::Singular { unknown: system.state_name(0) });
        };
        at.rates.iter_mut().zip(change.iter()).for_each(|(rate, x)| *rate -= x);
        if change.amax() <= 1e-12 * largest(&at.rates) {
            break;
        }
    }
    Ok(())
}

/// Factors D such that D A D has rows of size one.
fn scaling(size: usize, entries: &[(usize, usize, f64)]) -> Vec<f64> {
    let mut scale = vec![1.0_f64; size];
    for _ in 0..SCALINGS {
        let mut rows = vec![0.0_f64; size];
        for &(i, j, x) in entries {
            rows[i] = rows[i].max((x * scale[i] * scale[j]).abs());
        }
        for (scale, row) in scale.iter_mut().zip(rows) {
            if row > 0.0 && row.is_finite() {
                *scale /= row.sqrt();
            }
        }
    }
    scale
}

/// The augmented matrix of a scaled A.
struct AugmentedMatrix {
    size: usize,
    scale: Vec<f64>,
    entries: Vec<(usize, usize, f64)>,
    solver: Solver,
    values: Vec<f64>,
}

impl AugmentedMatrix {
    fn new(size: usize, entries: &[(usize, usize, f64)], scale: &[f64]) -> Self {
        let entries: Vec<_> =
            entries.iter().map(|&(i, j, x)| (i, j, x * scale[i] * scale[j])).collect();
        let copies = |i: usize, j: usize| {
            [(i as u32, j as u32), ((size + i) as u32, (size + j) as u32)].into_iter()
        };
        let diagonals = (0..size).flat_map(|i| {
            let (i, k) = (i as u32, (size + i) as u32);
            [(i, i), (k, k), (i, k), (k, i)]
        });
        let places = entries.iter().flat_map(|&(i, j, _)| copies(i, j)).chain(diagonals);
        let pattern = Pattern::new(2 * size, places.collect());
        let mut values = vec![0.0; pattern.nonzeros()];
        let mut add = |i: usize, j: usize, x: f64| {
            // every place is part of the pattern
            values[pattern.slot(i, j).unwrap_or(0)] += x;
        };
        for &(i, j, x) in &entries {
            add(i, j, x);
            add(size + i, size + j, x);
        }
        for i in 0..size {
            add(i, size + i, -SHIFT);
            add(size + i, i, SHIFT);
        }
        let group = |i: usize| Group {
            kind: GroupKind::Coordinates,
            unknowns: vec![i as u32, (size + i) as u32],
        };
        let groups: Vec<Group> = (0..size).map(group).collect();
        let solver = Solver::new(pattern, &groups, MatrixKind::General);
        Self { size, scale: scale.to_vec(), entries, solver, values }
    }

    fn factorize(&mut self) -> Result<(), LinearError> {
        self.solver.factorize(&self.values)
    }

    fn solve(&mut self, right: &[f64]) -> Result<Vec<f64>, LinearError> {
        let Self { size, scale, entries, solver, .. } = self;
        let mut x = vec![0.0; *size];
        for _ in 0..REPETITIONS {
            let mut both = vec![0.0; 2 * *size];
            (0..*size).for_each(|i| both[i] = right[i] * scale[i]);
            entries.iter().for_each(|&(i, j, a)| both[i] -= a * x[j]);
            solver.solve(&mut both)?;
            x.iter_mut().zip(&both).for_each(|(x, more)| *x += more);
        }
        Ok(x.iter().zip(scale).map(|(x, scale)| x * *scale).collect())
    }
}

fn explain(system: &dyn System, n: usize, error: LinearError) -> StageError {
    match error {
        LinearError::NotFinite { row } => {
            let what = if row < n { system.coordinate_name(row) } else { "a constraint".into() };
            StageError::NotFinite { what: format!("the inertia or a gradient of {what}") }
        }
        _ => StageError::Singular { unknown: "the initial accelerations".into() },
    }
}
