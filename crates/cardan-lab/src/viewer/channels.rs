//! Channels for plots on a page.

use std::path::Path;

use cardan::results::ResultsTable;
use serde_json::{Value, json};

use super::blob::{doubles, singles};
use super::compact::{CHANNEL_BITS, to_bits};
use crate::error::LabError;

/// The numbers of all channels for plots, at most; rows are left out evenly.
const MAX_NUMBERS: usize = 100_000;
/// The channels for plots, at most.
const MAX_CHANNELS: usize = 500;
/// Rows that are read at once: those of a channel, at most.
const MAX_READ: usize = 1 << 25;

/// Channels over time.
#[derive(Clone, Debug, Default)]
pub struct PlotChannels {
    times: Vec<f64>,
    channels: Vec<PlotChannel>,
}

#[derive(Clone, Debug)]
struct PlotChannel {
    name: String,
    unit: String,
    values: Vec<f64>,
}

impl PlotChannels {
    /// Columns with names and units, of which the first is time; some rows if there are many.
    pub fn of_columns(columns: impl IntoIterator<Item = (String, String, Vec<f64>)>) -> Self {
        let mut all: Vec<_> = columns.into_iter().take(MAX_CHANNELS + 1).collect();
        let most = most_rows(all.len());
        all.iter_mut().for_each(|(_, _, values)| thin(values, most));
        Self::of_rows(all)
    }

    fn of_rows(all: Vec<(String, String, Vec<f64>)>) -> Self {
        let mut all = all.into_iter();
        let times = all.next().map_or(Vec::new(), |x| x.2);
        let channels = all.map(|(name, unit, values)| PlotChannel { name, unit, values });
        Self { times, channels: channels.collect() }
    }

    /// The results in a folder. Channels are read in groups, so that the memory does not depend on their number.
    pub fn of_folder(folder: &Path) -> Result<Self, LabError> {
        let input = |error: cardan::results::ReadError| LabError::input(error.to_string());
        let table = ResultsTable::open(folder).map_err(input)?;
        let about = &table.columns()[..table.columns().len().min(MAX_CHANNELS + 1)];
        let most = most_rows(about.len());
        let mut all: Vec<Vec<f64>> = Vec::new();
        let mut group = 1;
        while all.len() < about.len() {
            let columns: Vec<usize> = (all.len()..(all.len() + group).min(about.len())).collect();
            let mut values = table.values(&columns).map_err(input)?;
            let rows = values.first().map_or(0, Vec::len);
            values.iter_mut().for_each(|column| thin(column, most));
            all.extend(values);
            group = (MAX_READ / rows.max(1)).clamp(1, MAX_CHANNELS);
        }
        let named = about.iter().zip(all);
        let named = named.map(|(x, values)| (x.name.clone(), x.unit.clone(), values));
        Ok(Self::of_rows(named.collect()))
    }

    /// The channels and the list of their times.
    pub(super) fn to_json(&self) -> (Value, Value) {
        let channels = self.channels.iter().map(|channel| {
            let values = channel.values.iter().map(|x| to_bits(*x as f32, CHANNEL_BITS));
            json!({
                "name": channel.name,
                "unit": channel.unit,
                "times": 0,
                "values": singles(&[channel.values.len()], values),
            })
        });
        let times = match self.times.is_empty() {
            true => json!([]),
            false => json!([doubles(&[self.times.len()], self.times.iter().copied())]),
        };
        (channels.collect(), times)
    }
}

fn most_rows(columns: usize) -> usize {
    (MAX_NUMBERS / columns.max(1)).max(2)
}

/// Leaves out rows evenly; the first and the last stay.
fn thin(values: &mut Vec<f64>, most: usize) {
    let count = values.len();
    let stride = count.div_ceil(most).max(1);
    let mut k = 0..;
    let is_kept = |k: usize| k.is_multiple_of(stride) || k + 1 == count;
    values.retain(|_| k.next().is_some_and(is_kept));
    values.shrink_to_fit();
}
