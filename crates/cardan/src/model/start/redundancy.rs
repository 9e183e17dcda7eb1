//! Which constraints follow from others: everywhere, so that they can be left out, or only in this
//! position, which is then singular.

use std::collections::BTreeSet;

use nalgebra::DMatrix;

use super::analysis::{Analysis, largest, norm};
use crate::error::Error;
use crate::linalg::LinearError;
use crate::model::compile::compile;
use crate::model::{Mechanism, Model, ModelError};
use crate::simulation::Initial;
use crate::system::System;

/// Rows whose combination is this small, for rows and coefficients of length one, depend on each
/// other: round-off of the Jacobian is 1e-16, and assembled positions are exact to 1e-13.
const DEPENDENT: f64 = 1e-9;
/// Compliance for inverse iteration: small against the square of any singular value worth keeping
/// (a chain of 10⁴ links has 1e-8), large against round-off.
const SLIGHT: f64 = 1e-12;
const ITERATIONS: usize = 5;
/// The most dependencies looked for.
const MOST: usize = 512;
/// Coefficients down to this fraction of the largest are as good for leaving a row out.
const LARGE_ENOUGH: f64 = 0.2;
/// How far the mechanism is moved to see whether a dependency persists. A row that only touches
/// zero here is off by the square of this.
const EXCURSION: f64 = 1e-2;
const PERSISTS: f64 = 1e-9;

/// A row that follows from others.
#[derive(Clone, Debug)]
pub(super) struct Dependent {
    /// Its number in the full model.
    pub row: usize,
    /// The rows it follows from.
    pub others: Vec<usize>,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Rows that follow from others everywhere.
    pub redundant: Vec<Dependent>,
    /// Rows that follow from others only here.
    pub singular: Vec<Dependent>,
    pub degrees_of_freedom: usize,
    pub driven: bool,
}

impl Findings {
    pub fn all(&self) -> impl Iterator<Item = &Dependent> {
        self.redundant.iter().chain(&self.singular)
    }
}

/// Looks for dependent rows at an assembled position.
pub(super) fn find(
    mechanism: &Mechanism,
    model: &Model,
    analysis: &mut Analysis,
    t: f64,
    q: &[f64],
) -> Result<Findings, ModelError> {
    let (n, m) = (model.space().velocities(), model.rows.len());
    let driven = model.rows.iter().any(|row| row.drives);
    analysis.evaluate(model, t, q);
    let null = null_space(analysis, m).map_err(|_| ModelError::TooManyRedundant { most: MOST })?;
    let degrees_of_freedom = (n + null.len()).saturating_sub(m);
    let mut findings = Findings { degrees_of_freedom, driven, ..Findings::default() };
    if null.is_empty() {
        return Ok(findings);
    }
    let (dependent, relations) = choose(model, null);
    check_motion(model, analysis, t, q, &relations)?;

    // move, close the joints with the independent rows alone, and see whether the others still hold
    let dropped: BTreeSet<usize> = dependent.iter().map(|x| x.row).collect();
    let reduced = compile(mechanism, &dropped)?.model;
    let holds = match admissible(analysis) {
        // nothing can move: what holds here holds everywhere
        None => vec![true; dependent.len()],
        Some(direction) => {
            let mut near = analysis.moved(q, &direction);
            let mut closing = Analysis::new(&reduced, t, q);
            // if the rest cannot be closed nearby, nothing is known: keep every row
            let closed = closing.close(&reduced, t, &mut near).is_ok();
            let phi = analysis.constraint(model, t, &near);
            let persists = |row: usize| phi.get(row).is_none_or(|x| x.abs() <= PERSISTS);
            dependent.iter().map(|x| closed && persists(x.row)).collect()
        }
    };
    for (dependent, holds) in dependent.into_iter().zip(holds) {
        match holds {
            true => findings.redundant.push(dependent),
            false => findings.singular.push(dependent),
        }
    }
    findings.redundant.sort_by_key(|x| x.row);
    findings.singular.sort_by_key(|x| x.row);
    Ok(findings)
}

/// The relations yᵀG = 0 between the rows, by inverse iteration with G Gᵀ + γ I.
fn null_space(analysis: &mut Analysis, m: usize) -> Result<Vec<Vec<f64>>, LinearError> {
    let n = analysis.units.len();
    let ones = vec![1.0; n];
    if m == 0 {
        return Ok(Vec::new());
    }
    analysis.saddle.factorize(&ones, &analysis.jacobian, |_| SLIGHT)?;
    let mut width = 8.min(m);
    loop {
        let mut noise = Noise(1);
        let mut y = DMatrix::from_fn(m, width, |_, _| noise.next());
        for _ in 0..ITERATIONS {
            for mut column in y.column_iter_mut() {
                let right: Vec<f64> = column.iter().copied().collect();
                let (_, multipliers) = analysis.saddle.solve(|_| 0.0, |i| right[i])?;
                column.copy_from_slice(multipliers);
            }
            y = y.qr().q();
        }
        let mut image = DMatrix::zeros(n, width);
        for (i, j, x) in analysis.jacobian.iter() {
            for k in 0..width {
                image[(j, k)] += x * y[(i, k)];
            }
        }
        // the image may have fewer rows than columns
        let image = if n < width { image.resize_vertically(width, 0.0) } else { image };
        let svd = image.svd(false, true);
        let Some(directions) = svd.v_t else { return Ok(Vec::new()) };
        let small: Vec<usize> =
            (0..width).filter(|&k| svd.singular_values[k] <= DEPENDENT).collect();
        if small.len() == width && width < m {
            if width >= MOST {
                return Err(LinearError::NotPositive);
            }
            width = (2 * width).min(m);
            continue;
        }
        let relation = |&k: &usize| (&y * directions.row(k).transpose()).iter().copied().collect();
        return Ok(small.iter().map(relation).collect());
    }
}

/// The rows to leave out: for each relation one with a large coefficient, so that the rest
/// determines it well; drives last. Of coefficients of one size, rows of a joint that loses some
/// already are preferred, then the last ones, where a reader expects the loop to be cut. Relations
/// come back reduced, each with its own row only.
fn choose(model: &Model, null: Vec<Vec<f64>>) -> (Vec<Dependent>, Vec<Vec<f64>>) {
    let mut relations = null;
    let mut chosen: Vec<usize> = Vec::new();
    for k in 0..relations.len() {
        let size = |r: usize, i: usize| {
            let reluctance = if model.rows[i].drives { 1e-3 } else { 1.0 };
            reluctance * relations[r][i].abs()
        };
        let places = || {
            let rows = 0..model.rows.len();
            (k..relations.len()).flat_map(move |r| rows.clone().map(move |i| (r, i)))
        };
        let most = places().map(|(r, i)| size(r, i)).fold(0.0, f64::max);
        let cut = |i: usize| chosen.iter().any(|&c| model.rows[c].owner == model.rows[i].owner);
        let large = places().filter(|&(r, i)| size(r, i) >= LARGE_ENOUGH * most);
        let Some((r, row)) = large.max_by_key(|&(r, i)| (cut(i), i, r)) else { break };
        relations.swap(k, r);
        let pivot = relations[k].clone();
        for (r, relation) in relations.iter_mut().enumerate() {
            let factor = relation[row] / pivot[row];
            if r == k {
                relation.iter_mut().for_each(|x| *x /= pivot[row]);
            } else {
                relation.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
                relation[row] = 0.0;
            }
        }
        chosen.push(row);
    }
    let dependent = chosen.iter().zip(&relations).map(|(&row, relation)| {
        let share = 1e-6 * largest(relation);
        let others = (0..relation.len()).filter(|&i| i != row && relation[i].abs() > share);
        Dependent { row, others: others.collect() }
    });
    (dependent.collect(), relations)
}

/// Refuses drives that ask for what the joints forbid: a relation between rows must hold between
/// their rates too, and if nothing moves yet, between their accelerations.
fn check_motion(
    model: &Model,
    analysis: &Analysis,
    t: f64,
    q: &[f64],
    relations: &[Vec<f64>],
) -> Result<(), ModelError> {
    let (mut rate, mut acceleration) = (vec![0.0; model.rows.len()], vec![0.0; model.rows.len()]);
    model.constraint_rate(t, q, &mut rate);
    let still = vec![0.0; analysis.units.len()];
    model.acceleration_term(t, q, &still, &mut acceleration);
    if largest(&rate) > 0.0 {
        acceleration.fill(0.0);
    }
    for relation in relations {
        for demand in [&rate, &acceleration] {
            let scaled: Vec<f64> =
                demand.iter().zip(&analysis.factors).map(|(x, factor)| x * factor).collect();
            let contradiction: f64 = relation.iter().zip(&scaled).map(|(y, x)| y * x).sum();
            if contradiction.abs() > 1e-8 * norm(relation) * norm(&scaled) {
                let share = 1e-3 * largest(relation);
                let rows = (0..relation.len()).filter(|&i| relation[i].abs() > share);
                let rows = rows.map(|i| model.rows[i].name()).take(12).collect();
                return Err(ModelError::Locked { rows });
            }
        }
    }
    Ok(())
}

/// A motion that the constraints allow, of the size of the excursion; `None` if there is none.
fn admissible(analysis: &mut Analysis) -> Option<Vec<f64>> {
    let n = analysis.units.len();
    let ones = vec![1.0; n];
    let mut noise = Noise(7);
    let any: Vec<f64> = (0..n).map(|_| noise.next()).collect();
    let solved = analysis
        .saddle
        .factorize(&ones, &analysis.jacobian, |_| SLIGHT)
        .and_then(|()| analysis.saddle.solve(|i| any[i], |_| 0.0).map(|(d, _)| d.to_vec()));
    let direction = solved.ok()?;
    let size = largest(&direction);
    // what remains of a random motion when nothing can move is round-off over the compliance
    (size > 1e-6).then(|| direction.iter().map(|x| x * EXCURSION / size).collect())
}

/// In a singular position: accelerations and multipliers from the independent rows, since all rows
/// together do not determine them.
pub(super) fn singular_start(
    reduced: &Model,
    model: &Model,
    here: &BTreeSet<usize>,
    dropped: &BTreeSet<usize>,
    initial: Initial,
) -> Result<Initial, ModelError> {
    let settings = crate::Settings::new("generalized-alpha", 1.0);
    let solved = crate::Simulation::new(reduced, &settings, &initial);
    let now = match solved {
        Ok(motion) => motion.now().clone(),
        Err(Error::Start { cause, .. }) => {
            let reason = format!("its position is singular: {cause}");
            return Err(ModelError::Value { owner: "the mechanism".into(), reason });
        }
        Err(other) => {
            let reason = other.to_string();
            return Err(ModelError::Value { owner: "the mechanism".into(), reason });
        }
    };
    let mut multipliers = vec![0.0; model.rows.len()];
    let (mut kept, mut place) = (0, 0);
    for number in 0..model.rows.len() + dropped.len() {
        if dropped.contains(&number) {
            continue;
        }
        if !here.contains(&number) {
            multipliers[place] = now.multipliers[kept];
            kept += 1;
        }
        place += 1;
    }
    Ok(initial.accelerations(&now.a, &multipliers))
}

/// Numbers without meaning, the same every time.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
