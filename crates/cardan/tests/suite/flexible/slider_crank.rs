//! The slider-crank with a flexible rod in a floating frame: axially rigid, modes sin(iπx/L), no slider
//! mass, no spring.

use std::f64::consts::{FRAC_PI_6, PI};

use cardan::model::{BeamModes, Body, Flexible, Joint, Mechanism, Modal};
use cardan::{Formulation, Settings, Simulation};

/// Length, mass per length and bending stiffness of the rod.
pub const ROD: [f64; 3] = [0.6, 1.5, 5530.0];

/// The rod with analytic modes.
pub fn rod(modes: usize) -> Modal {
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
pub fn with(rod: Modal, gravity: f64) -> Mechanism {
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
    mechanism.add(Flexible::planar("rod", rod).position([0.0, -length]).angle(FRAC_PI_6));
    mechanism.add(Joint::revolute("O", "ground.O", "crank.O").rate(1.0));
    mechanism.add(Joint::revolute("A", "crank.A", "rod.start"));
    mechanism.add(Joint::point_on_line("B", "ground.O", "rod.end").axis([1.0, 0.0]));
    mechanism
}

/// (crank angle, its rate, frame angle, modes) at a time, from a fine run.
fn motion(modes: usize, gravity: f64, t: f64, h: f64) -> Vec<f64> {
    let start = with(rod(modes), gravity).assemble().unwrap();
    let settings = Settings::new("generalized-alpha", h).rho(1.0).constraints(Formulation::Acceleration);
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
        (2, 9.81, &[4.806378135740, 0.832522172164, 0.521052376454, -3.93950853159e-6, 1.56113368774e-9]),
        (2, 0.0, &[4.811763792181, 0.988142323029, 0.520752686425, -5.07401789197e-8, 8.59387866241e-11]),
    ];
    for (modes, gravity, known) in known {
        let found = motion(modes, gravity, 0.1, 1e-6);
        for (found, known) in found.iter().zip(known) {
            assert!((found - known).abs() < 1e-8, "{found} {known}");
        }
    }
}
