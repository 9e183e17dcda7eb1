//! What an element writes: forces and torques at its sites.

use super::ElementView;
use super::site::CompiledSite;
use crate::model::node_measure::PositionKinematics;
use cardan_core::math::Vector3;
use cardan_core::system::Failure;

/// The loads of an element. A site that cannot take a load (a coordinate as a point, or a number that is none)
/// makes the evaluation fail.
pub struct ElementLoads<'a> {
    place: PositionKinematics<'a>,
    sites: &'a [CompiledSite],
    pub(in crate::model) out: &'a mut [f64],
    /// A site that could not take its load, and what it is not.
    wrong: Option<(usize, &'static str)>,
}

impl<'a> ElementLoads<'a> {
    pub(in crate::model) fn new(at: &ElementView<'a>, out: &'a mut [f64]) -> Self {
        Self { place: at.place, sites: at.sites, out, wrong: None }
    }

    /// For the sites of one element.
    pub(in crate::model) fn of<'b>(&'b mut self, sites: &'b [CompiledSite]) -> ElementLoads<'b> {
        ElementLoads { place: self.place, sites, out: self.out, wrong: None }
    }

    /// Whether every site could take its load.
    pub(in crate::model) fn check(&self) -> Result<(), Failure> {
        match self.wrong {
            None => Ok(()),
            Some((k, what)) => {
                let count = self.sites.len();
                Err(format!("site {k} of {count} is not a {what}, or there is no such site").into())
            }
        }
    }

    /// Adds a force at the point of site k, world axes.
    pub fn force(&mut self, k: usize, force: &Vector3) {
        let Some(CompiledSite::Point { node, point }) = self.sites.get(k) else {
            self.wrong = Some((k, "point"));
            return;
        };
        let (rotation, node) = (&self.place.frames[*node].rotation, &self.place.nodes[*node]);
        node.add(0, force, self.out);
        node.add(1, &point.cross(&rotation.tr_mul(force)), self.out);
    }

    /// Adds a torque on the body of site k, world axes.
    pub fn torque(&mut self, k: usize, torque: &Vector3) {
        let Some(CompiledSite::Point { node, .. }) = self.sites.get(k) else {
            self.wrong = Some((k, "point"));
            return;
        };
        let (rotation, node) = (&self.place.frames[*node].rotation, &self.place.nodes[*node]);
        node.add(1, &rotation.tr_mul(torque), self.out);
    }

    /// Adds a force or torque along the coordinate of site k: on body 2, and the opposite one on body 1.
    pub fn along(&mut self, k: usize, force: f64) {
        let Some(CompiledSite::Coordinate(gauge)) = self.sites.get(k) else {
            self.wrong = Some((k, "coordinate"));
            return;
        };
        gauge.add(self.place.nodes, force, &gauge.gradient(self.place), self.out);
    }
}
