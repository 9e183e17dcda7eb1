//! Stage matrices that are kept from step to step: they are kept where that pays, and do not change the results.

use cardan::file::ModelFile;
use cardan::model::{AssembledMechanism, Mechanism};
use cardan::stage::KeepJacobian;
use cardan::{Settings, Simulation};
use cardan_lab::gallery::{self, Dimension};

use crate::common::with_converged_newton;

/// q and v after some steps, with and without kept matrices, and the matrices per step with them.
fn both(start: &AssembledMechanism, settings: &Settings, steps: usize) -> ([Vec<f64>; 2], f64) {
    let mut matrices = 0.0;
    let ends = [settings.clone(), with_converged_newton(settings)].map(|settings| {
        let mut run = start.simulate(&settings).unwrap();
        (0..steps).for_each(|_| run.step().unwrap());
        if settings.newton.keep_jacobian == KeepJacobian::AcrossSteps {
            matrices = run.effort().linear.factorizations as f64 / steps as f64;
        }
        run.now().q.iter().chain(&run.now().v).copied().collect()
    });
    (ends, matrices)
}

fn largest_difference([one, two]: &[Vec<f64>; 2]) -> f64 {
    let size = two.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    one.iter().zip(two).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs())) / size
}

fn model(text: &str, set: &[(&str, &str)]) -> AssembledMechanism {
    let set: Vec<_> = set.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
    ModelFile::parse("model.toml", text, &set).unwrap().assemble().unwrap()
}

/// Rigid mechanisms at their usual steps form a matrix in one of four steps at most, and most steps need one correction.
/// Newton may leave a ten-thousandth of h² ä in a step. The error constants of these methods are between 1/12 and 1/3: that
/// is at most 12e-4 of their error, and 16e-4 of the difference of results with h and h/2, which is three quarters of the
/// error. A position error of rounding ε causes a velocity error ε/h per step: 3000 steps of 1e-5 s leave 1e-16 · 1e5 · √3000 ≈ 5e-10, ten times that with the
/// sensitivity of the squeezer.
#[test]
fn rigid_mechanisms_keep_matrices_and_results() {
    let generalized_alpha = |h: f64| Settings::new("generalized-alpha", h).rho(0.8);
    let lms2 = |h: f64| Settings::new("lms2", h).rho(0.8);
    let lms3 = |h: f64| Settings::new("lms3", h).rho(0.6);
    let bdf2 = |h: f64| Settings::new("bdf2", h);
    let methods: [fn(f64) -> Settings; 4] = [generalized_alpha, lms2, lms3, bdf2];
    let rows: [(&str, Mechanism, f64, usize, f64); 4] = [
        ("andrews", gallery::andrews(Dimension::Plane), 1e-5, 3000, 5e-9),
        ("andrews in space", gallery::andrews(Dimension::Space), 1e-5, 500, 5e-9),
        ("chain", gallery::chain(20, Dimension::Space), 1e-3, 300, 1e-9),
        ("bricard", gallery::bricard(), 1e-3, 500, 1e-9),
    ];
    for (name, mechanism, h, steps, round_off) in rows {
        let start = mechanism.assemble().unwrap();
        for settings in methods {
            let name = format!("{name} {}", settings(h).method);
            let ([end, exact], matrices) = both(&start, &settings(h), steps);
            assert!(matrices < 0.25, "{name}: {matrices} matrices per step");
            let ([_, finer], _) = both(&start, &settings(0.5 * h), 2 * steps);
            let error = largest_difference(&[exact.clone(), finer]);
            let difference = largest_difference(&[end, exact]);
            assert!(difference < 1.6e-3 * error + round_off, "{name}: {difference:e} {error:e}");
        }
    }
}

/// One correction suffices in most steps, because the prediction contains the alternating part of accelerations.
#[test]
fn most_steps_take_one_correction() {
    let rows: [(&str, Mechanism, f64, f64); 4] = [
        ("andrews", gallery::andrews(Dimension::Plane), 1e-5, 0.8),
        ("four-bars", gallery::four_bars(2, Dimension::Plane), 1e-3, 0.95),
        ("chain", gallery::chain(20, Dimension::Space), 1e-3, 0.8),
        ("heavy top", gallery::heavy_top(), 1e-3, 0.9),
    ];
    for (name, mechanism, h, rho) in rows {
        let start = mechanism.assemble().unwrap();
        let generalized_alpha = Settings::new("generalized-alpha", h).rho(rho);
        for settings in
            [generalized_alpha, Settings::new("lms2", h).rho(0.8), Settings::new("bdf2", h)]
        {
            let mut run = start.simulate(&settings).unwrap();
            (0..1000).for_each(|_| run.step().unwrap());
            let corrections = run.effort().iterations as f64 / 1000.0;
            let method = &settings.method;
            assert!(corrections < 1.5, "{name} {method}: {corrections} corrections per step");
        }
    }
}

/// Four-bars pass the configuration in which all rods are in line, where the matrix is singular.
#[test]
fn singular_configurations_are_passed() {
    let start = gallery::four_bars(2, Dimension::Plane).assemble().unwrap();
    let settings = Settings::new("generalized-alpha", 1e-3).rho(0.95);
    let (ends, _) = both(&start, &settings, 3000);
    // the double root leaves errors of √ε that the method's own error, 4e-5, exceeds
    assert!(largest_difference(&ends) < 1e-6, "{:e}", largest_difference(&ends));
}

/// A stop that opens: the kept matrix contains a stiffness that is no longer there, and makes corrections a million times too
/// small. The mass bounces with the same times and speeds.
#[test]
fn a_stop_that_opens_does_not_pass_as_solved() {
    let text = r#"
format = 2
planar = true
gravity = [0, -9.81]
body.ball = { mass = 1, inertia = 0.1, position = [0, 0.2] }
joint.guide = { type = "prismatic", between = ["ground", "ball"], at = [0, 0], axis = [0, 1] }
force.stop = { type = "joint-spring", joint = "guide", law = "if(x < -0.2, 1e8*(x + 0.2), 0)" }
"#;
    let start = model(text, &[]);
    // one bounce: with three steps of 1e-4 s in contact each bounce multiplies errors by some thousands
    for h in [1e-3, 1e-4] {
        let settings = Settings::new("generalized-alpha", h).rho(0.8);
        let (ends, _) = both(&start, &settings, (0.5 / h) as usize);
        assert!(largest_difference(&ends) < 1e-9, "h = {h}: {:e}", largest_difference(&ends));
    }
}

/// Buckling: the stiffness vanishes and changes its sign within a few steps.
#[test]
fn buckling_has_the_results_of_new_matrices() {
    let start = model(include_str!("../../models/lateral_buckling.toml"), &[]);
    let (ends, _) = both(&start, &Settings::new("lms2", 1e-3).rho(0.6), 160);
    assert!(largest_difference(&ends) < 1e-8, "{:e}", largest_difference(&ends));
}

/// Steps of 0.1 rad and more: Newton with a kept matrix would need many corrections.
#[test]
fn fast_rotations_use_their_own_matrices() {
    let start = gallery::heavy_top().assemble().unwrap();
    let settings = Settings::new("generalized-alpha", 1e-3).rho(0.8);
    let (ends, matrices) = both(&start, &settings, 1000);
    assert!(matrices > 0.9, "{matrices}");
    assert!(largest_difference(&ends) < 1e-9, "{:e}", largest_difference(&ends));
}

/// A saved state whose kept matrix belongs to another system, or is damaged, continues with a new matrix.
#[test]
fn damaged_memory_of_a_state_is_not_used() {
    let start = gallery::andrews(Dimension::Plane).assemble().unwrap();
    let settings = Settings::new("generalized-alpha", 1e-5).rho(0.8);
    let mut run = start.simulate(&settings).unwrap();
    (0..50).for_each(|_| run.step().unwrap());
    let mut state = serde_json::to_value(run.state()).unwrap();
    let point = &mut state["newton"]["point"];
    assert!(point["q"].as_array().is_some_and(|q| !q.is_empty()), "a matrix is kept");
    point["q"] = serde_json::json!([1.0]);
    let state = serde_json::from_value(state).unwrap();
    let mut resumed = Simulation::resume(&start.model, &settings, state).unwrap();
    (0..50).for_each(|_| resumed.step().unwrap());
    (0..50).for_each(|_| run.step().unwrap());
    let ends = [&resumed, &run].map(|run| run.now().q.clone());
    assert!(largest_difference(&ends) < 1e-11, "{:e}", largest_difference(&ends));
}

/// The matrix is formed again at the same point: the bits are those of a run without interruption, wherever it is interrupted.
#[test]
fn continued_runs_repeat_the_bits() {
    let start = gallery::chain(8, Dimension::Space).assemble().unwrap();
    let settings = Settings::new("generalized-alpha", 1e-3).rho(0.8);
    let mut unbroken = start.simulate(&settings).unwrap();
    let mut broken = start.simulate(&settings).unwrap();
    for step in 0..60 {
        unbroken.step().unwrap();
        // a trial, which is rejected, and a restart
        drop(broken.attempt().unwrap());
        if step % 3 == 0 {
            let text = serde_json::to_string(broken.state()).unwrap();
            let state = serde_json::from_str(&text).unwrap();
            broken = Simulation::resume(&start.model, &settings, state).unwrap();
        }
        broken.step().unwrap();
        assert_eq!(unbroken.now(), broken.now(), "step {step}");
    }
}
