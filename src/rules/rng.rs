//! Seeded random numbers: PCG-XSH-RR 64/32 (O'Neill 2014, "PCG: a family of simple fast space-efficient statistically
//! good algorithms for random number generation"). One `u64` of state, kept in the save; the same on every target.

/// Knuth's 64-bit LCG multiplier, as PCG uses it.
const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
/// Any odd number makes a full period; this is PCG's default stream.
const INCREMENT: u64 = 1_442_695_040_888_963_407;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rng {
    state: u64,
}

impl Rng {
    #[must_use]
    pub fn new(seed: u64) -> Rng {
        let mut rng = Rng { state: seed.wrapping_add(INCREMENT) };
        rng.next_u32();
        rng
    }

    /// A generator that goes on from a saved state.
    #[must_use]
    pub fn from_state(state: u64) -> Rng {
        Rng { state }
    }

    #[must_use]
    pub fn state(&self) -> u64 {
        self.state
    }

    pub fn next_u32(&mut self) -> u32 {
        let old = self.state;
        self.state = old.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT);
        let shifted = (((old >> 18) ^ old) >> 27) as u32;
        shifted.rotate_right((old >> 59) as u32)
    }

    /// From 0, included, to 1, excluded, in steps of 2^-32.
    pub fn unit(&mut self) -> f64 {
        f64::from(self.next_u32()) / 4_294_967_296.0
    }

    /// From 0 to `bound`, excluded; 0 for a bound of 0. Lemire's multiplication, without its rejection: over bounds a
    /// game uses the bias is below 2^-20.
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.next_u32()) * u64::from(bound)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference vector: `pcg32_srandom(42, 54)` of the PCG C library uses another stream, so this pins ours.
    #[test]
    fn a_seed_gives_the_same_numbers_for_ever() {
        let mut rng = Rng::new(42);
        let first: Vec<u32> = (0..4).map(|_| rng.next_u32()).collect();
        let mut again = Rng::new(42);
        assert_eq!(first, (0..4).map(|_| again.next_u32()).collect::<Vec<_>>());
        let mut resumed = Rng::from_state(rng.state());
        assert_eq!(resumed.next_u32(), rng.next_u32());
    }

    #[test]
    fn numbers_stay_below_their_bound_and_reach_it() {
        let mut rng = Rng::new(1);
        let mut seen = [0u32; 6];
        for _ in 0..6_000 {
            seen[rng.below(6) as usize] += 1;
        }
        assert!(seen.iter().all(|n| (800..1_200).contains(n)), "{seen:?}");
        assert_eq!(rng.below(0), 0);
    }
}
