//! Inactive rows: redundant constraints that stay in the model without a part in its equations.

use cardan::model::{AssembledMechanism, Body, Force, Joint, Mechanism};
use cardan::modes::{Modes, ModesOptions, RotatingObserver, StateSpace};
use cardan::simulation::kinematics;
use cardan::statics::StaticOptions;
use cardan::{InitialValues, Instant, Settings, Simulation, State};
use cardan_lab::gallery::{self, Dimension};

use super::damped;

/// How a loop is closed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Closure {
    /// By revolute joints throughout: some rows are redundant.
    Redundant,
    /// By joints that release what others hold.
    Released,
}

/// A spatial four-bar in the plane z = 0 on a spring.
fn four_bar(closure: Closure) -> Mechanism {
    let mut bars = Mechanism::new();
    bars.gravity([0.0, -9.81, 0.0]);
    let bar = |name: &str, x: f64, y: f64| {
        Body::spatial(name).mass(1.0).inertia([0.1, 0.2, 0.3]).position([x, y, 0.0])
    };
    bars.add(bar("a", 0.0, 0.5));
    bars.add(bar("b", 1.0, 1.2));
    bars.add(bar("c", 2.0, 0.7));
    let axis = [0.0, 0.0, 1.0];
    bars.add(Joint::revolute("A", "ground", "a").at([0.0, 0.0, 0.0]).axis(axis));
    bars.add(Joint::revolute("B", "a", "b").at([0.0, 1.0, 0.0]).axis(axis));
    let (c, d) = ([2.0, 1.4, 0.0], [2.0, 0.0, 0.0]);
    match closure {
        Closure::Redundant => {
            bars.add(Joint::revolute("C", "b", "c").at(c).axis(axis));
            bars.add(Joint::revolute("D", "ground", "c").at(d).axis(axis));
        }
        Closure::Released => {
            bars.add(Joint::spherical("C", "b", "c").at(c));
            bars.add(Joint::cylindrical("D", "ground", "c").at(d).axis(axis));
        }
    }
    bars.add(Force::joint_spring("spring", "A").stiffness(200.0).damping(0.5));
    bars
}

/// A planar block on two rails, or on one, with a pendulum on it.
fn block(closure: Closure) -> Mechanism {
    let mut block = Mechanism::new();
    block.gravity([1.0, -9.81, 0.0]);
    block.add(Body::planar("block").mass(2.0).inertia(0.1));
    block.add(Body::planar("bar").mass(1.0).inertia(0.1).position([0.0, -0.5]));
    let rail = |name: &str, x: f64| {
        Joint::prismatic(name, "ground", "block").at([x, 0.0]).axis([1.0, 0.0])
    };
    block.add(rail("A", -0.5));
    if closure == Closure::Redundant {
        block.add(rail("B", 0.5));
    }
    block.add(Joint::revolute("C", "block", "bar").at([0.0, 0.0]));
    block.add(Force::joint_spring("spring", "A").stiffness(200.0).damping(0.5));
    block
}

fn pairs() -> [(&'static str, &'static str, usize, [AssembledMechanism; 2]); 2] {
    let both = |mechanism: fn(Closure) -> Mechanism| {
        [Closure::Redundant, Closure::Released].map(|x| mechanism(x).assemble().unwrap())
    };
    [
        ("b.position", "A.angle", 3, both(four_bar)),
        ("bar.position", "A.translation", 2, both(block)),
    ]
}

#[track_caller]
fn agree(what: &str, one: &[f64], two: &[f64], tolerance: f64) {
    assert_eq!(one.len(), two.len(), "{what}");
    let size = two.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
    let gap = one.iter().zip(two).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
    assert!(gap <= tolerance * size, "{what}: {one:?}, not {two:?}");
}

/// Redundant rows stay in the model and are inactive; their multipliers are zero, and the motion is that of
/// the mechanism without them.
#[test]
fn redundant_rows_are_inactive() {
    for (position, coordinate, count, [full, released]) in pairs() {
        assert_eq!(full.initial.inactive.len(), count);
        assert!(released.initial.inactive.is_empty(), "{}", released.report);
        let [one, two] = [&full, &released].map(|start| {
            let mut motion = Simulation::new(&start.model, &damped(1e-2), &start.initial).unwrap();
            motion.run_until(1.0).unwrap();
            motion.now().clone()
        });
        assert!(one.inactive.iter().all(|&row| one.multipliers[row] == 0.0));
        for name in [position, coordinate] {
            let [a, b] = [(&full, &one), (&released, &two)]
                .map(|(start, at)| start.model.read(name, at).unwrap());
            agree(name, &a, &b, 1e-9);
        }
    }
}

/// Statics, modes and linear systems do not notice inactive rows.
#[test]
fn analyses_pass_over_inactive_rows() {
    for (position, coordinate, _, starts) in pairs() {
        let [one, two] = starts.map(|start| {
            let found = start.equilibrium(&StaticOptions::default()).unwrap();
            let at: Instant = found.last().unwrap().clone();
            let modes = Modes::new(&start.model, &at, &ModesOptions::default()).unwrap();
            let eigenvalues: Vec<f64> =
                modes.modes.iter().flat_map(|x| [x.eigenvalue.re, x.eigenvalue.im]).collect();
            let inputs = ["spring".to_string()];
            let outputs = [coordinate.to_string(), format!("{coordinate}.rate")];
            let linear =
                StateSpace::new(&start.model, &at, &RotatingObserver::default(), &inputs, &outputs)
                    .unwrap();
            // these do not depend on which coordinates were chosen as states
            let (a, b, c) = (&linear.a, &linear.b, &linear.c);
            let markov = [linear.d.clone(), c * b, c * a * b, c * a * a * b];
            let markov: Vec<f64> = markov.iter().flat_map(|x| x.iter().copied()).collect();
            let place = start.model.read(position, &at).unwrap();
            (place, eigenvalues, markov, found.stability.map(|x| x.verdict))
        });
        agree("equilibrium", &one.0, &two.0, 1e-9);
        agree("eigenvalues", &one.1, &two.1, 1e-8);
        agree("linear system", &one.2, &two.2, 1e-6);
        assert_eq!(one.3, two.3);
    }
}

/// Of two equivalent rows either may be inactive: chosen before the start, or between two steps.
#[test]
fn equivalent_rows_can_be_exchanged() {
    let start = block(Closure::Redundant).assemble().unwrap();
    // rail A and rail B have two rows each, in the order of the joints
    assert_eq!(start.initial.inactive, [2, 3]);
    let settings = damped(1e-2);
    let run = |mut motion: Simulation<'static>| {
        motion.run_until(1.0).unwrap();
        let now = motion.now().clone();
        assert!(now.inactive.iter().all(|&row| now.multipliers[row] == 0.0));
        assert!(now.multipliers.iter().any(|x| x.abs() > 1.0));
        now
    };
    let usual = run(start.simulate(&settings).unwrap());
    let other = InitialValues::new(&start.initial.q, &start.initial.v).inactive(&[0, 1]);
    let exchanged = run(Simulation::new(start.model.clone(), &settings, &other).unwrap());
    assert_eq!(exchanged.inactive, [0, 1]);
    agree("q", &exchanged.q, &usual.q, 1e-12);
    agree("v", &exchanged.v, &usual.v, 1e-11);

    let mut half = start.simulate(&settings).unwrap();
    half.run_until(0.5).unwrap();
    let mut state: State = half.state().clone();
    let now = &mut state.now;
    now.inactive = vec![0, 1];
    // multipliers are no part of the history: the next step finds those of the other rail
    now.multipliers.fill(0.0);
    state.history.earlier.iter_mut().for_each(|at| at.inactive = vec![0, 1]);
    let resumed = run(Simulation::resume(start.model.clone(), &settings, state).unwrap());
    agree("q after the exchange", &resumed.q, &usual.q, 1e-9);
}

/// Rows that the system does not have are refused.
#[test]
fn unknown_inactive_rows_are_refused() {
    let start = block(Closure::Redundant).assemble().unwrap();
    let initial = start.initial.clone().inactive(&[2, 3, 99]);
    let error = Simulation::new(&start.model, &damped(1e-2), &initial).err().unwrap().to_string();
    assert!(error.contains("99"), "{error}");
}

/// A row that others do not imply may not be inactive: the first step that opens it is refused.
#[test]
fn inactive_rows_that_open_are_noticed() {
    let start = block(Closure::Redundant).assemble().unwrap();
    // both rails without their rows across
    let initial = start.initial.clone().inactive(&[0, 2, 3]);
    let mut motion = Simulation::new(&start.model, &damped(1e-2), &initial).unwrap();
    let error = motion.run_until(1.0).unwrap_err().to_string();
    assert!(error.contains("joint `A`") && error.contains("no longer holds"), "{error}");
}

/// A saved state of a redundant mechanism continues with the same bits, also through a file.
#[test]
fn a_redundant_mechanism_restarts_with_the_same_bits() {
    for start in [four_bar(Closure::Redundant), gallery::bricard()].map(|x| x.assemble().unwrap()) {
        assert!(!start.initial.inactive.is_empty());
        for method in ["generalized-alpha", "bdf2", "rattle"] {
            let settings = Settings::new(method, 1e-3);
            let Ok(mut whole) = start.simulate(&settings) else { continue };
            whole.run_until(0.05).unwrap();
            let text = serde_json::to_string(whole.state()).unwrap();
            let state: State = serde_json::from_str(&text).unwrap();
            let mut resumed = Simulation::resume(start.model.clone(), &settings, state).unwrap();
            whole.run_until(0.1).unwrap();
            resumed.run_until(0.1).unwrap();
            assert_eq!(whole.state(), resumed.state(), "{method}");
        }
    }
}

/// A driven mechanism with redundant rows is fully driven if its active rows are.
#[test]
fn kinematics_counts_active_rows() {
    let [one, two] = [Closure::Redundant, Closure::Released].map(|closure| {
        let mut bars = four_bar(closure);
        bars.add(cardan::model::Drive::angle(
            "motor",
            "A",
            cardan::model::Function::linear(0.0, 0.5),
        ));
        let start = bars.assemble().unwrap();
        let motion = kinematics(&start.model, &start.initial, &[0.1, 0.2]).unwrap();
        start.model.read("b.position", &motion[1]).unwrap()
    });
    agree("position", &one, &two, 1e-12);
}

/// The watch costs nothing of the accuracy: a ladder of four-bars closes all rows, inactive ones as well.
#[test]
fn inactive_rows_of_many_loops_stay_closed() {
    let start = gallery::four_bars(20, Dimension::Space).assemble().unwrap();
    assert_eq!(start.initial.inactive.len(), 60);
    let mut motion = start.simulate(&damped(1e-2)).unwrap();
    motion.run_until(0.2).unwrap();
    let now = motion.now();
    let mut phi = vec![0.0; cardan::System::holonomic_count(&*start.model)];
    cardan::System::constraint(&*start.model, &now.into(), &mut phi).unwrap();
    assert!(
        phi.iter().all(|x| x.abs() < 1e-8),
        "{:?}",
        phi.iter().fold(0.0_f64, |m, x| m.max(x.abs()))
    );
}
