//! Bit selection and hash mixing.

/// The `n`-th set bit of `bits` (counted from the lowest, from 0) as a mask. There must be one.
#[inline]
pub fn nth_set_bit(bits: u64, n: u32) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    {
        // SAFETY: this branch is compiled only for processors that have bmi2.
        #[allow(unsafe_code)]
        unsafe {
            std::arch::x86_64::_pdep_u64(1 << n, bits)
        }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    {
        nth_set_bit_by_clearing(bits, n)
    }
}

/// The simple version of [`nth_set_bit`], also used on processors without bit deposit (BMI2).
#[inline]
pub fn nth_set_bit_by_clearing(mut bits: u64, n: u32) -> u64 {
    for _ in 0..n {
        bits &= bits - 1;
    }
    bits & bits.wrapping_neg()
}

/// [`nth_set_bit`] of a 128-bit board.
#[inline]
pub fn nth_set_bit_wide(bits: u128, n: u32) -> u128 {
    let low = bits as u64;
    let in_low = low.count_ones();
    if n < in_low {
        u128::from(nth_set_bit(low, n))
    } else {
        u128::from(nth_set_bit((bits >> 64) as u64, n - in_low)) << 64
    }
}

/// Calls `each` with the index of every set bit, lowest first.
#[inline]
pub fn for_each_bit(mut bits: u64, mut each: impl FnMut(u32)) {
    while bits != 0 {
        each(bits.trailing_zeros());
        bits &= bits - 1;
    }
}

/// Mixes the bits of a number. This is a bijection: equal results mean equal numbers. The finalizer
/// of SplitMix64 (Steele, Lea and Flood, 2014).
#[inline]
pub const fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A fixed pseudo-random word for each number: Zobrist keys (1970) without a table.
#[inline]
pub const fn zobrist(n: u64) -> u64 {
    mix(n.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{below, seeded, word};

    #[test]
    fn selection_agrees_with_clearing() {
        let mut rng = seeded(1);
        for _ in 0..10_000 {
            let bits = word(&mut rng) & word(&mut rng) | 1;
            let n = below(&mut rng, bits.count_ones());
            assert_eq!(nth_set_bit(bits, n), nth_set_bit_by_clearing(bits, n));
            let wide = u128::from(bits) << 64 | u128::from(word(&mut rng));
            let n = below(&mut rng, wide.count_ones());
            let bit = nth_set_bit_wide(wide, n);
            assert_eq!(bit.count_ones(), 1);
            assert_eq!((wide & (bit - 1)).count_ones(), n);
            assert_ne!(wide & bit, 0);
        }
    }
}
