//! Two points together: d = x₂ + R₂s₂ − x₁ − R₁s₁ = 0, in world axes. In the plane only the turn
//! about z counts, and everything follows from the arms r = R s.

use super::super::BodyKind;
use super::super::node::Node;
use super::super::node_measure::PositionKinematics;
use cardan_core::linalg::{MatrixSink, SparseMatrix};
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Scalar, constants, hat};

/// Three rows, or two in the plane.
#[derive(Clone, Copy, Debug)]
pub(in crate::model) struct Coincidence<T = f64> {
    pub sides: [usize; 2],
    pub points: [Vector3<T>; 2],
    /// The rows along x, y and z, or along x and y.
    pub first_row: usize,
    pub axes: usize,
}

impl<T: Scalar> Coincidence<T> {
    /// The axes with their rows.
    fn present(&self) -> impl Iterator<Item = (usize, usize)> + use<T> {
        let first = self.first_row;
        (0..self.axes).map(move |k| (k, first + k))
    }

    /// The numbers of the rows.
    pub fn rows(&self) -> std::ops::Range<usize> {
        self.first_row..self.first_row + self.axes
    }

    fn ends<'a>(&self, at: PositionKinematics<'a, T>) -> [End<'a, T>; 2] {
        let end = |k: usize, sign: f64| {
            let side = self.sides[k];
            let (node, rotation, point) =
                (&at.nodes[side], &at.frames[side].rotation, self.points[k]);
            End { node, rotation, point, sign: T::constant(sign) }
        };
        [end(0, -1.0), end(1, 1.0)]
    }

    pub fn value(&self, at: PositionKinematics<'_, T>, phi: &mut [T]) {
        let [one, two] = self.sides.map(|side| &at.frames[side]);
        let gap = two.point(&self.points[1]) - one.point(&self.points[0]);
        self.present().for_each(|(k, row)| phi[row] = gap[k]);
    }

    /// ±[I, −R[s]].
    pub fn jacobian(&self, at: PositionKinematics<'_, T>, jacobian: &mut impl MatrixSink<T>) {
        for end in self.ends(at) {
            let lever = end.lever();
            for (k, row) in self.present() {
                end.node.add_entry(row, k, end.sign, jacobian);
                end.node.add_row(row, 1, &lever.row(k).transpose(), jacobian);
            }
        }
    }
}

impl Coincidence {
    /// The multipliers as a vector, zero where there is no row.
    pub fn multipliers(&self, multipliers: &[f64]) -> Vector3 {
        let mut out = Vector3::zeros();
        self.present().for_each(|(k, row)| out[k] = multipliers[row]);
        out
    }

    /// ±R(Ω × (Ω × s)).
    pub fn acceleration(&self, at: PositionKinematics<'_>, v: &[f64], out: &mut [f64]) {
        for end in self.ends(at) {
            let omega = end.node.velocity(1, v);
            let centripetal = end.rotation * omega.cross(&omega.cross(&end.point));
            self.present().for_each(|(k, row)| out[row] += end.sign * centripetal[k]);
        }
    }

    /// ±[s][Rᵀλ].
    pub fn multiplier_tangent(
        &self,
        at: PositionKinematics<'_>,
        multipliers: &[f64],
        tangent: &mut SparseMatrix,
    ) {
        let force = self.multipliers(multipliers);
        for end in self.ends(at) {
            end.node.add_block(1, end.node, 1, &end.loaded(&force), tangent);
        }
    }

    /// ∓R[Ω × s].
    pub fn velocity_tangent(&self, at: PositionKinematics<'_>, v: &[f64], out: &mut SparseMatrix) {
        for end in self.ends(at) {
            let moved = end.node.velocity(1, v).cross(&end.point);
            let block = -end.sign * end.rotation * hat(&moved);
            for (k, row) in self.present() {
                end.node.add_row(row, 1, &block.row(k).transpose(), out);
            }
        }
    }

    /// The joint with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> Coincidence<U> {
        let points = self.points.map(|point| constants(&point));
        Coincidence { sides: self.sides, points, first_row: self.first_row, axes: self.axes }
    }
}

/// One of the two points.
struct End<'a, T = f64> {
    node: &'a Node,
    rotation: &'a Matrix3<T>,
    point: Vector3<T>,
    sign: T,
}

impl<T: Scalar> End<'_, T> {
    /// ∓R[s]: how the point moves when the body turns.
    #[inline]
    fn lever(&self) -> Matrix3<T> {
        if self.node.kind == Some(BodyKind::Planar) {
            let (arm, zero) = ((self.rotation * self.point) * self.sign, T::zero());
            let column = Vector3::new(-arm.y, arm.x, zero);
            return Matrix3::from_columns(&[Vector3::zeros(), Vector3::zeros(), column]);
        }
        (self.rotation * -self.sign) * hat(&self.point)
    }
}

impl End<'_> {
    /// ±[s][Rᵀλ].
    #[inline]
    fn loaded(&self, force: &Vector3) -> Matrix3 {
        if self.node.kind == Some(BodyKind::Planar) {
            let mut block = Matrix3::zeros();
            block[(2, 2)] = -self.sign * (self.rotation * self.point).dot(force);
            return block;
        }
        self.sign * hat(&self.point) * hat(&self.rotation.tr_mul(force))
    }
}
