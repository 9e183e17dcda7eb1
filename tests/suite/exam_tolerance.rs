//! The exam of methods with a tolerance: the error follows it, for every method of the registry that takes one.

use cardan::Formulation;
use cardan::methods::{self, Registry, SystemFeature};
use cardan_lab::exam::{self, ExamRecord, TOLERANCE_EXCEPTIONS, ToleranceGrade};

/// Errors over the tolerance.
const MAX_RATIO: f64 = 100.0;
/// The range of d log error / d log tolerance.
const SLOPES: std::ops::RangeInclusive<f64> = 0.8..=1.2;
/// The largest ratio of an error to that of the next looser tolerance.
const MAX_REVERSAL: f64 = 2.0;
/// The largest share of rejected steps.
const MAX_REJECTED: f64 = 0.1;

/// Run once for all tests.
fn sit() -> &'static ExamRecord {
    static RECORD: std::sync::OnceLock<ExamRecord> = std::sync::OnceLock::new();
    RECORD.get_or_init(|| exam::run_tolerances(&Registry::standard(), &[]).unwrap())
}

/// The quantities that occur in a grade, with ratio and slope.
fn quantities(grade: &ToleranceGrade) -> Vec<(&'static str, f64, f64)> {
    let named = ToleranceGrade::QUANTITIES.into_iter().zip(grade.largest()).zip(grade.slopes);
    let present = named.filter(|((_, ratio), _)| *ratio > 0.0);
    present.map(|((name, ratio), slope)| (name, ratio, slope)).collect()
}

#[test]
fn errors_follow_the_tolerance_with_every_method_that_takes_one() {
    let mut wrong = Vec::new();
    for grade in &sit().tolerances {
        let info = methods::find(&grade.method).unwrap();
        let about = format!("{} {} {}", grade.method, grade.constraints, grade.problem);
        for (name, ratio, slope) in quantities(grade) {
            let excused =
                TOLERANCE_EXCEPTIONS.iter().any(|x| x.concerns(info, &grade.problem, name));
            let is_good = ratio <= MAX_RATIO && SLOPES.contains(&slope);
            if !excused && !is_good {
                wrong.push(format!(
                    "{about}: {name} is {ratio:.2} times the tolerance, slope {slope:.2}"
                ));
            }
        }
        if grade.reversal.is_nan() || grade.reversal > MAX_REVERSAL {
            wrong.push(format!("{about}: reversal {}", grade.reversal));
        }
        if grade.rejected_share() >= MAX_REJECTED {
            wrong.push(format!("{about}: {:?} of {:?} rejected", grade.rejected, grade.steps));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every method is graded on every problem it supports, or has a reason why it takes no tolerance.
#[test]
fn no_method_is_omitted_without_a_reason() {
    let problems = exam::problems::all();
    let mut controlled = 0;
    for info in methods::all() {
        let method = info.build(&[]).unwrap();
        let free = info.tolerance_refusal(method.as_ref(), None);
        let constrained = info.controlled_formulation(method.as_ref());
        let expected = problems.iter().filter(|problem| {
            let has_states = problem.system.state_count() > 0;
            let takes_states = info.unsupported_reason(SystemFeature::FirstOrderStates).is_none();
            let is_controlled = match problem.system.holonomic_count() > 0 {
                true => constrained.is_some(),
                false => free.is_none(),
            };
            is_controlled && (takes_states || !has_states)
        });
        let found = sit().tolerances_of(info.name).count();
        assert_eq!(found, expected.count(), "{}", info.name);
        controlled += usize::from(found > 0);
        let reason = free.or(info.tolerance_refusal(method.as_ref(), Some(Formulation::Position)));
        assert!(found > 0 || reason.is_some_and(|reason| reason.len() > 20), "{}", info.name);
    }
    // embedded pairs, the generalized-α family and two-step formulas
    assert!(controlled >= 10, "{controlled}");
}

/// The record that tables and the documentation read is what the code measures today.
#[test]
fn the_record_of_tolerances_is_current() {
    let (kept, now) = (exam::recorded(), sit());
    assert_eq!(kept.tolerances.len(), now.tolerances.len(), "renew it: cardan exam --write");
    for (kept, now) in kept.tolerances.iter().zip(&now.tolerances) {
        assert_eq!((&kept.method, &kept.problem), (&now.method, &now.problem));
        for ((name, ratio, _), (_, then, _)) in quantities(now).into_iter().zip(quantities(kept)) {
            // another order of additions may change when a step changes its size
            let is_near = (0.5..2.0).contains(&(ratio / then));
            assert!(
                is_near,
                "renew it: cardan exam --write: {} {name}: {ratio} {then}",
                now.method
            );
        }
    }
}

/// Every exception is about a grade that needs it, and has a reason.
#[test]
fn tolerance_exceptions_are_about_something() {
    for exception in TOLERANCE_EXCEPTIONS {
        let is_needed = sit().tolerances.iter().any(|grade| {
            let info = methods::find(&grade.method).unwrap();
            quantities(grade).into_iter().any(|(name, ratio, slope)| {
                exception.concerns(info, &grade.problem, name)
                    && !(ratio <= MAX_RATIO && SLOPES.contains(&slope))
            })
        });
        assert!(is_needed && exception.reason.len() > 20, "{exception:?}");
    }
}
