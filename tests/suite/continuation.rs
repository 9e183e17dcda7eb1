//! Which saved states may be continued, and by which method.

use cardan::SimulationError;
use cardan::State;
use cardan::methods::{self, MethodChoice};
use cardan::model::{Body, Force, Joint, Mechanism};
use cardan::simulation::StartError;
use cardan::system::System;
use cardan::{Settings, Simulation};

fn pendulum(mass: f64, gravity: f64, name: &str) -> Mechanism {
    let mut pendulum = Mechanism::new();
    pendulum.gravity([0.0, gravity, 0.0]);
    pendulum.add(Body::planar(name).mass(mass).inertia(0.1).position([0.5, 0.0]));
    pendulum.add(Joint::revolute("pivot", "ground", name).at([0.0, 0.0]));
    // so stiff that gravity is lost beside it once it is stretched
    pendulum.add(Body::planar("bob").mass(1.0).inertia(0.1).position([2.0, 0.0]));
    pendulum.add(Force::spring("spring", "ground", "bob").stiffness(1e12).rest(2.0));
    pendulum
}

fn refused(system: &dyn System, settings: &Settings, state: State) -> String {
    match Simulation::resume(system, settings, state) {
        Err(SimulationError::Start { cause: StartError::Foreign { reason }, .. }) => reason,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("accepted"),
    }
}

#[test]
fn states_of_other_systems_are_refused() {
    let start = pendulum(2.0, -9.81, "bar").assemble().unwrap();
    let settings = Settings::new("lms3", 1e-3);
    let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
    motion.run_until(0.05).unwrap();
    let state = motion.state().clone();
    assert!(Simulation::resume(&start.model, &settings, state.clone()).is_ok());
    for (mass, gravity, name, word) in
        [(2.5, -9.81, "bar", "inertia"), (2.0, -3.7, "bar", "force"), (2.0, -9.81, "rod", "names")]
    {
        let other = pendulum(mass, gravity, name).assemble().unwrap();
        let reason = refused(&other.model, &settings, state.clone());
        assert!(reason.contains(word), "{mass} {gravity} {name}: {reason}");
    }
    // a joint at another place of the same body
    let mut other = Mechanism::new();
    other.gravity([0.0, -9.81, 0.0]);
    other.add(Body::planar("bar").mass(2.0).inertia(0.1).position([0.5, 0.0]));
    other.add(Joint::revolute("pivot", "ground", "bar").at([0.1, 0.0]));
    other.add(Body::planar("bob").mass(1.0).inertia(0.1).position([2.0, 0.0]));
    other.add(Force::spring("spring", "ground", "bob").stiffness(1e12).rest(2.0));
    let other = other.assemble().unwrap();
    let reason = refused(&other.model, &settings, state.clone());
    assert!(reason.contains("pivot"), "{reason}");
}

#[test]
fn altered_states_are_refused() {
    let start = pendulum(2.0, -9.81, "bar").assemble().unwrap();
    let settings = Settings::new("hht-si2", 1e-3);
    let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
    motion.run_until(0.05).unwrap();
    let state = motion.state().clone();
    let alter = |change: &dyn Fn(&mut State)| {
        let mut altered = state.clone();
        change(&mut altered);
        refused(&start.model, &settings, altered)
    };
    assert!(alter(&|state| state.now.q[0] += 0.1).contains("pivot"));
    assert!(alter(&|state| state.now.stabilization_multipliers[0] = f64::NAN).contains("finite"));
    assert!(alter(&|state| state.start = f64::NAN).contains("finite"));
    assert!(alter(&|state| state.identity = Default::default()).contains("identity"));
    assert!(alter(&|state| state.coefficients.clear()).contains("coefficients"));
    assert!(alter(&|state| state.coefficients[0].1 = f64::INFINITY).contains("coefficients"));
    assert!(alter(&|state| state.now.inactive.push(usize::MAX)).contains("inactive"));
}

/// A method whose coefficients differ from the registry's goes on with its own: the same bits as if it
/// had never stopped.
#[test]
fn a_changed_method_is_continued_with_its_own_coefficients() {
    let start = pendulum(2.0, -9.81, "bar").assemble().unwrap();
    for info in methods::all() {
        let settings = Settings::new(info.name, 1e-6);
        let choice = MethodChoice { method: info.name.into(), parameters: Vec::new() };
        let (info, method) = choice.build().unwrap();
        let values: Vec<f64> =
            method.coefficients().iter().map(|(_, value)| value * (1.0 + 1e-7)).collect();
        let changed = || method.with_coefficients(&values);
        let begin =
            Simulation::with_method(&start.model, &settings, info, changed(), &start.initial);
        let Ok(mut unbroken) = begin else { continue };
        for _ in 0..3 {
            unbroken.step().unwrap_or_else(|error| panic!("{}: {error}", info.name));
        }
        let state = unbroken.state().clone();
        let mut continued = Simulation::resume(&start.model, &settings, state).unwrap();
        for _ in 0..5 {
            unbroken.step().unwrap();
            continued.step().unwrap();
        }
        assert_eq!(unbroken.state(), continued.state(), "{}", info.name);
    }
}

#[test]
fn channels_of_other_models_give_no_numbers() {
    let [one, two] = [2.0, 3.0].map(|mass| pendulum(mass, -9.81, "bar").assemble().unwrap());
    let settings = Settings::new("lms3", 1e-3);
    let motion = Simulation::new(&two.model, &settings, &two.initial).unwrap();
    let channel = one.model.channel("pivot.angle").unwrap();
    let mut out = [0.0];
    two.model.evaluate(&channel, motion.now(), &mut out);
    assert!(out[0].is_nan());
    one.model.clone().evaluate(&channel, motion.now(), &mut out);
    assert!(out[0].is_finite());
}
