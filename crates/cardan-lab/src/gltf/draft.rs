//! The parts of a file as they are added, and the file itself: JSON of nodes, meshes, skins and animations, then the bytes.

use std::path::Path;
use std::sync::Arc;

use cardan::model::{SceneShape, SceneSolid};
use cardan::output::origin;
use serde_json::{Value, json};

use super::buffer::GlbBuffer;
use super::triangulation::{Detail, Triangulation};

/// How finely round solids are divided.
pub(super) const FINE: Detail = Detail { sides: 32, arcs: 12 };
/// The beginning of the JSON of every file of Cardan.
const HEAD: &str = r#"{"asset":{"generator":"cardan "#;
/// The bytes before the JSON: header of the file and of the part.
const BEFORE_JSON: usize = 20;
/// The largest file: its length is a whole number of 32 bits.
const MAX_LENGTH: u64 = u32::MAX as u64;

/// A file as it grows.
#[derive(Default)]
pub(super) struct GlbDraft {
    pub buffer: GlbBuffer,
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    colours: Vec<u32>,
    skins: Vec<Value>,
    roots: Vec<usize>,
    /// Surfaces by their address and colour, with the index of their mesh: bodies share them.
    surfaces: Vec<((usize, u32), usize)>,
    /// What moves.
    channels: Vec<GlbChannel>,
}

/// A property of a node that changes over time, with the accessors of times and values.
pub(super) struct GlbChannel {
    pub node: usize,
    pub path: &'static str,
    pub times: usize,
    pub values: usize,
}

/// Whether a file is one that Cardan wrote.
pub fn is_glb(path: &Path) -> bool {
    let bytes = origin::first_bytes(path, (BEFORE_JSON + HEAD.len()) as u64);
    bytes.get(BEFORE_JSON..).is_some_and(|text| text == HEAD.as_bytes())
}

impl GlbDraft {
    /// Adds a node without a parent; its index.
    pub fn add_root(&mut self, node: Value) -> usize {
        self.roots.push(self.nodes.len());
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Adds a node; its index.
    pub fn add_child(&mut self, parent: usize, node: Value) -> usize {
        let index = self.nodes.len();
        self.nodes.push(node);
        match self.nodes[parent]["children"].as_array_mut() {
            Some(children) => children.push(index.into()),
            None => self.nodes[parent]["children"] = json!([index]),
        }
        index
    }

    /// Adds a change over time.
    pub fn animate(&mut self, channel: GlbChannel) {
        self.channels.push(channel);
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

    /// Adds a mesh; its index. Without normals its faces are flat.
    pub fn add_mesh(
        &mut self,
        name: &str,
        surface: &Triangulation,
        carriers: &[u16],
        colour: u32,
    ) -> usize {
        let mut attributes = json!({ "POSITION": self.buffer.vectors(&surface.positions, true) });
        if !surface.normals.is_empty() {
            attributes["NORMAL"] = self.buffer.vectors(&surface.normals, true).into();
        }
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

    /// Adds displacements of the vertices of a mesh, of which none acts at the start.
    pub fn add_targets(&mut self, mesh: usize, targets: &[Vec<[f32; 3]>]) {
        let each: Vec<Value> = targets
            .iter()
            .map(|target| json!({ "POSITION": self.buffer.vectors(target, true) }))
            .collect();
        self.meshes[mesh]["weights"] = json!(vec![0.0; targets.len()]);
        self.meshes[mesh]["primitives"][0]["targets"] = each.into();
    }

    /// Adds a shape to a node.
    pub fn add_shape(
        &mut self,
        parent: usize,
        name: &str,
        shape: &SceneShape,
        size: f64,
        tone: u32,
    ) {
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

    /// Adds a surface whose vertices are in the axes of the nodes that carry them.
    pub fn add_skinned(
        &mut self,
        name: &str,
        (surface, carriers): (&Triangulation, &[u16]),
        joints: &[usize],
        colour: u32,
    ) {
        if surface.indices.is_empty() {
            return;
        }
        let mesh = self.add_mesh(name, surface, carriers, colour);
        // vertices are in the axes of their joints: the inverse bind matrices are the identity, which is the default
        self.skins.push(json!({ "name": name, "joints": joints, "skeleton": 0 }));
        let skin = self.skins.len() - 1;
        self.add_root(json!({ "name": name, "mesh": mesh, "skin": skin }));
    }

    fn animation(&self) -> Option<Value> {
        let sampler = |x: &GlbChannel| json!({ "input": x.times, "output": x.values });
        let channel = |(k, x): (usize, &GlbChannel)| json!({ "sampler": k, "target": { "node": x.node, "path": x.path } });
        let samplers: Vec<Value> = self.channels.iter().map(sampler).collect();
        let channels: Vec<Value> = self.channels.iter().enumerate().map(channel).collect();
        let animation = json!({ "name": "motion", "samplers": samplers, "channels": channels });
        (!samplers.is_empty()).then_some(animation)
    }

    /// The file.
    pub fn write(self, title: &str) -> Result<Vec<u8>, String> {
        let animation = self.animation();
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

/// The index in the file of a node of the scene; that of the ground is the root.
pub(super) fn carrier(node: i64) -> usize {
    usize::try_from(node + 1).unwrap_or(0)
}
