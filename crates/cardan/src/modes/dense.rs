//! The equations of small motions reduced to the motions that the constraints allow, with full matrices.

use faer::Mat;
use faer::prelude::Solve;

use super::full_matrix::full;
use super::linearization::Linearization;
use super::states::solve_rates;

/// Rows that differ less than this from combinations of others are dependent.
const DEPENDENT: f64 = 1e-10;

/// ẋ = A x with x = (p, w, ζ): ξ = T p, ξ̇ = Z w + U p; p and w are some of the ξ and ξ̇ themselves, ζ the first-order
/// states.
pub(super) struct ReducedSystem {
    /// Which ξ are p, and which ξ̇ are w.
    pub chosen: [Vec<usize>; 2],
    /// T: displacements that holonomic rows allow.
    pub positions: Mat<f64>,
    /// Z: velocities that all rows allow.
    pub velocities: Mat<f64>,
    /// U: velocities that displacements cause under nonholonomic rows, with w = 0.
    pub drift: Mat<f64>,
    /// Y: a basis of the space orthogonal to all constraint forces.
    pub free: Mat<f64>,
    /// Yᵀ M Z.
    pub mass: Mat<f64>,
    /// A.
    pub matrix: Mat<f64>,
}

/// An orthonormal basis of the null space of a matrix.
pub(super) fn null_space(rows: &Mat<f64>) -> Mat<f64> {
    let n = rows.ncols();
    let length = |i: usize| (0..n).map(|j| rows[(i, j)].powi(2)).sum::<f64>().sqrt();
    let factors: Vec<f64> = (0..rows.nrows()).map(|i| 1.0 / length(i).max(1e-300)).collect();
    let columns = Mat::from_fn(n, rows.nrows(), |i, j| rows[(j, i)] * factors[j]);
    if rows.nrows() == 0 {
        return Mat::identity(n, n);
    }
    let qr = columns.col_piv_qr();
    let (q, r) = (qr.compute_Q(), qr.thin_R());
    let count = r.nrows().min(r.ncols());
    let rank = (0..count).take_while(|&k| r[(k, k)].abs() > DEPENDENT).count();
    Mat::from_fn(n, n - rank, |i, j| q[(i, rank + j)])
}

fn part(rows: &Mat<f64>, range: std::ops::Range<usize>) -> Mat<f64> {
    Mat::from_fn(range.len(), rows.ncols(), |i, j| rows[(range.start + i, j)])
}

impl ReducedSystem {
    /// `None` if a motion that the constraints allow has no mass.
    pub fn new(equations: &Linearization) -> Option<Self> {
        let (n, holonomic) = (equations.size(), equations.holonomic);
        let rows = full(&equations.jacobian);
        let m = rows.nrows();
        let (positions, displaced) = in_coordinates(null_space(&part(&rows, 0..holonomic)));
        let (velocities, moving) = match m == holonomic {
            true => (positions.clone(), displaced.clone()),
            false => in_coordinates(null_space(&rows)),
        };
        let pushes = full(&equations.reactions);
        // in coordinates, so that heavy and light ones are not mixed
        let (free, _) = in_coordinates(null_space(&pushes.transpose().to_owned()));
        let drift = match m == holonomic {
            true => Mat::zeros(n, positions.ncols()),
            false => {
                // G ξ̇ = 0 and N ξ̇ = −P T p
                let right = full(&equations.rates) * &positions;
                let target = Mat::from_fn(m, positions.ncols(), |i, j| match i < holonomic {
                    true => 0.0,
                    false => -right[(i - holonomic, j)],
                });
                particular(&rows, &moving, &target)
            }
        };
        let [mass, damping, stiffness] =
            [&equations.mass, &equations.damping, &equations.stiffness].map(full);
        let reduced = free.transpose() * &mass * &velocities;
        let p = positions.ncols();
        // ṗ = (Z w + U p) at the chosen coordinates
        let pick = |a: &Mat<f64>| Mat::from_fn(p, a.ncols(), |i, j| a[(displaced[i], j)]);
        let (by_p, by_w) = (pick(&drift), pick(&velocities));
        let carried = &mass * &drift;
        let push_p = &damping * &drift + &stiffness * &positions + &carried * &by_p;
        let push_w = &damping * &velocities + &carried * &by_w;
        let solver = reduced.full_piv_lu();
        let sizes = magnitude(&free).transpose() * magnitude(&mass) * magnitude(&velocities);
        if !is_regular(&reduced, &sizes) {
            return None;
        }
        let (back_p, back_w) =
            (solver.solve(free.transpose() * push_p), solver.solve(free.transpose() * push_w));
        let w = velocities.ncols();
        let matrix = Mat::from_fn(p + w, p + w, |i, j| match (i < p, j < p) {
            (true, true) => by_p[(i, j)],
            (true, false) => by_w[(i, j - p)],
            (false, true) => -back_p[(i - p, j)],
            (false, false) => -back_w[(i - p, j - p)],
        });
        let chosen = [displaced, moving];
        let found = Self { chosen, positions, velocities, drift, free, mass: reduced, matrix };
        Some(if equations.states.count() == 0 { found } else { found.with_states(equations) })
    }

    /// Adds the first-order states:
    /// Yᵀ M Z ẇ = … − Yᵀ F ζ,  ζ̇ = −R_ż⁻¹ (R_z ζ + R_v ξ̇ + R_q ξ + R_λ μ).
    fn with_states(self, equations: &Linearization) -> Self {
        let states = &equations.states;
        let (p, w, z) = (self.positions.ncols(), self.velocities.ncols(), states.count());
        let force = full(&states.force);
        let pushed = self.mass.full_piv_lu().solve(self.free.transpose() * &force);
        let motion = Mat::from_fn(p + w, p + w + z, |i, j| match j.checked_sub(p + w) {
            None => self.matrix[(i, j)],
            Some(k) if i >= p => -pushed[(i - p, k)],
            Some(_) => 0.0,
        });
        // ξ, ξ̇ and ξ̈ of each state
        let n = self.positions.nrows();
        let xi =
            Mat::from_fn(n, p + w + z, |i, j| if j < p { self.positions[(i, j)] } else { 0.0 });
        let rate = Mat::from_fn(n, p + w + z, |i, j| match j {
            j if j < p => self.drift[(i, j)],
            j if j < p + w => self.velocities[(i, j - p)],
            _ => 0.0,
        });
        let rate_of = Mat::from_fn(n, p + w, |i, j| rate[(i, j)]);
        let second = rate_of * &motion;
        let mut rest = full(&states.velocity) * &rate + full(&states.configuration) * &xi;
        let own = full(&states.state);
        for k in 0..z {
            (0..z).for_each(|i| rest[(i, p + w + k)] += own[(i, k)]);
        }
        if states.multipliers.iter().any(|(_, _, x)| x != 0.0) {
            let mut loads = full(&equations.mass) * &second
                + full(&equations.damping) * &rate
                + full(&equations.stiffness) * &xi;
            for k in 0..z {
                (0..n).for_each(|i| loads[(i, p + w + k)] += force[(i, k)]);
            }
            rest -= full(&states.multipliers) * multipliers_of(equations, &loads);
        }
        let rates = solve_rates(states, &rest);
        let size = p + w + z;
        let matrix = Mat::from_fn(size, size, |i, j| match i.checked_sub(p + w) {
            None => motion[(i, j)],
            Some(k) => -rates[(k, j)],
        });
        Self { matrix, ..self }
    }

    /// ξ, ξ̇ and ξ̈ of a unit prescribed motion of one row, or of its first or second time derivative, with p = w = 0 and
    /// ẇ = 0. With G ξ = e u and N ξ̇ + P ξ = 0, or N ξ̇ + P ξ = e u:
    /// ```text
    /// ξ = E u,   ξ̇ = V u̇ + W u,   ξ̈ = V ü + W u̇ + U ṗ
    /// G E = e,   (G; N) V = e,   (G; N) W = −(0; P E),   ṗ = ξ̇ at the chosen coordinates
    /// ```
    pub fn prescribed(&self, equations: &Linearization, row: usize, order: usize) -> [Mat<f64>; 3] {
        let (n, holonomic) = (equations.size(), equations.holonomic);
        let rows = full(&equations.jacobian);
        let unit = |m: usize| Mat::from_fn(m, 1, |i, _| if i == row { 1.0 } else { 0.0 });
        let zero = || Mat::zeros(n, 1);
        let position = match row < holonomic {
            true => particular(&part(&rows, 0..holonomic), &self.chosen[0], &unit(holonomic)),
            false => zero(),
        };
        let velocity = particular(&rows, &self.chosen[1], &unit(rows.nrows()));
        let carried = full(&equations.rates) * &position;
        let carried = Mat::from_fn(rows.nrows(), 1, |i, _| match i.checked_sub(holonomic) {
            Some(k) => -carried[(k, 0)],
            None => 0.0,
        });
        let carried = particular(&rows, &self.chosen[1], &carried);
        let [xi, rate, second] = match order {
            0 => [position, carried, zero()],
            1 => [zero(), velocity, carried],
            _ => [zero(), zero(), velocity],
        };
        let p = &self.chosen[0];
        let moved = Mat::from_fn(p.len(), 1, |i, _| rate[(p[i], 0)]);
        let second = second + &self.drift * moved;
        [xi, rate, second]
    }

    /// ξ and ξ̇ of a state.
    pub fn motion(&self, x: &dyn Fn(usize) -> f64) -> [Vec<f64>; 2] {
        let (n, p, w) = (self.positions.nrows(), self.positions.ncols(), self.velocities.ncols());
        let xi = (0..n).map(|i| (0..p).map(|j| self.positions[(i, j)] * x(j)).sum()).collect();
        let rate = (0..n).map(|i| {
            (0..w).map(|j| self.velocities[(i, j)] * x(p + j)).sum::<f64>()
                + (0..p).map(|j| self.drift[(i, j)] * x(j)).sum::<f64>()
        });
        [xi, rate.collect()]
    }
}

/// The multipliers whose constraint forces R μ are these forces, each a column in the span of R.
pub(super) fn multipliers_of(equations: &Linearization, forces: &Mat<f64>) -> Mat<f64> {
    let reactions = full(&equations.reactions);
    let square = reactions.transpose() * &reactions;
    square.full_piv_lu().solve(reactions.transpose() * forces)
}

/// The solution of G x = b with x = 0 at the chosen coordinates, which together with G determine x.
fn particular(rows: &Mat<f64>, chosen: &[usize], right: &Mat<f64>) -> Mat<f64> {
    let n = rows.ncols();
    let others: Vec<usize> = (0..n).filter(|i| !chosen.contains(i)).collect();
    if others.is_empty() {
        return Mat::zeros(n, right.ncols());
    }
    let square = Mat::from_fn(rows.nrows(), others.len(), |i, j| rows[(i, others[j])]);
    let found = match square.nrows() == square.ncols() {
        true => square.full_piv_lu().solve(right),
        // dependent rows: the equations agree
        false => {
            let transposed = square.transpose();
            (transposed * &square).full_piv_lu().solve(transposed * right)
        }
    };
    let mut all = Mat::zeros(n, right.ncols());
    for (i, &k) in others.iter().enumerate() {
        (0..right.ncols()).for_each(|j| all[(k, j)] = found[(i, j)]);
    }
    all
}

/// A basis of the same space that is the identity at some coordinates, and the indices of these.
fn in_coordinates(basis: Mat<f64>) -> (Mat<f64>, Vec<usize>) {
    let p = basis.ncols();
    if p == 0 {
        return (basis, Vec::new());
    }
    let qr = basis.transpose().to_owned().col_piv_qr();
    let (order, _) = qr.P().arrays();
    let mut chosen: Vec<usize> = order[..p].to_vec();
    chosen.sort_unstable();
    let square = Mat::from_fn(p, p, |i, j| basis[(chosen[i], j)]);
    // B S⁻¹ = (S⁻ᵀ Bᵀ)ᵀ
    let solved = square.transpose().to_owned().full_piv_lu().solve(basis.transpose().to_owned());
    (solved.transpose().to_owned(), chosen)
}

fn magnitude(matrix: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| matrix[(i, j)].abs())
}

/// Whether a square matrix can be inverted, for any units of its rows and columns: a heavy body next to a light
/// one does not make it singular. `sizes` are those of the terms of its entries, of which round-off is a part.
fn is_regular(matrix: &Mat<f64>, sizes: &Mat<f64>) -> bool {
    let n = matrix.nrows();
    if n != matrix.ncols() {
        return false;
    }
    if n == 0 {
        return true;
    }
    let mut scaled = Mat::from_fn(n, n, |i, j| {
        let x = matrix[(i, j)];
        if x.abs() <= 64.0 * f64::EPSILON * sizes[(i, j)] { 0.0 } else { x }
    });
    for _ in 0..2 {
        let most = |i: usize| (0..n).map(|j| scaled[(i, j)].abs()).fold(0.0, f64::max);
        let rows: Vec<f64> = (0..n).map(most).collect();
        if !rows.iter().all(|x| *x > 0.0 && x.is_finite()) {
            return false;
        }
        // rows first, then columns as the rows of the transposed matrix
        scaled = Mat::from_fn(n, n, |i, j| scaled[(j, i)] / rows[j]);
    }
    let qr = scaled.col_piv_qr();
    let r = qr.thin_R();
    let pivots = (0..n).map(|k| r[(k, k)].abs());
    let (least, most) = pivots.fold((f64::MAX, 0.0_f64), |(a, b), x| (a.min(x), b.max(x)));
    least > 1e-13 * most
}
