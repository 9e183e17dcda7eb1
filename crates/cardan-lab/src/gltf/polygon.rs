//! Triangles of a plane outline.

/// Twice the area of a triangle, positive if it is passed counterclockwise.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
}

/// The corners in counterclockwise order.
pub(super) fn counterclockwise(outline: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let next = outline.iter().cycle().skip(1);
    let area: f64 = outline.iter().zip(next).map(|(a, b)| a[0] * b[1] - b[0] * a[1]).sum();
    let mut corners = outline.to_vec();
    if area < 0.0 {
        corners.reverse();
    }
    corners
}

/// Triangles that cover the inside of an outline whose corners are counterclockwise: ears are cut off one by one.
pub(super) fn triangles(outline: &[[f64; 2]]) -> Vec<[u32; 3]> {
    let mut left: Vec<usize> = (0..outline.len()).collect();
    let mut all = Vec::new();
    while left.len() > 3 {
        let n = left.len();
        let corners = |k: usize| [left[(k + n - 1) % n], left[k], left[(k + 1) % n]];
        let is_ear = |k: &usize| {
            let [a, b, c] = corners(*k);
            let [p, q, r] = [a, b, c].map(|i| outline[i]);
            let inside = |i: &&usize| {
                let x = outline[**i];
                ![a, b, c].contains(*i)
                    && turn(p, q, x) >= 0.0
                    && turn(q, r, x) >= 0.0
                    && turn(r, p, x) >= 0.0
            };
            turn(p, q, r) > 0.0 && !left.iter().any(|i| inside(&i))
        };
        // a corner without area may be cut off too
        let ear = (0..n).find(is_ear).unwrap_or(0);
        all.push(corners(ear).map(|i| i as u32));
        left.remove(ear);
    }
    if let [a, b, c] = left[..] {
        all.push([a, b, c].map(|i| i as u32));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The triangles of a concave outline have its area.
    #[test]
    fn triangles_cover_an_outline() {
        let star: Vec<[f64; 2]> = (0..20)
            .map(|k| {
                let angle = std::f64::consts::TAU * f64::from(k) / 20.0;
                let radius = if k & 1 == 0 { 1.0 } else { 0.3 };
                [radius * angle.cos(), radius * angle.sin()]
            })
            .collect();
        let area = |corners: &[[f64; 2]]| -> f64 {
            let next = corners.iter().cycle().skip(1);
            corners.iter().zip(next).map(|(a, b)| 0.5 * (a[0] * b[1] - b[0] * a[1])).sum()
        };
        let found = triangles(&star);
        assert_eq!(found.len(), 18);
        let sum: f64 = found.iter().map(|x| area(&x.map(|k| star[k as usize]))).sum();
        assert!((sum - area(&star)).abs() < 1e-14, "{sum}");
        assert!(found.iter().all(|x| area(&x.map(|k| star[k as usize])) > 0.0));
        let mut reversed = star.clone();
        reversed.reverse();
        assert_eq!(counterclockwise(&reversed), star);
    }
}
