//! The options of a reproduction.

use std::path::PathBuf;

use crate::overwrite::Overwrite;

/// The items to reproduce, the folder and the form.
#[derive(Clone, Debug, Default)]
pub struct ReproduceOptions {
    /// PAPER, PAPER/ITEM or ITEM; everything if empty.
    pub items: Vec<String>,
    /// The folder of the site; `reproduced` or `reproduced-quick` by default.
    pub folder: Option<PathBuf>,
    /// Whether to compute the quick form: coarser and shorter, long runs omitted.
    pub quick: bool,
    /// Number of runs at once; the number of processors by default.
    pub jobs: Option<u64>,
    /// Manifests to use instead of those that come with Cardan.
    pub manifests: Vec<PathBuf>,
    /// Where to write the record that `cardan methods` and the gallery read.
    pub record: Option<PathBuf>,
    /// Where to write the gallery page; its figures go to the folder `figures` next to it.
    pub gallery: Option<PathBuf>,
    /// The policy for existing files.
    pub overwrite: Overwrite,
    /// Whether the text returned is JSON.
    pub json: bool,
}
