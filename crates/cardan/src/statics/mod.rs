//! Static equilibrium of a mechanism: the loads are applied in steps, each starting from the previous
//! equilibrium.

use crate::error::Error;
use crate::model::{AssembledMechanism, EquilibriumStart, SteadyRotation};
use crate::modes::StaticStability;
use cardan_core::math::{Vector3, largest};
use cardan_core::simulation::{InitialValues, Settings, Simulation};
use cardan_core::stage::StageError;
use cardan_core::stage::{NewtonOptions, StaticIteration, StaticProblem, StaticSolver};
use cardan_core::state::Instant;
use cardan_core::system::System;

/// Options of the static solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StaticOptions {
    /// Number of equal steps of the load, or of the time.
    pub steps: usize,
    /// If given, the loads follow time from the start to this time in s; otherwise the loads at the start
    /// are scaled from zero to one.
    pub until: Option<f64>,
    /// Tolerance and iteration limit of Newton's method.
    pub newton: NewtonOptions,
    /// Angular velocity of a steady rotation about the origin, world axes: centrifugal forces belong to
    /// the loads.
    pub spin: Vector3,
}

impl Default for StaticOptions {
    fn default() -> Self {
        let newton = NewtonOptions { iterations: 40, ..NewtonOptions::default() };
        Self { steps: 1, until: None, newton, spin: Vector3::zeros() }
    }
}

/// The equilibria of all load steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Equilibrium {
    /// The load factor (or the time) of each step, and the mechanism at rest.
    pub path: Vec<(f64, Instant)>,
    /// Every iteration of Newton's method.
    pub log: Vec<StaticIteration>,
    /// Stability of the last equilibrium; `None` if it was not reached.
    pub stability: Option<StaticStability>,
    /// Names of the first-order states that keep their start values, because they act on nothing or nothing
    /// changes them; all others have a rate of zero.
    pub held_states: Vec<String>,
    /// Limits of validity that the last equilibrium exceeds.
    pub warnings: Vec<String>,
}

impl Equilibrium {
    /// The mechanism at rest under the full load.
    pub fn last(&self) -> Option<&Instant> {
        self.path.last().map(|(_, at)| at)
    }
}

impl From<&Equilibrium> for InitialValues {
    /// Initial values at rest under the full load.
    fn from(found: &Equilibrium) -> Self {
        found.last().map(Self::from).unwrap_or_default()
    }
}

/// Limit of successive halvings of a step for which Newton's method fails.
const MAX_HALVINGS: u32 = 12;
/// Limit of solutions of one step in which values of the last accepted instant change.
const MAX_REPEATS: u32 = 100;

impl AssembledMechanism {
    /// The mechanism at rest under its loads. Gravity, loads, torques and motors are scaled together from
    /// zero, or follow time with `until`; springs, beams and drives are not scaled. First-order states
    /// are found together with the positions: their rates are zero. A state that acts on nothing, or that nothing
    /// changes, keeps its initial value.
    pub fn equilibrium(&self, options: &StaticOptions) -> Result<Equilibrium, Error> {
        let mut found = Equilibrium::default();
        self.follow_equilibrium(options, &mut found)?;
        Ok(found)
    }

    /// This mechanism at rest in its equilibrium under the loads at the start: `start.in_equilibrium(&StaticOptions::default())`.
    /// Velocities are zero, apart from those that drives prescribe. The report has the stability.
    pub fn in_equilibrium(&self, options: &StaticOptions) -> Result<Self, Error> {
        let found = self.equilibrium(options)?;
        let Some(at) = found.last() else { return Ok(self.clone()) };
        let moved = self.model.space().minus(&self.initial.q, &at.q).unwrap_or_default();
        let mut begun = self.begin_at(at)?;
        let is_at_rest = begun.initial.v.iter().all(|v| *v == 0.0);
        begun.report.equilibrium = Some(EquilibriumStart {
            displacement: largest(&moved),
            stability: found.stability.as_ref().map_or_else(String::new, ToString::to_string),
            is_unstable: found.stability.as_ref().is_some_and(|x| x.unstable > 0),
            ignores_velocities: is_at_rest && self.initial.v.iter().any(|v| *v != 0.0),
            held_states: found.held_states.clone(),
            warnings: found.warnings.clone(),
        });
        Ok(begun)
    }

    /// Computes the same as [`AssembledMechanism::equilibrium`], but keeps in `found` the steps before a
    /// failure.
    pub fn follow_equilibrium(
        &self,
        options: &StaticOptions,
        found: &mut Equilibrium,
    ) -> Result<(), Error> {
        found.stability = None;
        found.warnings.clear();
        self.follow(options, found)?;
        found.stability = self.stability(options, found)?;
        let is_unstable =
            |found: &Equilibrium| found.stability.as_ref().is_none_or(|x| x.unstable > 0);
        // with rotation, Newton's method may leave the stable equilibrium near the start; if the start is
        // an equilibrium, it is the result, stable or not
        if options.spin != Vector3::zeros() && is_unstable(found) && self.has_moved(found) {
            let mut other = Equilibrium { log: found.log.clone(), ..Equilibrium::default() };
            let mut statics = self.statics(options)?;
            if self.solve_pseudo_transient(options, &mut other, &mut statics).is_some() {
                other.stability = self.stability(options, &other)?;
                if !is_unstable(&other) {
                    *found = other;
                }
            }
        }
        let exceeded = found.last().map(|at| self.model.exceeded_limits(at)).unwrap_or_default();
        found.warnings.extend(exceeded.iter().map(|(limit, value)| limit.warning(*value)));
        Ok(())
    }

    /// Whether the last equilibrium differs from the start.
    fn has_moved(&self, found: &Equilibrium) -> bool {
        let Some(last) = found.last() else { return false };
        let moved = self.model.space().minus(&self.initial.q, &last.q).unwrap_or_default();
        largest(&moved) > 1e-6 * self.model.size().min(1.0)
    }

    fn stability(
        &self,
        options: &StaticOptions,
        found: &Equilibrium,
    ) -> Result<Option<StaticStability>, Error> {
        let Some(last) = found.last() else { return Ok(None) };
        let model = self.model.with_rotating_ground(options.spin);
        let observer = model.observer(options.spin);
        StaticStability::new(&model, last, &observer).map(Some).map_err(Error::from)
    }

    fn statics(&self, options: &StaticOptions) -> Result<StaticSolver, Error> {
        let InitialValues { t, q, inactive, .. } = &self.initial;
        let (model, t) = (&self.model, *t);
        Ok(match options.spin == Vector3::zeros() {
            true => StaticSolver::with_inactive(&**model, t, q, inactive)?,
            false => StaticSolver::with_inactive(
                &SteadyRotation { model, spin: options.spin },
                t,
                q,
                inactive,
            )?,
        })
    }

    /// Lists the states that an equilibrium does not change.
    fn list_held_states(&self, statics: &StaticSolver, found: &mut Equilibrium) {
        found.held_states = statics.held_states().map(|i| self.model.state_name(i)).collect();
    }

    fn follow(&self, options: &StaticOptions, found: &mut Equilibrium) -> Result<(), Error> {
        let model = &self.model;
        model.check_spin(&options.spin)?;
        let begin = self.initial.t;
        let mut statics = self.statics(options)?;
        let mut now = Instant {
            t: begin,
            q: self.initial.q.clone(),
            v: vec![0.0; self.initial.v.len()],
            a: vec![0.0; self.initial.v.len()],
            multipliers: vec![0.0; model.holonomic_count() + model.nonholonomic_count()],
            stabilization_multipliers: vec![0.0; model.holonomic_count()],
            z: self.initial.z.clone(),
            rates: vec![0.0; self.initial.z.len()],
            inactive: self.initial.inactive.clone(),
        };
        let steps = options.steps.max(1) as f64;
        let (mut done, mut step) = (0.0, 1.0 / steps);
        let (mut halvings, mut repeats) = (0, 0);
        while done < 1.0 {
            // remove round-off at the ends of whole steps
            let mut next = done + step;
            let whole = (next * steps).round() / steps;
            if (next - whole).abs() < 1e-12 {
                next = whole;
            }
            let next = next.min(1.0);
            let (t, load, path_value) = match options.until {
                Some(until) => {
                    let t = begin + next * (until - begin);
                    (t, 1.0, t)
                }
                None => (begin, next, next),
            };
            let spin = load.sqrt() * options.spin;
            let loaded = model.loaded(load).with_rotating_ground(spin);
            let Instant { mut q, mut multipliers, mut z, .. } = now.clone();
            let mut search = StaticProblem {
                t,
                load: path_value,
                q: &mut q,
                multipliers: &mut multipliers,
                z: &mut z,
                options: &options.newton,
                log: &mut found.log,
            };
            let rotating = SteadyRotation { model: &loaded, spin };
            let system: &dyn System = match spin == Vector3::zeros() {
                true => &loaded,
                false => &rotating,
            };
            let solved = statics.solve(system, &mut search);
            let solved = solved.and_then(|()| {
                let mut after = Instant { t, q, multipliers, z, ..now.clone() };
                model.turn_with(&spin, &mut after);
                let used = after.q.clone();
                statics.accept(&**model, &mut after)?;
                Ok((after, used))
            });
            match solved {
                Ok((after, used)) => {
                    now = after;
                    // at rest the value of the last instant is that of this one
                    if let Some(part) = model.changed_memory(&used, &now.q) {
                        if repeats < MAX_REPEATS {
                            repeats += 1;
                            continue;
                        }
                        found.warnings.push(unsettled(&part));
                    }
                    repeats = 0;
                    found.path.push((path_value, now.clone()));
                    done = next;
                    if halvings > 0 {
                        (step, halvings) = (2.0 * step, halvings - 1);
                    }
                }
                // the solution before it had other values of the last instant
                Err(_) if repeats > 0 => {
                    found.warnings.push(unsettled("a formula"));
                    found.path.push((path_value, now.clone()));
                    (done, repeats) = (next, 0);
                }
                Err(StageError::Singular { .. })
                    if now.multipliers.iter().all(|x| *x == 0.0)
                        && let Some(reactions) = reactions(system, t, &now) =>
                {
                    // a hanging mechanism has no stiffness without reactions: start with their values
                    now.multipliers = reactions;
                }
                Err(cause) if cause.is_about_state() => {
                    return Err(Error::Static { load, time: t, cause });
                }
                Err(cause)
                    if halvings == MAX_HALVINGS || matches!(cause, StageError::Singular { .. }) =>
                {
                    let failure = Error::Static { load, time: t, cause };
                    return self
                        .solve_pseudo_transient(options, found, &mut statics)
                        .ok_or(failure);
                }
                Err(_) => (step, halvings) = (0.5 * step, halvings + 1),
            }
        }
        self.list_held_states(&statics, found);
        Ok(())
    }
}

impl AssembledMechanism {
    /// Finds an equilibrium by pseudo-transient continuation from the start, if Newton's method alone did
    /// not find one: the start itself if its acceleration is zero. `None` if it finds none.
    fn solve_pseudo_transient(
        &self,
        options: &StaticOptions,
        found: &mut Equilibrium,
        statics: &mut StaticSolver,
    ) -> Option<()> {
        if options.until.is_some() {
            return None;
        }
        let t = self.initial.t;
        let model = self.model.with_rotating_ground(options.spin);
        let rotating = SteadyRotation { model: &model, spin: options.spin };
        let system: &dyn System = match options.spin == Vector3::zeros() {
            true => &model,
            false => &rotating,
        };
        let released = released_instant(system, &self.initial)?;
        let acceleration = largest(&released.a);
        if !acceleration.is_finite() {
            return None;
        }
        let mut now = Instant { a: vec![0.0; released.a.len()], ..released };
        now.v.fill(0.0);
        let is_changing = now.rates.iter().any(|x| *x != 0.0);
        now.rates.fill(0.0);
        // without accelerations the states alone determine the motion
        let acceleration = if acceleration > 0.0 || !is_changing { acceleration } else { 1.0 };
        if acceleration > 0.0 {
            let mut search = StaticProblem {
                t,
                load: 1.0,
                q: &mut now.q,
                multipliers: &mut now.multipliers,
                z: &mut now.z,
                options: &options.newton,
                log: &mut found.log,
            };
            let reach = 0.2 * model.size().min(1.0);
            statics.solve_pseudo_transient(system, &mut search, acceleration, reach).ok()?;
        }
        model.turn_with(&options.spin, &mut now);
        let used = now.q.clone();
        statics.accept(&*self.model, &mut now).ok()?;
        let changed = self.model.changed_memory(&used, &now.q);
        found.warnings.extend(changed.map(|part| unsettled(&part)));
        found.path.clear();
        found.path.push((1.0, now));
        self.list_held_states(statics, found);
        Some(())
    }
}

/// The warning for a value of the last accepted instant that changes from solution to solution.
fn unsettled(part: &str) -> String {
    format!(
        "{part} uses `previous(…)` or a hysteresis, whose value does not settle: this is not an equilibrium of the motion; \
         try: the formula without `previous(…)`"
    )
}

/// The consistent instant of a system that is released from rest.
fn released_instant(system: &dyn System, from: &InitialValues) -> Option<Instant> {
    let at_rest = InitialValues { v: vec![0.0; from.v.len()], known: None, ..from.clone() };
    let settings = Settings::new("generalized-alpha", 1e-3);
    Some(Simulation::new(system, &settings, &at_rest).ok()?.now().clone())
}

/// The reactions of a system that is released from rest; `None` if all are zero.
fn reactions(system: &dyn System, t: f64, now: &Instant) -> Option<Vec<f64>> {
    let found = released_instant(system, &InitialValues::from(now).at(t))?.multipliers;
    found.iter().any(|x| *x != 0.0).then_some(found)
}
