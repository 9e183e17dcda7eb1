//! Whether the numbers of a run can be a motion: finite, joints closed, energy balanced.

use crate::model::{BalanceJump, EnergyBalance, Model};
use cardan_core::simulation::{ConstraintResiduals, Simulation};
use cardan_core::system::System;

/// An error of the energy balance beyond this part of the energy that moved is reported.
const LARGE_ERROR: f64 = 0.1;
/// A jump of the balance above this part of the energy that moved is reported.
const JUMP: f64 = 0.01;
/// An error below this part of all energies is Newton's or round-off, and no verdict.
const NEGLIGIBLE: f64 = 1e-6;
/// Joints that are open by this part of the longest arm are reported.
const OPEN: f64 = 1e-6;

/// What was seen so far.
#[derive(Default)]
pub(super) struct RunMonitor {
    /// The largest constraint residual beyond [`OPEN`]: the row, its residual, and its time.
    open: Option<(String, f64, f64)>,
    since: f64,
}

impl RunMonitor {
    /// Looks at a step that was computed; says why the run cannot go on, if it cannot.
    pub fn check(
        &mut self,
        model: &Model,
        motion: &Simulation<'_>,
        ledger: &EnergyBalance,
        residuals: &ConstraintResiduals,
    ) -> Result<(), String> {
        let now = motion.now();
        let energies = ledger.balance.is_finite() && ledger.largest.is_finite();
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

    /// What is to be reported when the run has ended.
    pub fn warnings(&self, ledger: &EnergyBalance, error: f64) -> Vec<String> {
        let mut all = Vec::new();
        if let Some((row, gap, time)) = &self.open {
            let since = self.since;
            all.push(format!(
                "constraint residuals are above {OPEN:.0e} of the mechanism's size since t = {since:.6} s: \
                 {row} {gap:.1e} at t = {time:.6} s; try: a smaller step, or constraints that positions \
                 satisfy (position, stabilized)"
            ));
        }
        let is_large = |jump: &BalanceJump| jump.change > JUMP * ledger.largest;
        if let Some(BalanceJump { from, to, change }) = ledger.jump.filter(is_large) {
            all.push(format!(
                "the energy balance changes by {change:.2e} J ({:.0} % of the energy that moved) between \
                 t = {from:.6} s and {to:.6} s, far more than usual: the mechanism crosses a dead point or \
                 another singular position there, or a drive or force jumps; the motion after it may be \
                 wrong; try: a smaller step there",
                100.0 * change / ledger.largest
            ));
        }
        if error > LARGE_ERROR * ledger.largest && error > round_off(ledger) {
            let part = error / ledger.largest;
            all.push(format!(
                "the energy does not balance: the error is {part:.1e} times the largest energy that moved; \
                 try: a smaller step; if that does not help, look for a drive or a force that jumps"
            ));
        }
        all
    }

    /// Why a run that reached its end failed all the same, if it did.
    pub fn verdict(&self, ledger: &EnergyBalance, error: f64) -> Option<String> {
        let flowed = ledger.transferred;
        let negligible = NEGLIGIBLE * (ledger.initial.abs() + ledger.largest);
        (error > flowed && error > negligible.max(round_off(ledger))).then(|| {
            format!(
                "the results are not a motion: the error of the energy balance, {error:.1e} J, is above all \
                 energy that flowed, {flowed:.1e} J\n  try: a smaller step, more dissipation (a smaller \
                 rho), constraints = \"stabilized\"; check the loads"
            )
        })
    }
}

/// What round-off makes of the balance.
fn round_off(ledger: &EnergyBalance) -> f64 {
    1e-12 * ledger.initial.abs().max(1e-12)
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
