//! Linear structures: waves against exact solutions, one factorization, constraints.

use cardan::model::{
    AnalyticSolution, AssembledMechanism, Edge, Function, Lumping, Mechanism, Scalar, Structure,
};
use cardan::modes::{Modes, ModesOptions};
use cardan::{Settings, Simulation};

/// The clamped bar of the literature: EA, mass per length, length, load.
const BAR: [f64; 4] = [3e7, 7.3e-4, 200.0, 1e4];

fn speed() -> f64 {
    (BAR[0] / BAR[1]).sqrt()
}

fn bar(elements: usize) -> AssembledMechanism {
    let mut mechanism = Mechanism::new();
    let bar = Structure::bar("bar", BAR[2], elements, BAR[0], BAR[1], Lumping::Consistent);
    let exact = AnalyticSolution::Bar {
        length: BAR[2],
        stiffness: BAR[0],
        mass: BAR[1],
        load: BAR[3].into(),
    };
    mechanism.add(bar.fix(0).load(elements, BAR[3]).exact(exact));
    mechanism.assemble().unwrap()
}

/// c = 202721.2135198458, v₀ = Fc/(EA) = 67.57373783994859; the middle has v₀ (0, 1, 0, −1, 0) between
/// ct/L = ½, 3/2, 5/2, 7/2.
#[test]
fn the_exact_bar_is_a_square_wave() {
    assert!((speed() - 202721.2135198458).abs() < 1e-9);
    let exact = AnalyticSolution::Bar {
        length: BAR[2],
        stiffness: BAR[0],
        mass: BAR[1],
        load: BAR[3].into(),
    };
    let unit = BAR[2] / speed();
    for (time, level) in
        [(0.3, 0.0), (0.7, 1.0), (1.4, 1.0), (1.6, 0.0), (2.7, -1.0), (3.6, 0.0), (4.6, 1.0)]
    {
        let found = exact.value([100.0, 0.0], time * unit, 1);
        assert!((found - level * 67.57373783994859).abs() < 1e-10, "{time}: {found}");
    }
    // twice the static displacement when the wave has been there and back
    let end = exact.value([200.0, 0.0], 2.0 * unit, 0);
    assert!((end / (2.0 * BAR[3] * BAR[2] / BAR[0]) - 1.0).abs() < 1e-12, "{end}");
}

fn pulse() -> Function {
    Function::of(|t| if t.re < 1.0 { (-(t * 2.0 - 1.0).powi(2) + 1.0) * 4.0 } else { t * 0.0 })
}

/// Values at t = 13 by quadrature with thirty digits.
#[test]
fn the_exact_membrane_is_the_integral() {
    let exact = AnalyticSolution::Membrane { tension: 1.0, mass: 1.0, load: pulse() };
    for (r, u, v) in [
        (0.5, 0.0339911744415, -0.00272540798852),
        (6.0, 0.0387265117553, -0.00403199960310),
        (11.5, 0.0884526606931, -0.0499915131940),
        (12.0, 0.137396173948568, -0.347919587978),
        (12.5, 0.143710010665, 0.238659081615),
        (12.9, 0.0194394733606, 0.274609124042),
    ] {
        let place = [r * 0.6, r * 0.8];
        let found = [0, 1].map(|order| exact.value(place, 13.0, order));
        // the velocity's integrand jumps, which adaptive quadrature resolves to about 1e-9
        assert!((found[0] - u).abs() < 1e-10 && (found[1] - v).abs() < 1e-7, "{r}: {found:?}");
    }
    assert_eq!(exact.value([13.1, 0.0], 13.0, 0), 0.0);
    // under the push the displacement is finite once it is over
    assert!((exact.value([0.0, 0.0], 13.0, 0) - 0.03396).abs() < 1e-4);
}

/// How far the velocity of the middle is from exact between the fronts, where only ringing is left.
fn ringing(method: &str, cfl: f64) -> f64 {
    let elements = 400;
    let start = bar(elements);
    let unit = BAR[2] / speed();
    let h = cfl * unit / elements as f64;
    let mut settings = Settings::new(method, h);
    if method != "trapezoidal" {
        settings = settings.rho(0.0);
    }
    let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
    let names = ["bar.mid.velocity", "bar.mid.exact.velocity"];
    let channels = names.map(|name| start.model.channel(name).unwrap());
    let mut worst = 0.0_f64;
    while motion.now().t < 1.4 * unit {
        motion.step().unwrap();
        if motion.now().t > 0.65 * unit {
            let mut values = [0.0; 2];
            start.model.evaluate_all(channels.iter().zip(0..), motion.now(), &mut values);
            worst = worst.max((values[0] - values[1]).abs() / 67.57373783994859);
        }
    }
    worst
}

/// With the steps that the literature recommends the ringing behind a front is filtered; with steps of one
/// element (two for Bathe's method) it is not.
#[test]
fn recommended_steps_filter_the_ringing() {
    for (method, recommended) in [
        ("lms2", 0.36),
        ("ss2", 0.36),
        ("lms3", 0.48),
        ("ss3", 0.48),
        ("lms4", 0.53),
        ("ss4", 0.53),
        ("generalized-alpha", 0.30),
        ("bathe", 1.0),
    ] {
        let long = if method == "bathe" { 2.0 } else { 1.0 };
        let (filtered, rings) = (ringing(method, recommended), ringing(method, long));
        // the table of docs/flexible.md
        eprintln!("| `{method}` | {recommended} | {filtered:.0e} | {rings:.0e} |");
        // a tenth of a wave's passage behind the front: less than a ten-thousandth, or visibly more
        assert!(filtered < 1e-4 && rings > 2e-4, "{method}: {filtered:.1e} {rings:.1e}");
    }
    // the trapezoidal rule does not forget at all
    let never = ringing("trapezoidal", 0.65);
    eprintln!("| `trapezoidal` | 0.65 | {never:.0e} | |");
    assert!(never > 1e-2, "{never:.1e}");
}

/// The membrane at t = 13 beside the exact solution, along both directions.
#[test]
fn the_membrane_follows_the_exact_solution() {
    let n = 70;
    let mut mechanism = Mechanism::new();
    let membrane =
        Structure::membrane("membrane", [15.0; 2], [n, n], 1.0, 1.0, Lumping::Consistent);
    let quarter = pulse().scaled(0.25);
    let exact = AnalyticSolution::Membrane { tension: 1.0, mass: 1.0, load: pulse() };
    mechanism.add(membrane.load(0, quarter).exact(exact));
    let start = mechanism.assemble().unwrap();
    let h = 13.0 / (13.0 / (0.53 * 15.0 / n as f64)).ceil();
    let settings = Settings::new("lms4", h).rho(0.0);
    let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
    motion.run_until(13.0).unwrap();
    assert_eq!(
        motion.effort().linear.factorizations,
        2,
        "one for M at the start, one for all steps"
    );
    let read = |name: String| start.model.read(&name, motion.now()).unwrap()[0];
    for (node, tolerance) in [(14, 1e-3), (28, 1e-3), (47, 2e-3), (14 * 72, 1e-3), (28 * 72, 1e-3)]
    {
        let [found, exact] = ["", ".exact"].map(|x| read(format!("membrane.node{node}{x}")));
        assert!((found - exact).abs() < tolerance, "node {node}: {found}, not {exact}");
    }
}

/// A fixed rectangle: ω² = T/ρ π² (i²/a² + j²/b²), with an error of second order; the bar likewise.
#[test]
fn frequencies_of_a_membrane_and_a_bar() {
    let errors = [8, 16].map(|n| {
        let membrane = Structure::membrane("m", [2.0, 3.0], [n, n], 4.0, 0.5, Lumping::Consistent);
        let edges = [Edge::Left, Edge::Right, Edge::Bottom, Edge::Top];
        let mut mechanism = Mechanism::new();
        mechanism.add(edges.into_iter().fold(membrane, Structure::fix_edge));
        let start = mechanism.assemble().unwrap();
        let motion =
            Simulation::new(&start.model, &Settings::new("lms2", 0.1), &start.initial).unwrap();
        let options = ModesOptions { count: 1, ..ModesOptions::default() };
        let modes = Modes::new(&start.model, motion.now(), &options).unwrap();
        let known = (4.0_f64 / 0.5 * (1.0 / 4.0 + 1.0 / 9.0)).sqrt() * std::f64::consts::PI;
        modes.modes[0].frequency() / known - 1.0
    });
    let order = (errors[0] / errors[1]).log2();
    assert!((order - 2.0).abs() < 0.05 && errors[1] > 0.0, "{errors:?}");
}

/// A driven end and a tie between two nodes.
#[test]
fn drives_and_ties_hold() {
    let mut mechanism = Mechanism::new();
    let chain = Structure::new("chain", 3)
        .mass(0, 1.0)
        .mass(1, 2.0)
        .mass(2, 1.0)
        .spring(Some(0), Some(1), 50.0)
        .spring(Some(1), Some(2), 20.0)
        .drive(0, Function::of(|t| (t * 2.0).sin() * 0.1))
        .tie(&[(1, 1.0), (2, -2.0)], 0.0);
    mechanism.add(chain);
    let start = mechanism.assemble().unwrap();
    assert!(start.report.redundant.is_empty());
    let mut errors = Vec::new();
    for h in [1e-2, 5e-3] {
        let settings = Settings::new("generalized-alpha", h).rho(0.8);
        let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
        motion.run_until(2.0).unwrap();
        let read = |name: &str| start.model.read(name, motion.now()).unwrap()[0];
        let [driven, one, two] = [0, 1, 2].map(|k| read(&format!("chain.node{k}")));
        assert!((driven - 0.1 * 4.0_f64.sin()).abs() < 1e-12 && (one - 2.0 * two).abs() < 1e-12);
        errors.push(one);
    }
    // x = q₁: (2 + 1/4) ẍ + (50 + 20/4) x = 50 y, from rest but for the drive's speed
    let (mass, stiffness, drive): (f64, f64, f64) = (2.25, 55.0, 2.0);
    let omega = (stiffness / mass).sqrt();
    let forced = 50.0 * 0.1 / (stiffness - mass * drive * drive);
    let speed = start.initial.v[1];
    let known =
        forced * (2.0 * 2.0_f64).sin() + (speed - forced * drive) / omega * (omega * 2.0).sin();
    let order = ((errors[0] - known) / (errors[1] - known)).abs().log2();
    assert!((order - 2.0).abs() < 0.1, "{errors:?} {known}");
}

/// What cannot be a structure is refused with its reason.
#[test]
fn wrong_matrices_are_refused() {
    let refused = |structure: Structure| {
        let mut mechanism = Mechanism::new();
        mechanism.add(structure);
        mechanism.assemble().unwrap_err().to_string()
    };
    let of = |mass: &[(usize, usize, f64)], stiffness: &[(usize, usize, f64)]| {
        refused(Structure::of_matrices("s", 2, mass.to_vec(), Vec::new(), stiffness.to_vec()))
    };
    let unit = [(0, 0, 1.0), (1, 1, 1.0)];
    for (message, reason) in [
        (of(&unit, &[(0, 1, 1.0)]), "stiffness matrix is not symmetric"),
        (of(&[(0, 0, 1.0)], &unit), "mass matrix is not positive definite"),
        (of(&[(0, 0, 1.0), (1, 1, -1.0)], &unit), "mass matrix is not positive definite"),
        (of(&unit, &[(2, 0, 1.0)]), "there are 2 nodes"),
        (of(&unit, &[(0, 0, f64::NAN)]), "NaN"),
        (refused(Structure::new("s", 0)), "no coordinates"),
        (refused(Structure::new("s", 2).mass(0, 1.0).mass(1, 1.0).load(5, 1.0)), "node 5"),
    ] {
        assert!(
            message.contains("structure `s`") && message.contains(reason),
            "{reason}: {message}"
        );
    }
}
