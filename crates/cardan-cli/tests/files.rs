//! Files that the program writes: nothing of others is touched, complete results stay, and what is kept of
//! studies belongs to what they depend on.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

fn cardan(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cardan")).args(arguments).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("files-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_string()
}

/// Every file below a folder with its contents.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut open) = (BTreeMap::new(), vec![folder.to_path_buf()]);
    while let Some(here) = open.pop() {
        for entry in fs::read_dir(&here).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => _ = found.insert(path.clone(), fs::read(&path).unwrap()),
            }
        }
    }
    found
}

/// A pendulum of 100 steps.
fn pendulum(place: &Path) -> String {
    let model = text(&place.join("p.toml"));
    assert!(cardan(&["new", "pendulum", &model]).status.success());
    model
}

/// Every command that writes a file of a given name: a file of somebody else is refused and stays, one of
/// its own is replaced, and `--overwrite` replaces both.
#[test]
fn no_command_replaces_a_file_that_it_has_not_written() {
    let place = folder("single");
    let model = pendulum(&place);
    let results = text(&place.join("run"));
    assert!(cardan(&["run", &model, "--end", "0.1", "-q", "-o", &results]).status.success());
    let structures = text(&place.join("membrane"));
    let membrane = ["run", "membrane", "--set", "n=20", "-q", "-o", &structures];
    assert!(cardan(&membrane).status.success());
    let time = cardan::results::snapshots(Path::new(&structures)).unwrap().1[0].time.to_string();
    let page = text(&place.join("still.html"));
    let commands: [(&str, Vec<&str>); 10] = [
        ("table.csv", vec!["static", "rollup", "--out"]),
        ("modes.json", vec!["modes", &model, "--out"]),
        ("system.mat", vec!["linearize", &model, "--out"]),
        ("plot.svg", vec!["plot", &results, "--out"]),
        ("plot.png", vec!["plot", &results, "--out"]),
        ("snapshot.svg", vec!["plot", &structures, "--snapshot", &time, "--out"]),
        ("snapshot.png", vec!["plot", &structures, "--snapshot", &time, "--out"]),
        ("view.html", vec!["view", &results, "--out"]),
        ("still.svg", vec!["view", &results, "--out", &page, "--still"]),
        ("motion.glb", vec!["export", &results, "--gltf"]),
    ];
    for (name, command) in commands {
        for foreign in
            ["mine", "time,x\n0,1\n1,2\n", "{}", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"]
        {
            let path = text(&place.join(name));
            let _ = fs::remove_file(&path);
            fs::write(&path, foreign).unwrap();
            let refused = cardan(&[&command[..], &[&path]].concat());
            assert_eq!(refused.status.code(), Some(2), "{command:?}");
            let message = said(&refused);
            assert!(
                message.contains(name) && message.contains("was not written by Cardan"),
                "{message}"
            );
            assert!(message.contains("try:") && message.contains("--overwrite"), "{message}");
            assert_eq!(fs::read_to_string(&path).unwrap(), foreign, "{command:?}");
            let replaced = cardan(&[&command[..], &[&path, "--overwrite"]].concat());
            assert!(replaced.status.success(), "{command:?}: {}", said(&replaced));
            // and its own without that word
            let again = cardan(&[&command[..], &[&path]].concat());
            assert!(again.status.success(), "{command:?}: {}", said(&again));
        }
    }
    // a model is never replaced by what is computed from it
    let before = fs::read(&model).unwrap();
    for command in
        [vec!["static", &model, "-o"], vec!["modes", &model, "-o"], vec!["new", "rollup"]]
    {
        let output = cardan(&[&command[..], &[&model]].concat());
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        assert_eq!(fs::read(&model).unwrap(), before);
    }
    // nothing half-written is left beside
    let names = tree(&place);
    assert!(!names.keys().any(|path| text(path).contains("partial")), "{:?}", names.keys());
}

/// Links and devices: the file that a link leads to is written, a link to nothing and a folder are refused.
#[cfg(unix)]
#[test]
fn links_are_followed_and_stay() {
    let place = folder("links");
    let model = pendulum(&place);
    let (real, link) = (place.join("real.json"), place.join("link.json"));
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let modes = |path: &Path| cardan(&["modes", &model, "-o", &text(path)]);
    assert_eq!(modes(&link).status.code(), Some(2));
    fs::write(&real, "mine").unwrap();
    assert_eq!(modes(&link).status.code(), Some(2));
    assert_eq!(fs::read_to_string(&real).unwrap(), "mine");
    fs::remove_file(&real).unwrap();
    assert!(modes(&real).status.success() && modes(&link).status.success());
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(modes(&place).status.code(), Some(2));
    assert!(modes(Path::new("/dev/null")).status.success());
    assert!(!Path::new("/dev/null").is_file(), "a device stays what it is");
}

/// Folders of several files: a file of somebody else under one of their names is refused before anything is
/// computed, all others stay.
#[test]
fn folders_of_commands_leave_what_is_not_theirs() {
    let place = folder("several");
    let model = pendulum(&place);
    let study = ["compare", "sdof", "--methods", "bathe", "--steps", "0.1", "--out"];
    let mine = "[paper]\nname = \"mine\"\ntitle = \"Mine\"\n[study.s]\nproblem = \"simple-pendulum\"\nend = 1\n\
                runs = [{ methods = [\"g3\"], steps = [0.1] }]\nreference = \"rk4@1e-2\"\nrows = 10\n\
                [[item]]\nname = \"fig1\"\ntitle = \"One\"\n[[item.figure]]\nkind = \"convergence\"\n\
                view = { study = \"s\", methods = [\"g3\"], signal = \"angle\" }\n";
    let manifest = text(&place.join("mine.toml"));
    fs::write(&manifest, mine).unwrap();
    let commands: [(Vec<&str>, &[&str]); 4] = [
        (
            vec!["run", &model, "--end", "0.1", "--out"],
            &["summary.json", "results.parquet", "finished"],
        ),
        (vec!["spectrum", "lms2", "--out"], &["radius.svg", "overshoot.svg"]),
        (
            study.to_vec(),
            &["data.csv", "convergence.svg", "work.svg", "outcomes.jsonl", "study.json"],
        ),
        (
            vec!["reproduce", "--manifest", &manifest, "--out"],
            &[
                "index.html",
                "style.css",
                "verdicts.json",
                "mine/fig1.html",
                "mine/fig1.svg",
                "mine/fig1.csv",
            ],
        ),
    ];
    for (k, (command, names)) in commands.into_iter().enumerate() {
        for name in names {
            let target = place.join(format!("{k}-{}", name.replace('/', "-")));
            fs::create_dir_all(target.join(name).parent().unwrap()).unwrap();
            fs::write(target.join(name), "mine").unwrap();
            fs::write(target.join("notes.txt"), "notes").unwrap();
            let output = cardan(&[&command[..], &[&text(&target)]].concat());
            assert_eq!(output.status.code(), Some(2), "{command:?} {name}: {}", said(&output));
            assert!(said(&output).contains(name), "{command:?}: {}", said(&output));
            assert_eq!(fs::read_to_string(target.join(name)).unwrap(), "mine", "{command:?}");
            assert_eq!(fs::read_to_string(target.join("notes.txt")).unwrap(), "notes");
        }
        // a second call replaces what the first has written, and nothing else
        let target = place.join(format!("{k}-ours"));
        fs::create_dir_all(target.join("deep")).unwrap();
        fs::write(target.join("deep/notes.txt"), "notes").unwrap();
        for _ in 0..2 {
            let output = cardan(&[&command[..], &[&text(&target)]].concat());
            assert!(output.status.success(), "{command:?}: {}", said(&output));
        }
        assert_eq!(fs::read_to_string(target.join("deep/notes.txt")).unwrap(), "notes");
    }
    // runs of another program are removed from the site, what else is there stays
    let data = place.join("3-ours/data/mine/s");
    fs::write(data.join("notes.txt"), "notes").unwrap();
    fs::write(data.join("study.json"), "{ \"study\": \"another\" }\n").unwrap();
    let again =
        cardan(&["reproduce", "--manifest", &manifest, "--out", &text(&place.join("3-ours"))]);
    assert!(again.status.success(), "{}", said(&again));
    assert_eq!(fs::read_to_string(data.join("notes.txt")).unwrap(), "notes");
    assert!(data.join("g3@0.1.parquet").exists());
}

/// The model's name becomes that of a folder.
#[test]
fn names_of_models_stay_in_the_folder_of_results() {
    let place = folder("stems");
    let original = fs::read(pendulum(&place)).unwrap();
    for (stem, wanted) in
        [("plain", "plain"), ("My model (2)", "My model (2)"), ("con", "con~"), ("a\nb", "a_b~")]
    {
        let model = place.join(format!("{stem}.toml"));
        fs::write(&model, &original).unwrap();
        for (command, results) in [
            (&["run", "--end", "0.01", "-q"][..], "results"),
            (&["compare", "--steps", "0.1", "--end", "0.2", "--methods", "bathe"], "compare"),
        ] {
            let output = Command::new(env!("CARGO_BIN_EXE_cardan"))
                .current_dir(&place)
                .arg(command[0])
                .arg(&model)
                .args(&command[1..])
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", said(&output));
            let names = fs::read_dir(place.join(results)).unwrap();
            let mut names = names.map(|x| x.unwrap().file_name().into_string().unwrap());
            assert!(names.any(|name| name.starts_with(wanted)), "{stem:?}");
        }
    }
}

/// A structure whose name is a path: its pictures stay in the folder and show the name.
#[test]
fn snapshots_are_found_by_the_name_of_their_structure() {
    let place = folder("structures");
    let model = place.join("m.toml");
    let bar = |name: &str| {
        format!(
            "[structure.{name:?}]\ntype = \"bar\"\nlength = 1\nelements = 4\nstiffness = 1\nmass = 1\n\
             fixed = [\"start\"]\nloads = {{ end = 1 }}\n"
        )
    };
    let names = ["a/b", "a_b", "A_b", "/tmp/cardan-outside", "a-"];
    let structures: String = names.iter().map(|name| bar(name)).collect();
    let rest = "[simulation]\nstep = 0.01\nend = 0.02\n[output]\nsnapshots = [0, 0.01]\n";
    fs::write(&model, format!("format = 1\n{structures}{rest}")).unwrap();
    let results = text(&place.join("out"));
    let output = cardan(&["run", &text(&model), "-q", "-o", &results]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(!Path::new("/tmp/cardan-outside-0.csv").exists());
    let drawn = cardan(&["plot", &results, "--snapshot"]);
    assert!(drawn.status.success(), "{}", said(&drawn));
    let pictures: Vec<PathBuf> = out(&drawn).lines().map(PathBuf::from).collect();
    assert_eq!(pictures.len(), 10);
    for name in names {
        let title = format!("<title>{name}</title>");
        let shown =
            pictures.iter().filter(|path| fs::read_to_string(path).unwrap().contains(&title));
        assert_eq!(shown.count(), 2, "{name}");
    }
    // two structures, or two times, are never one file, even where capitals do not count
    let distinct: std::collections::BTreeSet<String> =
        pictures.iter().map(|path| text(path).to_uppercase()).collect();
    assert_eq!(distinct.len(), 10);
    assert!(pictures.iter().all(|path| path.parent() == Some(&place.join("out/snapshots"))));
}

#[test]
fn a_failed_run_leaves_complete_results_and_says_where_its_own_are() {
    let place = folder("failed");
    let (model, results) = (text(&place.join("m.toml")), text(&place.join("out")));
    assert!(cardan(&["new", "slider_crank", &model]).status.success());
    assert!(cardan(&["run", &model, "-q", "-o", &results]).status.success());
    let before = tree(&place.join("out"));
    let turning = "\n[drive.turn]\ntype = \"angle\"\njoint = \"O\"\nvalue = \"t\"\n";
    let short = fs::read_to_string(&model).unwrap().replace("L2 = 0.6", "L2 = 0.2") + turning;
    fs::write(&model, short).unwrap();
    for k in 1..=2 {
        let output = cardan(&["run", &model, "-o", &results, "--json", "-q"]);
        assert_eq!(output.status.code(), Some(3));
        let failed = format!("failed-{k}/results.parquet");
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (&summary["status"], &summary["results"]),
            (&"failed".into(), &failed.clone().into())
        );
        let message = said(&output);
        assert!(
            message.contains(&failed)
                && message.contains("complete results of an earlier run stay")
        );
        let after = tree(&place.join("out"));
        assert!(before.iter().all(|(path, bytes)| after.get(path) == Some(bytes)));
        let drawn = cardan(&["plot", &text(&place.join(format!("out/failed-{k}")))]);
        assert!(drawn.status.success(), "{}", said(&drawn));
    }
}

/// Killed at some instants of its life, a run leaves complete results and rows that can be read.
#[cfg(unix)]
#[test]
fn a_killed_run_leaves_complete_results() {
    let place = folder("killed");
    let (model, results) = (pendulum(&place), text(&place.join("out")));
    for format in ["parquet", "csv"] {
        let run = ["run", &model, "-q", "-o", &results, "--format", format, "--end"];
        assert!(cardan(&[&run[..], &["1"]].concat()).status.success());
        for milliseconds in [5, 20, 60, 150, 400] {
            let mut running = Command::new(env!("CARGO_BIN_EXE_cardan"))
                .args([&run[..], &["1e7", "--force"]].concat())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(milliseconds));
            running.kill().unwrap();
            running.wait().unwrap();
            let frame = cardan::results::ResultsTable::open(Path::new(&results)).unwrap();
            assert_eq!(frame.summary.as_ref().unwrap().end, 1.0);
            assert_eq!(frame.values(&[0]).unwrap()[0].last(), Some(&1.0));
            // the next run finds the folder as it should be
            let again = cardan(&[&run[..], &["1"]].concat());
            assert!(again.status.success(), "{}", said(&again));
        }
        let kept = place.join("out/abandoned-1");
        assert!(
            cardan::results::ResultsTable::open(&kept)
                .is_ok_and(|x| !x.values(&[0]).unwrap()[0].is_empty())
        );
        fs::remove_dir_all(place.join("out")).unwrap();
    }
}

/// Quiet hides progress and notes; what may mean a wrong number, and JSON, are printed.
#[test]
fn quiet_hides_notes_and_no_warnings() {
    let place = folder("quiet");
    let (model, results) = (text(&place.join("m.toml")), text(&place.join("out")));
    assert!(cardan(&["new", "bricard", &model]).status.success());
    let loud = cardan(&["run", &model, "-o", &results, "--end", "0.01"]);
    assert!(said(&loud).contains("note: redundant"), "{}", said(&loud));
    let quiet = cardan(&["run", &model, "-o", &results, "--end", "0.01", "-q"]);
    assert!(quiet.stdout.is_empty() && !said(&quiet).contains("note:"), "{}", said(&quiet));
    let both = cardan(&["run", &model, "-o", &results, "--end", "0.01", "-q", "--json"]);
    let summary: Value = serde_json::from_slice(&both.stdout).unwrap();
    assert_eq!(summary["status"], "completed");
    // a snapshot that no step comes near is missing
    let late = fs::read_to_string(&model).unwrap();
    let with = match late.contains("[output]") {
        true => late.replace("[output]", "[output]\nsnapshots = [99]"),
        false => late + "\n[output]\nsnapshots = [99]\n",
    };
    fs::write(&model, with).unwrap();
    let warned = cardan(&["run", &model, "-o", &results, "--end", "0.01", "-q"]);
    assert!(said(&warned).contains("warning: no snapshot at t = 99 s"), "{}", said(&warned));
}

/// Outcomes are those of everything they depend on: here, matrices beside the model.
#[test]
fn changed_matrices_are_another_study() {
    let place = folder("matrices");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/reduced_rod");
    for name in ["model.toml", "mass.mtx", "stiffness.mtx", "nodes.mtx"] {
        fs::copy(Path::new(source).join(name), place.join(name)).unwrap();
    }
    let model = text(&place.join("model.toml"));
    let study = |more: &[&str]| {
        let arguments =
            ["compare", &model, "--methods", "bathe", "--end", "0.002", "--steps", "1e-3"];
        let rest = ["--reference", "lms2@5e-4", "--json", "--out"];
        let output =
            cardan(&[&arguments[..], &rest, &[&text(&place.join("study"))], more].concat());
        assert!(output.status.success(), "{}", said(&output));
        let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
        (rows[0]["errors"].clone(), said(&output).contains("known already"))
    };
    let sha = || {
        let output =
            cardan(&["run", &model, "--json", "--end", "0.001", "-o", &text(&place.join("run"))]);
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        summary["model_sha256"].as_str().unwrap().to_string()
    };
    let (first, _) = study(&[]);
    assert!(study(&[]).1);
    let before = sha();
    // twice the stiffness
    let path = place.join("stiffness.mtx");
    let matrix = fs::read_to_string(&path).unwrap();
    let mut is_size_known = false;
    let doubled: String = matrix
        .lines()
        .map(|line| {
            if line.starts_with('%') || !is_size_known {
                is_size_known |= !line.starts_with('%');
                return format!("{line}\n");
            }
            let (place, value) = line.trim().rsplit_once(' ').unwrap();
            format!("{place} {:e}\n", 2.0 * value.parse::<f64>().unwrap())
        })
        .collect();
    fs::write(&path, doubled).unwrap();
    let (second, is_known) = study(&[]);
    assert!(!is_known && first != second, "{first} {second}");
    assert_ne!(before, sha());
    fs::write(&path, matrix).unwrap();
    assert!(study(&[]).1, "the first study is known as before");
    assert_eq!(before, sha());
    // another end, other channels, another reference
    for more in
        [&["--from", "0.001"][..], &["--channels", "energy.total"], &["--beams", "finite-volume"]]
    {
        let output = cardan(
            &[
                &[
                    "compare",
                    &model,
                    "--methods",
                    "bathe",
                    "--end",
                    "0.002",
                    "--steps",
                    "1e-3",
                    "--reference",
                    "lms2@5e-4",
                    "--out",
                ][..],
                &[&text(&place.join("study"))],
                more,
            ]
            .concat(),
        );
        assert!(!said(&output).contains("known already"), "{more:?}: {}", said(&output));
    }
}

/// A reference without its last newline may be cut: the line is left out, and that is said.
#[test]
fn a_cut_reference_is_told() {
    let place = folder("cut");
    let file = place.join("reference.csv");
    let rows: String = (0..=10).map(|k| format!("{},1.25\n", f64::from(k) * 0.1)).collect();
    fs::write(&file, format!("time,mass.position.x\n{}", rows.trim_end().trim_end_matches('5')))
        .unwrap();
    let output = cardan(&[
        "compare",
        "sdof",
        "--methods",
        "lms3",
        "--steps",
        "0.1",
        "--end",
        "1",
        "--json",
        "--channels",
        "mass.position.x",
        "--reference",
        &text(&file),
        "--out",
        &text(&place.join("study")),
    ]);
    assert!(said(&output).contains("has no newline"), "{}", said(&output));
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(rows[0]["compared"], 9);
}
