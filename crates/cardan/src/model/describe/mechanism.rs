//! A mechanism as a user describes it: bodies, joints, drives, forces, each by name.

use super::{
    Beam, Body, CustomJoint, Drive, Event, FlexibleBody, Force, Gear, Joint, Rolling, Skate,
    Structure, Truss, VectorInput,
};
use super::{Block, InputVariable, Pid, Signal, SignalLimit, StateVariable};
use crate::model::values::{BeamForm, Function, Law, SignalFormula};
use crate::solid::BodyShape;
use cardan_core::math::{Chart, Vector3};
use cardan_core::system::{EventState, Failure};

/// The description of a mechanism, not yet checked.
///
/// ```
/// use cardan::model::{Body, Joint, Mechanism};
/// use cardan::{Settings, Simulation};
///
/// # fn main() -> Result<(), cardan::Error> {
/// let mut pendulum = Mechanism::new();
/// pendulum.gravity([0.0, -9.81, 0.0]);
/// pendulum.add(Body::planar("bar").mass(2.0).inertia(0.1).position([0.5, 0.0]));
/// pendulum.add(Joint::revolute("pivot", "ground", "bar").at([0.0, 0.0]));
///
/// let start = pendulum.assemble()?;
/// let settings = Settings::new("generalized-alpha", 1e-3);
/// let mut motion = Simulation::new(&start.model, &settings, &start.initial)?;
/// motion.run_until(1.0)?;
/// let angle = start.model.read("pivot.angle", motion.now())?[0];
/// # assert!((angle + 2.5).abs() < 0.6, "{angle}");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Mechanism {
    pub(in crate::model) start: f64,
    pub(in crate::model) gravity: Gravity,
    pub(in crate::model) ground: Vec<(String, Vector3)>,
    pub(in crate::model) ground_shapes: Vec<BodyShape>,
    pub(in crate::model) bodies: Vec<Body>,
    pub(in crate::model) flexible: Vec<FlexibleBody>,
    pub(in crate::model) structures: Vec<Structure>,
    pub(in crate::model) beams: Vec<Beam>,
    pub(in crate::model) trusses: Vec<Truss>,
    pub(in crate::model) joints: Vec<Joint>,
    pub(in crate::model) custom_joints: Vec<CustomJoint>,
    pub(in crate::model) gears: Vec<Gear>,
    pub(in crate::model) drives: Vec<Drive>,
    pub(in crate::model) rollings: Vec<Rolling>,
    pub(in crate::model) skates: Vec<Skate>,
    pub(in crate::model) forces: Vec<Force>,
    pub(in crate::model) signals: Vec<Signal>,
    pub(in crate::model) states: Vec<StateVariable>,
    pub(in crate::model) inputs: Vec<InputVariable>,
    pub(in crate::model) events: Vec<Event>,
    /// Limits of validity of parts that are composed of signals.
    pub(in crate::model) signal_limits: Vec<SignalLimit>,
    /// Blocks with a wrong value: name, key and reason.
    pub(in crate::model) wrong_blocks: Vec<(String, &'static str, String)>,
}

/// Gravity: three functions of time.
#[derive(Clone, Debug)]
pub struct Gravity(pub [Function; 3]);

impl Default for Gravity {
    fn default() -> Self {
        [0.0; 3].into()
    }
}

impl From<[f64; 3]> for Gravity {
    fn from(gravity: [f64; 3]) -> Self {
        Self(gravity.map(Function::Constant))
    }
}

impl From<[Function; 3]> for Gravity {
    fn from(gravity: [Function; 3]) -> Self {
        Self(gravity)
    }
}

/// Anything that can be added to a mechanism.
#[derive(Clone, Debug)]
pub enum MechanismItem {
    /// A body.
    Body(Box<Body>),
    /// A flexible body in a floating frame.
    FlexibleBody(Box<FlexibleBody>),
    /// A linear structure.
    Structure(Box<Structure>),
    /// A flexible beam.
    Beam(Box<Beam>),
    /// A bar with an axial force only.
    Truss(Box<Truss>),
    /// A joint.
    Joint(Box<Joint>),
    /// A user-defined joint.
    CustomJoint(Box<CustomJoint>),
    /// A gear between two joints.
    Gear(Gear),
    /// A prescribed motion.
    Drive(Box<Drive>),
    /// A rolling disc.
    Rolling(Box<Rolling>),
    /// A skate (knife-edge constraint).
    Skate(Skate),
    /// A force or torque.
    Force(Box<Force>),
    /// A named scalar.
    Signal(Signal),
    /// A first-order state.
    StateVariable(StateVariable),
    /// A value that is set from outside.
    InputVariable(InputVariable),
    /// An event.
    Event(Box<Event>),
    /// A controller, filter or actuator.
    Block(Box<Block>),
}

impl Mechanism {
    /// An empty mechanism: only the ground, without gravity.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gravity: three numbers, or three functions of time.
    pub fn gravity(&mut self, gravity: impl Into<Gravity>) -> &mut Self {
        self.gravity = gravity.into();
        self
    }

    /// The time at which the motion starts; zero if not given.
    pub fn start(&mut self, time: f64) -> &mut Self {
        self.start = time;
        self
    }

    /// A named point on the ground.
    pub fn point(&mut self, name: &str, at: impl Into<VectorInput>) -> &mut Self {
        self.ground.push((name.into(), at.into().0));
        self
    }

    /// A shape of the ground, which is drawn.
    pub fn ground_shape(&mut self, shape: BodyShape) -> &mut Self {
        self.ground_shapes.push(shape);
        self
    }

    /// Sets the form of all beams.
    pub fn set_form(&mut self, form: BeamForm) -> &mut Self {
        for beam in &mut self.beams {
            beam.form = form;
            if form == BeamForm::Galerkin {
                beam.chart = Chart::Exponential;
            }
        }
        self
    }

    /// Adds a signal: a named formula of time `t`, channels (`arm.angle`), other signals, states and inputs.
    pub fn signal(&mut self, name: &str, formula: impl Into<SignalFormula>) -> &mut Self {
        self.add(Signal::new(name, formula))
    }

    /// Replaces the signal of the same name, or adds it.
    pub fn replace_signal(&mut self, signal: Signal) -> &mut Self {
        match self.signals.iter_mut().find(|known| known.name == signal.name) {
            Some(known) => *known = signal,
            None => self.signals.push(signal),
        }
        self
    }

    /// Replaces the law of the spring or joint spring with a name, if there is one.
    pub fn replace_law(&mut self, force: &str, law: Law) -> &mut Self {
        if let Some(known) = self.forces.iter_mut().find(|known| known.name == force) {
            *known = known.clone().law(law);
        }
        self
    }

    /// Adds a closure to the actions of the event with a name, if there is one.
    pub fn add_event_action(
        &mut self,
        event: &str,
        action: impl Fn(&mut dyn EventState) -> Result<(), Failure> + Send + Sync + 'static,
    ) -> &mut Self {
        if let Some(known) = self.events.iter_mut().find(|known| known.name == event) {
            *known = known.clone().call(action);
        }
        self
    }

    /// Adds a first-order state with its initial value and the formula of its rate.
    pub fn state(&mut self, name: &str, initial: f64, rate: impl Into<SignalFormula>) -> &mut Self {
        self.add(StateVariable::new(name, initial, rate))
    }

    /// Adds an input with its value at the start.
    pub fn input(&mut self, name: &str, initial: f64) -> &mut Self {
        self.add(InputVariable::new(name, initial))
    }

    /// Adds a body, flexible body, structure, beam, truss, joint, gear, drive, rolling disc, skate or force.
    pub fn add(&mut self, item: impl Into<MechanismItem>) -> &mut Self {
        match item.into() {
            MechanismItem::Body(body) => self.bodies.push(*body),
            MechanismItem::FlexibleBody(flexible) => self.flexible.push(*flexible),
            MechanismItem::Structure(structure) => self.structures.push(*structure),
            MechanismItem::Beam(beam) => self.beams.push(*beam),
            MechanismItem::Truss(truss) => self.trusses.push(*truss),
            MechanismItem::Joint(joint) => self.joints.push(*joint),
            MechanismItem::CustomJoint(joint) => self.custom_joints.push(*joint),
            MechanismItem::Gear(gear) => self.gears.push(gear),
            MechanismItem::Drive(drive) => self.drives.push(*drive),
            MechanismItem::Rolling(rolling) => self.rollings.push(*rolling),
            MechanismItem::Skate(skate) => self.skates.push(skate),
            MechanismItem::Force(force) => self.forces.push(*force),
            MechanismItem::Signal(signal) => self.signals.push(signal),
            MechanismItem::StateVariable(state) => self.states.push(state),
            MechanismItem::InputVariable(input) => self.inputs.push(input),
            MechanismItem::Event(event) => self.events.push(*event),
            MechanismItem::Block(block) => {
                let Block { name, signals, states, forces, limits, wrong } = *block;
                self.signals.extend(signals);
                self.states.extend(states);
                self.forces.extend(forces);
                self.signal_limits.extend(limits);
                self.wrong_blocks.extend(wrong.map(|(key, reason)| (name, key, reason)));
            }
        }
        self
    }
}

macro_rules! items {
    (boxed $($boxed:ident)*; plain $($plain:ident)*) => {
        $(impl From<$boxed> for MechanismItem {
            fn from(item: $boxed) -> Self {
                Self::$boxed(Box::new(item))
            }
        })*
        $(impl From<$plain> for MechanismItem {
            fn from(item: $plain) -> Self {
                Self::$plain(item)
            }
        })*
    };
}

items!(boxed Block Event Body FlexibleBody Structure Beam Truss Joint CustomJoint Drive Rolling Force; plain Gear Skate Signal StateVariable InputVariable);

impl From<Pid> for MechanismItem {
    fn from(pid: Pid) -> Self {
        Block::from(pid).into()
    }
}
