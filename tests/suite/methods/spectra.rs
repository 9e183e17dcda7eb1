//! Linear analysis against the fixtures: radius, decay and period, order and error constant.

use super::built;
use crate::exam::called;
use cardan::methods::{self, ParameterValue};
use cardan_lab::spectral::{accuracy, overshoot, region, responses};

/// Every row of the fixtures whose oscillation is told from its aliases.
#[test]
fn decay_and_period_agree_with_the_fixtures() {
    let text = include_str!("../../data/spectral.csv");
    let mut seen = 0;
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |k: usize| fields[k].parse::<f64>().unwrap();
        let Some(info) = methods::find(&called(fields[0])) else { continue };
        let given: Vec<(&str, ParameterValue)> = match info.takes("rho") {
            true => vec![("rho", number(1).into())],
            false => vec![],
        };
        let (_, method) = built(info.name, &given);
        let found = &responses(info, method.as_ref(), &[number(3)], 0.0).unwrap()[0];
        // a root known to 1e-15 gives its logarithm over ωh ≥ 0.06 to some 1e-13; near -1 or an r-fold
        // root to its r-th root
        let is_multiple = number(3) > 1.0 || (fields[1] == "1.0" && number(3) > 0.1);
        let bound = if is_multiple { 1e-3 } else { 1e-9 };
        assert!((found.radius - number(6)).abs() < bound, "{line}: {}", found.radius);
        // beyond half a turn the fixtures go on unwrapping
        let is_aliased = fields[7] != "ok";
        if !is_aliased && !is_multiple {
            let decay = found.amplitude_decay - number(4);
            let period = found.period_elongation - number(5);
            assert!(decay.abs() < 1e-7 && period.abs() < 1e-7, "{line}: {found:?}");
            seen += 1;
        }
        assert_eq!(found.is_aliased, is_aliased, "{line}");
    }
    assert!(seen > 230, "{seen}");
}

/// |EC| = 1/12 + x²/(4, 12, 20), x = (1 − ρ)/(1 + ρ), of the multistep methods and their single-step
/// forms; 1/12 of n trapezoidal sub-steps at equal work.
#[test]
fn orders_and_error_constants_are_the_known_ones() {
    for (name, factor) in
        [("lms2", 4.0), ("lms3", 12.0), ("lms4", 20.0), ("ss2", 4.0), ("ss3", 12.0), ("ss4", 20.0)]
    {
        for rho in [0.0, 0.37, 0.6] {
            let (info, method) = built(name, &[("rho", rho.into())]);
            let x = (1.0 - rho) / (1.0 + rho);
            let expected = 1.0 / 12.0 + x * x / factor;
            let found = accuracy(info, method.as_ref()).unwrap();
            // what is left of the terms after next at ωh = 0.01, and round-off over 0.005³
            assert!((found.error_constant - expected).abs() < 1e-5, "{name} {rho}: {found:?}");
            assert!((found.order - 2.0).abs() < 1e-3, "{name} {rho}: {found:?}");
        }
    }
    for info in methods::all() {
        let found = accuracy(info, info.build(&[]).unwrap().as_ref()).unwrap();
        // the next term at the larger steps that high orders need
        assert!((found.order - f64::from(info.order)).abs() < 0.03, "{}: {found:?}", info.name);
        if info.takes("rho") && info.order == 2 && !info.name.starts_with("hht") {
            let (_, undamped) = built(info.name, &[("rho", 1.0.into())]);
            let found = accuracy(info, undamped.as_ref()).unwrap();
            assert!((found.error_constant - 1.0 / 12.0).abs() < 1e-5, "{}: {found:?}", info.name);
        }
    }
}

/// A-stable methods have the edge of their region in the right half-plane, the undamped ones on the
/// imaginary axis, which no ray but one meets.
#[test]
fn stability_regions_hold_the_left_half_plane() {
    for info in methods::all() {
        if info.stability == methods::Stability::Conditional {
            continue;
        }
        let edge = region(info, info.build(&[]).unwrap().as_ref(), 24).unwrap();
        assert!(edge.iter().all(|point| point.re > 0.0), "{}: {edge:?}", info.name);
        let is_undamped = matches!(info.name, "trapezoidal" | "newmark-so3");
        assert_eq!(edge.is_empty(), is_undamped, "{}", info.name);
    }
    // backward differentiation: the known locus meets the real axis at 4
    let (info, method) = built("bdf2", &[]);
    let edge = region(info, method.as_ref(), 180).unwrap();
    let farthest = edge.iter().fold(0.0_f64, |most, point| most.max(point.re));
    assert!((farthest - 4.0).abs() < 1e-2, "{farthest}");
}

/// The experiment of equation (76): multistep and printed single-step methods do not overshoot.
#[test]
fn multistep_and_printed_single_step_methods_do_not_overshoot() {
    for name in ["lms2", "lms3", "lms4", "ss2", "ss3", "ss4"] {
        let start = if name.starts_with("ss") { "printed" } else { "single-step" };
        for rho in [0.0, 0.6] {
            let (info, method) = built(name, &[("rho", rho.into()), ("startup", start.into())]);
            let motion = overshoot(info, method.as_ref(), 0.0, 10.0, 30).unwrap();
            assert!(motion.displacement() <= 1.0 && motion.velocity() <= 1.0, "{name} {rho}");
            let last = motion.displacements.last().unwrap().abs();
            // decays like ρᵏ times a polynomial of degree r − 1
            assert!(last < 0.05, "{name} {rho}: {last}");
        }
    }
}
