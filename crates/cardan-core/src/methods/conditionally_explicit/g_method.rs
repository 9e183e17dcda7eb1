//! A member with its parameters, and the stage map that it solves.

use super::presets::Preset;
use super::recursion::{Degree, Derivatives, Recursion};
use crate::math::{Chart, Vector3};
use crate::methods::{Method, ParameterError, ParameterValues, Step};
use crate::stage::{ForceEvaluation, StageError};
use crate::system::Space;

/// Indices among the auxiliary vectors.
pub(super) const AHEAD: usize = 0;
pub(super) const JERK: usize = 1;
pub(super) const SNAP: usize = 2;

/// A member with its parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct GMethod {
    pub recursion: Recursion,
    /// Whether the initial jerk and snap are computed from the equations.
    pub starts_from_equations: bool,
    pub is_classical: bool,
    pub has_analytic_jerk: bool,
}

impl GMethod {
    pub fn new(recursion: Recursion, starts_from_equations: bool) -> Self {
        Self { recursion, starts_from_equations, is_classical: false, has_analytic_jerk: false }
    }

    pub fn of(sets: &[Preset], values: &ParameterValues) -> Result<Self, ParameterError> {
        let word = values.word("set");
        let preset = sets.iter().find(|preset| preset.name == word).unwrap_or(&sets[0]);
        let mut recursion = preset.recursion;
        let given = [
            (&mut recursion.alpha, "alpha"),
            (&mut recursion.beta, "beta"),
            (&mut recursion.gamma, "gamma"),
            (&mut recursion.zeta, "zeta"),
        ];
        for (value, name) in given {
            *value = values.given(name).unwrap_or(*value);
        }
        let from_equations =
            recursion.degree != Degree::Three && values.word("derivatives") == "equations";
        if recursion.factors(1.0).d <= 0.0 {
            return Err(values.meaningless(
                "alpha",
                recursion.alpha,
                "accelerations then do not change the positions, or change them in the wrong direction",
            ));
        }
        Ok(Self::new(recursion, from_equations))
    }

    pub fn boxed(
        sets: &[Preset],
        values: &ParameterValues,
    ) -> Result<Box<dyn Method>, ParameterError> {
        Ok(Box::new(Self::of(sets, values)?))
    }

    /// The derivatives at the start of the step.
    pub fn old(step: &Step<'_>, i: usize) -> Derivatives {
        let auxiliary = |k: usize| step.auxiliary.get(k).map_or(0.0, |x| x[i]);
        Derivatives { v: step.now.v[i], a: step.now.a[i], j: auxiliary(JERK), s: auxiliary(SNAP) }
    }

    /// Writes the stage map of the recursion from the end of this step to the end of the next.
    fn fill_stage_map(&self, step: &mut Step<'_>) {
        let h = step.h;
        let factors = self.recursion.factors(h);
        for i in 0..step.now.v.len() {
            let affine = self.recursion.known(h, Self::old(step, i));
            let map = &mut step.stage.map;
            map.d[i] = affine.d;
            map.v[i] = affine.known.v;
            map.a[i] = 0.0;
        }
        let map = &mut step.stage.map;
        (map.c_q, map.c_v, map.c_a) = (factors.d, factors.v, 1.0);
        self.add_magnus(step, h);
    }

    /// Adds m to the displacement, from the motion extrapolated by the time `ahead`.
    pub fn add_magnus(&self, step: &mut Step<'_>, ahead: f64) {
        let Self { recursion: Recursion { degree, .. }, .. } = *self;
        if degree == Degree::Three {
            return;
        }
        for k in 0..step.evaluator.space().rotations().len() {
            let rotation = step.evaluator.space().rotations()[k];
            let [mut omega, mut spin, mut jerk] = [Vector3::zeros(); 3];
            for i in 0..3 {
                let Derivatives { v, a, j, s } = Self::old(step, rotation.v + i);
                omega[i] = v + ahead * (a + 0.5 * ahead * (j + ahead / 3.0 * s));
                spin[i] = a + ahead * (j + 0.5 * ahead * s);
                jerk[i] = j + ahead * s;
            }
            let h = step.h;
            let mut m = h.powi(3) / 12.0 * omega.cross(&spin);
            if degree == Degree::Five {
                m += h.powi(4) / 24.0 * omega.cross(&jerk);
            }
            let d = &mut step.stage.map.d;
            let moved = rotation.tangent(d) + m;
            rotation.set_tangent(d, &moved);
        }
    }

    /// Writes the stage map of classical central differences: the negative of the previous displacement.
    fn fill_classical_map(&self, step: &mut Step<'_>) {
        let (h, map, space) = (step.h, &mut step.stage.map, step.evaluator.space());
        (map.c_q, map.c_v, map.c_a) = (h * h, 0.5 * h, 1.0);
        space.difference(Chart::Exponential, &map.reference, &step.now.q, &mut map.d);
        for i in 0..map.d.len() {
            map.d[i] = -map.d[i];
            map.v[i] = map.d[i] / h;
            map.a[i] = 0.0;
        }
    }

    /// Solves for the acceleration at the end of the step, and the configuration ahead of it.
    pub fn solve(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        let h = step.h;
        let map = &mut step.stage.map;
        map.t = step.t_next + h;
        map.balance = ForceEvaluation::Earlier { t: step.t_next };
        // with the discrete values that the system has updated
        map.reference.copy_from_slice(&step.next.q);
        map.force_configuration.copy_from_slice(&step.next.q);
        match self.is_classical {
            true => self.fill_classical_map(step),
            false => self.fill_stage_map(step),
        }
        let predicted = &mut step.next.a;
        for (i, p) in predicted.iter_mut().enumerate() {
            let auxiliary = |k: usize| step.auxiliary.get(k).map_or(0.0, |x| x[i]);
            let (jerk, snap) = (auxiliary(JERK), auxiliary(SNAP));
            *p = step.now.a[i] + h * (jerk + 0.5 * h * snap);
        }
        step.stage.predict(predicted, &step.now.multipliers, &[]);
        step.solve()
    }
}

/// Scales the quaternions of a configuration to length one.
pub(super) fn normalized(space: &Space, q: &mut [f64]) -> Result<(), StageError> {
    match space.normalize(q) {
        true => Ok(()),
        false => Err(StageError::NotFinite { what: "a rotation".into() }),
    }
}
