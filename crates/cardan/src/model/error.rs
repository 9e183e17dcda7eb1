//! What can be wrong with a mechanism: the part, the key, the reason, and what to try.

use std::fmt;

use thiserror::Error;

use super::{InertiaError, InputKey, Owner, PartKind, RowName};
use cardan_core::linalg::LinearError;
use cardan_core::simulation::SimulationError;
use cardan_core::suggestion::remedy_line;

/// A joint or drive that remains open.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenRow {
    /// The constraint.
    pub row: RowName,
    /// How far it is open, in m or rad.
    pub gap: f64,
    /// Whether the gap is an angle.
    pub is_angular: bool,
}

impl fmt::Display for OpenRow {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if self.is_angular { "rad" } else { "m" };
        write!(out, "{} by {:.2e} {unit}", self.row, self.gap)
    }
}

/// A mechanism that cannot be built or put together.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ModelError {
    /// There is nothing to move.
    Empty,
    /// A name that cannot be used.
    Name {
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// A name that does not exist.
    Missing {
        /// Who refers to it. Boxed, as errors are returned by value everywhere.
        wanted_by: Box<Owner>,
        /// The key that has the name.
        key: Option<InputKey>,
        /// What it should be.
        what: &'static str,
        /// The name.
        name: String,
        /// A name that is near.
        nearest: Option<String>,
    },
    /// Planar and spatial bodies together.
    Mixed {
        /// A planar body.
        planar: String,
        /// A spatial body.
        spatial: String,
    },
    /// An impossible mass or inertia.
    Inertia {
        /// The body.
        owner: Owner,
        /// Why not.
        #[source]
        cause: InertiaError,
    },
    /// A value that makes no sense.
    Value {
        /// Whose value it is.
        owner: Box<Owner>,
        /// The key of the value.
        key: Option<InputKey>,
        /// What is wrong with it.
        reason: String,
        /// What to try.
        remedy: Option<&'static str>,
    },
    /// The joints cannot all be closed.
    CannotAssemble {
        /// The joints that disagree, with what remains.
        open: Vec<OpenRow>,
    },
    /// A joint would close the wrong way round.
    Antiparallel {
        /// The joint.
        joint: Owner,
        /// The angle between the axes in degrees.
        angle: f64,
    },
    /// Drives that ask for what the joints forbid.
    Locked {
        /// The constraints that contradict each other.
        rows: Vec<RowName>,
    },
    /// Constraints that contradict each other in digits that nobody meant.
    NearlyRedundant {
        /// The constraint.
        row: RowName,
        /// How far it is from following.
        distance: f64,
    },
    /// A motion without inertia that nothing holds.
    Massless {
        /// What moves.
        owner: Owner,
        /// What is not determined.
        unknown: String,
    },
    /// The rank of the constraints cannot be found.
    Rank(#[from] LinearError),
    /// The motion cannot begin in a singular position.
    Singular {
        /// Why not.
        #[source]
        cause: Box<SimulationError>,
    },
}

/// What to try where drives take part.
const DRIVEN: &str = "two drives of one degree of freedom, or a drive that asks for what the joints do \
                      not allow: leave one out, or change it";

impl ModelError {
    /// A value that makes no sense.
    pub(in crate::model) fn value(owner: &Owner, reason: impl Into<String>) -> Self {
        Self::Value {
            owner: Box::new(owner.clone()),
            key: None,
            reason: reason.into(),
            remedy: None,
        }
    }

    /// A name that does not exist.
    pub(in crate::model) fn missing(
        wanted_by: &Owner,
        key: impl Into<InputKey>,
        what: &'static str,
        name: impl Into<String>,
        nearest: Option<String>,
    ) -> Self {
        let (wanted_by, name) = (Box::new(wanted_by.clone()), name.into());
        Self::Missing { wanted_by, key: Some(key.into()), what, name, nearest }
    }

    /// The same with the key of the value.
    pub(in crate::model) fn with_key(mut self, wanted: impl Into<InputKey>) -> Self {
        if let Self::Value { key, .. } = &mut self {
            *key = Some(wanted.into());
        }
        self
    }

    /// The same with what to try.
    pub(in crate::model) fn with_remedy(mut self, wanted: &'static str) -> Self {
        if let Self::Value { remedy, .. } = &mut self {
            *remedy = Some(wanted);
        }
        self
    }

    /// What is wrong, without what to try.
    pub fn fact(&self) -> String {
        match self {
            Self::Empty => "the mechanism has no bodies".into(),
            Self::Name { name, reason } => format!("`{name}` cannot be a name: {reason}"),
            Self::Missing { wanted_by, what, name, nearest, .. } => {
                let hint = nearest.as_ref().map(|name| format!("; did you mean `{name}`?"));
                let hint = hint.unwrap_or_default();
                format!("{wanted_by} refers to the {what} `{name}`, which does not exist{hint}")
            }
            Self::Mixed { planar, spatial } => format!(
                "`{planar}` is planar and `{spatial}` is spatial: a planar body has no way to carry loads \
                 out of its plane; make all bodies spatial"
            ),
            Self::Inertia { owner, cause } => format!("{owner} cannot exist: {cause}"),
            Self::Value { owner, reason, .. } => format!("{owner}: {reason}"),
            Self::CannotAssemble { open } => format!(
                "the mechanism cannot be assembled; what remains open when all joints are as nearly closed \
                 as they can be: {}",
                joined(open)
            ),
            Self::Antiparallel { joint, angle } => format!(
                "{joint} would close with its axes {angle:.0}° apart: the bodies are nearer to the position \
                 with opposite axes"
            ),
            Self::Locked { rows } => {
                let rows = joined(rows);
                format!("the mechanism cannot move as it is driven: {rows} contradict each other")
            }
            Self::NearlyRedundant { row, distance } => format!(
                "{row} nearly follows from other constraints, but not quite (by {distance:.0e}): the \
                 mechanism has no motion that satisfies all of them"
            ),
            Self::Massless { unknown, .. } => {
                format!(
                    "a motion has no inertia and no constraint holds it: nothing determines {unknown}"
                )
            }
            Self::Rank(cause) => {
                format!(
                    "{}: the rank of its constraints cannot be found: {cause}",
                    Owner::Mechanism
                )
            }
            Self::Singular { cause } => match &**cause {
                SimulationError::Start { cause, .. } => {
                    format!("{}: its position is singular: {cause}", Owner::Mechanism)
                }
                other => format!("{}: {other}", Owner::Mechanism),
            },
        }
    }

    /// What to try.
    pub fn remedy(&self) -> Option<String> {
        let drives = self.owners().iter().any(|owner| owner.is(PartKind::Drive));
        let text = match self {
            Self::Value { remedy, .. } => (*remedy)?,
            Self::CannotAssemble { .. } | Self::Locked { .. } if drives => DRIVEN,
            Self::CannotAssemble { .. } => {
                "check the lengths and places of these joints, or start nearer to a position that fits"
            }
            Self::Antiparallel { .. } => {
                "turn one of the bodies, or reverse one of the joint's axes"
            }
            Self::NearlyRedundant { .. } => {
                "give axes and places that are meant to agree with all digits, or release one of the joints"
            }
            Self::Massless { .. } => {
                "give the body mass and inertia in this direction, or hold it by a joint"
            }
            Self::Singular { cause } => match &**cause {
                SimulationError::Start { cause, .. } => cause.remedy()?,
                // said with the cause
                _ => return None,
            },
            _ => return None,
        };
        Some(text.into())
    }

    /// What it is about, the likeliest cause first.
    pub fn owners(&self) -> Vec<&Owner> {
        let mut owners: Vec<&Owner> = match self {
            Self::Missing { wanted_by: owner, .. } | Self::Value { owner, .. } => vec![&**owner],
            Self::Inertia { owner, .. }
            | Self::Antiparallel { joint: owner, .. }
            | Self::Massless { owner, .. } => vec![owner],
            Self::CannotAssemble { open } => open.iter().map(|open| &open.row.owner).collect(),
            Self::Locked { rows } => rows.iter().map(|row| &row.owner).collect(),
            Self::NearlyRedundant { row, .. } => vec![&row.owner],
            _ => Vec::new(),
        };
        // a drive is the likelier cause than the joints it moves, the last one that was added most of all
        if let Some(k) = owners.iter().rposition(|owner| owner.is(PartKind::Drive)) {
            owners[..=k].rotate_right(1);
        }
        owners
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}", self.fact(), remedy_line(self.remedy()))
    }
}

fn joined(all: &[impl fmt::Display]) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
