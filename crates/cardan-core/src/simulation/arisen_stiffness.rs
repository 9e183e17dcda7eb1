//! Errors behind stiffness that arose within a step.
//!
//! The estimate is filtered by the stage matrix, M + A with A = c_v D + c_q K, because the method damps modes that are much
//! faster than the step. That holds for modes that are there during the whole step. A contact, a cable or dry friction that
//! begins within the step makes A large at its end: the filter then takes away the impact itself, and a step that
//! passes over an impact would be accepted. Where the stiff force A e of the estimate is more than ten times that at the start
//! of the step, the unfiltered estimate counts.

use super::driver::Simulation;
use super::error_norm::WeightedError;
use super::estimated_error::AttemptedStep;
use super::stiff_forces::{StiffForces, multiply_stiff};
use super::tolerance::ErrorControl;
use super::workspace::Workspace;
use crate::math::larger;
use crate::system::{StateView, SystemError};

/// Stiffness that grew by more than this factor within a step arose in it.
const GROWTH: f64 = 10.0;

impl Simulation<'_> {
    /// The error of a step whose filtered error is small, if the unfiltered one is not: see above. The tangents of the evaluator
    /// are afterwards those at the start of the step.
    pub(super) fn error_behind_arisen_stiffness(
        &mut self,
        control: &ErrorControl,
        step: &AttemptedStep,
    ) -> Result<Option<WeightedError>, SystemError> {
        let system = self.system.get();
        let Workspace { evaluator, stage, stiff_forces, error_norm, scales, .. } =
            &mut self.workspace;
        let factor = step.factor / step.local;
        let raw = error_norm.weighted(control, scales, &stiff_forces.unfiltered);
        if factor * raw.size <= 1.0 || system.has_constant_tangents() {
            return Ok(None);
        }
        let coefficients = [stage.map.c_q, stage.map.c_v];
        let StiffForces { unfiltered, end, start } = stiff_forces;
        multiply_stiff(evaluator, coefficients, unfiltered, end);
        evaluator.force_tangent(system, &StateView::from(&self.state.now))?;
        multiply_stiff(evaluator, coefficients, unfiltered, start);
        // the blocks whose stiffness arose keep their estimates
        let n = unfiltered.len() / 2;
        for block in evaluator.space().nodes() {
            let plain = block.v..block.v + block.vector;
            let rotation = plain.end..plain.end + if block.rotation { 3 } else { 0 };
            for part in [plain.clone(), rotation.clone()] {
                for level in [0, n] {
                    let part = level + part.start..level + part.end;
                    let [before, after] = [&*start, &*end].map(|force| {
                        force[part.clone()].iter().fold(0.0, |most, x| larger(most, x.abs()))
                    });
                    if after <= GROWTH * before {
                        unfiltered[part].fill(0.0);
                    }
                }
            }
        }
        let WeightedError { size, worst } = error_norm.weighted(control, scales, unfiltered);
        Ok((size > 0.0).then_some(WeightedError { size: factor * size, worst }))
    }
}
