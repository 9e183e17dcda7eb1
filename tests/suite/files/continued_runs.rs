//! Runs that are continued, extended, or begin from the state of another run.

use std::fs;
use std::path::{Path, PathBuf};

use cardan::file::ModelFile;
use cardan::methods;
use cardan::results::{
    Interruption, ResultsFormat, ResultsTable, RunStatus, RunSummary, inspect, join,
};
use cardan::run::{
    CheckpointInterval, ResumeRequest, RunError, RunLimits, RunProgress, RunRequest, SavedRun, run,
};

use super::{pendulum_and, text};

/// A folder that goes when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("cardan-continued-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn parse(text: &str) -> ModelFile {
    ModelFile::parse("test.toml", text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

fn compute(
    file: &ModelFile,
    request: &RunRequest<'_>,
    watch: &mut dyn FnMut(&RunProgress) -> bool,
) -> RunSummary {
    let (schedule, start) = (file.schedule().unwrap(), file.assemble().unwrap());
    run(file, &schedule, &start, request, watch).unwrap_or_else(|error| panic!("{error}"))
}

fn compute_csv(file: &ModelFile, folder: &Path) -> RunSummary {
    let request = RunRequest { format: ResultsFormat::Csv, ..RunRequest::new(folder) };
    compute(file, &request, &mut |_| true)
}

fn resume(folder: &Path, end: Option<f64>) -> RunSummary {
    let request = ResumeRequest { end, ..ResumeRequest::default() };
    let saved = SavedRun::open(folder, &request).unwrap_or_else(|error| panic!("{error}"));
    saved.run(&request, &mut |_| true).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(folder: &Path) -> String {
    match SavedRun::open(folder, &ResumeRequest::default()) {
        Err(RunError::Resume(error)) => error.to_string(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("accepted"),
    }
}

fn without_time(mut summary: RunSummary) -> RunSummary {
    summary.wall_seconds = 0.0;
    summary
}

fn csv(folder: &Path) -> String {
    fs::read_to_string(folder.join("results.csv")).unwrap()
}

/// Every method, under every formulation that it takes: interrupted after each of some steps, the run ends with the same text.
#[test]
fn interrupted_runs_of_every_method_end_with_the_same_results() {
    let mut count = 0;
    for info in methods::all() {
        for constraints in ["position", "stabilized", "acceleration"] {
            let simulation = format!(
                "[simulation]\nmethod = \"{}\"\nconstraints = \"{constraints}\"\n",
                info.name
            );
            let text = pendulum_and("").replace("[simulation]\n", &simulation);
            let file = parse(&text.replace("step = 1e-2", "step = 4e-3"));
            let scratch = Scratch::new(&format!("methods-{}-{constraints}", info.name));
            let (whole, broken) = (scratch.0.join("whole"), scratch.0.join("broken"));
            let request = RunRequest { format: ResultsFormat::Csv, ..RunRequest::new(&whole) };
            let (schedule, start) = (file.schedule().unwrap(), file.assemble().unwrap());
            let Ok(expected) = run(&file, &schedule, &start, &request, &mut |_| true) else {
                // the method does not take these constraints
                continue;
            };
            if expected.status != RunStatus::Completed {
                continue;
            }
            count += 1;
            let case = format!("{} {constraints}", info.name);
            let request = RunRequest { folder: &broken, ..request };
            let stopped = compute(&file, &request, &mut |at| at.steps < 7);
            assert_eq!(stopped.status, RunStatus::Interrupted, "{case}");
            assert_eq!(stopped.interruption, Some(Interruption::Request), "{case}");
            let again = ResumeRequest::default();
            let saved = SavedRun::open(&broken, &again).unwrap();
            assert_eq!((saved.steps(), saved.is_complete()), (7, false), "{case}");
            let stopped = saved.run(&again, &mut |at| at.steps < 18).unwrap();
            assert_eq!(stopped.steps, 18, "{case}");
            assert_eq!(without_time(resume(&broken, None)), without_time(expected), "{case}");
            assert_eq!(csv(&broken), csv(&whole), "{case}");
        }
    }
    assert!(count > 60, "{count}");
}

/// A run that ends within a step takes a shorter last one. A longer run does not have it.
#[test]
fn extended_runs_equal_longer_ones() {
    let scratch = Scratch::new("extended");
    for (k, (method, end)) in
        [("lms3", "0.1"), ("esdirk436", "0.1"), ("esdirk436", "0.105"), ("bathe", "0.093")]
            .into_iter()
            .enumerate()
    {
        let text = |end: &str| {
            let simulation = format!("[simulation]\nmethod = \"{method}\"\n");
            pendulum_and("")
                .replace("[simulation]\n", &simulation)
                .replace("end = 0.1", &format!("end = {end}"))
        };
        let (short, long) =
            (scratch.0.join(format!("short-{k}")), scratch.0.join(format!("long-{k}")));
        let first = compute_csv(&parse(&text(end)), &short);
        let expected = compute_csv(&parse(&text("0.217")), &long);
        let extended = resume(&short, Some(0.217));
        assert_eq!(csv(&short), csv(&long), "{method} {end}");
        assert_eq!((extended.steps, extended.rows), (expected.steps, expected.rows));
        assert_eq!(extended.newton_iterations, expected.newton_iterations, "{method} {end}");
        assert!(extended.time > first.time);
        // nothing to do
        assert_eq!(resume(&short, None), extended);
        let request = ResumeRequest { end: Some(0.05), ..ResumeRequest::default() };
        let error = SavedRun::open(&short, &request).err().unwrap().to_string();
        assert!(error.contains("0.05") && error.contains("try:"), "{error}");
    }
}

/// The limit of time ends a run with its state; rows, row groups and the summary are then those of an unbroken run.
#[test]
fn a_run_with_a_limit_of_time_can_be_continued() {
    let scratch = Scratch::new("limit");
    let file = parse(&pendulum_and("").replace("end = 0.1", "end = 1"));
    let (whole, broken) = (scratch.0.join("whole"), scratch.0.join("broken"));
    let request = RunRequest { rows_per_group: Some(7), ..RunRequest::new(&whole) };
    let expected = compute(&file, &request, &mut |_| true);
    let limits = RunLimits { time: Some(std::time::Duration::ZERO), memory: None };
    let request = RunRequest { folder: &broken, limits, ..request };
    let stopped = compute(&file, &request, &mut |_| true);
    assert_eq!((stopped.interruption, stopped.steps), (Some(Interruption::Time), 1));
    assert!(stopped.failure.as_ref().is_some_and(|x| x.contains("computing time")));
    assert_eq!(without_time(resume(&broken, None)), without_time(expected));
    let read = |folder: &Path| {
        let table = ResultsTable::open(folder).unwrap();
        let all: Vec<usize> = (0..table.columns().len()).collect();
        table.values(&all).unwrap()
    };
    assert_eq!(read(&whole), read(&broken));
}

#[test]
fn a_limit_of_memory_refuses_a_model_before_its_first_step() {
    let scratch = Scratch::new("memory");
    let file = parse(&pendulum_and(""));
    let limits = RunLimits { time: None, memory: Some(1000) };
    let request = RunRequest { limits, ..RunRequest::new(&scratch.0) };
    let (schedule, start) = (file.schedule().unwrap(), file.assemble().unwrap());
    let error = run(&file, &schedule, &start, &request, &mut |_| true).unwrap_err().to_string();
    assert!(error.contains("MB are allowed"), "{error}");
    assert!(!scratch.0.join("unfinished").exists());
}

/// The angle counts turns, the time goes on, and the motion is that of one long run up to the error of the start.
#[test]
fn a_run_begins_from_the_last_state_of_another() {
    let scratch = Scratch::new("from");
    let spinning = text("slider_crank").replace(
        "[simulation]",
        "[drive.turn]\ntype = \"angle\"\njoint = \"O\"\nvalue = \"30*t\"\n[simulation]",
    );
    let first =
        ModelFile::parse("test.toml", &spinning.replace("end = 2", "end = 1"), &[]).unwrap();
    let folder = scratch.0.join("first");
    compute_csv(&first, &folder);
    let from = format!("[simulation]\nfrom = {:?}", folder.display().to_string());
    let second = spinning.replace("[simulation]", &from);
    let file = ModelFile::parse("test.toml", &second, &[]).unwrap();
    let schedule = file.schedule().unwrap();
    assert_eq!((schedule.start, schedule.steps), (1.0, 1000.0));
    let start = file.assemble().unwrap();
    assert_eq!(start.initial.t, 1.0);
    assert!(start.report.moved.is_empty(), "{}", start.report);
    let (one, two) = (scratch.0.join("second"), scratch.0.join("whole"));
    compute_csv(&file, &one);
    compute_csv(&ModelFile::parse("test.toml", &spinning, &[]).unwrap(), &two);
    let last = |folder: &Path| {
        let table = ResultsTable::open(folder).unwrap();
        let column = |name| table.column(name).unwrap();
        let values =
            table.values(&[0, column("crank.angle"), column("slide.translation")]).unwrap();
        values.iter().map(|x| *x.last().unwrap()).collect::<Vec<f64>>()
    };
    let (begun, whole) = (last(&one), last(&two));
    assert_eq!(begun[0], 2.0);
    assert!(whole[1] > 50.0, "{whole:?}");
    // the crank is driven: positions agree to the tolerance of Newton
    assert!(begun.iter().zip(&whole).all(|(a, b)| (a - b).abs() < 1e-9), "{begun:?} {whole:?}");

    // the state is part of what the results depend on, and of what a checkpoint holds
    assert_eq!(file.files.len(), 1);
    let broken = scratch.0.join("broken");
    let request = RunRequest { format: ResultsFormat::Csv, ..RunRequest::new(&broken) };
    compute(&file, &request, &mut |at| at.steps < 100);
    fs::remove_dir_all(&folder).unwrap();
    resume(&broken, None);
    assert_eq!(csv(&broken), csv(&one));
}

#[test]
fn a_start_from_another_state_closes_joints_and_names_what_does_not_fit() {
    let scratch = Scratch::new("fits");
    let folder = scratch.0.join("first");
    let model = text("slider_crank").replace("end = 2", "end = 0.5");
    compute_csv(&ModelFile::parse("test.toml", &model, &[]).unwrap(), &folder);
    let from = format!("[simulation]\nfrom = {:?}", folder.display().to_string());
    let second = model.replace("[simulation]", &from).replace("end = 0.5", "end = 0.6");
    let set = [("L2".to_string(), "0.605".to_string())];
    let file = ModelFile::parse("test.toml", &second, &set).unwrap();
    let start = file.assemble().unwrap();
    let report = start.report.to_string();
    assert!(report.contains("joint closed: joint `A`") && report.contains("moved: body `rod`"));
    assert!(report.contains("velocity adjusted"), "{report}");
    let summary = compute_csv(&file, &scratch.0.join("second"));
    assert!(summary.max_position_residual < 1e-12 && summary.status == RunStatus::Completed);

    let wrong = |text: &str| match ModelFile::parse("test.toml", text, &[]) {
        Ok(file) => file.assemble().unwrap_err().to_string(),
        Err(mistakes) => mistakes.to_string(),
    };
    let renamed = wrong(&second.replace("crank", "kurbel"));
    assert!(renamed.contains("other names") && renamed.contains("test.toml:"), "{renamed}");
    let more = "\n[body.more]\nmass = 1\ninertia = 1\n";
    let larger = wrong(&format!("{second}{more}"));
    assert!(larger.contains("6 velocities") || larger.contains("coordinates"), "{larger}");
    let missing = wrong(&second.replace("first", "nowhere"));
    assert!(missing.contains("there is no file or folder"), "{missing}");
    let state = folder.join("state.cardan");
    let bytes = fs::read(&state).unwrap();
    fs::write(&state, &bytes[..bytes.len() - 3]).unwrap();
    let cut = wrong(&second);
    assert!(cut.contains("it was cut or extended"), "{cut}");
    fs::remove_file(&state).unwrap();
    assert!(wrong(&second).contains("has no saved state"));
}

#[test]
fn what_another_program_or_another_run_wrote_is_refused() {
    let scratch = Scratch::new("foreign");
    assert!(refusal(&scratch.0.join("nowhere")).contains("there is no such folder"));
    assert!(refusal(&scratch.0).contains("there is no run in this folder"));
    let folder = scratch.0.join("run");
    let file = parse(&pendulum_and(""));
    compute_csv(&file, &folder);
    let run_file = folder.join("run.cardan");
    let bytes = fs::read(&run_file).unwrap();
    for (name, damage) in [
        ("run.cardan", &b"cardan run 9\n"[..]),
        ("state.cardan", b"cardan state 1\nsha256 0\nbytes 0\n"),
        ("results.csv", b"time\n"),
    ] {
        let path = folder.join(name);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, damage).unwrap();
        let message = refusal(&folder);
        assert!(message.contains(name) && message.contains("altered"), "{message}");
        fs::write(&path, whole).unwrap();
    }
    assert_eq!(fs::read(&run_file).unwrap(), bytes);
    let sums = folder.join("checksums.sha256");
    let listed = fs::read_to_string(&sums).unwrap();
    for damage in [None, Some("")] {
        fs::remove_file(&sums).unwrap();
        damage.into_iter().for_each(|text| fs::write(&sums, text).unwrap());
        assert!(refusal(&folder).contains("cannot be verified"), "{}", refusal(&folder));
        fs::write(&sums, &listed).unwrap();
    }
    // with checksums that agree the files are still protected by their own
    let renew = || {
        let line = |line: &str| match line.split_once("  ") {
            Some((_, name)) => {
                format!("{}  {name}\n", cardan::output::file_sha256(&folder.join(name)).unwrap())
            }
            None => format!("{line}\n"),
        };
        fs::write(&sums, listed.lines().map(line).collect::<String>()).unwrap();
    };
    let newer = [b"cardan run 9\n", &bytes[13..]].concat();
    fs::write(&run_file, newer).unwrap();
    renew();
    let message = refusal(&folder);
    assert!(message.contains("version 9") && message.contains("version 1"), "{message}");
    fs::write(&run_file, &bytes).unwrap();
    // a state of another run
    let other = scratch.0.join("other");
    compute_csv(&parse(&pendulum_and("").replace("mass = 2", "mass = 3")), &other);
    fs::copy(other.join("state.cardan"), folder.join("state.cardan")).unwrap();
    renew();
    let message = refusal(&folder);
    assert!(message.contains("belongs to another run"), "{message}");
}

#[test]
fn the_rows_of_a_dead_run_are_listed_verified_and_joined() {
    let scratch = Scratch::new("dead");
    let file = parse(&pendulum_and(""));
    let folder = scratch.0.join("run");
    compute(&file, &RunRequest::new(&folder), &mut |_| true);
    let reports = inspect(&folder);
    assert_eq!(reports.len(), 1);
    assert!(reports[0].is_intact() && reports[0].can_resume && reports[0].rows == 11);

    // a run whose program panics is as dead as one that is killed
    let dead = scratch.0.join("dead");
    let request = RunRequest {
        rows_per_group: Some(3),
        checkpoints: CheckpointInterval::Steps(1),
        ..RunRequest::new(&dead)
    };
    let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        compute(&file, &request, &mut |at| if at.steps < 7 { true } else { panic!("killed") })
    }));
    assert!(killed.is_err());
    let [report] = &inspect(&dead)[..] else { panic!() };
    assert_eq!((report.status, report.rows, report.time), (RunStatus::Running, 7, Some(0.06)));
    assert!(report.can_resume && report.is_intact() && !report.is_active);
    let parts: Vec<_> = report.files.iter().filter(|file| file.rows.is_some()).collect();
    assert_eq!(parts.len(), 3);
    for name in ["joined.parquet", "joined.csv"] {
        let out = scratch.0.join(name);
        assert_eq!(join(&dead, &out).unwrap(), 7);
        let table = ResultsTable::open(&out).unwrap();
        let times = table.values(&[0]).unwrap().swap_remove(0);
        assert_eq!(times.len(), 7);
        assert!(times.iter().enumerate().all(|(k, t)| (t - 0.01 * k as f64).abs() < 1e-15));
        // a file of someone else is not replaced
        fs::write(&out, "mine").unwrap();
        assert!(join(&dead, &out).unwrap_err().to_string().contains("not written by Cardan"));
        assert_eq!(fs::read(&out).unwrap(), b"mine");
    }
    // the second part is damaged: its rows are lost, the others are not
    let second = dead.join(&parts[1].name);
    let mut bytes = fs::read(&second).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&second, bytes).unwrap();
    let [report] = &inspect(&dead)[..] else { panic!() };
    assert_eq!((report.rows, report.lost.len(), report.lost[0].clone()), (4, 1, 3..6));
    assert!(!report.is_intact());
    assert_eq!(join(&dead, &scratch.0.join("rest.csv")).unwrap(), 4);
    assert!(refusal(&dead).contains("3 of 7 rows are intact"), "{}", refusal(&dead));
}

#[test]
fn files_of_others_in_the_folder_of_a_run_are_named_and_stay() {
    let scratch = Scratch::new("others");
    let file = parse(&pendulum_and(""));
    let dead = scratch.0.join("dead");
    let request =
        RunRequest { checkpoints: CheckpointInterval::Steps(1), ..RunRequest::new(&dead) };
    let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        compute(&file, &request, &mut |at| if at.steps < 7 { true } else { panic!("killed") })
    }));
    assert!(killed.is_err());
    for name in [
        "notes.txt",
        "my.partial",
        "whole.parquet",
        "results.csv",
        "state.cardan",
        "motion.cardan",
        "checksums.sha256",
        "part-000.parquet",
    ] {
        let path = dead.join("unfinished").join(name);
        fs::write(&path, "mine").unwrap();
        let message = refusal(&dead);
        assert!(message.contains(name) && message.contains("move it away"), "{message}");
        assert_eq!(fs::read(&path).unwrap(), b"mine");
        fs::remove_file(&path).unwrap();
    }
    assert_eq!(resume(&dead, None).status, RunStatus::Completed);
    // a name that a run uses, and what is no file
    let out = scratch.0.join("results.parquet");
    assert!(join(&dead, &out).is_err());
}

/// An extension that is interrupted is continued by the next resume, and the complete results stay until it is complete.
#[test]
fn an_interrupted_extension_is_continued_from_where_it_was() {
    let scratch = Scratch::new("steps");
    let file = parse(&pendulum_and(""));
    let folder = scratch.0.join("run");
    compute_csv(&file, &folder);
    let complete = csv(&folder);
    let limits = RunLimits { time: Some(std::time::Duration::ZERO), memory: None };
    for k in 1..=3 {
        let request = ResumeRequest { end: Some(0.2), limits, ..ResumeRequest::default() };
        let saved = SavedRun::open(&folder, &request).unwrap();
        let summary = saved.run(&request, &mut |_| true).unwrap();
        assert_eq!((summary.status, summary.steps), (RunStatus::Interrupted, 10 + k));
        assert_eq!(csv(&folder), complete);
    }
    let long = scratch.0.join("long");
    compute_csv(&parse(&pendulum_and("").replace("end = 0.1", "end = 0.2")), &long);
    assert_eq!(resume(&folder, None).steps, 20);
    assert_eq!(csv(&folder), csv(&long));
    for (end, reason) in [(f64::NAN, "must be a number"), (1e300, "rounding"), (1e9, "steps")] {
        let request = ResumeRequest { end: Some(end), ..ResumeRequest::default() };
        let error = SavedRun::open(&folder, &request).err().unwrap().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn a_run_does_not_replace_the_state_it_starts_from() {
    let scratch = Scratch::new("own");
    let folder = scratch.0.join("first");
    compute_csv(&parse(&pendulum_and("")), &folder);
    let from = format!("[simulation]\nfrom = {:?}", folder.display().to_string());
    let again = |end: &str| {
        let text = pendulum_and("").replace("[simulation]", &from);
        parse(&text.replace("end = 0.1", &format!("end = {end}")))
    };
    let file = again("0.2");
    let (schedule, start) = (file.schedule().unwrap(), file.assemble().unwrap());
    let request = RunRequest::new(&folder);
    let error = run(&file, &schedule, &start, &request, &mut |_| true).unwrap_err().to_string();
    assert!(error.contains("would replace those that the run starts from"), "{error}");
    let late = again("0.1").schedule().unwrap_err().to_string();
    assert!(late.contains("the saved state is at t = 0.1 s"), "{late}");
}
