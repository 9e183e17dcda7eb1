//! From a model file to results in a folder, and from a saved state to more of them.
//!
//! ```text
//!   run:     ModelFile, Schedule, AssembledMechanism ──▶ run.cardan ──┐
//!                                                                      ├──▶ Session ──▶ rows, checkpoints, summary
//!   run_in_memory: the same without a folder
//!   resume:  run.cardan ──▶ the same; checkpoint ──▶ state ────────────┘
//! ```

mod execute;
mod in_memory;
mod jumps;
mod limits;
mod machine;
mod monitor;
mod motion;
mod motion_recorder;
mod packing;
mod record;
mod request;
mod resume;
mod saved_motion;
mod session;
mod steady_motion;
mod step_clock;

pub use execute::{explained, recorder, run, run_on};
pub use in_memory::{MemoryRun, run_in_memory};
pub use jumps::jump_warnings;
pub use machine::Machine;
pub use motion::{MOTION_ACCURACY, MotionRecord};
pub use request::{CheckpointInterval, ResumeError, RunError, RunLimits, RunProgress, RunRequest};
pub use resume::{ResumeRequest, SavedRun};
pub use saved_motion::{MotionError, SavedMotion};
