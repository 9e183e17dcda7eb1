//! The search for free abscissae: where the error is smallest, and where coefficients stay bounded.

use nalgebra::{DMatrix, DVector};

use super::tableau::Tableau;

/// ‖σ‖² of the first order that is not satisfied, after order four or five: the residuals of all
/// rooted trees, many of which are multiples of others since the stage order is two.
pub(super) fn principal_error(tableau: &Tableau, order: usize) -> f64 {
    let c = tableau.abscissae();
    let size = c.len();
    let a = DMatrix::from_fn(size, size, |i, j| match i {
        0 => 0.0,
        _ => tableau.rows[i - 1].get(j).copied().unwrap_or(0.0),
    });
    let b = a.row(size - 1).transpose();
    let power = |k: i32| DVector::from_fn(size, |i, _| c[i].powi(k));
    let times_c = |x: &DVector<f64>| DVector::from_fn(size, |i, _| c[i] * x[i]);
    // the error of stage i in the integral of cᵏ⁻¹
    let defect = |k: i32| &a * power(k - 1) - power(k) / f64::from(k);
    let (q3, q4, q5) = (defect(3), defect(4), defect(5));
    let terms = match order {
        4 => {
            let one = b.dot(&power(4)) / 24.0 - 1.0 / 120.0;
            let four = 0.5 * b.dot(&times_c(&q3)) + 4.0 * one;
            let five = b.dot(&q4) / 6.0 + one;
            let eight = 0.5 * b.dot(&(&a * &q3)) + five;
            vec![(one, 46.0), (four, 2.0), (five, 10.0), (eight, 2.0)]
        }
        _ => {
            let one = b.dot(&power(5)) / 120.0 - 1.0 / 720.0;
            let four = 0.25 * b.dot(&times_c(&times_c(&q3))) + 10.0 * one;
            let six = b.dot(&times_c(&q4)) / 6.0 + 5.0 * one;
            let seven = b.dot(&q5) / 24.0 + one;
            let thirteen = 0.5 * b.dot(&times_c(&(&a * &q3))) + six;
            let fourteen = 0.5 * b.dot(&(&a * times_c(&q3))) + 4.0 * seven;
            let fifteen = b.dot(&(&a * &q4)) / 6.0 + seven;
            let nineteen = 0.5 * b.dot(&(&a * (&a * &q3))) + fifteen;
            vec![
                (one, 326.0),
                (four, 4.0),
                (six, 10.0),
                (seven, 46.0),
                (thirteen, 2.0),
                (fourteen, 2.0),
                (fifteen, 10.0),
                (nineteen, 2.0),
            ]
        }
    };
    terms.iter().map(|(value, times)| times * value * value).sum()
}

/// The point near `start` where a smooth function is smallest: Newton with differences of fourth
/// order, whose truncation and round-off are both below 1e-10 at this spacing.
pub(super) fn minimize<const N: usize>(
    function: impl Fn(&[f64]) -> f64,
    start: [f64; N],
) -> [f64; N] {
    const SPACING: f64 = 2e-3;
    const WEIGHTS: [(f64, f64); 4] =
        [(-2.0, 1.0 / 12.0), (-1.0, -2.0 / 3.0), (1.0, 2.0 / 3.0), (2.0, -1.0 / 12.0)];
    let mut at = start;
    let moved = |at: &[f64; N], i: usize, by: f64| {
        let mut moved = *at;
        moved[i] += by * SPACING;
        moved
    };
    let slope = |at: &[f64; N], i: usize| -> f64 {
        WEIGHTS.iter().map(|(by, weight)| weight * function(&moved(at, i, *by))).sum()
    };
    for _ in 0..12 {
        let gradient = DVector::from_fn(N, |i, _| slope(&at, i));
        let hessian = DMatrix::from_fn(N, N, |i, j| -> f64 {
            WEIGHTS.iter().map(|(by, weight)| weight * slope(&moved(&at, j, *by), i)).sum()
        });
        let Some(change) = hessian.lu().solve(&gradient) else { break };
        for (x, change) in at.iter_mut().zip(change.iter()) {
            *x -= SPACING * change;
        }
    }
    at
}

/// The largest allowed coefficient; larger ones lose accuracy. The largest printed one is 119.
const MAX_COEFFICIENT: f64 = 150.0;
/// The smallest shift of an abscissa, and the number of shifts that are tried.
const SHIFT: f64 = 1e-3;
const SHIFTS: i32 = 400;

/// The tableau with bounded coefficients whose abscissae are nearest to the given ones: if two stages coincide, or another
/// determinant of the order conditions vanishes, coefficients are unbounded.
pub(super) fn nearest_regular_tableau(
    tableau: impl Fn(&[f64]) -> Tableau,
    wanted: &[f64],
) -> Tableau {
    let is_bounded = |tableau: &Tableau| {
        tableau.rows.iter().flatten().all(|a| a.is_finite() && a.abs() <= MAX_COEFFICIENT)
    };
    // each abscissa stays, or moves up or down by the same amount: digits of a number to base three
    let directions = 3_usize.pow(wanted.len() as u32);
    let shifted = |distance: i32, direction: usize| -> Tableau {
        let mut digits = direction;
        let moved = wanted.iter().map(|c| {
            let digit = digits % 3;
            digits /= 3;
            c + SHIFT * f64::from(distance) * [0.0, 1.0, -1.0][digit]
        });
        tableau(&moved.collect::<Vec<f64>>())
    };
    let candidates = (1..SHIFTS).flat_map(|k| (1..directions).map(move |way| (k, way)));
    let all = std::iter::once((0, 0)).chain(candidates);
    let mut tableaux = all.map(|(distance, direction)| shifted(distance, direction));
    tableaux.find(is_bounded).unwrap_or_else(|| tableau(wanted))
}
