//! Linear structures step by step with displacements as unknowns, as the papers write them: the same steps.
//!
//! ```text
//! v₊ = (q₊ − Q)/c,  a₊ = (v₊ − V)/c       Q, V: what a method knows of the step before it is taken
//! (K + C/c + M/c²) q₊ = R₊ + M (Q/c² + V/c) + C Q/c
//! ```

use cardan::methods::{MethodChoice, ParameterValue};
use cardan::model::{AssembledMechanism, Function, Lumping, Mechanism, Scalar, Structure};
use cardan::system::{Evaluator, StateView, System, SystemMatrix};
use cardan::{Settings, Simulation};
use nalgebra::{DMatrix, DVector};

type Vector = DVector<f64>;

/// What a method remembers of a rate u: y₊ = known + c u₊.
enum Recursion {
    /// y₊ = Σ α_i y_{−i} + h Σ β_i u_{−i} + h β₀ u₊; before the r-th step y + h (1 − β₀) u + h β₀ u₊.
    Multistep { alpha: Vec<f64>, beta: Vec<f64> },
    /// y₊ = y + h [(1 − g) m + g m₊] with m₊ = n₀ u₊ + s₁, s_i₊ = n_i u₊ − d_i m₊ + s_{i+1}.
    SingleStep { g: f64, n: Vec<f64>, d: Vec<f64> },
}

/// The past of y and u, newest first; or the means of u.
struct Past {
    y: Vec<Vector>,
    u: Vec<Vector>,
}

impl Recursion {
    fn of(settings: &Settings) -> Self {
        let choice: MethodChoice = settings.choice();
        let coefficients = choice.build().unwrap().1.coefficients();
        let all = |prefix: &str| -> Vec<f64> {
            coefficients.iter().filter(|(name, _)| name.starts_with(prefix)).map(|x| x.1).collect()
        };
        match settings.method.starts_with("lms") {
            true => Self::Multistep { alpha: all("alpha_"), beta: all("beta_") },
            false => Self::SingleStep { g: all("g")[0], n: all("n_"), d: all("d_") },
        }
    }

    /// c/h.
    fn weight(&self) -> f64 {
        match self {
            Self::Multistep { beta, .. } => beta[0],
            Self::SingleStep { g, n, .. } => g * n[0],
        }
    }

    fn begin(&self, y: &Vector, u: &Vector) -> Past {
        let mut means = vec![u.clone()];
        if let Self::SingleStep { n, d, .. } = self {
            // m = u, and s_i as if u had always been the same
            for i in 0..d.len() {
                let factor: f64 = (i..d.len()).map(|k| n[k + 1] - d[k]).sum();
                means.push(factor * u);
            }
        }
        Past { y: vec![y.clone()], u: means }
    }

    /// What is known of y₊.
    fn known(&self, Past { y, u }: &Past, h: f64) -> Vector {
        match self {
            Self::Multistep { alpha, beta } if y.len() == alpha.len() => {
                (0..alpha.len()).map(|i| alpha[i] * &y[i] + h * beta[i + 1] * &u[i]).sum()
            }
            Self::Multistep { beta, .. } => &y[0] + h * (1.0 - beta[0]) * &u[0],
            Self::SingleStep { g, .. } => &y[0] + h * (1.0 - g) * &u[0] + h * *g * &u[1],
        }
    }

    fn feed(&self, past: &mut Past, y: &Vector, u: &Vector) {
        match self {
            Self::Multistep { alpha, .. } => {
                for (list, new) in [(&mut past.y, y), (&mut past.u, u)] {
                    list.insert(0, new.clone());
                    list.truncate(alpha.len());
                }
            }
            Self::SingleStep { n, d, .. } => {
                past.y[0] = y.clone();
                let mean = n[0] * u + &past.u[1];
                past.u[0] = mean.clone();
                for i in 1..past.u.len() {
                    let value = n[i] * u - d[i - 1] * &mean;
                    past.u[i] = match past.u.get(i + 1) {
                        Some(next) => value + next,
                        None => value,
                    };
                }
            }
        }
    }
}

/// M, C and K.
fn matrices(start: &AssembledMechanism) -> [DMatrix<f64>; 3] {
    let (q, v) = (&start.initial.q, &start.initial.v);
    let at = StateView::new(0.0, q, v);
    let mut evaluator = Evaluator::new(&start.model, &at).unwrap();
    evaluator.mass(&start.model, q).unwrap();
    evaluator.force_tangent(&start.model, &at).unwrap();
    [SystemMatrix::Mass, SystemMatrix::Damping, SystemMatrix::Stiffness].map(|part| {
        let mut matrix = DMatrix::zeros(q.len(), q.len());
        evaluator.part(part).iter().for_each(|(i, j, x)| matrix[(i, j)] += x);
        matrix
    })
}

#[test]
fn the_displacement_form_is_the_same_method() {
    let mut mechanism = Mechanism::new();
    let bar = Structure::bar("bar", 1.0, 20, 1.0, 1.0, Lumping::Consistent);
    let load = Function::of(|t| (t * 3.0).sin());
    let bar = bar.fix(0).load(20, load).proportional_damping(0.1, 1e-3).start(10, 0.01, -0.02);
    mechanism.add(bar);
    let start = mechanism.assemble().unwrap();
    let [mass, damping, stiffness] = matrices(&start);
    let zeros = vec![0.0; mass.nrows()];
    let force = |t: f64, q: &[f64], v: &[f64]| {
        let mut force = zeros.clone();
        start.model.force(&StateView::new(t, q, v), &mut force).unwrap();
        Vector::from_vec(force)
    };
    let h = 0.02;
    for method in ["lms2", "lms3", "lms4", "ss2", "ss3", "ss4"] {
        let startup = if method.starts_with("lms") { "single-step" } else { "printed" };
        let settings =
            Settings::new(method, h).rho(0.3).parameter("startup", ParameterValue::from(startup));
        let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
        let recursion = Recursion::of(&settings);
        let c = h * recursion.weight();
        let solver = (&stiffness + &damping / c + &mass / (c * c)).lu();
        let initial = &start.initial;
        let mut q = Vector::from_vec(initial.q.clone());
        let mut v = Vector::from_vec(initial.v.clone());
        let mut a = mass.clone().lu().solve(&force(0.0, &initial.q, &initial.v)).unwrap();
        let (mut positions, mut velocities) = (recursion.begin(&q, &v), recursion.begin(&v, &a));
        for k in 1..=200 {
            motion.step().unwrap();
            let place = recursion.known(&positions, h);
            let speed = recursion.known(&velocities, h);
            let right = force(f64::from(k) * h, &zeros, &zeros)
                + &mass * (&place / (c * c) + &speed / c)
                + &damping * &place / c;
            q = solver.solve(&right).unwrap();
            v = (&q - &place) / c;
            a = (&v - &speed) / c;
            recursion.feed(&mut positions, &q, &v);
            recursion.feed(&mut velocities, &v, &a);
        }
        let gap = |found: &[f64], exact: &Vector| {
            (Vector::from_column_slice(found) - exact).amax() / exact.amax()
        };
        let now = motion.now();
        let gaps = [gap(&now.q, &q), gap(&now.v, &v), gap(&now.a, &a)];
        // differences of displacements over c² lose ε/(c² ω²) of the accelerations, 200 times
        assert!(gaps[0] < 1e-11 && gaps[1] < 1e-10 && gaps[2] < 1e-9, "{method}: {gaps:?}");
        // one matrix for all steps: the start of a multistep method has the same
        assert_eq!(motion.effort().linear.factorizations, 1, "{method}");
    }
}
