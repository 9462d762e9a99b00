//! The random generator, seeded by the caller. The same seed gives the same numbers on every
//! machine and in every version.

use rand_core::{Rng as _, SeedableRng};

use crate::bits::mix;

/// The generator that every function here takes: Xoshiro256++ (Blackman and Vigna, 2019).
pub type Rng = rand_xoshiro::Xoshiro256PlusPlus;

/// Creates a generator with this seed.
pub fn seeded(seed: u64) -> Rng {
    Rng::seed_from_u64(seed)
}

/// Derives the seed of one of many purposes from a seed and numbers that identify the purpose. No
/// generator state has to be saved, so interrupted work continues with the same random numbers.
pub fn derived(seed: u64, numbers: impl IntoIterator<Item = u64>) -> u64 {
    numbers.into_iter().fold(mix(seed), |state, number| {
        mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ mix(number.wrapping_add(1)))
    })
}

/// A random number in `0..n`, by multiplication instead of division. The bias is below n / 2³²,
/// which is negligible here.
#[inline]
pub fn below(rng: &mut Rng, n: u32) -> u32 {
    let word = rng.next_u64() >> 32;
    ((word * u64::from(n)) >> 32) as u32
}

/// 64 random bits.
#[inline]
pub fn word(rng: &mut Rng) -> u64 {
    rng.next_u64()
}

/// A random number in `0.0..1.0`.
#[inline]
pub fn unit(rng: &mut Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Shuffles the elements (Fisher and Yates, 1938).
pub fn shuffle<T>(rng: &mut Rng, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(rng, last as u32 + 1) as usize);
    }
}

/// A uniformly random element; `None` if the slice is empty.
#[inline]
pub fn choose<'a, T>(rng: &mut Rng, items: &'a [T]) -> Option<&'a T> {
    match items.len() {
        0 => None,
        n => items.get(below(rng, n as u32) as usize),
    }
}
