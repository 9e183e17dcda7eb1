//! Matrices over the coordinates of one element, and the scratch of elements from outside.

use nalgebra::DMatrix;

use crate::model::Frame;

/// Dense matrices over the coordinates of one element's nodes.
#[derive(Clone, Debug, Default)]
pub(in crate::model) struct ElementMatrices {
    /// For each node where its velocities begin, here and in the model.
    pub nodes: Vec<(usize, usize)>,
    pub stiffness: DMatrix<f64>,
    pub damping: DMatrix<f64>,
    pub states: DMatrix<f64>,
}

impl ElementMatrices {
    /// Where the velocities of a node begin here.
    pub(super) fn first(&self, node: usize) -> Option<usize> {
        self.nodes.iter().find(|(known, _)| *known == node).map(|(_, first)| *first)
    }

    pub fn clear(&mut self) {
        self.stiffness.fill(0.0);
        self.damping.fill(0.0);
        self.states.fill(0.0);
    }
}

/// Dense matrices ∂ż/∂q, ∂ż/∂v and ∂ż/∂z over the coordinates of one element's nodes.
#[derive(Clone, Debug, Default)]
pub(in crate::model) struct ElementRateMatrices {
    pub nodes: Vec<(usize, usize)>,
    pub configuration: DMatrix<f64>,
    pub velocity: DMatrix<f64>,
    pub state: DMatrix<f64>,
}

impl ElementRateMatrices {
    pub fn clear(&mut self) {
        self.configuration.fill(0.0);
        self.velocity.fill(0.0);
        self.state.fill(0.0);
    }
}

/// Scratch for the matrices of elements from outside.
#[derive(Debug, Default)]
pub(in crate::model) struct ElementScratch {
    pub(in crate::model) variation: Variation,
    pub(in crate::model) own: Vec<(ElementMatrices, ElementRateMatrices)>,
}

impl ElementScratch {
    /// The copy of an instant, and the matrices of an element.
    pub fn matrices_of(&mut self, index: usize) -> (&mut Variation, &mut ElementMatrices) {
        (&mut self.variation, &mut self.own[index].0)
    }

    /// The copy of an instant, and the matrices of the rates of an element.
    pub fn rates_of(&mut self, index: usize) -> (&mut Variation, &mut ElementRateMatrices) {
        (&mut self.variation, &mut self.own[index].1)
    }
}

/// A copy of an instant that can be varied.
#[derive(Debug, Default)]
pub(in crate::model) struct Variation {
    pub frames: Vec<Frame<f64>>,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub z: Vec<f64>,
    /// Loads over all velocities.
    pub out: Vec<f64>,
    /// Values on both sides of a difference.
    pub sides: [Vec<f64>; 2],
}
