//! The index, the page of a paper, the conclusions and the errata.

use std::collections::BTreeMap;
use std::path::Path;

use super::files::write;
use super::html::{Depth, escaped, link, markdown, page};
use super::item::ItemReport;
use super::models::models;
use crate::error::LabError;
use crate::live_models::ModelPages;
use crate::reproduce::erratum::Evidence;
use crate::reproduce::manifest::{ExplanationCounts, Manifest, Purpose};
use crate::reproduce::numbers::short;
use crate::reproduce::purpose::Ranking;

type Reports = BTreeMap<String, ItemReport>;

fn tiles(manifest: &Manifest, reports: &Reports, to: &str) -> String {
    let mut out = String::from("<ul class=\"tiles\">\n");
    for item in &manifest.item {
        let report = reports.get(&format!("{}/{}", manifest.paper.name, item.name));
        let (class, words) = match report {
            Some(report) => (report.class(), report.words()),
            None => ("plain", "not computed yet".into()),
        };
        let (target, title) = (link(&item.name), escaped(&item.title));
        let label = escaped(&label(&item.name));
        out += &match report {
            Some(_) => format!(
                "<li class=\"{class}\"><a href=\"{to}{target}.html\"><strong>{label}</strong><span>{title}\
                 </span><em>{words}</em></a></li>\n"
            ),
            None => format!(
                "<li class=\"{class}\"><a><strong>{label}</strong><span>{title}</span><em>{words}</em></a></li>\n"
            ),
        };
    }
    out + "</ul>\n"
}

/// `fig9` as people write it.
fn label(name: &str) -> String {
    let number = |rest: &str| rest.replace('-', "–");
    match (name.strip_prefix("fig"), name.strip_prefix("table")) {
        (Some(rest), _) => format!("Fig. {}", number(rest)),
        (_, Some(rest)) => format!("Table {}", number(rest)),
        _ => name.replace('-', " "),
    }
}

/// Writes the index of all items.
pub fn index(
    folder: &Path,
    manifests: &[Manifest],
    reports: &Reports,
    papers: &[(String, String)],
    about: &str,
) -> Result<(), LabError> {
    let mut body = String::from("<h1>Papers on time integration, reproduced</h1>\n");
    body += &markdown(about, Depth::Site);
    let count = |of: fn(&ItemReport) -> usize| -> usize { reports.values().map(of).sum() };
    let explanations = ExplanationCounts::sum(reports.values().map(|report| report.explanations));
    body += &format!(
        "<p><span class=\"good\">{} numbers and claims agree</span>, <span class=\"explained\">{} differ and are \
         explained ({})</span>, <span class=\"{}\">{} differ without an explanation</span>{}.</p>\n",
        count(|r| r.good),
        count(|r| r.explained),
        explanations.all(),
        if count(|r| r.bad) > 0 { "bad" } else { "good" },
        count(|r| r.bad),
        match count(|r| r.skipped) {
            0 => String::new(),
            left => format!(", {left} were omitted by the quick form"),
        }
    );
    for manifest in manifests.iter().filter(|manifest| !manifest.item.is_empty()) {
        let (name, title) = (link(&manifest.paper.name), escaped(&manifest.paper.title));
        body += &format!("<h2><a href=\"{name}/index.html\">{title}</a></h2>\n");
        body += &tiles(manifest, reports, &format!("{name}/"));
    }
    write(&folder.join("index.html"), &page("Cardan, reproduced", Depth::Site, papers, &body))
}

/// Writes the page of a paper: all its items with their first pictures.
pub fn paper(
    folder: &Path,
    manifest: &Manifest,
    reports: &Reports,
    papers: &[(String, String)],
    shown: ModelPages,
) -> Result<(), LabError> {
    let paper = &manifest.paper;
    let mut body = format!("<h1>{}</h1>\n", escaped(&paper.title));
    body += &format!("<p class=\"source\">{}</p>\n", escaped(&paper.source));
    body += &markdown(&paper.about, Depth::Paper);
    body += &tiles(manifest, reports, "");
    body += &models(folder, manifest, shown)?;
    for item in &manifest.item {
        let Some(report) = reports.get(&format!("{}/{}", paper.name, item.name)) else { continue };
        let Some(figure) = report.figures.first() else { continue };
        let title = escaped(&item.title);
        body += &format!(
            "<figure><a href=\"{}.html\"><img src=\"../{}\" alt=\"{title}\" loading=\"lazy\" width=\"640\"></a>\
             <figcaption>{}: {title}</figcaption></figure>\n",
            link(&item.name),
            link(figure),
            escaped(&label(&item.name))
        );
    }
    let path = folder.join(&paper.name).join("index.html");
    write(&path, &page(&paper.title, Depth::Paper, papers, &body))
}

/// Writes the page that ranks methods by purpose.
pub fn conclusions(
    folder: &Path,
    about: &str,
    rankings: &[(&Purpose, Option<Ranking>)],
    papers: &[(String, String)],
) -> Result<(), LabError> {
    let mut body = String::from("<h1>Which method for which purpose</h1>\n");
    body += &markdown(about, Depth::Site);
    for (purpose, ranking) in rankings {
        body += &format!(
            "<h2>{}</h2>\n{}",
            escaped(&purpose.title),
            markdown(&purpose.text, Depth::Site)
        );
        let Some(ranking) = ranking else {
            body += "<p class=\"faint\">The quick form does not compute this.</p>\n";
            continue;
        };
        body += &format!(
            "<table><tr><th>method</th><th class=\"number\">{}</th><th></th></tr>\n",
            escaped(&ranking.unit)
        );
        for (k, (method, score)) in ranking.scores.iter().enumerate() {
            let note = if k < ranking.recommended { "recommended" } else { "" };
            body += &format!(
                "<tr><td><code>{}</code></td><td class=\"number\">{}</td><td class=\"good\">{note}</td></tr>\n",
                escaped(method),
                short(*score)
            );
        }
        for method in &ranking.failed {
            body += &format!(
                "<tr><td><code>{}</code></td><td></td><td class=\"faint\">not</td></tr>\n",
                escaped(method)
            );
        }
        body += "</table>\n";
    }
    write(&folder.join("conclusions.html"), &page("Which method", Depth::Site, papers, &body))
}

/// Writes the pages that only a whole run fills, where there are none: every page leads to them.
pub fn placeholders(folder: &Path, papers: &[(String, String)]) -> Result<(), LabError> {
    for (file, title) in [("conclusions.html", "Which method"), ("errata.html", "Errata")] {
        let path = folder.join(file);
        if !path.exists() {
            let body = format!(
                "<h1>{title}</h1>\n<p>This page is written when everything is computed: <code>cardan \
                 reproduce</code> without names of items.</p>\n"
            );
            write(&path, &page(title, Depth::Site, papers, &body))?;
        }
    }
    Ok(())
}

/// Writes the errata: those with evidence computed here, then all of them.
pub fn errata(
    folder: &Path,
    found: &[(&Manifest, Vec<Evidence<'_>>)],
    all: &str,
    papers: &[(String, String)],
) -> Result<(), LabError> {
    let mut body = String::from("<h1>Errors in print</h1>\n<h2>Shown by numbers</h2>\n");
    body += "<p>Computed by this program for what is printed and for what is right.</p>\n";
    for (manifest, evidence) in found.iter().filter(|(_, evidence)| !evidence.is_empty()) {
        body += &format!("<h3>{}</h3>\n", escaped(&manifest.paper.title));
        body += "<table><tr><th>where</th><th>printed</th><th>right</th><th>measured</th><th>as \
                 printed</th><th>corrected</th><th></th></tr>\n";
        for Evidence { erratum, as_printed, as_corrected, verdict } in evidence {
            let numbers = |values: &[Option<f64>]| -> String {
                let texts = values.iter().map(|x| x.map_or("–".into(), short));
                escaped(&texts.collect::<Vec<_>>().join(", "))
            };
            body += &format!(
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"number\">{}</td><td \
                 class=\"number\">{}</td><td class=\"{}\">{}</td></tr>\n",
                escaped(&erratum.place),
                escaped(&erratum.printed),
                escaped(&erratum.right),
                escaped(&erratum.evidence),
                numbers(as_printed),
                numbers(as_corrected),
                verdict.class(),
                verdict.words()
            );
        }
        body += "</table>\n";
    }
    body += &markdown(all, Depth::Site);
    write(&folder.join("errata.html"), &page("Errata", Depth::Site, papers, &body))
}
