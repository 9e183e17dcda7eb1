//! Turns the points of a series into as few path points as its picture needs.

/// A place in the picture, in pixels.
pub type CurvePoint = (f64, f64);

/// Width in pixels of the columns in which only the extent of a curve counts.
const COLUMN: f64 = 0.5;
/// Points closer than this many pixels look the same.
const CLOSE: f64 = 0.3;
/// The number of points after which a new path begins: the time to draw a path that crosses
/// itself grows with the square of its points.
const MAX_PATH_POINTS: usize = 2000;

/// The unbroken pieces of a curve, thinned out to roughly the given number of points.
pub fn pieces(
    points: impl Iterator<Item = Option<CurvePoint>>,
    budget: usize,
) -> Vec<Vec<CurvePoint>> {
    let mut pieces = split(points);
    let most = (budget / 4).max(1);
    let stride = pieces.len().div_ceil(most).max(1);
    pieces = pieces.into_iter().step_by(stride).collect();
    let mut coarseness = 1.0;
    loop {
        pieces.iter_mut().for_each(|piece| *piece = thinned(piece, coarseness));
        coarseness *= 1.4;
        if count(&pieces) <= budget || coarseness > 8.0 {
            break;
        }
    }
    // a tangle that is still too long only fills its area, which some of its points do as well
    let stride = count(&pieces).div_ceil(budget.max(1)).max(1);
    let every = |piece: &[CurvePoint]| piece.iter().copied().step_by(stride).collect();
    pieces.iter_mut().for_each(|piece| *piece = every(piece));
    pieces
}

fn thinned(piece: &[CurvePoint], coarseness: f64) -> Vec<CurvePoint> {
    if piece.is_sorted_by(|a, b| a.0 <= b.0) {
        extents(piece, COLUMN * coarseness)
    } else {
        spaced(piece, CLOSE * coarseness)
    }
}

/// The data of SVG paths for the lines and for the dots of a curve.
pub fn path_data(pieces: &[Vec<CurvePoint>]) -> (Vec<String>, Vec<String>) {
    let (mut lines, mut dots) = (Vec::new(), Vec::new());
    for piece in pieces {
        if is_dot(piece) {
            // a line too short to see, which gets round ends
            append(&mut dots, joined(&piece[..1]) + "h.01");
            continue;
        }
        // the parts of a long piece share their ends
        for start in (0..piece.len() - 1).step_by(MAX_PATH_POINTS) {
            let end = piece.len().min(start + MAX_PATH_POINTS + 1);
            append(&mut lines, joined(&piece[start..end]));
        }
    }
    (lines, dots)
}

fn append(paths: &mut Vec<String>, data: String) {
    match paths.last_mut() {
        Some(last) if last.len() + data.len() < 12 * MAX_PATH_POINTS => last.push_str(&data),
        _ => paths.push(data),
    }
}

/// Whether a piece is so short that it is drawn as a dot.
fn is_dot(piece: &[CurvePoint]) -> bool {
    piece.iter().all(|point| !apart(piece[0], *point, CLOSE))
}

fn joined(points: &[CurvePoint]) -> String {
    let tenths = |length: f64| (length * 10.0).round() / 10.0;
    let commands = ["M", "L"].into_iter().chain(std::iter::repeat(" "));
    let steps = commands.zip(points);
    steps.map(|(command, &(x, y))| format!("{command}{} {}", tenths(x), tenths(y))).collect()
}

fn count(pieces: &[Vec<CurvePoint>]) -> usize {
    pieces.iter().map(Vec::len).sum()
}

fn split(points: impl Iterator<Item = Option<CurvePoint>>) -> Vec<Vec<CurvePoint>> {
    let mut pieces = Vec::new();
    let mut piece = Vec::new();
    for point in points.chain([None]) {
        match point {
            Some(point) => piece.push(point),
            None if piece.is_empty() => (),
            None => pieces.push(std::mem::take(&mut piece)),
        }
    }
    pieces
}

/// The first, lowest, highest and last point of each pixel column, so that peaks stay.
fn extents(points: &[CurvePoint], width: f64) -> Vec<CurvePoint> {
    let column = |point: &CurvePoint| (point.0 / width).floor();
    let mut kept = Vec::new();
    for run in points.chunk_by(|a, b| column(a) == column(b)) {
        let by_height = |a: &usize, b: &usize| run[*a].1.total_cmp(&run[*b].1);
        let lowest = (0..run.len()).min_by(by_height).unwrap_or(0);
        let highest = (0..run.len()).max_by(by_height).unwrap_or(0);
        let mut chosen = [0, lowest.min(highest), lowest.max(highest), run.len() - 1].to_vec();
        chosen.dedup();
        kept.extend(chosen.into_iter().map(|index| run[index]));
    }
    kept
}

/// The points that are at least a distance from the one kept before, and the two ends.
fn spaced(points: &[CurvePoint], distance: f64) -> Vec<CurvePoint> {
    let mut kept: Vec<CurvePoint> = Vec::new();
    for (index, point) in points.iter().enumerate() {
        let ends = index == 0 || index + 1 == points.len();
        if ends || kept.last().is_none_or(|last| apart(*last, *point, distance)) {
            kept.push(*point);
        }
    }
    kept
}

fn apart(a: CurvePoint, b: CurvePoint, distance: f64) -> bool {
    (a.0 - b.0).hypot(a.1 - b.1) >= distance
}
