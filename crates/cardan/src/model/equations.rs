//! The equations of motion of a model: its implementation of `System`.

use super::channel_view::ChannelView;
use super::compiled::Model;
use super::element::ElementView;
use super::elements::{FloatingFrameBody, LinearStructure};
use super::node_measure::PositionKinematics;
use super::placement::{ElementContext, Placement};
use super::points::PointScratch;
use super::time_jumps::TimeJump;
use super::values::{FunctionInput, vector};
use std::any::Any;

use cardan_core::linalg::{ProductSink, SparseMatrix};
use cardan_core::state::Instant;
use cardan_core::system::{
    Derivative, EventSet, Failure, ForceTangent, Quantity, Space, StateTangent, StateView, System,
    ValidityLimit,
};

fn begin<const N: usize>(matrices: [&mut SparseMatrix; N]) {
    matrices.into_iter().for_each(SparseMatrix::begin);
}

/// Finishes matrices. No entry is out of range: they are as large as the model with its points.
fn finish<const N: usize>(matrices: [&mut SparseMatrix; N]) {
    for matrix in matrices {
        let written = matrix.finish();
        debug_assert!(written.is_ok(), "{written:?}");
    }
}

impl Model {
    /// G over extended coordinates, which include those of points of flexible bodies.
    pub(super) fn write_rows(&self, kinematics: PositionKinematics<'_>, rows: &mut SparseMatrix) {
        begin([&mut *rows]);
        self.element_jacobian(kinematics, rows);
        finish([rows]);
    }
}

/// Terms that depend on the configuration and on given functions of time; they do not fail.
impl Model {
    pub(super) fn write_mass(&self, at: &StateView<'_>, mass: &mut SparseMatrix) {
        self.rigid().for_each(|x| x.mass(&self.nodes, mass));
        self.shared.iter().for_each(|x| x.mass(&self.nodes, mass));
        if !self.flexible.is_empty() {
            self.placed(at, |kinematics| {
                self.flexible.iter().for_each(|x| x.mass(kinematics, mass))
            });
        }
        self.structures.iter().for_each(|x| x.mass(mass));
    }

    pub(super) fn write_constraint(&self, at: &StateView<'_>, phi: &mut [f64]) {
        let t = at.t;
        self.structures.iter().for_each(|x| x.constraint(t, at.q, phi));
        self.placed(at, |kinematics| {
            self.coincidences.iter().for_each(|x| x.value(kinematics, phi));
            self.alignments.iter().for_each(|x| x.value(kinematics, phi));
            self.holonomic_rows.iter().for_each(|x| x.value(t, kinematics, phi));
        });
    }

    pub(super) fn write_jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) {
        self.structures.iter().for_each(|x| x.jacobian(jacobian));
        if self.points.is_empty() {
            self.placed(at, |kinematics| self.element_jacobian(kinematics, jacobian));
            return;
        }
        self.with_points(at, None, |kinematics, scratch| {
            self.write_rows(kinematics, &mut scratch.rows);
            self.reduce(&scratch.jacobians, &scratch.rows, [false, true], jacobian);
        });
    }

    pub(super) fn write_acceleration_term(&self, at: &StateView<'_>, out: &mut [f64]) {
        let (t, v) = (at.t, at.v);
        self.structures.iter().for_each(|x| x.acceleration(t, out));
        if self.points.is_empty() {
            self.placed(at, |kinematics| self.element_acceleration(t, kinematics, v, out));
            return;
        }
        self.with_points(at, Some(v), |kinematics, scratch| {
            self.element_acceleration(t, kinematics, &scratch.v, out);
            self.write_rows(kinematics, &mut scratch.rows);
            self.add_point_accelerations(kinematics, v, scratch, out);
        });
    }

    pub(super) fn write_constraint_rate(&self, t: f64, rate: &mut [f64]) {
        self.constraint_rates(t).for_each(|(row, b)| rate[row] = b);
    }

    /// b of the constraint rows that may have one: (row, value).
    pub(super) fn constraint_rates(&self, t: f64) -> impl Iterator<Item = (usize, f64)> {
        let ties = self.structures.iter().flat_map(move |x| x.rates(t));
        let holonomic = self.holonomic_rows.iter().map(move |x| (x.row, x.rate(t)));
        let nonholonomic = self.nonholonomic_rows.iter().map(move |x| (x.row, x.rate(t)));
        ties.chain(holonomic).chain(nonholonomic)
    }
}

impl System for Model {
    fn space(&self) -> Space {
        self.space.clone()
    }

    fn scratch(&self) -> Box<dyn Any + Send> {
        Box::new(Placement::new(self))
    }

    fn mass(&self, at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        self.write_mass(at, mass);
        Ok(())
    }

    fn has_constant_mass(&self) -> bool {
        self.flexible.is_empty()
    }

    fn mass_tangent(
        &self,
        at: &StateView<'_>,
        a: &[f64],
        tangent: &mut SparseMatrix,
    ) -> Result<Derivative, Failure> {
        if !self.flexible.is_empty() {
            self.placed(at, |kinematics| {
                self.flexible.iter().for_each(|x| x.mass_tangent(kinematics, a, tangent));
            });
        }
        Ok(Derivative::Analytic)
    }

    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        let gravity = vector(&self.gravity, FunctionInput::time(at.t));
        self.rigid().for_each(|x| x.force(&gravity, &self.nodes, at.v, force));
        self.shared.iter().for_each(|x| x.force(&gravity, &self.nodes, force));
        self.structures.iter().for_each(|x| x.force(at.t, at.q, at.v, force));
        if self.flexible.is_empty() {
            return self.with_position(at, |at, _| self.element_force(at, force));
        }
        self.with_element_scratch(at, |kinematics, scratch, context| {
            self.flexible.iter().for_each(|x| x.force(&gravity, kinematics, at.v, force));
            let PointScratch { v, loads, .. } = scratch;
            let view = ElementView::among(at, kinematics, v, context.scratch, context.signals);
            self.element_force(&view, loads)?;
            self.reduce_loads(scratch, force);
            Ok(())
        })
    }

    fn force_tangent(
        &self,
        at: &StateView<'_>,
        tangent: &mut ForceTangent<'_>,
    ) -> Result<Derivative, Failure> {
        self.rigid().for_each(|x| x.tangent(&self.nodes, at.v, tangent.damping));
        self.structures.iter().for_each(|x| x.tangent(tangent));
        if self.flexible.is_empty() {
            self.with_position(at, |at, work| {
                self.element_tangent(at, tangent)?;
                if !self.signals.couplings.is_empty() {
                    self.signal_tangent(at, &mut work.borrow_mut(), tangent);
                }
                Ok::<_, Failure>(())
            })?;
            return Ok(Derivative::Analytic);
        }
        let gravity = vector(&self.gravity, FunctionInput::time(at.t));
        self.with_element_scratch(at, |kinematics, scratch, context| {
            self.flexible.iter().for_each(|x| x.tangent(&gravity, kinematics, at.v, tangent));
            let PointScratch { v, loads, stiffness, damping, multipliers, states, .. } = scratch;
            let view = ElementView::among(at, kinematics, v, context.scratch, context.signals);
            self.element_force(&view, loads)?;
            let mut extended = ForceTangent { stiffness, damping, multipliers, states };
            begin([
                &mut *extended.stiffness,
                extended.damping,
                extended.multipliers,
                extended.states,
            ]);
            self.element_tangent(&view, &mut extended)?;
            if !self.signals.couplings.is_empty() {
                self.signal_tangent(&view, &mut context.signal_work.borrow_mut(), &mut extended);
            }
            finish([
                &mut *extended.stiffness,
                extended.damping,
                extended.multipliers,
                extended.states,
            ]);
            self.reduce_tangent(kinematics, at.v, scratch, tangent);
            Ok(Derivative::Analytic)
        })
    }

    fn force_needs_multipliers(&self) -> bool {
        !self.elements.frictions.is_empty() || self.signals.forces_need_multipliers()
    }

    fn state_count(&self) -> usize {
        let customs = self.elements.customs.last().map_or(0, |last| last.states.end);
        customs + self.signals.states.len()
    }

    fn state_residual(
        &self,
        at: &StateView<'_>,
        rates: &[f64],
        residual: &mut [f64],
    ) -> Result<(), Failure> {
        self.with_rates(at, rates, |kinematics, scratch, context| {
            let ElementContext { scratch: elements, signals, .. } = *context;
            let view = ElementView::among(at, kinematics, &scratch.v, elements, signals);
            self.signal_state_residual(signals, rates, residual);
            self.elements.customs.iter().try_for_each(|x| x.residual(&view, rates, residual))
        })
    }

    fn state_tangent(
        &self,
        at: &StateView<'_>,
        rates: &[f64],
        tangent: &mut StateTangent<'_>,
    ) -> Result<Derivative, Failure> {
        self.with_rates(at, rates, |kinematics, scratch, context| {
            let PointScratch { v, configuration, velocity, .. } = scratch;
            let view = ElementView::among(at, kinematics, v, context.scratch, context.signals);
            let channels = ChannelView { rates, ..ChannelView::from(&view) };
            let each = |tangent: &mut StateTangent<'_>| -> Result<(), Failure> {
                let work = &mut context.signal_work.borrow_mut();
                self.signal_state_tangent(&channels, work, tangent);
                self.elements.customs.iter().try_for_each(|x| x.residual_tangent(&view, tangent))
            };
            if self.points.is_empty() {
                each(tangent)?;
                return Ok(Derivative::Analytic);
            }
            begin([&mut *configuration, velocity]);
            let StateTangent { state, rate, multipliers, .. } = tangent;
            let mut extended = StateTangent { configuration, velocity, state, rate, multipliers };
            each(&mut extended)?;
            finish([&mut *configuration, velocity]);
            self.reduce_state_tangent(kinematics, at.v, scratch, tangent);
            Ok(Derivative::Analytic)
        })
    }

    fn state_needs_multipliers(&self) -> bool {
        self.signals.states_need_multipliers()
    }

    fn state_name(&self, i: usize) -> String {
        let states = self.state_list();
        states.get(i).map_or_else(|| format!("state {i}"), |(name, _)| format!("state `{name}`"))
    }

    fn reason_not_finite(&self, at: &StateView<'_>) -> Option<Failure> {
        self.why_not_finite(at)
    }

    fn holonomic_count(&self) -> usize {
        self.holonomic
    }

    fn nonholonomic_count(&self) -> usize {
        self.rows.len() - self.holonomic
    }

    fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
        self.write_constraint(at, phi);
        Ok(())
    }

    fn jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
        self.write_jacobian(at, jacobian);
        Ok(())
    }

    fn constraint_force(
        &self,
        at: &StateView<'_>,
        force: &mut [f64],
    ) -> Result<Derivative, Failure> {
        if !self.points.is_empty() || !self.structures.is_empty() {
            return Ok(Derivative::Differenced);
        }
        self.placed(at, |kinematics| {
            self.element_constraint_force(kinematics, at.multipliers, force);
        });
        Ok(Derivative::Analytic)
    }

    fn constraint_velocity(
        &self,
        at: &StateView<'_>,
        velocity: &mut [f64],
    ) -> Result<Derivative, Failure> {
        let mut product = ProductSink { x: at.v, out: &mut *velocity };
        self.structures.iter().for_each(|x| x.jacobian(&mut product));
        self.moved(at, at.v, |kinematics, v| self.element_velocity(kinematics, v, velocity));
        Ok(Derivative::Analytic)
    }

    fn constraint_rate(&self, at: &StateView<'_>, rate: &mut [f64]) -> Result<Derivative, Failure> {
        self.write_constraint_rate(at.t, rate);
        Ok(Derivative::Analytic)
    }

    fn acceleration_term(
        &self,
        at: &StateView<'_>,
        out: &mut [f64],
    ) -> Result<Derivative, Failure> {
        self.write_acceleration_term(at, out);
        Ok(Derivative::Analytic)
    }

    fn multiplier_tangent(
        &self,
        at: &StateView<'_>,
        tangent: &mut SparseMatrix,
    ) -> Result<Derivative, Failure> {
        let multipliers = at.multipliers;
        if self.points.is_empty() || self.rows.is_empty() {
            self.placed(at, |kinematics| {
                self.element_multiplier_tangent(kinematics, multipliers, tangent)
            });
            return Ok(Derivative::Analytic);
        }
        self.with_points(at, None, |kinematics, scratch| {
            self.write_rows(kinematics, &mut scratch.rows);
            scratch.rows.transpose_multiply_add(1.0, multipliers, &mut scratch.loads);
            begin([&mut scratch.tangent]);
            self.element_multiplier_tangent(kinematics, multipliers, &mut scratch.tangent);
            finish([&mut scratch.tangent]);
            self.reduce_multiplier_tangent(kinematics, scratch, tangent);
        });
        Ok(Derivative::Analytic)
    }

    fn velocity_tangent(
        &self,
        at: &StateView<'_>,
        out: &mut SparseMatrix,
    ) -> Result<Derivative, Failure> {
        let v = at.v;
        if self.points.is_empty() {
            self.placed(at, |kinematics| self.element_velocity_tangent(kinematics, v, out));
            return Ok(Derivative::Analytic);
        }
        self.with_points(at, Some(v), |kinematics, scratch| {
            self.write_rows(kinematics, &mut scratch.rows);
            begin([&mut scratch.more_rows]);
            self.element_velocity_tangent(kinematics, &scratch.v, &mut scratch.more_rows);
            finish([&mut scratch.more_rows]);
            self.reduce_velocity_tangent(kinematics, v, scratch, out);
        });
        Ok(Derivative::Analytic)
    }

    fn has_constant_tangents(&self) -> bool {
        self.is_linear()
    }

    fn is_symmetric_positive(&self) -> bool {
        self.is_linear() && self.structures.iter().all(|x| x.is_symmetric)
    }

    fn accept(
        &self,
        step: Option<f64>,
        at: &StateView<'_>,
        discrete: &mut [f64],
    ) -> Result<(), Failure> {
        self.check_curvatures(at)?;
        self.count_turns(step, at, discrete)?;
        self.update_memories(at, discrete);
        if !self.switches.is_empty() {
            self.follow_offsets(at, discrete);
        }
        Ok(())
    }

    fn input_index(&self, name: &str) -> Option<usize> {
        self.signals.inputs.iter().find(|(known, _)| known == name).map(|(_, q)| *q)
    }

    fn potential_energy(&self, at: &StateView<'_>) -> Option<f64> {
        Some(self.stored_energy(at))
    }

    fn limits(&self) -> Vec<ValidityLimit> {
        self.validity_limits()
    }

    fn limit_values(&self, at: &StateView<'_>, values: &mut [f64]) {
        self.validity_values(at, values);
    }

    fn forces_on(&self, at: &StateView<'_>, i: usize) -> Vec<(String, f64)> {
        self.forces_by_name(at, i)
    }

    fn read(&self, name: &str, at: &Instant) -> Result<Vec<f64>, Failure> {
        Model::read(self, name, at).map_err(Failure::of)
    }

    fn coordinate_quantity(&self, i: usize) -> Quantity {
        let is_modal = |x: &FloatingFrameBody| (x.v..x.v + x.modal.modes()).contains(&i);
        if self.flexible.iter().any(is_modal) {
            return Quantity::Other;
        }
        let is_here = |x: &LinearStructure| (x.v..x.v + x.size()).contains(&i);
        if self.structures.iter().any(is_here) {
            return Quantity::Other;
        }
        let next = self.nodes.partition_point(|node| node.v <= i || node.kind.is_none());
        match next.checked_sub(1).map(|k| &self.nodes[k]) {
            Some(node) if node.offsets(1).any(|(_, offset)| node.v + offset == i) => {
                Quantity::Angle
            }
            Some(node) if node.offsets(0).any(|(_, offset)| node.v + offset == i) => {
                Quantity::Length
            }
            _ => Quantity::Other,
        }
    }

    fn characteristic_length(&self) -> Option<f64> {
        // without arms the size is the distance of a body from the origin, which says nothing of its motion
        self.longest_arm
    }

    fn jumps_between(&self, from: f64, to: f64) -> Vec<f64> {
        let acting = self.time_jumps(from, to).into_iter().filter(TimeJump::matters);
        let mut times: Vec<f64> = acting.map(|jump| jump.time).collect();
        times.dedup();
        times
    }

    fn events(&self) -> Option<&dyn EventSet> {
        (!self.events.list.is_empty()).then_some(self)
    }

    fn switched_off_rows(&self, q: &[f64]) -> Vec<usize> {
        self.rows_switched_off(q)
    }

    fn has_same_structure(&self, one: &[f64], two: &[f64]) -> bool {
        self.has_same_switches(one, two)
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

    fn constraint_unit(&self, i: usize) -> Option<f64> {
        self.rows.get(i).map(|row| if row.is_angular { 1.0 } else { self.size })
    }
}

impl Model {
    /// The body or node of a velocity coordinate, and the name of the coordinate in it.
    fn owner_of(&self, i: usize) -> Option<(String, &'static str)> {
        let next = self.nodes.partition_point(|node| node.v <= i || node.kind.is_none());
        let body = self.bodies.get(next.checked_sub(2)?)?;
        let node = &self.nodes[next - 1];
        let what = if body.is_node { "node" } else { "body" };
        Some((format!("{what} `{}`", body.name), node.coordinate(i - node.v)))
    }
}
