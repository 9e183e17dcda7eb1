//! A quantity of the model that a formula uses.

use super::Column;
use crate::model::channel_source::ChannelSource;
use crate::model::node_measure::NodeMeasure;

/// A quantity of the model, and the columns of its gradient.
#[derive(Clone, Debug)]
pub(in crate::model) struct Probe {
    pub kind: ProbeKind,
    /// In the order in which the gradient is written.
    pub columns: Vec<Column>,
    /// The index of its gradient among those of all probes.
    pub first: usize,
}

/// The kinds of probes.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::model) enum ProbeKind {
    /// A measure between two nodes, or its rate.
    Measure { measure: NodeMeasure, is_rate: bool },
    /// A component of a channel.
    Channel { source: ChannelSource, component: usize },
}
