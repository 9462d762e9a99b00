//! Sets of cells as bits: `u128` for boards up to 128 bits, such as that of the published game, and
//! [`WideMask`] for larger boards. The rules are generic over both.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr};

use crate::bits::nth_set_bit_wide;

/// A set of cells, one bit each.
pub trait Mask:
    Copy
    + Eq
    + Ord
    + Hash
    + Debug
    + Default
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// The number of bits.
    const BITS: u32;

    /// The set with only this bit.
    fn bit(index: u32) -> Self;

    /// The number of cells in the set.
    fn count(self) -> u32;

    /// The lowest bit of a nonempty set.
    fn lowest(self) -> u32;

    /// The `n`-th set bit, counted from 0 from the lowest; it must exist.
    fn nth(self, n: u32) -> u32;

    /// The difference of the two sets as numbers.
    fn minus(self, other: Self) -> Self;

    /// The set itself if `yes`, otherwise the empty set; without a branch if possible.
    fn only_if(self, yes: bool) -> Self;

    /// The lowest 64 bits.
    fn low_word(self) -> u64;

    /// The set with these lowest 64 bits.
    fn from_low_word(word: u64) -> Self;

    /// Converts a value for boards of 128 bits to one for boards of this mask: the value itself if
    /// the mask is `u128`, otherwise `None`.
    fn from_narrow<T: MaskFamily>(value: T::Of<u128>) -> Option<T::Of<Self>>;

    /// Whether the set is empty.
    #[inline]
    fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// Whether the set contains this bit.
    #[inline]
    fn has(self, index: u32) -> bool {
        !(self & Self::bit(index)).is_empty()
    }

    /// Whether the set contains this bit; accepts any index.
    #[inline]
    fn has_within(self, index: u32) -> bool {
        index < Self::BITS && self.has(index)
    }

    /// Whether the two sets have a cell in common.
    #[inline]
    fn meets(self, other: Self) -> bool {
        !(self & other).is_empty()
    }

    /// Calls `each` with every bit, lowest first.
    #[inline]
    fn for_each(mut self, mut each: impl FnMut(u32)) {
        while !self.is_empty() {
            let index = self.lowest();
            each(index);
            self ^= Self::bit(index);
        }
    }
}

/// A family of types with one type per mask, such as the agents for boards of that mask.
pub trait MaskFamily {
    /// The type for boards of this mask.
    type Of<M: Mask>;
}

impl Mask for u128 {
    const BITS: u32 = 128;

    fn from_narrow<T: MaskFamily>(value: T::Of<u128>) -> Option<T::Of<u128>> {
        Some(value)
    }

    #[inline]
    fn bit(index: u32) -> Self {
        1 << index
    }

    #[inline]
    fn count(self) -> u32 {
        self.count_ones()
    }

    #[inline]
    fn lowest(self) -> u32 {
        self.trailing_zeros()
    }

    #[inline]
    fn nth(self, n: u32) -> u32 {
        nth_set_bit_wide(self, n).trailing_zeros()
    }

    #[inline]
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    #[inline]
    fn only_if(self, yes: bool) -> Self {
        self & u128::from(yes).wrapping_neg()
    }

    #[inline]
    fn low_word(self) -> u64 {
        self as u64
    }

    #[inline]
    fn from_low_word(word: u64) -> Self {
        u128::from(word)
    }

    #[inline]
    fn for_each(self, mut each: impl FnMut(u32)) {
        crate::bits::for_each_bit(self as u64, &mut each);
        crate::bits::for_each_bit((self >> 64) as u64, |index| each(index + 64));
    }
}

const WORDS: usize = 16;

/// 1,024 bits, lowest word first: boards up to about 31 × 32.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct WideMask([u64; WORDS]);

impl WideMask {
    fn zip(self, other: Self, op: impl Fn(u64, u64) -> u64) -> Self {
        WideMask(std::array::from_fn(|n| op(self.0[n], other.0[n])))
    }

    fn word(&self, n: Option<usize>) -> u64 {
        n.and_then(|n| self.0.get(n).copied()).unwrap_or(0)
    }
}

impl PartialOrd for WideMask {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The order of the sets as numbers.
impl Ord for WideMask {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }
}

impl BitAnd for WideMask {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
}

impl BitOr for WideMask {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
}

impl BitXor for WideMask {
    type Output = Self;
    fn bitxor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }
}

impl BitAndAssign for WideMask {
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

impl BitOrAssign for WideMask {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl BitXorAssign for WideMask {
    fn bitxor_assign(&mut self, other: Self) {
        *self = *self ^ other;
    }
}

impl Not for WideMask {
    type Output = Self;
    fn not(self) -> Self {
        WideMask(self.0.map(|word| !word))
    }
}

impl Shl<u32> for WideMask {
    type Output = Self;
    fn shl(self, by: u32) -> Self {
        let (words, bits) = ((by / 64) as usize, by % 64);
        WideMask(std::array::from_fn(|n| {
            let high = self.word(n.checked_sub(words)) << bits;
            let low = self.word(n.checked_sub(words + 1)).checked_shr(64 - bits).unwrap_or(0);
            high | low
        }))
    }
}

impl Shr<u32> for WideMask {
    type Output = Self;
    fn shr(self, by: u32) -> Self {
        let (words, bits) = ((by / 64) as usize, by % 64);
        WideMask(std::array::from_fn(|n| {
            let low = self.word(Some(n + words)) >> bits;
            let high = self.word(Some(n + words + 1)).checked_shl(64 - bits).unwrap_or(0);
            low | high
        }))
    }
}

impl Mask for WideMask {
    const BITS: u32 = 64 * WORDS as u32;

    fn from_narrow<T: MaskFamily>(_: T::Of<u128>) -> Option<T::Of<WideMask>> {
        None
    }

    fn bit(index: u32) -> Self {
        let mut words = [0; WORDS];
        words[(index / 64) as usize] = 1 << (index % 64);
        WideMask(words)
    }

    fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    fn lowest(self) -> u32 {
        let word = self.0.iter().position(|word| *word != 0).unwrap_or(WORDS - 1);
        64 * word as u32 + self.0[word].trailing_zeros()
    }

    fn nth(mut self, n: u32) -> u32 {
        for _ in 0..n {
            self ^= Self::bit(self.lowest());
        }
        self.lowest()
    }

    fn only_if(self, yes: bool) -> Self {
        if yes { self } else { Self::default() }
    }

    fn low_word(self) -> u64 {
        self.0[0]
    }

    fn from_low_word(word: u64) -> Self {
        let mut words = [0; WORDS];
        words[0] = word;
        WideMask(words)
    }

    fn minus(self, other: Self) -> Self {
        let mut borrow = false;
        WideMask(std::array::from_fn(|n| {
            let (difference, under) = self.0[n].overflowing_sub(other.0[n]);
            let (difference, under_again) = difference.overflowing_sub(u64::from(borrow));
            borrow = under | under_again;
            difference
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Rng, below, seeded, word};

    fn pair(rng: &mut Rng) -> (u128, WideMask) {
        let (low, high) = (word(rng) & word(rng), word(rng) & word(rng));
        let mut words = [0; WORDS];
        (words[0], words[1]) = (low, high);
        (u128::from(high) << 64 | u128::from(low), WideMask(words))
    }

    fn same(narrow: u128, wide: WideMask) {
        let low_half = u128::from(wide.0[1]) << 64 | u128::from(wide.0[0]);
        assert_eq!(narrow, low_half);
    }

    struct SetOf;

    impl MaskFamily for SetOf {
        type Of<M: Mask> = M;
    }

    #[test]
    fn values_for_128_bits_convert_to_no_other_mask() {
        assert_eq!(u128::from_narrow::<SetOf>(5), Some(5));
        assert_eq!(WideMask::from_narrow::<SetOf>(5), None);
    }

    #[test]
    fn both_masks_agree() {
        let mut rng = seeded(1);
        for _ in 0..2000 {
            let ((a, wide_a), (b, wide_b)) = (pair(&mut rng), pair(&mut rng));
            same(a & b, wide_a & wide_b);
            same(a | b, wide_a | wide_b);
            same(a ^ b, wide_a ^ wide_b);
            same(!a, !wide_a);
            same(a.minus(b), wide_a.minus(wide_b));
            let by = below(&mut rng, 127);
            same(a << by, wide_a << by);
            same(a >> by, wide_a >> by);
            assert_eq!((wide_a << (700 + by)) >> (700 + by), wide_a);
            assert_eq!(a.count(), wide_a.count());
            assert_eq!(a.cmp(&b), wide_a.cmp(&wide_b));
            if a != 0 {
                assert_eq!(a.lowest(), wide_a.lowest());
                let n = below(&mut rng, a.count());
                assert_eq!(a.nth(n), wide_a.nth(n));
            }
            let (mut some, mut others) = (Vec::new(), Vec::new());
            a.for_each(|bit| some.push(bit));
            wide_a.for_each(|bit| others.push(bit));
            assert_eq!(some, others);
        }
    }
}
