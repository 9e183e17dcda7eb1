//! The stage matrix as a sum of terms: parts of the system with factors, which go straight into the fronts of the solver.

use std::cell::OnceCell;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::layout::StageLayout;
use super::{ForceEvaluation, Formulation, StageMap};
use crate::linalg::{
    GroupGraph, MAX_TERMS, MatrixTerms, NO_BLOCK, PairList, Pattern, SlotFinder, SparseMatrix,
    TermEntry, TermValues,
};
use crate::math::Matrix3;
use crate::system::{Evaluator, Space, SystemMatrix};

/// The factors of the terms: their values change with the stage, their places never do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TermCoefficients {
    /// c_q, or zero if forces are balanced at an earlier time.
    pub position: f64,
    /// c_q, or zero if forces are balanced at an earlier time or M is evaluated at another configuration.
    pub mass_position: f64,
    /// c_v.
    pub velocity: f64,
    /// c_a.
    pub acceleration: f64,
    /// c_z.
    pub state: f64,
    /// One, or the number by which a change of z changes ż while an equilibrium is sought.
    #[serde(default = "one")]
    pub rate: f64,
    /// One if forces depend on multipliers, zero in projections.
    pub force: f64,
    /// One under position constraints, else zero.
    pub position_rows: f64,
    /// One if position constraints are enforced later than the forces are balanced.
    pub position_rows_ahead: f64,
    /// One for nonholonomic rows that use the same G as the constraint forces.
    pub rows: f64,
    /// One for nonholonomic rows at the end of a step within which constraints act.
    pub next_time_rows: f64,
    /// One under acceleration constraints, else zero.
    pub acceleration_rows: f64,
    /// c_q/c_v, or zero under acceleration constraints and if forces are balanced at an earlier time.
    pub velocity_rows: f64,
    /// c_v/c_a under acceleration constraints and if forces are balanced at an earlier time, else zero.
    pub acceleration_velocity: f64,
    /// 2 c_v/c_a under acceleration constraints: the acceleration of a holonomic row is quadratic in v, and except
    /// for the rotation of G its derivative is twice the tangent of its rate.
    pub holonomic_acceleration_velocity: f64,
}

impl TermCoefficients {
    /// The coefficients of a stage; `acts_within` if constraints act within the step.
    pub fn new(map: &StageMap, formulation: Formulation, acts_within: bool) -> Self {
        let when = |condition: bool, value: f64| if condition { value } else { 0.0 };
        let acceleration = formulation == Formulation::Acceleration;
        let before = map.balance.is_before();
        let ahead = before || acts_within;
        Self {
            position: when(!before, map.c_q),
            mass_position: when(map.balance == ForceEvaluation::AtStage, map.c_q),
            velocity: map.c_v,
            acceleration: map.c_a,
            state: map.c_z,
            rate: 1.0,
            force: 1.0,
            position_rows: when(!acceleration && !ahead, 1.0),
            position_rows_ahead: when(!acceleration && ahead, 1.0),
            rows: when(!acts_within, 1.0),
            next_time_rows: when(acts_within, 1.0),
            acceleration_rows: when(acceleration, 1.0),
            velocity_rows: when(!acceleration && !before, map.c_q / map.c_v),
            acceleration_velocity: when(acceleration || before, map.c_v / map.c_a),
            holonomic_acceleration_velocity: when(acceleration, 2.0 * map.c_v / map.c_a),
        }
    }
}

/// The coefficient of ż in states saved without it.
fn one() -> f64 {
    1.0
}

/// The factor of a term.
type Factor = fn(&TermCoefficients) -> f64;

/// The blocks through which a term acts on the unknown y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Through {
    /// None: the term acts on q.
    Increment,
    /// S: the term acts on v or a.
    Motion,
    /// (I + c_v/c_a Ω̂) S: G under acceleration constraints, with the derivative of its rotation.
    TurningMotion,
}

/// The blocks of all rotations.
#[derive(Clone, Debug, Default)]
pub(crate) struct RotationBlocks {
    /// S.
    pub motion: Vec<Matrix3>,
    /// (I + c_v/c_a Ω̂) S.
    pub rotations: Vec<Matrix3>,
}

/// The position of a part in the stage matrix.
#[derive(Clone)]
struct Term {
    part: SystemMatrix,
    factor: Factor,
    row: usize,
    column: usize,
    transposed: bool,
    /// The blocks that multiply the columns of rotations.
    through: Through,
    /// The rows of the part that are used.
    rows: std::ops::Range<usize>,
}

/// The terms of a stage matrix.
#[derive(Clone)]
pub(crate) struct Assembly {
    layout: StageLayout,
    terms: Arc<[Term]>,
    /// The rows of inactive constraints, whose equation is λ = 0.
    inactive: Arc<[u32]>,
    /// The places of the sum, if it was needed, without and with those of parts that the evaluator may not have.
    patterns: Arc<[OnceLock<Arc<Pattern>>; 2]>,
}

impl Assembly {
    /// The terms of a layout, which are the same for every formulation.
    pub fn new(layout: StageLayout, evaluator: &Evaluator) -> Self {
        let first = layout.multipliers();
        let inactive = evaluator.inactive().iter().map(|i| (first + i) as u32).collect();
        Self { layout, terms: terms(&layout).into(), inactive, patterns: Arc::default() }
    }

    /// The groups of unknowns, and which of them the matrix couples.
    pub fn graph(&self, evaluator: &Evaluator) -> GroupGraph {
        let space = evaluator.space();
        let groups = self.layout.groups(space, evaluator.part(SystemMatrix::Jacobian));
        let group_of = groups.group_of();
        let mut pairs = PairList::new(groups.count());
        // Gᵀ couples the groups that G couples
        let is_needed = |term: &&Term| !term.has_places_of_others() && !term.transposed;
        let terms = || self.terms.iter().filter(is_needed);
        for term in terms() {
            let (rows, columns) = (&group_of[term.row..], &group_of[term.column..]);
            let mut last = (u32::MAX, u32::MAX);
            evaluator.part(term.part).visit_places(|_, i, j| {
                if !term.rows.contains(&i) || term.is_inactive(evaluator, i, j) {
                    return;
                }
                let pair = (rows[i - term.rows.start], columns[j]);
                if std::mem::replace(&mut last, pair) != pair {
                    pairs.add(pair.0, pair.1);
                }
            });
        }
        // entries in a column of a rotation reach all of its columns
        let is_split = |first: usize| group_of[first] != group_of[first + 2];
        if space.rotations().iter().any(|rotation| is_split(rotation.v)) {
            let rotation_of = rotations_of_velocities(space);
            for term in terms() {
                term.visit(
                    evaluator,
                    &rotation_of,
                    |TermEntry { row, column, block_row, .. }| {
                        let count = if block_row == NO_BLOCK { 1 } else { 3 };
                        for column in column..column + count {
                            pairs.add(group_of[row as usize], group_of[column as usize]);
                        }
                    },
                );
            }
        }
        GroupGraph::new(groups, &pairs.pairs)
    }

    /// The places of the matrix.
    pub fn pattern(&self, evaluator: &Evaluator) -> &Arc<Pattern> {
        self.patterns[usize::from(evaluator.has_velocity_tangent())].get_or_init(|| {
            let rotation_of = rotations_of_velocities(evaluator.space());
            let mut places = Vec::new();
            for term in self.terms.iter().filter(|term| !term.has_places_of_others()) {
                term.visit(
                    evaluator,
                    &rotation_of,
                    |TermEntry { row, column, block_row, .. }| {
                        let count = if block_row == NO_BLOCK { 1 } else { 3 };
                        places.extend((column..column + count).map(|column| (row, column)));
                    },
                );
            }
            Arc::new(Pattern::with_slots(self.layout.total(), places).0)
        })
    }

    /// The matrix with the values that an evaluator has.
    pub fn matrix<'a>(
        &'a self,
        evaluator: &'a Evaluator,
        factors: &'a TermCoefficients,
        blocks: &'a RotationBlocks,
    ) -> StageMatrix<'a> {
        StageMatrix { assembly: self, evaluator, factors, blocks, rotation_of: OnceCell::new() }
    }
}

/// A stage matrix: Σ factor · part · blocks.
pub(crate) struct StageMatrix<'a> {
    assembly: &'a Assembly,
    evaluator: &'a Evaluator,
    factors: &'a TermCoefficients,
    blocks: &'a RotationBlocks,
    rotation_of: OnceCell<Vec<Option<(u32, u8, u32)>>>,
}

impl StageMatrix<'_> {
    /// The values of the sum at the places of its pattern.
    pub fn sum_into(&self, values: &mut Vec<f64>) {
        let pattern = self.assembly.pattern(self.evaluator);
        values.clear();
        values.resize(pattern.nonzeros(), 0.0);
        let mut terms = [TermValues::default(); MAX_TERMS];
        self.fill_values(&mut terms);
        for (term, from) in terms.iter().enumerate().filter(|(_, term)| term.factor != 0.0) {
            let mut finder = SlotFinder::new(pattern);
            self.visit(term, |TermEntry { source, row, column, block_row }| {
                let value = from.factor * from.values[source as usize];
                let mut add = |column: u32, value: f64| {
                    values[finder.slot(row as usize, column as usize) as usize] += value;
                };
                if block_row == NO_BLOCK {
                    return add(column, value);
                }
                let (block, row) = (&from.blocks[block_row as usize / 4], block_row as usize % 4);
                (0..3).for_each(|k| add(column + k, value * block[(row, k as usize)]));
            });
        }
    }
}

impl MatrixTerms for StageMatrix<'_> {
    fn fill_values<'a>(&'a self, values: &mut [TermValues<'a>; MAX_TERMS]) {
        let Self { assembly, evaluator, factors, blocks, .. } = self;
        let factor = if assembly.inactive.is_empty() { 0.0 } else { 1.0 };
        values[0] = TermValues { factor, values: &[1.0], ..TermValues::default() };
        for (values, term) in values[1..].iter_mut().zip(&*assembly.terms) {
            let factor = (term.factor)(factors);
            if factor == 0.0 {
                continue;
            }
            *values = TermValues {
                factor,
                values: evaluator.part(term.part).values(),
                blocks: match term.through {
                    Through::TurningMotion => &blocks.rotations,
                    _ => &blocks.motion,
                },
                is_transposed: term.transposed,
            };
        }
    }

    fn visit(&self, term: usize, mut visit: impl FnMut(TermEntry)) {
        let Self { assembly, evaluator, rotation_of, .. } = self;
        let Some(term) = term.checked_sub(1) else {
            return assembly.inactive.iter().for_each(|&row| {
                visit(TermEntry { source: 0, row, column: row, block_row: NO_BLOCK });
            });
        };
        let rotation_of = rotation_of.get_or_init(|| rotations_of_velocities(evaluator.space()));
        assembly.terms[term].visit(evaluator, rotation_of, visit);
    }

    fn sum(&self) -> (Arc<Pattern>, Vec<f64>) {
        let mut values = Vec::new();
        self.sum_into(&mut values);
        (Arc::clone(self.assembly.pattern(self.evaluator)), values)
    }
}

/// For each velocity its rotation, its axis, and the first velocity of that rotation; `None` for plain coordinates.
fn rotations_of_velocities(space: &Space) -> Vec<Option<(u32, u8, u32)>> {
    let mut rotation_of = vec![None; space.velocities()];
    for (index, rotation) in space.rotations().iter().enumerate() {
        for i in 0..3 {
            rotation_of[rotation.v + i] = Some((index as u32, i as u8, rotation.v as u32));
        }
    }
    rotation_of
}

impl Term {
    /// Whether other terms have all its places: G ahead has those of G, and the columns of rotations in turned rows
    /// include those in rows that are not turned.
    fn has_places_of_others(&self) -> bool {
        let is_jacobian = self.part == SystemMatrix::Jacobian && !self.transposed;
        self.part == SystemMatrix::JacobianAhead
            || (is_jacobian && self.through == Through::Increment)
    }

    /// Whether an entry belongs to an inactive constraint.
    #[inline]
    fn is_inactive(&self, evaluator: &Evaluator, row: usize, column: usize) -> bool {
        !evaluator.inactive().is_empty()
            && match self.part {
                SystemMatrix::Jacobian
                | SystemMatrix::JacobianAhead
                | SystemMatrix::VelocityTangent => evaluator.is_inactive(row),
                SystemMatrix::ForceMultiplier | SystemMatrix::StateMultiplier => {
                    evaluator.is_inactive(column)
                }
                _ => false,
            }
    }

    /// Visits every entry.
    fn visit(
        &self,
        evaluator: &Evaluator,
        rotation_of: &[Option<(u32, u8, u32)>],
        mut visit: impl FnMut(TermEntry),
    ) {
        let entries: &SparseMatrix = evaluator.part(self.part);
        entries.visit_places(|source, i, j| {
            if !self.rows.contains(&i) || self.is_inactive(evaluator, i, j) {
                return;
            }
            let (i, j) = if self.transposed { (j, i) } else { (i - self.rows.start, j) };
            let (row, source) = ((self.row + i) as u32, source as u32);
            let turned = match self.through {
                Through::Increment => None,
                Through::Motion | Through::TurningMotion => rotation_of.get(j).copied().flatten(),
            };
            let (column, block_row) = match turned {
                Some((rotation, k, first)) => (first as usize, 4 * rotation + u32::from(k)),
                None => (j, NO_BLOCK),
            };
            let column = (self.column + column) as u32;
            visit(TermEntry { source, row, column, block_row });
        });
    }
}

/// The equations of a layout, linearized: one line per block.
fn terms(layout: &StageLayout) -> Vec<Term> {
    let sizes = layout.sizes;
    let (y, z, l) = (0, layout.states(), layout.multipliers());
    let n = l + sizes.holonomic;
    let holonomic = 0..sizes.holonomic;
    let nonholonomic = sizes.holonomic..sizes.constraints;
    let block = |row, column, part, factor: Factor| Term {
        part,
        factor,
        row,
        column,
        transposed: false,
        through: Through::Increment,
        rows: 0..usize::MAX,
    };
    let chart = |term: Term| Term { through: Through::Motion, ..term };
    let turning = |term: Term| Term { through: Through::TurningMotion, ..term };
    let transposed = |term: Term| Term { transposed: true, ..term };
    let only = |rows: &std::ops::Range<usize>, term: Term| Term { rows: rows.clone(), ..term };
    vec![
        // dynamics
        chart(block(y, y, SystemMatrix::Mass, |f| f.acceleration)),
        chart(block(y, y, SystemMatrix::Damping, |f| f.velocity)),
        block(y, y, SystemMatrix::MassTangent, |f| f.mass_position),
        block(y, y, SystemMatrix::Stiffness, |f| f.position),
        block(y, y, SystemMatrix::MultiplierTangent, |f| f.position),
        block(y, z, SystemMatrix::ForceState, |f| f.state),
        transposed(block(y, l, SystemMatrix::Jacobian, |_| 1.0)),
        block(y, l, SystemMatrix::ForceMultiplier, |f| f.force),
        // first-order states
        block(z, y, SystemMatrix::StateConfiguration, |f| f.position),
        chart(block(z, y, SystemMatrix::StateVelocity, |f| f.velocity)),
        block(z, z, SystemMatrix::State, |f| f.state),
        block(z, z, SystemMatrix::StateRate, |f| f.rate),
        block(z, l, SystemMatrix::StateMultiplier, |_| 1.0),
        // constraints
        only(&holonomic, block(l, y, SystemMatrix::Jacobian, |f| f.position_rows)),
        only(&holonomic, block(l, y, SystemMatrix::JacobianAhead, |f| f.position_rows_ahead)),
        only(&holonomic, turning(block(l, y, SystemMatrix::Jacobian, |f| f.acceleration_rows))),
        only(&nonholonomic, chart(block(n, y, SystemMatrix::Jacobian, |f| f.rows))),
        only(&nonholonomic, chart(block(n, y, SystemMatrix::JacobianAhead, |f| f.next_time_rows))),
        only(&nonholonomic, block(n, y, SystemMatrix::VelocityTangent, |f| f.velocity_rows)),
        // of d/dt (G v + b) the derivative with respect to v; that for q is of order h²
        only(
            &holonomic,
            chart(block(l, y, SystemMatrix::VelocityTangent, |f| {
                f.holonomic_acceleration_velocity
            })),
        ),
        only(
            &nonholonomic,
            chart(block(n, y, SystemMatrix::VelocityTangent, |f| f.acceleration_velocity)),
        ),
    ]
}
