//! The cross section of a beam: stiffnesses and masses per length, given or computed from a shape and a
//! material.

use std::f64::consts::PI;

/// A 6×6 matrix over (translation, rotation).
pub type Matrix6 = nalgebra::Matrix6<f64>;

/// A cross section. Axis 1 is along the beam; axes 2 and 3 are the section's y and z axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    pub(in crate::model) stiffness: Matrix6,
    pub(in crate::model) viscosity: Option<Viscosity>,
    pub(in crate::model) mass: f64,
    pub(in crate::model) inertia: [f64; 3],
    pub(in crate::model) centre: [f64; 2],
    /// Its outline, if it is given.
    profile: Option<Profile>,
}

/// Section viscosity.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::model) enum Viscosity {
    /// The stiffness times a factor in s.
    Proportional(f64),
    /// A full matrix.
    Full(Box<Matrix6>),
}

/// The outline of a section.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Profile {
    /// A rectangle.
    Rectangle {
        /// Along axis 2.
        width: f64,
        /// Along axis 3.
        height: f64,
    },
    /// A full circle.
    Circle {
        /// Radius.
        radius: f64,
    },
    /// A ring.
    Tube {
        /// Outer radius.
        outer: f64,
        /// Inner radius.
        inner: f64,
    },
}

/// An isotropic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Young's modulus.
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Mass per volume.
    pub density: f64,
}

impl Section {
    /// A section given by its stiffnesses: EA, GA along 2, GA along 3, GJ, EJ about 2, EJ about 3.
    pub fn new(stiffness: [f64; 6]) -> Self {
        Self::full(Matrix6::from_diagonal(&stiffness.into()))
    }

    /// A section given by its full stiffness matrix over (strain 1, 2, 3, curvature 1, 2, 3).
    pub fn full(stiffness: Matrix6) -> Self {
        Self {
            stiffness,
            viscosity: None,
            mass: 0.0,
            inertia: [0.0; 3],
            centre: [0.0; 2],
            profile: None,
        }
    }

    /// The section of a planar beam: EA, GA, EJ.
    pub fn planar([axial, shear, bending]: [f64; 3]) -> Self {
        // stiffnesses that a planar beam does not use must be positive too
        Self::new([axial, shear, shear, bending, bending, bending])
    }

    /// A section computed from a shape and a material: areas and moments of the shape, Cowper's shear factors, Saint-Venant
    /// torsion.
    pub fn of(profile: &Profile, material: &Material) -> Self {
        let Material { young, poisson, density } = *material;
        let shear = 0.5 * young / (1.0 + poisson);
        let (area, about_2, about_3, torsion, factor) = match *profile {
            Profile::Rectangle { width, height } => {
                let factor = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson);
                let area = width * height;
                let about_2 = area * height * height / 12.0;
                let about_3 = area * width * width / 12.0;
                (area, about_2, about_3, torsion_of_rectangle(width, height), factor)
            }
            Profile::Circle { radius } => {
                let area = PI * radius * radius;
                let about = 0.25 * area * radius * radius;
                (area, about, about, 2.0 * about, 6.0 * (1.0 + poisson) / (7.0 + 6.0 * poisson))
            }
            Profile::Tube { outer, inner } => {
                let (o, i) = (outer * outer, inner * inner);
                let area = PI * (o - i);
                let about = 0.25 * area * (o + i);
                let ratio = i / o;
                let square = (1.0 + ratio).powi(2);
                let factor = 6.0 * (1.0 + poisson) * square
                    / ((7.0 + 6.0 * poisson) * square + (20.0 + 12.0 * poisson) * ratio);
                (area, about, about, 2.0 * about, factor)
            }
        };
        let across = factor * shear * area;
        let section = Self::new([
            young * area,
            across,
            across,
            shear * torsion,
            young * about_2,
            young * about_3,
        ])
        .mass(density * area)
        .inertia([density * (about_2 + about_3), density * about_2, density * about_3]);
        Self { profile: Some(*profile), ..section }
    }

    /// The outline of the section, and whether it was computed: a rectangle with its ratios of bending to axial stiffness.
    pub(in crate::model) fn outline(&self) -> (Profile, bool) {
        if let Some(profile) = self.profile {
            return (profile, false);
        }
        let side = |bending: f64| {
            let square = 12.0 * bending / self.stiffness[(0, 0)];
            if square.is_finite() && square > 0.0 { square.sqrt() } else { 0.0 }
        };
        let [height, width] = [4, 5].map(|k| side(self.stiffness[(k, k)]));
        (Profile::Rectangle { width, height }, true)
    }

    /// Mass per length.
    pub fn mass(mut self, mass: f64) -> Self {
        self.mass = mass;
        self
    }

    /// Moments of inertia per length about the section's axes through its centre of mass.
    pub fn inertia(mut self, inertia: [f64; 3]) -> Self {
        self.inertia = inertia;
        self
    }

    /// The centre of mass from the beam's line, along axes 2 and 3.
    pub fn centre(mut self, centre: [f64; 2]) -> Self {
        self.centre = centre;
        self
    }

    /// Viscosity in proportion to the stiffness: a mode of circular frequency ω gets the damping ratio
    /// β ω/2.
    pub fn damping(mut self, beta: f64) -> Self {
        self.viscosity = Some(Viscosity::Proportional(beta));
        self
    }

    /// Viscosity as a matrix over the rates of strain and curvature.
    pub fn viscosity(mut self, viscosity: Matrix6) -> Self {
        self.viscosity = Some(Viscosity::Full(Box::new(viscosity)));
        self
    }

    /// The viscosity as a matrix.
    pub(in crate::model) fn viscosity_matrix(&self) -> Option<Matrix6> {
        match &self.viscosity {
            None => None,
            Some(Viscosity::Proportional(0.0)) => None,
            Some(Viscosity::Proportional(beta)) => Some(*beta * self.stiffness),
            Some(Viscosity::Full(matrix)) => Some(**matrix),
        }
    }
}

/// Saint-Venant's torsion constant of a rectangle by its series.
fn torsion_of_rectangle(width: f64, height: f64) -> f64 {
    let (long, short) = (width.max(height), width.min(height));
    let sum: f64 = (0..20)
        .map(|k| {
            let n = f64::from(2 * k + 1);
            (n * PI * long / (2.0 * short)).tanh() / n.powi(5)
        })
        .sum();
    long * short.powi(3) * (1.0 / 3.0 - 64.0 * short / (PI.powi(5) * long) * sum)
}

#[cfg(test)]
mod tests {
    use super::torsion_of_rectangle;

    /// Timoshenko's table: 0.1406 for a square, 0.229 for 1 : 2, 1/3 (1 − 0.63 b/a) when thin.
    #[test]
    fn torsion_constants() {
        assert!((torsion_of_rectangle(1.0, 1.0) - 0.14058).abs() < 1e-5);
        assert!((torsion_of_rectangle(2.0, 1.0) / 2.0 - 0.22868).abs() < 1e-5);
        assert!((torsion_of_rectangle(0.01, 1.0) / 1e-6 - (1.0 - 0.0063) / 3.0).abs() < 1e-5);
    }
}
