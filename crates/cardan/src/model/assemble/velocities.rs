//! Completes partially given velocities: given values are kept, others follow from the constraints, and
//! undetermined ones are as small as possible.

use std::collections::{BTreeMap, HashMap};

use super::AssemblyReport;
use super::analysis::{Analysis, masked};
use crate::model::mesh::{Meshed, MeshedBody};
use crate::model::{BodyKind, Model, ModelError, Owner, PartKind};
use cardan_core::linalg::SparseMatrix;
use cardan_core::math::largest;
use cardan_core::stage::SaddlePointSolver;
use cardan_core::system::{StateView, System};

/// Least-squares weight of unknown velocities (towards zero) relative to given ones (towards their
/// values). Repetitions, each from the last result, remove its effect on the given ones.
const REST_WEIGHT: f64 = 1e-6;
/// Number of these repetitions.
const REPETITIONS: usize = 5;
/// Compliance that keeps the multipliers of nearly dependent constraints finite.
const REGULARIZING_COMPLIANCE: f64 = 1e-13;
/// Violations of the constraints below this, relative to the largest speed, are round-off.
const ROUND_OFF: f64 = 1e-12;
/// Changes of given velocities above this, relative to the largest speed, are reported.
const REPORT_THRESHOLD: f64 = 1e-9;

/// A given velocity: a linear combination of the model's velocities and its value.
struct KnownVelocity {
    /// The part and the component, for the report.
    owner: String,
    row: Vec<(usize, f64)>,
    value: f64,
    /// The factor that makes it comparable with an angular velocity.
    scale: f64,
}

/// The velocities at the start that satisfy the constraints and, as far as possible, the given values.
pub(super) fn complete(
    meshed: &Meshed<'_>,
    model: &Model,
    t: f64,
    q: &[f64],
    inactive: &[usize],
    report: &mut AssemblyReport,
) -> Result<Vec<f64>, ModelError> {
    let known = known(meshed, model, q)?;
    let (n, m) = (model.space().velocities(), model.rows.len());
    let mut rate = vec![0.0; m];
    model.write_constraint_rate(t, &mut rate);
    inactive.iter().for_each(|&row| rate[row] = 0.0);
    if known.iter().all(|x| x.value == 0.0) && largest(&rate) == 0.0 {
        return Ok(vec![0.0; n]);
    }

    let analysis = analysis_without(model, t, q, inactive);
    // the rows of the constraints, then of the given velocities
    let rows = SparseMatrix::written(m + known.len(), n, |rows| {
        analysis.jacobian.iter().for_each(|(i, j, x)| rows.add(i, j, x));
        for (k, known) in known.iter().enumerate() {
            for &(j, x) in &known.row {
                rows.add(m + k, j, x * analysis.units[j] * known.scale);
            }
        }
    });
    let weights = inertia_weights(model, &analysis, q);
    let right = |i: usize| match i < m {
        true => -rate[i] * analysis.factors[i],
        false => known[i - m].value * known[i - m].scale,
    };
    let mut saddle = SaddlePointSolver::new(&analysis.space, &rows);
    let free = (n + 1).saturating_sub(analysis.active_rows());
    let is_removed: Vec<bool> =
        (0..m + known.len()).map(|i| i < m && analysis.is_removed[i]).collect();
    let exact = (known.len() < free).then(|| {
        // fewer given velocities than degrees of freedom: try to keep them exactly
        saddle.factorize(&weights, &rows, masked(&is_removed, |_| 0.0)).ok()?;
        let motion = saddle.solve(|_| 0.0, right).ok()?.0.to_vec();
        let mut misses: Vec<f64> = (0..m + known.len()).map(|i| -right(i)).collect();
        rows.iter().for_each(|(i, j, x)| misses[i] += x * motion[j]);
        let size = (0..m + known.len()).map(|i| right(i).abs()).fold(0.0, f64::max);
        (largest(&misses) <= 1e-9 * size).then_some(motion)
    });
    let motion = match exact.flatten() {
        Some(motion) => motion,
        None => least_squares(&mut saddle, &weights, &rows, (m, &is_removed), right).ok_or_else(
            || {
                let reason =
                    "no velocities satisfy the constraints; the configuration may be singular";
                ModelError::value(&Owner::Velocities, reason)
            },
        )?,
    };
    let v: Vec<f64> = motion.iter().zip(&analysis.units).map(|(x, unit)| x * unit).collect();
    // report given velocities that changed
    let speed = largest(&motion);
    for known in &known {
        let got: f64 = known.row.iter().map(|&(j, x)| x * v[j]).sum();
        if (got - known.value).abs() * known.scale > REPORT_THRESHOLD * speed {
            report.record_velocity(&known.owner, known.value, got);
        }
    }
    Ok(v)
}

/// The constraints at a configuration, without the inactive rows.
fn analysis_without(model: &Model, t: f64, q: &[f64], inactive: &[usize]) -> Analysis {
    let mut analysis = Analysis::new(model, t, q);
    analysis.remove_rows(inactive.iter().copied());
    analysis.evaluate(model, t, q);
    analysis
}

/// Velocities that satisfy the constraints and differ as little as possible, by kinetic energy, from given ones.
pub(super) fn adjust(
    model: &Model,
    t: f64,
    q: &[f64],
    given: &[f64],
    inactive: &[usize],
    report: &mut AssemblyReport,
) -> Result<Vec<f64>, ModelError> {
    let analysis = analysis_without(model, t, q, inactive);
    let mut misses = vec![0.0; model.rows.len()];
    model.write_constraint_rate(t, &mut misses);
    for (i, miss) in misses.iter_mut().enumerate() {
        *miss = if analysis.is_removed[i] { 0.0 } else { *miss * analysis.factors[i] };
    }
    let motion: Vec<f64> = given.iter().zip(&analysis.units).map(|(v, unit)| v / unit).collect();
    let rows = &analysis.jacobian;
    let is_active = |row: usize| !analysis.is_removed[row];
    rows.iter().filter(|x| is_active(x.0)).for_each(|(i, j, x)| misses[i] += x * motion[j]);
    let speed = largest(&motion);
    if largest(&misses) <= ROUND_OFF * speed {
        return Ok(given.to_vec());
    }
    let weights = inertia_weights(model, &analysis, q);
    let mut saddle = SaddlePointSolver::new(&analysis.space, rows);
    let solved = saddle
        .factorize(&weights, rows, masked(&analysis.is_removed, |_| REGULARIZING_COMPLIANCE))
        .and_then(|()| saddle.solve(|_| 0.0, |i| -misses[i]).map(|(change, _)| change.to_vec()));
    let change = solved.map_err(|_| {
        let reason = "no velocities satisfy the constraints; the configuration may be singular";
        ModelError::value(&Owner::Velocities, reason)
    })?;
    let adjusted = |i: usize| (motion[i] + change[i]) * analysis.units[i];
    // one line, with the largest change: constraints couple the velocities of many coordinates
    let changed: Vec<usize> =
        (0..given.len()).filter(|&i| change[i].abs() > REPORT_THRESHOLD * speed).collect();
    let most = changed.iter().copied().max_by(|&i, &j| change[i].abs().total_cmp(&change[j].abs()));
    if let Some(i) = most {
        let owner = match changed.len() {
            1 => model.coordinate_name(i),
            n => format!("{}, the most of {n} coordinates,", model.coordinate_name(i)),
        };
        report.record_velocity(&owner, given[i], adjusted(i));
    }
    Ok((0..given.len()).map(adjusted).collect())
}

/// The least-squares fit of given velocities that contradict each other: [δW Bᵀ; B −Γ] with Γ ≈ 0 for
/// constraints and 1 for given values, repeated from the last result until δ has no effect on them.
fn least_squares(
    saddle: &mut SaddlePointSolver,
    weights: &[f64],
    rows: &SparseMatrix,
    (m, is_removed): (usize, &[bool]),
    right: impl Fn(usize) -> f64,
) -> Option<Vec<f64>> {
    let compliance = masked(is_removed, |i| if i < m { REGULARIZING_COMPLIANCE } else { 1.0 });
    saddle.factorize(weights, rows, compliance).ok()?;
    let mut motion = vec![0.0; weights.len()];
    for _ in 0..REPETITIONS {
        let before = std::mem::take(&mut motion);
        motion = saddle.solve(|i| weights[i] * before[i], &right).ok()?.0.to_vec();
    }
    Some(motion)
}

/// The diagonal of M in scaled coordinates, divided by its largest entry, times `REST_WEIGHT`; massless
/// coordinates get a small weight.
fn inertia_weights(model: &Model, analysis: &Analysis, q: &[f64]) -> Vec<f64> {
    let n = analysis.units.len();
    let mass = SparseMatrix::written(n, n, |mass| model.write_mass(&StateView::at(0.0, q), mass));
    let mut weights = vec![0.0; n];
    for (i, _, x) in mass.iter().filter(|(i, j, _)| i == j) {
        weights[i] = x * analysis.units[i].powi(2);
    }
    let most = largest(&weights);
    let most = if most > 0.0 { most } else { 1.0 };
    weights.iter().map(|w| REST_WEIGHT * (w / most).max(1e-6)).collect()
}

/// The velocities given in the description. Each coordinate appears once; otherwise the least-squares
/// fit would return the mean of two values.
fn known(meshed: &Meshed<'_>, model: &Model, q: &[f64]) -> Result<Vec<KnownVelocity>, ModelError> {
    let mut all: Vec<KnownVelocity> = Vec::new();
    let mechanism = meshed.mechanism;
    for (i, MeshedBody { body, is_node, .. }) in meshed.bodies.iter().enumerate() {
        let node = &model.nodes[i + 1];
        let planar = body.kind.is_in_plane();
        let has_rotation = body.kind.has_orientation();
        let rotation = node.frame(q).rotation;
        let owner = format!("{} `{}`", if *is_node { "node" } else { "body" }, body.name);
        let first_turn = node.v + if planar { 2 } else { 3 };
        if let Some(velocity) = body.velocity {
            // the origin moves with v − R (Ω × c)
            let lever = rotation * cardan_core::math::hat(&model.bodies[i].centre);
            for k in 0..if planar { 2 } else { 3 } {
                let mut row = vec![(node.v + k, 1.0)];
                match body.kind {
                    BodyKind::Spatial => {
                        row.extend((0..3).map(|j| (first_turn + j, lever[(k, j)])))
                    }
                    BodyKind::Planar => row.push((first_turn, lever[(k, 2)])),
                    _ => {}
                }
                let (owner, value) =
                    (format!("{owner} (velocity {})", ["x", "y", "z"][k]), velocity[k]);
                all.push(KnownVelocity { owner, row, value, scale: 1.0 / model.size });
            }
        }
        if let (Some(omega), true) = (body.angular_velocity, has_rotation) {
            for (j, k) in if planar { 2..3 } else { 0..3 }.enumerate() {
                let owner = format!("{owner} (angular velocity {})", ["x", "y", "z"][k]);
                let row = vec![(first_turn + j, 1.0)];
                all.push(KnownVelocity { owner, row, value: omega[k], scale: 1.0 });
            }
        }
    }
    for (flexible, data) in mechanism.flexible.iter().zip(&model.flexible) {
        for (k, value) in flexible.rates.iter().enumerate() {
            let owner = format!("flexible body `{}` (rate of mode {})", flexible.name(), k + 1);
            let row = vec![(data.v + k, 1.0)];
            let scale = 1.0 / data.modal.unit(k, model.size);
            all.push(KnownVelocity { owner, row, value: *value, scale });
        }
    }
    for (structure, data) in mechanism.structures.iter().zip(&model.structures) {
        // a value that is given twice is used once
        let given: BTreeMap<usize, f64> =
            structure.starts.iter().filter_map(|&(i, [_, value])| Some((i, value?))).collect();
        for (i, value) in given {
            let Some(k) = data.free[i] else { continue };
            let owner = format!("structure `{}` (velocity of node {i})", structure.name);
            let row = vec![(data.v + k as usize, 1.0)];
            all.push(KnownVelocity { owner, row, value, scale: 1.0 });
        }
    }
    let by_name: HashMap<&str, _> =
        model.joints.iter().map(|data| (data.name.as_str(), &data.coordinates)).collect();
    let rates = mechanism
        .joints
        .iter()
        .flat_map(|joint| joint.rates.iter().map(move |(name, value)| (&joint.name, name, *value)));
    let mut before: HashMap<(&str, &str), f64> = HashMap::new();
    for (joint, name, value) in rates {
        let coordinates = by_name.get(joint.as_str()).into_iter().flat_map(|x| x.iter());
        let mut named =
            coordinates.filter(|(known, _)| name.as_ref().is_none_or(|name| name == known));
        let Some((coordinate, measure)) = named.next() else { continue };
        match before.insert((joint, coordinate), value) {
            Some(other) if other == value => continue,
            Some(other) => {
                let owner = Owner::part(PartKind::Joint, joint);
                let reason = format!(
                    "by `rate` and `rates` the rate of {coordinate} is given twice, as {other} and as \
                     {value}"
                );
                return Err(ModelError::value(&owner, reason).with_key("rate"));
            }
            None => {}
        }
        let row = model.measure_row(measure, q);
        let angular = measure.measure.is_angle();
        let scale = if angular { 1.0 } else { 1.0 / model.size };
        let owner = format!("joint `{joint}` (rate of {coordinate})");
        all.push(KnownVelocity { owner, row, value, scale });
    }
    Ok(all)
}
