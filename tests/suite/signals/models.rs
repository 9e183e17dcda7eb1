//! The models of controllers and actuators against independent programs and closed forms.

use cardan::file::ModelFile;
use cardan::modes::{Modes, ModesOptions, RotatingObserver, StateSpace};
use cardan::stage::Formulation;
use cardan::{Settings, Simulation};

fn model(name: &str, set: &[(&str, &str)]) -> ModelFile {
    let (_, text) = cardan_lab::examples::EXAMPLES.iter().find(|x| x.0 == name).unwrap();
    let set: Vec<_> = set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    ModelFile::parse(&format!("{name}.toml"), text, &set).unwrap()
}

/// Channels of a model at a time.
fn values(file: &ModelFile, settings: &Settings, end: f64, channels: &[&str]) -> Vec<f64> {
    let start = file.assemble().unwrap();
    let mut motion = Simulation::new(&start.model, settings, &start.initial).unwrap();
    motion.run_until(end).unwrap();
    channels.iter().map(|name| motion.read(name).unwrap()[0]).collect()
}

#[track_caller]
fn assert_near(found: &[f64], wanted: &[f64], tolerance: f64) {
    for (x, y) in found.iter().zip(wanted) {
        assert!((x - y).abs() <= tolerance * (1.0 + y.abs()), "{x} instead of {y}");
    }
}

/// References: scipy 1.17.1, solve_ivp with DOP853 at rtol 1e-13 and steps of at most 1e-3 on hand-written equations in
/// minimal coordinates, restarted at the corners of road and flow. The output of the PID controller leaves its limits at
/// instants that fixed steps do not meet: there the error is first order in the step, with the torque's change of slope.
#[test]
fn controlled_machines_agree_with_independent_programs() {
    let fine = Settings::new("esdirk436", 1e-4);
    let servo = ["arm.angle", "arm.angle.rate", "control.integral", "control.filtered"];
    let servo = values(&model("servo_arm", &[]), &fine, 1.0, &servo);
    let wanted = [0.9853238074120364, 0.295332749679261, 4.730306036470393, 0.06492178729981508];
    assert_near(&servo, &wanted, 1e-6);
    let car = ["car.position.y", "wheel.position.y", "car.velocity.y", "wheel.velocity.y"];
    let car = values(&model("quarter_car", &[]), &fine, 1.5, &car);
    let wanted = [
        1.0 + 0.07311078393982061,
        0.4 + 0.05164585034364411,
        -0.07925718579823973,
        -0.014245282413605443,
    ];
    assert_near(&car, &wanted, 1e-9);
    let boom = ["boom.angle", "boom.angular_velocity.z", "lift.p1", "lift.p2"];
    let boom = values(&model("hydraulic_cylinder", &[]), &fine, 0.5, &boom);
    let wanted = [0.03916335341214038, 0.09890646640445025, 1452133.1839663452, 920682.8946711087];
    assert_near(&boom, &wanted, 1e-8);
}

/// The closed form of the two linear equations of a motor under constant voltage.
#[test]
fn direct_current_motor_has_its_closed_form() {
    let settings = Settings::new("esdirk436", 2e-4);
    let found =
        values(&model("dc_motor", &[]), &settings, 0.5, &["motor.current", "shaft.angle.rate"]);
    assert_near(&found, &[13.804423333437697, 34.26494738867062], 1e-9);
}

/// Both discs end at the speed of equal angular momentum, and the clutch dissipates ½ J₁J₂/(J₁ + J₂) Δω².
#[test]
fn clutch_dissipates_the_energy_of_the_slip() {
    let settings = Settings::new("esdirk436", 1e-3);
    let channels = ["one.angular_velocity.z", "two.angular_velocity.z", "energy.kinetic"];
    let found = values(&model("clutch", &[]), &settings, 3.0, &channels);
    // the remaining slip decays with N/(v₀ J) = 4/(0.05·0.075) per second: nothing is left
    assert_near(&found, &[7.5, 7.5, 0.5 * 0.1 * 900.0 - 33.75], 1e-9);
}

/// A ball in a straight fall with drag: v = √(mg/c) tanh(t √(gc/m)).
#[test]
fn drag_and_cable_act_as_described() {
    let file = model("falling_drag", &[]);
    let text = file.source.text.replace("\"2*smoothstep(t, 0, 1)\"", "0");
    let still = ModelFile::parse("still.toml", &text, &[]).unwrap();
    let settings = Settings::new("esdirk436", 1e-3);
    let speed = values(&still, &settings, 0.8, &["ball.velocity.z"])[0];
    let (m, g, c) = (0.5_f64, 9.81_f64, 0.05_f64);
    assert_near(&[speed], &[-(m * g / c).sqrt() * (0.8 * (g * c / m).sqrt()).tanh()], 1e-9);
    let start = file.assemble().unwrap();
    let mut motion = start.simulate(&Settings::new("generalized-alpha", 1e-3)).unwrap();
    let mut largest = 0.0_f64;
    while motion.now().t < 3.0 {
        motion.step().unwrap();
        let [length, force] = ["cable.length", "cable.force"].map(|x| motion.read(x).unwrap()[0]);
        assert!(force >= 0.0 && (length > 8.0 || force == 0.0), "{length} {force}");
        largest = largest.max(force);
    }
    assert!(largest > 0.5 * 9.81, "{largest}");
}

/// The poles of the closed loop: numpy.linalg.eigvals of the same linear-quadratic regulator.
#[test]
fn modes_of_the_controlled_pendulum_are_its_poles() {
    let start = model("inverted_pendulum", &[("start", "0")]).assemble().unwrap();
    let motion = start.simulate(&Settings::new("generalized-alpha", 1e-3)).unwrap();
    let modes = Modes::new(&start.model, motion.now(), &ModesOptions::default()).unwrap();
    let poles: Vec<f64> = modes.modes.iter().map(|mode| mode.eigenvalue.re).collect();
    let wanted = [-6.94541164, -3.33470437, -1.37664762];
    for pole in wanted {
        assert!(poles.iter().any(|x| (x - pole).abs() < 1e-7), "{pole}: {poles:?}");
    }
}

/// Second order for methods of second order, fourth for esdirk436 under `acceleration`, in positions, velocities, states,
/// accelerations and reactions of a controlled arm.
#[test]
fn methods_keep_their_order_with_a_controller() {
    let text = "format = 2\nplanar = true\ngravity = [0, -9.81]\n\
        body.bar = { mass = 2, shape = { rod = 1 }, position = [0.5, 0] }\n\
        joint.arm = { type = \"revolute\", between = [\"ground\", \"bar\"], at = [0, 0] }\n\
        force.motor = { type = \"motor\", joint = \"arm\", value = \"30*filter + integral - 4*arm.angle.rate\" }\n\
        signal.error = \"0.5*sin(2*t) - arm.angle\"\n\
        state.filter = { type = \"low-pass\", input = \"error\", time_constant = 0.05 }\n\
        state.integral = { rate = \"20*error\" }\n";
    let file = ModelFile::parse("arm.toml", text, &[]).unwrap();
    let groups: [(&str, &[&str]); 5] = [
        ("q", &["arm.angle", "bar.position.x"]),
        ("v", &["arm.angle.rate", "bar.velocity.y"]),
        ("z", &["filter", "integral"]),
        ("a", &["arm.angle.acceleration", "bar.acceleration.x"]),
        ("λ", &["arm.reaction.force.x", "arm.reaction.force.y"]),
    ];
    let channels: Vec<&str> = groups.iter().flat_map(|x| x.1).copied().collect();
    // positions constrained at the stages would reduce the order of the Runge–Kutta method to two
    let settings = |method: &str, step: f64| match method {
        "esdirk436" => Settings::new(method, step).constraints(Formulation::Acceleration),
        _ => Settings::new(method, step),
    };
    let at = |settings: &Settings| values(&file, settings, 0.8, &channels);
    let exact = at(&settings("esdirk436", 1e-3));
    for (method, step, order) in
        [("lms3", 4e-3, 2.0), ("generalized-alpha", 4e-3, 2.0), ("esdirk436", 2e-2, 4.0)]
    {
        let errors = [step, 0.5 * step].map(|step| {
            let found = at(&settings(method, step));
            let errors = found.iter().zip(&exact).map(|(x, y)| (x - y).abs());
            errors.collect::<Vec<f64>>().chunks(2).map(|x| x[0].max(x[1])).collect::<Vec<f64>>()
        });
        for (k, (group, _)) in groups.iter().enumerate() {
            let measured = (errors[0][k] / errors[1][k]).log2();
            println!("{method} {group}: {measured:.3}");
            assert!((measured - order).abs() < 0.25, "{method} {group}: {measured}");
        }
    }
}

/// The stops hold the boom when the leakage has made the pressures equal: A₁p − A₂p + stop carries the load. Without stops
/// the equilibrium is outside the cylinder, and the limits of validity report it.
#[test]
fn equilibrium_of_a_cylinder_is_within_its_stroke_or_reported() {
    use cardan::statics::StaticOptions;
    let file = model("hydraulic_cylinder", &[]);
    let start = file.assemble().unwrap();
    let found = start.equilibrium(&StaticOptions::default()).unwrap();
    assert_eq!(found.warnings, [] as [String; 0]);
    let read = |name: &str| start.model.read(name, found.last().unwrap()).unwrap()[0];
    let [p1, p2] = ["lift.p1", "lift.p2"].map(read);
    assert!(p1 > 0.0 && (p1 / p2 - 1.0).abs() < 1e-9, "{p1} {p2}");
    // the moment of the weight over that of the cylinder; it deforms its stop by some 0.1 mm
    let overrun = 0.55 - read("lift.length");
    assert!(overrun > 0.0 && overrun < 1e-3, "{overrun}");
    let force = 1e-3 * p1 + 2e7 * overrun;
    let angle = read("boom.angle");
    let (lug, foot) = ([0.5 * angle.cos(), 0.5 * angle.sin()], [0.5, -0.6]);
    let along = [lug[0] - foot[0], lug[1] - foot[1]].map(|x| x / read("lift.length"));
    let moment = force * (lug[0] * along[1] - lug[1] * along[0]);
    assert_near(&[moment], &[100.0 * 9.81 * angle.cos()], 1e-9);
    let text = file.source.text.replace("stop_stiffness = 2e7", "");
    let start = ModelFile::parse("no_stops.toml", &text, &[]).unwrap().assemble().unwrap();
    let found = start.equilibrium(&StaticOptions::default()).unwrap();
    let all = found.warnings.join("\n");
    assert!(all.contains("force `lift`: travel beyond the end of the stroke"), "{all}");
    assert!(all.contains("suction") && all.contains("try: "), "{all}");
}

/// A piston that runs over its end is reported by a run too, and one within its stroke is not.
#[test]
fn runs_report_pistons_beyond_their_stroke() {
    let file = model("hydraulic_cylinder", &[]);
    let warnings = |text: &str| {
        let start = ModelFile::parse("lift.toml", text, &[]).unwrap().assemble().unwrap();
        let mut motion = start.simulate(&Settings::new("generalized-alpha", 1e-3)).unwrap();
        motion.run_until(0.5).unwrap();
        motion.warnings().iter().map(|x| x.to_string()).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(warnings(&file.source.text), "");
    let short = file
        .source
        .text
        .replace("stop_stiffness = 2e7", "")
        .replace("stroke = 0.4", "stroke = 0.06\nstop_stiffness = 0");
    let all = warnings(&short);
    assert!(all.contains("travel beyond the end of the stroke") && all.contains("since"), "{all}");
    let gas = file.source.text.replace("bulk_modulus = 1.2e9", "exponent = 1.4");
    let gas = gas.replace("pressure_1 = 9.81e5", "pressure_1 = 9.81e5\npressure_2 = -10");
    assert!(warnings(&gas).contains("absolute"), "{}", warnings(&gas));
}

/// L di/dt = u − R i − k ω, J dω/dt = k i: the column of the input, and the direct path to an output.
#[test]
fn inputs_are_inputs_of_the_linear_system() {
    let text = "format = 2\nplanar = true\n\
        body.disc = { mass = 1, inertia = 0.2, position = [0, 0] }\n\
        joint.shaft = { type = \"revolute\", between = [\"ground\", \"disc\"], at = [0, 0] }\n\
        input.voltage = { value = 3 }\ninput.push = {}\n\
        signal.drop = \"voltage^2 - 0.5*current\"\n\
        state.slow = { rate = \"2*voltage - 3*slow\" }\n\
        state.current = { residual = \"0.01*current.rate - voltage + 0.5*current + 0.8*shaft.angle.rate\" }\n\
        force.motor = { type = \"motor\", joint = \"shaft\", value = \"0.8*current + 2*push\" }\n";
    let start = ModelFile::parse("motor.toml", text, &[]).unwrap().assemble().unwrap();
    let motion = start.simulate(&Settings::new("generalized-alpha", 1e-3)).unwrap();
    let names = |list: &[&str]| list.iter().map(|x| x.to_string()).collect::<Vec<_>>();
    let (inputs, outputs) = (names(&["voltage", "push"]), names(&["drop", "shaft.angle.rate"]));
    let observer = RotatingObserver::default();
    let system = StateSpace::new(&start.model, motion.now(), &observer, &inputs, &outputs).unwrap();
    let row = |name: &str| system.states.iter().position(|x| x.contains(name)).unwrap();
    let (current, rate) = (row("current"), row("rate of body `disc` (rotation)"));
    assert_near(&[system.b[(current, 0)], system.b[(rate, 0)]], &[100.0, 0.0], 1e-12);
    let slow = row("slow");
    assert_near(&[system.b[(slow, 0)], system.b[(slow, 1)]], &[2.0, 0.0], 1e-12);
    assert_near(&[system.b[(current, 1)], system.b[(rate, 1)]], &[0.0, 10.0], 1e-12);
    assert_near(&[system.a[(current, current)], system.a[(current, rate)]], &[-50.0, -80.0], 1e-9);
    assert_near(&[system.a[(rate, current)]], &[4.0], 1e-9);
    // ∂(u² − R i)/∂u at u = 3; differences of the outputs have an error of 1e-10
    assert_near(&[system.d[(0, 0)], system.d[(1, 0)]], &[6.0, 0.0], 1e-8);
}
