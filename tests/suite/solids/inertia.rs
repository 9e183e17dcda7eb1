//! Mass, centre and inertia of solids.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use super::{box_triangles, revolved};
use cardan::math::{Matrix3, Quaternion, Vector3, exponential};
use cardan::model::{BodyShape, Inertia, Shape, SurfaceMesh};

fn mesh(triangles: Vec<[[f64; 3]; 3]>) -> Shape {
    Shape::Mesh { surface: Arc::new(SurfaceMesh::of_triangles(triangles, 1.0).unwrap()) }
}

#[track_caller]
fn assert_near(one: &Inertia, two: &Inertia, relative: f64) {
    let size = one.tensor.amax().max(two.tensor.amax());
    assert!((one.mass / two.mass - 1.0).abs() <= relative, "{one:?} {two:?}");
    let length = (size / one.mass).sqrt();
    assert!((one.centre - two.centre).amax() <= relative * length, "{one:?} {two:?}");
    assert!((one.tensor - two.tensor).amax() <= relative * size, "{one:?} {two:?}");
    one.check().unwrap();
}

/// A mesh of a box is a box; round-off of twelve tetrahedra.
#[test]
fn mesh_of_a_box_has_its_inertia() {
    let edges = [0.3, 2.0, 1.1];
    let solid = Inertia::of(&Shape::Box { edges }, 7800.0).unwrap();
    let placed = Inertia { centre: Vector3::new(5.0, -3.0, 1.0), ..solid };
    let own = Inertia::of(&mesh(box_triangles(edges, [5.0, -3.0, 1.0])), 7800.0).unwrap();
    assert_near(&own, &placed, 1e-13);
}

/// Surfaces of revolution with n sectors against closed forms: a polygon with n corners on a circle has an area that is
/// smaller by (2π/n)²/6, its second moments by twice that; a profile of n arcs changes as much again.
#[test]
fn round_solids_have_the_inertia_of_their_meshes() {
    let n = 200;
    let allowed = 4.0 * (TAU / n as f64).powi(2) / 6.0;
    // exactly zero at the poles, so that corners there are one
    let round = |x: f64| if x < 1e-12 { 0.0 } else { x };
    let arc = |radius: f64, from: f64, to: f64, shift: f64| {
        (0..=n).map(move |k| {
            let angle = from + (to - from) * f64::from(k) / f64::from(n);
            [shift + radius * angle.sin(), round(radius * angle.cos())]
        })
    };
    let (r, t, l) = (0.3, 0.1, 1.2);
    let [low, high] = [-l / 2.0, l / 2.0];
    let sphere: Vec<[f64; 2]> = arc(r, -PI / 2.0, PI / 2.0, 0.0).collect();
    let capsule: Vec<[f64; 2]> =
        arc(r, -PI / 2.0, 0.0, low).chain(arc(r, 0.0, PI / 2.0, high)).collect();
    let cases = [
        (
            Shape::Cylinder { radius: r, length: l },
            vec![[low, 0.0], [low, r], [high, r], [high, 0.0]],
        ),
        (
            Shape::Cone { radius: r, top: t, length: l },
            vec![[low, 0.0], [low, r], [high, t], [high, 0.0]],
        ),
        (Shape::Cone { radius: r, top: 0.0, length: l }, vec![[low, 0.0], [low, r], [high, 0.0]]),
        (
            Shape::Cone { radius: t, top: r, length: l },
            vec![[low, 0.0], [low, t], [high, r], [high, 0.0]],
        ),
        (Shape::Sphere { radius: r }, sphere),
        (Shape::Capsule { radius: r, length: l }, capsule),
    ];
    for (shape, profile) in cases {
        let own = Inertia::of(&shape, 2.0).unwrap();
        let faceted = Inertia::of(&mesh(revolved(&profile, n as usize)), 2.0).unwrap();
        assert_near(&own, &faceted, allowed);
        assert!(own.mass > faceted.mass, "a mesh inside the solid is smaller: {shape:?}");
    }
}

/// A cone without taper is a cylinder, and its mirror image has the mirrored centre.
#[test]
fn cones_and_cylinders_agree() {
    let cylinder = Inertia::of(&Shape::Cylinder { radius: 0.2, length: 0.7 }, 3.0).unwrap();
    let cone = Inertia::of(&Shape::Cone { radius: 0.2, top: 0.2, length: 0.7 }, 3.0).unwrap();
    assert_near(&cylinder, &cone, 1e-14);
    let pointed = Inertia::of(&Shape::Cone { radius: 0.2, top: 0.0, length: 0.8 }, 3.0).unwrap();
    // a quarter of the height above the base
    assert!((pointed.centre.z + 0.2).abs() < 1e-15, "{pointed:?}");
    // m r² 3/10
    assert!((pointed.tensor[(2, 2)] / (0.3 * pointed.mass * 0.04) - 1.0).abs() < 1e-14);
}

/// An angle section is two boxes; corners may be in either order, and far from the origin.
#[test]
fn extrusion_of_an_angle_is_two_boxes() {
    let (x, y) = (40.0, -7.0);
    let corner = |a: f64, b: f64| [x + a, y + b];
    let mut outline = vec![
        corner(0.0, 0.0),
        corner(3.0, 0.0),
        corner(3.0, 1.0),
        corner(1.0, 1.0),
        corner(1.0, 4.0),
        corner(0.0, 4.0),
    ];
    let boxes = [
        BodyShape::new(Shape::Box { edges: [3.0, 1.0, 2.0] })
            .position([x + 1.5, y + 0.5, 0.0])
            .density(5.0),
        BodyShape::new(Shape::Box { edges: [1.0, 3.0, 2.0] })
            .position([x + 0.5, y + 2.5, 0.0])
            .density(5.0),
    ];
    let sum = BodyShape::inertia(&boxes).unwrap().unwrap();
    for _ in 0..2 {
        let shape = Shape::Extrusion { outline: outline.clone(), length: 2.0 };
        assert_near(&Inertia::of(&shape, 5.0).unwrap(), &sum, 1e-12);
        outline.reverse();
    }
    let of_mass = BodyShape::inertia_with_mass(&boxes, 12.0).unwrap().unwrap();
    assert_near(&of_mass, &sum.with_mass(12.0), 1e-14);
}

/// Turned by any rotation, every solid has the turned tensor, and so has the mesh with turned corners.
#[test]
fn inertia_turns_with_the_solid() {
    let place = Vector3::new(0.3, -2.0, 0.7);
    for turn in [[0.3, -1.1, 0.4], [2.0, 0.1, -1.0], [0.0, 0.0, 3.0]] {
        let turn: Quaternion = exponential::retract(&Vector3::from(turn));
        let corners = box_triangles([1.0, 0.2, 0.5], [0.1, 0.0, 0.4]);
        let moved = corners.iter().map(|triangle| {
            triangle.map(|corner| (place + turn.rotate(&Vector3::from(corner))).into())
        });
        let placed =
            BodyShape::new(mesh(corners.clone())).position(place).orientation(turn).density(4.0);
        let placed = BodyShape::inertia(&[placed]).unwrap().unwrap();
        let turned = Inertia::of(&mesh(moved.collect()), 4.0).unwrap();
        assert_near(&placed, &turned, 1e-12);
        let own = Inertia::of(&mesh(corners), 4.0).unwrap();
        let [mut a, mut b]: [Vec<f64>; 2] = [own, placed]
            .map(|x: Inertia| Matrix3::symmetric_eigenvalues(&x.tensor).iter().copied().collect());
        a.sort_by(f64::total_cmp);
        b.sort_by(f64::total_cmp);
        assert!(a.iter().zip(&b).all(|(a, b)| (a / b - 1.0).abs() < 1e-12), "{a:?} {b:?}");
    }
}

/// Surfaces without an inside, and outlines without an area, have no inertia, with the reason.
#[test]
fn solids_without_volume_are_refused() {
    let whole = box_triangles([1.0, 2.0, 3.0], [0.0; 3]);
    let reason =
        |triangles: Vec<[[f64; 3]; 3]>| Inertia::of(&mesh(triangles), 1.0).unwrap_err().to_string();
    let open = reason(whole[1..].to_vec());
    assert!(open.contains("not closed") && open.contains("3 edges"), "{open}");
    let mut flipped = whole.clone();
    flipped[0].swap(0, 1);
    let flipped = reason(flipped);
    assert!(flipped.contains("opposite orientations at 3 edges"), "{flipped}");
    let inside_out = whole.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    assert!(reason(inside_out).contains("inside out"));
    let [a, b, c] = whole[0];
    assert!(reason(vec![[a, b, c], [a, c, b]]).contains("encloses no volume"));

    let outline = |outline: Vec<[f64; 2]>| {
        Inertia::of(&Shape::Extrusion { outline, length: 1.0 }, 1.0).unwrap_err().to_string()
    };
    assert!(outline(vec![[0.0, 0.0], [1.0, 0.0]]).contains("2 corners"));
    let crossed = outline(vec![[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]);
    assert!(crossed.contains("corners 1 and 3 meet"), "{crossed}");
    assert!(outline(vec![[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]).contains("meet"));
    assert!(outline(vec![[0.0, 0.0], [1.0, f64::NAN], [2.0, 0.0]]).contains("not finite"));
    let rod = BodyShape::new(Shape::Rod { length: 1.0 });
    let ball = BodyShape::new(Shape::Sphere { radius: 1.0 });
    assert!(BodyShape::inertia_with_mass(&[ball, rod], 1.0).is_err());
}
