//! Files of format 1: they give the same results, and keys of the other format are located.

use super::{names, text};
use cardan::Simulation;
use cardan::file::{FORMAT, ModelFile};

/// Entries with every key that format 2 renames, and entries that keep a key of the same name.
const RENAMED: &str = r#"
format = 2
gravity = [0, 0, -9.81]

[parameters]
across = 0.1
speed = 2

[body.cart]
mass = 2
inertia = [1, 1, 1]
assembly_weight = 5
velocity = ["speed", 0, 0]

[body.blade]
mass = 1
inertia = [1, 1, 1]
position = [0, 3, 0]

[joint.rail]
type = "prismatic"
between = ["ground", "cart"]
at = [0, 0, 0]
axis = [1, 0, 0]

[drive.feed]
type = "speed"
joint = "slide"
value = "0.1*t"

[body.tool]
mass = 1
inertia = [1, 1, 1]
position = [5, 0, 0]

[joint.slide]
type = "prismatic"
between = ["ground", "tool"]
at = [5, 0, 0]
axis = [0, 0, 1]

[force.friction]
type = "friction"
joint = "rail"
coefficient = 0.1
transition_speed = 0.5

[beam.arm]
path = ["cart", [1, 0, 0]]
stiffness = [1e4, 1e4, 1e4, 50, 30, 60]
mass = 1
inertia = [0.02, 0.01, 0.01]
axis_2 = [0, 0.8, 0.6]

[flexible.rod]
position = [0, 6, 0]
assembly_weight = 3
length = 1
mass = 2
stiffness = [1e4, 1e4, 1e4, 50, 30, 60]
inertia = [0.02, 0.01, 0.01]
modes = 1

[skate.edge]
point = "blade"
across = [0, 1, 0]

[simulation]
step = 1e-3
end = 0.02
"#;

/// A file of format 2 as format 1 writes it.
fn in_format_1(text: &str) -> String {
    text.replace("format = 2", "format = 1")
        .replace("assembly_weight", "weight")
        .replace("transition_speed", "speed")
        .replace("axis_2", "across")
}

/// All numbers of the motion after some steps.
fn motion(text: &str) -> Vec<f64> {
    let file = ModelFile::parse("model.toml", text, &[]).unwrap_or_else(|x| panic!("{x}"));
    let start = file.assemble().unwrap_or_else(|x| panic!("{x}"));
    let settings = file.schedule().unwrap().settings;
    let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
    (0..10).for_each(|_| motion.step().unwrap());
    let now = motion.now();
    [&now.q, &now.v, &now.a, &now.multipliers].into_iter().flatten().copied().collect()
}

#[test]
fn files_of_format_1_have_identical_results() {
    assert_eq!(FORMAT, 2);
    let old = in_format_1(RENAMED);
    for key in ["weight = 5", "weight = 3", "\nspeed = 0.5", "across = [0, 0.8"] {
        assert!(old.contains(key), "{key}");
    }
    assert_eq!(motion(&old), motion(RENAMED));
    for name in ["andrews", "princeton"] {
        let text = text(name);
        assert_ne!(in_format_1(&text), text.replace("format = 2", "format = 1"));
        assert_eq!(motion(&in_format_1(&text)), motion(&text), "{name}");
    }
}

#[test]
fn every_model_is_read_in_both_formats() {
    for name in names() {
        let text = text(&name);
        let path = super::repository(&format!("models/{name}.toml"));
        let read = |text: &str| ModelFile::parse(path.to_str().unwrap(), text, &[]);
        assert!(text.contains("\nformat = 2") || text.starts_with("format = 2"), "{name}");
        assert_eq!(read(&text).map(drop), Ok(()));
        assert_eq!(read(&in_format_1(&text)).map(drop), Ok(()));
    }
}

/// The underlined word, message and help of the first problem.
fn problem(text: &str) -> [String; 3] {
    let all = ModelFile::parse("model.toml", text, &[]).unwrap_err();
    let first = &all.list[0];
    let word = &text[first.span.clone().unwrap()];
    [word.into(), first.message.clone(), first.help.clone().unwrap_or_default()]
}

#[test]
fn keys_of_the_other_format_are_located_and_the_new_one_is_named() {
    let keys = [
        ("assembly_weight = 5", "weight", "assembly_weight", "body `cart`"),
        ("assembly_weight = 3", "weight", "assembly_weight", "flexible `rod`"),
        ("transition_speed = 0.5", "speed", "transition_speed", "force `friction`"),
        ("axis_2 = [", "across", "axis_2", "beam `arm`"),
    ];
    for (line, old, new, owner) in keys {
        // an old key in a file of format 2
        let text = RENAMED.replace(line, &line.replace(new, old));
        let help = format!("in format 2 it is called `{new}`");
        assert_eq!(problem(&text), [old.into(), format!("{owner} does not take `{old}`"), help]);
        // a new key in a file of format 1
        let text = in_format_1(&RENAMED.replace(line, "HERE")).replace("HERE", line);
        let message = format!("`{new}` is a key of format 2; this file has format 1");
        let help = format!("write `format = 2`, or `{old}` instead of `{new}`");
        assert_eq!(problem(&text), [new.into(), message, help]);
    }
}

/// A value of a renamed key is underlined where it is written.
#[test]
fn problems_of_values_have_their_place_in_files_of_format_1() {
    let old = in_format_1(RENAMED);
    let [word, message, _] = problem(&old.replace("weight = 5", "weight = -5"));
    assert_eq!((word.as_str(), message.contains("must be positive")), ("-5", true), "{message}");
    let along = old.replace("across = [0, 0.8, 0.6]", "across = [1, 0, 0]");
    let file = ModelFile::parse("model.toml", &along, &[]).unwrap();
    let found = file.assemble().unwrap_err();
    assert_eq!(&along[found.list[0].span.clone().unwrap()], "[1, 0, 0]", "{found}");
}
