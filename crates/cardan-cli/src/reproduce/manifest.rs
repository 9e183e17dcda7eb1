//! What is to be reproduced, as data: the studies of a paper, its figures, tables and claims.
//!
//! A manifest is a TOML file. Methods are written as everywhere (`lms3:rho=0`); `@name` stands for the
//! methods of a group. Numbers are read from results by addresses in brackets, see [`super::quantity`].

use std::collections::BTreeMap;

use cardan::Formulation;
use serde::Deserialize;

use crate::Failure;

/// A paper.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub paper: Paper,
    /// Methods by the name of a group.
    #[serde(default)]
    pub group: BTreeMap<String, Vec<String>>,
    /// How methods are called in figures and tables.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    #[serde(default)]
    pub study: BTreeMap<String, Study>,
    #[serde(default)]
    pub item: Vec<Item>,
    #[serde(default)]
    pub purpose: Vec<Purpose>,
    #[serde(default)]
    pub erratum: Vec<Erratum>,
}

/// Where it comes from.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// The word that chooses it.
    pub name: String,
    pub title: String,
    #[serde(default)]
    pub source: String,
    /// What it is about and what came of it, in Markdown.
    #[serde(default)]
    pub about: String,
}

/// One motion, computed in many ways.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// An example (`cardan new`) or a model file.
    pub model: Option<String>,
    /// Equations written by hand ([`cardan::papers::PROBLEMS`]).
    pub problem: Option<String>,
    /// Parameters of the model or the problem.
    #[serde(default)]
    pub set: BTreeMap<String, Amount>,
    pub end: Amount,
    /// From when on it is looked at.
    pub from: Option<Amount>,
    /// Signals of a model: channels, or formulas of channels in backquotes.
    #[serde(default)]
    pub signals: BTreeMap<String, String>,
    pub runs: Vec<Runs>,
    /// What steps are multiples of.
    pub unit: Option<Amount>,
    /// METHOD@STEP, or `exact` where the problem knows it.
    pub reference: Option<String>,
    /// Newton's tolerance.
    pub newton: Option<f64>,
    /// Whether Newton gives up where its first start fails, as other programs do.
    #[serde(default)]
    pub gives_up: bool,
    /// So many steps fewer than fit.
    #[serde(default)]
    pub fewer: u32,
    /// Rows kept of each run.
    #[serde(default = "usual_rows")]
    pub rows: usize,
    /// Runs of each case, of which the fastest counts.
    #[serde(default = "once")]
    pub repeat: u32,
    /// Whether the last state of a structure is kept.
    #[serde(default)]
    pub snapshot: bool,
    #[serde(default)]
    pub quick: Quick,
}

/// What differs in the quick form.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Quick {
    pub end: Option<Amount>,
    pub set: BTreeMap<String, Amount>,
    pub reference: Option<String>,
    /// Cases of more steps are left out.
    pub steps: f64,
    /// Whether the study is left out altogether.
    pub skip: bool,
}

impl Default for Quick {
    fn default() -> Self {
        Self { end: None, set: BTreeMap::new(), reference: None, steps: 2500.0, skip: false }
    }
}

fn usual_rows() -> usize {
    2000
}

fn once() -> u32 {
    1
}

/// Methods with their steps.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Runs {
    pub methods: Vec<String>,
    #[serde(default)]
    pub steps: Vec<Amount>,
    /// Steps over the number of stages.
    #[serde(default)]
    pub substeps: Vec<Amount>,
    pub constraints: Option<Formulation>,
}

/// A number or a formula without variables.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Amount {
    Number(f64),
    Formula(String),
}

impl Amount {
    pub fn value(&self) -> Result<f64, Failure> {
        match self {
            Self::Number(x) => Ok(*x),
            Self::Formula(text) => match cardan::expression::Expression::parse_of(text, &[]) {
                Ok(formula) => Ok(formula.of(&[])),
                Err(error) => Err(Failure::usage(format!("`{text}`: {}", error.message))),
            },
        }
    }

    pub fn text(&self) -> String {
        match self {
            Self::Number(x) => x.to_string(),
            Self::Formula(text) => text.clone(),
        }
    }
}

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
#[serde(untagged)]
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

/// What methods are for: those that do best in a measure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Purpose {
    pub name: String,
    pub title: String,
    /// What is asked for and what the numbers say, in Markdown.
    pub text: String,
    pub methods: Vec<String>,
    /// The number that is small for a good method; `{method}` stands for it.
    pub score: String,
    /// How the score is called.
    pub unit: String,
    /// Up to so many times the best score is as good.
    pub within: f64,
    /// A method that breaks one of these is out.
    #[serde(default)]
    pub unless: Vec<String>,
}

/// An error in print, and the evidence.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Erratum {
    pub place: String,
    pub printed: String,
    pub right: String,
    /// What is measured, and for what is printed and what is right.
    pub evidence: String,
    pub as_printed: Vec<String>,
    pub as_corrected: Vec<String>,
    /// What tells them apart, of `p0`, `p1` … and `c0`, `c1` ….
    pub shows: String,
}

impl Manifest {
    /// Reads a manifest; mistakes are told with their place.
    pub fn parse(name: &str, text: &str) -> Result<Self, Failure> {
        toml::from_str(text)
            .map_err(|error| Failure::usage(format!("{name}: {}", error.to_string().trim_end())))
    }

    /// How a method is called in figures and tables.
    pub fn called(&self, method: &str) -> String {
        self.names.get(method).cloned().unwrap_or_else(|| method.into())
    }

    /// Methods with groups replaced by their members.
    pub fn methods(&self, words: &[String]) -> Result<Vec<String>, Failure> {
        let mut all = Vec::new();
        for word in words {
            let Some(name) = word.strip_prefix('@') else {
                all.push(word.clone());
                continue;
            };
            let wrong = |what: &str| {
                Failure::usage(format!("{}: there is no {what} `{name}`", self.paper.name))
            };
            let group = self.group.get(name).ok_or_else(|| wrong("group"))?;
            // groups are one deep
            if let Some(nested) = group.iter().find(|word| word.starts_with('@')) {
                return Err(wrong(&format!("sense in `{nested}` within the group")));
            }
            all.extend(group.iter().cloned());
        }
        Ok(all)
    }
}

impl Table {
    /// What a cell is.
    pub fn formula(&self, row: &str, column: &str) -> String {
        // a column may be a formula of the row
        self.cell.replace("{column}", column).replace("{row}", row)
    }
}

impl Item {
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
