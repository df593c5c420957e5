//! Float operations whose every bit IEEE 754 lays down, so the same on every target, each one instruction in wasm.
//!
//! `libm` has them too and gives the same bits, but computes them from integers there: a root took a hundred instructions.
//! What no standard lays down (sine, arc tangent) is `libm`'s. The standard `max` and `min` are calls in wasm, and either
//! zero may come out of them.

/// The square root.
#[must_use]
#[inline]
pub fn root(x: f64) -> f64 {
    x.sqrt()
}

/// The nearest whole number; of two as near the one farther from 0.
#[must_use]
#[inline]
pub fn round(x: f64) -> f64 {
    // As `libm` does: less than a half, so that what lies just below a half is not carried up by the sum's own rounding.
    (x + (0.5 - 0.25 * f64::EPSILON).copysign(x)).trunc()
}

/// The greatest whole number that is not above it.
#[must_use]
#[inline]
pub fn floor(x: f64) -> f64 {
    x.floor()
}

/// The least whole number that is not below it.
#[must_use]
#[inline]
pub fn ceil(x: f64) -> f64 {
    x.ceil()
}

/// The whole number on the way to 0.
#[must_use]
#[inline]
pub fn trunc(x: f64) -> f64 {
    x.trunc()
}

/// The greater; `least` when `x` is no number.
#[must_use]
#[inline]
pub fn at_least(x: f64, least: f64) -> f64 {
    if x > least { x } else { least }
}

/// The lesser; `most` when `x` is no number.
#[must_use]
#[inline]
pub fn at_most(x: f64, most: f64) -> f64 {
    if x < most { x } else { most }
}

/// The nearest between two bounds; what is no number stays none. The standard one checks the bounds, and may panic.
#[must_use]
#[inline]
pub fn clamp(x: f64, least: f64, most: f64) -> f64 {
    if x < least {
        least
    } else if x > most {
        most
    } else {
        x
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn same(x: f64) {
        let pairs = [
            (root(x), libm::sqrt(x)),
            (round(x), libm::round(x)),
            (floor(x), libm::floor(x)),
            (ceil(x), libm::ceil(x)),
            (trunc(x), libm::trunc(x)),
        ];
        for (i, (is, was)) in pairs.into_iter().enumerate() {
            assert!(
                is.to_bits() == was.to_bits() || is.is_nan() && was.is_nan(),
                "{i}: {x:e} {is:e} {was:e}"
            );
        }
    }

    #[test]
    fn the_ends_of_the_range_are_as_libm_has_them() {
        let half_down = 0.5 - 0.25 * f64::EPSILON;
        let odd = 4_503_599_627_370_497.0;
        for x in [
            0.0,
            0.5,
            half_down,
            1.5,
            2.5,
            odd,
            odd * 2.0,
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            f64::INFINITY,
        ] {
            same(x);
            same(-x);
        }
        same(f64::NAN);
    }

    proptest! {
        #[test]
        fn bits_are_as_libm_has_them(bits in any::<u64>(), steps in -1e7..1e7f64) {
            same(f64::from_bits(bits));
            same(steps);
            same(libm::round(steps) + 0.5);
        }
    }

    #[test]
    fn a_bound_holds_also_for_what_is_no_number() {
        assert_eq!([at_least(-1.0, 0.0), at_least(2.0, 0.0), at_least(f64::NAN, 0.0)], [0.0, 2.0, 0.0]);
        assert_eq!([at_most(-1.0, 0.0), at_most(2.0, 0.0), at_most(f64::NAN, 0.0)], [-1.0, 0.0, 0.0]);
        assert_eq!([-3.0, 0.5, 3.0].map(|x| clamp(x, -1.0, 1.0)), [-1.0, 0.5, 1.0]);
        assert!(clamp(f64::NAN, -1.0, 1.0).is_nan());
    }
}
