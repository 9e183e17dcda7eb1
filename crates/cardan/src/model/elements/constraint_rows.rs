//! Constraint rows of measures sᵢ: holonomic Φ = Σ cᵢ sᵢ − y(t) = 0, and nonholonomic ṡ − y(t) = 0.

use super::super::Function;
use super::super::node_measure::{NodeMeasure, PositionKinematics};
use cardan_core::linalg::{MatrixSink, SparseMatrix};
use cardan_core::math::Scalar;

/// A holonomic row. A gear constrains a combination of two measures.
#[derive(Clone, Debug)]
pub(in crate::model) struct HolonomicRow<T = f64> {
    pub measure: NodeMeasure<T>,
    pub partner: Option<(T, NodeMeasure<T>)>,
    pub target: Function,
    pub row: usize,
    /// The index in q of a value that is added to the target, if events switch the row.
    pub offset: Option<usize>,
}

/// A nonholonomic row: the rate of a measure is prescribed.
#[derive(Clone, Debug)]
pub(in crate::model) struct NonholonomicRow<T = f64> {
    pub measure: NodeMeasure<T>,
    pub target: Function,
    pub row: usize,
}

impl<T: Scalar> HolonomicRow<T> {
    /// The measures with their coefficients.
    pub fn terms(&self) -> impl Iterator<Item = (T, &NodeMeasure<T>)> {
        let partner = self.partner.iter().map(|(c, measure)| (*c, measure));
        std::iter::once((T::one(), &self.measure)).chain(partner)
    }

    /// Σ cᵢ sᵢ − y(t), minus the offset if there is one.
    pub fn gap(&self, t: T, at: PositionKinematics<'_, T>) -> T {
        let sum = self.terms().map(|(c, measure)| c * measure.value(at)).sum::<T>();
        let gap = sum - self.target.value(t);
        match self.offset {
            None => gap,
            Some(offset) => gap - at.q[offset],
        }
    }

    pub fn value(&self, t: T, at: PositionKinematics<'_, T>, phi: &mut [T]) {
        phi[self.row] = self.gap(t, at);
    }

    pub fn jacobian(&self, at: PositionKinematics<'_, T>, jacobian: &mut impl MatrixSink<T>) {
        for (c, measure) in self.terms() {
            write_gradient(measure, at, self.row, c, jacobian);
        }
    }

    /// ∂Φ/∂t.
    pub fn rate(&self, t: T) -> T {
        -self.target.rate(t)
    }
}

impl HolonomicRow {
    pub fn new(measure: NodeMeasure) -> Self {
        Self { measure, partner: None, target: Function::Constant(0.0), row: 0, offset: None }
    }

    pub fn acceleration(&self, t: f64, at: PositionKinematics<'_>, v: &[f64], out: &mut [f64]) {
        let sum: f64 = self.terms().map(|(c, measure)| c * measure.acceleration(at, v)).sum();
        out[self.row] = sum - self.target.at(t)[2];
    }

    pub fn multiplier_tangent(
        &self,
        at: PositionKinematics<'_>,
        multipliers: &[f64],
        tangent: &mut SparseMatrix,
    ) {
        for (c, measure) in self.terms() {
            measure.add_curvature(at, c * multipliers[self.row], tangent);
        }
    }

    pub fn velocity_tangent(&self, at: PositionKinematics<'_>, v: &[f64], out: &mut SparseMatrix) {
        for (c, measure) in self.terms() {
            write_rate_gradient(measure, at, v, self.row, c, out);
        }
    }

    /// The row with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> HolonomicRow<U> {
        let partner = self.partner.as_ref().map(|(c, measure)| (U::constant(*c), measure.cast()));
        let target = self.target.clone();
        let (row, offset) = (self.row, self.offset);
        HolonomicRow { measure: self.measure.cast(), partner, target, row, offset }
    }
}

impl<T: Scalar> NonholonomicRow<T> {
    pub fn jacobian(&self, at: PositionKinematics<'_, T>, jacobian: &mut impl MatrixSink<T>) {
        write_gradient(&self.measure, at, self.row, T::one(), jacobian);
    }

    /// b in G v + b = 0.
    pub fn rate(&self, t: T) -> T {
        -self.target.value(t)
    }
}

impl NonholonomicRow {
    pub fn acceleration(&self, t: f64, at: PositionKinematics<'_>, v: &[f64], out: &mut [f64]) {
        out[self.row] = self.measure.acceleration(at, v) - self.target.at(t)[1];
    }

    pub fn multiplier_tangent(
        &self,
        at: PositionKinematics<'_>,
        multipliers: &[f64],
        tangent: &mut SparseMatrix,
    ) {
        self.measure.add_curvature(at, multipliers[self.row], tangent);
    }

    pub fn velocity_tangent(&self, at: PositionKinematics<'_>, v: &[f64], out: &mut SparseMatrix) {
        write_rate_gradient(&self.measure, at, v, self.row, 1.0, out);
    }

    /// The row with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> NonholonomicRow<U> {
        NonholonomicRow { measure: self.measure.cast(), target: self.target.clone(), row: self.row }
    }
}

fn write_gradient<T: Scalar>(
    measure: &NodeMeasure<T>,
    at: PositionKinematics<'_, T>,
    row: usize,
    scale: T,
    jacobian: &mut impl MatrixSink<T>,
) {
    let (columns, gradient) = (measure.measure.gradient_columns(), measure.gradient(at));
    measure.add_row(at.nodes, columns, row, scale, &gradient, jacobian);
}

fn write_rate_gradient(
    measure: &NodeMeasure,
    at: PositionKinematics<'_>,
    v: &[f64],
    row: usize,
    scale: f64,
    out: &mut SparseMatrix,
) {
    let gradient = measure.rate_gradient(at, &measure.motion(at.nodes, v));
    measure.add_row(at.nodes, measure.measure.curvature_columns(), row, scale, &gradient, out);
}
