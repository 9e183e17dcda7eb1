//! Area, centroid and second moments of a plane outline.

/// The most corners of an outline.
const MAX_CORNERS: usize = 2000;

/// Integrals over the area inside an outline.
pub(super) struct OutlineMoments {
    pub area: f64,
    pub centroid: [f64; 2],
    /// ∫x², ∫y² and ∫xy about the centroid.
    pub second: [f64; 3],
}

impl OutlineMoments {
    /// The integrals; the error completes "its outline …".
    pub fn of(outline: &[[f64; 2]]) -> Result<Self, String> {
        let count = outline.len();
        if !(3..=MAX_CORNERS).contains(&count) {
            return Err(format!("has {count} corners; it needs 3 to {MAX_CORNERS}"));
        }
        if outline.iter().flatten().any(|x| x.abs().is_nan() || x.abs() >= 1e100) {
            return Err("has a corner that is not finite or is 1e100 or larger".into());
        }
        if let Some((j, k)) = crossing(outline) {
            return Err(format!(
                "crosses or touches itself: the edges after corners {} and {} meet",
                j + 1,
                k + 1
            ));
        }
        // about a corner, so that places far from the origin lose no digits
        let [x0, y0] = outline[0];
        let next = outline.iter().cycle().skip(1);
        let [mut area, mut x1, mut y1, mut xx, mut yy, mut xy] = [0.0; 6];
        for ([ax, ay], [bx, by]) in outline.iter().zip(next) {
            let (ax, ay, bx, by) = (ax - x0, ay - y0, bx - x0, by - y0);
            let cross = ax * by - bx * ay;
            area += cross / 2.0;
            x1 += cross * (ax + bx) / 6.0;
            y1 += cross * (ay + by) / 6.0;
            xx += cross * (ax * ax + ax * bx + bx * bx) / 12.0;
            yy += cross * (ay * ay + ay * by + by * by) / 12.0;
            xy += cross * (2.0 * ax * ay + ax * by + bx * ay + 2.0 * bx * by) / 24.0;
        }
        let size = outline.iter().map(|[x, y]| (x - x0).hypot(y - y0)).fold(0.0, f64::max);
        if area.abs() <= 1e-12 * size * size {
            return Err("encloses no area".into());
        }
        // corners may be in either order
        let sign = area.signum();
        let (x, y) = (x1 / area, y1 / area);
        let second = [xx - area * x * x, yy - area * y * y, xy - area * x * y];
        Ok(Self {
            area: area.abs(),
            centroid: [x0 + x, y0 + y],
            second: second.map(|moment| sign * moment),
        })
    }
}

/// Two edges that meet and are not neighbours.
fn crossing(outline: &[[f64; 2]]) -> Option<(usize, usize)> {
    let count = outline.len();
    let edge = |k: usize| (outline[k], outline[(k + 1) % count]);
    let far = |j: usize, k: usize| k > j + 1 && !(j == 0 && k + 1 == count);
    let same = |k: &usize| edge(*k).0 == edge(*k).1;
    if let Some(k) = (0..count).find(same) {
        return Some((k, (k + 1) % count));
    }
    (0..count).flat_map(|j| (j + 1..count).map(move |k| (j, k))).find(|&(j, k)| match far(j, k) {
        true => meet(edge(j), edge(k)),
        false => folds_back(edge(j), edge(k)),
    })
}

/// Twice the area of a triangle, positive if it is passed counterclockwise.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
}

type OutlineEdge = ([f64; 2], [f64; 2]);

fn meet((a, b): OutlineEdge, (c, d): OutlineEdge) -> bool {
    let (on_c, on_d, on_a, on_b) = (turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b));
    if on_c * on_d < 0.0 && on_a * on_b < 0.0 {
        return true;
    }
    let within = |a: [f64; 2], b: [f64; 2], p: [f64; 2]| {
        (0..2).all(|k| p[k] >= a[k].min(b[k]) && p[k] <= a[k].max(b[k]))
    };
    (on_c == 0.0 && within(a, b, c))
        || (on_d == 0.0 && within(a, b, d))
        || (on_a == 0.0 && within(c, d, a))
        || (on_b == 0.0 && within(c, d, b))
}

/// Whether neighbouring edges lie on each other.
fn folds_back((a, b): OutlineEdge, (c, d): OutlineEdge) -> bool {
    let (common, one, two) = if b == c { (b, a, d) } else { (a, b, c) };
    let dot =
        (one[0] - common[0]) * (two[0] - common[0]) + (one[1] - common[1]) * (two[1] - common[1]);
    turn(common, one, two) == 0.0 && dot > 0.0
}
