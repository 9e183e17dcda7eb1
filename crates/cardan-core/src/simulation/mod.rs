//! The driver: it starts a motion well, takes steps, and answers questions about the present.

mod continuation;
mod error;
mod initial;
mod interpolant;
mod kinematics;
mod limit_watch;
mod redundancy;
mod settings;
mod state;
mod trial;
mod warning;
mod workspace;

pub use error::{SimulationError, StartError};
pub use initial::{ConsistencyReport, InitialValues};
pub use interpolant::{Interpolant, QuadratureNode};
pub use kinematics::kinematics;
pub use settings::Settings;
pub use state::{State, StepOrigin};
pub use trial::Trial;
pub use warning::Warning;

use initial::Determinacy;
use workspace::Workspace;

use crate::linalg::Statistics;
use crate::math::largest;
use crate::methods::SettingsError;
use crate::methods::{Method, MethodInfo, MethodStart, SystemFeature};
use crate::stage::StageError;
use crate::state::{AuxiliaryVector, Instant, MethodHistory};
use crate::system::SystemError;
use crate::system::{Identity, Scratch, StateView, System, SystemHandle, SystemMatrix};

/// The largest violations of the constraints at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConstraintResiduals {
    /// max |Φ|.
    pub position: f64,
    /// max |G v + b|.
    pub velocity: f64,
}

/// What a run has cost so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Steps.
    pub steps: u64,
    /// Newton iterations, that is linear solves in stages.
    pub iterations: u64,
    /// What the stage's linear solver did.
    pub linear: Statistics,
}

/// A motion in progress.
pub struct Simulation<'s> {
    system: SystemHandle<'s>,
    settings: Settings,
    info: MethodInfo,
    method: Box<dyn Method>,
    state: State,
    workspace: Workspace,
    iterations: u64,
    steps: u64,
    warnings: Vec<Warning>,
    watch: limit_watch::LimitWatch,
    report: ConsistencyReport,
}

impl<'s> Simulation<'s> {
    /// Begins a motion: checks and, if need be, projects the initial values, and computes the
    /// accelerations and multipliers that belong to them.
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
        if now.t + settings.step_size == now.t {
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
                earlier: vec![now.clone(); memory.earlier],
                filled: 0,
                auxiliary: auxiliary.collect(),
            },
            now,
            pivots: Vec::new(),
        };
        let workspace = Workspace::new(system.get(), settings, method.as_ref(), &state.now)?;
        let described = state.now.clone();
        let mut simulation = Self::assemble(system, settings, info, method, state, workspace);
        match simulation.begin(initial.known.is_some(), Determinacy::Unique) {
            Err(error) if is_singular(&error) => {
                // where nothing helps, the first error says more
                simulation.begin_undetermined(&described).map_err(|_| error)?;
            }
            begun => begun?,
        }
        Ok(simulation)
    }

    /// Continues from a state saved earlier, with the same bits as if it had never stopped (with another
    /// binary, C library or CPU they may differ in the last digits), and with the method's coefficients of
    /// then. A state of another system, with other settings, or whose values are not finite or violate the
    /// constraints is refused.
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
        let mut workspace = Workspace::new(system.get(), settings, method.as_ref(), &state.now)?;
        let Workspace { evaluator, rows, .. } = &mut workspace;
        let foreign = state.identity.difference(system.get(), evaluator)?;
        if let Some(reason) = foreign {
            return Err(fail(StartError::Foreign { reason }));
        }
        continuation::check_closed(system.get(), settings.constraints, &state.now, rows)
            .map_err(fail)?;
        workspace.restore_pivots(&state.pivots);
        Ok(Self::assemble(system, settings, &info, method, state, workspace))
    }

    fn assemble(
        system: SystemHandle<'s>,
        settings: &Settings,
        info: &MethodInfo,
        method: Box<dyn Method>,
        state: State,
        workspace: Workspace,
    ) -> Self {
        Self {
            warnings: warning::for_method(info, method.as_ref(), settings, system.get()),
            watch: limit_watch::LimitWatch::new(system.get()),
            system,
            settings: settings.clone(),
            info: *info,
            method,
            state,
            workspace,
            iterations: 0,
            steps: 0,
            report: ConsistencyReport::default(),
        }
    }

    /// Takes whole steps up to a time; a last step that would pass it is not taken.
    pub fn run_until(&mut self, end: f64) -> Result<(), SimulationError> {
        if !end.is_finite() {
            return Err(SettingsError::EndTime { end }.into());
        }
        let StepOrigin { time, steps } = self.state.step_origin;
        let last = steps as f64 + self.settings.steps(time, end);
        while (self.state.steps as f64) < last {
            self.step()?;
        }
        Ok(())
    }

    /// Newton iterations of each stage of the last step.
    pub fn stage_iterations(&self) -> &[u32] {
        &self.workspace.solves
    }

    /// How large Newton's corrections were in the last stage, in units of the positions.
    pub fn corrections(&self) -> &[f64] {
        self.workspace.stage.corrections()
    }

    /// Implicit stages of a step.
    pub fn stages(&self) -> usize {
        self.method.stages()
    }

    /// The current instant.
    pub fn now(&self) -> &Instant {
        &self.state.now
    }

    /// Everything that evolves.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What the registry says of the method.
    pub fn method(&self) -> &MethodInfo {
        &self.info
    }

    /// What to know about this combination of method and system, and which parts were used beyond the
    /// limits of their validity so far.
    pub fn warnings(&self) -> Vec<Warning> {
        self.warnings.iter().cloned().chain(self.watch.warnings()).collect()
    }

    /// What was changed to make the initial values consistent.
    pub fn start_report(&self) -> &ConsistencyReport {
        &self.report
    }

    /// What the run has cost so far.
    pub fn effort(&self) -> Effort {
        Effort {
            steps: self.steps,
            iterations: self.iterations,
            linear: self.workspace.stage.solver().statistics(),
        }
    }

    /// The current instant with a, λ and ż from the index-1 equations at its q and v, instead of
    /// the stage's: of the order of q and v, but with the high frequencies unfiltered.
    pub fn consistent_instant(&mut self) -> Result<Instant, SimulationError> {
        let mut at = self.state.now.clone();
        let Workspace { evaluator, consistency, .. } = &mut self.workspace;
        let solved =
            consistency.accelerations(self.system.get(), evaluator, &self.settings.newton, &mut at);
        // bits to come must not depend on whether anybody asked
        self.workspace.restore_pivots(&self.state.pivots);
        solved.map_err(|cause| unsolvable(at.t, "the consistent accelerations", cause))?;
        Ok(at)
    }

    /// What the system keeps for this simulation, for others who look at the same instant.
    pub fn scratch(&self) -> &Scratch {
        self.workspace.evaluator.scratch()
    }

    /// Something that the system can be asked for now, by its name: of a mechanism the channels of
    /// [`Model::read`](crate::model::Model::read).
    pub fn read(&self, name: &str) -> Result<Vec<f64>, SimulationError> {
        self.system.get().read(name, &self.state.now).map_err(SimulationError::Read)
    }

    /// The violations of the constraints now.
    pub fn residuals(&mut self) -> ConstraintResiduals {
        let (now, system) = (&self.state.now, self.system.get());
        let Workspace { evaluator, rows, .. } = &mut self.workspace;
        let holonomic = evaluator.sizes().holonomic;
        let values = evaluator.constraint(system, now.t, &now.q, &mut rows[..holonomic]);
        let position = values.map_or(f64::NAN, |()| largest(&rows[..holonomic]));
        let rates = evaluator.velocity_constraint(system, now.t, &now.q, &now.v, rows);
        ConstraintResiduals { position, velocity: rates.map_or(f64::NAN, |()| largest(rows)) }
    }

    /// Kinetic plus potential energy now; `None` if the system has no potential.
    pub fn energy(&self) -> Option<f64> {
        let (now, system) = (&self.state.now, self.system.get());
        let potential = system.potential_energy(&now.into())?;
        Some(potential + crate::system::kinetic_energy(system, &now.q, &now.v))
    }

    /// The stage matrix of the last iteration: its pattern and values, scaled as it is solved.
    pub fn stage_matrix(&self) -> (&crate::linalg::Pattern, &[f64]) {
        (self.workspace.stage.solver().pattern(), self.workspace.stage.matrix())
    }

    /// Puts another state of the same shape in place, for the linear analysis.
    pub(crate) fn replace_state(&mut self, state: State) {
        self.state = state;
    }

    /// Begins where the equations do not determine everything: constraints that follow from others are
    /// set inactive; if that is not enough, accelerations and multipliers are those of least squares.
    fn begin_undetermined(&mut self, described: &Instant) -> Result<(), SimulationError> {
        let found =
            redundancy::find(self.system.get(), &self.settings, self.method.as_ref(), described)?;
        let mut described = described.clone();
        described.inactive.extend(&found);
        described.inactive.sort_unstable();
        let mut begin = |determinacy| {
            let system = self.system.get();
            let method = self.method.as_ref();
            self.workspace = Workspace::new(system, &self.settings, method, &described)?;
            self.state.now.copy_from(&described);
            self.state.history.earlier.iter_mut().for_each(|at| at.copy_from(&described));
            self.begin(false, determinacy)
        };
        begin(Determinacy::Unique).or_else(|_| begin(Determinacy::LeastSquares))?;
        let system = self.system.get();
        redundancy::check_inactive(system, &self.state.now)
            .map_err(|cause| SimulationError::Start { time: described.t, cause })?;
        self.report.redundant = found.iter().map(|&i| system.constraint_name(i)).collect();
        Ok(())
    }

    /// Projects inconsistent initial values, computes a and λ, lets the method begin.
    fn begin(
        &mut self,
        is_complete: bool,
        determinacy: Determinacy,
    ) -> Result<(), SimulationError> {
        let (system, now) = (self.system.get(), &mut self.state.now);
        let Workspace { evaluator, consistency, stage, .. } = &mut self.workspace;
        if !is_complete {
            let newton = &self.settings.newton;
            let made =
                initial::make_consistent(system, evaluator, consistency, newton, determinacy, now);
            self.report = made.map_err(|error| match error {
                SimulationError::Start { time, cause: StartError::Unsolvable { doing, cause } } => {
                    unsolvable(time, doing, because(system, cause, &[(&*now).into()]))
                }
                other => other,
            })?;
        }
        evaluator
            .accept(system, None, now)
            .map_err(|failure| unsolvable(now.t, "the start", StageError::refused(failure)))?;
        self.state.identity = Identity::new(system, evaluator, now)?;
        evaluator.mass(system, &now.q)?;
        evaluator.jacobian(system, now.t, &now.q)?;
        match stage.prepare(system, evaluator) {
            // M must be inverted: better to say so now than in the first step
            Err(StageError::Singular { unknown }) => {
                let refusal = settings::refusal(
                    &self.settings,
                    &self.info,
                    SystemFeature::Massless,
                    &unknown,
                );
                return Err(refusal.into());
            }
            prepared => prepared.map_err(|cause| unsolvable(now.t, "the start", cause))?,
        }
        let mass = evaluator.part(SystemMatrix::Mass);
        let from = MethodStart { now, mass, h: self.settings.step_size };
        self.method.start(&from, &mut self.state.history);
        self.workspace.save_pivots(&mut self.state);
        self.watch.check(self.system.get(), &self.workspace.evaluator, &self.state.now);
        Ok(())
    }
}

/// The system's own reason for what is not finite, if it knows one.
fn because(system: &dyn System, cause: StageError, points: &[StateView<'_>]) -> StageError {
    let StageError::NotFinite { .. } = cause else { return cause };
    let known = points.iter().find_map(|at| Some((at.t, system.reason_not_finite(at)?)));
    match known {
        Some((time, failure)) => SystemError::failed(time, failure).into(),
        None => cause,
    }
}

/// Whether a step changes positions by less than a thousand times their round-off, h² a and h v.
fn is_below_round_off(h: f64, now: &Instant) -> bool {
    let change = (h * h * largest(&now.a)).max(h * largest(&now.v));
    let round_off = f64::EPSILON * largest(&now.q).max(f64::MIN_POSITIVE);
    change > 0.0 && change < 1e3 * round_off
}

/// Whether the initial equations do not determine everything.
fn is_singular(error: &SimulationError) -> bool {
    let SimulationError::Start { cause: StartError::Unsolvable { cause, .. }, .. } = error else {
        return false;
    };
    matches!(cause, StageError::Singular { .. })
}

fn unsolvable(time: f64, doing: &'static str, cause: StageError) -> SimulationError {
    SimulationError::Start { time, cause: StartError::Unsolvable { doing, cause } }
}
