//! Two coincident points, P of body 1 (frame A) and Q of body 2 (frame B):
//! p_PQ_W = p_WB_W + R_WB p_BQ_B − p_WA_W − R_WA p_AP_A = 0. In the plane bodies rotate about z only, and the
//! derivatives follow from the arms p_BQ_W = R_WB p_BQ_B and p_AP_W.
//!
//! In the formulas below N is the frame A or B, and S its point P or Q; the upper sign is for body 2 (B).

use super::super::BodyKind;
use super::super::node::Node;
use super::super::node_measure::PositionKinematics;
use cardan_core::linalg::{MatrixSink, SparseMatrix};
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Scalar, constants, hat};

/// The rows that make two points coincide: three, or two in the plane.
#[derive(Clone, Copy, Debug)]
pub(in crate::model) struct Coincidence<T = f64> {
    pub sides: [usize; 2],
    /// p_AP_A and p_BQ_B.
    pub points: [Vector3<T>; 2],
    /// The first of the rows along x, y and z, or along x and y.
    pub first_row: usize,
    /// The number of rows, 3 or 2.
    pub axes: usize,
}

impl<T: Scalar> Coincidence<T> {
    /// The axes with their rows.
    fn axes_and_rows(&self) -> impl Iterator<Item = (usize, usize)> + use<T> {
        let first = self.first_row;
        (0..self.axes).map(move |k| (k, first + k))
    }

    /// The indices of the rows.
    pub fn rows(&self) -> std::ops::Range<usize> {
        self.first_row..self.first_row + self.axes
    }

    fn ends<'a>(&self, at: PositionKinematics<'a, T>) -> [End<'a, T>; 2] {
        let end = |k: usize, sign: f64| {
            let side = self.sides[k];
            let (node, R_WN, p_NS_N) = (&at.nodes[side], &at.frames[side].rotation, self.points[k]);
            End { node, R_WN, p_NS_N, sign: T::constant(sign) }
        };
        [end(0, -1.0), end(1, 1.0)]
    }

    pub fn value(&self, at: PositionKinematics<'_, T>, phi: &mut [T]) {
        if self.axes == 2 {
            let [X_WA, X_WB] = [&at.frames[self.sides[0]], &at.frames[self.sides[1]]];
            let (p_WA, p_WB) = (&X_WA.position, &X_WB.position);
            let arm_A = planar_arm(&X_WA.rotation, &self.points[0]);
            let arm_B = planar_arm(&X_WB.rotation, &self.points[1]);
            if let Some(phi) = phi[self.first_row..].first_chunk_mut::<2>() {
                phi[0] = (p_WB.x + arm_B[0]) - (p_WA.x + arm_A[0]);
                phi[1] = (p_WB.y + arm_B[1]) - (p_WA.y + arm_A[1]);
            }
            return;
        }
        let [X_WA, X_WB] = self.sides.map(|side| &at.frames[side]);
        let p_PQ_W = X_WB.point(&self.points[1]) - X_WA.point(&self.points[0]);
        self.axes_and_rows().for_each(|(k, row)| phi[row] = p_PQ_W[k]);
    }

    /// ±[I, −R_WN [p_NS_N]].
    pub fn jacobian(&self, at: PositionKinematics<'_, T>, jacobian: &mut impl MatrixSink<T>) {
        for end in self.ends(at) {
            let by_rotation = end.derivative_by_rotation();
            if self.axes == 3 && end.node.kind == Some(BodyKind::Spatial) {
                for (k, row) in self.axes_and_rows() {
                    jacobian.add(row, end.node.v + k, end.sign);
                }
                jacobian.add_block(self.first_row, end.node.v + 3, &by_rotation);
                continue;
            }
            for (k, row) in self.axes_and_rows() {
                end.node.add_entry(row, k, end.sign, jacobian);
                end.node.add_row(row, 1, &by_rotation.row(k).transpose(), jacobian);
            }
        }
    }
}

impl Coincidence {
    /// The multipliers as a vector, zero where there is no row.
    pub fn multipliers(&self, multipliers: &[f64]) -> Vector3 {
        let mut out = Vector3::zeros();
        self.axes_and_rows().for_each(|(k, row)| out[k] = multipliers[row]);
        out
    }

    /// Adds Gᵀλ: ±λ, and the moment ±p_NS_N × (R_WNᵀ λ).
    pub fn force(&self, at: PositionKinematics<'_>, multipliers: &[f64], force: &mut [f64]) {
        let lambda_W = match (self.axes, multipliers[self.first_row..].first_chunk::<2>()) {
            (2, Some([x, y])) => Vector3::new(*x, *y, 0.0),
            _ => self.multipliers(multipliers),
        };
        self.add_load(0, &-lambda_W, at, force);
        self.add_load(1, &lambda_W, at, force);
    }

    /// Adds a load on the point of one of the bodies.
    #[inline(always)]
    fn add_load(&self, k: usize, load_W: &Vector3, at: PositionKinematics<'_>, force: &mut [f64]) {
        let (side, p_NS_N) = (self.sides[k], &self.points[k]);
        let (node, R_WN) = (&at.nodes[side], &at.frames[side].rotation);
        match node.kind {
            None => {}
            Some(BodyKind::Planar) => {
                let arm_W = planar_arm(R_WN, p_NS_N);
                if let Some(out) = force[node.v..].first_chunk_mut::<3>() {
                    out[0] += load_W.x;
                    out[1] += load_W.y;
                    out[2] += arm_W[0] * load_W.y - arm_W[1] * load_W.x;
                }
            }
            Some(_) => {
                node.add(0, load_W, force);
                node.add(1, &p_NS_N.cross(&R_WN.tr_mul(load_W)), force);
            }
        }
    }

    /// Adds G v: ±(v_WN_W + R_WN (w_WN_N × p_NS_N)). The ground has no velocity in G.
    pub fn velocity(&self, at: PositionKinematics<'_>, v: &[f64], out: &mut [f64]) {
        let Some(out) = out.get_mut(self.rows()) else { return };
        for end in self.ends(at).iter().filter(|end| end.node.kind.is_some()) {
            if let (Some(BodyKind::Planar), [x, y]) = (end.node.kind, &mut *out) {
                let arm_W = planar_arm(end.R_WN, &end.p_NS_N);
                let v = &v[end.node.v..][..3];
                *x += end.sign * (v[0] - v[2] * arm_W[1]);
                *y += end.sign * (v[1] + v[2] * arm_W[0]);
                continue;
            }
            let w_WN_N = end.node.velocity(1, v);
            let v_WS_W = end.node.velocity(0, v) + end.R_WN * w_WN_N.cross(&end.p_NS_N);
            for (out, v) in out.iter_mut().zip(v_WS_W.iter()) {
                *out += end.sign * v;
            }
        }
    }

    /// ±R_WN (w_WN_N × (w_WN_N × p_NS_N)).
    pub fn acceleration(&self, at: PositionKinematics<'_>, v: &[f64], out: &mut [f64]) {
        for end in self.ends(at) {
            let w_WN_N = end.node.velocity(1, v);
            let centripetal = end.R_WN * w_WN_N.cross(&w_WN_N.cross(&end.p_NS_N));
            self.axes_and_rows().for_each(|(k, row)| out[row] += end.sign * centripetal[k]);
        }
    }

    /// ±[p_NS_N][R_WNᵀ λ].
    pub fn multiplier_tangent(
        &self,
        at: PositionKinematics<'_>,
        multipliers: &[f64],
        tangent: &mut SparseMatrix,
    ) {
        let lambda_W = self.multipliers(multipliers);
        for end in self.ends(at) {
            end.node.add_block(1, end.node, 1, &end.multiplier_block(&lambda_W), tangent);
        }
    }

    /// ∓R_WN [w_WN_N × p_NS_N].
    pub fn velocity_tangent(&self, at: PositionKinematics<'_>, v: &[f64], out: &mut SparseMatrix) {
        for end in self.ends(at) {
            let w_cross_p = end.node.velocity(1, v).cross(&end.p_NS_N);
            let block = -end.sign * end.R_WN * hat(&w_cross_p);
            if self.axes == 3 && end.node.kind == Some(BodyKind::Spatial) {
                out.add_block(self.first_row, end.node.v + 3, &block);
                continue;
            }
            for (k, row) in self.axes_and_rows() {
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

/// The components of p_NS_W in the plane, for a body that rotates about z.
#[inline(always)]
fn planar_arm<T: Scalar>(R_WN: &Matrix3<T>, p_NS_N: &Vector3<T>) -> [T; 2] {
    // `map` of arrays is not inlined
    let component = |i: usize| R_WN[(i, 0)] * p_NS_N.x + R_WN[(i, 1)] * p_NS_N.y;
    [component(0), component(1)]
}

/// One of the two bodies (frame N) with its point S.
struct End<'a, T = f64> {
    node: &'a Node,
    R_WN: &'a Matrix3<T>,
    p_NS_N: Vector3<T>,
    /// −1 for body 1, +1 for body 2.
    sign: T,
}

impl<T: Scalar> End<'_, T> {
    /// ∂p_PQ_W/∂θ_N = ∓R_WN [p_NS_N].
    #[inline]
    fn derivative_by_rotation(&self) -> Matrix3<T> {
        if self.node.kind == Some(BodyKind::Planar) {
            let (arm_W, zero) = ((self.R_WN * self.p_NS_N) * self.sign, T::zero());
            let column = Vector3::new(-arm_W.y, arm_W.x, zero);
            return Matrix3::from_columns(&[Vector3::zeros(), Vector3::zeros(), column]);
        }
        (self.R_WN * -self.sign) * hat(&self.p_NS_N)
    }
}

impl End<'_> {
    /// ±[p_NS_N][R_WNᵀ λ].
    #[inline]
    fn multiplier_block(&self, lambda_W: &Vector3) -> Matrix3 {
        if self.node.kind == Some(BodyKind::Planar) {
            let mut block = Matrix3::zeros();
            block[(2, 2)] = -self.sign * (self.R_WN * self.p_NS_N).dot(lambda_W);
            return block;
        }
        self.sign * hat(&self.p_NS_N) * hat(&self.R_WN.tr_mul(lambda_W))
    }
}
