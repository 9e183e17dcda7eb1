//! Exported glTF files: their structure, and poses against the record of the motion.

use cardan::file::ModelFile;
use cardan::model::{NODE_WIDTH, Scene};
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
            assert_eq!(count(&primitive["attributes"]["NORMAL"]), position);
            let indices = self.indices(&primitive["indices"]);
            assert!(
                indices.len().is_multiple_of(3) && indices.iter().all(|k| u64::from(*k) < position)
            );
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

fn motion(file: &ModelFile) -> (Scene, MotionRecord) {
    let (schedule, start) = (file.schedule().unwrap(), file.assemble().unwrap());
    let request = RunRequest::new(std::path::Path::new("unused"));
    let done = run_in_memory(file, &schedule, &start, &request, &mut |_| true).unwrap();
    let (scene, _) = start.model.scene(&start.model.instant_of(&start.initial));
    (scene, done.motion().unwrap())
}

/// Translations and rotations of the animation are those of the record at all frames, to single precision.
#[test]
fn animated_nodes_have_the_recorded_poses() {
    for name in ["slider_crank", "flexible_four_bar", "heavy_top"] {
        let file = examples::read(std::path::Path::new(name), &[])
            .unwrap_or_else(|x| panic!("{name}: {x}"));
        let (scene, motion) = motion(&file);
        let parsed = Parsed::new(&glb(name, &scene, &motion).unwrap());
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
    let (scene, motion) = motion(&file);
    let parsed = Parsed::new(&glb(file.title.as_deref().unwrap(), &scene, &motion).unwrap());
    assert_eq!(parsed.list("meshes").len(), 9);
    assert_eq!(parsed.json["nodes"][0]["name"], "</script>\" \u{202e}");
    assert_eq!(parsed.json["nodes"][1]["name"], "<b>");
    let other = MotionRecord::default();
    assert!(glb("none", &scene, &other).is_err());
}
