//! Folders, processes, and a run that was killed after some checkpoints.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::finished::FinishedRun;

/// A folder that is removed when the test ends; in memory where that is possible.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let memory = Path::new("/dev/shm");
        let place = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = place.join(format!("cardan-kills-{name}-{}-{count}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn cardan(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cardan")).args(arguments).output().unwrap()
}

/// Starts the program without waiting for its end.
pub fn start(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_cardan"))
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

pub fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The names in a folder, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The files of an unfinished run whose names begin so, sorted.
pub fn work_files(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let unfinished = folder.join("unfinished");
    let is_meant = |name: &String| name.starts_with(prefix) && !name.ends_with(".partial");
    names(&unfinished).into_iter().filter(is_meant).map(|name| unfinished.join(name)).collect()
}

pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for name in names(from) {
        let (source, target) = (from.join(&name), to.join(&name));
        match source.is_dir() {
            true => copy_folder(&source, &target),
            false => _ = fs::copy(source, target).unwrap(),
        }
    }
}

/// Waits until something has happened; fails after a minute.
pub fn wait_until(what: &str, mut has_happened: impl FnMut() -> bool) {
    for _ in 0..30_000 {
        if has_happened() {
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    panic!("{what} within a minute");
}

/// The name of the last checkpoint.
pub fn last_checkpoint(folder: &Path) -> Option<PathBuf> {
    work_files(folder, "checkpoint-").pop()
}

/// Starts a command that computes in a folder; returns it when it has saved two more states.
pub fn start_and_wait(arguments: &[&str], folder: &Path) -> Child {
    let before = last_checkpoint(folder);
    let mut running = start(arguments);
    wait_until("two checkpoints", || {
        assert!(running.try_wait().unwrap().is_none(), "{arguments:?}: it has ended already");
        let all = work_files(folder, "checkpoint-");
        all.len() == 2 && all.first() > before.as_ref()
    });
    running
}

/// A run that takes long enough to be killed, in a folder.
pub struct LongRun<'a> {
    pub model: &'a str,
    pub options: &'a [&'a str],
}

impl LongRun<'_> {
    fn arguments<'b>(&'b self, folder: &'b str) -> Vec<&'b str> {
        let first = ["run", self.model, "--out", folder, "--checkpoint", "500"];
        first.into_iter().chain(self.options.iter().copied()).collect()
    }

    /// Runs it to its end.
    pub fn unbroken(&self, folder: &str) -> FinishedRun {
        let output = cardan(&self.arguments(folder));
        assert!(output.status.success(), "{}", message(&output));
        finished(folder)
    }

    /// Starts it; returns it when it has saved two states.
    pub fn start(&self, folder: &str) -> Child {
        start_and_wait(&self.arguments(folder), Path::new(folder))
    }

    /// Kills it after two checkpoints.
    pub fn killed(&self, folder: &str) {
        let mut running = self.start(folder);
        running.kill().unwrap();
        running.wait().unwrap();
        assert!(!work_files(Path::new(folder), "part-").is_empty());
    }
}

/// Reads a finished run in a folder without other files.
pub fn finished(folder: &str) -> FinishedRun {
    FinishedRun::read(Path::new(folder), &[]).unwrap_or_else(|wrong| panic!("{folder}: {wrong}"))
}

/// Continues a run to its end; returns the messages.
pub fn resume(folder: &str, options: &[&str]) -> String {
    let arguments: Vec<&str> =
        ["resume", folder].into_iter().chain(options.iter().copied()).collect();
    let output = cardan(&arguments);
    assert!(output.status.success(), "{}", message(&output));
    message(&output)
}

/// The run of most tests: a multistep method has a history.
pub const PENDULUM: LongRun<'static> =
    LongRun { model: "pendulum", options: &["--method", "lms3", "--end", "40"] };
