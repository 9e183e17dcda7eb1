//! Channels for plots on a page.

use std::path::Path;

use cardan::results::ResultsTable;
use serde_json::{Value, json};

use super::blob::{doubles, singles};
use super::compact::{CHANNEL_BITS, to_bits};
use super::envelope::Envelope;
use crate::error::LabError;

/// The numbers of all channels for plots with their times, at most.
const MAX_NUMBERS: usize = 100_000;
/// The channels for plots, at most.
const MAX_CHANNELS: usize = 500;
/// Numbers of an interval of an envelope: two times and two values.
const INTERVAL_NUMBERS: usize = 4;

/// Channels over time.
#[derive(Clone, Debug, Default)]
pub struct PlotChannels {
    names: Vec<(String, String)>,
    rows: PlotRows,
}

/// Times and values of channels.
#[derive(Clone, Debug)]
enum PlotRows {
    /// All rows of all columns, of which the first is time.
    All(Vec<Vec<f64>>),
    /// Many rows: the extremes of each channel.
    Envelopes(Vec<Envelope>),
}

impl Default for PlotRows {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

impl PlotChannels {
    fn new(columns: impl Iterator<Item = (String, String)>) -> Self {
        let names: Vec<_> = columns.take(MAX_CHANNELS + 1).collect();
        Self { rows: PlotRows::All(vec![Vec::new(); names.len()]), names }
    }

    /// Columns with names and units, of which the first is time. If there are many rows, the extremes of each channel stay.
    pub fn of_columns(columns: impl IntoIterator<Item = (String, String, Vec<f64>)>) -> Self {
        let (names, values): (Vec<_>, Vec<_>) =
            columns.into_iter().map(|(name, unit, values)| ((name, unit), values)).unzip();
        let mut all = Self::new(names.into_iter());
        let mut row = vec![0.0; all.names.len()];
        for k in 0..values.iter().map(Vec::len).min().unwrap_or(0) {
            row.iter_mut().zip(&values).for_each(|(x, column)| *x = column[k]);
            all.add(&row);
        }
        all
    }

    /// The results in a folder. They are read row by row: the memory does not depend on their number.
    pub fn of_folder(folder: &Path) -> Result<Self, LabError> {
        let input = |error: cardan::results::ReadError| LabError::input(error.to_string());
        let table = ResultsTable::open(folder).map_err(input)?;
        let columns = table.columns().iter().map(|x| (x.name.clone(), x.unit.clone()));
        let mut all = Self::new(columns);
        let wanted: Vec<usize> = (0..all.names.len()).collect();
        let mut take = |row: &[f64]| {
            all.add(row);
            Ok(())
        };
        table.visit_rows(&wanted, &mut take).map_err(input)?;
        Ok(all)
    }

    fn add(&mut self, row: &[f64]) {
        match &mut self.rows {
            PlotRows::All(columns) => {
                let most = (MAX_NUMBERS / columns.len().max(1)).max(2);
                columns.iter_mut().zip(row).for_each(|(column, x)| column.push(*x));
                if let Some((times, channels)) = columns.split_first()
                    && times.len() > most
                {
                    let envelope = |values: &Vec<f64>| {
                        let mut envelope = Envelope::new(most / INTERVAL_NUMBERS);
                        times.iter().zip(values).for_each(|(time, x)| envelope.add(*time, *x));
                        envelope
                    };
                    self.rows = PlotRows::Envelopes(channels.iter().map(envelope).collect());
                }
            }
            PlotRows::Envelopes(channels) => {
                let Some((time, values)) = row.split_first() else { return };
                channels.iter_mut().zip(values).for_each(|(channel, x)| channel.add(*time, *x));
            }
        }
    }

    /// The channels and the list of their times.
    pub(super) fn to_json(&self) -> (Value, Value) {
        let column = |k: usize, times: usize, values: &[f64]| {
            let (name, unit) = &self.names[k + 1];
            let rounded = values.iter().map(|x| to_bits(*x as f32, CHANNEL_BITS));
            json!({ "name": name, "unit": unit, "times": times, "values": singles(&[values.len()], rounded) })
        };
        let times = |times: &[f64]| doubles(&[times.len()], times.iter().copied());
        match &self.rows {
            PlotRows::All(columns) => match columns.split_first() {
                Some((shared, channels)) if !shared.is_empty() => {
                    let channels = channels.iter().enumerate().map(|(k, x)| column(k, 0, x));
                    (channels.collect(), json!([times(shared)]))
                }
                _ => (json!([]), json!([])),
            },
            PlotRows::Envelopes(channels) => {
                let points: Vec<_> = channels.iter().map(Envelope::points).collect();
                let channels = points.iter().enumerate().map(|(k, (_, x))| column(k, k, x));
                (channels.collect(), points.iter().map(|(own, _)| times(own)).collect())
            }
        }
    }
}
