//! The identity of a system in a saved state, so that the state is not continued with another system.
//!
//! Systems are code: there is no text to compare. The names of coordinates
//! and constraints, and the numbers M w, f, Φ and G w at two probe instants are compared instead. They are computed when
//! a state is asked for: most runs do not save one, and all names take as long as a tenth of the set-up.

use std::sync::OnceLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::view_source::{SystemSizes, ViewSource};
use super::{Failure, Scratch, StateView, System};
use crate::linalg::SparseMatrix;
use crate::state::Instant;

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
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// The first probe instant, without the numbers.
    start: Probe,
    numbers: OnceLock<IdentityNumbers>,
}

/// The names and numbers that are saved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct IdentityNumbers {
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

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        self.numbers() == other.numbers()
    }
}

impl Serialize for Identity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.numbers().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Identity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let numbers = IdentityNumbers::deserialize(deserializer)?;
        Ok(Self { start: Probe::default(), numbers: numbers.into() })
    }
}

impl Identity {
    /// The identity of a system, to be [completed](Self::complete) with its values at an instant and at a second one near
    /// it.
    pub(crate) fn new(at: &Instant) -> Self {
        let (q, v, z) = (at.q.clone(), at.v.clone(), at.z.clone());
        Self { start: Probe { t: at.t, q, v, z, ..Probe::default() }, numbers: OnceLock::new() }
    }

    /// Computes the names and numbers, if they are not known. Those of functions that fail are not numbers.
    pub(crate) fn complete(&self, system: &dyn System) {
        self.numbers.get_or_init(|| {
            let here = &self.start;
            let aside: Vec<f64> = (0..here.v.len()).map(|i| ASIDE * scatter(i)).collect();
            let faster = |(i, v): (usize, &f64)| v + FASTER * scatter(i + 1);
            let beside = Probe {
                t: here.t + LATER,
                q: system.space().plus(&here.q, &aside).unwrap_or_else(|| here.q.clone()),
                v: here.v.iter().enumerate().map(faster).collect(),
                ..here.clone()
            };
            let mut probes = vec![here.clone(), beside];
            probes.iter_mut().for_each(|probe| probe.evaluate(system));
            IdentityNumbers { names: names(system), probes }
        });
    }

    /// The names and numbers; without those of any system before they are complete.
    fn numbers(&self) -> &IdentityNumbers {
        const NONE: &IdentityNumbers = &IdentityNumbers { names: 0, probes: Vec::new() };
        self.numbers.get().unwrap_or(NONE)
    }

    /// The reason why a system differs from this identity, or `None` if it does not.
    pub(crate) fn difference(&self, system: &dyn System) -> Option<String> {
        let sizes = SystemSizes::of(system, &system.space());
        let fits = |probe: &Probe| {
            probe.q.len() == sizes.q
                && [&probe.v, &probe.mass, &probe.force].iter().all(|x| x.len() == sizes.v)
                && probe.z.len() == sizes.z
                && probe.constraint.len() == sizes.holonomic
                && probe.jacobian.len() == sizes.constraints
        };
        let probes = &self.numbers().probes;
        if probes.is_empty() {
            return Some("it has no identity of its system".into());
        }
        if !probes.iter().all(fits) {
            return Some("its identity has different sizes from this system".into());
        }
        if !self.has_names_of(system) {
            return Some("coordinates, constraints or states have different names".into());
        }
        probes.iter().find_map(|probe| {
            let mut again = probe.clone();
            again.evaluate(system);
            probe.difference(&again, system)
        })
    }

    /// Whether the coordinates, constraints and states of a system have the same names.
    pub(crate) fn has_names_of(&self, system: &dyn System) -> bool {
        self.numbers().names == names(system)
    }

    /// Whether the probes are finite.
    pub(crate) fn has_finite_instants(&self) -> bool {
        let finite = |values: &[f64]| values.iter().all(|x| x.is_finite());
        let probes = &self.numbers().probes;
        probes.iter().all(|x| x.t.is_finite() && finite(&x.q) && finite(&x.v) && finite(&x.z))
    }
}

impl Probe {
    /// Computes the values; they are NaN if a function fails.
    fn evaluate(&mut self, system: &dyn System) {
        let sizes = SystemSizes::of(system, &system.space());
        let Self { mass, force, constraint, jacobian, .. } = self;
        let values = [mass, force, constraint, jacobian];
        let lengths = [sizes.v, sizes.v, sizes.holonomic, sizes.constraints];
        for (values, length) in values.into_iter().zip(lengths) {
            values.clear();
            values.resize(length, 0.0);
        }
        if self.try_to_evaluate(system, sizes).is_err() {
            let Self { mass, force, constraint, jacobian, .. } = self;
            for values in [mass, force, constraint, jacobian] {
                values.fill(f64::NAN);
            }
        }
    }

    fn try_to_evaluate(&mut self, system: &dyn System, sizes: SystemSizes) -> Result<(), Failure> {
        let Self { t, q, v, z, mass, force, constraint, jacobian } = self;
        let scratch = Scratch::new(system.scratch());
        let base = ViewSource { scratch, zeros: vec![0.0; sizes.longest()], sizes };
        let weights: Vec<f64> = (0..sizes.v).map(|i| 1.0 + 0.5 * scatter(i)).collect();
        let mut matrix = SparseMatrix::new(sizes.v, sizes.v);
        system.mass(&base.at(0.0, q), &mut matrix)?;
        add_product(matrix, &weights, mass)?;
        let multipliers = &vec![1.0; sizes.constraints];
        let at = StateView { multipliers, z, ..StateView::new(*t, q, v) };
        system.force(&base.with(&at), force)?;
        system.constraint(&base.at(*t, q), constraint)?;
        let mut matrix = SparseMatrix::new(sizes.constraints, sizes.v);
        system.jacobian(&base.at(*t, q), &mut matrix)?;
        add_product(matrix, &weights, jacobian)
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

/// Adds the product of a written matrix; an error if it has entries outside.
fn add_product(mut matrix: SparseMatrix, x: &[f64], out: &mut [f64]) -> Result<(), Failure> {
    matrix.finish().map_err(|fault| format!("an entry at {}, {}", fault.row, fault.column))?;
    matrix.multiply_add(1.0, x, out);
    Ok(())
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
