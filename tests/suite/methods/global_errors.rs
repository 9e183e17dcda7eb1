//! Global errors by the papers' measure against the fixtures, on the problems of Zhang, Zhang and
//! Masarati (2021).

use std::sync::atomic::AtomicBool;

use crate::exam::called;
use cardan::methods::{MethodChoice, find};
use cardan::system::System;
use cardan::{Formulation, InitialValues, Settings};
use cardan_lab::exam::problems::SpringPendulum;
use cardan_lab::study::{Signals, StudyCase, StudyProblem, TimeHistory};

/// A row of the fixture.
struct Row {
    case: StudyCase,
    errors: Vec<f64>,
    text: String,
}

fn rows(problem: &str) -> Vec<Row> {
    let text = include_str!("../../data/sdof.csv");
    let rows = text.lines().filter(|line| line.split(',').next() == Some(problem));
    rows.filter_map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let info = find(&called(fields[1]))?;
        let start = match (fields[3], info.family) {
            ("eq4", _) => ":startup=single-step",
            (_, "single-step") => ":startup=printed",
            _ => "",
        };
        let rho = if info.takes("rho") { format!(":rho={}", fields[2]) } else { String::new() };
        let choice: MethodChoice = format!("{}{rho}{start}", info.name).parse().unwrap();
        Some(Row {
            case: StudyCase {
                choice,
                constraints: Formulation::Position,
                step: fields[5].parse().unwrap(),
            },
            errors: fields[7..10].iter().map(|field| field.parse().unwrap()).collect(),
            text: line.into(),
        })
    })
    .collect()
}

#[track_caller]
fn agrees(row: &Row, subject: &StudyProblem<'_>, reference: &TimeHistory, relative: f64) {
    let run = row.case.run(subject, Some(reference), 0, &AtomicBool::new(false)).unwrap();
    let outcome = run.result;
    let errors: Vec<f64> = outcome.signals.iter().map(|measures| measures.error).collect();
    assert_eq!(outcome.failure, None, "{}", row.text);
    for (found, expected) in errors.iter().zip(&row.errors) {
        let difference = (found - expected).abs();
        let bound = (relative * expected).max(1e-12);
        assert!(difference <= bound, "{}: {:?}", row.text, errors);
    }
}

fn subject<'a>(system: &'a dyn System, initial: &'a InitialValues, end: f64) -> StudyProblem<'a> {
    StudyProblem {
        newton: cardan::stage::NewtonOptions { tolerance: 1e-13, ..Default::default() },
        ..StudyProblem::new(system, initial, end)
    }
}

/// q, q̇ and q̈ of equation (77).
fn forced(t: f64) -> Vec<f64> {
    let (xi, omega) = (0.1_f64, 2.0_f64);
    let (r, w) = ([10.0, 15.0], [3.0_f64, 1.0_f64]);
    // particular solutions as A sin wt + B cos wt
    let part = |k: usize| {
        let (stiff, damp) = (omega * omega - w[k] * w[k], 2.0 * xi * omega * w[k]);
        let size = r[k] / (stiff * stiff + damp * damp);
        if k == 0 { (size * stiff, -size * damp) } else { (size * damp, size * stiff) }
    };
    let derivative = |k: usize, order: i32| {
        let (a, b) = part(k);
        let phase = w[k] * t + f64::from(order) * std::f64::consts::FRAC_PI_2;
        w[k].powi(order) * (a * phase.sin() + b * phase.cos())
    };
    let at_start = |order: i32| -> f64 {
        (0..2)
            .map(|k| {
                let (a, b) = part(k);
                if order == 0 { b } else { w[k] * a }
            })
            .sum()
    };
    let damped = omega * (1.0 - xi * xi).sqrt();
    let (decay, c) = (xi * omega, 1.0 - at_start(0));
    let s = (3.0 - at_start(1) + decay * c) / damped;
    let (sin, cos) = (damped * t).sin_cos();
    let envelope = (-decay * t).exp();
    let free = envelope * (c * cos + s * sin);
    let rate = envelope * ((s * damped - decay * c) * cos - (c * damped + decay * s) * sin);
    let bend = -omega * omega * free - 2.0 * decay * rate;
    let sum = |order: i32| derivative(0, order) + derivative(1, order);
    vec![free + sum(0), rate + sum(1), bend + sum(2)]
}

/// The model file of equation (77) against its closed form.
#[test]
fn forced_oscillator_has_the_errors_of_the_fixture() {
    let file = crate::files::model("sdof", &[]);
    let start = file.assemble().unwrap();
    let names = ["position", "velocity", "acceleration"].map(|name| format!("mass.{name}.x"));
    let signals = Signals::channels(&start.model, &names).unwrap();
    let subject = StudyProblem { signals, ..subject(&start.model, &start.initial, 10.0) };
    let rows = rows("sdof_eq77");
    assert!(rows.len() >= 200, "{}", rows.len());
    for row in rows {
        let steps = (10.0 / row.case.step + 1e-9) as usize;
        let times = (1..=steps).map(|k| k as f64 * row.case.step);
        let reference = TimeHistory::new(times.map(|t| (t, forced(t))));
        // round-off of errors of 1e-10 in signals of size one, and Newton's tolerance
        agrees(&row, &subject, &reference, 1e-6);
    }
}

/// A truss with Green strain as a model file, a spring pendulum in polar coordinates by hand: nonlinear,
/// against a run of order four whose error is below 1e-12.
#[test]
fn truss_and_spring_pendulum_have_the_errors_of_the_fixture() {
    let file = crate::files::model("truss_pendulum", &[]);
    let start = file.assemble().unwrap();
    let truss = subject(&start.model, &start.initial, 5.0);
    let problem = SpringPendulum::problem(98.1);
    let spring = subject(problem.system.as_ref(), &problem.initial, 5.0);
    for (name, subject) in
        [("truss_EA1e4_lumped", truss), ("spring_pendulum_k98.1_theta0_pi4", spring)]
    {
        let rows = rows(name);
        assert!(rows.len() >= 50, "{}", rows.len());
        let steps: Vec<f64> = rows.iter().map(|row| row.case.step).collect();
        let fine = Settings::new("esdirk436", 0.0025 / 32.0);
        let reference =
            TimeHistory::compute(&subject, &fine, &steps, &AtomicBool::new(false)).unwrap();
        for row in rows {
            agrees(&row, &subject, &reference, 1e-6);
        }
    }
}

/// q₁ and its first two derivatives in equation (81) without the oscillation of the stiff mode, which
/// every method is to forget.
fn stiff_soft(t: f64) -> Vec<f64> {
    let (k1, k2, w) = (1e7_f64, 1.0_f64, 1.2_f64);
    let stiffness = nalgebra::Matrix2::new(k1 + k2, -k2, -k2, k2);
    let modes = stiffness.symmetric_eigen();
    let mut found = vec![0.0; 3];
    for k in 0..2 {
        let (square, shape) = (modes.eigenvalues[k], modes.eigenvectors[(0, k)]);
        let own = square.sqrt();
        let size = shape * shape * k1 / (square - w * w);
        // the soft mode starts at rest
        let free = if own < 10.0 { -w / own } else { 0.0 };
        for (order, found) in found.iter_mut().enumerate() {
            let quarter = order as f64 * std::f64::consts::FRAC_PI_2;
            let power = order as i32;
            *found += size * w.powi(power) * (w * t + quarter).sin();
            *found += size * free * own.powi(power) * (own * t + quarter).sin();
        }
    }
    found
}

/// Stiff and soft springs at steps far beyond the period of the stiff one: in the second half of the
/// motion nothing is left of it.
#[test]
fn stiff_and_soft_springs_have_the_errors_of_the_fixture() {
    let file = crate::files::model("stiff_soft", &[]);
    let start = file.assemble().unwrap();
    let names = ["position", "velocity", "acceleration"].map(|name| format!("first.{name}.x"));
    let rows = rows("mass_spring_eq81_m1(second half)");
    assert!(rows.len() >= 18, "{}", rows.len());
    for row in rows {
        let steps = (60.0 / row.case.step) as usize;
        let end = (steps as f64 + 0.5) * row.case.step;
        let signals = Signals::channels(&start.model, &names).unwrap();
        let from = ((steps / 2) as f64 - 0.5) * row.case.step;
        let subject = StudyProblem { signals, from, ..subject(&start.model, &start.initial, end) };
        let times = (1..=steps).map(|k| k as f64 * row.case.step);
        let reference = TimeHistory::new(times.map(|t| (t, stiff_soft(t))));
        // errors of 1e-8 beside springs of 1000 m, whose round-off is 1e-13
        agrees(&row, &subject, &reference, 1e-4);
    }
}

/// A run that fails has no errors: up to the failure they are those of another motion.
#[test]
fn a_failed_run_has_no_errors() {
    let file = crate::files::model("sdof", &[]);
    let start = file.assemble().unwrap();
    let never = AtomicBool::new(false);
    let names = ["mass.position.x".to_string()];
    let signals = || Signals::channels(&start.model, &names).unwrap();
    let whole = StudyProblem { signals: signals(), ..subject(&start.model, &start.initial, 10.0) };
    let times = (1..=100).map(|k| 0.1 * f64::from(k));
    let reference = TimeHistory::new(times.map(|t| (t, vec![forced(t)[0]])));
    let case = StudyCase {
        choice: "lms3".parse().unwrap(),
        constraints: Formulation::Position,
        step: 0.1,
    };
    let run = case.run(&whole, Some(&reference), 0, &never).unwrap();
    assert!(run.result.signals[0].largest_error.is_finite() && run.result.compared_until == 10.0);
    // no iteration is enough
    let newton = cardan::stage::NewtonOptions {
        tolerance: 1e-300,
        iterations: 1,
        retry_from_current_velocity: false,
        ..whole.newton
    };
    let hard =
        StudyProblem { signals: signals(), newton, ..subject(&start.model, &start.initial, 10.0) };
    let failed = case.run(&hard, Some(&reference), 10, &never).unwrap();
    // a run that fails in its first step has no rows
    assert_eq!(failed.history.column(0).count(), failed.history.times().len());
    let outcome = failed.result;
    assert!(outcome.failure.is_some(), "{outcome:?}");
    let measures = outcome.signals[0];
    for error in [measures.error, measures.largest_error, measures.last_error] {
        assert!(error.is_nan(), "{measures:?}");
    }
}
