//! Reference solutions: extrapolation of order 16 on the index-1 equations, with dense algebra, quaternions as four
//! plain numbers and ż solved from the first-order equations. It shares no code with the stages except the system.

use nalgebra::{DMatrix, DVector};

use cardan::math::{Quaternion, largest};
use cardan::state::Instant;
use cardan::system::SystemError;
use cardan::system::{Evaluator, Space, StateView, System, SystemMatrix};

/// Substeps of the modified midpoint rule: extrapolated to order 16.
const SUBSTEPS: [usize; 8] = [2, 4, 6, 8, 10, 12, 14, 16];
/// The largest motion per macro step, in rad or m: below it the truncation error is round-off.
const MOTION_PER_STEP: f64 = 0.5;
/// The maximum number of steps between two times.
const MAX_STEPS: f64 = 1e8;
/// Newton's iterations for ż: until corrections no longer shrink. Where r is linear in ż the second one is round-off.
const MAX_ITERATIONS: usize = 50;
/// Corrections that no longer shrink are round-off if they are below this part of ż or z.
const STALLED: f64 = 1e-9;
/// The smallest speed used for the step size: gravity and drives add motion of their own.
const MIN_SPEED: f64 = 40.0;

/// The motion at the given times (ascending), from a consistent instant. Systems must write their
/// acceleration term analytically for the last digits to be right. A time that is not finite, or too far
/// away for steps of this kind, gives values that are not numbers from there on.
pub fn solve(
    system: &dyn System,
    start: &Instant,
    times: &[f64],
) -> Result<Vec<Instant>, SystemError> {
    if system.force_needs_multipliers() || system.state_needs_multipliers() {
        return Err(SystemError::NoReference);
    }
    let mut reference = Reference::new(system, start)?;
    let mut y = [start.q.as_slice(), start.v.as_slice(), start.z.as_slice()].concat();
    let mut t = start.t;
    let speed = start.v.iter().fold(MIN_SPEED, |s, x| s.max(x.abs()));
    let mut motion = Vec::with_capacity(times.len());
    for &time in times {
        let steps = ((time - t) * speed / MOTION_PER_STEP).ceil().max(1.0);
        let h = (time - t) / steps;
        if !(steps <= MAX_STEPS && h.is_finite()) {
            y.fill(f64::NAN);
            t = time;
            motion.push(reference.instant(start, t, &y));
            continue;
        }
        for k in 0..steps as usize {
            y = reference.extrapolate(t + k as f64 * h, h, &y);
        }
        t = time;
        motion.push(reference.instant(start, t, &y));
    }
    Ok(motion)
}

struct Reference<'s> {
    system: &'s dyn System,
    space: Space,
    evaluator: Evaluator,
    nq: usize,
    /// ż at the point evaluated last, where Newton begins.
    rates: Vec<f64>,
}

impl<'s> Reference<'s> {
    fn new(system: &'s dyn System, start: &Instant) -> Result<Self, SystemError> {
        let at = StateView::from(start);
        let evaluator = Evaluator::new(system, &at)?;
        let (nq, rates) = (start.q.len(), start.rates.clone());
        Ok(Self { system, space: system.space(), evaluator, nq, rates })
    }

    /// (q, v, z).
    fn split<'y>(&self, y: &'y [f64]) -> [&'y [f64]; 3] {
        let (q, rest) = y.split_at(self.nq);
        let (v, z) = rest.split_at(self.evaluator.sizes().v);
        [q, v, z]
    }

    /// Solves r(t, q, v, z, ż) = 0 for ż by Newton's method.
    fn solve_rates(&mut self, at: &StateView<'_>) {
        let n = at.z.len();
        let (mut residual, mut before) = (vec![0.0; n], f64::INFINITY);
        for _ in 0..if n > 0 { MAX_ITERATIONS } else { 0 } {
            let written = self
                .evaluator
                .state_residual(self.system, at, &self.rates, &mut residual)
                .and(self.evaluator.state_tangent(self.system, at, &self.rates));
            if written.is_err() {
                break;
            }
            let mut matrix = DMatrix::zeros(n, n);
            let tangent = self.evaluator.part(SystemMatrix::StateRate);
            tangent.iter().for_each(|(i, j, x)| matrix[(i, j)] += x);
            let Some(change) = matrix.lu().solve(&DVector::from_column_slice(&residual)) else {
                break;
            };
            self.rates.iter_mut().zip(change.iter()).for_each(|(rate, change)| *rate -= change);
            let size = change.amax();
            let is_stalled = size >= 0.5 * before;
            if size == 0.0
                || is_stalled && size <= STALLED * largest(&self.rates).max(largest(at.z))
            {
                return;
            }
            before = size;
        }
        // what cannot be solved is not a number, which the comparison shows
        self.rates.fill(f64::NAN);
    }

    /// a and λ from [M Gᵀ; G 0].
    fn acceleration(&mut self, at: &StateView<'_>) -> DVector<f64> {
        let StateView { t, q, v, .. } = *at;
        let sizes = self.evaluator.sizes();
        let (n, m) = (sizes.v, sizes.constraints);
        let mut matrix = DMatrix::zeros(n + m, n + m);
        // a system that cannot be evaluated gives NaN, which the comparison shows
        let nothing = || DVector::repeat(n + m, f64::NAN);
        let evaluator = &mut self.evaluator;
        let written = evaluator.mass(self.system, q).and(evaluator.jacobian(self.system, t, q));
        if written.is_err() {
            return nothing();
        }
        let (mass, jacobian) =
            (evaluator.part(SystemMatrix::Mass), evaluator.part(SystemMatrix::Jacobian));
        mass.iter().for_each(|(i, j, x)| matrix[(i, j)] += x);
        for (i, j, x) in jacobian.iter() {
            matrix[(n + i, j)] += x;
            matrix[(j, n + i)] += x;
        }
        let mut rhs = vec![0.0; n + m];
        let mut term = vec![0.0; m];
        let written = evaluator
            .force(self.system, at, &mut rhs[..n])
            .and(evaluator.acceleration_term(self.system, t, q, v, &mut term));
        if written.is_err() {
            return nothing();
        }
        rhs[n..].iter_mut().zip(&term).for_each(|(r, x)| *r = -x);
        let rhs = DVector::from_vec(rhs);
        matrix.lu().solve(&rhs).unwrap_or_else(nothing)
    }

    /// d/dt of (q, v, z) with quaternions as four plain numbers.
    fn derivative(&mut self, t: f64, y: &[f64]) -> Vec<f64> {
        let [q, v, z] = self.split(y);
        let mut rate = vec![0.0; y.len()];
        for node in self.space.nodes() {
            for i in 0..node.vector {
                rate[node.q + i] = v[node.v + i];
            }
        }
        for rotation in self.space.rotations() {
            let spin = Quaternion { scalar: 0.0, vector: 0.5 * rotation.tangent(v) };
            rotation.set(&mut rate, rotation.of(q) * spin);
        }
        let at = StateView::new(t, q, v).with_states(z);
        let a = self.acceleration(&at);
        rate[self.nq..][..v.len()].copy_from_slice(&a.as_slice()[..v.len()]);
        self.solve_rates(&at);
        rate[self.nq + v.len()..].copy_from_slice(&self.rates);
        rate
    }

    /// Gragg's modified midpoint rule, extrapolated in h².
    fn extrapolate(&mut self, t: f64, h: f64, y: &[f64]) -> Vec<f64> {
        let slope = self.derivative(t, y);
        let mut table: Vec<Vec<f64>> = Vec::new();
        for (row, &n) in SUBSTEPS.iter().enumerate() {
            let s = h / n as f64;
            let mut before = y.to_vec();
            let mut here: Vec<f64> = y.iter().zip(&slope).map(|(y, f)| y + s * f).collect();
            for k in 1..n {
                let f = self.derivative(t + k as f64 * s, &here);
                let next = before.iter().zip(&f).map(|(y, f)| y + 2.0 * s * f).collect();
                before = std::mem::replace(&mut here, next);
            }
            // Neville's scheme, in place: table[j] becomes the entry (row, j)
            let mut entry = here;
            for j in 0..row {
                let ratio = (n as f64 / SUBSTEPS[row - 1 - j] as f64).powi(2) - 1.0;
                let old = std::mem::replace(&mut table[j], entry.clone());
                entry.iter_mut().zip(&old).for_each(|(e, o)| *e += (*e - o) / ratio);
            }
            table.push(entry);
        }
        table.pop().unwrap_or_default()
    }

    fn instant(&mut self, start: &Instant, t: f64, y: &[f64]) -> Instant {
        let [q, v, z] = self.split(y);
        let at = StateView::new(t, q, v).with_states(z);
        let solution = self.acceleration(&at);
        self.solve_rates(&at);
        let (a, multipliers) = solution.as_slice().split_at(v.len());
        let mut q = q.to_vec();
        self.space.normalize(&mut q);
        Instant {
            t,
            q,
            v: v.to_vec(),
            a: a.to_vec(),
            multipliers: multipliers.to_vec(),
            z: z.to_vec(),
            rates: self.rates.clone(),
            ..start.clone()
        }
    }
}
