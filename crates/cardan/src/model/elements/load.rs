//! Forces and torques on one body as functions of time, fixed in space or following the body.

use super::super::Function;
use super::super::element::{
    Element, ElementLoads, ElementOutput, ElementTangent, ElementView, EnergyFlow,
};
use super::super::node_measure::PositionKinematics;
use super::super::values::vector;
use cardan_core::linalg::SparseMatrix;
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Scalar, constants, hat};
use cardan_core::system::{Derivative, Failure};

/// What a load is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::model) enum LoadKind {
    Force,
    Torque,
}

/// A force at a point, or a torque.
#[derive(Clone, Debug)]
pub(in crate::model) struct Load<T = f64> {
    pub node: usize,
    pub kind: LoadKind,
    /// The point from the centre of mass.
    pub point: Vector3<T>,
    pub components: [Function; 3],
    pub follows: bool,
    /// The axes of a following load on its body.
    pub axes: Matrix3<T>,
    /// A factor: what a length of beam carries of a load per length, or a part of the load.
    pub scale: T,
    /// The beam and its node that carries a part of a load per length.
    pub on_beam: Option<(usize, usize)>,
}

impl<T: Scalar> Load<T> {
    /// The load in world axes.
    pub fn in_world(&self, t: T, at: PositionKinematics<'_, T>) -> Vector3<T> {
        let value = vector(&self.components, t) * self.scale;
        if self.follows { at.frames[self.node].rotation * (self.axes * value) } else { value }
    }

    /// The load in body axes.
    fn in_body(&self, t: T, at: PositionKinematics<'_, T>) -> Vector3<T> {
        let value = vector(&self.components, t) * self.scale;
        if self.follows { self.axes * value } else { at.frames[self.node].rotation.tr_mul(&value) }
    }

    pub fn force(&self, t: T, at: PositionKinematics<'_, T>, force: &mut [T]) {
        let node = &at.nodes[self.node];
        match self.kind {
            LoadKind::Force => {
                node.add(0, &self.in_world(t, at), force);
                node.add(1, &self.point.cross(&self.in_body(t, at)), force);
            }
            LoadKind::Torque => node.add(1, &self.in_body(t, at), force),
        }
    }

    /// The power.
    pub fn power(&self, t: T, at: PositionKinematics<'_, T>, v: &[T]) -> T {
        let node = &at.nodes[self.node];
        let (velocity, omega) = (node.velocity(0, v), node.velocity(1, v));
        let load = self.in_body(t, at);
        match self.kind {
            LoadKind::Force => {
                let speed = at.frames[self.node].rotation.tr_mul(&velocity);
                load.dot(&(speed + omega.cross(&self.point)))
            }
            LoadKind::Torque => load.dot(&omega),
        }
    }
}

impl Load {
    /// −∂f/∂q: a following force turns R F, a fixed one Rᵀ F.
    pub fn tangent(&self, t: f64, at: PositionKinematics<'_>, stiffness: &mut SparseMatrix) {
        let (node, rotation) = (&at.nodes[self.node], at.frames[self.node].rotation);
        let turning = hat(&self.in_body(t, at));
        match (self.kind, self.follows) {
            (LoadKind::Force, true) => node.add_block(0, node, 1, &(rotation * turning), stiffness),
            (LoadKind::Force, false) => {
                node.add_block(1, node, 1, &(-hat(&self.point) * turning), stiffness);
            }
            (LoadKind::Torque, true) => {}
            (LoadKind::Torque, false) => node.add_block(1, node, 1, &-turning, stiffness),
        }
    }

    /// The load with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> Load<U> {
        let Self { node, kind, follows, on_beam, .. } = *self;
        Load {
            node,
            kind,
            point: constants(&self.point),
            components: self.components.clone(),
            follows,
            axes: self.axes.map(U::constant),
            scale: U::constant(self.scale),
            on_beam,
        }
    }
}

impl Element for Load {
    #[inline]
    fn force(&self, at: &ElementView<'_>, loads: &mut ElementLoads<'_>) -> Result<(), Failure> {
        self.force(at.t, at.place, loads.out);
        Ok(())
    }

    #[inline]
    fn tangent(
        &self,
        at: &ElementView<'_>,
        tangent: &mut ElementTangent<'_>,
    ) -> Result<Derivative, Failure> {
        if let Some(out) = tangent.whole() {
            self.tangent(at.t, at.place, out.stiffness);
        }
        Ok(Derivative::Analytic)
    }

    fn flow(&self, at: &ElementView<'_>) -> Option<EnergyFlow> {
        Some(EnergyFlow { work: self.power(at.t, at.place, at.v), lost: 0.0 })
    }

    fn outputs(&self) -> Vec<ElementOutput> {
        let force = match self.kind {
            LoadKind::Force => ElementOutput::vector("force", "N"),
            LoadKind::Torque => ElementOutput::moment("force", "N·m"),
        };
        vec![force, ElementOutput::number("power", "W")]
    }

    fn output(&self, k: usize, at: &ElementView<'_>, values: &mut [f64]) {
        match k {
            0 => values.copy_from_slice(self.in_world(at.t, at.place).as_slice()),
            _ => values[0] = self.power(at.t, at.place, at.v),
        }
    }

    fn inputs(&self) -> &'static [&'static str] {
        // a load per length has no one place
        if self.on_beam.is_some() { &[] } else { &["x", "y", "z"] }
    }

    fn unit_input(&self, k: usize, at: &ElementView<'_>, loads: &mut ElementLoads<'_>) {
        let (node, rotation) = (&at.place.nodes[self.node], &at.place.frames[self.node].rotation);
        let axis = Vector3::ith(k, 1.0);
        let direction = if self.follows { rotation * (self.axes * axis) } else { axis };
        match self.kind {
            LoadKind::Force => {
                node.add(0, &direction, loads.out);
                node.add(1, &self.point.cross(&rotation.tr_mul(&direction)), loads.out);
            }
            LoadKind::Torque => node.add(1, &rotation.tr_mul(&direction), loads.out),
        }
    }

    fn reason_not_finite(&self, at: &ElementView<'_>) -> Option<Failure> {
        self.components.iter().find_map(|x| x.failure(at.t))
    }
}
