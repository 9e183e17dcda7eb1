//! The sparse solvers against dense LU: random stages, massless coordinates, redundant rows,
//! nearly singular matrices, aging pivots.

use cardan::SimulationError;
use cardan::linalg::{
    Group, GroupKind, LinearError, MatrixKind, Pattern, Pivots, Solver, SparseMatrix,
};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

/// A small generator of numbers in [−1, 1], so that every case is reproducible from its seed.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// A chain of bodies with three coordinates, joined by two constraint rows each: the structure of
/// [c_a M + c_v D + c_q K, Gᵀ; G, 0].
struct Chain {
    bodies: usize,
    places: Vec<(u32, u32)>,
}

impl Chain {
    fn new(bodies: usize) -> Self {
        let mut places = Vec::new();
        let mut couple = |rows: &[usize], columns: &[usize]| {
            for &i in rows {
                places.extend(columns.iter().map(|&j| (i as u32, j as u32)));
            }
        };
        for body in 0..bodies {
            let own: Vec<usize> = (3 * body..3 * body + 3).collect();
            let next: Vec<usize> = (3 * body..(3 * body + 6).min(3 * bodies)).collect();
            let rows: Vec<usize> = (0..2).map(|k| 3 * bodies + 2 * body + k).collect();
            couple(&own, &own);
            couple(&rows, &next);
            couple(&next, &rows);
        }
        Self { bodies, places }
    }

    fn size(&self) -> usize {
        5 * self.bodies
    }

    fn groups(&self) -> Vec<Group> {
        let mut groups = Vec::new();
        for body in 0..self.bodies as u32 {
            let unknowns = (3 * body..3 * body + 3).collect();
            groups.push(Group { kind: GroupKind::Coordinates, unknowns });
        }
        for body in 0..self.bodies as u32 {
            let first = 3 * self.bodies as u32 + 2 * body;
            let unknowns = vec![first, first + 1];
            groups.push(Group { kind: GroupKind::Constraints, unknowns });
        }
        groups
    }

    fn solver(&self) -> Solver {
        let pattern = Pattern::new(self.size(), self.places.clone());
        Solver::new(pattern, &self.groups(), MatrixKind::General)
    }

    /// Masses over many magnitudes, a little stiffness, G of size one. Bodies in `massless` have
    /// zero diagonal blocks.
    fn values(&self, solver: &Solver, numbers: &mut Numbers, massless: &[usize]) -> Vec<f64> {
        let n = 3 * self.bodies;
        let masses: Vec<f64> = (0..n).map(|_| 10_f64.powf(3.0 * numbers.next())).collect();
        let mut values = vec![0.0; solver.pattern().nonzeros()];
        for &(i, j) in &self.places {
            let (i, j) = (i as usize, j as usize);
            let Some(slot) = solver.pattern().slot(i, j) else { continue };
            let Some(mirror) = solver.pattern().slot(j, i) else { continue };
            values[slot] = match (i < n, j < n) {
                (true, true) if massless.contains(&(i / 3)) => 0.0,
                (true, true) if i == j => masses[i],
                (true, true) => 0.05 * numbers.next() * masses[i.min(j)].min(masses[i.max(j)]),
                (false, _) => numbers.next(),
                // G stands before Gᵀ among the places, so that the two agree
                (true, false) => values[mirror],
            };
        }
        values
    }
}

fn dense(solver: &Solver, values: &[f64]) -> DMatrix<f64> {
    let n = solver.pattern().size();
    let mut matrix = DMatrix::zeros(n, n);
    for j in 0..n {
        for slot in solver.pattern().column(j) {
            matrix[(solver.pattern().rows()[slot] as usize, j)] = values[slot];
        }
    }
    matrix
}

/// The normwise backward error of a solution.
fn backward_error(matrix: &DMatrix<f64>, x: &DVector<f64>, b: &DVector<f64>) -> f64 {
    let residual = matrix * x - b;
    let scale = matrix.abs() * x.abs() + b.abs();
    residual
        .iter()
        .zip(&scale)
        .map(|(r, s)| if *r == 0.0 { 0.0 } else { r.abs() / s })
        .fold(0.0, f64::max)
}

/// The componentwise backward error of elimination is at most 3 n ε |L| |U|. Without refinement
/// |L| is below 1e3, and |U| below 1e3 |A| with it; with refinement the error is round-off. Newton
/// evaluates its residual anew in every iteration, so that this much is plenty there.
fn bound(chain: &Chain) -> f64 {
    3e6 * chain.size() as f64 * f64::EPSILON
}

/// Factorizes, solves for a random right-hand side, and bounds the backward error.
fn check_solution(
    chain: &Chain,
    solver: &mut Solver,
    values: &[f64],
    numbers: &mut Numbers,
) -> Result<(), TestCaseError> {
    let matrix = dense(solver, values);
    // constraints drawn at random may happen to depend on each other
    prop_assume!(matrix.clone().lu().u().diagonal().abs().min() > 1e-6);
    prop_assert_eq!(solver.factorize(values), Ok(()));
    let b = DVector::from_fn(chain.size(), |_, _| numbers.next());
    let mut x = b.as_slice().to_vec();
    prop_assert_eq!(solver.solve(&mut x), Ok(()));
    let error = backward_error(&matrix, &DVector::from_vec(x), &b);
    prop_assert!(error < bound(chain), "backward error {error:e}");
    Ok(())
}

/// Two unknowns in a chain of four whose constraint rows are made to repeat each other.
const REPEATED: [usize; 2] = [12 + 4, 12 + 5];

/// Makes the second row of joint 2 repeat the first, in G and in Gᵀ.
fn repeat_row(solver: &Solver, values: &mut [f64]) {
    let [one, two] = REPEATED;
    for j in 0..12 {
        for (a, b) in [((one, j), (two, j)), ((j, one), (j, two))] {
            let (a, b) = (solver.pattern().slot(a.0, a.1), solver.pattern().slot(b.0, b.1));
            if let (Some(a), Some(b)) = (a, b) {
                values[b] = values[a];
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    /// Pivots chosen once, values drawn anew eight times, masses over six magnitudes.
    #[test]
    fn kept_pivots_stay_good(bodies in 1_usize..12, seed in any::<u64>()) {
        let chain = Chain::new(bodies);
        let mut solver = chain.solver();
        let mut numbers = Numbers(seed);
        for _ in 0..8 {
            let values = chain.values(&solver, &mut numbers, &[]);
            check_solution(&chain, &mut solver, &values, &mut numbers)?;
        }
    }

    /// A body without mass, held by its joints, needs pivots off the diagonal.
    #[test]
    fn massless_bodies_are_solved(bodies in 3_usize..8, seed in any::<u64>()) {
        let chain = Chain::new(bodies);
        let mut solver = chain.solver();
        let mut numbers = Numbers(seed);
        let values = chain.values(&solver, &mut numbers, &[1]);
        check_solution(&chain, &mut solver, &values, &mut numbers)?;
    }

    /// Prescribing the pivots of one solver to another gives the same bits.
    #[test]
    fn restored_pivots_repeat_the_bits(bodies in 1_usize..8, seed in any::<u64>()) {
        let chain = Chain::new(bodies);
        let (mut first, mut second) = (chain.solver(), chain.solver());
        let mut numbers = Numbers(seed);
        let start = chain.values(&first, &mut numbers, &[]);
        prop_assume!(first.factorize(&start).is_ok());
        let later = chain.values(&first, &mut numbers, &[]);
        prop_assume!(first.factorize(&later).is_ok() && first.statistics().pivotings == 1);
        second.restore_pivots(first.pivots());
        prop_assert_eq!(second.factorize(&later), Ok(()));
        prop_assert_eq!(second.statistics().pivotings, 0);
        let (mut x, mut y) = (vec![1.0; chain.size()], vec![1.0; chain.size()]);
        first.solve(&mut x).unwrap();
        second.solve(&mut y).unwrap();
        prop_assert!(x.iter().zip(&y).all(|(a, b)| a.to_bits() == b.to_bits()));
    }

    /// Nothing that can be restored, and no values, make the solver panic.
    #[test]
    fn nonsense_is_refused(rows in prop::collection::vec(any::<u32>(), 0..12), values in prop::collection::vec(any::<f64>(), 13)) {
        let chain = Chain::new(1);
        let mut solver = chain.solver();
        let exponents = rows.iter().map(|row| *row as i16).collect();
        solver.restore_pivots(&Pivots { merged: rows.clone(), rows, exponents });
        let mut all = vec![0.0; solver.pattern().nonzeros()];
        all.iter_mut().zip(values.iter().cycle()).for_each(|(a, v)| *a = *v);
        if solver.factorize(&all).is_ok() {
            let _ = solver.solve(&mut vec![1.0; chain.size()]);
        }
    }
}

#[test]
fn a_redundant_row_is_named() {
    let chain = Chain::new(4);
    let mut solver = chain.solver();
    let mut values = chain.values(&solver, &mut Numbers(7), &[]);
    repeat_row(&solver, &mut values);
    let error = solver.factorize(&values);
    // elimination cannot tell which of the two dependent multipliers is the superfluous one
    assert!(
        matches!(error, Err(LinearError::Singular { column }) if REPEATED.contains(&column)),
        "{error:?}"
    );
}

#[test]
fn pivots_that_have_aged_are_chosen_anew() {
    let places = vec![(0, 0), (0, 1), (1, 0), (1, 1)];
    let group = |i| Group { kind: GroupKind::Coordinates, unknowns: vec![i] };
    let mut solver =
        Solver::new(Pattern::new(2, places), &[group(0), group(1)], MatrixKind::General);
    // column-major: first with a good diagonal, then with none
    for (values, pivotings) in [([2.0, 1.0, 1.0, 2.0], 1), ([0.0, 1.0, 1.0, 0.0], 2)] {
        assert_eq!(solver.factorize(&values), Ok(()));
        let mut x = vec![3.0, 5.0];
        solver.solve(&mut x).unwrap();
        let found = [values[0] * x[0] + values[2] * x[1], values[1] * x[0] + values[3] * x[1]];
        assert_eq!(found, [3.0, 5.0]);
        assert_eq!(solver.statistics().pivotings, pivotings);
    }
}

/// A solver for two unknowns, eliminated one after the other, with the pivots and scales of a good matrix.
fn solver_with_kept_pivots() -> Solver {
    let places = vec![(0, 0), (0, 1), (1, 0), (1, 1)];
    let group = |i| Group { kind: GroupKind::Coordinates, unknowns: vec![i] };
    let mut solver =
        Solver::new(Pattern::new(2, places), &[group(0), group(1)], MatrixKind::General);
    assert_eq!(solver.factorize(&[1.0, 0.5, 0.5, 1.0]), Ok(()));
    solver
}

#[test]
fn a_nearly_singular_matrix_is_refined() {
    // kept pivots meet a diagonal of 2e-6: L grows to 5e5 and multiplies a row of U of one, and one refinement repairs the loss
    let mut solver = solver_with_kept_pivots();
    let values = [2e-6, 1.0, 1.0, 0.3];
    assert_eq!(solver.factorize(&values), Ok(()));
    let b = DVector::from_vec(vec![0.7, -1.3]);
    let mut x = b.as_slice().to_vec();
    solver.solve(&mut x).unwrap();
    let matrix = DMatrix::from_column_slice(2, 2, &values);
    // after refinement nothing of the growth is left
    assert!(backward_error(&matrix, &DVector::from_vec(x), &b) < 4.0 * f64::EPSILON);
    assert_eq!((solver.statistics().pivotings, solver.statistics().refinements), (1, 1));
}

#[test]
fn a_small_row_is_not_refined() {
    // L grows to 5e5, but it multiplies a row of U of 2e-6: no digit is lost
    let mut solver = solver_with_kept_pivots();
    let values = [2e-6, 1.0, 1e-6, 0.3];
    assert_eq!(solver.factorize(&values), Ok(()));
    let b = DVector::from_vec(vec![0.7e-6, -1.3]);
    let mut x = b.as_slice().to_vec();
    solver.solve(&mut x).unwrap();
    let matrix = DMatrix::from_column_slice(2, 2, &values);
    assert!(backward_error(&matrix, &DVector::from_vec(x), &b) < 4.0 * f64::EPSILON);
    assert_eq!((solver.statistics().pivotings, solver.statistics().refinements), (1, 0));
}

#[test]
fn infinite_entries_are_named() {
    let chain = Chain::new(2);
    let mut solver = chain.solver();
    let mut values = chain.values(&solver, &mut Numbers(3), &[]);
    let slot = solver.pattern().slot(4, 4).unwrap();
    values[slot] = f64::NAN;
    assert_eq!(solver.factorize(&values), Err(LinearError::NotFinite { row: 4 }));
}

#[test]
fn cholesky_solves_a_grid_and_refuses_an_indefinite_one() {
    let side = 12_u32;
    let at = |i: u32, j: u32| side * i + j;
    let mut places = Vec::new();
    for i in 0..side {
        for j in 0..side {
            places.push((at(i, j), at(i, j)));
            for (a, b) in [(i + 1, j), (i, j + 1)] {
                if a < side && b < side {
                    places.extend([(at(i, j), at(a, b)), (at(a, b), at(i, j))]);
                }
            }
        }
    }
    let n = (side * side) as usize;
    let group = |i| Group { kind: GroupKind::Coordinates, unknowns: vec![i] };
    let groups: Vec<Group> = (0..n as u32).map(group).collect();
    let mut solver = Solver::new(Pattern::new(n, places), &groups, MatrixKind::SymmetricPositive);
    let laplacian = |diagonal: f64| -> Vec<f64> {
        let pattern = solver.pattern();
        let column = |j: usize| pattern.column(j).map(move |slot| (slot, j));
        (0..n)
            .flat_map(column)
            .map(|(slot, j)| if pattern.rows()[slot] as usize == j { diagonal } else { -1.0 })
            .collect()
    };
    let (good, bad) = (laplacian(4.0), laplacian(1.0));
    assert_eq!(solver.factorize(&good), Ok(()));
    let b = DVector::from_fn(n, |i, _| (i as f64).sin());
    let mut x = b.as_slice().to_vec();
    solver.solve(&mut x).unwrap();
    let error = backward_error(&dense(&solver, &good), &DVector::from_vec(x), &b);
    assert!(error < 64.0 * f64::EPSILON, "backward error {error:e}");
    assert_eq!(solver.factorize(&bad), Err(LinearError::NotPositive));
}

/// The order of writing does not matter, a new place and one outside are faults: seen through a
/// system whose mass is written in another way each time.
#[test]
fn entries_take_any_order_but_no_new_place() {
    use cardan::stage::StageError;
    use cardan::system::SystemError;
    use cardan::{Failure, InitialValues, Settings, Simulation, Space, StateView, System};
    use std::sync::atomic::{AtomicU32, Ordering};

    struct Shifty {
        calls: AtomicU32,
        adds_later: bool,
    }
    impl System for Shifty {
        fn space(&self) -> Space {
            Space::vector(2)
        }
        fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
            let calls = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
            let order = if calls.is_multiple_of(2) { [0, 1] } else { [1, 0] };
            order.iter().for_each(|&i| mass.add(i, i, 1.0 + i as f64));
            if self.adds_later && calls > 40 {
                mass.add(0, 1, 0.0);
            }
            Ok(())
        }
        fn force(&self, _at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
            (force[0], force[1]) = (1.0, 1.0);
            Ok(())
        }
    }
    let initial = InitialValues::new(&[0.0; 2], &[0.0; 2]);
    for adds_later in [false, true] {
        let system = Shifty { calls: AtomicU32::new(0), adds_later };
        let settings = Settings::new("generalized-alpha", 0.1);
        let mut run = Simulation::new(&system, &settings, &initial).unwrap();
        let result = run.run_until(10.0);
        assert!((run.now().a[1] - 0.5).abs() < 1e-12, "the mass is what was written");
        let refused = matches!(
            result,
            Err(SimulationError::Step {
                cause: StageError::System(SystemError::Entry {
                    row: 0,
                    column: 1,
                    outside: false,
                    ..
                }),
                ..
            })
        );
        assert_eq!(refused, adds_later, "{result:?}");
    }
}

/// Lengths and groups that do not fit are refused or mended, never a panic.
#[test]
fn vectors_that_do_not_fit_are_refused() {
    let pattern = Pattern::new(2, vec![(0, 1), (1, 0), (7, 7)]);
    assert_eq!((pattern.nonzeros(), pattern.column(9), pattern.slot(9, 9)), (4, 0..0, None));
    let group = Group { kind: GroupKind::Constraints, unknowns: vec![1, 1, 9] };
    let mut solver = Solver::new(pattern, &[group], MatrixKind::General);
    assert_eq!(solver.solve(&mut [1.0; 2]), Err(LinearError::NotFactorized));
    assert!(matches!(
        solver.factorize(&[1.0]),
        Err(LinearError::Length { found: 1, expected: 4, .. })
    ));
    assert_eq!(solver.factorize(&[2.0, 1.0, 1.0, 2.0]), Ok(()));
    assert!(matches!(solver.solve(&mut [1.0]), Err(LinearError::Length { .. })));
    let mut x = [3.0, 3.0];
    solver.solve(&mut x).unwrap();
    assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 1.0).abs() < 1e-15);
}

/// A joint that repeats another only for an instant is found out by kept pivots too.
#[test]
fn a_pivot_that_vanishes_later_is_seen() {
    let chain = Chain::new(4);
    let mut solver = chain.solver();
    let mut values = chain.values(&solver, &mut Numbers(7), &[]);
    assert_eq!(solver.factorize(&values), Ok(()));
    repeat_row(&solver, &mut values);
    assert!(matches!(solver.factorize(&values), Err(LinearError::Singular { .. })));
}
