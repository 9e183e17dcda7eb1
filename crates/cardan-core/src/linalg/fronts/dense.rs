//! Partial LU factorization of one dense front, and substitution with its factors.
//!
//! ```text
//! F = [A B; C D],  A: n×n pivots        A = L U,  B ← L⁻¹B,  C ← C U⁻¹,  D ← D − C B
//! ```
//! Columns are stored in lanes of four rows, the last one filled with zeros, and earlier columns are subtracted four at a
//! time: loops then have no remainders, and a column is read and written once for four others. L has zeros on and above its
//! diagonal and U below it, so that whole lanes can be subtracted: storing single rows of a lane that is read next
//! would stop the processor.

use super::lane::{Arithmetic, Lane, clear, copy, lanes};

/// The diagonal is the pivot if it reaches this fraction of the largest candidate.
const DIAGONAL_PREFERENCE: f64 = 0.1;
/// A pivot this far below the terms it is the sum of counts as zero.
const ZERO_PIVOT: f64 = 64.0 * f64::EPSILON;

/// `c −= Σ uₖ lₖ`.
#[inline(always)]
fn subtract<A: Arithmetic, const G: usize>(
    arithmetic: A,
    c: &mut [Lane],
    l: [&[Lane]; G],
    u: [f64; G],
) {
    let l = l.map(|l| &l[..c.len()]);
    for (i, c) in c.iter_mut().enumerate() {
        let mut sum = *c;
        for k in 0..G {
            sum = arithmetic.subtract_product(sum, l[k][i], u[k]);
        }
        *c = sum;
    }
}

/// Ones below each row of a lane, and up to it.
const BELOW: [Lane; 4] =
    [[0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]];
const UP_TO: [Lane; 4] =
    [[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0]];

/// Subtracts G columns of L from a column: forward substitution in their rows, which begin in lane `at`, then the rows
/// below.
#[inline(always)]
fn eliminate_group<A: Arithmetic, const G: usize>(
    arithmetic: A,
    c: &mut [Lane],
    lower: &[Lane],
    at: usize,
) {
    let width = c.len();
    let l: [&[Lane]; G] = std::array::from_fn(|i| &lower[i * width..(i + 1) * width]);
    let mut head = c[at];
    let mut u = [0.0; G];
    for a in 0..G {
        u[a] = head[a];
        head = arithmetic.subtract_product(head, l[a][at], u[a]);
    }
    c[at] = head;
    subtract(arithmetic, &mut c[at + 1..], l.map(|l| &l[at + 1..]), u);
}

/// Subtracts the columns of L, the first of which are eliminated first, from a column.
#[inline(always)]
pub(super) fn eliminate<A: Arithmetic>(arithmetic: A, c: &mut [Lane], lower: &[Lane]) {
    let mut groups = lower.chunks_exact(4 * c.len());
    let mut at = 0;
    for group in groups.by_ref() {
        eliminate_group::<A, 4>(arithmetic, c, group, at);
        at += 1;
    }
    let rest = groups.remainder();
    match rest.len() / c.len() {
        1 => eliminate_group::<A, 1>(arithmetic, c, rest, at),
        2 => eliminate_group::<A, 2>(arithmetic, c, rest, at),
        3 => eliminate_group::<A, 3>(arithmetic, c, rest, at),
        _ => {}
    }
}

/// Writes column j of L from an eliminated column; returns the inverse of the pivot and the largest entry of L.
#[inline(always)]
fn divide<A: Arithmetic>(arithmetic: A, c: &[Lane], j: usize, lower: &mut [Lane]) -> (f64, f64) {
    let (at, row) = (j / 4, j % 4);
    let inverse = 1.0 / c[at][row];
    let inverses = [inverse; 4];
    clear(&mut lower[..at]);
    let head = arithmetic.product(c[at], arithmetic.product(BELOW[row], inverses));
    let mut largest = arithmetic.larger([0.0; 4], head);
    lower[at] = head;
    for (l, c) in lower[at + 1..].iter_mut().zip(&c[at + 1..]) {
        *l = arithmetic.product(*c, inverses);
        largest = arithmetic.larger(largest, *l);
    }
    (inverse, largest.into_iter().fold(0.0, |m, x| if x > m { x } else { m }))
}

/// Factorizes the first columns of a front of lanes of `width`, as many as there are `magnitudes`: for each pivot the size
/// of the terms of which it is the sum. L and U are written, what remains of the front stays in its place. Returns the
/// largest entry of L, or `None` if a pivot is zero.
#[inline(always)]
pub(super) fn factorize<A: Arithmetic>(
    arithmetic: A,
    front: &mut [Lane],
    width: usize,
    magnitudes: &[f64],
    [lower, upper]: [&mut [Lane]; 2],
    inverse_pivots: &mut [f64],
) -> Option<f64> {
    let n = magnitudes.len();
    let height = lanes(n);
    let mut growth = 0.0_f64;
    let mut is_regular = true;
    let columns = front.chunks_exact_mut(width).zip(upper.chunks_exact_mut(height));
    for (j, (c, u)) in columns.enumerate() {
        eliminate(arithmetic, c, &lower[..j.min(n) * width]);
        copy(u, &c[..height]);
        if j < n {
            let own = &mut lower[j * width..(j + 1) * width];
            let (inverse, largest) = divide(arithmetic, c, j, own);
            inverse_pivots[j] = inverse;
            // the pivot is not zero, and a number
            is_regular &= inverse.abs() * ZERO_PIVOT * magnitudes[j] < 1.0;
            growth = if largest > growth { largest } else { growth };
            let (at, row) = (j / 4, j % 4);
            u[at] = arithmetic.product(c[at], UP_TO[row]);
            clear(&mut u[at + 1..]);
        }
    }
    (is_regular && growth.is_finite()).then_some(growth)
}

/// Factorizes a front with row exchanges, without its factors: `exchanges[k]` becomes the row exchanged with row k. `lower`
/// is storage for L.
pub(super) fn choose_pivots<A: Arithmetic>(
    arithmetic: A,
    front: &mut [Lane],
    width: usize,
    lower: &mut [Lane],
    exchanges: &mut [u32],
) {
    let pivots = exchanges.len();
    for (j, c) in front.chunks_exact_mut(width).enumerate() {
        let count = j.min(pivots);
        for (k, &with) in exchanges[..count].iter().enumerate() {
            c.as_flattened_mut().swap(k, with as usize);
        }
        eliminate(arithmetic, c, &lower[..count * width]);
        if j >= pivots {
            continue;
        }
        let values = c.as_flattened_mut();
        let size = |i: usize| values[i].abs();
        let best = (j..pivots).fold(j, |best, i| if size(i) > size(best) { i } else { best });
        let row = if size(j) < DIAGONAL_PREFERENCE * size(best) { best } else { j };
        exchanges[j] = row as u32;
        values.swap(j, row);
        for l in lower[..j * width].chunks_exact_mut(width) {
            l.as_flattened_mut().swap(j, row);
        }
        divide(arithmetic, c, j, &mut lower[j * width..(j + 1) * width]);
    }
}

/// Backward substitution: `own ← U₁₁⁻¹ (own − U₁₂ x)` for the pivots of a front, whose columns of U are given. x is found in
/// `solution` at `below`.
#[inline(always)]
pub(super) fn substitute_backward<A: Arithmetic>(
    arithmetic: A,
    own: &mut [Lane],
    upper: &[Lane],
    below: &[u32],
    solution: &[f64],
    inverse_pivots: &[f64],
) {
    let (n, height) = (inverse_pivots.len(), own.len());
    let (upper, beside) = upper.split_at(n * height);
    let mut columns = beside.chunks_exact(4 * height);
    let mut groups = below.chunks_exact(4);
    for (group, u) in groups.by_ref().zip(columns.by_ref()) {
        let u: [&[Lane]; 4] = std::array::from_fn(|k| &u[k * height..(k + 1) * height]);
        subtract(arithmetic, own, u, std::array::from_fn(|k| solution[group[k] as usize]));
    }
    let rest = columns.remainder().chunks_exact(height);
    for (&row, u) in groups.remainder().iter().zip(rest) {
        subtract(arithmetic, own, [u], [solution[row as usize]]);
    }
    for at in (0..height).rev() {
        let (above, rest) = own.split_at_mut(at);
        let mut head = rest[0];
        for row in (0..4).rev() {
            let k = 4 * at + row;
            if let Some(inverse) = inverse_pivots.get(k) {
                let u = &upper[k * height..k * height + at + 1];
                let x = head[row] * inverse;
                // the pivot itself is in U: x − pivot x/pivot would not be exactly zero
                head = arithmetic.subtract_product(head, u[at], x);
                head[row] = x;
                subtract(arithmetic, above, [&u[..at]], [x]);
            }
        }
        rest[0] = head;
    }
}
