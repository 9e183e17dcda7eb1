//! Time per step and its parts. `cargo bench -p cardan-benches`; the results are in README.md.

use cardan::file::ModelFile;
use cardan::stage::{KeepJacobian, NewtonOptions};
use cardan::system::System;
use cardan::{Formulation, Settings, Simulation};
use cardan_lab::exam::problems::{self, ExamProblem};
use cardan_lab::gallery::{self, Dimension};
use divan::Bencher;
use divan::counter::ItemsCount;

/// Steps per sample; divan divides by them.
const STEPS: usize = 1000;

fn main() {
    divan::main();
}

fn steps(bencher: Bencher, problem: &ExamProblem, settings: &Settings) {
    let system: &dyn System = problem.system.as_ref();
    let begin = || Simulation::new(system, settings, &problem.initial).unwrap();
    bencher.counter(ItemsCount::new(STEPS)).with_inputs(begin).bench_local_values(|mut run| {
        (0..STEPS).for_each(|_| run.step().unwrap());
        run
    });
}

/// Andrews' squeezer of planar bodies: 21 coordinates, 20 constraints, 41 unknowns, two iterations per step.
#[divan::bench]
fn andrews_41_unknowns(bencher: Bencher) {
    steps(bencher, &problems::andrews(), &Settings::new("generalized-alpha", 1e-5));
}

/// The same with a new matrix in every iteration.
#[divan::bench]
fn andrews_full_newton(bencher: Bencher) {
    let newton = NewtonOptions { keep_jacobian: KeepJacobian::Never, ..NewtonOptions::default() };
    let settings = Settings::new("generalized-alpha", 1e-5).newton(newton);
    steps(bencher, &problems::andrews(), &settings);
}

/// The three constraint formulations on the same mechanism.
#[divan::bench(args = ["position", "stabilized", "acceleration"])]
fn spatial_pendulum(bencher: Bencher, constraints: &str) {
    let constraints: Formulation = constraints.parse().unwrap();
    let settings = Settings::new("generalized-alpha", 1e-3).constraints(constraints);
    steps(bencher, &problems::spatial_pendulum(), &settings);
}

/// The cost of velocity constraints relative to position constraints alone, on mechanisms of one paper: times over
/// that of `hht`.
const PREMIUM: [&str; 4] =
    ["hht:alpha=-0.3", "hht-si2:alpha=-0.3", "nstiff-si2", "hht-add:alpha=-0.3"];

#[divan::bench(args = PREMIUM)]
fn premium_slider_crank(bencher: Bencher, method: &str) {
    let text = include_str!("../models/slider_crank.toml");
    premium(bencher, text, &[("phi0", "-90*deg"), ("x_free", "0.3")], method);
}

#[divan::bench(args = PREMIUM)]
fn premium_stiff_double_pendulum(bencher: Bencher, method: &str) {
    let text = include_str!("../models/double_pendulum.toml");
    premium(bencher, text, &[("k", "1e5"), ("c", "1e2")], method);
}

#[divan::bench(args = PREMIUM)]
fn premium_seven_bodies(bencher: Bencher, method: &str) {
    let settings = Settings::of(&method.parse().unwrap(), 1e-5);
    steps(bencher, &problems::andrews(), &settings);
}

#[divan::bench(args = PREMIUM)]
fn premium_spatial_pendulum(bencher: Bencher, method: &str) {
    let settings = Settings::of(&method.parse().unwrap(), 1e-3);
    steps(bencher, &problems::spatial_pendulum(), &settings);
}

fn premium(bencher: Bencher, text: &str, set: &[(&str, &str)], method: &str) {
    let set: Vec<_> = set.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
    let start = ModelFile::parse("model.toml", text, &set).unwrap().assemble().unwrap();
    let settings = Settings::of(&method.parse().unwrap(), 1e-3);
    let begin = || Simulation::new(&start.model, &settings, &start.initial).unwrap();
    bencher.counter(ItemsCount::new(STEPS)).with_inputs(begin).bench_local_values(|mut run| {
        (0..STEPS).for_each(|_| run.step().unwrap());
        run
    });
}

/// The squeezer of spatial bodies: 42 coordinates and 41 constraints, nine more being redundant.
#[divan::bench]
fn andrews_spatial(bencher: Bencher) {
    let start = gallery::andrews(Dimension::Space).assemble().unwrap();
    let settings = Settings::new("generalized-alpha", 1e-5);
    let begin = || Simulation::new(&start.model, &settings, &start.initial).unwrap();
    bencher.counter(ItemsCount::new(STEPS)).with_inputs(begin).bench_local_values(|mut run| {
        (0..STEPS).for_each(|_| run.step().unwrap());
        run
    });
}

/// Ten steps of a hanging chain: divan's items are bodies times steps, so that equal times mean
/// linear cost.
#[divan::bench(args = [100, 1000, 10_000], sample_count = 20)]
fn chain_planar(bencher: Bencher, bodies: usize) {
    chain(bencher, bodies, Dimension::Plane);
}

/// The same in space, with axes turned against each other.
#[divan::bench(args = [100, 1000, 10_000], sample_count = 20)]
fn chain_spatial(bencher: Bencher, bodies: usize) {
    chain(bencher, bodies, Dimension::Space);
}

fn chain(bencher: Bencher, bodies: usize, dimension: Dimension) {
    let start = gallery::chain(bodies, dimension).assemble().unwrap();
    let settings = Settings::new("generalized-alpha", 1e-3);
    let mut run = Simulation::new(&start.model, &settings, &start.initial).unwrap();
    bencher.counter(ItemsCount::new(10 * bodies)).bench_local(|| {
        (0..10).for_each(|_| run.step().unwrap());
    });
}

/// From the description to a consistent start: names, closure, rank, velocities.
#[divan::bench(args = [100, 1000, 10_000], sample_count = 3, sample_size = 1)]
fn assemble_spatial_chain(bencher: Bencher, bodies: usize) {
    let chain = gallery::chain(bodies, Dimension::Space);
    bencher.counter(ItemsCount::new(bodies)).bench_local(|| chain.assemble().unwrap());
}

/// From the description to a simulation that can step: the assembly, and the places, order and first factors of its matrices.
#[divan::bench(args = [100, 1000, 10_000], sample_count = 10, sample_size = 1)]
fn set_up_spatial_chain(bencher: Bencher, bodies: usize) {
    let chain = gallery::chain(bodies, Dimension::Space);
    let settings = Settings::new("generalized-alpha", 1e-3);
    bencher
        .counter(ItemsCount::new(bodies))
        .bench_local(|| chain.assemble().unwrap().simulate(&settings).unwrap());
}

/// The stage matrix of Andrews: one refactorization and solve with kept pivots.
#[divan::bench]
fn andrews_refactorization(bencher: Bencher) {
    let (mut solver, values) = stage_of_andrews();
    let mut rhs = vec![1.0; solver.pattern().size()];
    bencher.bench_local(|| {
        solver.factorize(&values).unwrap();
        solver.solve(&mut rhs).unwrap();
        rhs[0]
    });
}

/// The same matrix by dense LU, as a yardstick within one run.
#[divan::bench]
fn andrews_dense_lu(bencher: Bencher) {
    let (solver, values) = stage_of_andrews();
    let n = solver.pattern().size();
    let mut matrix = nalgebra::DMatrix::zeros(n, n);
    for j in 0..n {
        for slot in solver.pattern().column(j) {
            matrix[(solver.pattern().rows()[slot] as usize, j)] = values[slot];
        }
    }
    let rhs = nalgebra::DVector::repeat(n, 1.0);
    bencher.bench_local(|| matrix.clone().lu().solve(&rhs));
}

/// The pattern and values of a stage, with a solver that has chosen its pivots.
fn stage_of_andrews() -> (cardan::linalg::Solver, Vec<f64>) {
    let andrews = problems::andrews();
    let system: &dyn System = andrews.system.as_ref();
    let mut run =
        Simulation::new(system, &Settings::new("generalized-alpha", 1e-5), &andrews.initial)
            .unwrap();
    run.step().unwrap();
    let (pattern, values) = run.stage_matrix();
    let group = |kind, unknowns| cardan::linalg::Group { kind, unknowns };
    use cardan::linalg::GroupKind::{Constraints, Coordinates};
    let mut groups: Vec<_> =
        (0..7).map(|b| group(Coordinates, (3 * b..3 * b + 3).collect())).collect();
    groups.extend((0..10).map(|p| group(Constraints, vec![21 + 2 * p, 22 + 2 * p])));
    let mut solver = cardan::linalg::Solver::new(
        (*pattern).clone(),
        &groups,
        cardan::linalg::MatrixKind::General,
    );
    solver.factorize(&values).unwrap();
    (solver, values)
}
