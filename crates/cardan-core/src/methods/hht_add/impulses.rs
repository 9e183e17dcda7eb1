//! Constraints that act by two impulses per step, R₁ = −M⁻¹G(q)ᵀψ₁ before and R₂ = −M⁻¹G(q₊)ᵀψ₂ after:
//!
//! ```text
//! p = f + κ_q [(1 − b) R₁ + b R₂],   x = f + κ_v (R₁ + R₂),   M f = Q
//! ```
//! The multipliers of the stage are ν = κ_q [(1 − b) ψ₁ + b ψ₂] for the positions and σ = κ_v (ψ₁ + ψ₂) for
//! the velocities; a nonholonomic row has one ψ for both impulses.

use crate::linalg::{LinearError, Solver};
use crate::math::add_scaled;
use crate::stage::SaddlePointSolver;
use crate::stage::{
    ConstraintForces, CorrectionSolve, Iterate, StageMap, Unknowns, VelocityCorrector,
};
use crate::system::{Evaluator, SystemMatrix};

/// The weights of the impulses in positions and velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shares {
    /// The weight b of the second impulse in the positions; not one half.
    pub second: f64,
    /// κ_q.
    pub position: f64,
    /// κ_v.
    pub velocity: f64,
}

impl Shares {
    /// The weights of the first and the second impulse in the positions.
    fn both(&self) -> [f64; 2] {
        [self.position * (1.0 - self.second), self.position * self.second]
    }

    /// ψ₁ and ψ₂ of a row.
    fn split(&self, nu: f64, sigma: Option<&f64>) -> [f64; 2] {
        let Self { second: b, position, velocity } = *self;
        let (nu, difference) = (nu / position, 1.0 - 2.0 * b);
        match sigma {
            Some(sigma) => {
                let sigma = sigma / velocity;
                [(nu - b * sigma) / difference, ((1.0 - b) * sigma - nu) / difference]
            }
            None => [nu, nu],
        }
    }
}

/// The constraint forces of two impulses per step.
pub(super) struct Impulses {
    shares: Shares,
    velocities: VelocityCorrector,
    mass: SaddlePointSolver,
    mass_is_constant: bool,
    is_factorized: bool,
    psi: Vec<f64>,
    /// The part of the multipliers whose direction depends on q₊: κ_q b ψ₂.
    turning: Vec<f64>,
    /// −M R₁ and −M R₂.
    first: Vec<f64>,
    second: Vec<f64>,
    /// −R₁, if M is not constant.
    back: Vec<f64>,
    /// f minus the part of R₁, whose inertia changes with q₊.
    free: Vec<f64>,
}

impl Impulses {
    pub fn new(evaluator: &Evaluator, shares: Shares) -> Self {
        let (space, sizes) = (evaluator.space(), evaluator.sizes());
        let (jacobian, mass) =
            (evaluator.part(SystemMatrix::Jacobian), evaluator.part(SystemMatrix::Mass));
        let zeros = || vec![0.0; sizes.v];
        Self {
            shares,
            velocities: VelocityCorrector::new(evaluator),
            mass: SaddlePointSolver::with_mass(space, jacobian, 0, mass),
            mass_is_constant: evaluator.mass_is_constant(),
            is_factorized: false,
            psi: vec![0.0; sizes.constraints],
            turning: vec![0.0; sizes.constraints],
            first: zeros(),
            second: zeros(),
            back: zeros(),
            free: zeros(),
        }
    }

    /// Begins a step, with M and G evaluated at its start: replaces `force` by M⁻¹ `force`.
    pub fn begin_step(
        &mut self,
        evaluator: &Evaluator,
        force: &mut [f64],
    ) -> Result<(), LinearError> {
        self.factorize(evaluator)?;
        let (free, _) = self.mass.solve(|i| force[i], |_| 0.0)?;
        force.copy_from_slice(free);
        Ok(())
    }

    /// Factorizes the evaluated M, only once if it is constant.
    fn factorize(&mut self, evaluator: &Evaluator) -> Result<(), LinearError> {
        if self.is_factorized {
            return Ok(());
        }
        let (mass, jacobian) =
            (evaluator.part(SystemMatrix::Mass), evaluator.part(SystemMatrix::Jacobian));
        self.mass.factorize_with_mass(mass, |_| 0.0, jacobian, |_| 0.0)?;
        self.is_factorized = self.mass_is_constant;
        Ok(())
    }

    /// M R₁ and M R₂ of the current multipliers.
    fn evaluate(&mut self, at: &Iterate<'_>) -> Result<(), LinearError> {
        let (shares, evaluator) = (self.shares, at.evaluator);
        let Unknowns { multipliers: nu, stabilization_multipliers: sigma, .. } = at.unknowns;
        for (i, psi) in self.psi.iter_mut().enumerate() {
            *psi = shares.split(nu[i], sigma.get(i))[0];
        }
        self.first.fill(0.0);
        let jacobian = evaluator.part(SystemMatrix::Jacobian);
        jacobian.transpose_multiply_add(1.0, &self.psi, &mut self.first);
        if !self.mass_is_constant {
            let first = &self.first;
            let (motion, _) = self.mass.solve(|i| first[i], |_| 0.0)?;
            self.back.copy_from_slice(motion);
            self.first.fill(0.0);
            evaluator.part(SystemMatrix::Mass).multiply_add(1.0, &self.back, &mut self.first);
        }
        for (i, psi) in self.psi.iter_mut().enumerate() {
            *psi = shares.split(nu[i], sigma.get(i))[1];
            self.turning[i] = shares.position * shares.second * *psi;
        }
        self.second.fill(0.0);
        let jacobian = evaluator.part(SystemMatrix::JacobianAhead);
        jacobian.transpose_multiply_add(1.0, &self.psi, &mut self.second);
        Ok(())
    }

    /// Adds to the link the effect of the corrected multipliers of the positions that is not along G(q₊)ᵀ: the first
    /// impulse acts along G(q)ᵀ, and nonholonomic rows act by both impulses.
    fn add_position_multipliers(&mut self, linear: &CorrectionSolve<'_>) {
        let Shares { second, position, velocity } = self.shares;
        if second != 0.0 {
            return;
        }
        let link = &mut self.velocities.link;
        let holonomic = self.velocities.multipliers.len();
        let rest = position - velocity;
        for (psi, nu) in self.psi.iter_mut().zip(linear.multipliers()) {
            *psi = nu / position;
        }
        linear.evaluator.part(SystemMatrix::Jacobian).transpose_multiply_add(rest, &self.psi, link);
        for (i, psi) in self.psi.iter_mut().enumerate() {
            *psi *= if i < holonomic { rest } else { velocity };
        }
        let ahead = linear.evaluator.part(SystemMatrix::JacobianAhead);
        ahead.transpose_multiply_add(-1.0, &self.psi, link);
    }
}

impl ConstraintForces for Impulses {
    /// Adds −κ_q [(1 − b) M R₁ + b M R₂].
    fn add(&mut self, at: &Iterate<'_>, rows: &mut [f64]) -> Result<(), LinearError> {
        let computed = self.evaluate(at);
        let shares = self.shares.both();
        self.free.copy_from_slice(&at.unknowns.p);
        add_scaled(shares[0], &self.back, &mut self.free);
        add_scaled(shares[0], &self.first, rows);
        add_scaled(shares[1], &self.second, rows);
        computed
    }

    fn solve(&mut self, linear: &mut CorrectionSolve<'_>) -> Result<(), LinearError> {
        linear.solve()?;
        self.add_position_multipliers(linear);
        self.velocities.solve(linear)?;
        // impulses change velocities by the total effect of the constraints in a step
        self.velocities.add_damping_feedback(linear)
    }

    fn correct(&mut self, _map: &StageMap, multipliers: &[f64], unknowns: &mut Unknowns) {
        add_scaled(-1.0, &self.velocities.multipliers, &mut unknowns.stabilization_multipliers);
        // σ is the sum of both multipliers, ν their weighted mean
        let holonomic = unknowns.stabilization_multipliers.len();
        add_scaled(1.0, &multipliers[..holonomic], &mut unknowns.stabilization_multipliers);
        add_scaled(1.0, &self.velocities.motion, &mut unknowns.x);
    }

    fn velocities(&mut self) -> Option<&mut VelocityCorrector> {
        Some(&mut self.velocities)
    }

    fn add_link(&mut self, _at: &Iterate<'_>) {
        let shares = self.shares.both();
        let link = &mut self.velocities.link;
        add_scaled(shares[0] - self.shares.velocity, &self.first, link);
        add_scaled(shares[1] - self.shares.velocity, &self.second, link);
    }

    fn tangent_vectors<'a>(&'a self, _a: &'a [f64], _multipliers: &'a [f64]) -> [&'a [f64]; 2] {
        [&self.free, &self.turning]
    }

    fn acts_within_step(&self) -> bool {
        true
    }

    fn prepare(&mut self, evaluator: &Evaluator) -> Result<(), LinearError> {
        self.velocities.prepare(evaluator);
        self.factorize(evaluator)
    }

    fn invalidate_factors(&mut self) {
        self.is_factorized = false;
    }

    fn visit_solvers(&mut self, visit: &mut dyn FnMut(&mut Solver)) {
        visit(self.velocities.solver_mut());
        visit(self.mass.solver_mut());
    }
}
