//! The slider-crank with a flexible rod in a floating frame: axially rigid, modes sin(iπx/L), no slider
//! mass, no spring.

use std::f64::consts::{FRAC_PI_6, PI};

use cardan::model::{Beam, BeamModes, Body, FlexibleBody, Joint, Mechanism, ModalBasis, Section};
use cardan::{Formulation, Settings, Simulation};

/// Length, mass per length and bending stiffness of the rod.
pub const ROD: [f64; 3] = [0.6, 1.5, 5530.0];

/// The rod with analytic modes.
pub fn rod(modes: usize) -> ModalBasis {
    BeamModes {
        length: ROD[0],
        mass: ROD[1],
        bending_stiffness: [ROD[2], 0.0],
        bending: [modes, 0],
        ..BeamModes::default()
    }
    .body()
}

/// The mechanism with some rod.
pub fn with(rod: ModalBasis, gravity: f64) -> Mechanism {
    let length = 0.3;
    let mut mechanism = Mechanism::new();
    mechanism.gravity([0.0, -gravity, 0.0]);
    mechanism.point("O", [0.0, 0.0]);
    mechanism.add(
        Body::planar("crank")
            .mass(3.0)
            .inertia(3.0 * length * length / 12.0)
            .position([0.0, -0.5 * length])
            .angle(1.5 * PI)
            .point("O", [-0.5 * length, 0.0])
            .point("A", [0.5 * length, 0.0]),
    );
    mechanism.add(FlexibleBody::planar("rod", rod).position([0.0, -length]).angle(FRAC_PI_6));
    mechanism.add(Joint::revolute("O", "ground.O", "crank.O").rate(1.0));
    mechanism.add(Joint::revolute("A", "crank.A", "rod.start"));
    mechanism.add(Joint::point_on_line("B", "ground.O", "rod.end").axis([1.0, 0.0]));
    mechanism
}

/// (crank angle, its rate, frame angle, modes) at a time, from a fine run.
fn motion(modes: usize, gravity: f64, t: f64, h: f64) -> Vec<f64> {
    let start = with(rod(modes), gravity).assemble().unwrap();
    let settings =
        Settings::new("generalized-alpha", h).rho(1.0).constraints(Formulation::Acceleration);
    let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
    motion.run_until(t).unwrap();
    let read = |name: &str| start.model.read(name, motion.now()).unwrap()[0];
    let mut all = vec![read("crank.angle"), read("O.angle.rate"), read("rod.angle")];
    all.extend((1..=modes).map(|k| read(&format!("rod.mode{k}"))));
    all
}

/// Values of a program that shares nothing with Cardan: minimal coordinates, extrapolation in extended
/// precision, energy kept to 1e-15.
#[test]
fn motion_is_that_of_an_independent_computation() {
    let known: [(usize, f64, &[f64]); 3] = [
        (1, 9.81, &[4.806378135995, 0.832522297044, 0.521052376441, -3.93926660807e-6]),
        (
            2,
            9.81,
            &[4.806378135740, 0.832522172164, 0.521052376454, -3.93950853159e-6, 1.56113368774e-9],
        ),
        (
            2,
            0.0,
            &[4.811763792181, 0.988142323029, 0.520752686425, -5.07401789197e-8, 8.59387866241e-11],
        ),
    ];
    for (modes, gravity, known) in known {
        let found = motion(modes, gravity, 0.1, 1e-6);
        for (found, known) in found.iter().zip(known) {
            assert!((found - known).abs() < 1e-8, "{found} {known}");
        }
    }
}

/// Errors of the first mode and of the crank's rate at t = 0.1, and the largest violation of velocity
/// constraints.
fn run(settings: &Settings) -> [f64; 3] {
    let start = with(rod(2), 9.81).assemble().unwrap();
    let mut motion = Simulation::new(&start.model, settings, &start.initial).unwrap();
    let mut drift = 0.0_f64;
    while motion.now().t < 0.1 - 1e-9 {
        motion.step().unwrap();
        drift = drift.max(motion.residuals().velocity);
    }
    let read = |name: &str| start.model.read(name, motion.now()).unwrap()[0];
    let errors = [read("rod.mode1") + 3.93950853159e-6, read("O.angle.rate") - 0.832522172164];
    [errors[0].abs(), errors[1].abs(), drift]
}

/// The six methods that were compared on this mechanism: second order once the step resolves the rod's
/// first frequency, here h ω₁ ≤ 0.03, Newmark's with its dissipation first; velocities drift with h² under
/// position constraints, and not at all where they are enforced.
#[test]
fn six_methods_have_their_orders_and_drifts() {
    for (method, order, keeps_velocities) in [
        ("nstiff", 2.0, false),
        ("newmark", 1.0, false),
        ("hht", 2.0, false),
        ("nstiff-si2", 2.0, true),
        ("hht-add", 2.0, true),
        ("hht-si2", 2.0, true),
    ] {
        let [coarse, fine] = [2e-5, 1e-5].map(|h| run(&Settings::new(method, h)));
        let found = (coarse[0] / fine[0]).log2();
        // the first-order method comes to its order from above: its h² terms are still there
        let slack = if order == 1.0 { 0.3 } else { 0.1 };
        assert!((found - order).abs() < slack, "{method}: order {found:.2}");
        // what round-off of positions leaves, ε/h, is about 1e-11
        assert!(fine[2] < if keeps_velocities { 1e-12 } else { 1e-9 }, "{method}: {:e}", fine[2]);
    }
    // the drift of velocities is h² for all three, also for the method of first order
    for method in ["hht", "nstiff", "newmark"] {
        let drift = [1.25e-4, 6.25e-5].map(|h| run(&Settings::new(method, h))[2]);
        let order = (drift[0] / drift[1]).log2();
        assert!((order - 2.0).abs() < 0.3, "{method}: drift of order {order:.2}");
    }
    // the crank's rate rings with the second mode, which takes shorter steps: h ω₂ ≤ 0.03
    let errors = [5e-6, 2.5e-6].map(|h| run(&Settings::new("hht", h))[1]);
    let order = (errors[0] / errors[1]).log2();
    assert!((order - 2.0).abs() < 0.1, "order {order:.2} of the crank's rate");
}

/// Against a beam of finite elements, geometrically exact and with shear: more modes come nearer.
#[test]
fn more_modes_come_nearer_to_a_beam() {
    // stiff against stretch and shear, which the modes leave out
    let section = Section::planar([1e10, 1e10, ROD[2]]).mass(ROD[1]).inertia([1e-6; 3]);
    let mut exact = Mechanism::new();
    exact.gravity([0.0, -9.81, 0.0]);
    exact.point("O", [0.0, 0.0]);
    exact.add(
        Body::planar("crank")
            .mass(3.0)
            .inertia(3.0 * 0.09 / 12.0)
            .position([0.0, -0.15])
            .angle(1.5 * PI)
            .point("O", [-0.15, 0.0])
            .point("A", [0.15, 0.0]),
    );
    let far = (0.36_f64 - 0.09).sqrt();
    // the rod begins with a velocity that does not bend it
    let beam = Beam::planar("rod", section).elements(12).velocity([0.3, 0.0, 0.0]);
    exact.add(beam.through([0.0, -0.3, 0.0]).through([far, 0.0, 0.0]));
    exact.add(Joint::revolute("O", "ground.O", "crank.O").rate(1.0));
    exact.add(Joint::revolute("A", "crank.A", "rod.start"));
    exact.add(Joint::point_on_line("B", "ground.O", "rod.end").axis([1.0, 0.0]));
    // the deflection of the middle from the chord, over some periods of the first mode
    let settings = Settings::new("generalized-alpha", 2e-5).rho(0.6);
    let middle = |mechanism: &Mechanism| -> Vec<f64> {
        let start = mechanism.assemble().unwrap();
        let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
        let channels = ["rod.start", "rod.mid", "rod.end"].map(|x| start.model.channel(x).unwrap());
        let mut all = Vec::new();
        while motion.now().t < 0.01 {
            motion.step().unwrap();
            let mut values = [0.0; 9];
            start.model.evaluate_all(channels.iter().zip([0, 3, 6]), motion.now(), &mut values);
            let [ax, ay, _, mx, my, _, bx, by, _] = values;
            let (dx, dy) = (bx - ax, by - ay);
            all.push((dx * (my - ay) - dy * (mx - ax)) / dx.hypot(dy));
        }
        all
    };
    let known = middle(&exact);
    let size = known.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let errors = [1, 3, 5].map(|modes| {
        let found = middle(&with(rod(modes), 9.81));
        let worst = known.iter().zip(&found).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
        worst / size
    });
    // one mode leaves out what others do, 1/81 of it; the beam's own mesh is good to 1e-4
    assert!(errors[0] > 5.0 * errors[1] && errors[1] > errors[2] && errors[2] < 3e-4, "{errors:?}");
}
