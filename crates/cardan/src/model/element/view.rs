//! What an element sees at an instant.

use std::cell::RefCell;

use super::matrices::ElementScratch;
use super::site::CompiledSite;
use crate::model::node_measure::PositionKinematics;
use cardan_core::math::{Matrix3, Vector3};
use cardan_core::system::StateView;

/// An instant as an element sees it. Sites are numbered as in the list the element was added with; a number
/// that is none, or the coordinate of a point, gives values that are not numbers.
#[derive(Clone, Copy)]
pub struct ElementView<'a> {
    /// Time.
    pub t: f64,
    /// The states of the element.
    pub z: &'a [f64],
    pub(in crate::model) place: PositionKinematics<'a>,
    pub(in crate::model) v: &'a [f64],
    pub(in crate::model) multipliers: &'a [f64],
    pub(in crate::model) sites: &'a [CompiledSite],
    pub(in crate::model) scratch: Option<&'a RefCell<ElementScratch>>,
}

const NOTHING: Vector3 = Vector3::new(f64::NAN, f64::NAN, f64::NAN);

impl<'a> ElementView<'a> {
    /// An instant of a model without first-order states.
    pub(in crate::model) fn new(t: f64, place: PositionKinematics<'a>, v: &'a [f64]) -> Self {
        Self { t, z: &[], place, v, multipliers: &[], sites: &[], scratch: None }
    }

    /// An instant with velocities that are those of points of flexible bodies too.
    pub(in crate::model) fn among(
        at: &StateView<'a>,
        place: PositionKinematics<'a>,
        v: &'a [f64],
        scratch: &'a RefCell<ElementScratch>,
    ) -> Self {
        let StateView { t, multipliers, z, .. } = *at;
        Self { multipliers, z, scratch: Some(scratch), ..Self::new(t, place, v) }
    }

    /// The node and the point of a site.
    fn point(&self, k: usize) -> Option<(usize, &'a Vector3)> {
        match self.sites.get(k) {
            Some(CompiledSite::Point { node, point }) => Some((*node, point)),
            _ => None,
        }
    }

    /// Where the point of site k is, world axes.
    pub fn position(&self, k: usize) -> Vector3 {
        let Some((node, point)) = self.point(k) else { return NOTHING };
        let frame = &self.place.frames[node];
        frame.position + frame.rotation * point
    }

    /// Its velocity, world axes.
    pub fn velocity(&self, k: usize) -> Vector3 {
        let Some((node, point)) = self.point(k) else { return NOTHING };
        let (rotation, node) = (&self.place.frames[node].rotation, &self.place.nodes[node]);
        node.velocity(0, self.v) + rotation * node.velocity(1, self.v).cross(point)
    }

    /// The rotation of its body, from body to world axes.
    pub fn rotation(&self, k: usize) -> Matrix3 {
        self.point(k)
            .map_or(Matrix3::repeat(f64::NAN), |(node, _)| self.place.frames[node].rotation)
    }

    /// The angular velocity of its body, body axes.
    pub fn angular_velocity(&self, k: usize) -> Vector3 {
        self.point(k).map_or(NOTHING, |(node, _)| self.place.nodes[node].velocity(1, self.v))
    }

    /// The coordinate of site k: an angle or a length.
    pub fn coordinate(&self, k: usize) -> f64 {
        match self.sites.get(k) {
            Some(CompiledSite::Coordinate(gauge)) => gauge.value(self.place),
            _ => f64::NAN,
        }
    }

    /// Its rate.
    pub fn rate(&self, k: usize) -> f64 {
        match self.sites.get(k) {
            Some(CompiledSite::Coordinate(gauge)) => gauge.rate(self.place, self.v),
            _ => f64::NAN,
        }
    }
}
