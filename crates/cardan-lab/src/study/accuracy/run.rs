//! One model, one method, one tolerance: errors against a tight run, and work.

use std::time::Instant as Clock;

use serde::{Deserialize, Serialize};

use cardan::math::{Chart, larger};
use cardan::methods::MethodChoice;
use cardan::model::AssembledMechanism;
use cardan::simulation::{ErrorControl, Settings, Simulation};
use cardan::state::Instant;
use cardan::system::{Quantity, System};

/// Errors are taken at this many equally distant times, between the steps.
const SAMPLES: usize = 40;
/// The method of the reference, and its tolerance relative to the tightest of the others.
const REFERENCE: &str = "esdirk436";
const REFERENCE_TOLERANCE: f64 = 1e-2;
/// A run with more steps is given up.
const MAX_STEPS: u64 = 20_000;
/// A model whose reference needs more steps is omitted.
const MAX_REFERENCE_STEPS: u64 = 200_000;
/// A factorization, with the tangents before it, counts as this many Newton iterations.
const FACTORIZATION: f64 = 2.0;

/// Errors and work of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AccuracyRun {
    /// The model.
    pub model: String,
    /// The method, as `generalized-alpha:rho=0.8`.
    pub method: String,
    /// The tolerance.
    pub tolerance: f64,
    /// The largest relative errors of q, v, z, a and λ: lengths over the size of the mechanism, angles over one radian,
    /// the others over the largest value of their kind.
    pub errors: [f64; 5],
    /// Accepted steps.
    pub steps: u64,
    /// Steps that were rejected or could not be computed.
    pub rejected: u64,
    /// Newton iterations.
    pub iterations: u64,
    /// Factorizations.
    pub factorizations: u64,
    /// Time, in seconds.
    pub seconds: f64,
    /// Why the run ended early.
    pub failure: Option<String>,
}

impl AccuracyRun {
    /// The error of positions, velocities and states.
    pub fn error(&self) -> f64 {
        let [q, v, z, ..] = self.errors;
        larger(larger(q, v), z)
    }

    /// Newton iterations and factorizations as one number.
    pub fn work(&self) -> f64 {
        self.iterations as f64 + FACTORIZATION * self.factorizations as f64
    }
}

/// A tight run of a model.
pub struct AccuracyReference<'a> {
    start: &'a AssembledMechanism,
    name: String,
    end: f64,
    tightest: f64,
    instants: Vec<Instant>,
    scales: Scales,
    max_steps: u64,
    has_accelerations: bool,
}

impl<'a> AccuracyReference<'a> {
    /// Computes the reference of a model over a length of time, for runs down to a tolerance.
    pub fn new(
        name: &str,
        start: &'a AssembledMechanism,
        length: f64,
        tightest: f64,
    ) -> Result<Self, String> {
        let mut reference = Self {
            start,
            name: name.into(),
            end: start.initial.t + length,
            tightest,
            instants: Vec::new(),
            scales: Scales::default(),
            max_steps: MAX_STEPS,
            has_accelerations: false,
        };
        reference.compute()?;
        Ok(reference)
    }

    /// The reference, and runs, with tolerances of accelerations too: the tolerance times the largest acceleration.
    pub fn with_accelerations(mut self) -> Result<Self, String> {
        self.has_accelerations = true;
        self.compute()?;
        Ok(self)
    }

    fn compute(&mut self) -> Result<(), String> {
        let choice = MethodChoice { method: REFERENCE.into(), parameters: Vec::new() };
        let control = self.control(REFERENCE_TOLERANCE * self.tightest);
        let (instants, _, failure) =
            sample(self.start, &choice, control, self.end, MAX_REFERENCE_STEPS);
        if let Some(failure) = failure {
            return Err(format!("{}: the reference failed: {failure}", self.name));
        }
        self.scales = Scales::new(&self.start.model, &self.start.initial.q, &instants);
        self.instants = instants;
        Ok(())
    }

    /// Gives up runs after another number of steps.
    pub fn max_steps(mut self, max_steps: u64) -> Self {
        self.max_steps = max_steps;
        self
    }

    /// Runs a method at a tolerance.
    pub fn run(&self, choice: &MethodChoice, tolerance: f64) -> AccuracyRun {
        let clock = Clock::now();
        let (found, counts, failure) =
            sample(self.start, choice, self.control(tolerance), self.end, self.max_steps);
        let seconds = clock.elapsed().as_secs_f64();
        let mut errors = [0.0; 5];
        for (found, exact) in found.iter().zip(&self.instants) {
            let one = self.scales.errors(&self.start.model, found, exact);
            errors = std::array::from_fn(|i| larger(errors[i], one[i]));
        }
        AccuracyRun {
            model: self.name.clone(),
            method: choice.to_string(),
            tolerance,
            errors,
            seconds,
            failure,
            ..counts
        }
    }

    fn control(&self, tolerance: f64) -> ErrorControl {
        let mut control = ErrorControl::new(tolerance);
        if self.has_accelerations {
            let [_, _, largest] = self.scales.motion;
            let of = |kind: Quantity| Some(tolerance * largest[kind as usize]).filter(|x| *x > 0.0);
            control.absolute.acceleration = of(Quantity::Length);
            control.absolute.angular_acceleration = of(Quantity::Angle);
        }
        control
    }
}

/// The motion at equally distant times, the work, and the reason if it ends early.
fn sample(
    start: &AssembledMechanism,
    choice: &MethodChoice,
    control: ErrorControl,
    end: f64,
    max_steps: u64,
) -> (Vec<Instant>, AccuracyRun, Option<String>) {
    let settings = Settings::of(choice, 1.0).control(control);
    let mut simulation = match Simulation::new(&start.model, &settings, &start.initial) {
        Ok(simulation) => simulation,
        Err(error) => return (Vec::new(), AccuracyRun::default(), Some(error.to_string())),
    };
    let begin = start.initial.t;
    let mut instants = Vec::with_capacity(SAMPLES);
    let mut failure = None;
    'samples: for k in 1..=SAMPLES {
        let time = begin + (end - begin) * k as f64 / SAMPLES as f64;
        while simulation.now().t < time {
            if let Err(error) = simulation.advance(end) {
                failure = Some(error.to_string());
                break 'samples;
            }
            if simulation.step_counts().accepted >= max_steps {
                failure = Some(format!("more than {max_steps} steps"));
                break 'samples;
            }
        }
        instants.push(simulation.instant_at(time));
    }
    let (counts, effort) = (simulation.step_counts(), simulation.effort());
    let work = AccuracyRun {
        steps: counts.accepted,
        rejected: counts.rejected + counts.failed,
        iterations: effort.iterations,
        factorizations: effort.linear.factorizations,
        ..AccuracyRun::default()
    };
    (instants, work, failure)
}

/// The units of errors.
#[derive(Default)]
struct Scales {
    quantities: Vec<Quantity>,
    /// Of positions, velocities and accelerations by kind.
    motion: [[f64; 3]; 3],
    states: Vec<f64>,
    multipliers: f64,
}

impl Scales {
    fn new(system: &dyn System, initial: &[f64], instants: &[Instant]) -> Self {
        let space = system.space();
        let mut quantities: Vec<Quantity> =
            (0..space.velocities()).map(|i| system.coordinate_quantity(i)).collect();
        for rotation in space.rotations() {
            quantities[rotation.v..rotation.v + 3].fill(Quantity::Angle);
        }
        let mut motion = [[0.0_f64; 3]; 3];
        let (mut states, mut multipliers) = (Vec::new(), 0.0_f64);
        for at in instants {
            for (i, quantity) in quantities.iter().enumerate() {
                let kind = *quantity as usize;
                motion[1][kind] = motion[1][kind].max(at.v[i].abs());
                motion[2][kind] = motion[2][kind].max(at.a[i].abs());
            }
            for node in space.nodes() {
                for i in 0..node.vector {
                    let kind = quantities[node.v + i] as usize;
                    motion[0][kind] = motion[0][kind].max(at.q[node.q + i].abs());
                }
            }
            states.resize(at.z.len(), 0.0_f64);
            states.iter_mut().zip(&at.z).for_each(|(scale, z)| *scale = scale.max(z.abs()));
            multipliers = at.multipliers.iter().fold(multipliers, |most, x| most.max(x.abs()));
        }
        let length = &mut motion[0][Quantity::Length as usize];
        *length = system.characteristic_length().unwrap_or_else(|| {
            let lengths = space.nodes().iter().flat_map(|node| {
                let is_length = |i: &usize| quantities[node.v + i] == Quantity::Length;
                (0..node.vector).filter(is_length).map(|i| node.q + i)
            });
            let lengths: Vec<usize> = lengths.collect();
            let distance = lengths.iter().fold(0.0_f64, |most, i| most.max(initial[*i].abs()));
            let distance = if distance > 0.0 { distance } else { 1.0 };
            let places = instants.iter().flat_map(|at| lengths.iter().map(move |i| (at, *i)));
            let moved = places.map(|(at, i)| (at.q[i] - initial[i]).abs());
            // if only angles move, errors of lengths are compared with the distance
            let moved = moved.fold(0.0, f64::max);
            if moved > 1e-12 * distance { moved.min(distance) } else { distance }
        });
        motion[0][Quantity::Angle as usize] = 1.0;
        Self { quantities, motion, states, multipliers }
    }

    fn errors(&self, system: &dyn System, found: &Instant, exact: &Instant) -> [f64; 5] {
        let mut difference = vec![0.0; self.quantities.len()];
        system.space().difference(Chart::Exponential, &exact.q, &found.q, &mut difference);
        let over = |x: f64, scale: f64| if x == 0.0 { 0.0 } else { (x / scale).abs() };
        let of = |level: usize, difference: &dyn Fn(usize) -> f64| {
            let scale = |i: usize| self.motion[level][self.quantities[i] as usize];
            let each = (0..self.quantities.len()).map(|i| over(difference(i), scale(i)));
            each.fold(0.0, larger)
        };
        let states = found.z.iter().zip(&exact.z).zip(&self.states);
        let multipliers = found.multipliers.iter().zip(&exact.multipliers);
        [
            of(0, &|i| difference[i]),
            of(1, &|i| found.v[i] - exact.v[i]),
            states.map(|((z, exact), scale)| over(z - exact, *scale)).fold(0.0, larger),
            of(2, &|i| found.a[i] - exact.a[i]),
            multipliers.map(|(x, exact)| over(x - exact, self.multipliers)).fold(0.0, larger),
        ]
    }
}
