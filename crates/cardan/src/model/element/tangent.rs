//! The derivatives that an element writes if it has analytic ones.

use super::ElementView;
use super::matrices::{ElementMatrices, ElementRateMatrices};
use super::site::CompiledSite;
use crate::model::PairVelocity;
use crate::model::node_measure::PositionKinematics;
use cardan_core::math::{Matrix3, Vector3, hat};
use cardan_core::system::ForceTangent;

/// The two parts of a body's motion, and of the load on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The position of the centre of mass, world axes; a force.
    Place,
    /// The rotation, body axes; a moment about the centre of mass.
    Turn,
}

/// The derivatives of an element's loads over the coordinates of its nodes, with the sign of the left-hand side
/// of the equations of motion: stiffness is −∂f/∂q, damping −∂f/∂v.
pub struct ElementTangent<'a> {
    kinematics: PositionKinematics<'a>,
    v: &'a [f64],
    sites: &'a [CompiledSite],
    sink: TangentSink<'a>,
}

enum TangentSink<'a> {
    /// The sparse matrices of the model.
    Model(&'a mut dyn ModelTangent),
    /// The dense matrices of one element.
    Element(&'a mut ElementMatrices),
}

/// Reborrows the tangents of a model with a shorter lifetime.
pub(in crate::model) trait ModelTangent {
    /// The tangents.
    fn get(&mut self) -> ForceTangent<'_>;
}

impl ModelTangent for ForceTangent<'_> {
    fn get(&mut self) -> ForceTangent<'_> {
        let Self { stiffness, damping, multipliers, states } = self;
        ForceTangent { stiffness, damping, multipliers, states }
    }
}

impl<'a> ElementTangent<'a> {
    /// A tangent that is written to the matrices of the model.
    pub(in crate::model) fn new(at: &ElementView<'a>, out: &'a mut dyn ModelTangent) -> Self {
        Self { kinematics: at.kinematics, v: at.v, sites: at.sites, sink: TangentSink::Model(out) }
    }

    /// A tangent that is written to the matrices of one element.
    pub(in crate::model) fn for_element(
        at: &ElementView<'a>,
        own: &'a mut ElementMatrices,
    ) -> Self {
        Self {
            kinematics: at.kinematics,
            v: at.v,
            sites: at.sites,
            sink: TangentSink::Element(own),
        }
    }

    /// The tangents of the model, for built-in kinds, which write their entries directly.
    pub(in crate::model) fn model_tangent(&mut self) -> Option<ForceTangent<'_>> {
        match &mut self.sink {
            TangentSink::Model(out) => Some(out.get()),
            TangentSink::Element(_) => None,
        }
    }

    fn node(&self, k: usize) -> Option<usize> {
        match self.sites.get(k) {
            Some(CompiledSite::Point { node, .. }) => Some(*node),
            _ => None,
        }
    }

    fn add(
        &mut self,
        which: TangentPart,
        [i, j]: [usize; 2],
        [row, column]: [usize; 2],
        block: &Matrix3,
    ) {
        let nodes = self.kinematics.nodes;
        let TangentSink::Element(own) = &mut self.sink else { return };
        let (Some(first), Some(other)) = (own.first(i), own.first(j)) else { return };
        let matrix = match which {
            TangentPart::Stiffness => &mut own.stiffness,
            TangentPart::Damping => &mut own.damping,
        };
        for (b, column) in nodes[j].offsets(column) {
            for (a, row) in nodes[i].offsets(row) {
                matrix[(first + row, other + column)] += block[(a, b)];
            }
        }
    }

    /// Adds −∂(load on the body of site i)/∂(position of the body of site j): loads about the centre of mass,
    /// forces and positions in world axes, moments and rotations in body axes.
    pub fn stiffness(&mut self, i: (usize, Side), j: (usize, Side), block: &Matrix3) {
        self.block(TangentPart::Stiffness, i, j, block);
    }

    /// Adds −∂(load on the body of site i)/∂(velocity of the body of site j), in the axes of
    /// [`ElementTangent::stiffness`].
    pub fn damping(&mut self, i: (usize, Side), j: (usize, Side), block: &Matrix3) {
        self.block(TangentPart::Damping, i, j, block);
    }

    fn block(&mut self, which: TangentPart, i: (usize, Side), j: (usize, Side), block: &Matrix3) {
        let (Some(row), Some(column)) = (self.node(i.0), self.node(j.0)) else { return };
        self.add(which, [row, column], [i.1 as usize, j.1 as usize], block);
    }

    /// Adds the derivatives of a force F at the point of site i that depends on the motion of the point p of
    /// site j: stiffness −∂F/∂p and damping −∂F/∂ṗ, world axes. Call [`ElementTangent::force`] once for each
    /// force too.
    pub fn points(&mut self, i: usize, j: usize, stiffness: &Matrix3, damping: &Matrix3) {
        let point = |k: usize| match self.sites.get(k) {
            Some(CompiledSite::Point { node, point }) => Some((*node, *point)),
            _ => None,
        };
        let (Some((row, row_arm)), Some((column, column_arm))) = (point(i), point(j)) else {
            return;
        };
        let frames = self.kinematics.frames;
        let (row_rotation, column_rotation) = (&frames[row].rotation, frames[column].rotation);
        // δp = δx − R[s]δθ, δṗ = δv − R[s]δω − R[ω × s]δθ; the moment is s × RᵀF
        let by_rotation = -column_rotation * hat(&column_arm);
        let moment_of_force = hat(&row_arm) * row_rotation.transpose();
        let omega = self.kinematics.nodes[column].velocity(1, self.v);
        let rate_by_rotation = -column_rotation * hat(&omega.cross(&column_arm));
        let angular_stiffness = stiffness * by_rotation + damping * rate_by_rotation;
        let nodes = [row, column];
        for (which, linear, angular) in [
            (TangentPart::Stiffness, stiffness, angular_stiffness),
            (TangentPart::Damping, damping, damping * by_rotation),
        ] {
            self.add(which, nodes, [0, 0], linear);
            self.add(which, nodes, [0, 1], &angular);
            self.add(which, nodes, [1, 0], &(moment_of_force * linear));
            self.add(which, nodes, [1, 1], &(moment_of_force * angular));
        }
    }

    /// Adds the derivative of the moment of a force at the point of site i by the rotation of its body. `force`
    /// is the force itself, world axes.
    pub fn force(&mut self, i: usize, force: &Vector3) {
        let Some(CompiledSite::Point { node, point }) = self.sites.get(i) else { return };
        let force_in_body = self.kinematics.frames[*node].rotation.tr_mul(force);
        let block = -hat(point) * hat(&force_in_body);
        self.add(TangentPart::Stiffness, [*node, *node], [1, 1], &block);
    }

    /// Adds the derivatives of a force F along coordinate i that depends on coordinate s of site j: stiffness
    /// −∂F/∂s and damping −∂F/∂ṡ. Call [`ElementTangent::along`] once for each force too.
    pub fn coordinates(&mut self, i: usize, j: usize, stiffness: f64, damping: f64) {
        let sites = self.sites;
        let (Some(CompiledSite::Coordinate(one)), Some(CompiledSite::Coordinate(two))) =
            (sites.get(i), sites.get(j))
        else {
            return;
        };
        let (left, right) = (one.gradient(self.kinematics), two.gradient(self.kinematics));
        let rate_gradient =
            two.rate_gradient(self.kinematics, &two.motion(self.kinematics.nodes, self.v));
        let product = |left: &PairVelocity<f64>,
                       right: &PairVelocity<f64>,
                       factor: f64,
                       a: usize,
                       b: usize| { factor * left[a] * right[b].transpose() };
        for a in 0..4 {
            for b in 0..4 {
                let nodes = [one.sides[a / 2], two.sides[b / 2]];
                let parts = [a % 2, b % 2];
                let stiff = product(&left, &right, stiffness, a, b)
                    + product(&left, &rate_gradient, damping, a, b);
                self.add(TangentPart::Stiffness, nodes, parts, &stiff);
                self.add(
                    TangentPart::Damping,
                    nodes,
                    parts,
                    &product(&left, &right, damping, a, b),
                );
            }
        }
    }

    /// Adds the derivative of the direction of a force along coordinate i. `force` is the force itself.
    pub fn along(&mut self, i: usize, force: f64) {
        let Some(CompiledSite::Coordinate(measure)) = self.sites.get(i) else { return };
        let kinematics = self.kinematics;
        measure.curvature(kinematics, |a, b, block| {
            let nodes = [measure.sides[a / 2], measure.sides[b / 2]];
            self.add(TangentPart::Stiffness, nodes, [a % 2, b % 2], &(-force * block));
        });
    }

    /// Adds −∂F/∂z for a force F at the point of site i, world axes, and state z number k.
    pub fn point_state(&mut self, i: usize, k: usize, slope: &Vector3) {
        let Some(CompiledSite::Point { node, point }) = self.sites.get(i) else { return };
        let moment = point.cross(&self.kinematics.frames[*node].rotation.tr_mul(slope));
        let mut values = [Vector3::zeros(); 2];
        values.copy_from_slice(&[*slope, moment]);
        self.add_state(*node, &values, k);
    }

    /// Adds −∂F/∂z for a force F along coordinate i and state z number k.
    pub fn coordinate_state(&mut self, i: usize, k: usize, slope: f64) {
        let Some(CompiledSite::Coordinate(measure)) = self.sites.get(i) else { return };
        let gradient = measure.gradient(self.kinematics).map(|g| slope * g);
        for side in 0..2 {
            let values = [gradient[2 * side], gradient[2 * side + 1]];
            self.add_state(measure.sides[side], &values, k);
        }
    }

    fn add_state(&mut self, node: usize, values: &[Vector3; 2], k: usize) {
        let nodes = self.kinematics.nodes;
        let TangentSink::Element(own) = &mut self.sink else { return };
        let Some(first) = own.first(node).filter(|_| k < own.states.ncols()) else { return };
        for (part, values) in values.iter().enumerate() {
            for (component, offset) in nodes[node].offsets(part) {
                own.states[(first + offset, k)] += values[component];
            }
        }
    }
}

#[derive(Clone, Copy)]
enum TangentPart {
    Stiffness,
    Damping,
}

/// The derivatives of the rates ż of an element's states.
pub struct RateTangent<'a> {
    kinematics: PositionKinematics<'a>,
    v: &'a [f64],
    sites: &'a [CompiledSite],
    pub(super) own: &'a mut ElementRateMatrices,
}

impl<'a> RateTangent<'a> {
    pub(in crate::model) fn new(at: &ElementView<'a>, own: &'a mut ElementRateMatrices) -> Self {
        Self { kinematics: at.kinematics, v: at.v, sites: at.sites, own }
    }

    /// Adds ∂ż/∂z for the rate of state k and state l.
    pub fn state(&mut self, k: usize, l: usize, slope: f64) {
        if let Some(value) = self.own.state.get_mut((k, l)) {
            *value += slope;
        }
    }

    /// Adds ∂ż/∂s and ∂ż/∂ṡ for state k and the coordinate s of site j.
    pub fn coordinate(&mut self, k: usize, j: usize, value: f64, rate: f64) {
        let Some(CompiledSite::Coordinate(measure)) = self.sites.get(j) else { return };
        let gradient = measure.gradient(self.kinematics);
        let rate_gradient =
            measure.rate_gradient(self.kinematics, &measure.motion(self.kinematics.nodes, self.v));
        for column in 0..4 {
            let (node, part) = (measure.sides[column / 2], column % 2);
            let by_position = value * gradient[column] + rate * rate_gradient[column];
            self.add(k, node, part, &by_position, &(rate * gradient[column]));
        }
    }

    /// Adds ∂ż/∂p and ∂ż/∂ṗ for state k and the point p of site j, world axes.
    pub fn point(&mut self, k: usize, j: usize, position: &Vector3, velocity: &Vector3) {
        let Some(CompiledSite::Point { node, point }) = self.sites.get(j) else { return };
        let rotation = &self.kinematics.frames[*node].rotation;
        let by_rotation = -rotation * hat(point);
        let omega = self.kinematics.nodes[*node].velocity(1, self.v);
        let rate_by_rotation = -rotation * hat(&omega.cross(point));
        self.add(k, *node, 0, position, velocity);
        let angular = by_rotation.tr_mul(position) + rate_by_rotation.tr_mul(velocity);
        self.add(k, *node, 1, &angular, &by_rotation.tr_mul(velocity));
    }

    fn add(&mut self, k: usize, node: usize, part: usize, q: &Vector3, v: &Vector3) {
        let found = self.own.nodes.iter().find(|(number, _)| *number == node);
        let Some(first) = found.map(|(_, first)| *first) else { return };
        if k >= self.own.state.nrows() {
            return;
        }
        for (component, offset) in self.kinematics.nodes[node].offsets(part) {
            self.own.configuration[(k, first + offset)] += q[component];
            self.own.velocity[(k, first + offset)] += v[component];
        }
    }
}
