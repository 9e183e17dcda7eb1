//! The recursions as scalar formulas, and their linear analysis.
//!
//! One step has v, a, j, s at t − h and solves for a at t. Everything is affine in that a:
//!
//! ```text
//! G3  v = v₋ + h[βa + (1−β)a₋],                      x₊ = x + hv + h²/2[αa + (1−α)a₋]
//! G4  j = (a − a₋)/(γh) − (1−γ)/γ j₋,               v = v₋ + ha₋ + h²/2[(1−β)j₋ + βj],
//!     x₊ = x + hv + h²/2 a + h³/6[αj + (1−α)j₋]
//! G5  s = [2(a − a₋ − hj₋)/h² − (1−γ)s₋]/γ,        j = j₋ + h[(1−ζ)s₋ + ζs],
//!     v = v₋ + ha₋ + h²/2 j₋ + h³/6[(1−β)s₋ + βs],   x₊ = x + hv + h²/2 a + h³/6 j + h⁴/24[αs + (1−α)s₋]
//! ```

use nalgebra::DMatrix;

/// The degree of a recursion: how many derivatives, x included, it works with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Degree {
    Three,
    Four,
    Five,
}

/// A recursion with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Recursion {
    pub degree: Degree,
    pub alpha: f64,
    pub beta: f64,
    pub gamma: f64,
    pub zeta: f64,
}

/// v, a, j and s at one instant.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Derivatives {
    pub v: f64,
    pub a: f64,
    pub j: f64,
    pub s: f64,
}

/// Known parts and factors of a: v = v* + c_v a, and so on for j, s and the displacement d.
#[derive(Clone, Copy, Debug)]
pub(super) struct Affine {
    pub known: Derivatives,
    pub d: f64,
}

/// The factors of a.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccelerationFactors {
    pub d: f64,
    pub v: f64,
    pub j: f64,
    pub s: f64,
}

impl Recursion {
    /// The factors of a, for a step h.
    pub fn factors(&self, h: f64) -> AccelerationFactors {
        let Self { alpha, beta, gamma, zeta, .. } = *self;
        let (v, j, s) = match self.degree {
            Degree::Three => (h * beta, 0.0, 0.0),
            Degree::Four => (0.5 * h * beta / gamma, 1.0 / (gamma * h), 0.0),
            Degree::Five => {
                (h * beta / (3.0 * gamma), 2.0 * zeta / (gamma * h), 2.0 / (gamma * h * h))
            }
        };
        let d = match self.degree {
            Degree::Three => h * h * (beta + 0.5 * alpha),
            Degree::Four => h * h * (0.5 * beta + 0.5 * gamma + alpha / 6.0) / gamma,
            Degree::Five => h * h * (beta / 3.0 + 0.5 * gamma + zeta / 3.0 + alpha / 12.0) / gamma,
        };
        AccelerationFactors { d, v, j, s }
    }

    /// The known part, from the previous instant.
    #[inline]
    pub fn known(&self, h: f64, old: Derivatives) -> Affine {
        let Self { alpha, beta, gamma, zeta, .. } = *self;
        let Derivatives { v, a, j, s } = old;
        match self.degree {
            Degree::Three => {
                let velocity = v + h * (1.0 - beta) * a;
                let known = Derivatives { v: velocity, ..Derivatives::default() };
                Affine { known, d: h * (velocity + 0.5 * h * (1.0 - alpha) * a) }
            }
            Degree::Four => {
                let jerk = -(a / h + (1.0 - gamma) * j) / gamma;
                let velocity = v + h * (a + 0.5 * h * ((1.0 - beta) * j + beta * jerk));
                let known = Derivatives { v: velocity, j: jerk, ..Derivatives::default() };
                let third = alpha * jerk + (1.0 - alpha) * j;
                Affine { known, d: h * (velocity + h * h / 6.0 * third) }
            }
            Degree::Five => {
                let snap = -(2.0 * (a / h + j) / h + (1.0 - gamma) * s) / gamma;
                let jerk = j + h * ((1.0 - zeta) * s + zeta * snap);
                let third = (1.0 - beta) * s + beta * snap;
                let velocity = v + h * (a + 0.5 * h * (j + h / 3.0 * third));
                let known = Derivatives { v: velocity, a: 0.0, j: jerk, s: snap };
                let fourth = alpha * snap + (1.0 - alpha) * s;
                Affine { known, d: h * (velocity + h * h / 6.0 * (jerk + 0.25 * h * fourth)) }
            }
        }
    }

    /// The largest root where x at the next instant is prescribed: errors in constrained directions decay
    /// only if it is below one. It does not depend on the step size.
    pub fn constrained_radius(&self) -> f64 {
        let factors = self.factors(1.0);
        let mut map = DMatrix::zeros(4, 4);
        for k in 0..4 {
            let Affine { known, d } = self.known(1.0, unit(k));
            let next = advance(&known, &factors, -d / factors.d);
            for (i, value) in next.into_iter().enumerate() {
                map[(i, k)] = value;
            }
        }
        radius(map)
    }

    /// The largest root on q̈ + 2ξω q̇ + ω² q = 0 with steps of one.
    pub fn radius(&self, omega: f64, xi: f64) -> f64 {
        let factors = self.factors(1.0);
        let mut map = DMatrix::zeros(5, 5);
        for k in 0..5 {
            let old = if k == 0 { Derivatives::default() } else { unit(k - 1) };
            let x = if k == 0 { 1.0 } else { 0.0 };
            let Affine { known, d } = self.known(1.0, old);
            let a =
                -omega * (omega * x + 2.0 * xi * known.v) / (1.0 + 2.0 * xi * omega * factors.v);
            map[(0, k)] = x + d + factors.d * a;
            for (i, value) in advance(&known, &factors, a).into_iter().enumerate() {
                map[(i + 1, k)] = value;
            }
        }
        radius(map)
    }
}

fn unit(k: usize) -> Derivatives {
    let one = |i| if i == k { 1.0 } else { 0.0 };
    Derivatives { v: one(0), a: one(1), j: one(2), s: one(3) }
}

fn advance(known: &Derivatives, factors: &AccelerationFactors, a: f64) -> [f64; 4] {
    [known.v + factors.v * a, a, known.j + factors.j * a, known.s + factors.s * a]
}

fn radius(map: DMatrix<f64>) -> f64 {
    let roots = crate::linalg::roots(&map);
    roots.first().map_or(f64::INFINITY, |root| root.norm())
}
