//! The rows of an analysis: data for scripts, and cells of text tables.

use serde::Serialize;

use super::response::SpectralResponse;
use crate::table::{TableRow, short};

/// The method that a row belongs to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RowLabel {
    /// The name of the method.
    pub method: String,
    /// The method with its parameters, as given.
    pub label: String,
    /// ρ∞ as given or by default.
    pub rho: Option<f64>,
}

/// The response of a method at one step size.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ResponseRow {
    /// The method.
    #[serde(flatten)]
    pub of: RowLabel,
    /// Δt/(nT): the step over the period and the number of stages.
    #[serde(rename = "dt_over_nT")]
    pub abscissa: f64,
    /// The largest modulus of a characteristic root.
    pub spectral_radius: f64,
    /// The numerical damping ratio, in percent.
    #[serde(rename = "amplitude_decay_percent")]
    pub amplitude_decay: f64,
    /// How much longer the numerical period is, in percent.
    #[serde(rename = "period_elongation_percent")]
    pub period_elongation: f64,
    /// Whether the oscillation turns by half a turn per step or more: then only the radius is meaningful.
    pub is_aliased: bool,
}

impl ResponseRow {
    pub(super) fn new(of: RowLabel, row: &SpectralResponse) -> Self {
        Self {
            of,
            abscissa: row.abscissa,
            spectral_radius: row.radius,
            amplitude_decay: row.amplitude_decay,
            period_elongation: row.period_elongation,
            is_aliased: row.is_aliased,
        }
    }
}

const RESPONSE_NOTES: &str =
    "\ndecay: numerical damping ratio; period: its elongation; – above half a turn per step.\n";

impl TableRow for ResponseRow {
    const HEADER: &'static [&'static str] = &["method", "Δt/(nT)", "radius", "decay %", "period %"];
    const NOTES: &'static str = RESPONSE_NOTES;

    fn cells(&self) -> Vec<String> {
        let is_known = !self.is_aliased && self.period_elongation.is_finite();
        let low = |x: f64| if is_known { format!("{x:.5}") } else { "–".into() };
        vec![
            self.of.label.clone(),
            short(self.abscissa),
            format!("{:.9}", self.spectral_radius),
            low(self.amplitude_decay),
            low(self.period_elongation),
        ]
    }
}

/// A response with all characteristic roots.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RootsRow {
    /// The response.
    #[serde(flatten)]
    pub response: ResponseRow,
    /// The roots as [re, im], the largest first.
    pub roots: Vec<[f64; 2]>,
}

impl RootsRow {
    pub(super) fn new(of: RowLabel, row: &SpectralResponse) -> Self {
        let roots = row.roots.iter().map(|root| [root.re, root.im]).collect();
        Self { response: ResponseRow::new(of, row), roots }
    }
}

impl TableRow for RootsRow {
    const HEADER: &'static [&'static str] =
        &["method", "Δt/(nT)", "radius", "decay %", "period %", "roots"];
    const NOTES: &'static str = RESPONSE_NOTES;

    fn cells(&self) -> Vec<String> {
        let roots: Vec<String> =
            self.roots.iter().map(|[re, im]| format!("{re:.5}{im:+.5}i")).collect();
        let mut cells = self.response.cells();
        cells.push(roots.join("  "));
        cells
    }
}

/// Order, error constant, limits and overshoot of a method.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SummaryRow {
    /// The method.
    #[serde(flatten)]
    pub of: RowLabel,
    /// Stages per step.
    pub stages: usize,
    /// The ωh up to which no root leaves the unit circle; none if it never does.
    pub stable_up_to: Option<f64>,
    /// The radius in a direction whose position is prescribed.
    pub constrained_radius: f64,
    /// The order observed.
    pub order: f64,
    /// The error constant at equal work.
    pub error_constant: f64,
    /// The radius in the limit of fast oscillations.
    pub radius_at_infinity: f64,
    /// The radius at Δt/(nT) = 0.1.
    #[serde(skip)]
    pub radius: f64,
    /// The numerical damping ratio at Δt/(nT) = 0.1, in percent.
    #[serde(rename = "amplitude_decay_percent_at_0.1")]
    pub amplitude_decay: f64,
    /// How much longer the period is at Δt/(nT) = 0.1, in percent.
    #[serde(rename = "period_elongation_percent_at_0.1")]
    pub period_elongation: f64,
    /// The largest displacement in steps of ten periods from q = 1 at rest.
    pub overshoot_displacement: f64,
    /// The largest velocity over ω.
    pub overshoot_velocity: f64,
}

impl TableRow for SummaryRow {
    const HEADER: &'static [&'static str] = &[
        "method",
        "stages",
        "order",
        "error constant",
        "max ωh",
        "ρ(∞)",
        "ρ(constrained)",
        "ρ(0.1)",
        "decay %",
        "period %",
        "max q",
        "max v/ω",
    ];
    const NOTES: &'static str = "\nerror constant: times stages^order, that is at equal work; max ωh: the largest ωh up to \
         which ρ ≤ 1 + 1e-7;\nρ(∞): the limit for fast undamped oscillations; ρ(constrained): in a direction whose position is prescribed, \
         where errors do not decay if it is 1 or more;\nρ(0.1), decay and period: at Δt/(nT) = 0.1; max q, \
         v: over 20 steps of ten periods each from q = 1 at rest.\n";

    fn cells(&self) -> Vec<String> {
        vec![
            self.of.label.clone(),
            self.stages.to_string(),
            format!("{:.2}", self.order),
            format!("{:.5}", self.error_constant),
            self.stable_up_to.map_or("∞".into(), |limit| format!("{limit:.4}")),
            compact(self.radius_at_infinity, 3),
            compact(self.constrained_radius, 3),
            format!("{:.4}", self.radius),
            format!("{:.3}", self.amplitude_decay),
            format!("{:.3}", self.period_elongation),
            compact(self.overshoot_displacement, 2),
            compact(self.overshoot_velocity, 2),
        ]
    }
}

/// A number with some decimals, unless it is too large for them to matter.
fn compact(x: f64, decimals: usize) -> String {
    match x.abs() {
        x if x.is_nan() => "–".into(),
        f64::INFINITY => "∞".into(),
        size if size < 1e4 => format!("{x:.decimals$}"),
        _ => format!("{x:.1e}"),
    }
}

/// A point λh on the boundary of the stability region.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RegionRow {
    /// The method.
    #[serde(flatten)]
    pub of: RowLabel,
    /// Re λh.
    pub re: f64,
    /// Im λh.
    pub im: f64,
}

impl TableRow for RegionRow {
    const HEADER: &'static [&'static str] = &["method", "Re λh", "Im λh"];
    const NOTES: &'static str = "\nWhere the spectral radius passes one. An A-stable method has all of these in the right \
         half-plane,\nand is unstable between them and the origin.\n";

    fn cells(&self) -> Vec<String> {
        vec![self.of.label.clone(), format!("{:.6}", self.re), format!("{:.6}", self.im)]
    }
}

/// The end of a step of the overshoot experiment.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OvershootRow {
    /// The method.
    #[serde(flatten)]
    pub of: RowLabel,
    /// The number of the step; 0 is the start.
    pub step: usize,
    /// q, over the initial one.
    pub displacement: f64,
    /// q̇ over ω.
    pub velocity_over_omega: f64,
}

impl TableRow for OvershootRow {
    const HEADER: &'static [&'static str] = &["method", "step", "q", "v/ω"];

    fn cells(&self) -> Vec<String> {
        let number = |x: f64| format!("{x:.6}");
        let (q, v) = (number(self.displacement), number(self.velocity_over_omega));
        vec![self.of.label.clone(), self.step.to_string(), q, v]
    }
}
