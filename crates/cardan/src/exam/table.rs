//! The grades as a table for people.

use super::{Grade, Record};
use crate::output::{TableRow, TextTable, decimal};

impl Record {
    /// The grades, one row each.
    ///
    /// ```
    /// use cardan::{exam, methods::Registry};
    ///
    /// let record = exam::sit(&Registry::standard(), &["rk3"], |_| {})?;
    /// println!("{}", record.table());
    /// # assert!(record.table().to_string().contains("heavy-top"));
    /// # Ok::<(), cardan::Error>(())
    /// ```
    pub fn table(&self) -> TextTable {
        TextTable::of(&self.grades)
    }
}

/// A cell that does not apply.
const NONE: &str = "–";

impl TableRow for Grade {
    const HEADER: &'static [&'static str] = &[
        "method",
        "constraints",
        "problem",
        "q",
        "v",
        "z",
        "a",
        "λ",
        "a again",
        "λ again",
        "error q",
        "error λ",
        "|Φ|",
        "|Gv+b|",
        "order",
        "|ΔE|",
        "order",
        "solves/stage",
    ];
    const NOTES: &'static str = "\nq, v, z, a, λ: orders observed when the step is halved, as far as round-off allows; z: first-order states; \"again\": a and λ solved \
         once more from (q, v).\n|Gv+b|, |ΔE|: violation of the velocity constraints and change of energy at the finest step, and the order \
         at which they fall; – where\nthey are round-off, or energy is not conserved. solves/stage: Newton iterations at the coarsest and the finest step.\n";

    fn cells(&self) -> Vec<String> {
        let mut row = vec![self.method.clone(), self.constraints.clone(), self.problem.clone()];
        let (constrained, has_states) = (self.errors.multipliers > 0.0, self.errors.z > 0.0);
        for (name, order) in self.orders.named() {
            let is_shown = match name {
                "z" => has_states,
                _ => constrained || !name.contains("multipliers"),
            };
            row.push(if is_shown { decimal(order, 2) } else { NONE.into() });
        }
        let small = |x: f64| if constrained { format!("{x:.0e}") } else { NONE.into() };
        let multipliers = format!("{:.1e}", self.errors.multipliers);
        row.push(format!("{:.1e}", self.errors.q));
        row.push(if constrained { multipliers } else { NONE.into() });
        row.push(small(self.position_residual));
        row.push(small(self.velocity_residual));
        let order = |order: Option<f64>| order.map_or(NONE.into(), |order| decimal(order, 1));
        row.push(order(self.drift_order));
        let energy = self.energy_error;
        row.push(if energy > 0.0 { format!("{energy:.0e}") } else { NONE.into() });
        row.push(order(self.energy_order));
        let ends = [self.solves_per_stage.first(), self.solves_per_stage.last()];
        let ends: Vec<String> = ends.into_iter().flatten().map(|s| format!("{s:.1}")).collect();
        row.push(ends.join(" … "));
        row
    }
}
