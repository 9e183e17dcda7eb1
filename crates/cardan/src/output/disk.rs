//! The operations that change a file system, as a trait: a test can make each of them fail.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::write::sync_folder;

/// A file that is being written.
pub trait DiskFile: Write + Send {
    /// Writes buffered data to the storage device.
    fn sync(&mut self) -> io::Result<()>;
}

/// Operations that change a file system.
pub trait Disk {
    /// Makes a folder and those above it.
    fn create_folders(&self, path: &Path) -> io::Result<()>;
    /// Makes a folder that is not there yet.
    fn create_folder(&self, path: &Path) -> io::Result<()>;
    /// Opens an empty file for writing.
    fn create_file(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Gives a file or folder another name; a file of that name is replaced.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Gives a file a second name.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Removes an empty folder.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
    /// Writes the names in a folder to the storage device, where that is possible.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
    /// The free space for files in a folder, in bytes; `None` if it is unknown.
    fn available_space(&self, path: &Path) -> Option<u64>;
}

/// The file systems of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalDisk;

impl DiskFile for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

impl Disk for LocalDisk {
    fn create_folders(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    fn create_file(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(File::create(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::hard_link(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        sync_folder(path);
        Ok(())
    }

    fn available_space(&self, path: &Path) -> Option<u64> {
        #[cfg(feature = "results")]
        return fs4::available_space(path).ok();
        #[cfg(not(feature = "results"))]
        return path.parent().and(None);
    }
}
