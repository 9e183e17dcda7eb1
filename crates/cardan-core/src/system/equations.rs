//! The equations of motion that a system provides.

use std::any::Any;

use super::{
    Coupling, Derivative, EventSet, Failure, ForceTangent, Quantity, Space, StateTangent,
    StateView, ValidityLimit,
};
use crate::linalg::SparseMatrix;
use crate::state::Instant;

/// A mechanical system. Required: [`space`](System::space), [`mass`](System::mass),
/// [`force`](System::force); with constraints also their number, [`constraint`](System::constraint)
/// and [`jacobian`](System::jacobian). Every tangent is optional: those that are not written are differenced.
///
/// Slices to fill arrive as zeros, with the length their name implies. Indices of rotations count
/// three per rotation in velocities, Jacobians and tangents.
///
/// A system does not change while it is evaluated, so that any number of simulations can share it. Expensive
/// results that several quantities of one instant need are kept in a [`scratch`](System::scratch).
/// An evaluation that is not possible returns a [`Failure`] with the reason: the step stops, and its error
/// contains the reason.
pub trait System: Send + Sync {
    /// The configuration space.
    fn space(&self) -> Space;

    /// The mass matrix M(q).
    fn mass(&self, at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure>;

    /// The force f, gyroscopic terms included.
    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure>;

    /// Number of holonomic constraints Φ.
    fn holonomic_count(&self) -> usize {
        0
    }

    /// Number of nonholonomic constraints, affine in the velocity.
    fn nonholonomic_count(&self) -> usize {
        0
    }

    /// Number of first-order states z.
    fn state_count(&self) -> usize {
        0
    }

    /// Storage for results that the evaluations of one instant share. Every evaluator creates one and
    /// passes it in [`StateView::scratch`].
    fn scratch(&self) -> Box<dyn Any + Send> {
        Box::new(())
    }

    /// The holonomic constraints Φ(t, q).
    fn constraint(&self, _at: &StateView<'_>, _phi: &mut [f64]) -> Result<(), Failure> {
        Ok(())
    }

    /// G(t, q): one row per constraint, holonomic (∂Φ/∂q) first, then nonholonomic.
    fn jacobian(&self, _at: &StateView<'_>, _jacobian: &mut SparseMatrix) -> Result<(), Failure> {
        Ok(())
    }

    /// Adds Gᵀλ to a vector over the velocities, for systems without nonholonomic constraints. Optional: if it is not
    /// written, G is.
    fn constraint_force(
        &self,
        _at: &StateView<'_>,
        _force: &mut [f64],
    ) -> Result<Derivative, Failure> {
        Ok(Derivative::Differenced)
    }

    /// Adds G v to one number per constraint. Optional: if it is not written, G is.
    fn constraint_velocity(
        &self,
        _at: &StateView<'_>,
        _velocity: &mut [f64],
    ) -> Result<Derivative, Failure> {
        Ok(Derivative::Differenced)
    }

    /// b(t, q) in G v + b = 0: ∂Φ/∂t for holonomic rows. If differenced: ∂Φ/∂t over 1e-4 s, and zero
    /// for nonholonomic rows.
    fn constraint_rate(
        &self,
        _at: &StateView<'_>,
        _rate: &mut [f64],
    ) -> Result<Derivative, Failure> {
        Ok(Derivative::Differenced)
    }

    /// The acceleration of the constraints at v̇ = 0: d/dt (G v + b) = G v̇ + this term.
    fn acceleration_term(
        &self,
        _at: &StateView<'_>,
        _out: &mut [f64],
    ) -> Result<Derivative, Failure> {
        Ok(Derivative::Differenced)
    }

    /// The residual r(t, q, v, λ, z, ż) of the first-order equations. It may read the multipliers only if
    /// [`state_needs_multipliers`](System::state_needs_multipliers) is true.
    fn state_residual(
        &self,
        _at: &StateView<'_>,
        _rates: &[f64],
        _residual: &mut [f64],
    ) -> Result<(), Failure> {
        Ok(())
    }

    /// ∂(M(q) a)/∂q.
    fn mass_tangent(
        &self,
        _at: &StateView<'_>,
        _a: &[f64],
        _tangent: &mut SparseMatrix,
    ) -> Result<Derivative, Failure> {
        Ok(Derivative::Differenced)
    }

    /// The tangents of the force.
    fn force_tangent(
        &self,
        _at: &StateView<'_>,
        _tangent: &mut ForceTangent<'_>,
    ) -> Result<Derivative, Failure> {
        Ok(Derivative::Differenced)
    }

    /// ∂(Gᵀ λ)/∂q.
    fn multiplier_tangent(
        &self,
        _at: &StateView<'_>,
        _tangent: &mut SparseMatrix,
    ) -> Result<Derivative, Failure> {
        Ok(Derivative::Differenced)
    }

    /// ∂(G v + b)/∂q.
    fn velocity_tangent(
        &self,
        _at: &StateView<'_>,
        _out: &mut SparseMatrix,
    ) -> Result<Derivative, Failure> {
        Ok(Derivative::Differenced)
    }

    /// The tangents of the first-order equations.
    fn state_tangent(
        &self,
        _at: &StateView<'_>,
        _rates: &[f64],
        _tangent: &mut StateTangent<'_>,
    ) -> Result<Derivative, Failure> {
        Ok(Derivative::Differenced)
    }

    /// Called when an instant has been computed, `step` after the one before, and at the start (without a
    /// step): updates the [discrete values](Space::discrete) of q, in order, and may refuse the
    /// instant with a reason.
    fn accept(
        &self,
        _step: Option<f64>,
        _at: &StateView<'_>,
        _discrete: &mut [f64],
    ) -> Result<(), Failure> {
        Ok(())
    }

    /// The index in q of the discrete value of an input with a name, if the system has it.
    fn input_index(&self, _name: &str) -> Option<usize> {
        None
    }

    /// The coupling of coordinates in differenced force and mass tangents.
    fn coupling(&self) -> Coupling {
        Coupling::Dense
    }

    /// Whether f depends on λ (friction).
    fn force_needs_multipliers(&self) -> bool {
        false
    }

    /// Whether the first-order equations depend on λ (a measured reaction).
    fn state_needs_multipliers(&self) -> bool {
        false
    }

    /// Whether M does not depend on q.
    fn has_constant_mass(&self) -> bool {
        false
    }

    /// Whether all tangents are constant: one factorization is then used for the whole run.
    fn has_constant_tangents(&self) -> bool {
        false
    }

    /// Whether every combination of the tangents is symmetric and positive definite.
    fn is_symmetric_positive(&self) -> bool {
        false
    }

    /// The potential energy, if there is one.
    fn potential_energy(&self, _at: &StateView<'_>) -> Option<f64> {
        None
    }

    /// Limits within which the parts of the system are valid. A simulation checks them in every step and reports
    /// which are exceeded, since when and by how much.
    fn limits(&self) -> Vec<ValidityLimit> {
        Vec::new()
    }

    /// The quantities of the [`limits`](System::limits) at an instant, in their order.
    fn limit_values(&self, _at: &StateView<'_>, _values: &mut [f64]) {}

    /// The forces on velocity coordinate i with their names. Messages name those that
    /// are not finite, or that change much from one iteration to the next.
    fn forces_on(&self, _at: &StateView<'_>, _i: usize) -> Vec<(String, f64)> {
        Vec::new()
    }

    /// The reason why a quantity is not finite, if the system has one: for example, a function of time whose table
    /// has ended. Called only if a value is not finite.
    fn reason_not_finite(&self, _at: &StateView<'_>) -> Option<Failure> {
        None
    }

    /// The values of the named output at an instant.
    fn read(&self, name: &str, _at: &Instant) -> Result<Vec<f64>, Failure> {
        Err(Failure::new(format!("the system has no output `{name}`")))
    }

    /// The kind of the i-th velocity's coordinate, for tolerances; components of rotations are angles.
    fn coordinate_quantity(&self, _i: usize) -> Quantity {
        Quantity::Other
    }

    /// A length with which errors of positions are compared. If it is not known, they are compared with the largest displacement
    /// so far, at most with the largest initial coordinate.
    fn characteristic_length(&self) -> Option<f64> {
        None
    }

    /// The times between two given ones at which forces or prescribed motions jump, in increasing order. Steps of
    /// variable size end there.
    fn jumps_between(&self, _from: f64, _to: f64) -> Vec<f64> {
        Vec::new()
    }

    /// The events; `None` if the system has none.
    fn events(&self) -> Option<&dyn EventSet> {
        None
    }

    /// The constraint rows that discrete values of q switch off, in increasing order.
    fn switched_off_rows(&self, _q: &[f64]) -> Vec<usize> {
        Vec::new()
    }

    /// Whether two configurations have the same active constraints and forces, so that their matrices have one pattern.
    fn has_same_structure(&self, _one: &[f64], _two: &[f64]) -> bool {
        true
    }

    /// The name of velocity coordinate i in messages.
    fn coordinate_name(&self, i: usize) -> String {
        format!("coordinate {i}")
    }

    /// The name, in messages, of the rotation whose tangent begins at velocity coordinate i.
    fn rotation_name(&self, i: usize) -> String {
        self.coordinate_name(i)
    }

    /// The name of constraint i in messages.
    fn constraint_name(&self, i: usize) -> String {
        format!("constraint {i}")
    }

    /// The scale of the value of holonomic constraint i: one for an angle, the size of the system for a
    /// length. `None` means the largest coordinate, but not less than one.
    fn constraint_unit(&self, _i: usize) -> Option<f64> {
        None
    }

    /// The name of first-order state i in messages.
    fn state_name(&self, i: usize) -> String {
        format!("state {i}")
    }
}
