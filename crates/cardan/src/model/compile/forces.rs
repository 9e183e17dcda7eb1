//! Forces: from the user's words to elements.

use super::{Compiler, fail};
use crate::math::{Matrix3, Vector3};
use crate::model::compiled::{ForceData, ForceElement};
use crate::model::describe::Acting;
use crate::model::elements::{Bushing, Friction, Load, LoadKind, Spring};
use crate::model::gauge::Gauge;
use crate::model::node::GROUND;
use crate::model::{Anchor, Force, Freedom, Function, JointKind, Law, Measure, ModelError};
use crate::names;

impl Compiler<'_> {
    pub fn forces(&mut self) -> Result<(), ModelError> {
        let mechanism = self.mechanism;
        for force in &mechanism.forces {
            let owner = format!("force `{}`", force.name);
            if let Some(property) = force.misused {
                return fail(owner, &format!("`{property}` means nothing for this kind of force"));
            }
            let element = self.force(&owner, force)?;
            self.model.forces.push(ForceData { name: force.name.clone(), element });
        }
        Ok(())
    }

    fn force(&mut self, owner: &str, force: &Force) -> Result<ForceElement, ModelError> {
        match &force.acting {
            Acting::Between { ends, law, rest_is_given } => {
                let (sides, points) = self.line(owner, ends, None)?;
                let gauge = Gauge::new(Measure::Distance { points }, sides);
                let length = self.now(&gauge);
                if !(length.is_finite() && length > 0.0) {
                    return fail(owner.into(), "its ends lie in one place, so it has no direction");
                }
                let mut law = law.clone();
                if let (Law::Linear { rest, .. }, false) = (&mut law, rest_is_given) {
                    *rest = length;
                }
                self.spring(owner, gauge, law)
            }
            Acting::Joint { joint, law } => {
                let gauge = self.coordinate(owner, joint, None)?;
                self.spring(owner, gauge, law.clone())
            }
            Acting::Bushing { ends, at, stiffness, damping, factor } => {
                let (sides, points) = self.ends(owner, ends, *at)?;
                self.turning(owner, &ends.clone(), sides)?;
                let finite = |m: &crate::model::Matrix6| m.iter().all(|x| x.is_finite());
                if !(finite(stiffness) && finite(damping)) {
                    return fail(owner.into(), "its stiffness or damping is not finite");
                }
                if (**stiffness - stiffness.transpose()).amax() > 1e-9 * stiffness.amax() {
                    return fail(owner.into(), "its stiffness matrix is not symmetric");
                }
                let [one, two] = sides.map(|side| self.frames[side].rotation);
                let axes = [Matrix3::identity(), two.tr_mul(&one)];
                let gauges = [0, 1, 2, 3, 4, 5].map(|k| {
                    let measure = match k {
                        0..3 => Measure::Project { a: Vector3::ith(k, 1.0), points },
                        // in the plane turns are counted
                        5 if self.is_planar() => Measure::PlanarAngle,
                        _ => Measure::Turn { axes, component: k - 3 },
                    };
                    let gauge = Gauge::new(measure, sides);
                    // relaxed where the description puts it
                    Gauge { zero: -self.now(&gauge), ..gauge }
                });
                let (stiffness, damping) = (**stiffness, **damping);
                let factor = factor.clone();
                if !factor.value(self.mechanism.start).is_finite() {
                    return fail(owner.into(), "its damping factor is not finite at the start");
                }
                self.model.bushings.push(Bushing { gauges, stiffness, damping, factor });
                Ok(ForceElement::Bushing(self.model.bushings.len() - 1))
            }
            Acting::Load { anchor, components, follows } => {
                let spot = self.spot(owner, anchor)?;
                let body = spot.node.checked_sub(1).map(|i| &self.model.bodies[i]);
                let point = spot.point.unwrap_or(-body.map_or(Vector3::zeros(), |b| b.centre));
                self.load(owner, spot.node, LoadKind::Force, point, components, *follows)
            }
            Acting::Line { beam, components, follows } => {
                self.line_load(owner, beam, components, *follows)
            }
            Acting::Torque { body, components, follows } => {
                let node = self.spot(owner, body)?.node;
                if !self.model.nodes[node].freedom.is_some_and(Freedom::turns) {
                    return fail(owner.into(), &format!("`{}` cannot turn", body.body));
                }
                let kind = LoadKind::Torque;
                self.load(owner, node, kind, Vector3::zeros(), components, *follows)
            }
            Acting::Friction { joint, coefficient, radius, speed } => {
                self.friction(owner, joint, *coefficient, *radius, *speed)
            }
        }
    }

    fn spring(&mut self, owner: &str, gauge: Gauge, law: Law) -> Result<ForceElement, ModelError> {
        let length = self.now(&gauge);
        let response = law.response(self.mechanism.start, length, 0.0);
        let needed = [
            ("the force of its `law`", response.force),
            ("the derivative of its `law` with respect to x", response.stiffness),
            ("the derivative of its `law` with respect to v", response.damping),
        ];
        if let Some((what, value)) = needed.into_iter().find(|(_, value)| !value.is_finite()) {
            let reason =
                format!("{what} is not finite at the start: {value} at x = {length}, v = 0");
            return fail(owner.into(), &reason);
        }
        self.model.springs.push(Spring { gauge, law });
        Ok(ForceElement::Spring(self.model.springs.len() - 1))
    }

    fn load(
        &mut self,
        owner: &str,
        node: usize,
        kind: LoadKind,
        point: Vector3,
        components: &[Function; 3],
        follows: bool,
    ) -> Result<ForceElement, ModelError> {
        if node == GROUND {
            return fail(owner.into(), "a load on the ground moves nothing");
        }
        let components = components.clone();
        let out_of_plane = match kind {
            LoadKind::Force => &components[2..],
            LoadKind::Torque => &components[..2],
        };
        let is_zero = |f: &Function| matches!(f, Function::Constant(0.0));
        if self.is_planar() && !out_of_plane.iter().all(is_zero) {
            return fail(owner.into(), "it acts out of the plane of its planar body");
        }
        let finite = |f: &Function| f.value(self.mechanism.start).is_finite();
        if !components.iter().all(finite) {
            return fail(owner.into(), "it is not finite at the start");
        }
        self.model.loads.push(Load {
            node,
            kind,
            point,
            components,
            follows,
            axes: Matrix3::identity(),
            scale: 1.0,
            on_beam: None,
        });
        Ok(ForceElement::Load(self.model.loads.len() - 1))
    }

    /// A load per length: what each node of the beam carries of it.
    fn line_load(
        &mut self,
        owner: &str,
        name: &str,
        components: &[Function; 3],
        follows: bool,
    ) -> Result<ForceElement, ModelError> {
        let mechanism = self.mechanism;
        let Some(mesh) = self.meshed.mesh_of(name) else {
            let known = mechanism.beams.iter().map(|beam| beam.name.as_str());
            let nearest = names::nearest(name, known);
            return Err(mechanism.missing(owner, "beam", name, nearest));
        };
        let is_zero = |f: &Function| matches!(f, Function::Constant(0.0));
        if self.is_planar() && !is_zero(&components[2]) {
            return fail(owner.into(), "it acts out of the plane of its planar beam");
        }
        let finite = |f: &Function| f.value(self.mechanism.start).is_finite();
        if !components.iter().all(finite) {
            return fail(owner.into(), "it is not finite at the start");
        }
        let first = self.model.loads.len();
        for (i, node) in mesh.nodes.iter().enumerate() {
            let frame = &self.frames[node.host];
            let element = mesh.elements.iter().find(|x| x.nodes.contains(&i));
            let axes = element.map_or(Matrix3::identity(), |x| {
                x.s[x.nodes.iter().position(|k| *k == i).unwrap_or(0)]
            });
            self.model.loads.push(Load {
                node: node.host,
                kind: LoadKind::Force,
                point: frame.rotation.tr_mul(&(node.p + node.arm - frame.position)),
                components: components.clone(),
                follows,
                axes: frame.rotation.tr_mul(&axes),
                scale: node.share,
                on_beam: Some((mesh.beam, i)),
            });
        }
        Ok(ForceElement::Line { first, last: self.model.loads.len() })
    }

    fn friction(
        &mut self,
        owner: &str,
        joint: &str,
        coefficient: f64,
        radius: Option<f64>,
        speed: f64,
    ) -> Result<ForceElement, ModelError> {
        let data = self.joint_named(owner, joint)?;
        let positive = |x: f64| x.is_finite() && x > 0.0;
        if !(coefficient.is_finite() && coefficient >= 0.0 && positive(speed)) {
            return fail(owner.into(), "its coefficient must not be negative, its speed positive");
        }
        let gauge = data.coordinates.first().map(|(_, gauge)| *gauge);
        let (gauge, lever, rows) = match (data.kind, gauge) {
            (Some(JointKind::Revolute), Some(gauge)) => {
                let Some(radius) = radius.filter(|&radius| positive(radius)) else {
                    return fail(owner.into(), "friction in a revolute joint needs a `radius` > 0");
                };
                let rows = data.coincidence.map(|i| self.model.coincidences[i].rows());
                let rows: Vec<_> = rows.into_iter().flatten().collect();
                (gauge, radius, rows)
            }
            (Some(JointKind::Prismatic), Some(gauge)) => {
                if radius.is_some() {
                    return fail(owner.into(), "a prismatic joint has no bearing radius");
                }
                // the rows across the axis come first
                let across = if self.is_planar() { 1 } else { 2 };
                let rows = self.model.held[data.held.clone()].iter().take(across);
                (gauge, 1.0, rows.map(|held| held.row).collect())
            }
            _ => {
                return fail(
                    owner.into(),
                    &format!("joint `{joint}` is neither revolute nor prismatic"),
                );
            }
        };
        self.model.frictions.push(Friction {
            gauge,
            coefficient: coefficient * lever,
            speed: speed / lever,
            rows,
        });
        Ok(ForceElement::Friction(self.model.frictions.len() - 1))
    }

    /// Refuses a bushing on a point mass.
    fn turning(
        &self,
        owner: &str,
        ends: &[Anchor; 2],
        sides: [usize; 2],
    ) -> Result<(), ModelError> {
        for (end, side) in ends.iter().zip(sides) {
            if !self.model.nodes[side].freedom.is_none_or(Freedom::turns) {
                return fail(
                    owner.into(),
                    &format!("`{}` is a point mass and cannot turn", end.body),
                );
            }
        }
        Ok(())
    }
}
