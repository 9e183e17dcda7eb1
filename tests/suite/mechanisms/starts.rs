//! Starting well: gaps closed, redundancy named, partial velocities completed, and what cannot be
//! said to be so.

use cardan::math::{Matrix3, Vector3};
use cardan::methods::Permission;
use cardan::model::{
    Body, Drive, Force, Function, Gear, Joint, Mechanism, ModelError, OpenRow, Owner, PartKind,
    Shape,
};
use cardan::{Formulation, Settings, Simulation};
use cardan_lab::gallery::{self, Dimension};

use super::{Noise, damped, run};
use crate::common::with_converged_newton;

fn bar(name: &str, position: [f64; 2], angle: f64) -> Body {
    Body::planar(name)
        .mass(1.0)
        .inertia(1.0 / 12.0)
        .position(position)
        .angle(angle)
        .point("a", [-0.5, 0.0])
        .point("b", [0.5, 0.0])
}

/// A double pendulum whose second bar is described 1 m away: it is brought to the first, told so,
/// and does not fly off.
#[test]
fn a_gap_is_closed_and_reported() {
    let mut pendulum = Mechanism::new();
    pendulum.gravity([0.0, -9.81, 0.0]);
    pendulum.add(bar("upper", [0.5, 0.0], 0.0));
    pendulum.add(bar("lower", [2.5, 0.0], 0.0));
    pendulum.add(Joint::revolute("A", "ground", "upper.a").at([0.0, 0.0]));
    pendulum.add(Joint::revolute("B", "upper.b", "lower.a"));
    let start = pendulum.assemble().unwrap();
    let report = &start.report;
    assert_eq!(report.gaps.len(), 1);
    assert_eq!(report.gaps[0].joint, "joint `B`");
    assert!((report.gaps[0].distance - 1.0).abs() < 1e-12);
    // the upper bar cannot move along itself, so the lower one comes all the way
    assert_eq!(report.moved.len(), 1);
    assert!((report.moved[0].distance - 1.0).abs() < 1e-9, "{report}");
    let motion = run(&start, &damped(1e-3), 0.01);
    let fastest = motion.now().v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    assert!(fastest < 0.2, "{fastest} m/s after 10 ms of free fall");
    assert!(motion.start_report().position_change.is_none(), "nothing is left to do");
}

/// The closest configuration: a bar pinned at one end whose described place is off by a rigid motion
/// comes back by the smallest motion, which is found independently here by a search over its angle.
#[test]
fn the_nearest_assembly_is_found() {
    let described = ([0.7, 0.4], 0.3_f64);
    let mut pendulum = Mechanism::new();
    pendulum.add(bar("bar", described.0, described.1));
    pendulum.add(Joint::revolute("A", "ground", "bar.a").at([0.0, 0.0]));
    let start = pendulum.assemble().unwrap();
    let angle = start.initial.q[2];
    // centre at (cos θ, sin θ)/2; turning by one counts like moving by the arm, 0.5 m
    let cost = |theta: f64| {
        let (sine, cosine) = theta.sin_cos();
        let (dx, dy) = (0.5 * cosine - 0.7, 0.5 * sine - 0.4);
        (dx * dx + dy * dy) / 0.25 + (theta - 0.3) * (theta - 0.3)
    };
    let nearest =
        (0..2_000_000).map(|k| k as f64 * 1e-6).min_by(|a, b| cost(*a).total_cmp(&cost(*b)));
    assert!((angle - nearest.unwrap()).abs() < 2e-6, "{angle} {nearest:?}");
}

/// Bricard's loop with every rod thrown about by half a length and half a radian: it closes, its one
/// redundant row is found, and it moves.
#[test]
fn scattered_loops_are_assembled() {
    let mut noise = Noise(1);
    for size in [1e-6, 1e-3, 0.1, 0.5] {
        let scattered = gallery::scattered_bricard(|| size * noise.vector());
        let start = scattered.assemble().unwrap();
        assert_eq!(start.report.redundant.len(), 1, "{size}: {}", start.report);
        assert!(!start.report.moved.is_empty());
        let mut motion = run(&start, &damped(1e-2), 0.5);
        assert!(motion.residuals().position < 1e-14);
    }
}

/// Weights decide who moves.
#[test]
fn a_heavy_body_stays() {
    let build = |weight: f64| {
        let mut pair = Mechanism::new();
        let body = |name: &str, y: f64| {
            Body::planar(name).mass(1.0).inertia(1.0).position([0.0, y]).point("c", [0.0, 0.0])
        };
        pair.add(body("one", 0.0).assembly_weight(weight));
        pair.add(body("two", 1.0));
        pair.add(Joint::prismatic("rail", "ground", "one").at([0.0, 0.0]).axis([0.0, 1.0]));
        pair.add(Joint::prismatic("rail2", "ground", "two").at([0.0, 1.0]).axis([0.0, 1.0]));
        pair.add(Joint::distance("rod", "one.c", "two.c").length(2.0));
        pair.assemble().unwrap().initial.q
    };
    let (even, firm) = (build(1.0), build(99.0));
    assert!((even[1] + 0.5).abs() < 1e-9 && (even[4] - 1.5).abs() < 1e-9, "{even:?}");
    assert!((firm[1] + 0.01).abs() < 1e-9 && (firm[4] - 1.99).abs() < 1e-9, "{firm:?}");
}

/// An assembled mechanism is left alone, to the bit.
#[test]
fn an_assembled_mechanism_is_left_alone() {
    for mechanism in [
        gallery::andrews(Dimension::Plane),
        gallery::andrews(Dimension::Space),
        gallery::bricard(),
        gallery::spatial_slider_crank(),
    ] {
        let (_, described) = mechanism.compile().unwrap();
        let start = mechanism.assemble().unwrap();
        assert!(start.report.gaps.is_empty() && start.report.moved.is_empty());
        assert_eq!(start.initial.q, described);
    }
}

/// A four-bar from spatial revolutes works at once, and the report names three directions of one
/// joint; the motion is that of the planar one.
#[test]
fn a_spatial_four_bar_names_its_three_redundant_directions() {
    let start = gallery::four_bars(1, Dimension::Space).assemble().unwrap();
    let told: Vec<_> = start.report.redundant.iter().map(|x| x.prevents.as_str()).collect();
    assert_eq!(told.len(), 3, "{}", start.report);
    for direction in ["moving along z", "turning about x", "turning about y"] {
        assert!(told.contains(&direction), "{}", start.report);
    }
    assert!(start.report.redundant.iter().all(|x| x.joint == start.report.redundant[0].joint));
    assert!(start.report.redundant.iter().all(|x| x.follows_from.len() == 3));
    assert!(start.report.singular.is_empty());
    let planar = gallery::four_bars(1, Dimension::Plane).assemble().unwrap();
    let [space, plane] = [&start, &planar].map(|start| {
        let motion = run(start, &with_converged_newton(&damped(1e-3)), 2.0);
        start.model.read("rod1.position", motion.now()).unwrap()
    });
    assert!((space[0] - plane[0]).abs() + (space[1] - plane[1]).abs() < 1e-10);
    assert!(space[2].abs() < 1e-12, "it stays in its plane");
}

/// A flat parallelogram is singular here and now, not redundant: every row is kept, and given the
/// velocities of one branch it leaves along it.
#[test]
fn a_flat_parallelogram_is_singular_not_redundant() {
    let mut flat = Mechanism::new();
    flat.gravity([0.0, -9.81, 0.0]);
    flat.add(bar("left", [0.5, 0.0], 0.0).spin(2.0));
    flat.add(Body::planar("coupler").mass(1.0).inertia(0.3).position([2.0, 0.0]).spin(0.0));
    flat.add(bar("right", [2.5, 0.0], 0.0).spin(2.0));
    flat.add(Joint::revolute("A", "ground", "left").at([0.0, 0.0]));
    flat.add(Joint::revolute("B", "left", "coupler").at([1.0, 0.0]));
    flat.add(Joint::revolute("C", "coupler", "right").at([3.0, 0.0]));
    flat.add(Joint::revolute("D", "ground", "right").at([2.0, 0.0]));
    let start = flat.assemble().unwrap();
    assert!(start.report.redundant.is_empty(), "{}", start.report);
    assert_eq!(start.report.singular.len(), 1, "{}", start.report);
    let motion = run(&start, &damped(1e-3), 0.2);
    let [left, right] =
        ["A.angle", "D.angle"].map(|name| start.model.read(name, motion.now()).unwrap()[0]);
    assert!(left > 0.1 && (left - right).abs() < 1e-9, "{left} {right}");
}

/// Redundant in one loop, regular in another, and nothing said of the regular one.
#[test]
fn only_the_loop_concerned_is_named() {
    let mut both = gallery::four_bars(1, Dimension::Space);
    both.add(Body::spatial("free").mass(1.0).inertia([0.1; 3]).position([9.0, 0.0, 0.0]));
    both.add(Joint::spherical("ball", "ground", "free").at([9.0, 1.0, 0.0]));
    let start = both.assemble().unwrap();
    assert_eq!(start.report.redundant.len(), 3);
    let about_ball = |names: &Vec<String>| names.iter().any(|name| name.contains("ball"));
    assert!(start.report.redundant.iter().all(|x| !about_ball(&x.follows_from)));
    assert_eq!(start.report.degrees_of_freedom, 4);
}

/// Only the crank's speed is known: the rest follows from the joints.
#[test]
fn velocities_follow_from_the_crank() {
    let start = gallery::spatial_slider_crank().assemble().unwrap();
    let mut motion = Simulation::new(&start.model, &damped(1e-3), &start.initial).unwrap();
    assert!(motion.residuals().velocity < 1e-14);
    assert!(motion.start_report().velocity_change.is_none());
    let rate = start.model.read("A.angle.rate", motion.now()).unwrap()[0];
    assert!((rate - 6.0).abs() < 1e-13, "{rate}");
    // B moves with (0, −0.48, 0) and the rod (0.2, −0.1, −0.2) keeps its length
    let slide = start.model.read("slide.translation.rate", motion.now()).unwrap()[0];
    assert!((slide - 0.24).abs() < 1e-12, "{slide}");
    assert!(start.report.velocities.is_empty());

    // by the body's angular velocity instead of the joint's rate, and by a point's velocity
    let mut crank = Mechanism::new();
    crank.add(bar("crank", [0.5, 0.0], 0.0).velocity([0.0, 1.5]));
    crank.add(Joint::revolute("A", "ground", "crank.a").at([0.0, 0.0]));
    let start = crank.assemble().unwrap();
    assert!((start.initial.v[2] - 3.0).abs() < 1e-13, "{:?}", start.initial.v);
}

/// Rates of a joint's coordinates by name.
#[test]
fn rates_are_given_by_name() {
    let mut free = Mechanism::new();
    free.add(Body::spatial("nut").mass(1.0).inertia([0.1; 3]).position([0.2, 0.0, 0.0]));
    let joint = Joint::cylindrical("c", "ground", "nut").at([0.0; 3]).axis([0.0, 0.0, 1.0]);
    free.add(joint.clone().rate_of("angle", 3.0).rate_of("translation", -2.0));
    let start = free.assemble().unwrap().clone();
    let motion = Simulation::new(&start.model, &damped(1e-3), &start.initial).unwrap();
    let read = |name: &str| start.model.read(name, motion.now()).unwrap()[0];
    assert!((read("c.angle.rate") - 3.0).abs() < 1e-12);
    assert!((read("c.translation.rate") + 2.0).abs() < 1e-12);
    let mut wrong = Mechanism::new();
    wrong.add(Body::spatial("nut").mass(1.0).inertia([0.1; 3]));
    wrong.add(joint.rate_of("angel", 3.0));
    assert!(wrong.assemble().unwrap_err().to_string().contains("it has translation, angle"));
}

/// A known rate is kept exactly, however much else it moves.
#[test]
fn known_rates_are_kept_through_any_ratio() {
    for ratio in [10.0, 1e3, 1e6] {
        let mut gears = Mechanism::new();
        gears.add(Body::planar("slow").mass(1.0).inertia(1.0));
        gears.add(Body::planar("fast").mass(1.0).inertia(1.0).position([1.0, 0.0]));
        gears.add(Joint::revolute("a", "ground", "slow").at([0.0, 0.0]).rate(2.0));
        gears.add(Joint::revolute("b", "ground", "fast").at([1.0, 0.0]));
        gears.add(Gear::new("mesh", "a", "b", ratio));
        let start = gears.assemble().unwrap();
        assert!((start.initial.v[2] - 2.0).abs() < 1e-12, "{ratio}: {:?}", start.initial.v);
        assert!((start.initial.v[5] / ratio - 2.0).abs() < 1e-12);
        assert!(start.report.velocities.is_empty());
    }
}

/// Gaps of hundreds of arms, and drives that begin beyond half a turn, are closed.
#[test]
fn large_motions_are_assembled() {
    let mut far = Mechanism::new();
    far.add(bar("bar", [300.0, 40.0], 0.3));
    far.add(Joint::revolute("A", "ground", "bar.a").at([0.0, 0.0]));
    let start = far.assemble().unwrap();
    assert!(start.report.gaps[0].distance > 300.0);
    for angle in [3.2, 4.0, -10.0] {
        let mut turned = Mechanism::new();
        turned.add(Body::spatial("rotor").mass(1.0).inertia([1.0; 3]));
        turned.add(Joint::revolute("A", "ground", "rotor").at([0.0; 3]).axis([0.0, 1.0, 0.0]));
        turned.add(Drive::angle("hold", "A", angle));
        let start = turned.assemble().unwrap();
        let motion = Simulation::new(&start.model, &damped(1e-3), &start.initial).unwrap();
        let reached = start.model.read("A.angle", motion.now()).unwrap()[0];
        assert!((reached - angle).abs() < 1e-12, "{reached}");
    }
}

/// Velocities that contradict the joints are brought as near as possible, and that is told.
#[test]
fn impossible_velocities_are_told() {
    let mut crank = Mechanism::new();
    crank.add(bar("crank", [0.5, 0.0], 0.0).velocity([0.7, 1.5]).spin(3.0));
    crank.add(Joint::revolute("A", "ground", "crank.a").at([0.0, 0.0]));
    let start = crank.assemble().unwrap();
    assert_eq!(start.report.velocities.len(), 1, "{}", start.report);
    let change = &start.report.velocities[0];
    assert_eq!((change.owner.as_str(), change.given), ("body `crank` (velocity x)", 0.7));
    assert!(change.became.abs() < 1e-13);
    assert!((start.initial.v[2] - 3.0).abs() < 1e-12);
}

/// Too short to reach: refused, with the joints that disagree.
#[test]
fn what_cannot_be_assembled_is_refused_by_name() {
    let mut short = Mechanism::new();
    short.add(bar("one", [0.5, 0.0], 0.0));
    short.add(bar("two", [1.5, 0.2], 0.1));
    short.point("far", [2.5, 0.0]);
    short.add(Joint::revolute("A", "ground", "one.a").at([0.0, 0.0]));
    short.add(Joint::revolute("B", "one.b", "two.a"));
    short.add(Joint::revolute("C", "two.b", "ground.far"));
    let Err(ModelError::CannotAssemble { open }) = short.assemble() else {
        panic!("two bars of 1 m do not reach 2.5 m")
    };
    let is_wanted = |open: &OpenRow| open.row.to_string() == "joint `B` (moving along x)";
    assert!(open.iter().any(is_wanted), "{open:?}");
}

/// Axes that would close the wrong way round are refused with the joint and the angle.
#[test]
fn no_antiparallel_axis_is_taken_silently() {
    let build = |angle: f64| {
        let mut door = Mechanism::new();
        door.add(Body::spatial("door").mass(1.0).inertia([1.0; 3]).rotated([angle, 0.0, 0.0]));
        let hinge = Joint::revolute("hinge", "ground", "door").at([0.0; 3]);
        door.add(hinge.axes_on_bodies([0.0, 0.0, 1.0], [0.0, 0.0, 1.0]));
        door.assemble()
    };
    // the nearer root of the sine is the parallel one below 90°, the opposite one above
    let start = build(1.4).unwrap();
    assert!((start.report.gaps[0].angle - 1.4).abs() < 1e-12);
    // at exactly 90° the sine has no slope: it closes the right way all the same
    let start = build(std::f64::consts::FRAC_PI_2).unwrap();
    assert!(
        (start.report.moved[0].angle - std::f64::consts::FRAC_PI_2).abs() < 1e-6,
        "{}",
        start.report
    );
    let Err(ModelError::Antiparallel { joint, angle }) = build(1.8) else { panic!("opposite") };
    assert_eq!((joint.to_string().as_str(), angle.round()), ("joint `hinge`", 180.0));
}

/// A triangle cannot move: it is said to be locked; driven, the drive and its joints are named.
#[test]
fn a_locked_mechanism_is_said_to_be_locked() {
    let mut triangle = Mechanism::new();
    triangle.add(Body::planar("x").mass(1.0).inertia(0.1).position([0.5, 0.0]));
    triangle.add(Body::planar("y").mass(1.0).inertia(0.1).position([0.5, 0.5]));
    triangle.add(Joint::revolute("A", "ground", "x").at([0.0, 0.0]));
    triangle.add(Joint::revolute("B", "x", "y").at([1.0, 0.0]));
    triangle.add(Joint::revolute("C", "y", "ground").at([0.0, 1.0]));
    let start = triangle.assemble().unwrap();
    assert!(start.report.is_locked() && start.report.to_string().contains("locked"));
    // whether it begins with a speed or only with an acceleration
    for motion in [Function::linear(0.0, 1.0), Function::of(|t| t * t)] {
        let mut driven = triangle.clone();
        driven.add(Drive::angle("motor", "A", motion));
        let Err(ModelError::Locked { rows }) = driven.assemble() else { panic!("locked") };
        assert!(
            rows.iter().any(|row| row.owner == Owner::part(PartKind::Drive, "motor")),
            "{rows:?}"
        );
        assert!(rows.iter().any(|row| row.owner == Owner::part(PartKind::Joint, "C")), "{rows:?}");
    }
    // two drives that agree are merely redundant
    let mut twice = Mechanism::new();
    twice.add(Body::planar("rotor").mass(1.0).inertia(0.1));
    twice.add(Joint::revolute("A", "ground", "rotor").at([0.0, 0.0]));
    twice.add(Drive::angle("one", "A", Function::linear(0.0, 2.0)));
    twice.add(Drive::angle("two", "A", Function::linear(0.0, 2.0)));
    let start = twice.assemble().unwrap();
    assert_eq!(start.report.redundant.len(), 1);
}

/// A thin rod that may spin about itself, a massless body in the air: refused by name; held by
/// joints they are fine.
#[test]
fn massless_motions_are_named_or_held() {
    let thin =
        || Body::spatial("rod").shape(Shape::Rod { length: 1.0 }, 2.0).position([0.5, 0.0, 0.0]);
    let mut spinning = Mechanism::new();
    spinning.add(thin());
    spinning.add(Joint::spherical("A", "ground", "rod").at([0.0; 3]));
    let Err(ModelError::Massless { owner, unknown }) = spinning.assemble() else { panic!("spins") };
    assert_eq!(owner, Owner::part(PartKind::Body, "rod"));
    assert_eq!(unknown, "the motion of body `rod` (rotation about body axis x)");
    // a rod whose axis is none of its body's axes is found out as well
    let turn = cardan::math::exponential::retract(&[0.3, 0.4, 0.5].into()).to_matrix();
    let tensor = turn * Matrix3::from_diagonal(&[0.0, 1.0, 1.0].into()) * turn.transpose();
    let mut skew = Mechanism::new();
    skew.add(Body::spatial("rod").mass(1.0).inertia(tensor));
    assert!(matches!(skew.assemble(), Err(ModelError::Massless { .. })));

    // between two balls, turned: its spin is free although no column of G is zero
    let mut coupler = Mechanism::new();
    coupler.add(
        thin()
            .rotated([0.3, 0.5, 0.7])
            .position([0.0; 3])
            .point("a", [-0.5, 0.0, 0.0])
            .point("b", [0.5, 0.0, 0.0]),
    );
    for (name, end) in [("left", "a"), ("right", "b")] {
        let side = if end == "a" { -0.5 } else { 0.5 };
        let turn = cardan::math::exponential::retract(&[0.3, 0.5, 0.7].into());
        let place = turn.rotate(&[side, 0.0, 0.0].into());
        coupler.add(Body::spatial(name).mass(1.0).inertia([0.1; 3]).position(place));
        let foot = place + Vector3::new(0.0, 0.0, -1.0);
        coupler.add(
            Joint::revolute(&format!("foot_{name}"), "ground", name).at(foot).axis([0.0, 1.0, 0.0]),
        );
        coupler.add(Joint::spherical(&format!("ball_{name}"), name, format!("rod.{end}")));
    }
    assert!(
        matches!(coupler.assemble(), Err(ModelError::Massless { .. })),
        "{:?}",
        coupler.assemble().map(|s| s.report)
    );

    let mut held = Mechanism::new();
    held.gravity([0.0, 0.0, -9.81]);
    held.add(thin());
    held.add(Joint::revolute("A", "ground", "rod").at([0.0; 3]).axis([0.0, 1.0, 0.0]));
    let start = held.assemble().unwrap();
    for constraints in Formulation::ALL {
        let motion = run(&start, &damped(1e-3).constraints(constraints), 1.0);
        assert!((motion.energy().unwrap()).abs() < 1e-3, "from rest at height zero");
    }

    let mut floating = Mechanism::new();
    floating.add(Body::planar("block").mass(1.0).inertia(1.0));
    floating.add(Body::planar("ghost").position([1.0, 0.0]));
    floating.add(Force::spring("spring", "block", "ghost").stiffness(1.0));
    assert!(matches!(floating.assemble(), Err(ModelError::Massless { .. })));
}

/// Positions typed with six digits are closed without a word worth reading, and consistent starts
/// follow for every method.
#[test]
fn every_method_starts_from_rounded_positions() {
    let round = |x: f64| (x * 1e6).round() / 1e6;
    let (sine, cosine) = f64::sin_cos(0.8);
    let mut slider = Mechanism::new();
    slider.gravity([0.0, -9.81, 0.0]);
    slider.add(bar("crank", [round(0.5 * cosine), round(0.5 * sine)], 0.8));
    slider.add(bar("rod", [round(1.5 * cosine), round(0.5 * sine)], -0.8));
    slider.add(Joint::revolute("A", "ground", "crank.a").at([0.0, 0.0]));
    slider.add(Joint::revolute("B", "crank.b", "rod.a"));
    slider.add(Joint::point_on_line("C", "ground", "rod.b").at([0.0, 0.0]).axis([1.0, 0.0]));
    let start = slider.assemble().unwrap();
    for method in cardan::methods::all() {
        for constraints in Formulation::ALL {
            if method.permission(constraints) != Permission::Allowed {
                continue;
            }
            let settings = Settings::new(method.name, 1e-3).constraints(constraints);
            let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
            motion.run_until(0.1).unwrap();
            assert!(motion.residuals().position < 1e-14, "{} {constraints}", method.name);
        }
    }
}
