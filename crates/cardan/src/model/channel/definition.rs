//! A channel: a quantity with a name, a unit and a source in the model.

use crate::model::channel_source::ChannelSource;
use crate::model::compiled::Model;

/// A quantity with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    pub(super) name: String,
    pub(super) unit: &'static str,
    pub(super) width: usize,
    /// The names of its components, if it has several.
    pub(super) letters: &'static [&'static str],
    pub(super) source: ChannelSource,
    pub(super) component: Option<usize>,
    /// The number of the model to which it belongs.
    pub(super) model: u64,
}

impl Channel {
    /// A channel without a name.
    pub(in crate::model) fn of_source(
        model: &Model,
        unit: &'static str,
        width: usize,
        source: ChannelSource,
    ) -> Self {
        let (name, component) = (String::new(), None);
        Self { name, unit, width, letters: &[], source, component, model: model.number }
    }

    /// The full name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The unit.
    pub fn unit(&self) -> &'static str {
        self.unit
    }

    /// The number of components.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The source, and the component of it if it is one.
    pub(in crate::model) fn source(&self) -> (ChannelSource, usize) {
        (self.source, self.component.unwrap_or(0))
    }

    /// Copies the components of this channel from all components of the source.
    pub(super) fn write(&self, values: &[f64; 6], out: &mut [f64]) {
        match self.component {
            Some(component) => out[0] = values[component],
            None => out.copy_from_slice(&values[..self.width]),
        }
    }

    /// One channel for each component.
    pub fn parts(&self) -> Vec<Self> {
        if self.width == 1 {
            return vec![self.clone()];
        }
        let part = |k: usize| Self {
            name: format!("{}.{}", self.name, self.letters[k]),
            unit: self.unit_of(k),
            width: 1,
            component: Some(k),
            ..self.clone()
        };
        (0..self.width).map(part).collect()
    }

    /// The unit of component k. A displacement with a rotation vector has two units.
    fn unit_of(&self, k: usize) -> &'static str {
        match self.unit.split_once(", ") {
            Some((first, _)) if k < 3 => first,
            Some((_, second)) => second,
            None => self.unit,
        }
    }

    /// The full names of the components: the channel name, followed by `.x`, `.y`, … if there are several.
    pub fn components(&self) -> Vec<String> {
        self.parts().into_iter().map(|part| part.name).collect()
    }
}

/// The names of the components of a vector.
pub(super) const VECTOR: [&str; 3] = ["x", "y", "z"];
/// The names of the components of a quaternion.
pub(super) const QUATERNION: [&str; 4] = ["w", "x", "y", "z"];
/// The names of the components of a displacement and a rotation vector.
pub(super) const SIX: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// Units of a length, its rate and its acceleration.
pub(super) const LENGTH_UNITS: [&str; 3] = ["m", "m/s", "m/s²"];
/// Units of an angle, its rate and its acceleration.
pub(super) const ANGLE_UNITS: [&str; 3] = ["rad", "rad/s", "rad/s²"];

/// The channels of one owner (a body, joint, drive, force, …), while they are collected.
pub(super) struct Listing<'a> {
    pub(super) owner: &'a str,
    /// The name of the requested channel, if only one is requested.
    pub(super) requested: Option<&'a str>,
    pub(super) model: u64,
    pub(super) channels: Vec<Channel>,
}

impl Listing<'_> {
    pub(super) fn add(
        &mut self,
        name: &str,
        unit: &'static str,
        width: usize,
        source: ChannelSource,
    ) {
        let letters: &[&str] = match width {
            4 => &QUATERNION,
            6 => &SIX,
            _ => &VECTOR,
        };
        self.add_named(name, unit, &letters[..width], source);
    }

    pub(super) fn add_named(
        &mut self,
        name: &str,
        unit: &'static str,
        letters: &'static [&'static str],
        source: ChannelSource,
    ) {
        // the channel of a signal has no further name
        let name = match name.is_empty() {
            true => self.owner.to_string(),
            false => format!("{}.{name}", self.owner),
        };
        let (width, model) = (letters.len(), self.model);
        let component = None;
        self.channels.push(Channel { name, unit, width, letters, source, component, model });
    }
}
