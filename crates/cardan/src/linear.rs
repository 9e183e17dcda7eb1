//! Linear structures step by step with displacements as unknowns: one matrix for the whole run.
//!
//! ```text
//! v₊ = (q₊ − Q)/c,  a₊ = (v₊ − V)/c       Q, V: what a method knows of the step before it is taken
//!
//! (K + C/c + M/c²) q₊ = R₊ + M (Q/c² + V/c) + C Q/c
//! ```
//! It is the same step as that of [`Simulation`](crate::Simulation), which has accelerations as unknowns and
//! takes any system; the two agree to round-off. One solve a step, two products with M and C.

use crate::error::{Error, LinearMarchError, SystemError};
use crate::linalg::{Entries, Kind, Pattern, Solver};
use crate::math::add_scaled;
use crate::methods;
use crate::simulation::{Initial, Settings};
use crate::system::{ForceTangent, Point, System};

/// What a method remembers of a rate u: y₊ = known + c u₊.
#[derive(Clone, Debug)]
enum Recursion {
    /// y₊ = Σ α_i y_{−i} + h Σ β_i u_{−i} + h β₀ u₊; before the r-th step y + h (1 − β₀) u + h β₀ u₊.
    Multistep { alpha: Vec<f64>, beta: Vec<f64> },
    /// y₊ = y + h [(1 − g) m + g m₊] with m₊ = n₀ u₊ + s₁, s_i₊ = n_i u₊ − d_i m₊ + s_{i+1}.
    SingleStep { g: f64, n: Vec<f64>, d: Vec<f64> },
}

/// The past of y and u, newest first; or the means of u.
#[derive(Clone, Debug)]
struct Past {
    y: Vec<Vec<f64>>,
    u: Vec<Vec<f64>>,
}

impl Recursion {
    fn of(settings: &Settings) -> Result<Self, Error> {
        let info = methods::find(&settings.method);
        let built = info.map(|info| info.build(&settings.parameters)).transpose();
        let built = built.map_err(crate::error::SettingsError::from)?;
        let coefficients = built.map(|method| method.coefficients()).unwrap_or_default();
        let all = |prefix: &str| -> Vec<f64> {
            let fits =
                |name: &str| name.strip_prefix(prefix).is_some_and(|x| x.parse::<usize>().is_ok());
            coefficients.iter().filter(|(name, _)| fits(name)).map(|(_, x)| *x).collect()
        };
        let one = |wanted: &str| coefficients.iter().find(|(name, _)| name == wanted).map(|x| x.1);
        let (alpha, beta, n, d) = (all("alpha_"), all("beta_"), all("n_"), all("d_"));
        match (one("g"), info.map(|info| info.family)) {
            (_, Some("multistep")) if beta.len() == alpha.len() + 1 => {
                Ok(Self::Multistep { alpha, beta })
            }
            (Some(g), Some("single-step")) if n.len() == d.len() + 1 => {
                Ok(Self::SingleStep { g, n, d })
            }
            _ => Err(LinearMarchError::Method { method: settings.method.clone() }.into()),
        }
    }

    /// c/h.
    fn weight(&self) -> f64 {
        match self {
            Self::Multistep { beta, .. } => beta[0],
            Self::SingleStep { g, n, .. } => g * n[0],
        }
    }

    fn begin(&self, y: &[f64], u: &[f64]) -> Past {
        match self {
            Self::Multistep { .. } => Past { y: vec![y.to_vec()], u: vec![u.to_vec()] },
            Self::SingleStep { n, d, .. } => {
                // m = u, and s_i as if u had always been the same
                let mut means = vec![u.to_vec()];
                for i in 0..d.len() {
                    let factor: f64 = (i..d.len()).map(|k| n[k + 1] - d[k]).sum();
                    means.push(u.iter().map(|u| factor * u).collect());
                }
                Past { y: vec![y.to_vec()], u: means }
            }
        }
    }

    /// What is known of y₊.
    fn known(&self, past: &Past, h: f64, out: &mut [f64]) {
        out.fill(0.0);
        match self {
            Self::Multistep { alpha, beta } if past.y.len() == alpha.len() => {
                for (i, alpha) in alpha.iter().enumerate() {
                    add_scaled(*alpha, &past.y[i], out);
                    add_scaled(h * beta[i + 1], &past.u[i], out);
                }
            }
            Self::Multistep { beta, .. } => {
                add_scaled(1.0, &past.y[0], out);
                add_scaled(h * (1.0 - beta[0]), &past.u[0], out);
            }
            Self::SingleStep { g, .. } => {
                add_scaled(1.0, &past.y[0], out);
                add_scaled(h * (1.0 - g), &past.u[0], out);
                if let Some(next) = past.u.get(1) {
                    add_scaled(h * g, next, out);
                }
            }
        }
    }

    fn feed(&self, past: &mut Past, y: &[f64], u: &[f64]) {
        match self {
            Self::Multistep { alpha, .. } => {
                for (list, new) in [(&mut past.y, y), (&mut past.u, u)] {
                    if list.len() < alpha.len() {
                        list.insert(0, new.to_vec());
                    } else {
                        list.rotate_right(1);
                        list[0].copy_from_slice(new);
                    }
                }
            }
            Self::SingleStep { n, d, .. } => {
                past.y[0].copy_from_slice(y);
                for (k, u) in u.iter().enumerate() {
                    let mean = n[0] * u + past.u.get(1).map_or(0.0, |next| next[k]);
                    past.u[0][k] = mean;
                    for i in 1..past.u.len() {
                        let ahead = past.u.get(i + 1).map_or(0.0, |next| next[k]);
                        past.u[i][k] = n[i] * u - d[i - 1] * mean + ahead;
                    }
                }
            }
        }
    }
}

/// A linear structure on its way.
pub struct LinearMarch<'s> {
    system: &'s dyn System,
    recursion: Recursion,
    h: f64,
    start: f64,
    steps: u64,
    mass: Entries,
    damping: Entries,
    solver: Solver,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    positions: Past,
    velocities: Past,
    /// Q, V and the right-hand side.
    known: [Vec<f64>; 3],
    zeros: Vec<f64>,
}

impl<'s> LinearMarch<'s> {
    /// Begins at initial values; the method is one of lms2 to lms4 and ss2 to ss4, begun as the papers do.
    pub fn new(
        system: &'s dyn System,
        settings: &Settings,
        initial: &Initial,
    ) -> Result<Self, Error> {
        let constraints = system.holonomic() + system.nonholonomic();
        let is_linear = system.jacobian_is_constant() && system.is_symmetric_positive();
        if !is_linear || constraints + system.states() > 0 {
            return Err(LinearMarchError::System.into());
        }
        let recursion = Recursion::of(settings)?;
        let n = system.space().velocities();
        if initial.q.len() != n || initial.v.len() != n {
            return Err(LinearMarchError::Length { expected: n }.into());
        }
        let h = settings.step_size;
        if !(h > 0.0 && h.is_finite()) {
            return Err(LinearMarchError::Step { step_size: h }.into());
        }
        let zeros = vec![0.0; n];
        let failed = |failure| SystemError::failed(initial.t, failure);
        let mut written = Ok(());
        let mass = Entries::written(n, n, |mass| {
            written = system.mass(&Point::new(initial.t, &zeros, &zeros), mass);
        });
        written.map_err(failed)?;
        let [mut stiffness, mut damping, mut none, mut nothing] =
            [Entries::new(n, n), Entries::new(n, n), Entries::new(n, 0), Entries::new(n, 0)];
        let at = Point::new(initial.t, &zeros, &zeros);
        let written = system.force_tangent(
            &at,
            &mut ForceTangent {
                stiffness: &mut stiffness,
                damping: &mut damping,
                multipliers: &mut none,
                states: &mut nothing,
            },
        );
        written.map_err(failed)?;
        let written = [&mut stiffness, &mut damping].into_iter().all(|x| x.finish().is_ok());
        if !written {
            return Err(LinearMarchError::System.into());
        }
        let c = h * recursion.weight();
        let singular = |_| Error::from(LinearMarchError::System);
        let solver =
            factorized(n, &[(&stiffness, 1.0), (&damping, 1.0 / c), (&mass, 1.0 / (c * c))])
                .map_err(singular)?;
        // M a = R − C v − K q
        let mut a = zeros.clone();
        let at = Point::new(initial.t, &initial.q, &initial.v);
        system.force(&at, &mut a).map_err(failed)?;
        factorized(n, &[(&mass, 1.0)])
            .and_then(|mut solver| solver.solve(&mut a))
            .map_err(singular)?;
        let (q, v) = (initial.q.clone(), initial.v.clone());
        Ok(Self {
            positions: recursion.begin(&q, &v),
            velocities: recursion.begin(&v, &a),
            known: [zeros.clone(), zeros.clone(), zeros.clone()],
            start: initial.t,
            steps: 0,
            system,
            recursion,
            h,
            mass,
            damping,
            solver,
            q,
            v,
            a,
            zeros,
        })
    }

    /// The time.
    pub fn time(&self) -> f64 {
        self.start + self.steps as f64 * self.h
    }

    /// Displacements.
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// Velocities.
    pub fn v(&self) -> &[f64] {
        &self.v
    }

    /// Accelerations.
    pub fn a(&self) -> &[f64] {
        &self.a
    }

    /// Takes a step.
    pub fn step(&mut self) -> Result<(), Error> {
        let c = self.h * self.recursion.weight();
        let [place, speed, right] = &mut self.known;
        self.recursion.known(&self.positions, self.h, place);
        self.recursion.known(&self.velocities, self.h, speed);
        self.steps += 1;
        let t = self.start + self.steps as f64 * self.h;
        right.fill(0.0);
        let forced = self.system.force(&Point::new(t, &self.zeros, &self.zeros), right);
        forced.map_err(|failure| SystemError::failed(t, failure))?;
        // the products need Q/c² + V/c and Q/c; accelerations are free to hold them
        for ((a, q), v) in self.a.iter_mut().zip(&*place).zip(&*speed) {
            *a = (q / c + v) / c;
        }
        self.mass.multiply_add(1.0, &self.a, right);
        self.damping.multiply_add(1.0 / c, place, right);
        self.solver.solve(right).map_err(|_| LinearMarchError::System)?;
        self.q.copy_from_slice(right);
        for (k, q) in self.q.iter().enumerate() {
            self.v[k] = (q - place[k]) / c;
            self.a[k] = (self.v[k] - speed[k]) / c;
        }
        if !self.q.iter().all(|x| x.is_finite()) {
            return Err(LinearMarchError::NotFinite { time: t }.into());
        }
        self.recursion.feed(&mut self.positions, &self.q, &self.v);
        self.recursion.feed(&mut self.velocities, &self.v, &self.a);
        Ok(())
    }

    /// How many matrices have been factorized for the steps.
    pub fn factorizations(&self) -> u64 {
        self.solver.statistics().factorizations
    }
}

/// A solver for a sum of matrices.
fn factorized(n: usize, sum: &[(&Entries, f64)]) -> Result<Solver, crate::linalg::LinearError> {
    let (pattern, values) = Pattern::of_sum(n, sum);
    let mut solver = Solver::new(pattern, &[], Kind::SymmetricPositive);
    solver.factorize(&values)?;
    Ok(solver)
}
