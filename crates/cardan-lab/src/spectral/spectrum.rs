//! The linear analysis of methods chosen by name, as rows of data and tables.

use super::rows::{OvershootRow, RegionRow, ResponseRow, RootsRow, RowLabel, SummaryRow};
use super::{SpectralResponse, accuracy, overshoot, radius_at_infinity, region, responses};
use cardan::methods::SettingsError;
use cardan::methods::{Method, MethodChoice, MethodInfo, ParameterValue, Registry};
use cardan::simulation::SimulationError;
use cardan::stability::stability_limit;

/// Methods of a registry to be analysed on the oscillator q̈ + 2ξω q̇ + ω² q = 0.
///
/// ```
/// use cardan::methods::{MethodInfo, Registry, find};
/// use cardan_lab::spectral::Spectrum;
/// use cardan_lab::table::TextTable;
///
/// let mine = MethodInfo { name: "mine", aliases: &[], ..*find("lms3").unwrap() };
/// let registry = Registry::standard().with(mine);
/// let choices = ["mine".parse()?, "bathe:splitting=0.6".parse()?];
/// let spectrum = Spectrum::new(&registry, &choices, &[0.0, 0.8])?;
/// let summary = spectrum.summary()?;
/// println!("{}", TextTable::of(&summary));
/// # assert_eq!(summary.len(), 4);
/// # assert!((summary[1].radius_at_infinity - 0.8).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Spectrum<'r> {
    /// The methods with their parameters.
    pub methods: Vec<AnalysedMethod<'r>>,
    /// Methods and values of `rho` that were omitted, with the reason.
    pub omitted: Vec<SettingsError>,
    /// The damping ratio ξ, between −1 and 1.
    pub damping: f64,
}

/// A method with its parameters.
pub struct AnalysedMethod<'r> {
    /// The method with its parameters, as given.
    pub label: String,
    /// The registry entry of the method.
    pub info: &'r MethodInfo,
    /// The method.
    pub method: Box<dyn Method>,
    /// ρ∞ as given or by default.
    pub rho: Option<f64>,
}

/// Δt/(nT) of the rows by default.
const ABSCISSAE: [f64; 17] = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 3.0, 10.0,
    100.0,
];

impl<'r> Spectrum<'r> {
    /// Steps of the overshoot experiment.
    pub const OVERSHOOT_STEPS: usize = 20;
    /// The length of these steps, in periods.
    pub const OVERSHOOT_PERIODS: f64 = 10.0;
    /// The number of rays on which the boundary of the stability region is searched.
    pub const RAYS: usize = 90;

    /// The methods chosen, or all of the registry if none is, each with every value of `rho` if it takes `rho` and its
    /// choice gives none. What a chosen method does not take is an error.
    pub fn new(
        registry: &'r Registry,
        choices: &[MethodChoice],
        rho: &[f64],
    ) -> Result<Self, SettingsError> {
        let plain =
            |info: &MethodInfo| MethodChoice { method: info.name.into(), parameters: Vec::new() };
        let is_everything = choices.is_empty();
        let everything: Vec<MethodChoice> = registry.all().map(plain).collect();
        let chosen = if is_everything { &everything } else { choices };
        let mut spectrum = Self { methods: Vec::new(), omitted: Vec::new(), damping: 0.0 };
        for variant in chosen.iter().flat_map(|choice| choice.with_each(registry, "rho", rho)) {
            let label = variant.to_string();
            if spectrum.methods.iter().any(|known| known.label == label) {
                continue;
            }
            match registry.build(&variant) {
                Ok((info, method)) => {
                    let rho = dissipation(info, &variant);
                    spectrum.methods.push(AnalysedMethod { label, info, method, rho });
                }
                Err(error) if is_everything => spectrum.omitted.push(error),
                Err(error) => return Err(error),
            }
        }
        Ok(spectrum)
    }

    /// This analysis on an oscillator with a damping ratio.
    pub fn with_damping(self, damping: f64) -> Self {
        Self { damping, ..self }
    }

    /// Radius, decay and period of every method at steps given as Δt/(nT); at default ones if none is given.
    pub fn rows(&self, at: &[f64]) -> Result<Vec<ResponseRow>, SimulationError> {
        let all = self.responses(at)?;
        Ok(all.iter().map(|(method, row)| ResponseRow::new(method.row_label(), row)).collect())
    }

    /// Radius, decay, period and all characteristic roots of every method at steps given as Δt/(nT).
    pub fn roots(&self, at: &[f64]) -> Result<Vec<RootsRow>, SimulationError> {
        let all = self.responses(at)?;
        Ok(all.iter().map(|(method, row)| RootsRow::new(method.row_label(), row)).collect())
    }

    fn responses(
        &self,
        at: &[f64],
    ) -> Result<Vec<(&AnalysedMethod<'r>, SpectralResponse)>, SimulationError> {
        let mut at = if at.is_empty() { ABSCISSAE.to_vec() } else { at.to_vec() };
        at.sort_by(f64::total_cmp);
        at.dedup();
        let mut all = Vec::new();
        for method in &self.methods {
            let found = responses(method.info, method.method.as_ref(), &at, self.damping)?;
            all.extend(found.into_iter().map(|row| (method, row)));
        }
        Ok(all)
    }

    /// Order, error constant and limits of every method.
    pub fn summary(&self) -> Result<Vec<SummaryRow>, SimulationError> {
        self.methods.iter().map(|method| self.summarize(method)).collect()
    }

    fn summarize(&self, analysed: &AnalysedMethod<'_>) -> Result<SummaryRow, SimulationError> {
        let (info, method) = (analysed.info, analysed.method.as_ref());
        let accuracy = accuracy(info, method)?;
        let radius_at_infinity = radius_at_infinity(info, method)?;
        let row = &responses(info, method, &[0.1], self.damping)?[0];
        // steps of many periods are more than some methods can compute
        let overshoot = analysed.overshoot(self.damping);
        let (overshoot_displacement, overshoot_velocity) = match overshoot {
            Ok(found) => (found.displacement(), found.velocity()),
            Err(SimulationError::Step { .. }) => (f64::NAN, f64::NAN),
            Err(error) => return Err(error),
        };
        let limit = stability_limit(info, method, self.damping)?;
        Ok(SummaryRow {
            of: analysed.row_label(),
            stages: method.stages(),
            stable_up_to: limit.is_finite().then_some(limit),
            constrained_radius: method.constrained_radius(),
            order: accuracy.order,
            error_constant: accuracy.error_constant,
            radius_at_infinity,
            radius: row.radius,
            amplitude_decay: row.amplitude_decay,
            period_elongation: row.period_elongation,
            overshoot_displacement,
            overshoot_velocity,
        })
    }

    /// The boundary of the stability region of every method.
    pub fn region(&self) -> Result<Vec<RegionRow>, SimulationError> {
        let mut rows = Vec::new();
        for method in &self.methods {
            let edge = region(method.info, method.method.as_ref(), Self::RAYS)?;
            let row = |at: super::BoundaryPoint| RegionRow {
                of: method.row_label(),
                re: at.re,
                im: at.im,
            };
            rows.extend(edge.into_iter().map(row));
        }
        Ok(rows)
    }

    /// The motion from a displacement, in steps of ten periods, of every method.
    pub fn overshoot(&self) -> Result<Vec<OvershootRow>, SimulationError> {
        let mut rows = Vec::new();
        for method in &self.methods {
            let motion = method.overshoot(self.damping)?;
            let points = motion.displacements.into_iter().zip(motion.velocities).enumerate();
            rows.extend(points.map(|(step, (displacement, velocity_over_omega))| OvershootRow {
                of: method.row_label(),
                step,
                displacement,
                velocity_over_omega,
            }));
        }
        Ok(rows)
    }
}

impl AnalysedMethod<'_> {
    /// The motion from a displacement in [`Spectrum::OVERSHOOT_STEPS`] steps, with a damping ratio.
    pub fn overshoot(&self, damping: f64) -> Result<super::Overshoot, SimulationError> {
        let (periods, steps) = (Spectrum::OVERSHOOT_PERIODS, Spectrum::OVERSHOOT_STEPS);
        overshoot(self.info, self.method.as_ref(), damping, periods, steps)
    }

    fn row_label(&self) -> RowLabel {
        let (method, label) = (self.info.name.to_string(), self.label.clone());
        RowLabel { method, label, rho: self.rho }
    }
}

/// ρ∞ as given or by default.
fn dissipation(info: &MethodInfo, choice: &MethodChoice) -> Option<f64> {
    let given = choice.parameters.iter().find(|(name, _)| name == "rho").map(|(_, x)| x.clone());
    let known = info.parameters.iter().find(|p| p.name == "rho");
    match given.or_else(|| known?.default())? {
        ParameterValue::Number(rho) => Some(rho),
        ParameterValue::Word(_) => None,
    }
}
