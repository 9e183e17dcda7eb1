//! Stability of equilibria against Euler, Dirichlet and closed forms.

use cardan::model::{Beam, Body, Force, Function, Joint, Mechanism, Section, Truss};
use cardan::modes::{StabilityTest, StabilityVerdict, StaticStability};
use cardan::statics::{Equilibrium, StaticOptions};

fn constant(values: [f64; 3]) -> [Function; 3] {
    values.map(Function::Constant)
}

fn at_rest(mechanism: &Mechanism) -> Equilibrium {
    mechanism.assemble().unwrap().equilibrium(&StaticOptions::default()).unwrap()
}

fn stability(mechanism: &Mechanism) -> StaticStability {
    at_rest(mechanism).stability.unwrap()
}

/// A planar column of unit length and bending stiffness, clamped at its foot, under a load at its top.
fn column(load: f64, elements: usize, follows: bool) -> Mechanism {
    let mut column = Mechanism::new();
    column.point("foot", [0.0; 2]);
    let section = Section::planar([1e6, 1e6, 1.0]).mass(1.0).inertia([1e-6, 1e-6, 1e-6]);
    let beam = Beam::planar("column", section).elements(elements);
    column.add(beam.through("ground.foot").through([0.0, 1.0, 0.0]));
    let push = Force::load("push", "column.end", constant([0.0, -load, 0.0]));
    column.add(if follows { push.following() } else { push });
    column
}

/// Euler's loads of the cantilever are (2k − 1)² π²/4: between two of them so many motions grow. Shear and
/// shortening change the loads by P/GA = 1e-5 or so, and sixteen elements by less.
#[test]
fn column_buckles_at_each_of_eulers_loads() {
    let euler = std::f64::consts::PI.powi(2) / 4.0;
    for (part, unstable) in
        [(0.5, 0), (0.999, 0), (1.001, 1), (5.0, 1), (8.99, 1), (9.01, 2), (12.0, 2), (26.0, 3)]
    {
        let found = stability(&column(part * euler, 16, false));
        assert_eq!(found.test, StabilityTest::Potential);
        assert_eq!((found.unstable, found.neutral), (unstable, 0), "{part}: {found}");
        let verdict =
            if unstable == 0 { StabilityVerdict::Stable } else { StabilityVerdict::Unstable };
        assert_eq!(found.verdict, verdict, "{part}");
        assert_eq!(found.rate > 0.0, unstable > 0, "{part}: {found}");
    }
}

/// In space the column may bend either way, and a long mesh changes nothing.
#[test]
fn column_in_space_buckles_both_ways() {
    let euler = std::f64::consts::PI.powi(2) / 4.0;
    let section = || Section::new([1e6, 1e6, 1e6, 1.0, 1.0, 2.0]).mass(1.0).inertia([1e-6; 3]);
    for (part, unstable) in [(0.99, 0), (1.5, 1), (2.5, 2), (12.0, 3), (20.0, 4)] {
        let mut column = Mechanism::new();
        column.point("foot", [0.0; 3]);
        let beam = Beam::new("column", section()).elements(60);
        column.add(beam.through("ground.foot").through([0.0, 0.0, 1.0]));
        let load = constant([0.0, 0.0, -part * euler]);
        column.add(Force::load("push", "column.end", load));
        let found = stability(&column);
        assert_eq!(found.unstable, unstable, "{part}: {found}");
    }
}

/// A load that follows the top does not make the column diverge at any size (Beck: it flutters at 20.05), and
/// the report says that flutter was not tested.
#[test]
fn follower_load_is_tested_for_divergence_only() {
    for load in [1.0, 5.0, 15.0] {
        let found = stability(&column(load, 12, true));
        assert_eq!(found.test, StabilityTest::Divergence, "{load}: {found}");
        assert_eq!((found.verdict, found.unstable), (StabilityVerdict::Stable, 0), "{load}");
        assert!(found.to_string().contains("not for flutter"), "{found}");
    }
}

/// A rod of one metre on a hinge with a torsion spring.
fn inverted(stiffness: f64) -> Mechanism {
    let mut pendulum = Mechanism::new();
    pendulum.gravity([0.0, -9.81, 0.0]);
    let rod = Body::planar("rod").mass(2.0).inertia(2.0 / 12.0).position([0.0, 0.5]);
    pendulum.add(rod);
    pendulum.add(Joint::revolute("O", "ground", "rod").at([0.0, 0.0]));
    if stiffness > 0.0 {
        pendulum.add(Force::joint_spring("spring", "O").stiffness(stiffness));
    }
    pendulum
}

/// Upright a pendulum grows with √((mgl − k)/J) unless its spring is stiffer than mgl = 9.81 N·m.
#[test]
fn inverted_pendulum_needs_a_spring_stiffer_than_gravity() {
    let moment = 2.0 * 9.81 * 0.5;
    for part in [0.0, 0.5, 0.999, 1.001, 2.0] {
        let found = stability(&inverted(part * moment));
        let grows = part < 1.0;
        assert_eq!(found.unstable, usize::from(grows), "{part}: {found}");
        let known = ((1.0 - part) * moment / (2.0 / 3.0)).max(0.0).sqrt();
        assert!((found.rate - known).abs() <= 1e-8 * known.max(1.0), "{part}: {found} {known}");
    }
}

/// Two bars that lean on each other: pushed through, the apex hangs below and is stable; held in line by
/// symmetry alone it is not.
#[test]
fn shallow_arch_is_unstable_in_line_and_stable_beyond() {
    let arch = |height: f64, load: f64| {
        let mut arch = Mechanism::new();
        arch.point("left", [-1.0, 0.0]).point("right", [1.0, 0.0]);
        arch.add(Body::planar_point_mass("apex", 1.0).position([0.0, height]));
        // stress-free with the apex at 0.1
        let length = 1.01_f64.sqrt();
        for side in ["left", "right"] {
            let point = format!("ground.{side}");
            let bar = Truss::new(&format!("bar_{side}"), point.as_str(), "apex");
            arch.add(bar.stiffness(1e4).length(length));
        }
        arch.add(Force::load("push", "apex", constant([0.0, -load, 0.0])));
        arch
    };
    let inline = stability(&arch(0.0, 0.0));
    assert_eq!((inline.verdict, inline.unstable), (StabilityVerdict::Unstable, 1), "{inline}");
    // Green's strain: V = EA (y² − 0.01)²/(4L³) of both bars, so that V″(0) = −0.01 EA/L³
    let known = (0.01 * 1e4 / 1.01_f64.powf(1.5)).sqrt();
    assert!((inline.rate / known - 1.0).abs() < 1e-9, "{inline}, not {known}");
    for (height, load) in [(0.1, 0.1), (-0.1, 0.1)] {
        let found = stability(&arch(height, load));
        assert_eq!(found.verdict, StabilityVerdict::Stable, "{height}: {found}");
    }
    // the largest slope of V is EA/L³ (0.1/√3)(0.01 · 2/3) = 3.8 N: beyond, the arch snaps through
    let start = arch(0.1, 12.0).assemble().unwrap();
    let found = start.equilibrium(&StaticOptions::default()).unwrap();
    assert!(found.last().unwrap().q[1] < 0.0, "{:?}", found.last().unwrap().q);
    assert_eq!(found.stability.unwrap().verdict, StabilityVerdict::Stable);
}

/// What nothing holds and nothing drives is neutral, and stays where it is.
#[test]
fn free_body_is_neutral() {
    let mut body = Mechanism::new();
    body.add(Body::spatial("brick").mass(2.0).inertia([1.0, 2.0, 2.5]).rotated([0.4, 0.2, 1.0]));
    let found = stability(&body);
    assert_eq!(found.verdict, StabilityVerdict::Neutral);
    assert_eq!((found.unstable, found.neutral), (0, 6), "{found}");
}

/// A pendulum in space hangs and may turn about the vertical; upright two motions grow.
#[test]
fn spatial_pendulum_is_neutral_about_the_vertical() {
    for (z, unstable) in [(-0.5, 0), (0.5, 2)] {
        let mut pendulum = Mechanism::new();
        pendulum.gravity([0.0, 0.0, -9.81]);
        pendulum
            .add(Body::spatial("bob").mass(2.0).inertia([0.1, 0.2, 0.15]).position([0.0, 0.0, z]));
        pendulum.add(Joint::spherical("O", "ground", "bob").at([0.0; 3]));
        let found = stability(&pendulum);
        assert_eq!((found.unstable, found.neutral), (unstable, 1), "{found}");
    }
}

/// From the side a spatial pendulum falls to where it hangs, although turning about the vertical leaves
/// Newton's matrix singular.
#[test]
fn spatial_pendulum_finds_where_it_hangs() {
    let mut pendulum = Mechanism::new();
    pendulum.gravity([0.0, 0.0, -9.81]);
    let bob = Body::spatial("bob").mass(2.0).inertia([0.1, 0.2, 0.15]);
    pendulum.add(bob.position([0.3, 0.4, 0.0]));
    pendulum.add(Joint::spherical("O", "ground", "bob").at([0.0; 3]));
    let start = pendulum.assemble().unwrap();
    let found = start.equilibrium(&StaticOptions::default()).unwrap();
    let q = &found.last().unwrap().q;
    assert!(q[0].hypot(q[1]) < 1e-8 && (q[2] + 0.5).abs() < 1e-9, "{q:?}");
    assert_eq!(found.stability.unwrap().verdict, StabilityVerdict::Neutral);
}
