//! Differences over the few coordinates of one element, for those that write no tangent.

use super::tangent::{ElementMatrices, ElementRateMatrices};
use super::{CustomElement, ElementView};
use crate::model::compiled::Model;
use crate::model::node::Node;
use crate::model::node_measure::PositionKinematics;
use crate::model::{BodyKind, Frame};
use cardan_core::math::{Vector3, exponential};
use cardan_core::system::difference::{CENTRAL, step_for, unit, unit_of};
use cardan_core::system::{Failure, System};

/// Room for the matrices of elements from outside.
#[derive(Debug, Default)]
pub(in crate::model) struct ElementScratch {
    variation: Variation,
    own: Vec<(ElementMatrices, ElementRateMatrices)>,
}

impl ElementScratch {
    pub fn new(model: &Model) -> Self {
        let customs = &model.elements.customs;
        if customs.is_empty() {
            return Self::default();
        }
        let n = model.points.velocities(&model.nodes);
        let own: Vec<_> = customs.iter().map(CustomElement::new_matrices).collect();
        let most = customs.iter().map(|x| x.columns.len().max(x.states.len())).max().unwrap_or(0);
        let variation = Variation {
            frames: Vec::with_capacity(model.nodes.len()),
            q: Vec::with_capacity(model.points.q + 7 * model.points.list.len()),
            v: Vec::with_capacity(n),
            z: Vec::with_capacity(model.state_count()),
            out: vec![0.0; n],
            sides: [vec![0.0; most], vec![0.0; most]],
        };
        Self { variation, own }
    }

    pub(super) fn own_of(&mut self, index: usize) -> (&mut Variation, &mut ElementMatrices) {
        (&mut self.variation, &mut self.own[index].0)
    }

    pub(super) fn rates_of(&mut self, index: usize) -> (&mut Variation, &mut ElementRateMatrices) {
        (&mut self.variation, &mut self.own[index].1)
    }
}

/// A copy of an instant that may be moved a little.
#[derive(Debug, Default)]
pub(super) struct Variation {
    frames: Vec<Frame<f64>>,
    q: Vec<f64>,
    v: Vec<f64>,
    z: Vec<f64>,
    /// Loads over all velocities.
    out: Vec<f64>,
    /// What was evaluated on both sides.
    sides: [Vec<f64>; 2],
}

/// What is moved.
#[derive(Clone, Copy)]
enum Variable {
    /// The displacement or rotation that belongs to a velocity of a node.
    Configuration {
        node: usize,
        offset: usize,
    },
    Velocity(usize),
    State(usize),
}

impl Variation {
    /// Differences of the force.
    pub fn force(
        &mut self,
        custom: &CustomElement,
        at: &ElementView<'_>,
        own: &mut ElementMatrices,
    ) -> Result<(), Failure> {
        let n = custom.columns.len();
        let evaluate = |at: &ElementView<'_>, out: &mut [f64], side: &mut [f64]| {
            for &i in &custom.columns {
                out[i] = 0.0;
            }
            custom.force_at(at, out)?;
            side.iter_mut().zip(&custom.columns).for_each(|(side, &i)| *side = -out[i]);
            Ok(())
        };
        self.each(custom, at, n, evaluate, |variable, k, i, slope| match variable {
            Variable::Configuration { .. } => own.stiffness[(i, k)] = slope,
            Variable::Velocity(_) => own.damping[(i, k)] = slope,
            Variable::State(_) => own.states[(i, k)] = slope,
        })
    }

    /// Differences of the rates of its states.
    pub fn rates(
        &mut self,
        custom: &CustomElement,
        at: &ElementView<'_>,
        own: &mut ElementRateMatrices,
    ) -> Result<(), Failure> {
        let m = custom.states.len();
        let evaluate = |at: &ElementView<'_>, _: &mut [f64], side: &mut [f64]| {
            side.fill(0.0);
            custom.rates_at(at, side)
        };
        self.each(custom, at, m, evaluate, |variable, k, i, slope| match variable {
            Variable::Configuration { .. } => own.configuration[(i, k)] = slope,
            Variable::Velocity(_) => own.velocity[(i, k)] = slope,
            Variable::State(_) => own.state[(i, k)] = slope,
        })
    }

    /// Central differences of `count` values over all that an element depends on.
    fn each(
        &mut self,
        custom: &CustomElement,
        at: &ElementView<'_>,
        count: usize,
        evaluate: impl Fn(&ElementView<'_>, &mut [f64], &mut [f64]) -> Result<(), Failure>,
        mut write: impl FnMut(Variable, usize, usize, f64),
    ) -> Result<(), Failure> {
        let nodes = at.place.nodes;
        self.take(at);
        let places = custom.nodes.iter().map(|&(node, _)| at.place.frames[node].position.amax());
        let length = unit(places.fold(0.0, f64::max));
        let speed = unit_of_some(custom.columns.iter().map(|&i| at.v[i]));
        let coordinates = custom.nodes.iter().flat_map(|&(node, first)| {
            (0..nodes[node].velocities()).map(move |offset| (node, offset, first + offset))
        });
        let all = (coordinates.clone())
            .map(|(node, offset, k)| (Variable::Configuration { node, offset }, k))
            .chain(coordinates.map(|(_, _, k)| (Variable::Velocity(custom.columns[k]), k)))
            .chain((0..at.z.len()).map(|k| (Variable::State(k), k)));
        for (variable, k) in all {
            let step = match variable {
                Variable::Configuration { node, offset } if offset < nodes[node].places() => {
                    step_for(at.place.frames[node].position[offset], length)
                }
                Variable::Configuration { .. } => CENTRAL,
                Variable::Velocity(i) => step_for(at.v[i], speed),
                Variable::State(k) => step_for(at.z[k], unit_of(at.z)),
            };
            for side in 0..2 {
                self.vary(at, variable, if side == 0 { step } else { -step });
                let Self { frames, q, v, z, out, sides } = self;
                let varied =
                    ElementView { place: PositionKinematics { nodes, frames, q }, v, z, ..*at };
                evaluate(&varied, out, &mut sides[side][..count])?;
                self.restore(at, variable);
            }
            for i in 0..count {
                write(variable, k, i, (self.sides[0][i] - self.sides[1][i]) / (2.0 * step));
            }
        }
        Ok(())
    }

    fn take(&mut self, at: &ElementView<'_>) {
        self.frames.clear();
        self.frames.extend_from_slice(at.place.frames);
        self.q.clear();
        self.q.extend_from_slice(at.place.q);
        self.v.clear();
        self.v.extend_from_slice(at.v);
        self.z.clear();
        self.z.extend_from_slice(at.z);
    }

    fn vary(&mut self, at: &ElementView<'_>, variable: Variable, step: f64) {
        match variable {
            Variable::Velocity(i) => self.v[i] += step,
            Variable::State(k) => self.z[k] += step,
            Variable::Configuration { node: index, offset } => {
                let node = &at.place.nodes[index];
                move_node(node, offset, step, &mut self.q);
                self.frames[index] = node.frame(&self.q);
            }
        }
    }

    fn restore(&mut self, at: &ElementView<'_>, variable: Variable) {
        match variable {
            Variable::Velocity(i) => self.v[i] = at.v[i],
            Variable::State(k) => self.z[k] = at.z[k],
            Variable::Configuration { node: index, .. } => {
                let node = &at.place.nodes[index];
                let values = node.q..node.q + node.configurations();
                self.q[values.clone()].copy_from_slice(&at.place.q[values]);
                self.frames[index] = at.place.frames[index];
            }
        }
    }
}

/// Moves a node along one of its velocities.
fn move_node(node: &Node, offset: usize, step: f64, q: &mut [f64]) {
    if node.kind != Some(BodyKind::Spatial) || offset < node.places() {
        q[node.q + offset] += step;
        return;
    }
    let turn = exponential::retract(&Vector3::ith(offset - node.places(), step));
    let rotation = node.rotation();
    rotation.set(q, rotation.of(q) * turn);
}

/// The largest of some values as a unit.
fn unit_of_some(values: impl Iterator<Item = f64>) -> f64 {
    unit(values.fold(0.0_f64, |most, x| most.max(x.abs())))
}
