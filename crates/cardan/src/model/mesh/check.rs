//! Checks of the values of a beam.

use crate::model::checks::{fail_at, is_usable};
use crate::model::values::Dimension;
use crate::model::{Beam, BeamForm, ModelError, Owner};
use cardan_core::math::Chart;

/// Refuses values that are not allowed.
pub(super) fn check(owner: &Owner, beam: &Beam) -> Result<(), ModelError> {
    let fail = |key: &'static str, reason: &str| fail_at(owner, key, reason);
    if beam.nodes != 2 && beam.nodes != 3 {
        return fail("nodes", "`nodes` per element must be 2 or 3");
    }
    if beam.elements.is_empty() || beam.elements.contains(&0) {
        return fail("elements", "`elements` must be at least 1 between each point and the next");
    }
    check_section(owner, beam)?;
    if beam.nodes == 3 && beam.residual_flexibility {
        return fail(
            "residual_flexibility",
            "`residual_flexibility` is for elements with two nodes only",
        );
    }
    if beam.nodes == 3 && beam.volumes {
        return fail(
            "lumping",
            "`lumping` is for elements with two nodes; with three nodes the form determines it",
        );
    }
    if beam.form == BeamForm::Galerkin && beam.chart != Chart::Exponential {
        return fail(
            "rotations",
            "`rotations` by Cayley's chart are for the finite-volume form only",
        );
    }
    for (what, known) in [("velocity", beam.velocity), ("angular_velocity", beam.angular_velocity)]
    {
        if known.is_some_and(|x| !x.iter().all(|x| x.is_finite())) {
            return fail(what, &format!("`{what}` is not finite"));
        }
    }
    for (what, [second, third]) in [("offset", beam.offset), ("centre", beam.section.centre)] {
        if !(second.is_finite() && third.is_finite()) {
            return fail(what, &format!("`{what}` is not finite"));
        }
        if beam.dimension == Dimension::Plane && third != 0.0 {
            return fail(what, &format!("`{what}` leaves the plane of a planar beam"));
        }
    }
    let mut names = Vec::new();
    for (name, at) in &beam.stations {
        if !(0.0..=1.0).contains(at) {
            return fail(
                "points",
                &format!("`points`: {name} is at {at}; it must be between 0 (start) and 1 (end)"),
            );
        }
        let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|x| x.is_ascii_digit());
        let is_node = name.strip_prefix("node").is_some_and(is_number);
        let own = ["start", "mid", "end", "energy", "dissipation"];
        if own.contains(&name.as_str()) || is_node {
            return fail(
                "points",
                &format!("`points`: every beam has {name} already; choose another name"),
            );
        }
        if !is_usable(name) {
            return fail(
                "points",
                &format!(
                    "`points`: \"{name}\" cannot be a name: it is empty, or contains a period"
                ),
            );
        }
        if names.contains(&name) {
            return fail("points", &format!("`points`: {name} is used twice"));
        }
        names.push(name);
    }
    Ok(())
}

/// Refuses a section that is not physically possible.
fn check_section(owner: &Owner, beam: &Beam) -> Result<(), ModelError> {
    let fail = |key: &'static str, reason: &str| fail_at(owner, key, reason);
    let section = &beam.section;
    let (stiffness, diagonal) = (&section.stiffness, section.stiffness.diagonal());
    if !stiffness.iter().all(|x| x.is_finite()) {
        return fail("stiffness", "`stiffness` is not finite");
    }
    if (stiffness - stiffness.transpose()).amax() > 1e-9 * stiffness.amax() {
        return fail("stiffness", "`stiffness` must be symmetric");
    }
    // in units in which all diagonal entries are one
    let scale = diagonal.map(|x| 1.0 / x.max(f64::MIN_POSITIVE).sqrt());
    let scaled = stiffness.component_mul(&(scale * scale.transpose()));
    let positive = diagonal.iter().all(|x| *x > 0.0);
    if !positive || scaled.symmetric_eigenvalues().min() <= 1e-12 {
        return fail("stiffness", "`stiffness` must be positive definite");
    }
    if let Some(viscosity) = section.viscosity_matrix()
        && (!viscosity.iter().all(|x| x.is_finite()) || viscosity.diagonal().min() < 0.0)
    {
        return fail("damping", "`damping` must be finite and not negative");
    }
    if !(section.mass > 0.0 && section.mass.is_finite()) {
        return fail("mass", "`mass`, per length, must be positive");
    }
    if !section.inertia.iter().all(|x| *x >= 0.0 && x.is_finite()) {
        return fail("inertia", "`inertia`, per length, must be finite and not negative");
    }
    let needed: &[usize] = match (beam.dimension, beam.has_volumes()) {
        (Dimension::Plane, true) => &[],
        (Dimension::Plane, false) => &[2],
        (Dimension::Space, true) => &[0],
        (Dimension::Space, false) => &[0, 1, 2],
    };
    match needed.iter().any(|&k| section.inertia[k] == 0.0) {
        false => Ok(()),
        true => fail(
            "inertia",
            "`inertia` is missing: its nodes would have no rotational inertia; give the moments of inertia \
             per length about the three axes (density times second moments of area)",
        ),
    }
}
