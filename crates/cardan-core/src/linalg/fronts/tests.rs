//! Fronts against the matrices they were made from.

use super::super::Pattern;
use super::super::terms::PatternValues;
use super::super::{Group, GroupKind};
use super::*;
use crate::math::lane::{Arithmetic, Computation, Portable};

/// The fronts of blocks in their order.
fn fronts_of(pattern: &Pattern, blocks: &[Vec<u32>], merged: &[u32]) -> Fronts {
    let group =
        |unknowns: &Vec<u32>| Group { kind: GroupKind::Coordinates, unknowns: unknowns.clone() };
    let groups: Vec<Group> = blocks.iter().map(group).collect();
    let graph = GroupGraph::of_pattern(pattern, &groups);
    let order: Vec<u32> = (0..blocks.len() as u32).collect();
    Fronts::new(&FrontTree::new(&graph, &order, merged))
}

/// Numbers between −1/2 and 1/2.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / (1_u64 << 24) as f64 - 0.5
    }

    fn below(&mut self, n: usize) -> usize {
        (((self.next() + 0.5) * n as f64) as usize).min(n - 1)
    }
}

struct Problem {
    pattern: Arc<Pattern>,
    blocks: Vec<Vec<u32>>,
    merged: Vec<u32>,
    values: Vec<f64>,
    exponents: Vec<i16>,
    solution: Vec<f64>,
    right: Vec<f64>,
}

impl Problem {
    /// Blocks of one to six unknowns, dense within, coupled at random.
    fn new(numbers: &mut Numbers) -> Self {
        let n = 1 + numbers.below(40);
        let (mut blocks, mut next) = (Vec::new(), 0);
        while next < n {
            let end = (next + 1 + numbers.below(6)).min(n);
            blocks.push((next as u32..end as u32).collect::<Vec<u32>>());
            next = end;
        }
        let mut places: Vec<(u32, u32)> =
            (0..3 * n).map(|_| (numbers.below(n) as u32, numbers.below(n) as u32)).collect();
        for block in &blocks {
            places.extend(block.iter().flat_map(|&i| block.iter().map(move |&j| (i, j))));
        }
        let pattern = Arc::new(Pattern::new(n, places));
        let merged = (0..blocks.len() as u32).filter(|_| numbers.next() > 0.2).collect();
        let values: Vec<f64> = (0..pattern.nonzeros()).map(|_| numbers.next()).collect();
        let exponents = (0..n).map(|_| (10.0 * numbers.next()).round() as i16).collect();
        let solution: Vec<f64> = (0..n).map(|_| numbers.next()).collect();
        let mut right = vec![0.0; n];
        pattern.multiply_add(&values, 1.0, &solution, &mut right);
        Self { pattern, blocks, merged, values, exponents, solution, right }
    }

    fn fronts(&self) -> Fronts {
        let mut fronts = fronts_of(&self.pattern, &self.blocks, &self.merged);
        fronts.choose_pivots(&self.matrix(), Some(self.exponents.clone()), 100.0);
        fronts
    }

    fn matrix(&self) -> PatternValues<'_> {
        PatternValues { pattern: &self.pattern, values: &self.values }
    }

    fn error(&self, found: &[f64]) -> f64 {
        found.iter().zip(&self.solution).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
    }
}

/// Rows exchanged within fronts, fronts merged at random: the solution is that of the matrix. With L below 100 and 40 unknowns
/// the error stays below 1e-16 · 100² · 40 times a condition number of 1e3 or so.
#[test]
fn fronts_solve_what_the_matrix_describes() {
    let mut numbers = Numbers(1);
    let mut solved = 0;
    for trial in 0..2000 {
        let problem = Problem::new(&mut numbers);
        let mut fronts = problem.fronts();
        if let FrontQuality::Growth(_) = fronts.factorize(&problem.matrix(), 100.0) {
            let mut x = problem.right.clone();
            fronts.solve(&mut x);
            assert!(problem.error(&x) < 1e-8, "{trial}: {:e}", problem.error(&x));
            solved += 1;
        }
    }
    assert!(solved > 500, "{solved}");
}

/// Processors without AVX2 compute the same up to the rounding of products.
#[test]
fn portable_arithmetic_agrees() {
    struct Both<'a>(&'a mut Fronts, &'a Problem);
    impl Computation for Both<'_> {
        type Output = Option<Vec<f64>>;
        fn with<A: Arithmetic>(self, arithmetic: A) -> Option<Vec<f64>> {
            let Self(fronts, problem) = self;
            let matrix = problem.matrix();
            let (terms, growth_limit) = (&mut [TermValues::default(); MAX_TERMS], 100.0);
            matrix.fill_values(terms);
            let sweep = Sweep { fronts, terms, growth_limit, choice: None };
            if sweep.with(arithmetic) == FrontQuality::Failed {
                return None;
            }
            let mut x = problem.right.clone();
            Substitution { fronts, b: &mut x }.with(arithmetic);
            Some(x)
        }
    }
    let mut numbers = Numbers(2);
    let mut solved = 0;
    for trial in 0..500 {
        let problem = Problem::new(&mut numbers);
        let mut fronts = problem.fronts();
        if let Some(x) = Both(&mut fronts, &problem).with(Portable) {
            assert!(problem.error(&x) < 1e-8, "{trial}: {:e}", problem.error(&x));
            solved += 1;
        }
    }
    assert!(solved > 125, "{solved}");
}

/// A block without usable pivots, like a body without mass, is named; merged with its parent it is solved.
#[test]
fn block_without_pivots_is_merged_with_its_parent() {
    const SIZE: u32 = 10;
    let mut numbers = Numbers(3);
    let places = (0..3 * SIZE).flat_map(|i| (0..3 * SIZE).map(move |j| (i, j))).collect();
    let pattern = Arc::new(Pattern::new(3 * SIZE as usize, places));
    let values = (0..3 * SIZE as usize).flat_map(|j| {
        pattern.column(j).map(move |slot| (pattern_row(slot, SIZE), j as u32)).collect::<Vec<_>>()
    });
    // the first block is coupled with the others, and zero itself
    let values: Vec<f64> =
        values.map(|(i, j)| if i < SIZE && j < SIZE { 0.0 } else { numbers.next() }).collect();
    let all: Vec<u32> = (0..3 * SIZE).collect();
    let blocks: Vec<Vec<u32>> = all.chunks(SIZE as usize).map(<[u32]>::to_vec).collect();
    let exponents = vec![0; all.len()];
    let matrix = PatternValues { pattern: &pattern, values: &values };
    let mut fronts = fronts_of(&pattern, &blocks, &[]);
    let (quality, _) = fronts.choose_pivots(&matrix, Some(exponents.clone()), 1e6);
    assert_eq!(quality, FrontQuality::Failed);
    assert_eq!(fronts.blocks_to_merge(), Some(vec![0]));
    let mut fronts = fronts_of(&pattern, &blocks, &[0]);
    let (quality, _) = fronts.choose_pivots(&matrix, Some(exponents), 1e6);
    assert!(matches!(quality, FrontQuality::Growth(_)));
    let solution: Vec<f64> = all.iter().map(|_| numbers.next()).collect();
    let mut x = vec![0.0; all.len()];
    pattern.multiply_add(&values, 1.0, &solution, &mut x);
    fronts.solve(&mut x);
    let error = x.iter().zip(&solution).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(error < 1e-10, "{error:e}");
}

/// The row of a slot of a dense pattern of three blocks.
fn pattern_row(slot: usize, size: u32) -> u32 {
    slot as u32 % (3 * size)
}
