//! Model files: what they say, what may be wrong with them, what becomes of them.

mod continued_runs;
mod folders;
mod formats;
mod located;
mod mistakes;
mod models;
mod mutations;
mod reading;
mod results;
mod schema;
mod starts;
mod tables;

use std::path::PathBuf;

use cardan::file::ModelFile;

/// A file of the repository.
pub fn repository(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// The text of a model of the repository.
pub fn text(name: &str) -> String {
    std::fs::read_to_string(repository(&format!("models/{name}.toml"))).unwrap()
}

/// A model of the repository, with parameters set.
pub fn model(name: &str, set: &[(&str, &str)]) -> ModelFile {
    let set: Vec<(String, String)> =
        set.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    ModelFile::parse(name, &text(name), &set).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// The names of all models of the repository.
pub fn names() -> Vec<String> {
    let folder = std::fs::read_dir(repository("models")).unwrap();
    // a folder holds a model with matrices beside it
    let mut names: Vec<String> = folder
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_string())
        .collect();
    names.sort();
    names
}

/// A planar model with one body on one pin, and more.
pub fn pendulum_and(more: &str) -> String {
    let pendulum = r#"
format = 2
planar = true
gravity = [0, -9.81]

[body.bar]
mass = 2
shape = { rod = 1 }
position = [0.5, 0]
points = { tip = [0.5, 0] }

[joint.O]
type = "revolute"
between = ["ground", "bar"]
at = [0, 0]

[simulation]
step = 1e-2
end = 0.1
"#;
    format!("{pendulum}{more}")
}
