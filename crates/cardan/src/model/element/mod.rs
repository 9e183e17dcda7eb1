//! What acts on the bodies of a mechanism: one trait for built-in kinds and for elements from outside.
//!
//! ```text
//!   Element          force, tangent, energy, channels, states, limits, inputs
//!     ▲ At           what it sees: its sites (points of bodies, coordinates of joints), time, its states
//!     ▼ Loads        what it writes: forces and torques at its sites
//! ```

mod interface;
mod loads;
mod matrices;
mod site;
mod tangent;
mod view;

pub use interface::{Element, ElementOutput, ElementState, EnergyFlow};
pub use loads::ElementLoads;
pub(super) use matrices::{ElementMatrices, ElementRateMatrices, ElementScratch, Variation};
pub(super) use site::CompiledSite;
pub use site::Site;
pub use tangent::{ElementTangent, RateTangent, Side};
pub use view::ElementView;
