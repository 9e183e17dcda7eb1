//! Points of flexible bodies as additional nodes: joints and forces act on them as on rigid bodies, and the chain
//! rule transforms loads, constraints and tangents to the coordinates of the flexible body.
//!
//! ```text
//! x_p = x + A (c + S η),  R_p = A exp(Ψ η)        v_p = J v
//!
//! f = Jᵀ f_p        G = G_p J        K = Jᵀ K_p J − ∂(Jᵀ f_p)/∂q        G_p J̇ v in accelerations
//! ```

mod attachment;

pub(super) use attachment::Attachment;

use nalgebra::DMatrix;

use super::node::Node;
use cardan_core::linalg::SparseMatrix;

/// The points of flexible bodies that are nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    pub list: Vec<Attachment>,
    /// The length of q without the points.
    pub q: usize,
    /// The length of v without the points.
    pub v: usize,
}

/// Scratch for vectors and matrices over extended coordinates: those of the system, then those of the points.
#[derive(Debug, Default)]
pub(super) struct PointScratch {
    /// Velocities and loads over extended coordinates.
    pub v: Vec<f64>,
    pub loads: Vec<f64>,
    /// For each point J, ∂(J v)/∂q and ∂(Jᵀ f)/∂q over the coordinates of its body.
    pub jacobians: Vec<DMatrix<f64>>,
    pub rates: Vec<DMatrix<f64>>,
    pub bends: Vec<DMatrix<f64>>,
    /// Matrices over extended coordinates.
    pub stiffness: SparseMatrix,
    pub damping: SparseMatrix,
    pub multipliers: SparseMatrix,
    pub states: SparseMatrix,
    /// Tangents of the first-order equations.
    pub configuration: SparseMatrix,
    pub velocity: SparseMatrix,
    pub rows: SparseMatrix,
    pub more_rows: SparseMatrix,
    pub tangent: SparseMatrix,
}

impl Points {
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The number of velocities including those of the points.
    pub fn velocities(&self, nodes: &[Node]) -> usize {
        self.v + self.list.iter().map(|x| nodes[x.node].velocities()).sum::<usize>()
    }
}
