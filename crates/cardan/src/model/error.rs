//! What can be wrong with a mechanism, by name.

use thiserror::Error;

use super::InertiaError;

/// A mechanism that cannot be built or put together.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ModelError {
    /// There is nothing to move.
    #[error("the mechanism has no bodies")]
    Empty,
    /// A name that cannot be used.
    #[error("`{name}` cannot be a name: {reason}")]
    Name {
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// A name that does not exist.
    #[error("{wanted_by} refers to the {what} `{name}`, which does not exist{}", hint(.nearest))]
    Missing {
        /// Who refers to it.
        wanted_by: String,
        /// What it should be.
        what: &'static str,
        /// The name.
        name: String,
        /// A name that is near.
        nearest: Option<String>,
    },
    /// Planar and spatial bodies together.
    #[error(
        "`{planar}` is planar and `{spatial}` is spatial: a planar body has no way to carry loads \
         out of its plane; make all bodies spatial"
    )]
    Mixed {
        /// A planar body.
        planar: String,
        /// A spatial body.
        spatial: String,
    },
    /// An impossible mass or inertia.
    #[error("body `{body}` cannot exist: {cause}")]
    Inertia {
        /// The body.
        body: String,
        /// Why not.
        cause: InertiaError,
    },
    /// A value that makes no sense.
    #[error("{owner}: {reason}")]
    Value {
        /// Whose value it is.
        owner: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The joints cannot all be closed.
    #[error(
        "the mechanism cannot be assembled; what remains open when all joints are as nearly closed \
         as they can be: {}\n  try: check the lengths and places of these joints, or start nearer to \
         a position that fits",
        .open.join(", ")
    )]
    CannotAssemble {
        /// The joints that disagree, with what remains.
        open: Vec<String>,
    },
    /// A joint would close the wrong way round.
    #[error(
        "{joint} would close with its axes {angle:.0}° apart: the bodies are nearer to the position \
         with opposite axes\n  try: turn one of the bodies, or reverse one of the joint's axes"
    )]
    Antiparallel {
        /// The joint.
        joint: String,
        /// The angle between the axes in degrees.
        angle: f64,
    },
    /// Drives that ask for what the joints forbid.
    #[error("the mechanism cannot move as it is driven: {} contradict each other", .rows.join(", "))]
    Locked {
        /// The constraints that contradict each other.
        rows: Vec<String>,
    },
    /// Constraints that contradict each other in digits that nobody meant.
    #[error(
        "{row} nearly follows from other constraints, but not quite (by {distance:.0e}): the mechanism \
         has no motion that satisfies all of them\n  try: give axes and places that are meant to agree \
         with all digits, or release one of the joints"
    )]
    NearlyRedundant {
        /// The constraint.
        row: String,
        /// How far it is from following.
        distance: f64,
    },
    /// A motion without inertia that nothing holds.
    #[error(
        "a motion has no inertia and no constraint holds it: nothing determines {unknown}\n  try: give \
         the body mass and inertia in this direction, or hold it by a joint"
    )]
    Massless {
        /// What is not determined.
        unknown: String,
    },
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}
