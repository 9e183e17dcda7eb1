//! The page of an item: what the paper did, what we did, figures, numbers, claims.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files::write;
use super::html::{Depth, escaped, link, markdown, page};
use crate::error::LabError;
use crate::reproduce::check::{Cell, Checked, Judged, Verdict};
use crate::reproduce::manifest::{ExplanationCounts, ExplanationKind, Manifest, ManifestItem};
use crate::reproduce::numbers::{short, significant};
use crate::table::duration;

/// The verdicts of an item, for the index and for scripts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ItemReport {
    /// PAPER/ITEM.
    pub name: String,
    pub title: String,
    /// Numbers and claims that agree, that differ for a known reason, that differ, and that were omitted.
    pub good: usize,
    pub explained: usize,
    pub bad: usize,
    pub skipped: usize,
    /// The explanations by kind.
    #[serde(default)]
    pub explanations: ExplanationCounts,
    /// Computing time of the studies it uses, all runs together.
    pub seconds: f64,
    /// The figures, within the folder of the site.
    pub figures: Vec<String>,
}

impl ItemReport {
    /// The class of its colour.
    pub fn class(&self) -> &'static str {
        match () {
            () if self.bad > 0 => "bad",
            () if self.explained > 0 => "explained",
            () if self.good > 0 => "good",
            () => "plain",
        }
    }

    /// The verdict in words, for the index.
    pub fn words(&self) -> String {
        let mut words = Vec::new();
        let kinds = match self.explanations.present() {
            none if none.is_empty() => none,
            kinds => format!(" ({kinds})"),
        };
        for (count, what, more) in [
            (self.bad, "DIFFER", ""),
            (self.good, "agree", ""),
            (self.explained, "explained", &kinds),
            (self.skipped, "omitted", ""),
        ] {
            if count > 0 {
                words.push(format!("{count} {what}{more}"));
            }
        }
        match words.is_empty() {
            true => "drawn".into(),
            false => words.join(", "),
        }
    }
}

/// What was found for an item.
pub struct Checks<'a> {
    pub manifest: &'a Manifest,
    pub item: &'a ManifestItem,
    pub tables: Vec<Checked<'a>>,
    pub claims: Vec<Judged<'a>>,
    /// Figures and their captions.
    pub figures: Vec<(String, String)>,
    /// Files of data.
    pub data: Vec<String>,
    pub seconds: f64,
    /// What went wrong.
    pub notes: Vec<String>,
    pub is_quick: bool,
}

impl Checks<'_> {
    /// Counts the verdicts.
    pub fn report(&self) -> ItemReport {
        let verdicts: Vec<Verdict> = self
            .tables
            .iter()
            .flat_map(Checked::verdicts)
            .chain(self.claims.iter().map(|judged| judged.verdict))
            .collect();
        let count = |class: &str| verdicts.iter().filter(|v| v.class() == class).count();
        let of_tables = self.tables.iter().flat_map(Checked::explanations);
        let of_claims = self.claims.iter().filter_map(Judged::explanation);
        let explanations = of_tables.chain(of_claims).chain(self.item.kind);
        ItemReport {
            name: format!("{}/{}", self.manifest.paper.name, self.item.name),
            title: self.item.title.clone(),
            good: count("good"),
            explained: count("explained") + usize::from(self.item.kind.is_some()),
            bad: count("bad"),
            skipped: verdicts.iter().filter(|v| **v == Verdict::Skipped).count(),
            explanations: ExplanationCounts::of(explanations),
            seconds: self.seconds,
            figures: self.figures.iter().map(|(file, _)| file.clone()).collect(),
        }
    }

    /// Writes the page.
    pub fn write(
        &self,
        folder: &Path,
        papers: &[(String, String)],
        known: &BTreeMap<String, ItemReport>,
    ) -> Result<(), LabError> {
        let (paper, item) = (&self.manifest.paper, self.item);
        let report = self.report();
        let mut body = format!("<h1>{}</h1>\n", escaped(&item.title));
        body += &format!(
            "<p class=\"source\"><a href=\"index.html\">{}</a> · {} · <span class=\"{}\">{}</span></p>\n",
            escaped(&paper.title),
            escaped(&item.name),
            report.class(),
            report.words()
        );
        for note in &self.notes {
            body += &format!("<p class=\"bad\">{}</p>\n", escaped(note));
        }
        for (heading, text) in [("In the paper", &item.paper), ("Here", &item.ours)] {
            if !text.is_empty() {
                body += &format!("<h3>{heading}</h3>\n{}", markdown(text, Depth::Paper));
            }
        }
        if let Some(kind) = item.kind {
            body += &format!(
                "<h3>Not as in the paper</h3>\n<p><span class=\"explained\">{}</span>: {}</p>\n",
                kind.words(),
                escaped(&item.because)
            );
        }
        for (file, caption) in &self.figures {
            let data = Path::new(file).with_extension("csv");
            let beside = match folder.join(&data).exists() {
                true => {
                    format!(" · <a href=\"../{}\">data</a>", link(&data.display().to_string()))
                }
                false => String::new(),
            };
            body += &format!(
                "<figure><a href=\"../{0}\"><img src=\"../{0}\" alt=\"{1}\" loading=\"lazy\"></a><figcaption>\
                 {1}{beside}</figcaption></figure>\n",
                link(file),
                escaped(caption)
            );
        }
        for checked in &self.tables {
            body += &table(self.manifest, checked);
        }
        if !self.claims.is_empty() {
            body += "<h3>Claims</h3>\n<ul class=\"claims\">\n";
            self.claims.iter().for_each(|judged| body += &claim(judged));
            body += "</ul>\n";
        }
        body += &format!(
            "<h3>Repeat</h3>\n<pre><code>cardan reproduce {}{}{}</code></pre>\n<p class=\"faint\">Computing time of the \
             runs behind it: {}.</p>\n",
            report.name,
            if self.is_quick { " --quick" } else { "" },
            self.manifest
                .file
                .as_ref()
                .map_or(String::new(), |file| format!(" --manifest {}", escaped(file))),
            duration(self.seconds)
        );
        if !self.data.is_empty() {
            body += "<details><summary>Runs as Parquet and CSV files</summary><ul>";
            for file in &self.data {
                body += &format!("<li><a href=\"../{}\">{}</a></li>", link(file), escaped(file));
            }
            body += "</ul></details>\n";
        }
        body += &self.neighbours(known);
        let title = format!("{}: {}", paper.name, item.title);
        let path = folder.join(&paper.name).join(format!("{}.html", item.name));
        write(&path, &page(&title, Depth::Paper, papers, &body))
    }

    /// Links to the items before and after.
    fn neighbours(&self, known: &BTreeMap<String, ItemReport>) -> String {
        let items = &self.manifest.item;
        let Some(k) = items.iter().position(|item| item.name == self.item.name) else {
            return String::new();
        };
        let is_known = |item: &&ManifestItem| {
            known.contains_key(&format!("{}/{}", self.manifest.paper.name, item.name))
        };
        let turn = |item: Option<&ManifestItem>, before: &str, after: &str| {
            item.filter(is_known).map_or("<span></span>".to_string(), |item| {
                let title = escaped(&item.title);
                format!("<a href=\"{}.html\">{before}{title}{after}</a>", link(&item.name))
            })
        };
        let (earlier, later) = (k.checked_sub(1).map(|k| &items[k]), items.get(k + 1));
        format!("<p class=\"turn\">{}{}</p>\n", turn(earlier, "← ", ""), turn(later, "", " →"))
    }
}

/// A number as the table shows it.
fn number(checked: &Checked<'_>, x: f64) -> String {
    match checked.table.digits {
        Some(digits) if x.is_finite() && x.abs() >= 1e-4 => format!("{x:.digits$}"),
        _ => short(x),
    }
}

/// A number with one digit more than print has, where print has many.
fn as_printed(x: f64, printed: &str) -> Option<String> {
    let digits = significant(printed);
    let is_plain = !printed.contains(['e', 'E']);
    (digits > 4 && x.is_finite()).then(|| match is_plain {
        true => {
            let decimals = printed.split_once('.').map_or(0, |(_, decimals)| decimals.len());
            format!("{x:.*}", (decimals + 1).min(17))
        }
        false => format!("{x:.*e}", digits.min(16)),
    })
}

fn table(manifest: &Manifest, checked: &Checked<'_>) -> String {
    let table = checked.table;
    let name = |names: &Option<Vec<String>>, words: &[String], k: usize| -> String {
        let word = words.get(k).map(|word| manifest.called(word)).unwrap_or_default();
        escaped(names.as_ref().and_then(|names| names.get(k)).unwrap_or(&word))
    };
    let mut out = format!("<h3>{}</h3>\n<table><tr><th></th>", escaped(&table.caption));
    for j in 0..table.columns.len() {
        let column = name(&table.column_names, &table.columns, j);
        out += &format!("<th class=\"number\">{column}</th>");
    }
    out += "</tr>\n";
    for (i, row) in checked.rows.iter().enumerate() {
        out += &format!("<tr><th>{}</th>", name(&table.row_names, &table.rows, i));
        row.iter().for_each(|cell| out += &cell_html(checked, cell));
        out += "</tr>\n";
    }
    out + "</table>\n"
}

fn cell_html(checked: &Checked<'_>, cell: &Cell) -> String {
    let ours = cell.ours.map_or("–".into(), |x| match &cell.printed {
        Some(printed) => as_printed(x, printed).unwrap_or_else(|| number(checked, x)),
        None => number(checked, x),
    });
    let class = cell.verdict.class();
    let mut out = format!("<td class=\"number\"><span class=\"{class}\">{}</span>", escaped(&ours));
    if let Some(printed) = &cell.printed {
        out += &format!("<small>printed {}</small>", escaped(printed));
    }
    let words = with_kind(cell.verdict, cell.kind);
    if !words.is_empty() {
        out += &format!("<small class=\"{class}\">{words}</small>");
    }
    if let (Some(because), true) = (&cell.because, cell.verdict != Verdict::Skipped) {
        out += &format!("<small class=\"because\">{}</small>", escaped(because));
    }
    out + "</td>"
}

/// A verdict with the kind of its explanation.
fn with_kind(verdict: Verdict, kind: Option<ExplanationKind>) -> String {
    let is_explained = matches!(verdict, Verdict::Explained | Verdict::Refuted);
    match kind.filter(|_| is_explained) {
        Some(kind) => format!("{} ({})", verdict.words(), kind.words()),
        None => verdict.words().into(),
    }
}

fn claim(judged: &Judged<'_>) -> String {
    let class = judged.verdict.class();
    let words = with_kind(judged.verdict, judged.explanation());
    let mut out =
        format!("<li>{} <span class=\"{class}\">{words}</span>", escaped(&judged.claim.text));
    if !judged.claim.because.is_empty() {
        out += &format!("<br><span class=\"faint\">{}</span>", escaped(&judged.claim.because));
    }
    for (formula, numbers) in judged.claim.test.iter().zip(&judged.numbers) {
        let title = escaped(formula);
        out += &format!("<small title=\"{title}\">{}</small>", escaped(numbers));
    }
    out + "</li>\n"
}
