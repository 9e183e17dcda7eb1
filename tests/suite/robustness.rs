//! States that survive storage, failures that name their cause, and input that cannot hurt.

use cardan::SimulationError;
use cardan::State;
use cardan::linalg::SparseMatrix;
use cardan::methods::SettingsError;
use cardan::methods::{self, Permission};
use cardan::simulation::StartError;
use cardan::stage::StageError;
use cardan::stage::{KeepJacobian, NewtonOptions};
use cardan::system::{Failure, Space, StateView, System};
use cardan::{Formulation, InitialValues, Settings, Simulation};
use cardan_lab::exam::problems;
use proptest::prelude::*;

use crate::common::{Filtered, Pendulum, Skate};

/// Runs, stores, reads back and goes on after several steps; everything must agree to the bit with a
/// run that was never interrupted, also if consistent values were asked for on the way.
fn continue_and_compare(name: &str, system: &dyn System, initial: &InitialValues) {
    for info in methods::all() {
        for constraints in Formulation::ALL {
            let settings = Settings::new(info.name, 0.01).constraints(constraints);
            let Ok(mut unbroken) = Simulation::new(system, &settings, initial) else {
                let refused = info.permission(constraints) != Permission::Allowed
                    || info.refuses.iter().any(|(feature, _)| feature.is_in(system));
                assert!(refused, "{name} {} {constraints}", info.name);
                continue;
            };
            let mut straight = Simulation::new(system, &settings, initial).unwrap();
            let mut ends = Vec::new();
            for steps in [0, 1, 7] {
                while unbroken.state().steps < steps {
                    unbroken.step().unwrap();
                }
                let stored = serde_json::to_string(unbroken.state()).unwrap();
                let state: State = serde_json::from_str(&stored).unwrap();
                assert_eq!(&state, unbroken.state());
                let mut continued = Simulation::resume(system, &settings, state).unwrap();
                for step in steps..20 {
                    continued.step().unwrap();
                    if step % 2 == 0 {
                        continued.consistent_instant().unwrap();
                    }
                }
                ends.push(continued.state().clone());
            }
            (0..20).for_each(|_| straight.step().unwrap());
            for end in ends {
                assert_eq!(straight.state(), &end, "{name} {} {constraints}", info.name);
            }
        }
    }
}

/// Rotations and constraints, a mass that depends on q, first-order states, nonholonomic rows, and a
/// constant matrix: every method, every formulation.
#[test]
fn a_continued_run_repeats_the_bits() {
    for problem in [problems::spatial_pendulum(), problems::OffsetTop::problem()] {
        continue_and_compare(problem.name, problem.system.as_ref(), &problem.initial);
    }
    continue_and_compare("filter", &Filtered, &InitialValues::new(&[1.0], &[0.0]).states(&[0.0]));
    continue_and_compare("skate", &Skate, &InitialValues::new(&[0.0, 0.0, 0.2], &[0.0, 0.0, 3.0]));
    let oscillator = cardan::stability::Oscillator { frequency: 3.0, damping: 0.1 };
    continue_and_compare("pivots", &Turning, &InitialValues::new(&[0.001, 0.0], &[1.0, 0.0]));
    continue_and_compare("oscillator", &oscillator, &InitialValues::new(&[1.0], &[0.0]));
}

/// A matrix whose best pivots at the start, off the diagonal, are not those it would choose later:
/// only a state that remembers them repeats the bits.
struct Turning;

impl System for Turning {
    fn space(&self) -> Space {
        Space::vector(2)
    }
    fn mass(&self, at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        let q = at.q;
        mass.add(0, 0, q[0] * q[0]);
        mass.add(0, 1, 0.5);
        mass.add(1, 0, 0.5);
        mass.add(1, 1, 1.0);
        Ok(())
    }
    fn force(&self, _at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        (force[0], force[1]) = (1.0, 0.3);
        Ok(())
    }
}

/// A failed step leaves no trace: tried again it fails the same way, and resuming gives the same
/// bits as going on.
#[test]
fn a_failed_step_leaves_no_trace() {
    let initial = InitialValues::new(&[1.0, 0.0], &[0.0, 0.0]);
    // breaking down on the way, and in the first step
    for h in [0.1, 0.9] {
        for info in methods::all() {
            let settings = Settings::new(info.name, h);
            let mut run = Simulation::new(&Broken, &settings, &initial).unwrap();
            let first = run.run_until(2.0).unwrap_err();
            let state = run.state().clone();
            let again = run.step().unwrap_err();
            assert_eq!(first.to_string(), again.to_string(), "{}", info.name);
            assert_eq!(run.state(), &state, "{}", info.name);
        }
    }
}

#[test]
fn a_foreign_state_is_refused() {
    let initial = InitialValues::new(&[1.0], &[0.0]);
    let settings = Settings::new("bdf2", 0.1);
    let state = Simulation::new(&Pendulum, &settings, &initial).unwrap().state().clone();
    let refused =
        |settings: &Settings, state: State| match Simulation::resume(&Pendulum, settings, state) {
            Err(SimulationError::Start { cause: StartError::Foreign { reason }, .. }) => reason,
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("accepted"),
        };
    assert!(refused(&Settings::new("hht", 0.1), state.clone()).contains("`bdf2`"));
    assert!(refused(&Settings::new("bdf2", 0.2), state.clone()).contains("0.1"));
    let mut short = state.clone();
    short.now.v.clear();
    assert!(refused(&settings, short).contains("lengths"));
    let mut bold = state.clone();
    bold.history.filled = 7;
    assert!(refused(&settings, bold).contains("lengths"));
    let mut late = state.clone();
    late.now.t = 77.0;
    assert!(refused(&settings, late).contains("time"));
    let mut endless = state.clone();
    endless.steps = u64::MAX;
    assert!(refused(&settings, endless).contains("time"));
    let mut broken = state.clone();
    broken.now.v[0] = f64::NAN;
    assert!(refused(&settings, broken).contains("finite"));
    let stabilized = settings.clone().constraints(Formulation::Stabilized);
    assert!(refused(&stabilized, state).contains("position"));
    let damped = Settings::new("wbz", 0.1).rho(0.9);
    let state = Simulation::new(&Pendulum, &damped, &initial).unwrap().state().clone();
    assert!(refused(&Settings::new("wbz", 0.1).rho(0.1), state).contains("parameters"));
}

#[test]
fn settings_are_checked_by_name() {
    let initial = InitialValues::new(&[1.0], &[0.0]);
    let error = |settings: Settings| match Simulation::new(&Pendulum, &settings, &initial) {
        Err(SimulationError::Settings(error)) => error,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("accepted"),
    };
    let text = error(Settings::new("generalised-alpha", 0.1)).to_string();
    assert!(text.contains("did you mean `generalized-alpha`?"), "{text}");
    let text = error(Settings::new("rungekuttafehlberg", 0.1)).to_string();
    assert!(text.contains("cardan methods"), "{text}");
    let text = error(Settings::new("bdf2", 0.1).rho(0.5)).to_string();
    assert_eq!(text, "`bdf2` does not take `rho`; it takes no parameters");
    let text = error(Settings::new("hht", 0.1).parameter("gamma", 0.5)).to_string();
    assert_eq!(text, "`hht` does not take `gamma`; it takes alpha, rho");
    let text = error(Settings::new("hht", 0.1).rho(0.2)).to_string();
    assert_eq!(text, "`rho` = 0.2 is outside [0.5, 1] for `hht`");
    let text = error(Settings::new("hht", 0.1).rho(0.6).parameter("alpha", -0.1)).to_string();
    assert_eq!(text, "`hht` takes `alpha` or `rho`, not both");
    let text = error(Settings::new("wbz", 0.1).rho(0.6).rho(0.7)).to_string();
    assert_eq!(text, "`rho` is given twice");
    assert!(matches!(error(Settings::new("wbz", 0.1).rho(f64::NAN)), SettingsError::Parameter(_)));
    let late = InitialValues::new(&[1.0], &[0.0]).at(1e17);
    let stuck = Simulation::new(&Pendulum, &Settings::new("hht", 0.01), &late);
    assert!(stuck.is_err_and(|e| e.to_string().contains("above the round-off of t")));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(error(Settings::new("hht", bad)), SettingsError::StepSize { .. }));
    }
    // without constraints the formulation means nothing, with them bdf2 has a reason
    let settings = Settings::new("bdf2", 0.1).constraints(Formulation::Acceleration);
    assert!(Simulation::new(&Pendulum, &settings, &initial).is_ok());
    let skate = InitialValues::new(&[0.0; 3], &[0.0; 3]);
    let text = Simulation::new(&Skate, &settings, &skate).err().unwrap().to_string();
    assert!(
        text.contains("constraints = \"acceleration\"") && text.contains("multistep"),
        "{text}"
    );
    let newton = NewtonOptions { iterations: 0, ..NewtonOptions::default() };
    assert!(matches!(
        error(Settings::new("hht", 0.1).newton(newton)),
        SettingsError::Newton { .. }
    ));
}

#[test]
fn initial_values_are_checked() {
    let cause = |initial: InitialValues| match Simulation::new(
        &Pendulum,
        &Settings::new("hht", 0.1),
        &initial,
    ) {
        Err(SimulationError::Start { cause, .. }) => cause,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("accepted"),
    };
    let length = cause(InitialValues::new(&[1.0, 2.0], &[0.0]));
    assert!(matches!(length, StartError::Length { found: 2, expected: 1, .. }));
    assert!(matches!(cause(InitialValues::new(&[f64::NAN], &[0.0])), StartError::NotFinite { .. }));
    assert!(matches!(
        cause(InitialValues::new(&[1.0], &[0.0]).at(f64::INFINITY)),
        StartError::NotFinite { .. }
    ));
    let body = problems::FreeBody::problem();
    let zero = InitialValues::new(&[0.0; 4], &[0.0; 3]);
    let error =
        Simulation::new(body.system.as_ref() as &dyn System, &Settings::new("hht", 0.1), &zero);
    assert!(matches!(
        error.err(),
        Some(SimulationError::Start { cause: StartError::NotFinite { what: "q" }, .. })
    ));
}

/// A start that violates the constraints is moved onto them, and the report says what moved.
#[test]
fn an_inexact_start_is_assembled_and_reported() {
    let problem = problems::PlanarDoublePendulum::problem();
    let system: &dyn System = problem.system.as_ref();
    let mut initial = problem.initial.clone();
    initial.q[3] += 0.01;
    initial.v[4] -= 0.1;
    let mut run = Simulation::new(system, &Settings::new("hht", 0.01), &initial).unwrap();
    let report = run.start_report();
    assert!(report.position_change.as_ref().is_some_and(|(size, _)| *size > 1e-3 && *size < 0.02));
    assert!(report.velocity_change.as_ref().is_some_and(|(size, _)| *size > 1e-2 && *size < 0.2));
    assert!(run.residuals().position < 1e-15 && run.residuals().velocity < 1e-14);
    let exact = Simulation::new(system, &Settings::new("hht", 0.01), &problem.initial).unwrap();
    assert_eq!(exact.start_report(), &Default::default(), "an assembled start is left alone");
}

/// A pendulum whose weight becomes not a number after half a second.
struct Broken;

impl System for Broken {
    fn space(&self) -> Space {
        Space::vector(2)
    }
    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        mass.add(0, 0, 1.0);
        mass.add(1, 1, 1.0);
        Ok(())
    }
    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        force[1] = if at.t > 0.5 { f64::NAN } else { -9.81 };
        Ok(())
    }
    fn holonomic_count(&self) -> usize {
        1
    }
    fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
        let q = at.q;
        phi[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
        Ok(())
    }
    fn jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
        let q = at.q;
        jacobian.add(0, 0, q[0]);
        jacobian.add(0, 1, q[1]);
        Ok(())
    }
    fn coordinate_name(&self, i: usize) -> String {
        format!("bob ({})", ["x", "y"][i])
    }
    fn constraint_name(&self, _i: usize) -> String {
        "rod".into()
    }
}

#[test]
fn a_failed_step_names_time_and_equation_and_keeps_the_state() {
    let initial = InitialValues::new(&[1.0, 0.0], &[0.0, 0.0]);
    let mut run =
        Simulation::new(&Broken, &Settings::new("generalized-alpha", 0.1), &initial).unwrap();
    let error = run.run_until(1.0).unwrap_err();
    let SimulationError::Step { step: 6, time, cause: StageError::NotFinite { what }, .. } = &error
    else {
        panic!("{error}");
    };
    assert!((time - 0.5).abs() < 1e-12 && what.contains("bob (y)"), "{error}");
    assert!(error.to_string().contains("try:"));
    assert_eq!(run.now().t, 0.5);
    assert!(run.now().q.iter().all(|x| x.is_finite()));

    // too few iterations: the worst rows by name
    let newton = NewtonOptions {
        iterations: 1,
        tolerance: 1e-14,
        keep_jacobian: KeepJacobian::Never,
        retry_from_current_velocity: false,
        ..NewtonOptions::default()
    };
    let mut run =
        Simulation::new(&Broken, &Settings::new("hht", 0.1).newton(newton), &initial).unwrap();
    let error = run.run_until(0.4).unwrap_err().to_string();
    assert!(error.contains("rod") && error.contains("bob"), "{error}");
}

/// A constraint that repeats another is named, and set inactive.
#[test]
fn a_repeated_constraint_is_named() {
    struct Twice;
    impl System for Twice {
        fn space(&self) -> Space {
            Space::vector(2)
        }
        fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
            mass.add(0, 0, 1.0);
            mass.add(1, 1, 1.0);
            Ok(())
        }
        fn force(&self, _at: &StateView<'_>, _force: &mut [f64]) -> Result<(), Failure> {
            Ok(())
        }
        fn holonomic_count(&self) -> usize {
            2
        }
        fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
            let q = at.q;
            (phi[0], phi[1]) = (q[0], 2.0 * q[0]);
            Ok(())
        }
        fn jacobian(
            &self,
            _at: &StateView<'_>,
            jacobian: &mut SparseMatrix,
        ) -> Result<(), Failure> {
            jacobian.add(0, 0, 1.0);
            jacobian.add(1, 0, 2.0);
            Ok(())
        }
        fn constraint_name(&self, i: usize) -> String {
            ["wall", "second wall"][i].into()
        }
    }
    let initial = InitialValues::new(&[0.0, 0.0], &[0.0, 1.0]);
    let mut motion = Simulation::new(&Twice, &Settings::new("hht", 0.1), &initial).unwrap();
    assert_eq!(motion.start_report().redundant, ["second wall"]);
    motion.run_until(1.0).unwrap();
    assert!((motion.now().q[1] - 1.0).abs() < 1e-12 && motion.now().q[0] == 0.0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..Default::default() })]

    /// Whatever numbers the public API is given, it answers with a value or an error.
    #[test]
    fn no_input_panics(
        name in prop_oneof![Just("trapezoidal"), Just("newmark"), Just("hht"), Just("wbz"), Just("generalized-alpha"), Just("bdf2"), Just("")],
        parameter in prop_oneof![Just("rho"), Just("alpha"), Just("gamma"), Just("beta"), Just("λ")],
        value in any::<f64>(), h in any::<f64>(), tolerance in any::<f64>(), iterations in 0_usize..6,
        t in any::<f64>(), numbers in prop::collection::vec(any::<f64>(), 14),
        formulation in prop::sample::select(&Formulation::ALL[..]), which in 0..4,
        sane in any::<bool>(),
    ) {
        let tame = |x: f64| if sane && x.is_finite() { x % 3.0 } else { x };
        let newton = NewtonOptions { tolerance: tame(tolerance).abs(), iterations, ..NewtonOptions::default() };
        let mut settings = Settings::new(name, tame(h).abs()).constraints(formulation).newton(newton);
        if !sane {
            settings = settings.parameter(parameter, value);
        }
        let problem = problems::HeavyTop::problem();
        let (system, nq, nv): (&dyn System, usize, usize) = match which {
            0 => (&Pendulum, 1, 1),
            1 => (&Skate, 3, 3),
            _ => (problem.system.as_ref(), 7, 6),
        };
        let numbers: Vec<f64> = numbers.into_iter().map(tame).collect();
        let initial = InitialValues::new(&numbers[..nq], &numbers[nq..nq + nv]).at(tame(t));
        if let Ok(mut run) = Simulation::new(system, &settings, &initial) {
            let now = run.now();
            prop_assert!([&now.a, &now.multipliers].iter().all(|x| x.iter().all(|x| x.is_finite())));
            for _ in 0..3 {
                if let Err(error) = run.step() {
                    prop_assert!(!error.to_string().is_empty());
                    break;
                }
                let now = run.now();
                let all = [&now.q, &now.v, &now.a, &now.multipliers, &now.stabilization_multipliers];
                prop_assert!(all.iter().all(|x| x.iter().all(|x| x.is_finite())));
            }
            // a state with one number spoiled is refused, or steps to a value or an error
            let mut state = run.state().clone();
            state.now.q[0] = value;
            std::sync::Arc::make_mut(&mut state.pivots[0]).rows.reverse();
            if let Ok(mut resumed) = Simulation::resume(system, &settings, state) {
                let _ = resumed.step();
            }
            let _ = (run.consistent_instant().is_ok(), run.residuals(), run.energy());
        }
    }
}
