//! Eigenvalues of systems with first-order states against roots of polynomials.

use cardan::linalg::SparseMatrix;
use cardan::math::Vector3;
use cardan::model::{
    Beam, BeamModes, Body, Element, ElementLoads, ElementState, ElementView, FlexibleBody, Force,
    Joint, Mechanism, Section, Support,
};
use cardan::modes::{
    Modes, ModesError, ModesOptions, RotatingObserver, StabilityVerdict, StateSpace,
    StaticStability,
};
use cardan::statics::StaticOptions;
use cardan::system::{Coupling, Derivative, ForceTangent, Space, StateTangent, StateView, System};
use cardan::{Failure, InitialValues, Instant, Settings, Simulation};
use nalgebra::Complex;

use super::{Custom, Motor, Pid, arm, consistent, contains, roots, slider};

fn eigenvalues(mechanism: &Mechanism) -> Vec<Complex<f64>> {
    let start = mechanism.assemble().unwrap();
    let at = consistent(&start, &start.initial);
    both_halves(&Modes::new(&start.model, &at, &ModesOptions::default()).unwrap())
}

/// The eigenvalues of modes, with the conjugate ones.
fn both_halves(modes: &Modes) -> Vec<Complex<f64>> {
    let half = modes.modes.iter().map(|mode| mode.eigenvalue);
    half.flat_map(|x| if x.im == 0.0 { vec![x] } else { vec![x, x.conj()] }).collect()
}

/// m λ³ + (c + d) λ² + (k + p) λ + i = 0.
#[test]
fn pi_controller_of_a_mass_has_the_roots_of_its_cubic() {
    let [m, k, c] = [2.0, 30.0, 1.5];
    let gains = [20.0, 25.0, 3.0];
    let mut mechanism = slider(k, c);
    mechanism.add(Force::custom("pi", ["slide"], Pid { target: 0.0, gains }));
    let found = eigenvalues(&mechanism);
    assert_eq!(found.len(), 3);
    let [p, i, d] = gains;
    contains(&found, &roots(&[i / m, (k + p) / m, (c + d) / m]), 1e-9);
}

/// A spring through a filter, T ż = x − z, force −k z: m T λ³ + m λ² + k = 0. Its lag makes it grow, which the stiffness
/// alone does not show.
#[test]
fn lag_of_a_filter_makes_a_spring_unstable() {
    let (m, k, lag) = (2.0, 30.0, 0.1);
    let mut mechanism = slider(0.0, 0.0);
    let element = Custom {
        names: &["filtered"],
        rates: move |_, x, _, z: &[f64], rates: &mut [f64]| rates[0] = (x - z[0]) / lag,
        force: move |_, z: &[f64]| -k * z[0],
    };
    mechanism.add(Force::custom("lag", ["slide"], element));
    let known = roots(&[k / (m * lag), 0.0, 1.0 / lag]);
    let found = eigenvalues(&mechanism);
    assert_eq!(found.len(), 3);
    contains(&found, &known, 1e-9);
    let start = mechanism.assemble().unwrap();
    let found = start.equilibrium(&StaticOptions::default()).unwrap();
    let stability = found.stability.unwrap();
    let growth = known.iter().map(|x| x.re).fold(0.0, f64::max);
    assert_eq!((stability.verdict, stability.unstable), (StabilityVerdict::Unstable, 1));
    assert!((stability.rate - growth).abs() < 1e-9 * growth, "{stability}");
    assert!(stability.to_string().contains("growing motion"), "{stability}");
}

/// J L λ² + J R λ + k² = 0, and zero for the angle.
#[test]
fn dc_motor_has_its_two_poles() {
    let (inertia, k, resistance, inductance) = (0.02, 0.05, 1.2, 3e-3);
    let mut mechanism = Mechanism::new();
    mechanism.add(Body::planar("rotor").mass(1.0).inertia(inertia));
    mechanism.add(Joint::revolute("shaft", "ground", "rotor").at([0.0, 0.0]));
    let motor = Motor { k, resistance, inductance, voltage: 12.0 };
    mechanism.add(Force::custom("motor", ["shaft"], motor));
    let start = mechanism.assemble().unwrap();
    let at = consistent(&start, &start.initial);
    let modes = Modes::new(&start.model, &at, &ModesOptions::default()).unwrap();
    assert!(!modes.is_conservative);
    let found = both_halves(&modes);
    let mut known = roots(&[k * k / (inertia * inductance), resistance / inductance]);
    known.push(Complex::new(0.0, 0.0));
    assert_eq!(found.len(), 3, "{found:?}");
    contains(&found, &known, 1e-9);
    assert_eq!(modes.modes.iter().filter(|mode| mode.is_rigid()).count(), 1);
    // the current in the shape of the electrical pole: J λ² φ = k i
    let fast = modes.modes.last().unwrap();
    let torque = inertia * fast.eigenvalue.powi(2) * fast.shape[2];
    assert!((k * fast.states[0] / torque - 1.0).norm() < 1e-8, "{:?}", fast.states);
}

/// J θ̈ + d θ̇ + (p − m g l sin θ) θ = i z, ż = −θ about the equilibrium of the arm, with J = I + m l².
#[test]
fn arm_with_pid_is_linearized_about_its_equilibrium() {
    let gains = [60.0, 80.0, 12.0];
    let start = arm(gains).assemble().unwrap();
    let found = start.equilibrium(&StaticOptions::default()).unwrap();
    let modes = Modes::new(&start.model, found.last().unwrap(), &ModesOptions::default()).unwrap();
    let (inertia, weight) = (0.2 + 2.0 * 0.25, 2.0 * 9.81 * 0.5);
    let stiffness = gains[0] - weight * 0.8_f64.sin();
    let known = roots(&[gains[1] / inertia, stiffness / inertia, gains[2] / inertia]);
    let found_values = both_halves(&modes);
    assert_eq!(found_values.len(), known.len());
    contains(&found_values, &known, 1e-8);
    assert_eq!(found.stability.unwrap().verdict, StabilityVerdict::Stable);
}

/// A state that acts on nothing adds its own pole; frequencies of the motion do not change.
#[test]
fn state_without_influence_adds_its_pole_only() {
    let mut mechanism = slider(50.0, 0.0);
    let element = Custom {
        names: &["filtered", "travelled"],
        rates: |_, x, v: f64, z: &[f64], rates: &mut [f64]| {
            rates.copy_from_slice(&[4.0 * (x - z[0]), v]);
        },
        force: |_, _: &[f64]| 0.0,
    };
    mechanism.add(Force::custom("sensor", ["slide"], element));
    let found = eigenvalues(&mechanism);
    let known = [Complex::new(0.0, 5.0), Complex::new(-4.0, 0.0), Complex::new(0.0, 0.0)];
    assert_eq!(found.len(), 4, "{found:?}");
    contains(&found, &known, 1e-9);
}

/// Every eigenvalue of A is among the modes, and there are as many.
#[track_caller]
fn modes_are_eigenvalues(mechanism: &Mechanism, tolerance: f64) {
    let start = mechanism.assemble().unwrap();
    let at = consistent(&start, &start.initial);
    let observer = RotatingObserver::default();
    let system = StateSpace::new(&start.model, &at, &observer, &[], &[]).unwrap();
    let options = ModesOptions { count: 12, ..ModesOptions::default() };
    let modes = Modes::new(&start.model, &at, &options).unwrap();
    let known: Vec<Complex<f64>> = system.a.complex_eigenvalues().iter().copied().collect();
    contains(&known, &both_halves(&modes), tolerance);
}

/// −c z at a point, T ż = v_z − z.
struct TipDamper {
    damping: f64,
    lag: f64,
}

impl Element for TipDamper {
    fn force(&self, at: &ElementView, loads: &mut ElementLoads) -> Result<(), Failure> {
        loads.force(0, &Vector3::new(0.0, 0.0, -self.damping * at.z[0]));
        Ok(())
    }
    fn states(&self) -> Vec<ElementState> {
        vec![ElementState { name: "speed", initial: 0.0 }]
    }
    fn rates(&self, at: &ElementView, rates: &mut [f64]) -> Result<(), Failure> {
        rates[0] = (at.velocity(0).z - at.z[0]) / self.lag;
        Ok(())
    }
}

/// A cantilever of beam elements whose tip is damped through a filter: the Krylov space against full matrices.
#[test]
fn beam_with_a_filtered_damper_has_the_same_modes_both_ways() {
    let mut mechanism = Mechanism::new();
    mechanism.point("wall", [0.0; 3]);
    let section =
        Section::new([1e4, 1e4, 1e4, 10.0, 20.0, 30.0]).mass(1.0).inertia([2e-3, 1e-3, 1e-3]);
    let beam = Beam::new("blade", section).elements(4).through("ground.wall");
    mechanism.add(beam.through([1.0, 0.0, 0.0]));
    mechanism.add(Force::custom("damper", ["blade.end"], TipDamper { damping: 3.0, lag: 0.05 }));
    modes_are_eigenvalues(&mechanism, 1e-6);
}

/// A flexible body in a floating frame on a motor.
#[test]
fn flexible_arm_on_a_motor_has_the_same_modes_both_ways() {
    let blade = BeamModes {
        bending_stiffness: [1.0; 2],
        bending: [1, 1],
        inertia: [0.05; 3],
        support: Support::Clamped,
        ..BeamModes::default()
    };
    let mut all = Mechanism::new();
    all.add(FlexibleBody::spatial("blade", blade.body()));
    all.add(Joint::revolute("A", "ground", "blade.start").axis([0.0, 1.0, 0.0]));
    let motor = Motor { k: 0.5, resistance: 1.0, inductance: 0.05, voltage: 0.0 };
    all.add(Force::custom("motor", ["A"], motor));
    modes_are_eigenvalues(&all, 1e-7);
}

/// A chain of unit masses between walls whose springs act through filters: q̈ = −K z, T ż = q − z. In modal coordinates of K
/// T λ³ + λ² + ω² = 0 with ω = 2 sin(j π/(2 (n + 1))).
struct FilteredChain {
    masses: usize,
    lag: f64,
}

impl FilteredChain {
    fn stiffness(&self, mut each: impl FnMut(usize, usize, f64)) {
        for i in 0..self.masses {
            each(i, i, 2.0);
            if i > 0 {
                each(i, i - 1, -1.0);
                each(i - 1, i, -1.0);
            }
        }
    }
}

impl System for FilteredChain {
    fn space(&self) -> Space {
        Space::vector(self.masses)
    }
    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        (0..self.masses).for_each(|i| mass.add(i, i, 1.0));
        Ok(())
    }
    fn has_constant_mass(&self) -> bool {
        true
    }
    fn coupling(&self) -> Coupling {
        Coupling::Elements((0..self.masses).map(|i| vec![i]).collect())
    }
    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        self.stiffness(|i, j, x| force[i] -= x * at.z[j]);
        Ok(())
    }
    fn force_tangent(
        &self,
        _at: &StateView<'_>,
        tangent: &mut ForceTangent<'_>,
    ) -> Result<Derivative, Failure> {
        self.stiffness(|i, j, x| tangent.states.add(i, j, x));
        Ok(Derivative::Analytic)
    }
    fn state_count(&self) -> usize {
        self.masses
    }
    fn state_residual(
        &self,
        at: &StateView<'_>,
        rates: &[f64],
        residual: &mut [f64],
    ) -> Result<(), Failure> {
        for (i, residual) in residual.iter_mut().enumerate() {
            *residual = self.lag * rates[i] - at.q[i] + at.z[i];
        }
        Ok(())
    }
    fn state_tangent(
        &self,
        _at: &StateView<'_>,
        _rates: &[f64],
        tangent: &mut StateTangent<'_>,
    ) -> Result<Derivative, Failure> {
        for i in 0..self.masses {
            tangent.configuration.add(i, i, -1.0);
            tangent.state.add(i, i, 1.0);
            tangent.rate.add(i, i, self.lag);
        }
        Ok(Derivative::Analytic)
    }
}

/// Systems with more than 400 coordinates and states are solved in the Krylov space only.
#[test]
fn filtered_chain_has_the_roots_of_its_cubics_at_any_size() {
    for masses in [20, 220] {
        let chain = FilteredChain { masses, lag: 0.2 };
        let initial = InitialValues::new(&vec![0.0; masses], &vec![0.0; masses]);
        let initial = initial.states(&vec![0.0; masses]);
        let at = start_of(&chain, &initial);
        let options = ModesOptions { count: 8, ..ModesOptions::default() };
        let modes = Modes::new(&chain, &at, &options).unwrap();
        let found: Vec<Complex<f64>> = modes.modes.iter().map(|mode| mode.eigenvalue).collect();
        let known: Vec<Complex<f64>> = (1..=8)
            .flat_map(|j| {
                let angle = j as f64 * std::f64::consts::PI / (2 * (masses + 1)) as f64;
                let square = (2.0 * angle.sin()).powi(2);
                roots(&[square / chain.lag, 0.0, 1.0 / chain.lag])
            })
            // the slow pairs; the fast roots lie at −1/T
            .filter(|x| x.im > 0.0)
            .collect();
        assert_eq!(known.len(), 8);
        contains(&found, &known, 1e-7);
        let observer = RotatingObserver::default();
        let stability = StaticStability::new(&chain, &at, &observer).unwrap();
        assert_eq!(stability.verdict, StabilityVerdict::Unstable, "{stability}");
    }
}

fn start_of(system: &dyn System, initial: &InitialValues) -> Instant {
    let settings = Settings::new("generalized-alpha", 1e-3);
    Simulation::new(system, &settings, initial).unwrap().now().clone()
}

/// r = z − q has no rate: the linear equations refuse it by name.
#[test]
fn algebraic_state_is_refused_by_name() {
    struct Algebraic;
    impl System for Algebraic {
        fn space(&self) -> Space {
            Space::vector(1)
        }
        fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
            mass.add(0, 0, 1.0);
            Ok(())
        }
        fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
            force[0] = -at.z[1];
            Ok(())
        }
        fn state_count(&self) -> usize {
            2
        }
        fn state_residual(
            &self,
            at: &StateView<'_>,
            rates: &[f64],
            residual: &mut [f64],
        ) -> Result<(), Failure> {
            residual[0] = rates[0] + at.z[0];
            residual[1] = at.z[1] - at.q[0];
            Ok(())
        }
        fn state_name(&self, i: usize) -> String {
            format!("state `{}`", ["slow", "instant"][i])
        }
    }
    let at = Instant {
        t: 0.0,
        q: vec![0.0],
        v: vec![0.0],
        a: vec![0.0],
        multipliers: Vec::new(),
        stabilization_multipliers: Vec::new(),
        z: vec![0.0; 2],
        rates: vec![0.0; 2],
        inactive: Vec::new(),
    };
    let refused = Modes::new(&Algebraic, &at, &ModesOptions::default()).unwrap_err();
    assert_eq!(refused, ModesError::AlgebraicState { state: "state `instant`".into() });
}
