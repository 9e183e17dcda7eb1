//! Two axes parallel: (R₁e₁)·(R₂b) = 0 and (R₁e₂)·(R₂b) = 0. The two rows share all they need.

use super::super::measure::dot_curvature;
use super::super::node::Node;
use super::super::node_measure::PositionKinematics;
use cardan_core::linalg::{MatrixSink, SparseMatrix};
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Scalar, constants};

/// Two rows.
#[derive(Clone, Copy, Debug)]
pub(in crate::model) struct Alignment<T = f64> {
    pub sides: [usize; 2],
    /// e₁ and e₂ in body 1.
    pub across: [Vector3<T>; 2],
    /// b in body 2.
    pub axis: Vector3<T>,
    pub rows: [usize; 2],
}

impl<T: Scalar> Alignment<T> {
    fn present(&self) -> impl Iterator<Item = (&Vector3<T>, usize)> + '_ {
        self.across.iter().zip(self.rows)
    }

    fn nodes<'a>(&self, at: PositionKinematics<'a, T>) -> [&'a Node; 2] {
        self.sides.map(|side| &at.nodes[side])
    }

    /// R₁ᵀR₂.
    fn relative(&self, at: PositionKinematics<'_, T>) -> Matrix3<T> {
        let [one, two] = self.sides.map(|side| &at.frames[side].rotation);
        one.tr_mul(two)
    }

    /// The gradients over θ₁ and θ₂ of each row.
    pub fn gradients(
        &self,
        at: PositionKinematics<'_, T>,
    ) -> impl Iterator<Item = (usize, [Vector3<T>; 2])> + '_ {
        let relative = self.relative(at);
        let seen = relative * self.axis;
        self.present()
            .map(move |(e, row)| (row, [e.cross(&seen), self.axis.cross(&relative.tr_mul(e))]))
    }

    pub fn value(&self, at: PositionKinematics<'_, T>, phi: &mut [T]) {
        let seen = self.relative(at) * self.axis;
        self.present().for_each(|(e, row)| phi[row] = e.dot(&seen));
    }

    pub fn jacobian(&self, at: PositionKinematics<'_, T>, jacobian: &mut impl MatrixSink<T>) {
        let [one, two] = self.nodes(at);
        for (row, [first, second]) in self.gradients(at) {
            one.add_row(row, 1, &first, jacobian);
            two.add_row(row, 1, &second, jacobian);
        }
    }
}

impl Alignment {
    /// ∂(G v)/∂q for one row.
    fn rate_gradient(&self, relative: &Matrix3, e: &Vector3, spins: &[Vector3; 2]) -> [Vector3; 2] {
        let k = dot_curvature(relative, e, &self.axis);
        [0, 1].map(|j| k[0][j].tr_mul(&spins[0]) + k[1][j].tr_mul(&spins[1]))
    }

    pub fn acceleration(&self, at: PositionKinematics<'_>, v: &[f64], out: &mut [f64]) {
        let (relative, spins) = (self.relative(at), self.nodes(at).map(|node| node.velocity(1, v)));
        for (e, row) in self.present() {
            let gradient = self.rate_gradient(&relative, e, &spins);
            out[row] = gradient[0].dot(&spins[0]) + gradient[1].dot(&spins[1]);
        }
    }

    /// The curvature is linear in the vector of body 1, so that λ₁e₁ + λ₂e₂ serves for both rows.
    pub fn multiplier_tangent(
        &self,
        at: PositionKinematics<'_>,
        multipliers: &[f64],
        tangent: &mut SparseMatrix,
    ) {
        let mut loaded = Vector3::zeros();
        self.present().for_each(|(e, row)| loaded += multipliers[row] * e);
        let blocks = dot_curvature(&self.relative(at), &loaded, &self.axis);
        let nodes = self.nodes(at);
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            nodes[i].add_block(1, nodes[j], 1, &blocks[i][j], tangent);
        }
    }

    pub fn velocity_tangent(&self, at: PositionKinematics<'_>, v: &[f64], out: &mut SparseMatrix) {
        let nodes = self.nodes(at);
        let (relative, spins) = (self.relative(at), nodes.map(|node| node.velocity(1, v)));
        for (e, row) in self.present() {
            let gradient = self.rate_gradient(&relative, e, &spins);
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
