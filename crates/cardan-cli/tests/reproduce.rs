//! `cardan reproduce`: every item of the papers is there, what is printed comes out, and what does not is told.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn cardan(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cardan")).args(arguments).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// The figures and tables with numerical content, paper by paper.
#[test]
fn every_figure_and_table_of_the_papers_is_an_item() {
    let list: Value =
        serde_json::from_slice(&cardan(&["reproduce", "--list", "--json"]).stdout).unwrap();
    let names: BTreeSet<&str> =
        list.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect();
    let figures = |numbers: &[std::ops::RangeInclusive<u32>]| -> Vec<String> {
        numbers.iter().cloned().flatten().map(|k| format!("fig{k}")).collect()
    };
    let tables = |numbers: std::ops::RangeInclusive<u32>| -> Vec<String> {
        numbers.map(|k| format!("table{k}")).collect()
    };
    for (paper, wanted) in [
        ("zhang-2022", figures(&[2..=7, 9..=12, 14..=16, 18..=20, 22..=28])),
        ("zhang-2022", tables(6..=7)),
        ("fernandez-2024", tables(1..=11)),
        ("fernandez-2024", figures(&[3..=9, 11..=11])),
        ("negrut-2009", figures(&[3..=16])),
        ("zupan", figures(&[2..=6, 8..=9])),
        ("zhang-2021", figures(&[1..=14, 16..=17, 19..=23, 25..=28, 30..=32, 34..=35])),
    ] {
        for item in wanted {
            assert!(names.contains(format!("{paper}/{item}").as_str()), "{paper}/{item}");
        }
    }
}

/// The whole quick form: nothing differs without an explanation, every page is there, and every link leads
/// somewhere.
#[test]
fn the_quick_form_is_whole_and_green() {
    let place = folder("reproduce-quick");
    let site = place.to_str().unwrap();
    let output = cardan(&["reproduce", "--quick", "--out", site, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let items: Value = serde_json::from_slice(&output.stdout).unwrap();
    let verdicts = |value: &Value| -> Vec<String> {
        let tables = value["tables"].as_array().cloned().unwrap_or_default();
        let cells = tables.iter().flat_map(|t| t["cells"].as_array().unwrap().clone());
        let claims = value["claims"].as_array().cloned().unwrap_or_default();
        cells.chain(claims).map(|x| x["verdict"].as_str().unwrap().to_string()).collect()
    };
    let all: Vec<String> = items.as_array().unwrap().iter().flat_map(verdicts).collect();
    // most of what the papers print is within reach of short runs
    let agree = ["equal to the digits printed", "agrees", "holds", "confirmed"];
    let count = all.iter().filter(|verdict| agree.contains(&verdict.as_str())).count();
    assert!(count > 400, "{count} of {}", all.len());
    assert!(all.iter().any(|verdict| verdict == "differs, explained"));

    let mut pages = 0;
    let mut folders = vec![place.clone()];
    while let Some(here) = folders.pop() {
        for entry in fs::read_dir(&here).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "html") {
                pages += 1;
                links_lead_somewhere(&path);
            }
        }
    }
    assert!(pages > 110, "{pages}");

    // a second call computes nothing again
    let before = stamp(&place);
    let output = cardan(&["reproduce", "--quick", "--out", site, "zhang-2022/table7"]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(before, stamp(&place));
    assert!(out(&output).contains("zhang-2022/table7"));
    // and the index still knows the other items
    let index = fs::read_to_string(place.join("index.html")).unwrap();
    assert!(!index.contains("not computed yet"));
}

/// The length of the ledger: every run that is computed adds to it.
fn stamp(site: &Path) -> u64 {
    fs::metadata(site.join("data-quick/outcomes.jsonl")).unwrap().len()
}

fn links_lead_somewhere(page: &Path) {
    let text = fs::read_to_string(page).unwrap();
    for part in text.split("href=\"").chain(text.split("src=\"")).skip(1) {
        let target = part.split('"').next().unwrap();
        let is_elsewhere =
            target.contains("://") || target.starts_with('#') || target.contains('<');
        // the errata lead to files of the repository
        let is_document =
            target.ends_with(".md") || target.ends_with(".bib") || target.ends_with(".py");
        if is_elsewhere || is_document {
            continue;
        }
        let file = page.parent().unwrap().join(target.split('#').next().unwrap());
        assert!(file.exists(), "{}: {target}", page.display());
    }
}

/// A manifest of one's own, with a number that is right, one that is explained and one that is wrong.
fn manifest(printed: &str) -> String {
    format!(
        r#"
[paper]
name = "mine"
title = "Mine: a pendulum"

[study.swing]
problem = "simple-pendulum"
end = 1
runs = [{{ methods = ["g3", "lms3:rho=0.6/position"], steps = [0.01, 0.005] }}]
reference = "rk4@1e-3"

[[item]]
name = "table1"
title = "Drift"
[[item.table]]
caption = "Energy"
rows = ["0.01", "0.005"]
columns = ["g3"]
cell = "[swing {{column}} {{row}} energy.change]"
printed = {printed}
[[item.claim]]
text = "Half the step, a quarter of the error"
test = ["abs([order swing g3 0.01 0.005 angle.error] - 2) < 0.1"]
[[item.figure]]
kind = "convergence"
view = {{ study = "swing", methods = ["g3", "lms3:rho=0.6/position"], signal = "angle" }}
"#
    )
}

#[test]
fn a_manifest_of_ones_own_is_judged() {
    let place = folder("reproduce-own");
    let (file, site) = (place.join("mine.toml"), place.join("site"));
    let arguments =
        ["reproduce", "--manifest", file.to_str().unwrap(), "--out", site.to_str().unwrap()];
    // what it is, first
    fs::write(&file, manifest(r#"[[""], [""]]"#)).unwrap();
    let output = cardan(&[&arguments[..], &["--json"]].concat());
    assert!(output.status.success(), "{}", said(&output));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let ours = found[0]["tables"][0]["cells"][0]["ours"].as_f64().unwrap();
    assert_eq!(found[0]["claims"][0]["verdict"], "confirmed");
    let data = fs::read_to_string(site.join("mine/table1.csv")).unwrap();
    assert_eq!(data.lines().count(), 5, "{data}");
    // a file of a run that cannot be read is computed again
    let run = site.join("data/mine/swing/g3@0.01.parquet");
    let whole = fs::read(&run).unwrap();
    fs::write(&run, &whole[..100]).unwrap();
    assert!(cardan(&arguments).status.success());
    assert_eq!(fs::read(&run).unwrap().len(), whole.len());
    // three digits of it, and the next one explained
    let explained = format!(
        r#"[["{ours:.2e}"], [{{ printed = "1", ours = {}, because = "tried" }}]]"#,
        found[0]["tables"][0]["cells"][1]["ours"]
    );
    fs::write(&file, manifest(&explained)).unwrap();
    let output = cardan(&arguments);
    assert!(output.status.success(), "{}", said(&output));
    assert!(out(&output).contains("2 agree, 1 explained"), "{}", out(&output));
    // what is neither is red, and the pages are there all the same
    for wrong in [
        format!(r#"[["{:.2e}"], [""]]"#, 1.02 * ours),
        r#"[[{ printed = "1", ours = 2, because = "no" }], [""]]"#.to_string(),
    ] {
        fs::write(&file, manifest(&wrong)).unwrap();
        let output = cardan(&arguments);
        assert_eq!(output.status.code(), Some(3));
        assert!(said(&output).contains("1 numbers or claims differ"), "{}", said(&output));
        let page = fs::read_to_string(site.join("mine/table1.html")).unwrap();
        assert!(page.contains("class=\"bad\""));
    }
}

#[test]
fn mistakes_in_a_manifest_are_named() {
    let place = folder("reproduce-mistakes");
    let (file, site) = (place.join("mine.toml"), place.join("site"));
    let good = manifest(r#"[[""], [""]]"#);
    for (from, to, wanted) in [
        ("title = \"Drift\"", "titel = \"Drift\"", "titel"),
        ("simple-pendulum", "simple", "no problem `simple`"),
        ("{column} {row} energy", "{column} {row} energie", "no signal `energie`"),
        ("energy.change", "energy.chance", "change"),
        ("[order swing", "[order sving", "sving"),
        ("[\"g3\", \"lms3:rho=0.6/position\"], steps", "[\"g9\"], steps", "g9"),
        ("rk4@1e-3", "rk4", "METHOD@STEP"),
        ("end = 1", "end = -1", "end"),
        ("steps = [0.01, 0.005]", "steps = [0.01, 0]", "step"),
        ("name = \"mine\"", "name = \"../mine\"", "no name"),
        ("columns = [\"g3\"]", "columns = [\"g4\"]", "no run of `g4`"),
        ("rows = [\"0.01\"", "rows = [\"0.02\"", "no run of `g3` with a step of 0.02"),
        (
            "test = [\"abs([order swing g3 0.01 0.005 angle.error] - 2) < 0.1\"]",
            "test = []",
            "tests nothing",
        ),
        ("title = \"Drift\"", "title = \"Drift\"\nclaim = 1", "claim"),
        ("name = \"table1\"", "name = \"index\"", "`index`"),
        ("rk4@1e-3", "rk4@7", "reference step"),
        ("rk4@1e-3", "exact", "exact motion is not known"),
        ("printed = ", "below = 1\nprinted = ", "not both"),
        ("signal = \"angle\"", "signal = \"angle\", from = 2, to = 1", "before"),
        (
            "methods = [\"g3\", \"lms3:rho=0.6/position\"], signal",
            "methods = [\"@x\"], signal",
            "no group `x`",
        ),
        ("[\"abs([order", "[\"abs([[order", ""),
    ] {
        assert!(good.contains(from), "{from}");
        fs::write(&file, good.replace(from, to)).unwrap();
        let (file, site) = (file.to_str().unwrap(), site.to_str().unwrap());
        let output = cardan(&["reproduce", "--manifest", file, "--out", site]);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(2), "{to}: {text}");
        assert!(text.contains(wanted) && text.starts_with("error"), "{to}: {text}");
    }
    // what is kept is the whole
    for more in [&["--quick", "--record", "x.json"][..], &["zupan", "--gallery", "x.md"]] {
        let output = cardan(&[&["reproduce"], more].concat());
        assert!(said(&output).contains("keep everything"), "{}", said(&output));
    }
    let output = cardan(&["reproduce", "fig999"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("--list"), "{}", said(&output));
}
