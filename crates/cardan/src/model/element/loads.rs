//! The loads that an element writes: forces and torques at its sites.

use super::ElementView;
use super::site::CompiledSite;
use crate::model::node_measure::PositionKinematics;
use cardan_core::math::Vector3;
use cardan_core::system::Failure;

/// The loads of an element. A load at a site of the wrong type, or at a number without a site, makes the
/// evaluation fail.
pub struct ElementLoads<'a> {
    kinematics: PositionKinematics<'a>,
    sites: &'a [CompiledSite],
    pub(in crate::model) out: &'a mut [f64],
    /// The number of a site of the wrong type, and the type that the load requires.
    wrong: Option<(usize, &'static str)>,
}

impl<'a> ElementLoads<'a> {
    pub(in crate::model) fn new(at: &ElementView<'a>, out: &'a mut [f64]) -> Self {
        Self { kinematics: at.kinematics, sites: at.sites, out, wrong: None }
    }

    /// The loads with the sites of one element.
    pub(in crate::model) fn of<'b>(&'b mut self, sites: &'b [CompiledSite]) -> ElementLoads<'b> {
        ElementLoads { kinematics: self.kinematics, sites, out: self.out, wrong: None }
    }

    /// Fails if a load was added at a site of the wrong type.
    pub(in crate::model) fn check(&self) -> Result<(), Failure> {
        match self.wrong {
            None => Ok(()),
            Some((k, required)) => {
                let count = self.sites.len();
                Err(format!("site {k} of {count} is not a {required}, or there is no such site")
                    .into())
            }
        }
    }

    /// Adds a force at the point of site k, world axes.
    pub fn force(&mut self, k: usize, force: &Vector3) {
        let Some(CompiledSite::Point { node, point }) = self.sites.get(k) else {
            self.wrong = Some((k, "point"));
            return;
        };
        let (rotation, node) =
            (&self.kinematics.frames[*node].rotation, &self.kinematics.nodes[*node]);
        node.add(0, force, self.out);
        node.add(1, &point.cross(&rotation.tr_mul(force)), self.out);
    }

    /// Adds a torque on the body of site k, world axes.
    pub fn torque(&mut self, k: usize, torque: &Vector3) {
        let Some(CompiledSite::Point { node, .. }) = self.sites.get(k) else {
            self.wrong = Some((k, "point"));
            return;
        };
        let (rotation, node) =
            (&self.kinematics.frames[*node].rotation, &self.kinematics.nodes[*node]);
        node.add(1, &rotation.tr_mul(torque), self.out);
    }

    /// Adds a force or torque along the coordinate of site k: on body 2, and the opposite one on body 1.
    pub fn along(&mut self, k: usize, force: f64) {
        let Some(CompiledSite::Coordinate(measure)) = self.sites.get(k) else {
            self.wrong = Some((k, "coordinate"));
            return;
        };
        measure.add(self.kinematics.nodes, force, &measure.gradient(self.kinematics), self.out);
    }
}
