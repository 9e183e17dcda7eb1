//! Newton where it is hard: stiff springs, steep laws, singular positions, small steps.

use std::sync::Arc;

use cardan::SimulationError;
use cardan::methods::{self, MethodInfo, Stability};
use cardan::model::{Body, Force, Joint, Law, LawResponse, Mechanism};
use cardan::stage::NewtonOptions;
use cardan::stage::StageError;
use cardan::{Formulation, Settings, Simulation};
use cardan_lab::gallery::{self, Dimension};

use crate::files::model;

fn unconditional() -> impl Iterator<Item = &'static MethodInfo> {
    methods::all().filter(|info| info.stability != Stability::Conditional)
}

/// A bob on a spring of 1e13 N/m, where the first corrections are tiny and the next ones are not: an
/// early end of the iteration would take that for divergence. Six iterations per stage suffice.
#[test]
fn very_stiff_springs_converge_with_every_implicit_method() {
    let mut pendulum = Mechanism::new();
    pendulum.gravity([0.0, -9.81, 0.0]);
    pendulum.add(Body::planar("bob").mass(1.0).inertia(0.1).position([1.0, 0.0]));
    pendulum.add(Force::spring("spring", "ground", "bob").stiffness(1e13).rest(1.0));
    let start = pendulum.assemble().unwrap();
    for info in unconditional() {
        let settings = Settings::new(info.name, 0.01);
        let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
        motion.run_until(1.0).unwrap_or_else(|error| panic!("{}: {error}", info.name));
        let solves = motion.effort().iterations as f64 / (100 * motion.stages()) as f64;
        assert!(solves <= 7.0, "{}: {solves} iterations per stage", info.name);
    }
}

/// A block of 1 kg on a belt of 0.1 m/s, held by a spring of 100 N/m; friction 5 N tanh((v − vb)/vs).
fn belt(transition: f64) -> Mechanism {
    let mut belt = Mechanism::new();
    belt.add(Body::planar("block").mass(1.0).inertia(1.0).position([0.0, 0.0]));
    belt.add(Joint::prismatic("slide", "ground", "block").at([0.0, 0.0]).axis([1.0, 0.0]));
    belt.add(Force::joint_spring("spring", "slide").stiffness(100.0));
    let law = move |_: f64, rate: f64| {
        let t = ((rate - 0.1) / transition).tanh();
        LawResponse { force: 5.0 * t, stiffness: 0.0, damping: 5.0 * (1.0 - t * t) / transition }
    };
    belt.add(Force::joint_spring("friction", "slide").law(Law::General(Arc::new(law))));
    belt
}

/// With dry friction: x = 0.05 (1 − cos 10 t) until v = 0.1, then along with the belt until the spring
/// pulls with 5 N, then 0.05 + 0.01 sin 10 (t − t₂).
fn dry_belt(t: f64) -> f64 {
    let stick = 0.2_f64.asin() / 10.0;
    let place = 0.05 * (1.0 - (10.0 * stick).cos());
    let slip = stick + (0.05 - place) / 0.1;
    0.05 + 0.01 * (10.0 * (t - slip)).sin()
}

/// Full corrections jump from one side of the transition to the other; damped ones do not. A step that
/// ends the sticking late is late by up to h, which is 1e-4 m at 0.1 m/s.
#[test]
fn steep_friction_is_solved_by_every_implicit_method() {
    for transition in [1e-3, 1e-4, 1e-6, 1e-9] {
        let start = belt(transition).assemble().unwrap();
        for info in unconditional() {
            let settings = Settings::new(info.name, 1e-3);
            let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
            motion.run_until(2.0).unwrap_or_else(|error| panic!("{}: {error}", info.name));
            let x = start.model.read("slide.translation", motion.now()).unwrap()[0];
            assert!((x - dry_belt(2.0)).abs() < 1e-4, "{} {transition:e}: {x}", info.name);
        }
    }
}

#[test]
fn a_law_that_newton_cannot_follow_is_named() {
    let start = belt(1e-6).assemble().unwrap();
    let newton = NewtonOptions { retry_from_current_velocity: false, ..NewtonOptions::default() };
    let settings = Settings::new("lms3", 1e-3).newton(newton);
    let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
    let error = motion.run_until(2.0).unwrap_err();
    let SimulationError::Step { cause: StageError::NotConverged { changes, .. }, .. } = &error
    else {
        panic!("{error}");
    };
    let names: Vec<&str> = changes.iter().map(|change| change.name.as_str()).collect();
    assert_eq!(names, ["force `friction`"], "{error}");
    assert!(error.to_string().contains("changes more gradually"), "{error}");
}

#[test]
fn a_force_that_is_not_finite_is_named() {
    let mut pushed = Mechanism::new();
    pushed.add(Body::planar("block").mass(1.0).inertia(1.0).position([0.0, 0.0]));
    pushed.add(Joint::prismatic("slide", "ground", "block").at([0.0, 0.0]).axis([1.0, 0.0]));
    pushed.add(Force::joint_spring("spring", "slide").stiffness(1.0).rest(1.0));
    let law =
        |s: f64, _: f64| LawResponse { force: (0.1 - s).sqrt(), stiffness: 0.0, damping: 0.0 };
    pushed.add(Force::joint_spring("broken", "slide").law(Law::General(Arc::new(law))));
    let start = pushed.assemble().unwrap();
    for method in ["generalized-alpha", "esdirk436", "bdf2"] {
        let settings = Settings::new(method, 1e-2);
        let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
        let error = motion.run_until(5.0).unwrap_err().to_string();
        assert!(error.contains("force `broken`"), "{error}");
        assert!(!error.contains("force `spring`"), "{error}");
    }
}

/// Forty four-bars lie in line twice a turn; one stage of `esdirk436` comes so near to that position
/// that round-off of the constraints leaves corrections of 1e-8.
#[test]
fn singular_positions_of_forty_four_bars_are_crossed() {
    let start = gallery::four_bars(40, Dimension::Plane).assemble().unwrap();
    for (constraints, h) in [(Formulation::Acceleration, 4e-3), (Formulation::Position, 2e-3)] {
        let settings = Settings::new("esdirk436", h).constraints(constraints);
        let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
        motion.run_until(10.0).unwrap_or_else(|error| panic!("{constraints}: {error}"));
    }
}

/// The heavy top at t = 1 to twelve digits. A stage that is taken as solved after one correction, because
/// that is round-off of the positions, leaves velocities of 1e-11.
#[test]
fn small_steps_do_not_lose_what_the_order_gains() {
    let reference = [0.173343964098, 0.640088592071, -0.748490791134];
    let start = model("heavy_top", &[]).assemble().unwrap();
    let error = |h: f64| {
        let settings = Settings::new("mssth5", h).constraints(Formulation::Acceleration);
        let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
        motion.run_until(1.0).unwrap();
        let place = start.model.read("top.position", motion.now()).unwrap();
        place.iter().zip(reference).map(|(x, exact)| (x - exact).abs()).fold(0.0, f64::max)
    };
    // digits of the reference, and round-off of 4e4 steps
    let errors = [1e-4, 5e-5, 2.5e-5].map(error);
    assert!(errors.iter().all(|x| *x < 5e-12), "{errors:?}");
}
