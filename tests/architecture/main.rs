//! The arrows of the architecture: crates use crates above them only, and modules form no cycle.

mod graph;

use std::collections::BTreeSet;
use std::path::Path;

use graph::{Crate, cycles};

/// The crates from the bottom to the top, each with the file its modules begin at.
const CRATES: [(&str, &str); 5] = [
    ("cardan-core", "src/lib.rs"),
    ("cardan", "src/lib.rs"),
    ("cardan-lab", "src/lib.rs"),
    ("cardan-cli", "src/main.rs"),
    ("cardan-python", "src/lib.rs"),
];

fn read(name: &str, file: &str) -> Crate {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    Crate::read(&folder.join(name).join(file))
}

#[test]
fn modules_form_no_cycle() {
    let mut found = Vec::new();
    for (name, file) in CRATES {
        let code = read(name, file);
        let uses = code.uses();
        assert!(uses.len() > 50, "{name}: the sources were not read");
        for parent in code.parents() {
            let graph = code.graph_below(&parent, &uses);
            let edges: BTreeSet<_> = graph.keys().cloned().collect();
            for cycle in cycles(&edges) {
                let within =
                    |(from, to): &&(String, String)| cycle.contains(from) && cycle.contains(to);
                let example = |edge: &(String, String)| {
                    format!("  {} → {}: {}", edge.0, edge.1, graph[edge][0].place)
                };
                let edges: Vec<String> = graph.keys().filter(within).map(example).collect();
                let place = parent.join("::");
                found.push(format!("{name}, below `{place}`: {cycle:?}\n{}", edges.join("\n")));
            }
        }
    }
    assert!(found.is_empty(), "modules depend on each other in circles:\n{}", found.join("\n"));
}

#[test]
fn crates_use_those_above_them_only() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    for (k, (name, _)) in CRATES.iter().enumerate() {
        let manifest = std::fs::read_to_string(folder.join(name).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let Some(used) = manifest.get(section).and_then(toml::Value::as_table) else {
                continue;
            };
            for (later, _) in &CRATES[k..] {
                assert!(!used.contains_key(*later), "{name} uses {later} ({section})");
            }
        }
    }
}

#[test]
fn cycles_are_found() {
    let edge = |a: &str, b: &str| (a.to_string(), b.to_string());
    let none: BTreeSet<_> = [edge("a", "b"), edge("b", "c"), edge("a", "c")].into();
    assert!(cycles(&none).is_empty());
    let one: BTreeSet<_> = [edge("a", "b"), edge("b", "c"), edge("c", "b")].into();
    let found = cycles(&one);
    assert_eq!(found, [BTreeSet::from(["b".to_string(), "c".to_string()])]);
}
