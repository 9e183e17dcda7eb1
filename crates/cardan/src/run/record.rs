//! What a run writes about itself, so that it can be continued: all that does not change (`run.cardan`), and all that
//! evolves (checkpoints and `state.cardan`).

use std::borrow::Cow;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::machine::Machine;
use super::monitor::RunMonitor;
use super::motion::MotionRecord;
use super::packing::{packed, unpacked};
use crate::file::{Diagnostics, Located, ModelFile, Schedule, SourceFile, StartSource};
use crate::model::{BeamForm, EnergyBalance};
use crate::output::{ContainerKind, bytes_sha256};
use crate::results::{Column, EventEntry, RowLayout, SnapshotEntry};
use cardan_core::simulation::State;

/// All of a run that does not change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RunRecord {
    /// The program and its version.
    pub version: String,
    pub machine: Machine,
    pub model: SavedModel,
    pub schedule: Schedule,
    pub layout: RowLayout,
    pub columns: Vec<Column>,
    /// Whether the motion is recorded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_motion: bool,
}

/// A model file with everything that it reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SavedModel {
    pub name: String,
    /// The folder in which relative paths begin.
    pub folder: String,
    pub text: String,
    pub set: Vec<(String, String)>,
    pub beam_form: Option<BeamForm>,
    pub files: Vec<(String, ByteBuf)>,
    /// Whether the motion starts in equilibrium, which the text may not say.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub starts_in_equilibrium: bool,
}

impl SavedModel {
    pub fn new(file: &ModelFile) -> Self {
        let saved = |x: &SourceFile| (x.path.clone(), ByteBuf::from(x.bytes.to_vec()));
        Self {
            name: file.source.name.clone(),
            folder: std::env::current_dir().unwrap_or_default().display().to_string(),
            text: file.source.text.clone(),
            set: file.set.clone(),
            beam_form: file.beam_form,
            files: file.files.iter().map(saved).collect(),
            starts_in_equilibrium: file.plan.starts_in_equilibrium(),
        }
    }

    pub fn restore(&self) -> Result<ModelFile, Diagnostics> {
        let source = |(path, bytes): &(String, ByteBuf)| {
            SourceFile::new(path.as_str(), bytes.as_slice().into())
        };
        let files = self.files.iter().map(source).collect();
        let mut file = ModelFile::restore(&self.name, &self.text, &self.set, files)?;
        if let Some(form) = self.beam_form {
            file.set_beam_form(form);
        }
        if self.starts_in_equilibrium {
            file.plan.from = Some(Located::outside(StartSource::Equilibrium));
        }
        Ok(file)
    }

    /// The files that differ on the disk now.
    pub fn changed_files(&self) -> Vec<String> {
        // an example of the program has no file
        let is_changed = |path: &str, bytes: &[u8]| {
            let path = Path::new(&self.folder).join(path);
            std::fs::read(path).is_ok_and(|now| now.strip_prefix(BOM).unwrap_or(&now) != bytes)
        };
        let model = (self.name.as_str(), self.text.as_bytes());
        let files = self.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
        let changed = std::iter::once(model).chain(files).filter(|(path, x)| is_changed(path, x));
        changed.map(|(path, _)| path.to_string()).collect()
    }
}

/// A mark at the beginning of a text, which is no part of it.
const BOM: &[u8] = "\u{feff}".as_bytes();

impl RunRecord {
    pub fn encode(&self) -> Vec<u8> {
        ContainerKind::Run.encode(packed(self))
    }

    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        unpacked(ContainerKind::Run, bytes)
    }

    /// Identifies the run: the same for another end.
    pub fn identity(&self) -> String {
        let mut record = self.clone();
        (record.schedule.end, record.schedule.steps) = (0.0, 0.0);
        bytes_sha256(&packed(&record))
    }
}

/// All of a run that evolves, after a number of steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RunState<'a> {
    /// The [identity](RunRecord::identity) of the run.
    pub run: String,
    pub machine: Machine,
    pub state: Cow<'a, State>,
    pub energy: EnergyBalance,
    pub monitor: RunMonitor,
    pub tally: Tally,
    /// Rows so far.
    pub rows: u64,
    pub snapshots: Vec<SnapshotEntry>,
    /// Warnings of the start.
    pub notes: Vec<String>,
    /// The events so far, and their number.
    #[serde(default)]
    pub events: (Vec<EventEntry>, u64),
    /// The motion so far, if it is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionRecord>,
}

/// Sums and maxima over all steps of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Tally {
    pub steps: u64,
    pub newton_iterations: u64,
    pub factorizations: u64,
    pub wall_seconds: f64,
    pub energy_drift: f64,
    pub max_position_residual: f64,
    pub max_velocity_residual: f64,
    /// The index of the next time of a row.
    #[serde(default)]
    pub next_row: u64,
    /// The smallest and the largest step.
    #[serde(default)]
    pub step_range: Option<[f64; 2]>,
}

impl RunState<'_> {
    /// Takes the state of the simulation later, when this no longer borrows it.
    pub fn detached(self) -> impl FnOnce(State) -> RunState<'static> + use<> {
        let Self { run, machine, energy, monitor, tally, rows, snapshots, .. } = self;
        let (notes, events, motion) = (self.notes, self.events, self.motion);
        move |state| RunState {
            run,
            machine,
            state: Cow::Owned(state),
            energy,
            monitor,
            tally,
            rows,
            snapshots,
            notes,
            events,
            motion,
        }
    }

    /// The state with a copy of the simulation's.
    pub fn into_owned(self) -> RunState<'static> {
        let state = self.state.clone().into_owned();
        self.detached()(state)
    }

    pub fn encode(&self) -> Vec<u8> {
        ContainerKind::State.encode(packed(&[self]))
    }
}

/// The states in a file: that of a checkpoint, or the last one of a run. If the last step of the run was shortened,
/// the state before it comes first.
pub(super) fn decode_states(bytes: &[u8]) -> Result<Vec<RunState<'static>>, String> {
    let states: Vec<RunState<'static>> = unpacked(ContainerKind::State, bytes)?;
    match states.is_empty() {
        true => Err("it holds no state".into()),
        false => Ok(states),
    }
}

/// See [`decode_states`].
pub(super) fn encode_states(states: &[RunState<'_>]) -> Vec<u8> {
    ContainerKind::State.encode(packed(&states))
}
