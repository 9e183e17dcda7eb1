//! The member and its formula.

use super::impulses::{Impulses, Shares};
use crate::math::Chart;
use crate::methods::generalized_alpha::{ALPHA, HHT_RHO, hht_coefficients};
use crate::methods::info::{MethodInfo, Permission, Stability, SystemFeature};
use crate::methods::{
    AccelerationSource, AuxiliaryKind, Method, MethodStorage, Parameter, ParameterError,
    ParameterValues, Step, StepEnd,
};
use crate::stage::ConstraintForces;
use crate::stage::StageError;
use crate::system::Evaluator;

/// Smallest distance of b from one half, where the two impulses become equal.
const DISTINCT: f64 = 0.05;

const BOTH_LEVELS: &str = "its two impulses per step impose positions and velocities; `hht` supports the \
                           others";

/// The members.
pub(in crate::methods) const MEMBERS: &[MethodInfo] = &[MethodInfo {
    name: "hht-add",
    aliases: &[],
    family: "hht-add",
    title: "Hilber–Hughes–Taylor for applied forces, constraints by two impulses per step",
    order: 2,
    chart: Chart::Exponential,
    stability: Stability::A,
    parameters: &[
        ALPHA,
        HHT_RHO,
        Parameter::number(
            "b",
            [0.0, 1.0],
            Some(0.0),
            "the weight of the second impulse in the positions; not within 0.05 of 1/2, where the two \
             become one",
        ),
    ],
    formulations: [
        Permission::Refused(BOTH_LEVELS),
        Permission::Allowed,
        Permission::Refused(BOTH_LEVELS),
    ],
    refuses: &[
        (
            SystemFeature::FirstOrderStates,
            "its formula gives positions and velocities from accelerations; first-order states have \
             none",
        ),
        (
            SystemFeature::Friction,
            "its impulses are not the constraint forces of an instant, which friction needs",
        ),
        (
            SystemFeature::Massless,
            "impulses change each coordinate by M⁻¹, so every coordinate needs inertia",
        ),
    ],
    multipliers_between: 2,
    variable_step: false,
    typical_use: "constrained systems whose energy must be kept, with both constraint levels closed",
    source: "Negrut, Jay, Khude 2009, corrected",
    build,
}];

fn build(values: &ParameterValues) -> Result<Box<dyn Method>, ParameterError> {
    let [alpha_f, beta, gamma] = hht_coefficients(values)?;
    let second = values.get("b");
    // a tolerance for rounded input
    if (second - 0.5).abs() < DISTINCT - 1e-9 {
        return Err(values.meaningless(
            "b",
            second,
            "within 0.05 of 1/2 the two impulses are nearly equal, and cannot enforce both positions and \
             velocities",
        ));
    }
    Ok(Box::new(HhtAdd { alpha_f, beta, gamma, second }))
}

/// The formula with its coefficients.
#[derive(Clone, Copy, Debug)]
struct HhtAdd {
    /// −α.
    alpha_f: f64,
    beta: f64,
    gamma: f64,
    /// b.
    second: f64,
}

impl HhtAdd {
    /// f at the start of the step, into the next acceleration as scratch.
    fn free_acceleration(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        let (now, free) = (step.now, &mut step.next.a);
        free.copy_from_slice(&now.a);
        if now.multipliers.is_empty() {
            return Ok(());
        }
        step.evaluator.force(step.system, &now.into(), free)?;
        step.evaluator.mass(step.system, &now.q)?;
        step.evaluator.jacobian(step.system, now.t, &now.q)?;
        let Some(impulses) = step.stage.constraint_forces_as::<Impulses>() else { return Ok(()) };
        let begun = impulses.begin_step(step.evaluator, free);
        begun.map_err(|error| step.stage.explain(step.system, error))
    }

    /// The weights of the impulses: ½h² over c_q, ½h over c_v.
    fn shares(&self) -> Shares {
        let Self { alpha_f, beta, gamma, second } = *self;
        let share = 1.0 - alpha_f;
        Shares { second, position: 0.5 / (beta * share), velocity: 0.5 / (gamma * share) }
    }

    fn fill_stage_map(&self, step: &mut Step<'_>) {
        let Self { alpha_f, beta, gamma, .. } = *self;
        let (h, now, map, free) = (step.h, step.now, &mut step.stage.map, &step.next.a);
        let older = &step.auxiliary[0];
        map.t = step.t_next;
        let share = 1.0 - alpha_f;
        (map.c_q, map.c_v, map.c_a) = (h * h * beta * share, h * gamma * share, 1.0);
        map.reference.copy_from_slice(&now.q);
        for i in 0..free.len() {
            let a = share * free[i] + alpha_f * older[i];
            let known = alpha_f * free[i];
            map.d[i] = h * (now.v[i] + h * ((0.5 - beta) * a + beta * known));
            map.v[i] = now.v[i] + h * ((1.0 - gamma) * a + gamma * known);
            map.a[i] = 0.0;
        }
        if now.multipliers.is_empty() {
            step.stage.predict(free, &[], &[]);
            return;
        }
        // predict both impulses from the multipliers: a = f + R
        let record = &mut step.records[0];
        let Shares { position, velocity, .. } = self.shares();
        for (i, free) in free.iter().enumerate() {
            let constraint = now.a[i] - free;
            record.rate[i] = free + position * constraint;
            record.a[i] = free + 2.0 * velocity * constraint;
        }
        for (nu, lambda) in record.multipliers.iter_mut().zip(&now.multipliers) {
            *nu = position * lambda;
        }
        step.stage.predict(&record.rate, &record.multipliers, &[]);
        step.stage.predict_velocity(&record.a, |i| 2.0 * velocity * now.multipliers[i]);
    }
}

impl Method for HhtAdd {
    fn storage(&self) -> MethodStorage {
        MethodStorage {
            earlier: 1,
            auxiliary: vec![("free acceleration", AuxiliaryKind::Velocity)],
            records: 1,
            ..MethodStorage::default()
        }
    }

    fn constraint_forces(&self, evaluator: &Evaluator) -> Option<Box<dyn ConstraintForces>> {
        Some(Box::new(Impulses::new(evaluator, self.shares())))
    }

    fn step(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        self.free_acceleration(step)?;
        if step.history.filled == 0 {
            step.auxiliary[0].copy_from_slice(&step.next.a);
        }
        self.fill_stage_map(step);
        step.auxiliary[0].copy_from_slice(&step.next.a);
        step.solve()?;
        // accelerations and multipliers of the stage have a lower order
        let accelerations = match step.now.multipliers.is_empty() {
            true => AccelerationSource::Kept,
            false => AccelerationSource::Recomputed { baumgarte_rate: 0.0 },
        };
        step.end(StepEnd { accelerations, ..StepEnd::STAGE })
    }

    fn constrained_radius(&self) -> f64 {
        // q and v prescribed: only −α f of the previous step is kept, which is an applied force
        0.0
    }

    fn coefficients(&self) -> Vec<(String, f64)> {
        let Self { alpha_f, beta, gamma, .. } = *self;
        let names = ["alpha_f", "beta", "gamma"].map(String::from);
        names.into_iter().zip([alpha_f, beta, gamma]).collect()
    }

    fn with_coefficients(&self, values: &[f64]) -> Box<dyn Method> {
        let old = self.coefficients();
        let value = |i: usize| values.get(i).copied().unwrap_or(old[i].1);
        Box::new(Self { alpha_f: value(0), beta: value(1), gamma: value(2), ..*self })
    }
}
