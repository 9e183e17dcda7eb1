//! The keys of events.

use super::field::{SchemaField, ValueKind, optional};

/// The keys of an event.
pub(super) fn event() -> Vec<SchemaField> {
    fn directions() -> Vec<&'static str> {
        vec!["rising", "falling", "both"]
    }
    vec![
        optional("when", ValueKind::Signal, "it happens when this formula crosses zero"),
        optional(
            "direction",
            ValueKind::Word(directions),
            "of `when`: the direction of a crossing; both",
        ),
        optional("at", ValueKind::Times, "instead: the times at which it happens"),
        optional("every", ValueKind::Number, "instead: the period of a repeated event"),
        optional("first", ValueKind::Number, "of `every`: the first time; the start"),
        optional("enabled", ValueKind::Flag, "false: not until another event enables it; true"),
        optional(
            "set",
            ValueKind::NamedFunctions,
            "values that it sets: states, inputs, hysteresis blocks, and parameters that only forces, laws and signals use",
        ),
        optional(
            "lock",
            ValueKind::OneOrMoreNames,
            "joint coordinates (`A.angle`) that it holds at their present values, drives and forces that it switches on",
        ),
        optional(
            "unlock",
            ValueKind::OneOrMoreNames,
            "joint coordinates that it releases, drives and forces that it switches off",
        ),
        optional(
            "impulse",
            ValueKind::Impulse,
            "an impulse `force` and an angular impulse `moment` on a `body` or a point of it, world axes",
        ),
        optional(
            "bounce",
            ValueKind::Bounce,
            "reverses the rate of a `channel`, times `restitution`, by an impulse along its gradient",
        ),
        optional("enable", ValueKind::OneOrMoreNames, "events that it enables"),
        optional("disable", ValueKind::OneOrMoreNames, "events that it disables"),
        optional("message", ValueKind::Text, "a message in the log of events"),
        optional("record", ValueKind::Flag, "true: writes a row of results"),
        optional("stop", ValueKind::Flag, "true: ends the run"),
        optional(
            "actions",
            ValueKind::Actions,
            "further actions, in this order: tables with the keys above. Actions outside of this list come first, in the \
             order of this page",
        ),
    ]
}
