//! A linear structure: M q̈ + C q̇ + K q = f(t), with linear constraints.

use std::sync::Arc;

use crate::model::Function;
use crate::model::analytic_solution::AnalyticSolution;
use crate::model::values::NodeLayout;
use cardan_core::linalg::{MatrixSink, SparseMatrix};
use cardan_core::math::{Scalar, largest};
use cardan_core::system::ForceTangent;

/// A constant square sparse matrix.
#[derive(Clone, Debug)]
pub(in crate::model) struct ConstantMatrix<T = f64> {
    /// The number of rows, equal to the number of columns.
    size: usize,
    /// (row, column) of the entries, sorted by column, then row.
    places: Vec<(u32, u32)>,
    values: Vec<T>,
}

impl<T: Scalar> ConstantMatrix<T> {
    fn iter(&self) -> impl Iterator<Item = (usize, usize, T)> + '_ {
        self.places.iter().zip(&self.values).map(|(&(i, j), &x)| (i as usize, j as usize, x))
    }

    /// `out -= A x`.
    fn subtract_product(&self, x: &[T], out: &mut [T]) {
        for (i, j, value) in self.iter() {
            out[i] -= value * x[j];
        }
    }

    /// ½ xᵀ A x.
    fn half_square(&self, x: &[T]) -> T {
        T::constant(0.5) * self.iter().map(|(i, j, value)| x[i] * value * x[j]).sum::<T>()
    }
}

impl ConstantMatrix {
    fn new(entries: &SparseMatrix) -> Self {
        let (places, values) = (entries.places().collect(), entries.values().to_vec());
        Self { size: entries.rows(), places, values }
    }

    /// The largest absolute value.
    pub fn largest(&self) -> f64 {
        largest(&self.values)
    }

    fn cast<U: Scalar>(&self) -> ConstantMatrix<U> {
        let values = self.values.iter().map(|x| U::constant(*x)).collect();
        ConstantMatrix { size: self.size, places: self.places.clone(), values }
    }
}

/// The constant matrices of a structure.
#[derive(Clone, Debug)]
pub(in crate::model) struct Matrices<T = f64> {
    pub mass: ConstantMatrix<T>,
    pub damping: ConstantMatrix<T>,
    pub stiffness: ConstantMatrix<T>,
}

impl Matrices {
    pub fn new(mass: &SparseMatrix, damping: &SparseMatrix, stiffness: &SparseMatrix) -> Self {
        let [mass, damping, stiffness] = [mass, damping, stiffness].map(ConstantMatrix::new);
        Self { mass, damping, stiffness }
    }
}

/// A linear constraint Σ c_i q_i = y(t).
#[derive(Clone, Debug)]
pub(in crate::model) struct Tie<T = f64> {
    pub row: usize,
    pub terms: Vec<(usize, T)>,
    pub target: Function,
}

/// A linear structure of a model, over its free coordinates.
#[derive(Clone, Debug)]
pub(in crate::model) struct LinearStructure<T = f64> {
    pub name: String,
    /// The index of its first coordinate in q.
    pub q: usize,
    /// The index of its first coordinate in v.
    pub v: usize,
    pub matrices: Arc<Matrices<T>>,
    pub loads: Vec<(usize, Function)>,
    pub ties: Vec<Tie<T>>,
    /// Whether all combinations of the matrices are symmetric positive definite, and there are no constraints.
    pub is_symmetric: bool,
    /// For each described coordinate its index among the free ones; `None` if it is fixed.
    pub free: Vec<Option<u32>>,
    /// The named points: name and described coordinate.
    pub points: Vec<(String, usize)>,
    pub layout: NodeLayout,
    pub exact: Option<AnalyticSolution>,
}

impl<T: Scalar> LinearStructure<T> {
    /// The number of free coordinates.
    pub fn size(&self) -> usize {
        self.matrices.mass.size
    }

    fn add(&self, matrix: &ConstantMatrix<T>, out: &mut impl MatrixSink<T>) {
        matrix.iter().for_each(|(i, j, x)| out.add(self.v + i, self.v + j, x));
    }

    pub fn mass(&self, mass: &mut impl MatrixSink<T>) {
        self.add(&self.matrices.mass, mass);
    }

    pub fn force(&self, t: T, q: &[T], v: &[T], force: &mut [T]) {
        let (n, Matrices { damping, stiffness, .. }) = (self.size(), &*self.matrices);
        let force = &mut force[self.v..self.v + n];
        stiffness.subtract_product(&q[self.q..self.q + n], force);
        damping.subtract_product(&v[self.v..self.v + n], force);
        self.loads.iter().for_each(|(i, load)| force[*i] += load.value(t));
    }

    fn rows(&self) -> impl Iterator<Item = (usize, &Tie<T>)> {
        self.ties.iter().map(|tie| (tie.row, tie))
    }

    pub fn constraint(&self, t: T, q: &[T], phi: &mut [T]) {
        for (row, tie) in self.rows() {
            let sum: T = tie.terms.iter().map(|(i, factor)| *factor * q[self.q + i]).sum();
            phi[row] = sum - tie.target.value(t);
        }
    }

    pub fn jacobian(&self, jacobian: &mut impl MatrixSink<T>) {
        for (row, tie) in self.rows() {
            tie.terms.iter().for_each(|(i, factor)| jacobian.add(row, self.v + i, *factor));
        }
    }

    /// b of the rows: (row, value).
    pub fn rates(&self, t: T) -> impl Iterator<Item = (usize, T)> {
        self.rows().map(move |(row, tie)| (row, -tie.target.rate(t)))
    }

    /// ½ vᵀ M v.
    pub fn kinetic(&self, v: &[T]) -> T {
        self.matrices.mass.half_square(&v[self.v..])
    }

    /// ½ qᵀ K q.
    pub fn elastic(&self, q: &[T]) -> T {
        self.matrices.stiffness.half_square(&q[self.q..])
    }

    /// The power of the loads, and the power dissipated by damping.
    pub fn powers(&self, t: T, v: &[T]) -> [T; 2] {
        let delivered = self.loads.iter().map(|(i, load)| load.value(t) * v[self.v + i]).sum();
        [delivered, T::constant(2.0) * self.matrices.damping.half_square(&v[self.v..])]
    }
}

impl LinearStructure {
    pub fn tangent(&self, tangent: &mut ForceTangent<'_>) {
        self.add(&self.matrices.stiffness, tangent.stiffness);
        self.add(&self.matrices.damping, tangent.damping);
    }

    pub fn acceleration(&self, t: f64, out: &mut [f64]) {
        self.rows().for_each(|(row, tie)| out[row] = -tie.target.at(t)[2]);
    }

    /// The name of free coordinate k.
    pub fn place_name(&self, k: usize) -> String {
        let described = self.free.iter().position(|free| *free == Some(k as u32));
        let described = described.unwrap_or(k);
        let named = self.points.iter().find(|(_, point)| *point == described);
        named.map_or_else(|| format!("node{described}"), |(name, _)| name.clone())
    }

    /// The value of a described coordinate in a vector of free coordinates from `first` on; zero if it is fixed.
    pub fn value(&self, described: usize, first: usize, values: &[f64]) -> f64 {
        let free = self.free.get(described).copied().flatten();
        free.map_or(0.0, |k| values[first + k as usize])
    }

    /// The structure with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> LinearStructure<U> {
        let Matrices { mass, damping, stiffness } = &*self.matrices;
        let matrices =
            Matrices { mass: mass.cast(), damping: damping.cast(), stiffness: stiffness.cast() };
        let terms = |tie: &Tie| tie.terms.iter().map(|(i, x)| (*i, U::constant(*x))).collect();
        let ties = self.ties.iter().map(|tie| Tie {
            row: tie.row,
            terms: terms(tie),
            target: tie.target.clone(),
        });
        LinearStructure {
            name: self.name.clone(),
            q: self.q,
            v: self.v,
            matrices: Arc::new(matrices),
            loads: self.loads.clone(),
            ties: ties.collect(),
            is_symmetric: self.is_symmetric,
            free: self.free.clone(),
            points: self.points.clone(),
            layout: self.layout,
            exact: self.exact.clone(),
        }
    }
}
