//! `--overwrite`: one option for all commands that write a file named by the user.

use std::path::Path;

use cardan::output::ExistingFile;
use cardan_lab::overwrite::Overwrite;

#[derive(clap::Args, Clone, Copy)]
pub struct OverwriteOption {
    /// Replace an existing file, even if this program did not write it.
    #[arg(long)]
    overwrite: bool,
}

impl OverwriteOption {
    /// The policy for existing files.
    pub fn policy(self) -> Overwrite {
        if self.overwrite { Overwrite::AnyFile } else { Overwrite::OwnFiles }
    }

    /// The policy for a file whose origin can be recognized.
    pub fn existing<'a>(self, is_ours: &'a dyn Fn(&Path) -> bool) -> ExistingFile<'a> {
        self.policy().existing(is_ours)
    }
}
