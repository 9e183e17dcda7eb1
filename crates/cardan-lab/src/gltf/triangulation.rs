//! Triangles of shapes.

use std::f64::consts::{FRAC_PI_2, TAU};

use cardan::math::Vector3;
use cardan::model::SceneSolid;

use super::polygon::{counterclockwise, triangles};

/// How finely round solids are divided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detail {
    /// Sides of a round solid.
    pub sides: usize,
    /// Arcs of a half circle.
    pub arcs: usize,
}
/// Radius of a thin rod and half the thickness of a plate, in parts of the model's size.
const ROD: f64 = 0.012;
const PLATE: f64 = 0.006;

/// Vertices with normals, and triangles.
#[derive(Default)]
pub(crate) struct Triangulation {
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub indices: Vec<u32>,
}

impl Triangulation {
    /// The triangles of a solid in a model of a size.
    pub fn of(solid: &SceneSolid, size: f64, detail: Detail) -> Self {
        let mut all = Self::default();
        let cone = |all: &mut Self, [radius, top, length]: [f64; 3]| {
            all.cone([radius, top, length], detail.sides);
        };
        match solid {
            SceneSolid::Box { edges } => {
                let [x, y, z] = edges.map(|edge| 0.5 * edge);
                all.extrude(&[[-x, -y], [x, -y], [x, y], [-x, y]], z, &|p| p);
            }
            SceneSolid::Cylinder { radius, length } => cone(&mut all, [*radius, *radius, *length]),
            SceneSolid::Cone { radius, top, length } => cone(&mut all, [*radius, *top, *length]),
            SceneSolid::Rod { length } => {
                cone(&mut all, [ROD * size, ROD * size, *length]);
                // along x instead of z
                for x in all.positions.iter_mut().chain(&mut all.normals) {
                    *x = [x[2], x[1], -x[0]];
                }
            }
            SceneSolid::Sphere { radius } => all.arc(*radius, [-FRAC_PI_2, FRAC_PI_2], 0.0, detail),
            SceneSolid::Capsule { radius, length } => {
                all.arc(*radius, [-FRAC_PI_2, 0.0], -0.5 * length, detail);
                let ends = [[-0.5 * length, *radius], [0.5 * length, *radius]];
                all.band(ends, [[0.0, 1.0]; 2], detail.sides);
                all.arc(*radius, [0.0, FRAC_PI_2], 0.5 * length, detail);
            }
            SceneSolid::Extrusion { outline, length } => {
                all.extrude(&counterclockwise(outline), 0.5 * length, &|p| p);
            }
            SceneSolid::Plate { outline } => all.plate(outline, size),
            SceneSolid::Mesh { surface } => {
                for triangle in surface.triangles() {
                    all.flat(triangle.map(|k| surface.vertices()[k as usize]));
                }
            }
        }
        all
    }

    /// Adds a vertex; its index.
    pub fn vertex(&mut self, position: &Vector3, normal: &Vector3) -> u32 {
        let single = |x: &Vector3| [x.x as f32, x.y as f32, x.z as f32];
        self.positions.push(single(position));
        self.normals.push(single(normal));
        self.positions.len() as u32 - 1
    }

    /// Adds another surface, moved along z.
    pub fn append(&mut self, other: &Self, z: f32) {
        let first = self.positions.len() as u32;
        self.positions.extend(other.positions.iter().map(|x| [x[0], x[1], x[2] + z]));
        self.normals.extend(&other.normals);
        self.indices.extend(other.indices.iter().map(|k| first + k));
    }

    fn flat(&mut self, corners: [Vector3; 3]) {
        let [a, b, c] = corners;
        if let Some(normal) = (b - a).cross(&(c - a)).try_normalize(0.0) {
            let indices = corners.map(|corner| self.vertex(&corner, &normal));
            self.indices.extend(indices);
        }
    }

    /// A band about z between two heights with radii; normals are along z and outwards.
    fn band(&mut self, ends: [[f64; 2]; 2], normals: [[f64; 2]; 2], sides: usize) {
        let first = self.positions.len() as u32;
        for k in 0..=sides {
            let (sine, cosine) = (TAU * k as f64 / sides as f64).sin_cos();
            for ([z, r], [along, out]) in ends.into_iter().zip(normals) {
                let position = Vector3::new(r * cosine, r * sine, z);
                self.vertex(&position, &Vector3::new(out * cosine, out * sine, along));
            }
        }
        for k in 0..sides as u32 {
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| first + 2 * k + i);
            self.indices.extend([a, c, d, a, d, b]);
        }
    }

    fn arc(&mut self, radius: f64, [from, to]: [f64; 2], shift: f64, detail: Detail) {
        let at = |k: usize| from + (to - from) * k as f64 / detail.arcs as f64;
        for k in 0..detail.arcs {
            let normals = [at(k), at(k + 1)].map(|angle| [angle.sin(), angle.cos()]);
            let ends = normals.map(|[z, r]| [shift + radius * z, radius * r.max(0.0)]);
            self.band(ends, normals, detail.sides);
        }
    }

    fn cone(&mut self, [radius, top, length]: [f64; 3], sides: usize) {
        let [low, high] = [-0.5 * length, 0.5 * length];
        let slope = (radius - top).hypot(length);
        self.band([[low, 0.0], [low, radius]], [[-1.0, 0.0]; 2], sides);
        let normal = [(radius - top) / slope, length / slope];
        self.band([[low, radius], [high, top]], [normal; 2], sides);
        self.band([[high, top], [high, 0.0]], [[1.0, 0.0]; 2], sides);
    }

    /// An outline with counterclockwise corners from −`half` to `half` along z, in a frame.
    fn extrude(&mut self, outline: &[[f64; 2]], half: f64, frame: &dyn Fn(Vector3) -> Vector3) {
        let at = |k: usize, z: f64| {
            let [x, y] = outline[k % outline.len()];
            frame(Vector3::new(x, y, z))
        };
        for [a, b, c] in triangles(outline).into_iter().map(|x| x.map(|k| k as usize)) {
            self.flat([at(a, half), at(b, half), at(c, half)]);
            self.flat([at(a, -half), at(c, -half), at(b, -half)]);
        }
        for k in 0..outline.len() {
            let corners = [at(k, -half), at(k + 1, -half), at(k + 1, half), at(k, half)];
            self.flat([corners[0], corners[1], corners[2]]);
            self.flat([corners[0], corners[2], corners[3]]);
        }
    }

    /// A flat link through points in order about their middle.
    fn plate(&mut self, outline: &[[f64; 3]], size: f64) {
        let points: Vec<Vector3> = outline.iter().map(|p| Vector3::from(*p)).collect();
        let Some(middle) = points.iter().copied().reduce(|a, b| a + b) else { return };
        let middle = middle / points.len() as f64;
        let Some(x) = (points[0] - middle).try_normalize(0.0) else { return };
        let normals = points.iter().map(|p| x.cross(&(p - middle)));
        let normal = normals.max_by(|a, b| a.norm().total_cmp(&b.norm()));
        let Some(z) = normal.and_then(|normal| normal.try_normalize(0.0)) else { return };
        let y = z.cross(&x);
        let flat: Vec<[f64; 2]> =
            points.iter().map(|p| [(p - middle).dot(&x), (p - middle).dot(&y)]).collect();
        let frame = |p: Vector3| middle + p.x * x + p.y * y + p.z * z;
        self.extrude(&counterclockwise(&flat), PLATE * size, &frame);
    }
}
