//! One step: the configuration known in advance, the acceleration there, and the configuration after it.

use super::g_method::{AHEAD, GMethod, JERK, SNAP, normalized};
use super::recursion::{Degree, Recursion};
use super::{presets, start};
use crate::math::add_scaled;
use crate::methods::{AuxiliaryKind, Method, MethodStorage, Step, StepEnd};
use crate::stage::{Formulation, StageError};

impl Method for GMethod {
    fn storage(&self) -> MethodStorage {
        let mut auxiliary = vec![("configuration ahead", AuxiliaryKind::Configuration)];
        if self.recursion.degree != Degree::Three {
            auxiliary.push(("jerk", AuxiliaryKind::Velocity));
        }
        if self.recursion.degree == Degree::Five {
            auxiliary.push(("snap", AuxiliaryKind::Velocity));
        }
        // interpolation to the order of the method needs this many instants
        let earlier = auxiliary.len();
        MethodStorage { earlier, auxiliary, records: start::RECORDS, ..MethodStorage::default() }
    }

    fn step(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        if step.history.filled == 0 {
            self.begin(step)?;
        }
        // turn counters are updated at the end of the step, before they are used
        step.next.copy_from(step.now);
        step.next.t = step.t_next;
        step.next.q.copy_from_slice(&step.auxiliary[AHEAD]);
        add_scaled(step.h, &step.now.a, &mut step.next.v);
        step.accept_next()?;
        if self.has_analytic_jerk {
            return self.step_with_jerk(step);
        }
        self.solve(step)?;
        let (h, factors) = (step.h, self.recursion.factors(step.h));
        for i in 0..step.now.v.len() {
            let known = self.recursion.known(h, Self::old(step, i)).known;
            let a = step.stage.a[i];
            if let Some(jerk) = step.auxiliary.get_mut(JERK) {
                jerk[i] = known.j + factors.j * a;
            }
            if let Some(snap) = step.auxiliary.get_mut(SNAP) {
                snap[i] = known.s + factors.s * a;
            }
        }
        let (stage, next) = (&*step.stage, &mut *step.next);
        next.v.copy_from_slice(&stage.v);
        next.a.copy_from_slice(&stage.a);
        next.multipliers.copy_from_slice(&stage.unknowns().multipliers);
        // the complete instant, with its discrete values updated again from the start
        next.q.copy_from_slice(&step.auxiliary[AHEAD]);
        step.end(StepEnd::WRITTEN)?;
        let ahead = &mut step.auxiliary[AHEAD];
        ahead.copy_from_slice(&step.stage.q);
        normalized(step.evaluator.space(), ahead)
    }

    fn unsupported_reason(&self, is_constrained: bool) -> Option<&'static str> {
        (self.has_analytic_jerk && is_constrained).then_some(
            "the derivative of the equations gives the jerk of systems without constraints only: use \
             jerk = \"differences\"",
        )
    }

    fn constrained_radius(&self) -> f64 {
        // classical: x₊, x and x₋ prescribed, v and a follow; an analytic jerk takes no constraints
        match self.is_classical || self.has_analytic_jerk {
            true => 0.0,
            false => self.recursion.constrained_radius(),
        }
    }

    fn parameter_warning(&self, _constraints: Option<Formulation>) -> Option<&'static str> {
        if self.is_classical || self.has_analytic_jerk {
            return None;
        }
        presets::stability_warning(&self.recursion)
    }

    fn coefficients(&self) -> Vec<(String, f64)> {
        let Recursion { alpha, beta, gamma, zeta, degree } = self.recursion;
        let all = [("alpha", alpha), ("beta", beta), ("gamma", gamma), ("zeta", zeta)];
        let count = match degree {
            _ if self.is_classical => 0,
            Degree::Three => 2,
            Degree::Four => 3,
            Degree::Five => 4,
        };
        all[..count].iter().map(|(name, value)| (name.to_string(), *value)).collect()
    }

    fn with_coefficients(&self, values: &[f64]) -> Box<dyn Method> {
        let mut other = *self;
        let Recursion { alpha, beta, gamma, zeta, .. } = &mut other.recursion;
        let all = [alpha, beta, gamma, zeta];
        all.into_iter().zip(values).for_each(|(old, new)| *old = *new);
        Box::new(other)
    }
}
