//! The trait that every element implements.

use super::{ElementLoads, ElementTangent, ElementView, RateTangent};
use cardan_core::system::{Derivative, Failure, ValidityLimit};

/// An output quantity of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementOutput {
    /// The name after that of the element: `force` in `drag.force`.
    pub name: &'static str,
    /// The unit.
    pub unit: &'static str,
    /// The number of components: 1, 3 (a vector), 4 (a quaternion) or 6 (a vector and a rotation vector).
    pub width: usize,
    /// The components that are not zero in a planar model.
    pub in_plane: &'static [usize],
}

impl ElementOutput {
    /// A scalar.
    pub const fn number(name: &'static str, unit: &'static str) -> Self {
        Self { name, unit, width: 1, in_plane: &[0] }
    }

    /// A vector in world axes.
    pub const fn vector(name: &'static str, unit: &'static str) -> Self {
        Self { name, unit, width: 3, in_plane: &[0, 1] }
    }

    /// A moment or angular velocity in world axes.
    pub const fn moment(name: &'static str, unit: &'static str) -> Self {
        Self { in_plane: &[2], ..Self::vector(name, unit) }
    }

    /// Six components: three along and three about the axes.
    pub(in crate::model) const fn six(name: &'static str, unit: &'static str) -> Self {
        Self { name, unit, width: 6, in_plane: &[0, 1, 5] }
    }
}

/// A first-order state z of an element; [`Element::rates`] writes ż.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementState {
    /// The name after that of the element: `integral` in `controller.integral`.
    pub name: &'static str,
    /// The initial value.
    pub initial: f64,
}

/// The powers of an element, in watts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyFlow {
    /// Power delivered to the bodies.
    pub work: f64,
    /// Power dissipated.
    pub lost: f64,
}

/// An element that acts at points of bodies or along coordinates of joints. Only
/// [`force`](Element::force) is required.
///
/// An element depends on the sites with which it is added
/// ([`Force::custom`](crate::model::Force::custom)). [`ElementView`] and [`ElementLoads`] number them 0, 1, … in
/// the order of that list.
///
/// ```
/// use cardan::model::{Body, Element, ElementLoads, ElementView, Force, Mechanism};
/// use cardan::{Failure, Settings};
///
/// /// Air drag at a point: −c |v| v.
/// struct Drag(f64);
///
/// impl Element for Drag {
///     fn force(&self, at: &ElementView, loads: &mut ElementLoads) -> Result<(), Failure> {
///         let v = at.velocity(0);
///         loads.force(0, &(-self.0 * v.norm() * v));
///         Ok(())
///     }
/// }
///
/// # fn main() -> Result<(), cardan::Error> {
/// let mut fall = Mechanism::new();
/// fall.gravity([0.0, 0.0, -10.0]);
/// fall.add(Body::point_mass("ball", 0.1));
/// fall.add(Force::custom("drag", ["ball"], Drag(0.01)));
/// let mut motion = fall.assemble()?.simulate(&Settings::new("lms3", 1e-2))?;
/// motion.run_until(10.0)?;
/// // terminal speed: m g = c v² at v = 10 m/s
/// assert!((motion.read("ball.velocity.z")?[0] + 10.0).abs() < 1e-3);
/// # Ok(()) }
/// ```
pub trait Element: Send + Sync {
    /// Writes the forces and torques of the element.
    fn force(&self, at: &ElementView<'_>, loads: &mut ElementLoads<'_>) -> Result<(), Failure>;

    /// Writes the derivatives of the loads by positions, velocities and states. By default they are finite
    /// differences over the coordinates of the sites.
    fn tangent(
        &self,
        _at: &ElementView<'_>,
        _tangent: &mut ElementTangent<'_>,
    ) -> Result<Derivative, Failure> {
        Ok(Derivative::Differenced)
    }

    /// The stored energy; `None` if the element stores none.
    fn potential(&self, _at: &ElementView<'_>) -> Option<f64> {
        None
    }

    /// The powers delivered and dissipated. By default the whole power of the loads is delivered as work; if
    /// there is a [`potential`](Element::potential), it changes the stored energy instead.
    fn flow(&self, _at: &ElementView<'_>) -> Option<EnergyFlow> {
        None
    }

    /// Whether the force depends on the reactions of joints.
    fn needs_multipliers(&self) -> bool {
        false
    }

    /// The output quantities.
    fn outputs(&self) -> Vec<ElementOutput> {
        Vec::new()
    }

    /// Writes the components of output k.
    fn output(&self, _k: usize, _at: &ElementView<'_>, _values: &mut [f64]) {}

    /// The first-order states.
    fn states(&self) -> Vec<ElementState> {
        Vec::new()
    }

    /// Writes ż of the states.
    fn rates(&self, _at: &ElementView<'_>, _rates: &mut [f64]) -> Result<(), Failure> {
        Ok(())
    }

    /// Writes the derivatives of ż. By default they are finite differences.
    fn rate_tangent(
        &self,
        _at: &ElementView<'_>,
        _tangent: &mut RateTangent<'_>,
    ) -> Result<Derivative, Failure> {
        Ok(Derivative::Differenced)
    }

    /// The limits of validity; the model fills in [`ValidityLimit::part`].
    fn limits(&self) -> Vec<ValidityLimit> {
        Vec::new()
    }

    /// Writes the present values of the limited quantities, in the order of [`Element::limits`].
    fn limit_values(&self, _at: &ElementView<'_>, _values: &mut [f64]) {}

    /// The inputs of a linearized model: their names after that of the element; `""` is the element itself.
    fn inputs(&self) -> &'static [&'static str] {
        &[]
    }

    /// Writes the loads for a unit value of input k.
    fn unit_input(&self, _k: usize, _at: &ElementView<'_>, _loads: &mut ElementLoads<'_>) {}

    /// The reason why the force is not finite, if the element can find one.
    fn reason_not_finite(&self, _at: &ElementView<'_>) -> Option<Failure> {
        None
    }
}
