//! Energy, power and momentum of a model.

use super::compiled::Model;
use super::element::ElementView;
use super::values::{FunctionInput, vector};
use cardan_core::math::Vector3;
use cardan_core::state::Instant;
use cardan_core::system::{Scratch, StateView};

/// Kinetic and potential energy, in joules.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// The kinetic energy.
    pub kinetic: f64,
    /// The potential energy of elastic elements and constant gravity.
    pub potential: f64,
}

/// The powers that change the energy, in watts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Power {
    /// The power of prescribed motions.
    pub drives: f64,
    /// The power of loads, motors, general force laws and gravity that changes with time.
    pub forces: f64,
    /// The power dissipated by dampers and friction.
    pub dissipation: f64,
}

impl Power {
    /// The powers of drives and of forces, and the dissipated power.
    pub(super) fn values(self) -> [f64; 3] {
        [self.drives, self.forces, self.dissipation]
    }
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
    /// Whether the vectors of an instant have the lengths of this model.
    pub(super) fn fits(&self, at: &Instant) -> bool {
        let n = self.space.velocities();
        at.q.len() == self.space.configurations()
            && at.v.len() == n
            && at.a.len() == n
            && at.multipliers.len() == self.rows.len()
    }

    /// Kinetic and potential energy; NaN for an instant of another model.
    pub fn energy(&self, at: &Instant) -> Energy {
        self.energy_with(at, None)
    }

    /// Like [`Model::energy`], with scratch that the caller keeps.
    pub(crate) fn energy_with(&self, at: &Instant, scratch: Option<&Scratch>) -> Energy {
        if !self.fits(at) {
            return Energy { kinetic: f64::NAN, potential: f64::NAN };
        }
        let point = StateView::from(at).with_scratch(scratch);
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
            kinetic += self.placed(&point, |kinematics| {
                self.flexible.iter().map(|x| x.kinetic(kinematics, &at.v)).sum::<f64>()
            });
        }
        Energy { kinetic, potential: self.stored_energy(&point) }
    }

    /// The potential energy.
    pub(super) fn stored_energy(&self, at: &StateView<'_>) -> f64 {
        let q = at.q;
        let gravity = self.constant_gravity().unwrap_or_default();
        let others = self.placed(at, |kinematics| {
            let weight: f64 = self
                .moving()
                .map(|(i, body)| body.mass * gravity.dot(&kinematics.frames[i].position))
                .sum();
            let shared: f64 = self
                .shared
                .iter()
                .map(|x| {
                    let [one, two] = x.sides.map(|side| kinematics.frames[side].position);
                    0.5 * x.mass * gravity.dot(&(one + two))
                })
                .sum();
            let flexible: f64 = self
                .flexible
                .iter()
                .map(|x| x.elastic(q) - gravity.dot(&x.first(kinematics)))
                .sum();
            let structures: f64 = self.structures.iter().map(|x| x.elastic(q)).sum();
            let bodies = flexible + structures - weight - shared;
            match self.elements.customs.is_empty() {
                true => self.element_potential(&ElementView::new(at.t, kinematics, at.v)) + bodies,
                false => bodies,
            }
        });
        if self.elements.customs.is_empty() {
            return others;
        }
        // the potential of a custom element may depend on velocities
        let rest = vec![0.0; self.space.velocities()];
        let v = if at.v.is_empty() { &rest } else { at.v };
        let elements = self.moved(at, v, |kinematics, v| {
            self.element_potential(&ElementView {
                z: at.z,
                ..ElementView::new(at.t, kinematics, v)
            })
        });
        elements + others
    }

    /// The powers of drives and forces, and the dissipated power; NaN for an instant of another model.
    pub fn power(&self, at: &Instant) -> Power {
        self.power_with(at, None)
    }

    /// Like [`Model::power`], with scratch that the caller keeps.
    pub(crate) fn power_with(&self, at: &Instant, scratch: Option<&Scratch>) -> Power {
        if !self.fits(at) {
            return Power { drives: f64::NAN, forces: f64::NAN, dissipation: f64::NAN };
        }
        // a prescribed motion Φ = s − y(t) does the work λ ∂Φ/∂t
        let drives = self.constraint_rates(at.t).map(|(row, b)| b * at.multipliers[row]).sum();
        let mut power = Power { drives, ..Power::default() };
        for structure in &self.structures {
            let [delivered, lost] = structure.powers(at.t, &at.v);
            power.forces += delivered;
            power.dissipation += lost;
        }
        power.dissipation += self.flexible.iter().map(|x| x.dissipation(&at.v)).sum::<f64>();
        // forces also act on points of flexible bodies
        let at = &*self.extended(at, scratch);
        let point = StateView::from(at).with_scratch(scratch);
        if self.constant_gravity().is_none() {
            let gravity = vector(&self.gravity, FunctionInput::time(at.t));
            for (i, body) in self.moving() {
                power.forces += body.mass * gravity.dot(&self.nodes[i].velocity(0, &at.v));
            }
            self.placed(&point, |kinematics| {
                for body in &self.flexible {
                    power.forces += gravity.dot(&body.momentum(kinematics, &at.v)[0]);
                }
            });
            for shared in &self.shared {
                let [one, two] = shared.sides.map(|side| self.nodes[side].velocity(0, &at.v));
                power.forces += 0.5 * shared.mass * gravity.dot(&(one + two));
            }
        }
        self.with_acting_signals(&point, |kinematics, signals| {
            let Instant { t, v, multipliers, z, .. } = at;
            let flow = self.element_flow(&ElementView {
                multipliers,
                z,
                signals,
                ..ElementView::new(*t, kinematics, v)
            });
            power.dissipation += flow.lost;
            power.forces += flow.work;
        });
        power
    }

    /// Linear and angular momentum; NaN for an instant of another model.
    pub fn momentum(&self, at: &Instant) -> Momentum {
        if !self.fits(at) {
            let undefined = Vector3::repeat(f64::NAN);
            return Momentum { linear: undefined, angular: undefined };
        }
        self.placed(&at.into(), |kinematics| {
            let mut momentum = Momentum::default();
            for (i, body) in self.moving() {
                let (node, frame) = (&self.nodes[i], &kinematics.frames[i]);
                let linear = body.mass * node.velocity(0, &at.v);
                let angular = frame.rotation * (body.tensor * node.velocity(1, &at.v));
                momentum.linear += linear;
                momentum.angular += frame.position.cross(&linear) + angular;
            }
            for body in &self.flexible {
                let [linear, angular] = body.momentum(kinematics, &at.v);
                let frame = &kinematics.frames[body.node];
                momentum.linear += linear;
                momentum.angular += frame.position.cross(&linear) + frame.rotation * angular;
            }
            for shared in &self.shared {
                let v = shared.sides.map(|side| self.nodes[side].velocity(0, &at.v));
                for (k, side) in shared.sides.into_iter().enumerate() {
                    let linear = shared.mass / 6.0 * (2.0 * v[k] + v[1 - k]);
                    momentum.linear += linear;
                    momentum.angular += kinematics.frames[side].position.cross(&linear);
                }
            }
            momentum
        })
    }
}
