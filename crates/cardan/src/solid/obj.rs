//! OBJ files: corners and faces.

use super::triangles::{SurfaceError, Triangles, add, coordinates, shortened};

/// The most corners of a file.
const MAX_CORNERS: usize = 3_000_000;

/// The triangles of a file; faces with more corners are divided.
pub(super) fn read(bytes: &[u8]) -> Result<Triangles, SurfaceError> {
    let mut corners: Vec<[f64; 3]> = Vec::new();
    let mut all = Triangles::new();
    for (k, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let number = k + 1;
        let line = String::from_utf8_lossy(line);
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                if corners.len() >= MAX_CORNERS {
                    let reason = format!("it has more than {MAX_CORNERS} corners");
                    return Err(SurfaceError::at(number, reason));
                }
                corners.push(coordinates(&mut words, number)?);
            }
            Some("f") => {
                let face: Result<Vec<[f64; 3]>, SurfaceError> =
                    words.map(|word| corner(word, &corners, number)).collect();
                let face = face?;
                if face.len() < 3 {
                    let reason = format!("a face has {} corners; it needs 3", face.len());
                    return Err(SurfaceError::at(number, reason));
                }
                for pair in face[1..].windows(2) {
                    add(&mut all, [face[0], pair[0], pair[1]])?;
                }
            }
            // comments, normals, textures, groups, lines
            _ => {}
        }
    }
    Ok(all)
}

/// The corner that a word such as `3`, `3/1/2` or `-1` of a face names.
fn corner(word: &str, corners: &[[f64; 3]], line: usize) -> Result<[f64; 3], SurfaceError> {
    let first = word.split('/').next().unwrap_or_default();
    let fail = |reason: String| SurfaceError::at(line, reason);
    let index: i64 = first
        .parse()
        .map_err(|_| fail(format!("`{}` is no number of a corner", shortened(word))))?;
    let count = corners.len() as i64;
    let at = if index < 0 { index.saturating_add(count) } else { index - 1 };
    let found = usize::try_from(at).ok().and_then(|at| corners.get(at));
    found
        .copied()
        .ok_or_else(|| fail(format!("a face has corner {index}; there are {count} so far")))
}
