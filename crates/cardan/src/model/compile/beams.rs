//! Compiles meshes of beams, and trusses, into elements.

use std::sync::Arc;

use super::Compiler;
use crate::model::channel_source::Station;
use crate::model::compiled::{BeamData, BeamEnd};
use crate::model::describe::with_residual_flexibility;
use crate::model::elements::ElementKind;
use crate::model::elements::{
    BeamElement, Mount, SectionLaw, ShapeFunctions, SharedMass, SpatialVector, Spring,
};
use crate::model::mesh::{Mesh, MeshElement};
use crate::model::node_measure::{NodeMeasure, PositionKinematics};
use crate::model::{Beam, Law, Measure, ModelError, Owner, PartKind};
use cardan_core::math::{Quaternion, Vector3};

/// Limit of the rotation between the nodes of an element: larger ones are too close to half a turn.
pub(in crate::model) const MAX_TURN: f64 = 0.95 * std::f64::consts::PI;

/// The station at a position from 0 to 1 along a beam.
fn station(beam: &Beam, mesh: &Mesh, at: f64) -> Station {
    let parts = beam.nodes - 1;
    let starts = |k: usize| mesh.nodes[k * parts].station;
    // the last element that begins before it
    let count = mesh.elements.len();
    let mut element = 0;
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = (low + high) / 2;
        if starts(middle) < at - 1e-12 {
            (element, low) = (middle, middle + 1);
        } else {
            high = middle;
        }
    }
    let (from, to) = (starts(element), starts(element + 1));
    let xi = (2.0 * (at - from) / (to - from) - 1.0).clamp(-1.0, 1.0);
    // exact at nodes
    let xi = if (xi - xi.round()).abs() < 1e-9 { xi.round() } else { xi };
    let s = &mesh.elements[element].s;
    let rotations = s.map(|s| Quaternion::from_matrix(&s));
    let initial = match beam.nodes {
        3 => {
            let [g0, g2] = [rotations[0], rotations[2]]
                .map(|x| beam.chart.inverse(rotations[1].conjugate() * x));
            let (n, _) = ShapeFunctions::<3>::at(xi);
            rotations[1] * beam.chart.retract(&(n[0] * g0 + n[2] * g2))
        }
        _ => {
            let g = beam.chart.inverse(rotations[0].conjugate() * rotations[1]);
            rotations[0] * beam.chart.retract(&(0.5 * (1.0 + xi) * g))
        }
    };
    Station { element, xi, initial }
}

impl Compiler<'_> {
    pub fn beams(&mut self) -> Result<(), ModelError> {
        let (mechanism, meshed) = (self.mechanism, self.meshed);
        for mesh in &meshed.meshes {
            self.beam(&mechanism.beams[mesh.beam], mesh)?;
        }
        for (truss, &length) in mechanism.trusses.iter().zip(&meshed.truss_lengths) {
            let owner = Owner::part(PartKind::Truss, &truss.name);
            let (sides, points) = self.line(&owner, &truss.ends, None)?;
            let measure = NodeMeasure::new(Measure::Distance { points }, sides);
            let law = Law::Truss { stiffness: truss.stiffness, length };
            if truss.is_consistent {
                self.model.shared.push(SharedMass { sides, mass: truss.mass * length });
            }
            self.model.elements.springs.push(Spring { measure, law });
            self.model.name_force(&truss.name, (ElementKind::Spring, 1), None);
        }
        Ok(())
    }

    fn beam(&mut self, beam: &Beam, mesh: &Mesh) -> Result<(), ModelError> {
        let owner = Owner::part(PartKind::Beam, &beam.name);
        let viscosity = beam.section.viscosity_matrix();
        let mut law_length = 0.0;
        let mut last_law: Option<Arc<SectionLaw>> = None;
        let first = if beam.nodes == 3 {
            self.model.elements.beams3.len()
        } else {
            self.model.elements.beams2.len()
        };
        for (k, element) in mesh.elements.iter().enumerate() {
            // elements share their section law; with residual flexibility, if they have equal lengths
            let can_share = !beam.residual_flexibility || element.length == law_length;
            let section_law = last_law.take().filter(|_| can_share).unwrap_or_else(|| {
                let stiffness = match beam.residual_flexibility {
                    true => with_residual_flexibility(&beam.section.stiffness, element.length),
                    false => beam.section.stiffness,
                };
                SectionLaw::new(beam.form, beam.chart, &stiffness, viscosity.as_ref()).into()
            });
            law_length = element.length;
            last_law = Some(section_law.clone());
            let turn = match beam.nodes {
                3 => {
                    let cut = 1.0 / 3.0_f64.sqrt();
                    let built =
                        self.element::<3, 2>(mesh, element, section_law, [(-cut, 1.0), (cut, 1.0)]);
                    let turn = built.least_cosine(self.place()).max(-1.0).acos();
                    self.model.elements.beams3.push(built);
                    turn
                }
                _ => {
                    let built = self.element::<2, 1>(mesh, element, section_law, [(0.0, 2.0)]);
                    let turn = built.least_cosine(self.place()).max(-1.0).acos();
                    self.model.elements.beams2.push(built);
                    turn
                }
            };
            if turn > MAX_TURN {
                let angle = turn.to_degrees();
                let reason =
                    format!("its element {} bends by {angle:.0}° in the described shape", k + 1);
                let error = ModelError::value(&owner, reason).with_key("elements");
                return Err(error.with_remedy("use more elements"));
            }
        }
        let last = first + mesh.elements.len();
        let mut axes = vec![Quaternion::IDENTITY; mesh.nodes.len()];
        for element in &mesh.elements {
            // a node between two elements has the axes of the first one
            for k in (0..beam.nodes).filter(|k| *k > 0 || element.nodes[0] == 0) {
                axes[element.nodes[k]] = Quaternion::from_matrix(&element.s[k]);
            }
        }
        let own = [("start", 0.0), ("mid", 0.5), ("end", 1.0)];
        let given = beam.stations.iter().map(|(name, at)| (name.as_str(), *at));
        let stations = own.into_iter().chain(given);
        let named =
            stations.map(|(name, at)| (name.to_string(), station(beam, mesh, at))).collect();
        let end = |number: usize| {
            let (node, line) = (&mesh.nodes[number], mesh.line(number));
            let frame = &self.frames[node.host];
            let in_body = |x: Vector3| frame.rotation.tr_mul(&x);
            BeamEnd {
                point: in_body(line - frame.position),
                mass: node.mass,
                centre: in_body(node.p + node.centre - line),
                tensor: frame.rotation.tr_mul(&node.tensor) * frame.rotation,
            }
        };
        let ends = [end(0), end(mesh.nodes.len() - 1)];
        self.model.beams.push(BeamData {
            name: beam.name.clone(),
            order: beam.nodes,
            elements: first..last,
            nodes: mesh.nodes.iter().map(|node| node.host).collect(),
            axes,
            named,
            ends,
            length: mesh.length,
            profile: beam.section.outline(),
        });
        Ok(())
    }

    fn place(&self) -> PositionKinematics<'_> {
        PositionKinematics { nodes: &self.model.nodes, frames: &self.frames, q: &self.q }
    }

    /// One element; it is relaxed in its described shape.
    fn element<const N: usize, const P: usize>(
        &self,
        mesh: &Mesh,
        element: &MeshElement,
        section_law: Arc<SectionLaw>,
        points: [(f64, f64); P],
    ) -> BeamElement<N, P> {
        let nodes: [usize; N] = std::array::from_fn(|i| mesh.nodes[element.nodes[i]].host);
        let mounts = std::array::from_fn(|i| {
            let (frame, p, s) = (&self.frames[nodes[i]], &element.p[i], &element.s[i]);
            Mount::new(frame, p, s, element.length)
        });
        let shapes = points.map(|(xi, weight)| {
            let (value, slope) = ShapeFunctions::<N>::at(xi);
            let along: Vector3 = (0..N).map(|i| slope[i] * element.p[i]).sum();
            let stretch = along.norm();
            ShapeFunctions {
                value,
                slope: slope.map(|x| x / stretch),
                weight: weight * stretch,
                relaxed: SpatialVector::default(),
            }
        });
        let mut built = BeamElement { nodes, mounts, shapes, section_law };
        let strains = built.strains(built.section_law.chart, self.place());
        for (shape, strain) in built.shapes.iter_mut().zip(strains) {
            shape.relaxed = strain;
        }
        built
    }
}
