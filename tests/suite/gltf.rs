//! Exported glTF files: their structure, and poses against the record of the motion.

use cardan::file::ModelFile;
use cardan::model::{NODE_WIDTH, Scene, SceneTracks};
use cardan::run::{MotionRecord, RunRequest, run_in_memory};
use cardan_lab::examples;
use cardan_lab::gltf::glb;
use serde_json::Value;

/// A file, divided.
struct Parsed {
    json: Value,
    bytes: Vec<u8>,
}

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize
}

impl Parsed {
    /// Reads a file and checks all lengths and references.
    fn new(file: &[u8]) -> Self {
        assert_eq!((&file[..4], word(file, 4), word(file, 8)), (&b"glTF"[..], 2, file.len()));
        let length = word(file, 12);
        assert_eq!((&file[16..20], length % 4), (&b"JSON"[..], 0));
        let json: Value = serde_json::from_slice(&file[20..20 + length]).unwrap();
        let rest = &file[20 + length..];
        assert_eq!((&rest[4..8], word(rest, 0)), (&b"BIN\0"[..], rest.len() - 8));
        let parsed = Self { json, bytes: rest[8..].to_vec() };
        parsed.check();
        parsed
    }

    fn list(&self, key: &str) -> &[Value] {
        self.json[key].as_array().map_or(&[], Vec::as_slice)
    }

    fn check(&self) {
        assert_eq!(self.json["asset"]["version"], "2.0");
        assert_eq!(self.json["buffers"][0]["byteLength"], self.bytes.len());
        let mut parents = vec![0; self.list("nodes").len()];
        for node in self.list("nodes") {
            for child in node["children"].as_array().into_iter().flatten() {
                parents[child.as_u64().unwrap() as usize] += 1;
            }
            if let Some(rotation) = node["rotation"].as_array() {
                let square: f64 = rotation.iter().map(|x| x.as_f64().unwrap().powi(2)).sum();
                assert!((square - 1.0).abs() < 1e-5);
            }
        }
        for root in self.json["scenes"][0]["nodes"].as_array().unwrap() {
            parents[root.as_u64().unwrap() as usize] += 1;
        }
        assert!(parents.iter().all(|count| *count == 1), "the nodes are one tree: {parents:?}");
        for mesh in self.list("meshes") {
            let primitive = &mesh["primitives"][0];
            let count = |value: &Value| {
                self.list("accessors")[value.as_u64().unwrap() as usize]["count"].clone()
            };
            let position = count(&primitive["attributes"]["POSITION"]).as_u64().unwrap();
            let indices = self.indices(&primitive["indices"]);
            assert!(
                indices.len().is_multiple_of(3) && indices.iter().all(|k| u64::from(*k) < position)
            );
            // structures have no normals, and displaced shapes of all their vertices
            if let Some(targets) = primitive["targets"].as_array() {
                assert!(primitive["attributes"]["NORMAL"].is_null());
                assert!(targets.iter().all(|target| count(&target["POSITION"]) == position));
                assert_eq!(mesh["weights"].as_array().unwrap().len(), targets.len());
                continue;
            }
            assert_eq!(count(&primitive["attributes"]["NORMAL"]), position);
            let normals = self.numbers(&primitive["attributes"]["NORMAL"]);
            for normal in normals.chunks_exact(3) {
                let square: f32 = normal.iter().map(|x| x * x).sum();
                assert!((square - 1.0).abs() < 1e-5, "{normal:?}");
            }
            // triangles look outwards, as their normals do; those at the tip of a cone have no area
            if primitive["attributes"]["JOINTS_0"].is_null() {
                let places = self.numbers(&primitive["attributes"]["POSITION"]);
                let at = |from: &[f32], k: u32| {
                    let x = &from[3 * k as usize..][..3];
                    cardan::math::Vector3::new(f64::from(x[0]), f64::from(x[1]), f64::from(x[2]))
                };
                for triangle in indices.chunks_exact(3) {
                    let [a, b, c] = [0, 1, 2].map(|k| at(&places, triangle[k]));
                    let area = (b - a).cross(&(c - a));
                    let outwards = area.dot(&at(&normals, triangle[0]));
                    let small = 1e-5 * ((b - a).norm_squared() + (c - a).norm_squared());
                    assert!(outwards >= -small, "{mesh} {triangle:?}");
                }
            }
        }
        for accessor in self.list("accessors") {
            let view = &self.list("bufferViews")[accessor["bufferView"].as_u64().unwrap() as usize];
            let [offset, length] =
                ["byteOffset", "byteLength"].map(|key| view[key].as_u64().unwrap());
            assert!((offset + length) as usize <= self.bytes.len() && offset.is_multiple_of(4));
        }
    }

    fn raw(&self, accessor: &Value) -> (&[u8], &Value) {
        let accessor = &self.list("accessors")[accessor.as_u64().unwrap() as usize];
        let view = &self.list("bufferViews")[accessor["bufferView"].as_u64().unwrap() as usize];
        let [offset, length] =
            ["byteOffset", "byteLength"].map(|key| view[key].as_u64().unwrap() as usize);
        (&self.bytes[offset..offset + length], accessor)
    }

    fn indices(&self, accessor: &Value) -> Vec<u32> {
        let (bytes, about) = self.raw(accessor);
        assert_eq!(about["componentType"], 5125);
        bytes.chunks_exact(4).map(|x| word(x, 0) as u32).collect()
    }

    fn numbers(&self, accessor: &Value) -> Vec<f32> {
        let (bytes, about) = self.raw(accessor);
        assert_eq!(about["componentType"], 5126);
        let width = match about["type"].as_str() {
            Some("SCALAR") => 1,
            Some("VEC3") => 3,
            _ => 4,
        };
        let values: Vec<f32> =
            bytes.chunks_exact(4).map(|x| f32::from_le_bytes([x[0], x[1], x[2], x[3]])).collect();
        assert_eq!(about["count"].as_u64().unwrap() as usize * width, values.len());
        for k in 0..width {
            let most = values.iter().skip(k).step_by(width).copied().fold(f32::MIN, f32::max);
            assert_eq!(about["max"][k].as_f64().unwrap() as f32, most);
        }
        values
    }
}

fn example(name: &str, set: &[(&str, &str)]) -> ModelFile {
    let set: Vec<(String, String)> = set.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect();
    examples::read(std::path::Path::new(name), &set).unwrap_or_else(|x| panic!("{name}: {x}"))
}

fn motion(file: &ModelFile) -> ((Scene, SceneTracks), MotionRecord) {
    let (schedule, start) = (file.schedule().unwrap(), file.assemble().unwrap());
    let request = RunRequest::new(std::path::Path::new("unused"));
    let done = run_in_memory(file, &schedule, &start, &request, &mut |_| true).unwrap();
    let scene = start.model.scene(&start.model.instant_of(&start.initial));
    (scene, done.motion().unwrap())
}

/// Translations and rotations of the animation are those of the record at all frames, to single precision.
#[test]
fn animated_nodes_have_the_recorded_poses() {
    for name in ["slider_crank", "flexible_four_bar", "heavy_top"] {
        let file = example(name, &[]);
        let ((scene, tracks), motion) = motion(&file);
        let parsed = Parsed::new(&glb(name, (&scene, &tracks), &motion).unwrap());
        assert_eq!(parsed.list("skins").len(), scene.beams.len());
        let animation = &parsed.json["animations"][0];
        let mut compared = 0;
        for channel in animation["channels"].as_array().unwrap() {
            let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
            let times = parsed.numbers(&sampler["input"]);
            assert!(times.windows(2).all(|pair| pair[0] < pair[1]) && times[0] == 0.0);
            assert_eq!(times.len(), motion.times.len());
            let values = parsed.numbers(&sampler["output"]);
            let node = channel["target"]["node"].as_u64().unwrap() as usize - 1;
            if node >= scene.nodes {
                continue; // a piece between the ends of a force
            }
            let first = NODE_WIDTH * node;
            let recorded = motion.columns(first..first + NODE_WIDTH);
            for (k, pose) in recorded.chunks_exact(NODE_WIDTH).enumerate() {
                match channel["target"]["path"].as_str() {
                    Some("translation") => assert_eq!(&values[3 * k..3 * k + 3], &pose[..3]),
                    _ => {
                        let [x, y, z, w] = [0, 1, 2, 3].map(|i| values[4 * k + i]);
                        let found = [w, x, y, z];
                        let far = found
                            .iter()
                            .zip(&pose[3..])
                            .map(|(a, b)| (a - b).abs())
                            .fold(0.0, f32::max);
                        assert!(far < 1e-6, "{name} {node}: {found:?} {pose:?}");
                    }
                }
                compared += 1;
            }
        }
        assert!(compared >= 2 * motion.times.len(), "{name}");
    }
}

/// Every shape is drawn, and hostile names stay text.
#[test]
fn shapes_become_meshes() {
    let text = r#"
format = 2
title = "</script>\" \u202e"
ground = { shapes = [{ box = [1, 1, 0.1], colour = "wood" }] }
[body."<b>"]
mass = 1
inertia = [1, 1, 1]
velocity = [1, 0, 0]
shapes = [
  { box = [1, 2, 3] }, { cylinder = [1, 2] }, { sphere = 1, colour = "red" }, { rod = 2 }, { capsule = [1, 2] },
  { cone = [1, 0, 2] }, { cone = [1, 0.5, 2], orientation = { axis = [1, 0, 0], angle = 1 } },
  { extrusion = [[0, 0], [0, 4], [1, 4], [1, 1], [3, 1], [3, 0]], length = 2, position = [1, 2, 3] },
]
[simulation]
step = 0.1
end = 1
"#;
    let file = ModelFile::parse("shapes.toml", text, &[]).unwrap_or_else(|x| panic!("{x}"));
    let ((scene, tracks), motion) = motion(&file);
    let parsed =
        Parsed::new(&glb(file.title.as_deref().unwrap(), (&scene, &tracks), &motion).unwrap());
    assert_eq!(parsed.list("meshes").len(), 9);
    assert_eq!(parsed.json["nodes"][0]["name"], "</script>\" \u{202e}");
    assert_eq!(parsed.json["nodes"][1]["name"], "<b>");
    let other = MotionRecord::default();
    assert!(glb("none", (&scene, &tracks), &other).is_err());
}

impl Parsed {
    /// The numbers of a property of the first node with a name and a mesh, frame after frame.
    fn animated(&self, name: &str, path: &str) -> Vec<f32> {
        let is_it = |node: &Value| node["name"] == name && !node["mesh"].is_null();
        let node = self.list("nodes").iter().position(is_it).unwrap_or_else(|| panic!("{name}"));
        let animation = &self.json["animations"][0];
        let mut channels = animation["channels"].as_array().unwrap().iter();
        let channel = channels
            .find(|x| x["target"]["node"] == node && x["target"]["path"] == path)
            .unwrap_or_else(|| panic!("{name} {path}"));
        let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
        self.numbers(&sampler["output"])
    }
}

/// A spring begins at its first end and reaches its second one at all frames.
#[test]
fn springs_stretch_between_their_ends() {
    let ((scene, tracks), motion) = motion(&example("spring_pendulum", &[]));
    let parsed = Parsed::new(&glb("spring", (&scene, &tracks), &motion).unwrap());
    let (rotations, scales) =
        (parsed.animated("spring", "rotation"), parsed.animated("spring", "scale"));
    let bob = scene.bodies[0].node as usize;
    let recorded = motion.columns(NODE_WIDTH * bob..NODE_WIDTH * bob + 3);
    let [a, b] = scene.forces[0].ends.as_slice() else { panic!() };
    assert!(a.node == -1 && b.node == bob as i64 && b.position == [0.0; 3]);
    for (k, place) in recorded.chunks_exact(3).enumerate() {
        let [x, y, z, w] = [0, 1, 2, 3].map(|i| f64::from(rotations[4 * k + i]));
        let along = cardan::math::Vector3::new(0.0, 0.0, f64::from(scales[3 * k + 2]));
        let tip = cardan::math::Vector3::from(a.position)
            + cardan::math::Quaternion::new(w, x, y, z).rotate(&along);
        for (found, wanted) in tip.iter().zip(place) {
            // single precision of rotation and scale
            assert!((found - f64::from(*wanted)).abs() < 1e-6 * scene.size, "{tip} {place:?}");
        }
        // consecutive rotations have no jump
        if k > 0 {
            let cosine: f32 = (0..4).map(|i| rotations[4 * k + i] * rotations[4 * k + i - 4]).sum();
            assert!(cosine > 0.9, "{k}: {cosine}");
        }
    }
}

/// The shape of a structure at a frame is the base and the target with the weight 1: the displacements of the record.
#[test]
fn structures_have_the_recorded_displacements() {
    for (name, set) in [("membrane", ("n", "10")), ("clamped_bar", ("n", "20"))] {
        let ((scene, tracks), motion) = motion(&example(name, &[set]));
        let parsed = Parsed::new(&glb(name, (&scene, &tracks), &motion).unwrap());
        let structure = &scene.structures[0];
        let is_it = |node: &&Value| {
            node["name"].as_str().is_some_and(|x| x.starts_with(structure.name.as_str()))
                && !node["mesh"].is_null()
        };
        let node = parsed.list("nodes").iter().find(is_it).unwrap();
        let title = node["name"].as_str().unwrap();
        let factor: f64 = title.split_whitespace().find_map(|x| x.parse().ok()).unwrap_or(1.0);
        let mesh = &parsed.list("meshes")[node["mesh"].as_u64().unwrap() as usize];
        let primitive = &mesh["primitives"][0];
        let base = parsed.numbers(&primitive["attributes"]["POSITION"]);
        let targets = primitive["targets"].as_array().unwrap();
        let weights = parsed.animated(title, "weights");
        let count = targets.len();
        assert!(count > 5 && weights.len() == count * (count + 1), "{count}");
        let value = &tracks.values()[structure.value];
        let before: usize =
            tracks.values()[..structure.value].iter().map(|value| value.width).sum();
        let first = NODE_WIDTH * scene.nodes + before;
        let rows = motion.columns(first..first + value.width);
        let last = motion.times.len() - 1;
        // vertices of a point, and the direction of its displacement
        let (corners, axis) = if structure.kind == "grid" { (1, 2) } else { (4, 0) };
        for (k, target) in targets.iter().enumerate() {
            let own = &weights[(k + 1) * count..(k + 2) * count];
            assert!(own.iter().enumerate().all(|(j, x)| *x == if j == k { 1.0 } else { 0.0 }));
            let frame = (k + 1) * last / count;
            let shape = parsed.numbers(&target["POSITION"]);
            for (point, rest) in structure.rest.iter().enumerate() {
                let vertex = 3 * corners * point + axis;
                let drawn = f64::from(base[vertex] + shape[vertex]);
                let at = if axis == 0 { rest[0] } else { 0.0 };
                let wanted = at + factor * f64::from(rows[frame * value.width + point]);
                assert!((drawn - wanted).abs() < 1e-6 * scene.size, "{name} {k} {point}");
            }
        }
    }
}

/// Flexible bodies are bars on the nodes of their points; joints, dampers and cylinders have shapes.
#[test]
fn flexible_bodies_joints_and_forces_are_drawn() {
    for (name, parts) in [
        ("flexible_slider_crank", &["rod", "O", "A", "B"][..]),
        ("hydraulic_cylinder", &["hinge", "lift"]),
        ("bend_45", &["pull"]),
        ("falling_drag", &["cable"]),
    ] {
        let ((scene, tracks), motion) = motion(&example(name, &[]));
        let parsed = Parsed::new(&glb(name, (&scene, &tracks), &motion).unwrap());
        for part in parts {
            let is_it = |node: &Value| node["name"] == *part && !node["mesh"].is_null();
            assert!(parsed.list("nodes").iter().any(is_it), "{name}: {part}");
        }
        let skinned = scene.beams.len() + scene.flexible.len();
        assert_eq!(parsed.list("skins").len(), skinned, "{name}");
    }
}
