//! The file: JSON of nodes, meshes, skins and animations, then the bytes.

use std::path::Path;
use std::sync::Arc;

use cardan::model::{Scene, SceneShape, SceneSolid};
use cardan::output::origin;
use cardan::run::MotionRecord;
use serde_json::{Value, json};

use super::animation::{Poses, is_constant};
use super::buffer::GlbBuffer;
use super::sections::tube;
use super::triangulation::{Detail, Triangulation};

/// Colours of bodies without a given one, in turn.
pub(crate) const TONES: [u32; 7] =
    [0x5b8db8, 0xd08a4e, 0x6fa57a, 0xb5697a, 0x8f86b8, 0xb3a05a, 0x6f9ea3];
/// How finely round solids are divided.
const FINE: Detail = Detail { sides: 32, arcs: 12 };
/// The colours of beams and of the ground.
const BEAM: u32 = 0x9aa7b4;
const GROUND: u32 = 0x8a8f98;
/// The beginning of the JSON of every file of Cardan.
const HEAD: &str = r#"{"asset":{"generator":"cardan "#;
/// The bytes before the JSON: header of the file and of the part.
const BEFORE_JSON: usize = 20;

/// The largest file: its length is a whole number of 32 bits.
const MAX_LENGTH: u64 = u32::MAX as u64;

/// A file as it grows.
struct GlbDraft {
    buffer: GlbBuffer,
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    colours: Vec<u32>,
    skins: Vec<Value>,
    roots: Vec<usize>,
    /// Surfaces by their address and colour, with the index of their mesh: bodies share them.
    surfaces: Vec<((usize, u32), usize)>,
}

/// A scene in motion as a binary glTF file; the error is the reason why there is none.
pub fn glb(title: &str, scene: &Scene, motion: &MotionRecord) -> Result<Vec<u8>, String> {
    if motion.nodes() != scene.nodes || motion.times.is_empty() {
        return Err("the record of the motion does not belong to the model".into());
    }
    let poses = Poses::new(motion);
    let mut draft = GlbDraft {
        buffer: GlbBuffer::default(),
        nodes: Vec::new(),
        meshes: Vec::new(),
        materials: Vec::new(),
        colours: Vec::new(),
        skins: Vec::new(),
        roots: Vec::new(),
        surfaces: Vec::new(),
    };
    // z points upwards here, y in glTF
    let half = std::f64::consts::FRAC_1_SQRT_2;
    draft.nodes.push(json!({ "name": title, "rotation": [-half, 0.0, 0.0, half], "children": [] }));
    draft.roots.push(0);
    let names = node_names(scene);
    for (name, pose) in names.iter().zip(&poses.nodes) {
        let node = json!({
            "name": name, "translation": pose.positions[0], "rotation": pose.orientations[0],
        });
        draft.add_child(0, node);
    }
    for (k, body) in scene.bodies.iter().enumerate() {
        let tone = if body.node < 0 { GROUND } else { TONES[k % TONES.len()] };
        let parent = carrier(body.node);
        for shape in &body.shapes {
            draft.add_shape(parent, &body.name, shape, scene.size, tone);
        }
    }
    for beam in &scene.beams {
        let (surface, carriers) = tube(beam);
        let joints: Vec<usize> = beam.nodes.iter().map(|node| carrier(*node)).collect();
        draft.add_skinned(&beam.name, &surface, &carriers, &joints);
    }
    let animation = draft.animation(&poses);
    draft.write(title, animation)
}

/// Whether a file is one that Cardan wrote.
pub fn is_glb(path: &Path) -> bool {
    let bytes = origin::first_bytes(path, (BEFORE_JSON + HEAD.len()) as u64);
    bytes.get(BEFORE_JSON..).is_some_and(|text| text == HEAD.as_bytes())
}

/// The index in the file of a node of the scene; that of the ground is the root.
fn carrier(node: i64) -> usize {
    usize::try_from(node + 1).unwrap_or(0)
}

fn node_names(scene: &Scene) -> Vec<String> {
    let mut names: Vec<String> = (0..scene.nodes).map(|k| format!("node {k}")).collect();
    let mut set = |node: i64, name: String| {
        if let Some(place) = usize::try_from(node).ok().and_then(|node| names.get_mut(node)) {
            *place = name;
        }
    };
    for beam in &scene.beams {
        let stations = beam.nodes.iter().enumerate();
        stations.for_each(|(k, node)| set(*node, format!("{} station {k}", beam.name)));
    }
    for body in &scene.flexible {
        let points = body.nodes.iter().enumerate();
        points.for_each(|(k, node)| set(*node, format!("{} point {k}", body.name)));
        set(body.node, body.name.clone());
    }
    scene.bodies.iter().for_each(|body| set(body.node, body.name.clone()));
    names
}

impl GlbDraft {
    fn add_child(&mut self, parent: usize, node: Value) {
        let index = self.nodes.len();
        self.nodes.push(node);
        match self.nodes[parent]["children"].as_array_mut() {
            Some(children) => children.push(index.into()),
            None => self.nodes[parent]["children"] = json!([index]),
        }
    }

    fn material(&mut self, colour: u32) -> usize {
        if let Some(known) = self.colours.iter().position(|x| *x == colour) {
            return known;
        }
        // colours of files are linear
        let part = |shift: u32| (f64::from(colour >> shift & 255) / 255.0).powf(2.2);
        self.colours.push(colour);
        self.materials.push(json!({
            "pbrMetallicRoughness": {
                "baseColorFactor": [part(16), part(8), part(0), 1.0],
                "metallicFactor": 0.1, "roughnessFactor": 0.6,
            },
            "doubleSided": true,
        }));
        self.materials.len() - 1
    }

    fn add_mesh(
        &mut self,
        name: &str,
        surface: &Triangulation,
        carriers: &[u16],
        colour: u32,
    ) -> usize {
        let mut attributes = json!({
            "POSITION": self.buffer.vectors(&surface.positions, true),
            "NORMAL": self.buffer.vectors(&surface.normals, true),
        });
        if !carriers.is_empty() {
            let [joints, weights] = self.buffer.carriers(carriers);
            attributes["JOINTS_0"] = joints.into();
            attributes["WEIGHTS_0"] = weights.into();
        }
        let indices = self.buffer.indices(&surface.indices);
        let material = self.material(colour);
        let primitive =
            json!({ "attributes": attributes, "indices": indices, "material": material });
        self.meshes.push(json!({ "name": name, "primitives": [primitive] }));
        self.meshes.len() - 1
    }

    fn add_shape(&mut self, parent: usize, name: &str, shape: &SceneShape, size: f64, tone: u32) {
        let colour = shape.color.map_or(tone, |colour| {
            let [red, green, blue] = colour.0.map(u32::from);
            red << 16 | green << 8 | blue
        });
        let key = match &shape.solid {
            SceneSolid::Mesh { surface } => Some((Arc::as_ptr(surface).addr(), colour)),
            _ => None,
        };
        let known = self.surfaces.iter().find(|(known, _)| Some(*known) == key);
        let mesh = match known {
            Some((_, mesh)) => *mesh,
            None => {
                let surface = Triangulation::of(&shape.solid, size, FINE);
                if surface.indices.is_empty() {
                    return;
                }
                let mesh = self.add_mesh(name, &surface, &[], colour);
                self.surfaces.extend(key.map(|key| (key, mesh)));
                mesh
            }
        };
        let [w, x, y, z] = shape.orientation;
        let node = json!({
            "name": format!("{name} shape"), "mesh": mesh, "translation": shape.position, "rotation": [x, y, z, w],
        });
        self.add_child(parent, node);
    }

    fn add_skinned(
        &mut self,
        name: &str,
        surface: &Triangulation,
        carriers: &[u16],
        joints: &[usize],
    ) {
        if surface.indices.is_empty() {
            return;
        }
        let mesh = self.add_mesh(name, surface, carriers, BEAM);
        // vertices are in the axes of their joints: the inverse bind matrices are the identity, which is the default
        self.skins.push(json!({ "name": name, "joints": joints, "skeleton": 0 }));
        let skin = self.skins.len() - 1;
        self.roots.push(self.nodes.len());
        self.nodes.push(json!({ "name": name, "mesh": mesh, "skin": skin }));
    }

    fn animation(&mut self, poses: &Poses) -> Option<Value> {
        if poses.times.len() < 2 {
            return None;
        }
        let input = self.buffer.scalars(&poses.times);
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for (k, node) in poses.nodes.iter().enumerate() {
            let mut add = |path: &str, output: usize| {
                samplers.push(json!({ "input": input, "output": output }));
                let target = json!({ "node": carrier(k as i64), "path": path });
                channels.push(json!({ "sampler": samplers.len() - 1, "target": target }));
            };
            if !is_constant(&node.positions) {
                add("translation", self.buffer.vectors(&node.positions, false));
            }
            if !is_constant(&node.orientations) {
                add("rotation", self.buffer.vectors(&node.orientations, false));
            }
        }
        let animation = json!({ "name": "motion", "samplers": samplers, "channels": channels });
        (!samplers.is_empty()).then_some(animation)
    }

    fn write(self, title: &str, animation: Option<Value>) -> Result<Vec<u8>, String> {
        let mut rest = json!({
            "scene": 0,
            "scenes": [{ "name": title, "nodes": self.roots }],
            "nodes": self.nodes,
        });
        let lists = [
            ("meshes", self.meshes),
            ("materials", self.materials),
            ("skins", self.skins),
            ("animations", animation.into_iter().collect()),
            ("accessors", self.buffer.accessors),
            ("bufferViews", self.buffer.views),
        ];
        // empty lists are not allowed
        for (key, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            rest[key] = list.into();
        }
        let bytes = self.buffer.bytes;
        if !bytes.is_empty() {
            rest["buffers"] = json!([{ "byteLength": bytes.len() }]);
        }
        let rest = rest.to_string();
        let version = env!("CARGO_PKG_VERSION");
        let mut text = format!(r#"{HEAD}{version}","version":"2.0"}},{}"#, &rest[1..]).into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let total = BEFORE_JSON + text.len() + if bytes.is_empty() { 0 } else { 8 + bytes.len() };
        if total as u64 > MAX_LENGTH {
            return Err(format!("the file would have {total} bytes; glTF allows 4 GiB"));
        }
        let mut file = Vec::with_capacity(total);
        file.extend(b"glTF");
        file.extend(2_u32.to_le_bytes());
        file.extend((total as u32).to_le_bytes());
        file.extend((text.len() as u32).to_le_bytes());
        file.extend(b"JSON");
        file.extend(text);
        if !bytes.is_empty() {
            file.extend((bytes.len() as u32).to_le_bytes());
            file.extend(b"BIN\0");
            file.extend(bytes);
        }
        Ok(file)
    }
}
