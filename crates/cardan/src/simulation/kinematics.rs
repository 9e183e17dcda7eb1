//! Kinematic analysis and inverse dynamics: a fully driven mechanism moves as its constraints say,
//! and the multipliers of its drives are the forces that this takes.

use super::initial::make_consistent;
use super::{Initial, unsolvable};
use crate::error::{Error, StageError, StartError};
use crate::math::Chart;
use crate::stage::{Consistency, NewtonOptions};
use crate::state::Instant;
use crate::system::{Evaluator, Handle, Point, System};

/// A way between two times is halved at most this often.
const MOST_HALVINGS: usize = 16;
/// A prediction further than this from what fits, in radians or in units of the largest coordinate,
/// may have come to another branch.
const LARGEST_CORRECTION: f64 = 0.1;

/// The motion of a fully driven system at given times: positions, velocities, accelerations, and the
/// multipliers that belong to them. Times must not decrease.
///
/// Nothing is integrated, so that the result at a time is exact to round-off whatever the times
/// between; masses and forces only enter the multipliers.
pub fn kinematics<'s>(
    system: impl Into<Handle<'s>>,
    initial: &Initial,
    times: &[f64],
) -> Result<Vec<Instant>, Error> {
    let handle = system.into();
    let system = handle.get();
    let mut now = initial.instant(system)?;
    let (coordinates, constraints) = (system.space().velocities(), system.holonomic());
    if coordinates != constraints {
        let cause = StartError::NotDriven { coordinates, constraints };
        return Err(Error::Start { time: now.t, cause });
    }
    let at = Point { t: now.t, q: &now.q, v: &now.v, multipliers: &now.multipliers, z: &now.z };
    let mut evaluator = Evaluator::new(system, &at)?;
    let mut follower = Follower {
        system,
        consistency: Consistency::new(system, &evaluator),
        evaluator: &mut evaluator,
        options: NewtonOptions::default(),
    };
    follower.complete(&mut now)?;
    let mut motion = Vec::with_capacity(times.len());
    for &time in times {
        if !(time >= now.t && time.is_finite()) {
            return Err(crate::error::SettingsError::EndTime { end: time }.into());
        }
        follower.follow(&mut now, time)?;
        motion.push(now.clone());
    }
    Ok(motion)
}

/// Follows a motion from time to time.
struct Follower<'a> {
    system: &'a dyn System,
    evaluator: &'a mut Evaluator,
    consistency: Consistency,
    options: NewtonOptions,
}

impl Follower<'_> {
    fn complete(&mut self, now: &mut Instant) -> Result<(), Error> {
        let Self { system, evaluator, consistency, options } = self;
        make_consistent(*system, evaluator, consistency, options, now)?;
        system.settle(&mut now.q);
        Ok(())
    }

    /// Goes on to a time, in as many parts as it takes to stay on the branch.
    fn follow(&mut self, now: &mut Instant, time: f64) -> Result<(), Error> {
        let (mut halvings, whole) = (0, time - now.t);
        while now.t < time {
            let part = whole / f64::powi(2.0, halvings);
            let end = if time - now.t <= 1.5 * part { time } else { now.t + part };
            match self.part(now, end) {
                Ok(next) => *now = next,
                Err(error) if halvings as usize >= MOST_HALVINGS => return Err(error),
                Err(_) => halvings += 1,
            }
        }
        Ok(())
    }

    fn part(&mut self, now: &Instant, time: f64) -> Result<Instant, Error> {
        let h = time - now.t;
        let space = self.evaluator.space();
        let step: Vec<f64> =
            now.v.iter().zip(&now.a).map(|(v, a)| h * v + 0.5 * h * h * a).collect();
        let mut next = now.clone();
        next.t = time;
        space.retract(Chart::Exponential, &now.q, &step, &mut next.q);
        let predicted = next.q.clone();
        self.complete(&mut next)?;
        let mut correction = vec![0.0; step.len()];
        self.evaluator.space().difference(Chart::Exponential, &predicted, &next.q, &mut correction);
        let largest = |values: &[f64]| values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let size = largest(&next.q).min(1.0);
        if !(largest(&correction) <= LARGEST_CORRECTION * size) {
            let cause = StageError::NotConverged {
                iterations: 0,
                correction: largest(&correction),
                worst: Vec::new(),
            };
            return Err(unsolvable(time, "the driven position", cause));
        }
        Ok(next)
    }
}
