//! The grades as text tables.

use super::{ExamRecord, Grade, ToleranceGrade};
use crate::table::{TableRow, TextTable, decimal};

impl ExamRecord {
    /// The grades, one row each.
    ///
    /// ```
    /// use cardan::methods::Registry;
    /// use cardan_lab::exam;
    ///
    /// let record = exam::run_exam(&Registry::standard(), &["rk3"], |_| {})?;
    /// println!("{}", record.table());
    /// # assert!(record.table().to_string().contains("heavy-top"));
    /// # Ok::<(), cardan::SimulationError>(())
    /// ```
    pub fn table(&self) -> TextTable {
        TextTable::of(&self.grades)
    }
}

impl ExamRecord {
    /// Errors and orders between two instants, one row per grade.
    pub fn table_between(&self) -> TextTable {
        let rows: Vec<BetweenRow<'_>> = self.grades.iter().map(BetweenRow).collect();
        TextTable::of(&rows)
    }
}

impl ExamRecord {
    /// Errors over the tolerance, one row for each method and problem.
    pub fn table_of_tolerances(&self) -> TextTable {
        TextTable::of(&self.tolerances)
    }
}

impl TableRow for ToleranceGrade {
    const HEADER: &'static [&'static str] = &[
        "method",
        "constraints",
        "problem",
        "q",
        "v",
        "z",
        "a",
        "λ",
        "slope q",
        "slope v",
        "slope z",
        "slope a",
        "slope λ",
        "reversal",
        "rejected",
        "steps",
    ];
    const NOTES: &'static str = "\nq, v, z, a, λ: the largest error over the tolerance, for tolerances from 1e-3 to 1e-9 (second order: 1e-6; first order: 1e-2 to 1e-4). Positions are \
         compared with 1 m\nand 1 rad, the others with their largest value. slope: of log error over log tolerance. reversal: the largest ratio of an \
         error to that of the next\nlooser tolerance. rejected: the largest share of steps, where more than one is. steps: at the loosest and the tightest tolerance.\n";

    fn cells(&self) -> Vec<String> {
        let mut row = vec![self.method.clone(), self.constraints.clone(), self.problem.clone()];
        let largest = self.largest();
        let cell = |i: usize, text: String| if largest[i] > 0.0 { text } else { NONE.into() };
        row.extend((0..5).map(|i| cell(i, decimal(largest[i], 2))));
        row.extend((0..5).map(|i| cell(i, decimal(self.slopes[i], 2))));
        row.push(decimal(self.reversal, 2));
        row.push(format!("{:.1} %", 100.0 * self.rejected_share()));
        let ends = [self.steps.first(), self.steps.last()];
        let ends: Vec<String> = ends.into_iter().flatten().map(u64::to_string).collect();
        row.push(ends.join(" … "));
        row
    }
}

/// The part of a grade between two instants.
struct BetweenRow<'a>(&'a Grade);

impl TableRow for BetweenRow<'_> {
    const HEADER: &'static [&'static str] = &[
        "method",
        "constraints",
        "problem",
        "q",
        "v",
        "z",
        "a",
        "λ",
        "error q",
        "error v",
        "|Φ|",
        "order",
    ];
    const NOTES: &'static str = "\nOrders observed at 0.3 and 0.65 of the steps that end at 0.1, 0.2 … 1 s, when the step is halved; errors and |Φ| at the finest \
         step, and the order\nat which |Φ| falls; – where it is round-off, or does not apply.\n";

    fn cells(&self) -> Vec<String> {
        let Self(grade) = self;
        let between = &grade.between;
        let mut row = vec![grade.method.clone(), grade.constraints.clone(), grade.problem.clone()];
        let (constrained, has_states) = (grade.errors.multipliers > 0.0, grade.errors.z > 0.0);
        for (name, order) in between.orders.named().into_iter().take(5) {
            let is_there = match name {
                "z" => has_states,
                "multipliers" => constrained,
                _ => true,
            };
            row.push(if is_there { decimal(order, 2) } else { NONE.into() });
        }
        row.push(format!("{:.1e}", between.errors.q));
        row.push(format!("{:.1e}", between.errors.v));
        let residual = between.position_residual;
        row.push(if constrained { format!("{residual:.0e}") } else { NONE.into() });
        row.push(between.residual_order.map_or(NONE.into(), |order| decimal(order, 1)));
        row
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
        "a (recomputed)",
        "λ (recomputed)",
        "error q",
        "error λ",
        "|Φ|",
        "|Gv+b|",
        "order",
        "|ΔE|",
        "order",
        "solves/stage",
    ];
    const NOTES: &'static str = "\nq, v, z, a, λ: orders observed when the step is halved, as far as round-off allows; z: first-order states; (recomputed): a and λ solved \
         from (q, v).\n|Gv+b|, |ΔE|: violation of the velocity constraints and change of energy at the finest step, and the order \
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
