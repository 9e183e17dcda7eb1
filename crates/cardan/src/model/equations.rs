//! The equations of motion of a model, as the stage asks for them.

use super::Freedom;
use super::compiled::Model;
use super::describe::vector;
use crate::linalg::Entries;
use crate::math::{Matrix3, Vector3, hat};
use crate::state::Instant;
use crate::system::{Derivative, ForceTangent, Point, Space, System};

/// −Ω × JΩ.
fn gyroscopic(tensor: &Matrix3, omega: &Vector3) -> Vector3 {
    (tensor * omega).cross(omega)
}

impl System for Model {
    fn space(&self) -> Space {
        self.space.clone()
    }

    fn mass(&self, _q: &[f64], mass: &mut Entries) {
        for (i, body) in self.moving() {
            let node = &self.nodes[i];
            node.add_diagonal(body.mass, mass);
            node.add_block(1, node, 1, &body.tensor, mass);
        }
        for shared in &self.shared {
            let [one, two] = shared.sides.map(|side| &self.nodes[side]);
            let block = |share: f64| Matrix3::from_diagonal_element(shared.mass * share);
            one.add_block(0, one, 0, &block(1.0 / 3.0), mass);
            two.add_block(0, two, 0, &block(1.0 / 3.0), mass);
            one.add_block(0, two, 0, &block(1.0 / 6.0), mass);
            two.add_block(0, one, 0, &block(1.0 / 6.0), mass);
        }
    }

    fn mass_is_constant(&self) -> bool {
        true
    }

    fn force(&self, at: &Point<'_>, force: &mut [f64]) {
        let gravity = vector(&self.gravity, at.t);
        for (i, body) in self.moving() {
            let node = &self.nodes[i];
            node.add(0, &(body.mass * gravity), force);
            if node.freedom == Some(Freedom::Spatial) {
                node.add(1, &gyroscopic(&body.tensor, &node.velocity(1, at.v)), force);
            }
        }
        for shared in &self.shared {
            let half = 0.5 * shared.mass * gravity;
            shared.sides.iter().for_each(|&side| self.nodes[side].add(0, &half, force));
        }
        self.placed(at.q, |place| {
            let fabrics = &self.fabrics;
            self.beams2.iter().for_each(|x| x.force(&fabrics[x.fabric], place, at.v, force));
            self.beams3.iter().for_each(|x| x.force(&fabrics[x.fabric], place, at.v, force));
            self.springs.iter().for_each(|x| x.force(at.t, place, at.v, force));
            self.bushings.iter().for_each(|x| x.force(at.t, place, at.v, force));
            self.loads.iter().for_each(|x| x.force(at.t, place, force));
            self.frictions.iter().for_each(|x| x.force(place, at.v, at.multipliers, force));
        });
    }

    fn force_tangent(&self, at: &Point<'_>, tangent: &mut ForceTangent<'_>) -> Derivative {
        for (i, body) in self.moving() {
            let node = &self.nodes[i];
            if node.freedom == Some(Freedom::Spatial) {
                // ∂(Ω × JΩ)/∂Ω
                let omega = node.velocity(1, at.v);
                let block = hat(&omega) * body.tensor - hat(&(body.tensor * omega));
                node.add_block(1, node, 1, &block, tangent.damping);
            }
        }
        self.placed(at.q, |place| {
            let fabrics = &self.fabrics;
            self.beams2.iter().for_each(|x| x.tangent(&fabrics[x.fabric], place, at.v, tangent));
            self.beams3.iter().for_each(|x| x.tangent(&fabrics[x.fabric], place, at.v, tangent));
            self.springs.iter().for_each(|x| x.tangent(at.t, place, at.v, tangent));
            self.bushings.iter().for_each(|x| x.tangent(at.t, place, at.v, tangent));
            self.loads.iter().for_each(|x| x.tangent(at.t, place, tangent.stiffness));
            self.frictions.iter().for_each(|x| x.tangent(place, at.v, at.multipliers, tangent));
        });
        Derivative::Analytic
    }

    fn force_needs_multipliers(&self) -> bool {
        !self.frictions.is_empty()
    }

    fn holonomic(&self) -> usize {
        self.holonomic
    }

    fn nonholonomic(&self) -> usize {
        self.rows.len() - self.holonomic
    }

    fn constraint(&self, t: f64, q: &[f64], phi: &mut [f64]) {
        self.placed(q, |place| {
            self.coincidences.iter().for_each(|x| x.value(place, phi));
            self.alignments.iter().for_each(|x| x.value(place, phi));
            self.held.iter().for_each(|x| x.value(t, place, phi));
        });
    }

    fn jacobian(&self, _t: f64, q: &[f64], jacobian: &mut Entries) {
        self.placed(q, |place| {
            self.coincidences.iter().for_each(|x| x.jacobian(place, jacobian));
            self.alignments.iter().for_each(|x| x.jacobian(place, jacobian));
            self.held.iter().for_each(|x| x.jacobian(place, jacobian));
            self.rates.iter().for_each(|x| x.jacobian(place, jacobian));
        });
    }

    fn constraint_rate(&self, t: f64, _q: &[f64], rate: &mut [f64]) -> Derivative {
        self.held.iter().for_each(|x| x.rate(t, rate));
        self.rates.iter().for_each(|x| x.rate(t, rate));
        Derivative::Analytic
    }

    fn acceleration_term(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Derivative {
        self.placed(q, |place| {
            self.coincidences.iter().for_each(|x| x.acceleration(place, v, out));
            self.alignments.iter().for_each(|x| x.acceleration(place, v, out));
            self.held.iter().for_each(|x| x.acceleration(t, place, v, out));
            self.rates.iter().for_each(|x| x.acceleration(t, place, v, out));
        });
        Derivative::Analytic
    }

    fn multiplier_tangent(
        &self,
        _t: f64,
        q: &[f64],
        multipliers: &[f64],
        tangent: &mut Entries,
    ) -> Derivative {
        self.placed(q, |place| {
            let each = &self.coincidences;
            each.iter().for_each(|x| x.multiplier_tangent(place, multipliers, tangent));
            let each = &self.alignments;
            each.iter().for_each(|x| x.multiplier_tangent(place, multipliers, tangent));
            self.held.iter().for_each(|x| x.multiplier_tangent(place, multipliers, tangent));
            self.rates.iter().for_each(|x| x.multiplier_tangent(place, multipliers, tangent));
        });
        Derivative::Analytic
    }

    fn velocity_tangent(&self, _t: f64, q: &[f64], v: &[f64], out: &mut Entries) -> Derivative {
        self.placed(q, |place| {
            self.coincidences.iter().for_each(|x| x.velocity_tangent(place, v, out));
            self.alignments.iter().for_each(|x| x.velocity_tangent(place, v, out));
            self.held.iter().for_each(|x| x.velocity_tangent(place, v, out));
            self.rates.iter().for_each(|x| x.velocity_tangent(place, v, out));
        });
        Derivative::Analytic
    }

    fn accept(&self, before: Option<&Instant>, after: &mut Instant) -> Result<(), String> {
        let h = before.map(|before| after.t - before.t);
        self.check_turns(h, after)?;
        self.check_bends(after)?;
        self.count_turns(&mut after.q);
        self.check_left_out(after)
    }

    fn potential_energy(&self, _t: f64, q: &[f64]) -> Option<f64> {
        Some(self.stored_energy(q))
    }

    fn coordinate_name(&self, i: usize) -> String {
        let next = self.nodes.partition_point(|node| node.v <= i || node.freedom.is_none());
        match next.checked_sub(2).and_then(|k| self.bodies.get(k)) {
            Some(body) => {
                let node = &self.nodes[next - 1];
                let what = if body.is_node { "node" } else { "body" };
                format!("{what} `{}` ({})", body.name, node.coordinate(i - node.v))
            }
            None => format!("coordinate {i}"),
        }
    }

    fn constraint_name(&self, i: usize) -> String {
        self.rows.get(i).map_or_else(|| format!("constraint {i}"), |row| row.name())
    }
}
