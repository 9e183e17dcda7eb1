//! Functions in Rust that signals use.

use cardan_core::system::{Derivative, Failure};

/// A function of time and of arguments that a signal names.
pub trait SignalFunction: Send + Sync {
    /// The value.
    fn value(&self, t: f64, arguments: &[f64]) -> Result<f64, Failure>;

    /// Writes the derivatives by the arguments. By default they are finite differences.
    fn gradient(
        &self,
        _t: f64,
        _arguments: &[f64],
        _gradient: &mut [f64],
    ) -> Result<Derivative, Failure> {
        Ok(Derivative::Differenced)
    }
}

/// A closure without derivatives.
pub(in crate::model) struct SignalClosure<F>(pub F);

impl<F> SignalFunction for SignalClosure<F>
where
    F: Fn(f64, &[f64]) -> Result<f64, Failure> + Send + Sync,
{
    fn value(&self, t: f64, arguments: &[f64]) -> Result<f64, Failure> {
        (self.0)(t, arguments)
    }
}

/// A closure that writes its derivatives.
pub(in crate::model) struct GradientClosure<F>(pub F);

/// The most arguments for which a value is computed without allocation.
const MAX_LOCAL: usize = 16;

impl<F> SignalFunction for GradientClosure<F>
where
    F: Fn(f64, &[f64], &mut [f64]) -> Result<f64, Failure> + Send + Sync,
{
    fn value(&self, t: f64, arguments: &[f64]) -> Result<f64, Failure> {
        let mut local = [0.0; MAX_LOCAL];
        match local.get_mut(..arguments.len()) {
            Some(unused) => (self.0)(t, arguments, unused),
            None => (self.0)(t, arguments, &mut vec![0.0; arguments.len()]),
        }
    }

    fn gradient(
        &self,
        t: f64,
        arguments: &[f64],
        gradient: &mut [f64],
    ) -> Result<Derivative, Failure> {
        (self.0)(t, arguments, gradient).map(|_| Derivative::Analytic)
    }
}
