//! Reduces finite elements to a few modes: Craig–Bampton reduction.
//!
//! ```text
//! interface nodes fixed: K_ii⁻¹ K_ib  (one shape for each of their coordinates)
//!                        K_ii, M_ii   (the lowest modes of the rest)
//! both ── modes of both without rigid motions ──▶ ModalBasis
//! ```

use crate::model::values::Dimension;
use nalgebra::{DMatrix, DVector, SymmetricEigen};

use super::finite_elements::{FiniteElements, ReductionError, ReductionInput, fail};
use super::{MassPoint, ModalBasis, ModalPoint};
use crate::eigen::lowest;
use cardan_core::linalg::{MatrixKind, Pattern, Solver, SparseMatrix};
use cardan_core::math::{Matrix3, Vector3, add_scaled, dot, hat};

/// A shape is dependent if its part that is orthogonal to the others is smaller than this.
const DEPENDENCE_TOLERANCE: f64 = 1e-7;
/// Limit of the number of interface coordinates: their matrices are full.
const MAX_INTERFACE: usize = 300;

/// An interface: its name and its nodes. Its motion is the mean motion of the nodes.
pub type Interface = (String, Vec<usize>);

impl FiniteElements {
    /// Reduces the model to the motions of its interfaces and this number of modes of the rest.
    pub fn reduce(
        &self,
        interfaces: &[Interface],
        modes: usize,
    ) -> Result<ModalBasis, ReductionError> {
        let n = self.mass.rows();
        let count = self.places.len();
        for (name, nodes) in interfaces {
            if nodes.is_empty() {
                let reason = format!("interface `{name}` has no nodes");
                return fail(ReductionInput::Interfaces, reason);
            }
            if let Some(node) = nodes.iter().find(|node| **node >= count) {
                let reason = format!(
                    "interface `{name}`: there is no node {node}; there are {count}, counted from 0"
                );
                return fail(ReductionInput::Interfaces, reason);
            }
        }
        let mut is_interface = vec![false; n];
        for node in interfaces.iter().flat_map(|(_, nodes)| nodes) {
            is_interface[node * self.each..(node + 1) * self.each].fill(true);
        }
        let boundary: Vec<usize> = (0..n).filter(|&i| is_interface[i]).collect();
        let inside: Vec<usize> = (0..n).filter(|&i| !is_interface[i]).collect();
        if boundary.len() > MAX_INTERFACE {
            let reason = format!(
                "the interfaces have {} coordinates; the limit is {MAX_INTERFACE}",
                boundary.len()
            );
            return fail(ReductionInput::Interfaces, reason);
        }
        let basis = self.basis(&boundary, &inside, modes)?;
        let shapes = self.elastic(&basis);
        Ok(self.modal(interfaces, &shapes))
    }

    /// Shapes of the interfaces' coordinates, and modes of the rest with fixed interfaces.
    fn basis(
        &self,
        boundary: &[usize],
        inside: &[usize],
        modes: usize,
    ) -> Result<Vec<Vec<f64>>, ReductionError> {
        let n = self.mass.rows();
        let k = inside.len();
        let mut number = vec![None; n];
        inside.iter().enumerate().for_each(|(i, &full)| number[full] = Some(i));
        let part = |a: &SparseMatrix| {
            SparseMatrix::written(k, k, |out| {
                for (i, j, x) in a.iter() {
                    if let (Some(i), Some(j)) = (number[i], number[j]) {
                        out.add(i, j, x);
                    }
                }
            })
        };
        let (mass, stiffness) = (part(&self.mass), part(&self.stiffness));
        let mut basis = Vec::new();
        if k == 0 {
            basis.extend(boundary.iter().map(|&b| {
                let mut shape = vec![0.0; n];
                shape[b] = 1.0;
                shape
            }));
            return Ok(basis);
        }
        // if the interfaces do not fix the body, K is singular: add a small multiple of M
        let singular = || ReductionError::Value {
            input: ReductionInput::Stiffness,
            reason: "the stiffness matrix cannot be factorized".into(),
        };
        let mut solver = match factorized(&stiffness) {
            Some(solver) => solver,
            None => {
                let shift = 1e-6 * self.stiffness.largest() / self.mass.largest();
                let shifted = SparseMatrix::written(k, k, |out| {
                    stiffness.iter().for_each(|(i, j, x)| out.add(i, j, x));
                    mass.iter().for_each(|(i, j, x)| out.add(i, j, shift * x));
                });
                factorized(&shifted).ok_or_else(singular)?
            }
        };
        let mut solve = |mut right: Vec<f64>| {
            solver.solve(&mut right).ok()?;
            right.iter().all(|x| x.is_finite()).then_some(right)
        };
        for &b in boundary {
            let mut unit = vec![0.0; n];
            unit[b] = 1.0;
            let force = self.stiffness.product(&unit);
            let inner = solve(inside.iter().map(|&i| -force[i]).collect()).ok_or_else(singular)?;
            inside.iter().zip(&inner).for_each(|(&i, x)| unit[i] = *x);
            basis.push(unit);
        }
        // rigid motions that the interfaces allow are among the lowest modes
        let wanted = (modes + self.rigid_motions().len()).min(k);
        let wanted =
            if boundary.len() >= self.rigid_motions().len() { modes.min(k) } else { wanted };
        if wanted > 0 {
            let found = lowest(k, wanted, |x| solve(mass.product(x)), |x| mass.product(x), 1e-10);
            let found = found.ok_or_else(|| ReductionError::Value {
                input: ReductionInput::Modes,
                reason: "the modes did not converge; try: fewer modes".into(),
            })?;
            for (_, inner) in found {
                let mut shape = vec![0.0; n];
                inside.iter().zip(&inner).for_each(|(&i, x)| shape[i] = *x);
                basis.push(shape);
            }
        }
        Ok(basis)
    }

    /// ω² and shapes of unit mass within the space of a basis, without the rigid motions.
    fn elastic(&self, basis: &[Vec<f64>]) -> Vec<(f64, Vec<f64>)> {
        // orthogonalize in M: first the rigid motions, then the shapes
        let rigid = self.rigid_motions();
        let mut kept: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        for shape in rigid.iter().chain(basis) {
            let before = dot(shape, &self.mass.product(shape)).sqrt();
            let mut x = shape.clone();
            for _ in 0..2 {
                for (other, image) in &kept {
                    let part = dot(image, &x);
                    add_scaled(-part, other, &mut x);
                }
            }
            let image = self.mass.product(&x);
            let left = dot(&x, &image).max(0.0).sqrt();
            if left > DEPENDENCE_TOLERANCE * before {
                let scaled = |x: Vec<f64>| x.into_iter().map(|x| x / left).collect();
                kept.push((scaled(x), scaled(image)));
            }
        }
        let shapes: Vec<Vec<f64>> = kept.into_iter().skip(rigid.len()).map(|x| x.0).collect();
        let n = shapes.len();
        if n == 0 {
            return Vec::new();
        }
        let images: Vec<Vec<f64>> = shapes.iter().map(|x| self.stiffness.product(x)).collect();
        let stiffness = DMatrix::from_fn(n, n, |i, j| dot(&shapes[i], &images[j]));
        let eigen = SymmetricEigen::new(0.5 * (&stiffness + stiffness.transpose()));
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
        let mode = |&k: &usize| {
            let mut shape = vec![0.0; self.mass.rows()];
            for (i, x) in shapes.iter().enumerate() {
                add_scaled(eigen.eigenvectors[(i, k)], x, &mut shape);
            }
            let size = dot(&shape, &self.mass.product(&shape)).sqrt();
            shape.iter_mut().for_each(|x| *x /= size);
            (dot(&shape, &self.stiffness.product(&shape)), shape)
        };
        order.iter().map(mode).collect()
    }

    /// The body with these modes.
    fn modal(&self, interfaces: &[Interface], shapes: &[(f64, Vec<f64>)]) -> ModalBasis {
        let n = shapes.len();
        let stiffness = DMatrix::from_diagonal(&DVector::from_fn(n, |k, _| shapes[k].0));
        let mut body = ModalBasis::of_masses(&[], stiffness);
        // the mass matrix between nodes, averaged over the directions
        let translations = self.translations();
        let nodal = SparseMatrix::written(self.places.len(), self.places.len(), |out| {
            for (i, j, x) in self.mass.iter() {
                let (a, b) = (i % self.each, j % self.each);
                if a == b && a < translations {
                    out.add(i / self.each, j / self.each, x / translations as f64);
                }
            }
        });
        let motions: Vec<Vec<Vector3>> = (0..self.places.len())
            .map(|node| shapes.iter().map(|(_, shape)| self.motion(shape, node)[0]).collect())
            .collect();
        let mut sums =
            vec![
                MassPoint { mass: 0.0, place: Vector3::zeros(), shapes: vec![Vector3::zeros(); n] };
                self.places.len()
            ];
        for (i, j, x) in nodal.iter() {
            sums[i].place += x * self.places[j];
            for (sum, shape) in sums[i].shapes.iter_mut().zip(&motions[j]) {
                *sum += x * shape;
            }
        }
        for (node, sum) in sums.iter().enumerate() {
            let (place, shapes) = (self.places[node], motions[node].clone());
            body.add_product(1.0, &MassPoint { mass: 1.0, place, shapes }, sum);
        }
        self.write_rigid(&mut body);
        body.masses = DMatrix::identity(n, n);
        // the modes have no momentum and no angular momentum
        body.push.fill(Vector3::zeros());
        body.levers.fill(Vector3::zeros());
        body.symmetrize();
        for (name, nodes) in interfaces {
            body = body.point(self.point(name, nodes, shapes));
        }
        body
    }

    /// Mass, its first moment and its inertia, from the mass matrix.
    fn write_rigid(&self, body: &mut ModalBasis) {
        let rigid = self.rigid_motions();
        let images: Vec<Vec<f64>> = rigid.iter().map(|r| self.mass.product(r)).collect();
        let entry = |i: usize, j: usize| dot(&rigid[i], &images[j]);
        body.mass = entry(0, 0);
        if self.dimension == Dimension::Plane {
            // a rotation moves (x, y) by (−y, x)
            body.first = Vector3::new(entry(1, 2), -entry(0, 2), 0.0);
            body.inertia = Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, entry(2, 2)));
            return;
        }
        // M_xθ = −ĥ
        body.first = Vector3::new(
            0.5 * (entry(1, 5) - entry(2, 4)),
            0.5 * (entry(2, 3) - entry(0, 5)),
            0.5 * (entry(0, 4) - entry(1, 3)),
        );
        body.inertia = Matrix3::from_fn(|i, j| entry(3 + i, 3 + j));
    }

    fn point(&self, name: &str, nodes: &[usize], shapes: &[(f64, Vec<f64>)]) -> ModalPoint {
        let count = nodes.len() as f64;
        let place = nodes.iter().map(|&node| self.places[node]).sum::<Vector3>() / count;
        let around = self.around(nodes);
        let (mut moves, mut turns) = (Vec::new(), Vec::new());
        for (_, shape) in shapes {
            let shift =
                nodes.iter().map(|&node| self.motion(shape, node)[0]).sum::<Vector3>() / count;
            moves.push(shift);
            turns.push(match self.has_rotations() {
                true => {
                    nodes.iter().map(|&node| self.motion(shape, node)[1]).sum::<Vector3>() / count
                }
                false => self.fitted_turn(&around, shape),
            });
        }
        ModalPoint { name: name.into(), place, shapes: moves, turns, loads: None }
    }

    /// The nodes whose displacements determine a rotation: the given ones if they are enough, otherwise
    /// with their neighbours.
    fn around(&self, nodes: &[usize]) -> Vec<usize> {
        if nodes.len() >= self.translations() {
            return nodes.to_vec();
        }
        let mut all = nodes.to_vec();
        for (i, j, x) in self.stiffness.iter() {
            let (a, b) = (i / self.each, j / self.each);
            if x != 0.0 && nodes.contains(&a) && !all.contains(&b) {
                all.push(b);
            }
        }
        all
    }

    /// The rotation that fits the displacements of nodes best.
    fn fitted_turn(&self, nodes: &[usize], shape: &[f64]) -> Vector3 {
        let count = nodes.len() as f64;
        let centre = nodes.iter().map(|&i| self.places[i]).sum::<Vector3>() / count;
        let mean = nodes.iter().map(|&i| self.motion(shape, i)[0]).sum::<Vector3>() / count;
        let (mut inertia, mut spin) = (Matrix3::zeros(), Vector3::zeros());
        for &i in nodes {
            let arm = self.places[i] - centre;
            inertia -= hat(&arm) * hat(&arm);
            spin += arm.cross(&(self.motion(shape, i)[0] - mean));
        }
        if self.dimension == Dimension::Plane {
            let about = inertia[(2, 2)];
            return Vector3::new(0.0, 0.0, if about > 0.0 { spin.z / about } else { 0.0 });
        }
        inertia
            .pseudo_inverse(1e-9 * inertia.amax())
            .map_or(Vector3::zeros(), |inverse| inverse * spin)
    }
}

/// A solver for a symmetric positive definite matrix.
fn factorized(matrix: &SparseMatrix) -> Option<Solver> {
    let (pattern, values) = Pattern::of_sum(matrix.rows(), &[(matrix, 1.0)]);
    // a matrix that is singular up to round-off can have positive pivots: a solution then is very large
    let size = matrix.largest();
    let mut solver = Solver::new(pattern, &[], MatrixKind::SymmetricPositive);
    solver.factorize(&values).ok()?;
    let mut probe: Vec<f64> = (0..matrix.rows()).map(|i| 1.0 + (1.7 * i as f64).sin()).collect();
    let before = dot(&probe, &probe).sqrt();
    solver.solve(&mut probe).ok()?;
    let after = dot(&probe, &probe).sqrt();
    (after < 1e13 * before / size).then_some(solver)
}
