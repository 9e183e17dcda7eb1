//! A linear structure: M q̈ + C q̇ + K q = R(t), with constraints that are linear too.

use std::sync::Arc;

use crate::linalg::Entries;
use crate::model::Function;
use crate::model::describe::Layout;
use crate::model::exact::Exact;
use crate::system::ForceTangent;

/// The constant matrices of a structure.
#[derive(Clone, Debug)]
pub(in crate::model) struct Matrices {
    pub mass: Entries,
    pub damping: Entries,
    pub stiffness: Entries,
}

/// A linear constraint Σ c_i q_i = y(t).
#[derive(Clone, Debug)]
pub(in crate::model) struct Tie {
    pub row: usize,
    pub terms: Vec<(usize, f64)>,
    pub target: Function,
}

/// A structure of a model. Coordinates that are fixed are not in it.
#[derive(Clone, Debug)]
pub(in crate::model) struct LinearStructure {
    pub name: String,
    /// Where its coordinates begin in q and in v.
    pub q: usize,
    pub v: usize,
    pub matrices: Arc<Matrices>,
    pub loads: Vec<(usize, Function)>,
    pub ties: Vec<Tie>,
    /// Whether all combinations of the matrices are symmetric and positive, without constraints.
    pub is_symmetric: bool,
    /// For each described coordinate where it is among the free ones.
    pub free: Vec<Option<u32>>,
    /// Named points.
    pub points: Vec<(String, usize)>,
    pub layout: Layout,
    pub exact: Option<Exact>,
}

impl LinearStructure {
    /// How many coordinates are free.
    pub fn size(&self) -> usize {
        self.matrices.mass.rows()
    }

    /// What a free coordinate is called.
    pub fn place_name(&self, k: usize) -> String {
        let described = self.free.iter().position(|free| *free == Some(k as u32));
        let described = described.unwrap_or(k);
        let named = self.points.iter().find(|(_, point)| *point == described);
        named.map_or_else(|| format!("node{described}"), |(name, _)| name.clone())
    }

    /// What belongs to a described coordinate in a vector over the free ones; nothing if it is fixed.
    pub fn value(&self, described: usize, first: usize, values: &[f64]) -> f64 {
        let place = self.free.get(described).copied().flatten();
        place.map_or(0.0, |k| values[first + k as usize])
    }

    fn add(&self, matrix: &Entries, out: &mut Entries) {
        matrix.iter().for_each(|(i, j, x)| out.add(self.v + i, self.v + j, x));
    }

    pub fn mass(&self, mass: &mut Entries) {
        self.add(&self.matrices.mass, mass);
    }

    pub fn force(&self, t: f64, q: &[f64], v: &[f64], force: &mut [f64]) {
        let (n, Matrices { damping, stiffness, .. }) = (self.size(), &*self.matrices);
        let force = &mut force[self.v..self.v + n];
        stiffness.multiply_add(-1.0, &q[self.q..self.q + n], force);
        damping.multiply_add(-1.0, &v[self.v..self.v + n], force);
        self.loads.iter().for_each(|(i, load)| force[*i] += load.value(t));
    }

    pub fn tangent(&self, tangent: &mut ForceTangent<'_>) {
        self.add(&self.matrices.stiffness, tangent.stiffness);
        self.add(&self.matrices.damping, tangent.damping);
    }

    fn rows(&self) -> impl Iterator<Item = (usize, &Tie)> {
        self.ties.iter().map(|tie| (tie.row, tie))
    }

    pub fn constraint(&self, t: f64, q: &[f64], phi: &mut [f64]) {
        for (row, tie) in self.rows() {
            let sum: f64 = tie.terms.iter().map(|(i, factor)| factor * q[self.q + i]).sum();
            phi[row] = sum - tie.target.value(t);
        }
    }

    pub fn jacobian(&self, jacobian: &mut Entries) {
        for (row, tie) in self.rows() {
            tie.terms.iter().for_each(|(i, factor)| jacobian.add(row, self.v + i, *factor));
        }
    }

    pub fn rate(&self, t: f64, rate: &mut [f64]) {
        self.rows().for_each(|(row, tie)| rate[row] = -tie.target.at(t)[1]);
    }

    pub fn acceleration(&self, t: f64, out: &mut [f64]) {
        self.rows().for_each(|(row, tie)| out[row] = -tie.target.at(t)[2]);
    }

    /// ½ vᵀ M v.
    pub fn kinetic(&self, v: &[f64]) -> f64 {
        self.half_square(&self.matrices.mass, &v[self.v..])
    }

    /// ½ qᵀ K q.
    pub fn elastic(&self, q: &[f64]) -> f64 {
        self.half_square(&self.matrices.stiffness, &q[self.q..])
    }

    fn half_square(&self, matrix: &Entries, x: &[f64]) -> f64 {
        0.5 * matrix.iter().map(|(i, j, value)| x[i] * value * x[j]).sum::<f64>()
    }

    /// The power of its loads, and what its damping loses.
    pub fn powers(&self, t: f64, v: &[f64]) -> [f64; 2] {
        let done = self.loads.iter().map(|(i, load)| load.value(t) * v[self.v + i]).sum();
        [done, 2.0 * self.half_square(&self.matrices.damping, &v[self.v..])]
    }
}
