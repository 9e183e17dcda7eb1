//! The last states of structures: maps of membranes and lines through them.

use std::path::Path;

use super::Drawing;
use crate::chart::ChartSeries;
use crate::chart::field::{self, ColorMap, FieldChart};
use crate::error::LabError;
use crate::reproduce::manifest::{Picture, View};
use crate::snapshot_chart::{SnapshotTable, grid};

impl Drawing<'_> {
    /// The snapshots of the cases of a view.
    fn snapshots(&self, view: &View) -> Result<Vec<(String, SnapshotTable)>, LabError> {
        if !self.study(view)?.study.snapshot {
            let message = "its study keeps no last state\n  try: `snapshot = true`";
            return Err(LabError::input(message));
        }
        let mut found = Vec::new();
        for (name, study, case) in self.cases(view)? {
            let text = self.quantities.results.snapshot(study, case);
            let name = name.split(',').next().unwrap_or(&name);
            let name = format!("{name} (CFL {})", case.given);
            found.extend(text.and_then(|text| Some((name, SnapshotTable::parse(&text)?))));
        }
        Ok(found)
    }

    pub(super) fn profiles(&self, view: &View) -> Result<Vec<ChartSeries>, LabError> {
        let quantity = view.quantity.as_deref().unwrap_or("displacement");
        let exact = if quantity == "displacement" { "exact" } else { "exact_velocity" };
        let is_diagonal = view.along.as_deref() == Some("diagonal");
        let mut series = Vec::new();
        for (name, table) in self.snapshots(view)? {
            let (Some(x), Some(y)) = (table.column("x"), table.column("y")) else { continue };
            let ([columns, _], _) = grid(&x, &y);
            let stride = if is_diagonal { columns + 1 } else { 1 };
            let line = |values: &[f64]| -> Vec<(f64, f64)> {
                let nodes = (0..columns).map(|k| k * stride).filter(|k| *k < values.len());
                nodes.map(|k| (x[k].hypot(y[k]), values[k])).collect()
            };
            if let (true, Some(values)) = (series.is_empty(), table.column(exact)) {
                series.push(ChartSeries { name: "exact".into(), points: line(&values) });
            }
            if let Some(values) = table.column(quantity) {
                series.push(ChartSeries { name, points: line(&values) });
            }
        }
        Ok(series)
    }

    pub(super) fn fields(
        &self,
        title: &str,
        picture: &Picture,
        views: &[View],
        path: &Path,
    ) -> Result<bool, LabError> {
        let mut fields = Vec::new();
        for view in views {
            for (name, table) in self.snapshots(view)? {
                let (Some(x), Some(y)) = (table.column("x"), table.column("y")) else { continue };
                let (nodes, sides) = grid(&x, &y);
                if let (true, Some(values)) = (fields.is_empty(), table.column("exact")) {
                    fields.push(FieldChart { title: "exact".into(), nodes, sides, values });
                }
                if let Some(values) = table.column("displacement") {
                    fields.push(FieldChart { title: name, nodes, sides, values });
                }
            }
        }
        let is_empty = fields.is_empty();
        let map = ColorMap {
            title: title.into(),
            subtitle: picture.caption.clone(),
            quantity: "u [m]".into(),
            fields,
        };
        field::write(&map, path)?;
        Ok(!is_empty)
    }
}
