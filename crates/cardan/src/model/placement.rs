//! The poses of all nodes of a model at one configuration: computed once and cached.

use std::cell::RefCell;

use super::channel_view::{ChannelView, Totals};
use super::compiled::Model;
use super::element::{ElementScratch, ElementView};
use super::node_measure::PositionKinematics;
use super::points;
use super::signals::{SignalScratch, SignalWork};
use super::{BodyKind, Frame};
use cardan_core::state::Instant;
use cardan_core::system::{Scratch, StateView, System};

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
    signals: SignalScratch,
}

/// What elements need besides kinematics: scratch for custom elements, the values of signals, and memory for their
/// gradients.
pub(super) struct ElementContext<'a> {
    pub scratch: &'a RefCell<ElementScratch>,
    pub signals: &'a [f64],
    pub signal_work: &'a RefCell<SignalWork>,
}

impl Placement {
    pub fn new(model: &Model) -> Self {
        let points = points::PointScratch::new(model);
        let q = model.points.q + 7 * model.points.list.len();
        let sizes = [q, model.points.velocities(&model.nodes), model.state_count()];
        let customs = &model.elements.customs;
        let element_scratch = RefCell::new(ElementScratch::new(customs, model.nodes.len(), sizes));
        Self {
            model: model.number,
            q: Vec::new(),
            frames: Vec::new(),
            points,
            element_scratch,
            signals: SignalScratch::new(&model.signals),
        }
    }

    /// Computes the poses at a configuration, unless they are cached.
    #[inline]
    fn update(&mut self, model: &Model, q: &[f64]) {
        let nodes = &model.nodes;
        let is_same = self.q.get(..q.len()).is_some_and(|cached| has_same_bits(cached, q));
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

/// Whether two vectors of one length have the same bits; a sum over all of them is faster than a search for the first difference.
#[inline]
fn has_same_bits(one: &[f64], two: &[f64]) -> bool {
    one.iter().zip(two).fold(0, |sum, (x, y)| sum | (x.to_bits() ^ y.to_bits())) == 0
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
        action: impl FnOnce(&ElementView<'_>, &RefCell<SignalWork>) -> R,
    ) -> R {
        self.with_placement(at, |placement| {
            placement.update(self, at.q);
            let Placement { q, frames, element_scratch, signals, .. } = placement;
            let kinematics = PositionKinematics { nodes: &self.nodes, frames, q };
            if self.signals.is_acting() {
                let view = ElementView::among(at, kinematics, at.v, element_scratch, &[]);
                self.evaluate_signals(&ChannelView::from(&view), self.signals.acting, signals);
            }
            let SignalScratch { values, work } = &*signals;
            action(&ElementView::among(at, kinematics, at.v, element_scratch, values), work)
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

    /// Like [`Model::with_points`], with scratch for custom elements and the values of signals.
    pub(super) fn with_element_scratch<R>(
        &self,
        at: &StateView<'_>,
        action: impl FnOnce(PositionKinematics<'_>, &mut points::PointScratch, &ElementContext<'_>) -> R,
    ) -> R {
        self.with_rates(at, &[], action)
    }

    /// Like [`Model::with_element_scratch`], with the rates of states.
    pub(super) fn with_rates<R>(
        &self,
        at: &StateView<'_>,
        rates: &[f64],
        action: impl FnOnce(PositionKinematics<'_>, &mut points::PointScratch, &ElementContext<'_>) -> R,
    ) -> R {
        self.with_placement(at, |placement| {
            placement.update(self, at.q);
            let Placement { q, frames, points, element_scratch, signals, .. } = placement;
            let kinematics = PositionKinematics { nodes: &self.nodes, frames, q };
            self.prepare_points(kinematics, Some(at.v), points);
            if self.signals.is_acting() {
                let view = ElementView::among(at, kinematics, &points.v, element_scratch, &[]);
                let view = ChannelView { rates, ..ChannelView::from(&view) };
                self.evaluate_signals(&view, self.signals.acting, signals);
            }
            let SignalScratch { values, work } = &*signals;
            let context =
                ElementContext { scratch: element_scratch, signals: values, signal_work: work };
            action(kinematics, points, &context)
        })
    }

    /// Calls a function with an instant over extended coordinates and the values of all signals.
    pub(super) fn with_channels<R>(
        &self,
        extended: &Instant,
        scratch: Option<&Scratch>,
        totals: Option<&Totals>,
        action: impl FnOnce(&ChannelView<'_>) -> R,
    ) -> R {
        let point = StateView::from(extended).with_scratch(scratch);
        self.with_placement(&point, |placement| {
            placement.update(self, &extended.q);
            let Placement { q, frames, signals, .. } = placement;
            let kinematics = PositionKinematics { nodes: &self.nodes, frames, q };
            let Instant { t, v, a, multipliers, z, rates, .. } = extended;
            let view = ChannelView {
                t: *t,
                v,
                a,
                multipliers,
                z,
                rates,
                signals: &[],
                totals,
                kinematics,
            };
            let count = self.signals.formulas.len();
            if count > 0 {
                self.evaluate_signals(&view, count, signals);
            }
            action(&ChannelView { signals: &signals.values, ..view })
        })
    }

    /// Calls a function with the poses of all nodes and the values of the signals that act, at an instant over
    /// extended coordinates.
    pub(super) fn with_acting_signals<R>(
        &self,
        at: &StateView<'_>,
        action: impl FnOnce(PositionKinematics<'_>, &[f64]) -> R,
    ) -> R {
        self.with_placement(at, |placement| {
            placement.update(self, at.q);
            let Placement { q, frames, element_scratch, signals, .. } = placement;
            let kinematics = PositionKinematics { nodes: &self.nodes, frames, q };
            if self.signals.is_acting() {
                let view = ElementView::among(at, kinematics, at.v, element_scratch, &[]);
                self.evaluate_signals(&ChannelView::from(&view), self.signals.acting, signals);
            }
            action(kinematics, &signals.values)
        })
    }

    /// Calls a function with the values of all signals at an instant that is accepted.
    pub(super) fn with_signal_values<R>(
        &self,
        at: &StateView<'_>,
        action: impl FnOnce(&[f64]) -> R,
    ) -> R {
        self.with_placement(at, |placement| {
            placement.update(self, at.q);
            let Placement { q, frames, points, element_scratch, signals, .. } = placement;
            let kinematics = PositionKinematics { nodes: &self.nodes, frames, q };
            self.prepare_points(kinematics, Some(at.v), points);
            let view = ElementView::among(at, kinematics, &points.v, element_scratch, &[]);
            let view = ChannelView { a: at.a, ..ChannelView::from(&view) };
            self.evaluate_signals(&view, self.signals.formulas.len(), signals);
            action(&signals.values)
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
