//! Everything that the results of a study depend on.

use cardan::file::ModelFile;
use cardan::output::file_sha256;
use serde_json::{Value, json};

/// Fingerprint of the running program. Results of another program are not reused.
pub fn program_fingerprint() -> String {
    let path = std::env::current_exe();
    path.and_then(|path| file_sha256(&path))
        .unwrap_or_else(|_| env!("CARGO_PKG_VERSION").to_string())
}

/// Everything of a model that results depend on: its text, the files it reads, the values of its parameters, and
/// the Newton options.
pub fn model_identity(file: &ModelFile) -> Value {
    let parameters: serde_json::Map<String, Value> =
        file.parameters.iter().map(|(name, x)| (name.clone(), json!(format!("{x:?}")))).collect();
    json!({
        "model": file.source.name,
        "text": file.source.text,
        "files": file.digests(),
        "parameters": parameters,
        "start": format!("{:?}", file.plan.start),
        "newton": format!("{:?}", file.plan.newton.value),
    })
}
