//! The first evaluation of a system: the places of each matrix, and whether the system writes it.

use super::SystemSizes;
use super::difference::DifferencePlan;
use super::evaluator::{Evaluator, failed};
use super::{Coupling, Derivative, ForceTangent, StateTangent, StateView, System, SystemMatrix};
use crate::linalg::SparseMatrix;
use crate::system::SystemError;

/// The largest size of a dense differenced tangent; above it a coupling or the tangent is required.
const MAX_DENSE: usize = 3_000;

impl Evaluator {
    /// Calls the system to write every matrix once, and plans differences for those that it does not write.
    pub(super) fn record(
        &mut self,
        system: &dyn System,
        at: &StateView<'_>,
    ) -> Result<(), SystemError> {
        let SystemSizes { v, z, constraints, .. } = self.sizes;
        self.mass(system, at.q)?;
        self.jacobian(system, at.t, at.q)?;
        // few methods and systems write these copies
        self.other_mass = self.part(SystemMatrix::Mass).without_values();
        self.other_jacobian = self.part(SystemMatrix::Jacobian).without_values();
        self.parts[SystemMatrix::JacobianAhead as usize] = self.other_jacobian.clone();

        // a tangent that the system does not write is replaced by differences
        let a = vec![0.0; v];
        let t = at.t;
        let failed = |x| failed(t, x);
        let entries = &mut self.parts[SystemMatrix::MassTangent as usize];
        let mut source = system.mass_tangent(&self.base.with(at), &a, entries).map_err(failed)?;
        if self.mass_is_constant {
            source = Derivative::Analytic;
            self.parts[SystemMatrix::MassTangent as usize] = SparseMatrix::new(v, v);
        }
        self.settle(system, &[SystemMatrix::MassTangent], source)?;

        let [_, _, stiffness, damping, multipliers, states, ..] = &mut self.parts;
        let mut tangent = ForceTangent { stiffness, damping, multipliers, states };
        let source = system.force_tangent(&self.base.with(at), &mut tangent).map_err(failed)?;
        let parts = [
            SystemMatrix::Stiffness,
            SystemMatrix::Damping,
            SystemMatrix::ForceMultiplier,
            SystemMatrix::ForceState,
        ];
        self.settle(system, &parts, source)?;

        let entries = &mut self.parts[SystemMatrix::MultiplierTangent as usize];
        let source = match constraints {
            0 => Derivative::Analytic,
            _ => system.multiplier_tangent(&self.base.with(at), entries).map_err(failed)?,
        };
        self.settle(system, &[SystemMatrix::MultiplierTangent], source)?;

        let entries = &mut self.parts[SystemMatrix::VelocityTangent as usize];
        let source = match constraints {
            0 => Derivative::Analytic,
            _ => system.velocity_tangent(&self.base.with(at), entries).map_err(failed)?,
        };
        self.settle(system, &[SystemMatrix::VelocityTangent], source)?;
        // position constraints do not need it
        let tangent = &mut self.parts[SystemMatrix::VelocityTangent as usize];
        *tangent = tangent.without_values();

        let rates = vec![0.0; z];
        let [.., configuration, velocity, state, rate, multipliers] = &mut self.parts;
        let mut tangent = StateTangent { configuration, velocity, state, rate, multipliers };
        let source = match z {
            0 => Derivative::Analytic,
            _ => system.state_tangent(&self.base.with(at), &rates, &mut tangent).map_err(failed)?,
        };
        let parts = [
            SystemMatrix::StateConfiguration,
            SystemMatrix::StateVelocity,
            SystemMatrix::State,
            SystemMatrix::StateRate,
            SystemMatrix::StateMultiplier,
        ];
        self.settle(system, &parts, source)
    }

    /// Fixes the patterns of parts from one source.
    fn settle(
        &mut self,
        system: &dyn System,
        parts: &[SystemMatrix],
        source: Derivative,
    ) -> Result<(), SystemError> {
        for &part in parts {
            let index = part as usize;
            self.sources[index] = source;
            if source == Derivative::Differenced {
                let places = self.differenced_places(system, part)?;
                let entries = &self.parts[index];
                self.parts[index] =
                    SparseMatrix::with_places(entries.rows(), entries.columns(), &places);
                self.plans[index] = DifferencePlan::new(&self.parts[index]);
            } else {
                self.finish(part)?;
            }
        }
        Ok(())
    }

    /// The places of a part that will be differenced.
    fn differenced_places(
        &self,
        system: &dyn System,
        part: SystemMatrix,
    ) -> Result<Vec<(u32, u32)>, SystemError> {
        let entries = &self.parts[part as usize];
        let (rows, columns) = (entries.rows(), entries.columns());
        let dense = || -> Result<Vec<(u32, u32)>, SystemError> {
            let written_by = part.written_by();
            if rows.saturating_mul(columns) > MAX_DENSE * MAX_DENSE {
                return Err(SystemError::DenseTangentTooLarge { written_by, rows, columns });
            }
            Ok((0..columns as u32).flat_map(|j| (0..rows as u32).map(move |i| (i, j))).collect())
        };
        match part {
            SystemMatrix::MassTangent | SystemMatrix::Stiffness | SystemMatrix::Damping => {
                match system.coupling() {
                    Coupling::Dense => dense(),
                    coupling => coupling.places(columns).ok_or(SystemError::CouplingOutOfRange),
                }
            }
            SystemMatrix::MultiplierTangent | SystemMatrix::VelocityTangent => {
                let depends = self.row_dependence(system)?;
                let row_wise = part == SystemMatrix::VelocityTangent;
                let mut places = Vec::new();
                for (i, j) in self.parts[SystemMatrix::Jacobian as usize].places() {
                    let row = if row_wise { i } else { j };
                    places.extend(depends[i as usize].iter().map(|&column| (row, column)));
                }
                places.sort_unstable();
                places.dedup();
                Ok(places)
            }
            _ => dense(),
        }
    }

    /// The coordinates each row of G depends on: those it acts on, and for nonholonomic rows, whose
    /// direction may turn with coordinates they do not act on, those coupled with them.
    fn row_dependence(&self, system: &dyn System) -> Result<Vec<Vec<u32>>, SystemError> {
        let SystemSizes { v, holonomic, constraints, .. } = self.sizes;
        let mut depends = vec![Vec::new(); constraints];
        for (i, j) in self.parts[SystemMatrix::Jacobian as usize].places() {
            depends[i as usize].push(j);
        }
        if holonomic < constraints {
            let coupling = system.coupling();
            for row in &mut depends[holonomic..] {
                match &coupling {
                    Coupling::Dense => *row = (0..v as u32).collect(),
                    Coupling::Elements(elements) => {
                        let touches =
                            |e: &&Vec<usize>| e.iter().any(|&i| row.contains(&(i as u32)));
                        let more: Vec<u32> =
                            elements.iter().filter(touches).flatten().map(|&i| i as u32).collect();
                        row.extend(more);
                    }
                }
                row.sort_unstable();
                row.dedup();
                if row.last().is_some_and(|&last| last as usize >= v) {
                    return Err(SystemError::CouplingOutOfRange);
                }
            }
        }
        Ok(depends)
    }
}
