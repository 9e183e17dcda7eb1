//! Events: times in closed form, impulses and energy, orders, resumed runs, chattering, refusals.

use cardan::Settings;
use cardan::file::ModelFile;
use cardan::model::{AssembledMechanism, Body, Event, Mechanism};
use cardan::simulation::{Simulation, SimulationError};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn assembled(text: &str) -> Result<AssembledMechanism, Box<dyn std::error::Error>> {
    Ok(ModelFile::parse("model.toml", text, &[])?.assemble()?)
}

/// A ball of 0.5 kg at a height of 1 m.
const BALL: &str = r#"
format = 2
gravity = [0, 0, -9.81]
[body.ball]
type = "point-mass"
mass = 0.5
position = [0, 0, 1]
[event.floor]
when = "ball.position.z"
direction = "falling"
bounce = { channel = "ball.position.z", restitution = 0.9 }
"#;

/// Bounces of a ball with a restitution e at √(2/g) (1 + 2 (e + e² + …)).
#[test]
fn twenty_bounces_have_the_times_of_the_closed_form() -> Outcome {
    let start = assembled(BALL)?;
    let names = ["generalized-alpha", "lms3", "ss4", "g5", "mssth5", "rk4", "hht-add"];
    let fixed = names.map(|method| Settings::new(method, 1e-2));
    let controlled = Settings::with_tolerance("esdirk436", 1e-6);
    for settings in fixed.into_iter().chain([controlled]) {
        let mut motion = start.simulate(&settings)?;
        motion.run_until(7.9)?;
        let times: Vec<f64> = motion.take_events().iter().map(|event| event.time).collect();
        assert!(times.len() >= 20, "{}: {}", settings.method, times.len());
        let first = (2.0_f64 / 9.81).sqrt();
        let mut expected = first;
        for (k, time) in times.iter().take(20).enumerate() {
            let error = (time - expected).abs();
            assert!(error < 1e-10, "{}: bounce {k} at {time}: {error:e}", settings.method);
            expected += 2.0 * first * 0.9_f64.powi(k as i32 + 1);
        }
    }
    Ok(())
}

/// Without restitution the ball does not leave the floor, and must not fall through it.
#[test]
fn ball_without_restitution_does_not_fall_through_the_floor() -> Outcome {
    let start = assembled(&BALL.replace("restitution = 0.9", "restitution = 0"))?;
    for settings in
        [Settings::new("generalized-alpha", 1e-2), Settings::with_tolerance("esdirk436", 1e-6)]
    {
        let mut motion = start.simulate(&settings)?;
        let failed = motion.run_until(5.0);
        assert!(matches!(failed, Err(SimulationError::Chattering { .. })), "{failed:?}");
        assert!(motion.now().q[2] > -1e-9, "{}", motion.now().q[2]);
    }
    Ok(())
}

/// A joint that an event locks and another releases: the held function, zero to round-off, has no further events, and the
/// impact takes the energy of the mechanism, which has no degree of freedom left.
#[test]
fn held_function_has_no_events() -> Outcome {
    let text = STOP.replace(
        "direction = \"falling\"\nbounce = { channel = \"O.angle\", restitution = 0.7 }",
        "lock = \"O.angle\"",
    );
    let text = text + "[event.release]\nat = 1.3\nunlock = \"O.angle\"\n";
    let start = assembled(&text)?;
    for method in ["generalized-alpha", "lms3", "g4", "esdirk436"] {
        let mut motion = start.simulate(&Settings::new(method, 1e-3))?;
        motion.run_until(1.2)?;
        assert!((motion.read("O.angle")?[0] + 1.2).abs() < 1e-9, "{method}");
        assert!(motion.read("O.angle.rate")?[0].abs() < 1e-9, "{method}");
        motion.run_until(1.5)?;
        // it goes on to fall, and does not cross the angle again
        assert!(motion.read("O.angle")?[0] < -1.25, "{method}");
        let names: Vec<usize> = motion.take_events().iter().map(|event| event.event).collect();
        assert_eq!(names, [0, 1], "{method}");
    }
    Ok(())
}

/// 10,000 samples of a controller are no chattering.
#[test]
fn ten_thousand_events_at_given_times() -> Outcome {
    let text = "format = 2\n[body.p]\ntype = \"point-mass\"\nmass = 1\n[input.u]\n[force.F]\ntype = \"load\"\npoint = \"p\"\n\
                force = [\"u\", 0, 0]\n[event.sample]\nevery = 1e-3\nset = { u = \"1 - u\" }\n";
    let start = assembled(text)?;
    for settings in [Settings::new("generalized-alpha", 1e-3), Settings::new("lms3", 4e-4)] {
        let mut motion = start.simulate(&settings)?;
        motion.run_until(10.0)?;
        let count = motion.take_events().len();
        assert!((10_000..=10_001).contains(&count), "{}: {count}", settings.method);
    }
    Ok(())
}

#[test]
fn bounces_that_shrink_to_nothing_are_reported_as_chattering() -> Outcome {
    let start = assembled(&BALL.replace("0.9", "0.5"))?;
    let mut motion = start.simulate(&Settings::new("generalized-alpha", 1e-2))?;
    let failed = motion.run_until(5.0);
    let Err(SimulationError::Chattering { name, time, .. }) = failed else {
        return Err(format!("{failed:?}").into());
    };
    // the flights add up to √(2/g) (1 + 2 (1/2 + 1/4 + …))
    assert_eq!(name, "floor");
    assert!((time - 3.0 * (2.0_f64 / 9.81).sqrt()).abs() < 1e-9, "{time}");
    Ok(())
}

const CLUTCH: &str = r#"
format = 2
[body.one]
mass = 1
inertia = [1, 1, 2]
angular_velocity = [0, 0, 10]
[body.two]
mass = 1
inertia = [2, 2, 3]
position = [0, 0, 0.1]
angular_velocity = [0, 0, 0]
[joint.A]
type = "revolute"
between = ["ground", "one"]
at = [0, 0, 0]
axis = [0, 0, 1]
[joint.B]
type = "revolute"
between = ["one", "two"]
at = [0, 0, 0.1]
axis = [0, 0, 1]
[event.engage]
at = 0.513
lock = "B.angle"
[event.release]
at = 0.75
unlock = "B.angle"
[event.hit]
at = 0.8
impulse = { body = "two", moment = [0, 0, 6] }
"#;

/// Two discs of 2 and 3 kg·m²: 10 rad/s becomes 4 rad/s, and 60 of 100 J are lost. Then 6 N·m·s act on the second disc alone.
#[test]
fn clutch_loses_the_energy_of_an_inelastic_impact() -> Outcome {
    let start = assembled(CLUTCH)?;
    for method in ["generalized-alpha", "lms3", "esdirk436", "g4", "ss3"] {
        let mut motion = start.simulate(&Settings::new(method, 1e-2))?;
        motion.run_until(0.6)?;
        let rate = motion.read("A.angle.rate")?[0];
        assert!((rate - 4.0).abs() < 1e-6, "{method}: {rate}");
        assert!((motion.energy().ok_or("energy")? - 40.0).abs() < 1e-5, "{method}");
        assert!(motion.read("B.angle.rate")?[0].abs() < 1e-9, "{method}");
        motion.run_until(1.0)?;
        let [one, two] = ["one", "two"].map(|x| motion.read(&format!("{x}.angular_velocity.z")));
        assert!((one?[0] - 4.0).abs() < 1e-6, "{method}");
        assert!((two?[0] - 6.0).abs() < 1e-6, "{method}");
        assert_eq!(motion.take_events().len(), 3, "{method}");
    }
    Ok(())
}

/// A pendulum that bounces from a stop at an angle, in the middle of steps.
const STOP: &str = r#"
format = 2
planar = true
gravity = [0, -9.81]
[body.bar]
mass = 2
shape = { rod = 1 }
position = [0.5, 0]
[joint.O]
type = "revolute"
between = ["ground", "bar"]
at = [0, 0]
[event.stop]
when = "O.angle + 1.2"
direction = "falling"
bounce = { channel = "O.angle", restitution = 0.7 }
"#;

/// The angle and its rate when a motion ends, the time of that instant, and the time of the bounce.
struct Ending {
    angle: f64,
    rate: f64,
    time: f64,
    bounce: f64,
}

/// Takes steps until a time is reached.
fn ending(
    start: &AssembledMechanism,
    settings: &Settings,
    end: f64,
) -> Result<Ending, Box<dyn std::error::Error>> {
    let mut motion = start.simulate(settings)?;
    while motion.now().t < end {
        motion.step()?;
    }
    let events = motion.take_events();
    assert_eq!(events.len(), 1, "{}", settings.method);
    let [angle, rate] = [motion.read("O.angle")?[0], motion.read("O.angle.rate")?[0]];
    Ok(Ending { angle, rate, time: motion.now().t, bounce: events[0].time })
}

/// The bounce is at the same fraction of a step for all step sizes, and errors are taken at instants of the motion: otherwise
/// they are no powers of the step. The reference is the explicit Runge–Kutta method of fourth order with steps of 0.1 ms.
#[test]
fn methods_keep_their_order_across_an_event() -> Outcome {
    use cardan::stage::Formulation::{Acceleration, Position};
    let start = assembled(STOP)?;
    let reference = |time: f64| -> Result<Ending, Box<dyn std::error::Error>> {
        let mut motion = start.simulate(&Settings::new("rk4", 1e-4))?;
        while motion.now().t + 1e-4 < time {
            motion.step()?;
        }
        motion.step_to(time)?;
        let bounce = motion.take_events()[0].time;
        let [angle, rate] = [motion.read("O.angle")?[0], motion.read("O.angle.rate")?[0]];
        Ok(Ending { angle, rate, time, bounce })
    };
    let bounce = reference(0.8)?.bounce;
    // with position constraints Runge–Kutta methods are of second order
    for (name, formulation, expected) in [
        ("lms3", Position, 2.0),
        ("ss4", Position, 2.0),
        ("generalized-alpha", Position, 2.0),
        ("hht-add", Position, 2.0),
        ("g4", Position, 3.0),
        ("g5", Position, 4.0),
        ("mssth5", Position, 2.0),
        ("mssth5", Acceleration, 5.0),
        ("esdirk436", Position, 2.0),
        ("esdirk436", Acceleration, 4.0),
        ("ab4", Position, 4.0),
    ] {
        // the fifth order reaches the round-off of the reference sooner
        let parts = if expected > 4.5 { [15.37, 30.37] } else { [40.37, 160.37] };
        let mut errors = Vec::new();
        for count in parts {
            let mut settings = Settings::new(name, bounce / count);
            if formulation == Acceleration {
                settings.constraints = formulation;
            }
            let found = ending(&start, &settings, 0.8)?;
            let exact = reference(found.time)?;
            errors.push([found.angle - exact.angle, found.rate - exact.rate]);
        }
        for k in 0..2 {
            let ratio = (errors[0][k] / errors[1][k]).abs();
            let order = ratio.ln() / (parts[1] / parts[0]).ln();
            // terms of the next order change it by their ratio, below a fifth of an order at these steps
            assert!(
                (order - expected).abs() < 0.35,
                "{name} {formulation:?}: {order:.2}, {errors:?}"
            );
        }
    }
    Ok(())
}

/// After an event nothing remains from before it: the motion is that of a new simulation.
#[test]
fn motion_after_an_event_is_that_of_a_new_simulation() -> Outcome {
    let start = assembled(STOP)?;
    for settings in [
        Settings::new("generalized-alpha", 1e-3),
        Settings::new("lms3", 1e-3),
        Settings::new("ss4", 1e-3),
        Settings::new("hht-add", 1e-3),
        Settings::new("g5", 1e-3),
        Settings::new("g4", 1e-3).parameter("derivatives", "zero"),
        Settings::new("ab4", 1e-3),
    ] {
        let mut motion = start.simulate(&settings)?;
        while motion.take_events().is_empty() {
            motion.step()?;
        }
        let now = motion.now().clone();
        let initial = cardan::InitialValues::from(&now);
        let mut new = Simulation::new(start.model.clone(), &settings, &initial)?;
        // a method with variable steps ends the step that the event has divided
        if motion.method().variable_step {
            motion.step()?;
            new.step_to(motion.now().t)?;
        }
        for _ in 0..50 {
            motion.step()?;
            new.step()?;
        }
        let difference = motion.now().q.iter().zip(&new.now().q).map(|(a, b)| (a - b).abs());
        let largest = difference.fold(0.0_f64, f64::max);
        assert!(largest < 1e-12, "{}: {largest:e}", settings.method);
    }
    Ok(())
}

/// A state that is saved between two events continues with the same bits.
#[test]
fn resumed_simulation_repeats_the_events() -> Outcome {
    for (text, end) in [(BALL, 1.5), (CLUTCH, 0.7)] {
        let start = assembled(text)?;
        for settings in [
            Settings::new("generalized-alpha", 1e-2),
            Settings::new("lms3", 1e-2),
            Settings::with_tolerance("esdirk436", 1e-6),
        ] {
            let mut whole = start.simulate(&settings)?;
            whole.run_until(end)?;
            let state = whole.state().clone();
            let mut resumed = Simulation::resume(start.model.clone(), &settings, state)?;
            whole.run_until(2.0)?;
            resumed.run_until(2.0)?;
            let [one, two] = [whole.state(), resumed.state()];
            assert_eq!(one.now, two.now, "{}", settings.method);
            assert_eq!(one.events, two.events, "{}", settings.method);
        }
    }
    Ok(())
}

/// Two crossings in one step, a touch, an event at the start and one at the end.
#[test]
fn crossings_within_a_step_are_found_and_touches_are_not() -> Outcome {
    let text = r#"
format = 2
[body.p]
type = "point-mass"
mass = 1
velocity = [1, 0, 0]
[event.both]
when = "(p.position.x - 0.43)*(p.position.x - 0.47)"
message = "crossed"
[event.touch]
when = "(p.position.x - 0.45)^2"
message = "touched"
[event.start]
at = [0, 1]
message = "time"
"#;
    let start = assembled(text)?;
    for settings in [Settings::new("generalized-alpha", 0.1), Settings::new("lms3", 0.1)] {
        let mut motion = start.simulate(&settings)?;
        motion.run_until(1.0)?;
        let found: Vec<(f64, String)> =
            motion.take_events().iter().map(|x| (x.time, x.messages.concat())).collect();
        let times: Vec<f64> = found.iter().map(|x| x.0).collect();
        assert_eq!(found.len(), 4, "{found:?}");
        for (time, expected) in times.iter().zip([0.0, 0.43, 0.47, 1.0]) {
            assert!((time - expected).abs() < 1e-9, "{found:?}");
        }
        // events that only write messages do not change the steps
        assert_eq!(motion.state().steps, 10, "{}", settings.method);
    }
    Ok(())
}

/// A controller that is sampled every 10 ms holds its value between the samples.
#[test]
fn sampled_controller_holds_its_value() -> Outcome {
    let text = r#"
format = 2
planar = true
[body.arm]
mass = 1
inertia = 0.1
[joint.O]
type = "revolute"
between = ["ground", "arm"]
at = [0, 0]
[input.u]
[force.M]
type = "motor"
joint = "O"
value = "u"
[event.sample]
every = 0.01
set = { u = "5*(1 - O.angle) - 1*O.angle.rate" }
"#;
    let start = assembled(text)?;
    // exact: θ̈ = u/I is constant between samples
    let (mut angle, mut rate) = (0.0, 0.0);
    for _ in 0..50 {
        let u = 5.0 * (1.0 - angle) - rate;
        (angle, rate) = (angle + 0.01 * rate + 0.5 * 1e-4 * u / 0.1, rate + 0.01 * u / 0.1);
    }
    for settings in [
        Settings::new("generalized-alpha", 1e-3),
        Settings::new("esdirk436", 4e-3),
        Settings::with_tolerance("esdirk436", 1e-7),
    ] {
        let mut motion = start.simulate(&settings)?;
        motion.run_until(0.5)?;
        let error = (motion.read("O.angle")?[0] - angle).abs();
        // the chart of generalized-alpha turns exactly about a fixed axis
        assert!(error < 1e-9, "{}: {error:e}", settings.method);
    }
    Ok(())
}

#[test]
fn closures_are_functions_and_actions() -> Outcome {
    let mut fall = Mechanism::new();
    fall.gravity([0.0, 0.0, -10.0]);
    fall.add(Body::point_mass("ball", 0.1).position([0.0, 0.0, 5.0]));
    fall.add(
        Event::when_function("half", |at| Ok(at.q[2] - 2.5))
            .call(|state| {
                let momentum: Vec<f64> = state.now().v.iter().map(|v| -0.1 * v).collect();
                state.apply_impulse(&momentum)
            })
            .stop(),
    );
    let start = fall.assemble()?;
    let mut motion = start.simulate(&Settings::new("generalized-alpha", 1e-2))?;
    motion.run_until(3.0)?;
    assert_eq!(motion.stopped_by(), Some("half"));
    assert!((motion.now().t - 0.5_f64.sqrt()).abs() < 1e-12, "{}", motion.now().t);
    assert!(motion.now().v[2].abs() < 1e-12);
    Ok(())
}

#[test]
fn parameters_and_forces_change_at_events() -> Outcome {
    let text = r#"
format = 2
[parameters]
k = 100
[body.p]
type = "point-mass"
mass = 1
position = [1, 0, 0]
[force.spring]
type = "load"
point = "p"
force = ["-k*p.position.x", 0, 0]
[force.push]
type = "load"
point = "p"
force = [0, 2, 0]
[event.soft]
at = 0.5
set = { k = 0 }
unlock = "push"
"#;
    let start = assembled(text)?;
    let mut motion = start.simulate(&Settings::new("esdirk436", 1e-3))?;
    motion.run_until(1.0)?;
    // x = cos 10 t until 0.5 s, then straight; y = t² until 0.5 s, then straight
    let (x, v) = (5.0_f64.cos(), -10.0 * 5.0_f64.sin());
    let position = motion.read("p.position")?;
    assert!((position[0] - (x + 0.5 * v)).abs() < 1e-8, "{position:?}");
    assert!((position[1] - 0.75).abs() < 1e-10, "{position:?}");
    Ok(())
}

/// The numbers that the comments of the models name.
#[test]
fn models_have_the_events_that_they_describe() -> Outcome {
    use cardan::run::{RunRequest, run_in_memory};
    let run = |name: &str, end: f64| -> Result<_, Box<dyn std::error::Error>> {
        let (_, text) =
            cardan_lab::examples::EXAMPLES.iter().find(|x| x.0 == name).ok_or("model")?;
        let mut file = ModelFile::parse(name, text, &[])?;
        file.plan.end = Some(cardan::file::Located::outside(end));
        let (schedule, start) = (file.schedule()?, file.assemble()?);
        let request = RunRequest::new(std::path::Path::new(""));
        Ok(run_in_memory(&file, &schedule, &start, &request, &mut |_| true)?.summary)
    };
    let ball = run("bouncing_ball", 2.5)?;
    let times: Vec<f64> = ball.events.iter().map(|event| event.time).collect();
    for (time, expected) in times.iter().zip([0.45152, 1.26427, 1.99573]) {
        assert!((time - expected).abs() < 1e-5, "{times:?}");
    }
    // m g h (1 − e²) at the first contact
    let lost = -ball.events[0].energy_change.ok_or("energy")?;
    assert!((lost - 0.5 * 9.81 * (1.0 - 0.81)).abs() < 1e-12, "{lost}");
    let latch = run("latch", 2.0)?;
    let names: Vec<&str> = latch.events.iter().map(|event| event.name.as_str()).collect();
    assert_eq!(names, ["latch", "brake", "release"]);
    let first = &latch.events[0];
    assert!((first.time - 0.1119).abs() < 5e-5, "{}", first.time);
    assert!((first.energy_change.ok_or("energy")? + 10.17).abs() < 0.01, "{first:?}");
    assert!(first.impulses.iter().any(|x| x.joint == "D"), "{first:?}");
    assert_eq!(latch.events[1].redundant.len(), 1, "{:?}", latch.events[1]);
    assert!(latch.energy_drift < 1e-2, "{}", latch.energy_drift);
    Ok(())
}

/// The last row of a run that an event stops is that instant, once, with the channels after the event; so is a row that an
/// event asks for. This holds with a stride, with given times and with a row for each step.
#[test]
fn rows_of_events_are_written_once() -> Outcome {
    use cardan::run::{RunRequest, run_in_memory};
    let events = "[event.half]\nat = 0.25\nimpulse = { body = \"ball\", force = [1, 0, 0] }\nrecord = true\n\
                  [event.end]\nwhen = \"ball.position.z - 0.2\"\nstop = true\n";
    for (output, steps) in [
        ("", "step = 1e-2"),
        ("[output]\nstride = 7\n", "step = 1e-2"),
        ("[output]\nevery = 0.05\n", "step = 1e-2"),
        ("[output]\nevery = 0.05\n", "tolerance = 1e-6"),
        ("", "tolerance = 1e-6"),
    ] {
        for method in ["generalized-alpha", "lms2"] {
            let simulation = format!("[simulation]\nmethod = \"{method}\"\n{steps}\nend = 2\n");
            let text = format!("{BALL}{events}{simulation}{output}");
            let file = ModelFile::parse("ball.toml", &text, &[])?;
            let (schedule, start) = (file.schedule()?, file.assemble()?);
            let request = RunRequest::new(std::path::Path::new(""));
            let run = run_in_memory(&file, &schedule, &start, &request, &mut |_| true)?;
            let times = &run.columns[0];
            let case = format!("{method}, {steps}, {output:?}: {times:?}");
            assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{case}");
            let fall = (2.0 * 0.8 / 9.81_f64).sqrt();
            assert!((times[times.len() - 1] - fall).abs() < 1e-6, "{case}");
            let k = times.iter().position(|t| (t - 0.25).abs() < 1e-12).ok_or(case.clone())?;
            let x = run.summary.columns.iter().position(|column| column.name == "ball.velocity.x");
            if let Some(x) = x {
                assert!((run.columns[x][k] - 2.0).abs() < 1e-9, "{case}");
            }
            assert_eq!(run.summary.stopped_by.as_deref(), Some("end"), "{case}");
        }
    }
    Ok(())
}

#[test]
fn wrong_events_are_refused_with_the_reason() {
    let cases = [
        ("when = \"ball.position.z\"\nat = 1", "more than one condition"),
        ("stop = true", "no condition"),
        ("at = 1\nlock = \"A.angle\"", "joint coordinate, drive or force"),
        ("at = 1\nset = { nothing = 1 }", "nothing"),
        ("at = 1\nenable = \"flor\"", "flor"),
        ("every = 0", "positive"),
        ("at = 1\nactions = [{ jump = 1 }]", "no action `jump`"),
        ("at = 1\nbounce = { channel = \"ball.position.z\" }", "`restitution` is missing"),
        ("at = 1\nset = { m = 2 }", "an event sets `m`"),
    ];
    for (lines, expected) in cases {
        let text = format!("{BALL}[event.wrong]\n{lines}\n[parameters]\nm = 0.5\n");
        let text = text.replace("mass = 0.5", "mass = \"m\"");
        let message = match ModelFile::parse("model.toml", &text, &[]) {
            Err(error) => error.to_string(),
            Ok(file) => file.assemble().map_or_else(|error| error.to_string(), |_| String::new()),
        };
        assert!(message.contains(expected), "{lines}: {message}");
    }
}
