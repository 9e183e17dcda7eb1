//! The checks before a saved state is continued: method, system and settings.

use super::error::StartError;
use super::settings::Settings;
use super::state::State;
use crate::math::largest;
use crate::methods::{Method, MethodInfo};
use crate::stage::Formulation;
use crate::state::Instant;
use crate::system::{RotationIndex, System};

/// Largest residual of enforced position constraints, relative to the coordinates.
const CLOSED: f64 = 1e-6;
/// Largest drift of position constraints if steps enforce accelerations only, relative to the coordinates.
const DRIFTED: f64 = 1e-2;

/// The method of the settings with the coefficients of the state.
pub(super) fn method_of(
    method: Box<dyn Method>,
    state: &State,
) -> Result<Box<dyn Method>, StartError> {
    let own = method.coefficients();
    let kept = &state.coefficients;
    let names_agree = own.iter().map(|(name, _)| name).eq(kept.iter().map(|(name, _)| name));
    if !(names_agree && kept.iter().all(|(_, value)| value.is_finite())) {
        let reason = format!("its coefficients are not those of `{}`", state.method);
        return Err(StartError::Foreign { reason });
    }
    if own == *kept {
        return Ok(method);
    }
    let values: Vec<f64> = kept.iter().map(|(_, value)| *value).collect();
    Ok(method.with_coefficients(&values))
}

/// An error if the positions of a state violate the constraints more than steps do.
pub(super) fn check_closed(
    system: &dyn System,
    constraints: Formulation,
    now: &Instant,
    rows: &mut [f64],
) -> Result<(), StartError> {
    let phi = &mut rows[..system.holonomic_count()];
    phi.fill(0.0);
    if let Err(failure) = system.constraint(&now.into(), phi) {
        return Err(StartError::Foreign { reason: failure.to_string() });
    }
    let limit = if constraints == Formulation::Acceleration { DRIFTED } else { CLOSED };
    let gap = largest(phi);
    if gap <= limit * largest(&now.q).max(1.0) {
        return Ok(());
    }
    let worst = phi.iter().position(|x| x.is_nan() || x.abs() == gap).unwrap_or(0);
    let reason = format!("its positions violate {} by {gap:.1e}", system.constraint_name(worst));
    Err(StartError::Foreign { reason })
}

/// An error if a saved state does not match the system, the method or the settings.
pub(super) fn check(
    system: &dyn System,
    settings: &Settings,
    info: &MethodInfo,
    method: &dyn Method,
    state: &State,
) -> Result<(), StartError> {
    let foreign = |reason: String| Err(StartError::Foreign { reason });
    if state.method != info.name {
        return foreign(format!("it belongs to `{}`, not `{}`", state.method, info.name));
    }
    if state.parameters != settings.parameters {
        return foreign("it was computed with different parameters of the method".into());
    }
    if state.constraints != settings.constraints {
        let (kept, wanted) = (state.constraints, settings.constraints);
        return foreign(format!("it was computed with constraints = \"{kept}\", not \"{wanted}\""));
    }
    if state.controller.is_some() != settings.control.is_some() {
        let how =
            |is_controlled| if is_controlled { "under a tolerance" } else { "with a fixed step" };
        let (kept, wanted) = (state.controller.is_some(), settings.control.is_some());
        return foreign(format!("it was computed {}, not {}", how(kept), how(wanted)));
    }
    if settings.control.is_none() && state.step_size != settings.step_size {
        let (kept, wanted) = (state.step_size, settings.step_size);
        return foreign(format!("it was computed with h = {kept}, not {wanted}"));
    }
    let events = system.events().map_or(0, |events| events.list().len());
    if !state.events.fits(events) {
        return foreign(format!("its events are not the {events} events of this system"));
    }
    let space = system.space();
    let constraints = system.holonomic_count().saturating_add(system.nonholonomic_count());
    let memory = method.storage();
    let v = space.velocities();
    let fits = |at: &Instant| {
        at.q.len() == space.configurations()
            && at.v.len() == v
            && at.a.len() == v
            && at.multipliers.len() == constraints
            && at.stabilization_multipliers.len() == system.holonomic_count()
            && at.z.len() == system.state_count()
            && at.rates.len() == system.state_count()
    };
    let history = &state.history;
    let mut earlier = memory.earlier_instant(&state.now);
    let lengths = |at: &mut Instant| at.vectors_mut().map(|values| values.len());
    let needed = lengths(&mut earlier);
    // other versions of a method may have kept more
    let is_kept = |at: &Instant| fits(at) || lengths(&mut at.clone()) == needed;
    let shape = fits(&state.now)
        && history.earlier.len() == memory.earlier
        && history.filled <= memory.earlier
        && history.earlier.iter().all(is_kept)
        && history.auxiliary.len() == memory.auxiliary.len()
        && history.auxiliary.iter().zip(&memory.auxiliary).all(|(x, &(name, extent))| {
            x.name == name && x.values.len() == extent.initial(&state.now).len()
        });
    if !shape {
        return foreign("the lengths of its vectors differ from this system".into());
    }
    let inactive = std::iter::once(&state.now).chain(&history.earlier).flat_map(|at| &at.inactive);
    if inactive.into_iter().any(|row| *row >= constraints) {
        return foreign("its inactive constraints are not constraints of this system".into());
    }
    let time = state.time();
    if !(time == state.now.t && time.is_finite() && state.step_origin.steps <= state.steps) {
        return foreign(format!("its time {} does not follow from its steps", state.now.t));
    }
    let sound = |at: &Instant| {
        let finite = |values: &[f64]| values.iter().all(|x| x.is_finite());
        let unit = |rotation: &RotationIndex| (rotation.of(&at.q).norm() - 1.0).abs() < 1e-9;
        let Instant {
            t,
            q,
            v,
            a,
            multipliers,
            stabilization_multipliers: stabilizing,
            z,
            rates,
            inactive: _,
        } = at;
        t.is_finite()
            && [q, v, a, multipliers, stabilizing, z, rates].iter().all(|x| finite(x))
            && (q.is_empty() || space.rotations().iter().all(unit))
    };
    let auxiliary = history.auxiliary.iter().flat_map(|x| &x.values);
    if !(sound(&state.now)
        && state.start.is_finite()
        && state.identity.has_finite_instants()
        && history.earlier.iter().all(sound)
        && auxiliary.into_iter().all(|x| x.is_finite()))
    {
        return foreign(
            "it has values that are not finite, or quaternions whose length is not one".into(),
        );
    }
    Ok(())
}
