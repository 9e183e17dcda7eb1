//! Pictures of the linear analysis.

use cardan::SimulationError;
use std::path::Path;

use cardan::output::ExistingFile;
use cardan_lab::spectral::{self, SpectralResponse, Spectrum};

use crate::failure::CommandFailure;
use crate::table;
use cardan_lab::chart::{self, AxisScale, ChartFigure, ChartPanel, ChartSeries};

/// Spectral radii above this are not drawn.
const MAX_RADIUS: f64 = 1.25;
/// Overshoots above this are not drawn.
const MAX_OVERSHOOT: f64 = 1e3;

/// Draws all pictures in a folder.
pub fn draw(
    folder: &Path,
    spectrum: &Spectrum<'_>,
    existing: ExistingFile<'_>,
) -> Result<(), CommandFailure> {
    let grid = |from: f64, to: f64, count: i32| -> Vec<f64> {
        (0..=count).map(|k| from + (to - from) * f64::from(k) / f64::from(count)).collect()
    };
    let low = grid(0.002, 0.2, 60);
    let wide: Vec<f64> = grid(-3.0, 3.0, 120).into_iter().map(|x| 10_f64.powf(x)).collect();
    let mut curves: [Vec<ChartSeries>; 4] = Default::default();
    let mut motions: [Vec<ChartSeries>; 2] = Default::default();
    let damping = spectrum.damping;
    for analysed in &spectrum.methods {
        let (info, method) = (analysed.info, analysed.method.as_ref());
        let name = || analysed.label.clone();
        let series = |points: Vec<(f64, f64)>| ChartSeries { name: name(), points };
        let small = spectral::responses(info, method, &low, damping)?;
        let large = spectral::responses(info, method, &wide, damping)?;
        let pick = |rows: &[SpectralResponse], value: fn(&SpectralResponse) -> f64| {
            let kept = rows.iter().filter(|row| !row.is_aliased);
            series(kept.map(|row| (row.abscissa, value(row))).collect())
        };
        // the curve of a method that becomes unstable ends there
        let inside = large.iter().filter(|row| row.radius <= MAX_RADIUS);
        let radius = inside.map(|row| (row.abscissa, row.radius)).collect();
        curves[0].push(series(radius));
        curves[1].push(pick(&small, |row| row.amplitude_decay));
        curves[2].push(pick(&small, |row| row.period_elongation));
        let edge = spectral::region(info, method, Spectrum::RAYS)?;
        let n = method.stages() as f64;
        curves[3].push(series(edge.iter().map(|point| (point.re / n, point.im / n)).collect()));
        // an unstable motion would set the scale of the picture and hide the others
        let motion = match analysed.overshoot(damping) {
            Ok(motion) if motion.displacement() < MAX_OVERSHOOT => motion,
            Ok(_) | Err(SimulationError::Step { .. }) => continue,
            Err(error) => return Err(error.into()),
        };
        for (of, values) in [motion.displacements, motion.velocities].into_iter().enumerate() {
            let points = values.into_iter().enumerate().map(|(k, x)| (k as f64, x)).collect();
            motions[of].push(series(points));
        }
    }
    let [radius, decay, period, edge] = curves;
    let [displacement, velocity] = motions;
    let step = "step over period and stages, Δt/(nT)";
    let panel = |y_label: &str, series| ChartPanel {
        y_label: y_label.into(),
        scale: AxisScale::Linear,
        series,
    };
    let figure = |title: &str, x_label: &str, panels| ChartFigure {
        title: title.into(),
        subtitle: match damping {
            0.0 => "undamped oscillator".into(),
            _ => format!("oscillator with damping ratio {damping}"),
        },
        x_label: x_label.into(),
        // marks distinguish the curves in black and white
        has_marks: true,
        panels,
        ..ChartFigure::default()
    };
    let figures = [
        (
            "radius",
            ChartFigure {
                scale: AxisScale::Logarithmic,
                ..figure("Spectral radius", step, vec![panel("spectral radius", radius)])
            },
        ),
        ("decay", figure("Amplitude decay", step, vec![panel("amplitude decay [%]", decay)])),
        ("period", figure("Period elongation", step, vec![panel("period elongation [%]", period)])),
        (
            "region",
            ChartFigure {
                is_map: true,
                subtitle: "where the spectral radius is one; implicit methods are unstable inside, explicit ones outside".into(),
                ..figure("Edge of the stability region", "Re λΔt/n", vec![panel("Im λΔt/n", edge)])
            },
        ),
        (
            "overshoot",
            ChartFigure {
                subtitle: "from q = 1 at rest, in steps of ten periods".into(),
                ..figure(
                    "Overshoot",
                    "step",
                    vec![panel("displacement", displacement), panel("velocity over ω", velocity)],
                )
            },
        ),
    ];
    std::fs::create_dir_all(folder).map_err(|error| {
        CommandFailure::usage(format!("cannot create {}: {error}", folder.display()))
    })?;
    let place = |name: &str| folder.join(format!("{name}.svg"));
    figures.iter().try_for_each(|(name, _)| chart::check(&place(name), existing))?;
    for (name, figure) in figures {
        chart::write_as(&figure, &place(name), existing)?;
    }
    table::print_note(&format!("pictures: {}", folder.display()));
    Ok(())
}
