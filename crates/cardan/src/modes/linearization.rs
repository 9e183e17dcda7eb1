//! The linear equations of small motions about an instant, in the axes of an observer.
//!
//! An observer may turn with Ω. The displacement or rotation ξ in the observer's axes follows from
//! ```text
//! δx = ξ,      δv = ξ̇ + Ω × ξ,          δa = ξ̈ + 2 Ω × ξ̇ + Ω × (Ω × ξ)
//! δθ = Rᵀ ξ,   δω = Rᵀ (ξ̇ + Ω × ξ),     δω̇ = Rᵀ (ξ̈ + (2Ω − ω) × ξ̇ + (Ω − ω) × (Ω × ξ))
//! ```
//! with ω the world's angular velocity of the body: in its own axes a rotor's whirl, or a blade's
//! swinging, has constant coefficients.

use super::error::ModesError;
use super::states::StateEquations;
use crate::model::RotatingObserver;
use cardan_core::linalg::{Group, SparseMatrix};
use cardan_core::math::{Matrix3, Vector3, hat};
use cardan_core::stage::coordinate_groups;
use cardan_core::state::Instant;
use cardan_core::system::{Evaluator, StateView, System, SystemMatrix, check_instant};

/// M ξ̈ + D ξ̇ + K ξ + Gᵀ μ + F ζ = 0 with G ξ = 0 for holonomic rows, and N ξ̇ + P ξ = 0 for the others.
#[derive(Clone, Debug)]
pub struct Linearization {
    /// M.
    pub mass: SparseMatrix,
    /// D, with gyroscopic terms.
    pub damping: SparseMatrix,
    /// K, with the stiffness of loads and constraint forces.
    pub stiffness: SparseMatrix,
    /// G of the active rows: holonomic ones, then nonholonomic ones.
    pub jacobian: SparseMatrix,
    /// Gᵀ, and the terms of friction.
    pub reactions: SparseMatrix,
    /// P, for the nonholonomic rows only.
    pub rates: SparseMatrix,
    /// The equations of the first-order states ζ, and F.
    pub states: StateEquations,
    /// Number of active holonomic rows.
    pub holonomic: usize,
    /// The active rows by their number in the system, and how many rows it has.
    pub(super) rows: Vec<usize>,
    pub(super) all_rows: usize,
    /// Blocks (first velocity, rotation from world to body) that turn ξ into the axes of the velocities.
    pub(crate) turns: Vec<(usize, Matrix3)>,
    /// Bodies and constraints, for the order of elimination.
    pub(crate) groups: Vec<Group>,
    /// Where ξ is not simply a coordinate.
    pub(super) blocks: Vec<Block>,
    /// Where rotations begin among the velocities.
    pub(super) rotations: Vec<usize>,
    /// The sizes of all terms that K is the sum of: its round-off is a part of these, even if they cancel.
    pub(super) magnitude: SparseMatrix,
    /// The relative precision of the terms of K.
    pub(super) precision: f64,
}

/// The relative precision of K by numerical differences.
const DIFFERENCED: f64 = 1e-9;

#[derive(Clone, Debug)]
pub(super) struct Block {
    first: usize,
    size: usize,
    /// δq = B ξ.
    base: Matrix3,
    /// δv = B ξ̇ + W ξ.
    carry: Matrix3,
    /// δa = B ξ̈ + C₁ ξ̇ + C₀ ξ.
    first_rate: Matrix3,
    zeroth: Matrix3,
}

/// Σ of products of sparse matrices with block diagonal ones.
struct Sum<'a> {
    n: usize,
    blocks: &'a [Block],
    /// Which block a coordinate belongs to.
    owner: Vec<Option<u32>>,
}

impl Sum<'_> {
    /// (column, factor) that column j of a matrix becomes when it is multiplied by a block matrix.
    fn columns(
        &self,
        j: usize,
        which: fn(&Block) -> &Matrix3,
        plain: f64,
        mut each: impl FnMut(usize, f64),
    ) {
        match self.owner[j] {
            None => {
                if plain != 0.0 {
                    each(j, plain);
                }
            }
            Some(b) => {
                let block = &self.blocks[b as usize];
                let row = j - block.first;
                for column in 0..block.size {
                    let factor = which(block)[(row, column)];
                    if factor != 0.0 {
                        each(block.first + column, factor);
                    }
                }
            }
        }
    }

    /// out += Bᵀ A X for a block matrix X that is `plain` where there are no blocks.
    fn add(
        &self,
        a: &SparseMatrix,
        which: fn(&Block) -> &Matrix3,
        plain: f64,
        out: &mut SparseMatrix,
    ) {
        for (i, j, x) in a.iter() {
            self.columns(j, which, plain, |j, factor| {
                // rows: Bᵀ
                self.columns(
                    i,
                    |block| &block.base,
                    1.0,
                    |i, other| out.add(i, j, other * x * factor),
                );
            });
        }
    }

    /// out += |Bᵀ| |A| |X|.
    fn add_size(
        &self,
        a: &SparseMatrix,
        which: fn(&Block) -> &Matrix3,
        plain: f64,
        out: &mut SparseMatrix,
    ) {
        for (i, j, x) in a.iter() {
            self.columns(j, which, plain, |j, factor| {
                self.columns(
                    i,
                    |block| &block.base,
                    1.0,
                    |i, other| out.add(i, j, (other * x * factor).abs()),
                );
            });
        }
    }

    /// out += A X, rows as they are.
    fn add_rows(
        &self,
        a: &SparseMatrix,
        rows: impl Fn(usize) -> Option<usize>,
        which: fn(&Block) -> &Matrix3,
        plain: f64,
        out: &mut SparseMatrix,
    ) {
        for (i, j, x) in a.iter() {
            if let Some(i) = rows(i) {
                self.columns(j, which, plain, |j, factor| out.add(i, j, x * factor));
            }
        }
    }

    fn square(&self, write: impl FnOnce(&mut SparseMatrix)) -> SparseMatrix {
        SparseMatrix::written(self.n, self.n, write)
    }
}

impl Linearization {
    /// The equations of small motions about an instant. An error if the instant is not one of the system,
    /// if the observer was made for another one, or if a matrix is not finite.
    pub fn new(
        system: &dyn System,
        at: &Instant,
        observer: &RotatingObserver,
    ) -> Result<Self, ModesError> {
        check_instant(system, at)?;
        if !observer.fits(at.v.len()) {
            return Err(ModesError::Observer);
        }
        let point = StateView::from(at);
        let mut evaluator = Evaluator::at_instant(system, at)?;
        evaluator.mass(system, &at.q)?;
        evaluator.mass_tangent(system, &at.q, &at.a)?;
        evaluator.force_tangent(system, &point)?;
        evaluator.jacobian(system, at.t, &at.q)?;
        evaluator.multiplier_tangent(system, at.t, &at.q, &at.multipliers)?;
        evaluator.velocity_tangent(system, at.t, &at.q, &at.v)?;
        evaluator.state_tangent(system, &point, &at.rates)?;
        let (n, sizes) = (at.v.len(), evaluator.sizes());
        let blocks = blocks(&evaluator, at, observer);
        let mut owner = vec![None; n];
        for (b, block) in blocks.iter().enumerate() {
            owner[block.first..block.first + block.size].fill(Some(b as u32));
        }
        let sum = Sum { n, blocks: &blocks, owner };
        let base: fn(&Block) -> &Matrix3 = |block| &block.base;
        let (mass, damping) =
            (evaluator.part(SystemMatrix::Mass), evaluator.part(SystemMatrix::Damping));
        let own =
            [SystemMatrix::Stiffness, SystemMatrix::MassTangent, SystemMatrix::MultiplierTangent];
        let own = own.map(|part| evaluator.part(part));
        let constant = evaluator.mass_is_constant();
        let jacobian = evaluator.part(SystemMatrix::Jacobian);
        let friction = evaluator.part(SystemMatrix::ForceMultiplier);
        let velocity = evaluator.part(SystemMatrix::VelocityTangent);
        // the active rows, and where each row is among them
        let rows: Vec<usize> =
            (0..sizes.constraints).filter(|row| !evaluator.is_inactive(*row)).collect();
        let mut place = vec![None; sizes.constraints];
        rows.iter().enumerate().for_each(|(k, &row)| place[row] = Some(k));
        let holonomic = rows.iter().filter(|row| **row < sizes.holonomic).count();
        let (m, active) = (rows.len(), |i: usize| place[i]);
        let loose = |i: usize| place[i]?.checked_sub(holonomic);
        let tangents = [
            SystemMatrix::Stiffness,
            SystemMatrix::MassTangent,
            SystemMatrix::MultiplierTangent,
            SystemMatrix::Damping,
        ];
        let analytic = tangents.iter().all(|part| evaluator.is_analytic(*part));
        let found = Self {
            mass: sum.square(|out| sum.add(mass, base, 1.0, out)),
            damping: sum.square(|out| {
                sum.add(damping, base, 1.0, out);
                sum.add(mass, |block| &block.first_rate, 0.0, out);
            }),
            stiffness: sum.square(|out| {
                for (k, part) in own.iter().enumerate() {
                    if k != 1 || !constant {
                        sum.add(part, base, 1.0, out);
                    }
                }
                sum.add(damping, |block| &block.carry, 0.0, out);
                sum.add(mass, |block| &block.zeroth, 0.0, out);
            }),
            magnitude: sum.square(|out| {
                for (k, part) in own.iter().enumerate() {
                    if k != 1 || !constant {
                        sum.add_size(part, base, 1.0, out);
                    }
                }
                sum.add_size(damping, |block| &block.carry, 0.0, out);
                sum.add_size(mass, |block| &block.zeroth, 0.0, out);
            }),
            precision: if analytic { f64::EPSILON } else { DIFFERENCED },
            jacobian: SparseMatrix::written(m, n, |out| {
                sum.add_rows(jacobian, active, base, 1.0, out)
            }),
            reactions: SparseMatrix::written(n, m, |out| {
                for (i, j, x) in jacobian.iter() {
                    let Some(i) = place[i] else { continue };
                    sum.columns(j, base, 1.0, |j, factor| out.add(j, i, x * factor));
                }
                for (i, j, x) in friction.iter() {
                    let Some(j) = place[j] else { continue };
                    sum.columns(i, base, 1.0, |i, factor| out.add(i, j, x * factor));
                }
            }),
            rates: SparseMatrix::written(m - holonomic, n, |out| {
                sum.add_rows(velocity, loose, base, 1.0, out);
                sum.add_rows(jacobian, loose, |block| &block.carry, 0.0, out);
            }),
            states: state_equations(system, &evaluator, &sum, &place, m),
            holonomic,
            turns: blocks
                .iter()
                .filter(|block| block.base != Matrix3::identity())
                .map(|block| (block.first, block.base))
                .collect(),
            groups: coordinate_groups(
                evaluator.space(),
                &SparseMatrix::written(m, n, |out| {
                    jacobian.iter().for_each(|(i, j, x)| {
                        if let Some(i) = place[i] {
                            out.add(i, j, x);
                        }
                    });
                }),
            ),
            all_rows: sizes.constraints,
            rows,
            rotations: evaluator.space().rotations().iter().map(|x| x.v).collect(),
            blocks,
        };
        if !found.is_finite() {
            return Err(ModesError::NotFinite);
        }
        found.states.check_rates()?;
        Ok(found)
    }

    /// Whether all entries of the matrices are finite.
    fn is_finite(&self) -> bool {
        let matrices = [
            &self.mass,
            &self.damping,
            &self.stiffness,
            &self.jacobian,
            &self.reactions,
            &self.rates,
        ];
        let all = matrices.into_iter().chain(self.states.matrices());
        all.flat_map(|matrix| matrix.values()).all(|x| x.is_finite())
    }

    /// Whether the sizes of the matrices fit each other; they may not if the caller has replaced one.
    pub(super) fn is_consistent(&self) -> bool {
        let (n, m) = (self.size(), self.jacobian.rows());
        let is = |a: &SparseMatrix, rows: usize, columns: usize| {
            (a.rows(), a.columns()) == (rows, columns)
        };
        is(&self.mass, n, n)
            && is(&self.damping, n, n)
            && is(&self.stiffness, n, n)
            && is(&self.magnitude, n, n)
            && is(&self.jacobian, m, n)
            && is(&self.reactions, n, m)
            && self.holonomic <= m
            && is(&self.rates, m - self.holonomic.min(m), n)
            && self.states.is_consistent(n, m)
            && self.is_finite()
    }

    /// How many coordinates there are.
    pub fn size(&self) -> usize {
        self.mass.rows()
    }

    /// δq and δv of a motion with ξ and ξ̇.
    pub(crate) fn motion(&self, xi: &[f64], rate: &[f64]) -> [Vec<f64>; 2] {
        let (mut dq, mut dv) = (xi.to_vec(), rate.to_vec());
        for block in &self.blocks {
            for i in 0..block.size {
                let sum = |of: &Matrix3, x: &[f64]| -> f64 {
                    (0..block.size).map(|j| of[(i, j)] * x[block.first + j]).sum()
                };
                dq[block.first + i] = sum(&block.base, xi);
                dv[block.first + i] = sum(&block.base, rate) + sum(&block.carry, xi);
            }
        }
        [dq, dv]
    }

    /// δa of a motion with ξ, ξ̇ and ξ̈.
    pub(crate) fn acceleration(&self, xi: &[f64], rate: &[f64], second: &[f64]) -> Vec<f64> {
        let mut da = second.to_vec();
        for block in &self.blocks {
            for i in 0..block.size {
                let sum = |of: &Matrix3, x: &[f64]| -> f64 {
                    (0..block.size).map(|j| of[(i, j)] * x[block.first + j]).sum()
                };
                da[block.first + i] = sum(&block.base, second)
                    + sum(&block.first_rate, rate)
                    + sum(&block.zeroth, xi);
            }
        }
        da
    }
}

/// The equations of the first-order states in the axes of the observer; `place` has the places of the m active rows.
fn state_equations(
    system: &dyn System,
    evaluator: &Evaluator,
    sum: &Sum<'_>,
    place: &[Option<usize>],
    m: usize,
) -> StateEquations {
    let z = evaluator.sizes().z;
    if z == 0 {
        return StateEquations::default();
    }
    let base: fn(&Block) -> &Matrix3 = |block| &block.base;
    let velocity = evaluator.part(SystemMatrix::StateVelocity);
    let copy = |part: SystemMatrix| {
        SparseMatrix::written(z, z, |out| {
            evaluator.part(part).iter().for_each(|(i, j, x)| out.add(i, j, x));
        })
    };
    StateEquations {
        force: SparseMatrix::written(sum.n, z, |out| {
            for (i, j, x) in evaluator.part(SystemMatrix::ForceState).iter() {
                sum.columns(i, base, 1.0, |i, factor| out.add(i, j, x * factor));
            }
        }),
        configuration: SparseMatrix::written(z, sum.n, |out| {
            let configuration = evaluator.part(SystemMatrix::StateConfiguration);
            sum.add_rows(configuration, Some, base, 1.0, out);
            sum.add_rows(velocity, Some, |block| &block.carry, 0.0, out);
        }),
        velocity: SparseMatrix::written(z, sum.n, |out| {
            sum.add_rows(velocity, Some, base, 1.0, out);
        }),
        state: copy(SystemMatrix::State),
        rate: copy(SystemMatrix::StateRate),
        multipliers: SparseMatrix::written(z, m, |out| {
            for (i, j, x) in evaluator.part(SystemMatrix::StateMultiplier).iter() {
                if let Some(j) = place[j] {
                    out.add(i, j, x);
                }
            }
        }),
        names: (0..z).map(|i| system.state_name(i)).collect(),
    }
}

/// The blocks that are not plain coordinates.
fn blocks(evaluator: &Evaluator, at: &Instant, observer: &RotatingObserver) -> Vec<Block> {
    let spin = hat(&observer.spin);
    let mut all = Vec::new();
    if observer.spin != Vector3::zeros() {
        // in the plane everything turns about z
        let planar = hat(&Vector3::new(0.0, 0.0, observer.spin.z));
        let mut add = |first: usize, size: usize, spin: &Matrix3| {
            let base = Matrix3::identity();
            let (carry, first_rate, zeroth) = (*spin, 2.0 * spin, spin * spin);
            all.push(Block { first, size, base, carry, first_rate, zeroth });
        };
        observer.places.iter().for_each(|&first| add(first, 3, &spin));
        observer.planar_places.iter().for_each(|&first| add(first, 2, &planar));
    }
    for rotation in evaluator.space().rotations() {
        let back = rotation.of(&at.q).to_matrix().transpose();
        // the angular velocity in world axes
        let omega = hat(&back.tr_mul(&rotation.tangent(&at.v)));
        all.push(Block {
            first: rotation.v,
            size: 3,
            base: back,
            carry: back * spin,
            first_rate: back * (2.0 * spin - omega),
            zeroth: back * (spin - omega) * spin,
        });
    }
    all.sort_by_key(|block| block.first);
    all
}
