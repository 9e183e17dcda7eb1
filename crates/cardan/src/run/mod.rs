//! From a model file to results in a folder, and from a saved state to more of them.
//!
//! ```text
//!   run:     ModelFile, Schedule, AssembledMechanism ──▶ run.cardan ──┐
//!                                                                      ├──▶ Session ──▶ rows, checkpoints, summary
//!   resume:  run.cardan ──▶ the same; checkpoint ──▶ state ────────────┘
//! ```

mod execute;
mod jumps;
mod limits;
mod machine;
mod monitor;
mod record;
mod request;
mod resume;
mod session;

pub use execute::{explained, recorder, run, run_on};
pub use jumps::jump_warnings;
pub use machine::Machine;
pub use request::{CheckpointInterval, ResumeError, RunError, RunLimits, RunProgress, RunRequest};
pub use resume::{ResumeRequest, SavedRun};
