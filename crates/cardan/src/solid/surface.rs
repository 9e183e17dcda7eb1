//! A surface of triangles.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::inertia::Inertia;
use super::obj;
use super::stl;
use super::triangles::Triangles;
use cardan_core::math::Vector3;

pub use super::triangles::SurfaceError;

/// Larger files are not read.
pub const MAX_SURFACE_BYTES: u64 = 64 << 20;

/// The formats of files, by the ending of their names.
type Format = (&'static str, fn(&[u8]) -> Result<Triangles, SurfaceError>);
const FORMATS: [Format; 2] = [("stl", stl::read), ("obj", obj::read)];

/// A surface of triangles, whose corners are counterclockwise seen from outside.
#[derive(Clone, Debug)]
pub struct SurfaceMesh {
    vertices: Vec<Vector3>,
    triangles: Vec<[u32; 3]>,
    /// The properties of the inside, computed once for all bodies that have this surface.
    pub(super) properties: OnceLock<Result<Inertia, String>>,
}

impl PartialEq for SurfaceMesh {
    fn eq(&self, other: &Self) -> bool {
        self.vertices == other.vertices && self.triangles == other.triangles
    }
}

impl SurfaceMesh {
    /// The surface of a file; its name tells the format. All coordinates are multiplied by a scale.
    pub fn read(name: &str, bytes: &[u8], scale: f64) -> Result<Self, SurfaceError> {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        let Some((_, read)) = FORMATS.iter().find(|(known, _)| *known == ending) else {
            let reason = "its name must end with .stl or .obj";
            return Err(SurfaceError::new(reason));
        };
        Self::of_triangles(read(bytes)?, scale)
    }

    /// The surface of some triangles given by their corners. Equal corners are joined, and triangles without area left out.
    pub fn of_triangles(
        triangles: impl IntoIterator<Item = [[f64; 3]; 3]>,
        scale: f64,
    ) -> Result<Self, SurfaceError> {
        let mut known: HashMap<[u64; 3], u32> = HashMap::new();
        let (vertices, properties) = (Vec::new(), OnceLock::new());
        let mut surface = Self { vertices, triangles: Vec::new(), properties };
        for corners in triangles {
            let indices = corners.map(|corner| {
                // both zeros are the same place
                let key = corner.map(|x| (x + 0.0).to_bits());
                *known.entry(key).or_insert_with(|| {
                    surface.vertices.push(scale * Vector3::from(corner));
                    surface.vertices.len() as u32 - 1
                })
            });
            let [a, b, c] = indices;
            if a != b && b != c && c != a {
                surface.triangles.push(indices);
            }
        }
        let is_usable = surface.vertices.iter().all(|corner| corner.amax() < 1e100);
        match () {
            () if surface.triangles.is_empty() => Err(SurfaceError::new("it has no triangles")),
            () if !is_usable => Err(SurfaceError::new("a coordinate is not finite or too large")),
            () => Ok(surface),
        }
    }

    /// The corners.
    pub fn vertices(&self) -> &[Vector3] {
        &self.vertices
    }

    /// Three indices of corners for each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }
}
