//! The simulation in progress: construction, continuation, and queries at the current instant.

use super::continuation;
use super::detour::JumpList;
use super::error::{SimulationError, StartError};
use super::event_memory::{EventMemory, LoggedEvent};
use super::initial::{ConsistencyReport, InitialValues};
use super::limit_watch::LimitWatch;
use super::settings::Settings;
use super::state::{ON_INSTANT, State, StepOrigin};
use super::step_controller::StepCounts;
use super::warning::{self, Warning};
use super::workspace::Workspace;
use crate::linalg::{OperationCounts, Statistics};
use crate::math::largest;
use crate::methods::{Method, MethodInfo, SettingsError};
use crate::stage::{KeepJacobian, NewtonMemory, NewtonOptions};
use crate::state::{AuxiliaryVector, Instant, MethodHistory};
use crate::system::{Identity, Scratch, System, SystemHandle};

/// The largest violations of the constraints at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConstraintResiduals {
    /// max |Φ|.
    pub position: f64,
    /// max |G v + b|.
    pub velocity: f64,
}

/// The cost of a run so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Effort {
    /// Steps.
    pub steps: u64,
    /// Newton iterations, that is linear solves in stages.
    pub iterations: u64,
    /// The counters of the stage's linear solver.
    pub linear: Statistics,
}

/// A simulation in progress.
pub struct Simulation<'s> {
    pub(super) system: SystemHandle<'s>,
    pub(super) settings: Settings,
    pub(super) info: MethodInfo,
    pub(super) method: Box<dyn Method>,
    /// The options of Newton in steps.
    pub(super) newton: NewtonOptions,
    pub(super) state: State,
    pub(super) workspace: Workspace,
    pub(super) iterations: u64,
    pub(super) steps: u64,
    pub(super) warnings: Vec<Warning>,
    pub(super) watch: LimitWatch,
    pub(super) report: ConsistencyReport,
    /// Jumps in time of the system that have been searched.
    pub(super) jumps: JumpList,
    /// The events that happened since they were asked for.
    pub(super) log: Vec<LoggedEvent>,
}

impl<'s> Simulation<'s> {
    /// Begins a motion: checks and, if need be, projects the initial values, and computes the
    /// consistent accelerations and multipliers.
    pub fn new(
        system: impl Into<SystemHandle<'s>>,
        settings: &Settings,
        initial: &InitialValues,
    ) -> Result<Self, SimulationError> {
        let (info, method) = settings.method()?;
        Self::with_method(system, settings, &info, method, initial)
    }

    /// Begins a motion with a method whose coefficients may differ from the registry's.
    pub fn with_method(
        system: impl Into<SystemHandle<'s>>,
        settings: &Settings,
        info: &MethodInfo,
        method: Box<dyn Method>,
        initial: &InitialValues,
    ) -> Result<Self, SimulationError> {
        let system = system.into();
        let now = initial.instant(system.get())?;
        settings.check(info, system.get())?;
        settings.check_method(info, method.as_ref(), system.get())?;
        if settings.control.is_none() && now.t + settings.step_size == now.t {
            return Err(SettingsError::StepSize { step_size: settings.step_size }.into());
        }
        let memory = method.storage();
        let auxiliary = memory.auxiliary.iter().map(|&(name, extent)| AuxiliaryVector {
            name: name.to_string(),
            values: extent.initial(&now),
        });
        let state = State {
            method: info.name.to_string(),
            parameters: settings.parameters.clone(),
            coefficients: method.coefficients(),
            identity: Identity::default(),
            constraints: settings.constraints,
            step_size: settings.step_size,
            start: now.t,
            steps: 0,
            step_origin: StepOrigin { time: now.t, steps: 0 },
            history: MethodHistory {
                earlier: vec![memory.earlier_instant(&now); memory.earlier],
                filled: 0,
                auxiliary: auxiliary.collect(),
            },
            newton: NewtonMemory::new(&now),
            now,
            pivots: Vec::new(),
            exceeded_limits: Vec::new(),
            kept_matrix: None,
            controller: None,
            counts: StepCounts::default(),
            detour: None,
            restart_due: false,
            events: EventMemory::default(),
        };
        let mut workspace = Workspace::new(system.get(), settings, method.as_ref(), &state.now)?;
        workspace.stage.restore_memory(&state.newton);
        let mut simulation = Self::assemble(system, settings, info, method, state, workspace);
        simulation.begin(initial)?;
        simulation.begin_events()?;
        Ok(simulation)
    }

    /// Continues from a state saved earlier, with the same bits as without interruption (with another
    /// binary, C library or CPU they may differ in the last digits), and with the saved coefficients of the
    /// method. An error if the state belongs to another system or to other settings, or if its values are not finite or
    /// violate the constraints.
    pub fn resume(
        system: impl Into<SystemHandle<'s>>,
        settings: &Settings,
        state: State,
    ) -> Result<Self, SimulationError> {
        let system = system.into();
        let (info, method) = settings.method()?;
        let fail = |cause| SimulationError::Start { time: state.now.t, cause };
        let method = continuation::method_of(method, &state).map_err(fail)?;
        settings.check(&info, system.get())?;
        settings.check_method(&info, method.as_ref(), system.get())?;
        continuation::check(system.get(), settings, &info, method.as_ref(), &state)
            .map_err(fail)?;
        if let Some(reason) = state.identity.difference(system.get()) {
            return Err(fail(StartError::Foreign { reason }));
        }
        let mut workspace = Workspace::new(system.get(), settings, method.as_ref(), &state.now)?;
        let rows = &mut workspace.rows;
        continuation::check_closed(system.get(), settings.constraints, &state.now, rows)
            .map_err(fail)?;
        workspace.prepare_steps();
        workspace.restore_pivots(&state.pivots);
        workspace.stage.expect_matrix(state.kept_matrix);
        workspace.stage.restore_memory(&state.newton);
        Ok(Self::assemble(system, settings, &info, method, state, workspace))
    }

    fn assemble(
        system: SystemHandle<'s>,
        settings: &Settings,
        info: &MethodInfo,
        method: Box<dyn Method>,
        mut state: State,
        workspace: Workspace,
    ) -> Self {
        let watch = LimitWatch::new(system.get());
        state.exceeded_limits.resize(watch.count(), None);
        Self {
            warnings: warning::for_method(info, method.as_ref(), settings, system.get()),
            watch,
            newton: newton_options(settings, info, method.as_ref(), system.get()),
            system,
            settings: settings.clone(),
            info: *info,
            method,
            state,
            workspace,
            iterations: 0,
            steps: 0,
            report: ConsistencyReport::default(),
            jumps: JumpList::default(),
            log: Vec::new(),
        }
    }

    /// Takes whole steps up to a time; a last step that would pass it is not taken. Under error control the last step ends
    /// there. An event may end the run before: [`Simulation::is_stopped`].
    pub fn run_until(&mut self, end: f64) -> Result<(), SimulationError> {
        if !end.is_finite() {
            return Err(SettingsError::EndTime { end }.into());
        }
        if self.settings.control.is_some() {
            while self.state.now.t < end {
                self.advance(end)?;
                self.perform_events()?;
                if self.is_stopped() {
                    break;
                }
            }
            return Ok(());
        }
        if self.system.get().events().is_some() {
            return self.run_with_events(end);
        }
        let StepOrigin { time, steps } = self.state.step_origin;
        let last = steps as f64 + self.settings.steps(time, end);
        while (self.state.steps as f64) < last {
            self.step()?;
        }
        Ok(())
    }

    /// Takes steps of the fixed size, shorter ones around events, until less than a step is left.
    fn run_with_events(&mut self, end: f64) -> Result<(), SimulationError> {
        while self.has_whole_step(end) {
            self.advance(end)?;
            self.perform_events()?;
            if self.is_stopped() {
                break;
            }
        }
        Ok(())
    }

    /// Whether a step of the fixed size, or the rest of one, ends not later than a time.
    pub fn has_whole_step(&self, end: f64) -> bool {
        let next = self.state.detour.map_or_else(|| self.state.next_time(), |detour| detour.end);
        next <= end + ON_INSTANT * self.state.step_size
    }

    /// Newton iterations of each stage of the last step.
    pub fn stage_iterations(&self) -> &[u32] {
        &self.workspace.solves
    }

    /// The norms of Newton's corrections in the last stage, in units of the positions.
    pub fn corrections(&self) -> &[f64] {
        self.workspace.stage.corrections()
    }

    /// The size of the last step in seconds; that of the next one before the first.
    pub fn last_step_size(&self) -> f64 {
        let h = self.state.now.t - self.workspace.next.t;
        let size = self.state.step_size;
        // the difference of two times has their round-off
        match !self.workspace.has_stepped || (h - size).abs() <= 1e-6 * size {
            true => size,
            false => h,
        }
    }

    /// Implicit stages of a step.
    pub fn stages(&self) -> usize {
        self.method.stages()
    }

    /// The current instant.
    pub fn now(&self) -> &Instant {
        &self.state.now
    }

    /// The state: all that evolves.
    pub fn state(&self) -> &State {
        self.state.identity.complete(self.system.get());
        &self.state
    }

    /// The state alone; the memory of all else is freed.
    pub fn into_state(self) -> State {
        self.state.identity.complete(self.system.get());
        self.state
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The properties of the method.
    pub fn method(&self) -> &MethodInfo {
        &self.info
    }

    /// Warnings about this combination of method and system, and about parts that have exceeded the limits of
    /// their validity so far.
    pub fn warnings(&self) -> Vec<Warning> {
        self.warnings.iter().cloned().chain(self.watch.warnings(&self.state)).collect()
    }

    /// The changes that made the initial values consistent.
    pub fn start_report(&self) -> &ConsistencyReport {
        &self.report
    }

    /// The cost of the run so far.
    pub fn effort(&self) -> Effort {
        Effort {
            steps: self.steps,
            iterations: self.iterations,
            linear: self.workspace.stage.solver().statistics(),
        }
    }

    /// The operations of the linear solver of the stage.
    pub fn operation_counts(&self) -> OperationCounts {
        self.workspace.stage.solver().operation_counts()
    }

    /// The scratch of the system for this simulation, for other evaluations of the same instant.
    pub fn scratch(&self) -> &Scratch {
        self.workspace.evaluator.scratch()
    }

    /// The values of a named output of the system at the current instant: see
    /// [`System::read`](crate::System::read). The outputs of a
    /// mechanism are its channels.
    pub fn read(&self, name: &str) -> Result<Vec<f64>, SimulationError> {
        self.system.get().read(name, &self.state.now).map_err(SimulationError::Read)
    }

    /// Sets an input of the system. It acts from the next step on; the current accelerations are not computed again.
    pub fn set_input(&mut self, name: &str, value: f64) -> Result<(), SimulationError> {
        let wrong = |reason| Err(SimulationError::Input { name: name.into(), reason });
        let Some(i) = self.system.get().input_index(name) else {
            return wrong("the system has no such input");
        };
        if !value.is_finite() {
            return wrong("its value is not finite");
        }
        let now = &mut self.state.now;
        let length = now.q.len();
        now.q[i] = value;
        // a method that is one step ahead keeps that configuration
        for ahead in &mut self.state.history.auxiliary {
            if ahead.values.len() == length {
                ahead.values[i] = value;
            }
        }
        Ok(())
    }

    /// The largest violations of the constraints at the current instant.
    pub fn residuals(&mut self) -> ConstraintResiduals {
        let (now, system) = (&self.state.now, self.system.get());
        let Workspace { evaluator, rows, .. } = &mut self.workspace;
        let holonomic = evaluator.sizes().holonomic;
        let values = evaluator.constraint(system, now.t, &now.q, &mut rows[..holonomic]);
        let position = values.map_or(f64::NAN, |()| largest(&rows[..holonomic]));
        let rates = evaluator.velocity_residual(system, &now.into(), rows);
        ConstraintResiduals { position, velocity: rates.map_or(f64::NAN, |()| largest(rows)) }
    }

    /// Kinetic plus potential energy at the current instant; `None` if the system has no potential.
    pub fn energy(&self) -> Option<f64> {
        let (now, system) = (&self.state.now, self.system.get());
        let potential = system.potential_energy(&now.into())?;
        Some(potential + crate::system::kinetic_energy(system, &now.q, &now.v))
    }

    /// The number of unknowns of a stage.
    pub fn unknowns(&self) -> usize {
        self.workspace.stage.solver().size()
    }

    /// The stage matrix with the coefficients of the last one and the tangents evaluated last: its pattern and values.
    pub fn stage_matrix(&self) -> (std::sync::Arc<crate::linalg::Pattern>, Vec<f64>) {
        self.workspace.stage.matrix(&self.workspace.evaluator)
    }

    /// Replaces the state by another of the same sizes, for the linear analysis.
    pub(crate) fn replace_state(&mut self, state: State) {
        self.state = state;
        self.workspace.stage.replace_memory(&self.state.newton);
    }
}

/// Above this spectral radius in directions that constraints prescribe a method damps no errors.
const MAX_RADIUS: f64 = 0.99;

/// Matrices are kept from step to step by methods of up to second order. Higher orders are chosen for accuracy that the
/// last digits of a stage limit; and a method that does not damp errors of the multipliers keeps what Newton leaves.
fn newton_options(
    settings: &Settings,
    info: &MethodInfo,
    method: &dyn Method,
    system: &dyn System,
) -> NewtonOptions {
    let NewtonOptions { keep_jacobian, .. } = settings.newton;
    let keeps_errors = system.holonomic_count() > 0 && method.constrained_radius() > MAX_RADIUS;
    let keep_jacobian = match keep_jacobian {
        KeepJacobian::AcrossSteps if info.order > 2 || keeps_errors => KeepJacobian::WithinStage,
        chosen => chosen,
    };
    NewtonOptions { keep_jacobian, ..settings.newton }
}
