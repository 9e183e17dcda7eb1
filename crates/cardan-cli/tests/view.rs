//! Pages, pictures and exported files of models and runs: sizes, hostile names, damaged folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn cardan(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cardan")).args(arguments).output().unwrap()
}

#[track_caller]
fn succeed(arguments: &[&str]) {
    let output = cardan(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", said(&output));
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("view-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_string()
}

/// The data of a page.
fn data(page: &Path) -> Value {
    let page = fs::read_to_string(page).unwrap();
    let element = r#"<script type="application/json" id="cardan-data">"#;
    let (_, rest) = page.split_once(element).unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    assert!(!data.contains('<'));
    serde_json::from_str(data).unwrap()
}

/// The limits of the viewer: the pages of Andrews' squeezer with 5,000 steps and of the shaft are smaller than 2 MB, and
/// state their accuracy.
#[test]
fn pages_are_small() {
    let place = folder("sizes");
    for (model, options) in
        [("andrews", vec!["--end", "0.05", "--step", "1e-5"]), ("rotating_shaft", vec![])]
    {
        let out = text(&place.join(model));
        let mut arguments = vec!["run", model, "--out", &out, "--view"];
        arguments.extend(options);
        succeed(&arguments);
        let page = place.join(model).join("view.html");
        let size = fs::metadata(&page).unwrap().len();
        assert!(size < 2_000_000, "{model}: {size} bytes");
        let run = &data(&page)["runs"][0];
        let accuracy = run["accuracy"].as_f64().unwrap();
        assert!((0.0..0.01).contains(&accuracy), "{model}: {accuracy}");
        assert!(run["times"]["shape"][0].as_u64().unwrap() > 50, "{model}");
    }
}

/// The motion of a membrane, which has no bodies, has frames.
#[test]
fn membranes_move() {
    let place = folder("membrane");
    let out = text(&place.join("results"));
    succeed(&["run", "membrane", "--out", &out, "--view"]);
    let page = place.join("results").join("view.html");
    let data = data(&page);
    let frames = data["runs"][0]["times"]["shape"][0].as_u64().unwrap();
    assert!(frames > 10, "{frames} frames");
    assert!(fs::metadata(&page).unwrap().len() < 2_000_000);
}

/// Names of models are text on pages, in pictures and in exported files, whatever they contain.
#[test]
fn hostile_names_stay_text() {
    let place = folder("names");
    let long = "x".repeat(10_000);
    let model = format!(
        "format = 2\ntitle = \"</script><script>alert(1)</script>\\u202e{long}\"\n[body.\"<img src=x onerror=alert(1)>\"]\nmass = 1\n\
         inertia = [1, 1, 1]\nvelocity = [1, 0, 0]\n[body.\"\\u202eab{long}\"]\nmass = 1\ninertia = [1, 1, 1]\nshapes = [{{ sphere = 1 }}]\n\
         [simulation]\nstep = 0.1\nend = 1\n"
    );
    let file = place.join("model.toml");
    fs::write(&file, model).unwrap();
    let [page, still, results, exported] =
        ["page.html", "still.svg", "results", "run.glb"].map(|name| text(&place.join(name)));
    succeed(&["view", &text(&file), "--out", &page, "--still", &still]);
    succeed(&["run", &text(&file), "--out", &results, "--view"]);
    succeed(&["export", &results, "--gltf", &exported]);
    let shown = data(Path::new(&page));
    let title = format!("</script><script>alert(1)</script>\u{202e}{long}");
    assert_eq!(shown["title"], title);
    assert_eq!(shown["scene"]["bodies"][0]["name"], "<img src=x onerror=alert(1)>");
    let picture = fs::read_to_string(&still).unwrap();
    assert!(!picture.contains("<script") && !picture.contains("<img") && picture.len() < 1_000_000);
    assert!(fs::read(&exported).unwrap().starts_with(b"glTF"));
}

/// Folders without a run, with a damaged one, or with an unfinished one give a page or an error with a reason, and a file
/// of somebody else stays.
#[test]
fn damaged_folders_are_refused() {
    let place = folder("damaged");
    let empty = place.join("empty");
    fs::create_dir(&empty).unwrap();
    let refused = |arguments: &[&str], reason: &str| {
        let output = cardan(arguments);
        let message = said(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?} {message}");
        assert!(message.contains(reason) && message.contains("try: "), "{message}");
    };
    refused(&["view", &text(&empty)], "run.cardan");
    refused(&["export", &text(&empty), "--gltf", &text(&place.join("a.glb"))], "run.cardan");
    let results = place.join("results");
    succeed(&["run", "pendulum", "--out", &text(&results), "--end", "0.2"]);
    let own = text(&place.join("mine.glb"));
    fs::write(&own, "mine").unwrap();
    let output = cardan(&["export", &text(&results), "--gltf", &own]);
    assert!(!output.status.success() && fs::read_to_string(&own).unwrap() == "mine");
    for name in ["run.cardan", "motion.cardan", "results.parquet", "summary.json"] {
        let path = results.join(name);
        let whole = fs::read(&path).unwrap();
        let middle = whole.len() / 2;
        let mut flipped = whole.clone();
        flipped[middle] ^= 0x55;
        for damaged in [Vec::new(), whole[..middle].to_vec(), flipped, vec![0xff; 10_000]] {
            fs::write(&path, damaged).unwrap();
            for arguments in [
                ["view", &text(&results), "--out", &text(&place.join("page.html"))],
                ["export", &text(&results), "--gltf", &text(&place.join("run.glb"))],
            ] {
                let output = cardan(&arguments);
                let message = said(&output);
                assert!(
                    matches!(output.status.code(), Some(0 | 2)),
                    "{name}: {arguments:?} {message}"
                );
                assert!(!message.contains("panicked"), "{message}");
            }
        }
        fs::write(&path, whole).unwrap();
    }
    succeed(&[
        "run",
        "pendulum",
        "--out",
        &text(&place.join("still")),
        "--end",
        "0.2",
        "--no-motion",
    ]);
    refused(&["view", &text(&place.join("still"))], "no record of its motion");
    refused(
        &["export", &text(&place.join("still")), "--gltf", &text(&place.join("b.glb"))],
        "no record of its motion",
    );
}
