//! Studies of parameters: many cases of one model, and quantities of each.
//!
//! ```text
//! problem         what is wrong in a study, with its place in the file
//! values          values of a parameter: lists, ranges, distributions (distribution)
//! sequence        points of the unit cube: random, Latin hypercube, Sobol
//! design          the values of each case, from its index
//! schema          the keys of the study file; schema_pages: JSON Schema and reference page
//! manifest        the contents of a study file
//! formula         quantities as formulas over results (result_functions)
//! plan            all of it checked, with the key of each case
//! compute         one case ──▶ row        settings: method, step …
//! store           rows on the disk, appended (case_index: their places)
//! run             the cases that are not stored, on several processors
//! table           the rows in the order of the cases, as Parquet (parquet_table)
//! sensitivity     Sobol's indices from the table; quantity_statistics: means, percentiles
//! ```

mod analysis;
mod case_index;
mod compute;
mod design;
mod distribution;
mod failure_counts;
mod formula;
mod manifest;
mod parquet_table;
mod plan;
mod problem;
mod quantity_statistics;
mod result_functions;
mod row;
mod run;
mod schema;
mod schema_pages;
mod sensitivity;
mod sequence;
mod settings;
mod store;
mod table;
mod values;

pub use analysis::{ANALYSES, CaseAnalysis};
pub use design::{DESIGNS, Design, DesignKind, MAX_CASES, VariedParameter};
pub use distribution::{DISTRIBUTIONS, Distribution, DistributionKind};
pub use failure_counts::FailureCounts;
pub use formula::{CaseResults, StudyFormula};
pub use manifest::StudyManifest;
pub use parquet_table::{TableColumn, TableWriter, read_parquet};
pub use plan::{StudyModel, StudyPlan};
pub use problem::StudyProblem;
pub use quantity_statistics::{QuantityStatistics, percentile};
pub use result_functions::{RESULT_FUNCTIONS, RUN_NUMBERS, ResultFunction};
pub use row::{CaseHistory, StudyRow};
pub use schema::{STUDY_KEYS, StudyKey, StudyValueKind};
pub use schema_pages::{study_reference, study_schema};
pub use sensitivity::SensitivityIndex;
pub use store::{StoredRows, StudyStore};
pub use table::{HISTORIES, StudyDescription, StudyTable, TABLE, WrittenStudy};
pub use values::{CaseValue, ParameterValues, RANGE_KEYS};
