//! The table of members and their parameters.

use super::g_method::GMethod;
use super::presets::{self, Preset};
use crate::math::Chart;
use crate::methods::info::{MethodInfo, NO_STATES, Permission, Stability};
use crate::methods::parameters::{Parameter, ParameterDomain};

const AT_POSITIONS: &str = "its constraints are the positions one step ahead, from which velocities and \
                            accelerations follow";

const START: Parameter = Parameter {
    name: "derivatives",
    domain: ParameterDomain::Word(&["equations", "zero"]),
    meaning: "jerk and snap at the start: from the equations, or zero as in the paper, which costs \
              orders unless they happen to vanish",
};

const fn number(name: &'static str, meaning: &'static str) -> Parameter {
    Parameter::number(name, [-10.0, 10.0], None, meaning)
}

const ALPHA: Parameter = number("alpha", "α, the weight of the newest derivative in the positions");
const BETA: Parameter = number("beta", "β, its weight in the velocities");
const GAMMA: Parameter =
    Parameter::number("gamma", [0.1, 10.0], None, "γ, its weight in the accelerations");
const ZETA: Parameter = number("zeta", "ζ, its weight in the jerk");

const fn set(words: &'static [&'static str]) -> Parameter {
    Parameter {
        name: "set",
        domain: ParameterDomain::Word(words),
        meaning: "a named set of the parameters; parameters that are given replace those of the set",
    }
}

/// The members.
pub(in crate::methods) const MEMBERS: &[MethodInfo] = &[
    MethodInfo {
        name: "central-difference",
        aliases: &["cd"],
        title: "central differences",
        order: 2,
        parameters: &[Parameter {
            name: "form",
            domain: ParameterDomain::Word(&["reformulated", "classical"]),
            meaning: "velocities from accelerations, or classically from differences of positions, \
                      whose round-off grows as the step shrinks",
        }],
        build: |values| {
            let mut method = GMethod::new(Preset::CENTRAL.recursion, false);
            method.is_classical = values.word("form") == "classical";
            Ok(Box::new(method))
        },
        ..FAMILY
    },
    MethodInfo {
        name: "g3",
        title: "conditionally explicit, third degree",
        order: 2,
        parameters: &[ALPHA, BETA, set(presets::G3_NAMES)],
        build: |values| GMethod::boxed(presets::G3, values),
        ..FAMILY
    },
    MethodInfo {
        name: "g4",
        title: "conditionally explicit, fourth degree",
        order: 3,
        parameters: &[
            ALPHA,
            BETA,
            GAMMA,
            set(presets::G4_NAMES),
            START,
            Parameter {
                name: "jerk",
                domain: ParameterDomain::Word(&["differences", "analytic"]),
                meaning: "the jerk from differences of accelerations, or from the derivative of the \
                          equations, which systems without constraints have; gamma is not used then",
            },
        ],
        build: |values| {
            let mut method = GMethod::of(presets::G4, values)?;
            method.has_analytic_jerk = values.word("jerk") == "analytic";
            if method.has_analytic_jerk {
                let differences = "with jerk = \"differences\"";
                if values.given("gamma").is_some() {
                    return Err(values.unused("gamma", differences));
                }
                if values.word("set") != "sound" {
                    return Err(values.unused("set", differences));
                }
                // with the jerk exact, v is of third order for β = 1/3, and stable for α = 1
                method.recursion.alpha = values.given("alpha").unwrap_or(1.0);
                method.recursion.beta = values.given("beta").unwrap_or(1.0 / 3.0);
            }
            Ok(Box::new(method))
        },
        ..FAMILY
    },
    MethodInfo {
        name: "g5",
        title: "conditionally explicit, fifth degree",
        order: 4,
        parameters: &[ALPHA, BETA, GAMMA, ZETA, set(presets::G5_NAMES), START],
        build: |values| GMethod::boxed(presets::G5, values),
        ..FAMILY
    },
];

/// The fields that all members share.
const FAMILY: MethodInfo = MethodInfo {
    name: "",
    aliases: &[],
    family: "conditionally-explicit",
    title: "",
    order: 2,
    chart: Chart::Exponential,
    stability: Stability::Conditional,
    parameters: &[],
    formulations: [
        Permission::Allowed,
        Permission::Refused(AT_POSITIONS),
        Permission::Refused(AT_POSITIONS),
    ],
    refuses: NO_STATES,
    multipliers_between: 4,
    variable_step: false,
    typical_use: "smooth motions without stiffness, with constraints that must not drift",
    source: "Fernández de Bustos, Uriarte, Urkullu, Coria 2024, corrected",
    build: |_| Ok(Box::new(GMethod::new(Preset::CENTRAL.recursion, false))),
};
