//! What enforces Φ̇ = 0 beside Φ = 0: a second solve with [M Gᵀ; G 0], as large as the first.
//!
//! The velocity has an unknown x of its own, v = v* + c_v x, and differs from what the positions say
//! by a motion along M⁻¹Gᵀ. In both forms a Newton correction is the one of position constraints,
//! followed by
//!
//! ```text
//! M δw − Gᵀ δμ = −L,   G δw = (G v + b)/c_v + (G S + c_q/c_v ∂(G v + b)/∂q) δy,   δx = S δy − δw
//! ```
//! with the defect L of the link. The velocities act back on the positions only through damping and
//! terms of the size of a step, whatever the stiffness, so that two small solves replace one with twice
//! the unknowns.
//!
//! * **stabilized**: L = M (κ(p) − x) − Gᵀμ; dynamics M a(x) + Gᵀλ = f.
//! * **impulses** (HHT-ADD): two impulses a step, R₁ = −M⁻¹G(q)ᵀψ₁ before and R₂ = −M⁻¹G(q₊)ᵀψ₂ after:
//!   p = f + κ_q [(1 − b) R₁ + b R₂], x = f + κ_v (R₁ + R₂), M f = Q.

use super::StageMap;
use super::assembly::Blocks;
use super::layout::Layout;
use super::saddle::Saddle;
use crate::linalg::{LinearError, Solver};
use crate::math::{add_scaled, largest};
use crate::system::{Evaluator, Part, Space};

/// The factors of the positions serve if δw shrinks at least by this from one iteration to the next:
/// what remains of w then, itself of the size of a step, is below the square of it.
const NEAR: f64 = 0.05;
/// A δw below this part of δx is round-off, and need not shrink.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

/// How two impulses a step enter positions and velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impulses {
    /// The share b of the second impulse in the positions; not one half.
    pub second: f64,
    /// κ_q.
    pub position: f64,
    /// κ_v.
    pub velocity: f64,
}

impl Impulses {
    /// The shares of the first and the second impulse in the positions.
    pub(super) fn shares(&self) -> [f64; 2] {
        [self.position * (1.0 - self.second), self.position * self.second]
    }
}

/// The second solve with what it works on.
pub(super) struct Companion {
    saddle: Saddle,
    /// (G v + b)/c_v of the holonomic rows.
    pub rows: Vec<f64>,
    /// L.
    pub link: Vec<f64>,
    /// S δy, then δx.
    pub motion: Vec<f64>,
    right: Vec<f64>,
    /// δw, then what follows from it.
    moved: Vec<f64>,
    /// Unknowns of the first matrix.
    pub shared: Vec<f64>,
    /// −δμ.
    pub multipliers: Vec<f64>,
    /// Whether the factors of the positions do not serve in this stage.
    is_on_its_own: bool,
    is_factorized: bool,
    /// The largest part of the last δw by the factors of the positions.
    size: f64,
    pub before: Option<Before>,
}

/// What the impulse at the start of the step needs.
pub(super) struct Before {
    mass: Saddle,
    mass_is_constant: bool,
    pub is_factorized: bool,
    psi: Vec<f64>,
    /// The part of the multipliers whose direction turns with q₊: κ_q b ψ₂.
    pub turning: Vec<f64>,
    /// M R₁ and M R₂ with the other sign.
    pub first: Vec<f64>,
    pub second: Vec<f64>,
    /// −R₁, where M changes.
    back: Vec<f64>,
    /// f as far as R₁ tells, whose inertia changes with q₊.
    pub free: Vec<f64>,
}

impl Companion {
    pub fn new(layout: &Layout, evaluator: &Evaluator) -> Self {
        let (sizes, mass) = (layout.sizes, evaluator.part(Part::Mass));
        Self {
            saddle: Saddle::of_active_rows(evaluator, sizes.holonomic, mass),
            rows: vec![0.0; sizes.constraints],
            link: vec![0.0; sizes.v],
            motion: vec![0.0; sizes.v],
            right: vec![0.0; sizes.constraints],
            moved: vec![0.0; sizes.v],
            shared: vec![0.0; layout.total()],
            multipliers: vec![0.0; sizes.holonomic],
            is_on_its_own: false,
            is_factorized: false,
            size: f64::INFINITY,
            before: None,
        }
    }

    /// The linear solvers.
    pub fn solvers_mut(&mut self) -> impl Iterator<Item = &mut Solver> {
        let mass = self.before.as_mut().map(|before| before.mass.solver_mut());
        std::iter::once(self.saddle.solver_mut()).chain(mass)
    }

    /// Chooses pivots; a matrix that is singular here will say so when it is needed.
    pub fn prepare(&mut self, evaluator: &Evaluator) {
        let (mass, jacobian) = (evaluator.part(Part::Mass), evaluator.part(Part::Jacobian));
        let _ =
            self.saddle.factorize_with_mass(mass, |_| 0.0, jacobian, |i| evaluator.compliance(i));
    }

    /// A new stage begins.
    pub fn begin(&mut self) {
        (self.is_on_its_own, self.is_factorized, self.size) = (false, false, f64::INFINITY);
    }

    /// M and G have moved on.
    pub fn renew(&mut self) {
        self.is_factorized = false;
    }

    /// What the corrected multipliers of the positions mean for the link beyond G(q₊)ᵀ: the first impulse
    /// acts along G(q)ᵀ, and nonholonomic rows act by both.
    pub fn anticipate(&mut self, evaluator: &Evaluator, of: &Impulses, multipliers: &[f64]) {
        let Some(before) = &mut self.before else { return };
        if of.second != 0.0 {
            return;
        }
        let holonomic = self.multipliers.len();
        let rest = of.position - of.velocity;
        for (psi, nu) in before.psi.iter_mut().zip(multipliers) {
            *psi = nu / of.position;
        }
        evaluator.part(Part::Jacobian).transpose_multiply_add(rest, &before.psi, &mut self.link);
        for (i, psi) in before.psi.iter_mut().enumerate() {
            *psi *= if i < holonomic { rest } else { of.velocity };
        }
        let ahead = evaluator.part(Part::JacobianAhead);
        ahead.transpose_multiply_add(-1.0, &before.psi, &mut self.link);
    }

    /// Turns the correction of the positions into that of x, which stays in `motion`; leaves −δμ in
    /// `multipliers`. `first` are the factors of the positions; tells whether they did not serve.
    pub fn correct(
        &mut self,
        evaluator: &Evaluator,
        map: &StageMap,
        blocks: &Blocks,
        correction: &[f64],
        first: (&mut Solver, &Layout),
    ) -> Result<bool, LinearError> {
        let y = &correction[..self.link.len()];
        turn(evaluator.space(), blocks, y, &mut self.motion);
        self.right.copy_from_slice(&self.rows);
        let (mass, jacobian) = (evaluator.part(Part::Mass), evaluator.part(map.closing()));
        jacobian.multiply_add(1.0, &self.motion, &mut self.right);
        let tangent = evaluator.part(Part::VelocityTangent);
        tangent.multiply_add(map.c_q / map.c_v, y, &mut self.right);
        if !self.is_on_its_own && self.share(map, first)? {
            return Ok(false);
        }
        self.is_on_its_own = true;
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

    /// The force of damping on the last δw, as a right-hand side for the positions.
    pub fn damp(&mut self, evaluator: &Evaluator, map: &StageMap) {
        self.shared.fill(0.0);
        let rows = &mut self.shared[..self.moved.len()];
        evaluator.part(Part::Damping).multiply_add(map.c_v, &self.moved, rows);
    }

    /// Adds what the positions in `shared` mean for x.
    pub fn follow(&mut self, space: &Space, blocks: &Blocks) {
        turn(space, blocks, &self.shared[..self.moved.len()], &mut self.moved);
        add_scaled(1.0, &self.moved, &mut self.motion);
    }

    /// Solves with the factors of the positions; `false` if those are too far from the second matrix, so
    /// that corrections shrink slowly.
    fn share(
        &mut self,
        map: &StageMap,
        (solver, layout): (&mut Solver, &Layout),
    ) -> Result<bool, LinearError> {
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

impl Before {
    pub fn new(evaluator: &Evaluator) -> Self {
        let (space, sizes) = (evaluator.space(), evaluator.sizes());
        let (jacobian, mass) = (evaluator.part(Part::Jacobian), evaluator.part(Part::Mass));
        let zeros = || vec![0.0; sizes.v];
        Self {
            mass: Saddle::with_mass(space, jacobian, 0, mass),
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

    /// Factorizes M as it is evaluated, once only if it is constant.
    pub fn factorize(&mut self, evaluator: &Evaluator) -> Result<(), LinearError> {
        if self.is_factorized {
            return Ok(());
        }
        let (mass, jacobian) = (evaluator.part(Part::Mass), evaluator.part(Part::Jacobian));
        self.mass.factorize_with_mass(mass, |_| 0.0, jacobian, |_| 0.0)?;
        self.is_factorized = self.mass_is_constant;
        Ok(())
    }

    /// M⁻¹ of a force, at the start of the step.
    pub fn solve_mass(&mut self, force: &[f64]) -> Result<&[f64], LinearError> {
        Ok(self.mass.solve(|i| force[i], |_| 0.0)?.0)
    }

    /// What is left of p without the first impulse.
    pub fn follow(&mut self, of: &Impulses, p: &[f64]) {
        self.free.copy_from_slice(p);
        add_scaled(of.shares()[0], &self.back, &mut self.free);
    }

    /// The two impulses of multipliers ν = κ_q [(1 − b) ψ₁ + b ψ₂] and σ = κ_v (ψ₁ + ψ₂); nonholonomic
    /// rows have one multiplier for both.
    pub fn impulses(
        &mut self,
        evaluator: &Evaluator,
        of: &Impulses,
        nu: &[f64],
        sigma: &[f64],
    ) -> Result<(), LinearError> {
        let Impulses { second: b, position, velocity } = *of;
        let difference = 1.0 - 2.0 * b;
        let split = |i: usize| {
            let nu = nu[i] / position;
            match sigma.get(i) {
                Some(sigma) => {
                    let sigma = sigma / velocity;
                    ((nu - b * sigma) / difference, ((1.0 - b) * sigma - nu) / difference)
                }
                None => (nu, nu),
            }
        };
        (0..nu.len()).for_each(|i| self.psi[i] = split(i).0);
        self.first.fill(0.0);
        let jacobian = evaluator.part(Part::Jacobian);
        jacobian.transpose_multiply_add(1.0, &self.psi, &mut self.first);
        if !self.mass_is_constant {
            let first = &self.first;
            let (motion, _) = self.mass.solve(|i| first[i], |_| 0.0)?;
            self.back.copy_from_slice(motion);
            self.first.fill(0.0);
            evaluator.part(Part::Mass).multiply_add(1.0, &self.back, &mut self.first);
        }
        for i in 0..nu.len() {
            self.psi[i] = split(i).1;
            self.turning[i] = position * b * self.psi[i];
        }
        self.second.fill(0.0);
        let jacobian = evaluator.part(Part::JacobianAhead);
        jacobian.transpose_multiply_add(1.0, &self.psi, &mut self.second);
        Ok(())
    }
}

/// out = S y.
fn turn(space: &Space, blocks: &Blocks, y: &[f64], out: &mut [f64]) {
    out.copy_from_slice(y);
    for (rotation, block) in space.rotations().iter().zip(&blocks.motion) {
        rotation.set_tangent(out, &(block * rotation.tangent(y)));
    }
}
