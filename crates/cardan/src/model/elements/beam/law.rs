//! What a beam is made of: how stresses follow from strains, and in which form they act.

use nalgebra::Matrix6;

use super::Pair;
use crate::math::generic::Matrix3;
use crate::math::{Chart, Scalar};
use crate::model::BeamForm;

/// A 6×6 matrix over (strain, curvature) in four blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::model) struct Blocks<T = f64> {
    /// Force by strain.
    pub nn: Matrix3<T>,
    /// Force by curvature.
    pub nk: Matrix3<T>,
    /// Moment by strain.
    pub kn: Matrix3<T>,
    /// Moment by curvature.
    pub kk: Matrix3<T>,
}

impl<T: Scalar> Blocks<T> {
    #[inline]
    pub fn times(&self, pair: &Pair<T>) -> Pair<T> {
        Pair {
            linear: self.nn * pair.linear + self.nk * pair.angular,
            angular: self.kn * pair.linear + self.kk * pair.angular,
        }
    }
}

impl Blocks {
    pub fn new(matrix: &Matrix6<f64>) -> Self {
        let block = |i, j| matrix.fixed_view::<3, 3>(i, j).into_owned();
        Self { nn: block(0, 0), nk: block(0, 3), kn: block(3, 0), kk: block(3, 3) }
    }

    /// Whether forces and moments answer to each other's strains.
    pub fn is_coupled(&self) -> bool {
        self.nk != Matrix3::zeros() || self.kn != Matrix3::zeros()
    }

    fn cast<U: Scalar>(&self) -> Blocks<U> {
        let [nn, nk, kn, kk] = [self.nn, self.nk, self.kn, self.kk].map(|x| x.map(U::constant));
        Blocks { nn, nk, kn, kk }
    }
}

/// What elements of one make have in common.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::model) struct Fabric<T = f64> {
    pub form: BeamForm,
    /// How rotations are interpolated.
    pub chart: Chart,
    pub stiffness: Blocks<T>,
    pub viscosity: Option<Blocks<T>>,
    pub is_coupled: bool,
}

impl Fabric {
    pub fn new(
        form: BeamForm,
        chart: Chart,
        stiffness: &Matrix6<f64>,
        viscosity: Option<&Matrix6<f64>>,
    ) -> Self {
        let stiffness = Blocks::new(stiffness);
        let viscosity = viscosity.map(Blocks::new);
        Self { form, chart, is_coupled: stiffness.is_coupled(), stiffness, viscosity }
    }

    /// The law with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> Fabric<U> {
        let Self { form, chart, is_coupled, .. } = *self;
        let viscosity = self.viscosity.as_ref().map(Blocks::cast);
        Fabric { form, chart, stiffness: self.stiffness.cast(), viscosity, is_coupled }
    }
}
