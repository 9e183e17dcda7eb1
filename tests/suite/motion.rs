//! Motions against values from elsewhere, methods that coincide, and long runs.

use cardan::SimulationError;
use cardan::simulation::Warning;
use cardan::stage::StageError;
use cardan::system::System;
use cardan::{Formulation, InitialValues, Settings, Simulation};
use cardan_lab::exam::{problems, reference};

use crate::common::Pendulum;

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// The fast heavy top at t = 1, from quadruple-precision integration in minimal coordinates.
const TOP: [f64; 7] = [
    0.17334396409838604,
    0.64008859207056878,
    -0.74849079113358131,
    0.73294398067966371815,
    -0.27828571933761267852,
    0.53182461133416261792,
    -0.32017614273624928141,
];

/// The exam's reference integrator against digits it has not made itself.
#[test]
fn the_reference_reproduces_known_digits() {
    let top = problems::HeavyTop::fast();
    let system: &dyn System = top.system.as_ref();
    let settings = Settings::new("generalized-alpha", 1.0);
    let start = Simulation::new(system, &settings, &top.initial).unwrap().now().clone();
    let end = reference::solve(system, &start, &[1.0]).unwrap().remove(0);
    // 150 rad/s for 1 s through 80 macro steps: round-off times 150, with a margin of ten
    assert!(distance(&end.q, &TOP) < 3e-12, "{:e}", distance(&end.q, &TOP));

    // torque-free body, ω(10) from Jacobi elliptic functions; it passes the unstable axis twice,
    // which multiplies round-off by e^(2·10·√(1/3)) ≈ 1e5
    let body = problems::FreeBody {
        inertia: cardan::math::Vector3::new(1.0, 2.0, 3.0),
        torque: cardan::math::Vector3::zeros(),
    };
    let initial = InitialValues::new(&[1.0, 0.0, 0.0, 0.0], &[0.01, 2.0, 0.02]);
    let start = Simulation::new(&body, &settings, &initial).unwrap().now().clone();
    let end = reference::solve(&body, &start, &[10.0]).unwrap().remove(0);
    let exact = [0.009383916861891401, -2.000002985523853939, 0.019900233630713064];
    assert!(distance(&end.v, &exact) < 1e-10, "{:e}", distance(&end.v, &exact));
}

/// The fast top by Cardan's own methods: second order towards the known digits. At these steps the
/// spin turns the body 0.15 and 0.075 rad a step.
#[test]
fn the_fast_top_converges_to_known_digits() {
    let top = problems::HeavyTop::fast();
    for method in ["generalized-alpha", "hht", "bdf2"] {
        let error = |h: f64| {
            let system: &dyn System = top.system.as_ref();
            let mut run = Simulation::new(system, &Settings::new(method, h), &top.initial).unwrap();
            run.run_until(1.0).unwrap();
            distance(&run.now().q[..3], &TOP[..3])
        };
        let (coarse, fine) = (error(2.5e-4), error(1.25e-4));
        assert!((coarse / fine).log2() > 1.9, "{method}: {coarse:e} {fine:e}");
    }
}

/// Andrews' squeezer against 18 digits at t = 0.03: β has gone 2.5 turns.
#[test]
fn andrews_converges_to_known_digits() {
    let andrews = problems::andrews();
    let system: &dyn System = andrews.system.as_ref();
    let settings = |h| Settings::new("generalized-alpha", h).rho(0.8);
    let start = Simulation::new(system, &settings(1e-5), &andrews.initial).unwrap();
    assert!(start.start_report().position_change.is_none(), "the start is assembled");
    assert!((start.now().a[2] / 14222.4439199541139 - 1.0).abs() < 1e-12);
    let error = |steps: u32| {
        let h = 0.03 / f64::from(steps);
        let mut run = Simulation::new(system, &settings(h), &andrews.initial).unwrap();
        run.run_until(0.03).unwrap();
        // lengths are centimetres: relative residual 1e-12 and far below
        assert!(run.residuals().position < 1e-14);
        assert_eq!(run.effort().linear.pivotings, 1, "pivots chosen once serve the whole run");
        (run.now().q[2] - 15.810771195153707097).abs()
    };
    let (coarse, fine) = (error(2000), error(4000));
    assert!((coarse / fine).log2() > 1.95 && fine < 1e-4, "{coarse:e} {fine:e}");
}

/// The simple pendulum from the horizontal, θ(10) by elliptic functions, g = 9.81 through t·√g. The
/// reference starts at −π/2 and the motion is odd in θ: from +π/2 its value has the other sign.
#[test]
fn the_pendulum_converges_to_elliptic_functions() {
    let exact = 0.2786806735699829484;
    let scale = 9.81_f64.sqrt();
    let error = |steps: u32| {
        let h = 10.0 * scale / f64::from(steps);
        let initial = InitialValues::new(&[std::f64::consts::FRAC_PI_2], &[0.0]);
        let settings = Settings::new("trapezoidal", h);
        let mut run = Simulation::new(&Pendulum, &settings, &initial).unwrap();
        run.run_until(10.0 * scale).unwrap();
        assert_eq!(run.effort().steps, u64::from(steps));
        (run.now().q[0] - exact).abs()
    };
    let (coarse, fine) = (error(10_000), error(20_000));
    assert!((coarse / fine).log2() > 1.95 && fine < 1e-4, "{coarse:e} {fine:e}");
}

/// Rows of one mechanism that must coincide.
#[test]
fn methods_that_coincide_do() {
    let problem = problems::spatial_pendulum();
    let end = |settings: Settings| {
        let system: &dyn System = problem.system.as_ref();
        let mut run = Simulation::new(system, &settings, &problem.initial).unwrap();
        run.run_until(0.2).unwrap();
        [run.now().q.clone(), run.now().v.clone(), run.now().a.clone()].concat()
    };
    let h = 1e-2;
    let trapezoidal = end(Settings::new("trapezoidal", h));
    for same in [
        Settings::new("newmark", h).parameter("gamma", 0.5).parameter("beta", 0.25),
        Settings::new("newmark", h).rho(1.0),
        Settings::new("hht", h).parameter("alpha", 0.0),
        Settings::new("wbz", h).rho(1.0),
    ] {
        let name = same.method.clone();
        assert_eq!(end(same), trapezoidal, "{name}");
    }
    // α and ρ∞ of HHT say the same
    let alpha = -(1.0 - 0.7) / (1.0 + 0.7);
    let (one, two) = (
        end(Settings::new("hht", h).rho(0.7)),
        end(Settings::new("hht", h).parameter("alpha", alpha)),
    );
    assert!(distance(&one, &two) < 1e-9);
}

/// ρ∞ = 1 under position constraints is warned about, and does blow up; dissipation or another
/// formulation cures it.
#[test]
fn undamped_constraints_are_warned_about() {
    let top = problems::HeavyTop::problem();
    let system: &dyn System = top.system.as_ref();
    let begin = |method: &str, rho: Option<f64>, constraints| {
        let mut settings = Settings::new(method, 0.01).constraints(constraints);
        if let Some(rho) = rho {
            settings = settings.rho(rho);
        }
        Simulation::new(system, &settings, &top.initial).unwrap()
    };
    for (method, rho) in
        [("trapezoidal", None), ("generalized-alpha", Some(1.0)), ("newmark", Some(1.0))]
    {
        let mut run = begin(method, rho, Formulation::Position);
        let warned = matches!(&run.warnings()[..], [Warning::UndampedConstraints { radius, .. }] if *radius > 0.999);
        assert!(warned, "{method}");
        assert!(run.run_until(20.0).is_err(), "{method} survives after all");
    }
    for (method, rho, constraints) in [
        ("generalized-alpha", Some(0.9), Formulation::Position),
        ("trapezoidal", None, Formulation::Stabilized),
        ("trapezoidal", None, Formulation::Acceleration),
    ] {
        let mut run = begin(method, rho, constraints);
        assert!(run.warnings().is_empty(), "{method} {constraints}");
        let energy = run.energy().unwrap();
        run.run_until(20.0).unwrap();
        assert!((run.energy().unwrap() - energy).abs() < 0.04 * energy, "{method} {constraints}");
    }
    // without constraints there is nothing to warn about
    let free = Simulation::new(
        &Pendulum,
        &Settings::new("trapezoidal", 0.1),
        &InitialValues::new(&[1.0], &[0.0]),
    )
    .unwrap();
    assert!(free.warnings().is_empty());
}

/// From 1e-2 to 1e-7 Newton converges, and the condition of the scaled matrix does not change.
#[test]
fn tiny_steps_converge_with_the_same_condition() {
    let problem = problems::spatial_pendulum();
    let system: &dyn System = problem.system.as_ref();
    for constraints in Formulation::ALL {
        let mut conditions = Vec::new();
        for exponent in 2..=7 {
            let h = 10_f64.powi(-exponent);
            let settings = Settings::new("generalized-alpha", h).constraints(constraints);
            let mut run = Simulation::new(system, &settings, &problem.initial).unwrap();
            (0..20).for_each(|_| run.step().unwrap());
            // velocities that are held converge by what turns in a step, and matrices that are kept by their age
            let most = if constraints == Formulation::Acceleration { 3 } else { 4 };
            assert!(run.effort().iterations <= 20 * most, "{constraints} {h:e}");
            assert!(run.residuals().position < 1e-15);
            let consistent = run.consistent_instant().unwrap();
            let floor = distance(&consistent.multipliers, &run.now().multipliers);
            // the documented floor of index 3: 10 to 40 times ε|x|/c_q, with c_q = β h²/(…) ≈ 0.4 h²;
            // where velocities are held, of size one too, likewise ε|v|/c_v
            let allowed = match constraints {
                Formulation::Position => 40.0 * f64::EPSILON / (0.2 * h * h),
                _ => 40.0 * f64::EPSILON / (0.2 * h),
            };
            // beside it the truncation error of the method itself
            assert!(floor < allowed + 300.0 * h * h, "{constraints} {h:e}: {floor:e}");
            conditions.push(condition(&run));
        }
        let (least, most) =
            conditions.iter().fold((f64::MAX, 0.0_f64), |(a, b), &c| (a.min(c), b.max(c)));
        assert!(most / least < 1.3 && most < 100.0, "{constraints}: {conditions:?}");
    }
}

fn condition(run: &Simulation<'_>) -> f64 {
    let (pattern, values) = run.stage_matrix();
    let n = pattern.size();
    let mut matrix = nalgebra::DMatrix::zeros(n, n);
    for j in 0..n {
        for slot in pattern.column(j) {
            matrix[(pattern.rows()[slot] as usize, j)] = values[slot];
        }
    }
    let singular = matrix.singular_values();
    singular.max() / singular.min()
}

/// A rotation beyond the chart's limit is said to be one.
#[test]
fn a_rotation_beyond_the_chart_is_an_error() {
    let top = problems::HeavyTop::fast();
    let system: &dyn System = top.system.as_ref();
    for method in ["generalized-alpha", "bdf2"] {
        // 150 rad/s × 0.025 s = 3.75 rad > π
        let mut run = Simulation::new(system, &Settings::new(method, 0.025), &top.initial).unwrap();
        let error = run.run_until(1.0).unwrap_err();
        assert!(
            matches!(&error, SimulationError::Step { cause: StageError::RotationPerStep { angle, .. }, .. } if *angle > 3.1),
            "{method}: {error}"
        );
        assert!(error.to_string().contains("rotation per step is too large"));
    }
}
