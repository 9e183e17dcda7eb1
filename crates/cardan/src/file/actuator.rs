//! Cables, drag, clutches, electric motors and cylinders as the file describes them.

use super::diagnostic::Diagnostic;
use super::entry::Entry;
use super::scope::unusable;
use crate::model::{Anchor, Block, Cylinder, DcMotor, Dimension, Fluid, SignalFormula};

/// A force that is composed of other forces, signals and states.
pub(super) fn actuator(entry: &Entry<'_>) -> Option<Block> {
    let name = &entry.name;
    if let Some(reason) = unusable(name) {
        let message = format!("`{name}` cannot be the name of this force: {reason}");
        return entry.scope.reader.note(Diagnostic::at(entry.span.clone(), message));
    }
    let formula = |key| entry.scope.signal(entry.get(key)?);
    let number = |key, default| if entry.has(key) { entry.number(key) } else { Some(default) };
    let ends = || entry.pair("between").map(|pair| pair.map(Anchor::from));
    Some(match entry.variant?.name {
        "cable" => {
            let (stiffness, damping) = (entry.number("stiffness")?, number("damping", 0.0)?);
            Block::cable(name, ends()?, stiffness, damping, entry.number("length")?)
        }
        "drag" => {
            let dimension = entry.scope.reader.dimension;
            let flow = flow(entry, dimension)?;
            Block::drag(name, &entry.text("point")?, entry.number("coefficient")?, flow, dimension)
        }
        "clutch" => {
            let speed = number("slip_speed", 1e-3)?;
            Block::clutch(name, &entry.text("joint")?, formula("capacity")?, speed)
        }
        "dc-motor" => {
            let motor = DcMotor {
                resistance: entry.number("resistance")?,
                inductance: entry.number("inductance")?,
                constant: entry.number("constant")?,
                ratio: number("ratio", 1.0)?,
                efficiency: number("efficiency", 1.0)?,
            };
            motor.on(name, &entry.text("joint")?, formula("voltage")?)
        }
        _ => cylinder(entry, ends()?)?,
    })
}

/// The velocity of the flow; zero if it is not given.
fn flow(entry: &Entry<'_>, dimension: Dimension) -> Option<[SignalFormula; 3]> {
    let mut flow = [(); 3].map(|()| SignalFormula::new("0"));
    let Some(node) = entry.get("flow") else { return Some(flow) };
    let axes = dimension.axes();
    let list = entry.scope.list(node, &[axes], "the components of a velocity")?;
    for (out, node) in flow.iter_mut().zip(list) {
        *out = entry.scope.signal(node)?;
    }
    Some(flow)
}

fn cylinder(entry: &Entry<'_>, ends: [Anchor; 2]) -> Option<Block> {
    let number = |key, default| if entry.has(key) { entry.number(key) } else { Some(default) };
    let flow = |key| match entry.get(key) {
        Some(node) => entry.scope.signal(node),
        None => Some(SignalFormula::new("0")),
    };
    let areas = [entry.number("area_1")?, number("area_2", 0.0)?];
    let closed_length = entry.number("closed_length")?;
    let (stroke, dead_volume) = (entry.number("stroke")?, entry.number("dead_volume")?);
    let (leakage, damping) = (number("leakage", 0.0)?, number("damping", 0.0)?);
    let stop_stiffness = number("stop_stiffness", 0.0)?;
    let pressures = [number("pressure_1", 0.0)?, number("pressure_2", 0.0)?];
    let flows = [flow("flow_1")?, flow("flow_2")?];
    entry.exclude("bulk_modulus", "exponent");
    let fluid = match (entry.has("bulk_modulus"), entry.has("exponent")) {
        (_, true) => Fluid::Gas(entry.number("exponent")?),
        (true, _) => Fluid::Liquid(entry.number("bulk_modulus")?),
        _ => {
            let message = format!("force `{}` has no `bulk_modulus`", entry.name);
            let help =
                "the bulk modulus of a liquid, or `exponent`, the polytropic exponent of a gas";
            let problem = Diagnostic::at(entry.span.clone(), message).help(help);
            return entry.scope.reader.note(problem);
        }
    };
    let cylinder = Cylinder {
        areas,
        closed_length,
        stroke,
        dead_volume,
        fluid,
        leakage,
        damping,
        stop_stiffness,
        pressures,
    };
    Some(cylinder.between(&entry.name, ends, flows))
}
