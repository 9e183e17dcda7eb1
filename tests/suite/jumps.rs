//! Jumps in time: where a formula, its slope or its curvature jumps.

use cardan::expression::{Expression, Jump, MAX_JUMPS};
use cardan::table::{Interpolation, Outside, Table};
use std::sync::Arc;
use std::time::Instant;

fn tables() -> [Arc<Table>; 3] {
    let table = |name: &str, interpolation| {
        let (x, values) = (vec![0.0, 1.0, 2.5, 4.0], vec![0.0, 1.0, -1.0, 2.0]);
        let table = Table::new(x, values, interpolation).unwrap();
        Arc::new(table.named(name).outside(Outside::Hold))
    };
    [
        table("straight", Interpolation::Linear),
        table("monotone", Interpolation::Pchip),
        table("smooth", Interpolation::Spline),
    ]
}

fn jumps(text: &str, from: f64, to: f64) -> Vec<(f64, usize)> {
    let formula = Expression::parse_with_tables(text, &[("k", 0.5)], &tables()).unwrap();
    let found = formula.jumps(from, to).into_iter();
    found.map(|Jump { time, derivative }| (time, derivative)).collect()
}

#[test]
fn switches_on_straight_lines_have_exact_times() {
    for (text, expected) in [
        ("step(t, 0.3)", vec![(0.3, 0)]),
        ("if(t > 0.7, t^2, 0.49)", vec![(0.7, 1)]),
        ("if(t < 1, t^2, 2*t - 1)", vec![(1.0, 2)]),
        ("if(t < 1, t^3, 3*t^2 - 3*t + 1)", vec![]),
        ("if(t > 1 and t < 3, 5, 0)", vec![(1.0, 0), (3.0, 0)]),
        ("abs(2*t - 3)", vec![(1.5, 1)]),
        ("abs(2*t - 3)*(2*t - 3)", vec![(1.5, 2)]),
        ("abs(t - 1)^3", vec![]),
        ("sign(t - k)", vec![(0.5, 0)]),
        ("max(t, 1) + min(t, 3)", vec![(1.0, 1), (3.0, 1)]),
        ("max(t, t)", vec![]),
        ("0*abs(t - 1)", vec![]),
        ("clamp(t, 1, 2)", vec![(1.0, 1), (2.0, 1)]),
        ("dead_band(t - 2, 0.5)", vec![(1.5, 1), (2.5, 1)]),
        ("smoothstep(t, 1, 2)", vec![(1.0, 2), (2.0, 2)]),
        ("haversine(t, 1, 5, 2, 7)", vec![(1.0, 2), (2.0, 2)]),
        ("floor(t)", vec![(1.0, 0), (2.0, 0), (3.0, 0)]),
        ("ceil(-t)", vec![(1.0, 0), (2.0, 0), (3.0, 0)]),
        ("round(t)", vec![(0.5, 0), (1.5, 0), (2.5, 0), (3.5, 0)]),
        ("mod(t, 1.5)", vec![(1.5, 0), (3.0, 0)]),
        ("sawtooth(t + 0.5, 2)", vec![(1.5, 0), (3.5, 0)]),
        ("pulse(t, 0.5, 0.25, 2)", vec![(0.5, 0), (0.75, 0), (2.5, 0), (2.75, 0)]),
        ("straight(t)", vec![(1.0, 1), (2.5, 1)]),
        ("straight(t + 1)", vec![(1.5, 1), (3.0, 1)]),
        ("straight(5 - t)", vec![(1.0, 1), (2.5, 1)]),
        ("smooth(t)", vec![]),
        ("smooth(t - 1)", vec![(1.0, 1)]),
        ("sin(t) + noise(1, 2, 50)", vec![]),
        ("1e6 + 1e-3*step(t, 2)", vec![(2.0, 0)]),
        ("3", vec![]),
        // the inner switch is found, though the outer one is sampled
        ("if(pulse(t, 1, 2^-20, 8) > 0.5, 7, 0)", vec![(1.0, 0), (1.0 + 2f64.powi(-20), 0)]),
    ] {
        assert_eq!(jumps(text, 0.0, 4.0), expected, "{text}");
    }
    // at points of a monotone cubic the curvature jumps
    assert_eq!(jumps("monotone(t)", 0.0, 4.0), [(1.0, 2), (2.5, 2)]);
    // a table that ends has no value after it
    let end = Table::new(vec![0.0, 3.0], vec![0.0, 1.0], Interpolation::Linear).unwrap();
    let formula = Expression::parse_with_tables("a(t)", &[], &[Arc::new(end.named("a"))]);
    assert_eq!(formula.unwrap().jumps(1.0, 4.0), [Jump { time: 3.0, derivative: 0 }]);
}

#[test]
fn other_switches_are_found_by_samples() {
    let pi = std::f64::consts::PI;
    for (text, expected) in [
        ("max(sin(t), 0)", vec![(pi, 1), (2.0 * pi, 1), (3.0 * pi, 1)]),
        ("abs(cos(t))", vec![(0.5 * pi, 1), (1.5 * pi, 1), (2.5 * pi, 1)]),
        ("if(t^2 > 2, 1, 0)", vec![(2f64.sqrt(), 0)]),
        ("floor(t^2/20)", (1..5).map(|k| ((20.0 * f64::from(k)).sqrt(), 0)).collect()),
        ("straight(2 + 2*sin(t))", vec![]),
    ] {
        let found = jumps(text, 0.1, 10.0);
        if expected.is_empty() {
            // 2 + 2 sin t = 1 and 2.5, between 0.1 and 10: by hand 4 and 5 times, less those before 0.1; at 0 and 4 it turns
            assert!(found.len() >= 7 && found.iter().all(|(_, k)| *k == 1), "{found:?}");
            continue;
        }
        assert_eq!(found.len(), expected.len(), "{text}: {found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert_eq!(found.1, expected.1, "{text}");
            assert!((found.0 - expected.0).abs() < 1e-14 * expected.0, "{text}: {found:?}");
        }
    }
}

#[test]
fn hostile_formulas_and_ranges_end_soon() {
    let clock = Instant::now();
    let many = jumps("pulse(t, 0, 0.5, 1)", 0.0, 1e9);
    assert_eq!(many.len(), MAX_JUMPS);
    assert_eq!(&many[..3], [(0.5, 0), (1.0, 0), (1.5, 0)]);
    for (from, to) in [
        (0.0, 1.0),
        (-1e300, 1e300),
        (0.0, 1e300),
        (1e300, 1.5e308),
        (-f64::MAX, f64::MAX),
        (0.0, 5e-324),
        (1.0, 1.0),
        (2.0, 1.0),
        (f64::NAN, 1.0),
        (0.0, f64::INFINITY),
    ] {
        for text in [
            "pulse(t, 0, 1e-301, 1e-300)",
            "sawtooth(t, 1e-300)",
            "floor(1e300*t)",
            "floor(exp(t))",
            "mod(t^2, sin(t))",
            "if(sin(1/t) > 0, 1, 0)",
            "max(tan(t), sqrt(t))",
            "straight(1e300*t)",
            "step(t, 1e300)",
            "abs(t - 1e-300)",
        ] {
            assert!(jumps(text, from, to).len() <= MAX_JUMPS);
        }
    }
    // many switches in one formula
    let long = (0..3000).map(|k| format!("abs(sin(t) - {k})")).collect::<Vec<_>>().join(" + ");
    assert!(jumps(&long, 0.0, 10.0).len() <= MAX_JUMPS);
    let time = clock.elapsed().as_secs_f64();
    assert!(time < 60.0, "{time} s");
    let two = Expression::parse_of("abs(x) + y", &["x", "y"]).unwrap();
    assert!(two.jumps(-1.0, 1.0).is_empty());
}
