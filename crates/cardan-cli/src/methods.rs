//! `cardan methods`: the table of the registry, with the orders the exam measured.

use cardan::Formulation;
use cardan::methods::{
    Method, MethodChoice, MethodInfo, Parameter, ParameterDomain, Permission, Stability, all,
};
use cardan_lab::exam::{ExamRecord, recorded};
use serde_json::{Value, json};

use crate::failure::CommandFailure;
use crate::table;
use cardan_lab::reproduce::record::{ReproductionRecord as Reproduced, recorded as reproduced};

#[derive(clap::Args)]
pub struct Arguments {
    /// Show one method in detail, as lms3 or bathe:rho=0.
    method: Option<MethodChoice>,
    /// Print JSON for scripts.
    #[arg(long)]
    json: bool,
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    let (record, reproduced) = (recorded(), reproduced());
    if let Some(choice) = &arguments.method {
        let (info, method) =
            choice.build().map_err(|error| CommandFailure::usage(error.to_string()))?;
        return Ok(match arguments.json {
            true => format!("{:#}\n", to_json(info, method.as_ref(), &record, &reproduced)),
            false => details(info, method.as_ref(), choice, &record, &reproduced),
        });
    }
    if arguments.json {
        let object = |info: &MethodInfo| {
            Some(to_json(info, info.build(&[]).ok()?.as_ref(), &record, &reproduced))
        };
        let methods: Vec<Value> = all().filter_map(object).collect();
        return Ok(format!("{:#}\n", Value::Array(methods)));
    }
    let header = [
        "method",
        "order",
        "stages",
        "stability",
        "position",
        "stabilized",
        "acceleration",
        "free",
        "tolerance",
    ];
    let mut text =
        table::render(&header, &all().map(|info| row(info, &record)).collect::<Vec<_>>());
    text += "\nposition, stabilized, acceleration: measured orders of q, v, a and multipliers with this constraint formulation, the \
             lowest over the\nconstrained problems of the exam; – where the method does not support it. free: orders of q, v and a \
             without constraints. tolerance: \
             whether steps may follow from a tolerance.\n\n";
    let mut family = "";
    for info in all() {
        if info.family != family {
            family = info.family;
            text += &format!("{family}\n");
        }
        text += &format!("  {:<18} {}\n", info.name, info.title);
    }
    text += "\nThe best methods for each purpose, from the studies of `cardan reproduce`\n";
    for ranking in &reproduced.purposes {
        let best = ranking.scores.iter().take(ranking.recommended.min(4));
        let best: Vec<&str> = best.map(|(method, _)| method.as_str()).collect();
        text += &format!("  {}\n    {}\n", ranking.title, best.join(", "));
    }
    text += "\n`cardan methods NAME` shows the parameters, rankings, orders and source of one method.\n";
    Ok(text)
}

/// The lowest orders over the problems with or without constraints.
fn measured(
    info: &MethodInfo,
    constraints: Formulation,
    is_constrained: bool,
    record: &ExamRecord,
) -> Option<[f64; 4]> {
    record
        .of(info.name, constraints)
        .filter(|grade| (grade.errors.multipliers > 0.0) == is_constrained)
        .map(|grade| {
            let orders = grade.orders;
            [orders.q, orders.v, orders.a, orders.multipliers]
        })
        .reduce(|a, b| std::array::from_fn(|i| a[i].min(b[i])))
}

/// The reason why a method takes no tolerance, or `None` if it takes one.
fn refusal(info: &MethodInfo, method: &dyn Method) -> Option<&'static str> {
    let reason = info.tolerance_refusal(method, None);
    let constrained = info.controlled_formulation(method).is_none();
    let position = info.tolerance_refusal(method, Some(Formulation::Position));
    reason.or(position.filter(|_| constrained))
}

/// Errors over the tolerance that the exam has measured, one line for each problem.
fn tolerance_lines(info: &MethodInfo, record: &ExamRecord) -> String {
    let mut lines = String::new();
    for grade in record.tolerances_of(info.name) {
        let [q, v, z, a, multipliers] =
            grade.largest().map(|x| if x > 0.0 { table::decimal(x, 2) } else { "–".into() });
        let slope = [grade.slopes[0], grade.slopes[1]].map(|slope| table::decimal(slope, 2));
        lines += &format!(
            "  {:<24} {:<12} {q:>6} {v:>6} {z:>6} {a:>6} {multipliers:>6}   {} {}   {:.1} %\n",
            grade.problem,
            grade.constraints,
            slope[0],
            slope[1],
            100.0 * grade.rejected_share()
        );
    }
    lines
}

fn decimals(orders: &[f64]) -> String {
    orders.iter().map(|order| table::decimal(*order, 1)).collect::<Vec<_>>().join(" ")
}

fn row(info: &MethodInfo, record: &ExamRecord) -> Vec<String> {
    let mut row = vec![
        info.name.into(),
        info.order.to_string(),
        info.stages().to_string(),
        stability(info).into(),
    ];
    for constraints in Formulation::ALL {
        row.push(match (info.permission(constraints), measured(info, constraints, true, record)) {
            (Permission::Refused(_), _) => "–".into(),
            (_, Some(orders)) => decimals(&orders),
            (_, None) => "not measured".into(),
        });
    }
    let free = measured(info, info.default_formulation(), false, record);
    row.push(free.map_or("not measured".into(), |orders| decimals(&orders[..3])));
    let refusal = info.build(&[]).ok().and_then(|method| refusal(info, method.as_ref()));
    row.push(if refusal.is_none() { "yes".into() } else { "–".into() });
    row
}

/// One method in detail.
fn details(
    info: &MethodInfo,
    method: &dyn Method,
    choice: &MethodChoice,
    record: &ExamRecord,
    reproduced: &Reproduced,
) -> String {
    let mut text = format!("{choice}: {}\n\n", info.title);
    let mut line = |name: &str, value: String| text += &format!("{name:<16} {value}\n");
    line("family", info.family.into());
    let order = match cardan_lab::spectral::accuracy(info, method) {
        Ok(found) if !choice.parameters.is_empty() => {
            format!(
                "{}; {:.1} with these parameters, measured on an oscillator",
                info.order, found.order
            )
        }
        _ => info.order.to_string(),
    };
    line("order", order);
    line("stages", method.stages().to_string());
    line("stability", stability(info).into());
    line("typical use", info.typical_use.into());
    let purposes = reproduced.purposes_of(info.name);
    let recommended: Vec<&str> = purposes
        .iter()
        .filter(|place| place.is_recommended)
        .map(|place| place.title.as_str())
        .collect();
    let recommended = match (purposes.is_empty(), recommended.is_empty()) {
        (true, _) => "not in the studies of `cardan reproduce`".into(),
        (_, true) => "no purpose of the studies".into(),
        _ => recommended.join("; "),
    };
    line("ranked best for", recommended);
    line("step size", if info.variable_step { "may change" } else { "fixed" }.into());
    for (feature, reason) in info.refuses {
        line("not supported", format!("{feature}: {reason}"));
    }
    if let Some(remark) = method.parameter_warning(None) {
        line("remark", remark.into());
    }
    let [q, v, z, a, multipliers] = info.orders_between();
    let between = format!("orders {q} (q), {v} (v), {z} (z), {a} (a), {multipliers} (λ) at most");
    line("between steps", between);
    if let Some(order) = method.embedded_order() {
        line("error estimate", format!("embedded, order {order}"));
    }
    line(
        "tolerance",
        match refusal(info, method) {
            Some(reason) => format!("not supported: {reason}"),
            None => match info.controlled_formulation(method) {
                Some(formulation) => format!("supported; constraints: {formulation}"),
                None => "supported without constraints".into(),
            },
        },
    );
    if !info.aliases.is_empty() {
        line("also called", info.aliases.join(", "));
    }
    line("source", info.source.into());
    text += "\nparameters\n";
    for parameter in info.parameters {
        let (name, domain) = (parameter.name, domain(parameter));
        text += &format!("  {name:<12} {domain}\n               {}\n", parameter.meaning);
    }
    text += "\nmeasured orders of q, v, a and multipliers, with the default parameters\n";
    let free = measured(info, info.default_formulation(), false, record);
    let free = free.map_or("not measured".into(), |orders| decimals(&orders[..3]));
    text += &format!("  {:<12} {free}\n", "free");
    for constraints in Formulation::ALL {
        let shown = match info.permission(constraints) {
            Permission::Refused(reason) => format!("not supported: {reason}"),
            Permission::Allowed => match measured(info, constraints, true, record) {
                Some(orders) => decimals(&orders),
                None => "not measured".into(),
            },
        };
        text += &format!("  {:<12} {shown}\n", constraints.name());
    }
    let tolerances = tolerance_lines(info, record);
    if !tolerances.is_empty() {
        text += "\nlargest error of q, v, z, a and multipliers over the tolerance, slopes of q and v, rejected steps\n";
        text += &tolerances;
    }
    if !purposes.is_empty() {
        text += "\nrankings in the studies of `cardan reproduce`\n";
        for place in purposes {
            let note = if place.is_recommended { ", recommended" } else { "" };
            text += &format!(
                "  {}\n    {}: {} {} ({} of {}{note})\n",
                place.title, place.choice, place.score, place.unit, place.place, place.of
            );
        }
    }
    text += "\ncoefficients\n";
    for (name, value) in method.coefficients() {
        text += &format!("  {name:<12} {value}\n");
    }
    text
}

/// The values that a parameter accepts, with its default.
fn domain(parameter: &Parameter) -> String {
    match parameter.domain {
        ParameterDomain::Number { least, most, default } => match default {
            Some(default) => {
                format!("{} to {}; default {default}", table::short(least), table::short(most))
            }
            None => format!("{} to {}", table::short(least), table::short(most)),
        },
        ParameterDomain::Count { least, most, default } => {
            format!("a whole number, {least} to {most}; default {default}")
        }
        ParameterDomain::Word(words) => words.join(", "),
    }
}

fn stability(info: &MethodInfo) -> &'static str {
    match info.stability {
        Stability::A => "A-stable",
        Stability::L => "L-stable",
        Stability::Conditional => "conditional",
    }
}

fn to_json(
    info: &MethodInfo,
    method: &dyn Method,
    record: &ExamRecord,
    reproduced: &Reproduced,
) -> Value {
    let formulations: serde_json::Map<String, Value> = Formulation::ALL
        .into_iter()
        .map(|constraints| {
            let value = match info.permission(constraints) {
                Permission::Refused(reason) => json!({ "allowed": false, "reason": reason }),
                Permission::Allowed => {
                    let orders = measured(info, constraints, true, record);
                    json!({ "allowed": true, "measured_orders": orders })
                }
            };
            (constraints.name().to_string(), value)
        })
        .collect();
    let parameter = |p: &Parameter| {
        let mut object = json!({ "name": p.name, "default": p.default(), "meaning": p.meaning });
        match p.domain {
            ParameterDomain::Number { least, most, .. } => {
                (object["least"], object["most"]) = (least.into(), most.into());
            }
            ParameterDomain::Count { least, most, .. } => {
                (object["least"], object["most"]) = (least.into(), most.into());
            }
            ParameterDomain::Word(words) => object["words"] = words.into(),
        }
        object
    };
    let free = measured(info, info.default_formulation(), false, record);
    let coefficients: serde_json::Map<String, Value> =
        method.coefficients().into_iter().map(|(name, x)| (name, x.into())).collect();
    json!({
        "name": info.name,
        "aliases": info.aliases,
        "family": info.family,
        "title": info.title,
        "order": info.order,
        "orders_between": info.orders_between(),
        "stages": method.stages(),
        "chart": info.chart,
        "stability": stability(info),
        "parameters": info.parameters.iter().map(parameter).collect::<Vec<_>>(),
        "constraints": formulations,
        "measured_orders_free": free.map(|orders| orders[..3].to_vec()),
        "refuses": info.refuses.iter().map(|(feature, reason)| (feature.to_string(), Value::from(*reason))).collect::<serde_json::Map<_, _>>(),
        "variable_step": info.variable_step,
        "embedded_order": method.embedded_order(),
        "tolerance": {
            "allowed": refusal(info, method).is_none(),
            "reason": refusal(info, method),
            "constraints": info.controlled_formulation(method).map(|formulation| formulation.name()),
            "measured": record.tolerances_of(info.name).collect::<Vec<_>>(),
        },
        "character": info.typical_use,
        "good_for": reproduced.purposes_of(info.name),
        "source": info.source,
        "coefficients": coefficients,
    })
}
