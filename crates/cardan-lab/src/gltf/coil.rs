//! The wire of a coil spring.

use std::f64::consts::TAU;

use cardan::math::Vector3;

use super::triangulation::Triangulation;

/// Corners of the wire, and sections of a turn.
const CORNERS: u32 = 8;
const SECTIONS: f64 = 20.0;

/// A coil from z = 0 to 1 which is drawn with a length: its wire is round if z is scaled by that length.
pub(super) fn coil(radius: f64, wire: f64, turns: f64, length: f64) -> Triangulation {
    let sections = (SECTIONS * turns) as u32;
    let point = |s: f64| {
        let angle = TAU * turns * s;
        let outward = Vector3::new(angle.cos(), angle.sin(), 0.0);
        (radius * outward + Vector3::new(0.0, 0.0, s * length), outward)
    };
    let mut surface = Triangulation::default();
    for k in 0..=sections {
        let s = f64::from(k) / f64::from(sections);
        let step = 1e-4;
        let (place, outward) = point(s);
        let along = (point(s + step).0 - point(s - step).0).normalize();
        let side = along.cross(&outward).try_normalize(0.0).unwrap_or(Vector3::z());
        let outward = side.cross(&along);
        for corner in 0..CORNERS {
            let (sine, cosine) = (TAU * f64::from(corner) / f64::from(CORNERS)).sin_cos();
            let normal = cosine * outward + sine * side;
            let mut vertex = place + wire * normal;
            vertex.z /= length;
            // normals of a scaled surface are scaled inversely
            let scaled = Vector3::new(normal.x, normal.y, normal.z * length).normalize();
            surface.vertex(&vertex, &scaled);
        }
    }
    for k in 0..sections {
        for corner in 0..CORNERS {
            let [a, b] = [corner, (corner + 1) % CORNERS].map(|x| k * CORNERS + x);
            surface.indices.extend([a, b, b + CORNERS, a, b + CORNERS, a + CORNERS]);
        }
    }
    surface
}
