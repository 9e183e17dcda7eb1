//! Initial values: checked, made consistent, and completed.

use super::error::{SimulationError, StartError, unsolvable};
use crate::math::largest;
use crate::stage::StageError;
use crate::stage::{ConsistencySolver, NewtonOptions, least_squares};
use crate::state::Instant;
use crate::system::InstantError;
use crate::system::{Evaluator, System};

/// Initial values from the user.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InitialValues {
    /// The time.
    pub t: f64,
    /// The configuration.
    pub q: Vec<f64>,
    /// The velocity.
    pub v: Vec<f64>,
    /// The first-order states.
    pub z: Vec<f64>,
    /// Accelerations and multipliers, if they are known. They are then used without change, and so are
    /// positions and velocities: in a singular position the equations do not determine them.
    pub known: Option<(Vec<f64>, Vec<f64>)>,
    /// Numbers of the inactive constraint rows: those that others imply.
    pub inactive: Vec<usize>,
}

/// The changes that made the initial values consistent.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ConsistencyReport {
    /// The largest change of a position, and its coordinate.
    pub position_change: Option<(f64, String)>,
    /// The largest change of a velocity, and its coordinate.
    pub velocity_change: Option<(f64, String)>,
    /// Names of the redundant constraints: they are set inactive, and their multipliers are
    /// zero. The motion is unique, the multipliers of the others are not.
    pub redundant: Vec<String>,
    /// Whether accelerations and multipliers are the least-squares solution of least norm, because the
    /// equations at the start do not determine them.
    pub is_least_squares: bool,
    /// The largest unbalanced force at the start on a coordinate without inertia, and that
    /// coordinate: the first step jumps to its equilibrium.
    pub unbalanced: Option<(f64, String)>,
}

/// How the initial equations are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Determinacy {
    /// They determine accelerations and multipliers.
    Unique,
    /// They may not determine them: least squares.
    LeastSquares,
}

/// Changes below this, relative to the mechanism's size and speed, are round-off and not made: an
/// assembled state does not change. Larger ones are necessary, because the first step would turn a gap into
/// an acceleration of gap/c_q.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;
/// Changes below this are not reported: initial values are rarely given with more digits.
const REPORT_THRESHOLD: f64 = 1e-9;

impl InitialValues {
    /// A configuration and a velocity at t = 0.
    pub fn new(q: &[f64], v: &[f64]) -> Self {
        Self {
            t: 0.0,
            q: q.to_vec(),
            v: v.to_vec(),
            z: Vec::new(),
            known: None,
            inactive: Vec::new(),
        }
    }

    /// Sets the time.
    pub fn at(mut self, t: f64) -> Self {
        self.t = t;
        self
    }

    /// Sets the first-order states.
    pub fn states(mut self, z: &[f64]) -> Self {
        self.z = z.to_vec();
        self
    }

    /// Gives accelerations and multipliers; see [`InitialValues::known`].
    pub fn accelerations(mut self, a: &[f64], multipliers: &[f64]) -> Self {
        self.known = Some((a.to_vec(), multipliers.to_vec()));
        self
    }

    /// Sets constraint rows inactive, by their number.
    pub fn inactive(mut self, rows: &[usize]) -> Self {
        self.inactive = rows.to_vec();
        self.inactive.sort_unstable();
        self.inactive.dedup();
        self
    }

    /// The instant, with lengths and values checked and everything unknown zero.
    pub(super) fn instant(&self, system: &dyn System) -> Result<Instant, SimulationError> {
        let space = system.space();
        let fail = |cause| SimulationError::Start { time: self.t, cause };
        let length = |what, found: usize, expected: usize| match found == expected {
            true => Ok(()),
            false => Err(fail(StartError::Length { what, found, expected })),
        };
        length("the configuration q", self.q.len(), space.configurations())?;
        length("the velocity v", self.v.len(), space.velocities())?;
        length("the vector of first-order states z", self.z.len(), system.state_count())?;
        let mut q = self.q.clone();
        let finite = |what, ok: bool| match ok {
            true => Ok(()),
            false => Err(fail(StartError::NotFinite { what })),
        };
        finite("the time", self.t.is_finite())?;
        finite("q", q.iter().all(|x| x.is_finite()) && space.normalize(&mut q))?;
        finite("v", self.v.iter().all(|x| x.is_finite()))?;
        finite("z", self.z.iter().all(|x| x.is_finite()))?;
        let constraints = system.holonomic_count().saturating_add(system.nonholonomic_count());
        if constraints > crate::linalg::MAX_UNKNOWNS {
            let (unknowns, most) = (constraints, crate::linalg::MAX_UNKNOWNS);
            return Err(crate::system::SystemError::TooLarge { unknowns, most }.into());
        }
        if let Some(&row) = self.inactive.iter().find(|row| **row >= constraints) {
            return Err(InstantError::Inactive { row, rows: constraints }.into());
        }
        let (a, multipliers) = match &self.known {
            None => (vec![0.0; self.v.len()], vec![0.0; constraints]),
            Some((a, multipliers)) => {
                length("the acceleration a", a.len(), space.velocities())?;
                length("the vector of multipliers", multipliers.len(), constraints)?;
                let all = a.iter().chain(multipliers);
                finite("a or the multipliers", all.into_iter().all(|x| x.is_finite()))?;
                (a.clone(), multipliers.clone())
            }
        };
        Ok(Instant {
            t: self.t,
            a,
            v: self.v.clone(),
            multipliers,
            stabilization_multipliers: vec![0.0; system.holonomic_count()],
            rates: vec![0.0; self.z.len()],
            z: self.z.clone(),
            inactive: self.inactive.clone(),
            q,
        })
    }
}

impl From<&Instant> for InitialValues {
    /// Begins from the positions, velocities, states and inactive rows of an instant, at its time.
    fn from(at: &Instant) -> Self {
        Self::new(&at.q, &at.v).at(at.t).states(&at.z).inactive(&at.inactive)
    }
}

/// Projects q and v if they violate the constraints, and computes a, λ and ż.
pub(super) fn make_consistent(
    system: &dyn System,
    evaluator: &mut Evaluator,
    consistency: &mut ConsistencySolver,
    options: &NewtonOptions,
    determinacy: Determinacy,
    now: &mut Instant,
) -> Result<ConsistencyReport, SimulationError> {
    let mut report = ConsistencyReport::default();
    let sizes = evaluator.sizes();
    let name = |coordinate| system.coordinate_name(coordinate);

    // the displacement of a projection is compared, not Φ, whose unit depends on the system
    let mut phi = vec![0.0; sizes.holonomic];
    evaluator.constraint(system, now.t, &now.q, &mut phi)?;
    let lenient = |limit: f64| if determinacy == Determinacy::Unique { 0.0 } else { limit };
    if largest(&phi) > lenient(REPORT_THRESHOLD * largest(&now.q)) {
        let mut projected = now.clone();
        let moved = consistency
            .project_positions(system, evaluator, options, &mut projected)
            .map_err(|cause| unsolvable(now.t, "the assembly of the positions", cause))?;
        if moved.largest > ROUND_OFF * largest(&now.q) {
            *now = projected;
        }
        if moved.largest > REPORT_THRESHOLD * largest(&now.q) {
            report.position_change = Some((moved.largest, name(moved.coordinate)));
        }
    }
    let mut rates = vec![0.0; sizes.constraints];
    evaluator.velocity_constraint(system, now.t, &now.q, &now.v, &mut rates)?;
    if largest(&rates) > lenient(REPORT_THRESHOLD * largest(&now.v)) {
        let mut projected = now.clone();
        let moved = consistency
            .project_velocities(system, evaluator, &mut projected)
            .map_err(|cause| unsolvable(now.t, "the projection of the velocities", cause))?;
        if moved.largest > ROUND_OFF * largest(&now.v) {
            *now = projected;
        }
        if moved.largest > REPORT_THRESHOLD * largest(&now.v) {
            report.velocity_change = Some((moved.largest, name(moved.coordinate)));
        }
    }
    let time = now.t;
    let failed = |cause| unsolvable(time, "the initial accelerations", cause);
    match determinacy {
        Determinacy::Unique => {
            consistency.accelerations(system, evaluator, options, now).map_err(failed)?;
        }
        Determinacy::LeastSquares => {
            let found = least_squares::accelerations(system, evaluator, now);
            let found = found.map_err(failed)?;
            if let Some((row, _)) = found.constraint {
                let unknown = format!("the multiplier of {}", system.constraint_name(row));
                return Err(failed(StageError::Singular { unknown }));
            }
            report.is_least_squares = true;
            report.unbalanced = found.force.map(|(i, force)| (force, name(i)));
        }
    }
    Ok(report)
}
