//! The methods against what is known of them: coefficients, spectra, global errors, options.

pub mod coefficients;
mod explicit;
mod global_errors;
mod options;
mod patterns;
mod printed;
mod spectra;

use cardan::methods::{self, Method, MethodInfo, ParameterValue};

/// A method with some parameters.
fn built(
    name: &str,
    parameters: &[(&str, ParameterValue)],
) -> (&'static MethodInfo, Box<dyn Method>) {
    let given: Vec<(String, ParameterValue)> =
        parameters.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    let info = methods::find(name).unwrap();
    (info, info.build(&given).unwrap())
}
