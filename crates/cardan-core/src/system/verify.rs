//! Comparison of every derivative that a system writes with differences.

use std::any::Any;

use super::difference::{DifferencePlan, DifferenceScratch};
use super::evaluator::{check_length, failed};
use super::{Coupling, Evaluator, Failure, Space, StateView, System, SystemMatrix};
use crate::linalg::SparseMatrix;
use crate::math::Chart;
use crate::system::SystemError;

/// A derivative that does not agree with differences.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "`{written_by}` disagrees with differences at ({row}, {column}): {written} written, \
     {differenced} found"
)]
pub struct Discrepancy {
    /// The method of the system.
    pub written_by: &'static str,
    /// Row of the largest disagreement, or of the vector.
    pub row: usize,
    /// Column of the largest disagreement; zero for a vector.
    pub column: usize,
    /// The value that the system writes.
    pub written: f64,
    /// The value by differences.
    pub differenced: f64,
}

/// Differences agree with a correct derivative to this fraction of its largest entry.
const AGREEMENT: f64 = 1e-5;

/// Compares G with Φ, and every tangent that the system writes with differences of the quantity it
/// belongs to, at one instant. An empty list means that they agree. An error if a vector has the wrong
/// length.
pub fn verify(
    system: &dyn System,
    at: &StateView<'_>,
    accelerations: &[f64],
) -> Result<Vec<Discrepancy>, SystemError> {
    let bare = DifferencedSystem(system);
    check_length("multipliers", at.multipliers, constraints_of(system))?;
    check_length("accelerations", accelerations, system.space().velocities())?;
    let mut written = Evaluator::new(system, at)?;
    let mut differenced = Evaluator::new(&bare, at)?;
    let constraints = written.sizes().constraints;
    let mut found = Vec::new();

    written.jacobian(system, at.t, at.q)?;
    let jacobian = difference_constraint(system, at)?;
    compare(SystemMatrix::Jacobian, written.part(SystemMatrix::Jacobian), &jacobian, &mut found);

    let mut vectors = [(); 4].map(|()| vec![0.0; constraints]);
    for (evaluator, system, side) in
        [(&mut written, system, 0), (&mut differenced, &bare as &dyn System, 1)]
    {
        evaluator.mass_tangent(system, at.q, accelerations)?;
        evaluator.force_tangent(system, at)?;
        evaluator.multiplier_tangent(system, at.t, at.q, at.multipliers)?;
        evaluator.velocity_tangent(system, at.t, at.q, at.v)?;
        evaluator.state_tangent(system, at, at.z)?;
        evaluator.constraint_rate(system, at.t, at.q, &mut vectors[side])?;
        evaluator.acceleration_term(system, at.t, at.q, at.v, &mut vectors[2 + side])?;
    }
    for part in SystemMatrix::ALL {
        if !matches!(part, SystemMatrix::Mass | SystemMatrix::Jacobian) {
            compare(part, written.part(part), differenced.part(part), &mut found);
        }
    }
    let [rate, rate_differenced, term, term_differenced] = &vectors;
    let holonomic = written.sizes().holonomic;
    compare_vectors(
        "constraint_rate",
        &rate[..holonomic],
        &rate_differenced[..holonomic],
        &mut found,
    );
    compare_vectors(
        "acceleration_term",
        &term[..holonomic],
        &term_differenced[..holonomic],
        &mut found,
    );
    Ok(found)
}

fn constraints_of(system: &dyn System) -> usize {
    system.holonomic_count().saturating_add(system.nonholonomic_count())
}

/// ∂Φ/∂q of the holonomic rows, differenced over every column.
fn difference_constraint(
    system: &dyn System,
    at: &StateView<'_>,
) -> Result<SparseMatrix, SystemError> {
    let (space, rows) = (system.space(), system.holonomic_count());
    let columns = space.velocities();
    let places = (0..columns as u32).flat_map(|j| (0..rows as u32).map(move |i| (i, j)));
    let places: Vec<(u32, u32)> = places.collect();
    let mut entries = SparseMatrix::with_places(rows, columns, &places);
    let plan = DifferencePlan::new(&entries);
    let mut scratch = DifferenceScratch::new(rows.max(columns));
    let mut moved = space.neutral();
    let largest = at.q.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let step = 6e-6 * super::difference::unit(largest);
    plan.fill(
        &mut entries,
        1.0,
        &mut scratch,
        |_| step,
        |d, out| {
            space.retract(Chart::Exponential, at.q, d, &mut moved);
            system.constraint(&StateView { q: &moved, ..*at }, out).map_err(|x| failed(at.t, x))
        },
    )?;
    Ok(entries)
}

/// Records the largest disagreement of two matrices, over the rows the second one has.
fn compare(
    part: SystemMatrix,
    written: &SparseMatrix,
    differenced: &SparseMatrix,
    found: &mut Vec<Discrepancy>,
) {
    let rows = written.rows().min(differenced.rows());
    let dense = |entries: &SparseMatrix| {
        let mut dense = nalgebra::DMatrix::<f64>::zeros(rows, entries.columns());
        entries.iter().filter(|(i, ..)| *i < rows).for_each(|(i, j, x)| dense[(i, j)] += x);
        dense
    };
    let (one, two) = (dense(written), dense(differenced));
    if one.is_empty() || one.shape() != two.shape() {
        return;
    }
    let scale = one.amax().max(two.amax());
    let worst = (&one - &two).abs().iamax_full();
    let (x, y) = (one[worst], two[worst]);
    if !agree(x, y, scale) {
        let (row, column) = worst;
        found.push(Discrepancy {
            written_by: part.written_by(),
            row,
            column,
            written: x,
            differenced: y,
        });
    }
}

/// Whether two values agree; those that are not numbers do not.
fn agree(x: f64, y: f64, scale: f64) -> bool {
    (x - y).abs() <= AGREEMENT * scale
}

fn compare_vectors(
    written_by: &'static str,
    written: &[f64],
    differenced: &[f64],
    found: &mut Vec<Discrepancy>,
) {
    let scale = written.iter().chain(differenced).fold(0.0_f64, |m, x| m.max(x.abs()));
    for (row, (&written, &differenced)) in written.iter().zip(differenced).enumerate() {
        if !agree(written, differenced, scale.max(1e-3)) {
            found.push(Discrepancy { written_by, row, column: 0, written, differenced });
        }
    }
}

/// A system without the derivatives it writes, so that all are differenced: its motion must be
/// the same up to the error of differences.
pub struct DifferencedSystem<'a>(pub &'a dyn System);

impl System for DifferencedSystem<'_> {
    fn space(&self) -> Space {
        self.0.space()
    }
    fn mass(&self, at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        self.0.mass(at, mass)
    }
    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        self.0.force(at, force)
    }
    fn scratch(&self) -> Box<dyn Any + Send> {
        self.0.scratch()
    }
    fn holonomic_count(&self) -> usize {
        self.0.holonomic_count()
    }
    fn nonholonomic_count(&self) -> usize {
        self.0.nonholonomic_count()
    }
    fn state_count(&self) -> usize {
        self.0.state_count()
    }
    fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
        self.0.constraint(at, phi)
    }
    fn jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
        self.0.jacobian(at, jacobian)
    }
    fn state_residual(
        &self,
        at: &StateView<'_>,
        rates: &[f64],
        residual: &mut [f64],
    ) -> Result<(), Failure> {
        self.0.state_residual(at, rates, residual)
    }
    fn force_needs_multipliers(&self) -> bool {
        self.0.force_needs_multipliers()
    }
    fn state_needs_multipliers(&self) -> bool {
        self.0.state_needs_multipliers()
    }
    fn accept(
        &self,
        step: Option<f64>,
        at: &StateView<'_>,
        discrete: &mut [f64],
    ) -> Result<(), Failure> {
        self.0.accept(step, at, discrete)
    }
    fn input_index(&self, name: &str) -> Option<usize> {
        self.0.input_index(name)
    }
    fn coupling(&self) -> Coupling {
        self.0.coupling()
    }
    fn potential_energy(&self, at: &StateView<'_>) -> Option<f64> {
        self.0.potential_energy(at)
    }
}
