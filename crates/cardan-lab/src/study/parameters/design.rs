//! Designs: which values the parameters have in each case. A case is computed from its index, so that a study of
//! many cases needs no memory for them.

use serde::{Deserialize, Serialize};

use super::problem::StudyProblem;
use super::sequence::{SOBOL_DIMENSIONS, SobolSequence, latin_point, random_point};
use super::values::{CaseValue, ParameterValues};

/// A study has at most this many cases; each takes about 50 bytes of memory.
pub const MAX_CASES: u64 = 5_000_000;

/// How cases are formed from the values of parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DesignKind {
    /// All combinations; the last parameter varies fastest.
    #[default]
    Grid,
    /// The k-th case has the k-th value of each parameter.
    List,
    /// A base case, and cases in which one parameter differs from it.
    OneAtATime,
    /// Random points of which each parameter takes equal parts of its distribution once.
    LatinHypercube,
    /// Points of Sobol's low-discrepancy sequence with a random shift.
    Sobol,
    /// Independent random points.
    MonteCarlo,
    /// Pairs of Sobol points and their mixtures, for sensitivity indices: samples × (parameters + 2) cases.
    Sensitivity,
    /// The rows of a table of values.
    Table,
}

/// The designs with their words and meanings.
pub const DESIGNS: [(DesignKind, &str, &str); 8] = [
    (DesignKind::Grid, "grid", "all combinations; the last parameter varies fastest"),
    (DesignKind::List, "list", "the k-th case has the k-th value of each parameter"),
    (
        DesignKind::OneAtATime,
        "one-at-a-time",
        "a base case, then each value of each parameter with the others at their base: that of the model, or `base`",
    ),
    (
        DesignKind::LatinHypercube,
        "latin-hypercube",
        "`samples` random points of which each parameter takes equal parts of its distribution once",
    ),
    (
        DesignKind::Sobol,
        "sobol",
        "`samples` points of Sobol's sequence with a random shift (up to 40 parameters)",
    ),
    (DesignKind::MonteCarlo, "monte-carlo", "`samples` independent random points"),
    (
        DesignKind::Sensitivity,
        "sensitivity",
        "`samples` × (parameters + 2) cases for Sobol's sensitivity indices (up to 20 parameters)",
    ),
    (DesignKind::Table, "table", "the rows of `table`"),
];

impl DesignKind {
    /// Whether its points are drawn from distributions.
    pub fn is_sampled(self) -> bool {
        use DesignKind::{LatinHypercube, MonteCarlo, Sensitivity, Sobol};
        matches!(self, LatinHypercube | Sobol | MonteCarlo | Sensitivity)
    }

    /// The word of the design.
    pub fn word(self) -> &'static str {
        DESIGNS.iter().find(|(kind, ..)| *kind == self).map_or("", |(_, word, _)| word)
    }
}

/// A parameter that varies.
#[derive(Clone, Debug, PartialEq)]
pub struct VariedParameter {
    /// The name of a parameter of the model, or of a setting such as `simulation.step`.
    pub name: String,
    /// Its values.
    pub values: ParameterValues,
    /// Its value where another parameter varies, in a design of one at a time.
    pub base: Option<CaseValue>,
}

/// The cases of a study.
#[derive(Clone, Debug)]
pub struct Design {
    kind: DesignKind,
    parameters: Vec<VariedParameter>,
    seed: u64,
    /// Points of a sampled design; with mixtures, there are more cases.
    samples: u64,
    cases: u64,
    sobol: SobolSequence,
}

impl Design {
    /// Forms a design; a problem if the parameters do not suit it.
    pub fn new(
        kind: DesignKind,
        parameters: Vec<VariedParameter>,
        samples: Option<u64>,
        seed: u64,
    ) -> Result<Self, StudyProblem> {
        if parameters.is_empty() {
            let problem = StudyProblem::new("the study has no parameters").at_key(&["parameters"]);
            return Err(problem.help("a section [parameters], or a table of cases"));
        }
        let is_sampled = kind.is_sampled();
        let word = kind.word();
        let samples = match (is_sampled, samples) {
            (true, None | Some(0)) => {
                let message = format!("design `{word}` needs `samples`, the number of points");
                return Err(StudyProblem::new(message).at(&["design"]).help("samples = 100"));
            }
            (false, Some(_)) => {
                let message = format!(
                    "`samples` does not apply to design `{word}`: lists and ranges determine its cases"
                );
                let known = DESIGNS.iter().filter(|(kind, ..)| kind.is_sampled());
                let problem = StudyProblem::new(message).at_key(&["samples"]);
                return Err(problem.among("", known.map(|(_, word, _)| *word)));
            }
            (_, samples) => samples.unwrap_or(0),
        };
        let wanted = match kind {
            DesignKind::Sensitivity => 2 * parameters.len(),
            DesignKind::Sobol => parameters.len(),
            _ => 0,
        };
        if wanted > SOBOL_DIMENSIONS {
            let most = SOBOL_DIMENSIONS * parameters.len() / wanted;
            let message =
                format!("this design takes at most {most} parameters, not {}", parameters.len());
            return Err(StudyProblem::new(message)
                .at(&["design"])
                .help("design = \"latin-hypercube\""));
        }
        let counts: Vec<u64> = match is_sampled {
            true => Vec::new(),
            false => parameters.iter().map(count).collect::<Result<_, _>>()?,
        };
        let cases = match kind {
            DesignKind::Grid => counts.iter().try_fold(1, |all: u64, n| all.checked_mul(*n)),
            DesignKind::List | DesignKind::Table => {
                if let Some(k) = counts.iter().position(|n| *n != counts[0]) {
                    let [first, other] = [&parameters[0].name, &parameters[k].name];
                    let problem = StudyProblem::new(format!(
                        "the lists have different lengths: {} of `{first}`, {} of `{other}`",
                        counts[0], counts[k]
                    ));
                    let problem = problem.at(&["parameters", other]);
                    return Err(problem.help("lists of equal length, or design = \"grid\""));
                }
                Some(counts[0])
            }
            DesignKind::OneAtATime => {
                if let Some(x) = parameters.iter().find(|x| x.base.is_none()) {
                    let problem = StudyProblem::new(format!("`{}` has no base value", x.name));
                    let problem = problem.at(&["parameters", &x.name]);
                    return Err(problem.help("{ values = […], base = … }"));
                }
                counts.iter().try_fold(1, |all: u64, n| all.checked_add(*n))
            }
            DesignKind::Sensitivity => samples.checked_mul(parameters.len() as u64 + 2),
            DesignKind::LatinHypercube | DesignKind::Sobol | DesignKind::MonteCarlo => {
                Some(samples)
            }
        };
        let cases = cases.filter(|cases| *cases <= MAX_CASES).ok_or_else(|| {
            let many = cases.map_or("more than 1e19".into(), |cases| cases.to_string());
            let message = format!("the design has {many} cases; a study has at most {MAX_CASES}");
            let key = if is_sampled { "samples" } else { "parameters" };
            StudyProblem::new(message).at_key(&[key]).help(match is_sampled {
                true => "fewer samples",
                false => "fewer values of each parameter, or samples of them: design = \"latin-hypercube\" with `samples`",
            })
        })?;
        let sobol = SobolSequence::new(wanted, seed);
        Ok(Self { kind, parameters, seed, samples, cases, sobol })
    }

    /// The kind of the design.
    pub fn kind(&self) -> DesignKind {
        self.kind
    }

    /// The parameters.
    pub fn parameters(&self) -> &[VariedParameter] {
        &self.parameters
    }

    /// The number of cases.
    pub fn cases(&self) -> u64 {
        self.cases
    }

    /// The number of points of a sampled design.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// The values of the parameters in a case, counted from zero.
    pub fn case(&self, case: u64) -> Vec<CaseValue> {
        let all = &self.parameters;
        let of_point = |point: Vec<f64>| -> Vec<CaseValue> {
            all.iter().zip(point).map(|(parameter, p)| parameter.values.at(p)).collect()
        };
        match self.kind {
            DesignKind::Grid => {
                let mut rest = case;
                let mut values: Vec<CaseValue> = Vec::with_capacity(all.len());
                for parameter in all.iter().rev() {
                    let count = parameter.values.count().unwrap_or(1);
                    values.push(parameter.values.get(rest % count));
                    rest /= count;
                }
                values.reverse();
                values
            }
            DesignKind::List | DesignKind::Table => {
                all.iter().map(|parameter| parameter.values.get(case)).collect()
            }
            DesignKind::OneAtATime => {
                // the base case is the first
                let mut rest = case.checked_sub(1);
                let value = |parameter: &VariedParameter| {
                    let count = parameter.values.count().unwrap_or(0);
                    let varied = rest.filter(|k| *k < count);
                    rest = rest.and_then(|k| k.checked_sub(count));
                    match varied {
                        Some(k) => parameter.values.get(k),
                        None => parameter.base.clone().unwrap_or(CaseValue::Number(f64::NAN)),
                    }
                };
                all.iter().map(value).collect()
            }
            DesignKind::LatinHypercube => {
                of_point(latin_point(self.seed, case, self.samples, all.len()))
            }
            DesignKind::Sobol => of_point(self.sobol.point(case)),
            DesignKind::MonteCarlo => of_point(random_point(self.seed, case, all.len())),
            DesignKind::Sensitivity => of_point(self.mixture(case)),
        }
    }

    /// A point of the sensitivity design: of a sample A and B, first A, then B, then A with one coordinate of B each.
    fn mixture(&self, case: u64) -> Vec<f64> {
        let count = self.parameters.len();
        let group = count as u64 + 2;
        let both = self.sobol.point(case / group);
        let (a, b) = both.split_at(count);
        match case % group {
            0 => a.to_vec(),
            1 => b.to_vec(),
            k => {
                let mut point = a.to_vec();
                let mixed = usize::try_from(k - 2).unwrap_or(0);
                point[mixed] = b[mixed];
                point
            }
        }
    }
}

fn count(parameter: &VariedParameter) -> Result<u64, StudyProblem> {
    parameter.values.count().ok_or_else(|| {
        let name = &parameter.name;
        let message = format!("`{name}` has a distribution, and this design needs listed values");
        let help = "`count` beside `from` and `to`, or design = \"latin-hypercube\"";
        StudyProblem::new(message).at(&["parameters", name]).help(help)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(name: &str, values: &[f64], base: Option<f64>) -> VariedParameter {
        let values = values.iter().copied().map(CaseValue::Number).collect();
        let base = base.map(CaseValue::Number);
        VariedParameter { name: name.into(), values: ParameterValues::List(values), base }
    }

    fn numbers(design: &Design) -> Vec<Vec<f64>> {
        let number = |value: CaseValue| match value {
            CaseValue::Number(x) => x,
            CaseValue::Text(_) => f64::NAN,
        };
        (0..design.cases()).map(|k| design.case(k).into_iter().map(number).collect()).collect()
    }

    #[test]
    fn combinations_of_listed_values() -> Result<(), StudyProblem> {
        let parameters =
            vec![listed("a", &[1.0, 2.0], Some(0.0)), listed("b", &[5.0, 6.0], Some(5.5))];
        let grid = Design::new(DesignKind::Grid, parameters.clone(), None, 0)?;
        assert_eq!(numbers(&grid), [[1.0, 5.0], [1.0, 6.0], [2.0, 5.0], [2.0, 6.0]]);
        let list = Design::new(DesignKind::List, parameters.clone(), None, 0)?;
        assert_eq!(numbers(&list), [[1.0, 5.0], [2.0, 6.0]]);
        let one = Design::new(DesignKind::OneAtATime, parameters, None, 0)?;
        assert_eq!(numbers(&one), [[0.0, 5.5], [1.0, 5.5], [2.0, 5.5], [0.0, 5.0], [0.0, 6.0]]);
        Ok(())
    }

    /// In a group of the sensitivity design, case k + 2 has parameter k of the second case, all others of the first.
    #[test]
    fn mixtures_differ_in_one_parameter() -> Result<(), StudyProblem> {
        let any = |name: &str| VariedParameter {
            name: name.into(),
            values: ParameterValues::Distribution(super::super::Distribution::Uniform {
                from: 0.0,
                to: 1.0,
            }),
            base: None,
        };
        let design =
            Design::new(DesignKind::Sensitivity, vec![any("a"), any("b"), any("c")], Some(8), 3)?;
        assert_eq!(design.cases(), 40);
        for group in numbers(&design).chunks(5) {
            for k in 0..3 {
                for j in 0..3 {
                    assert_eq!(group[k + 2][j], group[usize::from(j == k)][j]);
                }
            }
        }
        Ok(())
    }

    #[test]
    fn too_many_cases_are_refused() {
        let many = |count| {
            let values =
                ParameterValues::Range { from: 0.0, to: 1.0, count, is_logarithmic: false };
            VariedParameter { name: "a".into(), values, base: None }
        };
        for parameters in [vec![many(1_000_000_000)], vec![many(u64::MAX), many(u64::MAX)]] {
            let refused = Design::new(DesignKind::Grid, parameters, None, 0);
            let message = refused.err().map(|error| error.message).unwrap_or_default();
            assert!(message.contains("cases; a study has at most 5000000"), "{message}");
        }
    }
}
