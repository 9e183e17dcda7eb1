//! Folders of results: what Cardan did not write stays, complete results stay until new ones are complete,
//! and a disk that fails at any operation costs neither.

use std::cell::Cell;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cardan::file::ModelFile;
use cardan::output::{Disk, DiskFile, LocalDisk};
use cardan::results::{
    ResultsFolder, ResultsFormat, ResultsTable, RunStatus, RunSummary, snapshots,
};
use cardan::run::{RunError, RunProgress, RunRequest, run, run_on};

use super::pendulum_and;
use crate::disks::{Fault, FaultyDisk, NO_SPACE, Scratch, tree};

fn parse(text: &str) -> ModelFile {
    ModelFile::parse("test.toml", text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// Some steps of a bar in longitudinal vibration, with snapshots: every kind of file.
fn bar(name: &str, snapshots: &str, steps: u32) -> ModelFile {
    let end = f64::from(steps) * 1e-3;
    parse(&format!(
        "format = 2\n[structure.{name:?}]\ntype = \"bar\"\nlength = 1\nelements = 4\nstiffness = 100\nmass = 1\n\
         fixed = [\"start\"]\nloads = {{ end = 1 }}\n[simulation]\nstep = 1e-3\nend = {end}\n\
         [output]\nsnapshots = {snapshots}\n"
    ))
}

fn write_on(
    disk: &dyn Disk,
    file: &ModelFile,
    folder: &Path,
    format: ResultsFormat,
    watch: &mut dyn FnMut(&RunProgress) -> bool,
) -> Result<RunSummary, RunError> {
    let request = RunRequest { format, version: "test 1", ..RunRequest::new(folder) };
    run_on(disk, file, &file.schedule().unwrap(), &file.assemble().unwrap(), &request, watch)
}

fn write(file: &ModelFile, folder: &Path, format: ResultsFormat) -> Result<RunSummary, RunError> {
    write_on(&LocalDisk, file, folder, format, &mut |_| true)
}

fn times(folder: &Path) -> Vec<f64> {
    let frame = ResultsTable::open(folder).unwrap_or_else(|error| panic!("{error}"));
    frame.values(&[0]).unwrap().swap_remove(0)
}

/// For every n: the n-th operation fails, alone or with all after it. The second is also what a run leaves
/// that is killed there.
#[test]
fn a_disk_that_fails_at_any_operation_leaves_complete_results() {
    let (old, new) = (bar("bar", "[0]", 10), bar("bar", "[0, 0.003]", 5));
    for (before, after) in [
        (ResultsFormat::Parquet, ResultsFormat::Parquet),
        (ResultsFormat::Csv, ResultsFormat::Csv),
        (ResultsFormat::Csv, ResultsFormat::Parquet),
        (ResultsFormat::Parquet, ResultsFormat::Csv),
    ] {
        for fault in [Fault::Once, Fault::FromThenOn] {
            let mut operations = 0;
            let mut is_done = false;
            while !is_done {
                let scratch = Scratch::in_memory("failing");
                let folder = &scratch.0;
                write(&old, folder, before).unwrap();
                fs::write(folder.join("notes.txt"), "mine").unwrap();
                fs::write(folder.join("snapshots/notes.txt"), "mine too").unwrap();
                let earlier = tree(folder);
                let disk = FaultyDisk::new(fault, operations);
                let result = write_on(&disk, &new, folder, after, &mut |_| true);
                is_done = !disk.has_failed();
                let case = format!("{before:?} {after:?} {operations} {fault:?}");

                // what is not ours is as it was
                for name in ["notes.txt", "snapshots/notes.txt"] {
                    let path = folder.join(name);
                    assert_eq!(fs::read(&path).unwrap(), earlier[&path], "{case}");
                }
                // complete results are there, the old ones or the new ones
                let rows = times(folder).len();
                assert!(rows == 11 || rows == 6, "{case}: {rows}");
                assert_eq!(
                    ResultsTable::open(folder).unwrap().summary.unwrap().status,
                    RunStatus::Completed
                );
                match result {
                    Ok(_) => assert_eq!(rows, 6, "{case}"),
                    Err(error) => {
                        let text = error.to_string();
                        assert!(text.contains(NO_SPACE), "{case}: {text}");
                        // the files of the earlier run are untouched, unless undoing fails as well
                        let is_same = earlier.iter().all(|(path, bytes)| {
                            path.is_dir() || fs::read(path).ok().as_ref() == Some(bytes)
                        });
                        assert!(
                            is_same || fault == Fault::FromThenOn,
                            "{case}: {text}\n{:?}",
                            tree(folder).keys()
                        );
                        // rows that the message names are there
                        if let RunError::Write(cardan::results::WriteError {
                            kept: Some((n, place)),
                            ..
                        }) = &error
                            && *n > 0
                        {
                            assert!(times(Path::new(place)).len() as u64 >= *n, "{case}: {text}");
                        }
                    }
                }
                // the next run works, and everything is in its place
                let summary =
                    write(&new, folder, after).unwrap_or_else(|error| panic!("{case}: {error}"));
                assert_eq!(times(folder).len() as u64, summary.rows, "{case}");
                assert!(!folder.join("finished").exists() && !folder.join("unfinished").exists());
                assert_eq!(snapshots(folder).unwrap().1.len(), 2, "{case}");
                for format in ResultsFormat::ALL {
                    assert_eq!(folder.join(format.file_name()).exists(), format == after, "{case}");
                }
                operations += 1;
            }
            // folders, two snapshots, rows, summary, and each file put in its place
            assert!(operations > 25, "{operations}");
        }
    }
}

#[cfg(unix)]
#[test]
fn files_and_folders_of_others_are_never_touched() {
    let file = parse(&pendulum_and(""));
    type Put = fn(&Path);
    let cases: [(&str, Put); 12] = [
        ("summary.json", |at| fs::write(at.join("summary.json"), "{}").unwrap()),
        ("results.parquet", |at| fs::write(at.join("results.parquet"), "mine").unwrap()),
        ("summary.json", |at| fs::create_dir(at.join("summary.json")).unwrap()),
        ("finished", |at| fs::create_dir_all(at.join("finished/mine")).unwrap()),
        ("finished", |at| fs::write(at.join("finished"), "").unwrap()),
        ("unfinished", |at| {
            fs::create_dir(at.join("unfinished")).unwrap();
            fs::write(at.join("unfinished/results.csv"), "time,x\n0,1\n").unwrap();
        }),
        ("unfinished", |at| {
            fs::create_dir(at.join("unfinished")).unwrap();
            fs::write(at.join("unfinished/summary.json"), "{}").unwrap();
        }),
        ("snapshots", |at| fs::write(at.join("snapshots"), "mine").unwrap()),
        ("index.json", |at| {
            fs::create_dir(at.join("snapshots")).unwrap();
            fs::write(at.join("snapshots/index.json"), "{}").unwrap();
        }),
        ("results.parquet", |at| {
            fs::write(at.join("elsewhere"), "mine").unwrap();
            std::os::unix::fs::symlink(at.join("elsewhere"), at.join("results.parquet")).unwrap();
        }),
        ("unfinished", |at| {
            fs::create_dir(at.join("elsewhere")).unwrap();
            std::os::unix::fs::symlink(at.join("elsewhere"), at.join("unfinished")).unwrap();
        }),
        ("snapshots", |at| {
            std::os::unix::fs::symlink("/", at.join("snapshots")).unwrap();
        }),
    ];
    for (k, (name, put)) in cases.into_iter().enumerate() {
        let scratch = Scratch::new(&format!("foreign-{k}"));
        fs::create_dir_all(&scratch.0).unwrap();
        put(&scratch.0);
        let names = || fs::read_dir(&scratch.0).unwrap().count();
        let before = (names(), fs::read(scratch.0.join(name)).ok());
        let error = write(&file, &scratch.0, ResultsFormat::Parquet).unwrap_err().to_string();
        assert!(
            error.contains(name) && error.contains("was not written by a run of Cardan"),
            "{k}: {error}"
        );
        assert!(error.contains("try:"), "{error}");
        assert_eq!((names(), fs::read(scratch.0.join(name)).ok()), before, "{k}");
    }
    // what has other names stays where it is, and a CSV file beside Parquet results as well
    let scratch = Scratch::new("foreign-beside");
    fs::create_dir_all(scratch.0.join("mine")).unwrap();
    fs::create_dir_all(scratch.0.join("snapshots")).unwrap();
    for name in ["mine/data", "results.csv", "snapshots/a.csv", "plot.svg", "abandoned-1"] {
        fs::write(scratch.0.join(name), "mine").unwrap();
    }
    let before = tree(&scratch.0);
    write(&file, &scratch.0, ResultsFormat::Parquet).unwrap();
    write(&file, &scratch.0, ResultsFormat::Parquet).unwrap();
    let after = tree(&scratch.0);
    assert!(before.iter().all(|(path, bytes)| after.get(path) == Some(bytes)));
    assert!(
        write(&file, &scratch.0, ResultsFormat::Csv)
            .unwrap_err()
            .to_string()
            .contains("results.csv")
    );
}

/// Results of the version before this one have no mark but their contents.
#[test]
fn results_of_an_earlier_version_are_replaced() {
    let file = parse(&pendulum_and(""));
    for format in ResultsFormat::ALL {
        let scratch = Scratch::new("earlier");
        write(&file, &scratch.0, format).unwrap();
        fs::create_dir(scratch.0.join("snapshots")).unwrap();
        let table = "node,x,y,displacement,velocity\n0e0,0e0,0e0,0e0,0e0\n";
        fs::write(scratch.0.join("snapshots/bar-13.csv"), table).unwrap();
        assert_eq!(snapshots(&scratch.0).unwrap().1[0].structure, "bar");
        write(&file, &scratch.0, ResultsFormat::Parquet).unwrap();
        assert!(!scratch.0.join("snapshots").exists() && !scratch.0.join("results.csv").exists());
    }
}

#[test]
fn incomplete_results_are_put_beside_complete_ones() {
    let scratch = Scratch::new("incomplete");
    let file = bar("bar", "[0]", 10);
    let folder = &scratch.0;
    // without complete ones they take their place
    let stop = &mut |at: &RunProgress| at.steps < 4;
    let summary = write_on(&LocalDisk, &file, folder, ResultsFormat::Csv, stop).unwrap();
    assert_eq!((summary.status, summary.results.as_str()), (RunStatus::Interrupted, "results.csv"));
    write(&file, folder, ResultsFormat::Parquet).unwrap();
    assert!(!folder.join("results.csv").exists());
    let complete = tree(folder);
    for (k, format) in [(1, ResultsFormat::Csv), (2, ResultsFormat::Parquet)] {
        let summary = write_on(&LocalDisk, &file, folder, format, stop).unwrap();
        let place = format!("interrupted-{k}/{}", format.file_name());
        assert_eq!((summary.status, &summary.results), (RunStatus::Interrupted, &place));
        let place = folder.join(format!("interrupted-{k}"));
        assert_eq!(times(&place).len(), 5);
        assert_eq!(
            ResultsTable::open(&place).unwrap().summary.unwrap().status,
            RunStatus::Interrupted
        );
        assert_eq!(snapshots(&place).unwrap().1.len(), 1);
        let mut names: Vec<_> =
            fs::read_dir(&place).unwrap().map(|x| x.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(
            names,
            [
                "checksums.sha256",
                "motion.cardan",
                format.file_name(),
                "run.cardan",
                "snapshots",
                "state.cardan",
                "summary.json"
            ]
        );
        let now = tree(folder);
        assert!(complete.iter().all(|(path, bytes)| now.get(path) == Some(bytes)));
        assert_eq!(times(folder).len(), 11);
    }
    // a failure: the rod is too short for a whole turn of the crank
    let turning = "\n[drive.turn]\ntype = \"angle\"\njoint = \"O\"\nvalue = \"t\"\n";
    let text = super::text("slider_crank").replace("L2 = 0.6", "L2 = 0.2") + turning;
    let summary = write(&parse(&text), folder, ResultsFormat::Parquet).unwrap();
    let expected = (RunStatus::Failed, "failed-1/results.parquet".to_string());
    assert_eq!((summary.status, summary.results.clone()), expected);
    assert_eq!(times(&folder.join("failed-1")).len() as u64, summary.rows);
    assert_eq!(times(folder).len(), 11);
}

/// Names of structures that would lead elsewhere, or would be one file.
#[test]
fn names_of_structures_stay_in_their_folder() {
    let scratch = Scratch::new("names");
    let outside = scratch.0.join("outside");
    fs::create_dir_all(&outside).unwrap();
    let absolute = outside.join("x").display().to_string().replace('.', "");
    let long = "n".repeat(400);
    for (k, name) in ["a/b", &absolute, "CON", "a:b*?", "Träger", &long].into_iter().enumerate() {
        let folder = scratch.0.join(format!("run-{k}"));
        write(&bar(name, "[0]", 3), &folder, ResultsFormat::Parquet)
            .unwrap_or_else(|x| panic!("{name}: {x}"));
        let (place, list) = snapshots(&folder).unwrap();
        assert_eq!(place, folder.join("snapshots"));
        assert_eq!((list.len(), list[0].structure.as_str()), (1, name));
        let file = place.join(&list[0].file);
        assert_eq!(file.parent(), Some(place.as_path()));
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("node,x,y,displacement,velocity"), "{text}");
        assert_eq!(fs::read_dir(&place).unwrap().count(), 2);
        // a second run finds what the first has written
        write(&bar(name, "[0]", 3), &folder, ResultsFormat::Csv).unwrap();
        assert_eq!(fs::read_dir(&place).unwrap().count(), 2);
    }
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

/// Rows reach the disk before a step that may take long, and within two seconds otherwise; the row
/// groups of the file do not depend on when that was.
#[test]
fn rows_are_on_the_disk_within_two_seconds() {
    for format in ResultsFormat::ALL {
        let scratch = Scratch::new("seconds");
        let file = parse(&pendulum_and(""));
        let seen = Rc::new(Cell::new(0));
        let (inner, folder) = (Rc::clone(&seen), scratch.0.clone());
        let mut check = move |at: &RunProgress| {
            // steps of 0.3 s: the next one may take three seconds
            if at.steps > 1 && at.steps < 6 {
                inner.set(times(&folder).len());
                assert!(inner.get() as u64 >= at.steps, "{} {}", inner.get(), at.steps);
            }
            if at.steps < 6 {
                std::thread::sleep(std::time::Duration::from_millis(300));
            }
            true
        };
        write_on(&LocalDisk, &file, &scratch.0, format, &mut check).unwrap();
        assert!(seen.get() >= 5);
        let other = Scratch::new("at-once");
        write(&file, &other.0, format).unwrap();
        assert_eq!(times(&scratch.0), times(&other.0));
    }
}

/// As many rows as there is room for are kept.
#[test]
fn a_full_disk_keeps_what_fits() {
    /// A disk with room for so many bytes.
    #[derive(Clone)]
    struct SmallDisk(Arc<AtomicUsize>);
    struct SmallFile(SmallDisk, Box<dyn DiskFile>, usize);
    impl Write for SmallFile {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let room = self.0.0.load(Ordering::Relaxed);
            if bytes.len() > room {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.0.0.fetch_sub(bytes.len(), Ordering::Relaxed);
            self.2 += bytes.len();
            self.1.write_all(bytes).map(|()| bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            self.1.flush()
        }
    }
    impl DiskFile for SmallFile {
        fn sync(&mut self) -> io::Result<()> {
            // what could be written whole stays
            self.2 = 0;
            self.1.sync()
        }
    }
    impl Drop for SmallFile {
        fn drop(&mut self) {
            // the others are removed, and give their room back
            self.0.0.fetch_add(self.2, Ordering::Relaxed);
        }
    }
    impl Disk for SmallDisk {
        fn create_folders(&self, path: &Path) -> io::Result<()> {
            LocalDisk.create_folders(path)
        }
        fn create_folder(&self, path: &Path) -> io::Result<()> {
            LocalDisk.create_folder(path)
        }
        fn create_file(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
            Ok(Box::new(SmallFile(self.clone(), LocalDisk.create_file(path)?, 0)))
        }
        fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
            LocalDisk.rename(from, to)
        }
        fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
            LocalDisk.link(from, to)
        }
        fn remove_file(&self, path: &Path) -> io::Result<()> {
            LocalDisk.remove_file(path)
        }
        fn remove_folder(&self, path: &Path) -> io::Result<()> {
            LocalDisk.remove_folder(path)
        }
        fn sync_folder(&self, path: &Path) -> io::Result<()> {
            LocalDisk.sync_folder(path)
        }
        fn available_space(&self, _: &Path) -> Option<u64> {
            None
        }
    }
    let scratch = Scratch::new("full");
    let file = parse(&pendulum_and("").replace("end = 0.1", "end = 40"));
    let disk = SmallDisk(Arc::new(AtomicUsize::new(120_000)));
    let error =
        write_on(&disk, &file, &scratch.0, ResultsFormat::Parquet, &mut |_| true).unwrap_err();
    let RunError::Write(error) = error else { panic!("{error}") };
    let (rows, place) = error.kept.clone().unwrap();
    let kept = times(&scratch.0);
    assert_eq!(kept.len() as u64, rows);
    assert!(error.to_string().contains(&format!("first {rows} rows are kept in {place}")));
    // 4001 rows of about a dozen numbers do not fit, a few hundred do
    assert!((200..4001).contains(&rows), "{rows}");
    assert!(kept.windows(2).all(|pair| pair[1] > pair[0]));
}

/// A number cut inside its digits is another number.
#[test]
fn a_line_without_its_newline_does_not_count() {
    let scratch = Scratch::new("cut");
    let file = parse(&pendulum_and(""));
    write(&file, &scratch.0, ResultsFormat::Csv).unwrap();
    let path = scratch.0.join("results.csv");
    let text = fs::read_to_string(&path).unwrap();
    for cut in [1, 2, 5] {
        fs::write(&path, &text[..text.len() - cut]).unwrap();
        let frame = ResultsTable::open(&scratch.0).unwrap();
        assert!(frame.is_cut);
        assert_eq!(times(&scratch.0).len(), 10, "{cut}");
    }
    fs::write(&path, &text).unwrap();
    assert!(!ResultsTable::open(&scratch.0).unwrap().is_cut);
    assert_eq!(times(&scratch.0).len(), 11);
}

/// What a model reads from files is part of what its results depend on.
#[test]
fn files_that_a_model_reads_are_part_of_its_fingerprint() {
    let scratch = Scratch::new("files");
    fs::create_dir_all(&scratch.0).unwrap();
    let source = super::repository("models/reduced_rod");
    for name in ["model.toml", "mass.mtx", "stiffness.mtx", "nodes.mtx"] {
        fs::copy(source.join(name), scratch.0.join(name)).unwrap();
    }
    let read = || ModelFile::read(&scratch.0.join("model.toml"), &[]).unwrap();
    let before = read();
    assert_eq!(before.files.len(), 3);
    assert_eq!(before.sha256(), read().sha256());
    for name in ["mass.mtx", "stiffness.mtx", "nodes.mtx"] {
        let path = scratch.0.join(name);
        let text = fs::read_to_string(&path).unwrap();
        // a comment, so that the matrix stays what it is
        fs::write(&path, text.replacen('\n', "\n% changed\n", 1)).unwrap();
        assert_ne!(before.sha256(), read().sha256(), "{name}");
        fs::write(&path, text).unwrap();
    }
    assert_eq!(before.sha256(), read().sha256());
    // without files it is the sum of the text, as `sha256sum` prints it
    let alone = parse(&pendulum_and(""));
    assert_eq!(alone.sha256(), cardan::output::fingerprint(&alone.source.text));
}

#[test]
fn a_folder_is_refused_to_a_second_run_and_unwritable_ones_are_named() {
    let scratch = Scratch::new("refused");
    let file = parse(&pendulum_and(""));
    let summary = write(&file, &scratch.0, ResultsFormat::Parquet).unwrap();
    let folder = ResultsFolder::create(&scratch.0, ResultsFormat::Parquet, &summary).unwrap();
    let request = RunRequest { format: ResultsFormat::Csv, ..RunRequest::new(&scratch.0) };
    let (schedule, start) = (file.schedule().unwrap(), file.assemble().unwrap());
    let error = run(&file, &schedule, &start, &request, &mut |_| true).unwrap_err().to_string();
    assert!(error.contains("another run is writing to this folder"), "{error}");
    drop(folder);
    // a run that has computed nothing leaves nothing
    write(&file, &scratch.0, ResultsFormat::Parquet).unwrap();
    assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 6);
}
