//! Files that were changed between a kill and `cardan resume`: what can be used is used, and what cannot is named.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{
    LongRun, PENDULUM, Scratch, cardan, copy_folder, finished, last_checkpoint, message, resume,
    work_files,
};
use crate::example;

/// A killed run, and the results it must have in the end.
struct Killed {
    scratch: Scratch,
    original: String,
    expected: crate::finished::FinishedRun,
}

impl Killed {
    fn new(name: &str) -> Self {
        let scratch = Scratch::new(name);
        let expected = PENDULUM.unbroken(&scratch.path("unbroken"));
        let original = scratch.path("original");
        PENDULUM.killed(&original);
        Self { scratch, original, expected }
    }

    /// A copy of the killed run.
    fn copy(&self, name: &str) -> PathBuf {
        let place = self.scratch.0.join(name);
        copy_folder(Path::new(&self.original), &place);
        place
    }

    /// The run in a folder is continued to the right results; returns the messages.
    fn is_continued(&self, folder: &Path) -> String {
        let place = folder.to_str().unwrap();
        let said = resume(place, &[]);
        assert_eq!(finished(place).difference(&self.expected), None, "{said}");
        said
    }

    /// `resume` is refused with a message that has all these parts, and no file is changed.
    fn is_refused(&self, folder: &Path, parts: &[&str]) {
        let before: Vec<_> = files(folder);
        let output = cardan(&["resume", folder.to_str().unwrap()]);
        let said = message(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        for part in parts {
            assert!(said.contains(part), "`{part}` is missing: {said}");
        }
        assert!(files(folder) == before, "{said}");
    }
}

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let all = work_files(folder, "").into_iter().filter(|path| path.is_file());
    all.map(|path| (path.clone(), fs::read(&path).unwrap())).collect()
}

fn cut(path: &Path) {
    let bytes = fs::read(path).unwrap();
    fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
}

fn alter(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(path, bytes).unwrap();
}

fn name(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

#[test]
fn a_damaged_checkpoint_is_named_and_the_one_before_it_is_used() {
    let killed = Killed::new("newest");
    type Damage = fn(&Path);
    let kinds: [(Damage, &str); 4] = [
        (cut, "it was cut or extended"),
        (alter, "it was altered"),
        (|path| fs::write(path, "").unwrap(), "is not used"),
        (|path| fs::write(path, "mine").unwrap(), "is not a file of this kind"),
    ];
    for (k, (damage, reason)) in kinds.into_iter().enumerate() {
        let place = killed.copy(&format!("copy-{k}"));
        let newest = last_checkpoint(&place).unwrap();
        damage(&newest);
        let said = killed.is_continued(&place);
        assert!(said.contains("warning") && said.contains(name(&newest)), "{said}");
        assert!(said.contains(reason), "{said}");
    }
    // a checkpoint that is missing is no damage
    let place = killed.copy("missing");
    fs::remove_file(last_checkpoint(&place).unwrap()).unwrap();
    killed.is_continued(&place);
}

#[test]
fn a_run_whose_checkpoints_are_all_damaged_is_refused_and_they_are_named() {
    let killed = Killed::new("all");
    let place = killed.copy("cut");
    let all = work_files(&place, "checkpoint-");
    all.iter().for_each(|path| cut(path));
    killed.is_refused(&place, &[name(&all[0]), name(&all[1]), "it was cut", "try:"]);

    // a newer version of the format
    let place = killed.copy("version");
    for path in work_files(&place, "checkpoint-") {
        let bytes = fs::read(&path).unwrap();
        let rest = bytes.strip_prefix(b"cardan state 1\n").unwrap();
        fs::write(path, [b"cardan state 2\n", rest].concat()).unwrap();
    }
    killed.is_refused(&place, &["it has version 2", "reads version 1"]);
}

#[test]
fn a_checkpoint_of_another_run_is_not_used() {
    let killed = Killed::new("another");
    let other = killed.scratch.path("other");
    LongRun { options: &["--method", "lms3", "--end", "40", "--set", "L=0.9"], ..PENDULUM }
        .killed(&other);
    let foreign = last_checkpoint(Path::new(&other)).unwrap();
    let place = killed.copy("beside");
    let newest = place.join("unfinished/checkpoint-00000000000000039999.cardan");
    fs::copy(&foreign, &newest).unwrap();
    let said = killed.is_continued(&place);
    assert!(said.contains(name(&newest)) && said.contains("belongs to another run"), "{said}");
    let place = killed.copy("instead");
    for path in work_files(&place, "checkpoint-") {
        fs::copy(&foreign, path).unwrap();
    }
    killed.is_refused(&place, &["belongs to another run"]);
}

#[test]
fn a_run_whose_rows_or_record_are_damaged_is_refused_and_the_file_is_named() {
    let killed = Killed::new("rows");
    for (damage, reason) in [(alter as fn(&Path), "was altered"), (cut, "was altered")] {
        let place = killed.copy("part");
        let part = work_files(&place, "part-").remove(0);
        damage(&part);
        killed.is_refused(&place, &[name(&part), reason]);
        fs::remove_dir_all(&place).unwrap();
    }
    let place = killed.copy("no-part");
    fs::remove_file(work_files(&place, "part-").remove(0)).unwrap();
    killed.is_refused(&place, &["a file with rows is missing"]);
    for (k, damage) in [alter, cut, |path: &Path| fs::remove_file(path).unwrap()].iter().enumerate()
    {
        let place = killed.copy(&format!("record-{k}"));
        damage(&place.join("unfinished/run.cardan"));
        killed.is_refused(&place, &["run.cardan"]);
    }
    // a finished run is not extended from files that were changed
    for changed in ["results.parquet", "state.cardan", "run.cardan", "motion.cardan"] {
        let place = killed.scratch.0.join(changed);
        copy_folder(&killed.scratch.0.join("unbroken"), &place);
        alter(&place.join(changed));
        let output = cardan(&["resume", place.to_str().unwrap(), "--end", "50"]);
        assert_eq!(output.status.code(), Some(2), "{changed}");
        let said = message(&output);
        assert!(said.contains(changed) && said.contains("was altered"), "{said}");
    }
}

#[test]
fn a_model_that_was_changed_meanwhile_is_named_and_the_run_continues_with_the_original() {
    let scratch = Scratch::new("changed");
    let model = scratch.path("mine.toml");
    let text = fs::read_to_string(example("pendulum")).unwrap();
    fs::write(&model, &text).unwrap();
    let long = LongRun { model: &model, ..PENDULUM };
    let expected = long.unbroken(&scratch.path("unbroken"));
    let place = scratch.path("killed");
    long.killed(&place);
    fs::write(&model, text.replace("format = 2", "format = 2 # changed")).unwrap();
    let said = resume(&place, &["--quiet"]);
    assert!(
        said.contains("warning: changed since the run began") && said.contains(&model),
        "{said}"
    );
    assert_eq!(finished(&place).difference(&expected), None);
}

#[test]
fn a_matrix_that_was_changed_meanwhile_is_named_and_the_run_continues_with_the_original() {
    let scratch = Scratch::new("matrix");
    let folder = scratch.0.join("rod");
    copy_folder(example("reduced_rod/model.toml").parent().unwrap(), &folder);
    let model = folder.join("model.toml");
    let options = ["--end", "0.15", "--format", "csv"];
    let long = LongRun { model: model.to_str().unwrap(), options: &options };
    let expected = long.unbroken(&scratch.path("unbroken"));
    for (k, file) in ["mass.mtx", "stiffness.mtx", "nodes.mtx"].into_iter().enumerate() {
        let place = scratch.path(&format!("killed-{k}"));
        long.killed(&place);
        let path = folder.join(file);
        let text = fs::read_to_string(&path).unwrap();
        // other numbers, and finally no file
        match k {
            0 => fs::write(&path, text.replace('1', "2")).unwrap(),
            1 => fs::write(&path, "").unwrap(),
            _ => fs::write(&path, text.replacen('\n', "\n% changed\n", 1)).unwrap(),
        }
        let said = resume(&place, &[]);
        assert!(said.contains("changed since the run began") && said.contains(file), "{said}");
        assert_eq!(finished(&place).difference(&expected), None, "{file}");
        fs::write(&path, text).unwrap();
    }
}
