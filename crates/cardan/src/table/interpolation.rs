//! The kinds of interpolation, and the slopes that cubic ones have at the points of a table.

/// The interpolation of a table of one variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Straight lines between the points.
    #[default]
    Linear,
    /// Cubics with continuous slope that rise and fall only where the points do (Fritsch and Butland 1984).
    Pchip,
    /// The natural cubic spline: continuous curvature, which is zero at both ends.
    Spline,
}

/// The interpolation of a map of two variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapInterpolation {
    /// Linear in each variable.
    #[default]
    Bilinear,
    /// The natural cubic spline in each variable: continuous second derivatives.
    Bicubic,
}

/// The values of a table outside its range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outside {
    /// The value at the end.
    Hold,
    /// The tangent at the end.
    Extend,
    /// None: the value is not a number, and [`Table::refusal`](super::Table::refusal) has the reason.
    #[default]
    Refuse,
}

impl Interpolation {
    /// Every kind with its name in model files.
    pub const ALL: [(&str, Self); 3] =
        [("linear", Self::Linear), ("pchip", Self::Pchip), ("spline", Self::Spline)];
}

impl MapInterpolation {
    /// Every kind with its name in model files.
    pub const ALL: [(&str, Self); 2] = [("bilinear", Self::Bilinear), ("bicubic", Self::Bicubic)];
}

impl Outside {
    /// Every kind with its name in model files.
    pub const ALL: [(&str, Self); 3] =
        [("refuse", Self::Refuse), ("hold", Self::Hold), ("extend", Self::Extend)];
}

/// The slopes of the monotone cubic interpolant at its points: where both neighbouring chords m₁, m₂ (of widths h₁, h₂) rise or
/// both fall, the weighted harmonic mean (w₁ + w₂)/(w₁/m₁ + w₂/m₂) with w₁ = h₁ + 2h₂, w₂ = 2h₁ + h₂; elsewhere 0.
pub(super) fn monotone_slopes(x: &[f64], values: &[f64]) -> Vec<f64> {
    let n = x.len();
    let width = |k: usize| x[k + 1] - x[k];
    let chord = |k: usize| (values[k + 1] - values[k]) / width(k);
    if n == 2 {
        return vec![chord(0); 2];
    }
    let inner = |k: usize| {
        let (m1, m2) = (chord(k - 1), chord(k));
        if m1 == 0.0 || m2 == 0.0 || (m1 < 0.0) != (m2 < 0.0) {
            return 0.0;
        }
        let (w1, w2) = (width(k - 1) + 2.0 * width(k), 2.0 * width(k - 1) + width(k));
        (w1 + w2) / (w1 / m1 + w2 / m2)
    };
    let ends = [
        end_slope([width(0), width(1)], [chord(0), chord(1)]),
        end_slope([width(n - 2), width(n - 3)], [chord(n - 2), chord(n - 3)]),
    ];
    (0..n)
        .map(|k| match k {
            0 => ends[0],
            _ if k == n - 1 => ends[1],
            _ => inner(k),
        })
        .collect()
}

/// The slope at an end, from the two chords next to it: that of their parabola, as far as it keeps the first interval monotone.
fn end_slope([h1, h2]: [f64; 2], [m1, m2]: [f64; 2]) -> f64 {
    let slope = ((2.0 * h1 + h2) * m1 - h1 * m2) / (h1 + h2);
    match () {
        () if m1 == 0.0 || slope == 0.0 || (slope < 0.0) != (m1 < 0.0) => 0.0,
        () if (m1 < 0.0) != (m2 < 0.0) && slope.abs() > 3.0 * m1.abs() => 3.0 * m1,
        () => slope,
    }
}

/// The slopes of the natural cubic spline at its points. With chords m and a = h₂/(h₁ + h₂) continuity of the curvature is
/// a d₋ + 2 d + (1 − a) d₊ = 3 (a m₁ + (1 − a) m₂); at the ends 2 d + d₊ = 3 m. Gaussian elimination of the tridiagonal system.
pub(super) fn spline_slopes(x: &[f64], values: &[f64]) -> Vec<f64> {
    let n = x.len();
    let width = |k: usize| x[k + 1] - x[k];
    let chord = |k: usize| (values[k + 1] - values[k]) / width(k);
    let (mut above, mut slopes) = (vec![0.0; n], vec![0.0; n]);
    (above[0], slopes[0]) = (0.5, 1.5 * chord(0));
    for k in 1..n {
        let (lower, upper, right) = match k == n - 1 {
            true => (1.0, 0.0, 3.0 * chord(k - 1)),
            false => {
                let a = width(k) / (width(k - 1) + width(k));
                (a, 1.0 - a, 3.0 * (a * chord(k - 1) + (1.0 - a) * chord(k)))
            }
        };
        let pivot = 2.0 - lower * above[k - 1];
        above[k] = upper / pivot;
        slopes[k] = (right - lower * slopes[k - 1]) / pivot;
    }
    for k in (0..n - 1).rev() {
        slopes[k] -= above[k] * slopes[k + 1];
    }
    slopes
}
