//! Functions of time: steps, ramps, pulses, chirps and noise against their closed forms.

use cardan::expression::Expression;
use std::f64::consts::{PI, TAU};

fn jet(text: &str, t: f64) -> [f64; 3] {
    Expression::parse(text, &[("k", 2.0)]).unwrap().jet(t)
}

fn assert_jet(text: &str, t: f64, expected: [f64; 3]) {
    let found = jet(text, t);
    for k in 0..3 {
        // some roundings
        let allowed = 1e-13 * (1.0 + expected[k].abs());
        assert!((found[k] - expected[k]).abs() <= allowed, "{text} at {t}: {found:?} {expected:?}");
    }
}

#[test]
fn ramps_and_steps_have_their_closed_forms() {
    for (text, t, expected) in [
        ("step(t, 1)", 0.999, [0.0; 3]),
        ("step(t, 1)", 1.0, [1.0, 0.0, 0.0]),
        ("smoothstep(t, 1, 3)", 0.5, [0.0; 3]),
        // u = 1/4 with u' = 1/2: u²(3 − 2u), 6u(1 − u)/2, 6(1 − 2u)/4
        ("smoothstep(t, 1, 3)", 1.5, [0.15625, 0.5625, 0.75]),
        ("smoothstep(t, 1, 3)", 1.0, [0.0, 0.0, 1.5]),
        ("smoothstep(t, 1, 3)", 3.0, [1.0, 0.0, 0.0]),
        ("smoothstep(t, 1, 3)", 9.0, [1.0, 0.0, 0.0]),
        ("haversine(t, 0, 1, 2, 5)", -1.0, [1.0, 0.0, 0.0]),
        // 3 − 2 cos(π t/2)
        ("haversine(t, 0, 1, 2, 5)", 1.0, [3.0, PI, 0.0]),
        ("haversine(t, 0, 1, 2, 5)", 0.0, [1.0, 0.0, 0.5 * PI * PI]),
        ("haversine(t, 0, 1, 2, 5)", 2.0, [5.0, 0.0, 0.0]),
        ("dead_band(t, 0.5)", 0.25, [0.0; 3]),
        ("dead_band(t, 0.5)", 0.5, [0.0, 1.0, 0.0]),
        ("dead_band(t, 0.5)", -0.5, [0.0; 3]),
        ("dead_band(t, 0.5)", 2.0, [1.5, 1.0, 0.0]),
        ("dead_band(t, 0.5)", -2.0, [-1.5, 1.0, 0.0]),
        ("saturation(k*t, -1, 1)", 0.25, [0.5, 2.0, 0.0]),
        ("saturation(k*t, -1, 1)", 3.0, [1.0, 0.0, 0.0]),
        ("sawtooth(t, 2)", 5.0, [0.5, 0.5, 0.0]),
        ("sawtooth(t, 2)", 4.0, [0.0, 0.5, 0.0]),
        ("sawtooth(t, 2)", -0.5, [0.75, 0.5, 0.0]),
    ] {
        assert_jet(text, t, expected);
    }
    for (t, expected) in
        [(-1.0, 0.0), (0.99, 0.0), (1.0, 1.0), (1.24, 1.0), (1.25, 0.0), (3.1, 1.0), (4.9, 0.0)]
    {
        assert_eq!(jet("pulse(t, 1, 0.25, 2)", t), [expected, 0.0, 0.0], "{t}");
    }
    // the value on the right of a step that falls is that of the expansion
    assert_eq!(jet("step(-t, 0)*t", 0.0)[1], 0.0);
}

#[test]
fn a_chirp_has_its_frequencies() {
    // the frequency 2 + 3 t/4 Hz until 4 s, then 5 Hz; phases by integration
    let phase = |t: f64| match t {
        t if t < 0.0 => [2.0 * t, 2.0, 0.0],
        t if t < 4.0 => [2.0 * t + 0.375 * t * t, 2.0 + 0.75 * t, 0.75],
        t => [14.0 + 5.0 * (t - 4.0), 5.0, 0.0],
    };
    for t in [-1.3, 0.0, 0.7, 3.9, 4.0, 7.2] {
        let [phase, rate, bend] = phase(t).map(|x| TAU * x);
        let expected =
            [phase.sin(), rate * phase.cos(), bend * phase.cos() - rate * rate * phase.sin()];
        let found = jet("chirp(t, 2, 5, 4)", t);
        for k in 0..3 {
            // round-off of a phase of 100, times the square of a rate of 30
            assert!((found[k] - expected[k]).abs() < 1e-10, "{t}: {found:?} {expected:?}");
        }
    }
}

#[test]
fn noise_has_its_rms_and_bandwidth_and_is_repeatable() {
    let noise = Expression::parse("noise(3, 0.7, 5)", &[]).unwrap();
    let again = Expression::parse("noise(1 + k, 0.7, 5)", &[("k", 2.0)]).unwrap();
    let other = Expression::parse("noise(4, 0.7, 5)", &[]).unwrap();
    // 20000 s and 20 values per s: each of the 64 sines passes many periods
    let values: Vec<f64> = (0..400_000).map(|k| noise.value(0.05 * f64::from(k))).collect();
    let square = values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64;
    assert!((square.sqrt() - 0.7).abs() < 0.01, "{square}");
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    assert!(mean.abs() < 0.01, "{mean}");
    assert!(values.iter().all(|x| x.abs() < 0.7 * 64_f64.sqrt() * 2_f64.sqrt()));
    // equal parts of the band: the mean square of the rate is (2π B)²/3 of that of the value
    let rates = (0..100_000).map(|k| noise.jet(0.2 * f64::from(k))[1]);
    let rate = (rates.map(|x| x * x).sum::<f64>() / 1e5).sqrt();
    let expected = 0.7 * TAU * 5.0 / 3_f64.sqrt();
    assert!((rate / expected - 1.0).abs() < 0.02, "{rate} {expected}");
    assert_eq!(noise.value(1.7), again.value(1.7));
    assert!((noise.value(1.7) - other.value(1.7)).abs() > 1e-3);
    // the rms may be a formula
    let growing = Expression::parse("noise(3, 0.7*t, 5)", &[]).unwrap();
    assert!((growing.value(2.0) - 2.0 * noise.value(2.0)).abs() < 1e-15);
}

#[test]
fn impossible_arguments_are_refused() {
    for (text, place, message) in [
        ("1 + smoothstep(t, 2, 1)", "smoothstep(t, 2, 1)", "begins at 2 and ends at 1"),
        ("haversine(t, k, 0, 1+1, 1)", "haversine(t, k, 0, 1+1, 1)", "begins at 2 and ends at 2"),
        ("pulse(t, 0, 1, 0)", "pulse(t, 0, 1, 0)", "the period is 0; it must be positive"),
        ("pulse(t, 0, 3, k)", "pulse(t, 0, 3, k)", "width 3 is larger than the period 2"),
        ("pulse(t, 0, -1, 2)", "pulse(t, 0, -1, 2)", "the width is -1; it cannot be negative"),
        ("sawtooth(t, -1)", "sawtooth(t, -1)", "the period is -1"),
        ("chirp(t, 1, 2, 0)", "chirp(t, 1, 2, 0)", "the duration is 0"),
        ("dead_band(t, -k)", "dead_band(t, -k)", "the width is -2"),
        ("noise(1, 1, 0)", "noise(1, 1, 0)", "the bandwidth is 0"),
        ("noise(t, 1, 5)", "noise(t, 1, 5)", "must be constants"),
        ("noise(1, 1)", "noise(1, 1)", "takes 3 arguments, not 2"),
    ] {
        let error = Expression::parse(text, &[("k", 2.0)]).unwrap_err();
        assert!(error.message.contains(message), "{text}: {error}");
        assert_eq!(&text[error.span], place, "{text}");
    }
    // arguments that vary are not numbers where they are impossible
    for text in ["smoothstep(t, t, 1)", "pulse(t, 0, t, 1)", "sawtooth(1, -t)", "dead_band(1, -t)"]
    {
        assert!(jet(text, 3.0).iter().all(|x| x.is_nan()), "{text}");
    }
    let error = Expression::parse_curve("noise(1, 1, 5)", &[]).unwrap_err();
    assert!(error.message.contains("is a function of time `t`, which is not allowed here"));
    assert!(Expression::parse_number("noise(1, 1, 5)", &[]).is_err());
}
