//! Forces as users describe them.

use crate::model::values::Matrix6;
use std::fmt;
use std::sync::Arc;

use super::Anchor;
use crate::model::element::{Element, ElementLoads, ElementView, Site};
use crate::model::values::{Function, Law};
use cardan_core::math::Vector3;
use cardan_core::system::Failure;

/// The kind of a force, with its data.
#[derive(Clone)]
pub(in crate::model) enum ForceKind {
    /// Along the line between two points.
    Between { ends: [Anchor; 2], law: Law, rest_is_given: bool },
    /// On the first coordinate of a joint.
    Joint { joint: String, law: Law },
    /// Six springs and dampers between two frames.
    Bushing {
        ends: [Anchor; 2],
        at: Option<Vector3>,
        stiffness: Box<Matrix6>,
        damping: Box<Matrix6>,
        factor: Function,
    },
    /// A force at a point.
    Load { anchor: Anchor, components: [Function; 3], follows: bool },
    /// A force per length of a beam.
    Line { beam: String, components: [Function; 3], follows: bool },
    /// A torque on a body.
    Torque { body: Anchor, components: [Function; 3], follows: bool },
    /// A user-defined element.
    Custom { sites: Vec<Site>, element: Arc<dyn Element> },
    /// Dry friction in a joint, proportional to the joint's reaction.
    Friction { joint: String, coefficient: f64, radius: Option<f64>, speed: f64 },
}

/// A force or a torque.
#[derive(Clone, Debug)]
pub struct Force {
    pub(in crate::model) name: String,
    pub(in crate::model) kind: ForceKind,
    /// A property that was given but does not apply to this kind of force.
    pub(in crate::model) misplaced_key: Option<&'static str>,
    /// The symbol of the picture, if it does not follow from the kind and the law.
    pub(in crate::model) symbol: Option<&'static str>,
}

const NO_SPRING: Law = Law::Linear { stiffness: 0.0, damping: 0.0, rest: 0.0 };

impl Force {
    fn new(name: &str, kind: ForceKind) -> Self {
        Self { name: name.into(), kind, misplaced_key: None, symbol: None }
    }

    /// A spring and damper between two points; relaxed in the assembled configuration unless a rest
    /// length is given.
    pub fn spring(name: &str, one: impl Into<Anchor>, two: impl Into<Anchor>) -> Self {
        let ends = [one.into(), two.into()];
        Self::new(name, ForceKind::Between { ends, law: NO_SPRING, rest_is_given: false })
    }

    /// A torsional spring and damper in a joint, or a linear one along its translation: `"joint"` for its
    /// first coordinate, or `"joint.coordinate"`.
    pub fn joint_spring(name: &str, joint: &str) -> Self {
        Self::new(name, ForceKind::Joint { joint: joint.into(), law: NO_SPRING })
    }

    /// A motor in a joint: a torque about its axis on body 2, and the opposite torque on body 1; in a
    /// prismatic joint forces along its axis.
    pub fn motor(name: &str, joint: &str, push: impl Into<Function>) -> Self {
        let law = Law::Actuator(push.into());
        Self::new(name, ForceKind::Joint { joint: joint.into(), law })
    }

    /// Six springs and dampers between two bodies, over the displacement and the rotation vector of body
    /// 2 relative to body 1, in axes of body 1. Relaxed in the described positions. In space the
    /// rotation must stay below half a turn.
    pub fn bushing(name: &str, one: impl Into<Anchor>, two: impl Into<Anchor>) -> Self {
        let (stiffness, damping) = (Box::new(Matrix6::zeros()), Box::new(Matrix6::zeros()));
        let ends = [one.into(), two.into()];
        let factor = Function::Constant(1.0);
        Self::new(name, ForceKind::Bushing { ends, at: None, stiffness, damping, factor })
    }

    /// A force at a point of a body, in world axes.
    pub fn load(name: &str, point: impl Into<Anchor>, components: [Function; 3]) -> Self {
        Self::new(name, ForceKind::Load { anchor: point.into(), components, follows: false })
    }

    /// A force per length of a beam, in world axes.
    pub fn distributed(name: &str, beam: &str, components: [Function; 3]) -> Self {
        Self::new(name, ForceKind::Line { beam: beam.into(), components, follows: false })
    }

    /// A torque on a body, in world axes.
    pub fn torque(name: &str, body: impl Into<Anchor>, components: [Function; 3]) -> Self {
        Self::new(name, ForceKind::Torque { body: body.into(), components, follows: false })
    }

    /// Dry friction in a revolute or prismatic joint: coefficient times the joint's reaction, regularized
    /// by a tanh.
    pub fn friction(name: &str, joint: &str, coefficient: f64) -> Self {
        let (joint, radius, speed) = (joint.into(), None, 1e-3);
        Self::new(name, ForceKind::Friction { joint, coefficient, radius, speed })
    }

    /// A user-defined force: an [`Element`] that acts at points of bodies (`"body"`, `"body.point"`,
    /// `"beam.end"`) and along coordinates of joints (`"joint"`, `"joint.coordinate"`), its sites.
    pub fn custom<S: Into<Site>>(
        name: &str,
        sites: impl IntoIterator<Item = S>,
        element: impl Element + 'static,
    ) -> Self {
        let sites = sites.into_iter().map(Into::into).collect();
        Self::new(name, ForceKind::Custom { sites, element: Arc::new(element) })
    }

    /// A user-defined force as a function: `Force::closure("drag", ["ball"], |at, loads| …)`.
    pub fn closure<S: Into<Site>>(
        name: &str,
        sites: impl IntoIterator<Item = S>,
        force: impl Fn(&ElementView<'_>, &mut ElementLoads<'_>) -> Result<(), Failure>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self::custom(name, sites, Closure(force))
    }

    /// Sets the symbol of the picture: a kind of the viewer's format.
    pub(in crate::model) fn drawn_as(self, symbol: &'static str) -> Self {
        Self { symbol: Some(symbol), ..self }
    }

    /// Sets a property, or records that it does not apply.
    fn set(
        mut self,
        property: &'static str,
        change: impl FnOnce(&mut ForceKind) -> Option<()>,
    ) -> Self {
        if change(&mut self.kind).is_none() {
            self.misplaced_key = Some(property);
        }
        self
    }

    /// Makes a load or torque rotate with its body: its components are in body axes, those of a load per
    /// length in section axes.
    pub fn following(self) -> Self {
        self.set("following", |kind| match kind {
            ForceKind::Load { follows, .. }
            | ForceKind::Torque { follows, .. }
            | ForceKind::Line { follows, .. } => {
                *follows = true;
                Some(())
            }
            _ => None,
        })
    }

    /// The stiffness of a spring.
    pub fn stiffness(self, value: f64) -> Self {
        self.set("stiffness", |kind| {
            *linear(kind)?.0 = value;
            Some(())
        })
    }

    /// The damping of a damper.
    pub fn damping(self, value: f64) -> Self {
        self.set("damping", |kind| {
            *linear(kind)?.1 = value;
            Some(())
        })
    }

    /// The length or angle at which a spring is relaxed.
    pub fn rest(self, value: f64) -> Self {
        self.set("rest", |kind| {
            *linear(kind)?.2 = value;
            if let ForceKind::Between { rest_is_given, .. } = kind {
                *rest_is_given = true;
            }
            Some(())
        })
    }

    /// A general law instead of the linear one: the force that decreases the length (or joint coordinate),
    /// as a function of it and its rate.
    pub fn law(self, new: Law) -> Self {
        self.set("law", |kind| match kind {
            ForceKind::Between { law, .. } | ForceKind::Joint { law, .. } => {
                *law = new;
                Some(())
            }
            _ => None,
        })
    }

    /// The stiffnesses of a bushing along x, y, z and about x, y, z.
    pub fn stiffnesses(self, diagonal: [f64; 6]) -> Self {
        self.stiffness_matrix(Matrix6::from_diagonal(&diagonal.into()))
    }

    /// The damping coefficients of a bushing along x, y, z and about x, y, z.
    pub fn dampings(self, diagonal: [f64; 6]) -> Self {
        self.damping_matrix(Matrix6::from_diagonal(&diagonal.into()))
    }

    /// The stiffness matrix of a bushing; it must be symmetric.
    pub fn stiffness_matrix(self, matrix: Matrix6) -> Self {
        self.set("stiffness_matrix", |kind| match kind {
            ForceKind::Bushing { stiffness, .. } => {
                **stiffness = matrix;
                Some(())
            }
            _ => None,
        })
    }

    /// The damping matrix of a bushing.
    pub fn damping_matrix(self, matrix: Matrix6) -> Self {
        self.set("damping_matrix", |kind| match kind {
            ForceKind::Bushing { damping, .. } => {
                **damping = matrix;
                Some(())
            }
            _ => None,
        })
    }

    /// A function of time that multiplies the damping of a bushing.
    pub fn damping_factor(self, value: impl Into<Function>) -> Self {
        self.set("damping_factor", |kind| match kind {
            ForceKind::Bushing { factor, .. } => {
                *factor = value.into();
                Some(())
            }
            _ => None,
        })
    }

    /// The position of a bushing at the start, world axes, if its ends name no points.
    pub fn at(self, place: impl Into<super::VectorInput>) -> Self {
        self.set("at", |kind| match kind {
            ForceKind::Bushing { at, .. } => {
                *at = Some(place.into().0);
                Some(())
            }
            _ => None,
        })
    }

    /// The bearing radius of friction in a revolute joint.
    pub fn radius(self, value: f64) -> Self {
        self.set("radius", |kind| match kind {
            ForceKind::Friction { radius, .. } => {
                *radius = Some(value);
                Some(())
            }
            _ => None,
        })
    }

    /// The transition speed of regularized friction: the sliding speed at the bearing in m/s that scales
    /// the tanh.
    pub fn transition_speed(self, value: f64) -> Self {
        self.set("transition_speed", |kind| match kind {
            ForceKind::Friction { speed, .. } => {
                *speed = value;
                Some(())
            }
            _ => None,
        })
    }
}

/// A user-defined force given as a function.
struct Closure<F>(F);

impl<F> Element for Closure<F>
where
    F: Fn(&ElementView<'_>, &mut ElementLoads<'_>) -> Result<(), Failure> + Send + Sync,
{
    fn force(&self, at: &ElementView<'_>, loads: &mut ElementLoads<'_>) -> Result<(), Failure> {
        (self.0)(at, loads)
    }
}

impl fmt::Debug for ForceKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Between { .. } => "spring",
            Self::Joint { .. } => "joint spring or motor",
            Self::Bushing { .. } => "bushing",
            Self::Load { .. } => "load",
            Self::Line { .. } => "load per length",
            Self::Torque { .. } => "torque",
            Self::Custom { .. } => "custom",
            Self::Friction { .. } => "friction",
        };
        out.write_str(name)
    }
}

/// Stiffness, damping and rest of a linear law.
fn linear(kind: &mut ForceKind) -> Option<(&mut f64, &mut f64, &mut f64)> {
    match kind {
        ForceKind::Between { law: Law::Linear { stiffness, damping, rest }, .. }
        | ForceKind::Joint { law: Law::Linear { stiffness, damping, rest }, .. } => {
            Some((stiffness, damping, rest))
        }
        _ => None,
    }
}
