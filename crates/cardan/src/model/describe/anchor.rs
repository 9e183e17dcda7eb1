//! Points and directions as users give them: two numbers in a plane, three in space.

use cardan_core::math::Vector3;

/// The components of a point or a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VectorInput(pub Vector3);

impl From<[f64; 3]> for VectorInput {
    fn from(vector: [f64; 3]) -> Self {
        Self(vector.into())
    }
}

impl From<[f64; 2]> for VectorInput {
    fn from([x, y]: [f64; 2]) -> Self {
        Self(Vector3::new(x, y, 0.0))
    }
}

impl From<Vector3> for VectorInput {
    fn from(vector: Vector3) -> Self {
        Self(vector)
    }
}

/// A body, or a point on it: `"crank"`, `"crank.tip"`, `"ground"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The body's name.
    pub body: String,
    /// The name of the point on it.
    pub point: Option<String>,
}

impl From<&str> for Anchor {
    fn from(text: &str) -> Self {
        match text.split_once('.') {
            Some((body, point)) => Self { body: body.into(), point: Some(point.into()) },
            None => Self { body: text.into(), point: None },
        }
    }
}

impl From<String> for Anchor {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl std::fmt::Display for Anchor {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.point {
            Some(point) => write!(out, "{}.{point}", self.body),
            None => write!(out, "{}", self.body),
        }
    }
}
