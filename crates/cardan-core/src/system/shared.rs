//! Implementation of `System` for shared systems.

use std::any::Any;
use std::sync::Arc;

use super::{
    Coupling, Derivative, EventSet, Failure, ForceTangent, Quantity, Space, StateTangent,
    StateView, System, ValidityLimit,
};
use crate::linalg::SparseMatrix;
use crate::state::Instant;

/// Every function of [`System`] is passed on; a test compares the two lists.
impl<S: System + ?Sized> System for Arc<S> {
    fn space(&self) -> Space {
        (**self).space()
    }
    fn mass(&self, at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        (**self).mass(at, mass)
    }
    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        (**self).force(at, force)
    }
    fn holonomic_count(&self) -> usize {
        (**self).holonomic_count()
    }
    fn nonholonomic_count(&self) -> usize {
        (**self).nonholonomic_count()
    }
    fn state_count(&self) -> usize {
        (**self).state_count()
    }
    fn scratch(&self) -> Box<dyn Any + Send> {
        (**self).scratch()
    }
    fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
        (**self).constraint(at, phi)
    }
    fn jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
        (**self).jacobian(at, jacobian)
    }
    fn constraint_force(
        &self,
        at: &StateView<'_>,
        force: &mut [f64],
    ) -> Result<Derivative, Failure> {
        (**self).constraint_force(at, force)
    }
    fn constraint_velocity(
        &self,
        at: &StateView<'_>,
        velocity: &mut [f64],
    ) -> Result<Derivative, Failure> {
        (**self).constraint_velocity(at, velocity)
    }
    fn constraint_rate(&self, at: &StateView<'_>, rate: &mut [f64]) -> Result<Derivative, Failure> {
        (**self).constraint_rate(at, rate)
    }
    fn acceleration_term(
        &self,
        at: &StateView<'_>,
        out: &mut [f64],
    ) -> Result<Derivative, Failure> {
        (**self).acceleration_term(at, out)
    }
    fn state_residual(
        &self,
        at: &StateView<'_>,
        rates: &[f64],
        residual: &mut [f64],
    ) -> Result<(), Failure> {
        (**self).state_residual(at, rates, residual)
    }
    fn mass_tangent(
        &self,
        at: &StateView<'_>,
        a: &[f64],
        tangent: &mut SparseMatrix,
    ) -> Result<Derivative, Failure> {
        (**self).mass_tangent(at, a, tangent)
    }
    fn force_tangent(
        &self,
        at: &StateView<'_>,
        tangent: &mut ForceTangent<'_>,
    ) -> Result<Derivative, Failure> {
        (**self).force_tangent(at, tangent)
    }
    fn multiplier_tangent(
        &self,
        at: &StateView<'_>,
        tangent: &mut SparseMatrix,
    ) -> Result<Derivative, Failure> {
        (**self).multiplier_tangent(at, tangent)
    }
    fn velocity_tangent(
        &self,
        at: &StateView<'_>,
        out: &mut SparseMatrix,
    ) -> Result<Derivative, Failure> {
        (**self).velocity_tangent(at, out)
    }
    fn state_tangent(
        &self,
        at: &StateView<'_>,
        rates: &[f64],
        tangent: &mut StateTangent<'_>,
    ) -> Result<Derivative, Failure> {
        (**self).state_tangent(at, rates, tangent)
    }
    fn accept(
        &self,
        step: Option<f64>,
        at: &StateView<'_>,
        discrete: &mut [f64],
    ) -> Result<(), Failure> {
        (**self).accept(step, at, discrete)
    }
    fn input_index(&self, name: &str) -> Option<usize> {
        (**self).input_index(name)
    }
    fn coupling(&self) -> Coupling {
        (**self).coupling()
    }
    fn force_needs_multipliers(&self) -> bool {
        (**self).force_needs_multipliers()
    }
    fn state_needs_multipliers(&self) -> bool {
        (**self).state_needs_multipliers()
    }
    fn has_constant_mass(&self) -> bool {
        (**self).has_constant_mass()
    }
    fn has_constant_tangents(&self) -> bool {
        (**self).has_constant_tangents()
    }
    fn is_symmetric_positive(&self) -> bool {
        (**self).is_symmetric_positive()
    }
    fn potential_energy(&self, at: &StateView<'_>) -> Option<f64> {
        (**self).potential_energy(at)
    }
    fn limits(&self) -> Vec<ValidityLimit> {
        (**self).limits()
    }
    fn limit_values(&self, at: &StateView<'_>, values: &mut [f64]) {
        (**self).limit_values(at, values)
    }
    fn forces_on(&self, at: &StateView<'_>, i: usize) -> Vec<(String, f64)> {
        (**self).forces_on(at, i)
    }
    fn reason_not_finite(&self, at: &StateView<'_>) -> Option<Failure> {
        (**self).reason_not_finite(at)
    }
    fn read(&self, name: &str, at: &Instant) -> Result<Vec<f64>, Failure> {
        (**self).read(name, at)
    }
    fn coordinate_quantity(&self, i: usize) -> Quantity {
        (**self).coordinate_quantity(i)
    }
    fn characteristic_length(&self) -> Option<f64> {
        (**self).characteristic_length()
    }
    fn jumps_between(&self, from: f64, to: f64) -> Vec<f64> {
        (**self).jumps_between(from, to)
    }
    fn events(&self) -> Option<&dyn EventSet> {
        (**self).events()
    }
    fn switched_off_rows(&self, q: &[f64]) -> Vec<usize> {
        (**self).switched_off_rows(q)
    }
    fn has_same_structure(&self, one: &[f64], two: &[f64]) -> bool {
        (**self).has_same_structure(one, two)
    }
    fn coordinate_name(&self, i: usize) -> String {
        (**self).coordinate_name(i)
    }
    fn rotation_name(&self, i: usize) -> String {
        (**self).rotation_name(i)
    }
    fn constraint_name(&self, i: usize) -> String {
        (**self).constraint_name(i)
    }
    fn constraint_unit(&self, i: usize) -> Option<f64> {
        (**self).constraint_unit(i)
    }
    fn state_name(&self, i: usize) -> String {
        (**self).state_name(i)
    }
}
