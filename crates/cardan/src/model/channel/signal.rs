//! Channels of signals (`error`), states (`integral`, `integral.rate`) and inputs (`voltage`).

use super::definition::{Channel, Listing};
use crate::model::channel_source::ChannelSource;
use crate::model::compiled::Model;

impl Model {
    /// A channel of a formula that need not have a name.
    pub(in crate::model) fn formula_channel(&self, formula: usize) -> Channel {
        Channel {
            name: String::new(),
            unit: "",
            width: 1,
            letters: &[],
            source: ChannelSource::Signal(formula),
            component: None,
            model: self.number,
        }
    }

    /// The channels of the signals, states and inputs whose names are wanted.
    pub(super) fn signal_channels(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<Channel> {
        let mut all = Vec::new();
        let mut list = |owner: &str, each: &[(&str, ChannelSource)]| {
            if is_wanted(owner) {
                let (model, channels) = (self.number, Vec::new());
                let mut list = Listing { owner, requested: None, model, channels };
                each.iter().for_each(|(name, source)| list.add(name, "", 1, *source));
                all.append(&mut list.channels);
            }
        };
        let signals = &self.signals;
        for (name, formula) in &signals.names {
            list(name, &[("", ChannelSource::Signal(*formula))]);
        }
        for (k, state) in signals.states.iter().enumerate() {
            let k = signals.first_state + k;
            let rate = ("rate", ChannelSource::StateRate(k));
            list(&state.name, &[("", ChannelSource::State(k)), rate]);
        }
        for (name, q) in &signals.inputs {
            list(name, &[("", ChannelSource::Input(*q))]);
        }
        all
    }
}
