//! Results: the numbers of the motion, whole files or none, and what a run came to.

use std::fs;
use std::path::{Path, PathBuf};

use super::{model, pendulum_and};
use cardan::Simulation;
use cardan::file::ModelFile;
use cardan::results::{Part, ResultsFolder, ResultsFormat, ResultsTable, RunStatus, RunSummary};
use cardan::run::{RunError, RunProgress, RunRequest, run};

/// A folder that goes when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cardan-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|x| x.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// What is there besides the summary, the record, the state, the motion and the checksums of a run; the summary must be
    /// there.
    fn results(&self) -> Vec<String> {
        let mut names = self.files();
        assert!(names.contains(&"summary.json".into()), "{names:?}");
        let others =
            ["summary.json", "run.cardan", "state.cardan", "motion.cardan", "checksums.sha256"];
        names.retain(|name| !others.contains(&name.as_str()));
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn write(
    file: &ModelFile,
    folder: &Path,
    format: ResultsFormat,
    watch: &mut dyn FnMut(&RunProgress) -> bool,
) -> Result<RunSummary, RunError> {
    let request = RunRequest { format, version: "test 1", ..RunRequest::new(folder) };
    run(file, &file.schedule().unwrap(), &file.assemble().unwrap(), &request, watch)
}

fn parse(text: &str) -> ModelFile {
    ModelFile::parse("test.toml", text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

#[test]
fn columns_are_the_motion_in_both_formats_to_the_last_bit() {
    let file = model("slider_crank", &[]);
    let start = file.assemble().unwrap();
    let schedule = file.schedule().unwrap();
    let mut motion = Simulation::new(&start.model, &schedule.settings, &start.initial).unwrap();
    let mut angles = vec![start.model.read("crank.angle", motion.now()).unwrap()[0]];
    for _ in 0..2000 {
        motion.step().unwrap();
        angles.push(start.model.read("crank.angle", motion.now()).unwrap()[0]);
    }
    for format in [ResultsFormat::Parquet, ResultsFormat::Csv] {
        let scratch = Scratch::new(&format!("columns-{format:?}"));
        let summary = write(&file, &scratch.0, format, &mut |_| true).unwrap();
        assert_eq!(scratch.results(), [format.file_name()]);
        let frame = ResultsTable::open(&scratch.0).unwrap();
        assert_eq!(frame.summary.as_ref(), Some(&summary));
        let names: Vec<&str> = frame.columns().iter().map(|x| x.name.as_str()).collect();
        assert_eq!(names[..3], ["time", "crank.angle", "O.angle.rate"]);
        assert!(names.contains(&"energy.balance") && names.contains(&"O.reaction.force.x"));
        // planar reactions have no z
        assert!(!names.contains(&"O.reaction.force.z"));
        assert_eq!(frame.columns()[1].unit, "rad");
        let values = frame.values(&[0, 1]).unwrap();
        assert_eq!(values[0].len(), 2001);
        assert!(values[1] == angles, "watching a motion must not change it");
        assert_eq!(values[0][2000], 2.0);
    }
}

#[test]
fn the_summary_tells_what_the_run_came_to() {
    let scratch = Scratch::new("summary");
    let summary =
        write(&model("andrews", &[]), &scratch.0, ResultsFormat::Parquet, &mut |_| true).unwrap();
    assert_eq!((summary.status, summary.steps, summary.rows), (RunStatus::Completed, 3000, 301));
    // one correction per step, sometimes two; a matrix serves several steps
    assert!((3000..=4500).contains(&summary.newton_iterations), "{}", summary.newton_iterations);
    assert!((1..1500).contains(&summary.factorizations) && summary.wall_seconds > 0.0);
    // Φ to round-off, 1e-15 for each of a few coordinates; Gv like h²; energy likewise (docs/choosing.md)
    assert!(summary.max_position_residual < 5e-15, "{summary:?}");
    assert!((1e-6..1e-3).contains(&summary.max_velocity_residual), "{summary:?}");
    assert!((1e-5..1e-4).contains(&summary.energy_drift), "{summary:?}");
    assert_eq!(summary.model_sha256.len(), 64);
    assert_eq!(summary.parameters["c0"], 4530.0);
    let text = fs::read_to_string(scratch.0.join("summary.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["status"], "completed");
    assert_eq!(json["settings"]["method"], "generalized-alpha");
    assert_eq!(json["columns"][0]["unit"], "s");
}

#[test]
fn stride_window_and_patterns_choose_rows_and_columns() {
    let scratch = Scratch::new("window");
    let text = pendulum_and(
        "[output]\nchannels = [\"*.angle\", \"bar.tip\", \"energy.*\", \"newton.iterations\"]\n\
         stride = 5\nwindow = [0.2, \"1/2\"]",
    )
    .replace("end = 0.1", "end = 1");
    write(&parse(&text), &scratch.0, ResultsFormat::Parquet, &mut |_| true).unwrap();
    let frame = ResultsTable::open(&scratch.0).unwrap();
    let names: Vec<&str> = frame.columns().iter().map(|x| x.name.as_str()).collect();
    let expected = [
        "time",
        "bar.angle",
        "O.angle",
        "bar.tip.x",
        "bar.tip.y",
        "energy.kinetic",
        "energy.potential",
        "energy.total",
        "energy.balance",
        "energy.dissipated",
        "newton.iterations",
    ];
    assert_eq!(names, expected);
    let values = frame.values(&[0, 10]).unwrap();
    let times = [0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5];
    assert!(values[0].iter().zip(times).all(|(a, b)| (a - b).abs() < 1e-12), "{values:?}");
    assert_eq!(values[0].len(), times.len());
    assert!(values[1].iter().all(|x| (1.0..=4.0).contains(x)), "{values:?}");
    let message = frame.column("bar.tip").unwrap_err().to_string();
    assert!(message.contains("bar.tip.x, bar.tip.y"), "{message}");
    for (channels, expected) in [
        ("bar.angel", "`bar.angle`"),
        ("baar.*", "lists them"),
        ("energy.balanse", "energy.balance"),
    ] {
        let text = pendulum_and(&format!("[output]\nchannels = [\"{channels}\"]"));
        let error =
            write(&parse(&text), &scratch.0, ResultsFormat::Csv, &mut |_| true).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
    // a refused run leaves the results that are there
    assert_eq!(ResultsTable::open(&scratch.0).unwrap().columns().len(), 11);
}

#[test]
fn a_run_that_is_stopped_or_fails_keeps_what_it_has() {
    let scratch = Scratch::new("stopped");
    let file = model("pendulum", &[]);
    let summary =
        write(&file, &scratch.0, ResultsFormat::Parquet, &mut |at| at.steps < 50).unwrap();
    assert_eq!((summary.status, summary.steps), (RunStatus::Interrupted, 50));
    assert_eq!(ResultsTable::open(&scratch.0).unwrap().values(&[0]).unwrap()[0].len(), 51);
    assert_eq!(scratch.results(), ["results.parquet"]);

    // the rod is too short for a whole turn of the crank
    let text = super::text("slider_crank").replace("L2 = 0.6", "L2 = 0.2")
        + "\n[drive.turn]\ntype = \"angle\"\njoint = \"O\"\nvalue = \"t\"\n";
    let summary = write(&parse(&text), &scratch.0, ResultsFormat::Csv, &mut |_| true).unwrap();
    let failure = summary.failure.clone().unwrap();
    // sin φ = 2/3
    assert!((summary.time - (2.0_f64 / 3.0).asin()).abs() < 0.01, "{summary:?}");
    assert_eq!(summary.status, RunStatus::Failed);
    assert!(failure.contains("try:") && failure.contains("joint `"), "{failure}");
    assert_eq!(scratch.results(), ["results.csv"]);
    let rows = ResultsTable::open(&scratch.0).unwrap().values(&[0]).unwrap()[0].len() as u64;
    assert_eq!((rows, summary.rows), (summary.steps + 1, summary.steps + 1));
}

#[test]
fn absurd_amounts_are_refused_unless_forced() {
    let scratch = Scratch::new("absurd");
    let text = pendulum_and("").replace("step = 1e-2", "step = 1e-12");
    let error =
        write(&parse(&text), &scratch.0, ResultsFormat::Parquet, &mut |_| true).unwrap_err();
    assert!(error.to_string().contains("1.0e11 steps") && error.to_string().contains("--force"));
    let text = pendulum_and("").replace("end = 0.1", "end = 9e6");
    let error =
        write(&parse(&text), &scratch.0, ResultsFormat::Parquet, &mut |_| true).unwrap_err();
    assert!(error.to_string().contains("GB of results"), "{error}");
    assert!(!scratch.0.exists());
    let file = parse(&text);
    let (schedule, start) = (file.schedule().unwrap(), file.assemble().unwrap());
    let (folder, format) = (scratch.0.as_path(), ResultsFormat::Parquet);
    let request = RunRequest { format, force: true, ..RunRequest::new(folder) };
    let summary = run(&file, &schedule, &start, &request, &mut |at| at.steps < 10).unwrap();
    assert_eq!(summary.steps, 10);
}

#[test]
fn parts_become_one_file_and_nothing_unfinished_looks_whole() {
    let scratch = Scratch::new("parts");
    let file = parse(&pendulum_and(""));
    let mut summary = write(&file, &scratch.0, ResultsFormat::Parquet, &mut |_| true).unwrap();
    let columns = summary.columns.clone();
    let mut folder = ResultsFolder::create(&scratch.0, ResultsFormat::Parquet, &summary).unwrap();
    // nobody else may write there meanwhile
    let other =
        ResultsFolder::create(&scratch.0, ResultsFormat::Csv, &summary).err().unwrap().to_string();
    assert!(other.contains("another run is writing to this folder"), "{other}");
    // more than two parts of 2²¹ numbers
    let rows = (5 << 20) / columns.len();
    let mut row = vec![0.0; columns.len()];
    for k in 0..rows {
        row.fill(k as f64);
        folder.row(&row).unwrap();
    }
    // two parts and the summary of a run that is under way
    let begun = |path: &Path| path.to_string_lossy().contains("part-");
    let parts = fs::read_dir(scratch.0.join("unfinished")).unwrap();
    assert_eq!(parts.filter(|x| begun(&x.as_ref().unwrap().path())).count(), 2);
    // the results of the run before are still there, whole
    assert_eq!(ResultsTable::open(&scratch.0).unwrap().values(&[0]).unwrap()[0].len(), 11);
    // a part that is there when the program dies can be read
    let part = ResultsTable::open(&Part::list(&scratch.0)[1].path).unwrap();
    assert!(part.values(&[0]).unwrap()[0].len() > 1000);
    assert_eq!(part.columns(), columns);
    summary.rows = folder.rows();
    folder.finish(&summary, None, None).unwrap();
    assert_eq!(scratch.results(), ["results.parquet"]);
    let values = ResultsTable::open(&scratch.0).unwrap().values(&[0, columns.len() - 1]).unwrap();
    assert_eq!(values[0].len(), rows);
    assert!(values[1].iter().enumerate().all(|(k, x)| *x == k as f64));
}

#[test]
fn rows_of_a_run_that_died_are_found_and_kept() {
    let scratch = Scratch::new("died");
    let file = parse(&pendulum_and(""));
    let summary = write(&file, &scratch.0, ResultsFormat::Parquet, &mut |_| true).unwrap();
    fs::remove_file(scratch.0.join("results.parquet")).unwrap();
    let mut folder = ResultsFolder::create(&scratch.0, ResultsFormat::Parquet, &summary).unwrap();
    let row = vec![1.0; summary.columns.len()];
    for _ in 0..(3 << 20) / row.len() {
        folder.row(&row).unwrap();
    }
    // as if the program had been killed
    drop(folder);
    let found = ResultsTable::open(&scratch.0).unwrap();
    assert_eq!(found.values(&[0]).unwrap()[0].len(), (2_usize << 20).div_ceil(row.len()));
    assert_eq!(found.columns(), summary.columns);
    let again = write(&file, &scratch.0, ResultsFormat::Csv, &mut |_| true).unwrap();
    assert!(again.warnings.iter().any(|x| x.contains("abandoned")), "{:?}", again.warnings);
    assert_eq!(scratch.results(), ["abandoned-1", "results.csv"]);

    // a CSV run that dies leaves parts as well
    let mut folder = ResultsFolder::create(&scratch.0, ResultsFormat::Csv, &summary).unwrap();
    (0..2000).for_each(|_| folder.row(&row).unwrap());
    folder.checkpoint(0, b"").unwrap();
    drop(folder);
    fs::remove_file(scratch.0.join("results.csv")).unwrap();
    assert_eq!(ResultsTable::open(&scratch.0).unwrap().values(&[0, 1]).unwrap()[1].len(), 2000);
    write(&file, &scratch.0, ResultsFormat::Parquet, &mut |_| true).unwrap();
    assert_eq!(scratch.results(), ["abandoned-1", "abandoned-2", "results.parquet"]);
    let abandoned = ResultsTable::open(&scratch.0.join("abandoned-2")).unwrap();
    assert_eq!(abandoned.values(&[0]).unwrap()[0].len(), 2000);

    // earlier versions wrote lines, and a killed run perhaps half of one
    let place = scratch.0.join("earlier/unfinished");
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("results.csv"), "time,x\n0,1\n1,2\n2,3.").unwrap();
    let earlier = ResultsTable::open(&scratch.0.join("earlier")).unwrap();
    assert_eq!(earlier.values(&[0, 1]).unwrap()[1], [1.0, 2.0]);
}

#[test]
fn a_run_that_died_while_putting_its_results_in_place_is_completed() {
    let scratch = Scratch::new("placing");
    let file = parse(&pendulum_and(""));
    write(&file, &scratch.0, ResultsFormat::Parquet, &mut |_| true).unwrap();
    let place = |name: &str| scratch.0.join(name);
    // at each point: nothing placed, results placed, and both placed
    for moved in [&[][..], &["results.parquet"], &["results.parquet", "summary.json"]] {
        fs::create_dir(place("finished")).unwrap();
        for (name, whole) in
            [("results.parquet", "whole.parquet"), ("summary.json", "summary.json")]
        {
            if !moved.contains(&name) {
                fs::rename(place(name), place("finished").join(whole)).unwrap();
            }
        }
        // whole results are read where they are
        assert_eq!(ResultsTable::open(&scratch.0).unwrap().values(&[0]).unwrap()[0].len(), 11);
        drop(
            ResultsFolder::create(&scratch.0, ResultsFormat::Csv, &summary_of(&file, &scratch))
                .unwrap(),
        );
        let left = scratch.files();
        assert!(left.contains(&"results.parquet".into()) && left.contains(&"summary.json".into()));
        assert!(!left.contains(&"finished".into()), "{left:?}");
        fs::remove_dir_all(place("unfinished")).unwrap();
    }
}

/// Some summary with the right columns.
fn summary_of(file: &ModelFile, scratch: &Scratch) -> RunSummary {
    let other = Scratch(scratch.0.with_extension("other"));
    write(file, &other.0, ResultsFormat::Csv, &mut |_| true).unwrap()
}

#[test]
fn columns_of_planar_models_are_those_that_move_with_their_units() {
    let scratch = Scratch::new("planar");
    let text = r#"
format = 2
planar = true
gravity = [0, -9.81]
[body.slider]
mass = 1
inertia = 0.1
[joint.s]
type = "prismatic"
between = ["ground", "slider"]
at = [-1, 0]
axis = [1, 0]
[force.m]
type = "motor"
joint = "s"
value = 5
[force.bush]
type = "bushing"
between = ["ground", "slider"]
at = [0, 0]
stiffness = [0, 0, 0, 0, 0, 0]
[simulation]
step = 1e-3
end = 0.01
[output]
channels = ["s.reaction.*", "m.*", "bush.deformation", "slider.angular_velocity", "slider.velocity"]
"#;
    write(&parse(text), &scratch.0, ResultsFormat::Parquet, &mut |_| true).unwrap();
    let frame = ResultsTable::open(&scratch.0).unwrap();
    let value = |name: &str| {
        let column = frame.column(name).unwrap_or_else(|error| panic!("{error}"));
        (frame.values(&[column]).unwrap()[0][5], frame.columns()[column].unit.clone())
    };
    // the weight hangs one metre from the joint's point on the slider, which is where the slider began
    let close = |(found, unit): (f64, String), wanted: f64, wanted_unit: &str| {
        assert!((found - wanted).abs() < 1e-9 && unit == wanted_unit, "{found} {unit}");
    };
    close(value("s.reaction.force.y"), 9.81, "N");
    close(value("s.reaction.moment.z"), 9.81, "N·m");
    // in the joint's axes, (z × axis, −z, axis)
    close(value("s.reaction.force.local.x"), 9.81, "N");
    close(value("s.reaction.moment.local.y"), -9.81, "N·m");
    close(value("m.force"), 5.0, "N");
    close(value("bush.deformation.y"), 0.0, "m");
    close(value("bush.deformation.rz"), 0.0, "rad");
    close(value("slider.angular_velocity.z"), 0.0, "rad/s");
    for gone in
        ["slider.velocity.z", "slider.angular_velocity.x", "bush.deformation.rx", "m.energy"]
    {
        assert!(frame.column(gone).is_err(), "{gone}");
    }
}

#[test]
fn a_body_at_rest_gets_no_warning() {
    let scratch = Scratch::new("rest");
    let text = pendulum_and("")
        .replace("position = [0.5, 0]", "position = [0, -0.5]\nangle = \"-90*deg\"");
    let summary = write(&parse(&text), &scratch.0, ResultsFormat::Parquet, &mut |_| true).unwrap();
    assert_eq!(summary.warnings, Vec::<String>::new());
}

#[test]
fn vectors_of_which_a_part_is_asked_for_already_are_completed() {
    let scratch = Scratch::new("completed");
    let channels = "[output]\nchannels = [\"bar.tip.y\", \"time\", \"bar.tip\", \"newton.*\"]";
    write(&parse(&pendulum_and(channels)), &scratch.0, ResultsFormat::Csv, &mut |_| true).unwrap();
    let frame = ResultsTable::open(&scratch.0).unwrap();
    let names: Vec<&str> = frame.columns().iter().map(|x| x.name.as_str()).collect();
    assert_eq!(names, ["time", "bar.tip.y", "bar.tip.x", "newton.iterations"]);
}

#[test]
fn a_motion_that_blows_up_fails() {
    let scratch = Scratch::new("blown");
    for rate in ["1e10", "1e100"] {
        let text = pendulum_and("").replace("at = [0, 0]", &format!("at = [0, 0]\nrate = {rate}"));
        let summary =
            write(&parse(&text), &scratch.0, ResultsFormat::Parquet, &mut |_| true).unwrap();
        assert_eq!(summary.status, RunStatus::Failed, "{summary:?}");
        assert!(summary.energy_drift.is_finite(), "{summary:?}");
        assert!(ResultsTable::open(&scratch.0).unwrap().summary.is_some());
    }
}

#[test]
fn results_that_cannot_be_read_say_why() {
    let scratch = Scratch::new("unreadable");
    fs::create_dir_all(&scratch.0).unwrap();
    let cases: [(&str, &str, &str); 5] = [
        ("a.parquet", "this is no parquet file", "arquet"),
        ("b.csv", "", "empty"),
        ("c.csv", "time,x\n0,1\n1,abc\n", "line 3 has no number in column 2"),
        ("d.csv", "time,x\n0\n", "line 2 has no number in column 2"),
        ("e.txt", "nothing", ""),
    ];
    for (name, text, expected) in cases {
        let path = scratch.0.join(name);
        fs::write(&path, text).unwrap();
        let error = ResultsTable::open(&path).and_then(|frame| frame.values(&[0, 1])).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
    assert!(ResultsTable::open(&scratch.0).err().unwrap().to_string().contains("no results in it"));
    assert!(ResultsTable::open(&scratch.0.join("missing.csv")).is_err());
    // a name with commas and quotes survives
    fs::write(scratch.0.join("q.csv"), "time,\"a,\"\"b\"\"\"\n0,1\n").unwrap();
    let frame = ResultsTable::open(&scratch.0.join("q.csv")).unwrap();
    assert_eq!(frame.columns()[1].name, "a,\"b\"");
}
