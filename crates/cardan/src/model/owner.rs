//! The part that an error, a constraint row or a report refers to: its kind and name, and the key of
//! the model file.

use std::fmt;

/// The kinds of named parts, each a section of the model file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PartKind {
    /// A rigid body or a point mass.
    Body,
    /// A beam of finite elements.
    Beam,
    /// A flexible body in a floating frame.
    Flexible,
    /// A linear structure.
    Structure,
    /// A bar with an axial force only.
    Truss,
    /// A joint.
    Joint,
    /// A gear.
    Gear,
    /// A prescribed motion.
    Drive,
    /// A rolling disc.
    Rolling,
    /// A skate (knife-edge constraint).
    Skate,
    /// A force or torque.
    Force,
    /// A named scalar.
    Signal,
    /// A first-order state.
    State,
    /// A value that is set from outside.
    Input,
    /// An event.
    Event,
}

impl PartKind {
    /// Its section in the model file.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Beam => "beam",
            Self::Flexible => "flexible",
            Self::Structure => "structure",
            Self::Truss => "truss",
            Self::Joint => "joint",
            Self::Gear => "gear",
            Self::Drive => "drive",
            Self::Rolling => "rolling",
            Self::Skate => "skate",
            Self::Force => "force",
            Self::Signal => "signal",
            Self::State => "state",
            Self::Input => "input",
            Self::Event => "event",
        }
    }

    /// Its name in messages.
    fn word(self) -> &'static str {
        match self {
            Self::Flexible => "flexible body",
            other => other.key(),
        }
    }
}

/// The part or setting to which a value, a constraint or an error belongs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Owner {
    /// A named part: "joint `A`", "structure `bar` at node 3".
    Part {
        /// Its kind.
        kind: PartKind,
        /// Its name.
        name: String,
        /// The place on it, if one is given.
        at: Option<String>,
    },
    /// The ground.
    Ground,
    /// Gravity.
    Gravity,
    /// The mechanism as a whole.
    Mechanism,
    /// The time at which the motion starts.
    StartTime,
    /// The velocities at the start.
    Velocities,
    /// The saved state from which the motion starts.
    SavedState,
    /// Outputs of a run.
    Outputs,
    /// A channel, by its name.
    Channel(String),
    /// Inputs of a linearized model.
    Inputs,
    /// An input, by its name.
    Input(String),
}

impl Owner {
    /// A named part.
    pub fn part(kind: PartKind, name: &str) -> Self {
        Self::Part { kind, name: name.into(), at: None }
    }

    /// Whether it is a part of this kind.
    pub fn is(&self, wanted: PartKind) -> bool {
        matches!(self, Self::Part { kind, .. } if *kind == wanted)
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part { kind, name, at: None } => write!(out, "{} `{name}`", kind.word()),
            Self::Part { kind, name, at: Some(at) } => {
                write!(out, "{} `{name}` at {at}", kind.word())
            }
            Self::Ground => out.write_str("the ground"),
            Self::Gravity => out.write_str("gravity"),
            Self::Mechanism => out.write_str("the mechanism"),
            Self::StartTime => out.write_str("the start time"),
            Self::Velocities => out.write_str("the initial velocities"),
            Self::SavedState => out.write_str("the saved state"),
            Self::Outputs => out.write_str("an output"),
            Self::Channel(name) => write!(out, "channel `{name}`"),
            Self::Inputs => out.write_str("an input"),
            Self::Input(name) => write!(out, "input `{name}`"),
        }
    }
}

/// A key of a part in the model file, and the number of an entry if its value is a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputKey {
    /// The key.
    pub name: &'static str,
    /// The entry, counted from zero; `None` for the whole value.
    pub entry: Option<usize>,
}

impl InputKey {
    /// An entry of a list.
    pub(in crate::model) const fn entry(name: &'static str, entry: usize) -> Self {
        Self { name, entry: Some(entry) }
    }
}

impl From<&'static str> for InputKey {
    fn from(name: &'static str) -> Self {
        Self { name, entry: None }
    }
}

/// A constraint row: "joint `A` (moving along x)".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowName {
    /// The part it belongs to.
    pub owner: Owner,
    /// The motion it prevents or prescribes: "moving along x", "turning about z", "prescribed angle".
    pub prevents: String,
}

impl fmt::Display for RowName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} ({})", self.owner, self.prevents)
    }
}
