//! Diagnosis of a stage that cannot be solved, with the names that the system gives.

use super::problem::Stage;
use super::{EvaluationContext, Unknowns};
use crate::math::all_finite;
use crate::stage::ForceChange;
use crate::system::StateView;

impl Stage {
    /// The first unknown that is infinite or not a number, if any.
    pub(super) fn not_finite(&self, context: &EvaluationContext<'_>) -> Option<String> {
        let (unknowns, system) = (&self.unknowns, context.system);
        let Unknowns { multipliers, stabilization_multipliers, rates, .. } = unknowns;
        let values = [
            &self.v,
            &self.a,
            &self.d,
            multipliers,
            stabilization_multipliers,
            &self.z,
            rates,
            &self.q,
        ];
        if values.into_iter().all(|values| all_finite(values)) {
            return None;
        }
        let bad = |values: &[f64]| values.iter().position(|x| !x.is_finite());
        let motion = bad(&self.v).or_else(|| bad(&self.a)).or_else(|| bad(&self.d));
        if let Some(i) = motion {
            return Some(format!("the motion of {}", system.coordinate_name(i)));
        }
        if let Some(i) =
            bad(&unknowns.multipliers).or_else(|| bad(&unknowns.stabilization_multipliers))
        {
            return Some(format!("the multiplier of {}", system.constraint_name(i)));
        }
        let state = bad(&self.z).or_else(|| bad(&unknowns.rates));
        let state = state.map(|i| system.state_name(i));
        state.or_else(|| bad(&self.q).map(|_| "the configuration".into()))
    }

    /// An equation whose residual is not finite, with the forces that cause it.
    pub(super) fn name_residual(&self, context: &EvaluationContext<'_>, row: usize) -> String {
        let what = self.layout.row_name(context.system, row);
        let parts = match row < self.layout.sizes.v {
            true => self.forces_on(context, row, &self.q, &self.v),
            false => Vec::new(),
        };
        let mut names: Vec<String> =
            parts.into_iter().filter(|x| !x.1.is_finite()).map(|x| x.0).collect();
        names.dedup();
        match names.is_empty() {
            true => format!("the residual of the {what}"),
            false => format!("{} in the {what}", names.join(" and ")),
        }
    }

    fn forces_on(
        &self,
        context: &EvaluationContext<'_>,
        row: usize,
        q: &[f64],
        v: &[f64],
    ) -> Vec<(String, f64)> {
        let (map, multipliers) = (&self.map, &self.unknowns.multipliers);
        let (t, q) = map.balance.point(map.t, q, &map.force_configuration);
        context
            .system
            .forces_on(&StateView { multipliers, z: &self.z, ..StateView::new(t, q, v) }, row)
    }

    /// Forces in the worst equation of motion that the last correction changed by more than half.
    pub(super) fn changing_forces(&self, context: &EvaluationContext<'_>) -> Vec<ForceChange> {
        let (map, space) = (&self.map, context.evaluator.space());
        let n = self.layout.sizes.v;
        let residual = &self.residual[..n];
        let Some(row) = (0..n).max_by(|&a, &b| residual[a].abs().total_cmp(&residual[b].abs()))
        else {
            return Vec::new();
        };
        // the motion before the last correction
        let p = self.unknowns.p.iter().zip(&self.correction);
        let p: Vec<f64> = p.map(|(p, y)| p - y).collect();
        let (mut d, mut kappa) = (vec![0.0; n], vec![0.0; n]);
        let (mut q, mut v, mut a) = (self.q.clone(), vec![0.0; n], vec![0.0; n]);
        map.increment(&p, &mut d);
        space.retract(map.chart, &map.reference, &d, &mut q);
        map.kappa(space, &p, &d, &mut kappa);
        map.motion(&kappa, &mut v, &mut a);
        let before = self.forces_on(context, row, &q, &v);
        let after = self.forces_on(context, row, &self.q, &self.v);
        let from = |name: &str| before.iter().find(|x| x.0 == name).map_or(0.0, |x| x.1);
        let changes =
            after.into_iter().map(|(name, to)| ForceChange { from: from(&name), name, to });
        let is_large = |x: &ForceChange| (x.to - x.from).abs() > 0.5 * x.to.abs().max(x.from.abs());
        changes.filter(is_large).collect()
    }
}
