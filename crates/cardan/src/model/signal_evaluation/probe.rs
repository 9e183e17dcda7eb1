//! The gradients of probes: analytic for motions of bodies, coordinates of joints, springs and states, by central
//! differences over their own few coordinates for other channels.

use crate::model::PairVelocity;
use crate::model::channel_source::{BeamValue, ChannelSource, FlexibleValue, StructureValue};
use crate::model::channel_view::ChannelView;
use crate::model::compiled::Model;
use crate::model::elements::ElementKind;
use crate::model::node::Node;
use crate::model::node_measure::{NodeMeasure, PositionKinematics};
use crate::model::signals::{Column, Probe, ProbeKind, ProbeVariation};
use cardan_core::math::{Vector3, hat};
use cardan_core::system::difference::{CENTRAL, state_unit_of, step_for, unit, unit_of};

/// Receives the entries of a gradient, in an order that does not depend on the instant.
type Write<'a> = &'a mut dyn FnMut(Column, f64);

impl Model {
    /// The columns of the gradient of a probe, or the reason why it cannot act on forces. `at` is the described
    /// configuration.
    pub(in crate::model) fn probe_columns(
        &self,
        kind: &ProbeKind,
        at: &ChannelView<'_>,
    ) -> Result<Vec<Column>, &'static str> {
        let mut columns = Vec::new();
        if self.analytic_gradient(kind, at, &mut |column, _| columns.push(column)) {
            return Ok(columns);
        }
        let ProbeKind::Channel { source, .. } = kind else { return Ok(columns) };
        self.differenced_columns(*source)
    }

    /// Writes the gradient of a probe.
    pub(super) fn write_probe_gradient(
        &self,
        probe: &Probe,
        at: &ChannelView<'_>,
        variation: &mut ProbeVariation,
        out: &mut [f64],
    ) {
        let mut entries = out.iter_mut();
        let mut write = |_, value: f64| {
            if let Some(entry) = entries.next() {
                *entry = value;
            }
        };
        if !self.analytic_gradient(&probe.kind, at, &mut write) {
            self.difference_probe(probe, at, variation, out);
        }
    }

    /// Writes the analytic gradient; false if there is none.
    fn analytic_gradient(&self, kind: &ProbeKind, at: &ChannelView<'_>, write: Write<'_>) -> bool {
        match kind {
            ProbeKind::Measure { measure, is_rate } => {
                self.measure_gradient(measure, *is_rate, 1.0, at, write);
                true
            }
            ProbeKind::Channel { source, component } => {
                self.channel_gradient(*source, *component, at, write)
            }
        }
    }

    /// `scale` times the gradient of a measure or of its rate.
    fn measure_gradient(
        &self,
        measure: &NodeMeasure,
        is_rate: bool,
        scale: f64,
        at: &ChannelView<'_>,
        write: Write<'_>,
    ) {
        let kinematics = at.kinematics;
        let gradient = measure.gradient(kinematics);
        let motion =
            |column: &[usize], values: &PairVelocity<f64>, is_velocity, write: Write<'_>| {
                for &k in column {
                    let (node, part) = measure.column(kinematics.nodes, k);
                    write_part(node, part, &(scale * values[k]), is_velocity, write);
                }
            };
        let columns = measure.measure.gradient_columns();
        if !is_rate {
            return motion(columns, &gradient, false, write);
        }
        let rates = measure.rate_gradient(kinematics, &measure.motion(kinematics.nodes, at.v));
        motion(measure.measure.curvature_columns(), &rates, false, write);
        motion(columns, &gradient, true, write);
    }

    fn channel_gradient(
        &self,
        source: ChannelSource,
        component: usize,
        at: &ChannelView<'_>,
        write: Write<'_>,
    ) -> bool {
        let axis = Vector3::ith(component.min(2), 1.0);
        match source {
            ChannelSource::Point { node, at: point, order: order @ (0 | 1) } => {
                let (frame, data) = (&at.kinematics.frames[node], &self.nodes[node]);
                let has_arm = point != Vector3::zeros();
                // e·(−R[s]) of δθ or δω, and e·(−R[ω × s]) of δθ for a velocity
                let by_rotation = -(frame.rotation * hat(&point)).tr_mul(&axis);
                write_axis(data, component, order == 1, write);
                if !has_arm {
                    return true;
                }
                if order == 1 {
                    let relative = data.velocity(1, at.v).cross(&point);
                    let by_angle = -(frame.rotation * hat(&relative)).tr_mul(&axis);
                    write_part(data, 1, &by_angle, false, write);
                }
                write_part(data, 1, &by_rotation, order == 1, write);
            }
            ChannelSource::PlanarAngle(node) => {
                write_part(&self.nodes[node], 1, &Vector3::z(), false, write);
            }
            ChannelSource::AngularVelocity { node, world, order: 1 } => {
                let (frame, data) = (&at.kinematics.frames[node], &self.nodes[node]);
                if !world {
                    write_part(data, 1, &axis, true, write);
                } else {
                    let omega = data.velocity(1, at.v);
                    let by_angle = -(frame.rotation * hat(&omega)).tr_mul(&axis);
                    write_part(data, 1, &by_angle, false, write);
                    write_part(data, 1, &frame.rotation.tr_mul(&axis), true, write);
                }
            }
            ChannelSource::Coordinate { joint, index, order: order @ (0 | 1) } => {
                let (_, measure) = &self.joints[joint].coordinates[index];
                self.measure_gradient(measure, order == 1, 1.0, at, write);
            }
            ChannelSource::Force { force, output: output @ (0 | 1), .. }
                if self.forces[force].kind == ElementKind::Spring =>
            {
                let measure = &self.elements.springs[self.forces[force].range.start].measure;
                self.measure_gradient(measure, output == 1, 1.0, at, write);
            }
            ChannelSource::GearForce(joint) => {
                let row = self.holonomic_rows[self.joints[joint].holonomic_rows.start].row;
                write(Column::Multiplier(row), -1.0);
            }
            ChannelSource::DriveForce(drive) => {
                let data = &self.drives[drive];
                let holonomic =
                    self.holonomic_rows[data.holonomic_rows.clone()].iter().map(|x| x.row);
                let rates = self.nonholonomic_rows[data.rates.clone()].iter().map(|x| x.row);
                let Some(row) = holonomic.chain(rates).nth(component) else { return false };
                write(Column::Multiplier(row), -1.0);
            }
            ChannelSource::State(k) => write(Column::State(k), 1.0),
            ChannelSource::Input(k) => write(Column::Discrete(k), 1.0),
            ChannelSource::Flexible { body, value: FlexibleValue::Mode { mode, order: 0 } } => {
                write(Column::Position(self.flexible[body].v + mode), 1.0);
            }
            ChannelSource::Flexible { body, value: FlexibleValue::Mode { mode, order: 1 } } => {
                write(Column::Velocity(self.flexible[body].v + mode), 1.0);
            }
            ChannelSource::Structure {
                structure,
                value: StructureValue::Node { node, order: order @ (0 | 1) },
            } => {
                let data = &self.structures[structure];
                // a clamped node does not move
                let Some(k) = data.free.get(node).copied().flatten() else { return true };
                let index = data.v + k as usize;
                let column =
                    if order == 0 { Column::Position(index) } else { Column::Velocity(index) };
                write(column, 1.0);
            }
            _ => return false,
        }
        true
    }

    /// The coordinates on which a channel without analytic gradient depends, or the reason why it cannot act.
    fn differenced_columns(&self, source: ChannelSource) -> Result<Vec<Column>, &'static str> {
        let mut columns = Vec::new();
        let mut add = |nodes: &[usize], has_velocity: bool| {
            for node in nodes.iter().map(|&node| &self.nodes[node]) {
                let range = node.v..node.v + node.velocities();
                columns.extend(range.clone().map(Column::Position));
                columns.extend(range.filter(|_| has_velocity).map(Column::Velocity));
            }
        };
        match source {
            ChannelSource::Orientation(node) => add(&[node], false),
            ChannelSource::Reaction { joint, .. } => {
                let data = &self.joints[joint];
                add(&data.sides, false);
                let rows = self.joint_rows(joint);
                columns.extend(rows.into_iter().map(Column::Multiplier));
            }
            ChannelSource::DrivePower(drive) => {
                let data = &self.drives[drive];
                let holonomic =
                    self.holonomic_rows[data.holonomic_rows.clone()].iter().map(|x| x.row);
                let rates = self.nonholonomic_rows[data.rates.clone()].iter().map(|x| x.row);
                columns.extend(holonomic.chain(rates).map(Column::Multiplier));
            }
            ChannelSource::Force { force, .. } => self.force_columns(force, &mut columns)?,
            ChannelSource::Beam { beam, station, value } => {
                if !matches!(
                    value,
                    BeamValue::Position(0 | 1)
                        | BeamValue::Orientation
                        | BeamValue::Rotation
                        | BeamValue::AngularVelocity { .. }
                        | BeamValue::Stress { .. }
                        | BeamValue::Strain { .. }
                ) {
                    return Err(acceleration_or_sum(&source));
                }
                let data = &self.beams[beam];
                let first = station.element.saturating_sub(1);
                let last = (station.element + 1).min(data.elements.len() - 1);
                let parts = data.order - 1;
                let mut nodes = data.nodes[first * parts..=(last + 1) * parts].to_vec();
                nodes.sort_unstable();
                nodes.dedup();
                add(&nodes, !matches!(value, BeamValue::Position(0) | BeamValue::Orientation));
            }
            ChannelSource::Flexible {
                body,
                value:
                    FlexibleValue::Deflection { .. }
                    | FlexibleValue::Rotation { .. }
                    | FlexibleValue::Stress { .. },
            } => {
                let flexible = &self.flexible[body];
                let modes = flexible.v..flexible.v + flexible.modal.modes();
                columns.extend(modes.map(Column::Position));
            }
            other => return Err(acceleration_or_sum(&other)),
        }
        Ok(columns)
    }

    /// The constraint rows of a joint.
    pub(in crate::model) fn joint_rows(&self, joint: usize) -> Vec<usize> {
        let data = &self.joints[joint];
        let mut rows = Vec::new();
        if let Some(i) = data.coincidence {
            rows.extend(self.coincidences[i].rows());
        }
        if let Some(i) = data.alignment {
            rows.extend(self.alignments[i].rows);
        }
        rows.extend(self.holonomic_rows[data.holonomic_rows.clone()].iter().map(|x| x.row));
        rows.extend(self.nonholonomic_rows[data.nonholonomic_rows.clone()].iter().map(|x| x.row));
        rows
    }

    /// The coordinates on which the outputs of a force depend.
    fn force_columns(&self, force: usize, columns: &mut Vec<Column>) -> Result<(), &'static str> {
        let data = &self.forces[force];
        if data.range.clone().any(|i| self.has_signals(data.kind, i)) {
            return Err(
                "the force itself depends on signals: name its formula as a signal, and use that signal",
            );
        }
        let mut nodes = Vec::new();
        for i in data.range.clone() {
            match data.kind {
                ElementKind::Spring => nodes.extend(self.elements.springs[i].measure.sides),
                ElementKind::Bushing => nodes.extend(self.elements.bushings[i].measures[0].sides),
                ElementKind::Load => nodes.push(self.elements.loads[i].node),
                ElementKind::Friction => {
                    let friction = &self.elements.frictions[i];
                    nodes.extend(friction.measure.sides);
                    columns.extend(friction.rows.iter().copied().map(Column::Multiplier));
                }
                ElementKind::Custom => {
                    let custom = &self.elements.customs[i];
                    nodes.extend(custom.node_numbers());
                    columns.extend(custom.states.clone().map(Column::State));
                }
                ElementKind::Beam2 | ElementKind::Beam3 => {}
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        for node in nodes.iter().map(|&node| &self.nodes[node]) {
            let range = node.v..node.v + node.velocities();
            columns.extend(range.clone().map(Column::Position));
            columns.extend(range.map(Column::Velocity));
        }
        Ok(())
    }

    /// Whether an element depends on signals.
    fn has_signals(&self, kind: ElementKind, i: usize) -> bool {
        match kind {
            ElementKind::Load => self.elements.loads[i].has_signals(),
            ElementKind::Spring => self.elements.springs[i].has_signals(),
            ElementKind::Bushing => self.elements.bushings[i].has_signals(),
            _ => false,
        }
    }

    /// Central differences over the columns of a probe.
    fn difference_probe(
        &self,
        probe: &Probe,
        at: &ChannelView<'_>,
        variation: &mut ProbeVariation,
        out: &mut [f64],
    ) {
        variation.copy_from(at);
        let length = unit(self.size);
        for (entry, &column) in out.iter_mut().zip(&probe.columns) {
            let step = match column {
                Column::Velocity(i) => step_for(at.v[i], unit_of(at.v)),
                Column::Multiplier(i) => step_for(at.multipliers[i], 1.0),
                Column::State(k) => step_for(at.z[k], state_unit_of(at.z)),
                Column::Position(_) => CENTRAL * length,
                Column::Rate(_) | Column::Discrete(_) => {
                    *entry = 0.0;
                    continue;
                }
            };
            let mut sides = [0.0; 2];
            for (side, step) in sides.iter_mut().zip([step, -step]) {
                self.vary(at, column, step, variation);
                let ProbeVariation { frames, q, v, multipliers, z } = &*variation;
                let varied = ChannelView {
                    v,
                    multipliers,
                    z,
                    kinematics: PositionKinematics { nodes: &self.nodes, frames, q },
                    ..*at
                };
                *side = self.probe_value(&probe.kind, &varied);
                self.restore(at, column, variation);
            }
            *entry = (sides[0] - sides[1]) / (2.0 * step);
        }
    }

    fn vary(&self, at: &ChannelView<'_>, column: Column, step: f64, to: &mut ProbeVariation) {
        match column {
            Column::Velocity(i) => to.v[i] += step,
            Column::Multiplier(i) => to.multipliers[i] += step,
            Column::State(k) => to.z[k] += step,
            Column::Position(i) => match self.node_of_velocity(i) {
                Some(index) => {
                    let node = &at.kinematics.nodes[index];
                    node.displace(i - node.v, step, &mut to.q);
                    to.frames[index] = node.frame(&to.q);
                }
                None => {
                    if let Some(k) = self.plain_coordinate(i) {
                        to.q[k] += step;
                    }
                }
            },
            Column::Rate(_) | Column::Discrete(_) => {}
        }
    }

    fn restore(&self, at: &ChannelView<'_>, column: Column, to: &mut ProbeVariation) {
        match column {
            Column::Velocity(i) => to.v[i] = at.v[i],
            Column::Multiplier(i) => to.multipliers[i] = at.multipliers[i],
            Column::State(k) => to.z[k] = at.z[k],
            Column::Position(i) => match self.node_of_velocity(i) {
                Some(index) => {
                    let node = &at.kinematics.nodes[index];
                    let values = node.q..node.q + node.configurations();
                    to.q[values.clone()].copy_from_slice(&at.kinematics.q[values]);
                    to.frames[index] = at.kinematics.frames[index];
                }
                None => {
                    if let Some(k) = self.plain_coordinate(i) {
                        to.q[k] = at.kinematics.q[k];
                    }
                }
            },
            Column::Rate(_) | Column::Discrete(_) => {}
        }
    }

    /// The node that has a velocity.
    fn node_of_velocity(&self, i: usize) -> Option<usize> {
        let has = |node: &Node| (node.v..node.v + node.velocities()).contains(&i);
        self.nodes.iter().position(|node| node.kind.is_some() && has(node))
    }

    /// The index in q of a velocity of a flexible body's modes or of a structure.
    fn plain_coordinate(&self, i: usize) -> Option<usize> {
        let modes = self.flexible.iter().find_map(|body| {
            i.checked_sub(body.v).filter(|k| *k < body.modal.modes()).map(|k| body.q + k)
        });
        modes.or_else(|| {
            self.structures.iter().find_map(|structure| {
                let k = i.checked_sub(structure.v).filter(|k| *k < structure.size())?;
                Some(structure.q + k)
            })
        })
    }
}

/// Why a channel cannot act on forces.
fn acceleration_or_sum(source: &ChannelSource) -> &'static str {
    match source {
        ChannelSource::Energy(_) | ChannelSource::Power(_) | ChannelSource::Momentum { .. } => {
            "a sum over the whole model can be recorded, but does not act on forces or states"
        }
        ChannelSource::Beam { value: BeamValue::Energy | BeamValue::Dissipation, .. }
        | ChannelSource::Flexible { .. }
        | ChannelSource::Structure {
            value:
                StructureValue::Elastic
                | StructureValue::Kinetic
                | StructureValue::Dissipation
                | StructureValue::Exact { .. },
            ..
        } => "it can be recorded, but does not act on forces or states",
        ChannelSource::StateRate(_) => {
            "the rate of a state does not act on forces: use the formula of the rate"
        }
        _ => {
            "it depends on accelerations, which are the result of the forces: use `previous(…)` for the value at the \
             last accepted instant"
        }
    }
}

impl ProbeVariation {
    fn copy_from(&mut self, at: &ChannelView<'_>) {
        self.frames.clear();
        self.frames.extend_from_slice(at.kinematics.frames);
        for (to, from) in [
            (&mut self.q, at.kinematics.q),
            (&mut self.v, at.v),
            (&mut self.multipliers, at.multipliers),
            (&mut self.z, at.z),
        ] {
            to.clear();
            to.extend_from_slice(from);
        }
    }
}

/// Writes the entries of a vector over a part of a node: 0 linear, 1 angular.
fn write_part(node: &Node, part: usize, values: &Vector3, is_velocity: bool, write: Write<'_>) {
    for (component, offset) in node.offsets(part) {
        let index = node.v + offset;
        let column = if is_velocity { Column::Velocity(index) } else { Column::Position(index) };
        write(column, values[component]);
    }
}

/// Writes the unit entry of one displacement of a node.
fn write_axis(node: &Node, component: usize, is_velocity: bool, write: Write<'_>) {
    for (_, offset) in node.offsets(0).filter(|(k, _)| *k == component) {
        let index = node.v + offset;
        let column = if is_velocity { Column::Velocity(index) } else { Column::Position(index) };
        write(column, 1.0);
    }
}
