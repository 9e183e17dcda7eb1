//! Small shapes for joints, and for forces pieces between their ends or arrows.

use cardan::math::{Quaternion, Vector3, exponential};
use cardan::model::{Scene, SceneEnd, SceneForce, SceneJoint, SceneSolid, SceneTracks};
use cardan::run::MotionRecord;
use serde_json::json;

use super::animation::{Poses, is_constant};
use super::coil::coil;
use super::draft::{FINE, GlbChannel, GlbDraft, carrier};
use super::triangulation::Triangulation;

/// The radius of a pin, in parts of the model's size.
const PIN: f64 = 0.012;
/// The length of the arrow of the largest load, in parts of the model's size.
const LOAD: f64 = 0.2;
const JOINT: u32 = 0x39424e;
const SPRING: u32 = 0x6a7684;
const ROD: u32 = 0xdfe4ea;
const CYLINDER: u32 = 0xaab4bf;
const ARROW: u32 = 0xd1495b;

/// Adds a small shape for each joint on its first body. Gears and rolling discs are seen by their bodies.
pub(super) fn add_joints(draft: &mut GlbDraft, scene: &Scene) {
    let pin = PIN * scene.size;
    for joint in &scene.joints {
        let Some(solid) = joint_solid(joint, pin) else { continue };
        let surface = Triangulation::of(&solid, scene.size, FINE);
        let mesh = draft.add_mesh(&joint.name, &surface, &[], JOINT);
        let [w, x, y, z] = turn_from_z(&joint.axis.into()).to_array();
        let node = json!({
            "name": joint.name, "mesh": mesh, "translation": joint.points[0], "rotation": [x, y, z, w],
        });
        draft.add_child(carrier(joint.bodies[0]), node);
    }
}

/// The shape of a joint, along z.
fn joint_solid(joint: &SceneJoint, pin: f64) -> Option<SceneSolid> {
    Some(match joint.kind {
        "gear" | "rolling" => return None,
        "revolute" | "universal" => SceneSolid::Cylinder { radius: pin, length: 4.0 * pin },
        "prismatic" | "point-on-line" => {
            SceneSolid::Box { edges: [2.2 * pin, 2.2 * pin, 4.5 * pin] }
        }
        "cylindrical" => SceneSolid::Cylinder { radius: 1.3 * pin, length: 5.0 * pin },
        "fixed" => SceneSolid::Box { edges: [2.6 * pin; 3] },
        "planar" | "point-in-plane" => SceneSolid::Box { edges: [8.0 * pin, 8.0 * pin, 0.3 * pin] },
        _ => SceneSolid::Sphere { radius: 1.2 * pin },
    })
}

/// Adds springs, dampers, cables and other forces between two points, and arrows of loads.
pub(super) fn add_forces(
    draft: &mut GlbDraft,
    (scene, tracks): (&Scene, &SceneTracks),
    motion: &MotionRecord,
    poses: &Poses,
    times: usize,
) {
    let loads = || scene.forces.iter().filter(|force| force.kind == "load");
    let values = |force: &SceneForce| -> Vec<Vector3> {
        let all = force.value.map(|index| poses.value(motion, tracks, index)).unwrap_or_default();
        let vector = |x: &Vec<f32>| match x[..] {
            [x, y, z] => Vector3::new(f64::from(x), f64::from(y), f64::from(z)),
            _ => Vector3::zeros(),
        };
        all.iter().map(vector).collect()
    };
    let largest = loads().flat_map(values).map(|x| x.norm()).fold(0.0, f64::max);
    for force in loads().filter(|_| largest > 0.0 && largest.is_finite()) {
        let Some(end) = force.ends.first() else { continue };
        let vectors: Vec<Vector3> =
            values(force).iter().map(|x| LOAD * scene.size / largest * x).collect();
        let piece = MovingPiece::new(vectors.iter().enumerate(), |k| poses.point(end, k), None);
        let mesh = draft.add_mesh(&force.name, &arrow(), &[], ARROW);
        piece.add(draft, &force.name, mesh, times);
    }
    for force in &scene.forces {
        let [a, b] = force.ends.as_slice() else { continue };
        add_between(draft, force, [a, b], scene.size, poses, times);
    }
}

fn add_between(
    draft: &mut GlbDraft,
    force: &SceneForce,
    [a, b]: [&SceneEnd; 2],
    size: f64,
    poses: &Poses,
    times: usize,
) {
    let frames = 0..poses.times.len();
    let ways: Vec<Vector3> = frames.map(|k| poses.point(b, k) - poses.point(a, k)).collect();
    let lengths = || ways.iter().map(|x| x.norm()).filter(|x| x.is_finite());
    let mean = lengths().sum::<f64>() / ways.len() as f64;
    let least = lengths().fold(f64::MAX, f64::min);
    if !(mean > 0.0 && mean.is_finite()) {
        return;
    }
    let pin = PIN * size;
    let mut add = |surface: &Triangulation, colour: u32, width: [f64; 2]| {
        let mesh = draft.add_mesh(&force.name, surface, &[], colour);
        let [across, along] = width;
        let scale = (across, if along > 0.0 { Some(along) } else { None });
        let piece = MovingPiece::new(ways.iter().enumerate(), |k| poses.point(a, k), Some(scale));
        piece.add(draft, &force.name, mesh, times);
    };
    let bar = || unit_cylinder();
    match force.kind {
        "spring" | "spring-damper" => {
            let radius = (0.08 * mean).clamp(pin, 3.0 * pin);
            let turns = (mean / (1.5 * radius)).round().clamp(5.0, 20.0);
            add(&coil(radius, 0.16 * radius, turns, mean), SPRING, [1.0, 0.0]);
            if force.kind == "spring-damper" {
                add(&bar(), CYLINDER, [0.5 * radius, (0.5 * mean).min(0.86 * least)]);
                add(&bar(), ROD, [0.2 * radius, 0.0]);
            }
        }
        "damper" | "actuator" => {
            add(&bar(), CYLINDER, [1.2 * pin, (0.62 * mean).min(0.86 * least)]);
            add(&bar(), ROD, [0.5 * pin, 0.0]);
        }
        "cable" => add(&bar(), SPRING, [0.25 * pin, 0.0]),
        "truss" => add(&bar(), SPRING, [0.8 * pin, 0.0]),
        _ => add(&bar(), SPRING, [0.3 * pin, 0.0]),
    }
}

/// Places, rotations and scales of a piece along z at the times.
struct MovingPiece {
    translations: Vec<[f32; 3]>,
    rotations: Vec<[f32; 4]>,
    scales: Vec<[f32; 3]>,
}

impl MovingPiece {
    /// A piece along vectors from some points. Its scale is the length in all directions; or, if given, the first number
    /// across, and along z the second or else the length.
    fn new<'v>(
        ways: impl Iterator<Item = (usize, &'v Vector3)>,
        from: impl Fn(usize) -> Vector3,
        scale: Option<(f64, Option<f64>)>,
    ) -> Self {
        let mut piece = Self { translations: vec![], rotations: vec![], scales: vec![] };
        let (mut direction, mut turn) = (Vector3::z(), Quaternion::IDENTITY);
        let single = |x: Vector3| [x.x as f32, x.y as f32, x.z as f32];
        for (k, way) in ways {
            if let Some(now) = way.try_normalize(0.0) {
                // the least rotation from the direction before
                turn = turn_between(&direction, &now) * turn;
                turn = turn.normalized().unwrap_or(Quaternion::IDENTITY);
                direction = now;
            }
            // a scale of zero has no inverse
            let length = way.norm().max(1e-6);
            let [w, x, y, z] = turn.to_array().map(|x| x as f32);
            piece.translations.push(single(from(k)));
            piece.rotations.push([x, y, z, w]);
            let [across, along] = match scale {
                Some((across, along)) => [across, along.unwrap_or(length)],
                None => [length, length],
            };
            piece.scales.push([across as f32, across as f32, along as f32]);
        }
        piece
    }

    /// Adds a node with a mesh that moves so.
    fn add(&self, draft: &mut GlbDraft, name: &str, mesh: usize, times: usize) {
        let (Some(translation), Some(rotation), Some(scale)) =
            (self.translations.first(), self.rotations.first(), self.scales.first())
        else {
            return;
        };
        let node = json!({
            "name": name, "mesh": mesh, "translation": translation, "rotation": rotation, "scale": scale,
        });
        let node = draft.add_child(0, node);
        if !is_constant(&self.translations) {
            let values = draft.buffer.vectors(&self.translations, false);
            draft.animate(GlbChannel { node, path: "translation", times, values });
        }
        if !is_constant(&self.rotations) {
            let values = draft.buffer.vectors(&self.rotations, false);
            draft.animate(GlbChannel { node, path: "rotation", times, values });
        }
        if !is_constant(&self.scales) {
            let values = draft.buffer.vectors(&self.scales, false);
            draft.animate(GlbChannel { node, path: "scale", times, values });
        }
    }
}

/// The least rotation that takes z to a direction.
fn turn_from_z(direction: &Vector3) -> Quaternion {
    direction.try_normalize(0.0).map_or(Quaternion::IDENTITY, |x| turn_between(&Vector3::z(), &x))
}

/// The least rotation between two unit vectors; half a turn about any axis across if they are opposite.
fn turn_between(from: &Vector3, to: &Vector3) -> Quaternion {
    let across = from.cross(to);
    let angle = across.norm().atan2(from.dot(to));
    match across.try_normalize(1e-12) {
        Some(axis) => exponential::retract(&(angle * axis)),
        None if from.dot(to) > 0.0 => Quaternion::IDENTITY,
        None => {
            let other = if from.z.abs() < 0.9 { Vector3::z() } else { Vector3::x() };
            let axis = from.cross(&other).normalize();
            exponential::retract(&(std::f64::consts::PI * axis))
        }
    }
}

/// A cylinder of radius 1 from z = 0 to 1.
fn unit_cylinder() -> Triangulation {
    let mut bar = Triangulation::default();
    let solid = SceneSolid::Cylinder { radius: 1.0, length: 1.0 };
    bar.append(&Triangulation::of(&solid, 1.0, FINE), 0.5);
    bar
}

/// An arrow from z = 0 to 1.
fn arrow() -> Triangulation {
    let mut all = Triangulation::default();
    let shaft = SceneSolid::Cylinder { radius: 0.022, length: 0.8 };
    let head = SceneSolid::Cone { radius: 0.06, top: 0.0, length: 0.24 };
    all.append(&Triangulation::of(&shaft, 1.0, FINE), 0.4);
    all.append(&Triangulation::of(&head, 1.0, FINE), 0.88);
    all
}
