//! The instant at which channels are evaluated.

use super::channel_source::ChannelSource;
use super::element::ElementView;
use super::energy::{Energy, Momentum, Power};
use super::node_measure::PositionKinematics;

/// Sums over the whole model.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::model) struct Totals {
    pub energy: Energy,
    pub power: Power,
    pub momentum: Momentum,
}

impl<'a> From<&ElementView<'a>> for ChannelView<'a> {
    fn from(at: &ElementView<'a>) -> Self {
        let ElementView { t, v, multipliers, z, signals, kinematics, .. } = *at;
        let (a, rates, totals) = (&[][..], &[][..], None);
        Self { t, v, a, multipliers, z, rates, signals, totals, kinematics }
    }
}

impl Totals {
    /// The components of a channel of the whole model.
    pub fn of(&self, source: ChannelSource) -> [f64; 6] {
        let mut values = [0.0; 6];
        match source {
            ChannelSource::Energy(which) => {
                let Energy { kinetic, potential } = self.energy;
                values[0] = [kinetic, potential, kinetic + potential][which];
            }
            ChannelSource::Power(which) => {
                let Power { drives, forces, dissipation } = self.power;
                values[0] = [drives, forces, dissipation][which];
            }
            ChannelSource::Momentum { angular } => {
                let Momentum { linear, angular: about } = self.momentum;
                let vector = if angular { about } else { linear };
                values[..3].copy_from_slice(vector.as_slice());
            }
            _ => {}
        }
        values
    }
}

/// An instant over extended coordinates, with the values of the signals.
#[derive(Clone, Copy)]
pub(in crate::model) struct ChannelView<'a> {
    pub t: f64,
    pub v: &'a [f64],
    /// Empty if the accelerations are not known.
    pub a: &'a [f64],
    pub multipliers: &'a [f64],
    pub z: &'a [f64],
    /// ż; empty if it is not known.
    pub rates: &'a [f64],
    pub signals: &'a [f64],
    /// Energy, power and momentum, if they were computed.
    pub totals: Option<&'a Totals>,
    pub kinematics: PositionKinematics<'a>,
}
