//! One rotation of a chart with all that an element asks of it: exp(g), T(g), and how T changes.

use super::{Chart, Matrix3, Vector3, hat, series};

/// A rotation given by its chart vector g.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    chart: Chart,
    g: Vector3,
    /// |g|².
    q: f64,
    /// c₀, c₁, c₂; of Cayley's chart s = 4/(4 + q) alone.
    c: [f64; 3],
}

impl Turn {
    /// The rotation of a chart vector.
    #[inline]
    pub fn new(chart: Chart, g: Vector3) -> Self {
        let q = g.norm_squared();
        let c = match chart {
            Chart::Exponential => series::first(q),
            Chart::Cayley => [4.0 / (4.0 + q), 0.0, 0.0],
        };
        Self { chart, g, q, c }
    }

    /// The chart vector.
    #[inline]
    pub fn vector(&self) -> Vector3 {
        self.g
    }

    /// The opposite rotation.
    #[inline]
    pub fn reversed(&self) -> Self {
        Self { g: -self.g, ..*self }
    }

    /// a I + b ĝ + c ĝ².
    #[inline]
    fn quadratic(&self, a: f64, b: f64, c: f64) -> Matrix3 {
        let [x, y, z]: [f64; 3] = self.g.into();
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
    #[inline]
    pub fn rotation(&self) -> Matrix3 {
        let [c0, c1, _] = self.c;
        match self.chart {
            Chart::Exponential => self.quadratic(1.0, c0, c1),
            Chart::Cayley => self.quadratic(1.0, c0, 0.5 * c0),
        }
    }

    /// T: the body-fixed rate is T ġ.
    #[inline]
    pub fn tangent(&self) -> Matrix3 {
        let [c0, c1, c2] = self.c;
        match self.chart {
            Chart::Exponential => self.quadratic(1.0, -c1, c2),
            Chart::Cayley => self.quadratic(c0, -0.5 * c0, 0.0),
        }
    }

    /// Ξ(a) = ∂(T a)/∂g.
    #[inline]
    pub fn tangent_derivative(&self, a: &Vector3) -> Matrix3 {
        let g = &self.g;
        let [c0, c1, c2] = self.c;
        match self.chart {
            Chart::Exponential => {
                let [rate1, rate2] = [2.0 * series::c1_rate(self.q), 2.0 * series::c2_rate(self.q)];
                let along = g.dot(a);
                let twice = along * g - self.q * a;
                let last = c2 * (-2.0 * a) + rate2 * twice - rate1 * g.cross(a);
                Matrix3::from_diagonal_element(c2 * along)
                    + c1 * hat(a)
                    + c2 * g * a.transpose()
                    + last * g.transpose()
            }
            Chart::Cayley => {
                let moved = c0 * (a - 0.5 * g.cross(a));
                0.5 * c0 * (hat(a) - moved * g.transpose())
            }
        }
    }

    /// ∂(m·T a)/∂g = Ξ(a)ᵀ m, at fixed a and m.
    #[inline]
    pub fn gradient(&self, a: &Vector3, m: &Vector3) -> Vector3 {
        let g = &self.g;
        let normal = a.cross(m);
        let [c0, c1, c2] = self.c;
        match self.chart {
            Chart::Exponential => {
                let [rate1, rate2] = [2.0 * series::c1_rate(self.q), 2.0 * series::c2_rate(self.q)];
                let (ga, gm, am) = (g.dot(a), g.dot(m), a.dot(m));
                let scale = rate2 * (gm * ga - am * self.q) - rate1 * g.dot(&normal);
                (scale - 2.0 * c2 * am) * g - c1 * normal + c2 * (ga * m + gm * a)
            }
            Chart::Cayley => {
                let e = m.dot(a) - 0.5 * g.dot(&normal);
                -0.5 * c0 * (c0 * e * g + normal)
            }
        }
    }

    /// ∂²(m·T a)/∂g², at fixed a and m.
    #[inline]
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
