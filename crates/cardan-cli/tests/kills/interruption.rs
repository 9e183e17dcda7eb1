//! Signals and limits of time end a run cleanly; it is continued with the same results.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{
    LongRun, PENDULUM, Scratch, cardan, finished, message, names, resume, start_and_wait,
};

fn summary(folder: &str) -> serde_json::Value {
    let text = fs::read_to_string(Path::new(folder).join("summary.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[cfg(unix)]
#[test]
fn a_run_that_a_signal_ends_has_its_exit_code_and_is_continued_with_the_same_results() {
    let scratch = Scratch::new("signals");
    let expected = PENDULUM.unbroken(&scratch.path("unbroken"));
    for (signal, code) in [("TERM", 143), ("USR1", 138), ("HUP", 129), ("INT", 130)] {
        let place = scratch.path(signal);
        let running = PENDULUM.start(&place);
        let (option, process) = (format!("-{signal}"), running.id().to_string());
        assert!(Command::new("kill").args([option, process]).status().unwrap().success());
        let output = running.wait_with_output().unwrap();
        let said = message(&output);
        assert_eq!(output.status.code(), Some(code), "{said}");
        let name = if signal == "INT" { "Ctrl-C".into() } else { format!("SIG{signal}") };
        assert!(said.contains(&format!("by {name}")), "{said}");
        assert!(said.contains(&format!("cardan resume {place}")), "{said}");
        let left = summary(&place);
        assert_eq!(
            (&left["status"], &left["interruption"]),
            (&"interrupted".into(), &"request".into())
        );
        // the results so far, and a state
        assert!(finished(&place).rows() > 500);
        assert!(names(Path::new(&place)).contains(&"state.cardan".to_string()));
        resume(&place, &[]);
        assert_eq!(finished(&place).difference(&expected), None, "{signal}");
    }
}

#[test]
fn a_run_that_a_limit_of_time_ends_is_a_success_and_is_continued_with_the_same_results() {
    let scratch = Scratch::new("limit");
    let long = LongRun { options: &["--method", "lms3", "--end", "100"], ..PENDULUM };
    let expected = long.unbroken(&scratch.path("unbroken"));
    let place = scratch.path("limited");
    // each command takes one step
    let limit = ["--max-time", "0"];
    let arguments: Vec<&str> = ["run", long.model, "--out", &place]
        .iter()
        .chain(long.options)
        .chain(&limit)
        .copied()
        .collect();
    let output = cardan(&arguments);
    assert!(output.status.success(), "{}", message(&output));
    assert!(message(&output).contains("cardan resume"), "{}", message(&output));
    let first = summary(&place);
    assert_eq!((&first["status"], &first["interruption"]), (&"interrupted".into(), &"time".into()));
    // the limit is that of each command
    resume(&place, &limit);
    let second = summary(&place);
    assert_eq!(second["status"], "interrupted");
    assert_eq!((&first["steps"], &second["steps"]), (&1.into(), &2.into()));
    resume(&place, &[]);
    assert_eq!(finished(&place).difference(&expected), None);
}

#[test]
fn resume_of_a_complete_run_succeeds_and_changes_nothing() {
    let scratch = Scratch::new("complete");
    let place = scratch.path("run");
    PENDULUM.unbroken(&place);
    let files = || -> Vec<_> {
        let all = names(Path::new(&place)).into_iter();
        all.map(|name| {
            let path = Path::new(&place).join(&name);
            (name, fs::metadata(&path).unwrap().modified().unwrap(), fs::read(&path).unwrap())
        })
        .collect()
    };
    let before = files();
    assert_eq!(before.len(), 6);
    let said = resume(&place, &[]);
    assert!(said.contains("has reached its end"), "{said}");
    let quiet = cardan(&["resume", &place, "--quiet"]);
    assert!(quiet.status.success() && quiet.stdout.is_empty() && quiet.stderr.is_empty());
    assert!(files() == before);
}

/// The step that failed is computed again, and fails again.
#[test]
fn resume_of_a_failed_run_ends_with_the_same_results_and_exit_code() {
    let scratch = Scratch::new("failed");
    let (model, place) = (scratch.path("model.toml"), scratch.path("run"));
    fs::write(&model, crate::own_model("too_short.toml").unwrap()).unwrap();
    let output = cardan(&["run", &model, "--out", &place]);
    assert_eq!(output.status.code(), Some(3), "{}", message(&output));
    let expected = finished(&place);
    for _ in 0..2 {
        let output = cardan(&["resume", &place]);
        assert_eq!(output.status.code(), Some(3), "{}", message(&output));
        assert_eq!(finished(&place).difference(&expected), None);
    }
}

#[test]
fn a_second_command_on_a_folder_is_refused_while_the_first_is_computing() {
    let scratch = Scratch::new("twice");
    let place = scratch.path("run");
    let long = LongRun { options: &["--end", "1e4"], ..PENDULUM };
    long.killed(&place);
    let mut first = start_and_wait(&["resume", &place, "--checkpoint", "500"], Path::new(&place));
    for arguments in [
        vec!["resume", place.as_str()],
        vec!["resume", &place, "--end", "2e4"],
        vec!["run", long.model, "--out", &place],
    ] {
        let second = cardan(&arguments);
        assert_eq!(second.status.code(), Some(2), "{arguments:?}");
        let said = message(&second);
        assert!(said.contains("another run is writing to this folder"), "{said}");
    }
    assert!(first.try_wait().unwrap().is_none(), "the first run is not disturbed");
    first.kill().unwrap();
    first.wait().unwrap();
}

/// A run that was killed goes on without its model file and the mesh of a shape, because its record has both: same results,
/// and a page that still shows the mesh.
#[test]
fn killed_run_goes_on_after_its_mesh_is_gone() {
    let scratch = Scratch::new("mesh");
    let [model, mesh] = ["model.toml", "part.obj"].map(|name| scratch.path(name));
    std::fs::write(
        &mesh,
        "v 0 0 0\nv 0.3 0 0\nv 0 0.2 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    )
    .unwrap();
    let text = r#"
format = 2
gravity = [0, 0, -9.81]
[body.part]
shapes = [{ mesh = "part.obj", density = 1000 }]
[joint.O]
type = "spherical"
between = ["ground", "part"]
at = [0, 0, 0]
[simulation]
step = 1e-4
end = 4
"#;
    std::fs::write(&model, text).unwrap();
    let run = LongRun { model: &model, options: &[] };
    let [whole, killed] = ["whole", "killed"].map(|name| scratch.path(name));
    let expected = run.unbroken(&whole);
    run.killed(&killed);
    std::fs::remove_file(&mesh).unwrap();
    std::fs::remove_file(&model).unwrap();
    resume(&killed, &[]);
    let found = finished(&killed);
    assert_eq!(expected.difference(&found), None);
    let output = cardan(&["view", &killed]);
    assert!(output.status.success(), "{}", message(&output));
    let page = std::fs::read_to_string(scratch.0.join("killed/view.html")).unwrap();
    assert!(page.contains(r#""type":"mesh""#) && !page.contains(r#""triangles":[]"#));
}
