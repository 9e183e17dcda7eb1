//! The hand-written problems by name, with their signals.

use std::sync::Arc;

use super::{
    EulerTop, ForcedOscillator, LoadCase, PrescribedRotation, QuaternionTop, RodPendulum,
    SimplePendulum, angle_error, relative_angle,
};
use crate::exam::problems::SpringPendulum;
use crate::study::Signals;
use cardan::math::{Quaternion, Vector3};
use cardan::simulation::InitialValues;
use cardan::stability::Oscillator;
use cardan::state::Instant;
use cardan::system::System;

/// A problem of the papers with its signals.
pub struct PaperProblem {
    /// The equations.
    pub system: Arc<dyn System>,
    /// The initial values.
    pub initial: InitialValues,
    names: &'static [&'static str],
    read: Read,
    exact: Option<ExactSolution>,
}

type Read = Box<dyn Fn(&Instant, &mut [f64]) + Sync + Send>;
type ExactSolution = Box<dyn Fn(f64) -> Vec<f64> + Sync + Send>;

/// The names of the problems, and the parameters that each takes with their values.
pub const PROBLEMS: &[(&str, &[(&str, f64)])] = &[
    ("simple-pendulum", &[("damping", 0.0)]),
    ("rod-pendulum", &[("inertia", 0.0)]),
    ("forced-oscillator", &[("frequency", 1.0), ("forcing", 0.01)]),
    ("oscillator", &[("frequency", 1.0), ("damping", 0.0), ("position", 1.0), ("velocity", 0.0)]),
    ("spring-pendulum", &[("stiffness", 98.1)]),
    ("euler-top", &[]),
    ("quaternion-top", &[]),
    ("rotation-quadratic", &[]),
    ("rotation-harmonic", &[]),
];

impl PaperProblem {
    /// A problem by its name, with some of its parameters.
    pub fn find(name: &str, given: &[(String, f64)]) -> Result<Self, String> {
        let known = PROBLEMS.iter().find(|(known, _)| *known == name);
        let (_, defaults) = known.ok_or_else(|| {
            let known: Vec<&str> = PROBLEMS.iter().map(|(name, _)| *name).collect();
            format!("there is no problem `{name}`; problems: {}", known.join(", "))
        })?;
        if let Some((wrong, _)) =
            given.iter().find(|(name, _)| defaults.iter().all(|(known, _)| known != name))
        {
            return Err(format!("the problem `{name}` has no parameter `{wrong}`"));
        }
        let value = |k: usize| {
            let (name, default) = defaults[k];
            given.iter().find(|(known, _)| known == name).map_or(default, |(_, value)| *value)
        };
        Ok(match name {
            "simple-pendulum" => simple_pendulum(value(0)),
            "rod-pendulum" => rod_pendulum(value(0)),
            "forced-oscillator" => forced_oscillator(value(0), value(1)),
            "oscillator" => oscillator(value(0), value(1), [value(2), value(3)]),
            "spring-pendulum" => spring_pendulum(value(0)),
            "euler-top" => euler_top(),
            "quaternion-top" => quaternion_top(),
            "rotation-quadratic" => rotation(LoadCase::Quadratic),
            _ => rotation(LoadCase::Harmonic),
        })
    }

    /// The signals of the problem.
    pub fn signals(&self) -> Signals<'_> {
        Signals::of_system(self.names, &self.read)
    }

    /// The exact signals at a time, where they are known.
    pub fn exact(&self, time: f64) -> Option<Vec<f64>> {
        self.exact.as_ref().map(|exact| exact(time))
    }
}

const G: f64 = 9.81;

fn simple_pendulum(damping: f64) -> PaperProblem {
    PaperProblem {
        system: Arc::new(SimplePendulum { damping }),
        initial: SimplePendulum::initial(),
        names: &["angle", "rate", "energy"],
        read: Box::new(|at, out| {
            let (q, v) = (at.q[0], at.v[0]);
            out.copy_from_slice(&[q, v, 0.5 * v * v - G * q.sin()]);
        }),
        exact: None,
    }
}

fn rod_pendulum(inertia: f64) -> PaperProblem {
    PaperProblem {
        system: Arc::new(RodPendulum { inertia }),
        initial: RodPendulum::initial(),
        names: &["angle", "energy", "drift", "reaction"],
        read: Box::new(move |at, out| {
            let (q, v) = (&at.q, &at.v);
            let kinetic = v[0] * v[0] + v[1] * v[1] + inertia * v[2] * v[2];
            let reaction = at.multipliers[0].hypot(at.multipliers[1]);
            let drift = q[0] * q[0] + q[1] * q[1] - 1.0;
            out.copy_from_slice(&[q[2], 0.5 * kinetic + G * q[1], drift, reaction]);
        }),
        exact: None,
    }
}

fn forced_oscillator(frequency: f64, forcing: f64) -> PaperProblem {
    let system = ForcedOscillator { frequency, forcing };
    PaperProblem {
        initial: system.initial(),
        system: Arc::new(system),
        names: &["x"],
        read: Box::new(|at, out| out[0] = at.q[0]),
        exact: Some(Box::new(move |t| vec![system.exact(t)])),
    }
}

fn oscillator(frequency: f64, damping: f64, [position, velocity]: [f64; 2]) -> PaperProblem {
    PaperProblem {
        initial: InitialValues::new(&[position], &[velocity]),
        system: Arc::new(Oscillator { frequency, damping }),
        names: &["x", "v"],
        read: Box::new(|at, out| out.copy_from_slice(&[at.q[0], at.v[0]])),
        exact: None,
    }
}

fn spring_pendulum(stiffness: f64) -> PaperProblem {
    let problem = SpringPendulum::problem(stiffness);
    PaperProblem {
        system: problem.system,
        initial: problem.initial,
        names: &["r", "theta"],
        read: Box::new(|at, out| out.copy_from_slice(&at.q[..2])),
        exact: None,
    }
}

/// The distance of the top's centre from its tip.
const ARM: f64 = 0.05;

fn euler_top() -> PaperProblem {
    PaperProblem {
        system: Arc::new(EulerTop),
        initial: EulerTop::initial(),
        names: &["tilt", "x", "y", "energy"],
        read: Box::new(|at, out| {
            let (precession, tilt) = (at.q[0], at.q[1]);
            let across = ARM * tilt.sin();
            let energy = EulerTop::energy(&at.q, &at.v);
            let (s, c) = precession.sin_cos();
            out.copy_from_slice(&[tilt, across * s, -across * c, energy]);
        }),
        exact: None,
    }
}

fn quaternion_top() -> PaperProblem {
    PaperProblem {
        system: Arc::new(QuaternionTop),
        initial: QuaternionTop::initial(),
        names: &["tilt", "x", "y", "energy"],
        read: Box::new(|at, out| {
            let axis = orientation(at).rotate(&Vector3::z());
            let energy = QuaternionTop::energy(&at.q, &at.v);
            out.copy_from_slice(&[axis.z.acos(), ARM * axis.x, ARM * axis.y, energy]);
        }),
        exact: None,
    }
}

fn rotation(case: LoadCase) -> PaperProblem {
    let body = PrescribedRotation { case };
    PaperProblem {
        system: Arc::new(body),
        initial: body.initial(),
        names: &["angle-error", "relative-error", "torque-x", "torque-y", "torque-z"],
        read: Box::new(move |at, out| {
            let (found, exact) = (orientation(at), body.exact(at.t));
            (out[0], out[1]) = (angle_error(&found, &exact), relative_angle(&found, &exact));
            out[2..5].copy_from_slice(body.torque(at.t).as_slice());
        }),
        exact: None,
    }
}

fn orientation(at: &Instant) -> Quaternion {
    at.q.first_chunk().map_or(Quaternion::IDENTITY, |q| Quaternion::from_array(*q))
}
