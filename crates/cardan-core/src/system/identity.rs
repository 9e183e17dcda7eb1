//! The identity of a system in a saved state, so that the state is not continued with another system.
//!
//! Systems are code: there is no text to compare. The names of coordinates
//! and constraints, and the numbers M w, f, Φ and G w at two probe instants are compared instead.

use serde::{Deserialize, Serialize};

use super::{Evaluator, StateView, System, SystemMatrix};
use crate::state::Instant;
use crate::system::SystemError;

/// Relative agreement of the numbers of the same system, also between builds that round differently.
const RELATIVE: f64 = 1e-9;
/// Round-off after cancellation, relative to the largest number of the same quantity.
const CANCELLED: f64 = 1e-12;
/// Distance of the second probe from the start, in metres or radians, and the difference of velocities.
const ASIDE: f64 = 1e-3;
const FASTER: f64 = 1.0;
/// Time between the probes.
const LATER: f64 = 0.37;

/// The identity of a system: its names, and its numbers at two probe instants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    /// A hash of the names of all coordinates, constraints and states.
    names: u64,
    probes: Vec<Probe>,
}

/// An instant and the values of the system's functions there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Probe {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    z: Vec<f64>,
    mass: Vec<f64>,
    force: Vec<f64>,
    constraint: Vec<f64>,
    jacobian: Vec<f64>,
}

impl Identity {
    /// The identity of a system, from its values at an instant and at a second one near it.
    pub(crate) fn new(
        system: &dyn System,
        evaluator: &mut Evaluator,
        at: &Instant,
    ) -> Result<Self, SystemError> {
        let aside: Vec<f64> = (0..at.v.len()).map(|i| ASIDE * scatter(i)).collect();
        let moved = evaluator.space().plus(&at.q, &aside);
        let faster = at.v.iter().enumerate().map(|(i, v)| v + FASTER * scatter(i + 1)).collect();
        let here = Probe {
            t: at.t,
            q: at.q.clone(),
            v: at.v.clone(),
            z: at.z.clone(),
            ..Probe::default()
        };
        let beside = Probe {
            t: at.t + LATER,
            q: moved.unwrap_or_else(|| at.q.clone()),
            v: faster,
            ..here.clone()
        };
        let mut probes = vec![here, beside];
        probes[0].evaluate(system, evaluator)?;
        probes[1].evaluate_if_possible(system, evaluator)?;
        Ok(Self { names: names(system), probes })
    }

    /// The reason why a system differs from this identity, or `None` if it does not.
    pub(crate) fn difference(
        &self,
        system: &dyn System,
        evaluator: &mut Evaluator,
    ) -> Result<Option<String>, SystemError> {
        let sizes = evaluator.sizes();
        let fits = |probe: &Probe| {
            probe.q.len() == sizes.q
                && [&probe.v, &probe.mass, &probe.force].iter().all(|x| x.len() == sizes.v)
                && probe.z.len() == sizes.z
                && probe.constraint.len() == sizes.holonomic
                && probe.jacobian.len() == sizes.constraints
        };
        if self.probes.is_empty() {
            return Ok(Some("it has no identity of its system".into()));
        }
        if !self.probes.iter().all(fits) {
            return Ok(Some("its identity has different sizes from this system".into()));
        }
        if !self.has_names_of(system) {
            return Ok(Some("coordinates, constraints or states have different names".into()));
        }
        for probe in &self.probes {
            let mut again = probe.clone();
            again.evaluate_if_possible(system, evaluator)?;
            if let Some(reason) = probe.difference(&again, system) {
                return Ok(Some(reason));
            }
        }
        Ok(None)
    }

    /// Whether the coordinates, constraints and states of a system have the same names.
    pub(crate) fn has_names_of(&self, system: &dyn System) -> bool {
        self.names == names(system)
    }

    /// Whether the probes are finite.
    pub(crate) fn has_finite_instants(&self) -> bool {
        let finite = |values: &[f64]| values.iter().all(|x| x.is_finite());
        self.probes.iter().all(|x| x.t.is_finite() && finite(&x.q) && finite(&x.v) && finite(&x.z))
    }
}

impl Probe {
    /// The values of a function that may fail; NaN then.
    fn evaluate_if_possible(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
    ) -> Result<(), SystemError> {
        match self.evaluate(system, evaluator) {
            Err(SystemError::Failed { .. }) => {
                let Self { mass, force, constraint, jacobian, .. } = self;
                for values in [mass, force, constraint, jacobian] {
                    values.fill(f64::NAN);
                }
                Ok(())
            }
            evaluated => evaluated,
        }
    }

    fn evaluate(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
    ) -> Result<(), SystemError> {
        let sizes = evaluator.sizes();
        let weights: Vec<f64> = (0..sizes.v).map(|i| 1.0 + 0.5 * scatter(i)).collect();
        let multipliers = vec![1.0; sizes.constraints];
        let Self { t, q, v, z, mass, force, constraint, jacobian } = self;
        let cleared = |values: &mut Vec<f64>, length: usize| {
            values.clear();
            values.resize(length, 0.0);
        };
        cleared(mass, sizes.v);
        cleared(force, sizes.v);
        cleared(constraint, sizes.holonomic);
        cleared(jacobian, sizes.constraints);
        evaluator.mass(system, q)?;
        evaluator.part(SystemMatrix::Mass).multiply_add(1.0, &weights, mass);
        let at = StateView { multipliers: &multipliers, z, ..StateView::new(*t, q, v) };
        evaluator.force(system, &at, force)?;
        evaluator.all_constraints(system, *t, q, constraint)?;
        evaluator.all_gradients(system, *t, q)?;
        evaluator.part(SystemMatrix::Jacobian).multiply_add(1.0, &weights, jacobian);
        Ok(())
    }

    fn difference(&self, other: &Self, system: &dyn System) -> Option<String> {
        let coordinate = |what: &str, one: &[f64], two: &[f64]| {
            let i = differing(one, two)?;
            Some(format!("{what} {} differs", system.coordinate_name(i)))
        };
        let row = |what: &str, one: &[f64], two: &[f64]| {
            let i = differing(one, two)?;
            Some(format!("{what} {} differs", system.constraint_name(i)))
        };
        coordinate("the inertia of", &self.mass, &other.mass)
            .or_else(|| coordinate("the force on", &self.force, &other.force))
            .or_else(|| row("the value of", &self.constraint, &other.constraint))
            .or_else(|| row("the gradient of", &self.jacobian, &other.jacobian))
    }
}

/// The first number that differs.
fn differing(one: &[f64], two: &[f64]) -> Option<usize> {
    let most = one.iter().filter(|x| x.is_finite()).fold(0.0_f64, |most, x| most.max(x.abs()));
    let agree = |(a, b): (&f64, &f64)| match a.is_finite() && b.is_finite() {
        true => (a - b).abs() <= RELATIVE * a.abs().max(b.abs()) + CANCELLED * most,
        false => a.is_finite() == b.is_finite(),
    };
    one.iter().zip(two).position(|pair| !agree(pair))
}

/// Pseudo-random numbers between −1 and 1, the same on every machine.
fn scatter(i: usize) -> f64 {
    let mut x = (i as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^= x >> 31;
    (x >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// FNV-1a over all names.
fn names(system: &dyn System) -> u64 {
    let rows = system.holonomic_count() + system.nonholonomic_count();
    let coordinates = (0..system.space().velocities()).map(|i| system.coordinate_name(i));
    let constraints = (0..rows).map(|i| system.constraint_name(i));
    let states = (0..system.state_count()).map(|i| system.state_name(i));
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for name in coordinates.chain(constraints).chain(states) {
        for byte in name.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    hash
}
