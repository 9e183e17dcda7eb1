//! Tangents of the inertia and of the constraints, written by the system or differenced.

use super::evaluator::{Evaluator, constraint_rate, failed, fault, position_step};
use super::{StateView, System, SystemMatrix};
use crate::math::Chart;
use crate::system::SystemError;

impl Evaluator {
    /// Evaluates ∂(M a)/∂q; does nothing if M is constant.
    pub fn mass_tangent(
        &mut self,
        system: &dyn System,
        q: &[f64],
        a: &[f64],
    ) -> Result<(), SystemError> {
        if self.mass_is_constant {
            return Ok(());
        }
        if self.is_analytic(SystemMatrix::MassTangent) {
            return self.write(SystemMatrix::MassTangent, 0.0, |base, tangent| {
                system.mass_tangent(&base.at(0.0, q), a, tangent).map(drop)
            });
        }
        self.prepare_differences();
        let unit = self.position_unit(q);
        let Self { base, space, plain, parts, plans, scratch, other_mass, moved, .. } = self;
        let index = SystemMatrix::MassTangent as usize;
        plans[index].fill(
            &mut parts[index],
            1.0,
            scratch,
            |j| position_step(plain, unit, q, j),
            |d, out| {
                space.retract(Chart::Exponential, q, d, moved);
                other_mass.begin();
                system.mass(&base.at(0.0, moved), other_mass).map_err(|x| failed(0.0, x))?;
                other_mass.multiply_add(1.0, a, out);
                Ok(())
            },
        )?;
        fault(&mut self.other_mass, SystemMatrix::Mass)
    }

    /// Evaluates ∂(Gᵀλ)/∂q.
    pub fn multiplier_tangent(
        &mut self,
        system: &dyn System,
        t: f64,
        q: &[f64],
        multipliers: &[f64],
    ) -> Result<(), SystemError> {
        if self.is_analytic(SystemMatrix::MultiplierTangent) {
            return self.write(SystemMatrix::MultiplierTangent, t, |base, tangent| {
                let at = StateView { multipliers, ..base.at(t, q) };
                system.multiplier_tangent(&at, tangent).map(drop)
            });
        }
        self.prepare_differences();
        let unit = self.position_unit(q);
        let Self { base, space, plain, parts, plans, scratch, other_jacobian, moved, .. } = self;
        let index = SystemMatrix::MultiplierTangent as usize;
        plans[index].fill(
            &mut parts[index],
            1.0,
            scratch,
            |j| position_step(plain, unit, q, j),
            |d, out| {
                space.retract(Chart::Exponential, q, d, moved);
                other_jacobian.begin();
                let written = system.jacobian(&base.at(t, moved), other_jacobian);
                written.map_err(|x| failed(t, x))?;
                other_jacobian.transpose_multiply_add(1.0, multipliers, out);
                Ok(())
            },
        )?;
        fault(&mut self.other_jacobian, SystemMatrix::Jacobian)
    }

    /// Evaluates ∂(G v + b)/∂q.
    pub fn velocity_tangent(
        &mut self,
        system: &dyn System,
        t: f64,
        q: &[f64],
        v: &[f64],
    ) -> Result<(), SystemError> {
        if self.is_analytic(SystemMatrix::VelocityTangent) {
            let was_freed = !self.has_velocity_tangent();
            self.write(SystemMatrix::VelocityTangent, t, |base, out| {
                system.velocity_tangent(&StateView { v, ..base.at(t, q) }, out).map(drop)
            })?;
            if was_freed {
                self.find_masked();
            }
            self.mask_part(SystemMatrix::VelocityTangent);
            return Ok(());
        }
        self.prepare_differences();
        let unit = self.position_unit(q);
        let Self {
            base,
            space,
            sizes,
            plain,
            parts,
            plans,
            scratch,
            other_jacobian,
            moved,
            rows,
            resolution,
            ..
        } = self;
        let index = SystemMatrix::VelocityTangent as usize;
        plans[index].fill(
            &mut parts[index],
            1.0,
            scratch,
            |j| position_step(plain, unit, q, j),
            |d, out| {
                space.retract(Chart::Exponential, q, d, moved);
                let rows = &mut rows[..sizes.constraints];
                constraint_rate(system, base, *resolution, t, moved, rows, out)?;
                other_jacobian.begin();
                let written = system.jacobian(&base.at(t, moved), other_jacobian);
                written.map_err(|x| failed(t, x))?;
                other_jacobian.multiply_add(1.0, v, out);
                Ok(())
            },
        )?;
        self.mask_part(SystemMatrix::VelocityTangent);
        fault(&mut self.other_jacobian, SystemMatrix::Jacobian)
    }
}
