//! Partial LU factorization of one dense front, and substitution with its factors.
//!
//! ```text
//! F = [A B; C D],  A: n×n pivots        A = L U,  B ← L⁻¹B,  C ← C U⁻¹,  D ← D − C B
//! ```
//! Columns are stored in lanes of four rows, the last one filled with zeros, and earlier columns are subtracted four at a
//! time: loops then have no remainders, and a column is read and written once for four others. The columns of the pivots
//! have U above the diagonal, the inverse of the pivot on it, and L below; the lane of the diagonal is multiplied by zeros
//! and ones, so that whole lanes can be subtracted: storing single rows of a lane that is read next would stop the processor.

use super::lane::{Arithmetic, Lane, copy, lanes};

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

/// Ones below each row of a lane, at it, and above it.
const BELOW: [Lane; 4] =
    [[0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]];
const AT: [Lane; 4] =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
const ABOVE: [Lane; 4] =
    [[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0]];

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
        let below = arithmetic.product(l[a][at], BELOW[a]);
        head = arithmetic.subtract_product(head, below, u[a]);
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

/// Writes column j of the factors from an eliminated column; returns the inverse of the pivot and the largest entry of L.
#[inline(always)]
fn divide<A: Arithmetic>(arithmetic: A, c: &[Lane], j: usize, column: &mut [Lane]) -> (f64, f64) {
    let (at, row) = (j / 4, j % 4);
    let inverse = 1.0 / c[at][row];
    let inverses = [inverse; 4];
    copy(&mut column[..at], &c[..at]);
    let head = arithmetic.product(c[at], arithmetic.product(BELOW[row], inverses));
    let mut largest = arithmetic.larger([0.0; 4], head);
    let above = arithmetic.product(c[at], ABOVE[row]);
    let diagonal = arithmetic.product(AT[row], inverses);
    column[at] = arithmetic.sum(arithmetic.sum(head, above), diagonal);
    for (l, c) in column[at + 1..].iter_mut().zip(&c[at + 1..]) {
        *l = arithmetic.product(*c, inverses);
        largest = arithmetic.larger(largest, *l);
    }
    (inverse, largest.into_iter().fold(0.0, |m, x| if x > m { x } else { m }))
}

/// The result of the factorization of a front.
pub(super) struct Found {
    /// The largest entry of L; `None` if a pivot is zero.
    pub growth: Option<f64>,
    /// Whether rows had to be exchanged: not looked for unless `PREFERS`.
    pub needs_exchange: bool,
}

/// Factorizes the first columns of a front of lanes of `width`, as many as there are `magnitudes`: for each pivot the size
/// of the terms of which it is the sum. The columns of the pivots and the pivot rows of the other columns are written, what
/// remains of the front stays in its place.
#[inline(always)]
pub(super) fn factorize<A: Arithmetic, const PREFERS: bool>(
    arithmetic: A,
    front: &mut [Lane],
    width: usize,
    magnitudes: &[f64],
    [columns, beside]: [&mut [Lane]; 2],
) -> Found {
    let n = magnitudes.len();
    let height = lanes(n);
    let mut growth = 0.0_f64;
    let (mut is_regular, mut needs_exchange) = (true, false);
    let (own, others) = front.split_at_mut(n * width);
    for (j, c) in own.chunks_exact_mut(width).enumerate() {
        let (before, rest) = columns.split_at_mut(j * width);
        eliminate(arithmetic, c, before);
        let (inverse, largest) = divide(arithmetic, c, j, &mut rest[..width]);
        // the pivot is not zero, and a number
        is_regular &= inverse.abs() * ZERO_PIVOT * magnitudes[j] < 1.0;
        growth = if largest > growth { largest } else { growth };
        needs_exchange |= PREFERS && best_row(c.as_flattened(), j, n) != j;
    }
    let columns = &columns[..n * width];
    for (c, u) in others.chunks_exact_mut(width).zip(beside.chunks_exact_mut(height)) {
        eliminate(arithmetic, c, columns);
        copy(u, &c[..height]);
    }
    let growth = (is_regular && growth.is_finite()).then_some(growth);
    Found { growth, needs_exchange }
}

/// The row of the pivot of column j: j itself if its entry is not much smaller than the largest one.
#[inline(always)]
fn best_row(values: &[f64], j: usize, pivots: usize) -> usize {
    let size = |i: usize| values[i].abs();
    let best = (j..pivots).fold(j, |best, i| if size(i) > size(best) { i } else { best });
    if size(j) < DIAGONAL_PREFERENCE * size(best) { best } else { j }
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
        let row = best_row(values, j, pivots);
        exchanges[j] = row as u32;
        values.swap(j, row);
        for l in lower[..j * width].chunks_exact_mut(width) {
            l.as_flattened_mut().swap(j, row);
        }
        divide(arithmetic, c, j, &mut lower[j * width..(j + 1) * width]);
    }
}

/// Backward substitution: `own ← U₁₁⁻¹ (own − U₁₂ x)` for the n pivots of a front, whose columns of lanes of `width` and
/// pivot rows of the other columns are given. x is found in `solution` at `below`.
#[inline(always)]
pub(super) fn substitute_backward<A: Arithmetic>(
    arithmetic: A,
    own: &mut [Lane],
    [columns, beside]: [&[Lane]; 2],
    (n, width): (usize, usize),
    below: &[u32],
    solution: &[f64],
) {
    let height = own.len();
    let mut others = beside.chunks_exact(4 * height);
    let mut groups = below.chunks_exact(4);
    for (group, u) in groups.by_ref().zip(others.by_ref()) {
        let u: [&[Lane]; 4] = std::array::from_fn(|k| &u[k * height..(k + 1) * height]);
        subtract(arithmetic, own, u, std::array::from_fn(|k| solution[group[k] as usize]));
    }
    let rest = others.remainder().chunks_exact(height);
    for (&row, u) in groups.remainder().iter().zip(rest) {
        subtract(arithmetic, own, [u], [solution[row as usize]]);
    }
    for at in (0..height).rev() {
        let (above, rest) = own.split_at_mut(at);
        let mut head = rest[0];
        for row in (0..4).rev() {
            let k = 4 * at + row;
            if k < n {
                let u = &columns[k * width..k * width + at + 1];
                // the diagonal has the inverse of the pivot
                let x = head[row] * u[at][row];
                head = arithmetic.subtract_product(head, arithmetic.product(u[at], ABOVE[row]), x);
                head[row] = x;
                subtract(arithmetic, above, [&u[..at]], [x]);
            }
        }
        rest[0] = head;
    }
}
