//! Unit quaternions, scalar first, Hamilton product, body to world.

use super::Scalar;
use super::generic::{Matrix3, Vector3};

/// A quaternion `w + x i + y j + z k`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quaternion<T = f64> {
    /// Scalar part.
    pub scalar: T,
    /// Vector part.
    pub vector: Vector3<T>,
}

impl Quaternion {
    /// The identity rotation.
    pub const IDENTITY: Self = Self::new(1.0, 0.0, 0.0, 0.0);

    /// The Euclidean length.
    #[inline]
    pub fn norm(self) -> f64 {
        let square = self.scalar * self.scalar + self.vector.norm_squared();
        // far from one squares may be too large or too small for a number
        match (0.25..4.0).contains(&square) {
            true => square.sqrt(),
            false => self.scalar.hypot(self.vector.norm()),
        }
    }

    /// The quaternion scaled to length one; `None` if it is zero or not finite.
    #[inline]
    pub fn normalized(self) -> Option<Self> {
        let norm = self.norm();
        (norm.is_finite() && norm > 0.0)
            .then(|| Self { scalar: self.scalar / norm, vector: self.vector / norm })
    }
}

impl<T> Quaternion<T> {
    /// A quaternion from its four components, scalar first.
    #[inline]
    pub const fn new(w: T, x: T, y: T, z: T) -> Self {
        Self { scalar: w, vector: Vector3::new(x, y, z) }
    }
}

impl<T: Scalar> Quaternion<T> {
    /// Reads `[w, x, y, z]`.
    #[inline]
    pub fn from_array(q: [T; 4]) -> Self {
        Self::new(q[0], q[1], q[2], q[3])
    }

    /// The components `[w, x, y, z]`.
    #[inline]
    pub fn to_array(self) -> [T; 4] {
        [self.scalar, self.vector.x, self.vector.y, self.vector.z]
    }

    /// The conjugate: the inverse rotation.
    #[inline]
    pub fn conjugate(self) -> Self {
        Self { scalar: self.scalar, vector: -self.vector }
    }

    /// Rotates a vector from the body to the world.
    #[inline]
    pub fn rotate(self, a: &Vector3<T>) -> Vector3<T> {
        let t = self.vector.cross(a) * T::constant(2.0);
        a + t * self.scalar + self.vector.cross(&t)
    }

    /// Rotates a vector from the world to the body.
    #[inline]
    pub fn rotate_back(self, a: &Vector3<T>) -> Vector3<T> {
        self.conjugate().rotate(a)
    }

    /// The rotation matrix, body to world.
    #[inline]
    pub fn to_matrix(self) -> Matrix3<T> {
        let (w, [x, y, z]) = (self.scalar, self.vector.into());
        let (xx, yy, zz) = (x * x, y * y, z * z);
        let (one, two) = (T::one(), T::constant(2.0));
        Matrix3::new(
            one - two * (yy + zz),
            two * (x * y - w * z),
            two * (x * z + w * y),
            two * (x * y + w * z),
            one - two * (xx + zz),
            two * (y * z - w * x),
            two * (x * z - w * y),
            two * (y * z + w * x),
            one - two * (xx + yy),
        )
    }

    /// The quaternion of a rotation matrix by Spurrier's rule: divide by the largest component, so
    /// that no digit is lost at any angle. The scalar part is never negative.
    pub fn from_matrix(r: &Matrix3<T>) -> Self {
        let (trace, c) = (r.trace(), T::constant);
        let root = |x: T| x.below(0.0, || [T::zero()], || [x.sqrt()])[0];
        let by_scalar = || {
            let w = c(0.5) * root(T::one() + trace);
            let v =
                Vector3::new(r[(2, 1)] - r[(1, 2)], r[(0, 2)] - r[(2, 0)], r[(1, 0)] - r[(0, 1)]);
            Self { scalar: w, vector: v / (c(4.0) * w) }.to_array()
        };
        let by_component = |i: usize| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let big = root(c(0.5) * r[(i, i)] + c(0.25) * (T::one() - trace));
            let mut vector = Vector3::zeros();
            vector[i] = big;
            vector[j] = (r[(j, i)] + r[(i, j)]) / (c(4.0) * big);
            vector[k] = (r[(k, i)] + r[(i, k)]) / (c(4.0) * big);
            Self { scalar: (r[(k, j)] - r[(j, k)]) / (c(4.0) * big), vector }.to_array()
        };
        // the largest of the diagonal and the trace
        let with = |i: usize| (trace - r[(i, i)]).below(0.0, || by_component(i), by_scalar);
        let last = |i: usize| (r[(i, i)] - r[(2, 2)]).below(0.0, || with(2), || with(i));
        let [w, x, y, z] = (r[(0, 0)] - r[(1, 1)]).below(0.0, || last(1), || last(0));
        let sign = |x: T| w.below(0.0, || [-x], || [x])[0];
        Self::new(sign(w), sign(x), sign(y), sign(z))
    }
}

impl<T: Scalar> std::ops::Mul for Quaternion<T> {
    type Output = Self;

    #[inline]
    fn mul(self, b: Self) -> Self {
        Self {
            scalar: self.scalar * b.scalar - self.vector.dot(&b.vector),
            vector: b.vector * self.scalar + self.vector * b.scalar + self.vector.cross(&b.vector),
        }
    }
}
