//! A channel: a quantity with a name, a unit and a source in the model.

use super::value::{BeamValue, FlexibleValue, StructureValue};
use crate::model::compiled::Station;
use cardan_core::math::Vector3;

/// A quantity with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    pub(super) name: String,
    pub(super) unit: &'static str,
    pub(super) width: usize,
    /// What its numbers are called, if it has several.
    pub(super) letters: &'static [&'static str],
    pub(super) source: ChannelSource,
    pub(super) component: Option<usize>,
    /// The number of the model it belongs to.
    pub(super) model: u64,
}

impl Channel {
    /// Its full name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its unit.
    pub fn unit(&self) -> &'static str {
        self.unit
    }

    /// How many numbers it has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Picks its numbers from all there are.
    pub(super) fn write(&self, values: &[f64; 6], out: &mut [f64]) {
        match self.component {
            Some(component) => out[0] = values[component],
            None => out.copy_from_slice(&values[..self.width]),
        }
    }

    /// Its numbers as channels of their own.
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

    /// The unit of one of its numbers: a displacement and a rotation vector have two.
    fn unit_of(&self, k: usize) -> &'static str {
        match self.unit.split_once(", ") {
            Some((first, _)) if k < 3 => first,
            Some((_, second)) => second,
            None => self.unit,
        }
    }

    /// The names of its numbers: its own if it is one, else `.x`, `.y`, … after it.
    pub fn components(&self) -> Vec<String> {
        self.parts().into_iter().map(|part| part.name).collect()
    }
}

/// What the numbers of a vector are called.
pub(super) const VECTOR: [&str; 3] = ["x", "y", "z"];
pub(super) const QUATERNION: [&str; 4] = ["w", "x", "y", "z"];
/// A displacement and a rotation vector.
pub(super) const SIX: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// Where a quantity comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ChannelSource {
    /// A point of a body: the origin or a named one, by its place from the centre of mass.
    Point {
        node: usize,
        at: Vector3,
        order: usize,
    },
    Orientation(usize),
    PlanarAngle(usize),
    Spin {
        node: usize,
        world: bool,
        order: usize,
    },
    Coordinate {
        joint: usize,
        index: usize,
        order: usize,
    },
    Reaction {
        joint: usize,
        moment: bool,
        local: bool,
    },
    Mesh(usize),
    DriveForce(usize),
    DrivePower(usize),
    /// Output k of a force.
    Force {
        force: usize,
        output: usize,
        width: usize,
    },
    /// A first-order state.
    State(usize),
    Beam {
        beam: usize,
        station: Station,
        value: BeamValue,
    },
    Flexible {
        body: usize,
        value: FlexibleValue,
    },
    Structure {
        structure: usize,
        value: StructureValue,
    },
    Energy(usize),
    Power(usize),
    Momentum {
        angular: bool,
    },
}

pub(super) const PLACES: [&str; 3] = ["m", "m/s", "m/s²"];
pub(super) const ANGLES: [&str; 3] = ["rad", "rad/s", "rad/s²"];

/// Collects the channels of one owner.
pub(super) struct Listing<'a> {
    pub(super) owner: &'a str,
    /// The one that is looked for, if it is one.
    pub(super) wanted: Option<&'a str>,
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
        let name = format!("{}.{name}", self.owner);
        let (width, model) = (letters.len(), self.model);
        let component = None;
        self.channels.push(Channel { name, unit, width, letters, source, component, model });
    }
}
