//! The list of papers and items.

use serde_json::{Value, json};

use super::bundled::manifests;
use super::items;
use super::manifest::{Manifest, ManifestItem};
use super::options::ReproduceOptions;
use crate::error::LabError;
use crate::table;

/// The papers and items that the options choose, as a table or JSON.
pub fn list(options: &ReproduceOptions) -> Result<String, LabError> {
    let manifests = manifests(options)?;
    Ok(list_items(&items::choose(&manifests, &options.items)?, options.json))
}

fn list_items(chosen: &[(&Manifest, &ManifestItem)], as_json: bool) -> String {
    let items = chosen.iter().map(|(m, item)| (format!("{}/{}", m.paper.name, item.name), item));
    if as_json {
        let all: Value =
            items.map(|(name, item)| json!({ "name": name, "title": item.title })).collect();
        return format!("{all:#}\n");
    }
    let rows: Vec<Vec<String>> = items.map(|(name, item)| vec![name, item.title.clone()]).collect();
    table::render(&["item", "description"], &rows)
        + "\n`cardan reproduce PAPER` or `PAPER/ITEM` computes some of them; without a name, all.\n"
}
