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

pub use report::{
    AssemblyReport, EquilibriumStart, JointGap, MovedBody, RedundantConstraint, VelocityChange,
};

use std::sync::Arc;

use super::compile::{Compiled, compile};
use super::describe::ForceKind;
use super::elements::ElementKind;
use super::mesh::Meshed;
use super::{Law, Mechanism, Model, ModelError, Owner};
use analysis::Analysis;
use cardan_core::simulation::{InitialValues, Settings, Simulation, SimulationError, State};
use cardan_core::state::Instant;
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

impl AssembledMechanism {
    /// This model with the positions, velocities, states and time of a saved state. If other parameters of the model
    /// leave joints open there, these are closed, and velocities are adjusted to the constraints: see the report.
    /// An error if the coordinates, constraints or states of the two systems differ.
    pub fn start_from(&self, state: &State) -> Result<Self, ModelError> {
        let model = &self.model;
        if let Some(reason) = state.difference_of_names(&**model) {
            return Err(ModelError::value(&Owner::SavedState, &reason));
        }
        self.begin_at(&state.now)
    }

    /// This model with the positions, velocities, states and time of an instant. Joints that are open there are closed, and
    /// velocities are adjusted to the constraints.
    pub(crate) fn begin_at(&self, at: &Instant) -> Result<Self, ModelError> {
        let model = &self.model;
        let Instant { t, q: described, v, z, .. } = at;
        let mut q = described.clone();
        let mut analysis = Analysis::new(model, *t, &q);
        let mut report = AssemblyReport {
            uncertain_friction: self.report.uncertain_friction.clone(),
            ..AssemblyReport::default()
        };
        analysis.assemble(model, *t, &mut q)?;
        report.record_moved_bodies(model, described, &q, *t);
        let closed = Closed { model, t: *t, q, states: z.clone() };
        let initial = closed.initial_values(analysis, &mut report, |q, dependent, report| {
            velocities::adjust(model, *t, q, v, dependent, report)
        })?;
        Ok(Self { model: Arc::clone(model), initial, report })
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
        self.set_natural_lengths(&mut model, &q);
        let states: Vec<f64> = model.state_list().iter().map(|x| x.1).collect();
        let closed = Closed { model: &model, t, q, states };
        let initial = closed.initial_values(analysis, &mut report, |q, dependent, report| {
            velocities::complete(meshed, &model, t, q, dependent, report)
        })?;
        report.record_friction(self);
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

/// A configuration with closed joints.
struct Closed<'m> {
    model: &'m Model,
    t: f64,
    q: Vec<f64>,
    states: Vec<f64>,
}

impl Closed<'_> {
    /// Finds redundant constraints, and the velocities with the given function of q and the dependent rows.
    fn initial_values(
        mut self,
        mut analysis: Analysis,
        report: &mut AssemblyReport,
        velocities: impl FnOnce(&[f64], &[usize], &mut AssemblyReport) -> Result<Vec<f64>, ModelError>,
    ) -> Result<InitialValues, ModelError> {
        let (model, t, q) = (self.model, self.t, &mut self.q);
        positions::check_branches(model, q)?;
        let findings = redundancy::find(model, &mut analysis, t, q)?;
        report.record_constraints(model, &findings);
        redundancy::check_signals(model, &findings.redundant)?;
        let rows = |found: &[DependentRow]| found.iter().map(|x| x.row).collect::<Vec<_>>();
        let redundant = rows(&findings.redundant);
        let off = model.rows_switched_off(q);
        // in a singular configuration the rows that are dependent only there are removed as well
        let dependent = [redundant.clone(), rows(&findings.singular)].concat();
        let v = velocities(q, &dependent, report)?;
        redundancy::check_branch(model, &analysis, t, q, &v, &findings.singular)?;
        model.count_turns_in(q);
        positions::check_massless(model, t, q, &dependent)?;
        let initial = InitialValues::new(q, &v)
            .at(t)
            .states(&self.states)
            .inactive(&[redundant, off.clone()].concat());
        if findings.singular.is_empty() {
            return Ok(initial);
        }
        let inactive = [dependent, off].concat();
        let known = redundancy::singular_start(model, initial.clone().inactive(&inactive));
        // a nearly dependent row is the more likely cause
        let (a, multipliers) = known.map_err(|error| match findings.nearly {
            Some((row, distance)) => {
                ModelError::NearlyRedundant { row: model.rows[row].row_name(), distance }
            }
            None => error,
        })?;
        Ok(initial.accelerations(&a, &multipliers))
    }
}
