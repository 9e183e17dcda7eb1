//! The motion of the sites of an element at an instant.

use std::cell::RefCell;

use super::matrices::ElementScratch;
use super::site::CompiledSite;
use crate::model::node_measure::PositionKinematics;
use crate::model::values::FunctionInput;
use cardan_core::math::{Matrix3, Vector3};
use cardan_core::system::StateView;

/// The instant at which an element is evaluated: time, states of the element, and the motion of its sites. Sites
/// are numbered as in the list with which the element was added. A number without a site, or a site of the wrong
/// type, gives NaN.
#[derive(Clone, Copy)]
pub struct ElementView<'a> {
    /// Time.
    pub t: f64,
    /// The states of the element.
    pub z: &'a [f64],
    pub(in crate::model) kinematics: PositionKinematics<'a>,
    pub(in crate::model) v: &'a [f64],
    pub(in crate::model) multipliers: &'a [f64],
    /// The values of the signals of the model.
    pub(in crate::model) signals: &'a [f64],
    pub(in crate::model) sites: &'a [CompiledSite],
    pub(in crate::model) scratch: Option<&'a RefCell<ElementScratch>>,
}

const UNDEFINED: Vector3 = Vector3::new(f64::NAN, f64::NAN, f64::NAN);

impl<'a> ElementView<'a> {
    /// A view without states, multipliers, sites and scratch.
    pub(in crate::model) fn new(t: f64, kinematics: PositionKinematics<'a>, v: &'a [f64]) -> Self {
        let (z, multipliers, signals) = (&[], &[], &[]);
        Self { t, z, kinematics, v, multipliers, signals, sites: &[], scratch: None }
    }

    /// The arguments of functions.
    #[inline]
    pub(in crate::model) fn input(&self) -> FunctionInput<'a> {
        FunctionInput { t: self.t, signals: self.signals }
    }

    /// A view with states and multipliers of an instant. `v` includes the velocities of points of flexible bodies.
    pub(in crate::model) fn among(
        at: &StateView<'a>,
        kinematics: PositionKinematics<'a>,
        v: &'a [f64],
        scratch: &'a RefCell<ElementScratch>,
        signals: &'a [f64],
    ) -> Self {
        let StateView { t, multipliers, z, .. } = *at;
        Self { multipliers, z, signals, scratch: Some(scratch), ..Self::new(t, kinematics, v) }
    }

    /// The node of site k, and the point on it in body axes.
    fn point(&self, k: usize) -> Option<(usize, &'a Vector3)> {
        match self.sites.get(k) {
            Some(CompiledSite::Point { node, point }) => Some((*node, point)),
            _ => None,
        }
    }

    /// The position of the point of site k, world axes.
    pub fn position(&self, k: usize) -> Vector3 {
        let Some((node, point)) = self.point(k) else { return UNDEFINED };
        let frame = &self.kinematics.frames[node];
        frame.position + frame.rotation * point
    }

    /// The velocity of the point of site k, world axes.
    pub fn velocity(&self, k: usize) -> Vector3 {
        let Some((node, point)) = self.point(k) else { return UNDEFINED };
        let (rotation, node) =
            (&self.kinematics.frames[node].rotation, &self.kinematics.nodes[node]);
        node.velocity(0, self.v) + rotation * node.velocity(1, self.v).cross(point)
    }

    /// The rotation matrix of the body of site k, from body to world axes.
    pub fn rotation(&self, k: usize) -> Matrix3 {
        self.point(k)
            .map_or(Matrix3::repeat(f64::NAN), |(node, _)| self.kinematics.frames[node].rotation)
    }

    /// The angular velocity of the body of site k, body axes.
    pub fn angular_velocity(&self, k: usize) -> Vector3 {
        self.point(k).map_or(UNDEFINED, |(node, _)| self.kinematics.nodes[node].velocity(1, self.v))
    }

    /// The value of the coordinate of site k: an angle or a length.
    pub fn coordinate(&self, k: usize) -> f64 {
        match self.sites.get(k) {
            Some(CompiledSite::Coordinate(measure)) => measure.value(self.kinematics),
            _ => f64::NAN,
        }
    }

    /// The rate of the coordinate of site k.
    pub fn rate(&self, k: usize) -> f64 {
        match self.sites.get(k) {
            Some(CompiledSite::Coordinate(measure)) => measure.rate(self.kinematics, self.v),
            _ => f64::NAN,
        }
    }
}
