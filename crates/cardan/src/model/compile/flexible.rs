//! Compiles flexible bodies: modal coordinates after those of the bodies, and nodes for their points.

use nalgebra::Cholesky;

use super::Compiler;
use crate::model::checks::{fail, fail_at, is_usable};
use crate::model::compiled::BodyData;
use crate::model::elements::FloatingFrameBody;
use crate::model::node::Node;
use crate::model::points::Attachment;
use crate::model::{
    Anchor, BodyKind, FlexibleBody, InputKey, ModalBasis, ModelError, Owner, PartKind,
};
use cardan_core::math::{Matrix3, Vector3};
use cardan_core::system::Space;

/// Limit of the modes of one body: their matrices are full.
const MAX_MODES: usize = 500;

impl Compiler<'_> {
    /// Adds modal coordinates.
    pub(super) fn flexible(&mut self) -> Result<(), ModelError> {
        let mechanism = self.mechanism;
        // the frames of flexible bodies are the last bodies
        let first = self.meshed.bodies.len() - mechanism.flexible.len();
        for (k, flexible) in mechanism.flexible.iter().enumerate() {
            check(flexible)?;
            let (n, node) = (flexible.modal.modes(), first + k + 1);
            let (q, v) = (self.q.len(), self.model.space.velocities());
            self.q.extend(&flexible.amplitudes);
            self.model.space = std::mem::take(&mut self.model.space).then(Space::vector(n));
            let modal = flexible.modal.clone();
            self.model.flexible.push(FloatingFrameBody { node, q, v, modal });
        }
        Ok(())
    }

    /// Adds nodes for the points of flexible bodies, after all coordinates.
    pub(super) fn point_nodes(&mut self) {
        self.system_values = self.q.len();
        let mut v = self.model.space.velocities();
        (self.model.points.q, self.model.points.v) = (self.system_values, v);
        let mut q = self.system_values;
        for (body, flexible) in self.mechanism.flexible.iter().enumerate() {
            let kind = flexible.frame.kind;
            for point in &flexible.modal.points {
                let node = Node::of_body(kind, q, v);
                q += if kind == BodyKind::Planar { 3 } else { 7 };
                v += node.velocities();
                self.model.nodes.push(node);
                self.model.bodies.push(BodyData {
                    name: format!("{}.{}", flexible.name(), point.name),
                    mass: 0.0,
                    tensor: Matrix3::zeros(),
                    centre: Vector3::zeros(),
                    points: Vec::new(),
                    shapes: Vec::new(),
                    assembly_weight: 1.0,
                    is_node: true,
                });
                let node = self.model.nodes.len() - 1;
                self.model.points.list.push(Attachment { body, node, point: point.clone() });
            }
        }
        self.model.place_points(&mut self.q);
        self.frames = self.model.nodes.iter().map(|node| node.frame(&self.q)).collect();
    }

    /// The node of a point of a flexible body, if the body is one.
    pub(super) fn flexible_point(
        &self,
        owner: &Owner,
        key: InputKey,
        anchor: &Anchor,
    ) -> Option<Result<usize, ModelError>> {
        let body = &anchor.body;
        let k = self.mechanism.flexible.iter().position(|x| x.name() == *body)?;
        let points = &self.mechanism.flexible[k].modal.points;
        let known = || points.iter().map(|x| x.name.as_str());
        let Some(point) = &anchor.point else {
            let list: Vec<String> = known().map(|point| format!("`{body}.{point}`")).collect();
            let reason = format!(
                "`{body}` is flexible: name one of its points, {}",
                if list.is_empty() { "but it has none".into() } else { list.join(", ") }
            );
            return Some(fail_at(owner, key, reason));
        };
        let mut own = self.model.points.list.iter().filter(|x| x.body == k);
        let found = own.find(|x| x.point.name == *point).map(|x| x.node);
        Some(found.ok_or_else(|| {
            let nearest = cardan_core::suggestion::nearest(point, known());
            ModelError::missing(owner, key, "point", anchor.to_string(), nearest)
        }))
    }
}

fn check(flexible: &FlexibleBody) -> Result<(), ModelError> {
    let owner = Owner::part(PartKind::Flexible, flexible.name());
    let modal = &*flexible.modal;
    let n = modal.modes();
    if n > MAX_MODES {
        let reason = format!("it has {n} modes; the limit is {MAX_MODES}");
        return fail_at(&owner, "modes", reason);
    }
    if !is_finite(modal) {
        return fail(&owner, "its masses or stiffnesses are not finite");
    }
    if modal.mass <= 0.0 {
        return fail(&owner, "it has no mass");
    }
    let known = flexible.amplitudes.iter().chain(&flexible.rates);
    if !known.into_iter().all(|x| x.is_finite()) {
        let reason = "an amplitude or its rate at the start is not finite";
        return fail_at(&owner, "amplitudes", reason);
    }
    if n > 0 && Cholesky::new(modal.masses.clone()).is_none() {
        let reason = "the mass matrix of its modes is not positive definite: modes are linearly \
                      dependent, or one moves no mass";
        return fail(&owner, reason);
    }
    let least = match n {
        0 => 0.0,
        _ => modal.stiffness.clone().symmetric_eigenvalues().min(),
    };
    if least < -1e-9 * modal.stiffness.amax() {
        return fail(&owner, "the stiffness matrix of its modes is indefinite");
    }
    if flexible.frame.kind.is_in_plane() {
        let flat = modal.points.iter().all(|point| {
            point.place.z == 0.0
                && point.shapes.iter().all(|x| x.z == 0.0)
                && point.turns.iter().all(|x| x.xy().norm() == 0.0)
        });
        if !(flat && modal.is_flat) {
            return fail(&owner, "it is planar, but its modes or points leave the plane z = 0");
        }
    }
    for (k, point) in modal.points.iter().enumerate() {
        let key = if point.loads.is_some() { "points" } else { "interfaces" };
        if !is_usable(&point.name) || modal.points[..k].iter().any(|x| x.name == point.name) {
            let reason = format!("its point's name `{}` is used twice, or not usable", point.name);
            return fail_at(&owner, key, reason);
        }
        if super::bodies::CHANNEL_NAMES.contains(&point.name.as_str())
            || ["energy", "dissipation"].contains(&point.name.as_str())
            || point.name.strip_prefix("mode").is_some_and(|x| x.parse::<usize>().is_ok())
        {
            let reason = format!("its point's name `{}` is reserved", point.name);
            return fail_at(&owner, key, reason);
        }
    }
    Ok(())
}

fn is_finite(modal: &ModalBasis) -> bool {
    let matrices = [&modal.masses, &modal.stiffness, &modal.damping];
    modal.mass.is_finite()
        && modal.first.iter().all(|x| x.is_finite())
        && modal.inertia.iter().all(|x| x.is_finite())
        && matrices.iter().all(|matrix| matrix.iter().all(|x| x.is_finite()))
        && modal.inertia_bends.iter().all(|x| x.iter().all(|x| x.is_finite()))
}
