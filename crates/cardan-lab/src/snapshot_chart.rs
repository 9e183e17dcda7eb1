//! Pictures of a structure at one time: a colour map and profiles of a membrane, or a line for a bar.

use std::path::{Path, PathBuf};

use cardan::output::ExistingFile;

use crate::chart::field::{self, ColorMap, FieldChart};
use crate::chart::{self, AxisScale, ChartFigure, ChartPanel, ChartSeries};
use crate::error::LabError;

/// A table of numbers with named columns.
pub(crate) struct SnapshotTable {
    columns: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl SnapshotTable {
    fn read(path: &Path) -> Result<Self, LabError> {
        let fail = |why: String| LabError::input(format!("{}: {why}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
        Self::parse(&text).ok_or_else(|| fail("not a snapshot file".into()))
    }

    /// Reads comma-separated values under a line of column names.
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let columns: Vec<String> =
            lines.next().unwrap_or_default().split(',').map(str::to_string).collect();
        let row = |line: &str| -> Option<Vec<f64>> {
            let row: Option<Vec<f64>> = line.split(',').map(|x| x.parse().ok()).collect();
            row.filter(|row| row.len() == columns.len())
        };
        let rows: Option<Vec<Vec<f64>>> = lines.map(row).collect();
        let rows = rows.filter(|rows| !rows.is_empty())?;
        Some(Self { columns, rows })
    }

    /// A column by its name.
    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        let k = self.columns.iter().position(|x| x == name)?;
        Some(self.rows.iter().map(|row| row[k]).collect())
    }
}

/// Draws all snapshots of a run, or the one nearest to a time.
pub fn draw_snapshots(
    results: &Path,
    time: Option<f64>,
    out: Option<&Path>,
    title: Option<&str>,
    existing: ExistingFile<'_>,
) -> Result<String, LabError> {
    let (folder, list) = cardan::results::snapshots(results).ok_or_else(|| {
        let message = format!(
            "{} has no snapshots\n  try: `snapshots = [TIME]` in [output] of the model",
            results.display()
        );
        LabError::input(message)
    })?;
    let mut all: Vec<(String, f64, PathBuf)> = list
        .into_iter()
        .map(|entry| (entry.structure, entry.time, folder.join(entry.file)))
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    if let Some(time) = time {
        let nearest = all.iter().map(|x| (x.1 - time).abs()).fold(f64::INFINITY, f64::min);
        all.retain(|x| (x.1 - time).abs() == nearest);
    }
    if all.is_empty() {
        return Err(LabError::input(format!("{} is empty", folder.display())));
    }
    if all.len() > 1 && out.is_some() {
        return Err(LabError::input(
            "--out names one picture, but there are several snapshots\n  try: --snapshot TIME",
        ));
    }
    let mut text = String::new();
    for (structure, time, path) in all {
        let table = SnapshotTable::read(&path)?;
        let picture = out.map_or_else(|| path.with_extension("svg"), Path::to_path_buf);
        let title = title.unwrap_or(&structure);
        for written in draw(&table, title, time, &picture, existing)? {
            text += &format!("{}\n", written.display());
        }
    }
    Ok(text)
}

fn draw(
    table: &SnapshotTable,
    title: &str,
    time: f64,
    out: &Path,
    existing: ExistingFile<'_>,
) -> Result<Vec<PathBuf>, LabError> {
    chart::check(out, existing)?;
    let fail = || LabError::input("not a snapshot file");
    let x = table.column("x").ok_or_else(fail)?;
    let y = table.column("y").ok_or_else(fail)?;
    let subtitle = format!("t = {time}");
    let is_grid = y.iter().any(|y| *y > 0.0);
    if !is_grid {
        let places = if x[0].is_nan() { table.column("node").ok_or_else(fail)? } else { x };
        let panels = ["displacement", "velocity"]
            .map(|name| lines(table, name, &places, &[("", all(&places))]));
        let figure = ChartFigure {
            title: title.into(),
            subtitle,
            x_label: "x [m]".into(),
            panels: panels.into(),
            ..ChartFigure::default()
        };
        chart::write_as(&figure, out, existing)?;
        return Ok(vec![out.into()]);
    }
    let (nodes, sides) = grid(&x, &y);
    let columns = nodes[0];
    let mut fields = Vec::new();
    for (name, title) in [("displacement", "computed"), ("exact", "exact")] {
        if let Some(values) = table.column(name) {
            fields.push(FieldChart { title: title.into(), nodes, sides, values });
        }
    }
    let map = ColorMap {
        title: title.into(),
        subtitle: subtitle.clone(),
        quantity: "u [m]".into(),
        fields,
    };
    let stem = out.file_stem().unwrap_or_default().to_string_lossy();
    let ending = out.extension().unwrap_or_default().to_string_lossy();
    let profiles = out.with_file_name(format!("{stem}-profiles.{ending}"));
    chart::check(&profiles, existing)?;
    field::write_as(&map, out, existing)?;
    // along an edge, and along the diagonal if there are nodes on it
    let edge: Vec<usize> = (0..columns).collect();
    let mut directions = vec![("along x", edge)];
    if nodes[0] == nodes[1] {
        directions.push(("along the diagonal", (0..columns).map(|k| k * (columns + 1)).collect()));
    }
    let length: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x.hypot(*y)).collect();
    let panels = ["displacement", "velocity"].map(|name| lines(table, name, &length, &directions));
    let figure = ChartFigure {
        title: title.into(),
        subtitle,
        x_label: "distance from the origin [m]".into(),
        panels: panels.into(),
        ..ChartFigure::default()
    };
    chart::write_as(&figure, &profiles, existing)?;
    Ok(vec![out.into(), profiles])
}

/// Nodes along x and y of a rectangle, and its sides.
pub(crate) fn grid(x: &[f64], y: &[f64]) -> ([usize; 2], [f64; 2]) {
    let columns = y.iter().take_while(|other| **other == y[0]).count();
    let last = x.len() - 1;
    ([columns, y.len() / columns], [x[last], y[last]])
}

fn all(places: &[f64]) -> Vec<usize> {
    (0..places.len()).collect()
}

/// A quantity along lines of nodes, with its exact values if they are known.
fn lines(
    table: &SnapshotTable,
    name: &str,
    places: &[f64],
    directions: &[(&str, Vec<usize>)],
) -> ChartPanel {
    let exact = if name == "displacement" { "exact" } else { "exact_velocity" };
    let mut series = Vec::new();
    for (direction, nodes) in directions {
        let Some(values) = table.column(name) else { continue };
        let points = nodes.iter().map(|&k| (places[k], values[k])).collect();
        let name = if direction.is_empty() { name.to_string() } else { (*direction).to_string() };
        series.push(ChartSeries { name, points });
    }
    if let (Some(values), Some((_, nodes))) = (table.column(exact), directions.first()) {
        let points = nodes.iter().map(|&k| (places[k], values[k])).collect();
        series.push(ChartSeries { name: "exact".into(), points });
    }
    let unit = if name == "displacement" { "m" } else { "m/s" };
    ChartPanel { y_label: format!("{name} [{unit}]"), scale: AxisScale::Linear, series }
}
