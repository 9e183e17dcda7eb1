//! Forces as signals against built-in forces.

use cardan::Settings;
use cardan::file::ModelFile;
use cardan::model::{Body, Force, Function, Joint, Mechanism, Signal};

/// Two point masses, and a spring with a damper between them: c(ℓ̇), k(ℓ − ℓ₀).
fn masses() -> Mechanism {
    let mut masses = Mechanism::new();
    masses.gravity([0.0, 0.0, -9.81]);
    masses.add(Body::point_mass("a", 1.0).position([0.0, 0.0, 0.0]).velocity([0.3, 0.0, 0.1]));
    masses.add(Body::point_mass("b", 2.0).position([1.0, 0.2, -0.1]).velocity([0.0, -0.4, 0.0]));
    masses
}

fn end_of(mechanism: &Mechanism, method: &str) -> Vec<f64> {
    let start = mechanism.assemble().unwrap();
    let mut motion = start.simulate(&Settings::new(method, 1e-3)).unwrap();
    motion.run_until(0.5).unwrap();
    [motion.now().q.clone(), motion.now().v.clone()].concat()
}

fn assert_near(one: &[f64], two: &[f64], tolerance: f64) {
    assert!(!one.is_empty());
    for (x, y) in one.iter().zip(two) {
        assert!((x - y).abs() <= tolerance * (1.0 + x.abs()), "{x} and {y}");
    }
}

/// The same equations: the end states agree to the tolerance of Newton (1e-10 of the positions per step).
#[test]
fn spring_as_a_signal_equals_the_built_in_spring() {
    for method in ["generalized-alpha", "lms3", "esdirk436", "rk4"] {
        let mut built_in = masses();
        built_in.add(Force::spring("s", "a", "b").stiffness(100.0).damping(3.0).rest(0.9));
        let mut signals = masses();
        signals.signal("length", "sqrt((b.position.x - a.position.x)^2 + (b.position.y - a.position.y)^2 + (b.position.z - a.position.z)^2)");
        signals.signal("rate", "((b.position.x - a.position.x)*(b.velocity.x - a.velocity.x) + (b.position.y - a.position.y)*(b.velocity.y - a.velocity.y) + (b.position.z - a.position.z)*(b.velocity.z - a.velocity.z))/length");
        signals.signal("tension", "100*(length - 0.9) + 3*rate");
        let component = |axis: &str, sign: &str| {
            Function::formula(&format!(
                "{sign}tension*(b.position.{axis} - a.position.{axis})/length"
            ))
        };
        let components = |sign: &str| ["x", "y", "z"].map(|axis| component(axis, sign));
        signals.add(Force::load("on_a", "a", components("")));
        signals.add(Force::load("on_b", "b", components("-")));
        assert_near(&end_of(&built_in, method), &end_of(&signals, method), 1e-9);
    }
}

/// A law with signals and the same law without them.
#[test]
fn law_of_signals_equals_the_law_without_them() {
    let pendulum = |law: &str, extra: &str| {
        let text = format!(
            "format = 2\nplanar = true\ngravity = [0, -9.81]\n\
             body.bar = {{ mass = 2, shape = {{ rod = 1 }}, position = [0.5, 0] }}\n\
             joint.O = {{ type = \"revolute\", between = [\"ground\", \"bar\"], at = [0, 0] }}\n\
             force.s = {{ type = \"joint-spring\", joint = \"O\", law = \"{law}\" }}\n{extra}"
        );
        ModelFile::parse("model.toml", &text, &[]).unwrap().mechanism
    };
    let plain = pendulum("40*x + 2*v + x^3", "");
    let with = pendulum(
        "gain*x + damped + x^3",
        "[signal]\ngain = \"20 + 20\"\ndamped = \"2*O.angle.rate\"",
    );
    assert_near(&end_of(&plain, "generalized-alpha"), &end_of(&with, "generalized-alpha"), 1e-10);
}

/// Gravity, torques, motors and the damping factor of a bushing take signals.
#[test]
fn every_force_takes_signals() {
    let bodies = |mechanism: &mut Mechanism| {
        mechanism
            .add(Body::spatial("bar").mass(2.0).inertia([0.1, 0.2, 0.2]).position([0.5, 0.0, 0.0]));
        mechanism.add(Joint::spherical("O", "ground", "bar").at([0.0, 0.0, 0.0]));
    };
    let mut numbers = Mechanism::new();
    bodies(&mut numbers);
    numbers.gravity([0.0, 0.0, -9.0]);
    numbers.add(Force::torque("T", "bar", [0.0, 0.5, 0.0].map(Function::Constant)));
    numbers.add(
        Force::bushing("B", "ground", "bar")
            .at([1.0, 0.0, 0.0])
            .stiffnesses([50.0; 6])
            .dampings([2.0; 6]),
    );
    let mut signals = Mechanism::new();
    bodies(&mut signals);
    // zero, but a function of the motion
    signals.add(Signal::new("none", "bar.position.x - bar.position.x"));
    let formula = Function::formula;
    signals.gravity([formula("none"), Function::Constant(0.0), formula("-9 + none")]);
    signals.add(Force::torque("T", "bar", [formula("none"), formula("0.5 + none"), formula("0")]));
    signals.add(
        Force::bushing("B", "ground", "bar")
            .at([1.0, 0.0, 0.0])
            .stiffnesses([50.0; 6])
            .dampings([2.0; 6])
            .damping_factor(formula("1 + none")),
    );
    assert_near(
        &end_of(&numbers, "generalized-alpha"),
        &end_of(&signals, "generalized-alpha"),
        1e-9,
    );
}
