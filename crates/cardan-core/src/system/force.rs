//! Tangents of the force and of the first-order equations, written by the system or differenced.

use super::difference::{fourth_order, state_unit_of, step_for, unit_of};
use super::evaluator::{Evaluator, failed, position_step};
use super::{ForceTangent, StateTangent, StateView, System, SystemMatrix};
use crate::math::Chart;
use crate::system::SystemError;

impl Evaluator {
    /// Evaluates the tangents of the force.
    pub fn force_tangent(
        &mut self,
        system: &dyn System,
        at: &StateView<'_>,
    ) -> Result<(), SystemError> {
        const PARTS: [SystemMatrix; 4] = [
            SystemMatrix::Stiffness,
            SystemMatrix::Damping,
            SystemMatrix::ForceMultiplier,
            SystemMatrix::ForceState,
        ];
        if self.is_analytic(SystemMatrix::Stiffness) {
            PARTS.iter().for_each(|&part| self.parts[part as usize].begin());
            let [_, _, stiffness, damping, multipliers, states, ..] = &mut self.parts;
            let mut tangent = ForceTangent { stiffness, damping, multipliers, states };
            let written = system.force_tangent(&self.base.with(at), &mut tangent);
            written.map_err(|x| failed(at.t, x))?;
            return PARTS.into_iter().try_for_each(|part| self.finish(part));
        }
        self.prepare_differences();
        let unit = self.position_unit(at.q);
        let (v_unit, z_unit) = (unit_of(at.v), state_unit_of(at.z));
        let multiplier_unit = unit_of(at.multipliers);
        let Self { base, space, plain, parts, plans, scratch, moved, rows, .. } = self;
        let at = &base.with(at);
        let failed = |x| failed(at.t, x);
        for part in PARTS {
            let index = part as usize;
            let (plan, entries) = (&plans[index], &mut parts[index]);
            match part {
                SystemMatrix::Stiffness => {
                    plan.fill(
                        entries,
                        -1.0,
                        scratch,
                        |j| position_step(plain, unit, at.q, j),
                        |d, out| {
                            space.retract(Chart::Exponential, at.q, d, moved);
                            system.force(&StateView { q: moved, ..*at }, out).map_err(failed)
                        },
                    )?;
                }
                SystemMatrix::Damping => {
                    plan.fill(
                        entries,
                        -1.0,
                        scratch,
                        |j| step_for(at.v[j], v_unit),
                        |d, out| {
                            let v = sum(rows, at.v, d);
                            system.force(&StateView { v, ..*at }, out).map_err(failed)
                        },
                    )?;
                }
                SystemMatrix::ForceMultiplier => {
                    plan.fill(
                        entries,
                        -1.0,
                        scratch,
                        |j| step_for(at.multipliers[j], multiplier_unit),
                        |d, out| {
                            let multipliers = sum(rows, at.multipliers, d);
                            system.force(&StateView { multipliers, ..*at }, out).map_err(failed)
                        },
                    )?;
                }
                _ => {
                    plan.fill(
                        entries,
                        -1.0,
                        scratch,
                        |j| step_for(at.z[j], z_unit),
                        |d, out| {
                            let z = sum(rows, at.z, d);
                            system.force(&StateView { z, ..*at }, out).map_err(failed)
                        },
                    )?;
                }
            }
        }
        Ok(())
    }

    /// ∂f/∂t at fixed q, v, λ and z.
    pub(crate) fn force_rate(
        &mut self,
        system: &dyn System,
        at: &StateView<'_>,
        out: &mut [f64],
    ) -> Result<(), SystemError> {
        let rows = &mut self.rows[..out.len()];
        let at = self.base.with(at);
        fourth_order(self.resolution, rows, out, |s, force| {
            force.fill(0.0);
            let t = at.t + s;
            system.force(&StateView { t, ..at }, force).map_err(|x| failed(t, x))
        })
    }

    /// Evaluates the tangents of the first-order equations.
    pub fn state_tangent(
        &mut self,
        system: &dyn System,
        at: &StateView<'_>,
        rates: &[f64],
    ) -> Result<(), SystemError> {
        const PARTS: [SystemMatrix; 5] = [
            SystemMatrix::StateConfiguration,
            SystemMatrix::StateVelocity,
            SystemMatrix::State,
            SystemMatrix::StateRate,
            SystemMatrix::StateMultiplier,
        ];
        if self.sizes.z == 0 {
            return Ok(());
        }
        if self.is_analytic(SystemMatrix::State) {
            PARTS.iter().for_each(|&part| self.parts[part as usize].begin());
            let [.., configuration, velocity, state, rate, multipliers] = &mut self.parts;
            let mut tangent = StateTangent { configuration, velocity, state, rate, multipliers };
            let written = system.state_tangent(&self.base.with(at), rates, &mut tangent);
            written.map_err(|x| failed(at.t, x))?;
            return PARTS.into_iter().try_for_each(|part| self.finish(part));
        }
        self.prepare_differences();
        let unit = self.position_unit(at.q);
        let v_unit = unit_of(at.v);
        let (z_unit, rate_unit) = (state_unit_of(at.z), state_unit_of(rates));
        let multiplier_unit = unit_of(at.multipliers);
        let Self { base, space, plain, parts, plans, scratch, moved, rows, .. } = self;
        let at = &base.with(at);
        let failed = |x| failed(at.t, x);
        for part in PARTS {
            let index = part as usize;
            let (plan, entries) = (&plans[index], &mut parts[index]);
            match part {
                SystemMatrix::StateConfiguration => {
                    plan.fill(
                        entries,
                        1.0,
                        scratch,
                        |j| position_step(plain, unit, at.q, j),
                        |d, out| {
                            space.retract(Chart::Exponential, at.q, d, moved);
                            system
                                .state_residual(&StateView { q: moved, ..*at }, rates, out)
                                .map_err(failed)
                        },
                    )?;
                }
                SystemMatrix::StateVelocity => {
                    plan.fill(
                        entries,
                        1.0,
                        scratch,
                        |j| step_for(at.v[j], v_unit),
                        |d, out| {
                            let v = sum(rows, at.v, d);
                            system
                                .state_residual(&StateView { v, ..*at }, rates, out)
                                .map_err(failed)
                        },
                    )?;
                }
                SystemMatrix::State => {
                    plan.fill(
                        entries,
                        1.0,
                        scratch,
                        |j| step_for(at.z[j], z_unit),
                        |d, out| {
                            let z = sum(rows, at.z, d);
                            system
                                .state_residual(&StateView { z, ..*at }, rates, out)
                                .map_err(failed)
                        },
                    )?;
                }
                SystemMatrix::StateMultiplier => {
                    plan.fill(
                        entries,
                        1.0,
                        scratch,
                        |j| step_for(at.multipliers[j], multiplier_unit),
                        |d, out| {
                            let multipliers = sum(rows, at.multipliers, d);
                            system
                                .state_residual(&StateView { multipliers, ..*at }, rates, out)
                                .map_err(failed)
                        },
                    )?;
                }
                _ => {
                    plan.fill(
                        entries,
                        1.0,
                        scratch,
                        |j| step_for(rates[j], rate_unit),
                        |d, out| {
                            system.state_residual(at, sum(rows, rates, d), out).map_err(failed)
                        },
                    )?;
                }
            }
        }
        Ok(())
    }
}

/// `a + b` in the scratch.
fn sum<'a>(scratch: &'a mut [f64], a: &[f64], b: &[f64]) -> &'a [f64] {
    for ((s, x), y) in scratch.iter_mut().zip(a).zip(b) {
        *s = x + y;
    }
    &scratch[..a.len()]
}
