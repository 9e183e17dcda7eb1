//! The problems of the exam.

mod bodies;
mod double_pendulum;
mod list;
mod mechanisms;
mod problem;
mod servo_pendulum;
mod spring_pendulum;

pub use bodies::{FreeBody, HeavyTop, OffsetTop};
pub use double_pendulum::{DoublePendulum, PlanarDoublePendulum};
pub use list::all;
pub use mechanisms::{andrews, spatial_pendulum};
pub use problem::ExamProblem;
pub use servo_pendulum::ServoPendulum;
pub use spring_pendulum::SpringPendulum;
