//! Time of a step of a membrane, compared with the factorization and solution alone. `cargo bench -p cardan-benches --bench structures`.

use cardan::linalg::{MatrixKind, Pattern, Solver};
use cardan::model::{AssembledMechanism, Function, Lumping, Mechanism, Structure};
use cardan::system::{Evaluator, StateView, SystemMatrix};
use cardan::{Settings, Simulation};
use divan::Bencher;

fn main() {
    divan::main();
}

const SIDES: [usize; 3] = [70, 105, 140];

fn membrane(n: usize) -> AssembledMechanism {
    let mut mechanism = Mechanism::new();
    let membrane = Structure::membrane("m", [15.0; 2], [n, n], 1.0, 1.0, Lumping::Consistent);
    mechanism.add(membrane.load(0, Function::Constant(0.25)));
    mechanism.assemble().unwrap()
}

fn settings(n: usize) -> Settings {
    Settings::new("lms4", 0.53 * 15.0 / n as f64).rho(0.0)
}

/// A step of a simulation.
#[divan::bench(args = SIDES)]
fn step(bencher: Bencher, n: usize) {
    let start = membrane(n);
    let mut motion = Simulation::new(&start.model, &settings(n), &start.initial).unwrap();
    bencher.bench_local(|| motion.step().unwrap());
}

/// M + K of the membrane, in the solver's pattern.
fn matrix(n: usize) -> (Pattern, Vec<f64>) {
    let start = membrane(n);
    let (q, v) = (&start.initial.q, &start.initial.v);
    let at = StateView::new(0.0, q, v);
    let mut evaluator = Evaluator::new(&start.model, &at).unwrap();
    evaluator.mass(&start.model, q).unwrap();
    evaluator.force_tangent(&start.model, &at).unwrap();
    let parts = [SystemMatrix::Mass, SystemMatrix::Stiffness].map(|part| evaluator.part(part));
    let places = parts.iter().flat_map(|part| part.places()).collect();
    let pattern = Pattern::new(q.len(), places);
    let mut values = vec![0.0; pattern.nonzeros()];
    for (i, j, x) in parts.iter().flat_map(|part| part.iter()) {
        values[pattern.slot(i, j).unwrap()] += x;
    }
    (pattern, values)
}

/// One factorization.
#[divan::bench(args = SIDES)]
fn factorize(bencher: Bencher, n: usize) {
    let (pattern, values) = matrix(n);
    let mut solver = Solver::new(pattern, &[], MatrixKind::SymmetricPositive);
    bencher.bench_local(|| solver.factorize(&values).unwrap());
}

/// One solution.
#[divan::bench(args = SIDES)]
fn solve(bencher: Bencher, n: usize) {
    let (pattern, values) = matrix(n);
    let mut right = vec![1.0; pattern.size()];
    let mut solver = Solver::new(pattern, &[], MatrixKind::SymmetricPositive);
    solver.factorize(&values).unwrap();
    bencher.bench_local(|| solver.solve(&mut right).unwrap());
}
