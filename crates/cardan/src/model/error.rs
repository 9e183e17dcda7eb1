//! Errors of a mechanism: the part, the key, the reason, and the remedy.

use std::fmt;

use thiserror::Error;

use super::{InertiaError, InputKey, Owner, PartKind, RowName};
use cardan_core::linalg::LinearError;
use cardan_core::simulation::SimulationError;
use cardan_core::suggestion::remedy_line;

/// A constraint of a joint or drive that cannot be satisfied.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenRow {
    /// The constraint.
    pub row: RowName,
    /// The remaining gap, in m or rad.
    pub gap: f64,
    /// Whether the gap is an angle.
    pub is_angular: bool,
}

impl fmt::Display for OpenRow {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if self.is_angular { "rad" } else { "m" };
        write!(out, "{} {:.2e} {unit}", self.row, self.gap)
    }
}

/// Why a mechanism cannot be compiled or assembled.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The mechanism has no bodies and no structures.
    Empty,
    /// A name is not allowed.
    Name {
        /// The name.
        name: String,
        /// The reason.
        reason: &'static str,
    },
    /// A part refers to a name that does not exist.
    Missing {
        /// The part that refers to it. Boxed to keep the error small: errors are returned by value.
        wanted_by: Box<Owner>,
        /// The key whose value is the name.
        key: Option<InputKey>,
        /// The kind of item that was expected: "body", "joint".
        what: &'static str,
        /// The name.
        name: String,
        /// An existing name with similar spelling.
        nearest: Option<String>,
    },
    /// The mechanism has planar and spatial bodies.
    Mixed {
        /// A planar body.
        planar: String,
        /// A spatial body.
        spatial: String,
    },
    /// A mass or inertia is not physically possible.
    Inertia {
        /// The body.
        owner: Owner,
        /// The reason.
        #[source]
        cause: InertiaError,
    },
    /// A value is not allowed.
    Value {
        /// The part that has the value.
        owner: Box<Owner>,
        /// The key of the value.
        key: Option<InputKey>,
        /// The reason.
        reason: String,
        /// The remedy.
        remedy: Option<&'static str>,
    },
    /// The joints cannot all be closed.
    CannotAssemble {
        /// The constraints with the largest remaining gaps at the best fit.
        open: Vec<OpenRow>,
    },
    /// A joint would close with opposite axes.
    Antiparallel {
        /// The joint.
        joint: Owner,
        /// The angle between the axes in degrees.
        angle: f64,
    },
    /// Drives prescribe a motion that the joints or other drives do not allow.
    Locked {
        /// The constraints that contradict each other.
        rows: Vec<RowName>,
    },
    /// Constraints contradict each other because of values with too few digits.
    NearlyRedundant {
        /// The constraint.
        row: RowName,
        /// Its distance from linear dependence on other constraints.
        distance: f64,
    },
    /// A coordinate without inertia is not constrained.
    Massless {
        /// The part that can move.
        owner: Owner,
        /// The undetermined motion: "the motion of body `bar` (rotation)".
        unknown: String,
    },
    /// The rank of the constraints cannot be determined.
    Rank(#[from] LinearError),
    /// The simulation cannot start in a singular configuration.
    Singular {
        /// The reason.
        #[source]
        cause: Box<SimulationError>,
    },
}

/// The remedy if drives are among the contradicting constraints.
const DRIVE_REMEDY: &str = "remove one of two drives of the same degree of freedom, or change a drive \
                            that the joints do not allow";

impl ModelError {
    /// An error about a value of a part.
    pub(in crate::model) fn value(owner: &Owner, reason: impl Into<String>) -> Self {
        Self::Value {
            owner: Box::new(owner.clone()),
            key: None,
            reason: reason.into(),
            remedy: None,
        }
    }

    /// An error about a name that does not exist.
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

    /// Adds the key of the value.
    pub(in crate::model) fn with_key(mut self, wanted: impl Into<InputKey>) -> Self {
        if let Self::Value { key, .. } = &mut self {
            *key = Some(wanted.into());
        }
        self
    }

    /// Adds the remedy.
    pub(in crate::model) fn with_remedy(mut self, wanted: &'static str) -> Self {
        if let Self::Value { remedy, .. } = &mut self {
            *remedy = Some(wanted);
        }
        self
    }

    /// The message without the remedy.
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
                "`{planar}` is planar and `{spatial}` is spatial: a planar body cannot carry loads out of \
                 its plane; make all bodies spatial"
            ),
            Self::Inertia { owner, cause } => format!("{owner}: {cause}"),
            Self::Value { owner, reason, .. } => format!("{owner}: {reason}"),
            Self::CannotAssemble { open } => format!(
                "the mechanism cannot be assembled; remaining gaps at the best fit: {}",
                joined(open)
            ),
            Self::Antiparallel { joint, angle } => format!(
                "{joint} would close with its axes {angle:.0}° apart: the initial positions are closer to the \
                 configuration with opposite axes"
            ),
            Self::Locked { rows } => {
                let rows = joined(rows);
                format!("the prescribed motion is impossible: {rows} contradict each other")
            }
            Self::NearlyRedundant { row, distance } => format!(
                "{row} is nearly redundant (distance from linear dependence {distance:.0e}): no motion \
                 satisfies all constraints"
            ),
            Self::Massless { unknown, .. } => {
                format!("unconstrained coordinate without inertia: {unknown} is undetermined")
            }
            Self::Rank(cause) => {
                format!(
                    "{}: the rank of its constraints cannot be determined: {cause}",
                    Owner::Mechanism
                )
            }
            Self::Singular { cause } => match &**cause {
                SimulationError::Start { cause, .. } => {
                    format!("{}: its configuration is singular: {cause}", Owner::Mechanism)
                }
                other => format!("{}: {other}", Owner::Mechanism),
            },
        }
    }

    /// The remedy, in the imperative.
    pub fn remedy(&self) -> Option<String> {
        let drives = self.owners().iter().any(|owner| owner.is(PartKind::Drive));
        let text = match self {
            Self::Value { remedy, .. } => (*remedy)?,
            Self::CannotAssemble { .. } | Self::Locked { .. } if drives => DRIVE_REMEDY,
            Self::CannotAssemble { .. } => {
                "check the lengths and positions of these joints, or start closer to a configuration that \
                 satisfies them"
            }
            Self::Antiparallel { .. } => {
                "rotate one of the bodies, or reverse one of the joint's axes"
            }
            Self::NearlyRedundant { .. } => {
                "give axes and points that must agree with all digits, or release one of the joints"
            }
            Self::Massless { .. } => {
                "give the body mass and inertia in this direction, or constrain it by a joint"
            }
            Self::Singular { cause } => match &**cause {
                SimulationError::Start { cause, .. } => cause.remedy()?,
                // the message of the cause has its own remedy
                _ => return None,
            },
            _ => return None,
        };
        Some(text.into())
    }

    /// The parts that the error concerns, the most likely cause first.
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
        // a drive is a more likely cause than the joints it moves; the drive added last comes first
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
