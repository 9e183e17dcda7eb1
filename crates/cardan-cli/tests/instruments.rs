//! `spectrum`, `compare` and `methods NAME` as people and scripts use them.

use std::fs;
use std::path::PathBuf;
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

fn json(arguments: &[&str]) -> Value {
    let output = cardan(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", said(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    path
}

#[test]
fn spectrum_rows_have_the_agreed_keys() {
    let rows = json(&["spectrum", "lms3", "bathe", "esdirk436", "--rho", "0,0.6", "--json"]);
    let rows = rows.as_array().unwrap();
    for row in rows {
        for key in ["spectral_radius", "amplitude_decay_percent", "period_elongation_percent"] {
            assert!(row[key].is_f64(), "{key}: {row}");
        }
    }
    let row = |method: &str, rho: Option<f64>, at: f64| {
        let fits = |row: &&Value| {
            row["method"] == method && row["rho"].as_f64() == rho && row["dt_over_nT"] == at
        };
        rows.iter().find(fits).unwrap_or_else(|| panic!("{method} {rho:?} {at}"))
    };
    // the abscissae of the fixtures are among the usual ones
    for at in [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 10.0, 100.0] {
        row("lms3", Some(0.6), at);
    }
    let radius = row("bathe", Some(0.0), 0.5)["spectral_radius"].as_f64().unwrap();
    assert!((radius - 0.63557531421025436).abs() < 1e-9, "{radius}");
    // one that does not take rho is there once
    row("esdirk436", None, 0.1);
    assert_eq!(rows.iter().filter(|row| row["method"] == "esdirk436").count(), 17);
}

/// Numbers and methods in any order, with commas or spaces.
#[test]
fn lists_are_written_as_one_likes() {
    let labels = |arguments: &[&str]| -> Vec<String> {
        let rows = json(&[&["spectrum"], arguments, &["--at", "0.1", "--json"]].concat());
        let rows = rows.as_array().unwrap();
        rows.iter().map(|row| row["label"].as_str().unwrap().to_string()).collect()
    };
    let wanted = ["lms2:rho=0", "lms2:rho=0.6", "bathe:rho=0", "bathe:rho=0.6"];
    assert_eq!(labels(&["lms2", "bathe", "--rho", "0,0.6"]), wanted);
    assert_eq!(labels(&["lms2", "bathe", "--rho", "0", "0.6"]), wanted);
    assert_eq!(labels(&["--rho", "0", "0.6", "lms2", "bathe"]), wanted);
    assert_eq!(labels(&["lms2", "bathe", "--rho", "0", "--rho", "0.6"]), wanted);
    let place = folder("lists");
    let study =
        ["compare", "sdof", "--methods", "lms2", "bathe", "--steps", "0.1", "0.05", "--json"];
    let rows = json(&[&study[..], &["--out", place.to_str().unwrap()]].concat());
    assert_eq!(rows.as_array().unwrap().len(), 4);
}

#[test]
fn spectrum_shows_and_draws() {
    let pictures = folder("spectrum");
    let path = pictures.to_str().unwrap();
    let output = cardan(&["spectrum", "lms2", "bathe:splitting=0.8", "--out", path]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(out(&output).contains("bathe:splitting=0.8  2       2.00"), "{}", out(&output));
    for name in ["radius", "decay", "period", "region", "overshoot"] {
        let text = fs::read_to_string(pictures.join(format!("{name}.svg"))).unwrap();
        assert!(text.contains("bathe:splitting=0.8") && !text.contains("NaN"), "{name}");
    }
    let roots = json(&["spectrum", "lms4", "--at", "0.1", "--show", "roots", "--json"]);
    let largest = &roots[0]["roots"][0];
    let norm = largest[0].as_f64().unwrap().hypot(largest[1].as_f64().unwrap());
    assert_eq!(norm, roots[0]["spectral_radius"].as_f64().unwrap());
    let edge = json(&["spectrum", "bdf2", "--show", "region", "--json"]);
    assert!(edge.as_array().unwrap().iter().all(|point| point["re"].as_f64().unwrap() > 0.0));
    let motion = json(&["spectrum", "lms2:rho=1", "--show", "overshoot", "--json"]);
    assert_eq!(motion.as_array().unwrap().len(), 21);
}

#[test]
fn mistakes_of_the_instruments_are_told() {
    for (arguments, expected) in [
        (&["spectrum", "lsm3"][..], "did you mean `lms3`?"),
        (&["spectrum", "lms3:roh=0"], "`lms3` does not take `roh`"),
        (&["spectrum", "lms3", "--rho", "2"], "`rho` = 2 is outside [0, 1]"),
        (&["spectrum", "lms3", "--damping", "2"], "between -1 and 1"),
        (&["spectrum", "lms3", "--at", "0"], "between 1e-6 and 1e6"),
        (&["methods", "lsm3"], "did you mean `lms3`?"),
        (&["compare", "sdof", "--methods", "lsm3"], "did you mean `lms3`?"),
        (&["compare", "sdof", "--steps", "0.1,-1"], "a step of -1 is not positive"),
        (&["compare", "sdof", "--steps", "1e-12"], "takes 1.0e13 steps"),
        (&["compare", "sdof", "--from", "20", "--steps", "0.1"], "--from comes after the end"),
        (&["compare", "sdof", "--channels", "*.nothing"], "no channel matches `*.nothing`"),
        (&["compare", "sdof", "--reference", "lms3@-1"], "is not between 0 and 10"),
        (&["spectrum", "bathe:splitting=1"], "`splitting` = 1 leaves `bathe` without a solution"),
        (&["run", "pendlum"], "no example `pendlum`"),
        (&["compare", "sdof", "--steps", "20"], "longer than the motion"),
        (&["compare", "sdof", "--reference", "nowhere"], "there is no such file"),
        (&["compare", "sdof", "--reference", "lms3@fast"], "is not a step"),
        (&["compare", "nowhere.toml"], "nowhere.toml"),
    ] {
        let output = cardan(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(expected), "{arguments:?}: {}", said(&output));
    }
}

/// A study, once more, with one method more, after a torn line, against another reference.
#[test]
fn compare_measures_and_goes_on_where_it_stopped() {
    let place = folder("compare");
    let path = place.to_str().unwrap();
    let mut study = vec!["compare", "sdof", "--steps", "0.1,0.05", "--out", path, "--json"];
    study.extend(["--channels", "mass.position.x"]);
    let with = |methods: &'static str| [&study[..], &["--methods", methods]].concat();
    let first = json(&with("lms2:startup=single-step:rho=0,bathe"));
    let rows = first.as_array().unwrap();
    assert_eq!(rows.len(), 4);
    // tests/data/sdof.csv
    let error = rows[0]["errors"]["mass.position.x"].as_f64().unwrap();
    assert!((error - 5.132763473034e-2).abs() < 1e-6, "{error}");
    let order = rows[3]["orders"]["mass.position.x"].as_f64().unwrap();
    assert!((order - 2.0).abs() < 0.05, "{order}");
    for name in ["data.csv", "convergence.svg", "work.svg", "outcomes.jsonl", "study.json"] {
        assert!(place.join(name).exists(), "{name}");
    }

    // nothing is computed twice: times are those of the first run
    let again = cardan(&with("lms2:startup=single-step:rho=0,bathe,lms3"));
    assert!(said(&again).contains("4 of 6 cases are known already"), "{}", said(&again));
    let again: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(again[0]["seconds"], rows[0]["seconds"]);

    // a line that was being written when the program died
    let ledger = place.join("outcomes.jsonl");
    let text = fs::read_to_string(&ledger).unwrap();
    fs::write(&ledger, &text[..text.len() - 20]).unwrap();
    let mended = cardan(&with("lms2:startup=single-step:rho=0,bathe,lms3"));
    assert!(said(&mended).contains("5 of 6 cases are known already"), "{}", said(&mended));
    assert!(mended.status.success());

    // another reference is another study, and takes nothing from this one's outcomes or this one from
    // its
    let other = [&with("bathe")[..], &["--reference", "mssth5@0.00625"]].concat();
    assert!(!said(&cardan(&other)).contains("known already"));
    let back = cardan(&with("bathe"));
    assert!(said(&back).contains("2 of 2 cases are known already"), "{}", said(&back));
}

#[test]
fn compare_takes_results_as_reference() {
    let place = folder("compare-file");
    let fine = place.join("fine");
    let run =
        ["run", "sdof", "--method", "esdirk436", "--step", "0.00625", "--quiet", "--format", "csv"];
    let output = cardan(&[&run[..], &["--out", fine.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}", said(&output));
    let study = |reference: &str, place: &str| {
        let arguments =
            ["compare", "sdof", "--methods", "lms3", "--steps", "0.1", "--json", "--reference"];
        let rest = [reference, "--channels", "mass.position.x,mass.velocity.x", "--out", place];
        json(&[&arguments[..], &rest[..]].concat())
    };
    let one = study(fine.to_str().unwrap(), place.join("a").to_str().unwrap());
    let two = study("esdirk436@0.00625", place.join("b").to_str().unwrap());
    assert_eq!(one[0]["compared"], 100);
    for signal in ["mass.position.x", "mass.velocity.x"] {
        let [x, y] = [&one, &two].map(|rows| rows[0]["errors"][signal].as_f64().unwrap());
        // CSV keeps all digits
        assert!((x - y).abs() < 1e-12 * x, "{signal}: {x} {y}");
    }
}

/// A file that has changed is another reference.
#[test]
fn a_changed_reference_is_noticed() {
    let place = folder("compare-changed");
    fs::create_dir_all(&place).unwrap();
    let file = place.join("reference.csv");
    let write = |value: f64| {
        let rows: String = (0..=100).map(|k| format!("{},{value}\n", f64::from(k) * 0.1)).collect();
        fs::write(&file, format!("time,mass.position.x\n{rows}")).unwrap();
    };
    let errors = || {
        let arguments = ["compare", "sdof", "--methods", "lms3", "--steps", "0.1", "--json"];
        let rest =
            ["--reference", file.to_str().unwrap(), "--channels", "mass.position.x", "--out"];
        let rows = json(&[&arguments[..], &rest, &[place.to_str().unwrap()]].concat());
        rows[0]["errors"]["mass.position.x"].as_f64().unwrap()
    };
    write(1.0);
    let before = errors();
    write(1000.5);
    assert!((errors() - before).abs() > 0.1);
}

/// A method that fails is a row that says so, and the others are there.
#[test]
fn compare_tells_which_methods_fail() {
    let place = folder("compare-fail");
    // a step in which the top turns by 1.5 rad: beyond what the Cayley chart can do
    let arguments = [
        "compare",
        "heavy_top",
        "--methods",
        "lms4,lms4:chart=exponential",
        "--steps",
        "0.01",
        "--end",
        "0.1",
        "--reference",
        "esdirk436@0.00025",
        "--out",
        place.to_str().unwrap(),
    ];
    let output = cardan(&arguments);
    assert!(output.status.success(), "{}", said(&output));
    let text = out(&output);
    let row = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap().to_string();
    assert!(row("lms4  ").contains("failed [1]"), "{text}");
    assert!(row("[1]").contains("rotation per step"), "{text}");
    assert!(!row("lms4:chart=exponential").contains("failed"), "{text}");
    // where nothing succeeds the program says so
    let alone = [&arguments[..3], &["lms4"], &arguments[4..]].concat();
    assert_eq!(cardan(&alone).status.code(), Some(3));
}

#[test]
fn methods_tells_everything_about_one() {
    let text = out(&cardan(&["methods", "bathe:rho=0"]));
    for wanted in
        ["ρ∞-Bathe", "splitting", "previous-stage", "a_21", "acceleration 2.0", "ranked best for"]
    {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    assert!(out(&cardan(&["methods", "lms3:rho=1"])).contains("trapezoidal rule itself is taken"));
    let one = json(&["methods", "esdirk436", "--json"]);
    assert_eq!((&one["embedded_order"], &one["stages"]), (&3.into(), &5.into()));
    assert!(one["coefficients"]["a_65"].as_f64().unwrap() < 0.0);
    assert_eq!(one["parameters"][0]["words"][1], "exponential");
}

/// Steps that do not divide the motion end before it: errors of all steps are taken up to the same time, and that is
/// reported.
#[test]
fn compare_takes_errors_up_to_one_time() {
    let place = folder("compare-uneven");
    let path = place.to_str().unwrap();
    let study = ["compare", "sdof", "--methods", "lms3", "--end", "1", "--out", path, "--json"];
    for (steps, until) in [("0.3,0.15,0.075", 0.9), ("0.2,0.1", 1.0), ("0.7,0.35", 0.7)] {
        let output = cardan(&[&study[..], &["--steps", steps]].concat());
        let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
        for row in rows.as_array().unwrap() {
            let found = row["compared_until"].as_f64().unwrap();
            assert!((found - until).abs() < 1e-9, "{steps}: {row}");
        }
        let note = "not every step divides the motion";
        assert_eq!(said(&output).contains(note), until < 1.0, "{}", said(&output));
    }
}
