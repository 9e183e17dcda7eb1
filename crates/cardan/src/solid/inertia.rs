//! Mass, centre of mass and inertia, and the check that they are physically possible.

use cardan_core::math::{Matrix3, Quaternion, Vector3};

/// Mass, centre of mass and the inertia tensor about it, in body axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inertia {
    /// The mass.
    pub mass: f64,
    /// The centre of mass from the body's origin.
    pub centre: Vector3,
    /// The inertia tensor about the centre of mass; products of inertia are −∫xy dm.
    pub tensor: Matrix3,
}

/// Why an inertia is not physically possible.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InertiaError {
    /// A number is infinite or not a number.
    #[error("its mass, centre of mass or inertia is not finite")]
    NotFinite,
    /// The mass is negative.
    #[error("its mass is {0}; it must not be negative")]
    Mass(f64),
    /// The tensor is not symmetric.
    #[error("its inertia tensor is not symmetric")]
    Asymmetric,
    /// A principal inertia is negative.
    #[error("its principal inertias are {}; none may be negative", list(.0))]
    Negative([f64; 3]),
    /// One principal inertia exceeds the sum of the others.
    #[error(
        "its principal inertias are {}; none may be larger than the sum of the other two",
        list(.0)
    )]
    Triangle([f64; 3]),
    /// A length or density that is not positive.
    #[error("its {what} is {value:e}; it must be positive and less than 1e100")]
    Shape {
        /// The quantity: "radius", "density".
        what: &'static str,
        /// The given value.
        value: f64,
    },
    /// An outline that does not enclose an area.
    #[error("its outline {0}")]
    Outline(String),
    /// A surface that does not enclose a volume.
    #[error("{0}")]
    Surface(String),
    /// Solids of which some have a density per volume and some per length.
    #[error(
        "a rod has no volume, so a mass cannot be divided between it and other solids; try: a `density` for each"
    )]
    Mixed,
}

fn list(values: &[f64; 3]) -> String {
    format!("{:e}, {:e}, {:e}", values[0], values[1], values[2])
}

/// Relative tolerance of the checks: tensors are often given with a few digits only.
const INERTIA_TOLERANCE: f64 = 1e-6;

impl Inertia {
    /// The inertia seen from a frame in which the axes have an orientation and the origin a position.
    pub fn placed(&self, position: &Vector3, orientation: Quaternion) -> Self {
        let turn = orientation.to_matrix();
        Self {
            mass: self.mass,
            centre: position + turn * self.centre,
            tensor: turn * self.tensor * turn.transpose(),
        }
    }

    /// The inertia of the same solid with another mass.
    pub fn with_mass(&self, mass: f64) -> Self {
        Self { mass, tensor: self.tensor * (mass / self.mass), ..*self }
    }

    /// The inertia of two bodies joined together; both are given in the same axes.
    pub fn plus(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        let spread =
            |d: &Vector3| Matrix3::from_diagonal_element(d.norm_squared()) - d * d.transpose();
        let share = if mass > 0.0 { other.mass / mass } else { 0.0 };
        let between = other.centre - self.centre;
        let reduced = self.mass * share;
        Self {
            mass,
            centre: self.centre + share * between,
            tensor: self.tensor + other.tensor + reduced * spread(&between),
        }
    }

    /// Checks that the inertia is physically possible. Point masses, massless bodies, and inertia without
    /// mass (a rotor) are allowed.
    pub fn check(&self) -> Result<(), InertiaError> {
        let finite = |values: &[f64]| values.iter().all(|x| x.is_finite());
        let near = self.centre.amax() < 1e100;
        let all = near && finite(self.tensor.as_slice());
        if !(all && self.mass.is_finite()) {
            return Err(InertiaError::NotFinite);
        }
        if self.mass < 0.0 {
            return Err(InertiaError::Mass(self.mass));
        }
        let size = self.tensor.amax();
        if (self.tensor - self.tensor.transpose()).amax() > INERTIA_TOLERANCE * size {
            return Err(InertiaError::Asymmetric);
        }
        let mut principal: [f64; 3] = self.tensor.symmetric_eigenvalues().into();
        principal.sort_by(f64::total_cmp);
        if principal[0] < -INERTIA_TOLERANCE * size {
            return Err(InertiaError::Negative(principal));
        }
        if principal[2] > principal[0] + principal[1] + INERTIA_TOLERANCE * size {
            return Err(InertiaError::Triangle(principal));
        }
        Ok(())
    }

    /// Checks the inertia of a planar body: only the last entry of its tensor is used.
    pub fn check_planar(&self) -> Result<(), InertiaError> {
        let inertia = self.tensor[(2, 2)];
        let centre = self.centre.iter().all(|x| x.abs() < 1e100);
        if !(centre && self.mass.is_finite() && inertia.is_finite()) {
            return Err(InertiaError::NotFinite);
        }
        match () {
            () if self.mass < 0.0 => Err(InertiaError::Mass(self.mass)),
            () if inertia < 0.0 => Err(InertiaError::Negative([inertia; 3])),
            () => Ok(()),
        }
    }
}
