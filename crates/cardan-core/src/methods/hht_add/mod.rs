//! HHT-ADD: Hilber–Hughes–Taylor for the applied forces only, and two impulses per step that enforce
//! the position and velocity constraints (Negrut, Jay and Khude 2009, eq. 11, corrected).
//!
//! ```text
//! f = M⁻¹Q,   a₊ = (1 + α) f₊ − α f
//! q₊ = q ⊕ (h v + h²/2 [(1 − 2β) a + 2β a₊] + h²/2 [(1 − b) R₁ + b R₂])
//! v₊ = v + h [(1 − γ) a + γ a₊] + h/2 (R₁ + R₂),   R₁ = −M⁻¹G(q)ᵀψ₁,  R₂ = −M⁻¹G(q₊)ᵀψ₂
//! Φ(q₊) = 0,   G v₊ + b = 0
//! ```
//! With b = 0, ψ₁ enforces the position constraints and ψ₂ the velocity constraints; larger b are less accurate. A nonholonomic row has one
//! ψ for both impulses. ψ₂ is a multiplier of first order only, so that a and λ are computed from the
//! positions and velocities (index 1).

mod formula;
mod impulses;

pub(super) use formula::MEMBERS;
