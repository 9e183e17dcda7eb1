//! The sparse matrices of a system's equations.

/// A sparse matrix a system provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum SystemMatrix {
    /// M(q).
    Mass,
    /// ∂(M a)/∂q.
    MassTangent,
    /// −∂f/∂q.
    Stiffness,
    /// −∂f/∂v.
    Damping,
    /// −∂f/∂λ.
    ForceMultiplier,
    /// −∂f/∂z.
    ForceState,
    /// G.
    Jacobian,
    /// G at a later instant, for methods that balance forces at an earlier time than the constraints.
    JacobianAhead,
    /// ∂(Gᵀλ)/∂q.
    MultiplierTangent,
    /// ∂(G v + b)/∂q.
    VelocityTangent,
    /// ∂r/∂q.
    StateConfiguration,
    /// ∂r/∂v.
    StateVelocity,
    /// ∂r/∂z.
    State,
    /// ∂r/∂ż.
    StateRate,
    /// ∂r/∂λ.
    StateMultiplier,
}

impl SystemMatrix {
    /// Every matrix, in the order of its index.
    pub const ALL: [Self; 15] = [
        Self::Mass,
        Self::MassTangent,
        Self::Stiffness,
        Self::Damping,
        Self::ForceMultiplier,
        Self::ForceState,
        Self::Jacobian,
        Self::JacobianAhead,
        Self::MultiplierTangent,
        Self::VelocityTangent,
        Self::StateConfiguration,
        Self::StateVelocity,
        Self::State,
        Self::StateRate,
        Self::StateMultiplier,
    ];

    /// The method of [`super::System`] that writes this matrix.
    pub fn written_by(self) -> &'static str {
        match self {
            Self::Mass => "mass",
            Self::MassTangent => "mass_tangent",
            Self::Stiffness | Self::Damping | Self::ForceMultiplier | Self::ForceState => {
                "force_tangent"
            }
            Self::Jacobian | Self::JacobianAhead => "jacobian",
            Self::MultiplierTangent => "multiplier_tangent",
            Self::VelocityTangent => "velocity_tangent",
            Self::StateConfiguration
            | Self::StateVelocity
            | Self::State
            | Self::StateRate
            | Self::StateMultiplier => "state_tangent",
        }
    }
}
