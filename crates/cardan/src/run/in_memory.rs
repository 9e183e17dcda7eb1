//! A run whose results stay in memory.

use std::path::Path;
use std::time::Instant;

use super::execute::{
    begin_motion, check_output, check_stability, check_steps, explained, recorder, summary,
};
use super::jumps::jump_warnings;
use super::motion::MotionRecord;
use super::motion_recorder::MotionRecorder;
use super::record::decode_states;
use super::request::{RunError, RunProgress, RunRequest};
use super::session::{Session, SessionBasis};
use crate::file::{ModelFile, Schedule};
use crate::model::{AssembledMechanism, Snapshot};
use crate::results::{MemoryResults, ResultsFolder, RunSummary};
use cardan_core::simulation::State;

/// A run with its results in memory.
#[derive(Clone, Debug)]
pub struct MemoryRun {
    /// The summary.
    pub summary: RunSummary,
    /// The columns, in the order of [`RunSummary::columns`].
    pub columns: Vec<Vec<f64>>,
    /// The snapshots of structures.
    pub snapshots: Vec<Snapshot>,
    state: Option<Vec<u8>>,
    motion: Option<Vec<u8>>,
}

impl MemoryRun {
    /// The last state, from which a simulation can continue; `None` if the solution diverged or the state was not kept.
    pub fn state(&self) -> Option<State> {
        let states = decode_states(self.state.as_deref()?).ok()?;
        states.into_iter().last().map(|saved| saved.state.into_owned())
    }

    /// How everything moved, if that was recorded.
    pub fn motion(&self) -> Option<MotionRecord> {
        MotionRecord::decode(self.motion.as_deref()?).ok()
    }
}

/// Computes the motion of a model file like [`run`](super::run()), with the same bits, and keeps the results in memory.
/// Folder, format and checkpoints of the request are not used. `watch` is called before every step; the run stops if it
/// returns false.
pub fn run_in_memory(
    file: &ModelFile,
    schedule: &Schedule,
    start: &AssembledMechanism,
    request: &RunRequest<'_>,
    watch: &mut dyn FnMut(&RunProgress) -> bool,
) -> Result<MemoryRun, RunError> {
    let began = Instant::now();
    let model = &start.model;
    let request = RunRequest { folder: Path::new(""), ..*request };
    check_steps(file, schedule, &request)?;
    let recorder = recorder(file, start)?;
    let columns = recorder.columns().to_vec();
    check_output(file, schedule, &request, columns.len())?;
    let motion = begin_motion(file, schedule, start, &request.limits)?;
    let unstable = check_stability(schedule, &motion, model).map_err(|x| explained(file, x))?;
    let summary = summary(file, schedule, start, &motion, request.version, columns);
    let (folder, shared) = ResultsFolder::in_memory(&summary);
    let mut notes: Vec<String> = unstable.into_iter().collect();
    notes.extend(jump_warnings(model, schedule));
    let limits = request.limits;
    let basis =
        SessionBasis { file, schedule, start, motion, recorder, folder, summary, limits, began };
    // a state in memory is not compared with the run in a folder, so there is no identity
    let mut session = Session {
        notes,
        picture: request.has_motion.then(|| MotionRecorder::new(start, None)),
        has_state: request.has_state,
        ..Session::new(basis)
    };
    session.begin()?;
    let summary = session.complete(watch)?;
    let MemoryResults { columns, snapshots, state, motion } = shared.take();
    Ok(MemoryRun { summary, columns, snapshots, state, motion })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{ResultsTable, RunStatus};
    use crate::run::run;

    const DRIVEN: &str = r#"
format = 2
planar = true
gravity = [0, -9.81]
[body.bar]
mass = 2
shape = { rod = 1 }
position = [0.5, 0]
[joint.O]
type = "revolute"
between = ["ground", "bar"]
at = [0, 0]
[force.M]
type = "motor"
joint = "O"
value = "if(t < 0.0505, 0, 5)"
[simulation]
step = 1e-3
end = 0.1
"#;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    /// Steps of a fixed size with a jump inside one, and steps of a tolerance with rows between them.
    #[test]
    fn results_in_memory_have_the_bits_of_those_in_a_folder() -> Outcome {
        let controlled =
            DRIVEN.replace("step = 1e-3", "tolerance = 1e-6") + "[output]\nevery = 3e-3\n";
        for (k, text) in [DRIVEN, &controlled].into_iter().enumerate() {
            let folder =
                std::env::temp_dir().join(format!("cardan-memory-{k}-{}", std::process::id()));
            let file = ModelFile::parse("driven.toml", text, &[])?;
            let (schedule, start) = (file.schedule()?, file.assemble()?);
            let request = RunRequest::new(&folder);
            let written = run(&file, &schedule, &start, &request, &mut |_| true)?;
            let kept = run_in_memory(&file, &schedule, &start, &request, &mut |_| true)?;
            let table = ResultsTable::open(&folder)?;
            let all: Vec<usize> = (0..table.columns().len()).collect();
            let values = table.values(&all)?;
            std::fs::remove_dir_all(&folder)?;
            let bits = |columns: &[Vec<f64>]| -> Vec<Vec<u64>> {
                columns.iter().map(|x| x.iter().map(|y| y.to_bits()).collect()).collect()
            };
            assert!(kept.columns[0].len() > 30, "{}", kept.columns[0].len());
            assert_eq!(bits(&kept.columns), bits(&values));
            assert_eq!(kept.summary.columns, written.columns);
            assert_eq!(kept.summary.warnings, written.warnings);
            assert_eq!(kept.summary.newton_iterations, written.newton_iterations);
            let state = kept.state().ok_or("no state")?;
            assert_eq!(state.now.t, 0.1);
        }
        Ok(())
    }

    #[test]
    fn stopped_run_keeps_the_rows_so_far() -> Outcome {
        let file = ModelFile::parse("driven.toml", DRIVEN, &[])?;
        let (schedule, start) = (file.schedule()?, file.assemble()?);
        let request = RunRequest::new(Path::new("unused"));
        let kept = run_in_memory(&file, &schedule, &start, &request, &mut |at| at.steps < 20)?;
        assert_eq!(kept.summary.status, RunStatus::Interrupted);
        assert_eq!(kept.columns[0].len(), 21);
        assert!(kept.state().is_some());
        assert!(!Path::new("unused").exists());
        Ok(())
    }
}
