//! Fewer rows of a channel, so that its extremes stay.

/// Extremes of a channel over rows in a sequence, with their times.
#[derive(Clone, Copy, Debug)]
struct Extremes {
    low: (f64, f64),
    high: (f64, f64),
}

impl Extremes {
    /// Both with the times in order. NaN belongs to neither, unless there is nothing else.
    fn with(self, other: Self) -> Self {
        let low =
            if other.low.1 < self.low.1 || self.low.1.is_nan() { other.low } else { self.low };
        let is_higher = other.high.1 > self.high.1 || self.high.1.is_nan();
        Self { low, high: if is_higher { other.high } else { self.high } }
    }
}

/// The smallest and largest values of a channel in intervals of equally many rows. The intervals double when there are too many:
/// the memory does not depend on the number of rows.
#[derive(Clone, Debug)]
pub(super) struct Envelope {
    intervals: Vec<Extremes>,
    /// Rows of an interval, and of the last one so far.
    rows: usize,
    filled: usize,
    max_intervals: usize,
    first: Option<(f64, f64)>,
    last: (f64, f64),
}

impl Envelope {
    /// With at most a number of intervals, which is at least two.
    pub fn new(max_intervals: usize) -> Self {
        let max_intervals = max_intervals.max(2);
        let last = (f64::NAN, f64::NAN);
        Self { intervals: Vec::new(), rows: 1, filled: 1, max_intervals, first: None, last }
    }

    /// Adds the value of the next row.
    pub fn add(&mut self, time: f64, value: f64) {
        let row = (time, value);
        self.first.get_or_insert(row);
        self.last = row;
        let extremes = Extremes { low: row, high: row };
        match self.intervals.last_mut() {
            Some(last) if self.filled < self.rows => {
                *last = last.with(extremes);
                self.filled += 1;
            }
            _ => {
                if self.intervals.len() == self.max_intervals {
                    self.halve();
                }
                if self.filled < self.rows {
                    return self.add(time, value);
                }
                self.intervals.push(extremes);
                self.filled = 1;
            }
        }
    }

    /// Joins neighbouring intervals.
    fn halve(&mut self) {
        let joined = self.intervals.chunks(2).map(|pair| match *pair {
            [one, two] => one.with(two),
            _ => pair[0],
        });
        // the last interval is full; it has half of the new number of rows if it stays alone
        let is_alone = !self.intervals.len().is_multiple_of(2);
        self.filled = if is_alone { self.rows } else { 2 * self.rows };
        self.rows *= 2;
        self.intervals = joined.collect();
    }

    /// Times and values: the first row, the extremes of each interval in the order of their times, and the last row.
    pub fn points(&self) -> (Vec<f64>, Vec<f64>) {
        let extremes = self.intervals.iter().flat_map(|x| match x.low.0 <= x.high.0 {
            true => [x.low, x.high],
            false => [x.high, x.low],
        });
        let all = self.first.into_iter().chain(extremes).chain(self.first.map(|_| self.last));
        let mut points: Vec<(f64, f64)> = all.collect();
        // a row is only once there
        points.dedup_by(|next, kept| next.0 == kept.0);
        points.into_iter().unzip()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spikes of one row stay with their exact times, wherever they are; so do the first and the last row.
    #[test]
    fn extremes_first_and_last_rows_stay() {
        for count in [1, 2, 7, 8, 9, 1000, 4097] {
            for spike in [0, count / 3, count / 2, count - 1] {
                let value = |k: usize| {
                    let smooth = (k as f64 / 50.0).sin();
                    if k == spike { 10.0 + smooth } else { smooth }
                };
                let mut envelope = Envelope::new(8);
                (0..count).for_each(|k| envelope.add(k as f64, value(k)));
                let (times, values) = envelope.points();
                assert!(times.len() <= 18 && times.is_sorted(), "{count} {times:?}");
                for (time, x) in times.iter().zip(&values) {
                    assert_eq!(*x, value(*time as usize));
                }
                assert_eq!((times[0], times[times.len() - 1]), (0.0, (count - 1) as f64));
                let low = (0..count).map(value).fold(f64::MAX, f64::min);
                assert!(values.contains(&value(spike)) && values.contains(&low), "{count} {spike}");
            }
        }
    }

    /// A value that is not a number leaves the extremes of its interval as they are.
    #[test]
    fn nan_does_not_hide_extremes() {
        let mut envelope = Envelope::new(2);
        for (k, x) in
            [f64::NAN, 3.0, -2.0, f64::NAN, 1.0, 0.0, 0.5, f64::NAN].into_iter().enumerate()
        {
            envelope.add(k as f64, x);
        }
        let (_, values) = envelope.points();
        assert!(values.contains(&3.0) && values.contains(&-2.0) && values.contains(&1.0));
    }
}
