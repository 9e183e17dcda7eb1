//! Tubes of beams: a ring of vertices at each station, carried by the node of the station.

use std::f64::consts::TAU;

use cardan::model::{Profile, SceneBeam};

use super::triangulation::Triangulation;

/// Corners of a round section.
const CORNERS: usize = 16;

/// The surface of a beam. Vertices are in the axes of their stations, whose indices are in the second list.
pub(crate) fn tube(beam: &SceneBeam) -> (Triangulation, Vec<u16>) {
    let ring = ring(&beam.section);
    let mut all = Triangulation::default();
    let mut carriers = Vec::new();
    let n = ring.len() as u32;
    let stations = beam.nodes.len().min(usize::from(u16::MAX)) as u32;
    for station in 0..stations {
        for (place, normal) in &ring {
            all.positions.push([0.0, place[0] as f32, place[1] as f32]);
            all.normals.push([0.0, normal[0] as f32, normal[1] as f32]);
            carriers.push(station as u16);
        }
    }
    for station in 1..stations {
        for k in 0..n {
            let [a, b] = [k, (k + 1) % n].map(|k| (station - 1) * n + k);
            all.indices.extend([a, b, b + n, a, b + n, a + n]);
        }
    }
    // both ends are closed by fans about their first corner
    for (station, along) in [(0, -1.0_f32), (stations.saturating_sub(1), 1.0)] {
        let first = all.positions.len() as u32;
        for (place, _) in &ring {
            all.positions.push([0.0, place[0] as f32, place[1] as f32]);
            all.normals.push([along, 0.0, 0.0]);
            carriers.push(station as u16);
        }
        for k in 1..n.saturating_sub(1) {
            let [b, c] = if along > 0.0 { [k, k + 1] } else { [k + 1, k] };
            all.indices.extend([first, first + b, first + c]);
        }
    }
    (all, carriers)
}

/// Places and normals around a section, counterclockwise about the beam's axis.
fn ring(section: &Profile) -> Vec<([f64; 2], [f64; 2])> {
    let round = |radius: f64| {
        let corner = |k: usize| {
            let (sine, cosine) = (TAU * k as f64 / CORNERS as f64).sin_cos();
            ([radius * cosine, radius * sine], [cosine, sine])
        };
        (0..CORNERS).map(corner).collect()
    };
    match *section {
        Profile::Circle { radius } => round(radius),
        Profile::Tube { outer, .. } => round(outer),
        Profile::Rectangle { width, height } => {
            let corners = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];
            let at = |[y, z]: [f64; 2]| [0.5 * width * y, 0.5 * height * z];
            // two vertices at each corner, one with the normal of each side
            let pair = |k: usize| {
                let [y, z] = corners[k];
                let (before, after) = ([y, 0.0], [0.0, z]);
                let normals = if k.is_multiple_of(2) { [before, after] } else { [after, before] };
                normals.map(|normal| (at([y, z]), normal))
            };
            (0..4).flat_map(pair).collect()
        }
    }
}
