//! The linear system of small motions, with inputs and outputs.

use cardan::model::{Beam, Body, Force, Joint, Mechanism, Section, Structure};
use cardan::modes::{RotatingObserver, StateSpace};
use cardan::statics::StaticOptions;

use super::at_start;

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| name.to_string()).collect()
}

/// A pendulum hanging down, with a torque at its joint.
fn pendulum() -> Mechanism {
    let mut pendulum = Mechanism::new();
    pendulum.gravity([0.0, -9.81, 0.0]);
    pendulum.add(
        Body::planar("bar").mass(2.0).inertia(0.1).position([0.0, -0.5]).point("tip", [0.0, -0.5]),
    );
    pendulum.add(Joint::revolute("O", "ground", "bar").at([0.0, 0.0]));
    pendulum.add(Force::joint_spring("damper", "O").stiffness(0.0).damping(0.3));
    pendulum
}

/// (I + m l²) θ̈ + c θ̇ + m g l θ = u; the tip's position and acceleration and the joint's force.
#[test]
fn a_pendulum_is_what_the_textbook_says() {
    let start = pendulum().assemble().unwrap();
    let outputs = strings(&["O.angle", "bar.tip.acceleration.x", "O.reaction.force.x"]);
    let system = StateSpace::new(
        &start.model,
        &at_start(&start),
        &RotatingObserver::default(),
        &strings(&["O.angle", "bar.tip.force.x"]),
        &outputs,
    )
    .unwrap();
    assert_eq!(system.a.nrows(), 2);
    assert_eq!(system.outputs, outputs);
    let (inertia, stiffness, damping) = (0.1 + 2.0 * 0.25, 2.0 * 9.81 * 0.5, 0.3);
    let trace = system.a.trace();
    let determinant = system.a.determinant();
    assert!((trace + damping / inertia).abs() < 1e-12);
    assert!((determinant - stiffness / inertia).abs() < 1e-12);
    // transfer functions at s = 2: whatever coordinate is the state
    let s = 2.0;
    let inverse = (nalgebra::DMatrix::identity(2, 2) * s - &system.a).try_inverse().unwrap();
    let transfer = &system.c * inverse * &system.b + &system.d;
    let angle = 1.0 / (inertia * s * s + damping * s + stiffness);
    let known = [
        [angle, angle],
        [angle * s * s, angle * s * s],
        // m ẍ_c = force on the tip + joint force
        [2.0 * 0.5 * angle * s * s, 2.0 * 0.5 * angle * s * s - 1.0],
    ];
    for (i, row) in known.iter().enumerate() {
        for (j, known) in row.iter().enumerate() {
            let found = transfer[(i, j)];
            assert!((found - known).abs() < 1e-8, "({i}, {j}): {found}, not {known}");
        }
    }
}

/// A structure's inputs and outputs are its nodes.
#[test]
fn a_chain_has_loads_and_displacements() {
    let mut mechanism = Mechanism::new();
    mechanism.add(
        Structure::new("chain", 2)
            .mass(0, 2.0)
            .mass(1, 1.0)
            .spring(None, Some(0), 30.0)
            .spring(Some(0), Some(1), 20.0)
            .point("tip", 1),
    );
    let start = mechanism.assemble().unwrap();
    let system = StateSpace::new(
        &start.model,
        &at_start(&start),
        &RotatingObserver::default(),
        &strings(&["chain.tip"]),
        &strings(&["chain.node0", "chain.tip.acceleration"]),
    )
    .unwrap();
    // K q = u at rest: both springs carry the load
    let rest = -&system.c * system.a.clone().try_inverse().unwrap() * &system.b + &system.d;
    assert!((rest[(0, 0)] - 1.0 / 30.0).abs() < 1e-10 && rest[(1, 0)].abs() < 1e-9, "{rest}");
    assert!((system.d[(1, 0)] - 1.0).abs() < 1e-10);
}

/// What does not exist is told with what does.
#[test]
fn unknown_names_get_a_suggestion() {
    let start = pendulum().assemble().unwrap();
    let at = at_start(&start);
    let error = |inputs: &[&str], outputs: &[&str]| {
        let observer = RotatingObserver::default();
        let system =
            StateSpace::new(&start.model, &at, &observer, &strings(inputs), &strings(outputs));
        system.unwrap_err().to_string()
    };
    assert!(error(&["O.angel"], &[]).contains("O.angle"));
    assert!(error(&["bar.force.z"], &[]).contains("bar.force"), "{}", error(&["bar.force.z"], &[]));
    assert!(error(&[], &["O.angel"]).contains("O.angle"));
}

/// A stiff beam that hangs: coordinates that are states are outputs with a one, and the reaction carries a
/// load at the end whole, whatever the frequencies of its nodes.
#[test]
fn outputs_of_stiff_beams_are_right() {
    let section =
        Section::new([2e7, 8e6, 8e6, 40.0, 700.0, 45.0]).mass(0.8).inertia([3e-5, 2e-5, 1e-6]);
    let mut mechanism = Mechanism::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    mechanism.point("wall", [0.0; 3]);
    mechanism.add(Body::spatial("clamp").mass(1.0).inertia([1.0; 3]).point("p", [0.0; 3]));
    mechanism.add(Joint::fixed("A", "ground.wall", "clamp.p"));
    mechanism
        .add(Beam::new("strip", section).elements(4).through("clamp.p").through([1.5, 0.0, 0.0]));
    let start = mechanism.assemble().unwrap();
    let rest = start.equilibrium(&StaticOptions::default()).unwrap();
    let system = StateSpace::new(
        &start.model,
        rest.last().unwrap(),
        &RotatingObserver::default(),
        &strings(&["strip.end.force.z"]),
        &strings(&["strip.end.z", "A.reaction.force.z"]),
    )
    .unwrap();
    let end = system.states.iter().position(|name| name == "node `strip.node8` (z)").unwrap();
    // differences of a sag of some centimetres, ε/ASIDE
    assert!((system.c[(0, end)] - 1.0).abs() < 1e-9, "{}", system.c[(0, end)]);
    let inverse = system.a.clone().try_inverse().unwrap();
    let gain = &system.d - &system.c * inverse * &system.b;
    // P L³/(3EI), bent by its weight a little stiffer; the joint on the clamp pulls the other way
    let known = 1.5_f64.powi(3) / (3.0 * 700.0);
    assert!((gain[(0, 0)] / known - 1.0).abs() < 0.02, "{gain}");
    assert!((gain[(1, 0)] + 1.0).abs() < 1e-6, "{gain}");
}
