//! Two parallel axes, in two rows: e₁_A·(R_AB b_B) = 0 and e₂_A·(R_AB b_B) = 0. A is the frame of body 1, B that
//! of body 2; b_B is the axis in body 2, e₁_A and e₂_A are orthogonal to the axis in body 1.

use super::super::measure::dot_curvature;
use super::super::node::Node;
use super::super::node_measure::PositionKinematics;
use cardan_core::linalg::{MatrixSink, SparseMatrix};
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Scalar, constants};

/// The two rows that keep two axes parallel.
#[derive(Clone, Copy, Debug)]
pub(in crate::model) struct Alignment<T = f64> {
    pub sides: [usize; 2],
    /// e₁_A and e₂_A.
    pub across: [Vector3<T>; 2],
    /// b_B.
    pub axis: Vector3<T>,
    pub rows: [usize; 2],
}

impl<T: Scalar> Alignment<T> {
    /// e₁_A and e₂_A with their rows.
    fn vectors_and_rows(&self) -> impl Iterator<Item = (&Vector3<T>, usize)> + '_ {
        self.across.iter().zip(self.rows)
    }

    fn nodes<'a>(&self, at: PositionKinematics<'a, T>) -> [&'a Node; 2] {
        self.sides.map(|side| &at.nodes[side])
    }

    /// R_AB = R_WAᵀ R_WB.
    fn rotation_AB(&self, at: PositionKinematics<'_, T>) -> Matrix3<T> {
        let [R_WA, R_WB] = self.sides.map(|side| &at.frames[side].rotation);
        R_WA.tr_mul(R_WB)
    }

    /// For each row its gradients over θ_A and θ_B.
    pub fn gradients(
        &self,
        at: PositionKinematics<'_, T>,
    ) -> impl Iterator<Item = (usize, [Vector3<T>; 2])> + '_ {
        let R_AB = self.rotation_AB(at);
        let b_A = R_AB * self.axis;
        self.vectors_and_rows()
            .map(move |(e, row)| (row, [e.cross(&b_A), self.axis.cross(&R_AB.tr_mul(e))]))
    }

    pub fn value(&self, at: PositionKinematics<'_, T>, phi: &mut [T]) {
        let b_A = self.rotation_AB(at) * self.axis;
        self.vectors_and_rows().for_each(|(e, row)| phi[row] = e.dot(&b_A));
    }

    pub fn jacobian(&self, at: PositionKinematics<'_, T>, jacobian: &mut impl MatrixSink<T>) {
        let [one, two] = self.nodes(at);
        for (row, [over_A, over_B]) in self.gradients(at) {
            one.add_row(row, 1, &over_A, jacobian);
            two.add_row(row, 1, &over_B, jacobian);
        }
    }
}

impl Alignment {
    /// ∂(G v)/∂q of one row over θ_A and θ_B; `omegas` are w_WA_A and w_WB_B.
    fn rate_gradient(&self, R_AB: &Matrix3, e_A: &Vector3, omegas: &[Vector3; 2]) -> [Vector3; 2] {
        let k = dot_curvature(R_AB, e_A, &self.axis);
        [0, 1].map(|j| k[0][j].tr_mul(&omegas[0]) + k[1][j].tr_mul(&omegas[1]))
    }

    /// Adds G v: e_A·R_WAᵀ ((w_WB_W − w_WA_W) × R_WB b_B). The ground has no velocity in G.
    pub fn velocity(&self, at: PositionKinematics<'_>, v: &[f64], out: &mut [f64]) {
        let [R_WA, R_WB] = self.sides.map(|side| &at.frames[side].rotation);
        let turn_W = |node: &Node, R_WN: &Matrix3| match node.kind {
            None => Vector3::zeros(),
            Some(_) => R_WN * node.velocity(1, v),
        };
        let [one, two] = self.nodes(at);
        let w_AB_W = turn_W(two, R_WB) - turn_W(one, R_WA);
        let rate_A = R_WA.tr_mul(&w_AB_W.cross(&(R_WB * self.axis)));
        self.vectors_and_rows().for_each(|(e, row)| out[row] += e.dot(&rate_A));
    }

    pub fn acceleration(&self, at: PositionKinematics<'_>, v: &[f64], out: &mut [f64]) {
        let (R_AB, omegas) = (self.rotation_AB(at), self.nodes(at).map(|node| node.velocity(1, v)));
        for (e, row) in self.vectors_and_rows() {
            let gradient = self.rate_gradient(&R_AB, e, &omegas);
            out[row] = gradient[0].dot(&omegas[0]) + gradient[1].dot(&omegas[1]);
        }
    }

    /// λ₁e₁_A + λ₂e₂_A.
    fn weighted(&self, multipliers: &[f64]) -> Vector3 {
        let mut sum_A = Vector3::zeros();
        self.vectors_and_rows().for_each(|(e, row)| sum_A += multipliers[row] * e);
        sum_A
    }

    /// Adds Gᵀλ: both rows together are one with λ₁e₁_A + λ₂e₂_A.
    pub fn force(&self, at: PositionKinematics<'_>, multipliers: &[f64], force: &mut [f64]) {
        let (sum_A, [one, two]) = (self.weighted(multipliers), self.nodes(at));
        let [R_WA, R_WB] = self.sides.map(|side| &at.frames[side].rotation);
        // both in body axes of the node that they act on
        let b_W = R_WB * self.axis;
        one.add(1, &sum_A.cross(&R_WA.tr_mul(&b_W)), force);
        two.add(1, &self.axis.cross(&R_WB.tr_mul(&(R_WA * sum_A))), force);
    }

    /// The curvature is linear in the vector of body 1: both rows together are the curvature with λ₁e₁_A + λ₂e₂_A.
    pub fn multiplier_tangent(
        &self,
        at: PositionKinematics<'_>,
        multipliers: &[f64],
        tangent: &mut SparseMatrix,
    ) {
        let sum_A = self.weighted(multipliers);
        let blocks = dot_curvature(&self.rotation_AB(at), &sum_A, &self.axis);
        let nodes = self.nodes(at);
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            nodes[i].add_block(1, nodes[j], 1, &blocks[i][j], tangent);
        }
    }

    pub fn velocity_tangent(&self, at: PositionKinematics<'_>, v: &[f64], out: &mut SparseMatrix) {
        let nodes = self.nodes(at);
        let (R_AB, omegas) = (self.rotation_AB(at), nodes.map(|node| node.velocity(1, v)));
        for (e, row) in self.vectors_and_rows() {
            let gradient = self.rate_gradient(&R_AB, e, &omegas);
            nodes[0].add_row(row, 1, &gradient[0], out);
            nodes[1].add_row(row, 1, &gradient[1], out);
        }
    }

    /// The joint with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> Alignment<U> {
        Alignment {
            sides: self.sides,
            across: self.across.map(|e| constants(&e)),
            axis: constants(&self.axis),
            rows: self.rows,
        }
    }
}
