//! Natural frequencies of a cantilever, and how a beam's own viscosity damps them.

use cardan::model::{Mechanism, Section};
use cardan::system::{Evaluator, StateView, System, SystemMatrix};
use cardan::{Settings, Simulation};
use nalgebra::DMatrix;

use super::{GALERKIN, Kind, TWO, VOLUME, as_measured, of};

/// βL of a clamped beam, [exact].
const MODES: [f64; 3] = [1.87510406871196, 4.69409113297417, 7.85475743823761];

/// A slender planar cantilever of length one with EI = ρA = 1: its frequencies are βL².
fn cantilever(kind: Kind, elements: usize, volumes: bool, beta: f64) -> Mechanism {
    // slender: shear and rotary inertia change frequencies by 1e-7 at most
    let section =
        Section::new([1e8, 1e8, 1e8, 1.0, 1.0, 1.0]).mass(1.0).inertia([2e-9, 1e-9, 1e-9]);
    let mut mechanism = Mechanism::new();
    mechanism.point("wall", [0.0; 3]);
    let mut beam = of(kind, section.damping(beta)).through("ground.wall").through([1.0, 0.0, 0.0]);
    if volumes {
        beam = beam.volumes();
    }
    mechanism.add(beam.elements(elements));
    mechanism
}

/// Relative errors of the first three frequencies of bending.
fn errors(kind: Kind, elements: usize, volumes: bool) -> [f64; 3] {
    let (model, q) = cantilever(kind, elements, volumes, 0.0).compile().unwrap();
    let n = model.space().velocities();
    let v = vec![0.0; n];
    let at = StateView::new(0.0, &q, &v);
    let mut evaluator = Evaluator::new(&model, &at).unwrap();
    evaluator.mass(&model, &q).unwrap();
    evaluator.force_tangent(&model, &at).unwrap();
    let dense = |part| {
        let mut dense = DMatrix::<f64>::zeros(n, n);
        evaluator.part(part).iter().for_each(|(i, j, x)| dense[(i, j)] += x);
        dense
    };
    let (mass, stiffness) = (dense(SystemMatrix::Mass), dense(SystemMatrix::Stiffness));
    // the lowest frequencies are the largest eigenvalues of K⁻¹M: those of shear cannot hide them
    let inverse = stiffness.lu().solve(&mass).unwrap().complex_eigenvalues();
    let mut all: Vec<f64> = inverse.iter().map(|x| 1.0 / x.re.max(1e-300).sqrt()).collect();
    all.sort_by(f64::total_cmp);
    // bending about both axes comes in pairs; the first stays the first
    std::array::from_fn(|k| all[2 * k] / MODES[k].powi(2) - 1.0)
}

#[test]
fn frequencies_converge_at_the_order_of_the_element() {
    let signed = |what: &str, found: [f64; 3], known: [f64; 3]| {
        // printed with two digits or one; what shear leaves is 1e-7
        as_measured(what, &found, &known, if known[0] < 1e-5 { 1.35 } else { 1.07 });
    };
    signed("volumes", errors(VOLUME, 8, false), [7.4e-5, -1.1e-3, -3.7e-3]);
    signed("galerkin", errors(GALERKIN, 8, false), [3e-6, 1.2e-4, 9.8e-4]);
    signed("2 nodes, lumped", errors(TWO, 8, false), [-4.2e-3, -3.4e-3, 1.3e-2]);
    signed("2 nodes, volumes", errors(TWO, 8, true), [3.6e-3, 1.3e-2, 2.0e-2]);
    for (kind, order) in [(VOLUME, 2.0), (GALERKIN, 4.0), (TWO, 2.0)] {
        let (coarse, fine) = (errors(kind, 8, false)[1], errors(kind, 16, false)[1]);
        let observed = (coarse / fine).log2();
        assert!((observed - order).abs() < 0.15, "{kind:?}: {observed}");
    }
}

/// A mode decays with ζ = βω/2: the first one, plucked and let go.
#[test]
fn viscosity_damps_modes_in_proportion_to_their_frequency() {
    for kind in [GALERKIN, VOLUME] {
        let beta = 0.02;
        let mut mechanism = cantilever(kind, 4, false, beta);
        use cardan::model::{Force, Function};
        let push = Function::jet(|t| [if t < 0.0 { 1e-3 } else { 0.0 }, 0.0, 0.0]);
        let zero = || Function::Constant(0.0);
        mechanism.start(-40.0);
        mechanism.add(Force::load("push", "beam.end", [zero(), zero(), push]));
        let start = mechanism.assemble().unwrap();
        // bent slowly under a constant load: the equilibrium, then let go
        let held = start.equilibrium(&Default::default()).unwrap();
        let q = &held.last().unwrap().q;
        let initial = cardan::InitialValues::new(q, &start.initial.v);
        let settings = Settings::new("generalized-alpha", 2e-3).rho(1.0);
        let mut motion = Simulation::new(&start.model, &settings, &initial).unwrap();
        let omega = MODES[0].powi(2);
        let zeta = 0.5 * beta * omega;
        let mut peaks = Vec::new();
        let mut last = [0.0; 2];
        while motion.now().t < 10.0 {
            motion.step().unwrap();
            let z = start.model.read("beam.end", motion.now()).unwrap()[2];
            if last[1] > last[0] && last[1] > z {
                peaks.push(last[1]);
            }
            last = [last[1], z];
        }
        // by the second peak the other modes, a few percent of the first one, are gone
        let (first, after) = (peaks[1], peaks[peaks.len() - 1]);
        let periods = (peaks.len() - 2) as f64;
        let decrement = (first / after).ln() / periods;
        let found = decrement / (decrement.powi(2) + std::f64::consts::TAU.powi(2)).sqrt();
        // the peaks are read at steps: off by (ωh)²/8 at most, over four periods
        assert!((found / zeta - 1.0).abs() < 2e-3, "{kind:?}: {found} {zeta}");
    }
}
