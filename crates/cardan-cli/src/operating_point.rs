//! The state about which a model is linearized: its start, an equilibrium, or a later time.

use cardan::file::ModelFile;
use cardan::math::Vector3;
use cardan::model::{AssembledMechanism, Dimension};
use cardan::modes::{RotatingObserver, StabilityTest, StabilityVerdict, StaticStability};
use cardan::statics::{Equilibrium, StaticOptions};
use cardan::{Instant, Settings, Simulation};
use serde_json::{Value, json};

use crate::failure::CommandFailure;
use crate::model;

#[derive(clap::Args)]
#[group(id = "about")]
pub struct Arguments {
    #[command(flatten)]
    pub model: model::Arguments,
    /// Linearize about the equilibrium under the loads of the start, instead of about the start.
    #[arg(long = "static")]
    is_static: bool,
    /// Linearize about steady rotation about the origin, in the rotating frame. The angular velocity in rad/s, world
    /// axes: X,Y,Z, or one number for a planar model.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, conflicts_with = "time")]
    spin: Option<String>,
    /// Linearize about the state at this time in s, computed with the method of the model.
    #[arg(long, conflicts_with = "is_static", allow_negative_numbers = true)]
    time: Option<f64>,
}

/// A model and the state about which it is linearized.
pub struct OperatingPoint {
    pub file: ModelFile,
    pub start: AssembledMechanism,
    pub at: Instant,
    pub observer: RotatingObserver,
    /// The origin of the state, in words.
    pub description: String,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl Arguments {
    pub fn state(&self) -> Result<OperatingPoint, CommandFailure> {
        let (file, mut notes) = self.model.load()?;
        let start = file.assemble()?;
        let spin = self.spin.as_deref().map(|text| parse_spin(text, start.model.dimension()));
        let spin = spin.transpose()?.unwrap_or_default();
        let (at, description) = if self.is_static || spin != Vector3::zeros() {
            let options = StaticOptions { spin, ..StaticOptions::default() };
            let found = start.equilibrium(&options)?;
            let description = match spin == Vector3::zeros() {
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
            notes.extend(held_states(&found));
            notes.extend(found.warnings.iter().cloned());
            let last = found.last().cloned();
            (
                last.ok_or_else(|| CommandFailure::usage("no equilibrium was found".into()))?,
                description,
            )
        } else if let Some(time) = self.time {
            let schedule = file.schedule()?;
            let begin = start.initial.t;
            if !(time.is_finite() && time >= begin) {
                let message = format!("--time {time}: the motion begins at t = {begin}");
                return Err(CommandFailure::usage(message));
            }
            let mut motion = Simulation::new(&start.model, &schedule.settings, &start.initial)?;
            let step = schedule.settings.step_size;
            let is_controlled = schedule.settings.control.is_some();
            if !is_controlled && (time - begin) / step > 1e8 {
                return Err(CommandFailure::usage(format!(
                    "--time {time} takes more than 1e8 steps"
                )));
            }
            motion.run_until(time)?;
            let now = motion.now();
            // accelerations and multipliers of this instant, not those of the method
            let here = cardan::InitialValues::from(now);
            let at = consistent(&start, &here)?;
            let description = format!("about t = {} s", crate::table::short(at.t));
            if (at.t - time).abs() > 1e-9 * step {
                notes.push(format!("t = {time} s is between two steps: the earlier one is used"));
            }
            (at, description)
        } else {
            (consistent(&start, &start.initial)?, "about the start".into())
        };
        if start.model.has_previous_values() {
            notes.push(
                "`previous(…)` and hysteresis are constant in the linear equations: their values change from step to step"
                    .into(),
            );
        }
        let speed = at.a.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let moving = at.v.iter().any(|x| *x != 0.0);
        let is_linear = cardan::System::has_constant_tangents(&start.model);
        if spin == Vector3::zeros() && !moving && speed > 1e-6 && !is_linear {
            notes.push(format!(
                "this state is not an equilibrium (accelerations up to {speed:.1e}): unbalanced loads change its \
                 stiffness\n  try: --static, which computes the equilibrium first"
            ));
        }
        if spin == Vector3::zeros() && moving {
            notes.push(
                "velocities are not zero: the coefficients are those of this instant, in the fixed frame\n  try: --spin, for \
                 steady rotation"
                    .into(),
            );
        }
        if spin != Vector3::zeros() && !start.model.gravity_is_along(&spin) {
            notes.push(
                "gravity is not along the rotation axis: steady rotation is not a solution".into(),
            );
        }
        if spin != Vector3::zeros() && start.model.has_floating_frames() {
            notes.push(
                "flexible bodies with modes have no centrifugal stiffening\n  try: beams, which have it"
                    .into(),
            );
        }
        let observer = start.model.observer(spin);
        let mut start = start;
        start.model = start.model.with_rotating_ground(spin).into();
        Ok(OperatingPoint { observer, file, start, at, description, notes })
    }
}

/// A note about first-order states that an equilibrium does not determine.
pub fn held_states(found: &Equilibrium) -> Option<String> {
    let names = found.held_states.join(", ");
    (!names.is_empty()).then(|| {
        format!("the equilibrium does not determine {names}, with no effect on it: start values are kept")
    })
}

/// The stability of an equilibrium as JSON.
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
        StabilityTest::Eigenvalues => "eigenvalues",
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

fn parse_spin(text: &str, dimension: Dimension) -> Result<Vector3, CommandFailure> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|x| x.trim().parse().ok()).collect();
    let form = match dimension {
        Dimension::Plane => "one number, about z, as in --spin 10: the model is planar",
        Dimension::Space => "three numbers, as in --spin 0,0,10, or one about z, as in --spin 10",
    };
    let fail = || CommandFailure::usage(format!("--spin {text} cannot be used\n  try: {form}"));
    let numbers = numbers.filter(|x| x.iter().all(|x| x.is_finite())).ok_or_else(fail)?;
    match numbers[..] {
        [z] => Ok(Vector3::new(0.0, 0.0, z)),
        [x, y, _] if dimension == Dimension::Plane && (x != 0.0 || y != 0.0) => Err(fail()),
        [x, y, z] => Ok(Vector3::new(x, y, z)),
        _ => Err(fail()),
    }
}
