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

/// Kills a study five times, resumes it, and compares its table with those of unbroken studies with one and two jobs.
fn kill_and_compare(name: &str, text: &str, completed: u64, failed: u64) {
    let place = folder(name, text);
    let unbroken = study(&place, "unbroken", &["--jobs", "1", "--json"]);
    assert!(unbroken.status.success(), "{}", said(&unbroken));
    let about: Value = serde_json::from_slice(&unbroken.stdout).unwrap();
    let counts = (&about["completed"], &about["failed"]);
    assert_eq!(counts, (&completed.into(), &failed.into()), "{about}");
    let expected = rows(&place.join("unbroken"));
    let mut kills = 0;
    let mut stored = 0;
    while kills < 5 {
        let mut running = command(&place, "killed", &["--jobs", "2"]).spawn().unwrap();
        // each time, some more cases are to be stored
        let cases = place.join("killed/cases.cardan");
        let size = || fs::metadata(&cases).map_or(0, |about| about.len());
        while size() <= stored + 5000 && running.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        stored = size();
        assert!(running.try_wait().unwrap().is_none(), "the study ended after {kills} kills");
        kills += 1;
        running.kill().unwrap();
        running.wait().unwrap();
    }
    let resumed = study(&place, "killed", &["--jobs", "2", "--json"]);
    assert!(resumed.status.success(), "{}", said(&resumed));
    let about: Value = serde_json::from_slice(&resumed.stdout).unwrap();
    let computed = about["computed"].as_u64().unwrap();
    assert!(computed > 0 && computed < completed + failed, "{about}");
    assert_eq!(rows(&place.join("killed")), expected);
    assert!(study(&place, "two", &["--jobs", "2"]).status.success());
    assert_eq!(rows(&place.join("two")), expected);
    // nothing is left to compute
    let again: Value =
        serde_json::from_slice(&study(&place, "killed", &["--json"]).stdout).unwrap();
    assert_eq!(again["computed"], 0);
}

/// Of 10,000 cases of the slider-crank, half cannot be assembled.
#[test]
fn killed_study_of_the_slider_crank_has_the_table_of_an_unbroken_one() {
    let many = STUDY.replace("count = 10 }", "count = 500 }").replace("= 0.02", "= 0.005");
    kill_and_compare("study-kills", &many, 5000, 5000);
}

#[test]
fn killed_study_of_the_shaft_has_the_table_of_an_unbroken_one() {
    let text = "model = \"rotating_shaft\"\nset = { simulation.end = 2e-3, n = 4 }\n[parameters]\nd = { from = 0.01, to = 0.05, \
                count = 1000 }\n[quantities]\ny = \"final(shaft.mid.y)\"\nz = \"max(abs(shaft.mid.z))\"\n";
    kill_and_compare("study-kills-shaft", text, 1000, 0);
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
        ("title", "titel", "a study file has no `titel`"),
        ("title", "titel", "study.toml:2:1"),
        ("title", "titel", "did you mean `title`?"),
        ("max(abs(crank.angle))", "max(abs(crank.angel))", "did you mean `crank.angle`?"),
        ("max(abs(crank.angle))", "max(abs(crank.angel))", "study.toml:11:17"),
        ("max(abs(crank.angle))", "event_time(hit)", "the model has no event `hit`"),
        ("max(abs(crank.angle))", "frequency(1)", "there are no modes"),
        ("max(abs(crank.angle))", "max(crank.angle) +", "study.toml:11:"),
        ("\"slider_crank\"", "\"slider_krank\"", "did you mean `slider_crank`?"),
        ("simulation.end", "simulation.stop", "there is no setting `simulation.stop`"),
        ("from = 50", "form = 50", "did you mean `from`?"),
        ("[set]", "[set", "study.toml:4:"),
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
    assert_eq!(files, ["main-effects.svg", "scatter.svg", "histogram-peak.svg", "report.html"]);
    let page = fs::read_to_string(place.join("out/report.html")).unwrap();
    assert!(page.contains("<h2>Failures</h2>") && page.contains("scatter.svg"), "{page}");
    // drawn again over its own files, and not over those of others
    assert!(study(&place, "out", &["--plot"]).status.success());
    fs::write(place.join("out/report.html"), "mine").unwrap();
    assert_eq!(study(&place, "out", &["--plot"]).status.code(), Some(2));
}

/// A ball on a rail that an event stops, and one that counts.
const EVENTS: &str = r#"
format = 2
[parameters]
speed = 1
[body.ball]
mass = 1
inertia = [1, 1, 1]
velocity = ["speed", 0, 0]
[event.mark]
when = "ball.position.x - 0.5"
message = "half"
[event.wall]
when = "ball.position.x - 1"
stop = true
[simulation]
step = 1e-2
end = 1.5
"#;

/// The ball is at 0.5 and 1 after 0.5/speed and 1/speed seconds. A run that an event stops is completed.
#[test]
fn times_and_counts_of_events() {
    let text = "model = \"model.toml\"\n[parameters]\nspeed = [0.25, 0.5, 2]\n[quantities]\nfirst = \"event_time(wall)\"\n\
                marks = \"event_count(mark)\"\nlast = \"max(time)\"\n";
    let place = folder("study-events", text);
    fs::write(place.join("model.toml"), EVENTS).unwrap();
    let output = study(&place, "out", &["--json"]);
    assert!(output.status.success(), "{}", said(&output));
    let about: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(about["completed"], 3, "{about}");
    let table = StudyTable::open(&place.join("out")).unwrap();
    assert_eq!(table.numbers("marks"), [0.0, 1.0, 1.0]);
    let first = table.numbers("first");
    assert!(first[0].is_nan() && first[1].is_nan() && (first[2] - 0.5).abs() < 1e-9, "{first:?}");
    let last = table.numbers("last");
    assert!((last[1] - 1.5).abs() < 1e-9 && (last[2] - 0.5).abs() < 1e-9, "{last:?}");
}

#[test]
fn files_of_others_stay() {
    let place = folder("study-foreign", STUDY);
    let out = place.join("out");
    fs::create_dir_all(&out).unwrap();
    fs::write(out.join("notes.txt"), "mine").unwrap();
    for name in ["table.parquet", "cases.cardan", ".cardan-table.parquet.partial"] {
        fs::write(out.join(name), "mine").unwrap();
        let output = study(&place, "out", &[]);
        assert_eq!(output.status.code(), Some(2), "{name}: {}", said(&output));
        assert_eq!(fs::read_to_string(out.join(name)).unwrap(), "mine", "{name}");
        fs::remove_file(out.join(name)).unwrap();
    }
    // a table that was not completed is replaced, and a file with a similar name is not
    fs::write(out.join(".cardan-table.parquet.partial"), "PAR1 and more").unwrap();
    fs::write(out.join("table.parquet.partial"), "mine").unwrap();
    assert!(study(&place, "out", &[]).status.success());
    assert!(!out.join(".cardan-table.parquet.partial").exists());
    for name in ["notes.txt", "table.parquet.partial"] {
        assert_eq!(fs::read_to_string(out.join(name)).unwrap(), "mine", "{name}");
    }
}

/// Runs with different steps, and studies with different dampers, in one picture each.
#[test]
fn several_runs_and_studies_in_one_picture() {
    let text = "model = \"slider_crank\"\nset = { simulation.end = 0.05 }\nhistories = [\"crank.angle\"]\n[parameters]\n\
                k = [50, 100]\n[quantities]\npeak = \"max(abs(crank.angle))\"\n";
    let place = folder("study-overlay", text);
    assert!(study(&place, "soft", &[]).status.success());
    fs::write(place.join("study.toml"), text.replace("set = {", "set = { c = 1,")).unwrap();
    assert!(study(&place, "softer", &[]).status.success());
    let cardan = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cardan"));
        command.current_dir(&place).args(words).output().unwrap()
    };
    for (step, folder) in [("1e-3", "fine"), ("5e-3", "coarse")] {
        let words =
            ["run", "slider_crank", "--end", "0.05", "--step", step, "--out", folder, "--quiet"];
        let output = cardan(&words);
        assert!(output.status.success(), "{}", said(&output));
    }
    let curves = |words: &[&str]| {
        let output = cardan(&[&["plot", "--json"], words].concat());
        assert!(output.status.success(), "{words:?}: {}", said(&output));
        let about: Value = serde_json::from_slice(&output.stdout).unwrap();
        let picture = about["picture"].as_str().unwrap();
        assert!(fs::metadata(place.join(picture)).unwrap().len() > 1000, "{picture}");
        let panels = about["panels"].as_array().unwrap().clone();
        let names = panels.iter().flat_map(|panel| panel["curves"].as_array().unwrap().clone());
        names.map(|curve| curve["name"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(curves(&["fine", "coarse", "crank.angle"]), ["fine", "coarse"]);
    assert_eq!(curves(&["soft", "softer"]), ["soft", "softer"]);
    assert_eq!(curves(&["soft", "softer", "peak", "--out", "peak.png"]), ["soft", "softer"]);
    let with_runs = curves(&["fine", "soft", "crank.angle", "--out", "both.svg"]);
    assert_eq!(with_runs, ["fine", "soft: k = 50", "soft: k = 100"]);
    for (words, reason) in [
        (&["fine", "coarse", "crank.angel"][..], "did you mean `crank.angle`?"),
        (&["soft", "softer", "peek"], "soft: there is no column `peek`; did you mean `peak`?"),
        (&["fine", "soft", "energy.total"], "there is no"),
        (&["fine", "missing/run"], "missing/run"),
        (&["soft", "softer", "--against", "kk"], "there is no column `kk`"),
    ] {
        let output = cardan(&[&["plot", "--out", "no.svg"], words].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(said(&output).contains(reason), "{words:?}: {}", said(&output));
        assert!(!place.join("no.svg").exists());
    }
}
