//! The state about which a model is linearized: its start, an equilibrium, or a later time.

use cardan::file::ModelFile;
use cardan::math::Vector3;
use cardan::model::{AssembledMechanism, StaticOptions};
use cardan::modes::{RotatingObserver, StabilityTest, StabilityVerdict, StaticStability};
use cardan::{Instant, Settings, Simulation};
use serde_json::{Value, json};

use crate::failure::CommandFailure;
use crate::model;

#[derive(clap::Args)]
#[group(id = "about")]
pub struct Arguments {
    #[command(flatten)]
    pub model: model::Arguments,
    /// About the equilibrium under the loads of the start, instead of the start itself.
    #[arg(long = "static")]
    is_static: bool,
    /// About the state of steady rotation about the origin with this angular velocity in rad/s, world axes,
    /// as seen by somebody who turns with it: X,Y,Z, in the plane one number.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, conflicts_with = "time")]
    spin: Option<String>,
    /// About the state at this time, computed with the model's method.
    #[arg(long, conflicts_with = "is_static", allow_negative_numbers = true)]
    time: Option<f64>,
}

/// A model and the state to look at.
pub struct OperatingPoint {
    pub file: ModelFile,
    pub start: AssembledMechanism,
    pub at: Instant,
    pub observer: RotatingObserver,
    /// Where the state comes from.
    pub description: String,
    /// What to know.
    pub notes: Vec<String>,
}

impl Arguments {
    pub fn state(&self) -> Result<OperatingPoint, CommandFailure> {
        let (file, mut notes) = self.model.load()?;
        let start = file.assemble()?;
        let spin = self.spin.as_deref().map(|text| parse_spin(text, start.model.is_planar()));
        let spin = spin.transpose()?.unwrap_or_default();
        let (at, says) = if self.is_static || spin != Vector3::zeros() {
            let options = StaticOptions { spin, ..StaticOptions::default() };
            let found = start.equilibrium(&options)?;
            let says = match spin == Vector3::zeros() {
                true => "about the equilibrium".into(),
                false => {
                    format!("about steady rotation with ({}, {}, {}) rad/s", spin.x, spin.y, spin.z)
                }
            };
            if let Some(found) = &found.stability
                && matches!(found.verdict, StabilityVerdict::Unstable | StabilityVerdict::Undecided)
            {
                notes.push(format!("equilibrium: {found}"));
            }
            let last = found.last().cloned();
            (last.ok_or_else(|| CommandFailure::usage("there is no equilibrium".into()))?, says)
        } else if let Some(time) = self.time {
            let schedule = file.schedule()?;
            let begin = start.initial.t;
            if !(time.is_finite() && time >= begin) {
                let message = format!("--time {time}: the motion begins at t = {begin}");
                return Err(CommandFailure::usage(message));
            }
            let mut motion = Simulation::new(&start.model, &schedule.settings, &start.initial)?;
            let step = schedule.settings.step_size;
            if (time - begin) / step > 1e8 {
                return Err(CommandFailure::usage(format!(
                    "--time {time} takes more than 1e8 steps"
                )));
            }
            motion.run_until(time)?;
            let now = motion.now();
            // accelerations and multipliers that belong to this very instant
            let here = cardan::InitialValues::from(now);
            let at = consistent(&start, &here)?;
            let says = format!("about t = {}", crate::table::short(at.t));
            if (at.t - time).abs() > 1e-9 * step {
                notes.push(format!("t = {time} lies between two steps; this is the one before"));
            }
            (at, says)
        } else {
            (consistent(&start, &start.initial)?, "about the start".into())
        };
        let speed = at.a.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let moving = at.v.iter().any(|x| *x != 0.0);
        let is_linear = cardan::System::has_constant_tangents(&start.model);
        if spin == Vector3::zeros() && !moving && speed > 1e-6 && !is_linear {
            notes.push(format!(
                "this is no equilibrium (accelerations up to {speed:.1e}): the loads that do not balance \
                 stiffen or soften it; --static looks for the equilibrium"
            ));
        }
        if spin == Vector3::zeros() && moving {
            notes.push(
                "the state moves: coefficients are those of this instant, seen by somebody who stands still; \
                 --spin looks at steady rotation"
                    .into(),
            );
        }
        if spin != Vector3::zeros() && !start.model.gravity_is_along(&spin) {
            notes.push("gravity is not along the axis: nothing turns steadily under it".into());
        }
        if spin != Vector3::zeros() && start.model.has_floating_frames() {
            notes.push(
                "modes in floating frames carry no tension: rotation does not stiffen them; use a beam for \
                 that"
                    .into(),
            );
        }
        let observer = start.model.observer(spin);
        let mut start = start;
        start.model = start.model.with_rotating_ground(spin).into();
        Ok(OperatingPoint { observer, file, start, at, description: says, notes })
    }
}

/// What is known about the stability of an equilibrium, for scripts.
pub fn stability(found: &StaticStability) -> Value {
    let verdict = match found.verdict {
        StabilityVerdict::Stable => "stable",
        StabilityVerdict::Neutral => "neutral",
        StabilityVerdict::Unstable => "unstable",
        StabilityVerdict::Undecided => "undecided",
    };
    let test = match found.test {
        StabilityTest::Potential => "potential",
        StabilityTest::Divergence => "divergence",
        StabilityTest::Rotating => "rotating",
    };
    json!({
        "verdict": verdict,
        "test": test,
        "unstable_motions": found.unstable,
        "neutral_motions": found.neutral,
        "growth_rate": found.rate,
        "moves_most": found.coordinate,
        "text": found.to_string(),
    })
}

fn consistent(
    start: &AssembledMechanism,
    initial: &cardan::InitialValues,
) -> Result<Instant, CommandFailure> {
    let settings = Settings::new("generalized-alpha", 1e-3);
    Ok(Simulation::new(&start.model, &settings, initial)?.now().clone())
}

fn parse_spin(text: &str, is_planar: bool) -> Result<Vector3, CommandFailure> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|x| x.trim().parse().ok()).collect();
    let form = match is_planar {
        true => "a planar model turns about z: give one number, as in --spin 10",
        false => "give three numbers, as in --spin 0,0,10, or one, which is about z",
    };
    let fail = || CommandFailure::usage(format!("--spin {text} cannot be used\n  try: {form}"));
    let numbers = numbers.filter(|x| x.iter().all(|x| x.is_finite())).ok_or_else(fail)?;
    match numbers[..] {
        [z] => Ok(Vector3::new(0.0, 0.0, z)),
        [x, y, _] if is_planar && (x != 0.0 || y != 0.0) => Err(fail()),
        [x, y, z] => Ok(Vector3::new(x, y, z)),
        _ => Err(fail()),
    }
}
