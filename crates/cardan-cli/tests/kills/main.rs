//! Runs that are killed at random and continued: `cardan resume` must end with the results of an unbroken run, to the
//! last bit, whenever the run was killed and however often.
//!
//! ```text
//!   unbroken run ─────────────────────────────────────────────────▶ results ─┐
//!   run ── SIGKILL ── resume ── SIGKILL ── resume ── … ── resume ─▶ results ─┴─▶ the same?
//! ```
//!
//! A feature that has a state or a file gets a row in [`ROWS`]. Environment variables choose something else:
//!
//! | variable | meaning |
//! | --- | --- |
//! | `CARDAN_KILL_MODEL` | a model: a file, or the name of an example; instead of the rows |
//! | `CARDAN_KILL_METHOD` | its method, as `bathe:rho=0.5`; otherwise that of the file |
//! | `CARDAN_KILL_OPTIONS` | more options of `cardan run`, separated by spaces: `--end 2 --format csv` |
//! | `CARDAN_KILLS` | the number of kills of all rows together |
//! | `CARDAN_KILL_SEED` | the seed of the random instants |
//!
//! ```console
//! $ CARDAN_KILL_MODEL=bricard CARDAN_KILL_METHOD=bathe CARDAN_KILLS=500 cargo test --workspace --test kills killed
//! ```

mod common;
mod damage;
mod extension;
#[path = "../../../../tests/suite/survival/finished.rs"]
mod finished;
mod interruption;

use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

use common::{Scratch, cardan, message, start};
use finished::FinishedRun;

/// A model, how it is computed, and how often its state is saved.
struct Row {
    model: &'static str,
    /// Options of `cardan run`.
    options: &'static str,
    /// Lines for `[output]`, in a copy of the model.
    output: &'static str,
    /// Steps between two checkpoints.
    checkpoint: &'static str,
    /// The exit code of the unbroken run.
    code: i32,
}

const fn row(model: &'static str, checkpoint: &'static str, options: &'static str) -> Row {
    Row { model, options, output: "", checkpoint, code: 0 }
}

/// Six families of methods and more; rigid bodies, beams, floating frames, structures; planar and spatial; with
/// redundant constraints, a rolling wheel, friction, events, a start in equilibrium, values outside their range, and a run that fails.
const ROWS: [Row; 28] = [
    row("andrews", "500", "--method generalized-alpha --end 0.15"),
    row("slider_crank", "700", "--method lms3 --end 15 --format csv"),
    row("slider_crank", "300", "--method g4 --end 15 --constraints position"),
    row("heavy_top", "700", "--method ab5 --end 2 --format csv"),
    row("pendulum", "500", "--method msstc4 --end 15"),
    row("bricard", "100", "--method bathe --end 4"),
    row("four_bars", "300", "--method trbdf2 --end 12 --constraints stabilized"),
    row("rolling_disc", "700", "--end 20"),
    row("spin_up", "100", "--method bdf2 --end 20"),
    row("spin_up", "50", "--method hht-add --end 10 --format csv"),
    row("rotating_shaft", "10", "--method esdirk436 --end 0.25"),
    row("rotating_shaft", "20", "--method lms4 --end 0.5 --beams finite-volume"),
    row("flexible_slider_crank", "300", "--method ss4 --end 0.2"),
    row("reduced_rod/model.toml", "100", "--method mssth3 --end 0.05 --format csv"),
    row("servo_arm", "300", "--end 4"),
    row("andrews", "50", "--method esdirk436 --tolerance 1e-10 --every 1e-4 --end 0.1"),
    row("quarter_car", "100", "--method generalized-alpha --tolerance 1e-6 --format csv"),
    row("rotating_shaft", "10", "--method auto --tolerance 1e-4 --every 1e-3 --end 0.03"),
    row("hydraulic_cylinder", "200", "--method esdirk436 --end 1 --format csv"),
    Row {
        output: "snapshots = [0, 1e-3, 2e-3, 3.5e-3]\n",
        ..row("clamped_bar", "50", "--method g5 --set n=300 --set cfl=0.25")
    },
    Row {
        output: "snapshots = [0, 1e-3, 2e-3, 3.5e-3]\n",
        ..row("clamped_bar", "50", "--method mssth4 --set n=300 --format csv")
    },
    row("bouncing_ball", "40", "--method lms3 --end 7"),
    row(
        "bouncing_ball",
        "20",
        "--method esdirk436 --tolerance 1e-8 --every 1e-3 --end 7 --format csv",
    ),
    row("latch", "50", "--end 3 --format csv"),
    row("quarter_car", "100", "--static --end 3"),
    row("friction.toml", "50", "--end 3"),
    row("soft.toml", "50", "--set F=30 --step 1e-3 --end 3 --format csv"),
    Row { code: 3, ..row("too_short.toml", "100", "--step 1e-4") },
];

/// Models that are not in `models/`.
fn own_model(name: &str) -> Option<String> {
    match name {
        "friction.toml" => Some(FRICTION.into()),
        "soft.toml" => Some(SOFT.into()),
        // the rod is too short for a whole turn of the crank
        "too_short.toml" => {
            let text = std::fs::read_to_string(example("slider_crank")).unwrap();
            let turning = "\n[drive.turn]\ntype = \"angle\"\njoint = \"O\"\nvalue = \"t\"\n";
            Some(text.replace("L2 = 0.6", "L2 = 0.2") + turning)
        }
        _ => None,
    }
}

/// A clamped rod that bends more than its modes describe.
const SOFT: &str = r#"
format = 2
planar = true
[flexible.rod]
length = 1
mass = 1
stiffness = [1e6, 1e6, 10]
modes = 3
support = "clamped"
[joint.clamp]
type = "fixed"
between = ["ground", "rod.start"]
[force.tip]
type = "load"
point = "rod.end"
force = [0, "F"]
[simulation]
step = 1e-2
end = 2
[parameters]
F = 1
"#;

/// A flexible rod in a bearing with friction.
const FRICTION: &str = r#"
format = 2
planar = true
gravity = [0, -9.81]
[flexible.rod]
length = 1
mass = 1
stiffness = [1e6, 1e6, 10]
modes = 3
support = "clamped"
[joint.O]
type = "revolute"
between = ["ground", "rod.start"]
[force.bearing]
type = "friction"
joint = "O"
coefficient = 0.2
radius = 0.02
[simulation]
step = 1e-3
end = 2
"#;

/// The file of an example.
fn example(name: &str) -> PathBuf {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    match name.ends_with(".toml") {
        true => models.join(name),
        false => models.join(format!("{name}.toml")),
    }
}

/// Random numbers (SplitMix64).
struct Random(u64);

impl Random {
    /// Uniformly distributed in [0, 1).
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ (x >> 31)) as f64 / 2.0_f64.powi(64)
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The state in which kills have found runs.
#[derive(Default, Debug)]
struct Kills {
    before_the_record: usize,
    without_a_checkpoint: usize,
    with_a_checkpoint: usize,
    while_results_were_gathered: usize,
    while_results_were_moved: usize,
    too_late: usize,
}

impl Kills {
    fn count(&mut self, folder: &Path, was_too_late: bool) {
        let is_there = |name: &str| folder.join(name).exists();
        let names = common::names(&folder.join("unfinished"));
        let has = |part: &str| names.iter().any(|name| name.contains(part));
        let count = match () {
            () if was_too_late => &mut self.too_late,
            () if is_there("finished") => &mut self.while_results_were_moved,
            () if has("whole") || has("results.csv") => &mut self.while_results_were_gathered,
            () if has("checkpoint") => &mut self.with_a_checkpoint,
            () if has("run.cardan") => &mut self.without_a_checkpoint,
            () => &mut self.before_the_record,
        };
        *count += 1;
    }
}

/// When a run is killed.
#[derive(Debug, Clone, Copy)]
enum KillTime {
    /// After this time.
    After(Duration),
    /// This time after it has begun to gather its results.
    Gathering(Duration),
}

impl KillTime {
    /// Any time of a run, and often its end, which is short.
    fn random(random: &mut Random, duration: Duration) -> Self {
        match random.number() < 0.7 {
            true => Self::After(duration.mul_f64(random.number())),
            false => Self::Gathering(Duration::from_micros((3000.0 * random.number()) as u64)),
        }
    }

    fn wait(self, running: &mut Child, folder: &Path) {
        let time = match self {
            Self::After(time) => time,
            Self::Gathering(time) => {
                let names = ["unfinished/whole.parquet.partial", "unfinished/results.csv.partial"];
                let begins = || names.iter().any(|name| folder.join(name).exists());
                while !begins() && running.try_wait().unwrap().is_none() {
                    std::thread::sleep(Duration::from_micros(100));
                }
                time
            }
        };
        std::thread::sleep(time);
    }
}

/// Files of others in the folder of the results.
const FOREIGN: [&str; 3] = ["notes.txt", "mine", "mine/data"];

fn put_foreign(folder: &Path) {
    std::fs::create_dir_all(folder.join("mine")).unwrap();
    for name in ["notes.txt", "mine/data"] {
        std::fs::write(folder.join(name), name).unwrap();
    }
}

/// A row with the path of its model.
struct Prepared<'a> {
    model: String,
    options: Vec<&'a str>,
}

impl<'a> Prepared<'a> {
    fn new(row: &'a Row, scratch: &Scratch) -> Self {
        let mut model = match example(row.model) {
            path if path.exists() => path,
            _ => PathBuf::from(row.model),
        };
        let text = own_model(row.model).or_else(|| {
            let is_changed = !row.output.is_empty();
            is_changed.then(|| std::fs::read_to_string(&model).unwrap() + row.output)
        });
        if let Some(text) = text {
            model = PathBuf::from(scratch.path("model.toml"));
            std::fs::write(&model, text).unwrap();
        }
        let options = row.options.split_whitespace().collect();
        Self { model: model.to_str().unwrap().into(), options }
    }

    /// The arguments of an unbroken run.
    fn run<'b>(&'b self, folder: &'b str, checkpoint: &'b str) -> Vec<&'b str> {
        let first = ["run", &self.model, "--out", folder, "--checkpoint", checkpoint];
        first.into_iter().chain(self.options.iter().copied()).collect()
    }
}

/// Kills and continues runs of a row until there were so many kills; each must end as the unbroken one.
fn kill_and_resume(row: &Row, count: usize, random: &mut Random, kills: &mut Kills) {
    let scratch = Scratch::new("row");
    let prepared = Prepared::new(row, &scratch);
    let case = format!("{} {}", row.model, row.options);
    let place = scratch.path("unbroken");
    let unbroken = cardan(&prepared.run(&place, "off"));
    assert_eq!(unbroken.status.code(), Some(row.code), "{case}: {}", message(&unbroken));
    let expected = FinishedRun::read(Path::new(&place), &[]).unwrap();
    let place = scratch.path("killed");
    let folder = Path::new(&place);
    let compare = |what: &str| {
        let found = FinishedRun::read(folder, &FOREIGN).map(|run| run.difference(&expected));
        assert_eq!(found, Ok(None), "{case}: {what}");
        for name in ["notes.txt", "mine/data"] {
            assert_eq!(std::fs::read_to_string(folder.join(name)).unwrap(), name, "{case}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    };

    // a state that is saved changes nothing
    put_foreign(folder);
    let began = std::time::Instant::now();
    let with_checkpoints = cardan(&prepared.run(&place, row.checkpoint));
    let duration = began.elapsed();
    assert_eq!(with_checkpoints.status.code(), Some(row.code), "{case}");
    compare("not killed");

    let mut done = 0;
    let mut history = Vec::new();
    while done < count || !history.is_empty() {
        if history.is_empty() {
            put_foreign(folder);
        }
        let has_begun = ["unfinished/run.cardan", "finished", "summary.json"]
            .iter()
            .any(|name| folder.join(name).exists());
        let arguments = match has_begun {
            true => vec!["resume", &place, "--checkpoint", row.checkpoint],
            false => prepared.run(&place, row.checkpoint),
        };
        let mut running = start(&arguments);
        let mut instant = None;
        if done < count {
            let chosen = KillTime::random(random, duration);
            chosen.wait(&mut running, folder);
            // a process that has ended is not killed
            let _ = running.kill();
            instant = Some(chosen);
            done += 1;
        }
        let output = running.wait_with_output().unwrap();
        history.push((arguments[0].to_string(), instant));
        match output.status.code() {
            // killed
            None => kills.count(folder, false),
            Some(code) if code == row.code => {
                if instant.is_some() {
                    kills.count(folder, true);
                }
                compare(&format!("{history:?}"));
                history.clear();
            }
            Some(code) => panic!("{case}: exit code {code}, {history:?}: {}", message(&output)),
        }
    }
}

/// Every second row, from one on: two tests share the processors.
fn kill_rows(first: usize) {
    let seed = variable("CARDAN_KILL_SEED").map_or(1, |seed| seed.parse().unwrap());
    let kills = variable("CARDAN_KILLS").map(|count| count.parse::<usize>().unwrap());
    let mut random = Random(seed + first as u64);
    let mut found = Kills::default();
    let began = std::time::Instant::now();
    // printed if the test fails
    println!("CARDAN_KILL_SEED={seed}");
    if let Some(model) = variable("CARDAN_KILL_MODEL") {
        if first == 0 {
            let method = variable("CARDAN_KILL_METHOD").map(|method| format!("--method {method} "));
            let options = variable("CARDAN_KILL_OPTIONS").unwrap_or_default();
            let options = method.unwrap_or_default() + &options;
            let row = row(model.leak(), "20", options.leak());
            kill_and_resume(&row, kills.unwrap_or(20), &mut random, &mut found);
        }
    } else {
        let count = kills.unwrap_or(5 * ROWS.len());
        for (k, row) in ROWS.iter().enumerate().skip(first).step_by(2) {
            let share = count * (k + 1) / ROWS.len() - count * k / ROWS.len();
            let before = began.elapsed();
            kill_and_resume(row, share, &mut random, &mut found);
            println!(
                "{} {}: {:.1} s",
                row.model,
                row.options,
                (began.elapsed() - before).as_secs_f64()
            );
        }
    }
    println!("{found:?} in {:.1} s", began.elapsed().as_secs_f64());
}

#[test]
fn runs_that_are_killed_at_random_end_with_the_results_of_an_unbroken_run() {
    kill_rows(0);
}

#[test]
fn runs_of_the_other_rows_that_are_killed_end_with_the_results_of_an_unbroken_run() {
    kill_rows(1);
}
