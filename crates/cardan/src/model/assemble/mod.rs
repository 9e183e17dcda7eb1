//! Starting well: joints closed, redundancy found and named, velocities completed.
//!
//! ```text
//! described positions ─ close the joints ─ which rows follow from others? ─ set them inactive
//!                                                         │ only here, not nearby: singular, keep
//! known velocities ─ complete them by the constraints ────┴─▶ Start { model, initial, report }
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

/// A mechanism that is ready to move.
#[derive(Clone, Debug)]
pub struct AssembledMechanism {
    /// The equations of motion, to be shared by any number of simulations.
    pub model: Arc<Model>,
    /// Consistent initial values.
    pub initial: InitialValues,
    /// What was changed, and what to know.
    pub report: AssemblyReport,
}

impl AssembledMechanism {
    /// Begins the motion. The simulation shares the model and can be moved to another thread.
    pub fn simulate(&self, settings: &Settings) -> Result<Simulation<'static>, SimulationError> {
        Simulation::new(self.model.clone(), settings, &self.initial)
    }
}

impl Mechanism {
    /// Checks the description and writes down its equations, and the configuration it describes.
    /// Joints stay as open as they are; use [`Mechanism::assemble`] to start a motion.
    pub fn compile(&self) -> Result<(Model, Vec<f64>), ModelError> {
        self.check_names()?;
        compile(&self.meshed()?).map(|Compiled { model, q }| (model, q))
    }

    /// Checks the description, closes the joints, finds redundant constraints, completes the
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
        report.constraints(&model, &findings);
        report.friction(self);
        self.set_natural_lengths(&mut model, &q);
        let rows = |found: &[DependentRow]| found.iter().map(|x| x.row).collect::<Vec<_>>();
        let redundant = rows(&findings.redundant);
        // in a singular position rows that depend on others only here are set aside as well
        let dependent = [redundant.clone(), rows(&findings.singular)].concat();
        let v = velocities::complete(meshed, &model, t, &q, &dependent, &mut report)?;
        redundancy::check_branch(&model, &analysis, t, &q, &v, &findings.singular)?;
        model.count_turns_in(&mut q);
        positions::check_massless(&model, t, &q, &dependent)?;
        let states: Vec<f64> = model.state_list().iter().map(|x| x.1).collect();
        let mut initial = InitialValues::new(&q, &v).at(t).states(&states).inactive(&redundant);
        if !findings.singular.is_empty() {
            let known = redundancy::singular_start(&model, initial.clone().inactive(&dependent));
            // rows that are as good as dependent are the likelier cause
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

    /// Springs whose rest length is not given are relaxed where the assembly put the bodies.
    fn set_natural_lengths(&self, model: &mut Model, q: &[f64]) {
        for (k, force) in self.forces.iter().enumerate() {
            let is_free = matches!(force.acting, ForceKind::Between { rest_is_given: false, .. });
            // trusses come first
            let force = &model.forces[self.trusses.len() + k];
            let (true, ElementKind::Spring, index) = (is_free, force.kind, force.range.start)
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
