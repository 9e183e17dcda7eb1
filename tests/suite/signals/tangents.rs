//! Tangents of forces and states that depend on signals, against differences.

use cardan::model::{Body, Force, Function, Joint, Mechanism, Signal};
use cardan::system::verify;
use cardan::{Settings, System};

/// Two spatial bodies, two joints, a motor, and every kind of argument in forces and states.
fn robot() -> Mechanism {
    let mut robot = Mechanism::new();
    robot.gravity([0.0, 0.0, -9.81]);
    robot.add(
        Body::spatial("one")
            .mass(2.0)
            .inertia([0.1, 0.2, 0.25])
            .position([0.5, 0.0, 0.0])
            .point("tip", [0.5, 0.1, 0.0]),
    );
    robot.add(
        Body::spatial("two")
            .mass(1.0)
            .inertia([0.05, 0.1, 0.12])
            .position([1.5, 0.2, 0.0])
            .point("tip", [0.5, 0.0, 0.2]),
    );
    robot.add(
        Body::spatial("far")
            .mass(1.0)
            .inertia([0.05, 0.1, 0.12])
            .position([5.0, 0.2, 0.0])
            .velocity([0.1, 0.2, 0.3]),
    );
    robot.add(
        Joint::revolute("A", "ground", "one").at([0.0, 0.0, 0.0]).axis([0.0, 1.0, 0.0]).rate(0.7),
    );
    robot.add(
        Joint::universal("B", "one", "two")
            .at([1.0, 0.0, 0.0])
            .pins([0.0, 0.0, 1.0], [0.0, 1.0, 0.0]),
    );
    robot.add(Force::spring("spring", "two.tip", "far").stiffness(30.0).damping(1.0).rest(2.0));
    robot
}

/// The discrepancies at random states near the motion.
fn check(mechanism: &Mechanism, what: &str) {
    let start = mechanism.assemble().unwrap();
    let mut motion = start.simulate(&Settings::new("generalized-alpha", 1e-3)).unwrap();
    for _ in 0..3 {
        for _ in 0..20 {
            motion.step().unwrap();
        }
        let now = motion.now();
        assert_eq!(verify(&start.model, &now.into(), &now.a).unwrap(), [], "{what}");
    }
}

/// Numbers between −1 and 1 that are the same in each run.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    fn vector(&mut self, like: &[f64], size: f64) -> Vec<f64> {
        like.iter().map(|x| x + size * self.next()).collect()
    }
}

/// The discrepancies at random states, which need not satisfy the constraints.
#[track_caller]
fn check_anywhere(start: &cardan::model::AssembledMechanism, size: f64, what: &str) {
    let motion = start.simulate(&Settings::new("generalized-alpha", 1e-3)).unwrap();
    let now = motion.now();
    let mut noise = Noise(7);
    for _ in 0..5 {
        let mut there = now.clone();
        let d = noise.vector(&vec![0.0; now.v.len()], size);
        there.q = start.model.space().plus(&now.q, &d).unwrap();
        there.v = noise.vector(&now.v, size);
        there.multipliers = noise.vector(&now.multipliers, 10.0 * size);
        there.z = noise.vector(&now.z, size);
        let a = noise.vector(&now.a, size);
        assert_eq!(verify(&start.model, &(&there).into(), &a).unwrap(), [], "{what}");
    }
}

/// Every kind of argument at random states: coordinates, lengths, reactions, orientations, tables, states, gears and
/// drives, through forces of every kind and states.
#[test]
fn tangents_are_exact_at_random_states() {
    for formula in [
        "A.angle*B.angle_2.rate + B.angle_1^2",
        "spring.length*spring.rate",
        "0.1*spring.force",
        "0.1*A.reaction.force.z*two.tip.x",
        "0.05*B.reaction.moment.local.x + one.orientation.x*two.orientation.z",
        "two.angular_velocity.y*one.angular_velocity_world.z + two.tip.velocity.z^2",
        "z*w + far.velocity.x*z^2",
        "knee(2*A.angle + z)*field(two.tip.y, w)",
    ] {
        let text = format!(
            "format = 2\ngravity = [0, 0, -9.81]\n\
            body.one = {{ mass = 2, inertia = [0.1, 0.2, 0.25], position = [0.5, 0, 0] }}\n\
            body.two = {{ mass = 1, inertia = [0.05, 0.1, 0.12], position = [1.5, 0.2, 0], points = {{ tip = [0.5, 0, 0.2] }} }}\n\
            body.far = {{ mass = 1, inertia = [0.05, 0.1, 0.12], position = [5, 0.2, 0] }}\n\
            joint.A = {{ type = \"revolute\", between = [\"ground\", \"one\"], at = [0, 0, 0], axis = [0, 1, 0] }}\n\
            joint.B = {{ type = \"universal\", between = [\"one\", \"two\"], at = [1, 0, 0], pins = [[0, 0, 1], [0, 1, 0]] }}\n\
            table.knee = {{ x = [-20, 0, 1, 20], value = [-3, 0, 2, 5], interpolation = \"spline\" }}\n\
            table.field = {{ x = [-20, 0, 20], y = [-20, 0.3, 20], value = [[0, 1, 3], [2, 1, 0], [1, 4, 2]], interpolation = \"bicubic\" }}\n\
            signal.inner = \"{formula}\"\n\
            signal.s = \"inner + 0.3*sin(inner)\"\n\
            state.z = {{ start = 0.3, rate = \"s - 2*z\" }}\n\
            state.w = {{ start = 0.1, residual = \"2*w.rate + w*z - s + 0.1*w.rate*z\" }}\n\
            force.spring = {{ type = \"spring\", between = [\"two.tip\", \"far\"], stiffness = 30, damping = 1, rest = 2 }}\n\
            force.law = {{ type = \"joint-spring\", joint = \"A\", law = \"x*s + 0.2*v*z\" }}\n\
            force.motor = {{ type = \"motor\", joint = \"B\", value = \"s*t + w\" }}\n\
            force.load = {{ type = \"load\", point = \"far\", force = [\"s\", \"z*s\", 1], following = true }}\n\
            force.torque = {{ type = \"torque\", body = \"two\", torque = [\"inner\", 0, \"2*s\"] }}\n\
            force.bush = {{ type = \"bushing\", between = [\"one\", \"far\"], at = [2, 0, 0], stiffness = [1, 2, 3, 0.1, 0.1, 0.1], damping = [1, 2, 1, 0.1, 0.2, 0.1], damping_factor = \"2 + 0.1*s\" }}\n"
        );
        let file = cardan::file::ModelFile::parse("everything.toml", &text, &[]);
        let start = file.unwrap_or_else(|x| panic!("{x}")).assemble().unwrap();
        check_anywhere(&start, 0.2, formula);
    }
}

/// A formula of each pair of channels that acts: its gradient has all columns. Coordinates of every joint.
#[test]
fn coordinates_of_joints_are_exact_at_random_states() {
    let joints: [(&str, &str); 5] = [
        ("revolute", "angle"),
        ("prismatic", "translation"),
        ("cylindrical", "translation"),
        ("cylindrical", "angle"),
        ("planar", "x"),
    ];
    for (kind, coordinate) in joints {
        let mut mechanism = Mechanism::new();
        let body = |name: &str, x: f64| {
            Body::spatial(name).mass(1.0).inertia([0.1, 0.2, 0.3]).position([x, 0.1, 0.2])
        };
        mechanism.add(body("one", 0.3));
        mechanism.add(body("two", 1.0));
        mechanism.add(body("far", 3.0));
        let joint = match kind {
            "revolute" => Joint::revolute("J", "one", "two"),
            "prismatic" => Joint::prismatic("J", "one", "two"),
            "cylindrical" => Joint::cylindrical("J", "one", "two"),
            _ => Joint::planar("J", "one", "two"),
        };
        mechanism.add(joint.at([0.5, 0.0, 0.0]).axis([0.2, 1.0, 0.3]));
        let formula = format!("J.{coordinate}*J.{coordinate}.rate + 0.3*J.{coordinate}^2");
        let load = [formula.as_str(), "0", "lag"].map(Function::formula);
        mechanism.add(Force::load("push", "far", load));
        mechanism.state("lag", 0.0, format!("{formula} - lag"));
        check_anywhere(&mechanism.assemble().unwrap(), 0.05, &format!("{kind} {coordinate}"));
    }
}

/// Forces of gears and drives in a force, in space and in the plane.
#[test]
fn tangents_of_gear_and_drive_forces_are_exact() {
    let mut mechanism = Mechanism::new();
    for (name, x) in [("one", 0.0), ("two", 1.0), ("three", 2.0)] {
        mechanism.add(Body::planar(name).mass(1.0).inertia(0.2).position([x, 0.1]));
        let joint = format!("{name}_pin");
        mechanism.add(Joint::revolute(&joint, "ground", name).at([x, 0.0]));
    }
    mechanism.add(cardan::model::Gear::new("gear", "one_pin", "two_pin", -2.0));
    let drive = Function::linear(0.0, 0.5);
    mechanism.add(cardan::model::Drive::angle("turn", "one_pin", drive));
    mechanism.add(Force::joint_spring("bearing", "two_pin").stiffness(3.0).damping(0.4));
    let formula = "0.1*gear.force*three.angle + 0.2*turn.force - three.angular_velocity.z";
    mechanism.add(Force::motor("motor", "three_pin", Function::formula(formula)));
    mechanism.state("lag", 0.1, "gear.force - turn.force - lag");
    check_anywhere(&mechanism.assemble().unwrap(), 0.3, formula);
}

/// A closure of a state near 1e-19 is differenced by steps that round-off does not disturb.
#[test]
fn differences_at_tiny_values_are_accurate() {
    let mut mechanism = robot();
    mechanism.state("tiny", 1e-19, "1 - 3*s");
    mechanism.add(Signal::closure("s", ["tiny", "A.angle"], |_, x| Ok(1.0 - x[0] + 2.0 * x[1])));
    mechanism.add(Force::motor("motor", "A", Function::formula("s")));
    let start = mechanism.assemble().unwrap();
    let observer = cardan::modes::RotatingObserver::default();
    let motion = start.simulate(&Settings::new("generalized-alpha", 1e-3)).unwrap();
    let system =
        cardan::modes::StateSpace::new(&start.model, motion.now(), &observer, &[], &[]).unwrap();
    let k = system.states.iter().position(|x| x.contains("tiny")).unwrap();
    assert!((system.a[(k, k)] - 3.0).abs() < 1e-9, "{}", system.a[(k, k)]);
}

#[test]
fn tangents_of_motions_are_exact() {
    for formula in [
        "3*A.angle + 2*A.angle.rate^2",
        "two.tip.x*two.tip.velocity.y - one.tip.z^2",
        "far.position.x + sin(two.velocity.z)",
        "one.angular_velocity.y*two.angular_velocity_world.x",
        "two.orientation.w*one.orientation.y",
        "spring.length^2 + spring.rate",
        "spring.force",
        "B.angle_1*B.angle_2.rate",
    ] {
        let mut mechanism = robot();
        mechanism.signal("s", formula);
        let f = Function::formula;
        mechanism.add(Force::motor("motor", "A", f("s")));
        mechanism.add(
            Force::load("load", "far", [f("0.5*s"), f("s*t"), Function::Constant(0.0)]).following(),
        );
        mechanism.add(Force::torque("torque", "two", [f("s"), f("0"), f("2*s")]));
        mechanism.state("z", 0.3, "s - 2*z");
        check(&mechanism, formula);
    }
}

#[test]
fn tangents_of_reactions_are_exact() {
    for formula in ["A.reaction.force.x", "0.1*A.reaction.moment.z", "B.reaction.force.local.y^2"] {
        let mut mechanism = robot();
        mechanism.add(Force::motor("motor", "B", Function::formula(&format!("0.01*{formula}"))));
        assert!(mechanism.assemble().unwrap().model.force_needs_multipliers());
        check(&mechanism, formula);
    }
}

/// Only the couplings that the formula has are in the pattern.
#[test]
fn pattern_has_only_the_couplings_that_exist() {
    let pattern = |formula: Option<&str>| {
        let mut mechanism = robot();
        if let Some(formula) = formula {
            mechanism.add(Force::load(
                "load",
                "far",
                [Function::formula(formula), 0.0.into(), 0.0.into()],
            ));
        }
        let start = mechanism.assemble().unwrap();
        let motion = start.simulate(&Settings::new("generalized-alpha", 1e-3)).unwrap();
        let now = motion.now();
        let n = now.v.len();
        let [mut k, mut d, mut l, mut z] = [n, n, now.multipliers.len(), now.z.len()]
            .map(|m| cardan::linalg::SparseMatrix::new(n, m));
        let mut tangent = cardan::system::ForceTangent {
            stiffness: &mut k,
            damping: &mut d,
            multipliers: &mut l,
            states: &mut z,
        };
        start.model.force_tangent(&now.into(), &mut tangent).unwrap();
        let places = |mut x: cardan::linalg::SparseMatrix| {
            x.finish().unwrap();
            x.places().collect::<Vec<_>>()
        };
        [places(k), places(d)]
    };
    let [without, without_rate] = pattern(None);
    let [with, with_rate] = pattern(Some("one.position.z + one.velocity.y"));
    let new = |with: &[(u32, u32)], without: &[(u32, u32)]| -> Vec<(u32, u32)> {
        with.iter().filter(|x| !without.contains(x)).copied().collect()
    };
    // far.x depends on the displacement z of body one, and on its velocity y
    assert_eq!(new(&with, &without), [(12, 2)]);
    assert_eq!(new(&with_rate, &without_rate), [(12, 1)]);
}

#[test]
fn closures_act_like_formulas() {
    let end = |signal: Signal| {
        let mut mechanism = robot();
        mechanism.add(signal);
        mechanism.add(Force::motor("motor", "A", Function::formula("s")));
        check(&mechanism, "closure");
        let mut motion =
            mechanism.assemble().unwrap().simulate(&Settings::new("lms3", 1e-3)).unwrap();
        motion.run_until(0.1).unwrap();
        motion.now().q.clone()
    };
    let arguments = ["A.angle", "A.angle.rate"];
    let formula = end(Signal::new("s", "3*A.angle*A.angle.rate + t"));
    let plain = end(Signal::closure("s", arguments, |t, x| Ok(3.0 * x[0] * x[1] + t)));
    let exact = end(Signal::closure_with_gradient("s", arguments, |t, x, slopes| {
        slopes.copy_from_slice(&[3.0 * x[1], 3.0 * x[0]]);
        Ok(3.0 * x[0] * x[1] + t)
    }));
    for (x, (y, z)) in formula.iter().zip(plain.iter().zip(&exact)) {
        assert!((x - y).abs() < 1e-9 && (x - z).abs() < 1e-9);
    }
}

/// Signals of flexible bodies and beams, and forces on their points.
#[test]
fn tangents_with_flexible_bodies_and_beams_are_exact() {
    let check = |name: &str, formula: &str, load: &str| {
        let (_, text) = cardan_lab::examples::EXAMPLES.iter().find(|x| x.0 == name).unwrap();
        let text = format!(
            "{text}\n[signal]\nmeasured = \"{formula}\"\n\
             [state.lag]\nstart = 0.2\nrate = \"(measured - lag)/0.1\"\n\
             [force.feedback]\ntype = \"motor\"\njoint = \"O\"\nvalue = \"0.3*measured + lag\"\n\
             [force.answer]\ntype = \"load\"\npoint = \"{load}\"\nforce = [\"measured\", \"2*lag\"]\n"
        );
        let file = cardan::file::ModelFile::parse(name, &text, &[]).unwrap();
        let start = file.assemble().unwrap();
        let settings = Settings::new("generalized-alpha", 1e-4);
        let mut motion = start.simulate(&settings).unwrap();
        (0..50).for_each(|_| motion.step().unwrap());
        let now = motion.now();
        assert_eq!(verify(&start.model, &now.into(), &now.a).unwrap(), [], "{name}: {formula}");
    };
    for formula in [
        "rod.end.velocity.y*rod.end.x + rod.mode1",
        "rod.mid.deflection.y*1e3 + rod.end.x",
        "rod.angle",
    ] {
        check("flexible_slider_crank", formula, "rod.end");
    }
    for formula in ["rod.mid.y + rod.mid.velocity.x", "1e-3*rod.mid.moment.z", "rod.end.rotation.z"]
    {
        check("slider_crank_beam", formula, "rod.mid");
    }
}
