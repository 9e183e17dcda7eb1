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
fn exam_grades_a_method_and_writes_the_record() {
    let file = std::env::temp_dir().join(format!("cardan-exam-{}.json", std::process::id()));
    let output = cardan(&["exam", "nstiff", "--write", file.to_str().unwrap()]);
    assert!(output.status.success());
    let table = text(&output);
    assert!(
        table.contains("bdf2") && !table.contains("newmark"),
        "an alias names the method: {table}"
    );
    let written: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(written["grades"].as_array().unwrap().len(), 8);
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn mistakes_end_with_exit_code_2_and_a_remedy() {
    for (arguments, expected) in [
        (&["exam", "rk4"][..], "there is no method `rk4`; methods: trapezoidal"),
        (
            &["exam", "bdf2", "--write", "/nonexistent/x.json"][..],
            "cannot write /nonexistent/x.json",
        ),
        (&["exma"][..], "'exam'"),
    ] {
        let output = cardan(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(expected), "{message}");
    }
}
