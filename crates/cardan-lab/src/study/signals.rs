//! Signals: named groups of numbers read from an instant.

use cardan::expression::{Expression, ExpressionError};
use cardan::model::{Channel, Model, ModelError};
use cardan::state::Instant;
use cardan::system::System;

/// Signals by name, each one or several columns of numbers.
pub struct Signals<'a> {
    names: Vec<String>,
    /// The column at which each begins, and the end of the last.
    bounds: Vec<usize>,
    read: Box<Read<'a>>,
}

/// Why a signal cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SignalError {
    /// A backquote without another one.
    #[error("signal `{signal}`: a backquote is not closed")]
    Backquote {
        /// The signal.
        signal: String,
    },
    /// A channel that does not exist.
    #[error("signal `{signal}`: {cause}")]
    Channel {
        /// The signal.
        signal: String,
        /// The cause.
        #[source]
        cause: Box<ModelError>,
    },
    /// A channel with several components.
    #[error("signal `{signal}`: `{channel}` has several components; name one of them")]
    Components {
        /// The signal.
        signal: String,
        /// The channel.
        channel: String,
    },
    /// A formula that cannot be understood.
    #[error("signal `{signal}`: {cause}")]
    Formula {
        /// The signal.
        signal: String,
        /// The cause.
        #[source]
        cause: ExpressionError,
    },
}

/// Writes the columns at an instant.
type Read<'a> = dyn Fn(&Instant, &mut [f64]) + Sync + 'a;

impl<'a> Signals<'a> {
    /// Positions, velocities, accelerations and multipliers as a whole; rotations count by their
    /// matrices, which have no sign to choose.
    pub fn motion(system: &'a dyn System) -> Self {
        let space = system.space();
        let rotations = space.rotations().len();
        // q also carries numbers that no velocity moves; they are no positions
        let plain: usize = space.nodes().iter().map(|node| node.vector).sum();
        let v = space.velocities();
        let multipliers = system.holonomic_count() + system.nonholonomic_count();
        let mut names = vec!["position", "velocity", "acceleration"];
        let mut widths = vec![plain + 9 * rotations, v, v];
        if multipliers > 0 {
            names.push("reaction");
            widths.push(multipliers);
        }
        if system.state_count() > 0 {
            names.push("state");
            widths.push(system.state_count());
        }
        let read = move |at: &Instant, out: &mut [f64]| {
            let positions =
                space.nodes().iter().flat_map(|node| &at.q[node.q..node.q + node.vector]);
            let matrices = space.rotations().iter().map(|rotation| rotation.of(&at.q).to_matrix());
            let matrices = matrices.flat_map(|matrix| matrix.as_slice().to_vec());
            let rest = [&at.v, &at.a, &at.multipliers, &at.z].into_iter().flatten();
            let all = positions.copied().chain(matrices).chain(rest.copied());
            out.iter_mut().zip(all).for_each(|(out, value)| *out = value);
        };
        let names = names.into_iter().map(String::from).collect();
        Self { names, bounds: bounds(&widths), read: Box::new(read) }
    }

    /// Channels of a model, each a signal.
    pub fn channels(model: &'a Model, names: &[String]) -> Result<Self, ModelError> {
        let channels: Vec<Channel> =
            names.iter().map(|name| model.channel(name)).collect::<Result<_, _>>()?;
        let widths: Vec<usize> =
            channels.iter().map(|channel| channel.components().len()).collect();
        let bounds = bounds(&widths);
        let starts = bounds.clone();
        let read = move |at: &Instant, out: &mut [f64]| {
            model.evaluate_all(channels.iter().zip(starts.iter().copied()), at, out);
        };
        Ok(Self { names: names.to_vec(), bounds, read: Box::new(read) })
    }

    /// Formulas of channels of a model, which are written in backquotes: "`tip.x` - 2*`tip.y`"; a text without
    /// backquotes, or one that is the name of a channel, is a channel.
    pub fn formulas(model: &'a Model, signals: &[(String, String)]) -> Result<Self, SignalError> {
        let mut channels: Vec<Channel> = Vec::new();
        let mut formulas = Vec::new();
        for (signal, text) in signals {
            let is_formula = text.contains('`') && model.channel(text).is_err();
            if is_formula && text.matches('`').count() % 2 == 1 {
                return Err(SignalError::Backquote { signal: signal.clone() });
            }
            // channels are every second part
            let parts: Vec<&str> = match is_formula {
                true => text.split('`').collect(),
                false => vec!["", text],
            };
            let mut formula = String::new();
            for (k, part) in parts.into_iter().enumerate() {
                if k % 2 == 0 {
                    formula += part;
                    continue;
                }
                let signal = || signal.clone();
                let channel = model.channel(part).map_err(|cause| SignalError::Channel {
                    signal: signal(),
                    cause: cause.into(),
                })?;
                let [_] = &channel.components()[..] else {
                    let channel = part.to_string();
                    return Err(SignalError::Components { signal: signal(), channel });
                };
                formula += &format!(" x{} ", channels.len());
                channels.push(channel);
            }
            formulas.push((signal.clone(), formula));
        }
        let variables: Vec<String> = (0..channels.len()).map(|k| format!("x{k}")).collect();
        let variables: Vec<&str> = variables.iter().map(String::as_str).collect();
        let parse = |(signal, formula): &(String, String)| {
            Expression::parse_of(formula, &variables)
                .map_err(|cause| SignalError::Formula { signal: signal.clone(), cause })
        };
        let parsed: Vec<Expression> = formulas.iter().map(parse).collect::<Result<_, _>>()?;
        let read = move |at: &Instant, out: &mut [f64]| {
            let mut values = vec![0.0; channels.len()];
            model.evaluate_all(channels.iter().zip(0..), at, &mut values);
            out.iter_mut().zip(&parsed).for_each(|(out, formula)| *out = formula.of(&values));
        };
        let names: Vec<String> = signals.iter().map(|(name, _)| name.clone()).collect();
        let bounds = (0..=names.len()).collect();
        Ok(Self { names, bounds, read: Box::new(read) })
    }

    /// Numbers by name, as a function of an instant.
    pub fn of_system(names: &[&str], read: impl Fn(&Instant, &mut [f64]) + Sync + 'a) -> Self {
        let names: Vec<String> = names.iter().map(|name| (*name).into()).collect();
        let bounds = (0..=names.len()).collect();
        Self { names, bounds, read: Box::new(read) }
    }

    /// The names of the signals.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of columns of all signals.
    pub fn columns(&self) -> usize {
        self.bounds.last().copied().unwrap_or(0)
    }

    /// The columns of a signal.
    pub(super) fn of(&self, signal: usize) -> std::ops::Range<usize> {
        self.bounds[signal]..self.bounds[signal + 1]
    }

    pub(super) fn read(&self, at: &Instant, out: &mut [f64]) {
        (self.read)(at, out);
    }
}

fn bounds(widths: &[usize]) -> Vec<usize> {
    let ends = widths.iter().scan(0, |end, width| {
        *end += width;
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}
