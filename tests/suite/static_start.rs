//! A start in equilibrium: nothing moves until a load changes; reports of unstable equilibria and of velocities.

use cardan::file::ModelFile;
use cardan::model::AssembledMechanism;
use cardan::statics::StaticOptions;
use cardan::{Settings, Simulation};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn assembled(text: &str) -> Result<AssembledMechanism, Box<dyn std::error::Error>> {
    Ok(ModelFile::parse("model.toml", text, &[])?.assemble()?)
}

/// The largest change of a coordinate in a time, relative to the start.
fn largest_motion(
    motion: &mut Simulation<'_>,
    end: f64,
) -> Result<f64, Box<dyn std::error::Error>> {
    let begin = motion.now().q.clone();
    let mut largest = 0.0_f64;
    while motion.now().t < end {
        motion.step()?;
        for (q, before) in motion.now().q.iter().zip(&begin) {
            largest = largest.max((q - before).abs());
        }
    }
    Ok(largest)
}

/// A quarter car on springs that are relaxed as described: it sinks by its weight.
const QUARTER_CAR: &str = r#"
format = 2
gravity = [0, 0, -9.81]
[parameters]
bump = 0.02
[body.wheel]
mass = 40
inertia = [1, 1, 1]
position = [0, 0, 0.3]
velocity = [0, 0, 0.2]
[body.car]
mass = 300
inertia = [20, 20, 20]
position = [0, 0, 0.8]
[joint.guide]
type = "prismatic"
between = ["ground", "wheel"]
at = [0, 0, 0]
axis = [0, 0, 1]
[joint.strut]
type = "prismatic"
between = ["wheel", "car"]
at = [0, 0, 0.3]
axis = [0, 0, 1]
[force.tyre]
type = "joint-spring"
joint = "guide"
law = "2e5*(x - if(t < 0.5, 0, bump)) + 200*v"
[force.suspension]
type = "joint-spring"
joint = "strut"
stiffness = 2e4
damping = 1500
[state.filter]
rate = "(car.position.z - filter)/0.05"
start = 0
[simulation]
from = "static"
step = 1e-3
end = 1
"#;

/// The weights stretch the springs by (40 + 300) g/2e5 and 300 g/2e4.
#[test]
fn quarter_car_stays_at_rest_until_the_load_changes() -> Outcome {
    let start = assembled(QUARTER_CAR)?;
    let report = start.report.to_string();
    assert!(report.contains("start in equilibrium"), "{report}");
    assert!(report.contains("velocities of the description are not used"), "{report}");
    let settings = [
        Settings::new("generalized-alpha", 1e-3),
        Settings::new("lms3", 1e-3),
        Settings::new("esdirk436", 1e-3),
        Settings::with_tolerance("esdirk436", 1e-6),
    ];
    for settings in settings {
        let mut motion = start.simulate(&settings)?;
        let sunk = 0.8 - motion.read("car.position.z")?[0];
        let expected = 9.81 * (340.0 / 2e5 + 300.0 / 2e4);
        assert!((sunk - expected).abs() < 1e-10, "{}: {sunk}", settings.method);
        let filter = motion.now().z[0];
        assert!((filter - (0.8 - expected)).abs() < 1e-10, "{filter}");
        let moved = largest_motion(&mut motion, 0.49)?;
        assert!(moved < 1e-9, "{}: {moved:e}", settings.method);
        let moved = largest_motion(&mut motion, 1.0)?;
        assert!(moved > 5e-3, "{}: {moved:e}", settings.method);
    }
    Ok(())
}

/// A cantilever with a weight at its end: the stress of the beam is part of the start.
const CRANE: &str = r#"
format = 2
gravity = [0, 0, -9.81]
[body.load]
mass = 50
inertia = [1, 1, 1]
position = [2, 0, 0]
[body.hook]
type = "point-mass"
mass = 20
position = [2, 0, -1]
[beam.boom]
path = [[0, 0, 0], [2, 0, 0]]
elements = 4
profile = { tube = [0.05, 0.045] }
young = 7e10
poisson = 0.33
density = 2700
[joint.clamp]
type = "fixed"
between = ["ground", "boom.start"]
[joint.tip]
type = "fixed"
between = ["boom.end", "load"]
[joint.rope]
type = "distance"
between = ["load", "hook"]
[simulation]
from = "static"
method = "generalized-alpha"
step = 1e-3
end = 0.2
"#;

#[test]
fn crane_with_a_beam_stays_at_rest() -> Outcome {
    let start = assembled(CRANE)?;
    let mut motion = start.simulate(&Settings::new("generalized-alpha", 1e-3).rho(0.8))?;
    // the end of the boom sinks: (70 kg and the beam's own weight) l³/3EI, a few percent more by its weight
    let sunk = -motion.read("load.position.z")?[0];
    assert!(sunk > 5e-3 && sunk < 5e-2, "{sunk}");
    let moved = largest_motion(&mut motion, 0.2)?;
    assert!(moved < 1e-9, "{moved:e}");
    Ok(())
}

#[test]
fn unstable_equilibrium_is_reported() -> Outcome {
    let text = r#"
format = 2
planar = true
gravity = [0, -9.81]
body.bar = { mass = 2, shape = { rod = 1 }, position = [0, 0.5], angle = "90*deg" }
joint.O = { type = "revolute", between = ["ground", "bar"], at = [0, 0] }
simulation = { step = 1e-3, end = 1, from = "static" }
"#;
    let start = assembled(text)?;
    let report = start.report.to_string();
    assert!(report.contains("unstable equilibrium at the start"), "{report}");
    Ok(())
}

#[test]
fn start_without_an_equilibrium_is_an_error_at_its_place() -> Outcome {
    let text = r#"
format = 2
gravity = [0, 0, -9.81]
body.stone = { type = "point-mass", mass = 2 }
[simulation]
step = 1e-3
end = 1
from = "static"
"#;
    let file = ModelFile::parse("stone.toml", text, &[])?;
    let message = file.assemble().map_or_else(|error| error.to_string(), |_| String::new());
    assert!(message.contains("cannot start in equilibrium"), "{message}");
    assert!(message.contains("stone.toml:8"), "{message}");
    Ok(())
}

/// The assembled mechanism of Rust has the same start as the file.
#[test]
fn equilibrium_in_rust_is_that_of_the_file() -> Outcome {
    let from_file = assembled(QUARTER_CAR)?;
    let described = assembled(&QUARTER_CAR.replace("from = \"static\"\n", ""))?;
    let in_rust = described.in_equilibrium(&StaticOptions::default())?;
    assert_eq!(from_file.initial.q, in_rust.initial.q);
    assert_eq!(from_file.initial.z, in_rust.initial.z);
    Ok(())
}
