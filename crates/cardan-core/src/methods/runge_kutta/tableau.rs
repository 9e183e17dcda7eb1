//! Coefficients of a stiffly accurate Runge–Kutta method with an explicit first stage.

/// The rows of stages 2 … s, each up to its diagonal; the last one holds the weights.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::methods) struct Tableau {
    /// aᵢⱼ.
    pub rows: Vec<Vec<f64>>,
    /// The order.
    pub order: u32,
    /// The embedded method.
    pub embedded: Option<EmbeddedFormula>,
}

/// The embedded method of a pair.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::methods) struct EmbeddedFormula {
    /// b̂.
    pub weights: Vec<f64>,
    /// Its order.
    pub order: u32,
    /// [`Estimate::factor`](crate::methods::Estimate::factor). It was measured: errors of undamped vibrations add up, to 52
    /// to 96 tolerances in the accelerations of a flexible slider-crank after 265 periods of its second mode.
    pub factor: f64,
}

impl Tableau {
    /// A tableau without an embedded method.
    pub fn new(rows: Vec<Vec<f64>>, order: u32) -> Self {
        Self { rows, order, embedded: None }
    }

    /// cᵢ of all stages, the first included.
    pub fn abscissae(&self) -> Vec<f64> {
        let sum = |row: &Vec<f64>| row.iter().sum();
        std::iter::once(0.0).chain(self.rows.iter().map(sum)).collect()
    }

    /// |R(∞)|, the amplification of a direction whose stages are all prescribed.
    pub fn radius(&self) -> f64 {
        let mut rates = vec![1.0];
        for row in &self.rows {
            let (diagonal, before) = (row[row.len() - 1], &row[..row.len() - 1]);
            let sum: f64 = before.iter().zip(&rates).map(|(a, rate)| a * rate).sum();
            rates.push(-sum / diagonal);
        }
        rates[rates.len() - 1].abs()
    }

    /// The coefficients by name: a, then those of the embedded weights.
    pub fn coefficients(&self) -> Vec<(String, f64)> {
        let name = |i: usize, j: usize| format!("a_{}{}{}", i + 2, gap(self.rows.len()), j + 1);
        let rows = self.rows.iter().enumerate();
        let mut all: Vec<_> = rows
            .flat_map(|(i, row)| row.iter().enumerate().map(move |(j, &a)| (name(i, j), a)))
            .collect();
        let weights = self.embedded.iter().flat_map(|formula| formula.weights.iter().enumerate());
        all.extend(weights.map(|(j, &weight)| (format!("embedded_{}", j + 1), weight)));
        all
    }

    /// The tableau with other values, in the order of [`coefficients`](Self::coefficients).
    pub fn with(&self, values: &[f64]) -> Self {
        let mut changed = self.clone();
        let rows = changed.rows.iter_mut().flatten();
        let weights = changed.embedded.iter_mut().flat_map(|formula| &mut formula.weights);
        rows.chain(weights).zip(values).for_each(|(old, new)| *old = *new);
        changed
    }
}

/// The separator between two indices: needed if they have two digits.
fn gap(rows: usize) -> &'static str {
    if rows > 8 { "_" } else { "" }
}
