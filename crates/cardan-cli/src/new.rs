//! `cardan new`: the list of examples, and a copy of one as a model file.

use std::path::PathBuf;

use cardan_lab::examples::{EXAMPLES, title};
use cardan_lab::overwrite;

use crate::failure::CommandFailure;
use crate::overwrite_option::OverwriteOption;
use crate::table;

#[derive(clap::Args)]
pub struct Arguments {
    /// The example to copy; without a name, all are listed.
    name: Option<String>,
    /// The file to write; NAME.toml by default.
    file: Option<PathBuf>,
    #[command(flatten)]
    overwrite: OverwriteOption,
    /// Print the list as JSON.
    #[arg(long)]
    json: bool,
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    let Some(name) = &arguments.name else { return Ok(list(arguments.json)) };
    let wanted = name.strip_suffix(".toml").unwrap_or(name);
    let Some((name, text)) = EXAMPLES.iter().find(|(known, _)| *known == wanted) else {
        let known: Vec<_> = EXAMPLES.iter().map(|(known, _)| *known).collect();
        let message = format!("there is no example `{wanted}`; examples: {}", known.join(", "));
        return Err(CommandFailure::usage(message));
    };
    let path = arguments.file.clone().unwrap_or_else(|| PathBuf::from(format!("{name}.toml")));
    overwrite::write(&path, text.as_bytes(), arguments.overwrite.policy().existing_work())?;
    let path = path.display();
    Ok(format!("{path} written; next: cardan check {path}, cardan run {path}\n"))
}

fn list(as_json: bool) -> String {
    if as_json {
        let all: serde_json::Value = EXAMPLES
            .iter()
            .map(|(name, text)| serde_json::json!({ "name": name, "title": title(text) }))
            .collect();
        return format!("{all:#}\n");
    }
    let rows: Vec<Vec<String>> =
        EXAMPLES.iter().map(|(name, text)| vec![name.to_string(), title(text).into()]).collect();
    let text = table::render(&["example", "description"], &rows);
    text + "\n`cardan new NAME` writes one as a model file.\n"
}
