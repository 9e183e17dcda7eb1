//! One rotation of a chart with all that elements need: exp(g), T(g) and the derivatives of T.

use super::generic::{Matrix3, Vector3};
use super::{Chart, Scalar, hat, series, square};

/// A rotation given by its chart vector g.
#[derive(Clone, Copy, Debug)]
pub struct Turn<T = f64> {
    chart: Chart,
    g: Vector3<T>,
    /// |g|².
    q: T,
    /// c₀, c₁, c₂; of Cayley's chart s = 4/(4 + q) alone.
    c: [T; 3],
}

impl<T: Scalar> Turn<T> {
    /// The rotation of a chart vector.
    #[inline(always)]
    pub fn new(chart: Chart, g: Vector3<T>) -> Self {
        let q = square(&g);
        let four = T::constant(4.0);
        let c = match chart {
            Chart::Exponential => series::first(q),
            Chart::Cayley => [four / (four + q), T::zero(), T::zero()],
        };
        Self { chart, g, q, c }
    }

    /// The chart vector.
    #[inline]
    pub fn vector(&self) -> Vector3<T> {
        self.g
    }

    /// The opposite rotation.
    #[inline]
    pub fn reversed(&self) -> Self {
        Self { g: -self.g, ..*self }
    }

    /// a I + b ĝ + c ĝ².
    #[inline(always)]
    fn quadratic(&self, a: T, b: T, c: T) -> Matrix3<T> {
        let [x, y, z]: [T; 3] = self.g.into();
        let (cx, cy, cz) = (c * x, c * y, c * z);
        let (bx, by, bz) = (b * x, b * y, b * z);
        let d = a - c * self.q;
        let (xy, xz, yz) = (cx * y, cx * z, cy * z);
        Matrix3::new(
            d + cx * x,
            xy - bz,
            xz + by, //
            xy + bz,
            d + cy * y,
            yz - bx, //
            xz - by,
            yz + bx,
            d + cz * z,
        )
    }

    /// The rotation matrix.
    #[inline(always)]
    pub fn rotation(&self) -> Matrix3<T> {
        let [c0, c1, _] = self.c;
        match self.chart {
            Chart::Exponential => self.quadratic(T::one(), c0, c1),
            Chart::Cayley => self.quadratic(T::one(), c0, T::constant(0.5) * c0),
        }
    }

    /// T: the body-fixed rate is T ġ.
    #[inline(always)]
    pub fn tangent(&self) -> Matrix3<T> {
        let [c0, c1, c2] = self.c;
        match self.chart {
            Chart::Exponential => self.quadratic(T::one(), -c1, c2),
            Chart::Cayley => self.quadratic(c0, T::constant(-0.5) * c0, T::zero()),
        }
    }

    /// Ξ(a) = ∂(T a)/∂g.
    #[inline(always)]
    pub fn tangent_derivative(&self, a: &Vector3<T>) -> Matrix3<T> {
        let (g, c) = (&self.g, T::constant);
        let [c0, c1, c2] = self.c;
        match self.chart {
            Chart::Exponential => {
                let [rate1, rate2] = self.rates();
                let along = g.dot(a);
                let twice = g * along - a * self.q;
                let last = (a * c(-2.0)) * c2 + twice * rate2 - g.cross(a) * rate1;
                Matrix3::from_diagonal_element(c2 * along)
                    + hat(a) * c1
                    + (g * c2) * a.transpose()
                    + last * g.transpose()
            }
            Chart::Cayley => {
                let moved = (a - g.cross(a) * c(0.5)) * c0;
                (hat(a) - moved * g.transpose()) * (c(0.5) * c0)
            }
        }
    }

    /// 2 dc₁/dq and 2 dc₂/dq.
    #[inline(always)]
    fn rates(&self) -> [T; 2] {
        let two = T::constant(2.0);
        [two * series::c1_rate(self.q), two * series::c2_rate(self.q)]
    }

    /// ∂(m·T a)/∂g = Ξ(a)ᵀ m, at fixed a and m.
    #[inline(always)]
    pub fn gradient(&self, a: &Vector3<T>, m: &Vector3<T>) -> Vector3<T> {
        let (g, c) = (&self.g, T::constant);
        let normal = a.cross(m);
        let [c0, c1, c2] = self.c;
        match self.chart {
            Chart::Exponential => {
                let [rate1, rate2] = self.rates();
                let (ga, gm, am) = (g.dot(a), g.dot(m), a.dot(m));
                let scale = rate2 * (gm * ga - am * self.q) - rate1 * g.dot(&normal);
                g * (scale - c(2.0) * c2 * am) - normal * c1 + (m * ga + a * gm) * c2
            }
            Chart::Cayley => {
                let e = m.dot(a) - c(0.5) * g.dot(&normal);
                (g * (c0 * e) + normal) * (c(-0.5) * c0)
            }
        }
    }
}

impl Turn {
    /// ∂²(m·T a)/∂g², at fixed a and m.
    #[inline(always)]
    pub fn hessian(&self, a: &Vector3, m: &Vector3) -> Matrix3 {
        let g = &self.g;
        let normal = a.cross(m);
        let [c0, _, c2] = self.c;
        match self.chart {
            Chart::Exponential => {
                let q = self.q;
                let [rate1, rate2] = [2.0 * series::c1_rate(q), 2.0 * series::c2_rate(q)];
                let [bend1, bend2] = [4.0 * series::c1_bend(q), 4.0 * series::c2_bend(q)];
                let (ga, gm, am) = (g.dot(a), g.dot(m), a.dot(m));
                let (s, r) = (g.dot(&normal), gm * ga - am * q);
                let slope = ga * m + gm * a - 2.0 * am * g;
                // half of all that is g xᵀ + x gᵀ
                let half = rate2 * slope - rate1 * normal + 0.5 * (bend2 * r - bend1 * s) * g;
                let (outer, pair) = (half * g.transpose(), c2 * m * a.transpose());
                Matrix3::from_diagonal_element(rate2 * r - rate1 * s - 2.0 * c2 * am)
                    + outer
                    + outer.transpose()
                    + pair
                    + pair.transpose()
            }
            Chart::Cayley => {
                let e = m.dot(a) - 0.5 * g.dot(&normal);
                let outer = 0.25 * c0 * c0 * (normal + c0 * e * g) * g.transpose();
                Matrix3::from_diagonal_element(-0.5 * c0 * c0 * e) + outer + outer.transpose()
            }
        }
    }
}
