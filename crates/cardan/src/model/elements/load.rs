//! Forces and torques on one body as functions of time, with components in world axes W, or in axes L fixed in
//! the body (following). B is the frame of the body at its centre of mass, P the point of application.

use super::super::Function;
use super::super::element::{
    Element, ElementLoads, ElementOutput, ElementTangent, ElementView, EnergyFlow,
};
use super::super::node_measure::PositionKinematics;
use super::super::values::{FunctionInput, vector};
use cardan_core::linalg::SparseMatrix;
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Scalar, constants, hat};
use cardan_core::system::{Derivative, Failure};

/// The kind of a load.
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
    /// p_BP_B.
    pub point: Vector3<T>,
    /// f_L if the load follows the body, otherwise f_W.
    pub components: [Function; 3],
    pub follows: bool,
    /// R_BL: the axes of a following load.
    pub axes: Matrix3<T>,
    /// A factor of the load: a share of it, or the length of beam for a load per length.
    pub scale: T,
    /// The beam and the number of its node, for a part of a load per length.
    pub on_beam: Option<(usize, usize)>,
}

impl<T: Scalar> Load<T> {
    /// f_W: the load in world axes.
    pub fn in_world(
        &self,
        input: FunctionInput<'_, T>,
        at: PositionKinematics<'_, T>,
    ) -> Vector3<T> {
        self.turned(vector(&self.components, input) * self.scale, at)
    }

    /// The load per length of a beam in world axes: the load without the share of its node.
    pub fn per_length(
        &self,
        input: FunctionInput<'_, T>,
        at: PositionKinematics<'_, T>,
    ) -> Vector3<T> {
        self.turned(vector(&self.components, input), at)
    }

    fn turned(&self, value: Vector3<T>, at: PositionKinematics<'_, T>) -> Vector3<T> {
        if self.follows { at.frames[self.node].rotation * (self.axes * value) } else { value }
    }

    /// f_B: the load in body axes.
    fn in_body(&self, input: FunctionInput<'_, T>, at: PositionKinematics<'_, T>) -> Vector3<T> {
        let value = vector(&self.components, input) * self.scale;
        if self.follows { self.axes * value } else { at.frames[self.node].rotation.tr_mul(&value) }
    }

    pub fn force(
        &self,
        input: FunctionInput<'_, T>,
        at: PositionKinematics<'_, T>,
        force: &mut [T],
    ) {
        let node = &at.nodes[self.node];
        match self.kind {
            LoadKind::Force => {
                node.add(0, &self.in_world(input, at), force);
                node.add(1, &self.point.cross(&self.in_body(input, at)), force);
            }
            LoadKind::Torque => node.add(1, &self.in_body(input, at), force),
        }
    }

    /// The power.
    pub fn power(&self, input: FunctionInput<'_, T>, at: PositionKinematics<'_, T>, v: &[T]) -> T {
        let node = &at.nodes[self.node];
        let (v_WB_W, w_WB_B) = (node.velocity(0, v), node.velocity(1, v));
        let f_B = self.in_body(input, at);
        match self.kind {
            LoadKind::Force => {
                let v_WB_B = at.frames[self.node].rotation.tr_mul(&v_WB_W);
                f_B.dot(&(v_WB_B + w_WB_B.cross(&self.point)))
            }
            LoadKind::Torque => f_B.dot(&w_WB_B),
        }
    }
}

impl Load {
    /// The key of its components in the model file.
    pub fn key(&self) -> &'static str {
        match self.kind {
            LoadKind::Force => "force",
            LoadKind::Torque => "torque",
        }
    }

    /// Whether a component depends on signals.
    pub fn has_signals(&self) -> bool {
        self.components.iter().any(Function::is_signal)
    }

    /// −∂f/∂q: of R_WB f_B if the load follows the body, of R_WBᵀ f_W if it does not.
    pub fn tangent(
        &self,
        input: FunctionInput<'_>,
        at: PositionKinematics<'_>,
        stiffness: &mut SparseMatrix,
    ) {
        let (node, R_WB) = (&at.nodes[self.node], at.frames[self.node].rotation);
        let f_hat = hat(&self.in_body(input, at));
        match (self.kind, self.follows) {
            (LoadKind::Force, true) => node.add_block(0, node, 1, &(R_WB * f_hat), stiffness),
            (LoadKind::Force, false) => {
                node.add_block(1, node, 1, &(-hat(&self.point) * f_hat), stiffness);
            }
            (LoadKind::Torque, true) => {}
            (LoadKind::Torque, false) => node.add_block(1, node, 1, &-f_hat, stiffness),
        }
    }

    /// Writes row and value of the load for a unit value of component k, its factor included.
    pub fn direction(&self, k: usize, at: &ElementView<'_>, write: &mut impl FnMut(usize, f64)) {
        let node = &at.kinematics.nodes[self.node];
        let R_WB = &at.kinematics.frames[self.node].rotation;
        let axis = Vector3::ith(k, self.scale);
        let unit_W = if self.follows { R_WB * (self.axes * axis) } else { axis };
        let unit_B = R_WB.tr_mul(&unit_W);
        if self.kind == LoadKind::Force {
            // components along fixed axes act on one displacement only
            for (component, offset) in node.offsets(0) {
                if self.follows || component == k {
                    write(node.v + offset, unit_W[component]);
                }
            }
        }
        let moment = match self.kind {
            LoadKind::Force => self.point.cross(&unit_B),
            LoadKind::Torque => unit_B,
        };
        if self.kind == LoadKind::Torque || self.point != Vector3::zeros() {
            for (component, offset) in node.offsets(1) {
                write(node.v + offset, moment[component]);
            }
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
        self.force(at.input(), at.kinematics, loads.out);
        Ok(())
    }

    #[inline]
    fn tangent(
        &self,
        at: &ElementView<'_>,
        tangent: &mut ElementTangent<'_>,
    ) -> Result<Derivative, Failure> {
        if let Some(out) = tangent.model_tangent() {
            self.tangent(at.input(), at.kinematics, out.stiffness);
        }
        Ok(Derivative::Analytic)
    }

    fn flow(&self, at: &ElementView<'_>) -> Option<EnergyFlow> {
        Some(EnergyFlow { work: self.power(at.input(), at.kinematics, at.v), lost: 0.0 })
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
            0 => values.copy_from_slice(self.in_world(at.input(), at.kinematics).as_slice()),
            _ => values[0] = self.power(at.input(), at.kinematics, at.v),
        }
    }

    fn inputs(&self) -> &'static [&'static str] {
        // a load per length does not act at one point
        if self.on_beam.is_some() { &[] } else { &["x", "y", "z"] }
    }

    fn unit_input(&self, k: usize, at: &ElementView<'_>, loads: &mut ElementLoads<'_>) {
        let node = &at.kinematics.nodes[self.node];
        let R_WB = &at.kinematics.frames[self.node].rotation;
        let axis = Vector3::ith(k, 1.0);
        let unit_W = if self.follows { R_WB * (self.axes * axis) } else { axis };
        match self.kind {
            LoadKind::Force => {
                node.add(0, &unit_W, loads.out);
                node.add(1, &self.point.cross(&R_WB.tr_mul(&unit_W)), loads.out);
            }
            LoadKind::Torque => node.add(1, &R_WB.tr_mul(&unit_W), loads.out),
        }
    }

    fn reason_not_finite(&self, at: &ElementView<'_>) -> Option<Failure> {
        self.components.iter().find_map(|x| x.failure(at.t))
    }
}
