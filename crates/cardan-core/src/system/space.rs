//! The configuration space: a product of vector spaces and rotations.

use std::sync::Arc;

use crate::linalg::MAX_UNKNOWNS;
use crate::math::{Chart, Quaternion, Vector3};

/// Coordinates that belong together, such as those of one body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoordinateBlock {
    /// Index of its first value in q.
    pub q: usize,
    /// Index of its first value in v.
    pub v: usize,
    /// Number of plain coordinates; they come first.
    pub vector: usize,
    /// Whether a rotation (unit quaternion, three velocities) follows.
    pub rotation: bool,
}

/// Indices of a rotation in the configuration and in the velocity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RotationIndex {
    /// Index of the quaternion's scalar part in q.
    pub q: usize,
    /// Index of the first angular velocity component in v.
    pub v: usize,
}

/// The configuration space of a system: how q and v are laid out, and how a tangent increment
/// moves q.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Space {
    /// Shared by copies.
    nodes: Arc<Vec<CoordinateBlock>>,
    rotations: Arc<Vec<RotationIndex>>,
    /// Ranges of the discrete values in q.
    discrete: Vec<std::ops::Range<usize>>,
    /// Whether a coordinate is not at the index of its velocity.
    is_shifted: bool,
    q: usize,
    v: usize,
}

impl Space {
    /// n plain coordinates.
    pub fn vector(n: usize) -> Self {
        Self::node(n, false)
    }

    /// One rotation: a unit quaternion (w, x, y, z) with the body-fixed angular velocity.
    pub fn rotation() -> Self {
        Self::node(0, true)
    }

    /// A rigid body in space: the position of its reference point in inertial axes, then its
    /// rotation.
    pub fn body() -> Self {
        Self::node(3, true)
    }

    /// n rigid bodies in space. More than [`MAX_UNKNOWNS`] are counted but not listed: a system of
    /// that size is refused.
    pub fn bodies(n: usize) -> Self {
        if n > MAX_UNKNOWNS / 7 {
            return Self { q: n.saturating_mul(7), v: n.saturating_mul(6), ..Self::default() };
        }
        (0..n).fold(Self::default(), |space, _| space.then(Self::body()))
    }

    /// n discrete values: numbers in the configuration that have no velocity, for example the turn counter of a
    /// joint angle. They do not change within a step;
    /// [`System::accept`](super::System::accept) may update them when a step is accepted.
    pub fn discrete(n: usize) -> Self {
        Self { discrete: std::iter::once(0..n).collect(), q: n, ..Self::default() }
    }

    fn node(vector: usize, rotation: bool) -> Self {
        let turn = |n| if rotation { n } else { 0 };
        Self {
            nodes: Arc::new(vec![CoordinateBlock { q: 0, v: 0, vector, rotation }]),
            rotations: Arc::new(Vec::from_iter(
                rotation.then_some(RotationIndex { q: vector, v: vector }),
            )),
            discrete: Vec::new(),
            is_shifted: false,
            q: vector.saturating_add(turn(4)),
            v: vector.saturating_add(turn(3)),
        }
    }

    /// This space followed by another.
    pub fn then(mut self, other: Self) -> Self {
        let (q, v) = (self.q, self.v);
        self.is_shifted |= other.is_shifted || (q != v && !other.nodes.is_empty());
        Arc::make_mut(&mut self.nodes).extend(other.nodes.iter().map(|&node| CoordinateBlock {
            q: q.saturating_add(node.q),
            v: v.saturating_add(node.v),
            ..node
        }));
        let rotations = other.rotations.iter().map(|rotation| RotationIndex {
            q: q.saturating_add(rotation.q),
            v: v.saturating_add(rotation.v),
        });
        Arc::make_mut(&mut self.rotations).extend(rotations);
        let places = other.discrete.into_iter();
        self.discrete.extend(places.map(|at| q.saturating_add(at.start)..q.saturating_add(at.end)));
        self.q = q.saturating_add(other.q);
        self.v = v.saturating_add(other.v);
        self
    }

    /// Whether it has no rotations, and each coordinate has the index of its velocity.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        !self.is_shifted && self.rotations.is_empty()
    }

    /// Copies the discrete values of a configuration to another.
    #[inline]
    pub(crate) fn copy_discrete(&self, from: &[f64], to: &mut [f64]) {
        for place in &self.discrete {
            to[place.clone()].copy_from_slice(&from[place.clone()]);
        }
    }

    /// Indices of the discrete values in q.
    pub(crate) fn discrete_values(&self) -> impl Iterator<Item = usize> + '_ {
        self.discrete.iter().flat_map(Clone::clone)
    }

    /// Number of configuration values (four per rotation).
    #[inline]
    pub fn configurations(&self) -> usize {
        self.q
    }

    /// Number of velocities (three per rotation).
    #[inline]
    pub fn velocities(&self) -> usize {
        self.v
    }

    /// The coordinate blocks in order.
    #[inline]
    pub fn nodes(&self) -> &[CoordinateBlock] {
        &self.nodes
    }

    /// The rotations in order.
    #[inline]
    pub fn rotations(&self) -> &[RotationIndex] {
        &self.rotations
    }

    /// The neutral configuration: zero vectors, no rotation. Empty for spaces larger than
    /// [`MAX_UNKNOWNS`].
    pub fn neutral(&self) -> Vec<f64> {
        if self.q > MAX_UNKNOWNS {
            return Vec::new();
        }
        let mut q = vec![0.0; self.q];
        for rotation in self.rotations() {
            rotation.set(&mut q, Quaternion::IDENTITY);
        }
        q
    }

    /// q ⊕ d in the exponential chart; `None` if a length is wrong.
    pub fn plus(&self, q: &[f64], d: &[f64]) -> Option<Vec<f64>> {
        (q.len() == self.q && d.len() == self.v).then(|| {
            let mut out = self.neutral();
            out.resize(self.q, 0.0);
            self.retract(Chart::Exponential, q, d, &mut out);
            out
        })
    }

    /// q₂ ⊖ q₁ in the exponential chart; `None` if a length is wrong.
    pub fn minus(&self, q1: &[f64], q2: &[f64]) -> Option<Vec<f64>> {
        (q1.len() == self.q && q2.len() == self.q).then(|| {
            let mut d = vec![0.0; self.v];
            self.difference(Chart::Exponential, q1, q2, &mut d);
            d
        })
    }

    /// `out = q ⊕ d`: moves q by the tangent increment d.
    ///
    /// # Panics
    ///
    /// If a length is not that of the space.
    pub fn retract(&self, chart: Chart, q: &[f64], d: &[f64], out: &mut [f64]) {
        for node in self.nodes() {
            let (at, moves) = (node.q..node.q + node.vector, node.v..node.v + node.vector);
            for ((out, q), d) in out[at.clone()].iter_mut().zip(&q[at]).zip(&d[moves]) {
                *out = q + d;
            }
        }
        for rotation in self.rotations() {
            let turned = rotation.of(q) * chart.retract(&rotation.tangent(d));
            rotation.set(out, turned);
        }
        self.copy_discrete(q, out);
    }

    /// `d = q₂ ⊖ q₁`: the tangent increment with `q₁ ⊕ d = q₂`.
    ///
    /// # Panics
    ///
    /// If a length is not that of the space.
    pub fn difference(&self, chart: Chart, q1: &[f64], q2: &[f64], d: &mut [f64]) {
        for node in self.nodes() {
            for i in 0..node.vector {
                d[node.v + i] = q2[node.q + i] - q1[node.q + i];
            }
        }
        for rotation in self.rotations() {
            let turn = chart.inverse(rotation.of(q1).conjugate() * rotation.of(q2));
            d[rotation.v..rotation.v + 3].copy_from_slice(turn.as_slice());
        }
    }

    /// Scales every quaternion to length one; `false` if one is zero or not finite.
    pub fn normalize(&self, q: &mut [f64]) -> bool {
        self.rotations.iter().all(|rotation| match rotation.of(q).normalized() {
            Some(unit) => {
                rotation.set(q, unit);
                true
            }
            None => false,
        })
    }
}

impl RotationIndex {
    /// The quaternion of this rotation in q; NaN if q is too short.
    #[inline]
    pub fn of(self, q: &[f64]) -> Quaternion {
        let found = q.get(self.q..).and_then(|q| q.first_chunk());
        Quaternion::from_array(*found.unwrap_or(&[f64::NAN; 4]))
    }

    /// The three components of this rotation in a velocity-like vector; NaN if it is too
    /// short.
    #[inline]
    pub fn tangent(self, v: &[f64]) -> Vector3 {
        let found = v.get(self.v..).and_then(|v| v.first_chunk());
        Vector3::from(*found.unwrap_or(&[f64::NAN; 3]))
    }

    /// Writes the quaternion of this rotation into q, if q is long enough.
    #[inline]
    pub fn set(self, q: &mut [f64], rotation: Quaternion) {
        if let Some(q) = q.get_mut(self.q..).and_then(|q| q.first_chunk_mut()) {
            *q = rotation.to_array();
        }
    }

    /// Writes three components of a velocity-like vector, if it is long enough.
    #[inline]
    pub fn set_tangent(self, v: &mut [f64], value: &Vector3) {
        if let Some(v) = v.get_mut(self.v..).and_then(|v| v.first_chunk_mut()) {
            *v = (*value).into();
        }
    }
}
