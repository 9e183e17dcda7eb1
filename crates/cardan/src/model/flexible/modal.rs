//! A flexible body in its floating frame: the mass and stiffness integrals of the equations of motion.
//!
//! ```text
//! u = c + Σ S_k η_k                       a point of the body, in axes of its frame
//! h = h₀ + Σ H_k η_k                      ∫ u dm
//! J = J₀ + Σ J_k η_k + Σ J_kl η_k η_l     the inertia about the frame's origin
//! B_k = B⁰_k + Σ B_lk η_l                 ∫ u × S_k dm,   B_lk = −B_kl
//! ```

use nalgebra::DMatrix;

use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Scalar, constants, hat};

/// The modes of a flexible body: their masses and stiffnesses, and named points.
#[derive(Clone, Debug, PartialEq)]
pub struct ModalBasis<T = f64> {
    /// The mass of the body.
    pub(in crate::model) mass: T,
    /// The first moment h₀ of the relaxed body.
    pub(in crate::model) first: Vector3<T>,
    /// H_k: the derivative of the first moment by each amplitude.
    pub(in crate::model) push: Vec<Vector3<T>>,
    /// The inertia J₀ of the relaxed body.
    pub(in crate::model) inertia: Matrix3<T>,
    /// J_k: the linear terms of the inertia.
    pub(in crate::model) inertia_slopes: Vec<Matrix3<T>>,
    /// J_kl: the quadratic terms of the inertia, symmetric in k and l, by rows.
    pub(in crate::model) inertia_bends: Vec<Matrix3<T>>,
    /// B⁰_k: the angular momentum of each mode in the relaxed body.
    pub(in crate::model) levers: Vec<Vector3<T>>,
    /// B_lk: the angular momentum that modes l and k cause together, by rows l.
    pub(in crate::model) mode_couplings: Vec<Vector3<T>>,
    /// The modal mass, stiffness and damping matrices.
    pub(in crate::model) masses: DMatrix<T>,
    pub(in crate::model) stiffness: DMatrix<T>,
    pub(in crate::model) damping: DMatrix<T>,
    /// Named points.
    pub(in crate::model) points: Vec<ModalPoint<T>>,
    /// Whether all modes stay in the x–y plane.
    pub(in crate::model) is_flat: bool,
}

/// A point of a flexible body, with its displacement and rotation in each mode.
#[derive(Clone, Debug, PartialEq)]
pub struct ModalPoint<T = f64> {
    /// Its name.
    pub name: String,
    /// Its position in the relaxed body, in axes of its frame.
    pub place: Vector3<T>,
    /// Its displacement for each mode.
    pub shapes: Vec<Vector3<T>>,
    /// Its rotation vector for each mode.
    pub turns: Vec<Vector3<T>>,
    /// The section's force and moment for each mode, if the body is a beam.
    pub loads: Option<Vec<[Vector3<T>; 2]>>,
}

/// A piece of mass: its position, and its displacement in each mode.
#[derive(Clone, Debug)]
pub struct MassPoint {
    /// Its mass.
    pub mass: f64,
    /// Its position in the relaxed body.
    pub place: Vector3,
    /// Its displacement for each mode.
    pub shapes: Vec<Vector3>,
}

/// −â b̂.
fn moment(a: &Vector3, b: &Vector3) -> Matrix3 {
    -hat(a) * hat(b)
}

impl ModalBasis {
    /// A body without mass that has modes with these stiffnesses.
    pub(super) fn empty(stiffness: DMatrix<f64>) -> Self {
        let n = stiffness.nrows();
        Self {
            mass: 0.0,
            first: Vector3::zeros(),
            push: vec![Vector3::zeros(); n],
            inertia: Matrix3::zeros(),
            inertia_slopes: vec![Matrix3::zeros(); n],
            inertia_bends: vec![Matrix3::zeros(); n * n],
            levers: vec![Vector3::zeros(); n],
            mode_couplings: vec![Vector3::zeros(); n * n],
            masses: DMatrix::zeros(n, n),
            damping: DMatrix::zeros(n, n),
            points: Vec::new(),
            is_flat: true,
            stiffness,
        }
    }

    /// A body of pieces of mass, with the stiffness matrix of its modes; its number of rows is the number
    /// of modes.
    ///
    /// # Panics
    ///
    /// If the stiffness matrix is not square, or a piece has fewer shapes than there are modes.
    pub fn of_masses(masses: &[MassPoint], stiffness: DMatrix<f64>) -> Self {
        let mut body = Self::empty(stiffness);
        for piece in masses {
            body.add_product(piece.mass, piece, piece);
        }
        body.symmetrize();
        body
    }

    /// Adds the contribution of two pieces that a consistent mass matrix couples.
    pub(super) fn add_product(&mut self, mass: f64, one: &MassPoint, two: &MassPoint) {
        let n = self.modes();
        self.mass += mass;
        self.first += mass * two.place;
        self.inertia += mass * moment(&one.place, &two.place);
        for k in 0..n {
            let shape = &two.shapes[k];
            self.push[k] += mass * shape;
            let slope = mass * moment(&one.place, shape);
            self.inertia_slopes[k] += slope + slope.transpose();
            self.levers[k] += mass * one.place.cross(shape);
            for l in 0..n {
                let other = &one.shapes[l];
                self.masses[(l, k)] += mass * other.dot(shape);
                self.inertia_bends[l * n + k] += mass * moment(other, shape);
                self.mode_couplings[l * n + k] += mass * other.cross(shape);
            }
        }
    }

    /// Adds the rotary inertia of a piece about its principal axes, which the modes rotate.
    pub(super) fn add_rotary_inertia(&mut self, inertia: &Vector3, turns: &[Vector3]) {
        self.inertia += Matrix3::from_diagonal(inertia);
        for (k, turn) in turns.iter().enumerate() {
            let spin = inertia.component_mul(turn);
            self.levers[k] += spin;
            for (l, other) in turns.iter().enumerate() {
                self.masses[(l, k)] += other.dot(&spin);
            }
        }
    }

    /// Restores symmetries that hold up to round-off, and sets `is_flat`.
    pub(super) fn symmetrize(&mut self) {
        let n = self.modes();
        let symmetric = |m: &DMatrix<f64>| {
            let mut symmetric = 0.5 * (m + m.transpose());
            // couplings at round-off level are set to zero
            let sizes: Vec<f64> = (0..n).map(|k| symmetric[(k, k)].abs().sqrt()).collect();
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                if symmetric[(i, j)].abs() < 1e-12 * sizes[i] * sizes[j] {
                    symmetric[(i, j)] = 0.0;
                }
            }
            symmetric
        };
        (self.masses, self.stiffness) = (symmetric(&self.masses), symmetric(&self.stiffness));
        self.damping = symmetric(&self.damping);
        self.inertia = 0.5 * (self.inertia + self.inertia.transpose());
        for k in 0..n {
            for l in 0..=k {
                let [a, b] = [self.inertia_bends[k * n + l], self.inertia_bends[l * n + k]];
                let bend = 0.25 * (a + a.transpose() + b + b.transpose());
                (self.inertia_bends[k * n + l], self.inertia_bends[l * n + k]) = (bend, bend);
                let coupling =
                    0.5 * (self.mode_couplings[k * n + l] - self.mode_couplings[l * n + k]);
                (self.mode_couplings[k * n + l], self.mode_couplings[l * n + k]) =
                    (coupling, -coupling);
            }
        }
        self.is_flat = self.first.z == 0.0
            && self.push.iter().all(|x| x.z == 0.0)
            && self.levers.iter().chain(&self.mode_couplings).all(|x| x.xy().norm() == 0.0);
    }

    /// Its named points.
    pub fn points(&self) -> impl Iterator<Item = &ModalPoint> {
        self.points.iter()
    }

    /// The stiffness matrix of its modes.
    pub fn stiffness(&self) -> &DMatrix<f64> {
        &self.stiffness
    }

    /// Its mass.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Adds a named point.
    pub fn point(mut self, point: ModalPoint) -> Self {
        self.points.push(point);
        self
    }

    /// The root mean square of its displacements, over its mass.
    pub(in crate::model) fn deflection(&self, eta: &[f64]) -> f64 {
        let n = self.modes();
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let square: f64 = pairs.map(|(i, j)| eta[i] * self.masses[(i, j)] * eta[j]).sum();
        (square / self.mass).sqrt()
    }

    /// The radius of gyration of the relaxed body about its centre of mass; infinite without extent.
    pub(in crate::model) fn radius_of_gyration(&self) -> f64 {
        // tr J = 2 ∫ r² dm
        let square =
            0.5 * self.inertia.trace() / self.mass - (self.first / self.mass).norm_squared();
        if square > 0.0 { square.sqrt() } else { f64::INFINITY }
    }

    /// The amplitude of a mode with the same ∫ u² dm as a translation of the whole body by a length.
    pub(in crate::model) fn unit(&self, k: usize, length: f64) -> f64 {
        let unit = length * (self.mass / self.masses[(k, k)]).sqrt();
        if unit.is_finite() && unit > 0.0 { unit } else { 1.0 }
    }

    /// Sets the same damping ratio (fraction of critical damping) for every mode. If a matrix is not
    /// finite, the damping is NaN, and compiling the model fails.
    pub fn damping_ratio(mut self, ratio: f64) -> Self {
        let n = self.modes();
        let is_finite = self.masses.iter().chain(&self.stiffness).all(|x| x.is_finite());
        if !(is_finite && ratio.is_finite()) {
            self.damping.fill(f64::NAN);
            return self;
        }
        let Some(root) = self.masses.clone().cholesky() else { return self };
        // in coordinates with unit mass the damping is 2 ζ √K
        let l = root.l();
        let Some(inverse) = l.clone().try_inverse() else { return self };
        let unit = &inverse * &self.stiffness * inverse.transpose();
        let modes = nalgebra::SymmetricEigen::new(0.5 * (&unit + unit.transpose()));
        let roots = DMatrix::from_diagonal(&modes.eigenvalues.map(|x| x.max(0.0).sqrt()));
        let damping = &modes.eigenvectors * roots * modes.eigenvectors.transpose();
        self.damping = 2.0 * ratio * &l * damping * l.transpose();
        debug_assert_eq!(self.damping.nrows(), n);
        self.symmetrize();
        self
    }

    /// The body with its constants as another scalar.
    pub(in crate::model) fn cast<U: Scalar>(&self) -> ModalBasis<U> {
        let vectors = |x: &[Vector3]| x.iter().map(constants).collect();
        let matrices = |x: &[Matrix3]| x.iter().map(|x| x.map(U::constant)).collect();
        let large = |x: &DMatrix<f64>| x.map(U::constant);
        ModalBasis {
            mass: U::constant(self.mass),
            first: constants(&self.first),
            push: vectors(&self.push),
            inertia: self.inertia.map(U::constant),
            inertia_slopes: matrices(&self.inertia_slopes),
            inertia_bends: matrices(&self.inertia_bends),
            levers: vectors(&self.levers),
            mode_couplings: vectors(&self.mode_couplings),
            masses: large(&self.masses),
            stiffness: large(&self.stiffness),
            damping: large(&self.damping),
            points: self.points.iter().map(ModalPoint::cast).collect(),
            is_flat: self.is_flat,
        }
    }
}

impl ModalPoint {
    /// The point with its constants as another scalar.
    pub(in crate::model) fn cast<U: Scalar>(&self) -> ModalPoint<U> {
        let vectors = |x: &[Vector3]| x.iter().map(constants).collect();
        let loads = self.loads.as_ref();
        ModalPoint {
            name: self.name.clone(),
            place: constants(&self.place),
            shapes: vectors(&self.shapes),
            turns: vectors(&self.turns),
            loads: loads.map(|x| x.iter().map(|x| x.map(|x| constants(&x))).collect()),
        }
    }
}

impl<T: Scalar> ModalBasis<T> {
    /// Number of modes.
    pub fn modes(&self) -> usize {
        self.stiffness.nrows()
    }

    /// The first moment h.
    #[inline]
    pub(in crate::model) fn first(&self, eta: &[T]) -> Vector3<T> {
        self.push.iter().zip(eta).fold(self.first, |sum, (push, x)| sum + push * *x)
    }

    /// Σ H_k x_k.
    #[inline]
    pub(in crate::model) fn pushed(&self, x: &[T]) -> Vector3<T> {
        self.push.iter().zip(x).map(|(push, x)| push * *x).sum()
    }

    /// ∂J/∂η_k.
    #[inline]
    pub(in crate::model) fn inertia_slope(&self, k: usize, eta: &[T]) -> Matrix3<T> {
        self.inertia_slopes[k] + self.inertia_bend(k, eta) * T::constant(2.0)
    }

    /// Σ J_kl x_l.
    #[inline]
    pub(in crate::model) fn inertia_bend(&self, k: usize, x: &[T]) -> Matrix3<T> {
        let n = self.modes();
        self.inertia_bends[k * n..].iter().zip(x).map(|(bend, x)| bend * *x).sum()
    }

    /// The inertia J.
    #[inline]
    pub(in crate::model) fn inertia(&self, eta: &[T]) -> Matrix3<T> {
        let slope = |k: usize| self.inertia_slopes[k] + self.inertia_bend(k, eta);
        (0..self.modes()).fold(self.inertia, |sum, k| sum + slope(k) * eta[k])
    }

    /// Σ ∂J/∂η_k x_k.
    #[inline]
    pub(in crate::model) fn inertia_rate(&self, eta: &[T], x: &[T]) -> Matrix3<T> {
        (0..self.modes()).map(|k| self.inertia_slope(k, eta) * x[k]).sum()
    }

    /// The angular momentum B_k of mode k.
    #[inline]
    pub(in crate::model) fn lever(&self, k: usize, eta: &[T]) -> Vector3<T> {
        // Σ B_lk η_l = −Σ B_kl η_l
        self.levers[k] - self.mode_coupling(k, eta)
    }

    /// Σ B_kl x_l.
    #[inline]
    pub(in crate::model) fn mode_coupling(&self, k: usize, x: &[T]) -> Vector3<T> {
        let n = self.modes();
        self.mode_couplings[k * n..].iter().zip(x).map(|(coupling, x)| coupling * *x).sum()
    }

    /// Σ B_k x_k.
    #[inline]
    pub(in crate::model) fn mode_coupling_product(&self, eta: &[T], x: &[T]) -> Vector3<T> {
        (0..self.modes()).map(|k| self.lever(k, eta) * x[k]).sum()
    }
}
