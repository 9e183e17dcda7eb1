//! Formulas: their values, their derivatives, and what is said when they are wrong.

use cardan::expression::{Expression, FUNCTIONS};
use proptest::prelude::*;

fn value(text: &str) -> f64 {
    Expression::parse(text, &[("k", 4.0), ("rate", 2.5)]).unwrap().value(0.7)
}

fn fault(text: &str) -> (String, String) {
    let error = Expression::parse(text, &[("stiffness", 4.0)]).unwrap_err();
    (error.to_string(), text[error.span].to_string())
}

/// The usual precedence, and a few things people write.
#[test]
fn precedence_is_the_usual_one() {
    for (text, expected) in [
        ("-3^2", -9.0),
        ("2^3^2", 512.0),
        ("2**3", 8.0),
        ("2^-1", 0.5),
        ("-2^-2", -0.25),
        ("1 - 2 - 3", -4.0),
        ("8/4/2", 1.0),
        ("1 + 2*3^2", 19.0),
        ("(1 + 2)*3", 9.0),
        ("--3", 3.0),
        ("2*-3", -6.0),
        ("1 < 2 and 3 < 2 or 1 == 1", 1.0),
        ("not 1 > 2", 1.0),
        ("not 0 == 1", 1.0),
        ("3 + 1 > 2 * 1.5", 1.0),
        ("if(t > 0.5, 10, 20)", 10.0),
        ("if(t <= 0.5, 10, 20)", 20.0),
        ("min(3, max(1, 2))", 2.0),
        ("clamp(7, 0, 5)", 5.0),
        ("180*deg - pi", 0.0),
        ("deg(180) - pi", 0.0),
        ("rad(pi)", 180.0),
        ("k*rate", 10.0),
        ("1e3 + 1.5E-1 + .25 + 2.", 1002.4),
        ("mod(-1, 3)", 2.0),
        ("atan2(1, -1)", 0.75 * std::f64::consts::PI),
        ("hypot(3, 4)", 5.0),
        ("(-2)^3", -8.0),
        ("cbrt(-8)", -2.0),
        ("sign(-0.5) + sign(0)", -1.0),
        ("ln(e)", 1.0),
    ] {
        assert!((value(text) - expected).abs() < 1e-14, "{text}: {}", value(text));
    }
}

/// Derivatives agree with differences for every function, at points where it is smooth.
#[test]
fn derivatives_are_exact() {
    let formulas = [
        "sin(3*t)",
        "cos(t^2)",
        "tan(t)",
        "asin(t/2)",
        "acos(t/2)",
        "atan(2*t)",
        "atan2(t, 2 - t)",
        "sinh(t)",
        "cosh(t)",
        "tanh(3*t)",
        "exp(-t^2)",
        "ln(1 + t)",
        "log10(2 + t)",
        "sqrt(1 + t)",
        "cbrt(1 + t)",
        "hypot(t, 1)",
        "abs(t - 2)",
        "sign(t)*t^2",
        "floor(t)*t + t^3",
        "ceil(t)*t",
        "round(t)*t",
        "mod(5*t, 2)",
        "min(t^2, t^3)",
        "max(t^2, t^3)",
        "clamp(3*t, 0, 1)",
        "if(t > 0.2, t^4, 0)",
        "deg(t^2)",
        "rad(t^3)",
        "t^2.5",
        "2^t",
        "t^t",
        "t^-3",
        "(1 - t)^3",
        "1/(1 + t^2)",
        "-t*t + 3*t - 2",
    ];
    for function in FUNCTIONS {
        let used = formulas.iter().any(|formula| formula.contains(&format!("{}(", function.name)));
        assert!(used, "`{}` is not tested", function.name);
    }
    for text in formulas {
        let formula = Expression::parse(text, &[]).unwrap();
        let (t, h) = (0.63, 1e-3);
        let [value, rate, acceleration] = formula.jet(t);
        assert!((value - formula.value(t)).abs() <= 4.0 * f64::EPSILON * value.abs(), "{text}");
        let at = |k: f64| formula.value(t + k * h);
        // fourth order: h⁴ = 1e-12 times high derivatives of size 1e3, ε/h = 1e-13 and ε/h² = 1e-10
        let slope = (8.0 * (at(1.0) - at(-1.0)) - at(2.0) + at(-2.0)) / (12.0 * h);
        let bend =
            (16.0 * (at(1.0) + at(-1.0)) - at(2.0) - at(-2.0) - 30.0 * value) / (12.0 * h * h);
        let scale = 1.0 + value.abs() + rate.abs() + acceleration.abs();
        assert!((rate - slope).abs() < 1e-9 * scale, "{text}: {rate} {slope}");
        assert!((acceleration - bend).abs() < 1e-7 * scale, "{text}: {acceleration} {bend}");
    }
}

/// What is wrong is underlined, and something is suggested.
#[test]
fn mistakes_are_underlined() {
    for (text, underlined, says) in [
        ("2 + stifness", "stifness", "did you mean `stiffness`?"),
        ("sine(t)", "sine", "did you mean `sin`?"),
        ("sin + 1", "sin", "`sin(…)`"),
        ("sin(1, 2)", "sin(1, 2)", "takes 1 argument, not 2"),
        ("clamp(1, 2)", "clamp(1, 2)", "x kept between a and b"),
        ("(1 + 2", "", "`)` is missing"),
        ("1 + 2)", ")", "closes nothing"),
        ("2 t", "t", "an operator is missing"),
        ("1 +", "", "ends where a value is expected"),
        ("* 2", "*", "a value is expected here"),
        ("1 $ 2", "$", "has no meaning"),
        ("1 < t < 2", "<", "join them with `and`"),
        ("", "", "no formula"),
        ("1.2.3", ".3", "an operator is missing"),
        ("1e999", "1e999", "not a number"),
        ("größe", "größe", "there is no `größe`"),
    ] {
        let (message, place) = fault(text);
        assert!(message.contains(says), "{text}: {message}");
        assert_eq!(place, underlined, "{text}: {message}");
    }
    let deep = "(".repeat(10_000) + "1" + &")".repeat(10_000);
    assert!(fault(&deep).0.contains("too deeply nested"));
    let wide = (0..200).fold("1".to_string(), |text, _| format!("1 + ({text})"));
    assert!(Expression::parse(&wide, &[]).is_err(), "nesting is bounded");
    let long = vec!["1"; 10_000].join(" + ");
    assert_eq!(Expression::parse(&long, &[]).unwrap().value(0.0), 10_000.0);
}

/// A formula without time is a constant, one with time a function that drives take.
#[test]
fn formulas_become_functions() {
    let constant = Expression::parse("2*k", &[("k", 3.0)]).unwrap();
    assert!(!constant.needs_time() && constant.clone().into_function().is_constant());
    assert_eq!(constant.text(), "2*k");
    let ramp = Expression::parse("k*t^2", &[("k", 3.0)]).unwrap().into_function();
    assert_eq!(ramp.at(2.0), [12.0, 12.0, 6.0]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// No text makes it panic, and every place it names is one.
    #[test]
    fn any_text_is_answered(text in "[-+*/^(),.<>=!t0-9a-z ifé_]{0,60}") {
        match Expression::parse(&text, &[("a", 1.0)]) {
            Ok(formula) => {
                let _ = formula.jet(0.5);
            }
            Err(error) => prop_assert!(text.get(error.span.clone()).is_some(), "{:?}", error),
        }
    }
}
