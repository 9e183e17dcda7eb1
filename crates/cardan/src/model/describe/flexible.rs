//! A flexible body in a floating frame as a user describes it.

use std::sync::Arc;

use super::{Body, VectorInput};
use crate::model::flexible::ModalBasis;
use cardan_core::math::Quaternion;

/// A flexible body with large motion and small deformation: a floating frame and modes of the body.
///
/// Joints and forces act on its points, `"rod.end"`, which move with the modes.
#[derive(Clone, Debug)]
pub struct FlexibleBody {
    pub(in crate::model) frame: Body,
    pub(in crate::model) modal: Arc<ModalBasis>,
    /// Amplitudes and their rates at the start.
    pub(in crate::model) amplitudes: Vec<f64>,
    pub(in crate::model) rates: Vec<f64>,
}

impl FlexibleBody {
    fn new(frame: Body, modal: ModalBasis) -> Self {
        let n = modal.modes();
        let modal = Arc::new(modal);
        Self { frame, modal, amplitudes: vec![0.0; n], rates: vec![0.0; n] }
    }

    /// A flexible body in space.
    pub fn spatial(name: &str, modal: ModalBasis) -> Self {
        Self::new(Body::spatial(name), modal)
    }

    /// A flexible body in the x–y plane.
    pub fn planar(name: &str, modal: ModalBasis) -> Self {
        Self::new(Body::planar(name), modal)
    }

    /// A flexible body in a frame with the initial position and velocity of a rigid body.
    #[cfg(feature = "file")]
    pub(crate) fn in_frame(frame: Body, modal: ModalBasis) -> Self {
        Self::new(frame, modal)
    }

    /// The name of the body.
    pub fn name(&self) -> &str {
        self.frame.name()
    }

    fn with_frame(mut self, change: impl FnOnce(Body) -> Body) -> Self {
        self.frame = change(self.frame);
        self
    }

    /// The position of the frame's origin at the start.
    pub fn position(self, position: impl Into<VectorInput>) -> Self {
        self.with_frame(|frame| frame.position(position))
    }

    /// The orientation of the frame at the start.
    pub fn orientation(self, orientation: Quaternion) -> Self {
        self.with_frame(|frame| frame.orientation(orientation))
    }

    /// The angle of a planar body at the start.
    pub fn angle(self, angle: f64) -> Self {
        self.with_frame(|frame| frame.angle(angle))
    }

    /// The velocity of the frame's origin at the start, world axes.
    pub fn velocity(self, velocity: impl Into<VectorInput>) -> Self {
        self.with_frame(|frame| frame.velocity(velocity))
    }

    /// The angular velocity of the frame at the start, body axes.
    pub fn angular_velocity(self, omega: [f64; 3]) -> Self {
        self.with_frame(|frame| frame.angular_velocity(omega))
    }

    /// Weight of the body's position in the least-squares assembly; 1 by default.
    pub fn assembly_weight(self, weight: f64) -> Self {
        self.with_frame(|frame| frame.assembly_weight(weight))
    }

    /// The amplitude of a mode, counted from one, and its rate at the start.
    pub fn amplitude(mut self, mode: usize, amplitude: f64, rate: f64) -> Self {
        let k = mode.wrapping_sub(1);
        if let (Some(x), Some(v)) = (self.amplitudes.get_mut(k), self.rates.get_mut(k)) {
            (*x, *v) = (amplitude, rate);
        }
        self
    }
}
