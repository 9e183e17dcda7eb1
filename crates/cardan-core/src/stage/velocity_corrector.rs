//! Velocities as separate unknowns, which enforce Φ̇ = 0 in addition to Φ = 0: a second solve with [M Gᵀ; G 0],
//! of the same size as the first.
//!
//! The velocity v = v* + c_v x differs from the one of the positions by a motion along M⁻¹Gᵀ. A Newton
//! correction is the one of position constraints, followed by
//!
//! ```text
//! M δw − Gᵀ δμ = −L,   G δw = (G v + b)/c_v + (G S + c_q/c_v ∂(G v + b)/∂q) δy,   δx = S δy − δw
//! ```
//! with the defect L of the link. The velocities act back on the positions only through damping and
//! terms of the order of the step size, for every stiffness, so that two small solves replace one with twice
//! the unknowns. Stabilized stages have L = M (κ(p) − x) − Gᵀμ and the dynamics M a(x) + Gᵀλ = f; a method may
//! have another L (`hht-add`).

use super::assembly::RotationBlocks;
use super::correction_solve::CorrectionSolve;
use super::layout::StageLayout;
use super::saddle::SaddlePointSolver;
use crate::linalg::{LinearError, Solver};
use crate::math::{add_scaled, largest};
use crate::system::{Evaluator, Space, SystemMatrix};

/// The factors of the positions are used if δw shrinks at least by this from one iteration to the next:
/// the remaining w, of the order of the step size, is then below the square of it.
const NEAR: f64 = 0.05;
/// A δw below this part of δx is round-off, and need not shrink.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

/// The second solve with its vectors.
pub struct VelocityCorrector {
    saddle: SaddlePointSolver,
    /// (G v + b)/c_v of all rows.
    pub(super) rows: Vec<f64>,
    /// L.
    pub link: Vec<f64>,
    /// S δy, then δx.
    pub motion: Vec<f64>,
    right: Vec<f64>,
    /// δw, then the vector computed from it.
    moved: Vec<f64>,
    /// Unknowns of the first matrix.
    shared: Vec<f64>,
    /// −δμ.
    pub multipliers: Vec<f64>,
    /// Whether the factors of the positions cannot be used in this stage.
    has_own_factors: bool,
    is_factorized: bool,
    /// The largest part of the last δw by the factors of the positions.
    size: f64,
}

impl VelocityCorrector {
    /// A corrector for the system of an evaluator.
    pub fn new(evaluator: &Evaluator) -> Self {
        let (sizes, mass) = (evaluator.sizes(), evaluator.part(SystemMatrix::Mass));
        Self {
            saddle: SaddlePointSolver::of_active_rows(evaluator, sizes.holonomic, mass),
            rows: vec![0.0; sizes.constraints],
            link: vec![0.0; sizes.v],
            motion: vec![0.0; sizes.v],
            right: vec![0.0; sizes.constraints],
            moved: vec![0.0; sizes.v],
            shared: vec![0.0; StageLayout { sizes }.total()],
            multipliers: vec![0.0; sizes.holonomic],
            has_own_factors: false,
            is_factorized: false,
            size: f64::INFINITY,
        }
    }

    /// The linear solver.
    pub fn solver_mut(&mut self) -> &mut Solver {
        self.saddle.solver_mut()
    }

    /// Chooses pivots; if the matrix is singular, the error is reported by the first solve.
    pub fn prepare(&mut self, evaluator: &Evaluator) {
        let (mass, jacobian) =
            (evaluator.part(SystemMatrix::Mass), evaluator.part(SystemMatrix::Jacobian));
        let _ =
            self.saddle.factorize_with_mass(mass, |_| 0.0, jacobian, |i| evaluator.compliance(i));
    }

    /// Starts a new stage.
    pub(super) fn begin(&mut self) {
        (self.has_own_factors, self.is_factorized, self.size) = (false, false, f64::INFINITY);
    }

    /// Called when M and G have changed.
    pub(super) fn renew(&mut self) {
        self.is_factorized = false;
    }

    /// Turns the correction of the positions into that of x, which stays in `motion`, and leaves −δμ in
    /// `multipliers`; returns whether the factors of the positions could not be used.
    pub fn solve(&mut self, linear: &mut CorrectionSolve<'_>) -> Result<bool, LinearError> {
        let CorrectionSolve { evaluator, map, .. } = *linear;
        let y = &linear.correction[..self.link.len()];
        turn(evaluator.space(), linear.blocks, y, &mut self.motion);
        self.right.copy_from_slice(&self.rows);
        let (mass, jacobian) = (evaluator.part(SystemMatrix::Mass), evaluator.part(linear.closing));
        jacobian.multiply_add(1.0, &self.motion, &mut self.right);
        let tangent = evaluator.part(SystemMatrix::VelocityTangent);
        tangent.multiply_add(map.c_q / map.c_v, y, &mut self.right);
        if !self.has_own_factors && self.solve_with_position_factors(linear)? {
            return Ok(false);
        }
        self.has_own_factors = true;
        if !self.is_factorized {
            self.saddle.factorize_with_mass(
                mass,
                |_| 0.0,
                jacobian,
                |i| evaluator.compliance(i),
            )?;
            self.is_factorized = true;
        }
        let (link, right) = (&self.link, &self.right);
        let (w, mu) = self.saddle.solve(|i| -link[i], |i| right[i])?;
        self.moved.copy_from_slice(w);
        add_scaled(-1.0, w, &mut self.motion);
        self.multipliers.copy_from_slice(mu);
        Ok(true)
    }

    /// Adds the effect of the velocities on the positions: the damping force of the last δw is solved for with
    /// the factors of the positions and added to both.
    pub fn add_damping_feedback(
        &mut self,
        linear: &mut CorrectionSolve<'_>,
    ) -> Result<(), LinearError> {
        let n = self.moved.len();
        self.shared.fill(0.0);
        let damping = linear.evaluator.part(SystemMatrix::Damping);
        damping.multiply_add(linear.map.c_v, &self.moved, &mut self.shared[..n]);
        linear.solver.solve(&mut self.shared)?;
        add_scaled(1.0, &self.shared, linear.correction);
        turn(linear.evaluator.space(), linear.blocks, &self.shared[..n], &mut self.moved);
        add_scaled(1.0, &self.moved, &mut self.motion);
        Ok(())
    }

    /// Solves with the factors of the positions; `false` if those are too far from the second matrix, so
    /// that corrections shrink slowly.
    fn solve_with_position_factors(
        &mut self,
        linear: &mut CorrectionSolve<'_>,
    ) -> Result<bool, LinearError> {
        let CorrectionSolve { map, layout, solver, .. } = linear;
        let (n, at) = (layout.sizes.v, layout.multipliers());
        if layout.sizes.holonomic < layout.sizes.constraints {
            return Ok(false);
        }
        let Self { shared, link, right, .. } = self;
        shared.fill(0.0);
        // rows of accelerations are c_a times those of the link
        shared.iter_mut().zip(&*link).for_each(|(row, link)| *row = -map.c_a * link);
        shared[at..].copy_from_slice(right);
        solver.solve(shared)?;
        let size = largest(&shared[..n]);
        if size > NEAR * self.size && size > ROUND_OFF * largest(&self.motion) {
            return Ok(false);
        }
        self.size = size;
        self.moved.copy_from_slice(&shared[..n]);
        add_scaled(-1.0, &shared[..n], &mut self.motion);
        let multipliers = self.multipliers.iter_mut().zip(&shared[at..]);
        multipliers.for_each(|(mu, solved)| *mu = solved / map.c_a);
        Ok(true)
    }
}

/// out = S y.
fn turn(space: &Space, blocks: &RotationBlocks, y: &[f64], out: &mut [f64]) {
    out.copy_from_slice(y);
    for (rotation, block) in space.rotations().iter().zip(&blocks.motion) {
        rotation.set_tangent(out, &(block * rotation.tangent(y)));
    }
}
