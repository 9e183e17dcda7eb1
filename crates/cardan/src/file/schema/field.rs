//! The parts of the schema: keys, kinds of values, tables.

use crate::model::PartKind;
use cardan_core::methods;

/// The kind of a value.
#[derive(Clone, Copy, Debug)]
pub enum ValueKind {
    /// A number, or a formula of parameters.
    Number,
    /// A whole number, or a formula that gives one.
    Count,
    /// A number, or a formula of time and parameters.
    Function,
    /// A number, or a formula of time, channels, signals, states and inputs.
    Signal,
    /// A list of such formulas.
    Signals,
    /// A force law: a formula of `x` and `v`.
    Law,
    /// Three numbers, in the plane two.
    Vector,
    /// Three functions of time, in the plane two.
    Functions,
    /// Two vectors.
    Vectors,
    /// Text.
    Text,
    /// `true` or `false`.
    Flag,
    /// One of some words.
    Word(fn() -> Vec<&'static str>),
    /// One of the words that a parameter of the methods can be.
    MethodWord(&'static str),
    /// Two names.
    Pair,
    /// Names, possibly with `*`.
    Names,
    /// Two times, from and to.
    Window,
    /// Named points.
    Points,
    /// A number for each name.
    Numbers,
    /// A rotation.
    Orientation,
    /// Inertia about the centre of mass.
    Inertia,
    /// A solid.
    Shape,
    /// A list of solids.
    Shapes,
    /// Six numbers, or a 6×6 matrix.
    Six,
    /// An angular velocity: three numbers, in the plane one.
    Spin,
    /// Three functions of time, in the plane one.
    Torque,
    /// Newton's tolerance and limit.
    Newton,
    /// A number, or one for each kind of quantity.
    Tolerances,
    /// A time interval, a list of times, or `"step"`.
    RowTimes,
    /// Places from which to which a beam runs.
    Path,
    /// Three formulas of `s`.
    Curve,
    /// A whole number, or one for each part of a path.
    Counts,
    /// The outline of a section.
    Profile,
    /// Six stiffnesses or a 6×6 matrix, in the plane three.
    Stiffness,
    /// A number, or a 6×6 matrix.
    Viscosity,
    /// Two numbers across a beam, in the plane one.
    Aside,
    /// Three moments of inertia per length, in the plane one.
    Inertias,
    /// The name of a column, or numbers.
    TableAxis,
    /// The name of a column, numbers, or rows of numbers.
    TableValues,
    /// A path to a file.
    File,
    /// Numbers.
    List,
    /// A function of time for each name.
    NamedFunctions,
    /// A node, or several, for each name.
    Interfaces,
    /// A node by its number or place, for each name.
    Nodes,
    /// Springs: two names, a stiffness, a damping.
    Springs,
    /// A number, or a list of numbers.
    Times,
    /// A name, or a list of names.
    OneOrMoreNames,
    /// An impulse on a body.
    Impulse,
    /// The quantity and the restitution of a bounce.
    Bounce,
    /// A list of actions of an event.
    Actions,
    /// Linear constraints: factors of nodes, and what their sum is.
    Ties,
}

impl ValueKind {
    /// The words it can be, if it is one of some.
    pub fn words(self) -> Option<Vec<&'static str>> {
        match self {
            Self::Word(words) => Some(words()),
            Self::MethodWord(parameter) => Some(methods::words(parameter)),
            _ => None,
        }
    }
}

/// A key.
#[derive(Clone, Copy, Debug)]
pub struct SchemaField {
    /// The name before the equals sign.
    pub key: &'static str,
    /// The kind of its value.
    pub kind: ValueKind,
    /// Whether it is required.
    pub is_required: bool,
    /// Its meaning.
    pub description: &'static str,
}

/// One kind of joint, drive or force.
#[derive(Clone, Debug)]
pub struct SchemaVariant {
    /// The word after `type =`.
    pub name: &'static str,
    /// Its meaning.
    pub description: String,
    /// The keys it takes, besides those of its section.
    pub fields: Vec<SchemaField>,
}

/// A table of the file.
#[derive(Clone, Debug)]
pub struct SchemaSection {
    /// Its name in the file; empty for the keys before all tables.
    pub key: &'static str,
    /// Whether it holds named entries, `[body.crank]`, or is one table.
    pub has_names: bool,
    /// The kind of part that its entries are; `None` if they are not parts of the mechanism.
    pub part: Option<PartKind>,
    /// Its meaning.
    pub description: &'static str,
    /// The keys it takes.
    pub fields: Vec<SchemaField>,
    /// Its kinds, chosen by `type`.
    pub variants: Vec<SchemaVariant>,
    /// The kind if no `type` is given.
    pub default: Option<&'static str>,
}

impl SchemaSection {
    /// Whether it holds named entries, `[body.crank]`, or is one table.
    pub fn is_named(&self) -> bool {
        self.has_names
    }

    /// The kind with a name.
    pub fn variant(&self, name: &str) -> Option<&SchemaVariant> {
        self.variants.iter().find(|variant| variant.name == name)
    }
}

pub(super) const fn optional(
    key: &'static str,
    kind: ValueKind,
    description: &'static str,
) -> SchemaField {
    SchemaField { key, kind, is_required: false, description }
}

pub(super) const fn required(
    key: &'static str,
    kind: ValueKind,
    description: &'static str,
) -> SchemaField {
    SchemaField { key, kind, is_required: true, description }
}
