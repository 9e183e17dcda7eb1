//! Time of beam elements, and of steps of the rotating shaft. `cargo bench -p cardan-benches --bench
//! beams`; what was learned is in README.md.

use cardan::file::ModelFile;
use cardan::model::{AssembledMechanism, Beam, BeamForm, Mechanism, Section};
use cardan::system::{Evaluator, StateView, System};
use cardan::{Settings, Simulation};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

/// Elements of the bench that measures one.
const ELEMENTS: usize = 200;

/// A bent and twisted chain of elements; divan's items are elements.
fn chain(nodes: usize, form: &str) -> (AssembledMechanism, Vec<f64>) {
    let form = if form == "galerkin" { BeamForm::Galerkin } else { BeamForm::FiniteVolume };
    let section =
        Section::new([1e6, 4e5, 4e5, 80.0, 100.0, 100.0]).mass(1.0).inertia([2e-3, 1e-3, 1e-3]);
    let mut mechanism = Mechanism::new();
    let beam = Beam::new("beam", section).through([0.0; 3]).through([20.0, 0.0, 0.0]);
    mechanism.add(beam.elements(ELEMENTS).nodes(nodes).form(form));
    let start = mechanism.assemble().unwrap();
    let n = start.initial.v.len();
    let turn: Vec<f64> = (0..n).map(|i| 0.05 * (0.7 * i as f64).sin()).collect();
    let q = start.model.space().plus(&start.initial.q, &turn).unwrap();
    (start, q)
}

const KINDS: [(usize, &str); 4] =
    [(2, "galerkin"), (2, "finite-volume"), (3, "galerkin"), (3, "finite-volume")];

/// Forces of elements.
#[divan::bench(args = KINDS)]
fn residual(bencher: Bencher, (nodes, form): (usize, &str)) {
    let (start, q) = chain(nodes, form);
    let v = vec![0.0; start.initial.v.len()];
    let mut force = v.clone();
    bencher.counter(ItemsCount::new(ELEMENTS)).bench_local(|| {
        force.fill(0.0);
        start.model.force(&StateView::new(0.0, &q, &v), &mut force).unwrap();
        force[0]
    });
}

/// Forces and tangents of elements, written into a matrix.
#[divan::bench(args = KINDS)]
fn tangent(bencher: Bencher, (nodes, form): (usize, &str)) {
    let (start, q) = chain(nodes, form);
    let v = vec![0.0; start.initial.v.len()];
    let mut force = v.clone();
    let at = StateView::new(0.0, &q, &v);
    let mut evaluator = Evaluator::new(&start.model, &at).unwrap();
    bencher.counter(ItemsCount::new(ELEMENTS)).bench_local(|| {
        force.fill(0.0);
        start.model.force(&at, &mut force).unwrap();
        evaluator.force_tangent(&start.model, &at).unwrap();
        force[0]
    });
}

fn shaft(elements: usize) -> AssembledMechanism {
    let text = include_str!("../models/rotating_shaft.toml");
    let set = [("n".to_string(), elements.to_string())];
    ModelFile::parse("rotating_shaft.toml", text, &set).unwrap().assemble().unwrap()
}

/// A step of the shaft, 16 finite-volume elements with three nodes.
#[divan::bench(args = ["lms2", "generalized-alpha", "bathe", "esdirk436"])]
fn shaft_step(bencher: Bencher, method: &str) {
    let start = shaft(16);
    let settings = Settings::new(method, 1e-3);
    let settings = if method.starts_with("esdirk") { settings } else { settings.rho(0.6) };
    let begin = || Simulation::new(&start.model, &settings, &start.initial).unwrap();
    bencher.counter(ItemsCount::new(500_usize)).with_inputs(begin).bench_local_values(|mut run| {
        (0..500).for_each(|_| run.step().unwrap());
        run
    });
}

/// Ten steps of longer ones: divan's items are elements times steps.
#[divan::bench(args = [16, 100, 1000, 10_000], sample_count = 10)]
fn shaft_growth(bencher: Bencher, elements: usize) {
    let start = shaft(elements);
    let settings = Settings::new("lms2", 1e-3).rho(0.6);
    let mut run = Simulation::new(&start.model, &settings, &start.initial).unwrap();
    bencher.counter(ItemsCount::new(10 * elements)).bench_local(|| {
        (0..10).for_each(|_| run.step().unwrap());
    });
}
