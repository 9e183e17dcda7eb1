//! `cardan study`: kills, jobs, failures and pictures.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use cardan_lab::study::parameters::{StudyTable, TableColumn};
use serde_json::Value;

/// Half of the cases have a crank that is longer than the rod and cannot be assembled at phi0 = 90°; one quantity is NaN.
const STUDY: &str = r#"
title = "crank"
model = "slider_crank"
[set]
phi0 = "90*deg"
"simulation.end" = 0.02
[parameters]
L1 = { from = 0.21, to = 0.99, count = 20 }
k = { from = 50, to = 200, count = 10 }
[quantities]
peak = "max(abs(crank.angle))"
unknown = "at(5, crank.angle)"
"#;

fn folder(name: &str, study: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("study.toml"), study).unwrap();
    path
}

fn study(folder: &Path, out: &str, options: &[&str]) -> Output {
    command(folder, out, options).output().unwrap()
}

fn command(folder: &Path, out: &str, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cardan"));
    command.current_dir(folder).args(["study", "study.toml", "--out", out]).args(options);
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The columns without times; numbers as bits.
fn rows(folder: &Path) -> Vec<(String, Vec<String>)> {
    let table = StudyTable::open(folder).unwrap();
    let timed = table.columns.into_iter().filter(|(name, _)| name != "wall_time");
    let text = |column| match column {
        TableColumn::Integers(x) => x.iter().map(ToString::to_string).collect(),
        TableColumn::Numbers(x) => x.iter().map(|x| format!("{:x}", x.to_bits())).collect(),
        TableColumn::Text(x) => x,
    };
    timed.map(|(name, column)| (name, text(column))).collect()
}

#[test]
fn killed_study_has_the_table_of_an_unbroken_one() {
    let place = folder("study-kills", STUDY);
    let unbroken = study(&place, "unbroken", &["--jobs", "1", "--json"]);
    assert!(unbroken.status.success(), "{}", said(&unbroken));
    let about: Value = serde_json::from_slice(&unbroken.stdout).unwrap();
    assert_eq!((&about["completed"], &about["failed"]), (&100.into(), &100.into()), "{about}");
    let mut kills = 0;
    for pause in [30, 40, 50, 60, 70] {
        let mut running = command(&place, "killed", &["--jobs", "2"]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        kills += usize::from(running.try_wait().unwrap().is_none());
        running.kill().unwrap();
        running.wait().unwrap();
    }
    assert!(kills > 0, "the study ended before it was killed");
    let resumed = study(&place, "killed", &["--jobs", "2"]);
    assert!(resumed.status.success(), "{}", said(&resumed));
    assert_eq!(rows(&place.join("killed")), rows(&place.join("unbroken")));
    // nothing is left to compute
    let again: Value =
        serde_json::from_slice(&study(&place, "killed", &["--json"]).stdout).unwrap();
    assert_eq!(again["computed"], 0);
}

#[test]
fn duplicated_cases_are_computed_once() {
    let study_file = "model = \"slider_crank\"\nset = { \"simulation.end\" = 0.01 }\n[parameters]\nk = [100, 100, 50, 100]\n\
                      [quantities]\nlast = \"final(crank.angle)\"\n";
    let place = folder("study-equal", study_file);
    let about: Value = serde_json::from_slice(&study(&place, "out", &["--json"]).stdout).unwrap();
    assert_eq!((&about["cases"], &about["computed"]), (&4.into(), &2.into()), "{about}");
    let table = StudyTable::open(&place.join("out")).unwrap();
    let last = table.numbers("last");
    assert!(last[0] == last[1] && last[0] == last[3] && last[0] != last[2], "{last:?}");
}

#[test]
fn studies_that_cannot_be_computed_are_refused() {
    let wrong = [
        ("count = 10", "count = 1000000000", "a study has at most 5000000"),
        ("k = {", "kk = {", "the model has no parameter `kk`"),
        ("max(abs(crank.angle))", "max(abs(crank.angel))", "there is no channel `crank.angel`"),
        ("at(5,", "att(5,", "there is no function `att`"),
        ("title", "titel", "unknown field `titel`"),
    ];
    for (old, new, reason) in wrong {
        let place = folder("study-wrong", &STUDY.replace(old, new));
        let output = study(&place, "out", &[]);
        assert_eq!(output.status.code(), Some(2), "{new}");
        assert!(said(&output).contains(reason), "{new}: {}", said(&output));
    }
}

/// A file that takes nothing stands for a full disk.
#[cfg(target_os = "linux")]
#[test]
fn full_disk_ends_the_study() {
    let place = folder("study-full", STUDY);
    let shell =
        format!("ulimit -f 4; exec {} study study.toml --out out", env!("CARGO_BIN_EXE_cardan"));
    let limited = Command::new("bash")
        .current_dir(&place)
        .args(["-c", &format!("trap '' XFSZ; {shell}")])
        .output()
        .unwrap();
    assert!(!limited.status.success());
    assert!(said(&limited).contains("cannot write"), "{}", said(&limited));
    let resumed = study(&place, "out", &[]);
    assert!(resumed.status.success(), "{}", said(&resumed));
    assert!(study(&place, "whole", &[]).status.success());
    assert_eq!(rows(&place.join("out")), rows(&place.join("whole")));
}

#[test]
fn pictures_and_report() {
    let place = folder("study-plot", STUDY);
    let output = study(&place, "out", &["--plot", "--json"]);
    assert!(output.status.success(), "{}", said(&output));
    let about: Value = serde_json::from_slice(&output.stdout).unwrap();
    let files: Vec<&str> =
        about["pictures"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(files, ["main-effects.svg", "histogram-peak.svg", "scatter.svg", "report.html"]);
    let page = fs::read_to_string(place.join("out/report.html")).unwrap();
    assert!(page.contains("<h2>Failures</h2>") && page.contains("scatter.svg"), "{page}");
    // drawn again over its own files, and not over those of others
    assert!(study(&place, "out", &["--plot"]).status.success());
    fs::write(place.join("out/report.html"), "mine").unwrap();
    assert_eq!(study(&place, "out", &["--plot"]).status.code(), Some(2));
}
