//! The poses of all nodes of a model at one configuration: computed once and cached.

use std::cell::RefCell;

use super::compiled::Model;
use super::element::{ElementScratch, ElementView};
use super::node_measure::PositionKinematics;
use super::points;
use super::{BodyKind, Frame};
use cardan_core::system::{StateView, System};

/// The scratch of a model: the cached poses of all nodes, and scratch for points of flexible bodies and custom elements.
#[derive(Debug)]
pub(super) struct Placement {
    /// The number of the model to which it belongs.
    model: u64,
    /// The configuration: the coordinates of the system, then those of points of flexible bodies.
    q: Vec<f64>,
    frames: Vec<Frame<f64>>,
    points: points::PointScratch,
    element_scratch: RefCell<ElementScratch>,
}

impl Placement {
    pub fn new(model: &Model) -> Self {
        let points = points::PointScratch::new(model);
        let q = model.points.q + 7 * model.points.list.len();
        let sizes = [q, model.points.velocities(&model.nodes), model.state_count()];
        let customs = &model.elements.customs;
        let element_scratch = RefCell::new(ElementScratch::new(customs, model.nodes.len(), sizes));
        Self { model: model.number, q: Vec::new(), frames: Vec::new(), points, element_scratch }
    }

    /// Computes the poses at a configuration, unless they are cached.
    #[inline]
    fn update(&mut self, model: &Model, q: &[f64]) {
        let nodes = &model.nodes;
        let is_same = self.q.get(..q.len()).is_some_and(|cached| cached == q);
        if is_same && self.frames.len() == nodes.len() {
            return;
        }
        self.q.clear();
        self.q.extend_from_slice(q);
        // the q of an extended instant includes the points
        if !model.points.is_empty() && q.len() == model.points.q {
            model.place_points(&mut self.q);
        }
        self.frames.clear();
        self.frames.extend(nodes.iter().map(|node| node.frame(&self.q)));
    }
}

impl Model {
    /// Calls a function with the placement in the scratch of an instant, or with a new one.
    fn with_placement<R>(&self, at: &StateView<'_>, action: impl FnOnce(&mut Placement) -> R) -> R {
        match at.scratch.and_then(|scratch| scratch.get::<Placement>()) {
            Some(mut cached) if cached.model == self.number => action(&mut cached),
            _ => action(&mut Placement::new(self)),
        }
    }

    /// Calls a function with the poses of all nodes.
    #[inline]
    pub(super) fn placed<R>(
        &self,
        at: &StateView<'_>,
        action: impl FnOnce(PositionKinematics<'_>) -> R,
    ) -> R {
        self.with_placement(at, |placement| {
            placement.update(self, at.q);
            let Placement { q, frames, .. } = placement;
            action(PositionKinematics { nodes: &self.nodes, frames, q })
        })
    }

    /// Calls a function with the view of elements in a model without flexible bodies.
    #[inline]
    pub(super) fn with_position<R>(
        &self,
        at: &StateView<'_>,
        action: impl FnOnce(&ElementView<'_>) -> R,
    ) -> R {
        self.with_placement(at, |placement| {
            placement.update(self, at.q);
            let Placement { q, frames, element_scratch, .. } = placement;
            let StateView { t, v, multipliers, z, .. } = *at;
            let kinematics = PositionKinematics { nodes: &self.nodes, frames, q };
            action(&ElementView {
                z,
                multipliers,
                scratch: Some(element_scratch),
                ..ElementView::new(t, kinematics, v)
            })
        })
    }

    /// Calls a function with the poses of all nodes, and with scratch for points of flexible bodies: their Jacobians are
    /// computed, their velocities too if `v` is given, and loads are zero.
    pub(super) fn with_points<R>(
        &self,
        at: &StateView<'_>,
        v: Option<&[f64]>,
        action: impl FnOnce(PositionKinematics<'_>, &mut points::PointScratch) -> R,
    ) -> R {
        self.with_placement(at, |placement| {
            placement.update(self, at.q);
            let Placement { q, frames, points, .. } = placement;
            let kinematics = PositionKinematics { nodes: &self.nodes, frames, q };
            self.prepare_points(kinematics, v, points);
            action(kinematics, points)
        })
    }

    /// Like [`Model::with_points`], with scratch for custom elements.
    pub(super) fn with_element_scratch<R>(
        &self,
        at: &StateView<'_>,
        action: impl FnOnce(
            PositionKinematics<'_>,
            &mut points::PointScratch,
            &RefCell<ElementScratch>,
        ) -> R,
    ) -> R {
        self.with_placement(at, |placement| {
            placement.update(self, at.q);
            let Placement { q, frames, points, element_scratch, .. } = placement;
            let kinematics = PositionKinematics { nodes: &self.nodes, frames, q };
            self.prepare_points(kinematics, Some(at.v), points);
            action(kinematics, points, element_scratch)
        })
    }

    /// Calls a function with the poses and velocities of all nodes, including points of flexible bodies.
    pub(super) fn moved<R>(
        &self,
        at: &StateView<'_>,
        v: &[f64],
        action: impl FnOnce(PositionKinematics<'_>, &[f64]) -> R,
    ) -> R {
        match self.points.is_empty() {
            true => self.placed(at, |kinematics| action(kinematics, v)),
            false => {
                self.with_points(at, Some(v), |kinematics, scratch| action(kinematics, &scratch.v))
            }
        }
    }

    /// Appends the configurations of points of flexible bodies to q.
    pub(super) fn place_points(&self, q: &mut Vec<f64>) {
        if let Some(last) = self.points.list.last() {
            let node = &self.nodes[last.node];
            q.resize(node.q + if node.kind == Some(BodyKind::Planar) { 3 } else { 7 }, 0.0);
        }
        for point in &self.points.list {
            point.place(&self.flexible[point.body], &self.nodes, q);
        }
    }
}
