//! Static equilibrium of a mechanism: its loads in steps, each from the equilibrium before.

use super::spinning::Spinning;
use super::{Law, Model, Start};
use crate::error::{Error, StageError};
use crate::math::Vector3;
use crate::simulation::{Initial, Settings, Simulation};
use crate::stage::{Iteration, NewtonOptions, Search, Statics};
use crate::state::Instant;
use crate::system::System;

/// How an equilibrium is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StaticOptions {
    /// In how many equal steps the load is applied, or time passes.
    pub steps: usize,
    /// Not the loads of the start, in parts, but those of all times up to this one.
    pub until: Option<f64>,
    /// Newton's tolerance and limit.
    pub newton: NewtonOptions,
    /// The angular velocity with which everything turns about the origin, world axes: centrifugal forces
    /// belong to the loads.
    pub spin: Vector3,
}

impl Default for StaticOptions {
    fn default() -> Self {
        let newton = NewtonOptions { iterations: 40, ..NewtonOptions::default() };
        Self { steps: 1, until: None, newton, spin: Vector3::zeros() }
    }
}

/// Equilibria on the way to the last one.
#[derive(Clone, Debug, PartialEq)]
pub struct Equilibrium {
    /// The part of the load (or the time), with the mechanism at rest there.
    pub path: Vec<(f64, Instant)>,
    /// Every iteration of Newton.
    pub log: Vec<Iteration>,
}

impl Equilibrium {
    /// The mechanism at rest under the whole load.
    pub fn last(&self) -> Option<&Instant> {
        self.path.last().map(|(_, at)| at)
    }
}

/// A step is halved at most so often where Newton fails.
const HALVINGS: u32 = 12;

impl Start {
    /// The mechanism at rest under its loads. Gravity, loads, torques and motors grow together from
    /// nothing, or with `until` take the values they have in time; springs, beams and drives are what
    /// they are.
    pub fn equilibrium(&self, options: &StaticOptions) -> Result<Equilibrium, Error> {
        let mut found = Equilibrium { path: Vec::new(), log: Vec::new() };
        self.follow_equilibrium(options, &mut found)?;
        Ok(found)
    }

    /// The same; what was found before a failure is kept.
    pub fn follow_equilibrium(
        &self,
        options: &StaticOptions,
        found: &mut Equilibrium,
    ) -> Result<(), Error> {
        let model = &self.model;
        let begin = self.initial.t;
        let mut statics = match options.spin == Vector3::zeros() {
            true => Statics::new(model, begin, &self.initial.q)?,
            false => {
                let spinning = Spinning { model, spin: options.spin };
                Statics::new(&spinning, begin, &self.initial.q)?
            }
        };
        let mut now = Instant {
            t: begin,
            q: self.initial.q.clone(),
            v: vec![0.0; self.initial.v.len()],
            a: vec![0.0; self.initial.v.len()],
            multipliers: vec![0.0; model.rows.len()],
            stabilizing: vec![0.0; model.holonomic()],
            z: Vec::new(),
            rates: Vec::new(),
        };
        let steps = options.steps.max(1) as f64;
        let (mut done, mut step) = (0.0, 1.0 / steps);
        let mut halvings = 0;
        while done < 1.0 {
            // whole steps end exactly where they should
            let mut next = done + step;
            let whole = (next * steps).round() / steps;
            if (next - whole).abs() < 1e-12 {
                next = whole;
            }
            let next = next.min(1.0);
            let (t, load, shown) = match options.until {
                Some(until) => {
                    let t = begin + next * (until - begin);
                    (t, 1.0, t)
                }
                None => (begin, next, next),
            };
            let spin = load.sqrt() * options.spin;
            let loaded = model.loaded(load).spun(spin);
            let (mut q, mut multipliers) = (now.q.clone(), now.multipliers.clone());
            let mut search = Search {
                t,
                load: shown,
                q: &mut q,
                multipliers: &mut multipliers,
                options: &options.newton,
                log: &mut found.log,
            };
            let solved = match spin == Vector3::zeros() {
                true => statics.solve(&loaded, &mut search),
                false => statics.solve(&Spinning { model: &loaded, spin }, &mut search),
            };
            let solved = solved.and_then(|()| {
                let mut after = Instant { t, q, multipliers, ..now.clone() };
                model.turn_with(&spin, &mut after);
                let checked = model.accept(None, &mut after);
                checked.map_err(|reason| StageError::Refused { reason })?;
                Ok(after)
            });
            match solved {
                Ok(after) => {
                    now = after;
                    found.path.push((shown, now.clone()));
                    done = next;
                    if halvings > 0 {
                        (step, halvings) = (2.0 * step, halvings - 1);
                    }
                }
                Err(StageError::Singular { .. })
                    if now.multipliers.iter().all(|x| *x == 0.0)
                        && let Some(reactions) = reactions(&loaded, t, &now.q) =>
                {
                    // what hangs is held by its reactions alone: begin with some
                    now.multipliers = reactions;
                }
                Err(cause @ StageError::Singular { .. }) => {
                    return self.settle(
                        options,
                        found,
                        &mut statics,
                        Error::Static { load, time: t, cause },
                    );
                }
                Err(cause) if halvings == HALVINGS => {
                    return self.settle(
                        options,
                        found,
                        &mut statics,
                        Error::Static { load, time: t, cause },
                    );
                }
                Err(_) => (step, halvings) = (0.5 * step, halvings + 1),
            }
        }
        Ok(())
    }
}

impl Start {
    /// Looks for an equilibrium downhill from the start, where Newton alone did not find one.
    fn settle(
        &self,
        options: &StaticOptions,
        found: &mut Equilibrium,
        statics: &mut Statics,
        failure: Error,
    ) -> Result<(), Error> {
        if options.until.is_some() || options.spin != Vector3::zeros() {
            return Err(failure);
        }
        let (model, t) = (&self.model, self.initial.t);
        let Some(let_go) = let_go(model, t, &self.initial.q) else { return Err(failure) };
        let acceleration = crate::math::largest(&let_go.a);
        if acceleration == 0.0 || !acceleration.is_finite() {
            return Err(failure);
        }
        let mut now = Instant { a: vec![0.0; let_go.a.len()], ..let_go };
        now.v.fill(0.0);
        let mut search = Search {
            t,
            load: 1.0,
            q: &mut now.q,
            multipliers: &mut now.multipliers,
            options: &options.newton,
            log: &mut found.log,
        };
        let reach = 0.2 * model.size.min(1.0);
        if statics.settle(model, &mut search, acceleration, reach).is_err()
            || model.accept(None, &mut now).is_err()
        {
            return Err(failure);
        }
        found.path.clear();
        found.path.push((1.0, now));
        Ok(())
    }
}

/// A model at the moment in which it is let go.
fn let_go(model: &Model, t: f64, q: &[f64]) -> Option<Instant> {
    let at_rest = Initial::new(q, &vec![0.0; model.space().velocities()]).at(t);
    let settings = Settings::new("generalized-alpha", 1e-3);
    Some(Simulation::new(model, &settings, &at_rest).ok()?.now().clone())
}

/// The reactions of a model that is let go where it is, if there are any.
fn reactions(model: &Model, t: f64, q: &[f64]) -> Option<Vec<f64>> {
    let found = let_go(model, t, q)?.multipliers;
    found.iter().any(|x| *x != 0.0).then_some(found)
}

impl Model {
    /// The same with a part of its loads.
    fn loaded(&self, part: f64) -> Self {
        let mut model = self.clone();
        if part == 1.0 {
            return model;
        }
        model.gravity = model.gravity.map(|g| g.scaled(part));
        model.loads.iter_mut().for_each(|load| load.scale *= part);
        for spring in &mut model.springs {
            if let Law::Actuator(push) = &mut spring.law {
                *push = push.scaled(part);
            }
        }
        model
    }
}
