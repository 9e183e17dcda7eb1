//! Partial LU factorization of one dense front, and substitution with its factors.
//!
//! ```text
//! F = [A B; C D],  A: n×n pivots        A = L U,  B ← L⁻¹B,  C ← C U⁻¹,  D ← D − C B
//! ```
//! Columns are stored in lanes of four rows, the last one filled with zeros, and earlier columns are subtracted four at a
//! time: loops then have no remainders, and a column is read and written once for four others. The columns of the pivots
//! have U above the diagonal, the inverse of the pivot on it, and L below; the lane of the diagonal is multiplied by zeros
//! and ones, so that whole lanes can be subtracted: storing single rows of a lane that is read next would stop the processor.

use crate::math::lane::{Arithmetic, Lane, clear, copy, lanes};

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
fn eliminate_group<A: Arithmetic, const IS_BARE: bool, const G: usize>(
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
        let own = l[a][at];
        let below = if IS_BARE { own } else { arithmetic.product(own, BELOW[a]) };
        head = arithmetic.subtract_product(head, below, u[a]);
    }
    c[at] = head;
    subtract(arithmetic, &mut c[at + 1..], l.map(|l| &l[at + 1..]), u);
}

/// Subtracts the columns of L, the first of which are eliminated first, from a column. They are bare if the lanes of their
/// diagonals have zeros instead of U and the inverse pivot.
#[inline(always)]
pub(super) fn eliminate<A: Arithmetic, const IS_BARE: bool>(
    arithmetic: A,
    c: &mut [Lane],
    columns: &[Lane],
) {
    let mut groups = columns.chunks_exact(4 * c.len());
    let mut at = 0;
    for group in groups.by_ref() {
        eliminate_group::<A, IS_BARE, 4>(arithmetic, c, group, at);
        at += 1;
    }
    let rest = groups.remainder();
    match rest.len() / c.len() {
        1 => eliminate_group::<A, IS_BARE, 1>(arithmetic, c, rest, at),
        2 => eliminate_group::<A, IS_BARE, 2>(arithmetic, c, rest, at),
        3 => eliminate_group::<A, IS_BARE, 3>(arithmetic, c, rest, at),
        _ => {}
    }
}

/// Writes the bare column j of L from an eliminated column; returns the inverse of the pivot and the largest entry of L.
#[inline(always)]
fn divide<A: Arithmetic>(arithmetic: A, c: &[Lane], j: usize, column: &mut [Lane]) -> (f64, f64) {
    let (at, row) = (j / 4, j % 4);
    let inverse = 1.0 / c[at][row];
    let inverses = [inverse; 4];
    let head = arithmetic.product(c[at], arithmetic.product(BELOW[row], inverses));
    let mut largest = arithmetic.larger([0.0; 4], head);
    column[at] = head;
    for (l, c) in column[at + 1..].iter_mut().zip(&c[at + 1..]) {
        *l = arithmetic.product(*c, inverses);
        largest = arithmetic.larger(largest, *l);
    }
    (inverse, largest.into_iter().fold(0.0, |m, x| if x > m { x } else { m }))
}

/// Factorizes the first columns of a front of lanes of `width`, as many as there are `magnitudes`: for each pivot the size
/// of the terms of which it is the sum, which is replaced by the inverse of the pivot. The columns of the pivots and the pivot
/// rows of the other columns are written, what remains of the front stays in its place. Returns the growth, or `None` if a
/// pivot is zero.
///
/// The growth is the largest product of an entry of L and an entry of the row of U that it multiplies: the rounding errors of
/// the factors are as large as those of a matrix with such entries. A large entry of L alone does no harm. Thin beams have
/// them: U is small in the direction in which the beam is soft.
#[inline(always)]
pub(super) fn factorize<A: Arithmetic>(
    arithmetic: A,
    front: &mut [Lane],
    width: usize,
    magnitudes: &mut [f64],
    [columns, beside]: [&mut [Lane]; 2],
    sizes: &mut [Lane],
) -> Option<f64> {
    let n = magnitudes.len();
    let height = lanes(n);
    let mut is_regular = true;
    let (own, others) = front.split_at_mut(n * width);
    // the largest entries of the columns of L and of the rows of U
    let (l_sizes, u_sizes) = sizes[..2 * height].split_at_mut(height);
    l_sizes[height - 1] = [0.0; 4];
    clear(u_sizes);
    for (j, c) in own.chunks_exact_mut(width).enumerate() {
        let (before, rest) = columns.split_at_mut(j * width);
        eliminate::<A, true>(arithmetic, c, before);
        let (inverse, largest) = divide(arithmetic, c, j, &mut rest[..width]);
        // the pivot is not zero, and a number
        is_regular &= inverse.abs() * ZERO_PIVOT * magnitudes[j] < 1.0;
        magnitudes[j] = inverse;
        l_sizes[j / 4][j % 4] = largest;
    }
    for (c, u) in others.chunks_exact_mut(width).zip(beside.chunks_exact_mut(height)) {
        eliminate::<A, true>(arithmetic, c, columns);
        copy(u, &c[..height]);
        for (size, x) in u_sizes.iter_mut().zip(&*u) {
            *size = arithmetic.larger(*size, *x);
        }
    }
    // U and the inverse pivots
    let columns = columns.chunks_exact_mut(width).zip(own.chunks_exact(width));
    for (j, ((column, c), &inverse)) in columns.zip(&*magnitudes).enumerate() {
        let (at, row) = (j / 4, j % 4);
        copy(&mut column[..at], &c[..at]);
        for (size, x) in u_sizes.iter_mut().zip(&c[..at]) {
            *size = arithmetic.larger(*size, *x);
        }
        let above = arithmetic.product(c[at], ABOVE[row]);
        let pivot = arithmetic.product(c[at], AT[row]);
        u_sizes[at] = arithmetic.larger(u_sizes[at], arithmetic.sum(above, pivot));
        let diagonal = arithmetic.product(AT[row], [inverse; 4]);
        column[at] = arithmetic.sum(column[at], arithmetic.sum(above, diagonal));
    }
    let mut growth = [0.0; 4];
    for (l, u) in l_sizes.iter().zip(&*u_sizes) {
        growth = arithmetic.larger(growth, arithmetic.product(*l, *u));
    }
    let growth = growth.into_iter().fold(0.0, |m, x| if x > m { x } else { m });
    (is_regular && growth.is_finite()).then_some(growth)
}

/// Whether a factorization should have exchanged rows: an entry of L in the rows of the n pivots is large.
pub(super) fn needs_exchange(columns: &[Lane], width: usize, n: usize) -> bool {
    let columns = columns.chunks_exact(width).enumerate();
    let mut rows = columns.flat_map(|(j, column)| &column.as_flattened()[j + 1..n]);
    rows.any(|l| l.abs() * DIAGONAL_PREFERENCE > 1.0)
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
        eliminate::<A, true>(arithmetic, c, &lower[..count * width]);
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
    // the last lane may have fewer pivots
    let top = height - 1;
    let group = &columns[4 * top * width..n * width];
    match n - 4 * top {
        1 => substitute_group::<A, 1>(arithmetic, own, group, top, width),
        2 => substitute_group::<A, 2>(arithmetic, own, group, top, width),
        3 => substitute_group::<A, 3>(arithmetic, own, group, top, width),
        _ => substitute_group::<A, 4>(arithmetic, own, group, top, width),
    }
    let columns = &columns[..4 * top * width];
    for at in (0..top).rev() {
        substitute_group::<A, 4>(arithmetic, own, &columns[4 * at * width..], at, width);
    }
}

/// Solves for G pivots, whose rows begin in lane `at`, and subtracts their columns from the lanes above.
#[inline(always)]
fn substitute_group<A: Arithmetic, const G: usize>(
    arithmetic: A,
    own: &mut [Lane],
    group: &[Lane],
    at: usize,
    width: usize,
) {
    let group = &group[..G * width];
    let u: [&[Lane]; G] = std::array::from_fn(|k| &group[k * width..k * width + at + 1]);
    let mut head = own[at];
    let mut x = [0.0; G];
    for k in (0..G).rev() {
        // the diagonal has the inverse of the pivot
        let column = u[k][at];
        x[k] = head[k] * column[k];
        head = arithmetic.subtract_product(head, arithmetic.product(column, ABOVE[k]), x[k]);
        head[k] = x[k];
    }
    own[at] = head;
    // the last first
    let u: [&[Lane]; G] = std::array::from_fn(|k| &u[G - 1 - k][..at]);
    subtract(arithmetic, &mut own[..at], u, std::array::from_fn(|k| x[G - 1 - k]));
}
