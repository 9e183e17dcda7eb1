//! Signals, states and inputs: formulas of the state of the machine that act on it.

mod forces;
mod messages;
mod models;
mod states;
mod tangents;
