//! The page of a study: statistics, sensitivity indices, failures and pictures. It loads nothing but its pictures.

use std::path::Path;

use cardan::output::origin;

use super::pictures::percentile;
use super::scatter::escaped;
use crate::error::LabError;
use crate::overwrite::{self, Overwrite};
use crate::study::parameters::StudyTable;

/// The page.
pub const REPORT: &str = "report.html";
/// In the head of every page.
const MARK: &str = "<meta name=\"generator\" content=\"cardan\">";
const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222}\
                     table{border-collapse:collapse}td,th{padding:.2em .8em;border-bottom:1px solid #ddd;text-align:right}\
                     td:first-child,th:first-child{text-align:left}img{max-width:100%}";

/// Writes the page.
pub fn write(
    folder: &Path,
    table: &StudyTable,
    pictures: &[String],
    policy: Overwrite,
) -> Result<(), LabError> {
    let is_ours = |path: &Path| origin::first_text(path).contains(MARK);
    let page = page(table, pictures);
    overwrite::write(&folder.join(REPORT), page.as_bytes(), policy.existing(&is_ours))
}

fn page(table: &StudyTable, pictures: &[String]) -> String {
    let title = match table.about.title.is_empty() {
        true => "Study",
        false => &table.about.title,
    };
    let title = escaped(title);
    let cases = table.columns.first().map_or(0, |(_, column)| column.len());
    let failures = table.failures();
    let mut body = format!("<h1>{title}</h1>\n<p>{cases} cases</p>\n");
    let statistics = table.about.quantities.iter().map(|(name, formula)| {
        let mut values: Vec<f64> =
            table.numbers(name).into_iter().filter(|x| x.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let numbers = [0.0, 0.05, 0.5, 0.95, 1.0].map(|part| percentile(&values, part));
        let cells = std::iter::once(mean).chain(numbers).map(number);
        [escaped(name), format!("<code>{}</code>", escaped(formula)), values.len().to_string()]
            .into_iter()
            .chain(cells)
            .collect()
    });
    let head = ["quantity", "formula", "cases", "mean", "min", "5 %", "median", "95 %", "max"];
    body += &html_table("Quantities", &head, statistics.collect());
    let indices = table.sensitivity().into_iter().map(|index| {
        let names = [escaped(&index.quantity), escaped(&index.parameter)];
        let numbers = [index.first, index.total].map(|x| format!("{x:.3}"));
        names.into_iter().chain(numbers).chain([index.samples.to_string()]).collect()
    });
    let head = ["quantity", "parameter", "first order", "total", "samples"];
    body += &html_table("Sensitivity indices", &head, indices.collect());
    let failed = failures.into_iter().map(|(why, count)| vec![escaped(&why), count.to_string()]);
    body += &html_table("Failures", &["reason", "cases"], failed.collect());
    for picture in pictures {
        let name = escaped(picture);
        body += &format!("<p><img src=\"{name}\" alt=\"{name}\"></p>\n");
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{MARK}\n<meta \
         http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src 'self' file:; style-src \
         'unsafe-inline'\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

fn number(x: f64) -> String {
    if x.is_finite() { format!("{x:.6e}") } else { "–".into() }
}

/// A table with a heading; nothing without rows. The cells are HTML.
fn html_table(heading: &str, head: &[&str], rows: Vec<Vec<String>>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let line = |cells: Vec<String>, tag: &str| {
        let cells: String = cells.iter().map(|cell| format!("<{tag}>{cell}</{tag}>")).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let head = line(head.iter().map(|cell| escaped(cell)).collect(), "th");
    let rows: String = rows.into_iter().map(|row| line(row, "td")).collect();
    format!("<h2>{heading}</h2>\n<table>\n{head}{rows}</table>\n")
}
