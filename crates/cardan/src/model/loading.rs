//! A model under a part of its loads.

use super::compiled::Model;
use super::values::Law;

impl Model {
    /// The model with its loads multiplied by a factor.
    pub(crate) fn loaded(&self, part: f64) -> Self {
        let mut model = self.clone();
        if part == 1.0 {
            return model;
        }
        model.gravity = model.gravity.map(|g| g.scaled(part));
        model.elements.loads.iter_mut().for_each(|load| load.scale *= part);
        for spring in &mut model.elements.springs {
            if let Law::Actuator(push) = &mut spring.law {
                *push = push.scaled(part);
            }
        }
        model
    }
}
