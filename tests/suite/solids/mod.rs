//! Shapes: their inertia against closed forms and meshes, files of meshes, models that use them.

mod files;
mod inertia;
mod models;

use std::f64::consts::TAU;

/// The triangles of a box about a place, counterclockwise seen from outside.
pub fn box_triangles(edges: [f64; 3], at: [f64; 3]) -> Vec<[[f64; 3]; 3]> {
    let corner = |k: usize| [0, 1, 2].map(|d| at[d] + edges[d] * ((k >> d & 1) as f64 - 0.5));
    let faces =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
    triangles.map(|corners| corners.map(corner)).collect()
}

/// The triangles of a surface of revolution about z. The profile has the radius of some heights, upwards, from 0 to 0.
pub fn revolved(profile: &[[f64; 2]], sectors: usize) -> Vec<[[f64; 3]; 3]> {
    let at = |[z, r]: [f64; 2], k: usize| {
        let angle = TAU * (k % sectors) as f64 / sectors as f64;
        [r * angle.cos(), r * angle.sin(), z]
    };
    let mut all = Vec::new();
    for pair in profile.windows(2) {
        for k in 0..sectors {
            let [a, b] = [at(pair[0], k), at(pair[0], k + 1)];
            let [c, d] = [at(pair[1], k), at(pair[1], k + 1)];
            all.extend([[a, b, d], [a, d, c]]);
        }
    }
    all
}

/// A text STL file.
pub fn stl_text(triangles: &[[[f64; 3]; 3]]) -> Vec<u8> {
    let vertex = |[x, y, z]: &[f64; 3]| format!("vertex {x:e} {y:e} {z:e}\n");
    let facet = |corners: &[[f64; 3]; 3]| {
        let vertices: String = corners.iter().map(vertex).collect();
        format!("facet normal 0 0 0\nouter loop\n{vertices}endloop\nendfacet\n")
    };
    let facets: String = triangles.iter().map(facet).collect();
    format!("solid test\n{facets}endsolid test\n").into_bytes()
}

/// A binary STL file.
pub fn stl_binary(triangles: &[[[f64; 3]; 3]]) -> Vec<u8> {
    // its title begins like that of a text file
    let mut bytes = b"solid by a program that writes binary files".to_vec();
    bytes.resize(80, b' ');
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for corners in triangles {
        bytes.extend([0; 12]);
        bytes.extend(corners.iter().flatten().flat_map(|x| (*x as f32).to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

/// An OBJ file, each triangle with its own corners.
pub fn obj_text(triangles: &[[[f64; 3]; 3]]) -> Vec<u8> {
    let mut text = "# test\no part\n".to_string();
    for corners in triangles {
        for [x, y, z] in corners {
            text += &format!("v {x:e} {y:e} {z:e}\n");
        }
        text += "vn 0 0 1\nf -3//1 -2//1 -1//1\n";
    }
    text.into_bytes()
}
