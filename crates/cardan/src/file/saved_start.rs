//! A start from the saved state of another run, or in equilibrium.

use std::path::PathBuf;

use serde::Deserialize;

use super::diagnostic::Diagnostic;
use super::entry::Entry;
use crate::output::{ContainerKind, latest_state};
use cardan_core::simulation::State;

/// The part of a saved state that a start needs.
#[derive(Deserialize)]
struct SavedMotion {
    state: State,
}

/// The last state in a file.
fn decode(bytes: &[u8]) -> Result<State, String> {
    let contents = ContainerKind::State.decode(bytes).map_err(|error| error.to_string())?;
    let mut states: Vec<SavedMotion> =
        rmp_serde::from_slice(contents).map_err(|_| "its contents are not those of a state")?;
    states.pop().map(|saved| saved.state).ok_or_else(|| "it holds no state".into())
}

/// Where a motion starts, instead of the described positions and velocities.
#[derive(Clone, Debug, PartialEq)]
pub enum StartSource {
    /// The last state of another run.
    SavedState(Box<State>),
    /// The equilibrium under the loads at the start.
    Equilibrium,
}

/// The word for a start in equilibrium.
const STATIC: &str = "static";

/// `from = "static"`, or `from = "results/NAME"`: the folder of a run or a file with a state. A relative path begins in the
/// folder of the model or, if nothing is there, in the current folder.
pub(super) fn from(entry: &Entry<'_>) -> Option<StartSource> {
    let node = entry.get("from")?;
    let fail = |message: String, help: &str| {
        entry.scope.reader.note(Diagnostic::at(node.span(), message).help(help))
    };
    let given = entry.text("from")?;
    if given == STATIC {
        return Some(StartSource::Equilibrium);
    }
    let beside = entry.scope.reader.folder.join(&given);
    let path = match entry.scope.reader.files.saved_start() {
        // the record of a run has it, wherever it was
        Some(path) => path,
        None => {
            let places = [beside.clone(), PathBuf::from(&given)];
            match places.iter().find_map(|place| latest_state(place)) {
                Some(path) => path,
                None => {
                    let message = match places.iter().any(|place| place.exists()) {
                        true => format!("{given} has no saved state"),
                        false => format!("there is no file or folder {}", beside.display()),
                    };
                    let help = "the folder of a run, which has the file state.cardan, or \"static\" for the equilibrium";
                    return fail(message, help);
                }
            }
        }
    };
    let state = entry.scope.reader.files.contents(&path).and_then(|bytes| decode(&bytes));
    match state {
        Ok(state) => Some(StartSource::SavedState(Box::new(state))),
        Err(reason) => fail(
            format!("{}: {reason}", path.display()),
            "name the folder of a run; if its state was altered, run that model again",
        ),
    }
}
