//! The page of a study: what was computed, statistics, sensitivity indices, failures and pictures. It loads nothing but
//! its pictures.

use std::path::Path;

use cardan::output::origin;

use super::pictures::StudyPicture;
use crate::error::LabError;
use crate::overwrite::{self, Overwrite};
use crate::study::parameters::{ANALYSES, StudyTable, TABLE};
use crate::table::{duration, significant};

/// The page.
pub const REPORT: &str = "report.html";
/// In the head of every page.
const MARK: &str = "<meta name=\"generator\" content=\"cardan\">";
const STYLE: &str = include_str!("report.css");
/// Longer lists of values are cut.
const MAX_VALUES: usize = 100;

/// Writes the page.
pub fn write(
    folder: &Path,
    table: &StudyTable,
    pictures: &[StudyPicture],
    policy: Overwrite,
) -> Result<(), LabError> {
    let is_ours = |path: &Path| origin::first_text(path).contains(MARK);
    let page = page(table, pictures);
    overwrite::write(&folder.join(REPORT), page.as_bytes(), policy.existing(&is_ours))
}

/// Significant digits of statistics.
const DIGITS: usize = 4;

/// A cell of a table: text stands left, numbers stand right.
enum Cell {
    Text(String),
    Number(String),
    /// Two parts of one: a bar for the larger one, with one for the smaller.
    Bar([f64; 2]),
}

impl Cell {
    fn html(self, tag: &str) -> String {
        match self {
            Self::Text(text) => format!("<{tag} class=\"text\">{text}</{tag}>"),
            Self::Number(text) => format!("<{tag}>{text}</{tag}>"),
            Self::Bar(parts) => {
                let [first, total] = parts.map(|x| (100.0 * x.clamp(0.0, 1.0)).round());
                format!(
                    "<{tag} class=\"text\"><div class=\"bar\"><i style=\"width:{total}%\"></i>\
                     <b style=\"width:{first}%\"></b></div></{tag}>"
                )
            }
        }
    }
}

fn page(table: &StudyTable, pictures: &[StudyPicture]) -> String {
    let title = match table.about.title.is_empty() {
        true => "Study",
        false => &table.about.title,
    };
    let title = escaped(title);
    let mut body = format!("<h1>{title}</h1>\n<p class=\"about\">{}</p>\n", about(table));
    let text = |text: &str| Cell::Text(escaped(text));
    let number =
        |x: f64| Cell::Number(if x.is_finite() { significant(x, DIGITS) } else { "–".into() });
    let count = |n: usize| Cell::Number(n.to_string());

    let parameter = |(k, name): (usize, &String)| {
        let values = table.sorted(name);
        let range = match (values.first(), values.last()) {
            (Some(low), Some(high)) => [number(*low), number(*high)],
            _ => ["–", "–"].map(|none| Cell::Number(none.into())),
        };
        let written = table.about.values.get(k).map_or("", String::as_str);
        std::iter::once(text(name)).chain(range).chain([code(written)]).collect()
    };
    let parameters = table.about.parameters.iter().enumerate().map(parameter).collect();
    let head = ["parameter", "smallest", "largest", "values"];
    body += &html_table("Parameters", &head, parameters);

    let set = table.about.set.iter().map(|(name, value)| vec![text(name), code(value)]);
    body += &html_table("The same in all cases", &["parameter", "value"], set.collect());

    let statistics = table.statistics().into_iter().map(|x| {
        let numbers =
            [x.mean, x.deviation, x.min, x.percentile_5, x.median, x.percentile_95, x.max];
        let mut cells = vec![text(&x.quantity), code(&x.formula), count(x.cases)];
        cells.extend(numbers.map(number));
        cells
    });
    let head = [
        "quantity",
        "formula",
        "cases",
        "mean",
        "deviation",
        "min",
        "5 %",
        "median",
        "95 %",
        "max",
    ];
    body += &html_table("Quantities", &head, statistics.collect());

    let indices = table.sensitivity().into_iter().map(|x| {
        let [first, total] = [x.first, x.total].map(|x| Cell::Number(format!("{x:.3}")));
        let bar = Cell::Bar([x.first, x.total]);
        vec![text(&x.quantity), text(&x.parameter), first, total, bar, count(x.samples)]
    });
    let head = [
        "quantity",
        "parameter",
        "first order",
        "total",
        "dark: first order, light: total",
        "samples",
    ];
    body += &html_table("Sensitivity indices", &head, indices.collect());

    let failures = table.failures();
    let failed = failures.reasons().into_iter().map(|(why, n)| vec![text(why), count(n as usize)]);
    body += &html_table("Failures", &["reason", "cases"], failed.collect());
    if !pictures.is_empty() {
        body += "<h2>Pictures</h2>\n";
    }
    for (k, picture) in pictures.iter().enumerate() {
        let (file, caption) = (escaped(&picture.file), escaped(&picture.caption));
        body += &format!(
            "<figure><div class=\"wide\"><img src=\"{file}\" alt=\"{caption}\"></div>\
             <figcaption>Figure {}. {caption}.</figcaption></figure>\n",
            k + 1
        );
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n{MARK}\n<meta \
         http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src 'self' file:; style-src \
         'unsafe-inline'\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

/// What was computed, in a line.
fn about(table: &StudyTable) -> String {
    let cases = table.columns.first().map_or(0, |(_, column)| column.len());
    let failed = table.failures().cases;
    let analysis = ANALYSES.iter().find(|(kind, ..)| *kind == table.about.analysis);
    let analysis = analysis.map_or("", |(_, word, _)| word);
    let seconds = table.numbers("wall_time").into_iter().filter(|x| x.is_finite()).sum::<f64>();
    let design = table.about.design;
    let seed = match design.is_sampled() {
        true => format!(" with seed {}", table.about.seed),
        false => String::new(),
    };
    let model = match table.about.model.as_str() {
        "" => String::new(),
        name => format!("Model <code>{}</code>: ", escaped(name)),
    };
    format!(
        "{model}{cases} cases, {failed} failed. Analysis <code>{analysis}</code>, design <code>{}</code>{seed}. \
         Computing time {}. All rows: <a href=\"{TABLE}\">{TABLE}</a>",
        design.word(),
        duration(seconds)
    )
}

/// A value as it is written.
fn code(written: &str) -> Cell {
    let mut short: String = written.chars().take(MAX_VALUES).collect();
    if short.len() < written.len() {
        short += " …";
    }
    // so that a column of formulas is not broken at every word
    let class = if short.len() > 16 { " class=\"long\"" } else { "" };
    Cell::Text(format!("<code{class}>{}</code>", escaped(&short)))
}

/// A table with a heading; nothing without rows.
fn html_table(heading: &str, head: &[&str], rows: Vec<Vec<Cell>>) -> String {
    let Some(first) = rows.first() else { return String::new() };
    // the head of a column stands like its cells
    let heads = first.iter().zip(head).map(|(cell, word)| match cell {
        Cell::Text(_) => Cell::Text(escaped(word)),
        Cell::Number(_) => Cell::Number(escaped(word)),
        Cell::Bar(_) => Cell::Text(escaped(word)),
    });
    let line = |cells: Vec<Cell>, tag: &str| {
        let cells: String = cells.into_iter().map(|x| x.html(tag)).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let head = line(heads.collect(), "th");
    let rows: String = rows.into_iter().map(|row| line(row, "td")).collect();
    format!("<h2>{heading}</h2>\n<div class=\"wide\"><table>\n{head}{rows}</table></div>\n")
}

/// Text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
