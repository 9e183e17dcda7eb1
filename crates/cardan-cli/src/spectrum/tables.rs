//! The analysis as tables, and as JSON for scripts.

use cardan::Error;
use cardan::spectral::{self, Response};
use serde_json::{Value, json};

use super::{OVERSHOOT, RAYS, Subject};
use crate::{Failure, table};

pub fn rows(
    subjects: &[Subject],
    at: &[f64],
    damping: f64,
    with_roots: bool,
    is_json: bool,
) -> Result<String, Failure> {
    let mut objects = Vec::new();
    let mut cells = Vec::new();
    for subject in subjects {
        let name = subject.info.name;
        for row in spectral::responses(subject.info, subject.method.as_ref(), at, damping)? {
            let mut object = json!({
                "method": name,
                "label": subject.label,
                "rho": subject.rho,
                "dt_over_nT": row.abscissa,
                "spectral_radius": row.radius,
                "amplitude_decay_percent": row.amplitude_decay,
                "period_elongation_percent": row.period_elongation,
                "is_aliased": row.is_aliased,
            });
            if with_roots {
                let roots: Vec<[f64; 2]> =
                    row.roots.iter().map(|root| [root.re, root.im]).collect();
                object["roots"] = json!(roots);
            }
            objects.push(object);
            cells.push(row_cells(subject, &row, with_roots));
        }
    }
    if is_json {
        return Ok(format!("{:#}\n", Value::Array(objects)));
    }
    let mut header = vec!["method", "Δt/(nT)", "radius", "decay %", "period %"];
    if with_roots {
        header.push("roots");
    }
    Ok(table::render(&header, &cells)
        + "\ndecay: numerical damping ratio; period: its elongation; – beyond half a turn a step.\n")
}

fn row_cells(subject: &Subject, row: &Response, with_roots: bool) -> Vec<String> {
    let is_known = !row.is_aliased && row.period_elongation.is_finite();
    let low = |x: f64| if is_known { format!("{x:.5}") } else { "–".into() };
    let mut cells = vec![
        subject.label.clone(),
        table::short(row.abscissa),
        format!("{:.9}", row.radius),
        low(row.amplitude_decay),
        low(row.period_elongation),
    ];
    if with_roots {
        let roots = row.roots.iter().map(|root| format!("{:.5}{:+.5}i", root.re, root.im));
        cells.push(roots.collect::<Vec<_>>().join("  "));
    }
    cells
}

/// A number with some decimals, unless it is too large for them to matter.
fn compact(x: f64, decimals: usize) -> String {
    match x.abs() {
        x if x.is_nan() => "–".into(),
        f64::INFINITY => "∞".into(),
        size if size < 1e4 => format!("{x:.decimals$}"),
        _ => format!("{x:.1e}"),
    }
}

pub fn summary(subjects: &[Subject], damping: f64, is_json: bool) -> Result<String, Failure> {
    let mut objects = Vec::new();
    let mut cells = Vec::new();
    for subject in subjects {
        let (info, method) = (subject.info, subject.method.as_ref());
        let accuracy = spectral::accuracy(info, method)?;
        let limit = spectral::radius_at_infinity(info, method)?;
        let row = &spectral::responses(info, method, &[0.1], damping)?[0];
        // steps of many periods are more than some methods can compute
        let overshoot = spectral::overshoot(info, method, damping, OVERSHOOT.1, OVERSHOOT.0);
        let (displacement, velocity) = match overshoot {
            Ok(found) => (found.displacement(), found.velocity()),
            Err(Error::Step { .. }) => (f64::NAN, f64::NAN),
            Err(error) => return Err(error.into()),
        };
        let edge = spectral::stability_limit(info, method, damping)?;
        objects.push(json!({
            "method": info.name,
            "label": subject.label,
            "rho": subject.rho,
            "stages": method.stages(),
            "stable_up_to": edge.is_finite().then_some(edge),
            "constrained_radius": method.constrained_radius(),
            "order": accuracy.order,
            "error_constant": accuracy.error_constant,
            "radius_at_infinity": limit,
            "amplitude_decay_percent_at_0.1": row.amplitude_decay,
            "period_elongation_percent_at_0.1": row.period_elongation,
            "overshoot_displacement": displacement,
            "overshoot_velocity": velocity,
        }));
        cells.push(vec![
            subject.label.clone(),
            method.stages().to_string(),
            format!("{:.2}", accuracy.order),
            format!("{:.5}", accuracy.error_constant),
            if edge.is_finite() { format!("{edge:.4}") } else { "∞".into() },
            compact(limit, 3),
            compact(method.constrained_radius(), 3),
            format!("{:.4}", row.radius),
            format!("{:.3}", row.amplitude_decay),
            format!("{:.3}", row.period_elongation),
            compact(displacement, 2),
            compact(velocity, 2),
        ]);
    }
    if is_json {
        return Ok(format!("{:#}\n", Value::Array(objects)));
    }
    let header = [
        "method",
        "stages",
        "order",
        "constant",
        "stable to",
        "ρ(∞)",
        "ρ(Φ)",
        "ρ(0.1)",
        "decay %",
        "period %",
        "max q",
        "max v/ω",
    ];
    Ok(table::render(&header, &cells)
        + "\nconstant: error constant times stages^order, that is at equal work; stable to: the ωh up to \
           which ρ ≤ 1 + 1e-7;\nρ(∞): the limit for fast undamped oscillations; ρ(Φ): in a direction whose position is prescribed, \
           where 1 and more never forgets an error;\nρ(0.1), decay and period: at Δt/(nT) = 0.1; max q, \
           v: over 20 steps of ten periods each from q = 1 at rest.\n--show rows prints them over the step, --out FOLDER draws them.\n")
}

pub fn region(subjects: &[Subject], is_json: bool) -> Result<String, Failure> {
    let mut objects = Vec::new();
    let mut cells = Vec::new();
    for subject in subjects {
        let edge = spectral::region(subject.info, subject.method.as_ref(), RAYS)?;
        for point in edge {
            objects.push(json!({
                "method": subject.info.name, "label": subject.label, "rho": subject.rho,
                "re": point.re, "im": point.im,
            }));
            let number = |x: f64| format!("{x:.6}");
            cells.push(vec![subject.label.clone(), number(point.re), number(point.im)]);
        }
    }
    match is_json {
        true => Ok(format!("{:#}\n", Value::Array(objects))),
        false => Ok(table::render(&["method", "Re λh", "Im λh"], &cells)
            + "\nWhere the spectral radius passes one. An A-stable method has all of these in the right \
               half-plane,\nand is unstable between them and the origin.\n"),
    }
}

pub fn overshoot(subjects: &[Subject], damping: f64, is_json: bool) -> Result<String, Failure> {
    let mut objects = Vec::new();
    let mut cells = Vec::new();
    for subject in subjects {
        let (steps, periods) = OVERSHOOT;
        let motion =
            spectral::overshoot(subject.info, subject.method.as_ref(), damping, periods, steps)?;
        for (k, (q, v)) in motion.displacements.iter().zip(&motion.velocities).enumerate() {
            objects.push(json!({
                "method": subject.info.name, "label": subject.label, "rho": subject.rho,
                "step": k, "displacement": q, "velocity_over_omega": v,
            }));
            let number = |x: &f64| format!("{x:.6}");
            cells.push(vec![subject.label.clone(), k.to_string(), number(q), number(v)]);
        }
    }
    match is_json {
        true => Ok(format!("{:#}\n", Value::Array(objects))),
        false => Ok(table::render(&["method", "step", "q", "v/ω"], &cells)),
    }
}
