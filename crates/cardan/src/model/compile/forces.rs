//! Compiles forces into elements.

use crate::model::values::Dimension;
use std::sync::Arc;

use super::Compiler;
use crate::model::checks::{fail, fail_at};
use crate::model::describe::ForceKind;
use crate::model::element::CompiledSite;
use crate::model::elements::{Bushing, Friction, Load, LoadKind, Spring};
use crate::model::elements::{CustomElement, ElementKind};
use crate::model::node::GROUND;
use crate::model::node_measure::NodeMeasure;
use crate::model::values::FunctionInput;
use crate::model::{
    Anchor, BodyKind, Element, Force, Function, InputKey, JointKind, Law, Measure, ModelError,
    Owner, PartKind, Site,
};
use cardan_core::math::{Matrix3, Vector3};
use cardan_core::suggestion;

impl Compiler<'_> {
    pub fn forces(&mut self) -> Result<(), ModelError> {
        let mechanism = self.mechanism;
        for force in &mechanism.forces {
            let owner = Owner::part(PartKind::Force, &force.name);
            if let Some(property) = force.misplaced_key {
                let reason = format!("`{property}` does not apply to this kind of force");
                return fail_at(&owner, property, reason);
            }
            let elements = self.force(&owner, force)?;
            self.model.name_force(&force.name, elements, force.symbol);
        }
        Ok(())
    }

    fn force(&mut self, owner: &Owner, force: &Force) -> Result<(ElementKind, usize), ModelError> {
        match &force.kind {
            ForceKind::Between { ends, law, rest_is_given } => {
                let (sides, points) = self.line(owner, ends, None)?;
                let measure = NodeMeasure::new(Measure::Distance { points }, sides);
                let length = self.now(&measure);
                if !(length.is_finite() && length > 0.0) {
                    let reason = "its ends coincide, so it has no direction";
                    return fail_at(owner, "between", reason);
                }
                let mut law = law.clone();
                if let (Law::Linear { rest, .. }, false) = (&mut law, rest_is_given) {
                    *rest = length;
                }
                self.spring(owner, measure, law)
            }
            ForceKind::Joint { joint, law } => {
                let measure = self.coordinate(owner, "joint".into(), joint, None)?;
                self.spring(owner, measure, law.clone())
            }
            ForceKind::Bushing { ends, at, stiffness, damping, factor } => {
                let (sides, points) = self.ends(owner, ends, *at)?;
                self.check_bushing_body(owner, &ends.clone(), sides)?;
                let finite = |m: &crate::model::Matrix6| m.iter().all(|x| x.is_finite());
                if !(finite(stiffness) && finite(damping)) {
                    let key = if finite(stiffness) { "damping" } else { "stiffness" };
                    return fail_at(owner, key, "its stiffness or damping is not finite");
                }
                if (**stiffness - stiffness.transpose()).amax() > 1e-9 * stiffness.amax() {
                    return fail_at(owner, "stiffness", "its stiffness matrix is not symmetric");
                }
                let [one, two] = sides.map(|side| self.frames[side].rotation);
                let axes = [Matrix3::identity(), two.tr_mul(&one)];
                let measures = [0, 1, 2, 3, 4, 5].map(|k| {
                    let measure = match k {
                        0..3 => Measure::Project { a: Vector3::ith(k, 1.0), points },
                        // in the plane the angle may exceed one turn
                        5 if (self.dimension() == Dimension::Plane) => Measure::PlanarAngle,
                        _ => Measure::Turn { axes, component: k - 3 },
                    };
                    let measure = NodeMeasure::new(measure, sides);
                    // relaxed in the described positions
                    NodeMeasure { zero: -self.now(&measure), ..measure }
                });
                let (stiffness, damping) = (**stiffness, **damping);
                let factor = self.force_function(owner, "damping_factor", factor)?;
                if !self.is_finite_at_start(&factor) {
                    let reason = "its damping factor is not finite at the start";
                    return fail_at(owner, "damping_factor", reason);
                }
                self.model.elements.bushings.push(Bushing { measures, stiffness, damping, factor });
                Ok((ElementKind::Bushing, 1))
            }
            ForceKind::Load { anchor, components, follows } => {
                let node_point = self.node_point(owner, "point", anchor)?;
                let body = node_point.node.checked_sub(1).map(|i| &self.model.bodies[i]);
                let point =
                    node_point.point.unwrap_or(-body.map_or(Vector3::zeros(), |b| b.centre));
                self.load(owner, node_point.node, LoadKind::Force, point, components, *follows)
            }
            ForceKind::Line { beam, components, follows } => {
                self.line_load(owner, beam, components, *follows)
            }
            ForceKind::Torque { body, components, follows } => {
                let node = self.node_point(owner, "body", body)?.node;
                if !self.model.nodes[node].kind.is_some_and(BodyKind::has_orientation) {
                    return fail_at(owner, "body", format!("`{}` cannot turn", body.body));
                }
                let kind = LoadKind::Torque;
                self.load(owner, node, kind, Vector3::zeros(), components, *follows)
            }
            ForceKind::Custom { sites, element } => self.custom(owner, &force.name, sites, element),
            ForceKind::Friction { joint, coefficient, radius, speed } => {
                self.friction(owner, joint, *coefficient, *radius, *speed)
            }
        }
    }

    fn spring(
        &mut self,
        owner: &Owner,
        measure: NodeMeasure,
        law: Law,
    ) -> Result<(ElementKind, usize), ModelError> {
        let length = self.now(&measure);
        let law = match law {
            Law::Actuator(push) => Law::Actuator(self.force_function(owner, "value", &push)?),
            law => law,
        };
        // formulas of the state of the machine have a value when it is assembled
        if matches!(law, Law::Formula(_) | Law::Actuator(Function::Formula(_))) {
            self.model.elements.springs.push(Spring { measure, law });
            return Ok((ElementKind::Spring, 1));
        }
        let input = FunctionInput::time(self.mechanism.start);
        let response = law.response(input, length, 0.0);
        let needed = [
            ("the force of its `law`", response.force),
            ("the derivative of its `law` with respect to x", response.stiffness),
            ("the derivative of its `law` with respect to v", response.damping),
        ];
        if let Some((what, value)) = needed.into_iter().find(|(_, value)| !value.is_finite()) {
            let reason =
                format!("{what} is not finite at the start: {value} at x = {length}, v = 0");
            return fail_at(owner, "law", reason);
        }
        self.model.elements.springs.push(Spring { measure, law });
        Ok((ElementKind::Spring, 1))
    }

    fn load(
        &mut self,
        owner: &Owner,
        node: usize,
        kind: LoadKind,
        point: Vector3,
        components: &[Function; 3],
        follows: bool,
    ) -> Result<(ElementKind, usize), ModelError> {
        let (key, place) = match kind {
            LoadKind::Force => ("force", "point"),
            LoadKind::Torque => ("torque", "body"),
        };
        if node == GROUND {
            return fail_at(owner, place, "a load on the ground has no effect");
        }
        let components = self.force_functions(owner, key, components)?;
        let out_of_plane = match kind {
            LoadKind::Force => &components[2..],
            LoadKind::Torque => &components[..2],
        };
        let is_zero = |f: &Function| matches!(f, Function::Constant(0.0));
        if self.dimension() == Dimension::Plane && !out_of_plane.iter().all(is_zero) {
            return fail_at(owner, key, "it acts out of the plane of its planar body");
        }
        if !components.iter().all(|f| self.is_finite_at_start(f)) {
            return fail_at(owner, key, "it is not finite at the start");
        }
        self.model.elements.loads.push(Load {
            node,
            kind,
            point,
            components,
            follows,
            axes: Matrix3::identity(),
            scale: 1.0,
            on_beam: None,
        });
        Ok((ElementKind::Load, 1))
    }

    /// A load per length, distributed to the nodes of the beam.
    fn line_load(
        &mut self,
        owner: &Owner,
        name: &str,
        components: &[Function; 3],
        follows: bool,
    ) -> Result<(ElementKind, usize), ModelError> {
        let mechanism = self.mechanism;
        let Some(mesh) = self.meshed.mesh_of(name) else {
            let known = mechanism.beams.iter().map(|beam| beam.name.as_str());
            let nearest = suggestion::nearest(name, known);
            return Err(mechanism.missing(owner, "beam", "beam", name, nearest));
        };
        let is_zero = |f: &Function| matches!(f, Function::Constant(0.0));
        if self.dimension() == Dimension::Plane && !is_zero(&components[2]) {
            return fail_at(owner, "force", "it acts out of the plane of its planar beam");
        }
        let components = &self.force_functions(owner, "force", components)?;
        if !components.iter().all(|f| self.is_finite_at_start(f)) {
            return fail_at(owner, "force", "it is not finite at the start");
        }
        for (i, node) in mesh.nodes.iter().enumerate() {
            let frame = &self.frames[node.host];
            let element = mesh.elements.iter().find(|x| x.nodes.contains(&i));
            let axes = element.map_or(Matrix3::identity(), |x| {
                x.s[x.nodes.iter().position(|k| *k == i).unwrap_or(0)]
            });
            self.model.elements.loads.push(Load {
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
        Ok((ElementKind::Load, mesh.nodes.len()))
    }

    /// Whether a function has a value at the start. Formulas of the state of the machine are not checked here.
    fn is_finite_at_start(&self, function: &Function) -> bool {
        matches!(function, Function::Formula(_)) || function.value(self.mechanism.start).is_finite()
    }

    fn friction(
        &mut self,
        owner: &Owner,
        joint: &str,
        coefficient: f64,
        radius: Option<f64>,
        speed: f64,
    ) -> Result<(ElementKind, usize), ModelError> {
        let data = self.joint_named(owner, "joint".into(), joint)?;
        let positive = |x: f64| x.is_finite() && x > 0.0;
        if !(coefficient.is_finite() && coefficient >= 0.0 && positive(speed)) {
            let key = if positive(speed) { "coefficient" } else { "transition_speed" };
            let reason =
                "its coefficient must not be negative, and its transition speed must be positive";
            return fail_at(owner, key, reason);
        }
        let measure = data.coordinates.first().map(|(_, measure)| NodeMeasure::clone(measure));
        let (measure, lever, rows) = match (data.kind, measure) {
            (Some(JointKind::Revolute), Some(measure)) => {
                let Some(radius) = radius.filter(|&radius| positive(radius)) else {
                    let reason = "friction in a revolute joint needs a `radius` > 0";
                    return fail_at(owner, "radius", reason);
                };
                let rows = data.coincidence.map(|i| self.model.coincidences[i].rows());
                let rows: Vec<_> = rows.into_iter().flatten().collect();
                (measure, radius, rows)
            }
            (Some(JointKind::Prismatic), Some(measure)) => {
                if radius.is_some() {
                    return fail_at(owner, "radius", "a prismatic joint has no bearing radius");
                }
                // the rows across the axis come first
                let across = if self.dimension() == Dimension::Plane { 1 } else { 2 };
                let rows =
                    self.model.holonomic_rows[data.holonomic_rows.clone()].iter().take(across);
                (measure, 1.0, rows.map(|row| row.row).collect())
            }
            _ => {
                let reason = format!("joint `{joint}` is neither revolute nor prismatic");
                return fail_at(owner, "joint", reason);
            }
        };
        self.model.elements.frictions.push(Friction {
            measure,
            coefficient: coefficient * lever,
            speed: speed / lever,
            rows,
        });
        Ok((ElementKind::Friction, 1))
    }

    /// A user-defined element, and where it acts.
    fn custom(
        &mut self,
        owner: &Owner,
        name: &str,
        sites: &[Site],
        element: &Arc<dyn Element>,
    ) -> Result<(ElementKind, usize), ModelError> {
        let mut compiled_sites = Vec::new();
        for (k, Site(site)) in sites.iter().enumerate() {
            let key = InputKey::entry("sites", k);
            let first = site.split('.').next().unwrap_or_default();
            if self.is_joint(first) {
                compiled_sites
                    .push(CompiledSite::Coordinate(self.coordinate(owner, key, site, None)?));
                continue;
            }
            let node_point = self.node_point(owner, key, &site.as_str().into())?;
            let centre = node_point.node.checked_sub(1).map(|i| self.model.bodies[i].centre);
            let point = node_point.point.unwrap_or(-centre.unwrap_or_default());
            compiled_sites.push(CompiledSite::Point { node: node_point.node, point });
        }
        let wrong = |x: &&crate::model::ElementOutput| !matches!(x.width, 1 | 3 | 4 | 6);
        if let Some(output) = element.outputs().iter().find(wrong) {
            let reason = format!("its output `{}` has {} numbers", output.name, output.width);
            return fail(owner, format!("{reason}; it must have 1, 3, 4 or 6"));
        }
        let is_finite = |state: &crate::model::ElementState| state.initial.is_finite();
        if !element.states().iter().all(is_finite) {
            return fail(owner, "the initial value of a state is not finite");
        }
        let customs = &self.model.elements.customs;
        let (index, first) = (customs.len(), customs.last().map_or(0, |last| last.states.end));
        let custom = CustomElement::new(name, element.clone(), compiled_sites, index, first);
        self.model.elements.customs.push(custom);
        Ok((ElementKind::Custom, 1))
    }

    /// Refuses a bushing on a point mass.
    fn check_bushing_body(
        &self,
        owner: &Owner,
        ends: &[Anchor; 2],
        sides: [usize; 2],
    ) -> Result<(), ModelError> {
        for (k, (end, side)) in ends.iter().zip(sides).enumerate() {
            if !self.model.nodes[side].kind.is_none_or(BodyKind::has_orientation) {
                let reason = format!("`{}` is a point mass and cannot turn", end.body);
                return fail_at(owner, InputKey::entry("between", k), reason);
            }
        }
        Ok(())
    }
}
