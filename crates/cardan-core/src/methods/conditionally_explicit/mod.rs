//! Conditionally explicit methods of third to fifth degree, G3 to G5, and central differences
//! (Fernández de Bustos, Uriarte, Urkullu and Coria 2024, corrected).
//!
//! A step balances forces at t and closes constraints at t + h (index 3): one linear system without
//! stiffness, implicit in the velocity only. Displacements are one increment, summed in Horner's form.
//! With a known in advance it is explicit.
//!
//! Rotations move by R(t + h) = R(t) exp(δ), where the commutator term of Ω, Ω̇ and the jerk j is added
//! to the displacement of the recursion (Magnus): m = h³/12 Ω×Ω̇ for G4, and + h⁴/24 Ω×j for G5, computed
//! from the extrapolated motion, so that the map stays affine. Without it all are of second order.
//!
//! The state holds the configuration one step ahead: an instant at t has the a, v and λ of t.

mod g_method;
mod members;
mod presets;
mod recursion;
mod start;
mod step;

pub(super) use members::MEMBERS;
