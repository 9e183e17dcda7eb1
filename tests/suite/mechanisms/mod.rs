//! Mechanisms: bodies, joints, drives, forces, and starting well.

mod descriptions;
mod drives;
mod elements;
mod energy;
mod joints;
mod motion;
mod redundancy;
mod rows;
mod starts;

use cardan::math::Vector3;
use cardan::model::{AssembledMechanism, JOINTS, Joint, JointKind, Mechanism, Model};
use cardan::{Formulation, Settings, Simulation, StateView, System};

/// A motion that runs to a time.
pub fn run<'s>(start: &'s AssembledMechanism, settings: &Settings, end: f64) -> Simulation<'s> {
    let mut motion = Simulation::new(&start.model, settings, &start.initial).unwrap();
    motion.run_until(end).unwrap();
    motion
}

/// The value of a channel after a motion.
pub fn reading(mechanism: &Mechanism, settings: &Settings, end: f64, channel: &str) -> Vec<f64> {
    let start = mechanism.assemble().unwrap();
    let motion = run(&start, settings, end);
    start.model.read(channel, motion.now()).unwrap()
}

/// Generalized-α with some damping.
pub fn damped(h: f64) -> Settings {
    Settings::new("generalized-alpha", h).rho(0.8)
}

/// Every formulation.
pub const FORMULATIONS: [Formulation; 3] = Formulation::ALL;

/// Numbers in (−1, 1) without meaning.
pub struct Noise(pub u64);

impl Noise {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> Vector3 {
        Vector3::new(self.next(), self.next(), self.next())
    }

    pub fn values(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

/// A random state of a model.
pub struct At {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
    pub multipliers: Vec<f64>,
}

impl At {
    pub fn random(model: &Model, noise: &mut Noise) -> Self {
        let space = model.space();
        let n = space.velocities();
        let q = space.plus(&space.neutral(), &noise.values(n)).unwrap();
        let m = model.holonomic_count() + model.nonholonomic_count();
        Self { q, v: noise.values(n), a: noise.values(n), multipliers: noise.values(m) }
    }

    pub fn point(&self, t: f64) -> StateView<'_> {
        let mut at = StateView::new(t, &self.q, &self.v);
        at.multipliers = &self.multipliers;
        at
    }
}

/// Every joint between `one.p` and `two.q`, named after its kind.
pub fn every_joint(pair: &mut Mechanism) {
    for info in JOINTS {
        let joint = Joint::new(info.kind, info.name, "one.p", "two.q");
        let axis = [0.3, -0.5, 0.8];
        pair.add(match (info.kind, info.axis) {
            (JointKind::Universal, _) => joint.pins(axis, [1.0, 0.2, -0.4]),
            (_, Some(_)) => joint.axis(axis),
            _ => joint,
        });
    }
}

/// The same in the plane.
pub fn every_planar_joint(pair: &mut Mechanism) {
    for info in JOINTS.iter().filter(|info| info.planar_rows.is_ok()) {
        let joint = Joint::new(info.kind, info.name, "one.p", "two.q");
        let in_plane = matches!(info.kind, JointKind::Prismatic | JointKind::PointOnLine);
        pair.add(if in_plane { joint.axis([0.6, -0.5]) } else { joint });
    }
}
