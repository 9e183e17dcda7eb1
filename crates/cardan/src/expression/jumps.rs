//! The times at which a formula of time jumps, or its slope or its curvature.
//!
//! Candidates come from the switches of the formula. Where the argument of a switch is a straight line over time, its times are exact; other
//! arguments are sampled at [`SAMPLES`] equal distances and next to the times found before, and each change is located by
//! bisection. What an argument does twice between two samples is missed. A candidate is a jump if the formula is not
//! the same on both sides of it.

use super::evaluate::{self, Needed};
use super::formula::Expression;
use super::operation::Operation;
use super::switch::{Levels, Line, Switch, switches};

/// The most jumps that are listed: the first ones.
pub const MAX_JUMPS: usize = 4096;

/// The samples of an argument that is not a straight line.
const SAMPLES: usize = 4000;
/// The operations of formulas that may be evaluated to find candidates, and to compare their sides.
const MAX_WORK: usize = 20_000_000;
/// The most halvings of an interval: enough from its width to round-off, unless it reaches over many powers of ten.
const MAX_HALVINGS: usize = 200;
/// The sides are compared at these multiples of the uncertainty of a time.
const DISTANCES: [f64; 4] = [1.0, 2.0, 3.0, 5.0];
/// A difference below this part of the values nearby is round-off.
const ROUND_OFF: f64 = 1e-11;

/// A time at which a formula is not smooth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    /// The time.
    pub time: f64,
    /// The lowest derivative that jumps: 0 is the value, 1 the slope, 2 the curvature.
    pub derivative: usize,
}

/// A time at which a branch switches.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    time: f64,
    /// The round-off of the time.
    uncertainty: f64,
}

impl Candidate {
    /// A time computed from numbers of a size.
    fn new(time: f64, size: f64) -> Self {
        let uncertainty = 4.0 * f64::EPSILON * size.max(time.abs());
        Self { time, uncertainty: uncertainty.max(f64::MIN_POSITIVE) }
    }
}

impl Expression {
    /// The times between two times, without these, at which a formula of one variable jumps, or its slope, or its curvature: where a
    /// branch of `if`, `abs`, `max`, `step`, `pulse`, `floor`, a table or the like switches. A switch that changes none of the three is
    /// not listed. At most [`MAX_JUMPS`] are listed, the first ones.
    ///
    /// Times are exact to round-off where the formula decides by a straight line over time: `if(2*t > 1, …)`, `step(t, 0.5)`. Other
    /// decisions, as in `max(sin(t), 0)`, are found by 4000 samples between the two times; one that is reversed between two samples is
    /// missed. A formula that has very many operations gets fewer samples.
    pub fn jumps(&self, from: f64, to: f64) -> Vec<Jump> {
        let operations = self.operations();
        let is_other = |operation: &Operation| matches!(operation, Operation::Variable(1..));
        let is_range = from < to && from.is_finite() && to.is_finite();
        if !is_range || operations.iter().any(is_other) {
            return Vec::new();
        }
        let mut search = Search { from, to, work: MAX_WORK, found: Vec::new() };
        let switches = switches(operations);
        // exact times first: the samples then see what happens between them
        let (straight, others): (Vec<_>, Vec<_>) = switches
            .iter()
            .map(|switch| (switch, Line::of(&switch.argument)))
            .partition(|(_, line)| line.is_some());
        for (switch, line) in straight {
            line.into_iter().for_each(|line| search.straight(&switch.levels, line));
        }
        for (switch, _) in others {
            search.sampled(switch);
        }
        search.jumps(operations)
    }
}

struct Search {
    from: f64,
    to: f64,
    work: usize,
    found: Vec<Candidate>,
}

impl Search {
    /// Adds a time within the range.
    fn add(&mut self, candidate: Candidate) {
        if self.from < candidate.time && candidate.time < self.to {
            self.found.push(candidate);
        }
    }

    /// Adds the times at which a straight line passes levels; the first ones if they are many.
    fn straight(&mut self, levels: &Levels, line: Line) {
        let Line { value, slope } = line;
        if slope == 0.0 {
            return;
        }
        let ends = [self.from, self.to].map(|t| value + slope * t);
        let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let mut add = |level: f64| {
            let time = (level - value) / slope;
            self.add(Candidate::new(time, (value / slope).abs().max((level / slope).abs())));
        };
        match levels {
            Levels::List(levels) => {
                let first = levels.partition_point(|level| *level < low);
                let last = levels.partition_point(|level| *level <= high);
                let inside = levels.get(first..last).unwrap_or_default();
                match slope > 0.0 {
                    true => inside.iter().take(MAX_JUMPS).for_each(|level| add(*level)),
                    false => inside.iter().rev().take(MAX_JUMPS).for_each(|level| add(*level)),
                }
            }
            Levels::Multiples { spacing, offset } => {
                let number = |x: f64| (x - offset) / spacing;
                let (first, step) = match slope > 0.0 {
                    true => (number(low).floor(), 1.0),
                    false => (number(high).ceil(), -1.0),
                };
                // two more for the ends
                let count = (number(high) - number(low)).abs() + 2.0;
                let count = if count < MAX_JUMPS as f64 { count as usize + 1 } else { MAX_JUMPS };
                (0..count).for_each(|k| add(offset + (first + step * k as f64) * spacing));
            }
        }
    }

    /// Adds the times at which a sampled argument passes levels.
    fn sampled(&mut self, switch: &Switch) {
        let length = switch.argument.len();
        let samples = SAMPLES.min(self.work / (4 * length)).max(16);
        let mut times: Vec<f64> = (0..=samples)
            .map(|k| k as f64 / samples as f64)
            .map(|part| self.from * (1.0 - part) + self.to * part)
            .collect();
        // next to what was found, and between it
        let known = &self.found[..self.found.len().min(samples)];
        times.extend(known.iter().flat_map(|candidate| {
            [-2.0, 2.0].map(|sign| candidate.time + sign * candidate.uncertainty)
        }));
        times.extend(known.windows(2).map(|pair| 0.5 * pair[0].time + 0.5 * pair[1].time));
        times.retain(|time| self.from <= *time && *time <= self.to);
        times.sort_by(f64::total_cmp);
        let cell = |search: &mut Self, time: f64| {
            search.work = search.work.saturating_sub(length);
            switch.levels.cell(evaluate::value(&switch.argument, &[time]))
        };
        let mut before = (self.from, cell(self, self.from));
        let mut count = 0;
        for time in times {
            let here = (time, cell(self, time));
            // several levels may be passed between two samples
            while before.1 != here.1 && count < MAX_JUMPS && self.work > 0 {
                let (mut low, mut high) = (before, here);
                for _ in 0..MAX_HALVINGS {
                    let middle = 0.5 * low.0 + 0.5 * high.0;
                    if middle <= low.0 || middle >= high.0 {
                        break;
                    }
                    match (middle, cell(self, middle)) {
                        middle if middle.1 == low.1 => low = middle,
                        middle => high = middle,
                    }
                }
                self.add(Candidate::new(high.0, high.0 - low.0));
                (before, count) = (high, count + 1);
            }
            before = here;
        }
    }

    /// The candidates at which the formula differs on the two sides.
    fn jumps(mut self, operations: &[Operation]) -> Vec<Jump> {
        self.found.sort_by(|one, two| one.time.total_cmp(&two.time));
        let mut jumps = Vec::new();
        let mut last = f64::NEG_INFINITY;
        let samples = 2 * DISTANCES.len() + 2;
        let mut work = MAX_WORK;
        for candidate in &self.found {
            let Candidate { time, uncertainty } = *candidate;
            // one time may come from several switches
            if time - last <= 8.0 * uncertainty {
                continue;
            }
            work = work.saturating_sub(samples * operations.len());
            if jumps.len() == MAX_JUMPS || work == 0 {
                break;
            }
            last = time;
            let nearby = 1e-3 * (self.to - self.from).min(f64::MAX);
            if let Some(derivative) = jumping(operations, candidate, nearby) {
                jumps.push(Jump { time, derivative });
            }
        }
        jumps
    }
}

/// The lowest derivative that differs on the two sides of a time.
fn jumping(operations: &[Operation], candidate: &Candidate, nearby: f64) -> Option<usize> {
    let Candidate { time, uncertainty } = *candidate;
    let jet = |t: f64| {
        let (value, [[first, second]]) = evaluate::derivatives(operations, [t], Needed::Two);
        [value, first, second]
    };
    let side = |sign: f64| DISTANCES.map(|k| jet(time + sign * k * uncertainty));
    let (left, right) = (side(-1.0), side(1.0));
    let around = [jet(time - nearby), jet(time + nearby)];
    (0..3).find(|&k| {
        let (one, two) = (left[0][k], right[0][k]);
        match (one.is_finite(), two.is_finite()) {
            (true, true) => {}
            (false, false) => return false,
            _ => return true,
        }
        let width = |side: &[[f64; 3]; 4]| {
            let finite = side.iter().map(|jet| jet[k]).filter(|x| x.is_finite());
            finite.fold(0.0, |width: f64, x| width.max((x - side[0][k]).abs()))
        };
        // what a smooth formula changes over these distances, and round-off
        let change = 3.0 * width(&left).max(width(&right));
        let size = around.iter().map(|jet| jet[k].abs()).filter(|x| x.is_finite());
        let size = size.fold(one.abs().max(two.abs()), f64::max);
        (two - one).abs() > change + ROUND_OFF * size
    })
}
