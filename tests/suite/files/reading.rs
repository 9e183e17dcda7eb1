//! What files say: values, formulas, rotations, repetition, parameters, every kind of part.

use super::{model, pendulum_and};
use cardan::file::{ModelFile, ValueKind};
use cardan::math::{Quaternion, Vector3};
use cardan::model::AssembledMechanism;
use cardan::{Formulation, Simulation};

fn parse(text: &str) -> ModelFile {
    ModelFile::parse("test.toml", text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// Channels at the start.
fn at_start(start: &AssembledMechanism, channel: &str) -> Vec<f64> {
    let settings = cardan::Settings::new("generalized-alpha", 1e-3);
    let motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
    start.model.read(channel, motion.now()).unwrap()
}

/// A turn about an axis.
fn turn(axis: usize, angle: f64) -> Quaternion {
    let n = Vector3::ith(axis, (0.5 * angle).sin());
    Quaternion::new((0.5 * angle).cos(), n.x, n.y, n.z)
}

fn orientation(written: &str) -> [f64; 4] {
    let text = format!(
        "format = 2\n[body.b]\nmass = 1\ninertia = [1, 1, 1]\norientation = {written}\n\
         [simulation]\nstep = 1\nend = 1"
    );
    let values = at_start(&parse(&text).assemble().unwrap(), "b.orientation");
    values.try_into().unwrap()
}

#[track_caller]
fn same_rotation(written: &str, expected: Quaternion) {
    let (found, expected) = (orientation(written), expected.to_array());
    let dot: f64 = found.iter().zip(expected).map(|(a, b)| a * b).sum();
    assert!((dot.abs() - 1.0).abs() < 1e-15, "{written}: {found:?} {expected:?}");
}

#[test]
fn orientations_mean_what_the_conventions_say() {
    let (a, b, c) = (0.3, -0.7, 1.1);
    let half = 0.5_f64.sqrt();
    same_rotation("[2, 0, 0, 2]", Quaternion::new(half, 0.0, 0.0, half));
    same_rotation("{ quaternion = [1, 0, 0, 1] }", turn(2, 90_f64.to_radians()));
    same_rotation("{ axis = [0, 5, 0], angle = \"30*deg\" }", turn(1, 30_f64.to_radians()));
    same_rotation("{ rotation_vector = [0.3, 0, 0] }", turn(0, 0.3));
    let angles = "angles = [0.3, -0.7, 1.1]";
    let moving = turn(2, a) * turn(0, b) * turn(2, c);
    same_rotation(&format!("{{ euler = \"ZXZ\", {angles} }}"), moving);
    let fixed = turn(2, c) * turn(1, b) * turn(0, a);
    same_rotation(&format!("{{ euler = \"xyz\", {angles} }}"), fixed);
    for sequence in ["XXY", "ZXx", "AB", "XYZW", ""] {
        let text = format!(
            "format = 2\n[body.b]\nmass = 1\norientation = {{ euler = \"{sequence}\", {angles} }}"
        );
        let mistakes = ModelFile::parse("", &text, &[]).unwrap_err();
        assert!(mistakes.to_string().contains("no sequence of three axes"), "{mistakes}");
    }
}

#[test]
fn numbers_may_be_formulas_and_parameters_may_be_set() {
    let text = pendulum_and("").replace("mass = 2", "mass = \"-3^2 + 2^3^2 - n\"")
        + "\n[parameters]\nn = \"2*k\"\nk = 1";
    // a parameter must be defined above the parameters that use it
    assert!(ModelFile::parse("", &text, &[]).is_err());
    let text = text.replace("n = \"2*k\"\nk = 1", "k = 0x10\nn = \"2*k\"\nm = 1_000");
    let set = |name: &str, value: &str| vec![(name.to_string(), value.to_string())];
    let value = |file: &ModelFile, name: &str| {
        file.parameters.iter().find(|(known, _)| known == name).unwrap().1
    };
    let file = parse(&text);
    assert_eq!((value(&file, "n"), value(&file, "m")), (32.0, 1000.0));
    let file = ModelFile::parse("", &text, &set("k", "3*2")).unwrap();
    assert_eq!(value(&file, "n"), 12.0);
    let mass = |file: &ModelFile| {
        let start = file.assemble().unwrap();
        // at rest and horizontal, the pin carries a quarter of the weight
        at_start(&start, "O.reaction.force.y")[0] * 4.0 / 9.81
    };
    assert!((mass(&file) - (503.0 - 12.0)).abs() < 1e-9, "{}", mass(&file));
    for (name, value, expected) in [
        ("kk", "1", "it has `k`, `n`, `m`"),
        ("k", "t", "does not depend on `t`"),
        ("k", "1/0", "inf"),
        ("k", "1+", "ends where a value"),
    ] {
        let message = ModelFile::parse("", &text, &set(name, value)).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn families_of_parts_are_repeated() {
    let three = model("four_bars", &[("n", "3")]).assemble().unwrap();
    assert_eq!(three.model.counts().bodies, 7);
    assert_eq!(three.model.counts().joints, 10);
    let names: Vec<String> = three.model.channels().iter().map(|x| x.name().into()).collect();
    assert!(names.contains(&"crank3.angle".to_string()) && names.contains(&"right3.angle".into()));
    // none at all is allowed too
    let one = model("four_bars", &[("n", "0")]).assemble().unwrap();
    assert_eq!(one.model.counts().bodies, 1);
    let message =
        ModelFile::parse("", &pendulum_and("[body.\"b{i/2}\"]\nrepeat = 2\nmass = 1"), &[])
            .unwrap_err();
    assert!(message.to_string().contains("not a whole number"), "{message}");
}

#[test]
fn the_simulation_section_chooses_everything() {
    let text = pendulum_and("").replace(
        "step = 1e-2",
        "method = \"hht\"\nalpha = -0.1\nsubstep = 0.02\nstart = -1\nconstraints = \"stabilized\"\n\
         newton = { tolerance = 1e-8, iterations = 7 }",
    );
    let file = parse(&text);
    let schedule = file.schedule().unwrap();
    let settings = &schedule.settings;
    assert_eq!(settings.method, "hht");
    assert_eq!(settings.parameters, [("alpha".to_string(), (-0.1).into())]);
    assert_eq!(settings.constraints, Formulation::Stabilized);
    assert_eq!((settings.newton.tolerance, settings.newton.iterations), (1e-8, 7));
    // one stage: the substep is the step
    assert_eq!((settings.step_size, schedule.start, schedule.end), (0.02, -1.0, 0.1));
    assert_eq!(schedule.steps, 55.0);
    assert_eq!(file.assemble().unwrap().initial.t, -1.0);
}

/// One of every part in space; its names are those of the sections and kinds.
const EVERYTHING: &str = r#"
format = 2
title = "One of everything"
gravity = ["0.1*sin(t)", 0, -9.81]
points.hook = [0, 0, 2]

[parameters]
k = 100

[body]
a = { mass = 1, inertia = [1, 1, 1], position = [1, 0, 0], points = { tip = [0.5, 0, 0] } }
b = { shape = { box = [1, 0.1, 0.1], density = 100 }, position = [2, 0, 0], centre = [0.1, 0, 0] }
c = { mass = 2, shape = { cylinder = [0.1, 1] }, position = [3, 0, 0] }
d = { shape = { sphere = 0.2, density = 500 }, position = [0, 3, 0.2], angular_velocity = [1, 0, 0] }
e = { type = "point-mass", mass = 1, position = [0, 0, 1], assembly_weight = 2 }
f = { mass = 1, inertia = [[1, 0.1, 0], [0.1, 1, 0], [0, 0, 1.5]], position = [0, -3, 0] }
g = { mass = 1, inertia = [1, 1, 1], position = [5, 5, 5] }
h = { mass = 1, inertia = [1, 1, 1], position = [6, 5, 5] }
w = { mass = 1, inertia = [1, 1, 1], position = [8, 5, 5] }

[joint]
revolute = { type = "revolute", between = ["ground", "a"], at = [0.5, 0, 0], axis = [0, 1, 0], offset = 1, rate = 0.5 }
universal = { type = "universal", between = ["a", "b"], at = [1.5, 0, 0], pins = [[0, 1, 0], [0, 0, 1]], rates = { angle_2 = 0.1 } }
cylindrical = { type = "cylindrical", between = ["b", "c"], at = [2.5, 0, 0], axes_on_bodies = [[1, 0, 0], [1, 0, 0]], rates = { angle = 0.2, translation = 0.1 } }
distance = { type = "distance", between = ["ground.hook", "e"], length = "1 + 0.1*t" }
prismatic = { type = "prismatic", between = ["ground", "g"], at = [5, 5, 5], axis = [0, 0, 1] }
spin = { type = "revolute", between = ["g", "h"], at = [6, 5, 5], axis = [1, 0, 0] }
turn = { type = "revolute", between = ["h", "w"], at = [7, 5, 5], axis = [1, 0, 0] }

[gear.gear]
joints = ["spin", "turn"]
ratio = -2

[drive]
angle = { type = "angle", joint = "spin", value = "t^2" }
speed = { type = "speed", joint = "prismatic", value = "0.1*t" }

[rolling.rolling]
centre = "d"
radius = 0.2
axis = [1, 0, 0]

[skate.skate]
point = "f"
across = [0, 1, 0]

[force]
spring = { type = "spring", between = ["ground.hook", "a.tip"], stiffness = "k", damping = 1, rest = 2 }
law = { type = "spring", between = ["ground", "b"], law = "k*(x - 2)^3 + v" }
torsion = { type = "joint-spring", joint = "universal.angle_2", stiffness = 5, damping = 1 }
motor = { type = "motor", joint = "cylindrical.angle", value = "sin(t)" }
bushing = { type = "bushing", between = ["ground", "f"], at = [0, -3, 0], stiffness = [9, 9, 9, 1, 1, 1], damping = [1, 1, 1, 1, 1, 1] }
load = { type = "load", point = "a.tip", force = [0, "t", 1], following = true }
torque = { type = "torque", body = "b", torque = [0.1, 0, 0] }
friction = { type = "friction", joint = "revolute", coefficient = 0.1, radius = 0.02, transition_speed = 0.01 }

[simulation]
step = 1e-3
end = 0.1
"#;

#[test]
fn one_of_everything_moves_and_balances() {
    let file = parse(EVERYTHING);
    let start = file.assemble().unwrap();
    let schedule = file.schedule().unwrap();
    assert_eq!(at_start(&start, "revolute.angle"), [1.0]);
    assert!((at_start(&start, "cylindrical.angle.rate")[0] - 0.2).abs() < 1e-12);
    assert!((at_start(&start, "universal.angle_2.rate")[0] - 0.1).abs() < 1e-12);
    let mut motion = Simulation::new(&start.model, &schedule.settings, &start.initial).unwrap();
    let mut ledger = cardan::model::EnergyBalance::new(&start.model, motion.now());
    for _ in 0..100 {
        motion.step().unwrap();
        ledger.record(&start.model, &motion);
    }
    let read = |name: &str| start.model.read(name, motion.now()).unwrap()[0];
    assert!((read("spin.angle") - 0.01).abs() < 1e-12);
    assert!((read("turn.angle") + 0.02).abs() < 1e-12);
    assert!((read("prismatic.translation.rate") - 0.01).abs() < 1e-9);
    // second order: h² times rates of change of a few kilowatts a second
    assert!(ledger.balance.abs() < 1e-3 * ledger.largest, "{}", ledger.balance);
}

/// Something that can be read.
fn plausible(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Pair => r#"["ground", "b"]"#,
        ValueKind::Text => r#""b""#,
        ValueKind::Vector | ValueKind::Functions | ValueKind::Torque => "[1, 0, 0]",
        _ => "1",
    }
}

#[test]
fn every_section_kind_and_key_of_the_schema_is_read() {
    // what stands in a file must be looked at: each key is given nonsense in turn
    for section in cardan::file::SECTIONS.iter() {
        let kinds: Vec<Option<&cardan::file::SchemaVariant>> = match section.variants.is_empty() {
            true => vec![None],
            false => section.variants.iter().map(Some).collect(),
        };
        for kind in kinds {
            let own = kind.map_or(&[][..], |kind| &kind.fields);
            for field in section.fields.iter().chain(own) {
                let key = field.key;
                // the planar flag decides which of two keys is meant
                let planar = key == "angle";
                let mut text = format!("format = 2\nplanar = {planar}\n");
                match (section.is_named(), section.key) {
                    (false, "") if ["format", "planar"].contains(&key) => continue,
                    (false, "") => {}
                    (false, name) => text += &format!("[{name}]\n"),
                    (true, name) => text += &format!("[{name}.x]\n"),
                }
                if let Some(kind) = kind {
                    text += &format!("type = \"{}\"\n", kind.name);
                }
                let others = section.fields.iter().chain(own).filter(|x| x.key != key);
                for other in others.filter(|x| x.is_required && x.key != "format") {
                    text += &format!("{} = {}\n", other.key, plausible(other.kind));
                }
                text += &format!("{key} = 1979-05-27\n");
                let mistakes = ModelFile::parse("", &text, &[]).unwrap_err();
                let place = text.find("1979").unwrap();
                let is_there = |x: &cardan::file::Diagnostic| {
                    x.span.as_ref().is_some_and(|s| s.start == place)
                };
                let where_ = format!("{} {:?} {key}", section.key, kind.map(|x| x.name));
                assert!(mistakes.list.iter().any(is_there), "{where_}: {mistakes}");
            }
        }
    }
}

#[test]
fn laws_take_the_length_and_its_rate() {
    let text = pendulum_and(
        "[points]\nA = [1, -1]\n[force.s]\ntype = \"spring\"\nbetween = [\"ground.A\", \"bar.tip\"]\n\
         law = \"3*x + 5*v^3\"",
    )
    .replace("at = [0, 0]", "at = [0, 0]\nrate = 2");
    // the tip is one metre above A and rises with 2 m/s
    let force = at_start(&parse(&text).assemble().unwrap(), "s.force")[0];
    assert!((force - (3.0 + 5.0 * 8.0)).abs() < 1e-12, "{force}");
}

#[test]
fn springs_are_relaxed_where_the_bodies_are_assembled() {
    let spring = "[points]\nA = [1, -1]\n[force.s]\ntype = \"spring\"\n\
                  between = [\"ground.A\", \"bar.tip\"]\nstiffness = 1e3";
    // the pin is given by points on both sides, which do not meet
    let scattered = pendulum_and(spring)
        .replace("[points]", "[points]\nP = [0, 0]")
        .replace("points = { tip = [0.5, 0] }", "points = { tip = [0.5, 0], O = [-0.5, 0] }")
        .replace("position = [0.5, 0]", "position = [0.7, 0.1]")
        .replace("[\"ground\", \"bar\"]\nat = [0, 0]", "[\"ground.P\", \"bar.O\"]");
    let file = parse(&scattered);
    let start = file.assemble().unwrap();
    assert!(!start.report.moved.is_empty());
    // a length of one metre to round-off, times the stiffness
    assert!(at_start(&start, "s.force")[0].abs() < 1e-11);
}
