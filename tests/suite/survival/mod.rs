//! Runs on disks that fail. For every n the n-th operation of a run fails, in every way that a disk may fail; then a
//! good disk is used to continue. The results must be those of an unbroken run, to the last bit, and nothing else
//! may be lost or left over.
//!
//! ```text
//!   begin, resume or extend a run ── n-th operation fails ── what is on the disk? ── resume ── same results?
//! ```
//!
//! `CARDAN_DISK_MODEL=NAME` and `CARDAN_DISK_METHOD=NAME` choose another model of `models/` and another method:
//!
//! ```console
//! $ CARDAN_DISK_MODEL=bricard CARDAN_DISK_METHOD=bathe cargo test --workspace --test suite survival
//! ```

mod finished;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use cardan::file::{Located, ModelFile, Schedule};
use cardan::model::AssembledMechanism;
use cardan::output::{Disk, LocalDisk};
use cardan::results::{ResultsFormat, ResultsTable, RunStatus, RunSummary};
use cardan::run::{
    CheckpointInterval, ResumeRequest, RunError, RunProgress, RunRequest, SavedRun, run_on,
};

use crate::disks::{Fault, FaultyDisk, Loss, NO_SPACE, Scratch, tree};
use finished::FinishedRun;

/// A model of `models/`, shortened to a few steps. A feature that has a state or a file gets a row.
#[derive(Clone)]
struct Row {
    model: String,
    /// Another method than that of the file.
    method: Option<String>,
    /// Parameters of the model.
    set: &'static [(&'static str, &'static str)],
    /// Other lines of `[output]`: fewer channels take less time.
    output: &'static str,
    format: ResultsFormat,
}

impl Row {
    fn new(model: &str, method: Option<&str>, format: ResultsFormat) -> Self {
        let method = method.map(String::from);
        Self { model: model.into(), method, set: &[], output: "", format }
    }
}

/// A structure with snapshots, which has every kind of file.
fn structure(format: ResultsFormat) -> Row {
    // a step takes 6.5e-5 s
    Row {
        set: &[("n", "8")],
        output: "channels = [\"bar.end\", \"energy.*\"]\nsnapshots = [0, 2e-4, 5e-4, 6.5e-4]\n",
        ..Row::new("clamped_bar", None, format)
    }
}

/// Rigid bodies and beams.
fn mechanisms() -> Vec<Row> {
    vec![
        Row::new("slider_crank", None, ResultsFormat::Csv),
        Row::new("slider_crank", Some("bdf2"), ResultsFormat::Parquet),
        Row::new("spin_up", Some("lms3"), ResultsFormat::Parquet),
    ]
}

/// The row that the environment chooses, or these.
fn chosen(rows: Vec<Row>) -> Vec<Row> {
    let variable = |name: &str| std::env::var(name).ok().filter(|x| !x.is_empty());
    match variable("CARDAN_DISK_MODEL") {
        None => rows,
        Some(model) => {
            let method = variable("CARDAN_DISK_METHOD");
            vec![Row::new(&model, method.as_deref(), ResultsFormat::Parquet)]
        }
    }
}

/// What is to be done while the disk fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// A run in a new folder.
    Begin,
    /// A run in a folder with complete results of an earlier one.
    Replace,
    /// The rest of a run that was killed.
    Resume,
    /// More of a run that is complete.
    Extend,
}

/// The steps of a run, and of a shorter one. A method with variable steps takes a shorter one at the end.
const STEPS: f64 = 10.4;
const FEWER_STEPS: f64 = 7.4;
/// Steps between two checkpoints.
const INTERVAL: u64 = 2;

/// A model with its settings.
struct Subject {
    file: ModelFile,
    start: AssembledMechanism,
    format: ResultsFormat,
    has_snapshots: bool,
}

impl Subject {
    fn new(row: &Row) -> Self {
        let mut text = crate::files::text(&row.model);
        if !text.contains("[output]") {
            text.push_str("\n[output]\n");
        }
        let is_replaced = |line: &&str| {
            line.starts_with("stride") || line.starts_with("channels") && !row.output.is_empty()
        };
        let lines: Vec<&str> = text.lines().filter(|line| !is_replaced(line)).collect();
        let text = format!("{}\n{}", lines.join("\n"), row.output);
        let set: Vec<(String, String)> =
            row.set.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let mut file =
            ModelFile::parse(&row.model, &text, &set).unwrap_or_else(|wrong| panic!("{wrong}"));
        if let Some(method) = &row.method {
            file.plan.method = Some(Located::outside(method.clone()));
            file.plan.parameters.clear();
            file.plan.constraints = None;
        }
        let start = file.assemble().unwrap();
        let has_snapshots = row.output.contains("snapshots");
        Self { file, start, format: row.format, has_snapshots }
    }

    /// The schedule of a run of some steps.
    fn schedule(&self, steps: f64) -> Schedule {
        let mut schedule = self.file.schedule().unwrap_or_else(|wrong| panic!("{wrong}"));
        schedule.end = schedule.start + steps * schedule.settings.step_size;
        schedule.steps = schedule.settings.steps(schedule.start, schedule.end);
        schedule
    }

    fn run(
        &self,
        disk: &dyn Disk,
        folder: &Path,
        steps: f64,
        watch: &mut dyn FnMut(&RunProgress) -> bool,
    ) -> Result<RunSummary, RunError> {
        let request = RunRequest {
            format: self.format,
            version: "test 1",
            checkpoints: CheckpointInterval::Steps(INTERVAL),
            rows_per_group: Some(3),
            ..RunRequest::new(folder)
        };
        run_on(disk, &self.file, &self.schedule(steps), &self.start, &request, watch)
    }

    fn resume_request(&self, task: Task) -> ResumeRequest<'static> {
        ResumeRequest {
            end: (task == Task::Extend).then(|| self.schedule(STEPS).end),
            version: "test 1",
            checkpoints: CheckpointInterval::Steps(INTERVAL),
            ..ResumeRequest::default()
        }
    }

    fn attempt(
        &self,
        task: Task,
        disk: &dyn Disk,
        folder: &Path,
        watch: &mut dyn FnMut(&RunProgress) -> bool,
    ) -> Result<RunSummary, RunError> {
        match task {
            Task::Begin | Task::Replace => self.run(disk, folder, STEPS, watch),
            Task::Resume | Task::Extend => {
                let request = self.resume_request(task);
                SavedRun::open_on(disk, folder, &request)?.run(&request, watch)
            }
        }
    }

    /// Names in the folder that are not of a run.
    fn foreign(&self) -> &'static [&'static str] {
        match self.has_snapshots {
            true => &["notes.txt", "mine", "mine/data", "snapshots/notes.txt"],
            false => &["notes.txt", "mine", "mine/data"],
        }
    }

    fn put_foreign(&self, folder: &Path) {
        fs::create_dir_all(folder.join("mine")).unwrap();
        if self.has_snapshots {
            fs::create_dir_all(folder.join("snapshots")).unwrap();
        }
        for name in self.foreign().iter().filter(|name| **name != "mine") {
            fs::write(folder.join(name), name).unwrap();
        }
    }

    fn foreign_is_untouched(&self, folder: &Path) -> bool {
        let mut files = self.foreign().iter().filter(|name| **name != "mine");
        files.all(|name| fs::read(folder.join(name)).is_ok_and(|x| x == name.as_bytes()))
    }

    fn read(&self, folder: &Path) -> Result<FinishedRun, String> {
        FinishedRun::read(folder, self.foreign())
    }
}

/// A folder before a task.
struct Template {
    files: BTreeMap<PathBuf, Vec<u8>>,
    /// Complete results in it.
    earlier: Option<FinishedRun>,
    /// The steps of the last checkpoint in it.
    steps: u64,
}

impl Template {
    fn new(subject: &Subject, task: Task) -> Self {
        let scratch = Scratch::in_memory(&format!("template-{task:?}-{:p}", subject));
        let folder = &scratch.0;
        subject.put_foreign(folder);
        let mut earlier = None;
        let mut steps = 0;
        match task {
            Task::Begin => {}
            Task::Replace | Task::Extend => {
                subject.run(&LocalDisk, folder, FEWER_STEPS, &mut |_| true).unwrap();
                earlier = Some(subject.read(folder).unwrap());
                if task == Task::Extend {
                    let request = subject.resume_request(task);
                    steps = SavedRun::open(folder, &request).unwrap().steps();
                }
            }
            Task::Resume => {
                let all = FaultyDisk::new(Fault::Once, usize::MAX);
                subject.run(&all, folder, STEPS, &mut |_| true).unwrap();
                fs::remove_dir_all(folder).unwrap();
                subject.put_foreign(folder);
                // killed when two thirds are done
                let disk = FaultyDisk::new(Fault::FromThenOn, all.operations() * 2 / 3);
                subject.run(&disk, folder, STEPS, &mut |_| true).unwrap_err();
                let request = subject.resume_request(task);
                steps = SavedRun::open(folder, &request).unwrap().steps();
                assert!(steps >= 4, "{steps}");
            }
        }
        let files = tree(folder).into_iter();
        let files = files.map(|(path, bytes)| match path.is_dir() {
            // a folder ends with a separator
            true => (path.strip_prefix(folder).unwrap().join(""), bytes),
            false => (path.strip_prefix(folder).unwrap().to_path_buf(), bytes),
        });
        Self { files: files.collect(), earlier, steps }
    }

    fn put(&self, folder: &Path) {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).unwrap();
        for (path, bytes) in &self.files {
            let place = folder.join(path);
            match path.to_string_lossy().ends_with('/') {
                true => fs::create_dir_all(place).unwrap(),
                false => {
                    fs::create_dir_all(place.parent().unwrap()).unwrap();
                    fs::write(place, bytes).unwrap();
                }
            }
        }
    }

    /// The steps after which a state is on the disk, if the run was about to take a step after so many.
    fn saved_steps(&self, reached: Option<u64>) -> u64 {
        let steps = reached.unwrap_or_default().saturating_sub(self.steps + 1);
        self.steps + steps / INTERVAL * INTERVAL
    }
}

/// Fails at every operation of a task; returns how many there are.
fn fail_everywhere(row: &Row, task: Task, fault: Fault) -> usize {
    let subject = Subject::new(row);
    let name = format!("{}-{:?}-{task:?}-{fault:?}", row.model, row.format);
    let scratch = Scratch::in_memory(&name.replace(['(', ')'], "-"));
    let folder = &scratch.0.join("results");
    subject.put_foreign(folder);
    subject.run(&LocalDisk, folder, STEPS, &mut |_| true).unwrap();
    let expected = subject.read(folder).unwrap();
    assert!(expected.rows() >= 11, "{name}: {}", expected.rows());
    let template = Template::new(&subject, task);
    for n in 0.. {
        let case = format!("{name}, {:?}, operation {n}", row.method);
        template.put(folder);
        let disk = FaultyDisk::new(fault, n);
        let mut reached = None;
        let result = subject.attempt(task, &disk, folder, &mut |at| {
            reached = Some(at.steps);
            true
        });
        disk.stop();
        let found = || format!("{case}: {:#?}", tree(folder).keys());
        assert!(subject.foreign_is_untouched(folder), "{}", found());
        if !disk.has_failed() {
            result.unwrap_or_else(|error| panic!("{case}: {error}"));
            let difference = subject.read(folder).map(|run| run.difference(&expected));
            assert_eq!(difference, Ok(None), "{}", found());
            return n;
        }
        if let Err(error) = &result {
            assert!(error.to_string().contains(NO_SPACE), "{case}: {error}");
        }
        if let Some(earlier) = &template.earlier {
            // the old results or the new ones
            let table = ResultsTable::open(folder).unwrap_or_else(|x| panic!("{x}: {}", found()));
            let rows = table.values(&[0]).unwrap_or_else(|x| panic!("{x}: {}", found()))[0].len();
            assert!([earlier.rows(), expected.rows()].contains(&rows), "{rows}: {}", found());
            assert_eq!(table.summary.unwrap().status, RunStatus::Completed, "{}", found());
        }
        recover(&subject, task, &template, folder, reached, &expected, &case);
    }
    unreachable!()
}

/// Continues on a good disk, or begins again if nothing was saved.
fn recover(
    subject: &Subject,
    task: Task,
    template: &Template,
    folder: &Path,
    reached: Option<u64>,
    expected: &FinishedRun,
    case: &str,
) {
    let before = finished::names(folder, "");
    let is_there = |name: &str| folder.join(name).exists();
    let is_saved = is_there("unfinished/run.cardan") || is_there("finished/summary.json");
    let saved_steps = template.saved_steps(reached);
    let request = subject.resume_request(task);
    match SavedRun::open(folder, &request) {
        Ok(saved) => {
            let steps = saved.steps();
            assert!(steps >= saved_steps, "{case}: {steps} of {saved_steps} steps: {before:#?}");
            let resumed = saved.run(&request, &mut |_| true);
            resumed.unwrap_or_else(|error| panic!("{case}: {error}\n{before:#?}"));
        }
        Err(error) => {
            let is_lost = is_saved || saved_steps > 0 || task == Task::Extend;
            assert!(!is_lost, "{case}: {error}\n{before:#?}");
        }
    }
    let difference = |folder: &Path| subject.read(folder).map(|run| run.difference(expected));
    let mut found = difference(folder);
    if found != Ok(None) && !is_saved && matches!(task, Task::Begin | Task::Replace) {
        assert_eq!(saved_steps, 0, "{case}: {found:?}\n{before:#?}");
        let again = subject.run(&LocalDisk, folder, STEPS, &mut |_| true);
        again.unwrap_or_else(|error| panic!("{case}: {error}\n{before:#?}"));
        found = difference(folder);
    }
    assert_eq!(found, Ok(None), "{case}\n{before:#?}");
    assert!(subject.foreign_is_untouched(folder), "{case}");
}

/// Fails at every operation of a run in a folder that a template describes; calls a function after each failure with
/// the folder, the steps that must have been saved, and a text for messages. Returns the number of operations.
fn fail_and_check(
    subject: &Subject,
    template: &Template,
    fault: Fault,
    last_step: u64,
    check: &mut dyn FnMut(&Path, u64, &str),
) -> usize {
    let scratch = Scratch::in_memory(&format!("check-{last_step}"));
    let folder = &scratch.0;
    for n in 0.. {
        template.put(folder);
        let disk = FaultyDisk::new(fault, n);
        let mut reached = None;
        let result = subject.run(&disk, folder, STEPS, &mut |at| {
            reached = Some(at.steps);
            at.steps < last_step
        });
        disk.stop();
        let case = format!("{fault:?}, operation {n}: {:#?}", finished::names(folder, ""));
        assert!(subject.foreign_is_untouched(folder), "{case}");
        let steps = reached.unwrap_or_default().saturating_sub(1) / INTERVAL * INTERVAL;
        check(folder, steps, &case);
        if !disk.has_failed() {
            result.unwrap_or_else(|error| panic!("{case}: {error}"));
            return n;
        }
    }
    unreachable!()
}

/// Continues the run in a folder; it must have been saved after so many steps, and end as expected.
fn resume_and_compare(
    subject: &Subject,
    folder: &Path,
    foreign: &[&str],
    (steps, expected): (u64, &FinishedRun),
    case: &str,
) {
    let request = subject.resume_request(Task::Resume);
    let saved = SavedRun::open(folder, &request).unwrap_or_else(|x| panic!("{x}: {case}"));
    assert!(saved.steps() >= steps, "{} of {steps} steps: {case}", saved.steps());
    saved.run(&request, &mut |_| true).unwrap_or_else(|x| panic!("{x}: {case}"));
    let difference = FinishedRun::read(folder, foreign).map(|run| run.difference(expected));
    assert_eq!(difference, Ok(None), "{case}");
}

const SOME_FAULTS: [Fault; 3] =
    [Fault::Once, Fault::Crash(Loss::NewNames), Fault::Crash(Loss::AllNames)];

/// Its results are put beside the complete ones, or it is still unfinished.
#[test]
fn a_run_that_is_stopped_while_the_disk_fails_leaves_earlier_results_and_can_be_continued() {
    let subject = Subject::new(&structure(ResultsFormat::Parquet));
    let unbroken = Scratch::in_memory("unbroken-stopped");
    subject.run(&LocalDisk, &unbroken.0, STEPS, &mut |_| true).unwrap();
    let expected = FinishedRun::read(&unbroken.0, &[]).unwrap();
    let template = Template::new(&subject, Task::Replace);
    let earlier = template.earlier.as_ref().unwrap();
    for fault in SOME_FAULTS {
        let count = fail_and_check(&subject, &template, fault, 7, &mut |folder, steps, case| {
            let times = ResultsTable::open(folder).unwrap().values(&[0]).unwrap().remove(0);
            assert_eq!(times.len(), earlier.rows(), "{case}");
            let aside = folder.join("interrupted-1");
            let is_there = |name: &str| folder.join(name).exists();
            if is_there("unfinished/run.cardan") {
                let foreign = subject.foreign();
                resume_and_compare(&subject, folder, foreign, (steps, &expected), case);
            } else if is_there("interrupted-1") {
                resume_and_compare(&subject, &aside, &[], (steps, &expected), case);
            } else {
                assert_eq!(steps, 0, "{case}");
            }
        });
        assert!(count > 100, "{count}");
    }
}

/// The unfinished run stays where it is, or is moved to a folder with a number.
#[test]
fn a_run_begun_over_an_unfinished_one_while_the_disk_fails_leaves_both_to_be_continued() {
    let subject = Subject::new(&structure(ResultsFormat::Csv));
    let unbroken = Scratch::in_memory("unbroken-abandoned");
    subject.run(&LocalDisk, &unbroken.0, STEPS, &mut |_| true).unwrap();
    let expected = FinishedRun::read(&unbroken.0, &[]).unwrap();
    let template = Template::new(&subject, Task::Resume);
    for fault in SOME_FAULTS {
        let count = fail_and_check(&subject, &template, fault, 99, &mut |folder, steps, case| {
            let abandoned = folder.join("abandoned-1");
            let old = (template.steps, &expected);
            if !abandoned.join("unfinished").exists() {
                let foreign = subject.foreign();
                // the empty folder for the old run may be there already
                let _ = fs::remove_dir(&abandoned);
                return resume_and_compare(&subject, folder, foreign, old, case);
            }
            resume_and_compare(&subject, &abandoned, &[], old, case);
            let request = subject.resume_request(Task::Resume);
            match SavedRun::open(folder, &request) {
                Ok(saved) => {
                    assert!(saved.steps() >= steps, "{case}");
                    saved.run(&request, &mut |_| true).unwrap_or_else(|x| panic!("{x}: {case}"));
                    fs::remove_dir_all(&abandoned).unwrap();
                    let new = subject.read(folder).unwrap_or_else(|x| panic!("{x}: {case}"));
                    assert_eq!(new.rows(), expected.rows(), "{case}");
                }
                Err(_) => assert_eq!(steps, 0, "{case}"),
            }
        });
        assert!(count > 100, "{count}");
    }
}

/// Snapshots that were taken after the last state are not those of a run with an earlier end.
#[test]
fn a_killed_run_that_is_resumed_to_an_earlier_end_has_no_snapshots_after_it() {
    // the only snapshot is taken at step 8
    let output = "channels = [\"bar.end\"]\nsnapshots = [5.2e-4]\n";
    let subject = Subject::new(&Row { output, ..structure(ResultsFormat::Parquet) });
    let unbroken = Scratch::in_memory("unbroken-earlier");
    subject.run(&LocalDisk, &unbroken.0, FEWER_STEPS, &mut |_| true).unwrap();
    let expected = FinishedRun::read(&unbroken.0, &[]).unwrap();
    let scratch = Scratch::in_memory("earlier-end");
    let folder = &scratch.0;
    let has_snapshot = || folder.join("unfinished/snapshots/index.json").exists();
    let is_killed = (0..).find(|n| {
        let _ = fs::remove_dir_all(folder);
        let disk = FaultyDisk::new(Fault::FromThenOn, *n);
        assert!(subject.run(&disk, folder, STEPS, &mut |_| true).is_err(), "never killed");
        has_snapshot()
    });
    assert!(is_killed.is_some());
    let end = Some(subject.schedule(FEWER_STEPS).end);
    let request = ResumeRequest { end, ..subject.resume_request(Task::Resume) };
    SavedRun::open(folder, &request).unwrap().run(&request, &mut |_| true).unwrap();
    let difference = FinishedRun::read(folder, &[]).map(|run| run.difference(&expected));
    assert_eq!(difference, Ok(None));
}

/// A warning of the start is in no state yet.
#[test]
fn a_run_that_is_killed_before_its_first_state_keeps_its_warning_about_stability() {
    // slightly above the longest stable step
    let row = Row {
        set: &[("n", "8"), ("cfl", "0.7")],
        ..Row { method: Some("g5".into()), ..structure(ResultsFormat::Csv) }
    };
    let subject = Subject::new(&row);
    let scratch = Scratch::in_memory("stability");
    let folder = &scratch.0;
    let summary = subject.run(&LocalDisk, folder, STEPS, &mut |_| true).unwrap();
    assert!(summary.warnings.iter().any(|x| x.contains("is stable up to")), "{summary:#?}");
    fs::remove_dir_all(folder).unwrap();
    let is_begun = (0..).find(|n| {
        let _ = fs::remove_dir_all(folder);
        let disk = FaultyDisk::new(Fault::FromThenOn, *n);
        assert!(subject.run(&disk, folder, STEPS, &mut |_| true).is_err(), "never killed");
        folder.join("unfinished/summary.json").exists()
    });
    assert!(is_begun.is_some());
    let request = subject.resume_request(Task::Resume);
    let saved = SavedRun::open(folder, &request).unwrap();
    assert_eq!(saved.steps(), 0);
    let resumed = saved.run(&request, &mut |_| true).unwrap();
    assert_eq!(resumed.warnings, summary.warnings);
}

/// All ways in which a disk may fail. The formats differ in one file only, so they share them.
const FAULTS: [(ResultsFormat, Fault); 7] = [
    (ResultsFormat::Parquet, Fault::Once),
    (ResultsFormat::Parquet, Fault::ShortWrite),
    (ResultsFormat::Parquet, Fault::Crash(Loss::Bytes)),
    (ResultsFormat::Parquet, Fault::Crash(Loss::NewNames)),
    (ResultsFormat::Csv, Fault::Crash(Loss::HalfOfTheBytes)),
    (ResultsFormat::Csv, Fault::ShortWrite),
    (ResultsFormat::Csv, Fault::Crash(Loss::AllNames)),
];

/// Every fault of a structure with snapshots, which has every kind of file.
fn fail_in_every_way(task: Task) {
    let began = Instant::now();
    let mut count = 0;
    for (format, fault) in FAULTS {
        for row in chosen(vec![structure(format)]) {
            count += fail_everywhere(&Row { format, ..row }, task, fault);
        }
    }
    println!("{task:?}: {count} failures in {:.1} s", began.elapsed().as_secs_f64());
    assert!(count > 300, "{count}");
}

#[test]
fn a_new_run_whose_disk_fails_anywhere_ends_with_the_same_results() {
    fail_in_every_way(Task::Begin);
}

#[test]
fn a_run_over_earlier_results_whose_disk_fails_anywhere_ends_with_the_same_results() {
    fail_in_every_way(Task::Replace);
}

#[test]
fn a_resumed_run_whose_disk_fails_anywhere_ends_with_the_same_results() {
    fail_in_every_way(Task::Resume);
}

#[test]
fn an_extended_run_whose_disk_fails_anywhere_ends_with_the_same_results() {
    fail_in_every_way(Task::Extend);
}

#[test]
fn rigid_bodies_and_beams_on_a_failing_disk_end_with_the_same_results() {
    for row in chosen(mechanisms()) {
        let mut count = 0;
        for (task, fault) in
            [(Task::Begin, Fault::Crash(Loss::AllNames)), (Task::Extend, Fault::FromThenOn)]
        {
            count += fail_everywhere(&row, task, fault);
        }
        println!("{}, {:?}: {count} failures", row.model, row.method);
    }
}
