//! Matrices over the coordinates of one element, and scratch for custom elements.

use nalgebra::DMatrix;

use crate::model::Frame;

/// Dense matrices over the coordinates of one element's nodes.
#[derive(Clone, Debug, Default)]
pub(in crate::model) struct ElementMatrices {
    /// For each node: its number in the model, and the index of its first velocity in these matrices.
    pub nodes: Vec<(usize, usize)>,
    pub stiffness: DMatrix<f64>,
    pub damping: DMatrix<f64>,
    pub states: DMatrix<f64>,
}

impl ElementMatrices {
    /// The index of the first velocity of a node in these matrices.
    pub(super) fn first(&self, node: usize) -> Option<usize> {
        self.nodes.iter().find(|(number, _)| *number == node).map(|(_, first)| *first)
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

/// Scratch for the matrices of custom elements.
#[derive(Debug, Default)]
pub(in crate::model) struct ElementScratch {
    pub(in crate::model) variation: Variation,
    pub(in crate::model) own: Vec<(ElementMatrices, ElementRateMatrices)>,
}

impl ElementScratch {
    /// The copy of the instant for differences, and the matrices of an element.
    pub fn matrices_of(&mut self, index: usize) -> (&mut Variation, &mut ElementMatrices) {
        (&mut self.variation, &mut self.own[index].0)
    }

    /// The copy of the instant for differences, and the rate matrices of an element.
    pub fn rates_of(&mut self, index: usize) -> (&mut Variation, &mut ElementRateMatrices) {
        (&mut self.variation, &mut self.own[index].1)
    }
}

/// A copy of an instant that finite differences vary.
#[derive(Debug, Default)]
pub(in crate::model) struct Variation {
    pub frames: Vec<Frame<f64>>,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub z: Vec<f64>,
    /// Loads, one for each velocity of the model.
    pub out: Vec<f64>,
    /// Values on both sides of a difference.
    pub sides: [Vec<f64>; 2],
}
