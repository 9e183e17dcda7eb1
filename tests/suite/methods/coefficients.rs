//! Coefficients against the fixtures, and the order conditions they must satisfy.

use super::built;
use cardan::methods::conditions::{self, Tree, conditions, residual, tableau};
use cardan::methods::{self, Method, MethodChoice};
use toml::Value as Data;

fn data() -> Data {
    toml::from_str(include_str!("../../data/coefficients.toml")).unwrap()
}

fn numbers(value: &Data) -> Vec<f64> {
    match value {
        Data::Array(list) => list.iter().flat_map(numbers).collect(),
        Data::Float(x) => vec![*x],
        Data::Integer(x) => vec![*x as f64],
        other => panic!("{other:?}"),
    }
}

fn coefficients(choice: &str) -> Vec<(String, f64)> {
    choice.parse::<MethodChoice>().unwrap().build().unwrap().1.coefficients()
}

/// The values agree to some round-off of their size, more where they come from a search.
#[track_caller]
fn agree(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let bound = tolerance * expected.abs().max(1.0);
        assert!((found - expected).abs() <= bound, "{what}: {found} instead of {expected}");
    }
}

#[test]
fn coefficients_are_those_of_the_fixtures() {
    let data = data();
    let rows = |name: &str| data[name].as_array().unwrap().clone();
    let rho = |row: &Data| row["rho"].as_float().unwrap();
    let values = |choice: &str| -> Vec<f64> { coefficients(choice).iter().map(|c| c.1).collect() };
    for name in ["lms2", "lms3", "lms4", "ss2", "ss3", "ss4"] {
        // at one they are the trapezoidal rule
        for row in rows(name).iter().filter(|row| rho(row) < 1.0) {
            let expected = match name.starts_with("lms") {
                true => [numbers(&row["alpha"]), numbers(&row["beta"])].concat(),
                false => {
                    let d = numbers(&row["real_d"]);
                    let d = d[d.len() + 1 - numbers(&row["real_n"]).len()..].to_vec();
                    [vec![row["real_g"].as_float().unwrap()], numbers(&row["real_n"]), d].concat()
                }
            };
            let choice = format!("{name}:rho={}", rho(row));
            // leading coefficients cancel: a few digits
            agree(&choice, &values(&choice), &expected, 1e-14);
        }
    }
    // γ and the linear systems behind it lose digits where two abscissae are near each other: c₂ and
    // c₃ of MSSTH(3) at ρ = 0.7 differ by 3e-3
    let tableaux = [
        ("bathe", "bathe", 1e-14),
        ("msstc3", "msstc3", 1e-14),
        ("msstc4", "msstc4", 1e-14),
        ("msstc5", "msstc5", 1e-14),
        ("mssth3", "mssth3", 1e-11),
        ("mssth4", "mssth4", 1e-11),
        ("mssth5", "mssth5", 1e-11),
        ("mssth4_min", "mssth4:abscissae=minimal", 1e-6),
        ("mssth5_min", "mssth5:abscissae=minimal", 1e-6),
    ];
    for (fixture, method, tolerance) in tableaux {
        for row in rows(fixture) {
            let choice = format!("{method}:rho={}", rho(&row));
            // the first row is the explicit stage
            agree(&choice, &values(&choice), &numbers(&row["A"])[1..], tolerance);
        }
    }
    for (fixture, method) in [
        ("esdirk324l2sa", "esdirk324"),
        ("esdirk325l2sa", "esdirk325"),
        ("esdirk436l2sa_2", "esdirk436"),
    ] {
        let row = &rows(fixture)[0];
        let expected = [&numbers(&row["A"])[1..], &numbers(&row["bhat"])].concat();
        agree(method, &values(method), &expected, 1e-15);
    }
}

/// The number of sub-steps is free: MSSTC(2) is Bathe's method, the others those of their own name.
#[test]
fn msstc_of_any_number_of_stages_is_the_same_formula() {
    for (stages, name) in [(2, "bathe"), (3, "msstc3"), (4, "msstc4"), (5, "msstc5")] {
        for rho in [0.0, 0.37, 1.0] {
            let one = coefficients(&format!("msstc:stages={stages}:rho={rho}"));
            assert_eq!(one, coefficients(&format!("{name}:rho={rho}")), "{name} {rho}");
        }
    }
    let many = coefficients("msstc:stages=24:rho=0.3");
    let last: f64 = many.iter().filter(|(name, _)| name.starts_with("a_25_")).map(|c| c.1).sum();
    // the weights of 24 sub-steps are sums of 24 terms
    assert!((last - 1.0).abs() < 1e-13, "{last}");
}

/// At its own splitting ratio the general form is the special one; R(∞) = ρ for every ratio.
#[test]
fn bathe_may_be_split_anywhere() {
    for rho in [0.0, 0.6, 1.0] {
        let own = 2.0 / (2.0 + f64::sqrt(2.0 + 2.0 * rho));
        let (one, two) = (
            coefficients(&format!("bathe:rho={rho}")),
            coefficients(&format!("bathe:rho={rho}:splitting={own}")),
        );
        for ((name, x), (_, y)) in one.iter().zip(&two) {
            assert!((x - y).abs() < 1e-15, "{name}: {x} {y}");
        }
        // where the last sub-step is nothing but implicit, or not at all
        for splitting in [1.0, 2.0 / (1.0 - rho)] {
            let choice: MethodChoice =
                format!("bathe:rho={rho}:splitting={splitting}").parse().unwrap();
            if splitting <= 3.0 {
                let message = choice.build().err().unwrap().to_string();
                assert!(message.contains("without a solution"), "{message}");
            }
        }
        for splitting in [own - 0.2, own + 1.0] {
            let (_, method) =
                built("bathe", &[("rho", rho.into()), ("splitting", splitting.into())]);
            assert!((method.constrained_radius() - rho).abs() < 1e-14, "{rho} {splitting}");
        }
    }
}

/// The largest residual of all order conditions of a Runge–Kutta method up to its order.
pub fn order_defect(method: &dyn Method, order: u32) -> f64 {
    let a = tableau(method);
    (1..=order as usize).map(|p| residual(&a, a.last().unwrap(), p)).fold(0.0, f64::max)
}

#[test]
fn trees_are_counted_right() {
    assert_eq!([1, 2, 3, 4, 5, 6].map(|n| Tree::all(n).len()), [1, 1, 2, 4, 9, 20]);
}

/// Every condition up to the order holds, and one of the next order does not; embedded weights too.
#[test]
fn order_conditions_hold_up_to_the_order() {
    for info in methods::all().filter(|info| info.family == "runge-kutta") {
        let variants: &[&str] = match info.name {
            "mssth4" | "mssth5" => {
                &[":rho=0", ":rho=0.37", ":rho=1", ":rho=0.37:abscissae=minimal"]
            }
            _ if info.takes("rho") => &[":rho=0", ":rho=0.37", ":rho=1"],
            _ => &[""],
        };
        for variant in variants {
            let choice = format!("{}{variant}", info.name);
            let (_, method) = choice.parse::<MethodChoice>().unwrap().build().unwrap();
            let a = tableau(method.as_ref());
            let weights = a.last().unwrap();
            let worst = |order: usize, weights: &[f64]| residual(&a, weights, order);
            let order = info.order as usize;
            for p in 1..=order {
                // coefficients up to 119 cancel
                assert!(worst(p, weights) < 1e-12, "{choice} order {p}: {}", worst(p, weights));
            }
            assert!(worst(order + 1, weights) > 1e-4, "{choice}");
            let Some(embedded_order) = method.embedded_order() else { continue };
            let all = coefficients(&choice);
            let embedded: Vec<f64> =
                all.iter().filter(|(name, _)| name.starts_with("embedded")).map(|c| c.1).collect();
            let lower = embedded_order as usize;
            assert!((1..=lower).all(|p| worst(p, &embedded) < 1e-12), "{choice}");
            assert!(worst(lower + 1, &embedded) > 1e-3, "{choice}");
        }
    }
}

/// Between the printed values of ρ two stages meet, or a determinant vanishes; the coefficients stay
/// finite all the same, and the order conditions and R(∞) hold.
#[test]
fn coefficients_stay_finite_for_every_dissipation() {
    for name in ["mssth3", "mssth4", "mssth5"] {
        for abscissae in ["printed", "minimal"] {
            for k in 0..=200 {
                let rho = f64::from(k) / 200.0;
                let mut given = vec![("rho", rho.into())];
                if name != "mssth3" {
                    given.push(("abscissae", abscissae.into()));
                }
                let (info, method) = built(name, &given);
                let all = method.coefficients();
                assert!(all.iter().all(|(_, x)| x.abs() <= 150.0), "{name} {abscissae} {rho}");
                // substitution multiplies round-off by 150/γ at each of two stages
                assert!((method.constrained_radius() - rho).abs() < 1e-9, "{name} {rho}");
                // coefficients of 150 cancel twice: 150² ε
                let defect = order_defect(method.as_ref(), info.order);
                assert!(defect < 1e-11, "{name} {abscissae} {rho}: {defect}");
            }
        }
    }
}

/// The conditions hold to round-off, and a coefficient wrong by 1e-9 breaks one of them by ten times its
/// round-off at least. (α of the conditionally explicit methods is free: it moves their stability limit.)
#[test]
fn a_coefficient_wrong_by_a_billionth_breaks_a_condition() {
    /// Coefficients of the order of one that cancel; what is left of 1e-9 times the smallest weight.
    const ROUND_OFF: f64 = 1e-12;
    for info in methods::all() {
        let variants: &[f64] = if info.takes("rho") { &[0.6, 0.8] } else { &[f64::NAN] };
        for rho in variants {
            let choice = match rho.is_nan() {
                true => info.name.to_string(),
                false => format!("{}:rho={rho}", info.name),
            };
            let choice: MethodChoice = choice.parse().unwrap();
            let held = conditions(&choice).unwrap();
            assert!(!held.is_empty(), "{choice}");
            assert!(held.iter().all(|c| c.residual < ROUND_OFF), "{choice}: {held:?}");
            let method = choice.build().unwrap().1;
            let all = method.coefficients();
            for (k, (name, _)) in all.iter().enumerate() {
                if info.family == "conditionally-explicit" && name == "alpha" {
                    continue;
                }
                for change in [1e-9, -1e-9] {
                    let mut values: Vec<f64> = all.iter().map(|c| c.1).collect();
                    values[k] += change;
                    let wrong = method.with_coefficients(&values);
                    let rho = (!rho.is_nan()).then_some(*rho);
                    let broken = conditions::of(info, wrong.as_ref(), rho);
                    let worst = broken.iter().fold(0.0_f64, |most, c| most.max(c.residual));
                    assert!(worst > 10.0 * ROUND_OFF, "{choice}: {name} + {change}: {worst:e}");
                }
            }
        }
    }
}
