//! Kinematic analysis and inverse dynamics: a fully driven mechanism moves as its constraints prescribe,
//! and the multipliers of its drives are the required forces.

use super::error::{SimulationError, StartError, unsolvable};
use super::initial::{Determinacy, InitialValues, make_consistent};
use crate::math::{Chart, largest};
use crate::methods::SettingsError;
use crate::stage::StageError;
use crate::stage::{ConsistencySolver, NewtonOptions};
use crate::state::Instant;
use crate::system::{Evaluator, System, SystemHandle};

/// The largest number of halvings of the interval between two times.
const MAX_HALVINGS: usize = 24;
/// Solutions of the constraints at one time that differ by more than this are on different branches.
const SAME: f64 = 1e-8;
/// Largest ratio of the corrections of half steps and of a full step; 1/8 for a smooth motion.
const RESOLVED: f64 = 0.3;
/// Largest motion in half a step: one radian, or one unit or initial size of a coordinate. Above it
/// agreement may be a coincidence.
const MAX_MOVE: f64 = 1.0;

/// The motion of a fully driven system at given times: positions, velocities, accelerations, and the
/// consistent multipliers. Times must not decrease.
///
/// Nothing is integrated, so that the result at a time is exact to round-off and independent of the times
/// before; masses and forces only change the multipliers.
pub fn kinematics<'s>(
    system: impl Into<SystemHandle<'s>>,
    initial: &InitialValues,
    times: &[f64],
) -> Result<Vec<Instant>, SimulationError> {
    let handle = system.into();
    let system = handle.get();
    let mut now = initial.instant(system)?;
    let coordinates = system.space().velocities();
    let is_active = |row: &usize| !now.inactive.contains(row);
    let constraints = (0..system.holonomic_count()).filter(is_active).count();
    if coordinates != constraints || system.state_count() > 0 {
        let cause = StartError::NotDriven { coordinates, constraints };
        return Err(SimulationError::Start { time: now.t, cause });
    }
    let mut evaluator = Evaluator::at_instant(system, &now)?;
    let mut units = vec![1.0_f64; coordinates];
    for node in evaluator.space().nodes() {
        for i in 0..node.vector {
            units[node.v + i] = now.q[node.q + i].abs().max(1.0);
        }
    }
    let mut follower = Follower {
        system,
        units,
        consistency: ConsistencySolver::new(system, &evaluator),
        evaluator: &mut evaluator,
        options: NewtonOptions::default(),
    };
    follower.complete(&mut now)?;
    let mut motion = Vec::with_capacity(times.len());
    for &time in times {
        if !time.is_finite() {
            return Err(SettingsError::EndTime { end: time }.into());
        }
        if time < now.t {
            return Err(SettingsError::TimeOrder { time, before: now.t }.into());
        }
        follower.follow(&mut now, time, MAX_HALVINGS)?;
        motion.push(now.clone());
    }
    Ok(motion)
}

/// Follows a motion from time to time.
struct Follower<'a> {
    system: &'a dyn System,
    evaluator: &'a mut Evaluator,
    consistency: ConsistencySolver,
    options: NewtonOptions,
    /// The scale of each velocity coordinate: one, or its initial size.
    units: Vec<f64>,
}

impl Follower<'_> {
    fn complete(&mut self, now: &mut Instant) -> Result<(), SimulationError> {
        let Self { system, evaluator, consistency, options, .. } = self;
        make_consistent(*system, evaluator, consistency, options, Determinacy::Unique, now)?;
        let accepted = evaluator.accept(*system, None, now);
        accepted.map_err(|x| unsolvable(now.t, "the driven position", StageError::refused(x)))
    }

    /// Advances to a time. One step and two half steps must give the same configuration, with corrections
    /// like those of third-order predictions; otherwise the interval is halved. This detects a change of branch
    /// of a mechanism that can be assembled in two ways.
    fn follow(
        &mut self,
        now: &mut Instant,
        time: f64,
        halvings: usize,
    ) -> Result<(), SimulationError> {
        if now.t == time {
            return Ok(());
        }
        let middle = now.t + 0.5 * (time - now.t);
        let whole = self.reach(now, time);
        let first = self.reach(now, middle);
        let second = first.as_ref().ok().map(|(half, _)| self.reach(half, time));
        if let (Ok((one, correction)), Ok((half, first)), Some(Ok((two, second)))) =
            (&whole, &first, second)
        {
            let size = self.largest_change(now, one).max(largest(&one.q));
            let is_one = self.largest_change(one, &two) <= SAME * size;
            let resolved = first.max(second) <= RESOLVED * correction + SAME * size;
            if is_one && resolved && self.is_near(now, half) && self.is_near(half, &two) {
                *now = two;
                return Ok(());
            }
        }
        if halvings == 0 {
            whole?;
            first?;
            return Err(SimulationError::Start { time, cause: StartError::Branches });
        }
        self.follow(now, middle, halvings - 1)?;
        self.follow(now, time, halvings - 1)
    }

    /// The position at a time from a prediction, and the size of its correction.
    fn reach(&mut self, now: &Instant, time: f64) -> Result<(Instant, f64), SimulationError> {
        let h = time - now.t;
        let step: Vec<f64> =
            now.v.iter().zip(&now.a).map(|(v, a)| h * v + 0.5 * h * h * a).collect();
        let mut next = now.clone();
        next.t = time;
        self.evaluator.space().retract(Chart::Exponential, &now.q, &step, &mut next.q);
        let predicted = next.clone();
        self.complete(&mut next)?;
        let correction = self.largest_change(&predicted, &next);
        Ok((next, correction))
    }

    /// Whether no coordinate has moved more than [`MAX_MOVE`].
    fn is_near(&self, from: &Instant, to: &Instant) -> bool {
        let mut way = vec![0.0; from.v.len()];
        self.evaluator.space().difference(Chart::Exponential, &from.q, &to.q, &mut way);
        way.iter().zip(&self.units).all(|(x, unit)| x.abs() <= MAX_MOVE * unit)
    }

    fn largest_change(&self, from: &Instant, to: &Instant) -> f64 {
        let mut way = vec![0.0; from.v.len()];
        self.evaluator.space().difference(Chart::Exponential, &from.q, &to.q, &mut way);
        largest(&way)
    }
}
