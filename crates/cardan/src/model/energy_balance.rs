//! The books of a motion: energy in and out, and what is not accounted for.

use super::{Energy, Model, Power};
use cardan_core::simulation::{QuadratureNode, Simulation};
use cardan_core::state::Instant;
use cardan_core::system::Scratch;

/// Steps in which the energy balance changes far more than usual.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BalanceJump {
    /// The time at which they began.
    pub from: f64,
    /// The time at which they ended.
    pub to: f64,
    /// The change of the balance, in joules.
    pub change: f64,
}

/// So many instants are kept.
const KEPT: usize = 3;
/// After so many steps it is known how much the balance usually changes in one.
const KNOWN: u64 = 5;
/// A change above 30 times the usual one, their geometric mean, belongs to a jump: ln 30.
const LOG_ABOVE: f64 = 3.4;
/// More such steps in a row are no jump.
const MAX_JUMP_STEPS: u64 = 20;

/// Energy in and out since the start: the balance E − E₀ − work + losses, the error of the energy. It falls with the
/// order of the method: powers are integrated by the method's own stages, or between the instants of a step as far
/// as the order asks for it ([`Interpolant::integrate`](cardan_core::simulation::Interpolant::integrate)).
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct EnergyBalance {
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
    pub transferred: f64,
    /// The largest jump of the balance within a few steps, if there was one.
    #[serde(default)]
    pub jump: Option<BalanceJump>,
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
    /// The last instants, the latest first: their times, and the three powers there.
    times: Vec<f64>,
    powers: Vec<[f64; 3]>,
    #[serde(skip)]
    scratch: Instant,
}

impl EnergyBalance {
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
            transferred: energy.kinetic,
            jump: None,
            stored: energy.potential,
            released: 0.0,
            usual: (0.0, 0),
            burst: None,
            times: vec![at.t],
            powers: vec![powers(model, at, None)],
            scratch: Instant::default(),
        }
    }

    /// The names of its channels, all in joules.
    pub const CHANNELS: [&'static str; 4] =
        ["energy.balance", "energy.dissipated", "work.drives", "work.forces"];

    /// The values of its channels.
    pub fn values(&self) -> [f64; 4] {
        [self.balance, self.dissipated, self.drives, self.forces]
    }

    /// Enters the step that was taken last; call it after every step.
    pub fn record(&mut self, model: &Model, motion: &Simulation<'_>) {
        let Some(step) = motion.interpolant() else { return };
        let (at, scratch) = (step.to(), Some(motion.scratch()));
        let Some(&from) = self.times.first().filter(|from| **from != at.t) else { return };
        let here = powers(model, at, scratch);
        let mut done = [0.0; 3];
        let Self { times, powers: known, .. } = self;
        step.integrate(times, &mut self.scratch, |weight, node| {
            let powers = match node {
                QuadratureNode::Known(k) => known[k],
                QuadratureNode::End => here,
                QuadratureNode::Between(at) => powers(model, at, scratch),
            };
            done.iter_mut().zip(powers).for_each(|(done, power)| *done += weight * power);
        });
        times.truncate(KEPT - 1);
        known.truncate(KEPT - 1);
        times.insert(0, at.t);
        known.insert(0, here);
        let works = [&mut self.drives, &mut self.forces, &mut self.dissipated];
        for (work, more) in works.into_iter().zip(done) {
            *work += more;
            self.transferred += more.abs();
        }
        let energy = model.energy_with(at, scratch);
        let released = (self.stored - energy.potential).max(0.0);
        self.transferred += (released - self.released).max(0.0);
        self.released = self.released.max(released);
        let moved = energy.kinetic.max((energy.potential - self.stored).abs());
        self.largest = self.largest.max(moved);
        let before = self.balance;
        self.balance = energy.kinetic + energy.potential - self.initial - self.drives - self.forces
            + self.dissipated;
        self.find_jumps([from, at.t], self.balance - before, &energy);
    }

    /// Steps whose change of the balance is far above the usual one, one after the other, are a jump.
    fn find_jumps(&mut self, [from, to]: [f64; 2], change: f64, energy: &Energy) {
        // below this it is round-off
        let size = energy.kinetic + energy.potential.abs() + self.initial.abs();
        let least = f64::EPSILON * size;
        let logarithm = change.abs().max(least).ln();
        let (sum, count) = self.usual;
        let is_unusual = count >= KNOWN && logarithm > sum / count as f64 + LOG_ABOVE;
        match &mut self.burst {
            Some(burst) if is_unusual && burst.2 < MAX_JUMP_STEPS => {
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
            self.jump = Some(BalanceJump { from, to, change: change.abs() });
        }
    }
}

fn powers(model: &Model, at: &Instant, scratch: Option<&Scratch>) -> [f64; 3] {
    let Power { drives, forces, dissipation } = model.power_with(at, scratch);
    [drives, forces, dissipation]
}
