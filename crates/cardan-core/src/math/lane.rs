//! Four numbers at a time: with AVX2 and FMA if the processor has them, found at run time.

/// Four rows of a column.
pub(crate) type Lane = [f64; 4];

/// The number of lanes for a number of rows.
#[inline(always)]
pub(crate) const fn lanes(rows: usize) -> usize {
    rows.div_ceil(4)
}

/// Copies lanes. Most fronts have up to three, for which a call of the C library takes longer than the copy.
#[inline(always)]
pub(crate) fn copy(to: &mut [Lane], from: &[Lane]) {
    match (to, from) {
        ([a], [x]) => *a = *x,
        ([a, b], [x, y]) => (*a, *b) = (*x, *y),
        ([a, b, c], [x, y, z]) => (*a, *b, *c) = (*x, *y, *z),
        (to, from) => to.copy_from_slice(from),
    }
}

/// Sets lanes to zero; few of them without a call of the C library.
#[inline(always)]
pub(crate) fn clear(lanes: &mut [Lane]) {
    const ZERO: Lane = [0.0; 4];
    match lanes {
        [] => {}
        [a] => *a = ZERO,
        [a, b] => (*a, *b) = (ZERO, ZERO),
        [a, b, c] => (*a, *b, *c) = (ZERO, ZERO, ZERO),
        [a, b, c, d] => (*a, *b, *c, *d) = (ZERO, ZERO, ZERO, ZERO),
        lanes => lanes.fill(ZERO),
    }
}

/// Arithmetic with lanes.
pub(crate) trait Arithmetic: Copy {
    /// `c − l u`.
    fn subtract_product(self, c: Lane, l: Lane, u: f64) -> Lane;
    /// `l u`, row by row.
    fn product(self, l: Lane, u: Lane) -> Lane;
    /// `l + u`, row by row.
    fn sum(self, l: Lane, u: Lane) -> Lane;
    /// `l − u`, row by row.
    fn difference(self, l: Lane, u: Lane) -> Lane;
    /// The larger of m and |x|, row by row.
    fn larger(self, m: Lane, x: Lane) -> Lane;
}

/// A computation for any arithmetic; all that it calls must be inlined into it.
pub(crate) trait Computation {
    type Output;
    fn with<A: Arithmetic>(self, arithmetic: A) -> Self::Output;
}

#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Arithmetic for Portable {
    #[inline(always)]
    fn subtract_product(self, c: Lane, l: Lane, u: f64) -> Lane {
        [c[0] - l[0] * u, c[1] - l[1] * u, c[2] - l[2] * u, c[3] - l[3] * u]
    }

    #[inline(always)]
    fn product(self, l: Lane, u: Lane) -> Lane {
        std::array::from_fn(|i| l[i] * u[i])
    }

    #[inline(always)]
    fn sum(self, l: Lane, u: Lane) -> Lane {
        std::array::from_fn(|i| l[i] + u[i])
    }

    #[inline(always)]
    fn difference(self, l: Lane, u: Lane) -> Lane {
        std::array::from_fn(|i| l[i] - u[i])
    }

    #[inline(always)]
    fn larger(self, m: Lane, x: Lane) -> Lane {
        std::array::from_fn(|i| if x[i].abs() > m[i] { x[i].abs() } else { m[i] })
    }
}

#[cfg(target_arch = "x86_64")]
impl Arithmetic for pulp::x86::V3 {
    #[inline(always)]
    fn subtract_product(self, c: Lane, l: Lane, u: f64) -> Lane {
        let u = self.splat_f64x4(u);
        pulp::cast(self.negate_mul_add_f64x4(pulp::cast(l), u, pulp::cast(c)))
    }

    #[inline(always)]
    fn product(self, l: Lane, u: Lane) -> Lane {
        pulp::cast(self.mul_f64x4(pulp::cast(l), pulp::cast(u)))
    }

    #[inline(always)]
    fn sum(self, l: Lane, u: Lane) -> Lane {
        pulp::cast(self.add_f64x4(pulp::cast(l), pulp::cast(u)))
    }

    #[inline(always)]
    fn difference(self, l: Lane, u: Lane) -> Lane {
        pulp::cast(self.sub_f64x4(pulp::cast(l), pulp::cast(u)))
    }

    #[inline(always)]
    fn larger(self, m: Lane, x: Lane) -> Lane {
        // of a pair with NaN the second one is taken
        pulp::cast(self.max_f64x4(self.abs_f64x4(pulp::cast(x)), pulp::cast(m)))
    }
}

/// Runs a computation with the best arithmetic of the processor.
#[inline]
pub(crate) fn run<C: Computation>(computation: C) -> C::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(arithmetic) = pulp::x86::V3::try_new() {
        return arithmetic.vectorize(
            #[inline(always)]
            || computation.with(arithmetic),
        );
    }
    computation.with(Portable)
}

/// Evaluates an expression in which `$width` is a constant if it is small, so that loops over lanes are unrolled.
macro_rules! with_constant_width {
    ($width:ident, $expression:expr) => {
        match $width {
            1 => with_constant_width!(@ 1, $width, $expression),
            2 => with_constant_width!(@ 2, $width, $expression),
            3 => with_constant_width!(@ 3, $width, $expression),
            4 => with_constant_width!(@ 4, $width, $expression),
            5 => with_constant_width!(@ 5, $width, $expression),
            _ => $expression,
        }
    };
    (@ $constant:literal, $width:ident, $expression:expr) => {{
        let $width = $constant;
        $expression
    }};
}
pub(crate) use with_constant_width;

/// Evaluates an expression in which `$height` and `$width` are constants for most small fronts.
macro_rules! with_constant_sizes {
    ($height:ident, $width:ident, $expression:expr) => {
        match ($height, $width) {
            (1, 1) => with_constant_sizes!(@ 1, 1, $height, $width, $expression),
            (1, 2) => with_constant_sizes!(@ 1, 2, $height, $width, $expression),
            (1, 3) => with_constant_sizes!(@ 1, 3, $height, $width, $expression),
            (2, 2) => with_constant_sizes!(@ 2, 2, $height, $width, $expression),
            (2, 3) => with_constant_sizes!(@ 2, 3, $height, $width, $expression),
            (2, 4) => with_constant_sizes!(@ 2, 4, $height, $width, $expression),
            (3, 3) => with_constant_sizes!(@ 3, 3, $height, $width, $expression),
            (3, 4) => with_constant_sizes!(@ 3, 4, $height, $width, $expression),
            (3, 5) => with_constant_sizes!(@ 3, 5, $height, $width, $expression),
            _ => $expression,
        }
    };
    (@ $rows:literal, $all:literal, $height:ident, $width:ident, $expression:expr) => {{
        let ($height, $width) = ($rows, $all);
        $expression
    }};
}
pub(crate) use with_constant_sizes;
