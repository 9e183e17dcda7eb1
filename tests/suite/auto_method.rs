//! The rules of `method = "auto"` against the recorded work and precision of the candidates.

use cardan_lab::study::accuracy_recorded;

use super::files::model;

/// The work of the choice over that of the best candidate at the same error.
const MAX_RATIO: f64 = 3.0;

/// Models and tolerances at which the choice needs more work than that, with the reason.
const EXCEPTIONS: &[(&str, f64, &str)] = &[(
    "forced_oscillator",
    1e-3,
    "50 s are a part of a slow motion with a period of 628 s: a few steps, of which those of \
     esdirk436 have six stages",
)];

#[test]
fn auto_needs_at_most_three_times_the_work_of_the_best_candidate() {
    let record = accuracy_recorded();
    assert!(record.models().len() >= 20, "{:?}", record.models());
    for tolerance in [1e-3, 1e-6, 1e-8] {
        for choice in record.choices(tolerance).unwrap() {
            let is_excepted =
                EXCEPTIONS.iter().any(|(model, at, _)| *model == choice.model && *at == tolerance);
            assert_eq!(choice.ratio <= MAX_RATIO, !is_excepted, "{choice:?}");
        }
    }
}

/// Friction, and forces that saturate within a small speed, are followed by a method of second order.
#[test]
fn auto_takes_second_order_for_abrupt_forces() {
    let chosen = |name: &str, tolerance: f64| {
        model(name, &[]).mechanism.recommended_method(tolerance).choice.method
    };
    for name in ["belt", "clutch"] {
        assert_eq!(chosen(name, 1e-4), "generalized-alpha", "{name}");
        assert_eq!(chosen(name, 1e-8), "esdirk436", "{name}");
    }
    for name in ["pendulum", "andrews", "slider_crank_beam", "servo_arm"] {
        assert_eq!(chosen(name, 1e-4), "esdirk436", "{name}");
    }
}

/// Formulas are searched by their structure, not by their text: calls with constants do not change abruptly.
#[test]
fn auto_finds_abrupt_functions_in_the_structure_of_formulas() {
    let text = |value: &str| {
        format!(
            "format = 2\nplanar = true\n[parameters]\ns = 0.01\n[body.bar]\nmass = 2\nshape = {{ rod = 1 }}\n\
             position = [0.5, 0]\n[joint.O]\ntype = \"revolute\"\nbetween = [\"ground\", \"bar\"]\nat = [0, 0]\n\
             [signal]\nw = \"O.angle.rate\"\n[force.drag]\ntype = \"motor\"\njoint = \"O\"\nvalue = \"{value}\"\n"
        )
    };
    for (value, expected) in [
        ("-tanh (w/s)", "generalized-alpha"),
        ("-2*sign(O.angle.rate)", "generalized-alpha"),
        ("-w*tanh(1)", "esdirk436"),
        ("-w*sign(s)", "esdirk436"),
        ("-0.1*w*abs(w)", "esdirk436"),
    ] {
        let file = cardan::file::ModelFile::parse("drag.toml", &text(value), &[]).unwrap();
        let chosen = file.mechanism.recommended_method(1e-4);
        assert_eq!(chosen.choice.method, expected, "{value}");
    }
}

/// The block on the belt sticks and slips; three methods at a tolerance of 1e-6 (`bdf2`, `generalized-alpha`, `esdirk325`)
/// agree in its position at 10 s to 5e-6 m.
#[test]
fn belt_runs_with_the_tolerance_of_its_file() {
    let file = model("belt", &[]);
    let start = file.assemble().unwrap();
    let schedule = file.schedule().unwrap();
    let mut motion =
        cardan::Simulation::new(&start.model, &schedule.settings, &start.initial).unwrap();
    while motion.now().t < schedule.end {
        motion.advance(schedule.end).unwrap();
    }
    let found = start.model.read("slide.translation", motion.now()).unwrap()[0];
    assert_eq!(motion.now().t, 10.0);
    // the tolerance, 1e-4, of lengths of about one
    assert!((found - 0.036209).abs() < 1e-4, "{found}");
    let counts = motion.step_counts();
    assert!(counts.rejected + counts.failed < counts.accepted / 10, "{counts:?}");
}
