//! The eigenvalues of an operator that are largest in size, from a Krylov space that several vectors
//! begin: repeated eigenvalues are found as often as they are there, up to the number of vectors.

use faer::{Mat, Side};

use cardan_core::math::{add_scaled, dot};

/// The remaining part of a vector, relative to its length, below which it is dependent on the basis.
const BREAKDOWN: f64 = 1e-10;
/// Vectors a Krylov space begins with: a free body has six rigid motions.
pub(crate) const WIDTH: usize = 6;
/// The default seed of the random start vectors.
pub(crate) const SEED: u64 = 7;

/// A basis that grows: A V = V H, with columns of H for the vectors that A has been applied to.
pub(crate) struct Krylov {
    basis: Vec<Vec<f64>>,
    /// B times each vector of the basis, for the inner product xᵀ B y.
    images: Vec<Vec<f64>>,
    columns: Vec<Vec<f64>>,
}

/// Pseudo-random numbers, identical in every run.
fn noise(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

impl Krylov {
    /// A space that random vectors begin, after the operator has smoothed them once.
    pub fn new(
        n: usize,
        width: usize,
        seed: u64,
        apply: &mut dyn FnMut(&[f64]) -> Option<Vec<f64>>,
        inner: &dyn Fn(&[f64]) -> Vec<f64>,
    ) -> Option<Self> {
        let mut space = Self { basis: Vec::new(), images: Vec::new(), columns: Vec::new() };
        let mut state = seed;
        for _ in 0..width {
            let raw: Vec<f64> = (0..n).map(|_| noise(&mut state)).collect();
            // twice, because the constraints act on velocities one application later
            let smooth = apply(&raw)?;
            space.append(apply(&smooth)?, inner)?;
        }
        Some(space)
    }

    /// Makes a vector orthogonal to the basis and appends the rest; returns its coefficients. `None` if it is
    /// not finite.
    fn append(&mut self, mut w: Vec<f64>, inner: &dyn Fn(&[f64]) -> Vec<f64>) -> Option<Vec<f64>> {
        let before = finite(dot(&w, &inner(&w)))?.max(0.0).sqrt();
        let mut column = vec![0.0; self.basis.len()];
        // twice is enough
        for _ in 0..2 {
            for (k, (v, image)) in self.basis.iter().zip(&self.images).enumerate() {
                let part = dot(&w, image);
                column[k] += part;
                add_scaled(-part, v, &mut w);
            }
        }
        let image = inner(&w);
        let left = finite(dot(&w, &image))?.max(0.0).sqrt();
        if left > BREAKDOWN * before && left > 0.0 {
            column.push(left);
            self.basis.push(w.iter().map(|x| x / left).collect());
            self.images.push(image.iter().map(|x| x / left).collect());
        }
        Some(column)
    }

    /// Applies the operator to the next vector of the basis; `false` if there is none.
    pub fn grow(
        &mut self,
        apply: &mut dyn FnMut(&[f64]) -> Option<Vec<f64>>,
        inner: &dyn Fn(&[f64]) -> Vec<f64>,
    ) -> Option<bool> {
        let Some(next) = self.basis.get(self.columns.len()) else { return Some(false) };
        let w = apply(next)?;
        let column = self.append(w, inner)?;
        self.columns.push(column);
        Some(true)
    }

    /// How many vectors the operator has been applied to.
    pub fn size(&self) -> usize {
        self.columns.len()
    }

    /// Entry (i, j) of H.
    fn entry(&self, i: usize, j: usize) -> f64 {
        self.columns[j].get(i).copied().unwrap_or(0.0)
    }

    /// The square part of H.
    pub fn projected(&self) -> Mat<f64> {
        let n = self.size();
        Mat::from_fn(n, n, |i, j| self.entry(i, j))
    }

    /// How far a Ritz vector, given by its coefficients, is from an eigenvector.
    pub fn residual(&self, coefficients: &dyn Fn(usize) -> f64) -> f64 {
        let n = self.size();
        let rest = (n..self.basis.len())
            .map(|i| (0..n).map(|j| self.entry(i, j) * coefficients(j)).sum::<f64>().powi(2));
        rest.sum::<f64>().sqrt()
    }

    /// Whether there is no vector at all.
    pub fn is_empty(&self) -> bool {
        self.basis.is_empty()
    }

    /// The vector with given coefficients.
    pub fn vector(&self, coefficients: &dyn Fn(usize) -> f64) -> Vec<f64> {
        let mut x = vec![0.0; self.basis.first().map_or(0, Vec::len)];
        for (k, v) in self.basis.iter().enumerate().take(self.size()) {
            add_scaled(coefficients(k), v, &mut x);
        }
        x
    }
}

/// The eigenvalues θ of an operator that are largest in size, with vectors of length one; the operator is
/// symmetric in the inner product. Empty if it maps everything to zero, `None` if it fails or they do not
/// converge.
pub(crate) fn lowest(
    n: usize,
    count: usize,
    apply: impl FnMut(&[f64]) -> Option<Vec<f64>>,
    inner: impl Fn(&[f64]) -> Vec<f64>,
    tolerance: f64,
) -> Option<Vec<(f64, Vec<f64>)>> {
    lowest_from(SEED, n, count, apply, inner, tolerance)
}

/// [`lowest`] with the random start vectors of a seed.
pub(crate) fn lowest_from(
    seed: u64,
    n: usize,
    count: usize,
    mut apply: impl FnMut(&[f64]) -> Option<Vec<f64>>,
    inner: impl Fn(&[f64]) -> Vec<f64>,
    tolerance: f64,
) -> Option<Vec<(f64, Vec<f64>)>> {
    let mut space = Krylov::new(n, WIDTH, seed, &mut apply, &inner)?;
    if space.is_empty() {
        return Some(Vec::new());
    }
    let mut wanted = 2 * count + 3 * WIDTH;
    loop {
        let mut exhausted = false;
        while space.size() < wanted {
            if !space.grow(&mut apply, &inner)? {
                exhausted = true;
                break;
            }
        }
        let h = space.projected();
        let even = Mat::from_fn(h.nrows(), h.ncols(), |i, j| 0.5 * (h[(i, j)] + h[(j, i)]));
        let eigen = even.self_adjoint_eigen(Side::Lower).ok()?;
        let (values, vectors) = (eigen.S(), eigen.U());
        let m = h.nrows();
        let mut found: Vec<usize> = (0..m).collect();
        found.sort_by(|&a, &b| values[b].abs().total_cmp(&values[a].abs()));
        found.truncate(count);
        let size = found.first().map_or(0.0, |&k| values[k].abs());
        let settled = |&k: &usize| {
            let residual = space.residual(&|j| vectors[(j, k)]);
            residual <= tolerance * values[k].abs() || residual <= 1e-15 * size
        };
        if exhausted || found.iter().all(settled) {
            let pair = |&k: &usize| (values[k], space.vector(&|j| vectors[(j, k)]));
            return Some(found.iter().map(pair).collect());
        }
        if wanted > 40 * (count + WIDTH) {
            return None;
        }
        wanted += wanted / 2;
    }
}
