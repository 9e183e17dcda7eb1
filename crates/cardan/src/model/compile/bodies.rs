//! Compiles bodies: checks masses, numbers nodes, writes the initial configuration.

use std::collections::BTreeSet;

use super::Compiler;
use crate::model::checks::{MAX_LENGTH, fail, fail_at, is_usable};
use crate::model::compiled::BodyData;
use crate::model::mesh::{Mesh, MeshedBody};
use crate::model::node::Node;
use crate::model::{Body, BodyKind, Function, ModelError, Owner, PartKind};
use crate::solid::BodyShape;
use cardan_core::math::{Matrix3, Quaternion, Vector3};
use cardan_core::system::Space;

impl Compiler<'_> {
    pub(super) fn bodies(&mut self) -> Result<(), ModelError> {
        let bodies = &self.meshed.bodies;
        let Some(MeshedBody { body: first, .. }) = bodies.first() else {
            return match self.mechanism.structures.is_empty() {
                true => Err(ModelError::Empty),
                false => Ok(()),
            };
        };
        let is_other = |body: &&Body| body.kind.is_in_plane() != first.kind.is_in_plane();
        if let Some(other) = bodies.iter().map(|x| &x.body).find(is_other) {
            let (planar, spatial) =
                if first.kind.is_in_plane() { (first, other) } else { (other, first) };
            let [planar, spatial] = [planar, spatial].map(|body| body.name.clone());
            return Err(ModelError::Mixed { planar, spatial });
        }
        let mut q = Vec::new();
        let (mut space, mut v) = (Space::default(), 0);
        for (i, meshed) in bodies.iter().enumerate() {
            let owner = self.body_owner(i);
            let (data, body) = (checked(&owner, meshed)?, &meshed.body);
            let node = Node::of_body(body.kind, q.len(), v);
            let orientation = match body.kind {
                BodyKind::Spatial => body.orientation.normalized(),
                _ => Some(Quaternion::IDENTITY),
            };
            let Some(orientation) = orientation else {
                return fail_at(&owner, "orientation", "its orientation is not a rotation");
            };
            let rotation = match body.kind {
                BodyKind::Planar => {
                    Quaternion::new((0.5 * body.angle).cos(), 0.0, 0.0, (0.5 * body.angle).sin())
                }
                _ => orientation,
            };
            let position = body.position + rotation.rotate(&data.centre);
            let is_known = |x: &Option<Vector3>| x.is_none_or(|x| x.iter().all(|x| x.is_finite()));
            let needed = [
                ("position", position.iter().all(|x| x.abs() < MAX_LENGTH)),
                ("angle", body.angle.is_finite()),
                ("velocity", is_known(&body.velocity)),
                ("angular_velocity", is_known(&body.angular_velocity)),
            ];
            if let Some((key, _)) = needed.into_iter().find(|(_, is_finite)| !is_finite) {
                let reason = "its position or velocity is not finite or too large";
                return fail_at(&owner, key, reason);
            }
            if body.kind.is_in_plane() && (position.z != 0.0 || data.centre.z != 0.0) {
                let key = if data.centre.z != 0.0 { "centre" } else { "position" };
                return fail_at(&owner, key, "a planar body lies in the plane z = 0");
            }
            match body.kind {
                BodyKind::Spatial => {
                    q.extend(position.iter());
                    q.extend(orientation.to_array());
                }
                BodyKind::Planar => q.extend([position.x, position.y, body.angle]),
                BodyKind::SpatialPoint => q.extend(position.iter()),
                BodyKind::PlanarPoint => q.extend([position.x, position.y]),
            }
            let part = match body.kind {
                BodyKind::Spatial => Space::body(),
                BodyKind::Planar | BodyKind::SpatialPoint => Space::vector(3),
                BodyKind::PlanarPoint => Space::vector(2),
            };
            v += part.velocities();
            space = space.then(part);
            if !meshed.is_node {
                self.nodes.insert(&body.name, i + 1);
            }
            self.model.nodes.push(node);
            self.model.bodies.push(data);
        }
        self.frames = self.model.nodes.iter().map(|node| node.frame(&q)).collect();
        self.q = q;
        self.model.space = space;
        self.model.gravity =
            self.force_functions(&Owner::Gravity, "gravity", &self.mechanism.gravity.0)?;
        check_points(&Owner::Ground, &self.mechanism.ground)?;
        self.model.ground = self.mechanism.ground.clone();
        check_shapes(&Owner::Ground, &self.mechanism.ground_shapes)?;
        self.model.ground_shapes = self.mechanism.ground_shapes.clone();
        let out_of_plane = !matches!(self.model.gravity[2], Function::Constant(0.0));
        if first.kind.is_in_plane() && out_of_plane {
            return fail(&Owner::Gravity, "gravity along z must be zero for planar bodies");
        }
        let start = self.mechanism.start;
        let is_finite =
            |g: &Function| matches!(g, Function::Formula(_)) || g.value(start).is_finite();
        if !self.model.gravity.iter().all(is_finite) {
            return fail(&Owner::Gravity, "it is not finite");
        }
        Ok(())
    }

    /// The part that a body belongs to: itself, or the beam or flexible body it is a node or frame of.
    fn body_owner(&self, i: usize) -> Owner {
        let (mechanism, meshed) = (self.mechanism, self.meshed);
        let MeshedBody { body, is_node, .. } = &meshed.bodies[i];
        let is_host = |mesh: &&Mesh| mesh.nodes.iter().any(|node| node.host == i + 1);
        if let (true, Some(mesh)) = (is_node, meshed.meshes.iter().find(is_host)) {
            return Owner::part(PartKind::Beam, &mechanism.beams[mesh.beam].name);
        }
        // the frames of flexible bodies are the last bodies
        let is_frame = i >= meshed.bodies.len() - mechanism.flexible.len();
        Owner::part(if is_frame { PartKind::Flexible } else { PartKind::Body }, &body.name)
    }
}

/// The checked data of a body.
fn checked(
    owner: &Owner,
    MeshedBody { body, lumps, is_node }: &MeshedBody,
) -> Result<BodyData, ModelError> {
    let fault = |cause| ModelError::Inertia { owner: owner.clone(), cause };
    let inertia = body.inertia.clone().map_err(fault)?;
    match body.kind {
        BodyKind::Planar | BodyKind::PlanarPoint => inertia.check_planar(),
        _ => inertia.check(),
    }
    .map_err(fault)?;
    if !body.kind.has_orientation() {
        let zero = |x: &Vector3| *x == Vector3::zeros();
        let absent = [
            ("inertia", inertia.tensor == Matrix3::zeros()),
            ("centre", zero(&inertia.centre)),
            ("points", body.points.iter().all(|(_, at)| zero(at))),
            ("angular_velocity", body.angular_velocity.is_none()),
        ];
        if let Some((key, _)) = absent.into_iter().find(|(_, is_absent)| !is_absent) {
            let reason = "a point mass has no inertia, no other points and no angular velocity";
            return fail_at(owner, key, reason);
        }
    }
    if body.kind != BodyKind::Planar && body.angle != 0.0 {
        let error = ModelError::value(owner, "only a planar body has an `angle`");
        return Err(error.with_key("angle").with_remedy("use `rotated`"));
    }
    if body.kind != BodyKind::Spatial && body.orientation != Quaternion::IDENTITY {
        let reason = "only a spatial body has an `orientation`; a planar one has an `angle`";
        return fail_at(owner, "orientation", reason);
    }
    if body.kind.is_in_plane() && body.points.iter().any(|(_, at)| at.z != 0.0) {
        return fail_at(owner, "points", "a point on it lies outside the plane z = 0");
    }
    let turning = body.angular_velocity.unwrap_or_default();
    if body.kind.is_in_plane() && turning.xy().norm() > 0.0 {
        return fail_at(owner, "angular_velocity", "a planar body turns about z only");
    }
    if body.kind.is_in_plane() && body.velocity.unwrap_or_default().z != 0.0 {
        return fail_at(owner, "velocity", "a planar body has no velocity along z");
    }
    if !(body.assembly_weight.is_finite() && body.assembly_weight > 0.0) {
        return fail_at(owner, "assembly_weight", "its assembly weight must be positive");
    }
    check_points(owner, &body.points)?;
    check_shapes(owner, &body.shapes)?;
    let mut inertia = lumps.iter().fold(inertia, |sum, more| sum.plus(more));
    if body.kind.is_in_plane() {
        inertia.tensor = Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, inertia.tensor[(2, 2)]));
    }
    Ok(BodyData {
        name: body.name.clone(),
        mass: inertia.mass,
        tensor: 0.5 * (inertia.tensor + inertia.tensor.transpose()),
        centre: inertia.centre,
        points: body.points.clone(),
        shapes: body.shapes.clone(),
        assembly_weight: body.assembly_weight,
        is_node: *is_node,
    })
}

/// Names of a body's channels: points must not have these names.
pub(super) const CHANNEL_NAMES: [&str; 10] = [
    "position",
    "velocity",
    "acceleration",
    "orientation",
    "angle",
    "angular_velocity",
    "angular_velocity_world",
    "angular_acceleration",
    "angular_acceleration_world",
    "centre",
];

/// Checks sizes and places of shapes.
fn check_shapes(owner: &Owner, shapes: &[BodyShape]) -> Result<(), ModelError> {
    for (k, shape) in shapes.iter().enumerate() {
        let fault =
            |reason: String| fail_at(owner, "shapes", format!("its shape {}: {reason}", k + 1));
        if let Err(error) = shape.shape.check() {
            return fault(error.to_string());
        }
        let position = shape.position.unwrap_or_default();
        if !position.iter().all(|x| x.abs() < MAX_LENGTH) {
            return fault("its position is not finite or too large".into());
        }
        let error = (shape.orientation.norm() - 1.0).abs();
        if error.is_nan() || error >= 1e-9 {
            return fault("its orientation is no unit quaternion".into());
        }
    }
    Ok(())
}

/// Checks that the names of points are unique and allowed, and that their positions are finite.
fn check_points(owner: &Owner, points: &[(String, Vector3)]) -> Result<(), ModelError> {
    let mut names = BTreeSet::new();
    for (name, at) in points {
        if !at.iter().all(|x| x.abs() < MAX_LENGTH) {
            let reason = format!("its point `{name}` is not finite or too large");
            return fail_at(owner, "points", reason);
        }
        if !is_usable(name) || CHANNEL_NAMES.contains(&name.as_str()) || !names.insert(name) {
            let reason = "is used twice, reserved, empty, or contains a period";
            return fail_at(owner, "points", format!("its point's name `{name}` {reason}"));
        }
    }
    Ok(())
}
