//! `cardan methods`: the table of the registry, with the orders the exam measured.

use cardan::Formulation;
use cardan::exam::{Record, recorded};
use cardan::methods::{MethodInfo, Permission, Stability, all};
use serde_json::{Value, json};

use crate::{Failure, table};

#[derive(clap::Args)]
pub struct Arguments {
    /// Print JSON for scripts.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<String, Failure> {
    let record = recorded();
    if arguments.json {
        let methods: Vec<Value> = all().map(|info| to_json(info, &record)).collect();
        return Ok(format!("{:#}\n", Value::Array(methods)));
    }
    let header =
        ["method", "order", "stability", "position", "stabilized", "acceleration", "parameters"];
    let rows: Vec<Vec<String>> = all().map(|info| row(info, &record)).collect();
    let mut text = table::render(&header, &rows);
    text += "\nMeasured orders of q, v, a and multipliers (constrained problems of the exam, lowest) \
             stand under each\nconstraint formulation; – where the method does not take it.\n\n";
    for info in all() {
        text += &format!("{:<18} {}  [{}]\n", info.name, info.title, info.source);
    }
    Ok(text)
}

/// The lowest orders of q, v, a and λ over the constrained problems.
fn measured(info: &MethodInfo, constraints: Formulation, record: &Record) -> Option<[f64; 4]> {
    record
        .of(info.name, constraints)
        .filter(|grade| grade.orders.multipliers.is_finite() && grade.errors.multipliers > 0.0)
        .map(|grade| {
            let orders = grade.orders;
            [orders.q, orders.v, orders.a, orders.multipliers]
        })
        .reduce(|a, b| std::array::from_fn(|i| a[i].min(b[i])))
}

fn row(info: &MethodInfo, record: &Record) -> Vec<String> {
    let mut row = vec![info.name.into(), info.order.to_string(), stability(info).into()];
    for constraints in Formulation::ALL {
        row.push(match (info.permission(constraints), measured(info, constraints, record)) {
            (Permission::Refused(_), _) => "–".into(),
            (_, Some(orders)) => orders.map(|order| table::decimal(order, 1)).join(" "),
            (_, None) => "not measured".into(),
        });
    }
    let name = |p: &cardan::methods::Parameter| match p.default() {
        Some(default) => format!("{} = {default}", p.name),
        None => p.name.to_string(),
    };
    row.push(info.parameters.iter().map(name).collect::<Vec<_>>().join(", "));
    row
}

fn stability(info: &MethodInfo) -> &'static str {
    match info.stability {
        Stability::A => "A-stable",
        Stability::L => "L-stable",
    }
}

fn to_json(info: &MethodInfo, record: &Record) -> Value {
    let formulations: serde_json::Map<String, Value> = Formulation::ALL
        .into_iter()
        .map(|constraints| {
            let value = match info.permission(constraints) {
                Permission::Refused(reason) => json!({ "allowed": false, "reason": reason }),
                Permission::Allowed => {
                    json!({ "allowed": true, "measured_orders": measured(info, constraints, record) })
                }
            };
            (constraints.name().to_string(), value)
        })
        .collect();
    let parameters: Vec<Value> = info
        .parameters
        .iter()
        .map(|p| {
            json!({
                "name": p.name, "default": p.default(),
                "meaning": p.meaning,
            })
        })
        .collect();
    json!({
        "name": info.name,
        "aliases": info.aliases,
        "family": info.family,
        "title": info.title,
        "order": info.order,
        "stages": info.stages(),
        "chart": info.chart,
        "stability": stability(info),
        "parameters": parameters,
        "constraints": formulations,
        "first_order_states": info.first_order_states,
        "source": info.source,
    })
}
