//! What the parameters of the methods do, and what is refused.

use cardan::methods::{self, MethodChoice};
use cardan::stage::{KeepJacobian, NewtonOptions};
use cardan::system::System;
use cardan::{Formulation, InitialValues, Settings, Simulation};
use cardan_lab::exam::{self, problems};

fn choice(text: &str) -> MethodChoice {
    text.parse().unwrap()
}

fn run<'s>(
    system: &'s dyn System,
    initial: &InitialValues,
    method: &str,
    h: f64,
    end: f64,
) -> Simulation<'s> {
    let mut motion = Simulation::new(system, &Settings::of(&choice(method), h), initial).unwrap();
    motion.run_until(end).unwrap();
    motion
}

/// The orders of q, v, a and λ on a problem, from one halving.
fn orders(
    problem: &exam::ExamProblem,
    method: &str,
    constraints: Formulation,
    n: f64,
) -> exam::Grade {
    let choice = choice(method);
    let (info, _) = choice.build().unwrap();
    let settings = Settings::of(&choice, 1.0).constraints(constraints);
    let build = || choice.build().unwrap().1;
    exam::grade(problem, &settings, info, build, &[1.0 / n, 0.5 / n]).unwrap()
}

/// Without dissipation the multistep and single-step methods are the trapezoidal rule, to the last
/// digits, whatever their start.
#[test]
fn undamped_methods_are_the_trapezoidal_rule() {
    let problem = problems::DoublePendulum::problem();
    let system: &dyn System = problem.system.as_ref();
    let rule = run(system, &problem.initial, "trapezoidal", 0.01, 5.0);
    for method in ["lms2", "lms3", "lms4", "ss2", "ss3", "ss4"] {
        let starts = if method.starts_with("ss") {
            ["corrected", "printed"]
        } else {
            ["trapezoidal", "single-step"]
        };
        for start in starts {
            let text = format!("{method}:rho=1:startup={start}");
            let found = run(system, &problem.initial, &text, 0.01, 5.0);
            for (x, y) in found.now().q.iter().zip(&rule.now().q) {
                // Newton's tolerance, five hundred times, on a motion that doubles errors every second
                assert!((x - y).abs() < 1e-8, "{text}: {x} {y}");
            }
        }
    }
}

/// A body that spins steadily about an axis, at half a radian a step.
#[test]
fn the_exponential_chart_is_exact_in_steady_spin() {
    let body = problems::FreeBody { inertia: [1.0, 2.0, 3.0].into(), torque: [0.0; 3].into() };
    let initial = InitialValues::new(&[1.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 5.0]);
    let exact = [2.5_f64.cos(), 2.5_f64.sin()];
    for method in ["lms2", "lms3", "lms4", "ss2", "ss3", "ss4", "bathe", "msstc3", "esdirk436"] {
        let error = |chart: &str| {
            let text = format!("{method}:chart={chart}");
            let now = run(&body, &initial, &text, 0.1, 1.0).now().clone();
            (now.q[0] - exact[0]).hypot(now.q[3] - exact[1])
        };
        // ten steps of Newton's tolerance; the Cayley chart runs fast by some 0.04 (hΩ)²
        assert!(error("exponential") < 1e-9, "{method}: {}", error("exponential"));
        assert!(error("cayley") > 1e-6, "{method}: {}", error("cayley"));
    }
    // two radians a step: LMS4 looks back over a whole turn; the Cayley chart has no solution and says so
    let fast = InitialValues::new(&[1.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 20.0]);
    let now = run(&body, &fast, "lms4:chart=exponential", 0.1, 1.0).now().clone();
    assert!((now.q[0] - 10.0_f64.cos()).hypot(now.q[3] - 10.0_f64.sin()) < 1e-9, "{:?}", now.q);
    for method in ["lms4", "ss3", "lms2"] {
        let mut motion = Simulation::new(&body, &Settings::new(method, 0.1), &fast).unwrap();
        let message = motion.run_until(1.0).unwrap_err().to_string();
        assert!(message.contains("rotation per step"), "{method}: {message}");
    }
}

#[test]
fn charts_keep_the_orders_and_the_previous_stage_loses_the_fifth() {
    let free = problems::FreeBody::problem();
    let cases = [
        ("lms3:chart=exponential", 2.0, 80.0),
        ("ss4:chart=exponential", 2.0, 80.0),
        ("msstc4:chart=exponential", 2.0, 80.0),
        ("esdirk325:chart=exponential", 3.0, 40.0),
        ("mssth4:chart=exponential", 4.0, 20.0),
        ("mssth5:chart=exponential", 5.0, 10.0),
        ("mssth3:chart=previous-stage", 3.0, 40.0),
        ("esdirk436:chart=previous-stage", 4.0, 20.0),
        ("mssth5:chart=previous-stage", 4.0, 20.0),
    ];
    for (method, order, n) in cases {
        let found = orders(&free, method, Formulation::Position, n).orders;
        // one halving at rather large steps
        assert!(
            (found.q - order).abs() < 0.25 && (found.v - order).abs() < 0.25,
            "{method} {found:?}"
        );
    }
    let top = problems::HeavyTop::problem();
    for method in ["lms3:chart=exponential", "ss3:chart=exponential"] {
        let found = orders(&top, method, Formulation::Position, 320.0).orders;
        assert!(
            [found.q, found.v, found.a, found.multipliers].iter().all(|x| (x - 2.0).abs() < 0.1)
        );
    }
}

/// The printed starts leave an error of the multipliers that does not shrink with the step; the others
/// leave one that does.
#[test]
fn printed_starts_leave_an_error_in_the_multipliers() {
    let top = problems::HeavyTop::problem();
    let system: &dyn System = top.system.as_ref();
    let exact = |t: f64| {
        let settings = Settings::new("esdirk436", 1e-3).constraints(Formulation::Acceleration);
        let mut fine = Simulation::new(system, &settings, &top.initial).unwrap();
        fine.run_until(t).unwrap();
        fine.now().multipliers.clone()
    };
    let error = |method: &str, h: f64| {
        // some steps after the start, when the start is not forgotten yet
        let found = run(system, &top.initial, method, h, 4.0 * h);
        let exact = exact(4.0 * h);
        let errors = found.now().multipliers.iter().zip(&exact).map(|(x, y)| (x - y).abs());
        errors.fold(0.0_f64, f64::max)
    };
    for (printed, better) in [
        ("lms3:startup=single-step", "lms3"),
        ("ss3:startup=printed", "ss3"),
        ("ss2:startup=printed", "ss2"),
    ] {
        let [coarse, fine] = [0.004, 0.001].map(|h| error(printed, h));
        assert!(fine > 0.5 * coarse && fine > 1.0, "{printed}: {coarse} {fine}");
        let [coarse, fine] = [0.004, 0.001].map(|h| error(better, h));
        assert!(fine < 0.35 * coarse, "{better}: {coarse} {fine}");
    }
}

/// Where Newton begins does not change where it ends. Each stage has its own matrix, so that the work shows the prediction
/// alone.
#[test]
fn predictors_change_the_work_and_not_the_motion() {
    let top = problems::HeavyTop::problem();
    let system: &dyn System = top.system.as_ref();
    for (method, predictors) in [
        ("lms3", &["second-order", "constant", "fourth-order"][..]),
        ("ss3", &["constant", "linear"]),
        ("esdirk436", &["hermite", "constant", "second-order", "fourth-order"]),
        ("mssth4", &["hermite", "constant", "second-order", "fourth-order"]),
    ] {
        let motions: Vec<_> = predictors
            .iter()
            .map(|predictor| {
                let method = choice(&format!("{method}:predictor={predictor}"));
                let keep_jacobian = KeepJacobian::WithinStage;
                let newton = NewtonOptions { keep_jacobian, ..NewtonOptions::default() };
                let settings = Settings::of(&method, 0.002).newton(newton);
                let mut motion = Simulation::new(system, &settings, &top.initial).unwrap();
                motion.run_until(0.2).unwrap();
                motion
            })
            .collect();
        for (motion, predictor) in motions.iter().zip(predictors) {
            for (x, y) in motion.now().q.iter().zip(&motions[0].now().q) {
                assert!((x - y).abs() < 1e-7, "{method} {predictor}: {x} {y}");
            }
        }
        let work: Vec<u64> = motions.iter().map(|motion| motion.effort().iterations).collect();
        let constant = predictors.iter().position(|p| *p == "constant").unwrap();
        assert!(work.iter().all(|x| *x <= work[constant]), "{method}: {work:?}");
        assert!(work.iter().any(|x| *x < work[constant]), "{method}: {work:?}");
    }
}

/// Every stage's iterations are told, and add up.
#[test]
fn iterations_are_told_by_stage() {
    let problem = problems::DoublePendulum::problem();
    let system: &dyn System = problem.system.as_ref();
    for info in methods::all() {
        let mut motion =
            Simulation::new(system, &Settings::new(info.name, 0.01), &problem.initial).unwrap();
        // what starts a method may have more stages
        (0..5).for_each(|_| motion.step().unwrap());
        for _ in 0..5 {
            let before = motion.effort().iterations;
            motion.step().unwrap();
            let stages = motion.stage_iterations();
            assert_eq!(stages.len(), info.stages(), "{}", info.name);
            let sum: u64 = stages.iter().map(|x| u64::from(*x)).sum();
            assert_eq!(sum, motion.effort().iterations - before, "{}", info.name);
        }
    }
}

/// Steps of a different size each, from half to 1.6 times the mean, keep the order; a method of one size
/// refuses.
#[test]
fn steps_may_change_where_the_method_has_a_form_for_it() {
    let problem = problems::DoublePendulum::problem();
    let system: &dyn System = problem.system.as_ref();
    let exact = run(system, &problem.initial, "esdirk436", 1e-3, 1.0).now().q.clone();
    // eight sizes with a mean of one
    let ratios: [f64; 8] = [1.0, 0.5, 1.4, 0.9, 0.6, 1.6, 1.2, 0.8];
    let error = |method: &str, rounds: usize| {
        let settings = Settings::of(&choice(method), 0.01);
        let mut motion = Simulation::new(system, &settings, &problem.initial).unwrap();
        for k in 0..8 * rounds {
            motion.set_step_size(ratios[k % 8] / (8 * rounds) as f64).unwrap();
            motion.step().unwrap();
        }
        assert!((motion.now().t - 1.0).abs() < 1e-12, "{}", motion.now().t);
        let differences = motion.now().q.iter().zip(&exact).map(|(x, y)| (x - y).abs());
        differences.fold(0.0_f64, f64::max)
    };
    for (method, order) in
        [("lms2", 2.0), ("lms2:rho=0", 2.0), ("bathe", 2.0), ("trapezoidal", 2.0)]
    {
        let found = (error(method, 50) / error(method, 100)).log2();
        assert!((found - order).abs() < 0.1, "{method}: {found}");
    }
    let settings = Settings::new("lms3", 0.01);
    let mut fixed = Simulation::new(system, &settings, &problem.initial).unwrap();
    let message = fixed.set_step_size(0.02).unwrap_err().to_string();
    assert!(
        message.contains("`lms3` takes steps of one size") && message.contains("lms2"),
        "{message}"
    );
    let mut free = run(system, &problem.initial, "bathe", 0.01, 0.1);
    assert!(free.set_step_size(f64::NAN).is_err() && free.set_step_size(0.0).is_err());
    // a state saved after a change goes on with the same bits
    free.set_step_size(0.003).unwrap();
    free.step().unwrap();
    let mut again = Simulation::resume(system, free.settings(), free.state().clone()).unwrap();
    free.step().unwrap();
    again.step().unwrap();
    assert_eq!(free.now(), again.now());
}

/// Where steps change, `lms2` under position constraints is of first order in the multipliers, of second in everything
/// else and under stabilized constraints; docs/methods.md says so.
#[test]
fn multipliers_of_lms2_are_of_first_order_where_steps_change() {
    let problem = problems::spatial_pendulum();
    let system: &dyn System = problem.system.as_ref();
    let fine = Settings::of(&choice("esdirk436"), 1e-3).constraints(Formulation::Acceleration);
    let mut exact = Simulation::new(system, &fine, &problem.initial).unwrap();
    exact.run_until(1.0).unwrap();
    let exact = exact.now().clone();
    let ratios: [f64; 8] = [1.0, 0.5, 1.4, 0.9, 0.6, 1.6, 1.2, 0.8];
    let errors = |constraints: Formulation, rounds: usize| {
        let settings = Settings::of(&choice("lms2"), 0.01).constraints(constraints);
        let mut motion = Simulation::new(system, &settings, &problem.initial).unwrap();
        for k in 0..8 * rounds {
            motion.set_step_size(ratios[k % 8] / (8 * rounds) as f64).unwrap();
            motion.step().unwrap();
        }
        let distance = |a: &[f64], b: &[f64]| {
            a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0_f64, f64::max)
        };
        let now = motion.now();
        [
            distance(&now.q, &exact.q),
            distance(&now.v, &exact.v),
            distance(&now.multipliers, &exact.multipliers),
        ]
    };
    for (constraints, expected) in
        [(Formulation::Position, [2.0, 2.0, 1.0]), (Formulation::Stabilized, [2.0, 2.0, 2.0])]
    {
        let (coarse, fine) = (errors(constraints, 400), errors(constraints, 800));
        for k in 0..3 {
            let found = (coarse[k] / fine[k]).log2();
            assert!((found - expected[k]).abs() < 0.1, "{constraints} {k}: {found}");
        }
    }
}

/// The embedded estimate is of its order: h^(p̂+1) over a step.
#[test]
fn error_estimates_are_of_the_embedded_order() {
    let problem = problems::DoublePendulum::problem();
    let system: &dyn System = problem.system.as_ref();
    for name in ["esdirk324", "esdirk325", "esdirk436"] {
        let estimate = |h: f64| {
            let motion = run(system, &problem.initial, name, h, h);
            let estimate = motion.error_estimate().unwrap();
            estimate.iter().fold(0.0_f64, |most, x| most.max(x.abs()))
        };
        let order = (estimate(0.01) / estimate(0.005)).log2();
        let method = methods::find(name).unwrap().build(&[]).unwrap();
        let expected = f64::from(method.embedded_order().unwrap()) + 1.0;
        assert!((order - expected).abs() < 0.2, "{name}: {order}");
    }
    let other = run(system, &problem.initial, "lms3", 0.01, 0.02);
    assert!(other.error_estimate().is_none());
}

#[test]
fn wrong_parameters_are_told() {
    for (text, wanted) in [
        (
            "lms3:chart=previous-stage",
            "`chart` of `lms3` is not \"previous-stage\" but one of \"cayley\", \"exponential\"",
        ),
        ("lms3:chart=1", "`chart` of `lms3` is not \"1\""),
        ("msstc:stages=2.5", "not a whole number"),
        ("msstc:stages=1", "outside [2, 64]"),
        ("bathe:splitting=much", "`splitting` of `bathe` is a number, not \"much\""),
        ("bathe:rho=nan", "outside [0, 1]"),
        ("esdirk436:rho=0", "`esdirk436` does not take `rho`; it takes chart, predictor"),
        ("esdirk436:chart=cayley:chart=cayley", "`chart` is given twice"),
        ("lsm3", "there is no method `lsm3`; did you mean `lms3`?"),
    ] {
        let message = choice(text).build().err().unwrap().to_string();
        assert!(message.contains(wanted), "{text}: {message}");
    }
    assert!("lms3:chart".parse::<MethodChoice>().is_err());
    assert!("lms3:=2".parse::<MethodChoice>().is_err());
    assert_eq!(choice("lms3:rho=0.5:chart=cayley").to_string(), "lms3:rho=0.5:chart=cayley");
}
