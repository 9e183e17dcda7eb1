//! Names of files made from names that a user chose: safe on every file system, and never the same for two.

use std::collections::HashSet;
use std::ffi::OsStr;

use sha2::{Digest, Sha256};

/// Besides letters and digits, these characters are safe in file names and in links of pages.
const HARMLESS: &str = " -_.+=,@()[]";
/// The longest name in bytes: file systems take 255, and endings are added to it.
const MAX_BYTES: usize = 100;
/// Precedes the digits that distinguish changed names; names that are kept do not contain it.
const SEPARATOR: char = '~';

/// A file name for a name. A name that is safe is kept. In any other, what is not safe becomes `_`, and
/// `~` with eight digits of the name's SHA-256 follows: different names stay different.
pub fn file_name(name: &str) -> String {
    let readable = readable(name);
    match readable == name && !is_reserved(name) {
        true => readable,
        false => marked(&readable, name.as_bytes()),
    }
}

/// A file name for the stem of a path, which may not be text.
pub fn file_name_of(name: &OsStr) -> String {
    match name.to_str() {
        Some(name) => file_name(name),
        None => marked(&readable(&name.to_string_lossy()), name.as_encoded_bytes()),
    }
}

fn marked(readable: &str, name: &[u8]) -> String {
    let digest = Sha256::digest(name);
    let digits: String = digest[..4].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{readable}{SEPARATOR}{digits}")
}

/// The name as far as it can be part of a file name.
fn readable(name: &str) -> String {
    let is_safe = |c: char| c.is_alphanumeric() || HARMLESS.contains(c);
    let mut text: String = name.chars().map(|c| if is_safe(c) { c } else { '_' }).collect();
    if text.len() > MAX_BYTES {
        let end = (0..=MAX_BYTES).rev().find(|&k| text.is_char_boundary(k)).unwrap_or(0);
        text.truncate(end);
    }
    // a point at the beginning hides a file, one or a blank at the end is lost on some systems
    if text.is_empty() || text.starts_with(['.', ' ']) {
        text.insert(0, '_');
    }
    if text.ends_with(['.', ' ']) {
        text.push('_');
    }
    text
}

/// Names of devices on some systems, with any ending.
fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let is_numbered = |prefix: &str| {
        let number = stem.strip_prefix(prefix);
        number.is_some_and(|number| number.len() == 1 && number.as_bytes()[0].is_ascii_digit())
    };
    ["CON", "PRN", "AUX", "NUL"].contains(&stem.as_str())
        || is_numbered("COM")
        || is_numbered("LPT")
}

/// File names of one folder: no two are the same, even where capitals do not count.
#[derive(Clone, Debug, Default)]
pub struct FileNames {
    used: HashSet<String>,
}

impl FileNames {
    /// A file name for a name, with something after it: `bar` and `-0.5.csv`.
    pub fn add(&mut self, name: &str, ending: &str) -> String {
        let stem = file_name(name);
        let numbered = |k: usize| match k {
            1 => format!("{stem}{ending}"),
            k => format!("{stem}{SEPARATOR}{k}{ending}"),
        };
        let free = (1..).map(numbered).find(|file| self.used.insert(file.to_uppercase()));
        free.unwrap_or_default()
    }

    /// Marks a file name as used.
    pub fn reserve(&mut self, file: &str) {
        self.used.insert(file.to_uppercase());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn safe_names_are_kept_and_others_stay_apart() {
        for kept in ["bar", "my model (2)", "Träger-3", "lms3@0.01", "a.b", "x=1"] {
            assert_eq!(file_name(kept), kept);
        }
        let long = "x".repeat(5000);
        let longer = format!("{long}y");
        let others = [
            "/etc/x", "a/b", "a\\b", "a:b", "..", ".", "", " ", ".hidden", "end.", "end ", "con",
            "NUL.txt", "com1", "a\nb", "a\0b", "a_b~1", "e\u{301}", "*?", "a`b", &long, &longer,
        ];
        let mut seen = HashSet::new();
        for name in others {
            let file = file_name(name);
            assert_ne!(file, name);
            assert!(
                file.len() < 130 && !file.contains(['/', '\\', ':', '\n', '\0', '*']),
                "{file}"
            );
            assert!(!file.starts_with('.') && !file.ends_with(['.', ' ']), "{file}");
            assert!(seen.insert(file.to_uppercase()), "{file}");
        }
    }

    #[test]
    fn names_of_one_folder_differ_even_where_capitals_do_not_count() {
        let mut names = FileNames::default();
        let all = [
            names.add("a-", "-2.csv"),
            names.add("a", "--2.csv"),
            names.add("Bar", ".csv"),
            names.add("bar", ".csv"),
            names.add("bar~2", ".csv"),
        ];
        let distinct: HashSet<String> = all.iter().map(|name| name.to_uppercase()).collect();
        assert_eq!(distinct.len(), all.len(), "{all:?}");
        assert_eq!((all[2].as_str(), all[3].as_str()), ("Bar.csv", "bar~2.csv"));
    }
}
