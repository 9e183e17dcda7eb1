//! The energy balance of a run: energy, work, losses, and the remaining error.

use super::{Energy, Model, Power};
use cardan_core::simulation::{QuadratureNode, Simulation};
use cardan_core::state::Instant;

/// Consecutive steps in which the energy balance changes far more than in typical steps.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BalanceJump {
    /// The time before the first of these steps.
    pub from: f64,
    /// The time after the last of these steps.
    pub to: f64,
    /// The change of the balance, in joules.
    pub change: f64,
}

/// The number of instants whose powers are stored.
const STORED_INSTANTS: usize = 3;
/// The number of steps after which the typical change of the balance per step is known.
const MIN_TYPICAL_STEPS: u64 = 5;
/// A change belongs to a jump if it exceeds 30 times the geometric mean of typical changes: ln 30.
const LOG_JUMP_RATIO: f64 = 3.4;
/// The largest number of consecutive steps that count as one jump.
const MAX_JUMP_STEPS: u64 = 20;

/// The energy balance since the start, E − E₀ − work + losses: the error of the energy. It converges with the order of
/// the method: powers are integrated by the stages of the method, or between the instants of a step to the order of
/// the method ([`Interpolant::integrate`](cardan_core::simulation::Interpolant::integrate)).
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct EnergyBalance {
    /// The energy at the start.
    pub initial: f64,
    /// The work of drives since the start.
    pub drives: f64,
    /// The work of forces since the start.
    pub forces: f64,
    /// The energy dissipated since the start.
    pub dissipated: f64,
    /// The energy that events added since the start: negative for impacts and locks.
    #[serde(default)]
    pub events: f64,
    /// The energy minus the initial energy and all work, plus the dissipated energy.
    pub balance: f64,
    /// The largest kinetic energy or change of the stored energy since the start.
    pub largest: f64,
    /// The sum of all energy transfers: the initial kinetic energy, the energy released from the initial potential
    /// energy, and the absolute values of all work and losses.
    #[serde(default)]
    pub transferred: f64,
    /// The largest jump of the balance, if there was one.
    #[serde(default)]
    pub jump: Option<BalanceJump>,
    /// The initial potential energy.
    stored: f64,
    /// The largest energy released from it.
    #[serde(default)]
    released: f64,
    /// The sum of the logarithms of typical changes of the balance, and their number.
    #[serde(default)]
    usual: (f64, u64),
    /// Consecutive changes that are not typical: start time, sum and number.
    #[serde(default)]
    burst: Option<(f64, f64, u64)>,
    /// The work of drives and forces and the losses before the last step.
    #[serde(default)]
    before: [f64; 3],
    /// The times of the last instants, the latest first.
    times: Vec<f64>,
    /// The three powers at the last instants.
    powers: Vec<[f64; 3]>,
    #[serde(skip)]
    scratch: Instant,
    /// The energy and the powers at the last instant, and its time.
    #[serde(skip)]
    latest: Option<(f64, (Energy, Power))>,
}

impl EnergyBalance {
    /// Starts the energy balance at an instant.
    pub fn new(model: &Model, at: &Instant) -> Self {
        let energy = model.energy(at);
        Self {
            initial: energy.kinetic + energy.potential,
            drives: 0.0,
            forces: 0.0,
            dissipated: 0.0,
            events: 0.0,
            balance: 0.0,
            largest: energy.kinetic,
            transferred: energy.kinetic,
            jump: None,
            stored: energy.potential,
            released: 0.0,
            usual: (0.0, 0),
            burst: None,
            before: [0.0; 3],
            times: vec![at.t],
            powers: vec![model.power(at).values()],
            scratch: Instant::default(),
            latest: None,
        }
    }

    /// The names of the channels of the balance, all in joules.
    pub const CHANNELS: [&'static str; 5] =
        ["energy.balance", "energy.dissipated", "work.drives", "work.forces", "work.events"];

    /// The values of the channels of the balance.
    pub fn values(&self) -> [f64; 5] {
        [self.balance, self.dissipated, self.drives, self.forces, self.events]
    }

    /// Adds the change of the energy by events at the current instant of a simulation, whose actions have been
    /// performed; returns it. Call it after [`record`](Self::record) and the actions.
    pub fn record_events(&mut self, model: &Model, now: &Instant) -> f64 {
        let energy = model.energy(now);
        let total = energy.kinetic + energy.potential;
        let before =
            self.initial + self.drives + self.forces + self.events - self.dissipated + self.balance;
        let change = total - before;
        self.events += change;
        self.transferred += change.abs();
        self.largest = self.largest.max(energy.kinetic);
        // powers before the events are not those after them
        self.before = [self.drives, self.forces, self.dissipated];
        (self.times, self.powers) = (vec![now.t], vec![model.power(now).values()]);
        self.latest = None;
        change
    }

    /// Adds the last step of a simulation; call it after every step.
    pub fn record(&mut self, model: &Model, motion: &Simulation<'_>) {
        let Some(step) = motion.interpolant() else { return };
        let (at, scratch) = (step.to(), Some(motion.scratch()));
        let Some(&from) = self.times.first().filter(|from| **from != at.t) else { return };
        let power = model.power_with(at, scratch);
        let end_powers = power.values();
        let mut work = [0.0; 3];
        let Self { times, powers: known, .. } = self;
        step.integrate(times, &mut self.scratch, |weight, node| {
            let powers = match node {
                QuadratureNode::Known(k) => known[k],
                QuadratureNode::End => end_powers,
                QuadratureNode::Between(at) => model.power_with(at, scratch).values(),
            };
            work.iter_mut().zip(powers).for_each(|(work, power)| *work += weight * power);
        });
        times.truncate(STORED_INSTANTS - 1);
        known.truncate(STORED_INSTANTS - 1);
        times.insert(0, at.t);
        known.insert(0, end_powers);
        self.before = [self.drives, self.forces, self.dissipated];
        let totals = [&mut self.drives, &mut self.forces, &mut self.dissipated];
        for (total, work) in totals.into_iter().zip(work) {
            *total += work;
            self.transferred += work.abs();
        }
        let energy = model.energy_with(at, scratch);
        self.latest = Some((at.t, (energy, power)));
        let released = (self.stored - energy.potential).max(0.0);
        self.transferred += (released - self.released).max(0.0);
        self.released = self.released.max(released);
        let kinetic_or_stored = energy.kinetic.max((energy.potential - self.stored).abs());
        self.largest = self.largest.max(kinetic_or_stored);
        let before = self.balance;
        self.balance = energy.kinetic + energy.potential
            - self.initial
            - self.drives
            - self.forces
            - self.events
            + self.dissipated;
        self.find_jumps([from, at.t], self.balance - before, &energy);
    }

    /// The energy and the powers at the instant of the last step; `None` if events have changed it.
    #[cfg(feature = "results")]
    pub(crate) fn latest(&self, at: &Instant) -> Option<&(Energy, Power)> {
        self.latest.as_ref().filter(|(t, _)| *t == at.t).map(|(_, known)| known)
    }

    /// The values of the channels of the balance at an instant within the last step: work and losses along the cubics
    /// through their values and powers at both ends.
    pub fn values_within(&self, model: &Model, at: &Instant) -> [f64; 5] {
        let (&[to, from, ..], &[end, start, ..]) = (&self.times[..], &self.powers[..]) else {
            return self.values();
        };
        let (h, s) = (to - from, (at.t - from) / (to - from));
        let now = [self.drives, self.forces, self.dissipated];
        let total = |k: usize| {
            let gained = now[k] - self.before[k];
            self.before[k]
                + gained * s * s * (3.0 - 2.0 * s)
                + h * s * (1.0 - s) * ((1.0 - s) * start[k] - s * end[k])
        };
        let [drives, forces, dissipated] = [0, 1, 2].map(total);
        let energy = model.energy(at);
        let balance =
            energy.kinetic + energy.potential - self.initial - drives - forces - self.events
                + dissipated;
        [balance, dissipated, drives, forces, self.events]
    }

    /// Finds jumps: consecutive steps whose change of the balance is far above the typical one.
    fn find_jumps(&mut self, [from, to]: [f64; 2], change: f64, energy: &Energy) {
        // changes below `least` are round-off
        let size = energy.kinetic + energy.potential.abs() + self.initial.abs();
        let least = f64::EPSILON * size;
        let logarithm = change.abs().max(least).ln();
        let (sum, count) = self.usual;
        let is_large =
            count >= MIN_TYPICAL_STEPS && logarithm > sum / count as f64 + LOG_JUMP_RATIO;
        match &mut self.burst {
            Some(burst) if is_large && burst.2 < MAX_JUMP_STEPS => {
                *burst = (burst.0, burst.1 + change, burst.2 + 1);
            }
            Some(_) if is_large => {
                // too many steps for a jump: large changes are typical now
                (self.burst, self.usual) = (None, (0.0, 0));
            }
            None if is_large => self.burst = Some((from, change, 1)),
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
            self.jump = Some(BalanceJump { from, to, change: change.abs() });
        }
    }
}
