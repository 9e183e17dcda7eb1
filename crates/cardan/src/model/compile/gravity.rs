//! Compiles gravity that depends on the state of the machine: a load on every body.

use super::Compiler;
use crate::model::checks::fail;
use crate::model::elements::{Load, LoadKind};
use crate::model::{Function, ModelError, Owner};
use cardan_core::math::{Matrix3, Vector3};

impl Compiler<'_> {
    /// Adds the loads of components of gravity that are formulas of more than time.
    pub(super) fn gravity(&mut self) -> Result<(), ModelError> {
        let components = self.model.gravity.clone();
        let is_formula = |function: &Function| matches!(function, Function::Formula(_));
        if !components.iter().any(is_formula) {
            return Ok(());
        }
        if !self.model.flexible.is_empty() || !self.model.shared.is_empty() {
            let reason =
                "gravity that depends on the motion does not act on flexible bodies and trusses";
            return fail(&Owner::Gravity, reason);
        }
        let zero = || Function::Constant(0.0);
        for function in self.model.gravity.iter_mut().filter(|x| is_formula(x)) {
            *function = zero();
        }
        let components = components.map(|x| if is_formula(&x) { x } else { zero() });
        let bodies: Vec<(usize, f64)> =
            self.model.moving().map(|(node, body)| (node, body.mass)).collect();
        for (node, mass) in bodies {
            self.model.elements.loads.push(Load {
                node,
                kind: LoadKind::Force,
                point: Vector3::zeros(),
                components: components.clone(),
                follows: false,
                axes: Matrix3::identity(),
                scale: mass,
                on_beam: None,
            });
        }
        Ok(())
    }
}
