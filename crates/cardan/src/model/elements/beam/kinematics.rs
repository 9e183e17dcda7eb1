//! Configuration of an element from its nodes: rotations relative to a reference section are interpolated by their
//! chart vectors.

use super::beam_element::BeamElement;
use super::configuration::{ElementConfiguration, PointConfiguration};
use crate::model::node_measure::PositionKinematics;
use cardan_core::math::{Chart, Scalar};

impl<const N: usize, const P: usize, T: Scalar> BeamElement<N, P, T> {
    #[inline(always)]
    pub(super) fn configuration(
        &self,
        chart: Chart,
        at: PositionKinematics<'_, T>,
    ) -> ElementConfiguration<N, T> {
        let frame = |i: usize| &at.frames[self.nodes[i]];
        let p = std::array::from_fn(|i| self.mounts[i].point(frame(i)));
        let s = std::array::from_fn(|i| self.mounts[i].section_rotation(&frame(i).rotation));
        ElementConfiguration::new(chart, p, s)
    }

    /// The configuration of evaluation point k.
    #[inline(always)]
    pub(super) fn point_configuration(
        &self,
        sections: &ElementConfiguration<N, T>,
        k: usize,
    ) -> PointConfiguration<T> {
        sections.configuration_at(&self.shapes[k].value, &self.shapes[k].slope)
    }
}

/// The sections on either side of point k, with the sign of its stress on them.
#[inline]
pub(super) fn sides(k: usize) -> [(usize, f64); 2] {
    [(k, 1.0), (k + 1, -1.0)]
}
