//! Starting well: joints closed, redundancy found and named, velocities completed.
//!
//! ```text
//! described positions ─ close the joints ─ which rows follow from others? ─ drop them
//!                                                         │ only here, not nearby: singular, keep
//! known velocities ─ complete them by the constraints ────┴─▶ Start { model, initial, report }
//! ```

mod analysis;
mod dependence;
mod positions;
mod redundancy;
mod report;
mod velocities;

pub use report::{Gap, Moved, Redundant, Report, VelocityChange};

use std::collections::BTreeSet;
use std::sync::Arc;

use super::compile::{Compiled, compile};
use super::describe::Acting;
use super::element::Kind;
use super::{Law, Mechanism, Model, ModelError, Owner};
use crate::error::Error;
use crate::simulation::{Initial, Settings, Simulation};
use crate::system::Point;
use analysis::Analysis;

/// A mechanism that is ready to move.
#[derive(Clone, Debug)]
pub struct Start {
    /// The equations of motion, to be shared by any number of simulations.
    pub model: Arc<Model>,
    /// Consistent initial values.
    pub initial: Initial,
    /// What was changed, and what to know.
    pub report: Report,
}

impl Start {
    /// Begins the motion. The simulation shares the model and can be moved to another thread.
    pub fn simulate(&self, settings: &Settings) -> Result<Simulation<'static>, Error> {
        Simulation::new(self.model.clone(), settings, &self.initial)
    }
}

impl Mechanism {
    /// Checks the description and writes down its equations, and the configuration it describes.
    /// Joints stay as open as they are; use [`Mechanism::assemble`] to start a motion.
    pub fn compile(&self) -> Result<(Model, Vec<f64>), ModelError> {
        self.check_names()?;
        compile(&self.with_nodes()?, &BTreeSet::new()).map(|Compiled { model, q }| (model, q))
    }

    /// Checks the description, closes the joints, finds redundant constraints, completes the
    /// velocities.
    pub fn assemble(&self) -> Result<Start, ModelError> {
        if !self.start.is_finite() {
            return Err(ModelError::value(&Owner::StartTime, "it is not finite"));
        }
        self.check_names()?;
        self.with_nodes()?.assemble_nodes()
    }

    /// The same for a mechanism whose beams have nodes.
    fn assemble_nodes(&self) -> Result<Start, ModelError> {
        let t = self.start;
        let Compiled { model, q } = compile(self, &BTreeSet::new())?;
        let described = q.clone();
        let mut analysis = Analysis::new(&model, t, &q);
        let mut q = q;
        let mut report = Report::default();
        analysis.assemble(&model, t, &mut q)?;
        report.moves(&model, &described, &q, t);
        positions::check_branches(&model, &q)?;

        let findings = redundancy::find(self, &model, &mut analysis, t, &q)?;
        let dropped: BTreeSet<usize> = findings.redundant.iter().map(|x| x.row).collect();
        report.constraints(&model, &findings);
        report.friction(self);
        let (mut everywhere, full) = match dropped.is_empty() {
            true => (model, None),
            false => (compile(self, &dropped)?.model, Some(model)),
        };
        // in a singular position the rows that depend on others only here are set aside as well
        let here: BTreeSet<usize> = findings.all().map(|x| x.row).collect();
        let mut reduced = if here == dropped { None } else { Some(compile(self, &here)?.model) };
        [Some(&mut everywhere), reduced.as_mut()]
            .into_iter()
            .flatten()
            .for_each(|x| self.relax(x, &q));
        let working = reduced.as_ref().unwrap_or(&everywhere);
        let v = velocities::complete(self, working, t, &q, &mut report)?;
        if reduced.is_some() {
            let full = full.as_ref().unwrap_or(&everywhere);
            redundancy::check_branch(full, &analysis, t, &q, &v, &findings.singular)?;
        }
        everywhere.count_turns_in(&mut q);
        let states: Vec<f64> = everywhere.state_list().iter().map(|x| x.1).collect();
        let mut initial = Initial::new(&q, &v).at(t).states(&states);
        positions::check_massless(working, t, &q)?;
        if let Some(reduced) = &reduced {
            let known = redundancy::singular_start(reduced, &everywhere, &here, &dropped, initial);
            // rows that are as good as dependent are the likelier cause
            initial = known.map_err(|error| match findings.nearly {
                Some((row, distance)) => {
                    let full = full.as_ref().unwrap_or(&everywhere);
                    ModelError::NearlyRedundant { row: full.rows[row].row_name(), distance }
                }
                None => error,
            })?;
        }
        Ok(Start { model: Arc::new(everywhere), initial, report })
    }

    /// Springs whose rest length is not given are relaxed where the assembly put the bodies.
    fn relax(&self, model: &mut Model, q: &[f64]) {
        for (k, force) in self.forces.iter().enumerate() {
            let is_free = matches!(force.acting, Acting::Between { rest_is_given: false, .. });
            // trusses come first
            let force = &model.forces[self.trusses.len() + k];
            let (true, Kind::Spring, index) = (is_free, force.kind, force.range.start) else {
                continue;
            };
            let length = model.placed(&Point::at(0.0, q), |place| {
                model.elements.springs[index].gauge.value(place)
            });
            if let Law::Linear { rest, .. } = &mut model.elements.springs[index].law {
                *rest = length;
            }
        }
    }
}
