//! The program as people and scripts use it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn cardan(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cardan")).args(arguments).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn methods_lists_the_registry_with_measured_orders() {
    let output = cardan(&["methods"]);
    assert!(output.status.success());
    let table = text(&output);
    for info in cardan::methods::all() {
        assert!(table.contains(info.name) && table.contains(info.title), "{}", info.name);
    }
    assert!(!table.contains("not measured"), "renew the record: cardan exam --write");

    let json: serde_json::Value =
        serde_json::from_slice(&cardan(&["methods", "--json"]).stdout).unwrap();
    let methods = json.as_array().unwrap();
    assert_eq!(methods.len(), cardan::methods::all().count());
    let bdf2 = methods.iter().find(|m| m["name"] == "bdf2").unwrap();
    assert_eq!(bdf2["constraints"]["acceleration"]["allowed"], false);
    assert!(bdf2["constraints"]["position"]["measured_orders"][3].as_f64().unwrap() > 1.9);
}

#[test]
fn joints_lists_every_kind() {
    let table = text(&cardan(&["joints"]));
    let json: serde_json::Value =
        serde_json::from_slice(&cardan(&["joints", "--json"]).stdout).unwrap();
    assert_eq!(json.as_array().unwrap().len(), cardan::model::JOINTS.len());
    for info in cardan::model::JOINTS {
        assert!(table.contains(info.name) && table.contains(info.allows), "{}", info.name);
    }
    assert_eq!(json[0]["planar_rows"], 2);
}

#[test]
fn exam_grades_a_method_by_any_of_its_names() {
    let bdf2 = cardan::methods::find("bdf2").unwrap();
    let output = cardan(&["exam", "nstiff", "--json"]);
    assert!(output.status.success());
    let record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let grades = record["grades"].as_array().unwrap();
    let takes_states =
        bdf2.unsupported_reason(cardan::methods::SystemFeature::FirstOrderStates).is_none();
    // two problems without constraints, three with, one with states, in both formulations
    assert_eq!(grades.len(), if takes_states { 10 } else { 8 });
    assert!(grades.iter().all(|grade| grade["method"] == "bdf2"));
    assert!(text(&cardan(&["exam", "nstiff"])).contains("spatial-double-pendulum"));
}

#[test]
fn mistakes_end_with_exit_code_2_and_a_remedy() {
    for (arguments, expected) in [
        (&["exam", "euler"][..], "there is no method `euler`; `cardan methods` lists them"),
        (&["exam", "lsm3"][..], "there is no method `lsm3`; did you mean `lms3`?"),
        (
            &["exam", "bdf2", "--write", "/nonexistent/x.json"][..],
            "--write keeps the record of all methods",
        ),
        (&["exma"][..], "'exam'"),
    ] {
        let output = cardan(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(expected), "{message}");
    }
}

/// The number of parts follows from the memory that is allowed.
#[test]
fn parts_that_need_more_memory_than_allowed_are_refused_at_their_place() {
    let folder = Scratch::new("memory");
    let model = folder.path("many.toml");
    let text =
        "format = 2\n[body.\"b{i}\"]\nrepeat = 150000\nmass = 1\n[simulation]\nstep = 1\nend = 2\n";
    fs::write(&model, text).unwrap();
    let run =
        |limit: &str| cardan(&["run", &model, "--max-memory", limit, "--out", &folder.path("out")]);
    let refused = run("1GB");
    assert_eq!(refused.status.code(), Some(2));
    let message = String::from_utf8(refused.stderr).unwrap();
    for part in
        ["many.toml:3:10", "150000 parts", "GB of memory", "1.0 GB are allowed", "--max-memory"]
    {
        assert!(message.contains(part), "{part}: {message}");
    }
}

/// A folder that goes when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("cardan-program-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn message(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn from_an_example_to_a_picture() {
    let scratch = Scratch::new("first");
    let (model, folder) = (scratch.path("mine.toml"), scratch.path("out"));
    assert!(text(&cardan(&["new"])).contains("slider_crank"));
    assert!(cardan(&["new", "slider_crank", &model]).status.success());
    let again = cardan(&["new", "slider_crank", &model]);
    assert_eq!(again.status.code(), Some(2));
    assert!(message(&again).contains("exists already"));

    let checked = cardan(&["check", &model]);
    assert!(text(&checked).contains("degrees of freedom: 1"), "{}", text(&checked));
    let json: serde_json::Value =
        serde_json::from_slice(&cardan(&["check", &model, "--json"]).stdout).unwrap();
    assert_eq!(json["report"]["degrees_of_freedom"], 1);
    assert_eq!((&json["sizes"]["bodies"], &json["steps"]), (&2.into(), &2000.into()));
    assert!(text(&cardan(&["check", &model, "--channels"])).contains("crank.position.x, .y"));

    let ran =
        cardan(&["run", &model, "--out", &folder, "--set", "c=0", "--end", "1", "--rho", "0.9"]);
    assert!(ran.status.success(), "{}", message(&ran));
    for line in [
        "generalized-alpha (rho = 0.9)",
        "1000 of 0.001 s",
        "energy balance error",
        "results.parquet",
    ] {
        assert!(text(&ran).contains(line), "{}", text(&ran));
    }
    let summary = fs::read_to_string(scratch.0.join("out/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!((&summary["parameters"]["c"], &summary["end"]), (&0.0.into(), &1.0.into()));
    assert_eq!(summary["version"].as_str().unwrap(), text(&cardan(&["--version"])).trim());

    let plotted = cardan(&["plot", &folder]);
    assert_eq!(text(&plotted).trim(), scratch.path("out/plot.svg"));
    let svg = fs::read_to_string(scratch.0.join("out/plot.svg")).unwrap();
    assert!(svg.contains("Slider-crank with spring and damper") && svg.contains("time [s]"));
    assert!(svg.contains("crank.angle") && svg.contains("energy [J]"), "labels and units");
    let picture = scratch.path("path.png");
    let against =
        ["plot", &folder, "crank.angle", "--against", "slide.translation", "--out", &picture];
    assert!(cardan(&against).status.success());
    assert!(fs::read(&picture).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn quiet_json_and_csv_are_for_scripts() {
    let scratch = Scratch::new("scripts");
    let (model, folder) = (scratch.path("p.toml"), scratch.path("out"));
    assert!(cardan(&["new", "pendulum", &model]).status.success());
    let quiet =
        cardan(&["run", &model, "-o", &folder, "--quiet", "--format", "csv", "--end", "0.01"]);
    assert!(quiet.status.success() && quiet.stdout.is_empty() && quiet.stderr.is_empty());
    let csv = fs::read_to_string(scratch.0.join("out/results.csv")).unwrap();
    assert!(csv.starts_with("time,bob.position.x,bob.position.y,bob.angle,O.angle,energy.kinetic"));
    assert_eq!(csv.lines().count(), 12);
    let json =
        cardan(&["run", &model, "-o", &folder, "--json", "--substep", "1e-2", "--end", "0.1"]);
    let summary: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&summary["steps"], &summary["status"]), (&10.into(), &"completed".into()));
    // the other format's results are gone: they were another run's
    assert!(!scratch.0.join("out/results.csv").exists());
}

#[test]
fn mistakes_name_file_line_and_word() {
    let scratch = Scratch::new("mistakes");
    let model = scratch.path("m.toml");
    assert!(cardan(&["new", "pendulum", &model]).status.success());
    let original = fs::read_to_string(&model).unwrap();
    fs::write(&model, original.replace("\"revolute\"", "\"revolut\"")).unwrap();
    let output = cardan(&["run", &model, "-o", &scratch.path("out")]);
    let shown = message(&output);
    assert_eq!(output.status.code(), Some(2));
    assert!(shown.contains("m.toml:21:8") && shown.contains("did you mean `revolute`?"), "{shown}");
    assert!(!shown.contains('\u{1b}') && shown.starts_with("error: "), "{shown}");
    assert!(!scratch.0.join("out").exists());

    let json = cardan(&["run", &model, "-o", &scratch.path("out"), "--json"]);
    let list: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(
        (&list["mistakes"][0]["line"], &list["mistakes"][0]["column"]),
        (&21.into(), &8.into())
    );
    // a key of format 1 in a file of format 2
    let body = "[body.tip]\nmass = 1\ninertia = 1\nweight = 2\n";
    let line = original.lines().count() + 4;
    fs::write(&model, format!("{original}{body}")).unwrap();
    let checked = cardan(&["check", &model, "--json"]);
    assert_eq!(checked.status.code(), Some(2));
    let list: serde_json::Value = serde_json::from_slice(&checked.stdout).unwrap();
    let found = &list["mistakes"][0];
    assert_eq!((&found["line"], &found["column"]), (&line.into(), &1.into()), "{list}");
    assert_eq!(found["help"], "in format 2 it is called `assembly_weight`");
    let old = format!("{original}{body}").replace("format = 2", "format = 1");
    fs::write(&model, old).unwrap();
    let checked = cardan(&["check", &model, "--json"]);
    assert!(checked.status.success(), "{}", text(&checked));
    // channels are looked at before anything moves
    fs::write(&model, format!("{original}\n[output]\nchannels = [\"bob.angel\"]\n")).unwrap();
    let checked = cardan(&["check", &model]);
    assert_eq!(checked.status.code(), Some(2));
    assert!(message(&checked).contains("did you mean `bob.angle`?"), "{}", message(&checked));

    fs::write(&model, &original).unwrap();
    for (arguments, expected) in [
        (&["--rho", "1.5"][..], "outside [0, 1]"),
        (&["--method", "euler"][..], "there are trapezoidal, newmark"),
        (&["--step", "0"][..], "must be positive"),
        (&["--step", "1e-10"][..], "--force"),
        (&["--end", "inf"][..], "must be a number"),
        (&["--set", "length=2"][..], "it has `L`"),
        (&["--set", "L"][..], "NAME=VALUE"),
        (&["--set", "L=-1/0"][..], "inf"),
        (&["--out", "/dev/null/x"][..], "cannot write"),
        (&["--out", "/dev/full"][..], "cannot write"),
    ] {
        let out = scratch.path("out");
        let mut all = vec!["run", &model, "--out", &out];
        if arguments[0] == "--out" {
            all.truncate(2);
        }
        all.extend(arguments);
        let output = cardan(&all);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(message(&output).contains(expected), "{}", message(&output));
    }
    // a method that does not take the file's parameter leaves it out, and says so
    let output = cardan(&["run", &model, "-o", &scratch.path("out"), "--method", "bdf2"]);
    assert!(
        output.status.success() && message(&output).contains("`rho = 0.8` of the file is not used")
    );
}

#[test]
fn a_numerical_failure_keeps_results_and_exits_with_3() {
    let scratch = Scratch::new("failure");
    let (model, folder) = (scratch.path("m.toml"), scratch.path("out"));
    assert!(cardan(&["new", "slider_crank", &model]).status.success());
    let turning = "\n[drive.turn]\ntype = \"angle\"\njoint = \"O\"\nvalue = \"t\"\n";
    let short = fs::read_to_string(&model).unwrap().replace("L2 = 0.6", "L2 = 0.2") + turning;
    fs::write(&model, short).unwrap();
    let output = cardan(&["run", &model, "-o", &folder]);
    assert_eq!(output.status.code(), Some(3));
    let shown = message(&output);
    for part in ["t = 0.7", "joint `", "try:", "results so far are in"] {
        assert!(shown.contains(part), "{shown}");
    }
    let summary = fs::read_to_string(scratch.0.join("out/summary.json")).unwrap();
    assert!(summary.contains("\"status\": \"failed\""));
    assert!(cardan(&["plot", &folder, "crank.angle"]).status.success());
}

#[test]
fn an_interrupted_run_ends_cleanly() {
    let scratch = Scratch::new("interrupt");
    let (model, folder) = (scratch.path("m.toml"), scratch.path("out"));
    assert!(cardan(&["new", "pendulum", &model]).status.success());
    let running = Command::new(env!("CARGO_BIN_EXE_cardan"))
        .args(["run", &model, "-o", &folder, "--end", "1e5"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // it has begun once its folder is there
    let begun = || scratch.0.join("out/unfinished").exists();
    for _ in 0..500 {
        if !begun() {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
    assert!(begun());
    std::thread::sleep(std::time::Duration::from_millis(200));
    let interrupt =
        Command::new("kill").args(["-INT", &running.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    let output = running.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(message(&output).contains("interrupted at t = "), "{}", message(&output));
    let summary = fs::read_to_string(scratch.0.join("out/summary.json")).unwrap();
    assert!(summary.contains("\"status\": \"interrupted\""));
    let mut left: Vec<_> =
        fs::read_dir(scratch.0.join("out")).unwrap().map(|x| x.unwrap().file_name()).collect();
    left.sort();
    let expected = [
        "checksums.sha256",
        "motion.cardan",
        "results.parquet",
        "run.cardan",
        "state.cardan",
        "summary.json",
    ];
    assert_eq!(left, expected);
}

#[test]
fn output_that_nobody_takes_is_no_crash() {
    let scratch = Scratch::new("nobody");
    let model = scratch.path("m.toml");
    assert!(cardan(&["new", "bricard", &model]).status.success());
    // notes that nobody can read do not stop a run
    for (end, code) in [("0.01", 0), ("-1", 2)] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let status = Command::new(env!("CARGO_BIN_EXE_cardan"))
            .args(["run", &model, "-o", &scratch.path("out"), "--end", end])
            .stderr(full)
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(code));
    }
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_cardan"))
        .arg("methods")
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(message(&output).contains("cannot write the output"), "{}", message(&output));
    let mut piped = Command::new(env!("CARGO_BIN_EXE_cardan"))
        .args(["schema"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(piped.stdout.take());
    let output = piped.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", message(&output));
}

#[test]
fn the_examples_are_the_models_of_the_repository() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let json: serde_json::Value =
        serde_json::from_slice(&cardan(&["new", "--json"]).stdout).unwrap();
    let mut listed: Vec<&str> =
        json.as_array().unwrap().iter().map(|x| x["name"].as_str().unwrap()).collect();
    listed.sort();
    // a folder holds a model with matrices beside it
    let files = fs::read_dir(folder).unwrap().map(|x| x.unwrap().path()).filter(|x| x.is_file());
    let mut there: Vec<String> =
        files.map(|x| x.file_stem().unwrap().to_str().unwrap().to_string()).collect();
    there.sort();
    assert_eq!(listed, there);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(text(&cardan(&["completions", shell])).contains("cardan"));
    }
}

#[test]
fn static_finds_equilibria_and_says_where_there_are_none() {
    let folder = std::env::temp_dir().join(format!("cardan-static-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("path.csv");
    let place = path.to_str().unwrap();
    let arguments = ["static", "rollup", "--steps", "8", "--json", "--out", place];
    let found: serde_json::Value = serde_json::from_slice(&cardan(&arguments).stdout).unwrap();
    assert_eq!(found["converged"], true);
    let rows = found["path"].as_array().unwrap();
    assert_eq!((rows.len(), rows[7][0].as_f64()), (8, Some(1.0)));
    assert!(found["log"].as_array().unwrap().len() >= 16);
    let table = fs::read_to_string(&path).unwrap();
    assert!(table.starts_with("load,beam.mid.x,") && table.lines().count() == 9, "{table}");
    let said = text(&cardan(&["static", "rollup", "--steps", "8", "--beams", "finite-volume"]));
    assert!(
        said.contains("in equilibrium after") && said.contains("beam.end.rotation.z"),
        "{said}"
    );

    // nothing holds a free beam
    let output = cardan(&["static", "flying_spaghetti", "--until", "1"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(message(&output).contains("hold what can move freely"), "{}", message(&output));
    let output = cardan(&["static", "rollup", "--until", "-1"]);
    assert_eq!(output.status.code(), Some(2));

    // explicit methods say what a beam asks of them
    let results = folder.join("run");
    let run = ["run", "rotating_shaft", "--method", "rk4", "--out", results.to_str().unwrap()];
    let output = cardan(&run);
    assert_eq!(output.status.code(), Some(2));
    let said = message(&output);
    assert!(
        said.contains("exceeds the stability limit") && said.contains("node `shaft.node"),
        "{said}"
    );
    let _ = fs::remove_dir_all(&folder);
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", message(output)))
}

#[test]
fn modes_and_linearize_look_at_small_motions() {
    let folder = std::env::temp_dir().join(format!("cardan-modes-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let place = |name: &str| folder.join(name).to_str().unwrap().to_string();

    // the shaft's first bending frequency is 57 rad/s
    let shapes = place("shapes.json");
    let said = text(&cardan(&["modes", "rotating_shaft", "-n", "4", "--out", &shapes]));
    assert!(said.contains("body `disk` (y)") && said.contains("about the start"), "{said}");
    let shapes: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&shapes).unwrap()).unwrap();
    let first = &shapes["modes"][0];
    let frequency = first["frequency"].as_f64().unwrap();
    assert!((frequency - 57.0).abs() < 0.5, "{frequency}");
    let disk = first["shape"].as_array().unwrap().iter().find(|x| x["name"] == "disk").unwrap();
    assert!(disk["translation"]["re"][1].as_f64().unwrap().abs() > 0.0);

    // a pendulum hangs, and A has the eigenvalues that modes prints
    let hanging = place("hanging.toml");
    let model = "format = 1\nplanar = true\ngravity = [0, -9.81]\n[points]\nO = [0, 0]\n\
                 [body.bar]\nmass = 2\nshape = { rod = 1 }\nposition = [0, -0.5]\nangle = \"-pi/2\"\n\
                 [joint.O]\ntype = \"revolute\"\nbetween = [\"ground.O\", \"bar\"]\n";
    fs::write(&hanging, model).unwrap();
    let modes = json(&cardan(&["modes", &hanging, "--static", "--json"]));
    let system =
        json(&cardan(&["linearize", &hanging, "--json", "-i", "O.angle", "-y", "O.angle"]));
    let a = |i: usize, j: usize| system["A"][i][j].as_f64().unwrap();
    let square = a(0, 1) * -a(1, 0) + a(0, 0) * a(1, 1);
    let frequency = modes["modes"][0]["frequency"].as_f64().unwrap();
    assert!((frequency * frequency / square - 1.0).abs() < 1e-9, "{frequency} {square}");

    let mat = place("system.mat");
    let output = cardan(&["linearize", &hanging, "-i", "bar.force.x", "--out", &mat]);
    assert!(output.status.success(), "{}", message(&output));
    // a header of five numbers, then the name
    let bytes = fs::read(&mat).unwrap();
    assert_eq!((&bytes[..4], &bytes[20..22]), (&[0_u8; 4][..], &b"A\0"[..]));

    let output = cardan(&["linearize", "pendulum", "-i", "O.angel"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(message(&output).contains("did you mean `O.angle`"), "{}", message(&output));
    let output = cardan(&["modes", "pendulum", "--spin", "fast"]);
    assert!(message(&output).contains("--spin fast"), "{}", message(&output));
    let _ = fs::remove_dir_all(&folder);
}

#[test]
fn snapshots_become_pictures_and_matrices_become_bodies() {
    let folder = std::env::temp_dir().join(format!("cardan-snapshots-{}", std::process::id()));
    let results = folder.join("membrane");
    let place = results.to_str().unwrap();
    let output = cardan(&["run", "membrane", "--set", "n=20", "--out", place, "-q"]);
    assert!(output.status.success(), "{}", message(&output));
    let picture = folder.join("picture.svg");
    let drawn = cardan(&["plot", place, "--snapshot", "--out", picture.to_str().unwrap()]);
    assert!(drawn.status.success(), "{}", message(&drawn));
    let map = fs::read_to_string(&picture).unwrap();
    assert!(map.contains("exact") && map.contains("crispEdges"));
    assert!(fs::read_to_string(folder.join("picture-profiles.svg")).unwrap().contains("diagonal"));
    let none = cardan(&["plot", folder.to_str().unwrap(), "--snapshot"]);
    assert!(message(&none).contains("snapshots = [TIME]"), "{}", message(&none));

    // the rod from finite elements swings as the one with analytic modes
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/reduced_rod/model.toml");
    let frequency = |model: &str| {
        let found = json(&cardan(&["modes", model, "--json", "-n", "2"]));
        found["modes"][1]["frequency"].as_f64().unwrap()
    };
    let (reduced, analytic) = (frequency(model), frequency("flexible_slider_crank"));
    assert!((reduced / analytic - 1.0).abs() < 2e-3, "{reduced} {analytic}");
    let _ = fs::remove_dir_all(&folder);
}

/// Euler's load of a cantilever of unit length and bending stiffness is π²/4 N: below it a straight column is
/// stable, at twelve times the load two motions grow, and every command about that equilibrium says so.
#[test]
fn static_and_modes_report_whether_an_equilibrium_is_stable() {
    let folder = std::env::temp_dir().join(format!("cardan-stability-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("column.toml");
    let place = path.to_str().unwrap();
    let model = "format = 1\nplanar = true\n[parameters]\nload = 1\n[points]\nfoot = [0, 0]\n\
                 [beam.column]\npath = [\"ground.foot\", [0, 1]]\nelements = 12\n\
                 stiffness = [1e6, 1e6, 1]\nmass = 1\ninertia = 1e-6\n\
                 [force.push]\ntype = \"load\"\npoint = \"column.end\"\nforce = [0, \"-load*pi^2/4\"]\n\
                 [output]\nchannels = [\"column.end\"]\n";
    fs::write(&path, model).unwrap();
    for (load, verdict, unstable) in
        [("load=0.99", "stable", 0), ("load=1.01", "unstable", 1), ("load=12", "unstable", 2)]
    {
        let found = json(&cardan(&["static", place, "--set", load, "--json"]));
        assert_eq!(found["stability"]["verdict"], verdict, "{load}: {}", found["stability"]);
        assert_eq!(found["stability"]["unstable_motions"], unstable, "{load}");
        let said = text(&cardan(&["static", place, "--set", load]));
        assert!(said.lines().any(|line| line.starts_with(verdict)), "{said}");
    }
    let output = cardan(&["modes", place, "--static", "--set", "load=12"]);
    let said = text(&output) + &message(&output);
    assert!(said.contains("note: equilibrium: unstable: 2 motions"), "{said}");
    let _ = fs::remove_dir_all(&folder);
}

/// A planar model turns about z: one number, or three with zeros before it.
#[test]
fn spin_of_a_planar_model_is_about_z() {
    for command in ["modes", "linearize"] {
        for spin in ["1,2,3", "1,0,0", "0,1,0", "nan", "1,2", ""] {
            let output = cardan(&[command, "pendulum", "--spin", spin]);
            assert_eq!(output.status.code(), Some(2), "{command} {spin}");
            let said = message(&output);
            assert!(
                said.contains("--spin") && said.contains("about z"),
                "{command} {spin}: {said}"
            );
        }
    }
}

/// The matrices that `linearize` writes are a controller or a plant in another model: a twin of the machine, which is linear,
/// moves like it.
#[test]
fn linearized_plant_is_a_state_space_block() {
    let folder = std::env::temp_dir().join(format!("cardan-twin-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let plant = "format = 2\nplanar = true\n\
        body.one = { mass = 2, inertia = 1, position = [1, 0] }\n\
        body.two = { mass = 1, inertia = 1, position = [2, 0] }\n\
        joint.first = { type = \"prismatic\", between = [\"ground\", \"one\"], at = [1, 0], axis = [1, 0] }\n\
        joint.second = { type = \"prismatic\", between = [\"ground\", \"two\"], at = [2, 0], axis = [1, 0] }\n\
        force.a = { type = \"joint-spring\", joint = \"first\", stiffness = 30, damping = 0.5 }\n\
        force.b = { type = \"spring\", between = [\"one\", \"two\"], stiffness = 20, damping = 0.3 }\n\
        input.pull = { value = 0 }\n\
        force.push = { type = \"load\", point = \"one\", force = [\"FORCE\", 0] }\n\
        [simulation]\nmethod = \"esdirk436\"\nstep = 1e-3\nend = 1\n";
    let file = |name: &str| folder.join(name).to_str().unwrap().to_string();
    fs::write(file("plant.toml"), plant.replace("FORCE", "pull")).unwrap();
    let linearize = |more: &[&str]| {
        let command = ["linearize", &file("plant.toml"), "--input", "pull", "--output"];
        let output = cardan(&[&command[..], &["one.position.x,two.velocity.x"], more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output
    };
    linearize(&["--out", &file("plant.mat")]);
    fs::write(file("plant.json"), linearize(&["--json"]).stdout).unwrap();
    for matrices in ["plant.mat", "plant.json"] {
        let blocks = format!(
            "state.twin = {{ type = \"state-space\", inputs = [\"load\"], file = \"{matrices}\" }}\n\
             signal.load = \"3*sin(4*t)\"\n\
             signal.gap = \"max(abs(one.position.x - 1 - twin), abs(two.velocity.x - twin.y2))\"\n\
             [simulation]"
        );
        let text = plant.replace("FORCE", "load").replace("[simulation]", &blocks);
        fs::write(file("both.toml"), text).unwrap();
        let (results, model) = (file("results"), file("both.toml"));
        let run = cardan(&["run", &model, "--out", &results, "--format", "csv", "--force"]);
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let table = fs::read_to_string(folder.join("results/results.csv")).unwrap();
        let mut rows = table.lines().map(|row| row.split(',').collect::<Vec<_>>());
        let names = rows.next().unwrap();
        let column = |name: &str| names.iter().position(|x| x.starts_with(name)).unwrap();
        let [gap, moved] = [column("gap"), column("one.position.x")];
        let number = |text: &str| text.parse::<f64>().unwrap();
        let (mut largest, mut farthest) = (0.0_f64, 0.0_f64);
        for row in rows {
            largest = largest.max(number(row[gap]));
            farthest = farthest.max((number(row[moved]) - 1.0).abs());
        }
        // both are integrated by the same method; C is differenced to nine digits
        assert!(farthest > 0.05 && largest < 1e-8, "{matrices}: {largest} of {farthest}");
        fs::remove_dir_all(folder.join("results")).unwrap();
    }
    // damage is refused with the file and the reason
    let bytes = fs::read(folder.join("plant.mat")).unwrap();
    for (name, content, reason) in [
        ("plant.mat", bytes[..bytes.len() / 3].to_vec(), "cut off"),
        ("plant.mat", b"MATLAB 5.0 MAT-file".to_vec(), "MAT"),
        ("plant.mat", b"{\"A\": [[1]], \"B\": [[1]], \"C\": [[1]]}".to_vec(), "D is missing"),
        ("plant.mat", b"{\"A\": [[1, \"x\"]]}".to_vec(), "list of rows"),
    ] {
        fs::write(folder.join(name), content).unwrap();
        let text = fs::read_to_string(folder.join("both.toml")).unwrap().replace(".json", ".mat");
        fs::write(folder.join("both.toml"), text).unwrap();
        let refused = cardan(&["check", &file("both.toml")]);
        let message = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{message}");
        assert!(message.contains("plant.mat") && message.contains(reason), "{reason}: {message}");
    }
    fs::remove_dir_all(&folder).unwrap();
}
