//! The motion of the iterate in one pass over the coordinates: p is corrected, d, q, v and a follow from it, and the
//! largest values are found that the norm of a correction needs.

use super::StageMap;
use super::correction_norm::MotionSizes;
use crate::math::with_vector_instructions;
use crate::system::{RotationIndex, Space};

/// The vectors of an iterate that follow from p, and p itself.
pub(super) struct IterateVectors<'a> {
    pub p: &'a mut [f64],
    pub x: &'a mut [f64],
    pub d: &'a mut [f64],
    pub q: &'a mut [f64],
    pub v: &'a mut [f64],
    pub a: &'a mut [f64],
}

/// The correction, and what a method gave for the instant.
struct KnownMotion<'a> {
    y: &'a [f64],
    reference: &'a [f64],
    d: &'a [f64],
    v: &'a [f64],
    a: &'a [f64],
    /// c_q, c_v and c_a.
    factors: [f64; 3],
}

/// Plain coordinates that are computed at once.
const LANES: usize = 4;

/// The largest values of plain coordinates, each in lanes, and a sum that is zero if all values are finite.
struct PlainSizes {
    correction: [f64; LANES],
    position: [f64; LANES],
    speed: [f64; LANES],
    not_finite: [f64; LANES],
}

#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

impl StageMap {
    /// Adds T⁻¹ y to p if there is a correction y, and computes d, q, x = κ(p), v and a.
    pub(super) fn move_iterate(
        &self,
        space: &Space,
        correction: Option<&[f64]>,
        mut of: IterateVectors<'_>,
    ) -> MotionSizes {
        with_vector_instructions(
            #[inline(always)]
            || match correction {
                Some(y) => self.move_all::<true>(space, y, &mut of),
                None => self.move_all::<false>(space, &[], &mut of),
            },
        )
    }

    #[inline(always)]
    fn move_all<const CORRECT: bool>(
        &self,
        space: &Space,
        y: &[f64],
        of: &mut IterateVectors<'_>,
    ) -> MotionSizes {
        const ZERO: [f64; LANES] = [0.0; LANES];
        // equal lengths, so that one test of an index serves all vectors
        let (m, n) = (self.reference.len(), self.d.len());
        let known = &KnownMotion {
            y: if CORRECT { &y[..n] } else { &self.d },
            reference: &self.reference[..m],
            d: &self.d[..n],
            v: &self.v[..n],
            a: &self.a[..n],
            factors: [self.c_q, self.c_v, self.c_a],
        };
        let of = &mut IterateVectors {
            p: &mut of.p[..n],
            x: &mut of.x[..n],
            d: &mut of.d[..n],
            q: &mut of.q[..m],
            v: &mut of.v[..n],
            a: &mut of.a[..n],
        };
        let plain =
            &mut PlainSizes { correction: ZERO, position: ZERO, speed: ZERO, not_finite: ZERO };
        if space.is_plain() {
            move_range::<CORRECT>(known, 0, 0, n, of, plain);
        } else {
            for node in space.nodes() {
                match node.vector {
                    3 => move_plain::<3, CORRECT>(known, node.q, node.v, of, plain),
                    count => move_range::<CORRECT>(known, node.q, node.v, count, of, plain),
                }
            }
        }
        let largest = |lanes: [f64; LANES]| lanes.into_iter().fold(0.0, larger);
        let mut sizes = MotionSizes {
            plain: largest(plain.correction),
            size: largest(plain.position),
            speed: largest(plain.speed),
            ..MotionSizes::default()
        };
        let mut not_finite: f64 = plain.not_finite.iter().sum();
        for rotation in space.rotations() {
            not_finite += self.turn::<CORRECT>(*rotation, y, of, &mut sizes);
        }
        space.copy_discrete(&self.reference, of.q);
        sizes.is_finite = not_finite == 0.0;
        sizes
    }

    /// Moves a rotation; returns zero if all values are finite.
    #[inline(always)]
    fn turn<const CORRECT: bool>(
        &self,
        rotation: RotationIndex,
        y: &[f64],
        of: &mut IterateVectors<'_>,
        sizes: &mut MotionSizes,
    ) -> f64 {
        let mut p = rotation.tangent(of.p);
        if CORRECT {
            let y = rotation.tangent(y);
            p += self.chart.tangent_inverse(&rotation.tangent(of.d)) * y;
            rotation.set_tangent(of.p, &p);
            sizes.turned = y.iter().fold(sizes.turned, |most, x| larger(most, x.abs()));
        }
        let d = rotation.tangent(&self.d) + self.c_q * p;
        let q = rotation.of(&self.reference) * self.chart.retract(&d);
        let known = rotation.tangent(&self.v);
        let kappa = self.rotation_kappa(&known, &p, &d);
        let v = known + self.c_v * kappa;
        let a = rotation.tangent(&self.a) + self.c_a * kappa;
        rotation.set_tangent(of.d, &d);
        rotation.set(of.q, q);
        rotation.set_tangent(of.x, &kappa);
        rotation.set_tangent(of.v, &v);
        rotation.set_tangent(of.a, &a);
        if !CORRECT {
            return 0.0;
        }
        sizes.turn = v.iter().fold(sizes.turn, |most, x| larger(most, x.abs()));
        sizes.angle_square = larger(sizes.angle_square, d.norm_squared());
        let sum = d + v + a;
        0.0 * (sum.x + sum.y + sum.z + q.scalar + (q.vector.x + q.vector.y + q.vector.z))
    }
}

/// Moves plain coordinates from an index in q and one in v on.
#[inline(always)]
fn move_range<const CORRECT: bool>(
    known: &KnownMotion<'_>,
    q: usize,
    v: usize,
    count: usize,
    of: &mut IterateVectors<'_>,
    sizes: &mut PlainSizes,
) {
    let whole = count - count % LANES;
    let mut k = 0;
    while k < whole {
        move_plain::<LANES, CORRECT>(known, q + k, v + k, of, sizes);
        k += LANES;
    }
    while k < count {
        move_plain::<1, CORRECT>(known, q + k, v + k, of, sizes);
        k += 1;
    }
}

/// Moves N plain coordinates from an index in q and one in v on.
#[inline(always)]
fn move_plain<const N: usize, const CORRECT: bool>(
    known: &KnownMotion<'_>,
    q: usize,
    v: usize,
    of: &mut IterateVectors<'_>,
    sizes: &mut PlainSizes,
) {
    let [c_q, c_v, c_a] = known.factors;
    let reference: [f64; N] = read(known.reference, q);
    let (known_d, known_v): ([f64; N], [f64; N]) = (read(known.d, v), read(known.v, v));
    let known_a: [f64; N] = read(known.a, v);
    let mut p: [f64; N] = read(of.p, v);
    let y: [f64; N] = if CORRECT { read(known.y, v) } else { [0.0; N] };
    // copies, so that the compiler need not expect that vectors overlap
    let [mut new_d, mut new_q, mut new_v, mut new_a] = [[0.0; N]; 4];
    for k in 0..N {
        if CORRECT {
            p[k] += y[k];
        }
        new_d[k] = known_d[k] + c_q * p[k];
        new_q[k] = reference[k] + new_d[k];
        new_v[k] = known_v[k] + c_v * p[k];
        new_a[k] = known_a[k] + c_a * p[k];
    }
    if CORRECT {
        for k in 0..N {
            let position = larger(reference[k].abs(), new_d[k].abs());
            sizes.correction[k] = larger(sizes.correction[k], y[k].abs());
            sizes.position[k] = larger(sizes.position[k], position);
            sizes.speed[k] = larger(sizes.speed[k], new_v[k].abs());
            sizes.not_finite[k] += 0.0 * ((new_d[k] + new_q[k]) + (new_v[k] + new_a[k]));
        }
        write(of.p, v, &p);
    }
    write(of.x, v, &p);
    write(of.d, v, &new_d);
    write(of.q, q, &new_q);
    write(of.v, v, &new_v);
    write(of.a, v, &new_a);
}

/// N values of a vector from an index on; NaN if it is too short.
#[inline(always)]
fn read<const N: usize>(from: &[f64], at: usize) -> [f64; N] {
    from.get(at..).and_then(|from| from.first_chunk()).copied().unwrap_or([f64::NAN; N])
}

/// Sets N values of a vector from an index on, if it is long enough.
#[inline(always)]
fn write<const N: usize>(to: &mut [f64], at: usize, values: &[f64; N]) {
    if let Some(to) = to.get_mut(at..).and_then(|to| to.first_chunk_mut()) {
        *to = *values;
    }
}

#[cfg(test)]
mod tests {
    use super::super::VelocityLink;
    use super::*;
    use crate::math::{Chart, largest};

    /// Numbers between −1 and 1 that look random.
    fn numbers(count: usize, seed: f64) -> Vec<f64> {
        (0..count).map(|i| (seed + 12.9898 * i as f64).sin()).collect()
    }

    /// The pass gives what the functions for single vectors give, and the sizes that they lead to.
    #[test]
    fn one_pass_is_the_sum_of_its_parts() {
        let vectors = Space::vector(7).then(Space::discrete(1));
        let mixed = Space::vector(2).then(Space::body()).then(Space::vector(5)).then(Space::body());
        for space in [vectors, mixed] {
            assert_eq!(space.is_plain(), space.rotations().is_empty());
            for (chart, link) in [
                (Chart::Exponential, VelocityLink::Additive),
                (Chart::Exponential, VelocityLink::Chart),
                (Chart::Cayley, VelocityLink::Chart),
                (Chart::Cayley, VelocityLink::Correction),
            ] {
                let (m, n) = (space.configurations(), space.velocities());
                let mut map = StageMap::new(&space, 0);
                (map.chart, map.link) = (chart, link);
                (map.c_q, map.c_v, map.c_a) = (0.09, 0.3, 1.1);
                (map.d, map.v, map.a) = (numbers(n, 1.0), numbers(n, 2.0), numbers(n, 3.0));
                map.reference = numbers(m, 4.0);
                assert!(space.normalize(&mut map.reference));
                let (mut p, y) = (numbers(n, 5.0), numbers(n, 6.0));
                let (mut d, mut expected) = (numbers(n, 7.0), p.clone());
                map.correct(&space, &d, &y, &mut expected);
                let [mut x, mut v, mut a] = [(); 3].map(|()| vec![0.0; n]);
                let mut q = space.neutral();
                let of = IterateVectors {
                    p: &mut p,
                    x: &mut x,
                    d: &mut d,
                    q: &mut q,
                    v: &mut v,
                    a: &mut a,
                };
                let sizes = map.move_iterate(&space, Some(&y), of);

                let difference = |one: &[f64], two: &[f64]| {
                    let differences: Vec<f64> = one.iter().zip(two).map(|(x, y)| x - y).collect();
                    largest(&differences)
                };
                assert!(difference(&p, &expected) < 1e-15, "{p:?} {expected:?}");
                map.increment(&p, &mut expected);
                assert!(difference(&d, &expected) < 1e-15);
                let mut expected_q = space.neutral();
                space.retract(chart, &map.reference, &d, &mut expected_q);
                assert!(difference(&q, &expected_q) < 1e-15);
                map.kappa(&space, &p, &d, &mut expected);
                assert!(difference(&x, &expected) < 1e-15);
                let (mut expected_v, mut expected_a) = (v.clone(), a.clone());
                map.motion(&x, &mut expected_v, &mut expected_a);
                assert!(difference(&v, &expected_v).max(difference(&a, &expected_a)) < 1e-15);

                let turns = || space.rotations().iter();
                let turn = turns().map(|rotation| rotation.tangent(&v).amax()).fold(0.0, f64::max);
                let angle = turns().map(|rotation| rotation.tangent(&d).norm()).fold(0.0, f64::max);
                assert!(sizes.is_finite && sizes.turn == turn);
                assert!((sizes.angle_square.sqrt() - angle).abs() < 1e-15);
                assert_eq!(sizes.plain.max(sizes.turned), largest(&y));
                assert_eq!(sizes.speed.max(sizes.turn), largest(&v));

                p[n - 1] = f64::INFINITY;
                let of = IterateVectors {
                    p: &mut p,
                    x: &mut x,
                    d: &mut d,
                    q: &mut q,
                    v: &mut v,
                    a: &mut a,
                };
                assert!(!map.move_iterate(&space, Some(&y), of).is_finite);
            }
        }
    }
}
