//! Mass properties of the volume inside a closed surface.

use super::edges::loose_edge;
use super::inertia::Inertia;
use super::surface::SurfaceMesh;
use cardan_core::math::{Matrix3, Vector3};

/// A volume below this part of the cube of the extent is none.
const FLAT: f64 = 1e-12;

impl SurfaceMesh {
    /// Volume (as mass), centroid and inertia of the inside with density one; the error is the reason why there is none.
    pub fn properties(&self) -> Result<Inertia, String> {
        self.properties.get_or_init(|| self.integrate()).clone()
    }

    fn integrate(&self) -> Result<Inertia, String> {
        let (vertices, triangles) = (self.vertices(), self.triangles());
        let remedy =
            "try: a closed mesh, or the `mass` and `inertia` of the body instead of a density";
        if let Some(edge) = loose_edge(triangles) {
            let place = |k: usize| {
                let [x, y, z]: [f64; 3] = vertices[edge.ends[k] as usize].into();
                format!("({x:.6}, {y:.6}, {z:.6})")
            };
            let (count, ends) = (edge.count, format!("from {} to {}", place(0), place(1)));
            return Err(match edge.is_open {
                true => format!(
                    "the surface is not closed, so it has no inertia: {count} edges have a triangle on one side only, such as that {ends}; {remedy}"
                ),
                false => format!(
                    "neighbouring triangles have opposite orientations at {count} edges, such as that {ends}, so the surface has no inertia; {remedy}"
                ),
            });
        }
        let (low, high) = vertices
            .iter()
            .fold((vertices[0], vertices[0]), |(low, high), x| (low.inf(x), high.sup(x)));
        let (origin, extent) = (0.5 * (low + high), (high - low).norm());
        let (mut volume, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
        for triangle in triangles {
            // the tetrahedron from the origin
            let [a, b, c] = triangle.map(|k| vertices[k as usize] - origin);
            let part = a.dot(&b.cross(&c)) / 6.0;
            let sum = a + b + c;
            volume += part;
            first += part / 4.0 * sum;
            let squares = a * a.transpose() + b * b.transpose() + c * c.transpose();
            second += part / 20.0 * (squares + sum * sum.transpose());
        }
        if volume.abs() <= FLAT * extent.powi(3) {
            return Err(format!("the surface encloses no volume, so it has no inertia; {remedy}"));
        }
        if volume < 0.0 {
            return Err(
                "the triangles are clockwise seen from outside: the surface is inside out; try: reverse its normals".into(),
            );
        }
        let from_origin = first / volume;
        let about_centre = second - volume * from_origin * from_origin.transpose();
        let tensor = Matrix3::from_diagonal_element(about_centre.trace()) - about_centre;
        Ok(Inertia { mass: volume, centre: origin + from_origin, tensor })
    }
}
