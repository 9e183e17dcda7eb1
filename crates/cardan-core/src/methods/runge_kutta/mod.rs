//! Stiffly accurate, diagonally implicit Runge–Kutta methods with an explicit first stage (Zhang,
//! Zhang, Zanoni and Masarati 2022; Kennedy and Carpenter 2016).
//!
//! ```text
//! yᵢ = y + h Σ aᵢⱼ ẏⱼ,   j = 1 … i,   i = 2 … s;   y₊ = yₛ
//! ```
//! Rotations are coordinates of one chart, centred at the start of the step: the method is then
//! applied to these coordinates, and keeps its order. The papers centre the chart at every stage
//! (`chart = "previous-stage"`), which reduces the order of MSSTH(5) by one and the accuracy for spinning bodies.
//!
//! With position constraints the stages lose order: q and v are of order two, a and λ of order one.
//! With constraints at acceleration level, projection, and recomputed a and λ, all four have the
//! order of the method.

mod formula;
mod high_order;
mod kennedy_carpenter;
mod members;
mod search;
mod tableau;
mod trapezoids;

pub(super) use members::MEMBERS;
