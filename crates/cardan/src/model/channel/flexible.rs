//! Channels of flexible bodies (`rod.end`, `rod.mode1`) and of linear structures (`bar.mid`).

use super::definition::{ANGLE_UNITS, LENGTH_UNITS, Listing};
use crate::model::BodyKind;
use crate::model::channel_source::{ChannelSource, FlexibleValue, StructureValue};
use crate::model::channel_view::ChannelView;
use crate::model::compiled::Model;
use crate::model::snapshot::Snapshot;
use cardan_core::math::Vector3;
use cardan_core::state::Instant;

impl Model {
    /// Adds the channels of a flexible body except those of its frame.
    pub(super) fn flexible_channels(&self, body: usize, list: &mut Listing<'_>) {
        let flexible = &self.flexible[body];
        let source = |value| ChannelSource::Flexible { body, value };
        for (k, attachment) in self.points.list.iter().enumerate().filter(|(_, x)| x.body == body) {
            let (point, node) = (&attachment.point, attachment.node);
            let name = &point.name;
            for (order, suffix) in ["", ".velocity", ".acceleration"].into_iter().enumerate() {
                let at = Vector3::zeros();
                list.add(
                    &format!("{name}{suffix}"),
                    LENGTH_UNITS[order],
                    3,
                    ChannelSource::Point { node, at, order },
                );
            }
            if self.nodes[node].kind == Some(BodyKind::Planar) {
                list.add(&format!("{name}.angle"), "rad", 1, ChannelSource::PlanarAngle(node));
            } else {
                list.add(&format!("{name}.orientation"), "", 4, ChannelSource::Orientation(node));
            }
            let spin = ChannelSource::AngularVelocity { node, world: false, order: 1 };
            list.add(&format!("{name}.angular_velocity"), ANGLE_UNITS[1], 3, spin);
            let deflection = source(FlexibleValue::Deflection { point: k });
            list.add(&format!("{name}.deflection"), "m", 3, deflection);
            list.add(
                &format!("{name}.rotation"),
                "rad",
                3,
                source(FlexibleValue::Rotation { point: k }),
            );
            if point.loads.is_some() {
                for (moment, word, unit) in [(false, "force", "N"), (true, "moment", "N·m")] {
                    let stress = source(FlexibleValue::Stress { point: k, moment });
                    list.add(&format!("{name}.{word}"), unit, 3, stress);
                }
            }
        }
        for mode in 0..flexible.modal.modes() {
            for (order, suffix) in ["", ".rate", ".acceleration"].into_iter().enumerate() {
                let name = format!("mode{}{suffix}", mode + 1);
                list.add(&name, "", 1, source(FlexibleValue::Mode { mode, order }));
            }
        }
        list.add("energy.elastic", "J", 1, source(FlexibleValue::Elastic));
        list.add("energy.kinetic", "J", 1, source(FlexibleValue::Kinetic));
        if flexible.modal.damping.amax() > 0.0 {
            list.add("dissipation", "W", 1, source(FlexibleValue::Dissipation));
        }
    }

    pub(super) fn flexible_value(
        &self,
        (body, value): (usize, FlexibleValue),
        at: &ChannelView<'_>,
        values: &mut [f64; 6],
    ) {
        let (flexible, kinematics) = (&self.flexible[body], at.kinematics);
        let modal_sum = |of: &dyn Fn(usize) -> Vector3| -> Vector3 {
            flexible.eta(kinematics.q).iter().enumerate().map(|(k, x)| *x * of(k)).sum()
        };
        let mut set = |vector: Vector3| values[..3].copy_from_slice(vector.as_slice());
        let point = |k: usize| &self.points.list[k].point;
        match value {
            FlexibleValue::Mode { mode, order } => {
                values[0] = match order {
                    0 => flexible.eta(kinematics.q)[mode],
                    1 => flexible.rates(at.v)[mode],
                    _ => flexible.rates(at.a)[mode],
                };
            }
            FlexibleValue::Deflection { point: k } => set(modal_sum(&|i| point(k).shapes[i])),
            FlexibleValue::Rotation { point: k } => set(modal_sum(&|i| point(k).turns[i])),
            FlexibleValue::Stress { point: k, moment } => {
                let loads = point(k).loads.as_deref().unwrap_or_default();
                let load =
                    |i: usize| loads.get(i).map_or(Vector3::zeros(), |x| x[usize::from(moment)]);
                set(modal_sum(&load));
            }
            FlexibleValue::Elastic => values[0] = flexible.elastic(kinematics.q),
            FlexibleValue::Kinetic => values[0] = flexible.kinetic(kinematics, at.v),
            FlexibleValue::Dissipation => values[0] = flexible.dissipation(at.v),
        }
    }

    pub(super) fn structure_channels(&self, structure: usize, list: &mut Listing<'_>) {
        let data = &self.structures[structure];
        let source = |value| ChannelSource::Structure { structure, value };
        let named = data.points.iter().map(|(name, node)| (name.clone(), *node));
        // a node is named by its number, as in `node12`
        let number = list.requested.and_then(|name| name.split('.').nth(1)).and_then(|point| {
            let digits = point.strip_prefix("node")?;
            let found = digits.parse::<usize>().ok()?;
            (found < data.free.len() && digits == found.to_string()).then_some(found)
        });
        // up to 20 nodes are listed by their numbers
        let listed = if data.free.len() <= 20 { 0..data.free.len() } else { 0..0 };
        let numbered = listed.chain(number).map(|node| (format!("node{node}"), node));
        for (name, node) in named.chain(numbered) {
            for (order, suffix) in ["", ".velocity", ".acceleration"].into_iter().enumerate() {
                let value = StructureValue::Node { node, order };
                list.add(&format!("{name}{suffix}"), LENGTH_UNITS[order], 1, source(value));
            }
            if data.exact.is_some() {
                for (order, suffix) in ["", ".velocity"].into_iter().enumerate() {
                    let value = StructureValue::Exact { node, order };
                    list.add(
                        &format!("{name}.exact{suffix}"),
                        LENGTH_UNITS[order],
                        1,
                        source(value),
                    );
                }
            }
        }
        list.add("energy.elastic", "J", 1, source(StructureValue::Elastic));
        list.add("energy.kinetic", "J", 1, source(StructureValue::Kinetic));
        if data.matrices.damping.largest() > 0.0 {
            list.add("dissipation", "W", 1, source(StructureValue::Dissipation));
        }
    }

    /// The snapshots of all structures at an instant: one row per node.
    pub fn snapshots(&self, at: &Instant) -> Vec<Snapshot> {
        if !self.fits(at) {
            return Vec::new();
        }
        let field = |structure: usize, view: &ChannelView<'_>| {
            let data = &self.structures[structure];
            let mut columns = vec!["node", "x", "y", "displacement", "velocity"];
            if data.exact.is_some() {
                columns.extend(["exact", "exact_velocity"]);
            }
            let row = |node: usize| {
                let [x, y] = data.layout.place(node).unwrap_or([f64::NAN; 2]);
                let read = |value| self.structure_value(structure, value, view);
                let mut row = vec![node as f64, x, y];
                row.extend([0, 1].map(|order| read(StructureValue::Node { node, order })));
                if data.exact.is_some() {
                    row.extend([0, 1].map(|order| read(StructureValue::Exact { node, order })));
                }
                row
            };
            let rows = (0..data.free.len()).map(row).collect();
            Snapshot { structure: data.name.clone(), time: at.t, columns, rows }
        };
        self.with_channels(&self.extended(at, None), None, None, |view| {
            (0..self.structures.len()).map(|k| field(k, view)).collect()
        })
    }

    pub(super) fn structure_value(
        &self,
        structure: usize,
        value: StructureValue,
        at: &ChannelView<'_>,
    ) -> f64 {
        let data = &self.structures[structure];
        match value {
            StructureValue::Node { node, order: 0 } => data.value(node, data.q, at.kinematics.q),
            StructureValue::Node { node, order: 1 } => data.value(node, data.v, at.v),
            StructureValue::Node { node, .. } => data.value(node, data.v, at.a),
            StructureValue::Exact { node, order } => {
                let position = data.layout.place(node).unwrap_or_default();
                data.exact.as_ref().map_or(f64::NAN, |exact| exact.value(position, at.t, order))
            }
            StructureValue::Elastic => data.elastic(at.kinematics.q),
            StructureValue::Kinetic => data.kinetic(at.v),
            StructureValue::Dissipation => data.powers(at.t, at.v)[1],
        }
    }
}
