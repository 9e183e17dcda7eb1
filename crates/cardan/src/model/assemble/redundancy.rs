//! Finds constraints that are implied by others: in every configuration (redundant, removed) or in this
//! configuration only (singular, kept).

use std::collections::{BTreeMap, BTreeSet};

use super::analysis::Analysis;
use super::dependence::{self, RowRelation};
use crate::model::signals::Column;
use crate::model::{Model, ModelError, Owner};
use cardan_core::math::largest;
use cardan_core::simulation::InitialValues;
use cardan_core::stage::{REGULARIZING_COMPLIANCE, REMOVING_COMPLIANCE};
use cardan_core::system::{StateView, System};

/// A row can be removed if its coefficient in the relation is at least this fraction of the largest.
const MIN_COEFFICIENT_RATIO: f64 = 0.2;
/// Up to this number of relations, the removed rows are also chosen for a readable report.
const MAX_READABLE_RELATIONS: usize = 60;
/// Coefficients below this fraction of the largest are ignored.
const NEGLIGIBLE: f64 = 1e-6;
/// Size of the motion that tests whether a dependency persists. A row that is dependent in one
/// configuration only then differs from zero by the square of this, and its gradient by this.
const TEST_MOTION: f64 = 1e-2;
/// A dependent row with a smaller value after the test motion is still satisfied.
const ZERO_TOLERANCE: f64 = 1e-9;
/// A row at a smaller distance from the span of others after the test motion is still dependent.
const DEPENDENCE_TOLERANCE: f64 = 1e-6;

/// A row that is implied by others.
#[derive(Clone, Debug)]
pub(super) struct DependentRow {
    /// Its number in the model.
    pub row: usize,
    /// All rows of the relation with their coefficients.
    pub relation: RowRelation,
}

/// Dependent rows of a model.
#[derive(Debug, Default)]
pub(super) struct RedundancyFindings {
    /// Rows that are implied by others in every configuration.
    pub redundant: Vec<DependentRow>,
    /// Rows that are implied by others in this configuration only.
    pub singular: Vec<DependentRow>,
    /// A nearly dependent row, and its distance from dependence.
    pub nearly: Option<(usize, f64)>,
    /// Number of undriven degrees of freedom.
    pub degrees_of_freedom: usize,
    /// Whether a row is a drive.
    pub driven: bool,
}

/// Finds the dependent rows in an assembled configuration.
pub(super) fn find(
    model: &Model,
    analysis: &mut Analysis,
    t: f64,
    q: &[f64],
) -> Result<RedundancyFindings, ModelError> {
    let (n, m) = (model.space().velocities(), model.rows.len() - analysis.switched_off.len());
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
    let dependent = choose_removed_rows(model, found.relations);
    if let Some(single) = dependent.iter().find(|dependent| dependent.relation.len() < 2) {
        let row = &model.rows[single.row];
        let reason = format!(
            "its constraint ({}) has no effect in this configuration: its gradient is zero relative to \
             the size of the mechanism",
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

/// Chooses the rows to remove: for each relation one with a large coefficient, so that the other rows
/// determine it well. Drives are removed first: a redundant drive is one drive too many. Rows from
/// which friction takes its load are removed last. Of the others, rows of a joint with a removed row
/// come first, then the last rows, where a reader expects a loop to be cut. Each relation is then
/// reduced so that no other relation contains its row.
fn choose_removed_rows(model: &Model, relations: Vec<RowRelation>) -> Vec<DependentRow> {
    let mut owners: BTreeMap<&Owner, usize> = BTreeMap::new();
    let owner: Vec<usize> = model
        .rows
        .iter()
        .map(|row| {
            let next = owners.len();
            *owners.entry(&row.owner).or_insert(next)
        })
        .collect();
    let friction_rows: BTreeSet<usize> = model
        .elements
        .frictions
        .iter()
        .flat_map(|friction| friction.rows.iter().copied())
        .collect();
    let mut has_removed_row = vec![false; owners.len()];
    // each relation begins with its own row, which no other relation contains
    let mut chosen: Vec<usize> = relations.iter().map(|relation| relation[0].0).collect();
    let mut relations: Vec<BTreeMap<usize, f64>> =
        relations.into_iter().map(|relation| relation.into_iter().collect()).collect();
    let is_readable = relations.len() <= MAX_READABLE_RELATIONS;
    for k in 0..relations.len() {
        let most = relations[k].values().fold(0.0_f64, |most, x| most.max(x.abs()));
        let large = relations[k].iter().filter(|(_, x)| x.abs() >= MIN_COEFFICIENT_RATIO * most);
        let priority = |row: usize| (model.rows[row].drives, !friction_rows.contains(&row));
        let key = |row: usize| (priority(row), has_removed_row[owner[row]], row);
        let Some(row) = large.map(|(&row, _)| row).max_by_key(|&row| key(row)) else { continue };
        let is_better =
            if is_readable { row != chosen[k] } else { priority(row) > priority(chosen[k]) };
        if is_better {
            exchange(&mut relations, k, row);
            chosen[k] = row;
        }
        has_removed_row[owner[chosen[k]]] = true;
    }
    let dependent = chosen.into_iter().zip(relations).map(|(row, relation)| {
        let most = relation.values().fold(0.0_f64, |most, x| most.max(x.abs()));
        let significant = relation.into_iter().filter(|(_, x)| x.abs() > NEGLIGIBLE * most);
        DependentRow { row, relation: significant.collect() }
    });
    dependent.collect()
}

/// Makes `row` the own row of relation k: eliminates it from all other relations.
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

/// Whether each dependency persists in a nearby configuration: the mechanism is moved as its joints
/// allow, without drives, closed again with the independent rows only, and analysed again.
fn persistence(
    model: &Model,
    analysis: &mut Analysis,
    t: f64,
    q: &[f64],
    dependent: &[DependentRow],
) -> Result<Vec<bool>, ModelError> {
    let drives = |i: usize| model.rows[i].drives;
    let Some(direction) = admissible_motion(analysis, |i| {
        if drives(i) { REMOVING_COMPLIANCE } else { REGULARIZING_COMPLIANCE }
    }) else {
        // there is no other configuration: every dependency persists
        return Ok(vec![true; dependent.len()]);
    };
    let rows: Vec<usize> = dependent.iter().map(|x| x.row).collect();
    let released = (0..model.rows.len()).filter(|&i| drives(i));
    let mut near = analysis.plus(q, &direction);
    let mut independent = Analysis::new(model, t, q);
    independent.remove_rows(rows.iter().copied().chain(released));
    if independent.close(model, t, &mut near).is_err() {
        // no nearby configuration was found: keep every row
        return Ok(vec![false; dependent.len()]);
    }
    analysis.evaluate(model, t, &near);
    let distances = dependence::distances(analysis, &rows);
    analysis.evaluate(model, t, q);
    let Ok(distances) = distances else { return Ok(vec![false; dependent.len()]) };
    let phi = analysis.constraint(model, t, &near);
    let zero = ZERO_TOLERANCE.max(1e3 * analysis.round_off);
    let persists = rows.iter().zip(distances).map(|(&row, distance)| {
        // the value of a drive is checked over time by `check_drives`
        let is_satisfied = drives(row) || phi.get(row).is_none_or(|x| x.abs() <= zero);
        is_satisfied && distance <= DEPENDENCE_TOLERANCE.max(1e3 * analysis.round_off)
    });
    Ok(persists.collect())
}

/// Refuses drives that contradict joints or other drives: follows the independent rows over time; the
/// removed rows must stay satisfied.
fn check_drives(
    model: &Model,
    analysis: &Analysis,
    t: f64,
    q: &[f64],
    redundant: &[DependentRow],
) -> Result<(), ModelError> {
    let is_driven = |x: &&DependentRow| x.relation.iter().any(|&(i, _)| model.rows[i].drives);
    let driven_rows: Vec<&DependentRow> = redundant.iter().filter(is_driven).collect();
    if driven_rows.is_empty() {
        return Ok(());
    }
    let mut following = Analysis::new(model, t, q);
    following.remove_rows(redundant.iter().map(|x| x.row));
    let mut here = q.to_vec();
    for k in 0..=CHECKED_TIMES {
        // from a tenth of a millisecond to a second
        let later = t + if k == 0 { 0.0 } else { f64::powf(10.0, -4.0 + 0.2 * f64::from(k)) };
        if following.close(model, later, &mut here).is_err() {
            return Ok(());
        }
        let phi = analysis.constraint(model, later, &here);
        let rates = following.prescribed_rates(model, later, &here);
        for dependent in &driven_rows {
            let gap = match phi.get(dependent.row) {
                Some(gap) => *gap,
                None => rates.get(dependent.row).copied().unwrap_or(0.0),
            };
            // the rows of prescribed rates have no Φ: their rate error is compared
            if gap.abs() > 1e-7_f64.max(1e3 * analysis.round_off) {
                let rows = dependent.relation.iter().take(12);
                let rows = rows.map(|&(i, _)| model.rows[i].row_name()).collect();
                return Err(ModelError::Locked { rows });
            }
        }
    }
    Ok(())
}

/// Number of times after the start at which drives are checked.
const CHECKED_TIMES: i32 = 20;

/// A motion that the constraints allow, of size `TEST_MOTION`; `None` if there is none.
fn admissible_motion(
    analysis: &mut Analysis,
    compliance: impl Fn(usize) -> f64,
) -> Option<Vec<f64>> {
    let Analysis { saddle, space, jacobian, units, .. } = analysis;
    let (saddle, n) = (saddle.get(space, jacobian), units.len());
    let ones = vec![1.0; n];
    let mut numbers = RandomNumbers(7);
    let random: Vec<f64> = (0..n).map(|_| numbers.next()).collect();
    saddle.factorize(&ones, jacobian, compliance).ok()?;
    let (direction, _) = saddle.solve(|i| random[i], |_| 0.0).ok()?;
    let size = largest(direction);
    // if nothing can move, the projected random motion is round-off over the compliance
    (size > 1e-6).then(|| direction.iter().map(|x| x * TEST_MOTION / size).collect())
}

/// Checks that the velocities in a singular configuration lie along a branch of the motion: for every
/// relation yᵀG = 0 they must also satisfy yᵀ(Gv)˙ = 0.
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
                "singular configuration: {name} depends on other constraints in this configuration only, \
                 and no motion continues with these velocities"
            );
            let remedy = "give the velocities of all bodies that can move, or start in another configuration";
            return Err(ModelError::value(&Owner::Velocities, reason).with_remedy(remedy));
        }
    }
    Ok(())
}

/// Accelerations and multipliers in a singular configuration, from the independent rows only: all rows
/// together do not determine them.
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

/// Pseudo-random numbers between −1 and 1 from a fixed seed.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Refuses forces and states that depend on reactions which redundant constraints leave undetermined.
pub(super) fn check_signals(model: &Model, redundant: &[DependentRow]) -> Result<(), ModelError> {
    let signals = &model.signals;
    for formula in &signals.formulas[..signals.acting] {
        let rows = formula.columns.iter().filter_map(|column| match column {
            Column::Multiplier(row) => Some(*row),
            _ => None,
        });
        for row in rows {
            let is_undetermined = |dependent: &&DependentRow| {
                dependent.row == row || dependent.relation.iter().any(|(other, _)| *other == row)
            };
            if let Some(dependent) = redundant.iter().find(is_undetermined) {
                let reason = format!(
                    "{} uses the reaction of {}, which is undetermined: {} is redundant",
                    formula.name,
                    model.rows[row].owner,
                    model.rows[dependent.row].name()
                );
                return Err(ModelError::value(&model.rows[row].owner, reason).with_remedy(
                    "remove the redundant constraint, for example by a joint with more freedom",
                ));
            }
        }
    }
    Ok(())
}
