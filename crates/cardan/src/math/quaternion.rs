//! Unit quaternions, scalar first, Hamilton product, body to world.

use super::{Matrix3, Vector3};

/// A quaternion `w + x i + y j + z k`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quaternion {
    /// Scalar part.
    pub scalar: f64,
    /// Vector part.
    pub vector: Vector3,
}

impl Quaternion {
    /// The rotation that does nothing.
    pub const IDENTITY: Self = Self::new(1.0, 0.0, 0.0, 0.0);

    /// A quaternion from its four components, scalar first.
    pub const fn new(w: f64, x: f64, y: f64, z: f64) -> Self {
        Self { scalar: w, vector: Vector3::new(x, y, z) }
    }

    /// Reads `[w, x, y, z]`.
    pub fn from_array(q: [f64; 4]) -> Self {
        Self::new(q[0], q[1], q[2], q[3])
    }

    /// The components `[w, x, y, z]`.
    pub fn to_array(self) -> [f64; 4] {
        [self.scalar, self.vector.x, self.vector.y, self.vector.z]
    }

    /// The conjugate: the inverse rotation.
    pub fn conjugate(self) -> Self {
        Self { scalar: self.scalar, vector: -self.vector }
    }

    /// The Euclidean length.
    pub fn norm(self) -> f64 {
        self.scalar.hypot(self.vector.norm())
    }

    /// The quaternion scaled to length one; `None` if it is zero or not finite.
    pub fn normalized(self) -> Option<Self> {
        let norm = self.norm();
        (norm.is_finite() && norm > 0.0)
            .then(|| Self { scalar: self.scalar / norm, vector: self.vector / norm })
    }

    /// Rotates a vector from the body to the world.
    pub fn rotate(self, a: &Vector3) -> Vector3 {
        let t = 2.0 * self.vector.cross(a);
        a + self.scalar * t + self.vector.cross(&t)
    }

    /// Rotates a vector from the world to the body.
    pub fn rotate_back(self, a: &Vector3) -> Vector3 {
        self.conjugate().rotate(a)
    }

    /// The rotation matrix, body to world.
    pub fn to_matrix(self) -> Matrix3 {
        let (w, [x, y, z]) = (self.scalar, self.vector.into());
        let (xx, yy, zz) = (x * x, y * y, z * z);
        Matrix3::new(
            1.0 - 2.0 * (yy + zz),
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
            2.0 * (x * y + w * z),
            1.0 - 2.0 * (xx + zz),
            2.0 * (y * z - w * x),
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            1.0 - 2.0 * (xx + yy),
        )
    }

    /// The quaternion of a rotation matrix by Spurrier's rule: divide by the largest component, so
    /// that no digit is lost at any angle. The scalar part is never negative.
    pub fn from_matrix(r: &Matrix3) -> Self {
        let trace = r.trace();
        let largest = (0..3).fold(0, |k, i| if r[(i, i)] > r[(k, k)] { i } else { k });
        let q = if trace >= r[(largest, largest)] {
            let w = 0.5 * (1.0 + trace).max(0.0).sqrt();
            let v =
                Vector3::new(r[(2, 1)] - r[(1, 2)], r[(0, 2)] - r[(2, 0)], r[(1, 0)] - r[(0, 1)]);
            Self { scalar: w, vector: v / (4.0 * w) }
        } else {
            let (i, j, k) = (largest, (largest + 1) % 3, (largest + 2) % 3);
            let big = (0.5 * r[(i, i)] + 0.25 * (1.0 - trace)).max(0.0).sqrt();
            let mut vector = Vector3::zeros();
            vector[i] = big;
            vector[j] = (r[(j, i)] + r[(i, j)]) / (4.0 * big);
            vector[k] = (r[(k, i)] + r[(i, k)]) / (4.0 * big);
            Self { scalar: (r[(k, j)] - r[(j, k)]) / (4.0 * big), vector }
        };
        if q.scalar < 0.0 { Self { scalar: -q.scalar, vector: -q.vector } } else { q }
    }
}

impl std::ops::Mul for Quaternion {
    type Output = Self;

    fn mul(self, b: Self) -> Self {
        Self {
            scalar: self.scalar * b.scalar - self.vector.dot(&b.vector),
            vector: self.scalar * b.vector + b.scalar * self.vector + self.vector.cross(&b.vector),
        }
    }
}
