//! Assembly: closes the joints, finds redundant constraints, completes the velocities.
//!
//! ```text
//! described positions ─ close the joints ─ which rows are implied by others? ─ make them inactive
//!                                                         │ in this configuration only: singular, keep
//! given velocities ─ complete them by the constraints ────┴─▶ AssembledMechanism
//! ```

mod analysis;
mod dependence;
mod positions;
mod redundancy;
mod report;
#[cfg(test)]
mod tests;
mod velocities;

pub use report::{AssemblyReport, JointGap, MovedBody, RedundantConstraint, VelocityChange};

use std::sync::Arc;

use super::compile::{Compiled, compile};
use super::describe::ForceKind;
use super::elements::ElementKind;
use super::mesh::Meshed;
use super::{Law, Mechanism, Model, ModelError, Owner};
use analysis::Analysis;
use cardan_core::simulation::{InitialValues, Settings, Simulation, SimulationError};
use cardan_core::system::StateView;
use redundancy::DependentRow;

/// A model with consistent initial values: the result of [`Mechanism::assemble`].
#[derive(Clone, Debug)]
pub struct AssembledMechanism {
    /// The equations of motion; any number of simulations can share them.
    pub model: Arc<Model>,
    /// Consistent initial values.
    pub initial: InitialValues,
    /// The report of the assembly.
    pub report: AssemblyReport,
}

impl AssembledMechanism {
    /// Starts a simulation, which shares the model and can be moved to another thread.
    pub fn simulate(&self, settings: &Settings) -> Result<Simulation<'static>, SimulationError> {
        Simulation::new(self.model.clone(), settings, &self.initial)
    }
}

impl Mechanism {
    /// Checks the description and returns its model and the described configuration. Open joints are
    /// not closed; use [`Mechanism::assemble`] to start a simulation.
    pub fn compile(&self) -> Result<(Model, Vec<f64>), ModelError> {
        self.check_names()?;
        compile(&self.meshed()?).map(|Compiled { model, q }| (model, q))
    }

    /// Checks the description, closes the joints, finds redundant constraints and completes the
    /// velocities.
    pub fn assemble(&self) -> Result<AssembledMechanism, ModelError> {
        if !self.start.is_finite() {
            return Err(ModelError::value(&Owner::StartTime, "it is not finite"));
        }
        self.check_names()?;
        self.assemble_meshed(&self.meshed()?)
    }

    /// Assembles a mechanism whose beams are divided into elements.
    fn assemble_meshed(&self, meshed: &Meshed<'_>) -> Result<AssembledMechanism, ModelError> {
        let t = self.start;
        let Compiled { mut model, mut q } = compile(meshed)?;
        let described = q.clone();
        let mut analysis = Analysis::new(&model, t, &q);
        let mut report = AssemblyReport::default();
        analysis.assemble(&model, t, &mut q)?;
        report.record_moved_bodies(&model, &described, &q, t);
        positions::check_branches(&model, &q)?;

        let findings = redundancy::find(&model, &mut analysis, t, &q)?;
        report.record_constraints(&model, &findings);
        report.record_friction(self);
        self.set_natural_lengths(&mut model, &q);
        let rows = |found: &[DependentRow]| found.iter().map(|x| x.row).collect::<Vec<_>>();
        let redundant = rows(&findings.redundant);
        // in a singular configuration the rows that are dependent only there are removed as well
        let dependent = [redundant.clone(), rows(&findings.singular)].concat();
        let v = velocities::complete(meshed, &model, t, &q, &dependent, &mut report)?;
        redundancy::check_branch(&model, &analysis, t, &q, &v, &findings.singular)?;
        model.count_turns_in(&mut q);
        positions::check_massless(&model, t, &q, &dependent)?;
        let states: Vec<f64> = model.state_list().iter().map(|x| x.1).collect();
        let mut initial = InitialValues::new(&q, &v).at(t).states(&states).inactive(&redundant);
        if !findings.singular.is_empty() {
            let known = redundancy::singular_start(&model, initial.clone().inactive(&dependent));
            // a nearly dependent row is the more likely cause
            let (a, multipliers) = known.map_err(|error| match findings.nearly {
                Some((row, distance)) => {
                    ModelError::NearlyRedundant { row: model.rows[row].row_name(), distance }
                }
                None => error,
            })?;
            initial = initial.accelerations(&a, &multipliers);
        }
        Ok(AssembledMechanism { model: Arc::new(model), initial, report })
    }

    /// Springs without a given rest length are relaxed in the assembled configuration.
    fn set_natural_lengths(&self, model: &mut Model, q: &[f64]) {
        for (k, force) in self.forces.iter().enumerate() {
            let has_default_rest =
                matches!(force.kind, ForceKind::Between { rest_is_given: false, .. });
            // the model lists trusses before forces
            let force = &model.forces[self.trusses.len() + k];
            let (true, ElementKind::Spring, index) =
                (has_default_rest, force.kind, force.range.start)
            else {
                continue;
            };
            let length = model.placed(&StateView::at(0.0, q), |place| {
                model.elements.springs[index].measure.value(place)
            });
            if let Law::Linear { rest, .. } = &mut model.elements.springs[index].law {
                *rest = length;
            }
        }
    }
}
