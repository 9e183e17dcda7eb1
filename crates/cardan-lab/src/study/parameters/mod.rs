//! Studies of parameters: many cases of one model, and quantities of each.
//!
//! ```text
//! manifest        the study file: model, design, parameters, quantities
//! distribution    values of a parameter: lists, ranges, distributions
//! sequence        points of the unit cube: random, Latin hypercube, Sobol
//! design          the values of each case, from its index
//! formula         quantities as formulas over results
//! plan            all of it checked, with the key of each case
//! compute         one case ──▶ row        settings: method, step …
//! store           rows on the disk, appended
//! run             the cases that are not stored, on several processors
//! table           the rows in the order of the cases, as Parquet (parquet_table)
//! sensitivity     Sobol's indices from the table
//! ```

mod compute;
mod design;
mod distribution;
mod formula;
mod manifest;
mod parquet_table;
mod plan;
mod row;
mod run;
mod sensitivity;
mod sequence;
mod settings;
mod store;
mod table;

pub use design::{Design, DesignKind, MAX_CASES, VariedParameter};
pub use distribution::{CaseValue, Distribution, ParameterValues};
pub use formula::{CaseResults, StudyFormula};
pub use manifest::{CaseAnalysis, StudyManifest};
pub use parquet_table::{TableColumn, TableWriter, read_parquet};
pub use plan::{StudyModel, StudyPlan};
pub use row::{CaseHistory, StudyRow};
pub use sensitivity::SensitivityIndex;
pub use store::StudyStore;
pub use table::{HISTORIES, StudyDescription, StudyTable, TABLE};
