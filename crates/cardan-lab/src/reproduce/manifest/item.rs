//! Items: figures, tables and claims.

use serde::Deserialize;

use super::amount::Amount;
use super::explanation::{self, ExplanationKind};
use crate::reproduce::numbers::plain;

/// A figure, a table or a section of a paper.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestItem {
    /// Its name within the paper: `fig9`.
    pub name: String,
    pub title: String,
    /// What the paper did, in Markdown.
    #[serde(default)]
    pub paper: String,
    /// The settings here and the result, in Markdown.
    #[serde(default)]
    pub ours: String,
    #[serde(default)]
    pub figure: Vec<Picture>,
    #[serde(default)]
    pub table: Vec<ManifestTable>,
    #[serde(default)]
    pub claim: Vec<Claim>,
    /// Why the item as a whole is not that of the paper, if it is not: the kind of the reason, and the reason.
    pub kind: Option<ExplanationKind>,
    #[serde(default)]
    pub because: String,
    /// Whether it belongs to the gallery of the documentation.
    #[serde(default)]
    pub gallery: bool,
}

/// A figure; `view` holds the defaults of its panels.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Picture {
    pub kind: FigureKind,
    #[serde(default)]
    pub caption: String,
    pub x_label: Option<String>,
    #[serde(default)]
    pub view: View,
    #[serde(default)]
    pub panel: Vec<View>,
}

/// What a figure shows.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum FigureKind {
    /// Signals over time.
    History,
    /// A measure over the step.
    Convergence,
    /// A measure over the time spent.
    Work,
    /// A signal over another.
    Map,
    /// A measure of each method as bars.
    Bars,
    /// Radius, decay, period or all roots over the step.
    Spectrum,
    /// Error constants over the dissipation.
    Constants,
    /// The last state of a membrane.
    Field,
    /// The last state along lines.
    Profile,
}

/// What one panel shows.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct View {
    pub label: Option<String>,
    pub study: Option<String>,
    pub methods: Option<Vec<String>>,
    pub signal: Option<String>,
    /// The signal on the x axis of a map.
    pub across: Option<String>,
    pub step: Option<Amount>,
    /// `value`, `change` from the start, or the absolute `error` against the reference.
    pub show: Option<TableContent>,
    /// The measure of convergence or bars.
    pub measure: Option<String>,
    /// radius, decay, period or roots.
    pub quantity: Option<String>,
    pub damping: Option<f64>,
    pub log: Option<bool>,
    pub from: Option<f64>,
    pub to: Option<f64>,
    /// Values above are not drawn.
    pub top: Option<f64>,
    /// Whether the reference is drawn too.
    pub reference: Option<bool>,
    /// A signal that is drawn once, as what should come out.
    pub exact: Option<String>,
    /// Direction of a profile: `edge` or `diagonal`; the column it shows.
    pub along: Option<String>,
}

/// What is drawn of a signal.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum TableContent {
    #[default]
    Value,
    Change,
    Error,
}

/// Numbers in rows and columns, with those that are printed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestTable {
    #[serde(default)]
    pub caption: String,
    pub rows: Vec<String>,
    /// The names of the rows, if they differ from their words.
    pub row_names: Option<Vec<String>>,
    pub columns: Vec<String>,
    pub column_names: Option<Vec<String>>,
    /// The formula of a cell; `{row}` and `{column}` are replaced by their words.
    pub cell: String,
    /// What the paper prints, a value for every cell; "" where it prints nothing.
    pub printed: Option<Vec<Vec<Printed>>>,
    /// Relative differences up to this are agreement.
    #[serde(default = "default_tolerance")]
    pub tolerance: f64,
    /// Printed values up to this are round-off: ours may be as large, or smaller.
    #[serde(default = "default_floor")]
    pub floor: f64,
    /// Instead of printed values: the upper bound of the computed ones.
    pub below: Option<f64>,
    /// Digits after the point, for numbers that are not small.
    pub digits: Option<usize>,
}

fn default_tolerance() -> f64 {
    5e-3
}

fn default_floor() -> f64 {
    1e-10
}

/// A printed value; where ours differs, what ours is and why.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "what is printed as a text, or { printed = \"…\", ours = …, kind = \"misprint\", \"choice\" or \
                 \"open\", because = \"…\" }"
)]
pub enum Printed {
    Text(String),
    Explained(Explained),
}

/// A printed value that is not ours.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explained {
    pub printed: String,
    /// What ours is.
    pub ours: f64,
    /// The relative difference that ours may have; the table's if nothing is said.
    pub within: Option<f64>,
    pub kind: Option<ExplanationKind>,
    #[serde(default)]
    pub because: String,
}

/// A sentence of the paper, and what would show it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub text: String,
    /// Comparisons of which all must hold.
    pub test: Vec<String>,
    /// Whether it is true for us.
    #[serde(default = "yes", alias = "stands")]
    pub holds: bool,
    /// The kind of the reason why not.
    pub kind: Option<ExplanationKind>,
    /// Why not, or what to know.
    #[serde(default)]
    pub because: String,
}

fn yes() -> bool {
    true
}

impl Claim {
    fn mistake(&self) -> Option<String> {
        if self.test.is_empty() {
            return Some("the claim tests nothing".into());
        }
        if let Some(idle) = self.test.iter().find(|test| !test.contains('[')) {
            return Some(format!(
                "the test `{idle}` reads no number\n  try: an address in brackets"
            ));
        }
        explanation::mistake("the claim does not hold", !self.holds, self.kind, &self.because)
    }
}

impl Explained {
    fn mistake(&self) -> Option<String> {
        if !self.ours.is_finite() {
            return Some(format!("`ours` is {}, not a finite number", self.ours));
        }
        if let Some(within) = self.within.filter(|x| !is_size(*x)) {
            return Some(format!("`within` is {within}, not a finite number from 0 on"));
        }
        explanation::mistake("the value is not the printed one", true, self.kind, &self.because)
    }
}

fn is_size(x: f64) -> bool {
    x.is_finite() && x >= 0.0
}

impl ManifestTable {
    /// The formula of a cell.
    pub fn formula(&self, row: &str, column: &str) -> String {
        // a column may be a formula of the row
        self.cell.replace("{column}", column).replace("{row}", row)
    }

    /// The first error in its shape, bounds or values.
    fn mistake(&self) -> Option<String> {
        let (rows, columns) = (self.rows.len(), self.columns.len());
        if rows == 0 || columns == 0 {
            return Some(format!("it has {rows} rows and {columns} columns: no cells"));
        }
        for (key, names, count) in
            [("row_names", &self.row_names, rows), ("column_names", &self.column_names, columns)]
        {
            if let Some(names) = names.as_ref().filter(|names| names.len() != count) {
                return Some(format!("`{key}` has {} names for {count}", names.len()));
            }
        }
        for (key, size) in [
            ("tolerance", Some(self.tolerance)),
            ("floor", Some(self.floor)),
            ("below", self.below),
        ] {
            if let Some(size) = size.filter(|x| !is_size(*x)) {
                return Some(format!("`{key}` is {size}, not a finite number from 0 on"));
            }
        }
        let printed = self.printed.as_ref()?;
        if self.below.is_some() {
            return Some("it has `below` or `printed`, not both".into());
        }
        if printed.len() != rows {
            return Some(format!("`printed` has {} rows for {rows}", printed.len()));
        }
        for (i, row) in printed.iter().enumerate() {
            if row.len() != columns {
                let (row, count) = (i + 1, row.len());
                return Some(format!(
                    "row {row} of `printed` has {count} values for {columns} columns"
                ));
            }
            for (j, value) in row.iter().enumerate() {
                let mistake = match value {
                    Printed::Explained(explained) => explained.mistake(),
                    Printed::Text(text) if text.is_empty() => None,
                    Printed::Text(text) => match plain(text).parse::<f64>() {
                        Ok(value) if value.is_finite() => None,
                        _ => Some(format!("the printed value `{text}` is not a number")),
                    },
                };
                if let Some(mistake) = mistake {
                    return Some(format!("row {}, column {}: {mistake}", i + 1, j + 1));
                }
            }
        }
        None
    }
}

impl ManifestItem {
    /// The first error in its tables and claims, with its place.
    pub fn mistake(&self) -> Option<String> {
        let is_explained = self.kind.is_some() || !self.because.trim().is_empty();
        let what = "the item is not that of the paper";
        if let Some(mistake) = explanation::mistake(what, is_explained, self.kind, &self.because) {
            return Some(mistake);
        }
        for (k, claim) in self.claim.iter().enumerate() {
            if let Some(mistake) = claim.mistake() {
                return Some(format!("claim {} (`{}`): {mistake}", k + 1, claim.text));
            }
        }
        for (k, table) in self.table.iter().enumerate() {
            if let Some(mistake) = table.mistake() {
                return Some(format!("table {} (`{}`): {mistake}", k + 1, table.caption));
            }
        }
        None
    }

    /// All formulas of its tables and claims.
    pub fn formulas(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for table in &self.table {
            for row in &table.rows {
                all.extend(table.columns.iter().map(|column| table.formula(row, column)));
            }
        }
        all.extend(self.claim.iter().flat_map(|claim| claim.test.clone()));
        all
    }

    /// The studies that its figures name.
    pub fn drawn(&self) -> impl Iterator<Item = &str> {
        let views = self.figure.iter().flat_map(|x| x.panel.iter().chain([&x.view]));
        views.filter_map(|view| view.study.as_deref())
    }
}

impl View {
    /// This view, with missing values taken from another.
    pub fn or(&self, other: &View) -> View {
        let (a, b) = (self.clone(), other.clone());
        View {
            label: a.label.or(b.label),
            study: a.study.or(b.study),
            methods: a.methods.or(b.methods),
            signal: a.signal.or(b.signal),
            across: a.across.or(b.across),
            step: a.step.or(b.step),
            show: a.show.or(b.show),
            measure: a.measure.or(b.measure),
            quantity: a.quantity.or(b.quantity),
            damping: a.damping.or(b.damping),
            log: a.log.or(b.log),
            from: a.from.or(b.from),
            to: a.to.or(b.to),
            top: a.top.or(b.top),
            reference: a.reference.or(b.reference),
            exact: a.exact.or(b.exact),
            along: a.along.or(b.along),
        }
    }
}
