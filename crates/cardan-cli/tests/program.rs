//! The program as people and scripts use it.

use std::process::{Command, Output};

fn cardan(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cardan")).args(arguments).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn methods_lists_the_registry_with_measured_orders() {
    let output = cardan(&["methods"]);
    assert!(output.status.success());
    let table = text(&output);
    for info in cardan::methods::all() {
        assert!(table.contains(info.name) && table.contains(info.title), "{}", info.name);
    }
    assert!(!table.contains("not measured"), "renew the record: cardan exam --write");

    let json: serde_json::Value =
        serde_json::from_slice(&cardan(&["methods", "--json"]).stdout).unwrap();
    let methods = json.as_array().unwrap();
    assert_eq!(methods.len(), cardan::methods::all().count());
    let bdf2 = methods.iter().find(|m| m["name"] == "bdf2").unwrap();
    assert_eq!(bdf2["constraints"]["acceleration"]["allowed"], false);
    assert!(bdf2["constraints"]["position"]["measured_orders"][3].as_f64().unwrap() > 1.9);
}

#[test]
fn joints_lists_every_kind() {
    let table = text(&cardan(&["joints"]));
    let json: serde_json::Value =
        serde_json::from_slice(&cardan(&["joints", "--json"]).stdout).unwrap();
    assert_eq!(json.as_array().unwrap().len(), cardan::model::JOINTS.len());
    for info in cardan::model::JOINTS {
        assert!(table.contains(info.name) && table.contains(info.allows), "{}", info.name);
    }
    assert_eq!(json[0]["planar_rows"], 2);
}

#[test]
fn exam_grades_a_method_by_any_of_its_names() {
    let output = cardan(&["exam", "nstiff", "--json"]);
    assert!(output.status.success());
    let record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let grades = record["grades"].as_array().unwrap();
    assert_eq!(grades.len(), 8);
    assert!(grades.iter().all(|grade| grade["method"] == "bdf2"));
    assert!(text(&cardan(&["exam", "nstiff"])).contains("spatial-double-pendulum"));
}

#[test]
fn mistakes_end_with_exit_code_2_and_a_remedy() {
    for (arguments, expected) in [
        (&["exam", "rk4"][..], "there is no method `rk4`; methods: trapezoidal"),
        (
            &["exam", "bdf2", "--write", "/nonexistent/x.json"][..],
            "--write keeps the record of all methods",
        ),
        (&["exma"][..], "'exam'"),
    ] {
        let output = cardan(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(expected), "{message}");
    }
}
