//! The exam itself: orders, residuals, spectra, and that wrong coefficients fail it.

use cardan::math::Chart;
use cardan::methods::{
    self, Method, MethodInfo, ParameterDomain, ParameterValue, Registry, SystemFeature,
};
use cardan::stability::{Oscillator, amplification_matrix, spectral_radius};
use cardan::{Failure, Formulation, Settings, Space, SparseMatrix, StateView, System};
use cardan_lab::exam::{
    self, ExamRecord, GradeNumbers, estimate_defect, exception, expected_between, expected_order,
    linear, polynomial_defect,
};
use cardan_lab::spectral::radius_at_infinity;
use nalgebra::Complex;

/// How far an observed order may be from the expected one: at order five round-off leaves only
/// coarse steps to see it by.
fn tolerance(order: u32) -> f64 {
    if order < 5 { 0.1 } else { 0.2 }
}
/// A polynomial defect is round-off of velocities up to 20ᵖ/p, once per step over 10 s.
fn round_off(info: &MethodInfo) -> f64 {
    5e-15 * 20_f64.powi(info.order as i32) / f64::from(info.order)
}

/// Sat once for all tests.
fn sit() -> &'static ExamRecord {
    static RECORD: std::sync::OnceLock<ExamRecord> = std::sync::OnceLock::new();
    RECORD.get_or_init(|| exam::run_exam(&Registry::standard(), &[], |_| {}).unwrap())
}

/// Every method, every problem, every formulation it allows.
#[test]
fn every_method_shows_its_orders_and_keeps_the_constraints() {
    let record = sit();
    let problems = exam::problems::all();
    for grade in &record.grades {
        let info = methods::find(&grade.method).unwrap();
        let constraints: Formulation = grade.constraints.parse().unwrap();
        let problem = problems.iter().find(|p| p.name == grade.problem).unwrap();
        let constrained = problem.system.holonomic_count() > 0;
        let about = format!("{} {} {}", grade.method, grade.constraints, grade.problem);
        for (quantity, order) in grade.orders.named() {
            if quantity.contains("multipliers") && !constrained {
                continue;
            }
            if quantity == "z" && problem.system.state_count() == 0 {
                continue;
            }
            let expected = expected_order(info, constraints, constrained, quantity);
            let least = f64::from(expected) - tolerance(expected);
            let exception = exception(info, constraints, constrained, quantity);
            // where two errors meet, the sum may also fall more slowly for a while
            let least = if exception.is_some() { least - 0.05 } else { least };
            let most = match exception {
                None => f64::from(expected) + tolerance(expected),
                // where the stages lose an order, two errors meet: the part of full order may still be
                // the larger one, and as long as they cancel the sum shrinks faster than either
                Some(_) => f64::from(info.order) + 0.5,
            };
            assert!((least..=most).contains(&order), "{about}: {quantity} {order}");
        }
        // between two instants
        for (quantity, order) in grade.between.orders.named() {
            let is_there = match quantity {
                "multipliers" => constrained,
                "z" => problem.system.state_count() > 0,
                other => !other.contains("consistent"),
            };
            let expected = expected_between(info, constraints, constrained, quantity);
            // multipliers of size 30 have a round-off of 1e-8 at this step (docs/stage.md), a tenth of the error of `g5`
            let error = grade.between.errors.multipliers;
            let blur = if quantity == "multipliers" && error < 2e-7 { 0.15 } else { 0.0 };
            let least = f64::from(expected) - tolerance(expected) - 0.05 - blur;
            // polynomials of a higher degree than the order are no mistake
            assert!(!is_there || order >= least, "{about}: {quantity} between {order}");
        }
        // a velocity that violates its constraint by h² leaves the positions by h³ on the way; else the degree of the
        // polynomial counts
        let least = if constraints == Formulation::Position { 3.0 } else { 4.0 };
        let residual = grade.between.residual_order;
        assert!(residual.is_none_or(|order| order > least - 0.1), "{about}: {residual:?}");
        // positions are of size one: round-off of a few operations
        assert!(grade.position_residual < 4e-15, "{about}: {}", grade.position_residual);
        if constraints != Formulation::Position {
            // velocities reach 15, levers one
            assert!(grade.velocity_residual < 1e-13, "{about}: {}", grade.velocity_residual);
        }
        // what positions leave of the velocity constraints falls with h² at least, also for a method of
        // first order, and energy with the order of the motion
        let motion = f64::from(expected_order(info, constraints, constrained, "q"));
        let falls = |order: Option<f64>, least: f64| order.is_none_or(|order| order > least - 0.3);
        assert!(falls(grade.drift_order, motion.max(2.0)), "{about}: {:?}", grade.drift_order);
        assert!(falls(grade.energy_order, motion), "{about}: {:?}", grade.energy_order);
        assert_eq!(
            grade.drift_order.is_some(),
            constrained && constraints == Formulation::Position,
            "{about}"
        );
        // three solves at h = 1/40, two at 1/1280, one more where the acceleration rows leave out
        // the derivative with respect to q, or undamped multipliers are hard to predict
        // or the chart bends: the top turns 0.37 rad in the largest step
        // and a constant prediction costs one throughout;
        // matrices kept from step to step cost up to two solves more, and save the factorization;
        // stabilized velocities act back on the positions by what turns in a step, 0.37 rad at most
        let allowed = match (constraints, info.chart) {
            (Formulation::Stabilized, _) => [5.7, 4.1],
            (Formulation::Position, _) if info.order <= 2 => [4.9, 4.1],
            _ if info.family == "single-step" => [4.1, 3.1],
            (Formulation::Acceleration, _) => [4.5, 2.1],
            (_, Chart::Cayley) => [4.1, 2.5],
            _ => [3.7, 2.5],
        };
        // amplifier and motion act on each other: up to one step in eight takes one more (trapezoidal, 2.13)
        let more = if problem.system.state_count() > 0 { 0.125 } else { 0.0 };
        let solves = &grade.solves_per_stage;
        let is_within = solves[0] <= allowed[0] + more && solves[5] <= allowed[1] + more;
        assert!(is_within, "{about}: {solves:?}");
    }
    // all methods, all that they allow: two problems without constraints, three with, one with states
    let expected: usize = methods::all()
        .map(|info| {
            let allowed = |p: &&methods::Permission| **p == methods::Permission::Allowed;
            let takes_states = info.unsupported_reason(SystemFeature::FirstOrderStates).is_none();
            let constrained = 3 + usize::from(takes_states);
            2 + constrained * info.formulations.iter().filter(allowed).count()
        })
        .sum();
    assert_eq!(record.grades.len(), expected);
}

/// The record that tables read is what the code measures today.
#[test]
fn the_record_is_current() {
    let (kept, now) = (exam::recorded(), sit());
    assert_eq!(kept.grades.len(), now.grades.len(), "renew it: cardan exam --write");
    let close = |a: &GradeNumbers, b: &GradeNumbers, bound: f64| {
        a.named().iter().zip(b.named()).all(|((_, x), (_, y))| (x - y).abs() <= bound)
    };
    for (one, two) in kept.grades.iter().zip(&now.grades) {
        assert_eq!(
            (&one.method, &one.problem, &one.constraints),
            (&two.method, &two.problem, &two.constraints)
        );
        // the round-off of small errors of multipliers differs from build to build (see above)
        let mut orders = one.orders;
        if two.errors.multipliers < 2e-7 {
            let change = orders.multipliers - two.orders.multipliers;
            assert!(change.abs() < 0.15, "renew it: cardan exam --write\n{one:?}\n{two:?}");
            orders.multipliers = two.orders.multipliers;
        }
        assert!(
            close(&orders, &two.orders, 0.02),
            "renew it: cardan exam --write\n{one:?}\n{two:?}"
        );
    }
    assert_eq!(kept.linear.len(), now.linear.len(), "renew it: cardan exam --write");
    for (one, two) in kept.linear.iter().zip(&now.linear) {
        for ((_, x), (_, y)) in one.radii.iter().zip(&two.radii) {
            // the roots of a double one differ by the square root of round-off
            assert!((x - y).abs() < 1e-6, "renew it: cardan exam --write {}", one.method);
        }
    }
}

/// The name here of a method in the fixtures.
pub fn called(theirs: &str) -> String {
    match theirs {
        "G-alpha" | "G-alpha(AB)" => "generalized-alpha".into(),
        "ESDIRK3(2)4L[2]SA" => "esdirk324".into(),
        "ESDIRK3(2)5L[2]SA" => "esdirk325".into(),
        "ESDIRK4(3)6L[2]SA_2" => "esdirk436".into(),
        _ => theirs.to_lowercase().replace(['(', ')'], ""),
    }
}

/// A row of the fixture that speaks of a method, with the parameters it has here.
struct Row {
    rho: f64,
    parameters: Vec<(String, ParameterValue)>,
    abscissa: f64,
    period_elongation: f64,
    radius: f64,
}

fn fixture_rows(info: &MethodInfo) -> Vec<Row> {
    let text = include_str!("../data/spectral.csv");
    let mut rows = Vec::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |k: usize| fields[k].parse::<f64>().unwrap_or(f64::NAN);
        let rho = number(1);
        let parameters = match (fields[0], info.name) {
            // BDF2 is LMS2 at ρ∞ = 0; undamped Newmark and WBZ are the trapezoidal rule
            ("LMS2", "bdf2" | "nstiff-si2") if rho == 0.0 => vec![],
            // without constraints the ways to impose them are one
            ("HHT", "hht-si2" | "hht-add") => vec![("rho".to_string(), rho.into())],
            ("trapezoidal", "newmark-so3") => vec![],
            ("trapezoidal", "newmark" | "wbz") => vec![("rho".to_string(), 1.0.into())],
            ("MSSTC(3)", "msstc") => vec![("rho".to_string(), rho.into())],
            (theirs, ours) if called(theirs) == ours && info.takes("rho") => {
                vec![("rho".to_string(), rho.into())]
            }
            (theirs, ours) if called(theirs) == ours => vec![],
            _ => continue,
        };
        rows.push(Row {
            rho,
            parameters,
            abscissa: number(3),
            period_elongation: number(5),
            radius: number(6),
        });
    }
    rows
}

/// How far radius and period are from the fixtures, over the bound: 1e-9 for simple roots, and near
/// an r-fold root (at high frequency, where r ≤ 3 here) 10 (1e-15)^(1/3) for the radius.
fn fixture_deviation(
    info: &'static MethodInfo,
    change: impl Fn(Box<dyn Method>) -> Box<dyn Method>,
) -> f64 {
    let mut worst = 0.0_f64;
    for row in fixture_rows(info) {
        let method = change(info.build(&row.parameters).unwrap());
        let frequency = std::f64::consts::TAU * row.abscissa * method.stages() as f64;
        let oscillator = Oscillator { frequency, damping: 0.0 };
        let matrix = amplification_matrix(&oscillator, info, method.as_ref()).unwrap();
        let root = cardan::linalg::roots(&matrix)[0];
        let multiple = row.abscissa > 1.0 || (row.rho == 1.0 && row.abscissa > 0.2);
        let bound = if multiple { 10.0 * 1e-15_f64.cbrt() } else { 1e-9 };
        worst = worst.max((root.norm() - row.radius).abs() / bound);
        if row.abscissa * method.stages() as f64 <= 0.4 {
            let period = frequency / root.arg().hypot(root.norm().ln());
            let elongation = row.period_elongation / 100.0;
            worst = worst.max((period - 1.0 - elongation).abs() / 1e-9);
        }
    }
    worst
}

/// Methods without rows in the fixtures, and what checks their spectra instead.
const WITHOUT_FIXTURES: [(&str, &str); 9] = [
    ("trbdf2", "`deviation` checks the polynomials it integrates exactly and its error estimate"),
    ("rk3", "`deviation` compares its radius with the exponential series, cut off at its order"),
    ("rk4", "`deviation` compares its radius with the exponential series, cut off at its order"),
    (
        "ab4",
        "its coefficients are exact integrals of polynomials, which `polynomial_defect` checks",
    ),
    (
        "ab5",
        "its coefficients are exact integrals of polynomials, which `polynomial_defect` checks",
    ),
    ("central-difference", "`deviation` checks its stability limit, ωh = 2"),
    ("g3", "`deviation` checks its stability limit"),
    ("g4", "`deviation` checks its stability limit"),
    ("g5", "`deviation` checks its stability limit"),
];

/// Every method agrees with its rows of the fixtures, or is listed with the reason why it has none.
#[test]
fn spectra_agree_with_the_fixtures() {
    for (name, _) in WITHOUT_FIXTURES {
        assert!(methods::find(name).is_some_and(|info| info.name == name), "{name}");
    }
    for info in methods::all() {
        let is_listed = WITHOUT_FIXTURES.iter().any(|(name, _)| *name == info.name);
        assert_eq!(fixture_rows(info).is_empty(), is_listed, "{}: fixtures", info.name);
        let deviation = fixture_deviation(info, |method| method);
        assert!(deviation < 1.0, "{}: {deviation}", info.name);
    }
}

/// How near the radius in the limit is to ρ∞: equal roots are as well conditioned as their sum, and roots that are apart by
/// 3e-3, as those of `hht` near ρ∞ = 0.5, are known to round-off of 1e-15 over the square of that.
const NEAR_INFINITY: f64 = 1e-9;

/// ρ∞ is what it says for every method that takes it, over its range.
#[test]
fn rho_is_the_radius_at_infinity() {
    for info in methods::all() {
        let Some(parameter) = info.parameters.iter().find(|p| p.name == "rho") else { continue };
        // also values at which the root comes near those that are zero
        let parts =
            [0.0, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.37, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0];
        for part in parts {
            let ParameterDomain::Number { least, most, .. } = parameter.domain else {
                panic!("{parameter:?}")
            };
            let rho = least + (most - least) * part;
            let method = info.build(&[("rho".into(), rho.into())]).unwrap();
            let found = radius_at_infinity(info, method.as_ref()).unwrap();
            assert!((found - rho).abs() < NEAR_INFINITY, "{} at {rho}: {found}", info.name);
            // and the radius never exceeds one on the way there (A-stability on the grid)
            for exponent in -20..=40 {
                let frequency = 10_f64.powf(f64::from(exponent) / 10.0);
                let radius = spectral_radius(info, method.as_ref(), frequency, 0.0).unwrap();
                assert!(
                    radius < 1.0 + 1e-6,
                    "{} at rho {rho}, ωh {frequency}: {radius}",
                    info.name
                );
            }
        }
    }
}

/// Newmark's textbook amplification matrix: an oracle for the one row without fixtures.
fn newmark_radius(gamma: f64, beta: f64, frequency: f64) -> f64 {
    let w = frequency * frequency;
    let d = 1.0 / (1.0 + beta * w);
    // q₊ = q + v + (½ − β) a + β a₊ with a = −w q, and the same for v: h = 1
    let (a11, a12) = (d * (1.0 - w * (0.5 - beta)), d);
    let (a21, a22) = (-w * (1.0 - gamma) - gamma * w * a11, 1.0 - gamma * w * a12);
    let (trace, determinant) = (a11 + a22, a11 * a22 - a12 * a21);
    let discriminant = nalgebra::Complex::new(0.25 * trace * trace - determinant, 0.0).sqrt();
    (discriminant + 0.5 * trace).norm().max((discriminant - 0.5 * trace).norm())
}

/// The deviation of everything the exam knows of a method's coefficients, over its bounds.
fn deviation(
    info: &'static MethodInfo,
    change: impl Fn(Box<dyn Method>) -> Box<dyn Method>,
) -> f64 {
    let method = change(info.build(&[]).unwrap());
    let mut worst = fixture_deviation(info, &change);
    worst = worst.max(polynomial_defect(info, method.as_ref()).unwrap() / round_off(info));
    if let Some(defect) = estimate_defect(info, method.as_ref()).unwrap() {
        // round-off of increments of 0.1
        worst = worst.max(defect / 1e-15);
    }
    if info.family == "runge-kutta" {
        // what cancels is of the order of one with the default parameters
        let defect = crate::methods::coefficients::order_defect(method.as_ref(), info.order);
        worst = worst.max(defect / 1e-12);
    }
    let rho = info.parameters.iter().find(|p| p.name == "rho").and_then(|p| p.default());
    if let Some(ParameterValue::Number(rho)) = rho {
        let found = radius_at_infinity(info, method.as_ref()).unwrap();
        worst = worst.max((found - rho).abs() / NEAR_INFINITY);
    }
    let truncated = |z: Complex<f64>| {
        let horner = |sum: Complex<f64>, k: u32| Complex::from(1.0) + z * sum / f64::from(k);
        (1..=info.order).rev().fold(Complex::from(1.0), horner)
    };
    if matches!(info.name, "rk3" | "rk4") {
        // as many stages as its order: the exponential, cut off
        for frequency in [0.5, 1.0] {
            let found = spectral_radius(info, method.as_ref(), frequency, 0.0).unwrap();
            let expected = truncated(Complex::new(0.0, frequency)).norm();
            worst = worst.max((found - expected).abs() / 1e-9);
        }
    }
    if info.family == "conditionally-explicit" {
        // a root leaves the circle at −1, in company but for the fourth degree: known to √ε
        let limit = if info.order == 2 { 2.0 } else { 3.0_f64.sqrt() };
        let found = spectral_radius(info, method.as_ref(), limit, 0.0).unwrap();
        worst = worst.max((found - 1.0).abs() / 1e-7);
    }
    if info.name == "newmark" {
        for frequency in [0.3, 1.0, 3.0] {
            let found = spectral_radius(info, method.as_ref(), frequency, 0.0).unwrap();
            worst = worst.max((found - newmark_radius(0.6, 0.3025, frequency)).abs() / 1e-9);
        }
    }
    worst
}

#[test]
fn a_coefficient_wrong_by_a_millionth_fails_the_exam() {
    for info in methods::all() {
        assert!(deviation(info, |m| m) < 1.0, "{} as it is: {}", info.name, deviation(info, |m| m));
        let count = info.build(&[]).unwrap().coefficients().len();
        for k in 0..count {
            for change in [1e-6, -1e-6] {
                let wrong = |method: Box<dyn Method>| {
                    let mut values: Vec<f64> = method.coefficients().iter().map(|c| c.1).collect();
                    // at ρ = 1 a method may be one with fewer coefficients
                    values.get_mut(k).into_iter().for_each(|value| *value += change);
                    method.with_coefficients(&values)
                };
                let name = info.build(&[]).unwrap().coefficients()[k].0.clone();
                let found = deviation(info, wrong);
                assert!(found > 1.0, "{}: {name} off by {change} goes unseen: {found}", info.name);
            }
        }
    }
}

#[test]
fn linear_grades_are_complete() {
    for info in methods::all() {
        let grade = linear(info, info.build(&[]).unwrap().as_ref()).unwrap();
        assert_eq!(grade.radii.len(), 9);
        assert!(
            grade.polynomial_defect < round_off(info),
            "{}: {}",
            info.name,
            grade.polynomial_defect
        );
    }
}

/// Every exception names a method and a formulation that exist, and says why.
#[test]
fn exceptions_are_about_something() {
    for exception in exam::EXCEPTIONS {
        let concerned: Vec<_> = methods::all().filter(|info| exception.concerns(info)).collect();
        let allowed = |info: &&MethodInfo| {
            info.permission(exception.constraints) == methods::Permission::Allowed
        };
        assert!(concerned.iter().all(allowed));
        assert!(concerned.iter().any(|info| exception.order < info.order));
        assert!(exception.reason.len() > 20);
    }
}

/// The mass at the weighted instant is what keeps HHT at order two when M depends on the rotation.
#[test]
fn hht_keeps_its_order_with_a_node_off_the_centre() {
    let problem = exam::problems::OffsetTop::problem();
    let info = methods::find("hht").unwrap();
    let steps = [320.0, 640.0].map(|n| 1.0 / n);
    for constraints in Formulation::ALL {
        let settings = Settings::new("hht", 1.0).constraints(constraints);
        let build = || info.build(&[("alpha".into(), (-0.3).into())]).unwrap();
        let grade = exam::grade(&problem, &settings, info, build, &steps).unwrap();
        for (quantity, order) in grade.orders.named().into_iter().filter(|(x, _)| *x != "z") {
            assert!((order - 2.0).abs() < tolerance(2), "{constraints} {quantity}: {order}");
        }
    }
}

/// Steps that end beside the times of the exam would be compared with another instant: they are refused, or graded at
/// the times that they have in common.
#[test]
fn steps_are_graded_at_times_they_share() {
    let problem = exam::problems::DoublePendulum::problem();
    let info = methods::find("rk4").unwrap();
    let grade = |steps: &[f64]| {
        let build = || info.build(&[]).unwrap();
        exam::grade(&problem, &Settings::new("rk4", 1.0), info, build, steps)
    };
    // 0.3, 0.6 and 0.9 are in common; 0.1 is not
    for steps in
        [[0.01, 0.005], [0.015, 0.0075], [1.0 / 64.0, 1.0 / 128.0], [1.0 / 70.0, 1.0 / 140.0]]
    {
        let order = grade(&steps).unwrap().orders.q;
        assert!((order - 4.0).abs() < tolerance(4), "{steps:?}: {order}");
    }
    for steps in [&[0.013, 0.0065][..], &[0.03, 0.04], &[0.01, 0.01], &[0.3, 0.13], &[]] {
        let error = grade(steps).unwrap_err().to_string();
        assert!(error.contains("cannot be compared"), "{steps:?}: {error}");
    }
    for steps in [&[0.1, 0.0][..], &[f64::NAN], &[f64::INFINITY, 0.1]] {
        assert!(grade(steps).unwrap_err().to_string().contains("step size"), "{steps:?}");
    }
}

/// The radius of explicit methods has no limit, and those that forget at once have a limit of zero.
#[test]
fn radii_at_infinity_of_methods_without_rho() {
    for info in methods::all().filter(|info| !info.takes("rho")) {
        let found = radius_at_infinity(info, info.build(&[]).unwrap().as_ref()).unwrap();
        let expected = match info.name {
            "trapezoidal" | "newmark-so3" => 1.0,
            "trbdf2" => f64::INFINITY,
            _ if info.stability == methods::Stability::Conditional => f64::INFINITY,
            // bdf2, nstiff-si2 and the L-stable Runge–Kutta methods
            _ => 0.0,
        };
        let is_near = found == expected || (found - expected).abs() < NEAR_INFINITY;
        assert!(is_near, "{}: {found}", info.name);
    }
    let (info, method) =
        ("trbdf2:result=stage-2".parse::<methods::MethodChoice>().unwrap()).build().unwrap();
    assert!(radius_at_infinity(info, method.as_ref()).unwrap() < NEAR_INFINITY);
}

/// The reference solves for the rates of first-order states, also where r is not linear in them: ż + ż³ = w + w³ with w
/// = cos t has the solution z = sin t, and a filter of a constant velocity is an exponential.
#[test]
fn the_reference_integrates_first_order_states() {
    struct States;
    impl System for States {
        fn space(&self) -> Space {
            Space::vector(1)
        }
        fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
            mass.add(0, 0, 1.0);
            Ok(())
        }
        fn force(&self, _at: &StateView<'_>, _force: &mut [f64]) -> Result<(), Failure> {
            Ok(())
        }
        fn state_count(&self) -> usize {
            2
        }
        fn state_residual(
            &self,
            at: &StateView<'_>,
            rates: &[f64],
            residual: &mut [f64],
        ) -> Result<(), Failure> {
            let cubic = |x: f64| x + x.powi(3);
            residual[0] = cubic(rates[0]) - cubic(at.t.cos());
            residual[1] = 0.2 * rates[1] + at.z[1] - at.v[0];
            Ok(())
        }
    }
    let initial = cardan::InitialValues::new(&[0.0], &[1.5]).states(&[0.0, 0.0]);
    let start = cardan::Simulation::new(&States, &Settings::new("lms3", 0.1), &initial).unwrap();
    let times = [0.5, 1.0, 3.0];
    let motion = exam::reference::solve(&States, start.now(), &times).unwrap();
    for (at, t) in motion.iter().zip(times) {
        let filtered = 1.5 * (1.0 - (-5.0 * t).exp());
        let expected = [t.sin(), filtered, t.cos(), 5.0 * (1.5 - filtered)];
        for (found, expected) in at.z.iter().chain(&at.rates).zip(expected) {
            // 240 steps with a round-off of ε each, which T = 0.2 s multiplies by five in ż
            assert!((found - expected).abs() < 3e-13, "{t}: {:?} {:?}", at.z, at.rates);
        }
    }
}

/// A method that refuses first-order states leaves out the problem that has them, and sits the others.
#[test]
fn methods_that_refuse_states_leave_out_the_problem_with_states() {
    const REFUSES: &[(SystemFeature, &str)] = &[(SystemFeature::FirstOrderStates, "as a test")];
    let takes = MethodInfo { name: "takes", ..*methods::find("lms3").unwrap() };
    let refuses = MethodInfo { name: "refuses", refuses: REFUSES, ..takes };
    let registry = Registry::standard().with(takes).with(refuses);
    let record = exam::run_exam(&registry, &["takes", "refuses"], |_| {}).unwrap();
    let problems = |name: &str| -> Vec<&str> {
        let named = record.grades.iter().filter(|grade| grade.method == name);
        named.map(|grade| grade.problem.as_str()).collect()
    };
    let without: Vec<&str> =
        problems("takes").into_iter().filter(|problem| *problem != "servo-pendulum").collect();
    assert_eq!(problems("refuses"), without);
    assert!(without.len() < problems("takes").len());
}
