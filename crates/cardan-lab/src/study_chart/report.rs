//! The page of a study: what was computed, statistics, sensitivity indices, failures and pictures. It loads nothing but
//! its pictures.

use std::path::Path;

use cardan::output::origin;

use super::pictures::StudyPicture;
use crate::error::LabError;
use crate::overwrite::{self, Overwrite};
use crate::study::parameters::{ANALYSES, StudyTable, TABLE};
use crate::table::short;

/// The page.
pub const REPORT: &str = "report.html";
/// In the head of every page.
const MARK: &str = "<meta name=\"generator\" content=\"cardan\">";
const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:66em;margin:2em auto;padding:0 1em;color:#222}\
                     h1{font-size:1.6em;margin-bottom:.2em}h2{font-size:1.15em;margin-top:2em}\
                     p.about{color:#666;margin-top:0}table{border-collapse:collapse;font-variant-numeric:tabular-nums}\
                     td,th{padding:.25em .8em;border-bottom:1px solid #ddd;text-align:right;white-space:nowrap}\
                     td.text,th.text{text-align:left;white-space:normal}code{font-size:.92em}\
                     figure{margin:1.5em 0;break-inside:avoid}img{max-width:100%;border:1px solid #eee}\
                     figcaption{color:#555;font-size:.93em}div.wide{overflow-x:auto}";

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

/// A cell of a table: text stands left, numbers stand right.
enum Cell {
    Text(String),
    Number(String),
}

fn page(table: &StudyTable, pictures: &[StudyPicture]) -> String {
    let title = match table.about.title.is_empty() {
        true => "Study",
        false => &table.about.title,
    };
    let title = escaped(title);
    let mut body = format!("<h1>{title}</h1>\n<p class=\"about\">{}</p>\n", about(table));
    let text = |text: &str| Cell::Text(escaped(text));
    let number = |x: f64| Cell::Number(if x.is_finite() { short(x) } else { "–".into() });
    let count = |n: usize| Cell::Number(n.to_string());

    let parameter = |name: &String| {
        let values = table.sorted(name);
        match (values.first(), values.last()) {
            (Some(low), Some(high)) => vec![text(name), number(*low), number(*high)],
            _ => vec![text(name), Cell::Number("words".into()), Cell::Number(String::new())],
        }
    };
    let parameters = table.about.parameters.iter().map(parameter).collect();
    body += &html_table("Parameters", &["parameter", "from", "to"], 1, parameters);

    let statistics = table.statistics().into_iter().map(|x| {
        let formula = Cell::Text(format!("<code>{}</code>", escaped(&x.formula)));
        let numbers =
            [x.mean, x.deviation, x.min, x.percentile_5, x.median, x.percentile_95, x.max];
        let mut cells = vec![text(&x.quantity), formula, count(x.cases)];
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
    body += &html_table("Quantities", &head, 2, statistics.collect());

    let indices = table.sensitivity().into_iter().map(|x| {
        let [first, total] = [x.first, x.total].map(|x| Cell::Number(format!("{x:.3}")));
        vec![text(&x.quantity), text(&x.parameter), first, total, count(x.samples)]
    });
    let head = ["quantity", "parameter", "first order", "total", "samples"];
    body += &html_table("Sensitivity indices", &head, 2, indices.collect());

    let failed = table.failures().into_iter().map(|(why, n)| vec![text(&why), count(n)]);
    body += &html_table("Failures", &["reason", "cases"], 1, failed.collect());
    if !pictures.is_empty() {
        body += "<h2>Pictures</h2>\n";
    }
    for picture in pictures {
        let (file, caption) = (escaped(&picture.file), escaped(&picture.caption));
        body += &format!(
            "<figure><img src=\"{file}\" alt=\"{caption}\"><figcaption>{caption}</figcaption></figure>\n"
        );
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{MARK}\n<meta \
         http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src 'self' file:; style-src \
         'unsafe-inline'\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

/// What was computed, in a line.
fn about(table: &StudyTable) -> String {
    let cases = table.columns.first().map_or(0, |(_, column)| column.len());
    let failed: usize = table.failures().iter().map(|(_, n)| n).sum();
    let analysis = ANALYSES.iter().find(|(kind, ..)| *kind == table.about.analysis);
    let analysis = analysis.map_or("", |(_, word, _)| word);
    let seconds = table.numbers("wall_time").into_iter().filter(|x| x.is_finite()).sum::<f64>();
    format!(
        "{cases} cases, {failed} failed; analysis <code>{analysis}</code>, design <code>{}</code>; {} s of computing time; \
         all rows: <a href=\"{TABLE}\">{TABLE}</a>",
        table.about.design.word(),
        short(seconds)
    )
}

/// A table with a heading; nothing without rows. The first columns are text.
fn html_table(heading: &str, head: &[&str], texts: usize, rows: Vec<Vec<Cell>>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let cell = |cell: Cell, tag: &str| match cell {
        Cell::Text(text) => format!("<{tag} class=\"text\">{text}</{tag}>"),
        Cell::Number(text) => format!("<{tag}>{text}</{tag}>"),
    };
    let line = |cells: Vec<Cell>, tag: &str| {
        let cells: String = cells.into_iter().map(|x| cell(x, tag)).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let heads = head.iter().enumerate().map(|(k, word)| match k < texts {
        true => Cell::Text(escaped(word)),
        false => Cell::Number(escaped(word)),
    });
    let head = line(heads.collect(), "th");
    let rows: String = rows.into_iter().map(|row| line(row, "td")).collect();
    format!("<h2>{heading}</h2>\n<div class=\"wide\"><table>\n{head}{rows}</table></div>\n")
}

/// Text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
