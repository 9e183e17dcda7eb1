//! Nodes: the coordinates of the ground and of bodies in q and v.

use super::{BodyKind, Frame};
use cardan_core::linalg::MatrixSink;
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Quaternion, Scalar, constants, exponential};
use cardan_core::system::RotationIndex;

/// The coordinates of a body; the node is at its centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Node {
    /// The kind of the body; `None` for the ground.
    pub kind: Option<BodyKind>,
    /// The index of its first value in q.
    pub q: usize,
    /// The index of its first value in v.
    pub v: usize,
    /// The angular velocity of the ground; zero for bodies.
    pub spin: Vector3,
}

/// The index of the ground among the nodes.
pub(super) const GROUND: usize = 0;

/// Pairs (component of a vector, offset among the velocities of the node) of the coordinates of a part.
type Columns = &'static [(usize, usize)];

const LINEAR: Columns = &[(0, 0), (1, 1), (2, 2)];
const ANGULAR: Columns = &[(0, 3), (1, 4), (2, 5)];
const PLANAR_LINEAR: Columns = &[(0, 0), (1, 1)];
const PLANAR_ANGULAR: Columns = &[(2, 2)];

impl Node {
    pub const GROUND: Self = Self { kind: None, q: 0, v: 0, spin: Vector3::new(0.0, 0.0, 0.0) };

    /// The node of a body.
    pub fn of_body(kind: BodyKind, q: usize, v: usize) -> Self {
        Self { kind: Some(kind), q, v, ..Self::GROUND }
    }

    /// The columns of x (part 0) or θ (part 1).
    #[inline]
    fn columns(&self, part: usize) -> Columns {
        match (self.kind, part) {
            (Some(BodyKind::Spatial), 0) | (Some(BodyKind::SpatialPoint), 0) => LINEAR,
            (Some(BodyKind::Spatial), _) => ANGULAR,
            (Some(BodyKind::Planar), 0) | (Some(BodyKind::PlanarPoint), 0) => PLANAR_LINEAR,
            (Some(BodyKind::Planar), _) => PLANAR_ANGULAR,
            _ => &[],
        }
    }

    /// (component, offset among the node's velocities) of the columns of x (part 0) or θ (part 1).
    pub fn offsets(&self, part: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
        self.columns(part).iter().copied()
    }

    /// The number of values in q.
    pub fn configurations(&self) -> usize {
        match self.kind {
            Some(BodyKind::Spatial) => 7,
            _ => self.velocities(),
        }
    }

    /// The pose of the node.
    #[inline]
    pub fn frame<T: Scalar>(&self, q: &[T]) -> Frame<T> {
        let at = &q[self.q..];
        let (zero, one) = (T::zero(), T::one());
        match self.kind {
            None => Frame::ground(),
            Some(BodyKind::Spatial) => Frame {
                position: Vector3::new(at[0], at[1], at[2]),
                rotation: self.quaternion(q).to_matrix(),
            },
            Some(BodyKind::Planar) => {
                let (sine, cosine) = at[2].sin_cos();
                Frame {
                    position: Vector3::new(at[0], at[1], zero),
                    rotation: Matrix3::new(
                        cosine, -sine, zero, sine, cosine, zero, zero, zero, one,
                    ),
                }
            }
            Some(BodyKind::SpatialPoint) => {
                Frame { position: Vector3::new(at[0], at[1], at[2]), rotation: Matrix3::identity() }
            }
            Some(BodyKind::PlanarPoint) => {
                Frame { position: Vector3::new(at[0], at[1], zero), rotation: Matrix3::identity() }
            }
        }
    }

    /// The angle of a planar node; zero for the ground.
    #[inline]
    pub fn angle<T: Scalar>(&self, q: &[T]) -> T {
        if self.kind == Some(BodyKind::Planar) { q[self.q + 2] } else { T::zero() }
    }

    /// The orientation of a spatial node; NaN if q is too short.
    #[inline]
    pub fn quaternion<T: Scalar>(&self, q: &[T]) -> Quaternion<T> {
        let found = q.get(self.q + 3..).and_then(|q| q.first_chunk());
        Quaternion::from_array(*found.unwrap_or(&[T::constant(f64::NAN); 4]))
    }

    /// The orientation of any node.
    #[inline]
    pub fn orientation(&self, q: &[f64]) -> Quaternion {
        match self.kind {
            Some(BodyKind::Spatial) => self.quaternion(q),
            Some(BodyKind::Planar) => {
                let (sine, cosine) = (0.5 * q[self.q + 2]).sin_cos();
                Quaternion::new(cosine, 0.0, 0.0, sine)
            }
            _ => Quaternion::IDENTITY,
        }
    }

    /// The indices of the rotation of a spatial node in q and v.
    pub fn rotation(&self) -> RotationIndex {
        RotationIndex { q: self.q + 3, v: self.v + 3 }
    }

    /// Part 0: the velocity of the centre, world axes; part 1: the angular velocity, body axes. Components that the node
    /// does not have are zero.
    #[inline]
    pub fn velocity<T: Scalar>(&self, part: usize, v: &[T]) -> Vector3<T> {
        match self.kind {
            Some(BodyKind::Spatial) => Vector3::from_column_slice(&v[self.v + 3 * part..][..3]),
            Some(BodyKind::Planar) => {
                let v = &v[self.v..][..3];
                match part {
                    0 => Vector3::new(v[0], v[1], T::zero()),
                    _ => Vector3::new(T::zero(), T::zero(), v[2]),
                }
            }
            None if part == 1 => constants(&self.spin),
            _ => {
                let mut out = Vector3::zeros();
                for &(component, offset) in self.columns(part) {
                    out[component] = v[self.v + offset];
                }
                out
            }
        }
    }

    /// Adds to a part of a vector over the velocities.
    #[inline]
    pub fn add<T: Scalar>(&self, part: usize, values: &Vector3<T>, out: &mut [T]) {
        match self.kind {
            Some(BodyKind::Spatial) => {
                let out = &mut out[self.v + 3 * part..][..3];
                out[0] += values.x;
                out[1] += values.y;
                out[2] += values.z;
            }
            Some(BodyKind::Planar) => {
                let out = &mut out[self.v..][..3];
                if part == 0 {
                    out[0] += values.x;
                    out[1] += values.y;
                } else {
                    out[2] += values.z;
                }
            }
            _ => {
                for &(component, offset) in self.columns(part) {
                    out[self.v + offset] += values[component];
                }
            }
        }
    }

    /// Adds values to the columns of a part in one row of a matrix.
    #[inline]
    pub fn add_row<T: Scalar>(
        &self,
        row: usize,
        part: usize,
        values: &Vector3<T>,
        entries: &mut impl MatrixSink<T>,
    ) {
        for &(component, offset) in self.columns(part) {
            entries.add(row, self.v + offset, values[component]);
        }
    }

    /// Adds a mass to the diagonal of x.
    pub fn add_diagonal<T: Scalar>(&self, mass: T, entries: &mut impl MatrixSink<T>) {
        for &(_, offset) in self.columns(0) {
            entries.add(self.v + offset, self.v + offset, mass);
        }
    }

    /// Adds one value to the column of a component of x.
    #[inline]
    pub fn add_entry<T: Scalar>(
        &self,
        row: usize,
        component: usize,
        value: T,
        entries: &mut impl MatrixSink<T>,
    ) {
        if component < self.columns(0).len() {
            entries.add(row, self.v + component, value);
        }
    }

    /// Adds values to the rows of a part in one column of a matrix.
    pub fn add_column<T: Scalar>(
        &self,
        part: usize,
        column: usize,
        values: &Vector3<T>,
        entries: &mut impl MatrixSink<T>,
    ) {
        for &(component, offset) in self.columns(part) {
            entries.add(self.v + offset, column, values[component]);
        }
    }

    /// Adds a block between a part of this node (rows) and a part of another (columns).
    #[inline]
    pub fn add_block<T: Scalar>(
        &self,
        part: usize,
        other: &Self,
        other_part: usize,
        block: &Matrix3<T>,
        entries: &mut impl MatrixSink<T>,
    ) {
        if self.kind == Some(BodyKind::Spatial) && other.kind == Some(BodyKind::Spatial) {
            return entries.add_block(self.v + 3 * part, other.v + 3 * other_part, block);
        }
        for &(j, column) in other.columns(other_part) {
            for &(i, row) in self.columns(part) {
                entries.add(self.v + row, other.v + column, block[(i, j)]);
            }
        }
    }

    /// Moves the node in q by a step along one of its velocities.
    pub fn displace(&self, offset: usize, step: f64, q: &mut [f64]) {
        if self.kind != Some(BodyKind::Spatial) || offset < self.places() {
            q[self.q + offset] += step;
            return;
        }
        let increment = exponential::retract(&Vector3::ith(offset - self.places(), step));
        let rotation = self.rotation();
        rotation.set(q, rotation.of(q) * increment);
    }

    /// The number of values in v.
    pub fn velocities(&self) -> usize {
        self.columns(0).len() + self.columns(1).len()
    }

    /// The number of displacements among the velocities; they come first.
    pub fn places(&self) -> usize {
        self.columns(0).len()
    }

    /// The name of velocity i of this node. Rotations of spatial bodies are about body axes.
    pub fn coordinate(&self, i: usize) -> &'static str {
        const DISPLACEMENTS: [&str; 3] = ["x", "y", "z"];
        const ROTATIONS: [&str; 3] = [
            "rotation about body axis x",
            "rotation about body axis y",
            "rotation about body axis z",
        ];
        let find = |part: usize| {
            let found = self.columns(part).iter().find(|(_, offset)| *offset == i);
            found.map(|(component, _)| *component)
        };
        match (find(0), find(1)) {
            (Some(k), _) => DISPLACEMENTS[k],
            (None, Some(_)) if self.kind == Some(BodyKind::Planar) => "rotation",
            (None, Some(k)) => ROTATIONS[k],
            (None, None) => "",
        }
    }
}
