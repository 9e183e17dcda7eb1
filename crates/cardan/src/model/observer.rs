//! An observer that rotates with a constant angular velocity.

use cardan_core::math::Vector3;

/// An observer that rotates, and the indices of the displacements that rotate with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RotatingObserver {
    /// The angular velocity of the observer, world axes.
    pub spin: Vector3,
    /// The indices in v of the first of three displacements in space.
    pub(crate) places: Vec<usize>,
    /// The indices in v of the first of two displacements in the plane.
    pub(crate) planar_places: Vec<usize>,
}

impl RotatingObserver {
    /// Whether all indices are valid for a number of velocities, and the angular velocity is finite.
    pub(crate) fn fits(&self, velocities: usize) -> bool {
        let spatial = self.places.iter().map(|&first| (first, 3));
        let planar = self.planar_places.iter().map(|&first| (first, 2));
        let within = |(first, size): (usize, usize)| first.saturating_add(size) <= velocities;
        self.spin.iter().all(|x| x.is_finite()) && spatial.chain(planar).all(within)
    }
}
