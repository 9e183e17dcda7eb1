//! First-order states, controllers, inputs, and memories.

use cardan::Settings;
use cardan::model::{Block, Body, Force, Function, Joint, Mechanism, Pid};

/// A bar on a pin, with a motor.
fn arm(torque: &str) -> Mechanism {
    let mut arm = Mechanism::new();
    arm.gravity([0.0, -9.81, 0.0]);
    arm.add(Body::planar("bar").mass(2.0).inertia(0.1).position([0.5, 0.0]));
    arm.add(Joint::revolute("arm", "ground", "bar").at([0.0, 0.0]));
    arm.add(Force::motor("motor", "arm", Function::formula(torque)));
    arm
}

/// The controller brings the arm to its target: the integral carries the weight, m g ℓ cos φ.
#[test]
fn pid_holds_an_arm() {
    let mut arm = arm("control");
    let pid = Pid::new("control", "0.5 - arm.angle", [60.0, 80.0, 15.0]).filter(0.01);
    arm.add(pid.limits(-40.0, 40.0));
    let mut motion =
        arm.assemble().unwrap().simulate(&Settings::new("generalized-alpha", 1e-3)).unwrap();
    motion.run_until(12.0).unwrap();
    let read = |name: &str| motion.read(name).unwrap()[0];
    assert!((read("arm.angle") - 0.5).abs() < 1e-6, "{}", read("arm.angle"));
    let weight = 2.0 * 9.81 * 0.5 * 0.5_f64.cos();
    assert!((read("control.integral") - weight).abs() < 1e-4, "{}", read("control.integral"));
    assert_eq!(read("control"), read("control.unlimited"));
}

/// PI control of an error that is an input, e = 1 until 2 s, then −1: the integral rises with ki, follows the limited output with
/// the time constant Tt from 0.75 s on, I = ū − kp + ki Tt − …, falls with ki after the change, and follows the lower limit.
#[test]
fn anti_windup_has_its_closed_form() {
    let text = "format = 2\nplanar = true\n\
        body.bar = { mass = 2, inertia = 0.1, position = [0.5, 0] }\n\
        input.demand = { value = 1 }\n\
        [state.control]\ntype = \"pid\"\nerror = \"demand\"\n\
        kp = 2\nki = 4\nlower = -1\nupper = 5\ntracking = 0.5\n";
    let file = cardan::file::ModelFile::parse("pid.toml", text, &[]).unwrap();
    let mut motion = file.assemble().unwrap().simulate(&Settings::new("esdirk436", 1e-3)).unwrap();
    let (kp, ki, tracking) = (2.0, 4.0, 0.5);
    let follows = |limit: f64, e: f64, from: f64, t: f64| {
        let end = limit - kp * e + ki * e * tracking;
        end + (from - end) * (-t / tracking).exp()
    };
    let at_change = follows(5.0, 1.0, 3.0, 2.0 - 0.75);
    // where kp e + I meets the lower limit
    let met = 2.0 + (at_change - 1.0) / ki;
    assert!(met > 2.5 && met < 3.0);
    for (t, integral) in [
        (0.5, ki * 0.5),
        (1.0, follows(5.0, 1.0, 3.0, 0.25)),
        (2.0, at_change),
        (2.5, at_change - ki * 0.5),
        (3.5, follows(-1.0, -1.0, 1.0, 3.5 - met)),
    ] {
        motion.run_until(t).unwrap();
        let found = motion.read("control.integral").unwrap()[0];
        // the first stage of the step after the change has the rate from before it, which is larger by 4.3, with a small weight;
        // the step that meets the lower limit has an error of h² ki/Tt
        let tolerance = if t > 2.0 { 1e-2 * 1e-3 * 4.3 } else { 1e-6 };
        assert!((found - integral).abs() < tolerance, "t = {t}: {found}, not {integral}");
        let e = if t <= 2.0 { 1.0 } else { -1.0 };
        let output: f64 = kp * e + integral;
        let found = motion.read("control").unwrap()[0];
        assert!((found - output.clamp(-1.0, 5.0)).abs() < tolerance, "t = {t}: {found}");
        if t == 2.0 {
            motion.set_input("demand", -1.0).unwrap();
        }
    }
}

/// T ẏ = u − y with u = 1: y = 1 − e^(−t/T), by a formula of the rate, an implicit equation, and two blocks.
#[test]
fn first_order_lag_has_its_closed_form() {
    use cardan::model::StateVariable;
    let mut arm = arm("0*arm.angle");
    arm.state("a", 0.0, "(1 - a)/0.2");
    arm.add(StateVariable::implicit("b", 0.0, "0.2*b.rate + b - 1"));
    arm.add(Block::low_pass("c", "1", 0.2, 0.0));
    arm.add(Block::transfer_function("d", "1", &[1.0], &[0.2, 1.0]));
    let matrices: [&[Vec<f64>]; 4] = [&[vec![-5.0]], &[vec![5.0]], &[vec![1.0]], &[vec![0.0]]];
    arm.add(Block::state_space("e", ["1"], matrices));
    let mut motion = arm.assemble().unwrap().simulate(&Settings::new("esdirk436", 1e-2)).unwrap();
    motion.run_until(0.5).unwrap();
    let exact = 1.0 - (-2.5_f64).exp();
    for name in ["a", "b", "c", "d", "e"] {
        let value = motion.read(name).unwrap()[0];
        // fourth order, (h/T)⁴ = 6e-6 with a small constant
        assert!((value - exact).abs() < 1e-7, "{name}: {value} {exact}");
    }
}

/// The Padé approximation of order n of a delay has the error (ωT)^(2n+1) in the phase.
#[test]
fn delay_follows_a_slow_sine() {
    let mut arm = arm("0*arm.angle");
    arm.add(Block::delay("late", "sin(2*t)", 0.1, 3));
    let mut motion = arm.assemble().unwrap().simulate(&Settings::new("esdirk436", 1e-3)).unwrap();
    motion.run_until(3.0).unwrap();
    let value = motion.read("late").unwrap()[0];
    assert!((value - (2.0 * 2.9_f64).sin()).abs() < 1e-8, "{value}");
}

#[test]
fn limiters_limit() {
    let mut arm = arm("0*arm.angle");
    arm.add(Block::saturation("s", "3*t - 1", -0.5, 0.5));
    arm.add(Block::dead_band("d", "3*t - 1", 0.5));
    arm.add(Block::rate_limit("r", "1", [2.0, 2.0], 1e-3, 0.0));
    arm.add(Block::hysteresis("h", "sin(10*t)", [-0.9, 0.9], [2.0, 5.0], false));
    let mut motion =
        arm.assemble().unwrap().simulate(&Settings::new("lms2", 1e-3).rho(0.5)).unwrap();
    let read = |motion: &cardan::Simulation<'_>, name: &str| motion.read(name).unwrap()[0];
    motion.run_until(0.1).unwrap();
    assert_eq!(read(&motion, "s"), -0.5);
    assert!((read(&motion, "d") - (0.3 - 1.0 + 0.5)).abs() < 1e-12);
    assert!((read(&motion, "r") - 0.2).abs() < 1e-6, "{}", read(&motion, "r"));
    // sin 1 = 0.84
    assert_eq!(read(&motion, "h"), 2.0);
    motion.run_until(0.3).unwrap();
    assert_eq!(read(&motion, "h"), 5.0);
    motion.run_until(0.5).unwrap();
    assert_eq!(read(&motion, "h"), 2.0);
}

/// The value of an input counts from the next step on, and is part of the state.
#[test]
fn input_acts_from_the_next_step_on() {
    let mut arm = arm("push");
    arm.input("push", 0.0);
    let start = arm.assemble().unwrap();
    let settings = Settings::new("generalized-alpha", 1e-3);
    let mut motion = start.simulate(&settings).unwrap();
    motion.run_until(0.1).unwrap();
    let before = motion.read("arm.angle.acceleration").unwrap()[0];
    motion.set_input("push", 50.0).unwrap();
    assert_eq!(motion.read("push").unwrap()[0], 50.0);
    let state = motion.state().clone();
    motion.run_until(0.2).unwrap();
    let after = motion.read("arm.angle.acceleration").unwrap()[0];
    // I = 0.1 + 2·0.25
    assert!(after - before > 0.5 * 50.0 / 0.6, "{before} {after}");
    let mut again = cardan::Simulation::resume(&start.model, &settings, state).unwrap();
    again.run_until(0.2).unwrap();
    assert_eq!(again.now(), motion.now());
    assert!(motion.set_input("pull", 1.0).is_err());
}

/// The acceleration of the last instant as a force: a virtual mass.
#[test]
fn previous_is_the_value_of_the_last_accepted_instant() {
    let mut arm = arm("-0.06*previous(arm.angle.acceleration)");
    let mut motion =
        arm.assemble().unwrap().simulate(&Settings::new("generalized-alpha", 1e-4)).unwrap();
    motion.run_until(0.2).unwrap();
    let with = motion.read("arm.angle").unwrap()[0];
    arm = self::arm("0*arm.angle");
    arm.add(Body::planar("ring").mass(1e-9).inertia(0.06).position([0.0, 0.0]));
    arm.add(Joint::fixed("weld", "bar", "ring").at([0.0, 0.0]));
    let mut motion =
        arm.assemble().unwrap().simulate(&Settings::new("generalized-alpha", 1e-4)).unwrap();
    motion.run_until(0.2).unwrap();
    let real = motion.read("arm.angle").unwrap()[0];
    // first order in the step
    assert!((with - real).abs() < 1e-4 * real.abs(), "{with} {real}");
}

/// A chain of lags by `repeat`: each follows the one before it, 1 − e^(−t) Σ tᵏ/k! in closed form.
#[test]
fn repeated_states_use_their_neighbours() {
    let text = "format = 2\nplanar = true\n\
        body.bar = { mass = 2, inertia = 0.1, position = [0.5, 0] }\n\
        [state.x0]\nrate = \"1 - x0\"\n\
        [state.\"x{i+1}\"]\nrepeat = 3\nrate = \"x{i} - x{i+1}\"\n";
    let file = cardan::file::ModelFile::parse("lags.toml", text, &[]).unwrap();
    let mut motion = file.assemble().unwrap().simulate(&Settings::new("esdirk436", 1e-2)).unwrap();
    motion.run_until(2.0).unwrap();
    let exact = 1.0 - (-2.0_f64).exp() * (1.0 + 2.0 + 2.0 + 8.0 / 6.0);
    let value = motion.read("x3").unwrap()[0];
    assert!((value - exact).abs() < 1e-9, "{value} {exact}");
}

/// At rest `previous(x)` is x: m g ℓ cos φ = −k φ with k = 30, also if the spring acts in parts through the last instant. A
/// part of it that is too stiff does not settle, and is reported.
#[test]
fn equilibrium_agrees_with_previous_values() {
    use cardan::statics::StaticOptions;
    let at_rest = |torque: &str| {
        let start = arm(torque).assemble().unwrap();
        let found = start.equilibrium(&StaticOptions::default()).unwrap();
        let angle = start.model.read("arm.angle", found.last().unwrap()).unwrap()[0];
        (angle, found.warnings)
    };
    let (plain, none) = at_rest("-30*arm.angle");
    assert!((9.81 * plain.cos() + 30.0 * plain).abs() < 1e-9 && none.is_empty());
    let (repeated, none) = at_rest("-20*arm.angle - 10*previous(arm.angle)");
    assert!((repeated - plain).abs() < 1e-8, "{repeated}, not {plain}");
    assert_eq!(none, [] as [String; 0]);
    let (_, warnings) = at_rest("-5*arm.angle - 25*previous(arm.angle)");
    assert!(warnings.iter().any(|x| x.contains("does not settle")), "{warnings:?}");
}

/// A relay that the equilibrium itself switches: the result has the torque that the relay has there.
#[test]
fn equilibrium_agrees_with_a_hysteresis() {
    use cardan::statics::StaticOptions;
    let mut arm = arm("h - 2*arm.angle");
    arm.add(Block::hysteresis("h", "arm.angle", [-0.2, -0.1], [0.0, 5.0], true));
    let start = arm.assemble().unwrap();
    let found = start.equilibrium(&StaticOptions::default()).unwrap();
    let read = |name: &str| start.model.read(name, found.last().unwrap()).unwrap()[0];
    let angle = read("arm.angle");
    assert!((9.81 * angle.cos() - read("h") + 2.0 * angle).abs() < 1e-8, "{angle} {}", read("h"));
    assert_eq!(read("h"), 0.0);
}
