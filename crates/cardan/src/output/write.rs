//! Writes one file atomically; a file that Cardan did not write is not replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The treatment of a file that exists already.
#[derive(Clone, Copy)]
pub enum ExistingFile<'a> {
    /// Replace it.
    Replace,
    /// Replace it if this function recognises it as written by Cardan.
    ReplaceIf(&'a dyn Fn(&Path) -> bool),
    /// Do not replace it.
    Keep,
}

/// A file that is not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// A file exists that Cardan did not write.
    #[error(
        "{path} exists already and was not written by Cardan; it was not changed\n  try: another \
         name, or move it away"
    )]
    Foreign {
        /// The file.
        path: String,
    },
    /// A folder has this name.
    #[error("{path} is a folder, not a file\n  try: the name of a file in it")]
    Folder {
        /// The folder.
        path: String,
    },
    /// It cannot be written.
    #[error("cannot write {path}: {cause}")]
    Failed {
        /// The file.
        path: String,
        /// The reason.
        cause: String,
    },
}

/// Whether a file may be written; to be called before long computations.
pub fn check(path: &Path, existing: ExistingFile<'_>) -> Result<(), OutputError> {
    let name = || path.display().to_string();
    let Ok(about) = fs::metadata(path) else {
        // a link that leads nowhere counts as a foreign file
        return match fs::symlink_metadata(path).is_ok() {
            true => Err(OutputError::Foreign { path: name() }),
            false => Ok(()),
        };
    };
    if about.is_dir() {
        return Err(OutputError::Folder { path: name() });
    }
    let may_be_replaced = match existing {
        // devices and pipes take what is written
        _ if !about.is_file() => true,
        ExistingFile::Replace => true,
        ExistingFile::ReplaceIf(is_ours) => is_ours(path),
        ExistingFile::Keep => false,
    };
    match may_be_replaced {
        true => Ok(()),
        false => Err(OutputError::Foreign { path: name() }),
    }
}

/// Writes a file: under a temporary name, synced, then renamed. Where a link leads to a file, that file is
/// replaced and the link stays.
pub fn write(path: &Path, bytes: &[u8], existing: ExistingFile<'_>) -> Result<(), OutputError> {
    check(path, existing)?;
    let fail = |cause: io::Error| OutputError::Failed {
        path: path.display().to_string(),
        cause: cause.to_string(),
    };
    match fs::metadata(path) {
        Ok(about) if !about.is_file() => {
            let device = OpenOptions::new().write(true).open(path);
            device.and_then(|mut device| device.write_all(bytes)).map_err(fail)
        }
        Ok(_) => {
            let target = fs::canonicalize(path).map_err(fail)?;
            write_and_rename(&target, bytes, |from| fs::rename(from, &target)).map_err(fail)
        }
        // another program may have written it meanwhile: a new name does not replace
        Err(_) => {
            write_and_rename(path, bytes, |from| new_name(from, path)).map_err(
                |error| match error {
                    error if error.kind() == io::ErrorKind::AlreadyExists => {
                        OutputError::Foreign { path: path.display().to_string() }
                    }
                    error => fail(error),
                },
            )
        }
    }
}

/// Writes a file under a temporary name in the same folder and renames it.
fn write_and_rename(
    path: &Path,
    bytes: &[u8],
    put: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let (partial, mut file) = partial(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    drop(file);
    written.and_then(|()| put(&partial)).inspect_err(|_| {
        let _ = fs::remove_file(&partial);
    })?;
    sync_folder(path.parent().unwrap_or(Path::new("")));
    Ok(())
}

/// A new temporary file in the folder of a path; existing files are not changed.
fn partial(path: &Path) -> io::Result<(PathBuf, File)> {
    if path.file_name().is_none() {
        return Err(io::Error::other("this is not the name of a file"));
    }
    for k in 0..100 {
        // a short name: with more letters in it the name of the file could be too long
        let name = format!(".cardan-{}-{k}.partial", std::process::id());
        let partial = path.with_file_name(name);
        match OpenOptions::new().write(true).create_new(true).open(&partial) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return Ok((partial, opened?)),
        }
    }
    Err(io::Error::other("too many files end in .partial in this folder"))
}

/// Gives a file a name that nothing has.
fn new_name(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => {
            // both names lead to the whole file
            let _ = fs::remove_file(from);
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // a file system without links
        Err(_) if to.symlink_metadata().is_err() => fs::rename(from, to),
        Err(error) => Err(error),
    }
}

/// Brings the names in a folder to the storage device, where that is possible.
pub(super) fn sync_folder(folder: &Path) {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}
