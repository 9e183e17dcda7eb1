//! The unknowns of a stage.

use crate::system::SystemSizes;

/// The unknowns of a stage.
#[derive(Clone, Debug, Default)]
pub struct Unknowns {
    /// p, from which positions follow.
    pub p: Vec<f64>,
    /// x of v = v* + c_v x: follows from p, or a separate unknown.
    pub x: Vec<f64>,
    /// ż.
    pub rates: Vec<f64>,
    /// Multipliers λ.
    pub multipliers: Vec<f64>,
    /// Multipliers of the velocities, μ.
    pub stabilization_multipliers: Vec<f64>,
}

impl Unknowns {
    /// Zeros for a system of these sizes.
    pub(super) fn new(sizes: SystemSizes) -> Self {
        let zeros = |n| vec![0.0; n];
        Self {
            p: zeros(sizes.v),
            x: zeros(sizes.v),
            rates: zeros(sizes.z),
            multipliers: zeros(sizes.constraints),
            stabilization_multipliers: zeros(sizes.holonomic),
        }
    }

    fn vectors(&self) -> [&[f64]; 5] {
        let Self { p, x, rates, multipliers, stabilization_multipliers: stabilizing } = self;
        [p, x, rates, multipliers, stabilizing]
    }

    fn vectors_mut(&mut self) -> [&mut [f64]; 5] {
        let Self { p, x, rates, multipliers, stabilization_multipliers: stabilizing } = self;
        [p, x, rates, multipliers, stabilizing]
    }

    /// Copies other unknowns; storage that is empty takes their sizes.
    pub(super) fn copy_from(&mut self, other: &Self) {
        let Self { p, x, rates, multipliers, stabilization_multipliers } = self;
        p.clone_from(&other.p);
        x.clone_from(&other.x);
        rates.clone_from(&other.rates);
        multipliers.clone_from(&other.multipliers);
        stabilization_multipliers.clone_from(&other.stabilization_multipliers);
    }

    /// self = from + share · direction.
    pub(super) fn set_along(&mut self, from: &Self, share: f64, direction: &Self) {
        let lists = self.vectors_mut().into_iter().zip(from.vectors()).zip(direction.vectors());
        for ((to, from), direction) in lists {
            for ((to, from), direction) in to.iter_mut().zip(from).zip(direction) {
                *to = from + share * direction;
            }
        }
    }

    /// self = to − from.
    pub(super) fn set_difference(&mut self, to: &Self, from: &Self) {
        self.copy_from(to);
        let lists = self.vectors_mut().into_iter().zip(to.vectors()).zip(from.vectors());
        for ((out, to), from) in lists {
            out.copy_from_slice(to);
            out.iter_mut().zip(from).for_each(|(out, from)| *out -= from);
        }
    }
}
