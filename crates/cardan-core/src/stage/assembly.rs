//! The stage matrix as a sum of parts, each through a map of slots that is made when the term first differs from zero.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::layout::StageLayout;
use super::{ForceEvaluation, Formulation, StageMap};
use crate::linalg::{Pattern, SlotFinder, SparseMatrix};
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

/// The slots of one term.
struct SlotMap {
    /// The slot in the matrix of each entry of the part, if all of them are used and none is turned; then there are no
    /// others.
    every: Vec<u32>,
    /// (slot in the part, slot in the matrix).
    plain: Vec<(u32, u32)>,
    turned: Vec<TurnedEntry>,
}

/// An entry in a column of a rotation.
struct TurnedEntry {
    /// The slot in the part.
    source: u32,
    /// Four times the number of the rotation, plus the row of its block.
    row_of_block: u32,
    /// The slots of the three columns in the matrix.
    slots: [u32; 3],
}

/// Assembles the values of a stage matrix.
pub(crate) struct Assembly {
    pattern: Arc<Pattern>,
    /// The terms, and the slots of those that have been used: most formulations and methods need half of them.
    terms: Vec<(Term, OnceLock<SlotMap>)>,
    /// The diagonal of inactive constraints, whose equation is λ = 0.
    inactive: Vec<u32>,
}

impl Assembly {
    /// The pattern of a layout, which is the same for every formulation, and the maps that fill it.
    pub fn new(layout: &StageLayout, space: &Space, evaluator: &Evaluator) -> Self {
        let rotation_of = rotations_of_velocities(space);
        let terms = terms(layout);
        let mut places = Vec::new();
        // the last rotation in whose columns each row has places
        let mut turned = vec![u32::MAX; layout.total()];
        for term in terms.iter().filter(|term| !term.has_places_of_others()) {
            turned.fill(u32::MAX);
            term.visit(evaluator, &rotation_of, |_, row, columns, turn| {
                let is_new = turn.is_none_or(|(rotation, _)| {
                    std::mem::replace(&mut turned[row], rotation) != rotation
                });
                if is_new {
                    places.extend(columns.iter().map(|&column| (row as u32, column as u32)));
                }
            });
        }
        let pattern = Arc::new(Pattern::with_slots(layout.total(), places).0);
        let diagonal = |i: &usize| {
            let i = layout.multipliers() + i;
            pattern.slot(i, i).map_or(0, |slot| slot as u32)
        };
        let inactive = evaluator.inactive().iter().map(diagonal).collect();
        let terms = terms.into_iter().map(|term| (term, OnceLock::new())).collect();
        Self { pattern, terms, inactive }
    }

    /// An assembly of the same matrix, with maps of its own.
    pub fn another(&self) -> Self {
        let terms = self.terms.iter().map(|(term, _)| (term.clone(), OnceLock::new())).collect();
        Self { pattern: Arc::clone(&self.pattern), terms, inactive: self.inactive.clone() }
    }

    /// The pattern of the matrix.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// values = Σ factor · part · blocks.
    pub fn assemble(
        &self,
        evaluator: &Evaluator,
        factors: &TermCoefficients,
        blocks: &RotationBlocks,
        values: &mut Vec<f64>,
    ) {
        values.clear();
        values.resize(self.pattern.nonzeros(), 0.0);
        self.inactive.iter().for_each(|&slot| values[slot as usize] = 1.0);
        for (term, map) in &self.terms {
            let factor = (term.factor)(factors);
            if factor == 0.0 {
                continue;
            }
            let map = map.get_or_init(|| term.slots(evaluator, &self.pattern));
            let part = evaluator.part(term.part).values();
            for (&slot, x) in map.every.iter().zip(part) {
                values[slot as usize] += factor * x;
            }
            for &(source, slot) in &map.plain {
                values[slot as usize] += factor * part[source as usize];
            }
            let blocks = match term.through {
                Through::TurningMotion => &blocks.rotations,
                _ => &blocks.motion,
            };
            for &TurnedEntry { source, row_of_block, slots } in &map.turned {
                let value = factor * part[source as usize];
                let (block, row) = (&blocks[row_of_block as usize / 4], row_of_block as usize % 4);
                for (column, &slot) in slots.iter().enumerate() {
                    values[slot as usize] += value * block[(row, column)];
                }
            }
        }
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

    /// Visits every entry: `visit(source slot, row, columns, rotation)`.
    fn visit(
        &self,
        evaluator: &Evaluator,
        rotation_of: &[Option<(u32, u8, u32)>],
        mut visit: impl FnMut(u32, usize, &[usize], Option<(u32, u8)>),
    ) {
        let entries: &SparseMatrix = evaluator.part(self.part);
        for (source, &(i, j)) in entries.places().iter().enumerate() {
            let (i, j) = (i as usize, j as usize);
            let is_inactive = match self.part {
                SystemMatrix::Jacobian
                | SystemMatrix::JacobianAhead
                | SystemMatrix::VelocityTangent => evaluator.is_inactive(i),
                SystemMatrix::ForceMultiplier | SystemMatrix::StateMultiplier => {
                    evaluator.is_inactive(j)
                }
                _ => false,
            };
            if !self.rows.contains(&i) || is_inactive {
                continue;
            }
            let (i, j) = if self.transposed { (j, i) } else { (i - self.rows.start, j) };
            let (row, source) = (self.row + i, source as u32);
            let turned = match self.through {
                Through::Increment => None,
                Through::Motion | Through::TurningMotion => rotation_of.get(j).copied().flatten(),
            };
            match turned {
                Some((rotation, k, first)) => {
                    let first = self.column + first as usize;
                    let columns = [first, first + 1, first + 2];
                    visit(source, row, &columns, Some((rotation, k)));
                }
                None => visit(source, row, &[self.column + j], None),
            }
        }
    }

    /// The slots of its entries in the matrix.
    fn slots(&self, evaluator: &Evaluator, pattern: &Pattern) -> SlotMap {
        let rotation_of = rotations_of_velocities(evaluator.space());
        let mut finder = SlotFinder::new(pattern);
        let count = evaluator.part(self.part).places().len();
        let mut map = SlotMap { every: Vec::new(), plain: Vec::new(), turned: Vec::new() };
        match self.through {
            Through::Increment => map.plain.reserve_exact(count),
            Through::Motion | Through::TurningMotion => map.turned.reserve_exact(count),
        }
        self.visit(evaluator, &rotation_of, |source, row, columns, turn| match (turn, columns) {
            (Some((rotation, i)), &[x, y, z]) => {
                let slots = [x, y, z].map(|column| finder.slot(row, column));
                let row_of_block = 4 * rotation + u32::from(i);
                map.turned.push(TurnedEntry { source, row_of_block, slots });
            }
            _ => columns.iter().for_each(|&column| {
                map.plain.push((source, finder.slot(row, column)));
            }),
        });
        if map.plain.len() == count {
            map.every = map.plain.iter().map(|&(_, slot)| slot).collect();
            map.plain = Vec::new();
        }
        map.plain.shrink_to_fit();
        map.turned.shrink_to_fit();
        map
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
