//! Constraints of any system that depend on others: everywhere, so that they are set inactive, or only
//! in the initial position, which is then singular. (Mechanisms find redundant constraints during assembly, and
//! begin with these inactive.)

use super::error::{SimulationError, StartError};
use super::settings::Settings;
use super::workspace::Workspace;
use crate::linalg::SparseMatrix;
use crate::methods::Method;
use crate::stage::NewtonOptions;
use crate::state::Instant;
use crate::system::SystemError;
use crate::system::{Failure, Space, StateView, System};

/// Rows whose distance to the span of others is below this part of their length depend on them.
const DEPENDENT: f64 = 1e-9;
/// The threshold after the system was displaced by [`EXCURSION`] and projected onto the constraints.
const STILL_DEPENDENT: f64 = 1e-6;
const EXCURSION: f64 = 1e-2;
/// The largest work of the search: rows × rows × coordinates.
const MAX_WORK: f64 = 1e10;

/// The span of a set of rows.
struct Span {
    /// Orthonormal vectors.
    basis: Vec<Vec<f64>>,
}

impl Span {
    /// The component of a vector orthogonal to the span.
    fn outside(&self, vector: &[f64]) -> Vec<f64> {
        let mut rest = vector.to_vec();
        // two passes are enough for full accuracy
        for _ in 0..2 {
            for basis in &self.basis {
                let along: f64 = basis.iter().zip(&rest).map(|(a, b)| a * b).sum();
                rest.iter_mut().zip(basis).for_each(|(x, b)| *x -= along * b);
            }
        }
        rest
    }

    /// Adds a vector, unless it is in the span already; returns whether it was added.
    fn take(&mut self, vector: &[f64], threshold: f64) -> bool {
        let mut rest = self.outside(vector);
        let (length, whole) = (norm(&rest), norm(vector));
        let is_new = length > threshold * whole && length > 0.0;
        if is_new {
            rest.iter_mut().for_each(|x| *x /= length);
            self.basis.push(rest);
        }
        is_new
    }
}

/// The active rows that depend on others at the initial position and everywhere near it.
pub(super) fn find(
    system: &dyn System,
    settings: &Settings,
    method: &dyn Method,
    now: &Instant,
) -> Result<Vec<usize>, SimulationError> {
    let space = system.space();
    let (n, m) = (space.velocities(), now.multipliers.len());
    if m == 0 || (m as f64).powi(2) * n as f64 > MAX_WORK {
        return Ok(Vec::new());
    }
    let mut span = Span { basis: Vec::new() };
    let here = rows(system, now.t, &now.q, m, n).map_err(|x| failed(now, x))?;
    let active: Vec<usize> = (0..m).filter(|row| !now.inactive.contains(row)).collect();
    let depends = |row: &usize| !span.take(&here[*row], DEPENDENT);
    let dependent: Vec<usize> = active.iter().copied().filter(depends).collect();
    if dependent.is_empty() {
        return Ok(dependent);
    }
    // displace the system along the independent rows, and project it onto them
    let direction: Vec<f64> = (0..n).map(|i| (1.0 + 2.4 * i as f64).sin()).collect();
    let direction = span.outside(&direction);
    if norm(&direction) < 1e-6 {
        return Ok(dependent);
    }
    let Some(near) = closed_nearby(system, settings, method, now, &space, &direction, &dependent)
    else {
        return Ok(Vec::new());
    };
    let there = rows(system, now.t, &near, m, n).map_err(|x| failed(now, x))?;
    let mut span = Span { basis: Vec::new() };
    for row in active.iter().filter(|row| !dependent.contains(row)) {
        span.take(&there[*row], DEPENDENT);
    }
    let mut phi = vec![0.0; system.holonomic_count()];
    system.constraint(&StateView::at(now.t, &near), &mut phi).map_err(|x| failed(now, x))?;
    let persists = |&i: &usize| {
        let length = norm(&there[i]);
        let holds = phi.get(i).is_none_or(|x| x.abs() <= STILL_DEPENDENT * length * EXCURSION);
        holds && norm(&span.outside(&there[i])) <= STILL_DEPENDENT * length && length > 0.0
    };
    Ok(dependent.into_iter().filter(persists).collect())
}

/// An error if an inactive row is violated.
pub(super) fn check_inactive(system: &dyn System, now: &Instant) -> Result<(), StartError> {
    let mut phi = vec![0.0; system.holonomic_count()];
    if let Err(failure) = system.constraint(&now.into(), &mut phi) {
        return Err(StartError::Foreign { reason: failure.to_string() });
    }
    let size = now.q.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    let is_open = |x: &f64| x.is_nan() || x.abs() > STILL_DEPENDENT * size;
    let open = |row: &&usize| phi.get(**row).is_some_and(is_open);
    match now.inactive.iter().find(open) {
        None => Ok(()),
        Some(&row) => Err(StartError::Foreign {
            reason: format!("{} contradicts other constraints", system.constraint_name(row)),
        }),
    }
}

/// A configuration near the initial one that satisfies the independent rows.
fn closed_nearby(
    system: &dyn System,
    settings: &Settings,
    method: &dyn Method,
    now: &Instant,
    space: &Space,
    direction: &[f64],
    dependent: &[usize],
) -> Option<Vec<f64>> {
    let size = now.q.iter().fold(0.0_f64, |m, x| m.max(x.abs())).min(1.0);
    let length = EXCURSION * if size > 0.0 { size } else { 1.0 } / norm(direction);
    let displacement: Vec<f64> = direction.iter().map(|x| x * length).collect();
    let mut near = now.clone();
    near.inactive.extend(dependent);
    let mut workspace = Workspace::new(system, settings, method, &near).ok()?;
    near.q = space.plus(&now.q, &displacement)?;
    let Workspace { evaluator, consistency, .. } = &mut workspace;
    let options = NewtonOptions::default();
    consistency.project_positions(system, evaluator, &options, &mut near).ok()?;
    Some(near.q)
}

/// G by rows.
fn rows(
    system: &dyn System,
    t: f64,
    q: &[f64],
    m: usize,
    n: usize,
) -> Result<Vec<Vec<f64>>, Failure> {
    let mut rows = vec![vec![0.0; n]; m];
    let mut written = Ok(());
    let jacobian = SparseMatrix::written(m, n, |jacobian| {
        written = system.jacobian(&StateView::at(t, q), jacobian);
    });
    written?;
    for (i, j, x) in jacobian.iter() {
        rows[i][j] += x;
    }
    Ok(rows)
}

fn failed(now: &Instant, failure: Failure) -> SystemError {
    SystemError::failed(now.t, failure)
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum::<f64>().sqrt()
}
