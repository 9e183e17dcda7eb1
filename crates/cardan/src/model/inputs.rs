//! Inputs of a linearized model by name: unit forces, inputs of the mechanism, drives.

use super::channel_view::ChannelView;
use super::compiled::{ForceData, Model};
use super::element::{ElementLoads, ElementView};
use super::points::PointScratch;
use super::signals::Column;
use super::{BodyKind, ModelError, Owner};
use cardan_core::math::Vector3;
use cardan_core::state::Instant;
use cardan_core::suggestion;
use cardan_core::system::{StateView, System};

/// The effect of a unit input of a linearized model.
#[derive(Clone, Debug, Default)]
pub(crate) struct InputEffect {
    /// The generalized force.
    pub force: Vec<f64>,
    /// The change ∂r/∂u of the residuals of first-order states; empty if there is none.
    pub residual: Vec<f64>,
    /// The index in q of the value of the input, if it is an input of the mechanism.
    pub discrete: Option<usize>,
    /// The prescribed motion, if it is an input of a drive.
    pub prescribed: Option<PrescribedInput>,
}

/// A prescribed motion that is an input: a constraint row, and which time derivative of its coordinate varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PrescribedInput {
    /// The constraint row.
    pub row: usize,
    /// 0 for the coordinate, 1 for its rate, 2 for its acceleration.
    pub order: usize,
}

const AXES: [&str; 3] = ["x", "y", "z"];

impl Model {
    /// The names of the inputs that are set from outside.
    pub fn input_names(&self) -> Vec<String> {
        self.signals.inputs.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The inputs of a name with their effects at an instant: an input of the mechanism, those of a drive, or one of
    /// [`Model::input`].
    pub(crate) fn input_effects(
        &self,
        name: &str,
        at: &Instant,
    ) -> Result<Vec<(String, InputEffect)>, ModelError> {
        if let Some(q) = self.input_index(name).filter(|_| self.fits(at)) {
            return Ok(vec![(name.to_string(), self.discrete_effect(q, at))]);
        }
        let of_drive = self.drive_inputs(name, at)?;
        if !of_drive.is_empty() && self.fits(at) {
            return Ok(of_drive);
        }
        let effect = InputEffect { force: self.input(name, at)?, ..InputEffect::default() };
        Ok(vec![(name.to_string(), effect)])
    }

    /// The effect of an input of the mechanism, which is a discrete value in q.
    fn discrete_effect(&self, q: usize, at: &Instant) -> InputEffect {
        let mut force = vec![0.0; self.points.v];
        let mut residual = vec![0.0; self.state_count()];
        let point = StateView::from(at);
        self.with_rates(&point, &at.rates, |place, scratch, context| {
            let PointScratch { v, loads, .. } = scratch;
            let view = ElementView::among(&point, place, v, context.scratch, context.signals);
            let channels = ChannelView { rates: &at.rates, ..ChannelView::from(&view) };
            let work = &mut context.signal_work.borrow_mut();
            self.write_signal_gradients(&channels, work);
            self.add_input(Column::Discrete(q), &view, work, loads, &mut residual);
            self.reduce_loads(scratch, &mut force);
        });
        InputEffect { force, residual, discrete: Some(q), prescribed: None }
    }

    /// The generalized force of a unit input at an instant. An input is
    ///
    /// - a motor or spring, `"motor"`: a force or torque along its coordinate;
    /// - a load or torque, `"push.x"`: a component of it, where it acts;
    /// - a coordinate of a joint, `"O.angle"`: a force or torque along it, from body 1 on body 2;
    /// - a force or moment on a body or one of its points, world axes: `"rod.force.y"`,
    ///   `"rod.end.moment.z"`;
    /// - a load on a node of a structure, `"bar.end"`.
    ///
    /// Drives and inputs of the mechanism are no forces; [`StateSpace`](crate::modes::StateSpace) takes them too.
    pub fn input(&self, name: &str, at: &Instant) -> Result<Vec<f64>, ModelError> {
        let missing = |nearest: Option<String>| ModelError::Missing {
            wanted_by: Box::new(Owner::Inputs),
            key: None,
            what: "input",
            name: name.into(),
            nearest,
        };
        if !self.fits(at) {
            let owner = Owner::Input(name.into());
            return Err(ModelError::value(&owner, "the instant belongs to another model"));
        }
        let (owner, rest) = name.split_once('.').unwrap_or((name, ""));
        if let Some(force) = self.forces.iter().find(|force| force.name == owner) {
            return self.force_input(force, rest, at).ok_or_else(|| {
                let inputs = self.parts_of(force).next().map_or(&[][..], |x| x.inputs());
                let part = |x: &&str| match x.is_empty() {
                    true => owner.to_string(),
                    false => format!("{owner}.{x}"),
                };
                let parts: Vec<String> = inputs.iter().map(part).collect();
                missing(suggestion::nearest(name, parts.iter().map(String::as_str)))
            });
        }
        if let Some(joint) = self.joints.iter().find(|joint| joint.name == owner) {
            let fits = |known: &str| rest.is_empty() || rest == known;
            let found = joint.coordinates.iter().find(|(known, _)| fits(known));
            return match found {
                Some((_, measure)) => Ok(self.dense_row(&self.measure_row(measure, &at.q))),
                None => {
                    let known: Vec<String> =
                        joint.coordinates.iter().map(|(x, _)| format!("{owner}.{x}")).collect();
                    Err(missing(suggestion::nearest(name, known.iter().map(String::as_str))))
                }
            };
        }
        if let Some(structure) = self.structures.iter().find(|x| x.name == owner) {
            let number = rest.strip_prefix("node").and_then(|digits| digits.parse::<usize>().ok());
            let named = structure.points.iter().find(|(known, _)| known == rest).map(|x| x.1);
            let node = named.or(number);
            let place = node.and_then(|node| structure.free.get(node).copied().flatten());
            return match place {
                Some(k) => Ok(self.dense_row(&[(structure.v + k as usize, 1.0)])),
                None => {
                    let known: Vec<String> =
                        structure.points.iter().map(|(x, _)| format!("{owner}.{x}")).collect();
                    Err(missing(suggestion::nearest(name, known.iter().map(String::as_str))))
                }
            };
        }
        self.body_input(owner, rest, at).ok_or_else(|| {
            let bodies =
                self.bodies.iter().filter(|x| !x.is_node).map(|x| format!("{}.force.x", x.name));
            let known: Vec<String> = (self.forces.iter().map(|x| x.name.clone()))
                .chain(self.joints.iter().flat_map(|x| {
                    x.coordinates.iter().map(|(known, _)| format!("{}.{known}", x.name))
                }))
                .chain(bodies)
                .chain(self.drive_columns().map(|x| x.0))
                .chain(self.signals.inputs.iter().map(|x| x.0.clone()))
                .collect();
            missing(suggestion::nearest(name, known.iter().map(String::as_str)))
        })
    }

    fn dense_row(&self, row: &[(usize, f64)]) -> Vec<f64> {
        let mut out = vec![0.0; self.points.v];
        row.iter().for_each(|(i, x)| out[*i] += x);
        out
    }

    fn force_input(&self, force: &ForceData, rest: &str, at: &Instant) -> Option<Vec<f64>> {
        let k = self.parts_of(force).next()?.inputs().iter().position(|known| *known == rest)?;
        let mut out = vec![0.0; self.points.v];
        self.with_element_scratch(&at.into(), |place, scratch, context| {
            let PointScratch { v, loads, .. } = scratch;
            let view = ElementView::among(&at.into(), place, v, context.scratch, context.signals);
            self.parts_of(force)
                .for_each(|x| x.unit_input(k, &view, &mut ElementLoads::new(&view, loads)));
            self.reduce_loads(scratch, &mut out);
        });
        Some(out)
    }

    /// The generalized force of a force on a node in world axes and a moment in the node's axes.
    pub(super) fn node_load(&self, node: usize, parts: [Vector3; 2], at: &Instant) -> Vec<f64> {
        let mut out = vec![0.0; self.points.v];
        self.with_points(&at.into(), None, |_, scratch| {
            (0..2).for_each(|part| self.nodes[node].add(part, &parts[part], &mut scratch.loads));
            self.reduce_loads(scratch, &mut out);
        });
        out
    }

    /// The inputs `body.force.x`, `body.point.force.x`, and moments; also at stations of beams.
    fn body_input(&self, owner: &str, rest: &str, at: &Instant) -> Option<Vec<f64>> {
        let words: Vec<&str> = rest.split('.').collect();
        let (point, what, axis) = match words[..] {
            [what, axis] => (None, what, axis),
            [point, what, axis] => (Some(point), what, axis),
            _ => return None,
        };
        let axis = Vector3::ith(AXES.iter().position(|x| *x == axis)?, 1.0);
        let (node, at_point) = self.acting_point(owner, point)?;
        let frame = self.frame(node, &at.q);
        let has_rotation = self.nodes[node].kind.is_some_and(BodyKind::has_orientation);
        let parts = match what {
            "force" => [axis, at_point.cross(&frame.rotation.tr_mul(&axis))],
            "moment" if has_rotation => [Vector3::zeros(), frame.rotation.tr_mul(&axis)],
            _ => return None,
        };
        let load = self.node_load(node, parts, at);
        // a planar body does not move out of its plane
        load.iter().any(|x| *x != 0.0).then_some(load)
    }

    /// The node of a body, flexible body or beam, and the position of a point relative to it.
    fn acting_point(&self, owner: &str, point: Option<&str>) -> Option<(usize, Vector3)> {
        if let Some(k) = self.beams.iter().position(|beam| beam.name == owner) {
            let beam = &self.beams[k];
            let last = beam.nodes.len() - 1;
            let number = match point? {
                "start" => 0,
                "end" => last,
                "mid" if last.is_multiple_of(2) => last / 2,
                other => other.strip_prefix("node")?.parse().ok().filter(|k| *k <= last)?,
            };
            let end =
                [(0, 0), (last, 1)].iter().find(|x| x.0 == number).map(|x| beam.ends[x.1].point);
            let node = beam.nodes[number];
            return (node > 0).then(|| (node, end.unwrap_or_default()));
        }
        let is_owner = |x: &super::compiled::BodyData| x.name == owner && !x.is_node;
        let i = self.bodies.iter().position(is_owner)?;
        let body = &self.bodies[i];
        let Some(point) = point else { return Some((i + 1, -body.centre)) };
        let attached = self
            .points
            .list
            .iter()
            .find(|x| self.flexible[x.body].node == i + 1 && x.point.name == point);
        if let Some(attached) = attached {
            return Some((attached.node, Vector3::zeros()));
        }
        let found = body.points.iter().find(|(known, _)| known == point);
        found.map(|(_, place)| (i + 1, place - body.centre))
    }
}
