//! Stiffly accurate, diagonally implicit Runge–Kutta methods with an explicit first stage (Zhang,
//! Zhang, Zanoni and Masarati 2022; Kennedy and Carpenter 2016).
//!
//! ```text
//! yᵢ = y + h Σ aᵢⱼ ẏⱼ,   j = 1 … i,   i = 2 … s;   y₊ = yₛ
//! ```
//! Rotations are coordinates of one chart, centred at the start of the step: the method is then the
//! plain one in coordinates, and keeps its order. The papers centre the chart anew at every stage
//! (`chart = "previous-stage"`), which costs MSSTH(5) an order and spinning bodies much accuracy.
//!
//! With position constraints the stages lose order: q and v are of order two, a and λ of order one.
//! With constraints at acceleration level, projection, and a and λ computed anew, all four have the
//! order of the method.

mod formula;
mod high_order;
mod kennedy_carpenter;
mod members;
mod search;
mod tableau;
mod trapezoids;

pub(super) use members::MEMBERS;
