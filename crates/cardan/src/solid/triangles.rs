//! Triangles of a file before equal corners are joined, and the reasons why a file has none.

/// The most triangles of a surface.
pub(super) const MAX_TRIANGLES: usize = 1_000_000;
/// Coordinates must be smaller.
const MAX_COORDINATE: f64 = 1e50;

/// The corners of triangles, counterclockwise seen from outside.
pub(super) type Triangles = Vec<[[f64; 3]; 3]>;

/// Why a file has no surface.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", .line.map_or(String::new(), |line| format!("line {line}: ")))]
pub struct SurfaceError {
    /// The line, counted from 1.
    pub line: Option<usize>,
    /// The reason.
    pub reason: String,
}

impl SurfaceError {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self { line: None, reason: reason.into() }
    }

    pub(super) fn at(line: usize, reason: impl Into<String>) -> Self {
        Self { line: Some(line), reason: reason.into() }
    }
}

/// Whether a corner has usable coordinates.
pub(super) fn is_usable(corner: &[f64; 3]) -> bool {
    corner.iter().all(|x| x.abs() < MAX_COORDINATE)
}

/// Adds a triangle, unless there are too many.
pub(super) fn add(all: &mut Triangles, corners: [[f64; 3]; 3]) -> Result<(), SurfaceError> {
    if all.len() >= MAX_TRIANGLES {
        let reason = format!("it has more than {MAX_TRIANGLES} triangles; try: a coarser mesh");
        return Err(SurfaceError::new(reason));
    }
    all.push(corners);
    Ok(())
}

/// Three coordinates of a line.
pub(super) fn coordinates<'t>(
    words: &mut impl Iterator<Item = &'t str>,
    line: usize,
) -> Result<[f64; 3], SurfaceError> {
    let mut corner = [0.0; 3];
    for x in &mut corner {
        let word = words
            .next()
            .ok_or_else(|| SurfaceError::at(line, "a corner has fewer than three coordinates"))?;
        *x = word
            .parse()
            .map_err(|_| SurfaceError::at(line, format!("`{}` is no number", shortened(word))))?;
    }
    match is_usable(&corner) {
        true => Ok(corner),
        false => Err(SurfaceError::at(line, "a coordinate is not finite or is 1e50 or larger")),
    }
}

/// The beginning of a word, for messages.
pub(super) fn shortened(word: &str) -> String {
    word.chars().filter(|c| !c.is_control()).take(40).collect()
}
