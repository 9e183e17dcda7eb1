//! An element from outside in a compiled model: its sites, its states, and its matrices in those of the model.

use std::ops::Range;
use std::sync::Arc;

use super::differences::Variation;
use super::site::Place;
use super::tangent::{Own, OwnRates};
use super::{At, Element, ElementState, Flow, Loads, Output, RateTangent, Tangent};
use crate::linalg::Entries;
use crate::model::node::Node;
use crate::system::{Derivative, Failure, Limit, StateTangent};

/// An element from outside.
#[derive(Clone)]
pub(in crate::model) struct Custom {
    name: String,
    element: Arc<dyn Element>,
    sites: Vec<Place>,
    /// Its number among the elements from outside.
    index: usize,
    /// Its states among those of the model.
    pub states: Range<usize>,
    /// Their values at the start.
    initial: Vec<f64>,
    /// The nodes it depends on, and where their velocities begin among its own coordinates.
    pub(super) nodes: Vec<(usize, usize)>,
    /// Its own coordinates among the velocities of the model.
    pub(super) columns: Vec<usize>,
}

impl Custom {
    pub fn new(
        name: &str,
        element: Arc<dyn Element>,
        sites: Vec<Place>,
        index: usize,
        first_state: usize,
    ) -> Self {
        let initial: Vec<f64> = element.states().iter().map(|x| x.initial).collect();
        let states = first_state..first_state + initial.len();
        let (nodes, columns) = (Vec::new(), Vec::new());
        Self { name: name.into(), element, sites, index, states, initial, nodes, columns }
    }

    /// Takes up which velocities of the model are its own, once all nodes are known.
    pub fn connect(&mut self, nodes: &[Node]) {
        let mut all: Vec<usize> = self.sites.iter().flat_map(Place::nodes).collect();
        all.sort_unstable();
        all.dedup();
        (self.nodes, self.columns) = (Vec::new(), Vec::new());
        for node in all {
            self.nodes.push((node, self.columns.len()));
            self.columns.extend(nodes[node].v..nodes[node].v + nodes[node].velocities());
        }
    }

    /// Room for its matrices.
    pub(super) fn room(&self) -> (Own, OwnRates) {
        let (n, m, nodes) = (self.columns.len(), self.states.len(), self.nodes.clone());
        let zeros = nalgebra::DMatrix::zeros;
        let own = Own {
            nodes: nodes.clone(),
            stiffness: zeros(n, n),
            damping: zeros(n, n),
            states: zeros(n, m),
        };
        let rates = OwnRates {
            nodes,
            configuration: zeros(m, n),
            velocity: zeros(m, n),
            state: zeros(m, m),
        };
        (own, rates)
    }

    /// What the element itself sees.
    pub(super) fn see<'b>(&'b self, at: &At<'b>) -> At<'b> {
        // whoever asks without states means those of the start
        let z = at.z.get(self.states.clone()).unwrap_or(&self.initial);
        At { z, sites: &self.sites, ..*at }
    }

    fn blame(&self, failure: Failure) -> Failure {
        failure.in_part(|| format!("force `{}`", self.name))
    }

    /// Its force for what it sees.
    pub(super) fn force_seen(&self, at: &At<'_>, out: &mut [f64]) -> Result<(), Failure> {
        let mut loads = Loads::new(at, out);
        self.element.force(at, &mut loads)?;
        loads.check()
    }

    /// Its rates for what it sees.
    pub(super) fn rates_seen(&self, at: &At<'_>, out: &mut [f64]) -> Result<(), Failure> {
        self.element.rates(at, out)
    }

    /// What its states are called, and where they begin.
    pub fn state_list(&self) -> Vec<ElementState> {
        self.element.states()
    }

    /// The residual ż − g of its states.
    pub fn residual(&self, at: &At<'_>, rates: &[f64], out: &mut [f64]) -> Result<(), Failure> {
        if self.states.is_empty() {
            return Ok(());
        }
        let out = &mut out[self.states.clone()];
        self.element.rates(&self.see(at), out).map_err(|x| self.blame(x))?;
        for (out, rate) in out.iter_mut().zip(&rates[self.states.clone()]) {
            *out = rate - *out;
        }
        Ok(())
    }

    /// The tangents of that residual.
    pub fn residual_tangent(
        &self,
        at: &At<'_>,
        tangent: &mut StateTangent<'_>,
    ) -> Result<(), Failure> {
        let Some(room) = at.room.filter(|_| !self.states.is_empty()) else { return Ok(()) };
        let mut room = room.borrow_mut();
        let (variation, own) = room.rates_of(self.index);
        own.clear();
        let seen = self.see(at);
        let source = self.element.rate_tangent(&seen, &mut RateTangent::new(&seen, own));
        if source.map_err(|x| self.blame(x))? == Derivative::Differenced {
            own.clear();
            variation.rates(self, &seen, own).map_err(|x| self.blame(x))?;
        }
        for (k, row) in self.states.clone().enumerate() {
            for (l, &column) in self.columns.iter().enumerate() {
                tangent.configuration.add(row, column, -own.configuration[(k, l)]);
                tangent.velocity.add(row, column, -own.velocity[(k, l)]);
            }
            for (l, column) in self.states.clone().enumerate() {
                tangent.state.add(row, column, -own.state[(k, l)]);
            }
            tangent.rate.add(row, row, 1.0);
        }
        Ok(())
    }

    fn write(&self, from: &nalgebra::DMatrix<f64>, out: &mut Entries) {
        for (j, &column) in self.columns.iter().enumerate() {
            for (i, &row) in self.columns.iter().enumerate() {
                out.add(row, column, from[(i, j)]);
            }
        }
    }
}

impl Element for Custom {
    fn force(&self, at: &At<'_>, loads: &mut Loads<'_>) -> Result<(), Failure> {
        self.force_seen(&self.see(at), loads.out).map_err(|x| self.blame(x))
    }

    fn tangent(&self, at: &At<'_>, tangent: &mut Tangent<'_>) -> Result<Derivative, Failure> {
        let (Some(room), Some(out)) = (at.room, tangent.whole()) else {
            return Ok(Derivative::Analytic);
        };
        let mut room = room.borrow_mut();
        let (variation, own): (&mut Variation, &mut Own) = room.own_of(self.index);
        own.clear();
        let seen = self.see(at);
        let source = self.element.tangent(&seen, &mut Tangent::own(&seen, own));
        if source.map_err(|x| self.blame(x))? == Derivative::Differenced {
            own.clear();
            variation.force(self, &seen, own).map_err(|x| self.blame(x))?;
        }
        self.write(&own.stiffness, out.stiffness);
        self.write(&own.damping, out.damping);
        for (k, column) in self.states.clone().enumerate() {
            for (i, &row) in self.columns.iter().enumerate() {
                out.states.add(row, column, own.states[(i, k)]);
            }
        }
        Ok(Derivative::Analytic)
    }

    fn potential(&self, at: &At<'_>) -> Option<f64> {
        self.element.potential(&self.see(at))
    }

    fn flow(&self, at: &At<'_>) -> Option<Flow> {
        let seen = self.see(at);
        if let Some(flow) = self.element.flow(&seen) {
            return Some(flow);
        }
        if self.element.potential(&seen).is_some() {
            return Some(Flow::default());
        }
        // all that its loads do is work
        let mut loads = vec![0.0; at.v.len()];
        if self.force_seen(&seen, &mut loads).is_err() {
            return Some(Flow { work: f64::NAN, lost: 0.0 });
        }
        let work = self.columns.iter().map(|&i| loads[i] * at.v[i]).sum();
        Some(Flow { work, lost: 0.0 })
    }

    fn outputs(&self) -> Vec<Output> {
        self.element.outputs()
    }

    fn output(&self, k: usize, at: &At<'_>, values: &mut [f64]) {
        self.element.output(k, &self.see(at), values);
    }

    fn limits(&self) -> Vec<Limit> {
        self.element.limits()
    }

    fn limit_values(&self, at: &At<'_>, values: &mut [f64]) {
        self.element.limit_values(&self.see(at), values);
    }

    fn inputs(&self) -> &'static [&'static str] {
        self.element.inputs()
    }

    fn unit_input(&self, k: usize, at: &At<'_>, loads: &mut Loads<'_>) {
        let seen = self.see(at);
        self.element.unit_input(k, &seen, &mut loads.of(&self.sites));
    }

    fn reason_not_finite(&self, at: &At<'_>) -> Option<Failure> {
        self.element.reason_not_finite(&self.see(at)).map(|x| self.blame(x))
    }
}

impl std::fmt::Debug for Custom {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Custom({})", self.name)
    }
}
