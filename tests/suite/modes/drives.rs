//! Drives as inputs of the linear system, against differences of the nonlinear motion and closed forms.

use cardan::Settings;
use cardan::model::{Body, Drive, Force, Function, Joint, Mechanism, Skate};
use cardan::modes::{RotatingObserver, StateSpace};
use cardan::stage::Formulation;
use nalgebra::{DMatrix, DVector};

use super::at_start;

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| name.to_string()).collect()
}

/// u = t³ and its two derivatives: at rest at the start.
fn shape(t: f64) -> [f64; 3] {
    [t.powi(3), 3.0 * t.powi(2), 6.0 * t]
}

/// A prescribed coordinate ε t³.
fn moved(size: f64) -> Function {
    Function::jet(move |t| shape(t).map(|x| size * x))
}

fn linear_system(mechanism: &Mechanism, inputs: &[&str], outputs: &[&str]) -> StateSpace {
    let start = mechanism.assemble().unwrap();
    let observer = RotatingObserver::default();
    let at = at_start(&start);
    StateSpace::new(&start.model, &at, &observer, &strings(inputs), &strings(outputs)).unwrap()
}

/// The change of the outputs per ε at the end of a motion with the drives at multiples of ε t³: by the linear system, and by central
/// differences of the nonlinear motion.
fn compare(
    mechanism: &dyn Fn(f64) -> Mechanism,
    inputs: &[(&str, f64)],
    outputs: &[&str],
    end: f64,
) {
    let names: Vec<&str> = inputs.iter().map(|x| x.0).collect();
    let system = linear_system(&mechanism(0.0), &names, outputs);
    let input = |t: f64| {
        let weight = |name: &String| {
            let order = ["value", "rate", "acceleration"].iter().position(|x| name.ends_with(x));
            let factor = inputs.iter().find(|x| name.starts_with(x.0)).unwrap().1;
            factor * shape(t)[order.unwrap()]
        };
        DVector::from_iterator(system.inputs.len(), system.inputs.iter().map(weight))
    };
    let steps = (end / 1e-3).round() as usize;
    let h = end / steps as f64;
    let mut x = DVector::zeros(system.a.nrows());
    for k in 0..steps {
        let t = k as f64 * h;
        let rate = |t: f64, x: &DVector<f64>| &system.a * x + &system.b * input(t);
        let k1 = rate(t, &x);
        let k2 = rate(t + 0.5 * h, &(&x + 0.5 * h * &k1));
        let k3 = rate(t + 0.5 * h, &(&x + 0.5 * h * &k2));
        let k4 = rate(t + h, &(&x + h * &k3));
        x += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    let linear = &system.c * x + &system.d * input(end);
    let nonlinear = |size: f64| {
        let start = mechanism(size).assemble().unwrap();
        let settings = Settings::new("esdirk436", h).constraints(Formulation::Acceleration);
        let mut motion = start.simulate(&settings).unwrap();
        (0..steps).for_each(|_| motion.step().unwrap());
        outputs.iter().map(|name| motion.read(name).unwrap()[0]).collect::<Vec<f64>>()
    };
    let size = 1e-3;
    let [ahead, behind] = [size, -size].map(nonlinear);
    let mut moves = 0.0_f64;
    for (k, name) in outputs.iter().enumerate() {
        let slope = (ahead[k] - behind[k]) / (2.0 * size);
        // the third derivative of the motion times ε², and the differences in C and D
        let error = (linear[k] - slope).abs();
        assert!(error < 1e-5 * (1.0 + slope.abs()), "{name}: {}, not {slope}", linear[k]);
        moves = moves.max(slope.abs());
    }
    assert!(moves > 0.1, "nothing moves: {moves}");
}

/// A pendulum in space on a driven slider, and a ball on a spring whose x and z are driven; a filter feels the motion and
/// the force of the drive, and acts on the pendulum.
fn shaken(size: f64) -> Mechanism {
    let mut all = Mechanism::new();
    all.gravity([0.0, 0.0, -9.81]);
    all.add(Body::spatial("cart").mass(2.0).inertia([0.1; 3]).point("hook", [0.0, 0.3, 0.0]));
    let bar = Body::spatial("bar").mass(1.0).inertia([0.1, 0.09, 0.02]).position([0.0, 0.0, -0.5]);
    all.add(bar.point("tip", [0.1, 0.0, -0.5]));
    all.add(Body::point_mass("ball", 0.5).position([0.0, 0.3, -0.8]));
    all.add(Joint::prismatic("rail", "ground", "cart").at([0.0; 3]).axis([1.0, 0.0, 0.0]));
    let pins = ([0.0, 1.0, 0.0], [1.0, 0.0, 0.0]);
    all.add(Joint::universal("head", "cart", "bar").at([0.0; 3]).pins(pins.0, pins.1));
    all.add(Force::joint_spring("damper", "head.angle_1").stiffness(0.0).damping(0.2));
    let spring = Force::spring("spring", "cart.hook", "ball").stiffness(40.0).damping(0.3);
    all.add(spring.rest(0.8 - 0.5 * 9.81 / 40.0));
    all.add(Force::load("wind", "bar.tip", ["2*lag", "0.5*lag", "0"].map(Function::formula)));
    all.add(Drive::translation("shake", "rail", moved(size)));
    let axes = [
        Some(moved(-0.5 * size)),
        None,
        Some(Function::jet(move |t| {
            let motion = shape(t).map(|x| 0.7 * size * x);
            [motion[0] - 0.8, motion[1], motion[2]]
        })),
    ];
    all.add(Drive::point_along("base", "ball", axes));
    all.state("lag", 0.0, "(cart.velocity.x + 0.1*shake.force + bar.tip.x - 0.1 - lag)/0.2");
    all
}

#[test]
fn driven_motion_is_an_input_with_its_two_derivatives() {
    let outputs = [
        "head.angle_1",
        "bar.tip.velocity.x",
        "bar.tip.acceleration.z",
        "shake.force",
        "lag",
        "ball.position.y",
        "base.force.z",
        "spring.length",
        "head.reaction.force.x",
    ];
    let inputs = [("shake", 1.0), ("base.x", -0.5), ("base.z", 0.7)];
    compare(&shaken, &inputs, &outputs, 0.6);
    // one name stands for all columns of a drive
    let system = linear_system(&shaken(0.0), &["base", "shake.acceleration"], &[]);
    let axis = |axis: &str| ["value", "rate", "acceleration"].map(|x| format!("base.{axis}.{x}"));
    let names = [&axis("x")[..], &axis("z")[..], &["shake.acceleration".to_string()]].concat();
    assert_eq!(system.inputs, names);
}

/// Two discs with a spring between them; the speed of the first is driven about 2 rad/s, against a damper. Its power is
/// c ω², with the slope 2 c ω.
#[test]
fn driven_speed_is_an_input_with_its_derivative() {
    let discs = |size: f64| {
        let mut discs = Mechanism::new();
        discs.add(Body::planar("one").mass(1.0).inertia(0.2));
        discs.add(Body::planar("two").mass(1.0).inertia(0.5));
        discs.add(Joint::revolute("a", "ground", "one").at([0.0, 0.0]).rate(2.0));
        discs.add(Joint::revolute("b", "one", "two").at([0.0, 0.0]).rate(0.0));
        discs.add(Force::joint_spring("spring", "b").stiffness(8.0).damping(0.1));
        discs.add(Force::joint_spring("bearing", "a").stiffness(0.0).damping(0.3));
        let speed = move |t: f64| {
            let [_, rate, second] = shape(t);
            [2.0 + size * rate, size * second, f64::NAN]
        };
        discs.add(Drive::angular_velocity("turn", "a", Function::jet(speed)));
        discs
    };
    let outputs = ["b.angle", "two.angular_velocity.z", "turn.force", "turn.power", "a.angle"];
    compare(&discs, &[("turn", 1.0)], &outputs, 0.8);
    let system = linear_system(&discs(0.0), &["turn"], &["turn.power"]);
    assert_eq!(system.inputs, ["turn.rate", "turn.acceleration"]);
    // c ω² + ω (J₁ ω̇ − k φ): the spring is relaxed
    assert!((system.d[(0, 0)] - (2.0 * 0.3 * 2.0 + 0.1 * 2.0)).abs() < 1e-8, "{}", system.d);
    assert!((system.d[(0, 1)] - 2.0 * 0.2).abs() < 1e-8, "{}", system.d);
}

/// A bicycle on two skates with a driven steering angle: at the speed v the yaw rate is v/L times the angle, so that
/// positions act on velocities.
#[test]
fn steering_angle_of_a_bicycle_is_an_input() {
    let bicycle = |size: f64| {
        let mut bicycle = Mechanism::new();
        let frame = Body::planar("frame").mass(3.0).inertia(0.4).position([0.5, 0.0]);
        bicycle.add(frame.velocity([3.0, 0.0]).point("rear", [-0.5, 0.0]));
        let fork = Body::planar("fork").mass(0.5).inertia(0.05).position([1.0, 0.0]);
        bicycle.add(fork.velocity([3.0, 0.0]).point("front", [0.0, 0.0]));
        bicycle.add(Joint::revolute("head", "frame", "fork").at([1.0, 0.0]));
        bicycle.add(Skate::new("rear", "frame.rear", [0.0, 1.0]));
        bicycle.add(Skate::new("front", "fork.front", [0.0, 1.0]));
        bicycle.add(Drive::angle("steer", "head", moved(size)));
        bicycle
    };
    let outputs = [
        "frame.angle",
        "frame.position.y",
        "frame.angular_velocity.z",
        "frame.acceleration.y",
        "head.reaction.force.y",
        "steer.force",
    ];
    compare(&bicycle, &[("steer", 1.0)], &outputs, 0.5);
    let system = linear_system(&bicycle(0.0), &["steer.value"], &["frame.angular_velocity.z"]);
    // the wheelbase is 1 m
    assert!((system.d[(0, 0)] - 3.0).abs() < 1e-9, "{}", system.d);
}

/// A pendulum on a driven slider.
fn planar_pendulum() -> Mechanism {
    let mut all = Mechanism::new();
    all.gravity([0.0, -9.81, 0.0]);
    all.add(Body::planar("cart").mass(1.0).inertia(1.0));
    all.add(Body::planar("bar").mass(2.0).inertia(0.1).position([0.0, -0.5]));
    all.add(Joint::prismatic("rail", "ground", "cart").at([0.0, 0.0]).axis([1.0, 0.0]));
    all.add(Joint::revolute("O", "cart", "bar").at([0.0, 0.0]));
    all.add(Force::joint_spring("damper", "O").stiffness(0.0).damping(0.3));
    all.add(Drive::translation("shake", "rail", 0.0));
    all
}

/// J θ̈ + c θ̇ + m g l θ = −m l ü of a pendulum on a slider, at complex frequencies.
#[test]
fn pendulum_on_a_driven_slider_has_its_transfer_function() {
    let all = planar_pendulum();
    let system = linear_system(&all, &["shake"], &["O.angle", "shake.force"]);
    let complex = |m: &DMatrix<f64>| m.map(|x| nalgebra::Complex::new(x, 0.0));
    for s in [nalgebra::Complex::new(0.0, 3.0), nalgebra::Complex::new(0.4, -2.0)] {
        let shifted = DMatrix::identity(2, 2) * s - complex(&system.a);
        let inverse = shifted.try_inverse().unwrap();
        let transfer = complex(&system.c) * inverse * complex(&system.b) + complex(&system.d);
        let powers = DVector::from_column_slice(&[s.powi(0), s, s * s]);
        let found = transfer * powers;
        let angle = -s * s / (s * s * 0.6 + s * 0.3 + 9.81);
        // (M + m) ü + m l θ̈ = F
        let force = s * s * 3.0 + s * s * angle;
        assert!((found[0] - angle).norm() < 1e-9 && (found[1] - force).norm() < 1e-8, "{found}");
    }
}

#[test]
fn wrong_inputs_of_drives_are_refused_with_a_suggestion() {
    let error = |mechanism: &Mechanism, input: &str| {
        let start = mechanism.assemble().unwrap();
        let observer = RotatingObserver::default();
        let at = at_start(&start);
        let found = StateSpace::new(&start.model, &at, &observer, &strings(&[input]), &[]);
        found.unwrap_err().to_string()
    };
    let message = error(&shaken(0.0), "shake.acelleration");
    assert!(message.contains("shake.acceleration"), "{message}");
    let message = error(&shaken(0.0), "base.y.value");
    assert!(message.contains("base.x.value") || message.contains("base.z.value"), "{message}");
    // a second drive of the same coordinate
    let mut twice = planar_pendulum();
    twice.add(Drive::translation("again", "rail", 0.0));
    let message = error(&twice, "again");
    assert!(message.contains("drive `again`") && message.contains("redundant"), "{message}");
}
