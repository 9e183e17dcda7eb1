//! Formulas: their values, their derivatives, and what is reported when they are wrong.

use crate::mechanisms::Noise;
use cardan::expression::{Expression, FUNCTIONS};
use cardan::model::{Function, Law};
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
        "saturation(t^2, 0, 1)",
        "dead_band(t^3, 0.1)",
        "step(t, 0.5)*t^2",
        "smoothstep(t, 0.2, 0.9)",
        "haversine(t^2, 0.1, 5, 1, -3)",
        "pulse(t, 0.2, 0.1, 0.4)*t^3",
        "sawtooth(t^2, 0.3)",
        "chirp(t, 0.2, 0.9, 1)",
        "t*noise(7, 0.3, 0.5)",
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
        ("0.1*J1.angle", "J1.angle", "channels and points are not part of formulas"),
        ("0.1*J1.angle", "J1.angle", "may use `t`, the parameter `stiffness`, numbers, functions"),
        ("crank.tip.x + 1", "crank.tip.x", "`crank.tip.x` has no value here"),
        ("1 = 2", "=", "written =="),
        ("2,5", ",", "the decimal sign is a point"),
        ("zz", "zz", "may use `t`, the parameter `stiffness`"),
        ("5 % 3", "%", "mod(x, y)"),
        ("t²", "t²", "x^2"),
        ("5²", "²", "x^2"),
        ("2 − t", "−", "a minus sign is written `-`"),
        ("|t|", "|", "abs(x)"),
        ("1 && 2", "&", "`and`"),
        (".", ".", "not a number"),
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
    assert!(!constant.needs_time() && Function::from(constant.clone()).is_constant());
    assert_eq!(constant.text(), "2*k");
    let ramp = Function::from(Expression::parse("k*t^2", &[("k", 3.0)]).unwrap());
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

/// The distance of neighbouring numbers at x.
fn unit_in_last_place(x: f64) -> f64 {
    let x = x.abs().max(f64::MIN_POSITIVE);
    f64::from_bits(x.to_bits() + 1) - x
}

/// Every function and operator over its whole domain, with 20 digits of mpmath; `tests/data/formulas.py`
/// says how they were found and how many roundings each may have.
#[test]
fn derivatives_agree_with_many_digits_on_the_whole_domain() {
    let path = crate::files::repository("tests/data/formulas.csv");
    let text = std::fs::read_to_string(path).unwrap();
    let mut wrong = Vec::new();
    for line in text.lines().skip(1) {
        let (formula, rest) = match line.strip_prefix('"') {
            Some(line) => line.split_once("\",").unwrap(),
            None => line.split_once(',').unwrap(),
        };
        let columns: Vec<&str> = rest.split(',').collect();
        let [_, numbers @ ..] = columns.as_slice() else { panic!("{line}") };
        let numbers: Vec<f64> = numbers.iter().map(|x| x.trim().parse().unwrap()).collect();
        let &[t, value, first, second, ulps] = numbers.as_slice() else { panic!("{line}") };
        let parsed = Expression::parse(formula, &[]).unwrap();
        let jet = parsed.jet(t);
        assert!(parsed.value(t).to_bits() == jet[0].to_bits(), "{line}: two values");
        for (name, expected, found) in
            [("value", value, jet[0]), ("first", first, jet[1]), ("second", second, jet[2])]
        {
            // without a value nothing else is asked
            let is_asked = name == "value" || value.is_finite();
            let near = match expected.is_finite() {
                true => (found - expected).abs() <= ulps * unit_in_last_place(expected),
                false => !found.is_finite(),
            };
            if is_asked && found != expected && !near {
                wrong.push(format!("{formula} at {t:e}: {name} is {found:e}, not {expected:e}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

/// A law has the derivatives it needs wherever they exist, at rest and where a contact opens too.
#[test]
fn laws_have_their_derivatives_where_they_exist() {
    // force, stiffness and damping at x and v, by hand
    let cases = [
        ("max(-x, 0)^1.5", [0.0, 0.0], [0.0, 0.0, 0.0]),
        ("max(-x, 0)^1.5", [1.0, 2.0], [0.0, 0.0, 0.0]),
        ("max(-x, 0)^1.5", [-4.0, 2.0], [8.0, -3.0, 0.0]),
        ("max(-x, 0)^1.5*(1 - 0.5*v)", [0.0, 3.0], [0.0, 0.0, 0.0]),
        ("max(-x, 0)^1.5*(1 - 0.5*v)", [-4.0, 1.0], [4.0, -1.5, -4.0]),
        ("3*abs(v)^1.7", [1.0, 0.0], [0.0, 0.0, 0.0]),
        ("v*abs(v)^0.7", [1.0, 0.0], [0.0, 0.0, 0.0]),
        ("sign(v)*abs(v)^1.7", [1.0, 0.0], [0.0, 0.0, 0.0]),
        ("5*sign(v)", [1.0, 0.0], [0.0, 0.0, 0.0]),
        ("5*tanh(v/1e-3)", [1.0, 0.0], [0.0, 0.0, 5000.0]),
        ("5*tanh(v/1e-3)", [1.0, 800.0], [5.0, 0.0, 0.0]),
        ("abs(v)", [1.0, 0.0], [0.0, 0.0, 1.0]),
        ("sqrt(x^2 + v^2)", [0.0, 0.0], [0.0, 1.0, 1.0]),
        ("sqrt(x^2 + v^2)", [3.0, 4.0], [5.0, 0.6, 0.8]),
        ("hypot(x, v)", [0.0, 0.0], [0.0, 1.0, 1.0]),
        ("x*v/hypot(x, v)*0 + x", [1.0, 0.0], [1.0, 1.0, 0.0]),
        ("1/(1 + exp(-x/1e-3))", [-1.0, 0.0], [0.0, 0.0, 0.0]),
    ];
    for (text, [x, v], expected) in cases {
        let Law::General(law) = Law::formula(text, &[]).unwrap() else { panic!() };
        let found = law(x, v);
        let found = [found.force, found.stiffness, found.damping];
        // a few roundings of numbers below 10^4
        let is_near = |(found, expected): (&f64, &f64)| (found - expected).abs() < 1e-11;
        assert!(found.iter().zip(&expected).all(is_near), "{text} at {x}, {v}: {found:?}");
    }
    for (text, [x, v]) in
        [("sqrt(x)", [0.0, 1.0]), ("sign(v)*sqrt(abs(v))", [1.0, 0.0]), ("ln(x)", [0.0, 0.0])]
    {
        let Law::General(law) = Law::formula(text, &[]).unwrap() else { panic!() };
        let found = law(x, v);
        assert!(
            ![found.force, found.stiffness, found.damping].iter().all(|x| x.is_finite()),
            "{text}"
        );
    }
}

/// Variables that are not given are not numbers, and nothing panics.
#[test]
fn missing_variables_are_not_numbers() {
    let sum = Expression::parse_of("x + 2*y", &["x", "y"]).unwrap();
    assert_eq!(sum.of(&[1.0, 2.0]), 5.0);
    assert_eq!(sum.of(&[1.0, 2.0, 7.0]), 5.0);
    assert!(sum.of(&[1.0]).is_nan() && sum.of(&[]).is_nan() && sum.value(1.0).is_nan());
    assert!(sum.jet(1.0).iter().all(|x| x.is_nan()));
    assert_eq!(Expression::parse_of("3", &[]).unwrap().of(&[]), 3.0);
    // comparisons of what is not a number decide nothing
    for text in [
        "if(sqrt(-1) > 0, 1, 2)",
        "not ln(-1)",
        "sqrt(-1) == sqrt(-1)",
        "1 or asin(2)",
        "clamp(1, 3, 2)",
    ] {
        assert!(value(text).is_nan(), "{text}");
    }
}

/// A formula of a few operations, from noise.
fn random(noise: &mut Noise, depth: usize) -> String {
    let mut below = |n: usize| ((noise.next() + 1.0) * 0.5 * n as f64) as usize % n;
    let (kind, number) = (below(if depth == 0 { 3 } else { 8 }), below(7));
    let function = &FUNCTIONS[below(FUNCTIONS.len())];
    let operator = ["+", "-", "*", "/", "^", "<", " and "][below(7)];
    match kind {
        0 | 1 => "t".into(),
        2 => ["0", "1", "2", "0.5", "1e300", "711", "2.5"][number].into(),
        3..=5 => {
            let arguments: Vec<String> =
                function.arguments.iter().map(|_| random(noise, depth - 1)).collect();
            format!("{}({})", function.name, arguments.join(","))
        }
        _ => format!("({}){operator}({})", random(noise, depth - 1), random(noise, depth - 1)),
    }
}

/// The value with derivatives is the value without, bit by bit, and the slope is that of differences
/// wherever these agree among themselves and the formula has no steps.
#[test]
fn random_formulas_have_one_value_and_the_slope_of_differences() {
    let mut noise = Noise(11);
    let (mut compared, mut refused) = (0, 0);
    for k in 0..3000 {
        let text = random(&mut noise, 3);
        // arguments for which a function has no values are refused
        let Ok(formula) = Expression::parse(&text, &[]) else {
            refused += 1;
            continue;
        };
        let t = [0.63, 0.0, -1.3, 2.5][k % 4];
        let [value, slope, _] = formula.jet(t);
        let plain = formula.value(t);
        assert!(value.to_bits() == plain.to_bits() || value.is_nan() && plain.is_nan(), "{text}");
        let steps = [
            "1e300", "sign", "floor", "ceil", "round", "mod", "<", "and", "if", "step", "pulse",
            "sawtooth",
        ];
        if !slope.is_finite() || t == 0.0 || steps.iter().any(|step| text.contains(step)) {
            continue;
        }
        // to the right, fourth order; three steps, so that what is no slope does not agree
        let [rough, fine, finest] = [1e-3, 4e-4, 1.7e-4].map(|h: f64| {
            let at = |k: f64| formula.value(t + k * h);
            let sum =
                48.0 * at(1.0) - 25.0 * at(0.0) - 36.0 * at(2.0) + 16.0 * at(3.0) - 3.0 * at(4.0);
            sum / (12.0 * h)
        });
        let spread = (rough - fine).abs().max((fine - finest).abs());
        let round_off = 1e-11 * (1.0 + value.abs());
        if spread <= 1e-6 * fine.abs() + round_off {
            compared += 1;
            let allowed = 10.0 * spread + 1e-6 * fine.abs() + 10.0 * round_off;
            assert!((slope - fine).abs() <= allowed, "{text} at {t}: {slope}, not {fine}");
        }
    }
    assert!(compared > 500 && refused < 1000, "{compared} {refused}");
}

/// What is not a number is neither true nor false, so that it is seen at the end.
#[test]
fn what_is_not_a_number_is_passed_on() {
    for text in [
        "0/0 < 1",
        "1 >= 0/0",
        "0/0 == 0/0",
        "0/0 != 1",
        "not 0/0",
        "not (0/0 < 1)",
        "0/0 and 1",
        "1 or 0/0",
        "min(0/0, 1)",
        "min(1, 0/0)",
        "max(0/0, 1)",
        "clamp(0/0, 0, 1)",
        "if(0/0 > 1, 2, 3)",
        "sign(0/0)",
        "(0/0)^0",
    ] {
        assert!(value(text).is_nan(), "{text}: {}", value(text));
    }
    assert_eq!(value("if(1/0 > 1, 2, 3)"), 2.0);
}

/// A value that all must be finite for: infinities and what is not a number leave none.
#[test]
fn a_finite_value_comes_of_finite_values_only() {
    let finite = |text: &str, x: f64| Expression::parse_of(text, &["x"]).unwrap().of_finite(&[x]);
    for (text, x) in [
        ("1/x > 1", 0.0),
        ("x > 1", f64::INFINITY),
        ("x < 1", f64::NEG_INFINITY),
        ("1/x < 1", f64::INFINITY),
        ("min(x, 1) == 1", f64::INFINITY),
        ("not (x > 1)", f64::NAN),
        ("x != 1", f64::NAN),
        ("x > 1 and 1 > 0", f64::INFINITY),
        ("x > 1 or 0 > 1", f64::INFINITY),
        ("if(x > 1, 1, 1)", f64::INFINITY),
        ("exp(x) > 1", 1e3),
        ("1", f64::NAN),
    ] {
        let expected = if text == "1" { Some(1.0) } else { None };
        assert_eq!(finite(text, x), expected, "{text} at {x}");
    }
    for (text, x, expected) in [
        ("1/x > 1", 0.5, 1.0),
        ("if(x == 0, 0, 1/x)", 0.0, 0.0),
        // the other side settles it
        ("1/x > 1 and 1 > 2", 0.0, 0.0),
        ("1/x > 1 or 2 > 1", 0.0, 1.0),
    ] {
        assert_eq!(finite(text, x), Some(expected), "{text} at {x}");
    }
}
