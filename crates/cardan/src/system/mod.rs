//! The equations of motion as integrators see them.
//!
//! ```text
//! M(q) v̇ + G(t,q)ᵀ λ = f(t, q, v, λ, z)      dynamics
//! Φ(t, q) = 0                                holonomic constraints,  G = ∂Φ/∂q
//! G(t,q) v + b(t,q) = 0                      their rates, and the nonholonomic constraints
//! r(t, q, v, z, ż) = 0                       first-order states
//! ```
//! q lives on a product of vector spaces and rotations ([`Space`]), v in its tangent space; `∂/∂q`
//! always means the derivative with respect to the tangent increment d in `q ⊕ d`.

mod coupling;
mod difference;
mod evaluator;
mod force;
mod handle;
mod identity;
mod limit;
mod part;
mod recording;
mod space;
mod verify;

pub use coupling::Coupling;
pub use evaluator::{Evaluator, Sizes};
pub(crate) use evaluator::{MOST_UNKNOWNS, kinetic_energy};
pub use handle::Handle;
pub use identity::Identity;
pub use limit::Limit;
pub use part::Part;
pub use space::{Node, Rotation, Space};
pub use verify::{Differenced, Discrepancy, verify};

use crate::linalg::Entries;
use crate::state::Instant;

/// An instant of the motion.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Point<'a> {
    /// Time.
    pub t: f64,
    /// Configuration.
    pub q: &'a [f64],
    /// Velocity.
    pub v: &'a [f64],
    /// Multipliers λ, holonomic rows first.
    pub multipliers: &'a [f64],
    /// First-order states.
    pub z: &'a [f64],
}

impl<'a> Point<'a> {
    /// An instant without multipliers and first-order states.
    pub fn new(t: f64, q: &'a [f64], v: &'a [f64]) -> Self {
        Self { t, q, v, multipliers: &[], z: &[] }
    }
}

/// Where a derivative comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivative {
    /// The system has written it.
    Analytic,
    /// The system leaves it to numerical differences.
    Differenced,
}

/// The tangents of the force, each with the sign it has on the left-hand side.
#[derive(Debug)]
pub struct ForceTangent<'a> {
    /// −∂f/∂q.
    pub stiffness: &'a mut Entries,
    /// −∂f/∂v.
    pub damping: &'a mut Entries,
    /// −∂f/∂λ, if [`System::force_needs_multipliers`].
    pub multipliers: &'a mut Entries,
    /// −∂f/∂z.
    pub states: &'a mut Entries,
}

/// The tangents of the first-order equations r(t, q, v, z, ż).
#[derive(Debug)]
pub struct StateTangent<'a> {
    /// ∂r/∂q.
    pub configuration: &'a mut Entries,
    /// ∂r/∂v.
    pub velocity: &'a mut Entries,
    /// ∂r/∂z.
    pub state: &'a mut Entries,
    /// ∂r/∂ż.
    pub rate: &'a mut Entries,
}

/// A mechanical system. Required: [`space`](System::space), [`mass`](System::mass),
/// [`force`](System::force); with constraints also their number, [`constraint`](System::constraint)
/// and [`jacobian`](System::jacobian). Every tangent is optional: what is not given is differenced.
///
/// Slices to fill arrive as zeros, with the length their name implies. Indices of rotations count
/// three per rotation in velocities, Jacobians and tangents.
pub trait System {
    /// The configuration space.
    fn space(&self) -> Space;

    /// The mass matrix M(q).
    fn mass(&self, q: &[f64], mass: &mut Entries);

    /// The force f, gyroscopic terms included.
    fn force(&self, at: &Point<'_>, force: &mut [f64]);

    /// Number of holonomic constraints Φ.
    fn holonomic(&self) -> usize {
        0
    }

    /// Number of nonholonomic constraints, affine in the velocity.
    fn nonholonomic(&self) -> usize {
        0
    }

    /// Number of first-order states z.
    fn states(&self) -> usize {
        0
    }

    /// The holonomic constraints Φ(t, q).
    fn constraint(&self, _t: f64, _q: &[f64], _phi: &mut [f64]) {}

    /// G(t, q): one row per constraint, holonomic (∂Φ/∂q) first, then nonholonomic.
    fn jacobian(&self, _t: f64, _q: &[f64], _jacobian: &mut Entries) {}

    /// b(t, q) in G v + b = 0: ∂Φ/∂t for holonomic rows. Differenced: ∂Φ/∂t over 1e-4 s, and zero
    /// for nonholonomic rows.
    fn constraint_rate(&self, _t: f64, _q: &[f64], _rate: &mut [f64]) -> Derivative {
        Derivative::Differenced
    }

    /// The acceleration of the constraints at v̇ = 0: d/dt (G v + b) = G v̇ + this.
    fn acceleration_term(&self, _t: f64, _q: &[f64], _v: &[f64], _out: &mut [f64]) -> Derivative {
        Derivative::Differenced
    }

    /// The residual r(t, q, v, z, ż) of the first-order equations.
    fn state_residual(&self, _at: &Point<'_>, _rates: &[f64], _residual: &mut [f64]) {}

    /// ∂(M(q) a)/∂q.
    fn mass_tangent(&self, _q: &[f64], _a: &[f64], _tangent: &mut Entries) -> Derivative {
        Derivative::Differenced
    }

    /// The tangents of the force.
    fn force_tangent(&self, _at: &Point<'_>, _tangent: &mut ForceTangent<'_>) -> Derivative {
        Derivative::Differenced
    }

    /// ∂(Gᵀ λ)/∂q.
    fn multiplier_tangent(
        &self,
        _t: f64,
        _q: &[f64],
        _multipliers: &[f64],
        _tangent: &mut Entries,
    ) -> Derivative {
        Derivative::Differenced
    }

    /// ∂(G v + b)/∂q.
    fn velocity_tangent(&self, _t: f64, _q: &[f64], _v: &[f64], _out: &mut Entries) -> Derivative {
        Derivative::Differenced
    }

    /// The tangents of the first-order equations.
    fn state_tangent(
        &self,
        _at: &Point<'_>,
        _rates: &[f64],
        _tangent: &mut StateTangent<'_>,
    ) -> Derivative {
        Derivative::Differenced
    }

    /// Called when an instant has been computed, and at the start (without one before it): renews the
    /// numbers that q [carries](Space::carried), and may refuse the instant with a reason. Must not
    /// change anything else.
    fn accept(&self, _before: Option<&Instant>, _after: &mut Instant) -> Result<(), String> {
        Ok(())
    }

    /// Which coordinates a differenced force or mass tangent couples.
    fn coupling(&self) -> Coupling {
        Coupling::Dense
    }

    /// Whether f depends on λ (friction).
    fn force_needs_multipliers(&self) -> bool {
        false
    }

    /// Whether M does not depend on q.
    fn mass_is_constant(&self) -> bool {
        false
    }

    /// Whether all tangents are constant: one factorization then serves a whole run.
    fn jacobian_is_constant(&self) -> bool {
        false
    }

    /// Whether every combination of the tangents is symmetric and positive definite.
    fn is_symmetric_positive(&self) -> bool {
        false
    }

    /// The potential energy, if there is one.
    fn potential_energy(&self, _t: f64, _q: &[f64]) -> Option<f64> {
        None
    }

    /// Limits within which the parts of the system are valid. A simulation watches them and reports
    /// what exceeds its limit, since when and by how much.
    fn limits(&self) -> Vec<Limit> {
        Vec::new()
    }

    /// The quantities of the [`limits`](System::limits) at an instant, in their order.
    fn limit_values(&self, _at: &Instant, _values: &mut [f64]) {}

    /// The forces on velocity coordinate i with the names of what exerts them. Messages name those that
    /// are not finite, or that change much from one iteration to the next.
    fn forces_on(&self, _at: &Point<'_>, _i: usize) -> Vec<(String, f64)> {
        Vec::new()
    }

    /// What velocity coordinate i is called in messages.
    fn coordinate_name(&self, i: usize) -> String {
        format!("coordinate {i}")
    }

    /// What turns with the rotation whose tangent begins at velocity coordinate i, in messages.
    fn rotation_name(&self, i: usize) -> String {
        self.coordinate_name(i)
    }

    /// What constraint i is called in messages.
    fn constraint_name(&self, i: usize) -> String {
        format!("constraint {i}")
    }

    /// What first-order state i is called in messages.
    fn state_name(&self, i: usize) -> String {
        format!("state {i}")
    }
}
