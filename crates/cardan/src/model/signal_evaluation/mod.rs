//! The evaluation of signals at an instant: values, gradients, and their part in the equations of motion.

mod gradient;
mod probe;
mod tangent;
mod values;
