//! Nodes and elements along a path: straight segments between points, or a curve.

use super::{Mesh, MeshElement, MeshNode};
use crate::model::checks::{MAX_LENGTH, fail_at};
use crate::model::elements::ShapeFunctions;
use crate::model::node::GROUND;
use crate::model::values::Dimension;
use crate::model::{Beam, Function, ModelError, Owner};
use cardan_core::math::{Matrix3, Vector3};

/// A point of the path: its position, and the body to which the beam is fixed there.
pub(super) struct PathNode {
    pub p: Vector3,
    pub host: Option<usize>,
}

/// Section axes with a given first axis.
fn axes(owner: &Owner, beam: &Beam, along: &Vector3) -> Result<Matrix3, ModelError> {
    let up = match beam.across {
        None if (beam.dimension == Dimension::Plane)
            || along.z.abs() < (1.0 - 1e-12) * along.norm() =>
        {
            along.cross(&Vector3::z()).cross(along)
        }
        // a beam along z
        None => along.cross(&Vector3::y()),
        Some(across) => along.cross(&across),
    };
    let [Some(first), Some(third)] = [along, &up].map(|x| x.try_normalize(1e-12 * along.norm()))
    else {
        let reason =
            "`axis_2` is parallel to the beam; it must have a component perpendicular to it";
        return fail_at(owner, "axis_2", reason);
    };
    Ok(Matrix3::from_columns(&[first, third.cross(&first), third]))
}

/// Adds nodes and elements of straight segments; returns the host of every node.
pub(super) fn polygon(
    owner: &Owner,
    beam: &Beam,
    knots: &[PathNode],
    mesh: &mut Mesh,
) -> Result<Vec<Option<usize>>, ModelError> {
    let segments = knots.len().saturating_sub(1);
    if segments == 0 {
        return fail_at(owner, "path", "`path` needs at least two points");
    }
    let counts = match beam.elements.as_slice() {
        [all] => vec![*all; segments],
        each if each.len() == segments => each.to_vec(),
        each => {
            let n = each.len();
            let reason = format!("`elements` has {n} numbers for {segments} parts of its path");
            return fail_at(owner, "elements", reason);
        }
    };
    if knots.iter().any(|knot| !knot.p.iter().all(|x| x.abs() < MAX_LENGTH)) {
        return fail_at(owner, "path", "its path is not finite or too large");
    }
    let lengths: Vec<f64> = knots.windows(2).map(|pair| (pair[1].p - pair[0].p).norm()).collect();
    mesh.length = lengths.iter().sum();
    if lengths.iter().any(|length| *length <= 1e-9 * mesh.length) {
        return fail_at(owner, "path", "two points of its path coincide");
    }
    let mut hosts = vec![knots[0].host];
    let mut station = 0.0;
    mesh.nodes.push(MeshNode::new(knots[0].p, 0.0));
    for (k, pair) in knots.windows(2).enumerate() {
        let (from, to) = (pair[0].p, pair[1].p);
        let s = axes(owner, beam, &(to - from))?;
        let shift = s * Vector3::new(0.0, beam.offset[0], beam.offset[1]);
        let parts = counts[k] * (beam.nodes - 1);
        for j in 1..=parts {
            let t = j as f64 / parts as f64;
            let p = if j == parts { to } else { from + t * (to - from) };
            let here = if j == parts && k + 1 == segments {
                1.0
            } else {
                station + t * lengths[k] / mesh.length
            };
            mesh.nodes.push(MeshNode::new(p, here));
            hosts.push(if j == parts { pair[1].host } else { None });
        }
        station += lengths[k] / mesh.length;
        let first = mesh.nodes.len() - 1 - parts;
        for e in 0..counts[k] {
            let nodes = members(first + e * (beam.nodes - 1), beam.nodes);
            let p = nodes.map(|i| mesh.nodes[i].p + shift);
            let length = lengths[k] / counts[k] as f64;
            mesh.elements.push(MeshElement { nodes, p, s: [s; 3], length });
        }
    }
    Ok(hosts)
}

/// The nodes of an element with this first node.
fn members(first: usize, nodes: usize) -> [usize; 3] {
    if nodes == 3 { [first, first + 1, first + 2] } else { [first, first + 1, first + 1] }
}

impl MeshNode {
    fn new(p: Vector3, station: f64) -> Self {
        Self {
            p,
            host: GROUND,
            station,
            share: 0.0,
            arm: Vector3::zeros(),
            mass: 0.0,
            centre: Vector3::zeros(),
            tensor: Matrix3::zeros(),
        }
    }
}

/// Adds nodes and elements along a curve over s = 0…1; returns the host of every node.
pub(super) fn curve(
    owner: &Owner,
    beam: &Beam,
    shape: &[Function; 3],
    ends: [Option<usize>; 2],
    mesh: &mut Mesh,
) -> Result<Vec<Option<usize>>, ModelError> {
    let [count] = beam.elements[..] else {
        return fail_at(owner, "elements", "`elements` of a curve is one number");
    };
    let parts = count * (beam.nodes - 1);
    let mut frames = Vec::with_capacity(parts + 1);
    for j in 0..=parts {
        let s = j as f64 / parts as f64;
        let jets = shape.each_ref().map(|f| f.at(s));
        let (p, along) = (Vector3::from(jets.map(|x| x[0])), Vector3::from(jets.map(|x| x[1])));
        let finite = |x: &Vector3| x.iter().all(|x| x.abs() < MAX_LENGTH);
        if !(finite(&p) && finite(&along) && along.norm() > 0.0) {
            let reason = format!(
                "`curve` has no finite position or no direction at s = {s}: its derivative must not be zero"
            );
            return fail_at(owner, "curve", reason);
        }
        frames.push(axes(owner, beam, &along)?);
        mesh.nodes.push(MeshNode::new(p, s));
    }
    for (j, pair) in mesh.nodes.windows(2).enumerate() {
        let chord = pair[1].p - pair[0].p;
        let along = |frame: &Matrix3| frame.column(0).dot(&chord) / chord.norm();
        // the chord between two nodes of a smooth curve deviates less than 60° from its tangents
        if !(along(&frames[j]) > 0.5 && along(&frames[j + 1]) > 0.5) {
            let s = pair[0].station;
            let reason = format!(
                "`curve` jumps, turns back or bends by more than a right angle between two nodes near \
                 s = {s:.3}: use more elements, or a path"
            );
            return fail_at(owner, "curve", reason);
        }
    }
    let lines =
        |j: usize| mesh.nodes[j].p + frames[j] * Vector3::new(0.0, beam.offset[0], beam.offset[1]);
    for e in 0..count {
        let nodes = members(e * (beam.nodes - 1), beam.nodes);
        let (p, s) = (nodes.map(&lines), nodes.map(|i| frames[i]));
        // Simpson's rule, as for the lumped masses
        let length = match beam.nodes {
            3 => [-1.0, 0.0, 1.0]
                .map(|xi| stretch(&p, xi))
                .iter()
                .zip([1.0, 4.0, 1.0])
                .map(|(j, w)| j * w / 3.0)
                .sum(),
            _ => (p[1] - p[0]).norm(),
        };
        if length.is_nan() || length <= 0.0 {
            return fail_at(owner, "curve", "two nodes of its curve coincide");
        }
        mesh.elements.push(MeshElement { nodes, p, s, length });
    }
    mesh.length = mesh.elements.iter().map(|x| x.length).sum();
    let mut hosts = vec![None; parts + 1];
    (hosts[0], hosts[parts]) = (ends[0], ends[1]);
    Ok(hosts)
}

/// |dp/dξ| of a three-node element.
pub(super) fn stretch(p: &[Vector3; 3], xi: f64) -> f64 {
    let (_, slopes) = ShapeFunctions::<3>::at(xi);
    (slopes[0] * p[0] + slopes[1] * p[1] + slopes[2] * p[2]).norm()
}
