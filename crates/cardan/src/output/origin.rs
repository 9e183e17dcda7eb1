//! Whether Cardan wrote a file: pictures, pages, tables and matrices are recognised by their contents.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The line in every SVG document.
pub const SVG_MARK: &str = "<!-- written by cardan -->";
/// How documents began before they had that line.
const SVG_HEAD: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" width=""#;
const SVG_FONT: &str = r#"font-family="DejaVu Sans, Helvetica, Arial, sans-serif""#;
/// The text in every PNG image.
const PNG_MARK: &[u8] = b"Software\0cardan";
const PNG_HEAD: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Signature, and the first block with its sizes.
const PNG_START: usize = 8 + 25;
/// The first columns of a snapshot of a structure.
pub const SNAPSHOT_COLUMNS: &str = "node,x,y,displacement,velocity";

/// The first bytes of a file.
pub fn first_bytes(path: &Path, count: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(count).read_to_end(&mut bytes));
    if read.is_ok() { bytes } else { Vec::new() }
}

/// The beginning of a file as text; bytes that are no text are replaced.
pub fn first_text(path: &Path) -> String {
    String::from_utf8_lossy(&first_bytes(path, 4096)).into_owned()
}

/// Whether a file is a picture that Cardan wrote, SVG or PNG.
pub fn is_picture(path: &Path) -> bool {
    let bytes = first_bytes(path, 4096);
    if bytes.starts_with(PNG_HEAD) {
        let rest = bytes.get(PNG_START + 8..).unwrap_or_default();
        return rest.starts_with(PNG_MARK);
    }
    let text = String::from_utf8_lossy(&bytes);
    let first = text.lines().next().unwrap_or_default();
    let is_old = first.starts_with(SVG_HEAD) && first.contains(SVG_FONT);
    text.lines().take(3).any(|line| line == SVG_MARK) || is_old
}

/// A PNG image with the text that marks it as written by Cardan.
pub fn marked_png(png: &[u8]) -> Vec<u8> {
    let Some((start, rest)) = png.split_at_checked(PNG_START) else { return png.to_vec() };
    let mut block = b"tEXt".to_vec();
    block.extend(PNG_MARK);
    let length = (PNG_MARK.len() as u32).to_be_bytes();
    let check = crc32(&block).to_be_bytes();
    [start, &length, &block, &check, rest].concat()
}

/// The checksum of PNG blocks (ISO 3309, polynomial 0xEDB88320).
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            (sum >> 1) ^ if sum & 1 == 1 { 0xEDB8_8320 } else { 0 }
        })
    })
}

/// Whether a file is a table of comma-separated values whose header begins so.
pub fn is_table(path: &Path, header: &str) -> bool {
    first_text(path).starts_with(header)
}

/// Whether a file is a table of numbers, each written exactly as Rust writes it in scientific notation
/// (`1e0`, `-2.5e-3`), with one of these names over the first column.
pub fn is_scientific_table(path: &Path, first: &[&str]) -> bool {
    let Ok(text) = std::fs::read_to_string(path) else { return false };
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    let is_header = first.contains(&header.split(',').next().unwrap_or_default());
    let is_ours = |cell: &str| cell.parse::<f64>().is_ok_and(|x| format!("{x:e}") == cell);
    is_header && lines.clone().next().is_some() && lines.all(|line| line.split(',').all(is_ours))
}

/// Whether a file is a JSON object or list that this type describes.
#[cfg(any(feature = "file", feature = "results"))]
pub fn is_json<T: serde::de::DeserializeOwned>(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    serde_json::from_str::<T>(&text).is_ok()
}

/// Whether a file is a JSON object with these keys.
#[cfg(any(feature = "file", feature = "results"))]
pub fn has_keys(path: &Path, keys: &[&str]) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let value = serde_json::from_str::<serde_json::Value>(&text).unwrap_or_default();
    value.as_object().is_some_and(|object| keys.iter().all(|key| object.contains_key(*key)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value for "123456789" that lists of checksums give.
    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }
}
