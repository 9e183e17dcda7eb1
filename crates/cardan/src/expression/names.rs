//! The names that a formula may use, and where they come from.

use std::sync::Arc;

use crate::table::Table;

/// The names that a formula may use.
#[derive(Clone, Copy)]
pub(crate) struct FormulaNames<'a> {
    /// Names of numbers.
    pub parameters: &'a [(&'a str, f64)],
    /// The variables, in the order in which their values are given; the time is `t`.
    pub variables: &'a [&'a str],
    pub channels: Channels<'a>,
    pub tables: &'a dyn FormulaTables,
}

impl<'a> FormulaNames<'a> {
    /// Numbers and variables alone.
    pub fn new(parameters: &'a [(&'a str, f64)], variables: &'a [&'a str]) -> Self {
        Self { parameters, variables, channels: Channels::None, tables: &NoTables }
    }
}

/// Names without points that formulas may use: signals, states and inputs.
pub(crate) type NameSet = std::collections::BTreeSet<String>;

/// Whether channels may occur in the text that a formula comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channels<'a> {
    None,
    /// In backquotes, which the caller has replaced.
    Quoted,
    /// By name: names with points, and these names without points.
    Named(&'a NameSet),
}

/// The tables that a formula may use.
pub(crate) trait FormulaTables {
    /// The table with a name.
    fn named(&self, name: &str) -> Option<Arc<Table>>;

    /// The names of all tables.
    fn names(&self) -> Vec<String>;

    /// The table of a file and of columns of it: x and the values, or x, y and the values; or why there is none.
    fn of_file(&self, file: &str, columns: &[&str]) -> Result<Arc<Table>, String>;
}

const NO_FILES: &str = "files with tables cannot be read here";

/// No tables.
struct NoTables;

impl FormulaTables for NoTables {
    fn named(&self, _: &str) -> Option<Arc<Table>> {
        None
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn of_file(&self, _: &str, _: &[&str]) -> Result<Arc<Table>, String> {
        Err(NO_FILES.into())
    }
}

impl FormulaTables for &[Arc<Table>] {
    fn named(&self, name: &str) -> Option<Arc<Table>> {
        self.iter().find(|table| table.name() == name).map(Arc::clone)
    }

    fn names(&self) -> Vec<String> {
        self.iter().map(|table| table.name().into()).collect()
    }

    fn of_file(&self, _: &str, _: &[&str]) -> Result<Arc<Table>, String> {
        Err(format!("{NO_FILES}: give the table a name"))
    }
}
