//! A measure between two nodes of a model: constrained by joints, prescribed by drives, argument of springs.

use super::node::Node;
use super::{Frame, Measure, PairVelocity};
use cardan_core::linalg::{MatrixSink, SparseMatrix};
use cardan_core::math::{Matrix3, Scalar};

/// The poses of all nodes at a configuration.
#[derive(Clone, Copy)]
pub(super) struct PositionKinematics<'a, T = f64> {
    pub nodes: &'a [Node],
    pub frames: &'a [Frame<T>],
    pub q: &'a [T],
}

/// The quantity `sign · s + zero` of a measure s between two nodes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NodeMeasure<T = f64> {
    pub measure: Measure<T>,
    pub sides: [usize; 2],
    pub sign: f64,
    pub zero: T,
    /// The index in q of the last accepted value of an angle, which determines the number of turns.
    pub turn_counter: Option<usize>,
}

const TURN: f64 = std::f64::consts::TAU;

impl<T: Scalar> NodeMeasure<T> {
    #[inline]
    fn frames<'a>(&self, at: PositionKinematics<'a, T>) -> [&'a Frame<T>; 2] {
        self.sides.map(|side| &at.frames[side])
    }

    /// The value. For an angle the number of turns is that nearest to the last accepted value.
    #[inline]
    pub fn value(&self, at: PositionKinematics<'_, T>) -> T {
        if matches!(self.measure, Measure::PlanarAngle) {
            // the angles of planar bodies in q include all turns
            let [one, two] = self.sides.map(|side| at.nodes[side].angle(at.q));
            return T::constant(self.sign) * (two - one) + self.zero;
        }
        let [one, two] = self.frames(at);
        self.between(one, two, at.q)
    }

    /// The value for two given poses; not for planar angles.
    #[inline]
    pub fn between(&self, one: &Frame<T>, two: &Frame<T>, q: &[T]) -> T {
        let value = T::constant(self.sign) * self.measure.value(one, two) + self.zero;
        let turn = T::constant(TURN);
        match self.turn_counter {
            Some(counter) => value - turn * ((value - q[counter]) / turn).round(),
            None => value,
        }
    }

    /// The gradient over the four columns of [`PairVelocity`].
    #[inline]
    pub fn gradient(&self, at: PositionKinematics<'_, T>) -> PairVelocity<T> {
        let [one, two] = self.frames(at);
        let gradient = self.measure.gradient(one, two);
        if self.sign == 1.0 { gradient } else { gradient.map(|g| g * T::constant(self.sign)) }
    }

    /// The velocities of both nodes, in the columns of [`PairVelocity`].
    #[inline]
    pub fn motion(&self, nodes: &[Node], v: &[T]) -> PairVelocity<T> {
        let [one, two] = self.sides.map(|side| &nodes[side]);
        [one.velocity(0, v), one.velocity(1, v), two.velocity(0, v), two.velocity(1, v)]
    }

    /// The rate.
    pub fn rate(&self, at: PositionKinematics<'_, T>, v: &[T]) -> T {
        dot(&self.gradient(at), &self.motion(at.nodes, v))
    }

    /// The node of column k, and its part: 0 linear, 1 angular.
    #[inline]
    pub fn column<'a>(&self, nodes: &'a [Node], k: usize) -> (&'a Node, usize) {
        (&nodes[self.sides[k / 2]], k % 2)
    }

    /// Adds `scale` times values over the columns of G to a vector over the velocities.
    #[inline]
    pub fn add(&self, nodes: &[Node], scale: T, values: &PairVelocity<T>, out: &mut [T]) {
        for &k in self.measure.gradient_columns() {
            let (node, part) = self.column(nodes, k);
            node.add(part, &(values[k] * scale), out);
        }
    }

    /// Adds `scale` times values over given columns to one row of a matrix.
    #[inline]
    pub fn add_row(
        &self,
        nodes: &[Node],
        columns: &[usize],
        row: usize,
        scale: T,
        values: &PairVelocity<T>,
        entries: &mut impl MatrixSink<T>,
    ) {
        for &k in columns {
            let (node, part) = self.column(nodes, k);
            node.add_row(row, part, &(values[k] * scale), entries);
        }
    }
}

impl NodeMeasure {
    pub fn new(measure: Measure, sides: [usize; 2]) -> Self {
        Self { measure, sides, sign: 1.0, zero: 0.0, turn_counter: None }
    }

    /// The measure with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> NodeMeasure<U> {
        let Self { measure, sides, sign, zero, turn_counter } = self;
        let (sides, sign, turn_counter) = (*sides, *sign, *turn_counter);
        NodeMeasure { measure: measure.cast(), sides, sign, zero: U::constant(*zero), turn_counter }
    }

    /// ∂(rate)/∂q.
    #[inline]
    pub fn rate_gradient(
        &self,
        at: PositionKinematics<'_>,
        v: &PairVelocity<f64>,
    ) -> PairVelocity<f64> {
        let [one, two] = self.frames(at);
        self.measure.rate_gradient(one, two, v).map(|g| self.sign * g)
    }

    /// The acceleration at v̇ = 0.
    pub fn acceleration(&self, at: PositionKinematics<'_>, v: &[f64]) -> f64 {
        let motion = self.motion(at.nodes, v);
        dot(&self.rate_gradient(at, &motion), &motion)
    }

    /// The blocks of the curvature that are not zero.
    #[inline]
    pub fn curvature(
        &self,
        at: PositionKinematics<'_>,
        mut add: impl FnMut(usize, usize, Matrix3),
    ) {
        let [one, two] = self.frames(at);
        self.measure.curvature(one, two, |i, j, block| add(i, j, self.sign * block));
    }

    /// Adds `scale` times the curvature to a tangent.
    #[inline]
    pub fn add_curvature(
        &self,
        at: PositionKinematics<'_>,
        scale: f64,
        tangent: &mut SparseMatrix,
    ) {
        self.curvature(at, |i, j, block| {
            let ((node, part), (other, other_part)) =
                (self.column(at.nodes, i), self.column(at.nodes, j));
            node.add_block(part, other, other_part, &(scale * block), tangent);
        });
    }

    /// Adds `left rightᵀ`: rows are the columns of G of this measure, columns are given columns of another measure.
    pub fn add_product(
        &self,
        nodes: &[Node],
        left: &PairVelocity<f64>,
        other: &Self,
        columns: &[usize],
        right: &PairVelocity<f64>,
        tangent: &mut SparseMatrix,
    ) {
        for &i in self.measure.gradient_columns() {
            let (node, part) = self.column(nodes, i);
            for &j in columns {
                let (other_node, other_part) = other.column(nodes, j);
                let block = left[i] * right[j].transpose();
                node.add_block(part, other_node, other_part, &block, tangent);
            }
        }
    }
}

/// The scalar product of two vectors over the four columns.
pub(super) fn dot<T: Scalar>(a: &PairVelocity<T>, b: &PairVelocity<T>) -> T {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}
