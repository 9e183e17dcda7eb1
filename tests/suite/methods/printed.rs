//! The methods of Zhang, Zhang, Zanoni and Masarati 2022 as they are printed: prediction, charts of rotations, Newton.

use cardan::linalg::SparseMatrix;
use cardan::methods::MethodChoice;
use cardan::stage::{KeepJacobian, NewtonOptions};
use cardan::system::{Failure, Space, StateView, System};
use cardan::{InitialValues, Settings, Simulation};
use cardan_lab::exam::problems::FreeBody;

fn choice(text: &str) -> MethodChoice {
    text.parse().unwrap()
}

/// Equation (21): a matrix at each iterate.
fn newton() -> NewtonOptions {
    let keep_jacobian = KeepJacobian::Never;
    NewtonOptions { keep_jacobian, tolerance: 1e-13, ..NewtonOptions::default() }
}

/// A free body after twenty steps, against a program with rotation vectors and auxiliary velocities in world axes, complex
/// coefficients and differenced matrices. With the chart at the prediction the solution depends on the prediction of
/// every stage, to 1e-3: its points and weights are tested here too.
#[test]
fn charts_and_predictions_are_those_of_the_equations() {
    let text = include_str!("../../data/printed_rotations.csv");
    let rows: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(rows.len(), 33);
    let problem = FreeBody::problem();
    for row in rows {
        let (method, numbers) = row.split_once(',').unwrap();
        let expected: Vec<f64> = numbers.split(',').map(|x| x.parse().unwrap()).collect();
        let settings = Settings::of(&choice(method), 0.05).newton(newton());
        let mut motion =
            Simulation::new(problem.system.as_ref(), &settings, &problem.initial).unwrap();
        motion.run_until(1.0).unwrap();
        let now = motion.now();
        for (found, expected) in now.q.iter().chain(&now.v).zip(&expected) {
            // both iterate to 1e-13, up to a hundred stages
            assert!((found - expected).abs() < 1e-11, "{method}: {found} {expected}");
        }
    }
}

/// The chart of the last stage costs the fifth order one, the chart at the prediction leaves the third.
#[test]
fn printed_charts_cost_orders() {
    let problem = FreeBody::problem();
    let motion = |method: &str, steps: f64| {
        let settings = Settings::of(&choice(method), 1.0 / steps).newton(newton());
        let mut motion =
            Simulation::new(problem.system.as_ref(), &settings, &problem.initial).unwrap();
        motion.run_until(1.0).unwrap();
        motion.now().q.clone()
    };
    let exact = motion("mssth5:rho=0", 400.0);
    let error = |method: &str, steps: f64| {
        let found = motion(method, steps);
        found.iter().zip(&exact).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
    };
    for (method, chart, order) in [
        ("mssth5:rho=0", "cayley", 5.0),
        ("mssth5:rho=0", "previous-stage", 4.0),
        ("mssth5:rho=0", "printed", 3.0),
        ("mssth4:rho=0", "cayley", 4.0),
        ("mssth4:rho=0", "previous-stage", 4.0),
        ("mssth4:rho=0", "printed", 3.0),
        ("esdirk325", "printed", 3.0),
        ("lms3:rho=0.6", "printed", 2.0),
    ] {
        let method = format!("{method}:predictor=printed:chart={chart}");
        let found = (error(&method, 20.0) / error(&method, 40.0)).log2();
        // one halving of steps that turn the body by 0.1 rad
        assert!((found - order).abs() < 0.15, "{method}: {found}");
    }
}

/// The key `prediction` means the same.
#[test]
fn prediction_is_another_name_of_predictor() {
    let problem = FreeBody::problem();
    let end = |method: &str| {
        let settings = Settings::of(&choice(method), 0.05);
        let mut motion =
            Simulation::new(problem.system.as_ref(), &settings, &problem.initial).unwrap();
        motion.run_until(1.0).unwrap();
        motion.now().q.clone()
    };
    let one = end("mssth4:chart=printed:prediction=printed");
    assert_eq!(one, end("mssth4:chart=printed:predictor=printed"));
    assert_ne!(one, end("mssth4:chart=printed"));
    let twice = choice("mssth4:prediction=printed:predictor=hermite");
    let refused = twice.build().err().unwrap().to_string();
    assert!(refused.contains("given twice"), "{refused}");
}

/// A body that is braked by 3 v |v|, at x = 5, where corrections are absolute.
struct Braked;

impl System for Braked {
    fn space(&self) -> Space {
        Space::vector(1)
    }

    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        mass.add(0, 0, 1.0);
        Ok(())
    }

    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        force[0] = -3.0 * at.v[0] * at.v[0].abs();
        Ok(())
    }
}

/// q̇ and v̇ are predicted apart, and corrected together: the corrections of LMS2 are those of (21) with both as unknowns.
#[test]
fn rates_and_accelerations_are_predicted_apart() {
    let h = 0.2;
    let settings = Settings::of(&choice("lms2:rho=0:predictor=printed"), h).newton(newton());
    let mut motion =
        Simulation::new(&Braked, &settings, &InitialValues::new(&[5.0], &[2.0])).unwrap();
    let mut known = vec![motion.now().clone()];
    for _ in 0..4 {
        motion.step().unwrap();
        known.push(motion.now().clone());
    }
    let [two, one, now] = &known[2..] else { panic!("five instants") };
    // equations (12) and (14) with α = 1
    let predict =
        |y: [f64; 2], rate: [f64; 2]| 12.0 / h * (y[1] - y[0]) + 8.0 * rate[0] + 5.0 * rate[1];
    let mut rate = predict([one.q[0], two.q[0]], [one.v[0], two.v[0]]);
    let mut a = predict([one.v[0], two.v[0]], [one.a[0], two.a[0]]);
    let c = 2.0 * h / 3.0;
    let v_known = (4.0 * one.v[0] - two.v[0]) / 3.0;
    let mut expected = Vec::new();
    loop {
        let v = v_known + c * a;
        // q̇ = v and v̇ = f, linearized
        let (first, second) = (rate - v, a + 3.0 * v * v.abs());
        let slope = 1.0 + 6.0 * v.abs() * c;
        let change = -second / slope;
        let moved = -first + c * change;
        (a, rate) = (a + change, rate + moved);
        if (c * moved).abs() < 1e-12 {
            break;
        }
        expected.push((c * moved).abs());
    }
    assert!((rate - now.v[0]).abs() < 1e-12);
    assert!(expected.len() >= 3, "{expected:?}");
    let found = motion.corrections();
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() < 1e-6 * expected + 1e-14, "{found} {expected}");
    }
    // the first two corrections differ from those of a start with q̇ = v
    let plain = 1e-3 * expected[1];
    let together = {
        let rate = predict([one.q[0], two.q[0]], [one.v[0], two.v[0]]);
        let v: f64 = rate;
        let residual = (rate - v_known) / c + 3.0 * v * v.abs();
        (c * residual * c / (1.0 + 6.0 * v.abs() * c)).abs()
    };
    assert!((together - expected[0]).abs() > plain, "{together} {expected:?}");
}
