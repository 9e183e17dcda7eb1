//! The kinds of shapes, from which the model file, its schema and its reference page follow.

use std::sync::Arc;

use super::shape::Shape;
use super::surface::SurfaceMesh;

/// The value after the name of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeValue {
    /// Lengths with these names: one number, or a list.
    Sizes(&'static [&'static str]),
    /// Corners of an outline: a list of pairs.
    Outline,
    /// A path to a file.
    File,
}

/// A further key of a shape, which is a positive number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapeKey {
    /// Its name.
    pub name: &'static str,
    /// The value if it is not given; `None` if it must be given.
    pub default: Option<u32>,
}

/// What is known of a shape when it is made.
#[derive(Clone, Debug, Default)]
pub struct ShapeInput {
    /// Its sizes, then its further keys.
    pub sizes: Vec<f64>,
    /// Its outline.
    pub outline: Vec<[f64; 2]>,
    /// Its surface.
    pub surface: Option<Arc<SurfaceMesh>>,
}

/// A kind of shape.
#[derive(Clone, Copy, Debug)]
pub struct ShapeInfo {
    /// Its name in the model file.
    pub name: &'static str,
    /// Its value.
    pub value: ShapeValue,
    /// Its further keys.
    pub keys: &'static [ShapeKey],
    /// Its meaning.
    pub description: &'static str,
    build: fn(&ShapeInput) -> Option<Shape>,
}

/// All kinds of shapes.
pub const SHAPE_KINDS: [ShapeInfo; 8] = [
    ShapeInfo {
        name: "box",
        value: ShapeValue::Sizes(&["x", "y", "z"]),
        keys: &[],
        description: "edges along x, y, z; about its centre",
        build: |input| {
            <[f64; 3]>::try_from(input.sizes.as_slice()).ok().map(|edges| Shape::Box { edges })
        },
    },
    ShapeInfo {
        name: "cylinder",
        value: ShapeValue::Sizes(&["radius", "length"]),
        keys: &[],
        description: "along z, about its centre",
        build: |input| match input.sizes[..] {
            [radius, length] => Some(Shape::Cylinder { radius, length }),
            _ => None,
        },
    },
    ShapeInfo {
        name: "sphere",
        value: ShapeValue::Sizes(&["radius"]),
        keys: &[],
        description: "about its centre",
        build: |input| match input.sizes[..] {
            [radius] => Some(Shape::Sphere { radius }),
            _ => None,
        },
    },
    ShapeInfo {
        name: "rod",
        value: ShapeValue::Sizes(&["length"]),
        keys: &[],
        description: "thin, along x, about its centre; its density is mass per length",
        build: |input| match input.sizes[..] {
            [length] => Some(Shape::Rod { length }),
            _ => None,
        },
    },
    ShapeInfo {
        name: "capsule",
        value: ShapeValue::Sizes(&["radius", "length"]),
        keys: &[],
        description: "a cylinder along z with hemispheres at both ends; the length is between their centres",
        build: |input| match input.sizes[..] {
            [radius, length] => Some(Shape::Capsule { radius, length }),
            _ => None,
        },
    },
    ShapeInfo {
        name: "cone",
        value: ShapeValue::Sizes(&["radius", "top", "length"]),
        keys: &[],
        description: "along z; the radius at negative z, that at positive z (0: a point); its origin is halfway between the ends",
        build: |input| match input.sizes[..] {
            [radius, top, length] => Some(Shape::Cone { radius, top, length }),
            _ => None,
        },
    },
    ShapeInfo {
        name: "extrusion",
        value: ShapeValue::Outline,
        keys: &[ShapeKey { name: "length", default: None }],
        description: "corners of an outline in the x–y plane, moved along z; its origin is halfway between the ends",
        build: |input| match input.sizes[..] {
            [length] => Some(Shape::Extrusion { outline: input.outline.clone(), length }),
            _ => None,
        },
    },
    ShapeInfo {
        name: "mesh",
        value: ShapeValue::File,
        keys: &[ShapeKey { name: "scale", default: Some(1) }],
        description: "triangles of an STL or OBJ file, in the folder of the model file; `scale` multiplies all coordinates (0.001 for a file \
                      in mm). Inertia needs a closed surface whose triangles are counterclockwise seen from outside",
        build: |input| input.surface.clone().map(|surface| Shape::Mesh { surface }),
    },
];

impl ShapeInfo {
    /// The kind with a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        SHAPE_KINDS.iter().find(|kind| kind.name == name)
    }

    /// The shape, if the input has what its kind needs.
    pub fn build(&self, input: &ShapeInput) -> Option<Shape> {
        (self.build)(input)
    }

    /// How it is written in a model file, without braces.
    pub fn written(&self) -> String {
        let value = match self.value {
            ShapeValue::Sizes([one]) => (*one).to_string(),
            ShapeValue::Sizes(several) => format!("[{}]", several.join(", ")),
            ShapeValue::Outline => "[[x, y], …]".into(),
            ShapeValue::File => "\"file.stl\"".into(),
        };
        let keys = self.keys.iter().map(|key| match key.default {
            None => format!(", {0} = {0}", key.name),
            Some(default) => format!(", {} = {default}", key.name),
        });
        format!("{} = {value}{}", self.name, keys.collect::<String>())
    }
}
