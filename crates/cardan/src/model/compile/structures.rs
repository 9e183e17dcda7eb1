//! Compiles linear structures: removes fixed coordinates, checks the matrices.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Compiler, NewRow};
use crate::model::checks::{fail, fail_at, is_usable};
use crate::model::describe::{MAX_NODES, Triplet};
use crate::model::elements::{LinearStructure, Matrices, Tie};
use crate::model::{Function, ModelError, Owner, PartKind, Structure};
use cardan_core::linalg::{SparseMatrix, is_positive};
use cardan_core::system::Space;

/// Relative tolerance of symmetry, in parts of the largest entry: files often have about ten digits.
const SYMMETRY_TOLERANCE: f64 = 1e-9;

impl Compiler<'_> {
    pub(super) fn structures(&mut self) -> Result<(), ModelError> {
        for structure in &self.mechanism.structures {
            let owner = Owner::part(PartKind::Structure, &structure.name);
            check(&owner, structure)?;
            let mut free = vec![Some(0); structure.size];
            structure.fixed.iter().for_each(|&i| free[i] = None);
            let mut count = 0;
            for place in free.iter_mut().flatten() {
                *place = count;
                count += 1;
            }
            let n = count as usize;
            if n == 0 {
                return fail_at(&owner, "fixed", "all its coordinates are fixed");
            }
            let matrix = |triplets: &[&[Triplet]], factors: &[f64]| {
                SparseMatrix::written(n, n, |out| {
                    for (list, factor) in triplets.iter().zip(factors) {
                        for &(i, j, x) in list.iter() {
                            if let (Some(i), Some(j)) = (free[i], free[j]) {
                                out.add(i as usize, j as usize, factor * x);
                            }
                        }
                    }
                })
            };
            let [of_mass, of_stiffness] = structure.proportional;
            let mass = matrix(&[&structure.masses], &[1.0]);
            let stiffness = matrix(&[&structure.stiffnesses], &[1.0]);
            // without proportional damping, the pattern has no entries for it
            let kinds = if of_mass == 0.0 && of_stiffness == 0.0 { 1 } else { 3 };
            let damping = matrix(
                &[&structure.dampings[..], &structure.masses, &structure.stiffnesses][..kinds],
                &[1.0, of_mass, of_stiffness][..kinds],
            );
            for (what, key, matrix) in
                [("mass", "mass_matrix", &mass), ("stiffness", "stiffness_matrix", &stiffness)]
            {
                if let Some((i, j, part)) = matrix.asymmetry().filter(|x| x.2 > SYMMETRY_TOLERANCE)
                {
                    let reason = format!(
                        "its {what} matrix is not symmetric: entries ({}, {}) and ({1}, {0}) differ by \
                         {part:.1e} of the largest one",
                        i + 1,
                        j + 1
                    );
                    return fail_at(&owner, key, reason);
                }
            }
            if !is_positive(&mass) {
                let reason = "its mass matrix is not positive definite: a coordinate has no mass, or \
                              a sign is wrong";
                return fail_at(&owner, "mass_matrix", reason);
            }
            let symmetric = damping.asymmetry().is_none_or(|x| x.2 <= SYMMETRY_TOLERANCE);
            // K + s M with a small s is positive definite if K has no significant negative eigenvalue
            let scale = stiffness.largest() / mass.largest();
            let shifted = SparseMatrix::written(n, n, |out| {
                stiffness.iter().for_each(|(i, j, x)| out.add(i, j, x));
                mass.iter().for_each(|(i, j, x)| out.add(i, j, 1e-9 * scale * x));
            });
            let is_stiff = stiffness.largest() == 0.0 || is_positive(&shifted);
            let (q, v) = (self.q.len(), self.model.space.velocities());
            let mut loads = Vec::new();
            for (i, load) in &structure.loads {
                let Some(place) = free[*i] else {
                    let reason = format!("node {i} has a load, but it is fixed");
                    return fail_at(&owner, "loads", reason);
                };
                loads.push((place as usize, self.time_function(&owner, "loads", load)?));
            }
            let first = self.q.len();
            self.q.resize(first + n, 0.0);
            for &(i, [displacement, _]) in &structure.starts {
                if let (Some(place), Some(displacement)) = (free[i], displacement) {
                    self.q[first + place as usize] = displacement;
                }
            }
            self.model.space = std::mem::take(&mut self.model.space).then(Space::vector(n));
            let mut ties = Vec::new();
            for (terms, target) in &structure.ties {
                let terms = terms.iter().filter_map(|&(i, x)| Some((free[i]? as usize, x)));
                let target = self.time_function(&owner, "ties", target)?;
                ties.push(Tie { row: 0, terms: terms.collect(), target });
            }
            self.model.structures.push(LinearStructure {
                name: structure.name.clone(),
                q,
                v,
                matrices: Arc::new(Matrices::new(&mass, &damping, &stiffness)),
                loads,
                ties,
                is_symmetric: symmetric && is_stiff && structure.ties.is_empty(),
                free,
                points: structure.points.clone(),
                layout: structure.layout,
                exact: structure.exact.clone(),
            });
        }
        Ok(())
    }

    /// Adds the rows of ties.
    pub(super) fn ties(&mut self) {
        for s in 0..self.model.structures.len() {
            for k in 0..self.model.structures[s].ties.len() {
                let structure = &self.model.structures[s];
                let tie = &structure.ties[k];
                let places: Vec<String> =
                    tie.terms.iter().take(4).map(|(i, _)| structure.place_name(*i)).collect();
                let owner = Arc::new(Owner::Part {
                    kind: PartKind::Structure,
                    name: structure.name.clone(),
                    at: Some(places.join(", ")),
                });
                let drives = !matches!(tie.target, Function::Constant(_));
                let prevents = "prescribed displacement";
                let row = NewRow { owner: &owner, prevents, is_angular: false, drives };
                let row = self.row(row);
                self.model.structures[s].ties[k].row = row;
            }
        }
    }
}

/// Checks that initial values that are given twice agree, and that fixed nodes have none.
fn check_starts(owner: &Owner, structure: &Structure) -> Result<(), ModelError> {
    let fixed: HashSet<usize> = structure.fixed.iter().copied().collect();
    let kinds = [("displacement", "displacements"), ("velocity", "velocities")];
    for (part, (what, key)) in kinds.into_iter().enumerate() {
        let mut given: HashMap<usize, f64> = HashMap::new();
        for &(node, values) in &structure.starts {
            let Some(value) = values[part] else { continue };
            let before = *given.entry(node).or_insert(value);
            if before != value {
                let reason = format!(
                    "the {what} of node {node} at the start is given twice, as {before} and as {value}"
                );
                return fail_at(owner, key, reason);
            }
            if value != 0.0 && fixed.contains(&node) {
                let reason = format!("node {node} is fixed, but its {what} is given as {value}");
                return fail_at(owner, key, reason);
            }
        }
    }
    Ok(())
}

fn check(owner: &Owner, structure: &Structure) -> Result<(), ModelError> {
    let n = structure.size;
    if n == 0 {
        return fail(owner, "it has no coordinates");
    }
    if n > MAX_NODES {
        let reason = format!("it has {n} coordinates; the limit is {MAX_NODES}");
        return fail_at(owner, "elements", reason);
    }
    for (what, key, list) in [
        ("mass", "mass_matrix", &structure.masses),
        ("damping", "damping_matrix", &structure.dampings),
        ("stiffness", "stiffness_matrix", &structure.stiffnesses),
    ] {
        if let Some((i, j, _)) = list.iter().find(|(i, j, _)| *i >= n || *j >= n) {
            let reason = format!("its {what} has an entry at ({i}, {j}), but there are {n} nodes");
            return fail_at(owner, key, reason);
        }
        if let Some((i, j, x)) = list.iter().find(|(_, _, x)| !x.is_finite()) {
            return fail_at(owner, key, format!("its {what} is {x} at ({i}, {j})"));
        }
    }
    let tied = structure.ties.iter().flat_map(|(terms, _)| terms.iter().map(|x| x.0));
    let mut all = (structure.fixed.iter().map(|i| ("fixed", *i)))
        .chain(structure.loads.iter().map(|x| ("loads", x.0)))
        .chain(structure.starts.iter().map(|x| ("displacements", x.0)))
        .chain(tied.map(|i| ("ties", i)))
        .chain(structure.points.iter().map(|x| ("points", x.1)));
    if let Some((key, i)) = all.find(|(_, i)| *i >= n) {
        let reason = format!("node {i} does not exist: there are {n}, counted from 0");
        return fail_at(owner, key, reason);
    }
    if !structure.starts.iter().all(|(_, x)| x.iter().flatten().all(|x| x.is_finite())) {
        let reason = "its displacements or velocities at the start are not finite";
        return fail_at(owner, "displacements", reason);
    }
    check_starts(owner, structure)?;
    let fixed: HashSet<usize> = structure.fixed.iter().copied().collect();
    for (terms, _) in &structure.ties {
        let is_free = |(i, x): &(usize, f64)| *x != 0.0 && !fixed.contains(i);
        if !terms.iter().all(|x| x.1.is_finite()) || !terms.iter().any(is_free) {
            let reason = "a constraint has a coefficient that is not finite, or no free coordinate";
            return fail_at(owner, "ties", reason);
        }
    }
    let mut before = HashSet::new();
    for (name, _) in &structure.points {
        let taken = !before.insert(name);
        if taken || !is_usable(name) || ["energy", "kinetic"].contains(&name.as_str()) {
            let reason =
                format!("its point's name `{name}` is used twice, reserved, or not usable");
            return fail_at(owner, "points", reason);
        }
    }
    Ok(())
}
