//! The trait that every element implements.

use super::{ElementLoads, ElementTangent, ElementView, RateTangent};
use cardan_core::system::{Derivative, Failure, ValidityLimit};

/// A quantity that an element reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementOutput {
    /// Its name after the element's: `drag.force`.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// How many numbers it has: 1, 3 (a vector), 4 (a quaternion) or 6 (a vector and a rotation vector).
    pub width: usize,
    /// Which of them count in the plane.
    pub in_plane: &'static [usize],
}

impl ElementOutput {
    /// One number.
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

    /// Three numbers along and three about the axes.
    pub(in crate::model) const fn six(name: &'static str, unit: &'static str) -> Self {
        Self { name, unit, width: 6, in_plane: &[0, 1, 5] }
    }
}

/// A first-order state of an element: ż is what [`Element::rates`] says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementState {
    /// Its name after the element's: `controller.integral`.
    pub name: &'static str,
    /// Its value at the start.
    pub initial: f64,
}

/// What an element does with energy, per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyFlow {
    /// Work done on the motion.
    pub work: f64,
    /// Energy lost.
    pub lost: f64,
}

/// Something that acts at points of bodies or along coordinates of joints. Only
/// [`force`](Element::force) is required.
///
/// An element says what it depends on by the sites it is added with
/// ([`Force::custom`](super::Force::custom)): in [`At`] and [`Loads`] they have the numbers 0, 1, … of that
/// list.
///
/// ```
/// use cardan::model::{At, Body, Element, Force, Loads, Mechanism};
/// use cardan::{Failure, Settings};
///
/// /// Air drag at a point: −c |v| v.
/// struct Drag(f64);
///
/// impl Element for Drag {
///     fn force(&self, at: &At, loads: &mut Loads) -> Result<(), Failure> {
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
/// // the weight m g = c v² is carried at 10 m/s
/// assert!((motion.read("ball.velocity.z")?[0] + 10.0).abs() < 1e-3);
/// # Ok(()) }
/// ```
pub trait Element: Send + Sync {
    /// Writes the forces and torques of the element.
    fn force(&self, at: &ElementView<'_>, loads: &mut ElementLoads<'_>) -> Result<(), Failure>;

    /// Writes how they change with positions, velocities and states. Differenced by default, over the
    /// few coordinates that the sites depend on.
    fn tangent(
        &self,
        _at: &ElementView<'_>,
        _tangent: &mut ElementTangent<'_>,
    ) -> Result<Derivative, Failure> {
        Ok(Derivative::Differenced)
    }

    /// The energy stored; `None` if it stores none.
    fn potential(&self, _at: &ElementView<'_>) -> Option<f64> {
        None
    }

    /// Work and losses. By default all that its loads do is work, or is taken from what is stored if there
    /// is a [`potential`](Element::potential).
    fn flow(&self, _at: &ElementView<'_>) -> Option<EnergyFlow> {
        None
    }

    /// Whether the force depends on the reactions of joints.
    fn needs_multipliers(&self) -> bool {
        false
    }

    /// What it reports.
    fn outputs(&self) -> Vec<ElementOutput> {
        Vec::new()
    }

    /// Writes the numbers of output k.
    fn output(&self, _k: usize, _at: &ElementView<'_>, _values: &mut [f64]) {}

    /// Its first-order states.
    fn states(&self) -> Vec<ElementState> {
        Vec::new()
    }

    /// Writes ż of its states.
    fn rates(&self, _at: &ElementView<'_>, _rates: &mut [f64]) -> Result<(), Failure> {
        Ok(())
    }

    /// Writes how ż changes. Differenced by default.
    fn rate_tangent(
        &self,
        _at: &ElementView<'_>,
        _tangent: &mut RateTangent<'_>,
    ) -> Result<Derivative, Failure> {
        Ok(Derivative::Differenced)
    }

    /// Limits within which it is valid; [`Limit::part`] is filled in.
    fn limits(&self) -> Vec<ValidityLimit> {
        Vec::new()
    }

    /// Writes the quantities of the limits, in their order.
    fn limit_values(&self, _at: &ElementView<'_>, _values: &mut [f64]) {}

    /// Inputs of a linearized model, by their names after the element's; `""` is the element itself.
    fn inputs(&self) -> &'static [&'static str] {
        &[]
    }

    /// Writes the load of a unit of input k.
    fn unit_input(&self, _k: usize, _at: &ElementView<'_>, _loads: &mut ElementLoads<'_>) {}

    /// Why its force is not finite, if it knows.
    fn reason_not_finite(&self, _at: &ElementView<'_>) -> Option<Failure> {
        None
    }
}
