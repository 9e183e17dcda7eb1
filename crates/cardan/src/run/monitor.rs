//! Checks of a run: values are finite, joints closed, energy balanced.

use crate::model::{BalanceJump, EnergyBalance, Model};
use cardan_core::simulation::{ConstraintResiduals, Simulation};
use cardan_core::system::System;

/// An error of the energy balance above this fraction of the energy that moved is reported.
const LARGE_ERROR: f64 = 0.1;
/// A jump of the balance above this fraction of the energy that moved is reported.
const JUMP: f64 = 0.01;
/// An error below this fraction of all energies comes from Newton's tolerance or round-off, and is no failure.
const NEGLIGIBLE: f64 = 1e-6;
/// Gaps of joints above this fraction of the mechanism's size are reported.
const OPEN: f64 = 1e-6;

/// The largest problem found so far.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct RunMonitor {
    /// The largest constraint residual above [`OPEN`]: the row, its residual, and its time.
    open: Option<(String, f64, f64)>,
    /// The time of the first residual above [`OPEN`].
    since: f64,
}

impl RunMonitor {
    /// Checks a computed step; returns the reason if the run cannot continue.
    pub fn check(
        &mut self,
        model: &Model,
        motion: &Simulation<'_>,
        energy: &EnergyBalance,
        residuals: &ConstraintResiduals,
    ) -> Result<(), String> {
        let now = motion.now();
        let energies = energy.balance.is_finite() && energy.largest.is_finite();
        let finite = energies && residuals.velocity.is_finite();
        let position = residuals.position;
        if finite && position <= OPEN * model.size() {
            return Ok(());
        }
        if finite && position <= model.size() {
            if self.open.as_ref().is_none_or(|(_, worst, _)| position > *worst) {
                self.since = if self.open.is_none() { now.t } else { self.since };
                self.open = Some((worst_row(model, motion), position, now.t));
            }
            return Ok(());
        }
        let what = match finite {
            true => {
                let row = worst_row(model, motion);
                format!("{row} is open by {position:.1e} m, more than the size of the mechanism")
            }
            false => "energies are not finite".into(),
        };
        let largest = now.q.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        Err(format!(
            "the solution diverged at t = {}: {what}; the largest coordinate is {largest:.1e}\n  try: a \
             smaller step, more dissipation (a smaller rho), constraints = \"stabilized\"; check the loads",
            now.t
        ))
    }

    /// Warnings at the end of the run.
    pub fn warnings(&self, model: &Model, energy: &EnergyBalance, error: f64) -> Vec<String> {
        let mut all = Vec::new();
        if let Some((row, gap, time)) = &self.open {
            let since = self.since;
            all.push(format!(
                "constraint residuals are above {OPEN:.0e} of the mechanism's size since t = {since:.6} s: \
                 {row} {gap:.1e} at t = {time:.6} s; try: a smaller step, or constraints that positions \
                 satisfy (position, stabilized)"
            ));
        }
        let is_large = |jump: &BalanceJump| jump.change > JUMP * energy.largest;
        if let Some(BalanceJump { from, to, change }) = energy.jump.filter(is_large) {
            all.push(format!(
                "the energy balance changes by {change:.2e} J ({:.0} % of the energy that moved) between \
                 t = {from:.6} s and {to:.6} s, far more than in other steps: the mechanism crosses a dead point or \
                 another singular position there, or a drive or force jumps; the motion after it may be \
                 wrong; try: a smaller step there",
                100.0 * change / energy.largest
            ));
        }
        if error > LARGE_ERROR * energy.largest && error > round_off(energy) {
            let part = error / energy.largest;
            let remedy = energy_reading(model).unwrap_or_else(|| {
                "try: a smaller step; if that does not help, check for a drive or a force that jumps".into()
            });
            all.push(format!(
                "the energy does not balance: the error is {part:.1e} times the largest energy that moved; {remedy}"
            ));
        }
        all
    }

    /// The reason why a run that reached its end counts as failed, if it does.
    pub fn verdict(&self, model: &Model, energy: &EnergyBalance, error: f64) -> Option<String> {
        let flowed = energy.transferred;
        let negligible = NEGLIGIBLE * (energy.initial.abs() + energy.largest);
        (error > flowed && error > negligible.max(round_off(energy))).then(|| {
            let remedy = energy_reading(model).unwrap_or_else(|| {
                "try: a smaller step, more dissipation (a smaller rho), constraints = \"stabilized\"; check the loads"
                    .into()
            });
            format!(
                "the results are not a motion: the error of the energy balance, {error:.1e} J, is above all \
                 energy that flowed, {flowed:.1e} J\n  {remedy}"
            )
        })
    }

    /// What to know about a run that failed after its energy had stopped to balance.
    pub fn reading(&self, model: &Model, energy: &EnergyBalance, error: f64) -> Option<String> {
        let is_large = error > LARGE_ERROR * energy.largest && error > round_off(energy);
        energy_reading(model).filter(|_| is_large).map(|reading| {
            format!("before that the energy balance failed by {error:.1e} J: {reading}")
        })
    }
}

/// Why the energy of a model may grow by itself, and what to try, if it has parts whose forces have no energy.
fn energy_reading(model: &Model) -> Option<String> {
    let beam = model.beam_without_energy()?;
    Some(format!(
        "beam `{beam}` has the finite-volume form, whose forces are not the gradient of an energy: fast vibrations of a \
         loaded beam grow by themselves if the steps resolve them; try: --beams galerkin; damping of the beam; steps far \
         above the period of these vibrations with a method that damps them (lms2, rho = 0)"
    ))
}

/// The round-off of the balance.
fn round_off(energy: &EnergyBalance) -> f64 {
    1e-12 * energy.initial.abs().max(1e-12)
}

/// The position constraint with the largest residual.
fn worst_row(model: &Model, motion: &Simulation<'_>) -> String {
    let now = motion.now();
    let mut phi = vec![0.0_f64; model.holonomic_count()];
    if model.constraint(&now.into(), &mut phi).is_err() {
        phi.fill(f64::NAN);
    }
    let worst = (0..phi.len()).max_by(|&a, &b| phi[a].abs().total_cmp(&phi[b].abs()));
    worst.map_or_else(|| "a joint".into(), |row| model.constraint_name(row))
}
