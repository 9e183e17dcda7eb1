//! Bodies: masses checked, nodes numbered, initial configuration written.

use std::collections::BTreeSet;

use super::{Compiler, LARGEST, fail, is_usable};
use crate::math::{Matrix3, Quaternion, Vector3};
use crate::model::compiled::BodyData;
use crate::model::mesh::MeshedBody;
use crate::model::node::Node;
use crate::model::{Body, Freedom, Function, ModelError};
use crate::system::Space;

impl Compiler<'_> {
    pub(super) fn bodies(&mut self) -> Result<(), ModelError> {
        let bodies = &self.meshed.bodies;
        let Some(MeshedBody { body: first, .. }) = bodies.first() else {
            return match self.mechanism.structures.is_empty() {
                true => Err(ModelError::Empty),
                false => Ok(()),
            };
        };
        let is_other = |body: &&Body| body.freedom.is_planar() != first.freedom.is_planar();
        if let Some(other) = bodies.iter().map(|x| &x.body).find(is_other) {
            let (planar, spatial) =
                if first.freedom.is_planar() { (first, other) } else { (other, first) };
            let [planar, spatial] = [planar, spatial].map(|body| body.name.clone());
            return Err(ModelError::Mixed { planar, spatial });
        }
        let mut q = Vec::new();
        let (mut space, mut v) = (Space::default(), 0);
        for (i, meshed) in bodies.iter().enumerate() {
            let (data, body) = (checked(meshed)?, &meshed.body);
            let node = Node::of_body(body.freedom, q.len(), v);
            let orientation = match body.freedom {
                Freedom::Spatial => body.orientation.normalized(),
                _ => Some(Quaternion::IDENTITY),
            };
            let owner = || format!("body `{}`", body.name);
            let Some(orientation) = orientation else {
                return fail(owner(), "its orientation is not a rotation");
            };
            let rotation = match body.freedom {
                Freedom::Planar => {
                    Quaternion::new((0.5 * body.angle).cos(), 0.0, 0.0, (0.5 * body.angle).sin())
                }
                _ => orientation,
            };
            let position = body.position + rotation.rotate(&data.centre);
            let known = [&body.velocity, &body.angular_velocity];
            let finite = position.iter().all(|x| x.abs() < LARGEST)
                && body.angle.is_finite()
                && known.into_iter().flatten().all(|x| x.iter().all(|x| x.is_finite()));
            if !finite {
                return fail(
                    owner(),
                    "its position or velocity is not finite, or beyond all measure",
                );
            }
            if body.freedom.is_planar() && (position.z != 0.0 || data.centre.z != 0.0) {
                return fail(owner(), "a planar body lies in the plane z = 0");
            }
            match body.freedom {
                Freedom::Spatial => {
                    q.extend(position.iter());
                    q.extend(orientation.to_array());
                }
                Freedom::Planar => q.extend([position.x, position.y, body.angle]),
                Freedom::SpatialPoint => q.extend(position.iter()),
                Freedom::PlanarPoint => q.extend([position.x, position.y]),
            }
            let part = match body.freedom {
                Freedom::Spatial => Space::body(),
                Freedom::Planar | Freedom::SpatialPoint => Space::vector(3),
                Freedom::PlanarPoint => Space::vector(2),
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
        self.model.gravity = self.mechanism.gravity.0.clone();
        check_points("the ground", &self.mechanism.ground)?;
        let out_of_plane = !matches!(self.model.gravity[2], Function::Constant(0.0));
        if first.freedom.is_planar() && out_of_plane {
            return fail("gravity".into(), "planar bodies do not feel gravity along z");
        }
        if !self.mechanism.gravity.0.iter().all(|g| g.value(self.mechanism.start).is_finite()) {
            return fail("gravity".into(), "it is not finite");
        }
        Ok(())
    }
}

/// A body's data, checked.
fn checked(MeshedBody { body, lumps, is_node }: &MeshedBody) -> Result<BodyData, ModelError> {
    let fault = |cause| ModelError::Inertia { body: body.name.clone(), cause };
    let inertia = body.inertia.clone().map_err(fault)?;
    match body.freedom {
        Freedom::Planar | Freedom::PlanarPoint => inertia.check_planar(),
        _ => inertia.check(),
    }
    .map_err(fault)?;
    let owner = || format!("body `{}`", body.name);
    if !body.freedom.turns() {
        let zero = |x: &Vector3| *x == Vector3::zeros();
        if inertia.tensor != Matrix3::zeros()
            || !zero(&inertia.centre)
            || !body.points.iter().all(|(_, at)| zero(at))
            || body.angular_velocity.is_some()
        {
            return fail(owner(), "a point mass has no inertia, no points but itself and no spin");
        }
    }
    if body.freedom != Freedom::Planar && body.angle != 0.0 {
        return fail(owner(), "only a planar body is turned by an `angle`; use `rotated`");
    }
    if body.freedom != Freedom::Spatial && body.orientation != Quaternion::IDENTITY {
        return fail(
            owner(),
            "only a spatial body has an `orientation`; a planar one has an `angle`",
        );
    }
    if body.freedom.is_planar() && body.points.iter().any(|(_, at)| at.z != 0.0) {
        return fail(owner(), "a point on it lies outside the plane z = 0");
    }
    let turning = body.angular_velocity.unwrap_or_default();
    if body.freedom.is_planar() && turning.xy().norm() > 0.0 {
        return fail(owner(), "a planar body turns about z only");
    }
    if body.freedom.is_planar() && body.velocity.unwrap_or_default().z != 0.0 {
        return fail(owner(), "a planar body has no velocity along z");
    }
    if !(body.weight.is_finite() && body.weight > 0.0) {
        return fail(owner(), "its weight must be positive");
    }
    check_points(&owner(), &body.points)?;
    let mut inertia = lumps.iter().fold(inertia, |sum, more| sum.plus(more));
    if body.freedom.is_planar() {
        inertia.tensor = Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, inertia.tensor[(2, 2)]));
    }
    Ok(BodyData {
        name: body.name.clone(),
        mass: inertia.mass,
        tensor: 0.5 * (inertia.tensor + inertia.tensor.transpose()),
        centre: inertia.centre,
        points: body.points.clone(),
        weight: body.weight,
        is_node: *is_node,
    })
}

/// What channels of a body are called: points must not hide them.
pub(super) const WORDS: [&str; 10] = [
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

/// Points have names of their own and finite places.
fn check_points(owner: &str, points: &[(String, Vector3)]) -> Result<(), ModelError> {
    let mut seen = BTreeSet::new();
    for (name, at) in points {
        if !at.iter().all(|x| x.abs() < LARGEST) {
            let reason = format!("its point `{name}` is not finite, or beyond all measure");
            return fail(owner.into(), &reason);
        }
        if !is_usable(name) || WORDS.contains(&name.as_str()) || !seen.insert(name) {
            let reason = "is used twice, reserved, empty, or has a point or backtick in it";
            return fail(owner.into(), &format!("its point's name `{name}` {reason}"));
        }
    }
    Ok(())
}
