//! Tables: values between given points, with the derivatives of the interpolation.
//!
//! ```
//! use cardan::table::{Interpolation, Outside, Table};
//!
//! # fn main() -> Result<(), cardan::table::TableError> {
//! let road = Table::new(vec![0.0, 1.0, 3.0], vec![0.0, 0.2, 0.1], Interpolation::Pchip)?
//!     .named("road")
//!     .outside(Outside::Hold);
//! let [height, slope, _] = road.jet(1.0);
//! assert_eq!((height, slope), (0.2, 0.0));
//!
//! let csv = "x, height\n0, 0\n1, 0.2\n3, 0.1\n";
//! let same = Table::from_file(csv.as_bytes(), ["x", "height"], Interpolation::Pchip)?;
//! assert_eq!(same.value(2.0), road.value(2.0));
//! assert_eq!(
//!     same.refusal(&[4.0]).unwrap().to_string(),
//!     "the table has no value at x = 4: it reaches from 0 to 3",
//! );
//! # Ok(()) }
//! ```
//!
//! A table of one variable is linear, monotone cubic ([`Interpolation::Pchip`]) or a natural cubic spline; a map of two
//! variables is bilinear or bicubic. Derivatives at a point of the table are those towards larger values of the variable. Outside its
//! range a table keeps its last value, continues with its last slope, or has no value ([`Outside`]).

mod axis;
mod column;
mod csv;
mod error;
mod interpolation;
mod lookup;
#[cfg(feature = "results")]
mod parquet;
mod sources;

pub(crate) use axis::Side;
pub use error::{OutsideTable, TableError, TablePlace};
pub use interpolation::{Interpolation, MapInterpolation, Outside};
pub use lookup::{MapJet, Table};
