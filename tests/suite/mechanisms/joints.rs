//! Joints: how many rows each has, what it reports, and that its reactions are the loads on body 2.

use std::f64::consts::{PI, TAU};

use cardan::math::{Quaternion, Vector3};
use cardan::model::{Body, Force, Function, Gear, JOINTS, Joint, JointKind, Mechanism};
use cardan::{Settings, Simulation};

use super::{FORMULATIONS, damped, run};

/// A body that hangs from the ground by a joint of each kind, somewhere, turned.
fn hanging(kind: JointKind) -> Mechanism {
    let mut mechanism = Mechanism::new();
    mechanism.gravity([0.5, -1.0, -9.81]);
    mechanism.add(
        Body::spatial("body")
            .mass(2.0)
            .inertia([0.3, 0.2, 0.25])
            .centre([0.1, 0.2, -0.3])
            .position([0.4, 0.1, -0.2])
            .rotated([0.3, -0.4, 0.5])
            .point("p", [0.2, -0.1, 0.3]),
    );
    let joint = Joint::new(kind, "joint", "ground", "body.p");
    mechanism.add(match kind {
        JointKind::Universal => joint.pins([1.0, 0.0, 0.5], [0.0, 1.0, 0.0]),
        JointKind::Distance => joint.at([1.0, 1.0, 1.0]),
        _ if kind.info().axis.is_some() => joint.axis([1.0, 2.0, -0.5]),
        _ => joint,
    });
    mechanism
}

/// Each kind leaves as many degrees of freedom as its table says, and nothing is redundant.
#[test]
fn every_kind_leaves_its_freedoms() {
    for info in JOINTS {
        let start = hanging(info.kind).assemble().unwrap();
        assert_eq!(start.report.degrees_of_freedom, 6 - info.rows, "{}", info.name);
        assert!(start.report.redundant.is_empty() && start.report.gaps.is_empty());
    }
}

/// Newton and Euler about the centre of mass with the reported reaction: m a = m g + F, and the
/// moment of F and M about the centre turns the body. World axes and joint axes agree.
#[test]
fn reactions_are_the_loads_on_body_two() {
    for info in JOINTS {
        let start = hanging(info.kind).assemble().unwrap();
        for constraints in FORMULATIONS {
            let settings = damped(1e-3).constraints(constraints);
            let mut motion = run(&start, &settings, 0.2);
            let now = motion.consistent_instant().unwrap();
            let read =
                |name: &str| Vector3::from_column_slice(&start.model.read(name, &now).unwrap());
            let quaternion = start.model.read("body.orientation", &now).unwrap();
            let turn = Quaternion::new(quaternion[0], quaternion[1], quaternion[2], quaternion[3]);
            let (force, moment) = (read("joint.reaction.force"), read("joint.reaction.moment"));
            let acceleration = Vector3::from_column_slice(&now.a[..3]);
            let weight = 2.0 * Vector3::new(0.5, -1.0, -9.81);
            // everything is of size 20 here and solved to round-off
            assert!((2.0 * acceleration - weight - force).norm() < 1e-11, "{}", info.name);
            let inertia = Vector3::new(0.3, 0.2, 0.25);
            let (omega, alpha) = (read("body.angular_velocity"), read("body.angular_acceleration"));
            let spin = inertia.component_mul(&omega);
            let euler = turn.rotate(&(inertia.component_mul(&alpha) + omega.cross(&spin)));
            let arm = read("body.p") - read("body.centre");
            assert!((euler - moment - arm.cross(&force)).norm() < 1e-11, "{}", info.name);
            let local = read("joint.reaction.force.local");
            assert!((local.norm() - force.norm()).abs() < 1e-12 * (1.0 + force.norm()));
            // a revolute, cylindrical or prismatic joint carries nothing along what it leaves free
            let moment = read("joint.reaction.moment.local");
            match info.kind {
                JointKind::Revolute | JointKind::Planar => assert!(moment.z.abs() < 1e-11),
                JointKind::Prismatic | JointKind::PointOnLine => assert!(local.z.abs() < 1e-11),
                JointKind::Cylindrical => assert!(moment.z.abs() + local.z.abs() < 1e-11),
                JointKind::Spherical => assert!(moment.norm() < 1e-11),
                _ => {}
            }
        }
    }
}

/// The same between two moving bodies, in space and in the plane: the reaction on body 2 and the
/// opposite one on body 1 account for the motion of both.
#[test]
fn reactions_between_moving_bodies() {
    let mut pair = Mechanism::new();
    let body = |name: &str, x: f64| {
        Body::spatial(name).mass(1.0 + x).inertia([0.3, 0.2, 0.25]).position([x, 0.1, -0.2])
    };
    pair.add(body("one", 0.0).angular_velocity([0.5, -1.0, 2.0]).velocity([0.1, 0.2, 0.3]));
    pair.add(body("two", 1.0).rotated([0.3, 0.1, -0.5]));
    let place = [0.5, 0.0, 0.0];
    pair.add(Joint::revolute("hinge", "one", "two").at(place).axis([1.0, 2.0, 3.0]).rate(4.0));
    let start = pair.assemble().unwrap();
    let mut motion = run(&start, &damped(1e-3), 0.3);
    let now = motion.consistent_instant().unwrap();
    let read = |name: &str| Vector3::from_column_slice(&start.model.read(name, &now).unwrap());
    let force = read("hinge.reaction.force");
    // free bodies: only the hinge moves them
    for (name, mass, sign) in [("one", 1.0, -1.0), ("two", 2.0, 1.0)] {
        let gap = mass * read(&format!("{name}.acceleration")) - sign * force;
        assert!(gap.norm() < 1e-11, "{name}: {gap}");
    }
    // the joint's own axes turn with body 1: nothing about the third one
    assert!(read("hinge.reaction.moment.local").z.abs() < 1e-11);
    assert!(read("hinge.reaction.moment").norm() > 1e-3);

    let mut planar = Mechanism::new();
    planar.gravity([0.0, -9.81, 0.0]);
    planar.add(Body::planar("one").mass(1.0).inertia(0.1).position([0.5, 0.0]));
    planar.add(Body::planar("two").mass(2.0).inertia(0.2).position([1.5, 0.0]));
    planar.add(Joint::revolute("A", "ground", "one").at([0.0, 0.0]));
    planar.add(Joint::fixed("B", "one", "two").at([1.0, 0.0]));
    let start = planar.assemble().unwrap();
    let mut motion = run(&start, &damped(1e-3), 0.3);
    let now = motion.consistent_instant().unwrap();
    let read = |name: &str| Vector3::from_column_slice(&start.model.read(name, &now).unwrap());
    let (force, moment) = (read("B.reaction.force"), read("B.reaction.moment"));
    let gap = 2.0 * (read("two.acceleration") - Vector3::new(0.0, -9.81, 0.0)) - force;
    assert!(gap.norm() < 1e-11, "{gap}");
    let joint = read("one.position") + (read("two.position") - read("one.position")) * 0.5;
    let arm = joint - read("two.position");
    let spin = 0.2 * read("two.angular_acceleration") - moment - arm.cross(&force);
    assert!(spin.norm() < 1e-11, "{spin}");
}

/// A screw: one joint's turn and shift geared together; a mass on it sinks as energy says.
#[test]
fn a_screw_is_a_gear_on_one_joint() {
    let (mass, inertia, pitch) = (2.0, 0.01, 0.05);
    let mut nut = Mechanism::new();
    nut.gravity([0.0, 0.0, -9.81]);
    nut.add(Body::spatial("nut").mass(mass).inertia([inertia; 3]));
    nut.add(Joint::cylindrical("spindle", "ground", "nut").at([0.0; 3]).axis([0.0, 0.0, 1.0]));
    nut.add(Gear::new("thread", "spindle.angle", "spindle.translation", pitch));
    let start = nut.assemble().unwrap();
    assert_eq!(start.report.degrees_of_freedom, 1);
    let motion = run(&start, &damped(1e-3), 1.0);
    let read = |name: &str| start.model.read(name, motion.now()).unwrap()[0];
    // (m p² + J) θ̈ = −m g p
    let exact = -0.5 * mass * 9.81 * pitch / (mass * pitch * pitch + inertia);
    assert!((read("spindle.angle") / exact - 1.0).abs() < 1e-9, "{}", read("spindle.angle"));
    assert!((read("spindle.translation") - pitch * exact).abs() < 1e-9);
}

/// A planar hinge whose axis points down counts the other way, like its spatial twin.
#[test]
fn the_axis_gives_the_sense_of_turning() {
    let mut plane = Mechanism::new();
    plane.add(Body::planar("rotor").mass(1.0).inertia(1.0).spin(2.0));
    plane.add(Joint::revolute("a", "ground", "rotor").at([0.0, 0.0]).axis([0.0, 0.0, -1.0]));
    let mut space = Mechanism::new();
    space.add(Body::spatial("rotor").mass(1.0).inertia([1.0; 3]).angular_velocity([0.0, 0.0, 2.0]));
    space.add(Joint::revolute("a", "ground", "rotor").at([0.0; 3]).axis([0.0, 0.0, -1.0]));
    for mechanism in [plane, space] {
        let start = mechanism.assemble().unwrap();
        let motion = run(&start, &damped(1e-2), 1.0);
        let read = |name: &str| start.model.read(name, motion.now()).unwrap()[0];
        assert!((read("a.angle") + 2.0).abs() < 1e-9 && (read("a.angle.rate") + 2.0).abs() < 1e-9);
    }
    let mut wrong = Mechanism::new();
    wrong.add(Body::planar("plate").mass(1.0).inertia(1.0));
    wrong.add(
        Joint::fixed("a", "ground", "plate").at([0.0, 0.0]).axes_on_bodies([1.0, 0.0], [1.0, 0.0]),
    );
    assert!(wrong.assemble().unwrap_err().to_string().contains("turn about z only"));
}

/// A motor turns a rotor many times: the angle counts, and so does a spring that it winds up.
#[test]
fn angles_count_turns() {
    let mut rotor = Mechanism::new();
    rotor.add(
        Body::spatial("rotor")
            .mass(1.0)
            .inertia([1.0, 1.0, 2.0])
            .angular_velocity([0.0, 0.0, 30.0]),
    );
    rotor.add(Joint::revolute("axle", "ground", "rotor").at([0.0; 3]).axis([0.0, 0.0, 1.0]));
    rotor.add(Force::joint_spring("spring", "axle").stiffness(0.08).rest(1.0));
    let start = rotor.assemble().unwrap();
    let motion = run(&start, &damped(1e-3), 5.0);
    // 2 θ̈ + 0.08 (θ − 1) = 0: ω = 0.2, from θ = 0 with 30 rad/s
    let exact = 1.0 - f64::cos(1.0) + 150.0 * f64::sin(1.0);
    let angle = start.model.read("axle.angle", motion.now()).unwrap()[0];
    assert!(angle > 20.0 * TAU);
    // the method's error: (ωh)² t/12 of a turn's speed
    assert!((angle - exact).abs() < 1e-4, "{angle} {exact}");

    // a state that is stored and read back goes on counting, to the bit
    let text = serde_json::to_string(motion.state()).unwrap();
    let state = serde_json::from_str(&text).unwrap();
    let mut resumed = Simulation::resume(&start.model, &damped(1e-3), state).unwrap();
    let mut unbroken = motion;
    resumed.run_until(6.0).unwrap();
    unbroken.run_until(6.0).unwrap();
    assert_eq!(resumed.now(), unbroken.now());
}

/// A gear pair on one carrier, an epicyclic one, and a rack: the ratio holds over many turns.
#[test]
fn gears_stay_in_mesh() {
    for spatial in [false, true] {
        let body = |name: &str, x: f64, inertia: f64| match spatial {
            true => Body::spatial(name).mass(1.0).inertia([inertia; 3]).position([x, 0.0, 0.0]),
            false => Body::planar(name).mass(1.0).inertia(inertia).position([x, 0.0]),
        };
        let mut gears = Mechanism::new();
        gears.add(body("pinion", 0.0, 0.1));
        gears.add(body("wheel", 1.0, 1.6));
        gears.add(body("rack", 2.0, 0.1));
        let axle = |name, two| Joint::revolute(name, "ground", two).axis([0.0, 0.0, 1.0]);
        gears.add(axle("a", "pinion").at([0.0, 0.0]));
        gears.add(axle("b", "wheel").at([1.0, 0.0]));
        gears.add(Joint::prismatic("c", "ground", "rack").at([2.0, 0.0]).axis([0.0, 1.0]));
        gears.add(Gear::new("mesh", "a", "b", -0.4));
        gears.add(Gear::new("teeth", "b", "c", 0.5));
        gears.add(Force::motor("motor", "a", 0.3));
        let start = gears.assemble().unwrap();
        assert_eq!(start.report.degrees_of_freedom, 1);
        for constraints in FORMULATIONS {
            let motion = run(&start, &damped(2e-3).constraints(constraints), 10.0);
            let read = |name: &str| start.model.read(name, motion.now()).unwrap()[0];
            let angle = read("a.angle");
            // one equation: (0.1 + 0.16·1.6 + (0.4·0.5)²) θ̈ = 0.3, constant, so that the method is exact
            let exact = 0.5 * 0.3 / (0.1 + 0.16 * 1.6 + 0.04) * 100.0;
            assert!((angle / exact - 1.0).abs() < 1e-9, "{constraints}: {angle} {exact}");
            assert!((read("b.angle") + 0.4 * angle).abs() < 1e-12 * angle);
            assert!((read("c.translation") + 0.2 * angle).abs() < 1e-12 * angle);
            // the tooth load: what turns the wheel and pushes the rack, at the wheel's angle
            let load = (1.6 * 0.4 + 0.2 * 0.5) * 0.3 / (0.1 + 0.16 * 1.6 + 0.04);
            assert!((read("mesh.force").abs() - load).abs() < 1e-6, "{}", read("mesh.force"));
        }
    }
}

/// A cross transmits tan β₂ = tan β₁ cos α between shafts at an angle; its two angles are reported.
#[test]
fn a_cross_turns_unevenly() {
    let bend: f64 = 0.6;
    let out = [bend.cos(), bend.sin(), 0.0];
    let mut shafts = Mechanism::new();
    shafts.add(Body::spatial("input").mass(1.0).inertia([0.1; 3]).position([-1.0, 0.0, 0.0]));
    shafts.add(Body::spatial("output").mass(1.0).inertia([0.1; 3]).position(out));
    shafts.add(Joint::revolute("a", "ground", "input").at([-1.0, 0.0, 0.0]).axis([1.0, 0.0, 0.0]));
    shafts.add(Joint::cylindrical("b", "ground", "output").at(out).axis(out));
    // input pin along z, output pin in the plane of the shafts, across the output
    let pins = Joint::universal("cross", "input", "output").at([0.0; 3]);
    shafts.add(pins.pins([0.0, 0.0, 1.0], [-bend.sin(), bend.cos(), 0.0]));
    let turn = Function::linear(0.0, 1.0);
    shafts.add(cardan::model::Drive::angle("motor", "a", turn));
    let start = shafts.assemble().unwrap();
    let times: Vec<f64> = (1..=20).map(|k| 0.5 * k as f64).collect();
    let motion = cardan::simulation::kinematics(&start.model, &start.initial, &times).unwrap();
    for now in &motion {
        let input = now.t;
        let output = start.model.read("b.angle", now).unwrap()[0];
        // with the input pin across the plane of the shafts: tan β₂ = tan β₁ cos α
        let exact = (input.sin() * bend.cos()).atan2(input.cos());
        let difference = (output - exact + PI).rem_euclid(TAU) - PI;
        assert!(difference.abs() < 1e-12, "{input}: {output} {exact}");
        assert!((output - input).abs() < 0.3, "turns are counted: {input} {output}");
        let swing = start.model.read("cross.angle_1", now).unwrap()[0];
        // it counts from the start, where the shafts are bent one way
        assert!(swing.abs() <= 2.0 * bend + 1e-12, "{swing}");
    }
}

/// Dry friction from the joint's own reaction: a block on a slope slides with g (sin α − μ cos α), a
/// heavy wheel in its bearing slows down with μ r m g.
#[test]
fn friction_follows_the_reaction() {
    let (slope, mu): (f64, f64) = (0.6, 0.3);
    let mut block = Mechanism::new();
    block.gravity([0.0, -9.81, 0.0]);
    block.add(Body::planar("block").mass(2.0).inertia(0.1).angle(slope));
    let along = [slope.cos(), slope.sin()];
    block.add(Joint::prismatic("slide", "ground", "block").at([0.0, 0.0]).axis(along));
    block.add(Force::friction("dry", "slide", mu).transition_speed(1e-3));
    let start = block.assemble().unwrap();
    let motion = run(&start, &damped(1e-3), 1.0);
    let acceleration = start.model.read("slide.translation.acceleration", motion.now()).unwrap()[0];
    let exact = -9.81 * (slope.sin() - mu * slope.cos());
    // accelerations and multipliers of position constraints carry round-off over c_q ≈ 0.4 h²
    let round_off = 40.0 * f64::EPSILON / (0.2 * 1e-6);
    assert!((acceleration - exact).abs() < round_off, "{acceleration} {exact}");
    let normal = start.model.read("dry.normal", motion.now()).unwrap()[0];
    assert!((normal - 2.0 * 9.81 * slope.cos()).abs() < round_off);

    let mut wheel = Mechanism::new();
    wheel.gravity([0.0, 0.0, -9.81]);
    wheel.add(
        Body::spatial("wheel").mass(3.0).inertia([0.3, 0.5, 0.3]).angular_velocity([0.0, 9.0, 0.0]),
    );
    wheel.add(Joint::revolute("axle", "ground", "wheel").at([0.0; 3]).axis([0.0, 1.0, 0.0]));
    wheel.add(Force::friction("bearing", "axle", 0.1).radius(0.02).transition_speed(1e-4));
    let start = wheel.assemble().unwrap();
    let motion = run(&start, &Settings::new("bdf2", 1e-2), 1.0);
    let rate = start.model.read("axle.angle.rate", motion.now()).unwrap()[0];
    assert!((rate - (9.0 - 0.1 * 0.02 * 3.0 * 9.81 / 0.5)).abs() < 1e-9, "{rate}");
}
