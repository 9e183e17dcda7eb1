//! A shared system is a system.

use std::any::Any;
use std::sync::Arc;

use super::{
    Coupling, Derivative, Failure, ForceTangent, Limit, Point, Space, StateTangent, System,
};
use crate::linalg::Entries;
use crate::state::Instant;

/// Every function of [`System`] is passed on; a test compares the two lists.
impl<S: System + ?Sized> System for Arc<S> {
    fn space(&self) -> Space {
        (**self).space()
    }
    fn mass(&self, at: &Point<'_>, mass: &mut Entries) -> Result<(), Failure> {
        (**self).mass(at, mass)
    }
    fn force(&self, at: &Point<'_>, force: &mut [f64]) -> Result<(), Failure> {
        (**self).force(at, force)
    }
    fn holonomic(&self) -> usize {
        (**self).holonomic()
    }
    fn nonholonomic(&self) -> usize {
        (**self).nonholonomic()
    }
    fn states(&self) -> usize {
        (**self).states()
    }
    fn scratch(&self) -> Box<dyn Any + Send> {
        (**self).scratch()
    }
    fn constraint(&self, at: &Point<'_>, phi: &mut [f64]) -> Result<(), Failure> {
        (**self).constraint(at, phi)
    }
    fn jacobian(&self, at: &Point<'_>, jacobian: &mut Entries) -> Result<(), Failure> {
        (**self).jacobian(at, jacobian)
    }
    fn constraint_rate(&self, at: &Point<'_>, rate: &mut [f64]) -> Result<Derivative, Failure> {
        (**self).constraint_rate(at, rate)
    }
    fn acceleration_term(&self, at: &Point<'_>, out: &mut [f64]) -> Result<Derivative, Failure> {
        (**self).acceleration_term(at, out)
    }
    fn state_residual(
        &self,
        at: &Point<'_>,
        rates: &[f64],
        residual: &mut [f64],
    ) -> Result<(), Failure> {
        (**self).state_residual(at, rates, residual)
    }
    fn mass_tangent(
        &self,
        at: &Point<'_>,
        a: &[f64],
        tangent: &mut Entries,
    ) -> Result<Derivative, Failure> {
        (**self).mass_tangent(at, a, tangent)
    }
    fn force_tangent(
        &self,
        at: &Point<'_>,
        tangent: &mut ForceTangent<'_>,
    ) -> Result<Derivative, Failure> {
        (**self).force_tangent(at, tangent)
    }
    fn multiplier_tangent(
        &self,
        at: &Point<'_>,
        tangent: &mut Entries,
    ) -> Result<Derivative, Failure> {
        (**self).multiplier_tangent(at, tangent)
    }
    fn velocity_tangent(&self, at: &Point<'_>, out: &mut Entries) -> Result<Derivative, Failure> {
        (**self).velocity_tangent(at, out)
    }
    fn state_tangent(
        &self,
        at: &Point<'_>,
        rates: &[f64],
        tangent: &mut StateTangent<'_>,
    ) -> Result<Derivative, Failure> {
        (**self).state_tangent(at, rates, tangent)
    }
    fn accept(
        &self,
        step: Option<f64>,
        at: &Point<'_>,
        carried: &mut [f64],
    ) -> Result<(), Failure> {
        (**self).accept(step, at, carried)
    }
    fn coupling(&self) -> Coupling {
        (**self).coupling()
    }
    fn force_needs_multipliers(&self) -> bool {
        (**self).force_needs_multipliers()
    }
    fn mass_is_constant(&self) -> bool {
        (**self).mass_is_constant()
    }
    fn jacobian_is_constant(&self) -> bool {
        (**self).jacobian_is_constant()
    }
    fn is_symmetric_positive(&self) -> bool {
        (**self).is_symmetric_positive()
    }
    fn potential_energy(&self, at: &Point<'_>) -> Option<f64> {
        (**self).potential_energy(at)
    }
    fn limits(&self) -> Vec<Limit> {
        (**self).limits()
    }
    fn limit_values(&self, at: &Point<'_>, values: &mut [f64]) {
        (**self).limit_values(at, values)
    }
    fn forces_on(&self, at: &Point<'_>, i: usize) -> Vec<(String, f64)> {
        (**self).forces_on(at, i)
    }
    fn reason_not_finite(&self, at: &Point<'_>) -> Option<Failure> {
        (**self).reason_not_finite(at)
    }
    fn read(&self, name: &str, at: &Instant) -> Result<Vec<f64>, Failure> {
        (**self).read(name, at)
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
