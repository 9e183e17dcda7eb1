//! Rigid motions, and slow ones that are not rigid.

use cardan::model::{Beam, Body, Force, Joint, Material, Mechanism, Profile, Section, Structure};
use cardan::modes::{Mode, ModesOptions};

use super::{agree, frequencies, modes_of};

const STEEL: Material = Material { young: 210e9, poisson: 0.3, density: 7800.0 };

/// A steel strip of one metre, 20 mm wide, from a wall or free.
fn strip(thickness: f64, elements: usize, is_clamped: bool) -> Mechanism {
    let mut mechanism = Mechanism::new();
    mechanism.point("wall", [0.0; 3]);
    let profile = Profile::Rectangle { width: 0.02, height: thickness };
    let beam = Beam::new("strip", Section::of(&profile, &STEEL)).elements(elements);
    let beam = match is_clamped {
        true => beam.through("ground.wall"),
        false => beam.through([0.0; 3]),
    };
    mechanism.add(beam.through([1.0, 0.0, 0.0]));
    mechanism
}

/// √(EI/ρA) of the strip about its weak axis, for one metre.
fn unit(thickness: f64) -> f64 {
    thickness * (STEEL.young / (12.0 * STEEL.density)).sqrt()
}

fn options(count: usize) -> ModesOptions {
    ModesOptions { count, ..ModesOptions::default() }
}

fn rigid(modes: &[Mode]) -> usize {
    modes.iter().filter(|mode| mode.is_rigid()).count()
}

/// Bending of a slender strip is slow, not rigid: 1.8751², 4.6941² and 7.8548² times √(EI/ρA). Three-node
/// elements are off by 3.2e-6 with eight of them in the first mode, by fourth order in the wave number.
#[test]
fn slender_clamped_strips_have_their_bending_frequencies() {
    let known = [3.516_015_268_5, 22.034_491_564_7, 61.697_214_413_5];
    let cases = [(5e-4, 8), (5e-4, 16), (5e-4, 64), (5e-5, 16), (5e-5, 64), (5e-6, 16)];
    for (thickness, elements) in cases {
        let modes = modes_of(&strip(thickness, elements, true), &options(3));
        assert_eq!(rigid(&modes.modes), 0, "{thickness} {elements}");
        let found = frequencies(&modes);
        // (7.8548/1.8751)⁴ = 308 times the error of the first mode; and the round-off of K
        let mesh = 1.1e-3 * (8.0 / elements as f64).powi(4);
        let round_off = (modes.modes[0].resolution / found[0]).powi(2);
        let known = known.map(|x| x * unit(thickness));
        agree("strip", &found, &known, mesh + round_off + 1e-6);
    }
}

/// A free strip has six rigid motions and then bends: 4.7300², 7.8532².
#[test]
fn slender_free_strips_have_six_rigid_motions() {
    for (thickness, elements) in [(5e-4, 8), (5e-4, 40), (1e-4, 24)] {
        let modes = modes_of(&strip(thickness, elements, false), &options(8));
        assert_eq!(rigid(&modes.modes), 6, "{thickness} {elements}: {:?}", frequencies(&modes));
        let known = [22.373_285_448_1, 61.672_822_857_8].map(|x| x * unit(thickness));
        let round_off = (modes.modes[6].resolution / known[0]).powi(2);
        agree("free strip", &frequencies(&modes)[6..], &known, 1.1e-3 + round_off);
    }
}

/// Damping does not make bending rigid: βω/2.
#[test]
fn slender_damped_strip_has_the_ratio_of_its_damping() {
    let beta = 1e-3;
    let profile = Profile::Rectangle { width: 0.02, height: 5e-4 };
    let mut mechanism = Mechanism::new();
    mechanism.point("wall", [0.0; 3]);
    let section = Section::of(&profile, &STEEL).damping(beta);
    let beam = Beam::new("strip", section).elements(12);
    mechanism.add(beam.through("ground.wall").through([1.0, 0.0, 0.0]));
    let modes = modes_of(&mechanism, &options(2));
    let known = [3.516_015_268_5, 22.034_491_564_7].map(|x| x * unit(5e-4));
    agree("damped strip", &frequencies(&modes), &known, 1e-3);
    for (mode, known) in modes.modes.iter().zip(known) {
        let (found, known) = (mode.damping_ratio(), 0.5 * beta * known);
        assert!((found / known - 1.0).abs() < 1e-3, "{found} {known}");
    }
}

/// A cart on a rail with a spring and a damper.
fn cart(mechanism: &mut Mechanism, k: usize, mass: f64, stiffness: f64, damping: f64) {
    let (name, rail) = (format!("cart{k}"), format!("rail{k}"));
    let place = [k as f64, 0.0];
    mechanism.add(Body::planar(&name).mass(mass).inertia(1.0).position(place));
    mechanism.add(Joint::prismatic(&rail, "ground", name.as_str()).at(place).axis([1.0, 0.0]));
    let spring = Force::joint_spring(&format!("spring{k}"), &rail);
    mechanism.add(spring.stiffness(stiffness).damping(damping));
}

/// Stiffnesses from 1e-3 to 1e12 N/m in one model: each has its own frequency √(k/m), and a cart without any
/// is rigid.
#[test]
fn very_different_stiffnesses_keep_their_frequencies() {
    let stiffnesses: [f64; 7] = [0.0, 1e-3, 1.0, 1e3, 1e6, 1e9, 1e12];
    let mut carts = Mechanism::new();
    for (k, stiffness) in stiffnesses.into_iter().enumerate() {
        cart(&mut carts, k, 1.0, stiffness, 0.0);
    }
    let modes = modes_of(&carts, &options(20));
    assert_eq!(modes.modes.len(), 7, "{:?}", frequencies(&modes));
    assert_eq!(rigid(&modes.modes), 1);
    let known: Vec<f64> = stiffnesses[1..].iter().map(|x| x.sqrt()).collect();
    agree("carts", &frequencies(&modes)[1..], &known, 1e-9);
    // the same as one structure
    let mut structure = Structure::new("springs", 7);
    for (k, stiffness) in stiffnesses.into_iter().enumerate() {
        structure = structure.mass(k, 1.0).spring(Some(k), None, stiffness);
    }
    let mut mechanism = Mechanism::new();
    mechanism.add(structure);
    let modes = modes_of(&mechanism, &options(20));
    assert_eq!((modes.modes.len(), rigid(&modes.modes)), (7, 1));
    agree("structure", &frequencies(&modes)[1..], &known, 1e-9);
}

/// More equal frequencies than a Krylov space begins with, and more rigid motions.
#[test]
fn repeated_frequencies_are_all_found() {
    let mut carts = Mechanism::new();
    (0..15).for_each(|k| cart(&mut carts, k, 2.0, 50.0, 0.0));
    (15..20).for_each(|k| cart(&mut carts, k, 2.0, 200.0, 0.0));
    let found = frequencies(&modes_of(&carts, &options(20)));
    agree("carts", &found, &[[5.0; 15].as_slice(), [10.0; 5].as_slice()].concat(), 1e-10);
    assert_eq!(found.len(), 20);

    let mut free = Mechanism::new();
    for k in 0..5 {
        free.add(Body::spatial(&format!("b{k}")).mass(1.0).inertia([1.0, 2.0, 2.5]));
    }
    let modes = modes_of(&free, &options(40));
    assert_eq!((modes.modes.len(), rigid(&modes.modes)), (30, 30));
}

/// A ladder on two rails slides without any stiffness: one rigid motion. A light spring makes it slow.
#[test]
fn mechanism_without_stiffness_is_rigid() {
    let ladder = |stiffness: f64| {
        let mut slider = Mechanism::new();
        slider.point("O", [0.0; 2]);
        let bar = Body::planar("bar").mass(1.0).inertia(1.0 / 12.0).position([0.3, 0.4]);
        slider.add(bar.angle(-0.8_f64.atan2(0.6)).point("a", [-0.5, 0.0]).point("b", [0.5, 0.0]));
        slider.add(Body::planar("upper").mass(1e-3).inertia(1.0).position([0.0, 0.8]));
        slider.add(Body::planar("right").mass(1e-3).inertia(1.0).position([0.6, 0.0]));
        slider.add(Joint::prismatic("y", "ground", "upper").at([0.0, 0.8]).axis([0.0, 1.0]));
        slider.add(Joint::prismatic("x", "ground", "right").at([0.6, 0.0]).axis([1.0, 0.0]));
        slider.add(Joint::revolute("A", "upper", "bar.a"));
        slider.add(Joint::revolute("B", "right", "bar.b"));
        if stiffness > 0.0 {
            slider.add(Force::joint_spring("s", "x").stiffness(stiffness));
        }
        modes_of(&slider, &options(5))
    };
    let free = ladder(0.0);
    assert_eq!((free.modes.len(), rigid(&free.modes)), (1, 1), "{:?}", frequencies(&free));
    // δx = 0.8 δθ for δθ of the bar; its inertia about the instant centre is 1/3, and that of the sliders
    let stiffness = 1e-9_f64;
    let inertia = 1.0 / 3.0 + 1e-3 * (0.64 + 0.36);
    let known = (stiffness * 0.64 / inertia).sqrt();
    let held = ladder(stiffness);
    assert_eq!((held.modes.len(), rigid(&held.modes)), (1, 0));
    agree("ladder", &frequencies(&held), &[known], 1e-6);
}

/// λ² m + λ c + k = 0 with heavy damping creeps; without a spring one λ is zero and the other −c/m.
#[test]
fn creeping_is_not_rigid() {
    let (mass, damping, stiffness) = (1.0_f64, 1e6, 1.0);
    let mut creeping = Mechanism::new();
    cart(&mut creeping, 0, mass, stiffness, damping);
    let found = frequencies(&modes_of(&creeping, &options(2)));
    let root = (damping * damping - 4.0 * mass * stiffness).sqrt();
    let fast = 0.5 * (damping + root) / mass;
    agree("creeping", &found, &[stiffness / mass / fast, fast], 1e-6);

    for damping in [1e-6, 3.0, 1e5] {
        let mut free = Mechanism::new();
        cart(&mut free, 0, 2.0, 0.0, damping);
        let modes = modes_of(&free, &options(4));
        assert_eq!((modes.modes.len(), rigid(&modes.modes)), (2, 1), "{:?}", frequencies(&modes));
        let known = -0.5 * damping;
        let found = modes.modes[1].eigenvalue;
        assert!((found.re / known - 1.0).abs() < 1e-8 && found.im == 0.0, "{found} {known}");
    }
}

/// A heavy mass on a long rod and a soft spring: ω² = g/l + k/m.
#[test]
fn heavy_pendulum_on_a_soft_spring_swings() {
    let (mass, length, stiffness) = (1e6, 100.0, 1e-2);
    let mut pendulum = Mechanism::new();
    pendulum.gravity([0.0, -9.81, 0.0]);
    pendulum.point("O", [0.0; 2]).point("W", [50.0, -length]);
    pendulum.add(Body::planar_point_mass("bob", mass).position([0.0, -length]));
    pendulum.add(Joint::distance("rod", "ground.O", "bob"));
    pendulum.add(Force::spring("soft", "ground.W", "bob").stiffness(stiffness).rest(50.0));
    let known = (9.81 / length + stiffness / mass).sqrt();
    agree("pendulum", &frequencies(&modes_of(&pendulum, &options(2))), &[known], 1e-9);
    // the soft spring alone
    let mut carried = Mechanism::new();
    cart(&mut carried, 0, mass, stiffness, 0.0);
    let found = frequencies(&modes_of(&carried, &options(2)));
    agree("cart", &found, &[(stiffness / mass).sqrt()], 1e-9);
}

/// A pendulum that stands upright grows with √(g/l) beside others that swing: it is listed, wherever the
/// others lie.
#[test]
fn unstable_motions_are_listed_among_others() {
    let mut pendulums = Mechanism::new();
    pendulums.gravity([0.0, -9.81, 0.0]);
    for (k, length) in [0.1, 20.0, 40.0, 80.0].into_iter().enumerate() {
        let (bob, pivot, place) = (format!("bob{k}"), format!("P{k}"), format!("ground.P{k}"));
        pendulums.point(&pivot, [k as f64, 0.0]);
        let y = if k == 0 { length } else { -length };
        pendulums.add(Body::planar_point_mass(&bob, 1.0).position([k as f64, y]));
        let rod = format!("rod{k}");
        pendulums.add(Joint::distance(&rod, place.as_str(), bob.as_str()));
    }
    let modes = modes_of(&pendulums, &options(10));
    assert_eq!(modes.modes.len(), 4, "{:?}", frequencies(&modes));
    let last = modes.modes[3].eigenvalue;
    assert!((last.re / (9.81_f64 / 0.1).sqrt() - 1.0).abs() < 1e-10 && last.im == 0.0, "{last}");
}
