//! Which constraints follow from others: everywhere, so that they can be left out, or only in this
//! position, which is then singular.

use std::collections::{BTreeMap, BTreeSet};

use super::analysis::Analysis;
use super::dependence::{self, RowRelation};
use crate::model::{Model, ModelError, Owner};
use cardan_core::math::largest;
use cardan_core::simulation::InitialValues;
use cardan_core::stage::{REGULARIZING_COMPLIANCE, REMOVING_COMPLIANCE};
use cardan_core::system::{StateView, System};

/// Coefficients down to this fraction of the largest are as good for leaving a row out.
const LARGE_ENOUGH: f64 = 0.2;
/// Up to so many relations the rows to leave out are chosen for the reader's sake as well.
const FEW: usize = 60;
/// Coefficients below this fraction do not count.
const NEGLIGIBLE: f64 = 1e-6;
/// How far the mechanism is moved to see whether a dependency persists. A row that only touches
/// zero here is off by the square of this, and its gradient by this.
const EXCURSION: f64 = 1e-2;
const STILL_ZERO: f64 = 1e-9;
const STILL_DEPENDENT: f64 = 1e-6;

/// A row that follows from others.
#[derive(Clone, Debug)]
pub(super) struct DependentRow {
    /// Its number in the full model.
    pub row: usize,
    /// All rows of the relation with their coefficients.
    pub relation: RowRelation,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct RedundancyFindings {
    /// Rows that follow from others everywhere.
    pub redundant: Vec<DependentRow>,
    /// Rows that follow from others only here.
    pub singular: Vec<DependentRow>,
    /// A row that is nearly, but not quite, dependent, and how nearly.
    pub nearly: Option<(usize, f64)>,
    pub degrees_of_freedom: usize,
    pub driven: bool,
}

/// Looks for dependent rows at an assembled position.
pub(super) fn find(
    model: &Model,
    analysis: &mut Analysis,
    t: f64,
    q: &[f64],
) -> Result<RedundancyFindings, ModelError> {
    let (n, m) = (model.space().velocities(), model.rows.len());
    analysis.evaluate(model, t, q);
    let found = dependence::find(analysis)?;
    let mut findings = RedundancyFindings {
        degrees_of_freedom: (n + found.relations.len()).saturating_sub(m),
        driven: model.rows.iter().any(|row| row.drives),
        nearly: found.nearly,
        ..RedundancyFindings::default()
    };
    if found.relations.is_empty() {
        return Ok(findings);
    }
    let dependent = choose(model, found.relations);
    if let Some(alone) = dependent.iter().find(|dependent| dependent.relation.len() < 2) {
        let row = &model.rows[alone.row];
        let reason = format!(
            "its row against {} holds nothing here: its gradient vanishes against the size of the \
             mechanism",
            row.prevents
        );
        return Err(ModelError::value(&row.owner, reason));
    }
    let persists = persistence(model, analysis, t, q, &dependent)?;
    for (dependent, persists) in dependent.into_iter().zip(persists) {
        match persists {
            true => findings.redundant.push(dependent),
            false => findings.singular.push(dependent),
        }
    }
    findings.redundant.sort_by_key(|x| x.row);
    findings.singular.sort_by_key(|x| x.row);
    check_drives(model, analysis, t, q, &findings.redundant)?;
    Ok(findings)
}

/// The rows to leave out: for each relation one with a large coefficient, so that the rest
/// determines it well. A drive that follows from others is one drive too many and goes first; rows
/// that friction takes its load from go last; of the others, rows of a joint that loses some
/// already, then the last ones, where a reader expects a loop to be cut. Each relation is then
/// reduced so that no other one contains its row.
fn choose(model: &Model, relations: Vec<RowRelation>) -> Vec<DependentRow> {
    let mut owners: BTreeMap<&Owner, usize> = BTreeMap::new();
    let owner: Vec<usize> = model
        .rows
        .iter()
        .map(|row| {
            let next = owners.len();
            *owners.entry(&row.owner).or_insert(next)
        })
        .collect();
    let rubs: BTreeSet<usize> = model
        .elements
        .frictions
        .iter()
        .flat_map(|friction| friction.rows.iter().copied())
        .collect();
    let mut cut = vec![false; owners.len()];
    // each relation begins with its own row, which no other one contains
    let mut chosen: Vec<usize> = relations.iter().map(|relation| relation[0].0).collect();
    let mut relations: Vec<BTreeMap<usize, f64>> =
        relations.into_iter().map(|relation| relation.into_iter().collect()).collect();
    let few = relations.len() <= FEW;
    for k in 0..relations.len() {
        let most = relations[k].values().fold(0.0_f64, |most, x| most.max(x.abs()));
        let large = relations[k].iter().filter(|(_, x)| x.abs() >= LARGE_ENOUGH * most);
        let must = |row: usize| (model.rows[row].drives, !rubs.contains(&row));
        let key = |row: usize| (must(row), cut[owner[row]], row);
        let Some(row) = large.map(|(&row, _)| row).max_by_key(|&row| key(row)) else { continue };
        let better = if few { row != chosen[k] } else { must(row) > must(chosen[k]) };
        if better {
            exchange(&mut relations, k, row);
            chosen[k] = row;
        }
        cut[owner[chosen[k]]] = true;
    }
    let dependent = chosen.into_iter().zip(relations).map(|(row, relation)| {
        let most = relation.values().fold(0.0_f64, |most, x| most.max(x.abs()));
        let counts = relation.into_iter().filter(|(_, x)| x.abs() > NEGLIGIBLE * most);
        DependentRow { row, relation: counts.collect() }
    });
    dependent.collect()
}

/// Makes `row` the own row of relation k: takes it out of all others.
fn exchange(relations: &mut [BTreeMap<usize, f64>], k: usize, row: usize) {
    let pivot = relations[k].clone();
    for (r, relation) in relations.iter_mut().enumerate() {
        let factor = match relation.get(&row) {
            Some(x) if r != k => x / pivot[&row],
            _ => continue,
        };
        for (&i, &x) in &pivot {
            *relation.entry(i).or_insert(0.0) -= factor * x;
        }
        relation.remove(&row);
        relation.retain(|_, x| x.abs() > 1e-12);
    }
}

/// Whether each dependency persists nearby: the mechanism is moved as its joints allow, drives
/// released, closed again with the independent rows alone, and looked at again.
fn persistence(
    model: &Model,
    analysis: &mut Analysis,
    t: f64,
    q: &[f64],
    dependent: &[DependentRow],
) -> Result<Vec<bool>, ModelError> {
    let drives = |i: usize| model.rows[i].drives;
    let Some(direction) =
        admissible(
            analysis,
            |i| if drives(i) { REMOVING_COMPLIANCE } else { REGULARIZING_COMPLIANCE },
        )
    else {
        // nothing can move, driven or not: what holds here holds everywhere
        return Ok(vec![true; dependent.len()]);
    };
    let rows: Vec<usize> = dependent.iter().map(|x| x.row).collect();
    let released = (0..model.rows.len()).filter(|&i| drives(i));
    let mut near = analysis.moved(q, &direction);
    let mut independent = Analysis::new(model, t, q);
    independent.remove_rows(rows.iter().copied().chain(released));
    if independent.close(model, t, &mut near).is_err() {
        // nothing is known: keep every row
        return Ok(vec![false; dependent.len()]);
    }
    analysis.evaluate(model, t, &near);
    let distances = dependence::distances(analysis, &rows);
    analysis.evaluate(model, t, q);
    let Ok(distances) = distances else { return Ok(vec![false; dependent.len()]) };
    let phi = analysis.constraint(model, t, &near);
    let zero = STILL_ZERO.max(1e3 * analysis.round_off);
    let persists = rows.iter().zip(distances).map(|(&row, distance)| {
        // a drive's value is looked at in time
        let holds = drives(row) || phi.get(row).is_none_or(|x| x.abs() <= zero);
        holds && distance <= STILL_DEPENDENT.max(1e3 * analysis.round_off)
    });
    Ok(persists.collect())
}

/// Refuses drives that ask for what joints or other drives forbid: the independent rows are followed
/// in time, and those left out must go along.
fn check_drives(
    model: &Model,
    analysis: &Analysis,
    t: f64,
    q: &[f64],
    redundant: &[DependentRow],
) -> Result<(), ModelError> {
    let is_driven = |x: &&DependentRow| x.relation.iter().any(|&(i, _)| model.rows[i].drives);
    let watched: Vec<&DependentRow> = redundant.iter().filter(is_driven).collect();
    if watched.is_empty() {
        return Ok(());
    }
    let mut following = Analysis::new(model, t, q);
    following.remove_rows(redundant.iter().map(|x| x.row));
    let mut here = q.to_vec();
    for k in 0..=PROBES {
        // from a tenth of a millisecond to a second
        let later = t + if k == 0 { 0.0 } else { f64::powf(10.0, -4.0 + 0.2 * f64::from(k)) };
        if following.close(model, later, &mut here).is_err() {
            return Ok(());
        }
        let phi = analysis.constraint(model, later, &here);
        let rates = following.prescribed_rates(model, later, &here);
        for dependent in &watched {
            let gap = match phi.get(dependent.row) {
                Some(gap) => *gap,
                None => rates.get(dependent.row).copied().unwrap_or(0.0),
            };
            // a rate on its own is of the size of what is prescribed
            if gap.abs() > 1e-7_f64.max(1e3 * analysis.round_off) {
                let rows = dependent.relation.iter().take(12);
                let rows = rows.map(|&(i, _)| model.rows[i].row_name()).collect();
                return Err(ModelError::Locked { rows });
            }
        }
    }
    Ok(())
}

const PROBES: i32 = 20;

/// A motion that the constraints allow, of the size of the excursion; `None` if there is none.
fn admissible(analysis: &mut Analysis, compliance: impl Fn(usize) -> f64) -> Option<Vec<f64>> {
    let n = analysis.units.len();
    let ones = vec![1.0; n];
    let mut noise = Noise(7);
    let any: Vec<f64> = (0..n).map(|_| noise.next()).collect();
    analysis.saddle.factorize(&ones, &analysis.jacobian, compliance).ok()?;
    let (direction, _) = analysis.saddle.solve(|i| any[i], |_| 0.0).ok()?;
    let size = largest(direction);
    // what remains of a random motion when nothing can move is round-off over the compliance
    (size > 1e-6).then(|| direction.iter().map(|x| x * EXCURSION / size).collect())
}

/// In a singular position only velocities along a branch lead anywhere: for every relation yᵀG = 0
/// they must satisfy yᵀ(Gv)˙ = 0 as well.
pub(super) fn check_branch(
    model: &Model,
    analysis: &Analysis,
    t: f64,
    q: &[f64],
    v: &[f64],
    singular: &[DependentRow],
) -> Result<(), ModelError> {
    let mut term = vec![0.0; model.rows.len()];
    model.write_acceleration_term(&StateView::new(t, q, v), &mut term);
    for dependent in singular {
        let parts: Vec<f64> =
            dependent.relation.iter().map(|&(i, y)| y * analysis.factors[i] * term[i]).collect();
        let (sum, size): (f64, f64) = (parts.iter().sum(), parts.iter().map(|x| x.abs()).sum());
        if sum.abs() > 1e-6 * size {
            let name = model.rows[dependent.row].name();
            let reason = format!(
                "the position is singular ({name} depends on other constraints just here), and these \
                 velocities lead along no possible motion"
            );
            let remedy = "give those of all bodies that can move, or start beside it";
            return Err(ModelError::value(&Owner::Velocities, reason).with_remedy(remedy));
        }
    }
    Ok(())
}

/// In a singular position: accelerations and multipliers from the rows that are independent here, since all
/// rows together do not determine them.
pub(super) fn singular_start(
    model: &Model,
    independent: InitialValues,
) -> Result<(Vec<f64>, Vec<f64>), ModelError> {
    let settings = crate::Settings::new("generalized-alpha", 1.0);
    match crate::Simulation::new(model, &settings, &independent) {
        Ok(motion) => Ok((motion.now().a.clone(), motion.now().multipliers.clone())),
        Err(cause) => Err(ModelError::Singular { cause: Box::new(cause) }),
    }
}

/// Numbers without meaning, the same every time.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
