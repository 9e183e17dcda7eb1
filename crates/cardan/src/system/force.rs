//! Tangents of the force and of the first-order equations, written by the system or differenced.

use super::difference::{fourth_order, step_for, unit_of};
use super::evaluator::{Evaluator, failed, position_step};
use super::{ForceTangent, Part, Point, StateTangent, System};
use crate::error::SystemError;
use crate::math::Chart;

impl Evaluator {
    /// Evaluates the tangents of the force.
    pub fn force_tangent(
        &mut self,
        system: &dyn System,
        at: &Point<'_>,
    ) -> Result<(), SystemError> {
        const PARTS: [Part; 4] =
            [Part::Stiffness, Part::Damping, Part::ForceMultiplier, Part::ForceState];
        if self.is_analytic(Part::Stiffness) {
            PARTS.iter().for_each(|&part| self.parts[part as usize].begin());
            let [_, _, stiffness, damping, multipliers, states, ..] = &mut self.parts;
            let mut tangent = ForceTangent { stiffness, damping, multipliers, states };
            let written = system.force_tangent(&self.base.with(at), &mut tangent);
            written.map_err(|x| failed(at.t, x))?;
            return PARTS.into_iter().try_for_each(|part| self.finish(part));
        }
        let unit = self.position_unit(at.q);
        let (v_unit, z_unit) = (unit_of(at.v), unit_of(at.z));
        let multiplier_unit = unit_of(at.multipliers);
        let Self { base, space, plain, parts, plans, scratch, moved, rows, .. } = self;
        let at = &base.with(at);
        let failed = |x| failed(at.t, x);
        for part in PARTS {
            let index = part as usize;
            let (plan, entries) = (&plans[index], &mut parts[index]);
            match part {
                Part::Stiffness => {
                    plan.fill(
                        entries,
                        -1.0,
                        scratch,
                        |j| position_step(plain, unit, at.q, j),
                        |d, out| {
                            space.retract(Chart::Exponential, at.q, d, moved);
                            system.force(&Point { q: moved, ..*at }, out).map_err(failed)
                        },
                    )?;
                }
                Part::Damping => {
                    plan.fill(
                        entries,
                        -1.0,
                        scratch,
                        |j| step_for(at.v[j], v_unit),
                        |d, out| {
                            let v = sum(rows, at.v, d);
                            system.force(&Point { v, ..*at }, out).map_err(failed)
                        },
                    )?;
                }
                Part::ForceMultiplier => {
                    plan.fill(
                        entries,
                        -1.0,
                        scratch,
                        |j| step_for(at.multipliers[j], multiplier_unit),
                        |d, out| {
                            let multipliers = sum(rows, at.multipliers, d);
                            system.force(&Point { multipliers, ..*at }, out).map_err(failed)
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
                            system.force(&Point { z, ..*at }, out).map_err(failed)
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
        at: &Point<'_>,
        out: &mut [f64],
    ) -> Result<(), SystemError> {
        let rows = &mut self.rows[..out.len()];
        let at = self.base.with(at);
        fourth_order(self.resolution, rows, out, |s, force| {
            force.fill(0.0);
            let t = at.t + s;
            system.force(&Point { t, ..at }, force).map_err(|x| failed(t, x))
        })
    }

    /// Evaluates the tangents of the first-order equations.
    pub fn state_tangent(
        &mut self,
        system: &dyn System,
        at: &Point<'_>,
        rates: &[f64],
    ) -> Result<(), SystemError> {
        const PARTS: [Part; 4] =
            [Part::StateConfiguration, Part::StateVelocity, Part::State, Part::StateRate];
        if self.sizes.z == 0 {
            return Ok(());
        }
        if self.is_analytic(Part::State) {
            PARTS.iter().for_each(|&part| self.parts[part as usize].begin());
            let [.., configuration, velocity, state, rate] = &mut self.parts;
            let mut tangent = StateTangent { configuration, velocity, state, rate };
            let written = system.state_tangent(&self.base.with(at), rates, &mut tangent);
            written.map_err(|x| failed(at.t, x))?;
            return PARTS.into_iter().try_for_each(|part| self.finish(part));
        }
        let unit = self.position_unit(at.q);
        let (v_unit, z_unit, rate_unit) = (unit_of(at.v), unit_of(at.z), unit_of(rates));
        let Self { base, space, plain, parts, plans, scratch, moved, rows, .. } = self;
        let at = &base.with(at);
        let failed = |x| failed(at.t, x);
        for part in PARTS {
            let index = part as usize;
            let (plan, entries) = (&plans[index], &mut parts[index]);
            match part {
                Part::StateConfiguration => {
                    plan.fill(
                        entries,
                        1.0,
                        scratch,
                        |j| position_step(plain, unit, at.q, j),
                        |d, out| {
                            space.retract(Chart::Exponential, at.q, d, moved);
                            system
                                .state_residual(&Point { q: moved, ..*at }, rates, out)
                                .map_err(failed)
                        },
                    )?;
                }
                Part::StateVelocity => {
                    plan.fill(
                        entries,
                        1.0,
                        scratch,
                        |j| step_for(at.v[j], v_unit),
                        |d, out| {
                            let v = sum(rows, at.v, d);
                            system.state_residual(&Point { v, ..*at }, rates, out).map_err(failed)
                        },
                    )?;
                }
                Part::State => {
                    plan.fill(
                        entries,
                        1.0,
                        scratch,
                        |j| step_for(at.z[j], z_unit),
                        |d, out| {
                            let z = sum(rows, at.z, d);
                            system.state_residual(&Point { z, ..*at }, rates, out).map_err(failed)
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
