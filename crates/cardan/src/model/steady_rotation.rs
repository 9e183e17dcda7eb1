//! A model that rotates as a whole with a constant angular velocity: a configuration at rest in the rotating frame is in
//! equilibrium with the centrifugal forces.

use crate::model::values::Dimension;
use std::any::Any;

use super::compiled::Model;
use super::observer::RotatingObserver;
use super::values::BodyKind;
use cardan_core::linalg::SparseMatrix;
use cardan_core::math::{Matrix3, Vector3, hat};
use cardan_core::state::Instant;
use cardan_core::suggestion::remedy_line;
use cardan_core::system::{Derivative, Failure, ForceTangent, Space, StateView, System};

/// An angular velocity with which a model cannot rotate as a whole.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "the angular velocity ({}, {}, {}) rad/s cannot be used{}",
    spin[0], spin[1], spin[2],
    remedy_line(Some(self.remedy()))
)]
pub struct SpinError {
    /// The angular velocity, world axes.
    pub spin: [f64; 3],
    /// Whether the model moves in the plane or in space.
    pub dimension: Dimension,
}

impl SpinError {
    /// The remedy.
    pub fn remedy(&self) -> &'static str {
        match self.dimension {
            Dimension::Plane => {
                "give the angular velocity about z alone: a planar model rotates about no other axis"
            }
            Dimension::Space => "give finite numbers",
        }
    }
}

/// A model with the velocities and accelerations of a rigid rotation about an axis through the origin.
pub(crate) struct SteadyRotation<'m> {
    pub model: &'m Model,
    pub spin: Vector3,
}

impl Model {
    /// An observer that rotates about the origin with an angular velocity, world axes; in the plane only the z component
    /// is used.
    pub fn observer(&self, spin: Vector3) -> RotatingObserver {
        let mut observer = RotatingObserver { spin, ..RotatingObserver::default() };
        for (i, _) in self.moving() {
            let node = &self.nodes[i];
            match node.kind {
                Some(kind) if kind.is_in_plane() => observer.planar_places.push(node.v),
                _ => observer.places.push(node.v),
            }
        }
        observer
    }

    /// Whether the bodies move in the plane, rotating about z only, or in space.
    pub fn dimension(&self) -> Dimension {
        match self.moving().any(|(i, _)| self.nodes[i].kind.is_some_and(BodyKind::is_in_plane)) {
            true => Dimension::Plane,
            false => Dimension::Space,
        }
    }

    /// Fails for an angular velocity with which the model cannot rotate as a whole.
    pub(crate) fn check_spin(&self, spin: &Vector3) -> Result<(), SpinError> {
        let is_finite = spin.iter().all(|x| x.is_finite());
        let dimension = self.dimension();
        let is_out_of_plane = spin.x != 0.0 || spin.y != 0.0;
        match is_finite && !(dimension == Dimension::Plane && is_out_of_plane) {
            true => Ok(()),
            false => Err(SpinError { spin: (*spin).into(), dimension }),
        }
    }

    /// The model on a ground that rotates about the origin with an angular velocity, world axes.
    pub fn with_rotating_ground(&self, spin: Vector3) -> Self {
        let mut model = self.clone();
        model.nodes[super::node::GROUND].spin = spin;
        model
    }

    /// Whether gravity is constant in the rotating frame.
    pub fn gravity_is_along(&self, spin: &Vector3) -> bool {
        let gravity = self.constant_gravity().unwrap_or_else(|| Vector3::repeat(f64::NAN));
        gravity.cross(spin).norm() <= 1e-12 * gravity.norm() * spin.norm()
    }

    /// Whether there are flexible bodies in floating frames. Their linear modes have no geometric stiffness from
    /// centrifugal tension.
    pub fn has_floating_frames(&self) -> bool {
        !self.flexible.is_empty()
    }

    /// Writes the velocities and accelerations of a rotation of the whole model. An instant of another model is not
    /// changed.
    pub fn turn_with(&self, spin: &Vector3, at: &mut Instant) {
        if !self.fits(at) {
            return;
        }
        for (i, _) in self.moving() {
            let node = &self.nodes[i];
            let frame = node.frame(&at.q);
            let velocity = spin.cross(&frame.position);
            at.v[node.v..node.v + node.velocities()].fill(0.0);
            at.a[node.v..node.v + node.velocities()].fill(0.0);
            node.add(0, &velocity, &mut at.v);
            node.add(1, &frame.rotation.tr_mul(spin), &mut at.v);
            node.add(0, &spin.cross(&velocity), &mut at.a);
        }
    }
}

impl SteadyRotation<'_> {
    /// The instant with velocities and accelerations of the rotation.
    fn rotating_instant(&self, StateView { t, q, multipliers, z, .. }: &StateView<'_>) -> Instant {
        let n = self.model.space.velocities();
        let mut at = Instant {
            t: *t,
            q: q.to_vec(),
            v: vec![0.0; n],
            a: vec![0.0; n],
            multipliers: multipliers.to_vec(),
            stabilization_multipliers: Vec::new(),
            z: z.to_vec(),
            rates: Vec::new(),
            inactive: Vec::new(),
        };
        self.model.turn_with(&self.spin, &mut at);
        at
    }
}

impl System for SteadyRotation<'_> {
    fn space(&self) -> Space {
        self.model.space()
    }

    fn scratch(&self) -> Box<dyn Any + Send> {
        self.model.scratch()
    }

    fn mass(&self, at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        self.model.mass(at, mass)
    }

    fn has_constant_mass(&self) -> bool {
        self.model.has_constant_mass()
    }

    fn mass_tangent(
        &self,
        at: &StateView<'_>,
        a: &[f64],
        tangent: &mut SparseMatrix,
    ) -> Result<Derivative, Failure> {
        self.model.mass_tangent(at, a, tangent)
    }

    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        let rotating = self.rotating_instant(at);
        self.model.force(&StateView::from(&rotating).with_scratch(at.scratch), force)?;
        let n = force.len();
        let mass = SparseMatrix::written(n, n, |mass| self.model.write_mass(at, mass));
        mass.multiply_add(-1.0, &rotating.a, force);
        Ok(())
    }

    fn force_tangent(
        &self,
        at: &StateView<'_>,
        tangent: &mut ForceTangent<'_>,
    ) -> Result<Derivative, Failure> {
        let rotating = self.rotating_instant(at);
        let point = StateView::from(&rotating).with_scratch(at.scratch);
        self.model.force_tangent(&point, tangent)?;
        let n = rotating.v.len();
        let mut damping = SparseMatrix::new(n, n);
        let (mut other, mut multipliers, mut states) = (
            SparseMatrix::new(n, n),
            SparseMatrix::new(n, rotating.multipliers.len()),
            SparseMatrix::new(n, rotating.z.len()),
        );
        self.model.force_tangent(
            &point,
            &mut ForceTangent {
                stiffness: &mut other,
                damping: &mut damping,
                multipliers: &mut multipliers,
                states: &mut states,
            },
        )?;
        // the entries are within the matrices
        let _ = damping.finish();
        let mass = SparseMatrix::written(n, n, |mass| self.model.write_mass(at, mass));
        // derivatives of velocities and accelerations by the configuration
        let spin_hat = hat(&self.spin);
        let mut blocks: Vec<Option<(usize, usize, Matrix3, Matrix3)>> = vec![None; n];
        for (i, _) in self.model.moving() {
            let node = &self.model.nodes[i];
            let places = node.places();
            blocks[node.v..node.v + places].fill(Some((
                node.v,
                places,
                spin_hat,
                spin_hat * spin_hat,
            )));
            if node.kind == Some(BodyKind::Spatial) {
                let first = node.v + places;
                let omega_hat = hat(&node.velocity(1, &rotating.v));
                blocks[first..first + 3].fill(Some((first, 3, omega_hat, Matrix3::zeros())));
            }
        }
        let mut add = |matrix: &SparseMatrix, second: bool| {
            for (i, j, x) in matrix.iter() {
                if let Some((first, size, rate, acceleration)) = &blocks[j] {
                    let block = if second { acceleration } else { rate };
                    for k in 0..*size {
                        tangent.stiffness.add(i, first + k, x * block[(j - first, k)]);
                    }
                }
            }
        };
        add(&damping, false);
        add(&mass, true);
        self.model.mass_tangent(at, &rotating.a, tangent.stiffness)
    }

    fn state_count(&self) -> usize {
        self.model.state_count()
    }

    fn state_residual(
        &self,
        at: &StateView<'_>,
        rates: &[f64],
        residual: &mut [f64],
    ) -> Result<(), Failure> {
        let rotating = self.rotating_instant(at);
        let point = StateView::from(&rotating).with_scratch(at.scratch);
        self.model.state_residual(&point, rates, residual)
    }

    fn force_needs_multipliers(&self) -> bool {
        self.model.force_needs_multipliers()
    }

    fn state_needs_multipliers(&self) -> bool {
        self.model.state_needs_multipliers()
    }

    fn holonomic_count(&self) -> usize {
        self.model.holonomic_count()
    }

    fn nonholonomic_count(&self) -> usize {
        self.model.nonholonomic_count()
    }

    fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
        self.model.constraint(at, phi)
    }

    fn jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
        self.model.jacobian(at, jacobian)
    }

    fn constraint_rate(&self, at: &StateView<'_>, rate: &mut [f64]) -> Result<Derivative, Failure> {
        self.model.constraint_rate(at, rate)
    }

    fn acceleration_term(
        &self,
        at: &StateView<'_>,
        out: &mut [f64],
    ) -> Result<Derivative, Failure> {
        self.model.acceleration_term(at, out)
    }

    fn multiplier_tangent(
        &self,
        at: &StateView<'_>,
        tangent: &mut SparseMatrix,
    ) -> Result<Derivative, Failure> {
        self.model.multiplier_tangent(at, tangent)
    }

    fn velocity_tangent(
        &self,
        at: &StateView<'_>,
        out: &mut SparseMatrix,
    ) -> Result<Derivative, Failure> {
        self.model.velocity_tangent(at, out)
    }

    fn coordinate_name(&self, i: usize) -> String {
        self.model.coordinate_name(i)
    }

    fn rotation_name(&self, i: usize) -> String {
        self.model.rotation_name(i)
    }

    fn constraint_name(&self, i: usize) -> String {
        self.model.constraint_name(i)
    }

    fn constraint_unit(&self, i: usize) -> Option<f64> {
        self.model.constraint_unit(i)
    }

    fn state_name(&self, i: usize) -> String {
        self.model.state_name(i)
    }
}
