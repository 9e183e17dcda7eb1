//! Relative equilibria: what stands still for an observer who turns along.

use cardan::Error;
use cardan::math::Vector3;
use cardan::model::{Body, Force, Joint, Mechanism};
use cardan::model::{Dimension, SpinError};
use cardan::modes::{Modes, ModesOptions, StabilityVerdict};
use cardan::statics::StaticOptions;

fn spinning(spin: Vector3) -> StaticOptions {
    StaticOptions { spin, ..StaticOptions::default() }
}

/// A bar on a ball joint at the origin.
fn bar(direction: Vector3) -> Mechanism {
    let mut mechanism = Mechanism::new();
    let turn = Vector3::x().cross(&direction);
    let angle = turn.norm().atan2(direction.x);
    let turn = if turn.norm() > 0.0 { turn.normalize() * angle } else { turn };
    let centre = 0.5 * direction.normalize();
    let body = Body::spatial("bar").mass(2.0).inertia([1e-3, 1.0 / 6.0, 1.0 / 6.0]);
    let body = body.position([centre.x, centre.y, centre.z]).rotated([turn.x, turn.y, turn.z]);
    mechanism.add(body.point("end", [0.5, 0.0, 0.0]));
    mechanism.add(Joint::spherical("O", "ground", "bar").at([0.0; 3]));
    mechanism
}

/// Centrifugal forces turn a free bar across the axis, from wherever it begins; there it may turn about the
/// axis and about itself. For somebody who turns along, a rigid body that spins about an axis of inertia has the
/// frequencies Ω and Ω √((J₃ − J₁)(J₃ − J₂)/(J₁ J₂)), which is zero for a bar: J₂ = J₃.
#[test]
fn free_bar_turns_across_its_axis() {
    let cases = [
        ([1.0, 0.0, 0.0], [1.0, 2.0, 0.0]),
        ([0.0, 1.0, 0.0], [1.0, 2.0, 0.0]),
        ([1.0, 0.2, -0.4], [0.0, 0.3, 5.0]),
        ([0.3, 0.3, 1.0], [10.0, -7.0, 3.0]),
    ];
    for (direction, spin) in cases {
        let (direction, spin) = (Vector3::from(direction), Vector3::from(spin));
        let start = bar(direction).assemble().unwrap();
        let found = start.equilibrium(&spinning(spin)).unwrap();
        let at = found.last().unwrap();
        let end = Vector3::from_vec(start.model.read("bar.end", at).unwrap());
        assert!((end.norm() - 1.0).abs() < 1e-9, "{end}");
        assert!(end.dot(&spin).abs() < 1e-7 * spin.norm(), "{direction} {spin}: {end}");
        let stability = found.stability.clone().unwrap();
        assert_eq!(stability.verdict, StabilityVerdict::Neutral, "{stability}");
        let model = start.model.with_rotating_ground(spin);
        let options = ModesOptions { count: 6, observer: model.observer(spin) };
        let modes = Modes::new(&model, at, &options).unwrap();
        let found: Vec<f64> = modes.modes.iter().map(|mode| mode.frequency()).collect();
        assert!((found.last().unwrap() / spin.norm() - 1.0).abs() < 1e-8, "{found:?}");
        assert_eq!(found[..found.len() - 1], [0.0; 2], "{found:?}");
    }
}

/// A conical pendulum: cos θ = g/(l Ω²) where that is below one, and straight down otherwise.
#[test]
fn conical_pendulum_opens_with_its_speed() {
    for speed in [2.0, 4.0, 5.0, 8.0, 30.0] {
        let mut pendulum = Mechanism::new();
        pendulum.gravity([0.0, 0.0, -9.81]);
        pendulum.point("O", [0.0; 3]);
        let angle = 0.3_f64;
        let place = [angle.sin(), 0.0, -angle.cos()];
        pendulum.add(Body::point_mass("bob", 3.0).position(place));
        pendulum.add(Joint::distance("rod", "ground.O", "bob"));
        let start = pendulum.assemble().unwrap();
        let found = start.equilibrium(&spinning(Vector3::new(0.0, 0.0, speed))).unwrap();
        let q = &found.last().unwrap().q;
        let known = (9.81 / (speed * speed)).min(1.0);
        assert!((-q[2] - known).abs() < 1e-7, "{speed}: {q:?}, not {known}");
    }
}

/// A planar model turns about z and about nothing else.
#[test]
fn planar_model_refuses_other_axes() {
    let mut disc = Mechanism::new();
    disc.add(Body::planar("slider").mass(1.0).inertia(1.0).position([0.5, 0.0]));
    disc.add(Joint::prismatic("rail", "ground", "slider").at([0.0; 2]).axis([1.0, 0.0]));
    disc.add(Force::joint_spring("spring", "rail").stiffness(100.0));
    let start = disc.assemble().unwrap();
    for spin in [[1.0, 0.0, 0.0], [0.0, 1.0, 3.0], [0.0, 0.0, f64::NAN], [f64::INFINITY, 0.0, 0.0]]
    {
        let error = start.equilibrium(&spinning(spin.into())).unwrap_err();
        assert!(
            matches!(error, Error::Spin(SpinError { dimension: Dimension::Plane, .. })),
            "{error}"
        );
    }
    // k x = m Ω² (0.5 + x)
    let found = start.equilibrium(&spinning(Vector3::new(0.0, 0.0, 3.0))).unwrap();
    let known = 0.5 + 9.0 * 0.5 / 91.0;
    assert!((found.last().unwrap().q[0] - known).abs() < 1e-9);
}
