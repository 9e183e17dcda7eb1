//! Natural frequencies, damping and mode shapes.

mod drives;
mod linear;
mod rigid;
mod spin;
mod stability;

use cardan::math::Vector3;
use cardan::model::{
    AssembledMechanism, Beam, Body, Force, Joint, Matrix6, Mechanism, Section, Structure,
};
use cardan::modes::{Modes, ModesOptions};
use cardan::statics::StaticOptions;
use cardan::{Instant, Settings, Simulation};

/// The start of a mechanism as an instant, with its accelerations.
fn at_start(start: &AssembledMechanism) -> Instant {
    let settings = Settings::new("generalized-alpha", 1e-3);
    Simulation::new(&start.model, &settings, &start.initial).unwrap().now().clone()
}

fn modes_of(mechanism: &Mechanism, options: &ModesOptions) -> Modes {
    let start = mechanism.assemble().unwrap();
    Modes::new(&start.model, &at_start(&start), options).unwrap()
}

fn frequencies(modes: &Modes) -> Vec<f64> {
    modes.modes.iter().map(|mode| mode.frequency()).collect()
}

#[track_caller]
fn agree(what: &str, found: &[f64], known: &[f64], tolerance: f64) {
    assert!(found.len() >= known.len(), "{what}: {found:?}");
    for (found, known) in found.iter().zip(known) {
        assert!((found / known - 1.0).abs() < tolerance, "{what}: {found}, not {known}");
    }
}

/// Steel, 20 by 30 mm, one metre; the stiffer bending is along the section's second axis.
fn steel(elements: usize, clamped: bool) -> Mechanism {
    let (width, height): (f64, f64) = (0.02, 0.03);
    let (young, shear, density) = (210e9, 80e9, 7800.0);
    let area = width * height;
    let [soft, stiff] = [height * width.powi(3) / 12.0, width * height.powi(3) / 12.0];
    let shear = 5.0 / 6.0 * shear * area;
    let section = Section::new([young * area, shear, shear, 1e3, young * soft, young * stiff])
        .mass(density * area)
        .inertia([density * (soft + stiff), density * soft, density * stiff]);
    let mut mechanism = Mechanism::new();
    mechanism.point("wall", [0.0; 3]);
    let beam = Beam::new("beam", section).elements(elements);
    let beam = match clamped {
        true => beam.through("ground.wall"),
        false => beam.through([0.0; 3]),
    };
    mechanism.add(beam.through([1.0, 0.0, 0.0]));
    mechanism
}

/// A clamped beam against Timoshenko's theory, whose frequencies come from its characteristic equation:
/// the error falls with the fourth power of the element's length, to 1e-6.
#[test]
fn a_cantilever_has_the_frequencies_of_timoshenko() {
    let known =
        [105.296252615554, 157.881008392133, 658.617650821004, 985.183333238845, 1838.48632748559];
    let error = |elements: usize| {
        let found = frequencies(&modes_of(&steel(elements, true), &ModesOptions::default()));
        found.iter().zip(known).map(|(a, b)| (a / b - 1.0).abs()).collect::<Vec<_>>()
    };
    let [coarse, fine, finest] = [8, 16, 32].map(error);
    for k in 0..known.len() {
        // fourth order: 16, less what the coarsest mesh lacks for the fifth mode
        assert!(coarse[k] > 14.0 * fine[k] && fine[k] > 14.0 * finest[k], "mode {k}: {finest:?}");
    }
    assert!(finest[..4].iter().all(|error| *error < 1e-6), "{finest:?}");
}

/// A slender cantilever along x with unit mass, length and bending stiffness.
fn slender(elements: usize) -> Mechanism {
    let section =
        Section::new([1e6, 1e6, 1e6, 1.0, 1.0, 1.0]).mass(1.0).inertia([2e-7, 1e-7, 1e-7]);
    let mut mechanism = Mechanism::new();
    mechanism.point("wall", [0.0; 3]);
    let beam = Beam::new("blade", section).elements(elements);
    mechanism.add(beam.through("ground.wall").through([1.0, 0.0, 0.0]));
    mechanism
}

/// A blade that turns is stiffer: across the plane of rotation, and less so in it. Known values are those
/// of Euler and Bernoulli's beam with its tension, by a Ritz method to ten digits.
#[test]
fn a_rotating_blade_stiffens() {
    for (spin, flap, lag) in [
        (0.0, [3.516015268500, 22.034491564667], [3.516015268500, 22.034491564667]),
        (2.0, [4.137319573025, 22.614921956504], [3.621796964124, 22.526311173798]),
        (6.0, [7.360373019310, 26.809081678498], [4.263225420194, 26.129042470867]),
        (12.0, [13.170150487506, 37.603112331192], [5.427049277790, 35.636975979904]),
    ] {
        let start = slender(16).assemble().unwrap();
        let spin = Vector3::new(0.0, 0.0, spin);
        let options = StaticOptions { spin, ..StaticOptions::default() };
        let equilibrium = start.equilibrium(&options).unwrap();
        let mut known = [flap, lag].concat();
        known.sort_by(f64::total_cmp);
        let options = ModesOptions { observer: start.model.observer(spin), count: 4 };
        let modes = Modes::new(&start.model, equilibrium.last().unwrap(), &options).unwrap();
        // shear and stretch: EI/(GA L²) = 1e-6 times the squared wave number 22, and the mesh
        agree("blade", &frequencies(&modes), &known, 3e-4);
    }
}

/// Nothing holds a free body, and a free beam has six rigid motions besides its own.
#[test]
fn free_bodies_have_six_rigid_motions() {
    let mut body = Mechanism::new();
    body.add(Body::spatial("brick").mass(2.0).inertia([1.0, 2.0, 2.5]).rotated([0.4, 0.2, 1.0]));
    let modes = modes_of(&body, &ModesOptions::default());
    assert_eq!(frequencies(&modes), [0.0; 6]);
    assert!(modes.modes.iter().all(|mode| mode.is_rigid()));

    let modes = modes_of(&steel(16, false), &ModesOptions { count: 9, ..ModesOptions::default() });
    let found = frequencies(&modes);
    assert_eq!(found[..6], [0.0; 6]);
    // without shear and rotary inertia; they lower it by about 1e-3
    let bending = (210e9 * 0.03 * 0.02_f64.powi(3) / 12.0 / (7800.0 * 0.02 * 0.03)).sqrt();
    agree("free beam", &found[6..], &[22.3732854480613 * bending], 3e-3);
}

/// Two point masses on massless rods: ω² = (2 ± √2) g/l.
#[test]
fn a_double_pendulum_swings_as_it_should() {
    let mut chain = Mechanism::new();
    chain.gravity([0.0, -9.81, 0.0]);
    chain.point("O", [0.0; 2]);
    chain.add(Body::planar_point_mass("one", 1.0).position([0.0, -1.0]));
    chain.add(Body::planar_point_mass("two", 1.0).position([0.0, -2.0]));
    chain.add(Joint::distance("upper", "ground.O", "one"));
    chain.add(Joint::distance("lower", "one", "two"));
    let options = ModesOptions { count: 2, ..ModesOptions::default() };
    let modes = modes_of(&chain, &options);
    let root = 2.0_f64.sqrt();
    let known = [2.0 - root, 2.0 + root].map(|x| (9.81 * x).sqrt());
    agree("double pendulum", &frequencies(&modes), &known, 1e-10);
    assert!(modes.is_conservative);
}

/// A mass on a spring and a damper, and one that creeps.
#[test]
fn damping_ratios_are_those_of_the_oscillator() {
    for (damping, ratio) in [(0.8, 0.02), (8.0, 0.2)] {
        let mut cart = Mechanism::new();
        cart.add(Body::planar("cart").mass(4.0).inertia(1.0));
        cart.add(Joint::prismatic("rail", "ground", "cart").at([0.0; 2]).axis([1.0, 0.0]));
        cart.add(Force::joint_spring("spring", "rail").stiffness(100.0).damping(damping));
        let options = ModesOptions { ..ModesOptions::default() };
        let modes = modes_of(&cart, &options);
        agree("cart", &frequencies(&modes), &[5.0], 1e-9);
        let found = modes.modes[0].damping_ratio();
        assert!((found - ratio).abs() < 1e-9, "{found}");
    }
    let mut creeping = Mechanism::new();
    creeping.add(Structure::new("mass", 1).mass(0, 1.0).damper(Some(0), None, 5.0).spring(
        Some(0),
        None,
        4.0,
    ));
    let modes = modes_of(&creeping, &ModesOptions::default());
    // λ² + 5λ + 4 = 0
    agree("creeping", &frequencies(&modes), &[1.0, 4.0], 1e-12);
    assert!(modes.modes.iter().all(|mode| (mode.damping_ratio() - 1.0).abs() < 1e-12));
}

/// A rotor in a soft bearing whirls: J_t ω² ∓ J_p Ω ω − k = 0, as somebody sees it who stands still.
#[test]
fn a_rotor_whirls_forwards_and_backwards() {
    let (polar, across, stiffness, spin): (f64, f64, f64, f64) = (0.5, 0.3, 40.0, 12.0);
    let mut rotor = Mechanism::new();
    rotor.point("O", [0.0; 3]);
    rotor.add(
        Body::spatial("rotor")
            .mass(2.0)
            .inertia([across, across, polar])
            .angular_velocity([0.0, 0.0, spin])
            .point("c", [0.0; 3]),
    );
    rotor.add(Force::bushing("bearing", "ground.O", "rotor.c").stiffness_matrix(
        Matrix6::from_diagonal(&[5000.0, 5000.0, 9000.0, stiffness, stiffness, 0.0].into()),
    ));
    let half = 0.5 * polar * spin / across;
    let root = (half * half + stiffness / across).sqrt();
    let known = [root - half, root + half, 50.0, 50.0, 4500.0_f64.sqrt()];
    let options = ModesOptions { ..ModesOptions::default() };
    let modes = modes_of(&rotor, &options);
    let found: Vec<f64> = frequencies(&modes).into_iter().filter(|x| *x > 0.0).collect();
    agree("rotor", &found, &known, 1e-8);
    assert!(modes.modes.iter().all(|mode| mode.eigenvalue.re.abs() < 1e-6));
}

/// A hanging chain of ten point masses: ω² l/g are the zeros of Laguerre's polynomial L₁₀.
#[test]
fn a_chain_of_pendulums_has_the_zeros_of_laguerre() {
    let mut chain = Mechanism::new();
    chain.gravity([0.0, -9.81, 0.0]);
    chain.point("O", [0.0; 2]);
    for i in 0..10 {
        let name = format!("m{i}");
        chain.add(Body::planar_point_mass(&name, 0.7).position([0.0, -0.5 * f64::from(i + 1)]));
        let above = if i == 0 { "ground.O".to_string() } else { format!("m{}", i - 1) };
        chain.add(Joint::distance(&format!("rod{i}"), above.as_str(), name.as_str()));
    }
    let found =
        frequencies(&modes_of(&chain, &ModesOptions { count: 20, ..ModesOptions::default() }));
    let zeros = [
        0.137793470540492,
        0.729454549503170,
        1.808342901740316,
        3.401433697854900,
        5.552496140063804,
        8.330152746764497,
        11.843785837900066,
        16.279257831378103,
        21.996585811980762,
        29.920697012273891,
    ];
    assert_eq!(found.len(), 10);
    agree("chain", &found, &zeros.map(|x: f64| (x * 9.81 / 0.5).sqrt()), 1e-10);
}

/// A body that spins about its middle axis tips over: ±Ω √((J₂ − J₁)(J₃ − J₂)/(J₁ J₃)), for somebody who
/// turns with it. For somebody who stands still its place is just a place.
#[test]
fn the_middle_axis_is_unstable() {
    let spin = Vector3::new(0.0, 5.0, 0.0);
    let mut racket = Mechanism::new();
    let body = Body::spatial("racket").mass(1.0).inertia([1.0, 2.0, 3.0]);
    racket.add(body.angular_velocity(spin.into()));
    let start = racket.assemble().unwrap();
    let options = ModesOptions { observer: start.model.observer(spin), count: 12 };
    let modes = Modes::new(&start.model, &at_start(&start), &options).unwrap();
    let growth = modes.modes.iter().map(|mode| mode.eigenvalue.re).fold(0.0, f64::max);
    assert!((growth - 5.0 / 3.0_f64.sqrt()).abs() < 1e-6, "{growth}");
    // a point at rest seems to circle
    assert!(modes.modes.iter().any(|mode| (mode.frequency() - 5.0).abs() < 1e-5));
}

/// A pendulum held out level has no stiffness at all, and one held straight up the wrong one: where Newton
/// does not find an equilibrium, it is looked for downhill, and the frequencies are those of hanging.
#[test]
fn an_equilibrium_may_be_far_below() {
    for angle in [0.0, 0.3, 2.0] {
        let mut pendulum = Mechanism::new();
        pendulum.gravity([0.0, -9.81, 0.0]);
        pendulum.point("O", [0.0; 2]);
        let (sine, cosine) = f64::sin_cos(angle);
        pendulum.add(Body::planar_point_mass("bob", 2.0).position([0.5 * cosine, 0.5 * sine]));
        pendulum.add(Joint::distance("rod", "ground.O", "bob"));
        let start = pendulum.assemble().unwrap();
        let rest = start.equilibrium(&StaticOptions::default()).unwrap();
        let at = rest.last().unwrap();
        let modes = Modes::new(&start.model, at, &ModesOptions::default()).unwrap();
        let found = modes.modes[0].eigenvalue;
        let known = (9.81_f64 / 0.5).sqrt();
        // from above the level Newton may stop upright, which is an equilibrium too
        let upright = at.q[1] > 0.0 && (found.re - known).abs() < 1e-8;
        assert!(upright || (found.im - known).abs() < 1e-8, "{angle}: {found} at {:?}", at.q);
        assert!(angle > 0.0 || at.q[1] < 0.0, "{:?}", at.q);
    }
}

/// Under constraints a damped system has as many modes as it has freedoms, and none that they forbid.
#[test]
fn constraints_have_no_modes_of_their_own() {
    let mut chain = Mechanism::new();
    chain.gravity([0.0, -9.81, 0.0]);
    chain.point("O", [0.0; 2]);
    let mut above = "ground.O".to_string();
    for i in 0..3 {
        let name = format!("bar{i}");
        let body = Body::planar(&name).mass(2.0).inertia(0.1).position([0.0, -0.5 - f64::from(i)]);
        chain.add(body.point("top", [0.0, 0.5]).point("end", [0.0, -0.5]));
        let (pin, top) = (format!("pin{i}"), format!("{name}.top"));
        chain.add(Joint::revolute(&pin, above.as_str(), top.as_str()));
        chain.add(Force::joint_spring(&format!("rub{i}"), &pin).stiffness(0.0).damping(0.3));
        above = format!("{name}.end");
    }
    let modes = modes_of(&chain, &ModesOptions { count: 20, ..ModesOptions::default() });
    assert_eq!(modes.modes.len(), 3, "{:?}", frequencies(&modes));
    assert!(modes.modes.iter().all(|mode| mode.damping_ratio() > 0.0 && mode.frequency() < 50.0));
}

/// Springs and dampers to a ground that turns along: λ² + (c + 2iΩ) λ + k − Ω² = 0 for x + iy.
#[test]
fn the_ground_turns_with_the_observer() {
    let (damping, stiffness, omega) = (2.0, 100.0, 3.0);
    let mut disc = Mechanism::new();
    disc.point("O", [0.0; 2]);
    disc.add(Body::planar("disc").mass(1.0).inertia(1.0).point("c", [0.0; 2]));
    let diagonal = |x: f64| Matrix6::from_diagonal(&[x, x, x, x, x, 40.0 * x].into());
    let bearing =
        Force::bushing("bearing", "ground.O", "disc.c").stiffness_matrix(diagonal(stiffness));
    disc.add(bearing.damping_matrix(diagonal(damping)));
    let start = disc.assemble().unwrap();
    let spin = Vector3::new(0.0, 0.0, omega);
    let rest = start.equilibrium(&StaticOptions { spin, ..StaticOptions::default() }).unwrap();
    let model = start.model.with_rotating_ground(spin);
    let options = ModesOptions { observer: model.observer(spin), count: 2 };
    let modes = Modes::new(&model, rest.last().unwrap(), &options).unwrap();
    let half = nalgebra::Complex::new(0.5 * damping, omega);
    let root = (half * half - (stiffness - omega * omega)).sqrt();
    for (mode, known) in modes.modes.iter().zip([root - half, -root - half]) {
        let found = mode.eigenvalue;
        let gap = (found.re - known.re).hypot(found.im - known.im.abs());
        assert!(gap < 1e-8, "{found}, not {known}");
    }
}
