//! Kinematic analysis and inverse dynamics: a fully driven mechanism moves as its constraints say,
//! and the multipliers of its drives are the forces that this takes.

use super::error::{SimulationError, StartError, unsolvable};
use super::initial::{Determinacy, InitialValues, make_consistent};
use crate::math::{Chart, largest};
use crate::methods::SettingsError;
use crate::stage::StageError;
use crate::stage::{ConsistencySolver, NewtonOptions};
use crate::state::Instant;
use crate::system::{Evaluator, System, SystemHandle};

/// A way between two times is halved at most this often.
const MAX_HALVINGS: usize = 24;
/// Solutions of the constraints at one time that differ by more than this lie on different branches.
const SAME: f64 = 1e-8;
/// Half a step is corrected by an eighth as much, if the motion is smooth on that scale.
const RESOLVED: f64 = 0.3;
/// What may move in half a step: one radian, or one unit or initial size of a coordinate. Beyond it
/// agreement may be chance.
const MAX_MOVE: f64 = 1.0;

/// The motion of a fully driven system at given times: positions, velocities, accelerations, and the
/// multipliers that belong to them. Times must not decrease.
///
/// Nothing is integrated, so that the result at a time is exact to round-off whatever the times
/// between; masses and forces only enter the multipliers.
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
    /// For each velocity what counts as far: one, or the coordinate's initial size.
    units: Vec<f64>,
}

impl Follower<'_> {
    fn complete(&mut self, now: &mut Instant) -> Result<(), SimulationError> {
        let Self { system, evaluator, consistency, options, .. } = self;
        make_consistent(*system, evaluator, consistency, options, Determinacy::Unique, now)?;
        let accepted = evaluator.accept(*system, None, now);
        accepted.map_err(|x| unsolvable(now.t, "the driven position", StageError::refused(x)))
    }

    /// Goes on to a time. One step and two half steps must come to the same place, and be corrected
    /// as predictions of third order are, or else the way is halved: a mechanism that can close in
    /// two ways must not change over unseen.
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

    /// The position at a time from a prediction, and how far that had to be corrected.
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

    /// Whether no coordinate has moved further than half a step may take it.
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
