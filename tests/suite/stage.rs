//! The stage by itself: the chart link, in which methods act on chart coordinates, in both charts.

use cardan::math::Chart;
use cardan::stage::{NewtonOptions, Stage, VelocityLink};
use cardan::system::{Evaluator, Space, StateView, System};
use cardan::{Formulation, Instant, Settings, Simulation};
use cardan_lab::exam::{problems, reference};

/// q₂ ⊖ q₁ in a chart.
fn difference(space: &Space, chart: Chart, q1: &[f64], q2: &[f64]) -> Vec<f64> {
    // plain coordinates as in any chart, rotations as this one has them
    let mut d = space.minus(q1, q2).unwrap();
    for rotation in space.rotations() {
        let turn = chart.inverse(rotation.of(q1).conjugate() * rotation.of(q2));
        rotation.set_tangent(&mut d, &turn);
    }
    d
}

/// BDF2 on the chart coordinates, centred at the last instant (LMS2 at ρ∞ = 0), started by the
/// trapezoidal rule in the same chart. Returns the largest errors of q, v, a and λ at the times of
/// the reference, and the solves per step.
fn march(
    system: &dyn System,
    start: &Instant,
    exact: &[Instant],
    chart: Chart,
    steps: usize,
) -> ([f64; 4], f64) {
    let h = 1.0 / steps as f64;
    let mut at = StateView::new(start.t, &start.q, &start.v);
    at.multipliers = &start.multipliers;
    let mut evaluator = Evaluator::new(system, &at).unwrap();
    let space = system.space();
    let mut stage = Stage::new(system, &evaluator, Formulation::Position);
    (stage.map.chart, stage.map.link, stage.map.c_a) = (chart, VelocityLink::Chart, 1.0);
    let (mut before, mut now) = (start.clone(), start.clone());
    let mut solves = 0;
    let mut errors = [0.0_f64; 4];
    for step in 0..steps {
        let first = step == 0;
        let c = if first { 0.5 * h } else { 2.0 / 3.0 * h };
        let map = &mut stage.map;
        (map.t, map.c_q, map.c_v) = (now.t + h, c * c, c);
        map.reference.copy_from_slice(&now.q);
        let back = difference(&space, chart, &now.q, &before.q);
        for i in 0..now.v.len() {
            // v* and d* of the formula; the unknown then adds c² p to d and c p to the rate of d
            let known = if first { 0.5 * h * now.v[i] } else { -back[i] / 3.0 };
            map.v[i] = match first {
                true => now.v[i] + 0.5 * h * now.a[i],
                false => (4.0 * now.v[i] - before.v[i]) / 3.0,
            };
            map.d[i] = known + c * map.v[i];
        }
        stage.predict(&now.a, &now.multipliers, &[]);
        solves += stage.solve(system, &mut evaluator, &NewtonOptions::default()).unwrap();
        before = now.clone();
        now.t = stage.map.t;
        now.q.copy_from_slice(&stage.q);
        now.v.copy_from_slice(&stage.v);
        now.a.copy_from_slice(&stage.a);
        now.multipliers.copy_from_slice(&stage.unknowns().multipliers);
        if let Some(exact) = exact.iter().find(|exact| (exact.t - now.t).abs() < 0.5 * h) {
            let gap = |a: &[f64], b: &[f64]| {
                a.iter().zip(b).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()))
            };
            let d = difference(&space, chart, &exact.q, &now.q);
            let found = [
                gap(&d, &vec![0.0; d.len()]),
                gap(&now.v, &exact.v),
                gap(&now.a, &exact.a),
                gap(&now.multipliers, &exact.multipliers),
            ];
            errors.iter_mut().zip(found).for_each(|(e, f)| *e = e.max(f));
        }
    }
    (errors, solves as f64 / steps as f64)
}

/// Second order in q, v, a and λ on the slow top and the spatial pendulum, in four solves a step at
/// h = 1/40, where the top turns 0.37 rad, from no better prediction than the last acceleration:
/// without the blocks (T + c L)T⁻¹ it takes twelve (measured by leaving them out).
#[test]
fn the_chart_link_converges_in_both_charts() {
    for problem in [problems::HeavyTop::problem(), problems::spatial_pendulum()] {
        let system: &dyn System = problem.system.as_ref();
        let settings = Settings::new("bdf2", 1e-3);
        let start = Simulation::new(system, &settings, &problem.initial).unwrap().now().clone();
        let times: Vec<f64> = (1..=10).map(|k| f64::from(k) / 10.0).collect();
        let exact = reference::solve(system, &start, &times).unwrap();
        for chart in [Chart::Cayley, Chart::Exponential] {
            let (coarse, _) = march(system, &start, &exact, chart, 640);
            let (fine, _) = march(system, &start, &exact, chart, 1280);
            for k in 0..4 {
                let order = (coarse[k] / fine[k]).log2();
                assert!((order - 2.0).abs() < 0.1, "{} {chart:?} {k}: {order}", problem.name);
            }
            let (_, solves) = march(system, &start, &exact, chart, 40);
            assert!(solves <= 4.0, "{} {chart:?}: {solves} solves", problem.name);
        }
    }
}
