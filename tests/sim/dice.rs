//! All chance of a run: one generator (SplitMix64) from the seed.

pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x9e37_79b9_7f4a_7c15)
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From `least` to `most`, both included.
    pub fn within(&mut self, least: u64, most: u64) -> u64 {
        least + self.word() % (most - least + 1)
    }

    pub fn index(&mut self, len: usize) -> usize {
        (self.word() % len.max(1) as u64) as usize
    }

    /// True with this probability.
    pub fn chance(&mut self, p: f64) -> bool {
        // No draw for what never happens: a fault that is off changes nothing else of a run.
        p > 0.0 && ((self.word() >> 11) as f64 / (1u64 << 53) as f64) < p
    }

    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.word() as u8)
    }
}
