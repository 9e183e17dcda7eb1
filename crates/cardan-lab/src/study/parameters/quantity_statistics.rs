//! Statistics of the quantities of a study over its cases.

use serde::Serialize;

use super::table::StudyTable;

/// Statistics of a quantity over the cases that have a finite value of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuantityStatistics {
    /// The quantity.
    pub quantity: String,
    /// Its formula.
    pub formula: String,
    /// The number of finite values.
    pub cases: usize,
    /// The mean.
    pub mean: f64,
    /// The standard deviation, with divisor n − 1.
    pub deviation: f64,
    /// The smallest value.
    pub min: f64,
    /// The value below which 5 % of the cases are.
    pub percentile_5: f64,
    /// The value below which half of the cases are.
    pub median: f64,
    /// The value below which 95 % of the cases are.
    pub percentile_95: f64,
    /// The largest value.
    pub max: f64,
}

impl StudyTable {
    /// The statistics of all quantities; those without values are NaN.
    pub fn statistics(&self) -> Vec<QuantityStatistics> {
        let of = |(quantity, formula): &(String, String)| {
            let sorted = self.sorted(quantity);
            let count = sorted.len() as f64;
            let mean = sorted.iter().sum::<f64>() / count;
            let squares = sorted.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
            let at = |part: f64| percentile(&sorted, part);
            QuantityStatistics {
                quantity: quantity.clone(),
                formula: formula.clone(),
                cases: sorted.len(),
                mean,
                // NaN for less than two values
                deviation: if count > 1.0 { (squares / (count - 1.0)).sqrt() } else { f64::NAN },
                min: at(0.0),
                percentile_5: at(0.05),
                median: at(0.5),
                percentile_95: at(0.95),
                max: at(1.0),
            }
        };
        self.about.quantities.iter().map(of).collect()
    }

    /// The finite values of a column in ascending order.
    pub fn sorted(&self, name: &str) -> Vec<f64> {
        let mut values: Vec<f64> =
            self.numbers(name).into_iter().filter(|x| x.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        values
    }
}

/// The value below which a part of sorted values lies, linear between them; NaN if there are none.
pub fn percentile(sorted: &[f64], part: f64) -> f64 {
    let place = part * (sorted.len().saturating_sub(1)) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    match (sorted.get(below), sorted.get(above)) {
        (Some(a), Some(b)) => a + (place - place.floor()) * (b - a),
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{StudyDescription, TableColumn};
    use super::*;

    #[test]
    fn statistics_of_finite_values() {
        let about = StudyDescription {
            quantities: vec![("x".into(), "max(a)".into()), ("none".into(), "min(a)".into())],
            ..StudyDescription::default()
        };
        let numbers = |values: &[f64]| TableColumn::Numbers(values.to_vec());
        let columns = vec![
            ("x".to_string(), numbers(&[4.0, f64::NAN, 1.0, 2.0])),
            ("none".to_string(), numbers(&[f64::NAN])),
        ];
        let [x, none] = &StudyTable { about, columns }.statistics()[..] else {
            panic!("two quantities have two rows")
        };
        assert_eq!((x.cases, x.min, x.median, x.max), (3, 1.0, 2.0, 4.0));
        // deviations from 7/3: 25/9 + 1/9 + 16/9, over 2
        assert!((x.deviation - (7.0_f64 / 3.0).sqrt()).abs() < 1e-15);
        assert!((x.percentile_95 - 3.8).abs() < 1e-15);
        assert!(
            none.cases == 0
                && none.mean.is_nan()
                && none.median.is_nan()
                && none.deviation.is_nan()
        );
    }
}
