//! Measures of methods as bars.

use std::path::Path;

use super::{Drawing, row, write_data};
use crate::chart::bars::{self, Bars};
use crate::error::LabError;
use crate::reproduce::manifest::{Picture, View};

impl Drawing<'_> {
    /// One panel for each view, one colour for each of its steps.
    pub(super) fn bars(
        &self,
        title: &str,
        picture: &Picture,
        views: &[View],
        path: &Path,
    ) -> Result<bool, LabError> {
        let names = self.methods(&views[0])?;
        let mut panels = Vec::new();
        for view in views {
            let measure = view.measure.clone().unwrap_or_else(|| "iterations".into());
            let study = self.study(view)?;
            let mut steps: Vec<f64> = match &view.step {
                Some(step) => vec![step.value()?],
                None => study.cases.iter().map(|case| case.given).collect(),
            };
            steps.sort_by(|a, b| b.total_cmp(a));
            steps.dedup();
            let mut groups = Vec::new();
            for step in steps {
                let mut values = Vec::new();
                for method in &names {
                    let found = match study.case(method, step) {
                        Some(_) => self.quantities.measure(&study.name, method, step, &measure)?,
                        None => None,
                    };
                    values.push(found.unwrap_or(f64::NAN));
                }
                groups.push((format!("{step:e}"), values));
            }
            panels.push((view.label.clone().unwrap_or(measure), groups));
        }
        let is_empty = panels.iter().all(|(_, groups)| groups.is_empty());
        let subtitle = picture.caption.clone();
        let rows = panels.iter().flat_map(|(label, groups)| {
            let names = &names;
            groups.iter().flat_map(move |(step, values)| {
                let each = names.iter().zip(values);
                each.map(move |(method, value)| row(label, method, step, *value))
            })
        });
        write_data(path, "panel,method,step,value\n", rows)?;
        let names = names.iter().map(|method| self.manifest.called(method)).collect();
        bars::write(&Bars { title: title.into(), subtitle, panels, names }, path)?;
        Ok(!is_empty)
    }
}
