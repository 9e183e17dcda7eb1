//! Configuration of an element from its nodes: rotations relative to a reference section are interpolated by their
//! chart vectors.

use super::beam_element::BeamElement;
use super::configuration::{ElementConfiguration, PointConfiguration};
use crate::model::node_measure::PositionKinematics;
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Chart, Scalar};

impl<const N: usize, const P: usize, T: Scalar> BeamElement<N, P, T> {
    #[inline(always)]
    pub(super) fn configuration(
        &self,
        chart: Chart,
        at: PositionKinematics<'_, T>,
    ) -> ElementConfiguration<N, T> {
        // functions that make arrays of matrices are not inlined
        let mut p = [Vector3::zeros(); N];
        let mut s = [Matrix3::identity(); N];
        for i in 0..N {
            let (mount, frame) = (&self.mounts[i], &at.frames[self.nodes[i]]);
            p[i] = mount.point(frame);
            s[i] = mount.section_rotation(&frame.rotation);
        }
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
