//! Energy, power and momentum of a model.

use super::compiled::Model;
use super::describe::vector;
use super::element::At;
use crate::math::Vector3;
use crate::state::Instant;
use crate::system::{Point, Scratch};

/// Where the energy is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Of the motion.
    pub kinetic: f64,
    /// In springs, bushings and constant gravity.
    pub potential: f64,
}

/// What changes the energy, per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Power {
    /// Done by prescribed motions.
    pub drives: f64,
    /// Done by loads, motors, general force laws and gravity that changes with time.
    pub forces: f64,
    /// Lost in dampers and friction.
    pub dissipation: f64,
}

/// Linear momentum, and angular momentum about the origin, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Momentum {
    /// Σ m v.
    pub linear: Vector3,
    /// Σ x × m v + R J Ω.
    pub angular: Vector3,
}

impl Model {
    /// Whether an instant has the lengths of this model.
    pub(super) fn fits(&self, at: &Instant) -> bool {
        let n = self.space.velocities();
        at.q.len() == self.space.configurations()
            && at.v.len() == n
            && at.a.len() == n
            && at.multipliers.len() == self.rows.len()
    }

    /// Kinetic and potential energy; not numbers for an instant of another model.
    pub fn energy(&self, at: &Instant) -> Energy {
        self.energy_with(at, None)
    }

    /// The same with a scratch that is kept.
    pub(crate) fn energy_with(&self, at: &Instant, scratch: Option<&Scratch>) -> Energy {
        if !self.fits(at) {
            return Energy { kinetic: f64::NAN, potential: f64::NAN };
        }
        let point = Point { scratch, ..at.into() };
        let mut kinetic = 0.0;
        for (i, body) in self.moving() {
            let node = &self.nodes[i];
            let (velocity, omega) = (node.velocity(0, &at.v), node.velocity(1, &at.v));
            kinetic += 0.5 * body.mass * velocity.norm_squared();
            kinetic += 0.5 * omega.dot(&(body.tensor * omega));
        }
        for shared in &self.shared {
            let [one, two] = shared.sides.map(|side| self.nodes[side].velocity(0, &at.v));
            let squares = one.norm_squared() + two.norm_squared() + one.dot(&two);
            kinetic += shared.mass / 6.0 * squares;
        }
        kinetic += self.structures.iter().map(|x| x.kinetic(&at.v)).sum::<f64>();
        if !self.flexible.is_empty() {
            kinetic += self.placed(&point, |place| {
                self.flexible.iter().map(|x| x.kinetic(place, &at.v)).sum::<f64>()
            });
        }
        Energy { kinetic, potential: self.stored_energy(&point) }
    }

    pub(super) fn stored_energy(&self, at: &Point<'_>) -> f64 {
        let q = at.q;
        let gravity = self.constant_gravity().unwrap_or_default();
        let others = self.placed(at, |place| {
            let weight: f64 = self
                .moving()
                .map(|(i, body)| body.mass * gravity.dot(&place.frames[i].position))
                .sum();
            let shared: f64 = self
                .shared
                .iter()
                .map(|x| {
                    let [one, two] = x.sides.map(|side| place.frames[side].position);
                    0.5 * x.mass * gravity.dot(&(one + two))
                })
                .sum();
            let flexible: f64 =
                self.flexible.iter().map(|x| x.elastic(q) - gravity.dot(&x.first(place))).sum();
            let structures: f64 = self.structures.iter().map(|x| x.elastic(q)).sum();
            let bodies = flexible + structures - weight - shared;
            match self.elements.customs.is_empty() {
                true => self.element_potential(&At::new(at.t, place, at.v)) + bodies,
                false => bodies,
            }
        });
        if self.elements.customs.is_empty() {
            return others;
        }
        // they may look at velocities
        let rest = vec![0.0; self.space.velocities()];
        let v = if at.v.is_empty() { &rest } else { at.v };
        let elements = self.moved(at, v, |place, v| {
            self.element_potential(&At { z: at.z, ..At::new(at.t, place, v) })
        });
        elements + others
    }

    /// The power of drives and forces, and what is lost; likewise.
    pub fn power(&self, at: &Instant) -> Power {
        self.power_with(at, None)
    }

    /// The same with a scratch that is kept.
    pub(crate) fn power_with(&self, at: &Instant, scratch: Option<&Scratch>) -> Power {
        if !self.fits(at) {
            return Power { drives: f64::NAN, forces: f64::NAN, dissipation: f64::NAN };
        }
        let mut power = Power::default();
        // a prescribed motion Φ = s − y(t) does the work λ ∂Φ/∂t
        let mut rate = vec![0.0; self.rows.len()];
        self.write_constraint_rate(at.t, &mut rate);
        power.drives = rate.iter().zip(&at.multipliers).map(|(b, multiplier)| b * multiplier).sum();
        for structure in &self.structures {
            let [done, lost] = structure.powers(at.t, &at.v);
            power.forces += done;
            power.dissipation += lost;
        }
        power.dissipation += self.flexible.iter().map(|x| x.dissipation(&at.v)).sum::<f64>();
        // forces act on points of flexible bodies too
        let at = &*self.extended(at, scratch);
        let point = Point { scratch, ..at.into() };
        if self.constant_gravity().is_none() {
            let gravity = vector(&self.gravity, at.t);
            for (i, body) in self.moving() {
                power.forces += body.mass * gravity.dot(&self.nodes[i].velocity(0, &at.v));
            }
            self.placed(&point, |place| {
                for body in &self.flexible {
                    power.forces += gravity.dot(&body.momentum(place, &at.v)[0]);
                }
            });
            for shared in &self.shared {
                let [one, two] = shared.sides.map(|side| self.nodes[side].velocity(0, &at.v));
                power.forces += 0.5 * shared.mass * gravity.dot(&(one + two));
            }
        }
        self.placed(&point, |place| {
            let Instant { t, v, multipliers, z, .. } = at;
            let flow = self.element_flow(&At { multipliers, z, ..At::new(*t, place, v) });
            power.dissipation += flow.lost;
            power.forces += flow.work;
        });
        power
    }

    /// Linear and angular momentum; likewise.
    pub fn momentum(&self, at: &Instant) -> Momentum {
        if !self.fits(at) {
            let nothing = Vector3::repeat(f64::NAN);
            return Momentum { linear: nothing, angular: nothing };
        }
        self.placed(&at.into(), |place| {
            let mut momentum = Momentum::default();
            for (i, body) in self.moving() {
                let (node, frame) = (&self.nodes[i], &place.frames[i]);
                let linear = body.mass * node.velocity(0, &at.v);
                let spin = frame.rotation * (body.tensor * node.velocity(1, &at.v));
                momentum.linear += linear;
                momentum.angular += frame.position.cross(&linear) + spin;
            }
            for body in &self.flexible {
                let [linear, spin] = body.momentum(place, &at.v);
                let frame = &place.frames[body.node];
                momentum.linear += linear;
                momentum.angular += frame.position.cross(&linear) + frame.rotation * spin;
            }
            for shared in &self.shared {
                let v = shared.sides.map(|side| self.nodes[side].velocity(0, &at.v));
                for (k, side) in shared.sides.into_iter().enumerate() {
                    let linear = shared.mass / 6.0 * (2.0 * v[k] + v[1 - k]);
                    momentum.linear += linear;
                    momentum.angular += place.frames[side].position.cross(&linear);
                }
            }
            momentum
        })
    }
}

/// Steps in which the energy balance changes far more than usual.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Jump {
    /// The time at which they began.
    pub from: f64,
    /// The time at which they ended.
    pub to: f64,
    /// The change of the balance, in joules.
    pub change: f64,
}

/// After so many steps it is known how much the balance usually changes in one.
const KNOWN: u64 = 5;
/// A change above 30 times the usual one, their geometric mean, belongs to a jump: ln 30.
const LOG_ABOVE: f64 = 3.4;
/// More such steps in a row are no jump.
const LONGEST: u64 = 20;

/// Energy in and out since the start: the balance E − E₀ − work + losses. Where nothing does work it is the
/// error of the energy, and falls with the order of the method.
///
/// Powers are integrated by the cubic through the last four instants it was shown, whatever their
/// spacing; the first intervals by fewer. Where drives, forces or losses do work the balance is therefore of third order
/// at most, whatever the method, and may be larger than the error of the energy itself.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Ledger {
    /// The energy at the start.
    pub initial: f64,
    /// The work of drives since then.
    pub drives: f64,
    /// The work of forces since then.
    pub forces: f64,
    /// The energy lost since then.
    pub dissipated: f64,
    /// Energy now, minus what the start and the works account for.
    pub balance: f64,
    /// The largest amount of energy that moved: kinetic, or stored since the start.
    pub largest: f64,
    /// All energy that flowed: kinetic at the start, released from what was stored there, and all work
    /// and losses, each counted as positive.
    #[serde(default)]
    pub flowed: f64,
    /// The largest jump of the balance within a few steps, if there was one.
    #[serde(default)]
    pub jump: Option<Jump>,
    /// What was stored at the start, and the most that was released from it.
    stored: f64,
    #[serde(default)]
    released: f64,
    /// The sum of the logarithms of usual changes of the balance, and their number.
    #[serde(default)]
    usual: (f64, u64),
    /// Unusual changes in a row: since when, their sum and their number.
    #[serde(default)]
    burst: Option<(f64, f64, u64)>,
    /// The last instants: time, and the three powers.
    recent: Vec<(f64, [f64; 3])>,
}

impl Ledger {
    /// Opens the books.
    pub fn new(model: &Model, at: &Instant) -> Self {
        let energy = model.energy(at);
        Self {
            initial: energy.kinetic + energy.potential,
            drives: 0.0,
            forces: 0.0,
            dissipated: 0.0,
            balance: 0.0,
            largest: energy.kinetic,
            flowed: energy.kinetic,
            jump: None,
            stored: energy.potential,
            released: 0.0,
            usual: (0.0, 0),
            burst: None,
            recent: vec![(at.t, powers(model, at, None))],
        }
    }

    /// The names of its channels, all in joules.
    pub const CHANNELS: [&'static str; 4] =
        ["energy.balance", "energy.dissipated", "work.drives", "work.forces"];

    /// The values of its channels.
    pub fn values(&self) -> [f64; 4] {
        [self.balance, self.dissipated, self.drives, self.forces]
    }

    /// Enters the next instant; call it after every step.
    pub fn record(&mut self, model: &Model, at: &Instant) {
        self.record_with(model, at, None);
    }

    /// The same with a scratch that is kept.
    pub(crate) fn record_with(&mut self, model: &Model, at: &Instant, scratch: Option<&Scratch>) {
        if self.recent.last().is_some_and(|(t, _)| *t == at.t) {
            return;
        }
        if self.recent.len() >= 4 {
            self.recent.remove(0);
        }
        self.recent.push((at.t, powers(model, at, scratch)));
        let weights = last_interval(&self.recent.iter().map(|(t, _)| *t).collect::<Vec<_>>());
        let works = [&mut self.drives, &mut self.forces, &mut self.dissipated];
        for (k, work) in works.into_iter().enumerate() {
            let more = self.recent.iter().zip(&weights).map(|((_, p), w)| w * p[k]).sum::<f64>();
            *work += more;
            self.flowed += more.abs();
        }
        let energy = model.energy_with(at, scratch);
        let released = (self.stored - energy.potential).max(0.0);
        self.flowed += (released - self.released).max(0.0);
        self.released = self.released.max(released);
        let moved = energy.kinetic.max((energy.potential - self.stored).abs());
        self.largest = self.largest.max(moved);
        let before = self.balance;
        self.balance = energy.kinetic + energy.potential - self.initial - self.drives - self.forces
            + self.dissipated;
        self.look_for_jumps(self.balance - before, &energy);
    }

    /// Steps whose change of the balance is far above the usual one, one after the other, are a jump.
    fn look_for_jumps(&mut self, change: f64, energy: &Energy) {
        let &[.., (from, _), (to, _)] = &self.recent[..] else { return };
        // below this it is round-off
        let size = energy.kinetic + energy.potential.abs() + self.initial.abs();
        let least = f64::EPSILON * size;
        let logarithm = change.abs().max(least).ln();
        let (sum, count) = self.usual;
        let is_unusual = count >= KNOWN && logarithm > sum / count as f64 + LOG_ABOVE;
        match &mut self.burst {
            Some(burst) if is_unusual && burst.2 < LONGEST => {
                *burst = (burst.0, burst.1 + change, burst.2 + 1);
            }
            Some(_) if is_unusual => {
                // so many are the new usual
                (self.burst, self.usual) = (None, (0.0, 0));
            }
            None if is_unusual => self.burst = Some((from, change, 1)),
            _ => {
                self.burst = None;
                if least > 0.0 {
                    self.usual = (sum + logarithm, count + 1);
                }
            }
        }
        if let Some((from, change, _)) = self.burst
            && self.jump.is_none_or(|jump| change.abs() > jump.change)
        {
            self.jump = Some(Jump { from, to, change: change.abs() });
        }
    }
}

fn powers(model: &Model, at: &Instant, scratch: Option<&Scratch>) -> [f64; 3] {
    let Power { drives, forces, dissipation } = model.power_with(at, scratch);
    [drives, forces, dissipation]
}

/// Weights of the integral over the last interval of the polynomial through all times given.
fn last_interval(times: &[f64]) -> Vec<f64> {
    let n = times.len();
    let &[.., from, to] = times else { return vec![0.0; n] };
    // two Gauss points are exact for cubics
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let gauss = [middle - half / 3.0_f64.sqrt(), middle + half / 3.0_f64.sqrt()];
    let basis = |i: usize, t: f64| -> f64 {
        let others = (0..n).filter(|&j| j != i);
        others.map(|j| (t - times[j]) / (times[i] - times[j])).product()
    };
    (0..n).map(|i| half * gauss.iter().map(|&t| basis(i, t)).sum::<f64>()).collect()
}
