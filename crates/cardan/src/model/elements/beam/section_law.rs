//! The section law of a beam: stresses from strains and strain rates, and the form of the loads.

use nalgebra::Matrix6;

use super::spatial_vector::SpatialVector;
use crate::model::BeamForm;
use cardan_core::math::generic::Matrix3;
use cardan_core::math::{Chart, Scalar};

/// A 6×6 matrix over (strain, curvature) in four blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::model) struct SectionMatrix<T = f64> {
    /// Force by strain.
    pub nn: Matrix3<T>,
    /// Force by curvature.
    pub nk: Matrix3<T>,
    /// Moment by strain.
    pub kn: Matrix3<T>,
    /// Moment by curvature.
    pub kk: Matrix3<T>,
}

impl<T: Scalar> SectionMatrix<T> {
    /// The product with strains; the blocks between strains and curvatures are zero unless it is coupled.
    #[inline]
    pub fn product(&self, strain: &SpatialVector<T>, is_coupled: bool) -> SpatialVector<T> {
        match is_coupled {
            true => self.times(strain),
            false => {
                SpatialVector { linear: self.nn * strain.linear, angular: self.kk * strain.angular }
            }
        }
    }

    #[inline]
    pub fn times(&self, strain: &SpatialVector<T>) -> SpatialVector<T> {
        SpatialVector {
            linear: self.nn * strain.linear + self.nk * strain.angular,
            angular: self.kn * strain.linear + self.kk * strain.angular,
        }
    }
}

impl SectionMatrix {
    pub fn new(matrix: &Matrix6<f64>) -> Self {
        let block = |i, j| matrix.fixed_view::<3, 3>(i, j).into_owned();
        Self { nn: block(0, 0), nk: block(0, 3), kn: block(3, 0), kk: block(3, 3) }
    }

    /// Whether forces depend on curvatures, or moments on strains.
    pub fn is_coupled(&self) -> bool {
        self.nk != Matrix3::zeros() || self.kn != Matrix3::zeros()
    }

    fn cast<U: Scalar>(&self) -> SectionMatrix<U> {
        let [nn, nk, kn, kk] = [self.nn, self.nk, self.kn, self.kk].map(|x| x.map(U::constant));
        SectionMatrix { nn, nk, kn, kk }
    }
}

/// The section law that elements of one kind share.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::model) struct SectionLaw<T = f64> {
    pub form: BeamForm,
    /// The chart in which rotations are interpolated.
    pub chart: Chart,
    pub stiffness: SectionMatrix<T>,
    pub viscosity: Option<SectionMatrix<T>>,
    pub is_coupled: bool,
}

impl SectionLaw {
    pub fn new(
        form: BeamForm,
        chart: Chart,
        stiffness: &Matrix6<f64>,
        viscosity: Option<&Matrix6<f64>>,
    ) -> Self {
        let stiffness = SectionMatrix::new(stiffness);
        let viscosity = viscosity.map(SectionMatrix::new);
        Self { form, chart, is_coupled: stiffness.is_coupled(), stiffness, viscosity }
    }

    /// The law with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> SectionLaw<U> {
        let Self { form, chart, is_coupled, .. } = *self;
        let viscosity = self.viscosity.as_ref().map(SectionMatrix::cast);
        SectionLaw { form, chart, stiffness: self.stiffness.cast(), viscosity, is_coupled }
    }
}
