//! The commit the program is built from, for `cardan --version`.

use std::process::Command;

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_string())
}

fn main() {
    // a package without its repository has no commit
    let commit = git(&["rev-parse", "--short=10", "HEAD"]);
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some();
    let version = env!("CARGO_PKG_VERSION");
    let version = match (commit, changed) {
        (Some(commit), false) => format!("{version} ({commit})"),
        (Some(commit), true) => format!("{version} ({commit}, changed)"),
        (None, _) => version.to_string(),
    };
    println!("cargo:rustc-env=CARDAN_VERSION={version}");
    for path in ["HEAD", "index", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", path]) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=../cardan-core/src");
    println!("cargo:rerun-if-changed=../cardan/src");
    println!("cargo:rerun-if-changed=../cardan-lab/src");
}
