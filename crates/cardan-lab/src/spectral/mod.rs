//! Linear analysis of methods, from the steps of the implemented methods and not from separate formulas.
//!
//! The step of a method on a linear equation is a linear map of its state and history. The map and its characteristic roots come from [`cardan::stability`].
//!
//! ```text
//! response       radius, amplitude decay and period elongation over the step, the principal root
//!                followed from small steps on
//! stability      order and error constant, stability region, overshoot
//! infinity       the radius in the limit of infinitely fast oscillations
//! spectrum       all of these for methods chosen by name, as rows of data and tables
//! ```

mod infinity;
mod response;
mod rows;
mod spectrum;
mod stability;

pub use infinity::radius_at_infinity;
pub use response::{SpectralResponse, responses};
pub use rows::{OvershootRow, RegionRow, ResponseRow, RootsRow, RowLabel, SummaryRow};
pub use spectrum::{AnalysedMethod, Spectrum};
pub use stability::{Accuracy, BoundaryPoint, Overshoot, accuracy, overshoot, region};
