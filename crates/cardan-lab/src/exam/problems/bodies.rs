//! Single bodies: free, and as tops with the node at the centre of mass or at another point.

use std::sync::Arc;

use super::problem::ExamProblem;
use cardan::linalg::SparseMatrix;
use cardan::math::{Matrix3, Quaternion, Vector3, hat};
use cardan::simulation::InitialValues;
use cardan::system::{Derivative, Failure, ForceTangent, RotationIndex, Space, StateView, System};

/// A free body turned by a torque that is constant in space.
pub struct FreeBody {
    /// Principal inertias.
    pub inertia: Vector3,
    /// The torque, world axes.
    pub torque: Vector3,
}

impl FreeBody {
    /// The problem of the exam.
    pub fn problem() -> ExamProblem {
        ExamProblem {
            name: "free-body",
            tests: "unconstrained rotation",
            system: Arc::new(Self {
                inertia: Vector3::new(1.0, 2.0, 3.0),
                torque: Vector3::new(1.0, -0.5, 0.8),
            }),
            initial: InitialValues::new(&[1.0, 0.0, 0.0, 0.0], &[1.0, 2.0, -0.7]),
            conservative: false,
            coarsest: 5.0,
        }
    }
}

impl System for FreeBody {
    fn space(&self) -> Space {
        Space::rotation()
    }

    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        mass.add_block(0, 0, &Matrix3::from_diagonal(&self.inertia));
        Ok(())
    }

    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        let rotation = Quaternion::new(at.q[0], at.q[1], at.q[2], at.q[3]);
        let omega = Vector3::new(at.v[0], at.v[1], at.v[2]);
        let spin = omega.cross(&self.inertia.component_mul(&omega));
        force.copy_from_slice((rotation.rotate_back(&self.torque) - spin).as_slice());
        Ok(())
    }

    fn force_tangent(
        &self,
        at: &StateView<'_>,
        tangent: &mut ForceTangent<'_>,
    ) -> Result<Derivative, Failure> {
        let rotation = Quaternion::new(at.q[0], at.q[1], at.q[2], at.q[3]);
        let omega = Vector3::new(at.v[0], at.v[1], at.v[2]);
        tangent.stiffness.add_block(0, 0, &-hat(&rotation.rotate_back(&self.torque)));
        tangent.damping.add_block(0, 0, &gyroscopic(&self.inertia, &omega));
        Ok(Derivative::Analytic)
    }

    fn has_constant_mass(&self) -> bool {
        true
    }
}

/// ∂(Ω × JΩ)/∂Ω.
pub(super) fn gyroscopic(inertia: &Vector3, omega: &Vector3) -> Matrix3 {
    hat(omega) * Matrix3::from_diagonal(inertia) - hat(&inertia.component_mul(omega))
}

/// The heavy top as a body held at the origin by a spherical joint; node at the centre of mass.
/// Forces and constraints only: every tangent is differenced.
pub struct HeavyTop {
    /// Initial angular velocity, body axes.
    pub spin: Vector3,
}

const TOP_MASS: f64 = 15.0;
const TOP_INERTIA: Vector3 = Vector3::new(0.234375, 0.46875, 0.234375);
/// From the joint to the centre of mass, body axes.
const TOP_ARM: Vector3 = Vector3::new(0.0, 1.0, 0.0);
const GRAVITY: Vector3 = Vector3::new(0.0, 0.0, -9.81);
const TURN: RotationIndex = RotationIndex { q: 3, v: 3 };

impl HeavyTop {
    /// The slow top of the exam.
    pub fn problem() -> ExamProblem {
        Self { spin: Vector3::new(0.0, 15.0, -1.0) }.into_problem()
    }

    /// The fast top that is known from the literature.
    pub fn fast() -> ExamProblem {
        Self { spin: Vector3::new(0.0, 150.0, -4.61538) }.into_problem()
    }

    fn into_problem(self) -> ExamProblem {
        let velocity = self.spin.cross(&TOP_ARM);
        let (w, v) = (self.spin, velocity);
        ExamProblem {
            name: "heavy-top",
            tests: "a rotating body under a spherical joint",
            initial: InitialValues::new(
                &[TOP_ARM.x, TOP_ARM.y, TOP_ARM.z, 1.0, 0.0, 0.0, 0.0],
                &[v.x, v.y, v.z, w.x, w.y, w.z],
            ),
            system: Arc::new(self),
            conservative: true,
            coarsest: 40.0,
        }
    }
}

impl System for HeavyTop {
    fn space(&self) -> Space {
        Space::body()
    }

    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        mass.add_diagonal(0, 0, TOP_MASS);
        mass.add_block(3, 3, &Matrix3::from_diagonal(&TOP_INERTIA));
        Ok(())
    }

    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        let omega = TURN.tangent(at.v);
        force[..3].copy_from_slice((TOP_MASS * GRAVITY).as_slice());
        let spin = omega.cross(&TOP_INERTIA.component_mul(&omega));
        force[3..].copy_from_slice((-spin).as_slice());
        Ok(())
    }

    fn holonomic_count(&self) -> usize {
        3
    }

    fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
        let q = at.q;
        let arm = TURN.of(q).rotate(&TOP_ARM);
        phi.iter_mut().enumerate().for_each(|(i, phi)| *phi = q[i] - arm[i]);
        Ok(())
    }

    fn jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
        let q = at.q;
        jacobian.add_diagonal(0, 0, 1.0);
        jacobian.add_block(0, 3, &(TURN.of(q).to_matrix() * hat(&TOP_ARM)));
        Ok(())
    }

    fn acceleration_term(
        &self,
        at: &StateView<'_>,
        out: &mut [f64],
    ) -> Result<Derivative, Failure> {
        let (q, v) = (at.q, at.v);
        let omega = TURN.tangent(v);
        let centripetal = TURN.of(q).rotate(&omega.cross(&omega.cross(&TOP_ARM)));
        out.copy_from_slice((-centripetal).as_slice());
        Ok(Derivative::Analytic)
    }

    fn potential_energy(&self, at: &StateView<'_>) -> Option<f64> {
        let q = at.q;
        Some(-TOP_MASS * GRAVITY.z * q[2])
    }

    fn constraint_name(&self, i: usize) -> String {
        format!("tip ({})", ["x", "y", "z"][i])
    }
}

/// The slow top with its node away from the centre of mass: the mass then depends on the rotation.
pub struct OffsetTop;

impl OffsetTop {
    /// The problem.
    pub fn problem() -> ExamProblem {
        ExamProblem {
            name: "offset-top",
            tests: "a mass matrix that depends on the rotation",
            system: Arc::new(Self),
            // a node half way between tip and centre, so that M a and G both feel the rotation
            initial: InitialValues::new(
                &[0.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0],
                &[0.5, 0.0, 0.0, 0.0, 15.0, -1.0],
            ),
            conservative: true,
            coarsest: 40.0,
        }
    }
}

/// From the node to the centre of mass, and from the node to the joint.
const TO_CENTRE: Vector3 = Vector3::new(0.0, 0.5, 0.0);
const TO_JOINT: Vector3 = Vector3::new(0.0, -0.5, 0.0);

impl System for OffsetTop {
    fn space(&self) -> Space {
        Space::body()
    }

    fn mass(&self, at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        let q = at.q;
        let lever = TOP_MASS * TURN.of(q).to_matrix() * hat(&TO_CENTRE);
        mass.add_diagonal(0, 0, TOP_MASS);
        mass.add_block(0, 3, &-lever);
        mass.add_block(3, 0, &-lever.transpose());
        let steiner = -TOP_MASS * hat(&TO_CENTRE) * hat(&TO_CENTRE);
        mass.add_block(3, 3, &(Matrix3::from_diagonal(&TOP_INERTIA) + steiner));
        Ok(())
    }

    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        let (rotation, omega) = (TURN.of(at.q), TURN.tangent(at.v));
        let centripetal = rotation.rotate(&omega.cross(&omega.cross(&TO_CENTRE)));
        force[..3].copy_from_slice((TOP_MASS * (GRAVITY - centripetal)).as_slice());
        let steiner = -TOP_MASS * hat(&TO_CENTRE) * hat(&TO_CENTRE);
        let inertia = Matrix3::from_diagonal(&TOP_INERTIA) + steiner;
        let weight = TO_CENTRE.cross(&rotation.rotate_back(&(TOP_MASS * GRAVITY)));
        force[3..].copy_from_slice((weight - omega.cross(&(inertia * omega))).as_slice());
        Ok(())
    }

    fn holonomic_count(&self) -> usize {
        3
    }

    fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
        let q = at.q;
        let joint = TURN.of(q).rotate(&TO_JOINT);
        phi.iter_mut().enumerate().for_each(|(i, phi)| *phi = q[i] + joint[i]);
        Ok(())
    }

    fn jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
        let q = at.q;
        jacobian.add_diagonal(0, 0, 1.0);
        jacobian.add_block(0, 3, &-(TURN.of(q).to_matrix() * hat(&TO_JOINT)));
        Ok(())
    }

    fn acceleration_term(
        &self,
        at: &StateView<'_>,
        out: &mut [f64],
    ) -> Result<Derivative, Failure> {
        let (q, v) = (at.q, at.v);
        let omega = TURN.tangent(v);
        let centripetal = TURN.of(q).rotate(&omega.cross(&omega.cross(&TO_JOINT)));
        out.copy_from_slice(centripetal.as_slice());
        Ok(Derivative::Analytic)
    }

    fn potential_energy(&self, at: &StateView<'_>) -> Option<f64> {
        let q = at.q;
        let height = q[2] + TURN.of(q).rotate(&TO_CENTRE).z;
        Some(-TOP_MASS * GRAVITY.z * height)
    }
}
