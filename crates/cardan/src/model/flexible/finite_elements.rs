//! A finite element model of a free body, read and checked.

use crate::model::values::Dimension;
use std::path::Path;

use cardan_core::linalg::SparseMatrix;
use cardan_core::linalg::matrix_market::{MatrixMarket, MatrixMarketError};
use cardan_core::math::Vector3;

/// Limit of the forces of rigid motions, relative to the largest stiffness: files often have about ten
/// digits.
const RIGID_FORCE_TOLERANCE: f64 = 1e-7;
/// Relative tolerance of symmetry, in parts of the largest entry.
const SYMMETRY_TOLERANCE: f64 = 1e-9;

/// Why a finite element model cannot be reduced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReductionError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] MatrixMarketError),
    /// An input is not valid.
    #[error("{reason}")]
    Value {
        /// The input.
        input: ReductionInput,
        /// The reason.
        reason: String,
    },
}

/// The inputs of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReductionInput {
    /// The mass matrix.
    Mass,
    /// The stiffness matrix.
    Stiffness,
    /// The positions of the nodes.
    Nodes,
    /// The interfaces.
    Interfaces,
    /// The number of modes.
    Modes,
}

pub(super) fn fail<T>(
    input: ReductionInput,
    reason: impl Into<String>,
) -> Result<T, ReductionError> {
    Err(ReductionError::Value { input, reason: reason.into() })
}

/// A finite element model of a free body, without supports.
///
/// Each node has the same coordinates: in the plane (x, y) or (x, y, rotation), in space (x, y, z) or
/// (x, y, z, and a rotation vector).
#[derive(Clone, Debug)]
pub struct FiniteElements {
    pub(super) places: Vec<Vector3>,
    /// Number of coordinates per node.
    pub(super) each: usize,
    pub(super) dimension: Dimension,
    pub(super) mass: SparseMatrix,
    pub(super) stiffness: SparseMatrix,
}

impl FiniteElements {
    /// A model from its matrices and the positions of its nodes.
    pub fn new(
        places: Vec<Vector3>,
        dimension: Dimension,
        mass: SparseMatrix,
        stiffness: SparseMatrix,
    ) -> Result<Self, ReductionError> {
        let count = places.len();
        if count == 0 {
            return fail(ReductionInput::Nodes, "there are no nodes");
        }
        let matrices = [
            (ReductionInput::Mass, "mass", &mass),
            (ReductionInput::Stiffness, "stiffness", &stiffness),
        ];
        for (input, what, matrix) in matrices {
            let (rows, columns) = (matrix.rows(), matrix.columns());
            if rows != columns {
                let reason = format!("the {what} matrix is {rows}×{columns}, not square");
                return fail(input, reason);
            }
        }
        let (n, other) = (mass.rows(), stiffness.rows());
        if n != other {
            let reason =
                format!("the mass matrix is {n}×{n}, the stiffness matrix {other}×{other}");
            return fail(ReductionInput::Mass, reason);
        }
        let each = n / count;
        let known: [usize; 2] = match dimension {
            Dimension::Plane => [2, 3],
            Dimension::Space => [3, 6],
        };
        if each * count != n || !known.contains(&each) {
            let reason = format!(
                "the matrices are {n}×{n}, which does not match {count} nodes with {} or {} coordinates each",
                known[0], known[1]
            );
            return fail(ReductionInput::Nodes, reason);
        }
        if dimension == Dimension::Plane && places.iter().any(|place| place.z != 0.0) {
            let reason = "the body is planar, but a node leaves the plane z = 0";
            return fail(ReductionInput::Nodes, reason);
        }
        for (input, what, matrix) in matrices {
            if let Some((i, j, gap)) = matrix.asymmetry().filter(|x| x.2 > SYMMETRY_TOLERANCE) {
                let reason = format!(
                    "the {what} matrix is not symmetric: entries ({}, {}) and ({1}, {0}) differ by {gap:.1e} \
                     of the largest one",
                    i + 1,
                    j + 1
                );
                return fail(input, reason);
            }
        }
        if !cardan_core::linalg::is_positive(&mass) {
            return fail(ReductionInput::Mass, "the mass matrix is not positive definite");
        }
        let model = Self { places, each, dimension, mass, stiffness };
        model.check_stiffness()?;
        Ok(model)
    }

    /// Reads mass, stiffness and the positions of nodes (one row each) from Matrix Market files.
    pub fn read(
        mass: &Path,
        stiffness: &Path,
        nodes: &Path,
        dimension: Dimension,
    ) -> Result<Self, ReductionError> {
        let places = (MatrixMarket::read(nodes)?, nodes.display().to_string());
        Self::of_matrices(
            &MatrixMarket::read(mass)?,
            &MatrixMarket::read(stiffness)?,
            &places,
            dimension,
        )
    }

    /// A model of mass, stiffness and the positions of nodes (one row each), with the name of their file.
    pub fn of_matrices(
        mass: &MatrixMarket,
        stiffness: &MatrixMarket,
        (places, file): &(MatrixMarket, String),
        dimension: Dimension,
    ) -> Result<Self, ReductionError> {
        let columns = places.columns;
        if !(columns == 3 || columns == dimension.axes()) {
            let wanted = match dimension {
                Dimension::Plane => "x and y",
                Dimension::Space => "x, y and z",
            };
            let reason = format!("{file} has {columns} columns; expected {wanted} of each node");
            return fail(ReductionInput::Nodes, reason);
        }
        let mut list = vec![Vector3::zeros(); places.rows];
        places.entries.iter().for_each(|&(i, j, x)| list[i][j] = x);
        Self::new(list, dimension, mass.to_entries(), stiffness.to_entries())
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.places.len()
    }

    /// The translation and the rotation in the coordinates of a node.
    pub(super) fn motion(&self, x: &[f64], node: usize) -> [Vector3; 2] {
        let at = &x[node * self.each..(node + 1) * self.each];
        match (self.dimension, self.each) {
            (Dimension::Plane, 2) => [Vector3::new(at[0], at[1], 0.0), Vector3::zeros()],
            (Dimension::Plane, _) => {
                [Vector3::new(at[0], at[1], 0.0), Vector3::new(0.0, 0.0, at[2])]
            }
            (Dimension::Space, 3) => [Vector3::new(at[0], at[1], at[2]), Vector3::zeros()],
            (Dimension::Space, _) => {
                [Vector3::new(at[0], at[1], at[2]), Vector3::new(at[3], at[4], at[5])]
            }
        }
    }

    pub(super) fn has_rotations(&self) -> bool {
        self.each == if self.dimension == Dimension::Plane { 3 } else { 6 }
    }

    pub(super) fn translations(&self) -> usize {
        self.dimension.axes()
    }

    /// A rigid motion: a displacement of the origin and a rotation about it.
    fn rigid(&self, shift: &Vector3, turn: &Vector3) -> Vec<f64> {
        let mut x = vec![0.0; self.mass.rows()];
        for (node, place) in self.places.iter().enumerate() {
            let moved = shift + turn.cross(place);
            let at = &mut x[node * self.each..(node + 1) * self.each];
            let translations = self.translations();
            at[..translations].copy_from_slice(&moved.as_slice()[..translations]);
            if self.has_rotations() {
                match self.dimension {
                    Dimension::Plane => at[2] = turn.z,
                    Dimension::Space => at[3..].copy_from_slice(turn.as_slice()),
                }
            }
        }
        x
    }

    /// The rigid motions: displacements, then rotations.
    pub(super) fn rigid_motions(&self) -> Vec<Vec<f64>> {
        let zero = Vector3::zeros();
        let axis = |k: usize| Vector3::ith(k, 1.0);
        match self.dimension {
            Dimension::Plane => vec![
                self.rigid(&axis(0), &zero),
                self.rigid(&axis(1), &zero),
                self.rigid(&zero, &axis(2)),
            ],
            Dimension::Space => (0..3)
                .map(|k| self.rigid(&axis(k), &zero))
                .chain((0..3).map(|k| self.rigid(&zero, &axis(k))))
                .collect(),
        }
    }

    /// Checks that rigid motions cause no forces, and that no stiffness is negative.
    fn check_stiffness(&self) -> Result<(), ReductionError> {
        let size = self.stiffness.largest();
        if size == 0.0 {
            return fail(ReductionInput::Stiffness, "the stiffness matrix is zero");
        }
        let extent = self.places.iter().fold(0.0_f64, |most, p| most.max(p.amax())).max(1e-300);
        for (k, motion) in self.rigid_motions().iter().enumerate() {
            let is_rotation = k >= self.translations();
            let force = self.stiffness.product(motion);
            let scale = if is_rotation { size * extent } else { size };
            let stress = cardan_core::math::largest(&force) / scale;
            if stress > RIGID_FORCE_TOLERANCE {
                let what = if is_rotation { "rotation" } else { "translation" };
                let axis = match (self.dimension, is_rotation) {
                    (Dimension::Plane, true) => "z",
                    _ => ["x", "y", "z"][k % 3],
                };
                let way = if is_rotation { "about" } else { "along" };
                let reason = format!(
                    "a {what} of the whole body {way} {axis} causes forces of {stress:.1e} of the largest \
                     stiffness: the stiffness matrix must be that of the free body, without supports, and \
                     the nodes must be in the order of its rows"
                );
                return fail(ReductionInput::Stiffness, reason);
            }
        }
        let largest_mass = self.mass.largest();
        let shifted = SparseMatrix::written(self.mass.rows(), self.mass.rows(), |out| {
            self.stiffness.iter().for_each(|(i, j, x)| out.add(i, j, x));
            let shift = 1e-9 * size / largest_mass;
            self.mass.iter().for_each(|(i, j, x)| out.add(i, j, shift * x));
        });
        match cardan_core::linalg::is_positive(&shifted) {
            true => Ok(()),
            false => fail(
                ReductionInput::Stiffness,
                "the stiffness matrix is indefinite: it has a negative eigenvalue",
            ),
        }
    }
}
