//! Elements that act on the bodies of a mechanism: one trait for built-in kinds and custom elements.
//!
//! ```text
//!   Element             force, tangent, energy, channels, states, limits, inputs
//!     ▲ ElementView     input: motion of its sites (points of bodies, coordinates of joints), time, its states
//!     ▼ ElementLoads    output: forces and torques at its sites
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
