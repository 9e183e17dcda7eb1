//! Trial steps: computed first, then accepted or rejected.

use super::driver::Simulation;
use super::error::{SimulationError, system_reason};
use super::interpolant::Interpolant;
use super::state::StepOrigin;
use crate::math::largest;
use crate::methods::{SettingsError, Step};
use crate::stage::StageError;
use crate::state::Instant;
use crate::system::StateView;

/// A step that has been computed. [`accept`](Self::accept) takes it; otherwise it has no effect: the
/// next attempt gives the same bits as without it.
///
/// ```
/// # use cardan_core::{InitialValues, Settings, Simulation, stability::Oscillator};
/// let spring = Oscillator { frequency: 1.0, damping: 0.0 };
/// let settings = Settings::new("esdirk436", 0.1);
/// let mut motion = Simulation::new(&spring, &settings, &InitialValues::new(&[1.0], &[0.0]))?;
/// let mut h = 0.8;
/// while motion.now().t < 1.0 {
///     let trial = motion.attempt_with(h)?;
///     let error = trial.estimate().map_or(0.0, |e| e[0].abs());
///     match error < 1e-5 {
///         true => trial.accept(),
///         false => h *= 0.5,
///     }
/// }
/// # assert!((motion.now().q[0] - motion.now().t.cos()).abs() < 1e-4);
/// # Ok::<(), cardan_core::SimulationError>(())
/// ```
#[must_use = "a step that is not accepted is not taken"]
pub struct Trial<'t, 's> {
    simulation: &'t mut Simulation<'s>,
    h: f64,
    is_accepted: bool,
}

impl<'s> Simulation<'s> {
    /// Computes a step of the current size, which is then accepted or rejected. Events are not searched in it.
    pub fn attempt(&mut self) -> Result<Trial<'_, 's>, SimulationError> {
        self.attempt_with(self.state.step_size)
    }

    /// Computes a step of another size, if the method has variable steps. If it is accepted, later steps have
    /// this size.
    pub fn attempt_with(&mut self, h: f64) -> Result<Trial<'_, 's>, SimulationError> {
        self.check_step_size(h)?;
        self.compute(h, None)?;
        Ok(Trial { simulation: self, h, is_accepted: false })
    }

    /// Takes one step; under error control, of a size that the tolerance allows. It ends at the first event that acts, whose
    /// actions are then performed. On failure the state does not change.
    pub fn step(&mut self) -> Result<(), SimulationError> {
        match self.settings.control {
            None if self.system.get().events().is_none() => self.attempt().map(Trial::accept),
            _ => {
                self.advance(f64::INFINITY)?;
                self.perform_events()
            }
        }
    }

    /// Takes one step that ends at a time, if the method has variable steps; later steps
    /// have the previous size.
    pub fn step_to(&mut self, time: f64) -> Result<(), SimulationError> {
        let previous = self.settings.step_size;
        self.attempt_with(time - self.state.now.t)?.accept();
        self.set_step_size(previous)
    }

    /// Changes the size of the next steps, if the method has variable steps.
    pub fn set_step_size(&mut self, h: f64) -> Result<(), SimulationError> {
        self.check_step_size(h)?;
        self.set_step_origin(h);
        self.workspace.evaluator.set_step_size(h);
        Ok(())
    }

    pub(super) fn check_step_size(&self, h: f64) -> Result<(), SimulationError> {
        if !(h.is_finite() && h > 0.0 && self.state.now.t + h > self.state.now.t) {
            return Err(SettingsError::StepSize { step_size: h }.into());
        }
        if h != self.state.step_size && !self.info.variable_step {
            let others = self.settings.registry.names(|info| info.variable_step);
            return Err(SettingsError::FixedStep { method: self.info.name.into(), others }.into());
        }
        Ok(())
    }

    /// Sets the step size and the time from which steps are counted.
    pub(super) fn set_step_origin(&mut self, h: f64) {
        if h != self.state.step_size {
            self.settings.step_size = h;
            self.state.step_size = h;
            self.state.step_origin = StepOrigin { time: self.state.now.t, steps: self.state.steps };
        }
    }

    /// Computes the next instant without a change of the state. The step ends at a given time, which is h later up to
    /// round-off, or where steps of one size lead.
    pub(super) fn compute(&mut self, h: f64, end: Option<f64>) -> Result<(), SimulationError> {
        let (state, workspace) = (&self.state, &mut self.workspace);
        let is_current_size = h == state.step_size;
        let counted = if is_current_size { state.next_time() } else { state.now.t + h };
        let t_next = end.unwrap_or(counted);
        workspace.evaluator.set_step_size(h);
        workspace.has_stepped = false;
        workspace.solves.clear();
        let auxiliary = workspace.auxiliary.iter_mut().zip(&state.history.auxiliary);
        auxiliary.for_each(|(next, now)| next.copy_from_slice(&now.values));
        let mut step = Step {
            system: self.system.get(),
            evaluator: &mut workspace.evaluator,
            stage: &mut workspace.stage,
            formulation: self.settings.constraints,
            h,
            is_steady: is_current_size && state.steps > state.step_origin.steps,
            t_next,
            now: &state.now,
            history: &state.history,
            auxiliary: &mut workspace.auxiliary,
            records: &mut workspace.records,
            next: &mut workspace.next,
            solves: &mut workspace.solves,
            estimate: &mut workspace.estimate,
            consistency: &mut workspace.consistency,
            options: &self.newton,
        };
        let taken = self.method.step(&mut step);
        self.iterations += workspace.solves.iter().map(|&solves| u64::from(solves)).sum::<u64>();
        let taken = taken.and_then(|()| match workspace.next.t == t_next {
            true => Ok(()),
            false => {
                Err(StageError::refused("the method did not end the step at the requested time"))
            }
        });
        let Err(cause) = taken else { return Ok(()) };
        let now = StateView::from(&state.now);
        let tried = [
            now,
            workspace.stage.point(),
            workspace.consistency.point().unwrap_or(now),
            StateView { t: t_next, ..now },
        ];
        let error = SimulationError::Step {
            method: self.info.name.into(),
            step: state.steps.saturating_add(1),
            time: state.now.t,
            step_size: h,
            is_below_round_off: is_below_round_off(h, &state.now),
            stability: self.info.stability,
            cause: system_reason(self.system.get(), cause, &tried),
        };
        self.reject();
        Err(error)
    }

    /// Undoes the effects of a computed step.
    pub(super) fn reject(&mut self) {
        self.workspace.restore_pivots(&self.state.pivots);
        self.workspace.stage.restore_memory(&self.state.newton);
        self.workspace.evaluator.set_step_size(self.state.step_size);
    }

    /// Takes the step that was computed last.
    pub(super) fn accept(&mut self, h: f64) {
        self.set_step_origin(h);
        let Self { state, workspace, .. } = self;
        state.history.push(&state.now);
        std::mem::swap(&mut state.now, &mut workspace.next);
        let auxiliary = state.history.auxiliary.iter_mut().zip(&mut workspace.auxiliary);
        auxiliary.for_each(|(now, next)| std::mem::swap(&mut now.values, next));
        state.steps = state.steps.saturating_add(1);
        workspace.has_stepped = true;
        workspace.save_pivots(state);
        state.kept_matrix = workspace.stage.kept_matrix();
        state.newton.copy_from(workspace.stage.memory());
        self.steps += 1;
        self.watch.check(self.system.get(), &self.workspace.evaluator, &mut self.state);
    }

    /// The interpolant between the last two instants; `None` before the first step, and after a step that was
    /// rejected.
    pub fn interpolant(&self) -> Option<Interpolant<'_>> {
        let Self { state, workspace, .. } = self;
        // the latest of the earlier instants is the start of the step
        let known = 1.min(state.history.filled)..state.history.filled;
        let earlier = &state.history.earlier[known];
        workspace.has_stepped.then(|| self.between(&workspace.next, &state.now, earlier))
    }

    /// The interpolant of the computed step, before it is accepted.
    pub(super) fn trial_interpolant(&self) -> Interpolant<'_> {
        let history = &self.state.history;
        let earlier = &history.earlier[..history.filled];
        self.between(&self.state.now, &self.workspace.next, earlier)
    }

    fn between<'a>(
        &'a self,
        from: &'a Instant,
        to: &'a Instant,
        earlier: &'a [Instant],
    ) -> Interpolant<'a> {
        Interpolant {
            system: self.system.get(),
            evaluator: &self.workspace.evaluator,
            from,
            to,
            order: self.info.order,
            formulation: self.settings.constraints,
            nodes: self.method.nodes(),
            records: &self.workspace.records,
            earlier,
        }
    }

    /// The method's estimate of the local error of the last step: in q (as increments), v and z, one
    /// after the other. `None` if the method has no estimate, or no step has been taken.
    pub fn error_estimate(&self) -> Option<&[f64]> {
        self.estimate().filter(|_| self.workspace.has_stepped)
    }

    fn estimate(&self) -> Option<&[f64]> {
        Some(self.workspace.estimate.as_slice()).filter(|estimate| !estimate.is_empty())
    }
}

impl Trial<'_, '_> {
    /// The step size.
    pub fn step_size(&self) -> f64 {
        self.h
    }

    /// The instant at the start of the step.
    pub fn from(&self) -> &Instant {
        &self.simulation.state.now
    }

    /// The instant at the end of the step.
    pub fn to(&self) -> &Instant {
        &self.simulation.workspace.next
    }

    /// The method's estimate of the local error, in q (as increments), v and z, one after the other; `None`
    /// if it has no estimate.
    pub fn estimate(&self) -> Option<&[f64]> {
        self.simulation.estimate()
    }

    /// The interpolant of the step.
    pub fn interpolant(&self) -> Interpolant<'_> {
        self.simulation.trial_interpolant()
    }

    /// Takes the step.
    pub fn accept(mut self) {
        self.is_accepted = true;
        self.simulation.accept(self.h);
    }

    /// Rejects the step; dropping it has the same effect.
    pub fn reject(self) {}
}

impl Drop for Trial<'_, '_> {
    fn drop(&mut self) {
        if !self.is_accepted {
            self.simulation.reject();
        }
    }
}

/// Whether a step changes positions by less than a thousand times their round-off, h² a and h v.
fn is_below_round_off(h: f64, now: &Instant) -> bool {
    let change = (h * h * largest(&now.a)).max(h * largest(&now.v));
    let round_off = f64::EPSILON * largest(&now.q).max(f64::MIN_POSITIVE);
    change > 0.0 && change < 1e3 * round_off
}
