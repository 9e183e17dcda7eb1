//! Finite differences over the coordinates of one element, for custom elements without analytic derivatives.

use super::CustomElement;
use crate::model::element::{
    ElementMatrices, ElementRateMatrices, ElementScratch, ElementView, Variation,
};
use crate::model::node_measure::PositionKinematics;
use cardan_core::system::Failure;
use cardan_core::system::difference::{CENTRAL, state_unit_of, step_for, unit};

impl ElementScratch {
    /// Scratch for the custom elements of a model; `nodes` is the number of nodes, `[q, v, z]` are the lengths of
    /// these vectors, both including points of flexible bodies.
    pub fn new(customs: &[CustomElement], nodes: usize, [q, v, z]: [usize; 3]) -> Self {
        if customs.is_empty() {
            return Self::default();
        }
        let own: Vec<_> = customs.iter().map(CustomElement::new_matrices).collect();
        let max_count =
            customs.iter().map(|x| x.columns.len().max(x.states.len())).max().unwrap_or(0);
        let variation = Variation {
            frames: Vec::with_capacity(nodes),
            q: Vec::with_capacity(q),
            v: Vec::with_capacity(v),
            z: Vec::with_capacity(z),
            out: vec![0.0; v],
            sides: [vec![0.0; max_count], vec![0.0; max_count]],
        };
        Self { variation, own }
    }
}

/// The variable of a difference.
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

impl CustomElement {
    /// Writes differences of the force.
    pub(super) fn difference_force(
        &self,
        variation: &mut Variation,
        at: &ElementView<'_>,
        own: &mut ElementMatrices,
    ) -> Result<(), Failure> {
        let n = self.columns.len();
        let evaluate = |at: &ElementView<'_>, out: &mut [f64], side: &mut [f64]| {
            for &i in &self.columns {
                out[i] = 0.0;
            }
            self.force_at(at, out)?;
            side.iter_mut().zip(&self.columns).for_each(|(side, &i)| *side = -out[i]);
            Ok(())
        };
        self.difference_each(variation, at, n, evaluate, |variable, k, i, slope| match variable {
            Variable::Configuration { .. } => own.stiffness[(i, k)] = slope,
            Variable::Velocity(_) => own.damping[(i, k)] = slope,
            Variable::State(_) => own.states[(i, k)] = slope,
        })
    }

    /// Writes differences of the rates of the states.
    pub(super) fn difference_rates(
        &self,
        variation: &mut Variation,
        at: &ElementView<'_>,
        own: &mut ElementRateMatrices,
    ) -> Result<(), Failure> {
        let m = self.states.len();
        let evaluate = |at: &ElementView<'_>, _: &mut [f64], side: &mut [f64]| {
            side.fill(0.0);
            self.rates_at(at, side)
        };
        self.difference_each(variation, at, m, evaluate, |variable, k, i, slope| match variable {
            Variable::Configuration { .. } => own.configuration[(i, k)] = slope,
            Variable::Velocity(_) => own.velocity[(i, k)] = slope,
            Variable::State(_) => own.state[(i, k)] = slope,
        })
    }

    /// Central differences of `count` values over all variables of an element.
    fn difference_each(
        &self,
        variation: &mut Variation,
        at: &ElementView<'_>,
        count: usize,
        evaluate: impl Fn(&ElementView<'_>, &mut [f64], &mut [f64]) -> Result<(), Failure>,
        mut write: impl FnMut(Variable, usize, usize, f64),
    ) -> Result<(), Failure> {
        let nodes = at.kinematics.nodes;
        variation.copy_from(at);
        let positions =
            self.nodes.iter().map(|&(node, _)| at.kinematics.frames[node].position.amax());
        let length = unit(positions.fold(0.0, f64::max));
        let speed = unit_of_iter(self.columns.iter().map(|&i| at.v[i]));
        let coordinates = self.nodes.iter().flat_map(|&(node, first)| {
            (0..nodes[node].velocities()).map(move |offset| (node, offset, first + offset))
        });
        let all = (coordinates.clone())
            .map(|(node, offset, k)| (Variable::Configuration { node, offset }, k))
            .chain(coordinates.map(|(_, _, k)| (Variable::Velocity(self.columns[k]), k)))
            .chain((0..at.z.len()).map(|k| (Variable::State(k), k)));
        for (variable, k) in all {
            let step = match variable {
                Variable::Configuration { node, offset } if offset < nodes[node].places() => {
                    step_for(at.kinematics.frames[node].position[offset], length)
                }
                Variable::Configuration { .. } => CENTRAL,
                Variable::Velocity(i) => step_for(at.v[i], speed),
                Variable::State(k) => step_for(at.z[k], state_unit_of(at.z)),
            };
            for side in 0..2 {
                variation.vary(at, variable, if side == 0 { step } else { -step });
                let Variation { frames, q, v, z, out, sides } = variation;
                let varied = ElementView {
                    kinematics: PositionKinematics { nodes, frames, q },
                    v,
                    z,
                    ..*at
                };
                evaluate(&varied, out, &mut sides[side][..count])?;
                variation.restore(at, variable);
            }
            for i in 0..count {
                write(
                    variable,
                    k,
                    i,
                    (variation.sides[0][i] - variation.sides[1][i]) / (2.0 * step),
                );
            }
        }
        Ok(())
    }
}

impl Variation {
    fn copy_from(&mut self, at: &ElementView<'_>) {
        self.frames.clear();
        self.frames.extend_from_slice(at.kinematics.frames);
        self.q.clear();
        self.q.extend_from_slice(at.kinematics.q);
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
                let node = &at.kinematics.nodes[index];
                node.displace(offset, step, &mut self.q);
                self.frames[index] = node.frame(&self.q);
            }
        }
    }

    fn restore(&mut self, at: &ElementView<'_>, variable: Variable) {
        match variable {
            Variable::Velocity(i) => self.v[i] = at.v[i],
            Variable::State(k) => self.z[k] = at.z[k],
            Variable::Configuration { node: index, .. } => {
                let node = &at.kinematics.nodes[index];
                let values = node.q..node.q + node.configurations();
                self.q[values.clone()].copy_from_slice(&at.kinematics.q[values]);
                self.frames[index] = at.kinematics.frames[index];
            }
        }
    }
}

/// The unit for steps from the largest absolute value.
fn unit_of_iter(values: impl Iterator<Item = f64>) -> f64 {
    unit(values.fold(0.0_f64, |largest, x| largest.max(x.abs())))
}
