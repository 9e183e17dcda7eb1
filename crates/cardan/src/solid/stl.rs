//! STL files, binary and text.

use super::triangles::{
    MAX_TRIANGLES, SurfaceError, Triangles, add, coordinates, is_usable, shortened,
};

/// Bytes before the number of triangles, before the triangles, and of each triangle in a binary file.
const TITLE: usize = 80;
const HEADER: usize = 84;
const RECORD: usize = 50;

/// The triangles of a file.
pub(super) fn read(bytes: &[u8]) -> Result<Triangles, SurfaceError> {
    // the text of some binary files begins with "solid" too: the length decides
    let count = bytes.get(TITLE..HEADER).map(|x| u32::from_le_bytes([x[0], x[1], x[2], x[3]]));
    let needed = count.map(|count| HEADER as u64 + RECORD as u64 * u64::from(count));
    match (count, needed) {
        (Some(count), Some(needed)) if needed == bytes.len() as u64 => binary(bytes, count),
        _ if is_text(bytes) => text(bytes),
        (Some(count), Some(needed)) => Err(SurfaceError::new(format!(
            "it is no text, and as a binary STL file of {count} triangles it would have {needed} bytes, not {}: it is damaged or not STL",
            bytes.len()
        ))),
        _ => Err(SurfaceError::new("it is too short for an STL file")),
    }
}

fn is_text(bytes: &[u8]) -> bool {
    let beginning = &bytes[..bytes.len().min(512)];
    beginning.trim_ascii_start().starts_with(b"solid") && !beginning.contains(&0)
}

fn binary(bytes: &[u8], count: u32) -> Result<Triangles, SurfaceError> {
    if count as usize > MAX_TRIANGLES {
        let reason = format!(
            "it has {count} triangles; at most {MAX_TRIANGLES} are read; try: a coarser mesh"
        );
        return Err(SurfaceError::new(reason));
    }
    let mut all = Vec::with_capacity(count as usize);
    for (k, record) in bytes[HEADER..].chunks_exact(RECORD).enumerate() {
        let number = |at: usize| {
            let x = &record[at..at + 4];
            f64::from(f32::from_le_bytes([x[0], x[1], x[2], x[3]]))
        };
        // the normal in the first twelve bytes follows from the order of the corners
        let corner = |c: usize| [0, 1, 2].map(|k| number(12 + 12 * c + 4 * k));
        let corners = [corner(0), corner(1), corner(2)];
        if !corners.iter().all(is_usable) {
            let reason = format!("a coordinate of triangle {} is not finite", k + 1);
            return Err(SurfaceError::new(reason));
        }
        all.push(corners);
    }
    Ok(all)
}

fn text(bytes: &[u8]) -> Result<Triangles, SurfaceError> {
    let mut all = Triangles::new();
    let mut corners: Vec<[f64; 3]> = Vec::new();
    let mut open = None;
    let mut is_ended = false;
    for (k, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let line_number = k + 1;
        let line = String::from_utf8_lossy(line);
        let mut words = line.split_ascii_whitespace();
        match words.next().map(str::to_ascii_lowercase).as_deref() {
            None | Some("solid" | "facet" | "endfacet") => {}
            Some("endsolid") => is_ended = true,
            Some("outer") => {
                open = Some(line_number);
                corners.clear();
            }
            Some("vertex") if open.is_some() && corners.len() < 3 => {
                corners.push(coordinates(&mut words, line_number)?);
            }
            Some("vertex") => {
                let reason = "a vertex outside of a loop of three";
                return Err(SurfaceError::at(line_number, reason));
            }
            Some("endloop") => {
                let Ok(triangle) = <[[f64; 3]; 3]>::try_from(corners.as_slice()) else {
                    let reason = format!("a loop has {} vertices, not 3", corners.len());
                    return Err(SurfaceError::at(line_number, reason));
                };
                add(&mut all, triangle)?;
                (open, corners) = (None, Vec::new());
            }
            Some(word) => {
                let reason = format!("`{}` is no word of an STL file", shortened(word));
                return Err(SurfaceError::at(line_number, reason));
            }
        }
    }
    match (open, is_ended) {
        (Some(line), _) => {
            Err(SurfaceError::at(line, "the loop does not end: the file is truncated"))
        }
        (None, false) => Err(SurfaceError::new("it has no `endsolid`: the file is truncated")),
        (None, true) => Ok(all),
    }
}
