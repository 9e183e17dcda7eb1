//! The equations of motion of a model, as the stage asks for them.

use super::compiled::Model;
use super::describe::vector;
use super::gauge::Placed;
use super::points::Scratch;
use crate::linalg::Entries;
use crate::state::Instant;
use crate::system::{Derivative, ForceTangent, Limit, Point, Space, System};

fn begin<const N: usize>(matrices: [&mut Entries; N]) {
    matrices.into_iter().for_each(Entries::begin);
}

/// Nothing is written outside these: they are as large as the model with its points.
fn finish<const N: usize>(matrices: [&mut Entries; N]) {
    for matrix in matrices {
        let written = matrix.finish();
        debug_assert!(written.is_ok(), "{written:?}");
    }
}

impl Model {
    /// G over coordinates with those of points.
    pub(super) fn write_rows(&self, place: Placed<'_>, rows: &mut Entries) {
        begin([&mut *rows]);
        self.element_jacobian(place, rows);
        finish([rows]);
    }
}

impl System for Model {
    fn space(&self) -> Space {
        self.space.clone()
    }

    fn mass(&self, q: &[f64], mass: &mut Entries) {
        self.rigid().for_each(|x| x.mass(&self.nodes, mass));
        self.shared.iter().for_each(|x| x.mass(&self.nodes, mass));
        if !self.flexible.is_empty() {
            self.placed(q, |place| self.flexible.iter().for_each(|x| x.mass(place, mass)));
        }
        self.structures.iter().for_each(|x| x.mass(mass));
    }

    fn mass_is_constant(&self) -> bool {
        self.flexible.is_empty()
    }

    fn mass_tangent(&self, q: &[f64], a: &[f64], tangent: &mut Entries) -> Derivative {
        if !self.flexible.is_empty() {
            self.placed(q, |place| {
                self.flexible.iter().for_each(|x| x.mass_tangent(place, a, tangent));
            });
        }
        Derivative::Analytic
    }

    fn force(&self, at: &Point<'_>, force: &mut [f64]) {
        let gravity = vector(&self.gravity, at.t);
        self.rigid().for_each(|x| x.force(&gravity, &self.nodes, at.v, force));
        self.shared.iter().for_each(|x| x.force(&gravity, &self.nodes, force));
        self.structures.iter().for_each(|x| x.force(at.t, at.q, at.v, force));
        if self.flexible.is_empty() {
            return self.placed(at.q, |place| {
                self.element_force(at.t, place, at.v, at.multipliers, force);
            });
        }
        self.with_points(at.q, Some(at.v), |place, scratch| {
            self.flexible.iter().for_each(|x| x.force(&gravity, place, at.v, force));
            let Scratch { v, loads, .. } = scratch;
            self.element_force(at.t, place, v, at.multipliers, loads);
            self.reduce_loads(scratch, force);
        });
    }

    fn force_tangent(&self, at: &Point<'_>, tangent: &mut ForceTangent<'_>) -> Derivative {
        self.rigid().for_each(|x| x.tangent(&self.nodes, at.v, tangent.damping));
        self.structures.iter().for_each(|x| x.tangent(tangent));
        if self.flexible.is_empty() {
            self.placed(at.q, |place| {
                self.element_tangent(at.t, place, at.v, at.multipliers, tangent);
            });
            return Derivative::Analytic;
        }
        let gravity = vector(&self.gravity, at.t);
        self.with_points(at.q, Some(at.v), |place, scratch| {
            self.flexible.iter().for_each(|x| x.tangent(&gravity, place, at.v, tangent));
            let Scratch { v, loads, stiffness, damping, multipliers, states, .. } = scratch;
            self.element_force(at.t, place, v, at.multipliers, loads);
            let mut own = ForceTangent { stiffness, damping, multipliers, states };
            begin([&mut *own.stiffness, &mut *own.damping, &mut *own.multipliers]);
            self.element_tangent(at.t, place, v, at.multipliers, &mut own);
            finish([&mut *own.stiffness, &mut *own.damping, &mut *own.multipliers]);
            self.reduce_tangent(place, at.v, scratch, tangent);
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
        self.structures.iter().for_each(|x| x.constraint(t, q, phi));
        self.placed(q, |place| {
            self.coincidences.iter().for_each(|x| x.value(place, phi));
            self.alignments.iter().for_each(|x| x.value(place, phi));
            self.held.iter().for_each(|x| x.value(t, place, phi));
        });
    }

    fn jacobian(&self, _t: f64, q: &[f64], jacobian: &mut Entries) {
        self.structures.iter().for_each(|x| x.jacobian(jacobian));
        if self.points.is_empty() {
            return self.placed(q, |place| self.element_jacobian(place, jacobian));
        }
        self.with_points(q, None, |place, scratch| {
            self.write_rows(place, &mut scratch.rows);
            self.reduce(&scratch.jacobians, &scratch.rows, [false, true], jacobian);
        });
    }

    fn constraint_rate(&self, t: f64, _q: &[f64], rate: &mut [f64]) -> Derivative {
        self.structures.iter().for_each(|x| x.rate(t, rate));
        self.held.iter().for_each(|x| x.rate(t, rate));
        self.rates.iter().for_each(|x| x.rate(t, rate));
        Derivative::Analytic
    }

    fn acceleration_term(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Derivative {
        self.structures.iter().for_each(|x| x.acceleration(t, out));
        if self.points.is_empty() {
            self.placed(q, |place| self.element_acceleration(t, place, v, out));
            return Derivative::Analytic;
        }
        self.with_points(q, Some(v), |place, scratch| {
            self.element_acceleration(t, place, &scratch.v, out);
            self.write_rows(place, &mut scratch.rows);
            self.add_point_accelerations(place, v, scratch, out);
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
        if self.points.is_empty() || self.rows.is_empty() {
            self.placed(q, |place| self.element_multiplier_tangent(place, multipliers, tangent));
            return Derivative::Analytic;
        }
        self.with_points(q, None, |place, scratch| {
            self.write_rows(place, &mut scratch.rows);
            scratch.rows.transpose_multiply_add(1.0, multipliers, &mut scratch.loads);
            begin([&mut scratch.tangent]);
            self.element_multiplier_tangent(place, multipliers, &mut scratch.tangent);
            finish([&mut scratch.tangent]);
            self.reduce_multiplier_tangent(place, scratch, tangent);
        });
        Derivative::Analytic
    }

    fn velocity_tangent(&self, _t: f64, q: &[f64], v: &[f64], out: &mut Entries) -> Derivative {
        if self.points.is_empty() {
            self.placed(q, |place| self.element_velocity_tangent(place, v, out));
            return Derivative::Analytic;
        }
        self.with_points(q, Some(v), |place, scratch| {
            self.write_rows(place, &mut scratch.rows);
            begin([&mut scratch.more_rows]);
            self.element_velocity_tangent(place, &scratch.v, &mut scratch.more_rows);
            finish([&mut scratch.more_rows]);
            self.reduce_velocity_tangent(place, v, scratch, out);
        });
        Derivative::Analytic
    }

    fn jacobian_is_constant(&self) -> bool {
        self.is_linear()
    }

    fn is_symmetric_positive(&self) -> bool {
        self.is_linear() && self.structures.iter().all(|x| x.is_symmetric)
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

    fn limits(&self) -> Vec<Limit> {
        self.validity_limits()
    }

    fn limit_values(&self, at: &Instant, values: &mut [f64]) {
        self.validity_values(at, values);
    }

    fn forces_on(&self, at: &Point<'_>, i: usize) -> Vec<(String, f64)> {
        self.forces_by_name(at, i)
    }

    fn coordinate_name(&self, i: usize) -> String {
        for flexible in &self.flexible {
            if let Some(k) = i.checked_sub(flexible.v).filter(|k| *k < flexible.modal.modes()) {
                let name = &self.bodies[flexible.node - 1].name;
                return format!("flexible body `{name}` (mode {})", k + 1);
            }
        }
        for structure in &self.structures {
            if let Some(k) = i.checked_sub(structure.v).filter(|k| *k < structure.size()) {
                return format!("structure `{}` ({})", structure.name, structure.place_name(k));
            }
        }
        match self.owner_of(i) {
            Some((owner, coordinate)) => format!("{owner} ({coordinate})"),
            None => format!("coordinate {i}"),
        }
    }

    fn rotation_name(&self, i: usize) -> String {
        self.owner_of(i).map_or_else(|| self.coordinate_name(i), |(owner, _)| owner)
    }

    fn constraint_name(&self, i: usize) -> String {
        self.rows.get(i).map_or_else(|| format!("constraint {i}"), |row| row.name())
    }
}

impl Model {
    /// The body or node that a velocity coordinate belongs to, and what it is called there.
    fn owner_of(&self, i: usize) -> Option<(String, &'static str)> {
        let next = self.nodes.partition_point(|node| node.v <= i || node.freedom.is_none());
        let body = self.bodies.get(next.checked_sub(2)?)?;
        let node = &self.nodes[next - 1];
        let what = if body.is_node { "node" } else { "body" };
        Some((format!("{what} `{}`", body.name), node.coordinate(i - node.v)))
    }
}
