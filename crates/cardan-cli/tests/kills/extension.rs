//! `cardan resume --end`: a finished run that is made longer has the results of a run that was as long from the start.

use std::fs;
use std::path::Path;

use crate::common::{Scratch, cardan, finished, message, names, resume, start};
use crate::{Random, example};

/// A model with its options, and ends of which each extends the run.
type Case = (&'static str, &'static str, [&'static str; 3]);

const CASES: [Case; 6] = [
    // fixed steps
    ("slider_crank", "--method lms3", ["0.5", "1", "2"]),
    ("spin_up", "--method bdf2 --format csv", ["1", "1.5", "3"]),
    // a shorter step at the end, which the longer run does not take
    ("slider_crank", "--method generalized-alpha", ["0.50037", "1", "2.00071"]),
    ("slider_crank", "--method bathe --format csv", ["0.50037", "0.50061", "2.00071"]),
    ("rotating_shaft", "--method esdirk436", ["0.0503", "0.0507", "0.1"]),
    // snapshots before, at and after the ends
    ("structure", "--method lms4 --set n=50", ["1e-3", "1.5e-3", "3.9e-3"]),
];

fn model(scratch: &Scratch, name: &str) -> String {
    if name != "structure" {
        return name.into();
    }
    let path = scratch.path("structure.toml");
    let text = std::fs::read_to_string(example("clamped_bar")).unwrap();
    std::fs::write(&path, text + "snapshots = [0, 9e-4, 1e-3, 1.2e-3, 3.5e-3]\n").unwrap();
    path
}

fn run(model: &str, options: &str, end: &str, folder: &str) {
    let first = ["run", model, "--out", folder, "--end", end];
    let arguments: Vec<&str> = first.into_iter().chain(options.split_whitespace()).collect();
    let output = cardan(&arguments);
    assert!(output.status.success(), "{}", message(&output));
}

#[test]
fn a_run_that_is_extended_equals_a_run_that_was_longer_from_the_start() {
    for (name, options, ends) in CASES {
        let scratch = Scratch::new("extension");
        let model = model(&scratch, name);
        let (longer, extended) = (scratch.path("longer"), scratch.path("extended"));
        run(&model, options, ends[0], &extended);
        for end in &ends[1..] {
            run(&model, options, end, &longer);
            resume(&extended, &["--end", end]);
            let difference = finished(&extended).difference(&finished(&longer));
            assert_eq!(difference, None, "{name} {options} {end}");
        }
        // a run does not go back
        let output = cardan(&["resume", &extended, "--end", ends[0]]);
        assert_eq!(output.status.code(), Some(2), "{name} {options}");
        assert!(message(&output).contains("after the new end"), "{}", message(&output));
        assert_eq!(finished(&extended).difference(&finished(&longer)), None, "{name} {options}");
    }
}

#[test]
fn an_extension_that_is_killed_keeps_the_complete_results_and_is_continued() {
    let mut random = Random(7);
    for (name, options, ends) in [CASES[2], CASES[1]] {
        let scratch = Scratch::new("killed-extension");
        let (longer, place) = (scratch.path("longer"), scratch.path("extended"));
        let began = std::time::Instant::now();
        run(name, options, ends[2], &longer);
        let duration = began.elapsed();
        run(name, options, ends[0], &place);
        let arguments = ["resume", &place, "--end", ends[2], "--checkpoint", "100"];
        let mut is_done = false;
        for _ in 0..8 {
            let mut running = start(&arguments);
            std::thread::sleep(duration.mul_f64(random.number()));
            running.kill().unwrap();
            is_done |= running.wait().unwrap().success();
            // complete results are there at any time
            let table = cardan::results::ResultsTable::open(Path::new(&place)).unwrap();
            let summary = table.summary.as_ref().unwrap();
            assert_eq!(summary.status, cardan::results::RunStatus::Completed);
            assert_eq!(table.values(&[0]).unwrap()[0].len() as u64, summary.rows);
        }
        if !is_done {
            resume(&place, &["--end", ends[2]]);
        }
        assert_eq!(finished(&place).difference(&finished(&longer)), None, "{name} {options}");
        assert_eq!(names(Path::new(&place)).len(), 6);
    }
}

/// A run that an event has stopped is complete: neither `resume` nor a later end goes on after the event.
#[test]
fn run_that_an_event_stopped_is_not_continued() {
    let scratch = Scratch::new("stopped");
    let (model, place) = (scratch.path("stop.toml"), scratch.path("run"));
    let text = "format = 2\ngravity = [0, 0, -9.81]\n\
                body.ball = { type = \"point-mass\", mass = 0.5, position = [0, 0, 1] }\n\
                [event.low]\nwhen = \"ball.position.z - 0.5\"\nstop = true\n\
                [simulation]\nmethod = \"generalized-alpha\"\nend = 0.6\n";
    for steps in ["step = 1e-3\n", "tolerance = 1e-6\n"] {
        fs::write(&model, format!("{text}{steps}")).unwrap();
        let output = cardan(&["run", &model, "--out", &place]);
        assert!(output.status.success(), "{}", message(&output));
        let expected = finished(&place);
        let said = resume(&place, &[]);
        assert!(said.contains("event `low` stopped the run"), "{said}");
        assert_eq!(finished(&place).difference(&expected), None, "{steps}");
        // the longer run has the event too
        let said = resume(&place, &["--end", "1"]);
        assert!(said.contains("event `low` stopped"), "{said}");
        assert_eq!(finished(&place).rows(), expected.rows(), "{steps}");
    }
}
