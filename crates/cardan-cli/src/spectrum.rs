//! `cardan spectrum`: what linear analysis says of the methods, from their own steps.

use std::path::{Path, PathBuf};

use cardan::methods::{Choice, Method, MethodInfo, Value as Given, all};
use cardan::spectral::{self, Response};
use serde_json::{Value, json};

use crate::chart::{self, Figure, Panel, Scale, Series};
use crate::{Failure, table};

#[derive(clap::Args)]
pub struct Arguments {
    /// The methods, as lms3 or bathe:rho=0:splitting=0.9; all if none is named.
    methods: Vec<Choice>,
    /// Dissipation of those that take it and do not say their own, one or several values.
    #[arg(long, value_delimiter = ',', allow_negative_numbers = true)]
    rho: Vec<f64>,
    /// The damping ratio of the oscillator.
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    damping: f64,
    /// Steps over the period and the number of stages, for rows and roots, instead of the usual ones.
    #[arg(long, value_delimiter = ',', value_name = "DT/NT")]
    at: Vec<f64>,
    /// What to print.
    #[arg(long, value_enum)]
    show: Option<Show>,
    /// Draw radius, decay, period, region and overshoot as pictures in a folder.
    #[arg(long, short, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Print JSON for scripts.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Show {
    /// Order, error constant, limits.
    Summary,
    /// Radius, decay and period at each step.
    Rows,
    /// All characteristic roots at each step.
    Roots,
    /// The edge of the stability region, λh.
    Region,
    /// The motion from a displacement in steps of ten periods.
    Overshoot,
}

/// Δt/(nT) of the rows.
const USUAL: [f64; 17] = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 3.0, 10.0,
    100.0,
];
/// ωh taken as infinite.
const INFINITY: f64 = 1e8;
/// Steps of the overshoot experiment, and their length in periods.
const OVERSHOOT: (usize, f64) = (20, 10.0);
/// Rays on which the edge of the stability region is looked for.
const RAYS: usize = 90;

/// A method to analyse.
struct Subject {
    /// As it was written.
    label: String,
    info: &'static MethodInfo,
    method: Box<dyn Method>,
    rho: Option<f64>,
}

pub fn command(arguments: &Arguments) -> Result<String, Failure> {
    if !(-1.0..=1.0).contains(&arguments.damping) {
        return Err(Failure::usage("the damping ratio lies between -1 and 1".into()));
    }
    let mut at = if arguments.at.is_empty() { USUAL.to_vec() } else { arguments.at.clone() };
    if at.iter().any(|x| !(1e-6..=1e6).contains(x)) {
        return Err(Failure::usage("--at takes numbers between 1e-6 and 1e6".into()));
    }
    at.sort_by(f64::total_cmp);
    at.dedup();
    let subjects = subjects(&arguments.methods, &arguments.rho)?;
    if let Some(folder) = &arguments.out {
        draw(folder, &subjects, arguments.damping)?;
    }
    let show = arguments.show.unwrap_or(match arguments.json {
        true => Show::Rows,
        false => Show::Summary,
    });
    match (show, arguments.json) {
        (Show::Summary, is_json) => summary(&subjects, arguments.damping, is_json),
        (Show::Region, is_json) => region(&subjects, is_json),
        (Show::Overshoot, is_json) => overshoot(&subjects, arguments.damping, is_json),
        (Show::Rows | Show::Roots, _) => {
            rows(&subjects, &at, arguments.damping, show == Show::Roots, arguments.json)
        }
    }
}

/// Every method with every dissipation it takes; what cannot be is told and left out.
fn subjects(choices: &[Choice], rho: &[f64]) -> Result<Vec<Subject>, Failure> {
    let everything: Vec<Choice> =
        all().map(|info| Choice { method: info.name.into(), parameters: Vec::new() }).collect();
    let is_everything = choices.is_empty();
    let mut subjects: Vec<Subject> = Vec::new();
    for choice in if is_everything { &everything } else { choices } {
        let variants: Vec<Choice> = match rho {
            [] => vec![choice.clone()],
            _ => rho.iter().map(|rho| choice.clone().or_parameter("rho", *rho)).collect(),
        };
        for variant in variants {
            let label = variant.to_string();
            if subjects.iter().any(|known| known.label == label) {
                continue;
            }
            match variant.build() {
                Ok((info, method)) => {
                    let rho = dissipation(info, &variant);
                    subjects.push(Subject { label, info, method, rho });
                }
                Err(error) if is_everything => table::tell(&format!("note: left out: {error}")),
                Err(error) => return Err(Failure::usage(error.to_string())),
            }
        }
    }
    Ok(subjects)
}

/// ρ∞ as given or by default.
fn dissipation(info: &MethodInfo, choice: &Choice) -> Option<f64> {
    let given = choice.parameters.iter().find(|(name, _)| name == "rho").map(|(_, x)| x.clone());
    let known = info.parameters.iter().find(|p| p.name == "rho");
    match given.or_else(|| known?.default())? {
        Given::Number(rho) => Some(rho),
        Given::Word(_) => None,
    }
}

fn rows(
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

fn summary(subjects: &[Subject], damping: f64, is_json: bool) -> Result<String, Failure> {
    let mut objects = Vec::new();
    let mut cells = Vec::new();
    for subject in subjects {
        let (info, method) = (subject.info, subject.method.as_ref());
        let accuracy = spectral::accuracy(info, method)?;
        let limit = spectral::spectral_radius(info, method, INFINITY, 0.0)?;
        let row = &spectral::responses(info, method, &[0.1], damping)?[0];
        let overshoot = spectral::overshoot(info, method, damping, OVERSHOOT.1, OVERSHOOT.0)?;
        objects.push(json!({
            "method": info.name,
            "label": subject.label,
            "rho": subject.rho,
            "stages": method.stages(),
            "order": accuracy.order,
            "error_constant": accuracy.error_constant,
            "radius_at_infinity": limit,
            "amplitude_decay_percent_at_0.1": row.amplitude_decay,
            "period_elongation_percent_at_0.1": row.period_elongation,
            "overshoot_displacement": overshoot.displacement(),
            "overshoot_velocity": overshoot.velocity(),
        }));
        cells.push(vec![
            subject.label.clone(),
            method.stages().to_string(),
            format!("{:.2}", accuracy.order),
            format!("{:.5}", accuracy.error_constant),
            format!("{limit:.3}"),
            format!("{:.4}", row.radius),
            format!("{:.3}", row.amplitude_decay),
            format!("{:.3}", row.period_elongation),
            format!("{:.2}", overshoot.displacement()),
            format!("{:.2}", overshoot.velocity()),
        ]);
    }
    if is_json {
        return Ok(format!("{:#}\n", Value::Array(objects)));
    }
    let header = [
        "method", "stages", "order", "constant", "ρ(∞)", "ρ(0.1)", "decay %", "period %", "max q",
        "max v/ω",
    ];
    Ok(table::render(&header, &cells)
        + "\nconstant: error constant times stages^order, that is at equal work; ρ(∞): at ωh = 1e8; \
           ρ(0.1), decay and\nperiod: at Δt/(nT) = 0.1; max q, v: over 20 steps of ten periods each \
           from q = 1 at rest.\n--show rows prints them over the step, --out FOLDER draws them.\n")
}

fn region(subjects: &[Subject], is_json: bool) -> Result<String, Failure> {
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

fn overshoot(subjects: &[Subject], damping: f64, is_json: bool) -> Result<String, Failure> {
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

/// The pictures.
fn draw(folder: &Path, subjects: &[Subject], damping: f64) -> Result<(), Failure> {
    let grid = |from: f64, to: f64, count: i32| -> Vec<f64> {
        (0..=count).map(|k| from + (to - from) * f64::from(k) / f64::from(count)).collect()
    };
    let low = grid(0.002, 0.2, 60);
    let wide: Vec<f64> = grid(-3.0, 3.0, 120).into_iter().map(|x| 10_f64.powf(x)).collect();
    let mut curves: [Vec<Series>; 4] = Default::default();
    let mut motions: [Vec<Series>; 2] = Default::default();
    for subject in subjects {
        let (info, method) = (subject.info, subject.method.as_ref());
        let name = || subject.label.clone();
        let series = |points: Vec<(f64, f64)>| Series { name: name(), points };
        let small = spectral::responses(info, method, &low, damping)?;
        let large = spectral::responses(info, method, &wide, damping)?;
        let pick = |rows: &[Response], value: fn(&Response) -> f64| {
            let kept = rows.iter().filter(|row| !row.is_aliased);
            series(kept.map(|row| (row.abscissa, value(row))).collect())
        };
        let radius = large.iter().map(|row| (row.abscissa, row.radius)).collect();
        curves[0].push(series(radius));
        curves[1].push(pick(&small, |row| row.amplitude_decay));
        curves[2].push(pick(&small, |row| row.period_elongation));
        let edge = spectral::region(info, method, RAYS)?;
        let n = method.stages() as f64;
        curves[3].push(series(edge.iter().map(|point| (point.re / n, point.im / n)).collect()));
        let motion = spectral::overshoot(info, method, damping, OVERSHOOT.1, OVERSHOOT.0)?;
        for (of, values) in [motion.displacements, motion.velocities].into_iter().enumerate() {
            let points = values.into_iter().enumerate().map(|(k, x)| (k as f64, x)).collect();
            motions[of].push(series(points));
        }
    }
    let [radius, decay, period, edge] = curves;
    let [displacement, velocity] = motions;
    let step = "step over period and stages, Δt/(nT)";
    let panel =
        |y_label: &str, series| Panel { y_label: y_label.into(), scale: Scale::Linear, series };
    let figure = |title: &str, x_label: &str, panels| Figure {
        title: title.into(),
        subtitle: match damping {
            0.0 => "undamped oscillator".into(),
            _ => format!("oscillator with damping ratio {damping}"),
        },
        x_label: x_label.into(),
        panels,
        ..Figure::default()
    };
    let figures = [
        (
            "radius",
            Figure {
                scale: Scale::Logarithmic,
                ..figure("Spectral radius", step, vec![panel("spectral radius", radius)])
            },
        ),
        ("decay", figure("Amplitude decay", step, vec![panel("amplitude decay [%]", decay)])),
        ("period", figure("Period elongation", step, vec![panel("period elongation [%]", period)])),
        (
            "region",
            Figure {
                is_map: true,
                subtitle: "where the spectral radius is one; unstable towards the origin".into(),
                ..figure("Edge of the stability region", "Re λΔt/n", vec![panel("Im λΔt/n", edge)])
            },
        ),
        (
            "overshoot",
            Figure {
                has_marks: true,
                subtitle: "from q = 1 at rest, in steps of ten periods".into(),
                ..figure(
                    "Overshoot",
                    "step",
                    vec![panel("displacement", displacement), panel("velocity over ω", velocity)],
                )
            },
        ),
    ];
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::usage(format!("cannot make {}: {error}", folder.display())))?;
    for (name, figure) in figures {
        chart::write(&figure, &folder.join(format!("{name}.svg")))?;
    }
    table::tell(&format!("pictures: {}", folder.display()));
    Ok(())
}
