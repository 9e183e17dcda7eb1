//! Forces in a scene: how each kind of element is drawn.

use super::attach::Attachments;
use super::data::{SceneEnd, SceneForce};
use super::tracks::SceneTracks;
use crate::model::channel_source::ChannelSource;
use crate::model::compiled::{ForceData, Model};
use crate::model::elements::{ElementKind, LoadKind, Spring};
use crate::model::node_measure::NodeMeasure;
use crate::model::{Law, Measure};

/// The forces of a model, with their tensions or vectors among the values.
pub(super) fn scene_forces(
    model: &Model,
    places: &Attachments,
    tracks: &mut SceneTracks,
) -> Vec<SceneForce> {
    let each = model.forces.iter().enumerate().map(|(force, data)| {
        let (kind, ends, joint) = drawing(model, places, data);
        let outputs = model.parts_of(data).next().map_or(Vec::new(), |part| part.outputs());
        let output = outputs.iter().position(|output| output.name == "force");
        if kind == "line-load" {
            // one vector for each node
            let name = (format!("{}.force", data.name), "N/m");
            let sources = data.range.clone().map(ChannelSource::LineLoad);
            let value = Some(tracks.add_value(model, name, 3, sources));
            return SceneForce { name: data.name.clone(), kind, ends, joint, value };
        }
        let value = output.map(|output| {
            let width = outputs[output].width;
            let source = ChannelSource::Force { force, output, width };
            let name = (format!("{}.force", data.name), outputs[output].unit);
            tracks.add_value(model, name, width, std::iter::once(source))
        });
        SceneForce { name: data.name.clone(), kind, ends, joint, value }
    });
    each.collect()
}

/// The kind of the drawing, the ends and the joint of a force.
fn drawing(
    model: &Model,
    places: &Attachments,
    force: &ForceData,
) -> (&'static str, Vec<SceneEnd>, Option<usize>) {
    let (elements, first) = (&model.elements, force.range.start);
    let between = |measure: &NodeMeasure| match measure.measure {
        Measure::Distance { points }
        | Measure::Project { points, .. }
        | Measure::Gap { points, .. } => {
            vec![places.end(measure.sides[0], &points[0]), places.end(measure.sides[1], &points[1])]
        }
        _ => Vec::new(),
    };
    match force.kind {
        ElementKind::Spring => {
            let spring = &elements.springs[first];
            match spring.measure.measure {
                Measure::Distance { .. } => {
                    let kind = force.symbol.unwrap_or_else(|| spring_kind(spring));
                    (kind, between(&spring.measure), None)
                }
                _ => {
                    let own = if spring.is_actuator() { "motor" } else { "joint-spring" };
                    let kind = force.symbol.unwrap_or(own);
                    (kind, Vec::new(), model.joint_with(&spring.measure))
                }
            }
        }
        ElementKind::Bushing => ("bushing", between(&elements.bushings[first].measures[0]), None),
        ElementKind::Load => {
            let loads = &elements.loads[force.range.clone()];
            let ends = loads.iter().map(|load| places.end(load.node, &load.point)).collect();
            let kind = match loads.first() {
                Some(load) if load.on_beam.is_some() => "line-load",
                Some(load) if load.kind == LoadKind::Torque => "torque",
                _ => "load",
            };
            (kind, ends, None)
        }
        ElementKind::Friction => {
            ("friction", Vec::new(), model.joint_with(&elements.frictions[first].measure))
        }
        ElementKind::Custom | ElementKind::Beam2 | ElementKind::Beam3 => {
            ("custom", Vec::new(), None)
        }
    }
}

fn spring_kind(spring: &Spring) -> &'static str {
    match &spring.law {
        Law::Linear { stiffness, damping, .. } => match (*stiffness != 0.0, *damping != 0.0) {
            (false, true) => "damper",
            (true, true) => "spring-damper",
            _ => "spring",
        },
        Law::Truss { .. } => "truss",
        Law::Actuator(_) => "actuator",
        _ => "spring",
    }
}
