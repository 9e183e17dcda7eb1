//! The observed order of convergence of Newton's method.

use crate::study::StudyCase;
use cardan::stage::{KeepJacobian, NewtonOptions};
use cardan::{Settings, Simulation};

use super::plan::Planned;
use crate::error::LabError;

/// The number of steps that are observed.
const STEPS: usize = 200;
/// Corrections below this are round-off.
const ROUND_OFF: f64 = 1e-13;

/// The median over steps of the order observed in three consecutive corrections, with a new matrix for each.
pub fn order(study: &Planned, case: &StudyCase) -> Result<f64, LabError> {
    let subject = study.prepared.problem(0.0)?;
    let newton = NewtonOptions {
        tolerance: 1e-13,
        keep_jacobian: KeepJacobian::Never,
        ..NewtonOptions::default()
    };
    let settings =
        Settings { constraints: case.constraints, newton, ..Settings::of(&case.choice, case.step) };
    let system: &dyn cardan::System = subject.system;
    let mut motion = Simulation::new(system, &settings, subject.initial)?;
    let mut orders = Vec::new();
    for _ in 0..STEPS {
        if motion.now().t + case.step > subject.end || motion.step().is_err() {
            break;
        }
        // the last three above round-off, where the constant matters least
        let corrections: Vec<f64> =
            motion.corrections().iter().copied().filter(|x| *x > ROUND_OFF).collect();
        if let [.., first, second, third] = corrections[..] {
            orders.push((third / second).ln() / (second / first).ln());
        }
    }
    orders.sort_by(f64::total_cmp);
    Ok(orders.get(orders.len() / 2).copied().unwrap_or(f64::NAN))
}
