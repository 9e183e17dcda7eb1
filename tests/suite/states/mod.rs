//! First-order states: controllers, filters and motors in equilibrium, in modes and in linear systems.

mod equilibrium;
mod linear;
mod modes;
mod reactions;

use cardan::model::{
    AssembledMechanism, Body, Element, ElementLoads, ElementState, ElementView, Force, Joint,
    Mechanism,
};
use cardan::{Failure, InitialValues, Instant, Settings, Simulation};
use nalgebra::Complex;

/// A PID controller of one coordinate: force = p e + i z − d rate, ż = e, e = target − coordinate.
struct Pid {
    target: f64,
    gains: [f64; 3],
}

impl Element for Pid {
    fn force(&self, at: &ElementView, loads: &mut ElementLoads) -> Result<(), Failure> {
        let [p, i, d] = self.gains;
        loads.along(0, p * (self.target - at.coordinate(0)) + i * at.z[0] - d * at.rate(0));
        Ok(())
    }
    fn states(&self) -> Vec<ElementState> {
        vec![ElementState { name: "integral", initial: 0.0 }]
    }
    fn rates(&self, at: &ElementView, rates: &mut [f64]) -> Result<(), Failure> {
        rates[0] = self.target - at.coordinate(0);
        Ok(())
    }
}

/// A DC motor: torque k i, L di/dt = U − R i − k ω.
struct Motor {
    k: f64,
    resistance: f64,
    inductance: f64,
    voltage: f64,
}

impl Element for Motor {
    fn force(&self, at: &ElementView, loads: &mut ElementLoads) -> Result<(), Failure> {
        loads.along(0, self.k * at.z[0]);
        Ok(())
    }
    fn states(&self) -> Vec<ElementState> {
        vec![ElementState { name: "current", initial: 0.0 }]
    }
    fn rates(&self, at: &ElementView, rates: &mut [f64]) -> Result<(), Failure> {
        let Self { k, resistance, inductance, voltage } = self;
        rates[0] = (voltage - resistance * at.z[0] - k * at.rate(0)) / inductance;
        Ok(())
    }
}

/// States with given rates as functions of (t, coordinate, rate, z), and a force as a function of (coordinate, z).
struct Custom<R, F> {
    names: &'static [&'static str],
    rates: R,
    force: F,
}

impl<R, F> Element for Custom<R, F>
where
    R: Fn(f64, f64, f64, &[f64], &mut [f64]) + Send + Sync + 'static,
    F: Fn(f64, &[f64]) -> f64 + Send + Sync + 'static,
{
    fn force(&self, at: &ElementView, loads: &mut ElementLoads) -> Result<(), Failure> {
        loads.along(0, (self.force)(at.coordinate(0), at.z));
        Ok(())
    }
    fn states(&self) -> Vec<ElementState> {
        self.names.iter().map(|&name| ElementState { name, initial: 0.0 }).collect()
    }
    fn rates(&self, at: &ElementView, rates: &mut [f64]) -> Result<(), Failure> {
        (self.rates)(at.t, at.coordinate(0), at.rate(0), at.z, rates);
        Ok(())
    }
}

/// A block of 2 kg on a slide along x, with a spring and a damper.
fn slider(stiffness: f64, damping: f64) -> Mechanism {
    let mut slider = Mechanism::new();
    slider.add(Body::planar("block").mass(2.0).inertia(0.1));
    slider.add(Joint::prismatic("slide", "ground", "block").at([0.0, 0.0]).axis([1.0, 0.0]));
    slider.add(Force::joint_spring("spring", "slide").stiffness(stiffness).damping(damping));
    slider
}

/// An arm of 2 kg and 0.2 kg·m² under gravity, its centre 0.5 m from a revolute joint, held by a PID controller.
fn arm(gains: [f64; 3]) -> Mechanism {
    let mut arm = Mechanism::new();
    arm.gravity([0.0, -9.81, 0.0]);
    arm.add(Body::planar("arm").mass(2.0).inertia(0.2).position([0.5, 0.0]));
    arm.add(Joint::revolute("A", "ground", "arm").at([0.0, 0.0]));
    arm.add(Force::custom("pid", ["A.angle"], Pid { target: 0.8, gains }));
    arm
}

/// The consistent instant of initial values.
fn consistent(start: &AssembledMechanism, initial: &InitialValues) -> Instant {
    let settings = Settings::new("generalized-alpha", 1e-3);
    Simulation::new(&start.model, &settings, initial).unwrap().now().clone()
}

/// The roots of a monic polynomial with the coefficients of 1, λ, λ²…: eigenvalues of its companion matrix.
fn roots(coefficients: &[f64]) -> Vec<Complex<f64>> {
    let n = coefficients.len();
    let companion = nalgebra::DMatrix::from_fn(n, n, |i, j| match (i, j) {
        (i, j) if j == n - 1 => -coefficients[i],
        (i, j) if i == j + 1 => 1.0,
        _ => 0.0,
    });
    companion.complex_eigenvalues().iter().copied().collect()
}

/// Each known value is among those found, to a relative tolerance, or to that part of one for zero.
#[track_caller]
fn contains(found: &[Complex<f64>], known: &[Complex<f64>], tolerance: f64) {
    for value in known {
        let gap = found.iter().map(|x| (x - value).norm()).fold(f64::INFINITY, f64::min);
        let size = if value.norm() > 1e-6 { value.norm() } else { 1.0 };
        assert!(gap <= tolerance * size, "{value} is not among {found:?}: {gap:e}");
    }
}
