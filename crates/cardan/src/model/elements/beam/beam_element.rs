//! A beam element: its nodes, its mounts on them, its evaluation points and its section law.

use std::sync::Arc;

use super::configuration::ShapeFunctions;
use super::mount::Mount;
use super::section_law::SectionLaw;

/// An element of N nodes and P = N − 1 evaluation points.
#[derive(Clone, Debug)]
pub(in crate::model) struct BeamElement<const N: usize, const P: usize, T = f64> {
    pub nodes: [usize; N],
    pub mounts: [Mount<T>; N],
    pub shapes: [ShapeFunctions<N, T>; P],
    /// Stiffness and viscosity of the section.
    pub section_law: Arc<SectionLaw<T>>,
}

impl<const N: usize, const P: usize, T> BeamElement<N, P, T> {
    /// The index of the reference node, relative to which rotations are interpolated: the middle one of three, the
    /// first of two.
    pub const REFERENCE: usize = (N - 1) / 2;
}
