//! Random numbers from a seed, so that a soak can be repeated (SplitMix64: Steele, Lea and Flood
//! 2014).

pub(super) struct Chance(u64);

impl Chance {
    /// The stream with this number.
    pub(super) fn new(seed: u64, stream: u64) -> Chance {
        // Adjacent states are adjacent in one sequence, so the start is mixed as well.
        let start = Chance(stream).number();
        Chance(seed ^ start)
    }

    pub(super) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.number() % end as u64) as usize
    }

    /// One of several, of which there is at least one.
    pub(super) fn one<'a, T>(&mut self, among: &'a [T]) -> &'a T {
        &among[self.below(among.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_share_nothing_and_can_be_repeated() {
        let stream = |number| {
            let mut chance = Chance::new(7, number);
            (0..50).map(|_| chance.number()).collect::<Vec<_>>()
        };
        assert_eq!(stream(1), stream(1));
        assert!(stream(1).iter().all(|number| !stream(2).contains(number)));
    }
}
