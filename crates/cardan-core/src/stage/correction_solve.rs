//! The linear problem of one correction.

use super::StageMap;
use super::assembly::RotationBlocks;
use super::layout::StageLayout;
use crate::linalg::{LinearError, Solver};
use crate::system::{Evaluator, SystemMatrix};

/// The factorized stage matrix with its right-hand side, which becomes the correction.
pub struct CorrectionSolve<'a> {
    /// M, G and the other parts.
    pub evaluator: &'a Evaluator,
    /// The relation of q, v and a.
    pub map: &'a StageMap,
    /// The negative residual, then the correction.
    pub correction: &'a mut [f64],
    pub(super) solver: &'a mut Solver,
    pub(super) layout: StageLayout,
    pub(super) blocks: &'a RotationBlocks,
    /// The G of the constraint rows.
    pub(super) closing: SystemMatrix,
}

impl CorrectionSolve<'_> {
    /// Turns the right-hand side into the correction.
    pub fn solve(&mut self) -> Result<(), LinearError> {
        self.solver.solve(self.correction)
    }

    /// The part of the correction that changes λ.
    pub fn multipliers(&self) -> &[f64] {
        &self.correction[self.layout.multipliers()..]
    }
}
