//! Files of meshes: three formats, and files that are none.

use super::{box_triangles, obj_text, stl_binary, stl_text};
use cardan::model::SurfaceMesh;

/// The same box in all formats is the same surface: eight corners and twelve triangles. Its sizes are exact in single
/// precision.
#[test]
fn formats_agree() {
    let triangles = box_triangles([0.5, 2.0, 1.0], [0.25, 0.0, -4.0]);
    let text = SurfaceMesh::read("a.stl", &stl_text(&triangles), 1.0).unwrap();
    assert_eq!((text.vertices().len(), text.triangles().len()), (8, 12));
    assert_eq!(SurfaceMesh::read("A.STL", &stl_binary(&triangles), 1.0).unwrap(), text);
    assert_eq!(SurfaceMesh::read("a.obj", &obj_text(&triangles), 1.0).unwrap(), text);
    let windows = String::from_utf8(stl_text(&triangles)).unwrap().replace('\n', "\r\n");
    assert_eq!(SurfaceMesh::read("a.stl", windows.as_bytes(), 1.0).unwrap(), text);
    let small = SurfaceMesh::read("a.stl", &stl_text(&triangles), 1e-3).unwrap();
    assert!((small.properties().unwrap().mass - 1e-9).abs() < 1e-21);
    // faces with four corners
    let square = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    assert_eq!(SurfaceMesh::read("a.obj", square, 1.0).unwrap().triangles().len(), 2);
}

/// A file that is no mesh is refused with the reason, and with the line if it is text.
#[test]
fn damaged_files_are_refused() {
    let triangles = box_triangles([1.0; 3], [0.0; 3]);
    let (text, binary) = (stl_text(&triangles), stl_binary(&triangles));
    let mut huge = binary.clone();
    huge[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut not_finite = binary.clone();
    not_finite[84 + 12..84 + 16].copy_from_slice(&f32::NAN.to_le_bytes());
    let changed = |from: &str, to: &str| {
        String::from_utf8(text.clone()).unwrap().replacen(from, to, 1).into_bytes()
    };
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("a.stl", Vec::new(), "too short"),
        ("a.stl", vec![0; 84], "no triangles"),
        (
            "a.stl",
            binary[..300].to_vec(),
            "as a binary STL file of 12 triangles it would have 684 bytes, not 300",
        ),
        ("a.stl", huge, "4294967295 triangles"),
        ("a.stl", not_finite, "triangle 1 is not finite"),
        ("a.stl", text[..60].to_vec(), "line 4: a corner has fewer"),
        ("a.stl", changed("endsolid test\n", ""), "truncated"),
        ("a.stl", changed("endloop", "vertex 0 0 0\nendloop"), "line 7: a vertex outside"),
        ("a.stl", changed("vertex ", "vertex nan "), "line 4: a coordinate is not finite"),
        ("a.stl", changed("vertex ", "vertex one "), "line 4: `one` is no number"),
        ("a.stl", changed("facet", "\u{202e}facet"), "line 2"),
        ("a.stl", b"solid x\nendsolid x\n".to_vec(), "no triangles"),
        ("a.stl", b"solid x\nouter loop\nvertex 1e60 0 0".to_vec(), "line 3: a coordinate"),
        ("a.obj", b"v 0 0\n".to_vec(), "line 1: a corner has fewer"),
        ("a.obj", b"v 0 0 0\nf 1 2 3\n".to_vec(), "line 2: a face has corner 2; there are 1"),
        ("a.obj", b"v 0 0 0\nf 1 -9223372036854775808 3\n".to_vec(), "line 2: a face has corner"),
        ("a.obj", b"v 0 0 0\nf 1 0 1\n".to_vec(), "line 2: a face has corner 0"),
        ("a.obj", b"v 0 0 0\nf 1 1\n".to_vec(), "a face has 2 corners"),
        ("a.obj", vec![0xff; 1000], "no triangles"),
        ("a.obj", b"v 0 0 0\nf 1 1 1\n".to_vec(), "no triangles"),
        ("a.step", text.clone(), "must end with .stl or .obj"),
        ("stl", text.clone(), "must end with .stl or .obj"),
    ];
    for (name, bytes, expected) in cases {
        let error = SurfaceMesh::read(name, &bytes, 1.0).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error} / {expected}");
        assert!(error.len() < 300, "{error}");
    }
    // any cut and any changed byte of a binary file gives a mesh or an error
    for k in 0..binary.len() {
        let _ = SurfaceMesh::read("a.stl", &binary[..k], 1.0);
        let mut damaged = binary.clone();
        damaged[k] ^= 0xff;
        let _ = SurfaceMesh::read("a.stl", &damaged, 1.0);
        let _ = SurfaceMesh::read("a.obj", &damaged, 1.0);
    }
}
