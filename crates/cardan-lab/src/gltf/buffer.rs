//! The binary part of a file, and the tables that divide it.

use serde_json::{Value, json};

const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;
const SHORT: u32 = 5123;
/// Vertices and indices, for the graphics processor.
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// Bytes, views of them, and accessors of the views.
#[derive(Default)]
pub(super) struct GlbBuffer {
    pub bytes: Vec<u8>,
    pub views: Vec<Value>,
    pub accessors: Vec<Value>,
}

impl GlbBuffer {
    fn view(&mut self, bytes: Vec<u8>, target: Option<u32>) -> usize {
        let mut view =
            json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.bytes.extend(bytes);
        // accessors begin at multiples of their numbers
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(view);
        self.views.len() - 1
    }

    fn accessor(&mut self, view: usize, component: u32, count: usize, kind: &str) -> usize {
        self.accessors.push(json!({
            "bufferView": view, "componentType": component, "count": count, "type": kind,
        }));
        self.accessors.len() - 1
    }

    /// Vectors of N numbers for vertices, or for an animation.
    pub fn vectors<const N: usize>(&mut self, values: &[[f32; N]], is_vertex: bool) -> usize {
        let bytes = values.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let view = self.view(bytes, is_vertex.then_some(VERTICES));
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][N - 1];
        let index = self.accessor(view, FLOAT, values.len(), kind);
        // needed for positions and times
        let bound = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
            (0..N).map(|k| values.iter().map(|x| x[k]).reduce(pick).unwrap_or(0.0)).collect()
        };
        self.accessors[index]["min"] = json!(bound(f32::min));
        self.accessors[index]["max"] = json!(bound(f32::max));
        index
    }

    /// Numbers of an animation.
    pub fn scalars(&mut self, values: &[f32]) -> usize {
        let values: Vec<[f32; 1]> = values.iter().map(|x| [*x]).collect();
        self.vectors(&values, false)
    }

    /// Indices of vertices.
    pub fn indices(&mut self, values: &[u32]) -> usize {
        let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        let view = self.view(bytes, Some(INDICES));
        self.accessor(view, UNSIGNED, values.len(), "SCALAR")
    }

    /// The node of a skin that carries each vertex.
    pub fn carriers(&mut self, values: &[u16]) -> [usize; 2] {
        let bytes = values.iter().flat_map(|x| [*x, 0, 0, 0]).flat_map(u16::to_le_bytes).collect();
        let view = self.view(bytes, Some(VERTICES));
        let joints = self.accessor(view, SHORT, values.len(), "VEC4");
        let weights = self.vectors(&vec![[1.0, 0.0, 0.0, 0.0]; values.len()], true);
        [joints, weights]
    }
}
