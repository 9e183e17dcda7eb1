//! Where everything of a model is at one configuration: computed once, used by all who look at it.

use std::cell::RefCell;

use super::compiled::Model;
use super::element::{ElementScratch, ElementView};
use super::node_measure::PositionKinematics;
use super::points;
use super::{BodyKind, Frame};
use cardan_core::system::{StateView, System};

/// What an evaluator keeps for a model: the frames of all nodes, and what points of flexible bodies need.
#[derive(Debug)]
pub(super) struct Placement {
    /// The number of the model it belongs to.
    model: u64,
    /// The configuration, with the coordinates of points behind those of the system.
    q: Vec<f64>,
    frames: Vec<Frame<f64>>,
    points: points::PointScratch,
    room: RefCell<ElementScratch>,
}

impl Placement {
    pub fn new(model: &Model) -> Self {
        let points = points::PointScratch::new(model);
        let q = model.points.q + 7 * model.points.list.len();
        let sizes = [q, model.points.velocities(&model.nodes), model.state_count()];
        let customs = &model.elements.customs;
        let room = RefCell::new(ElementScratch::new(customs, model.nodes.len(), sizes));
        Self { model: model.number, q: Vec::new(), frames: Vec::new(), points, room }
    }

    /// Goes to a configuration, unless it is there already.
    #[inline]
    fn go(&mut self, model: &Model, q: &[f64]) {
        let nodes = &model.nodes;
        let is_there = self.q.get(..q.len()).is_some_and(|known| known == q);
        if is_there && self.frames.len() == nodes.len() {
            return;
        }
        self.q.clear();
        self.q.extend_from_slice(q);
        // an instant may have the points already
        if !model.points.is_empty() && q.len() == model.points.q {
            model.place_points(&mut self.q);
        }
        self.frames.clear();
        self.frames.extend(nodes.iter().map(|node| node.frame(&self.q)));
    }
}

impl Model {
    /// Calls with the placement that comes with an instant, or with a new one.
    fn with_placement<R>(&self, at: &StateView<'_>, look: impl FnOnce(&mut Placement) -> R) -> R {
        match at.scratch.and_then(|scratch| scratch.get::<Placement>()) {
            Some(mut kept) if kept.model == self.number => look(&mut kept),
            _ => look(&mut Placement::new(self)),
        }
    }

    /// Where everything is at a configuration.
    #[inline]
    pub(super) fn placed<R>(
        &self,
        at: &StateView<'_>,
        look: impl FnOnce(PositionKinematics<'_>) -> R,
    ) -> R {
        self.with_placement(at, |placement| {
            placement.go(self, at.q);
            let Placement { q, frames, .. } = placement;
            look(PositionKinematics { nodes: &self.nodes, frames, q })
        })
    }

    /// What elements see, if no body is flexible.
    #[inline]
    pub(super) fn with_position<R>(
        &self,
        at: &StateView<'_>,
        look: impl FnOnce(&ElementView<'_>) -> R,
    ) -> R {
        self.with_placement(at, |placement| {
            placement.go(self, at.q);
            let Placement { q, frames, room, .. } = placement;
            let StateView { t, v, multipliers, z, .. } = *at;
            let place = PositionKinematics { nodes: &self.nodes, frames, q };
            look(&ElementView {
                z,
                multipliers,
                scratch: Some(room),
                ..ElementView::new(t, place, v)
            })
        })
    }

    /// The same with points of flexible bodies as nodes: their Jacobians are there, and their velocities if
    /// others are given; loads are zero.
    pub(super) fn with_points<R>(
        &self,
        at: &StateView<'_>,
        v: Option<&[f64]>,
        look: impl FnOnce(PositionKinematics<'_>, &mut points::PointScratch) -> R,
    ) -> R {
        self.with_placement(at, |placement| {
            placement.go(self, at.q);
            let Placement { q, frames, points, .. } = placement;
            let place = PositionKinematics { nodes: &self.nodes, frames, q };
            self.prepare_points(place, v, points);
            look(place, points)
        })
    }

    /// The same with room for elements from outside.
    pub(super) fn with_element_scratch<R>(
        &self,
        at: &StateView<'_>,
        look: impl FnOnce(
            PositionKinematics<'_>,
            &mut points::PointScratch,
            &RefCell<ElementScratch>,
        ) -> R,
    ) -> R {
        self.with_placement(at, |placement| {
            placement.go(self, at.q);
            let Placement { q, frames, points, room, .. } = placement;
            let place = PositionKinematics { nodes: &self.nodes, frames, q };
            self.prepare_points(place, Some(at.v), points);
            look(place, points, room)
        })
    }

    /// Where everything is and how fast, points included.
    pub(super) fn moved<R>(
        &self,
        at: &StateView<'_>,
        v: &[f64],
        look: impl FnOnce(PositionKinematics<'_>, &[f64]) -> R,
    ) -> R {
        match self.points.is_empty() {
            true => self.placed(at, |place| look(place, v)),
            false => self.with_points(at, Some(v), |place, scratch| look(place, &scratch.v)),
        }
    }

    /// Writes the configurations of points behind q.
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
