//! The linear system of small motions, with inputs and outputs.

use cardan::model::{Body, Force, Joint, Mechanism, Structure};
use cardan::modes::{Observer, StateSpace};

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
        &Observer::default(),
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
        &Observer::default(),
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
        let observer = Observer::default();
        let system =
            StateSpace::new(&start.model, &at, &observer, &strings(inputs), &strings(outputs));
        system.unwrap_err().to_string()
    };
    assert!(error(&["O.angel"], &[]).contains("O.angle"));
    assert!(error(&["bar.force.z"], &[]).contains("bar.force"), "{}", error(&["bar.force.z"], &[]));
    assert!(error(&[], &["O.angel"]).contains("O.angle"));
}
