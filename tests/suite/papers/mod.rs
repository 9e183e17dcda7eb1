//! What the papers print or plot, reproduced.

mod conditionally_explicit;
mod stabilized;
