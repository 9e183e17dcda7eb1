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
        r#"[["{ours:.2e}"], [{{ printed = "1", ours = {}, kind = "choice", because = "tried" }}]]"#,
        found[0]["tables"][0]["cells"][1]["ours"]
    );
    fs::write(&file, manifest(&explained)).unwrap();
    let output = cardan(&arguments);
    assert!(output.status.success(), "{}", said(&output));
    assert!(
        out(&output).contains("2 agree, 1 explained (1 choice not stated)"),
        "{}",
        out(&output)
    );
    let sum = "1 differ and are explained (0 misprints, 1 choice not stated, 0 open)";
    assert!(out(&output).contains(sum), "{}", out(&output));
    let index = fs::read_to_string(site.join("index.html")).unwrap();
    assert!(index.contains("explained (0 misprints, 1 choice not stated, 0 open)"));
    let page = fs::read_to_string(site.join("mine/table1.html")).unwrap();
    assert!(page.contains("differs, explained (choice not stated)"));
    // an item as a whole
    let open = "title = \"Drift\"\nkind = \"open\"\nbecause = \"the mesh is not known\"";
    fs::write(&file, manifest(&explained).replace("title = \"Drift\"", open)).unwrap();
    let output = cardan(&arguments);
    let words = "2 agree, 2 explained (1 choice not stated, 1 open)";
    assert!(out(&output).contains(words), "{}", out(&output));
    let page = fs::read_to_string(site.join("mine/table1.html")).unwrap();
    assert!(page.contains("the mesh is not known"));
    // what is neither is red, and the pages are there all the same
    for wrong in [
        format!(r#"[["{:.2e}"], [""]]"#, 1.02 * ours),
        r#"[[{ printed = "1", ours = 2, kind = "open", because = "no" }], [""]]"#.to_string(),
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

/// Runs a manifest; what it prints and the exit code.
fn reproduced(place: &Path, text: &str, more: &[&str]) -> Output {
    let (file, site) = (place.join("mine.toml"), place.join("site"));
    fs::write(&file, text).unwrap();
    let arguments =
        ["reproduce", "--manifest", file.to_str().unwrap(), "--out", site.to_str().unwrap()];
    cardan(&[&arguments[..], more].concat())
}

/// What is infinite, missing or not a number confirms nothing, and refutes nothing.
#[test]
fn claims_without_finite_values_are_not_confirmed() {
    let place = folder("reproduce-claims");
    let good = manifest(r#"[[""], [""]]"#);
    let from = "test = [\"abs([order swing g3 0.01 0.005 angle.error] - 2) < 0.1\"]";
    assert!(good.contains(from));
    let error = "[swing g3 0.01 angle.error]";
    let tests: Vec<(String, &str)> = vec![
        (format!("{error} < 1"), "confirmed"),
        (format!("{error}/0 > 1"), "DIFFERS"),
        (format!("-{error}/0 < 1"), "DIFFERS"),
        (format!("1/({error}/0) < 1"), "DIFFERS"),
        (format!("min({error}/0, 1) == 1"), "DIFFERS"),
        (format!("max(0*{error}/0, 1) == 1"), "DIFFERS"),
        (format!("not (sqrt(-{error}) > 1)"), "DIFFERS"),
        (format!("sqrt(-{error}) != 1"), "DIFFERS"),
        (format!("sqrt(-{error}) and 1 > 0"), "DIFFERS"),
        (format!("sqrt(-{error}) or 0 > 1"), "DIFFERS"),
        (format!("{error}/0 == {error}/0"), "DIFFERS"),
        // the time after the end, an empty window, and one that the run does not cover
        ("[at swing g3 0.01 angle 7] < 1e9".into(), "DIFFERS"),
        ("[largest swing g3 0.01 angle 7 8] < 1e9".into(), "DIFFERS"),
        ("[largest swing g3 0.01 angle 0.5 8] < 1e9".into(), "DIFFERS"),
        ("[range swing g3 0.01 angle 0.5 1] < 1e9".into(), "confirmed"),
        // no bound is passed: the motion was followed for a second
        ("[beyond swing g3 0.01 angle 1e9] > 2".into(), "DIFFERS"),
        ("[beyond swing g3 0.01 angle 1e9] >= 0.99".into(), "confirmed"),
        ("[limit hht] > 1e6".into(), "DIFFERS"),
    ];
    for stands in ["", "stands = false\nkind = \"open\"\nbecause = \"tried\"\n"] {
        let claims: String = tests
            .iter()
            .map(|(test, _)| format!("[[item.claim]]\ntext = \"x\"\ntest = [\"{test}\"]\n{stands}"))
            .collect();
        let claim =
            format!("[[item.claim]]\ntext = \"Half the step, a quarter of the error\"\n{from}\n");
        assert!(good.contains(&claim));
        let output = reproduced(&place, &good.replace(&claim, &claims), &["--json"]);
        assert_eq!(output.status.code(), Some(3), "{}", said(&output));
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        for (k, (test, verdict)) in tests.iter().enumerate() {
            let expected = match *verdict {
                verdict if stands.is_empty() => verdict,
                // what is confirmed cannot be said not to stand
                "confirmed" => "DIFFERS",
                // a test that is false is the one way to be refuted
                _ if test.contains("beyond") || test.contains("limit") => "refuted",
                verdict => verdict,
            };
            assert_eq!(found[0]["claims"][k]["verdict"], expected, "{test} {stands}");
        }
    }
}

/// Shapes of tables agree, bounds are finite, tests are comparisons; each mistake comes with its place.
#[test]
fn mistakes_in_tables_and_claims_are_named_with_their_place() {
    let place = folder("reproduce-shapes");
    let good = manifest(r#"[["1"], ["2"]]"#);
    let printed = "printed = [[\"1\"], [\"2\"]]";
    let test = "test = [\"abs([order swing g3 0.01 0.005 angle.error] - 2) < 0.1\"]";
    let table = "item table1: table 1 (`Energy`): ";
    for (from, to, wanted) in [
        (printed, "printed = [[\"1\"]]", format!("{table}`printed` has 1 rows for 2")),
        (
            printed,
            "printed = [[\"1\"], [\"2\"], [\"3\"]]",
            format!("{table}`printed` has 3 rows for 2"),
        ),
        (printed, "printed = []", format!("{table}`printed` has 0 rows for 2")),
        (
            printed,
            "printed = [[\"1\"], []]",
            format!("{table}row 2 of `printed` has 0 values for 1 columns"),
        ),
        (
            printed,
            "printed = [[\"1\", \"1\"], [\"2\"]]",
            format!("{table}row 1 of `printed` has 2 values"),
        ),
        (
            printed,
            "printed = [[\"1\"], [\"inf\"]]",
            "row 2, column 1: the printed value `inf`".into(),
        ),
        (
            printed,
            "printed = [[\"1\"], [\"NaN\"]]",
            "row 2, column 1: the printed value `NaN`".into(),
        ),
        (
            printed,
            "printed = [[\"one\"], [\"2\"]]",
            "row 1, column 1: the printed value `one`".into(),
        ),
        (
            printed,
            "printed = [[{ printed = \"1\", ours = nan, kind = \"open\", because = \"x\" }], [\"2\"]]",
            "row 1, column 1: `ours` is NaN".into(),
        ),
        (
            printed,
            "printed = [[{ printed = \"1\", ours = 1, within = inf, kind = \"open\", because = \"x\" }], [\"2\"]]",
            "row 1, column 1: `within` is inf".into(),
        ),
        (
            printed,
            "printed = [[{ printed = \"1\", ours = 1, kind = \"open\", because = \" \" }], [\"2\"]]",
            "row 1, column 1: the value is not the printed one and has no reason".into(),
        ),
        (
            printed,
            "printed = [[{ printed = \"1\", ours = 1, because = \"x\" }], [\"2\"]]",
            "row 1, column 1: the value is not the printed one and its reason has no kind".into(),
        ),
        (
            printed,
            "printed = [[{ printed = \"1\", ours = 1, kind = \"error\", because = \"x\" }], [\"2\"]]",
            "what is printed".into(),
        ),
        (
            printed,
            "printed = [[{ printed = \"1\", ours = 1, because = \"x\", withing = 1 }], [\"2\"]]",
            "what is printed".into(),
        ),
        (printed, "tolerance = inf\nprinted = [[\"1\"], [\"2\"]]", "`tolerance` is inf".into()),
        (printed, "tolerance = -1\nprinted = [[\"1\"], [\"2\"]]", "`tolerance` is -1".into()),
        (printed, "floor = nan\nprinted = [[\"1\"], [\"2\"]]", "`floor` is NaN".into()),
        (printed, "below = inf", "`below` is inf".into()),
        (printed, "row_names = []", "`row_names` has 0 names for 2".into()),
        (printed, "column_names = [\"a\", \"b\"]", "`column_names` has 2 names for 1".into()),
        ("columns = [\"g3\"]", "columns = []", "2 rows and 0 columns".into()),
        (
            test,
            &format!("{test}\nholds = false"),
            "the claim does not hold and has no reason".into(),
        ),
        (
            test,
            &format!("{test}\nholds = false\nbecause = \"x\""),
            "the claim does not hold and its reason has no kind".into(),
        ),
        (
            test,
            &format!("{test}\nkind = \"open\"\nbecause = \"x\""),
            "it has a `kind` but nothing to explain".into(),
        ),
        (
            "title = \"Drift\"",
            "title = \"Drift\"\nbecause = \"x\"",
            "item table1: the item is not that of the paper and its reason has no kind".into(),
        ),
        (test, "test = [\"1 < 2\"]", "the test `1 < 2` reads no number".into()),
        (test, "test = [\"[swing g3 0.01 angle.error]\"]", "a test is a comparison".into()),
        (
            test,
            "test = [\"[order swing g3 0.005 0.01 angle.error] > 1\"]",
            "not the larger one".into(),
        ),
        (
            test,
            "test = [\"[order swing g3 0.01 0.01 angle.error] > 1\"]",
            "not the larger one".into(),
        ),
        ("steps = [0.01, 0.005]", "steps = []", "study swing: runs 1 have no steps".into()),
        (
            "methods = [\"g3\", \"lms3:rho=0.6/position\"], steps",
            "methods = [], steps",
            "no methods".into(),
        ),
        (
            "title = \"Drift\"",
            "title = \"Dri\\u001Bft\"",
            "item[0].title: the character U+001B".into(),
        ),
        ("title = \"Drift\"", "title = \"Dri\\u202Eft\"", "U+202E".into()),
    ] {
        assert!(good.contains(from), "{from}");
        let output = reproduced(&place, &good.replace(from, to), &[]);
        assert_eq!(output.status.code(), Some(2), "{to}: {}", said(&output));
        assert!(said(&output).contains(&wanted), "{to}: {}", said(&output));
    }
    let empty = good.clone()
        + "\n[[purpose]]\nname = \"p\"\ntitle = \"P\"\ntext = \"\"\nunit = \"s\"\nwithin = inf\n\
        score = \"[swing {method} 0.01 angle.error]\"\nmethods = [\"g3\"]\n";
    let output = reproduced(&place, &empty, &[]);
    assert!(said(&output).contains("purpose p: `within` is inf"), "{}", said(&output));
    // the last errors of steps that end at different times have no order
    let apart = good
        .replace("steps = [0.01, 0.005]", "steps = [0.3, 0.2]")
        .replace("rk4@1e-3", "rk4@1e-2")
        .replace("rows = [\"0.01\", \"0.005\"]", "rows = [\"0.3\", \"0.2\"]")
        .replace(printed, "")
        .replace("0.01 0.005 angle.error] - 2) < 0.1", "0.3 0.2 angle.last-error] - 2) < 0.1");
    let output = reproduced(&place, &apart, &[]);
    assert!(said(&output).contains("take steps that divide the motion"), "{}", said(&output));
    assert_eq!(output.status.code(), Some(2));
}

/// Names by which a hostile text is known again wherever it comes out.
const HOSTILE: &str = "<script src=https://evil.example/x.js></script><img src=https://evil.example/i.png onerror=alert(1)>\\\"'>\
    ![p](https://evil.example/p.png) [j](javascript:alert(1)//x.html) [d](data:text/html,x.html) <javascript:alert(1)> \
    [r][1] <svg/onload=alert(1)> <style>@import url(https://evil.example/s.css)</style> &#106;avascript\\n\\n\
    [1]: javascript:alert(2)\\n\\n<iframe src='https://evil.example'></iframe>\\n\\n    <b>x</b>\\n";

/// A manifest that tries to bring scripts and remote content into the pages by every text it has.
#[test]
fn a_hostile_manifest_gets_nothing_into_the_pages() {
    let place = folder("reproduce-hostile");
    let h = HOSTILE;
    let text = format!(
        r#"
[paper]
name = "mine"
title = "{h}"
source = "{h}"
about = "{h}"
[group]
two = ["g3"]
[names]
g3 = "{h}"
[study.swing]
problem = "simple-pendulum"
end = 0.1
runs = [{{ methods = ["@two"], steps = [0.01, 0.005] }}]
reference = "rk4@1e-3"
[[item]]
name = "table1"
title = "{h}"
paper = "{h}"
ours = "{h}"
gallery = true
[[item.table]]
caption = "{h}"
rows = ["0.01", "0.005"]
row_names = ["{h}", "{h}"]
columns = ["g3"]
column_names = ["{h}"]
cell = "[swing {{column}} {{row}} energy.change]"
printed = [[{{ printed = "{h}", ours = 1, within = 1e9, kind = "open", because = "{h}" }}], [""]]
[[item.table]]
rows = ["g3"]
columns = ["0.01"]
cell = "[swing {{row}} {{column}} energy.change]"
[[item.claim]]
text = "{h}"
test = ["[swing g3 0.01 angle.error] < 1"]
because = "{h}"
[[item.figure]]
kind = "convergence"
caption = "{h}"
x_label = "{h}"
view = {{ study = "swing", methods = ["@two"], signal = "angle", label = "{h}" }}
[[item]]
name = "fig2"
title = "{h}"
[[purpose]]
name = "{h}"
title = "{h}"
text = "{h}"
methods = ["g3"]
score = "[swing {{method}} 0.01 angle.error]"
unit = "{h}"
within = 2
[[erratum]]
place = "{h}"
printed = "{h}"
right = "{h}"
evidence = "{h}"
as_printed = ["[swing g3 0.01 angle.error]"]
as_corrected = ["[swing g3 0.005 angle.error]"]
shows = "c0 < p0"
"#
    );
    let output = reproduced(&place, &text, &[]);
    assert!(output.status.success(), "{}", said(&output));
    let mut folders = vec![place.join("site")];
    let (mut pages, mut pictures) = (0, 0);
    while let Some(here) = folders.pop() {
        for entry in fs::read_dir(&here).unwrap() {
            let path = entry.unwrap().path();
            let ending = path.extension().map(|x| x.to_string_lossy().into_owned());
            match ending.as_deref() {
                _ if path.is_dir() => folders.push(path),
                Some("html") => {
                    pages += 1;
                    is_harmless(&path);
                }
                Some("svg") => {
                    pictures += 1;
                    let text = fs::read_to_string(&path).unwrap();
                    for tag in tags(&text) {
                        // the line by which the program knows its own pictures
                        if tag.starts_with("!-- written by cardan --") {
                            continue;
                        }
                        let name = tag.split([' ', '/', '>']).next().unwrap();
                        let known = [
                            "svg", "path", "text", "rect", "circle", "polyline", "polygon", "line",
                            "g", "tspan", "title", "desc", "defs", "clipPath", "style", "?xml", "",
                        ];
                        assert!(known.contains(&name), "{}: <{tag}>", path.display());
                        assert!(!tag.contains("href") && !tag.contains(" on"), "<{tag}>");
                    }
                }
                _ => {}
            }
        }
    }
    assert!(pages >= 6 && pictures == 1, "{pages} {pictures}");
}

/// What stands between < and >.
fn tags(text: &str) -> impl Iterator<Item = &str> {
    text.split('<').skip(1).map(|part| part.split('>').next().unwrap())
}

/// A page has a policy, tags and attributes that we write ourselves, and nothing from elsewhere.
fn is_harmless(page: &Path) {
    let text = fs::read_to_string(page).unwrap();
    let about = page.display();
    assert!(
        text.contains("http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"),
        "{about}"
    );
    let known = [
        "!doctype",
        "html",
        "head",
        "meta",
        "title",
        "link",
        "body",
        "header",
        "a",
        "nav",
        "main",
        "h1",
        "h2",
        "h3",
        "p",
        "span",
        "figure",
        "img",
        "figcaption",
        "table",
        "tr",
        "th",
        "td",
        "small",
        "ul",
        "li",
        "pre",
        "code",
        "details",
        "summary",
        "strong",
        "em",
        "br",
        "blockquote",
        "ol",
        "hr",
        "thead",
        "tbody",
    ];
    for tag in tags(&text) {
        let name = tag.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap();
        assert!(known.contains(&name), "{about}: <{tag}>");
        // attributes are name="value": outside the quotes nothing but names
        let names: String = tag.split('"').step_by(2).collect::<Vec<_>>().join(" ");
        for word in names.split_whitespace().skip(1).filter(|word| word.ends_with('=')) {
            let ours = [
                "charset=",
                "http-equiv=",
                "content=",
                "name=",
                "lang=",
                "rel=",
                "href=",
                "class=",
                "src=",
                "alt=",
                "loading=",
                "width=",
                "title=",
            ];
            assert!(ours.contains(&word), "{about}: {word} in <{tag}>");
        }
        let value = |key: &str| {
            tag.split_once(&format!(" {key}=\"")).map(|(_, x)| x.split('"').next().unwrap())
        };
        for target in [value("href"), value("src")].into_iter().flatten() {
            let is_page =
                name == "a" && (target.starts_with("https://") || target.starts_with("http://"));
            let is_ours =
                target.chars().all(|c| c.is_ascii_alphanumeric() || "-_./@=,+%#".contains(c));
            assert!(is_page || is_ours && !target.starts_with('/'), "{about}: {target}");
        }
    }
}
