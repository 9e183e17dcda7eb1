//! Flexible bodies: tangents, invariance, conservation.

use cardan::math::{Quaternion, Vector3, exponential};
use cardan::model::{
    BeamModes, Body, Drive, FlexibleBody, Force, Function, Gear, Joint, MassPoint, Mechanism,
    ModalBasis, ModalPoint, Scalar, Skate, Support,
};
use cardan::modes::{Modes, ModesOptions};
use cardan::system::verify;
use cardan::{Instant, Settings, Simulation, System};
use nalgebra::DMatrix;

use crate::mechanisms::{At, Noise, every_joint, every_planar_joint};

/// A body of a few masses with random modes; flat if it stays in the plane.
fn lump(noise: &mut Noise, modes: usize, flat: bool) -> ModalBasis {
    let mut vector = |size: f64| {
        let x = size * noise.vector();
        if flat { Vector3::new(x.x, x.y, 0.0) } else { x }
    };
    let masses: Vec<MassPoint> = (0..7)
        .map(|_| {
            let shapes = (0..modes).map(|_| vector(0.4)).collect();
            MassPoint { mass: 0.3, place: vector(1.0), shapes }
        })
        .collect();
    let mut point = |name: &str| ModalPoint {
        name: name.into(),
        place: vector(1.0),
        shapes: (0..modes).map(|_| vector(0.4)).collect(),
        turns: (0..modes)
            .map(|_| if flat { Vector3::z() * vector(0.5).x } else { vector(0.5) })
            .collect(),
        loads: None,
    };
    let points = [point("p"), point("q")];
    let root = DMatrix::from_fn(modes, modes, |_, _| noise.next());
    let stiffness = &root * root.transpose() * 50.0 + DMatrix::identity(modes, modes);
    let body = ModalBasis::of_masses(&masses, stiffness).damping_ratio(0.1);
    points.into_iter().fold(body, ModalBasis::point)
}

/// Two flexible bodies with every joint and many forces between them, at random states: each derivative
/// agrees with differences.
#[test]
fn tangents_agree_with_differences() {
    let mut noise = Noise(11);
    for _ in 0..6 {
        let mut pair = Mechanism::new();
        pair.gravity([0.3, -9.0, 2.0]);
        pair.add(FlexibleBody::spatial("one", lump(&mut noise, 3, false)));
        pair.add(FlexibleBody::spatial("two", lump(&mut noise, 2, false)));
        every_joint(&mut pair);
        pair.add(Gear::new("gear", "revolute", "cylindrical", -2.5));
        pair.add(Drive::angle("turn", "revolute", Function::of(|t| (t * 2.0).sin())));
        pair.add(Drive::angular_velocity("speed", "universal", Function::of(|t| t.cos())));
        pair.add(Skate::new("blade", "one.q", [0.5, 0.5, 0.1]));
        pair.add(Force::spring("spring", "one.q", "two.p").stiffness(7.0).damping(0.4).rest(0.3));
        pair.add(Force::joint_spring("torsion", "revolute").stiffness(3.0).damping(0.2));
        pair.add(Force::friction("rub", "revolute", 0.3).radius(0.05).transition_speed(0.7));
        let wave = || [1.0, 2.0, 3.0].map(|k| Function::of(move |t| (t * k).sin() + k));
        pair.add(Force::load("push", "one.p", wave()));
        pair.add(Force::load("thrust", "two.q", wave()).following());
        let model = pair.compile().unwrap().0;
        let at = At::random(&model, &mut noise);
        let found = verify(&model, &at.point(0.3), &at.a).unwrap();
        assert!(found.is_empty(), "{found:?}");
    }
}

/// The same in the plane, with a rigid body between.
#[test]
fn planar_tangents_agree_with_differences() {
    let mut noise = Noise(13);
    for _ in 0..6 {
        let mut pair = Mechanism::new();
        pair.gravity([0.3, -9.0, 0.0]);
        pair.add(Body::planar("rigid").mass(2.0).inertia(0.3).point("r", [0.4, 0.1]));
        pair.add(FlexibleBody::planar("one", lump(&mut noise, 3, true)));
        pair.add(FlexibleBody::planar("two", lump(&mut noise, 2, true)));
        every_planar_joint(&mut pair);
        pair.add(Joint::fixed("weld", "rigid.r", "one.q"));
        pair.add(Force::spring("spring", "one.q", "two.p").stiffness(7.0).damping(0.4).rest(0.3));
        pair.add(Force::joint_spring("torsion", "revolute").stiffness(3.0).damping(0.2));
        pair.add(Force::load("thrust", "two.q", [1.0, 2.0, 0.0].map(Function::from)).following());
        let model = pair.compile().unwrap().0;
        let at = At::random(&model, &mut noise);
        let found = verify(&model, &at.point(0.3), &at.a).unwrap();
        assert!(found.is_empty(), "{found:?}");
    }
}

fn blade(bending: [usize; 2]) -> ModalBasis {
    BeamModes {
        length: 2.0,
        mass: 1.5,
        axial_stiffness: 4e3,
        bending_stiffness: [40.0, 25.0],
        torsional_stiffness: 12.0,
        inertia: [0.04, 0.02, 0.03],
        centre: [0.1, -0.05],
        bending,
        axial: 1,
        torsion: 1,
        support: Support::Clamped,
        points: Vec::new(),
    }
    .body()
}

/// A free flexible body, tumbling and swinging, keeps its energy and both its momenta: what is lost is
/// of the method's order.
#[test]
fn a_free_body_conserves_energy_and_momentum() {
    let mut errors = Vec::new();
    for h in [2e-3, 1e-3] {
        let mut free = Mechanism::new();
        free.add(
            FlexibleBody::spatial("blade", blade([2, 1]))
                .velocity([0.3, -0.2, 0.5])
                .angular_velocity([1.0, 0.6, -0.8])
                .amplitude(1, 0.05, 0.0)
                .amplitude(3, -0.03, 0.4),
        );
        let start = free.assemble().unwrap();
        let settings = Settings::new("generalized-alpha", h).rho(1.0);
        let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
        let measure = |now: &Instant| {
            let (energy, momentum) = (start.model.energy(now), start.model.momentum(now));
            let total = energy.kinetic + energy.potential;
            let (p, l) = (momentum.linear, momentum.angular);
            [total, p.x, p.y, p.z, l.x, l.y, l.z]
        };
        let before = measure(motion.now());
        motion.run_until(1.0).unwrap();
        let after = measure(motion.now());
        let error = before.iter().zip(after).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        errors.push(error);
    }
    // second order: a quarter, and small against a kinetic energy of about one
    assert!(errors[1] < 1e-3 && errors[1] < 0.3 * errors[0], "{errors:?}");
}

/// A rigid motion neither bends the body nor depends on the frame: with modes so stiff that nothing
/// moves them, a flexible body is a rigid one.
#[test]
fn a_stiff_body_moves_as_a_rigid_one() {
    let (length, mass, rotary) = (2.0, 3.0, 0.02);
    let turn = exponential::retract(&Vector3::new(0.3, -0.5, 0.9));
    let omega = [0.7, 2.0, -1.0];
    let motion = |mut mechanism: Mechanism, end: &str| {
        mechanism.gravity([0.0, 0.0, -9.81]);
        mechanism.point("O", [0.0; 3]);
        mechanism.add(Joint::spherical("O", "ground.O", end));
        let start = mechanism.assemble().unwrap();
        let settings = Settings::new("generalized-alpha", 2e-4).rho(0.8);
        let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
        motion.run_until(0.5).unwrap();
        start.model.read("rod.end", motion.now()).unwrap()
    };
    let across = mass * length * length / 12.0 + rotary * length;
    let mut rigid = Mechanism::new();
    rigid.add(
        Body::spatial("rod")
            .mass(mass)
            .inertia([2.0 * rotary * length, across, across])
            .centre([0.5 * length, 0.0, 0.0])
            .orientation(turn)
            .angular_velocity(omega)
            .point("start", [0.0; 3])
            .point("end", [length, 0.0, 0.0]),
    );
    let rod = BeamModes {
        length,
        mass: mass / length,
        bending_stiffness: [1e9; 2],
        inertia: [2.0 * rotary, rotary, rotary],
        bending: [2, 2],
        support: Support::Clamped,
        ..BeamModes::default()
    };
    let mut flexible = Mechanism::new();
    flexible
        .add(FlexibleBody::spatial("rod", rod.body()).orientation(turn).angular_velocity(omega));
    let (one, two) = (motion(rigid, "rod.start"), motion(flexible, "rod.start"));
    let far = one.iter().zip(&two).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    // the frames are not at the same point of the rod, and so the errors (ωh)²/12 ~ 2e-8 a radian turned
    // and more for the curved path are not the same; the sag m g L³/(8 EI) is 3e-8 m
    assert!(far < 1e-6, "{far:e}");
}

/// Points of a body whose modes are excited are where the modes put them.
#[test]
fn points_move_with_the_modes() {
    let mut free = Mechanism::new();
    let turn = Quaternion::IDENTITY;
    free.add(
        FlexibleBody::spatial("blade", blade([1, 0])).orientation(turn).amplitude(1, 0.1, 0.0),
    );
    let start = free.assemble().unwrap();
    let motion =
        Simulation::new(&start.model, &Settings::new("lms2", 1e-3), &start.initial).unwrap();
    let tip = start.model.read("blade.end", motion.now()).unwrap();
    // the first mode of a cantilever is 2 at its end, up to the sign
    assert!((tip[0] - 2.0).abs() < 1e-12 && (tip[1].abs() - 0.2).abs() < 1e-12, "{tip:?}");
    assert_eq!(start.model.space().velocities(), 6 + 3);
}

/// Torsion turns with the section's own inertia: ω = (i − ½)π/L √(GJ/ρJ₁), whatever J₂ and J₃ are.
#[test]
fn torsion_has_the_inertia_about_the_axis() {
    let shaft = BeamModes {
        length: 1.5,
        mass: 2.0,
        torsional_stiffness: 50.0,
        inertia: [0.2, 0.001, 0.001],
        torsion: 2,
        support: Support::Clamped,
        ..BeamModes::default()
    };
    let mut mechanism = Mechanism::new();
    mechanism.point("O", [0.0; 3]);
    mechanism.add(FlexibleBody::spatial("shaft", shaft.body()));
    mechanism.add(Joint::fixed("A", "ground.O", "shaft.start"));
    let start = mechanism.assemble().unwrap();
    let settings = Settings::new("lms2", 1e-3);
    let motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
    let modes = Modes::new(&start.model, motion.now(), &ModesOptions::default()).unwrap();
    for (mode, factor) in modes.modes.iter().zip([0.5, 1.5]) {
        let known = factor * std::f64::consts::PI / 1.5 * (50.0_f64 / 0.2).sqrt();
        assert!((mode.frequency() / known - 1.0).abs() < 1e-9, "{}", mode.frequency());
    }
}
