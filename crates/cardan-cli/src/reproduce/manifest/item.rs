//! Items: figures, tables and claims.

use serde::Deserialize;

use super::Amount;

/// A figure, a table or a section of a paper.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// Its name within the paper: `fig9`.
    pub name: String,
    pub title: String,
    /// What the paper did, in Markdown.
    #[serde(default)]
    pub paper: String,
    /// Our setting and what is to be seen, in Markdown.
    #[serde(default)]
    pub ours: String,
    #[serde(default)]
    pub figure: Vec<Picture>,
    #[serde(default)]
    pub table: Vec<Table>,
    #[serde(default)]
    pub claim: Vec<Claim>,
    /// Whether it belongs to the gallery of the documentation.
    #[serde(default)]
    pub gallery: bool,
}

/// A figure; what its panels do not say themselves is said here.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Picture {
    pub kind: Kind,
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
pub enum Kind {
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
    pub show: Option<Show>,
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
pub enum Show {
    #[default]
    Value,
    Change,
    Error,
}

/// Numbers in rows and columns, with those that are printed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    #[serde(default)]
    pub caption: String,
    pub rows: Vec<String>,
    /// How the rows are called, if not by their words.
    #[serde(default)]
    pub row_names: Vec<String>,
    pub columns: Vec<String>,
    #[serde(default)]
    pub column_names: Vec<String>,
    /// What a cell is; `{row}` and `{column}` stand for their words.
    pub cell: String,
    /// What the paper prints; "" where it prints nothing.
    #[serde(default)]
    pub printed: Vec<Vec<Printed>>,
    /// Relative differences up to this are agreement.
    #[serde(default = "usual_tolerance")]
    pub tolerance: f64,
    /// Printed values up to this are round-off: ours may be as large, or smaller.
    #[serde(default = "usual_floor")]
    pub floor: f64,
    /// Instead of printed values: what ours may be at most.
    pub below: Option<f64>,
    /// Digits after the point, for numbers that are not small.
    pub digits: Option<usize>,
}

fn usual_tolerance() -> f64 {
    5e-3
}

fn usual_floor() -> f64 {
    1e-10
}

/// A printed value; where ours differs, what ours is and why.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "what is printed as a text, or { printed = \"…\", ours = …, because = \"…\" }"
)]
pub enum Printed {
    Text(String),
    Explained { printed: String, ours: f64, within: Option<f64>, because: String },
}

/// A sentence of the paper, and what would show it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub text: String,
    /// Comparisons of which all must hold.
    pub test: Vec<String>,
    /// Whether it is true for us.
    #[serde(default = "yes")]
    pub stands: bool,
    /// Why not, or what to know.
    #[serde(default)]
    pub because: String,
}

fn yes() -> bool {
    true
}

impl Table {
    /// What a cell is.
    pub fn formula(&self, row: &str, column: &str) -> String {
        // a column may be a formula of the row
        self.cell.replace("{column}", column).replace("{row}", row)
    }
}

impl Item {
    /// What is wrong with its tables and claims.
    pub fn mistake(&self) -> Option<String> {
        for claim in &self.claim {
            if claim.test.is_empty() {
                return Some(format!("the claim `{}` tests nothing", claim.text));
            }
            if !claim.stands && claim.because.trim().is_empty() {
                let text = &claim.text;
                return Some(format!("the claim `{text}` does not stand: `because` says why"));
            }
        }
        for table in &self.table {
            let is_size = |x: f64| x.is_finite() && x >= 0.0;
            if !(is_size(table.tolerance) && is_size(table.floor)) {
                return Some("a tolerance or floor is not a finite size".into());
            }
            if table.below.is_some() && !table.printed.is_empty() {
                return Some("a table has `below` or `printed`, not both".into());
            }
            let fits =
                |names: &[String], words: &[String]| names.is_empty() || names.len() == words.len();
            if !(fits(&table.row_names, &table.rows) && fits(&table.column_names, &table.columns)) {
                return Some("there are not as many names of rows or columns as those".into());
            }
            let is_blank = |cell: &Printed| matches!(cell, Printed::Explained { because, .. } if because.trim().is_empty());
            if table.printed.iter().flatten().any(is_blank) {
                return Some("a value is explained by nothing: `because` says why".into());
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
    /// This view, with what it does not say taken from another.
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
