//! A model with scaled loads.

use super::compiled::Model;
use super::values::Law;

impl Model {
    /// The model with its loads multiplied by a factor.
    pub(crate) fn loaded(&self, factor: f64) -> Self {
        let mut model = self.clone();
        if factor == 1.0 {
            return model;
        }
        model.gravity = model.gravity.map(|g| g.scaled(factor));
        model.elements.loads.iter_mut().for_each(|load| load.scale *= factor);
        for spring in &mut model.elements.springs {
            if let Law::Actuator(force) = &mut spring.law {
                *force = force.scaled(factor);
            }
        }
        model
    }
}
