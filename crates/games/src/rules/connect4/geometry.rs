//! The layout of a board in the bits of an integer. Bit `stride * column + row` is a cell; at least
//! one bit above each column is a guard bit that is never set, so that a shift cannot carry a line
//! from one column into the next. The masks of [`FixedSize`] boards are compile-time constants;
//! [`RuntimeSize`] boards store theirs.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Shl, Shr, Sub};

use super::lines;
use super::size::Connect4Size;
use crate::bits::{mix, nth_set_bit, nth_set_bit_wide, zobrist};

/// The integer types for bitboards: `u64` and `u128`.
pub trait Bits:
    Copy
    + Ord
    + Hash
    + Debug
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + 'static
{
    /// The empty set.
    const ZERO: Self;
    /// The lowest bit.
    const ONE: Self;
    /// The number of bits.
    const COUNT: u32;

    /// The number of set bits.
    fn count(self) -> u32;

    /// The index of the lowest set bit.
    fn lowest(self) -> u32;

    /// The `n`-th set bit, counted from 0, as a mask. It must exist.
    fn nth_set(self, n: u32) -> Self;

    /// A hash key whose bits are equally good; different for different 64-bit boards.
    fn key(self) -> u64;

    /// Calls `each` with the index of every set bit, lowest first.
    #[inline]
    fn for_each(self, mut each: impl FnMut(u32)) {
        let mut rest = self;
        while rest != Self::ZERO {
            each(rest.lowest());
            rest = rest & (rest - Self::ONE);
        }
    }
}

macro_rules! bits {
    ($integer:ty, $nth_set:path, $key:expr) => {
        impl Bits for $integer {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const COUNT: u32 = <$integer>::BITS;

            #[inline]
            fn count(self) -> u32 {
                self.count_ones()
            }

            #[inline]
            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }

            #[inline]
            fn nth_set(self, n: u32) -> Self {
                $nth_set(self, n)
            }

            #[inline]
            fn key(self) -> u64 {
                $key(self)
            }
        }
    };
}

bits!(u64, nth_set_bit, zobrist);
bits!(u128, nth_set_bit_wide, |wide: u128| mix(wide as u64 ^ zobrist((wide >> 64) as u64)));

/// The size of a board and its integer type.
pub trait Geometry: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// The integer type.
    type Bits: Bits;

    /// Columns and rows.
    fn size(self) -> Connect4Size;

    /// The bottom cell of each column.
    fn bottom(self) -> Self::Bits;

    /// The number of columns.
    #[inline]
    fn width(self) -> u32 {
        self.size().width() as u32
    }

    /// The number of rows.
    #[inline]
    fn height(self) -> u32 {
        self.size().height() as u32
    }

    /// The distance in bits between neighbors in a row.
    #[inline]
    fn stride(self) -> u32 {
        self.height() + 1
    }

    /// The number of bits of the board, including the guard bits.
    #[inline]
    fn bits(self) -> u32 {
        self.width() * self.stride()
    }

    /// All cells, without the guard bits.
    #[inline]
    fn cells(self) -> Self::Bits {
        // The subtraction sets all bits from the bottom cell to below the guard bit of each column.
        (self.bottom() << self.height()) - self.bottom()
    }

    /// The bottom cell of one column.
    #[inline]
    fn bottom_of(self, column: u32) -> Self::Bits {
        Self::Bits::ONE << (column * self.stride())
    }

    /// Calls `each` with the distance between neighbors in each direction that has room for four:
    /// the column, the falling diagonal, the row and the rising diagonal. On boards of fewer than
    /// four columns the last three could shift by more bits than the integer has.
    #[inline(always)]
    fn for_each_step(self, mut each: impl FnMut(u32)) {
        each(1);
        if self.width() >= 4 {
            each(self.stride() - 1);
            each(self.stride());
            each(self.stride() + 1);
        }
    }

    /// Whether `stones` contain four in a row.
    #[inline]
    fn has_four(self, stones: Self::Bits) -> bool {
        lines::has_four(self, stones)
    }

    /// The cells of the board, occupied or not, that form a line of four with three of `stones`.
    #[inline]
    fn fourth_cells(self, stones: Self::Bits) -> Self::Bits {
        lines::fourth_cells(self, stones) & self.cells()
    }

    /// The board with its columns, including the guard bits, in reverse order.
    #[inline]
    fn mirrored(self, bits: Self::Bits) -> Self::Bits {
        let mut image = bits;
        for column in 0..self.width() / 2 {
            let lowest_column = (Self::Bits::ONE << self.stride()) - Self::Bits::ONE;
            let right = self.width() - 1 - column;
            let (left, distance) = (column * self.stride(), (right - column) * self.stride());
            // Exchanges two columns by XOR with their difference.
            let difference = (bits ^ bits >> distance) & lowest_column << left;
            image = image ^ difference ^ difference << distance;
        }
        image
    }
}

/// A board whose size is known at compile time: at most eight columns of at most seven cells, one
/// byte per column, so that mirroring is a byte swap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct FixedSize<const WIDTH: usize, const HEIGHT: usize>;

impl<const WIDTH: usize, const HEIGHT: usize> FixedSize<WIDTH, HEIGHT> {
    const SIZE: Connect4Size = match Connect4Size::new(WIDTH, HEIGHT) {
        Some(size) if WIDTH <= 8 && HEIGHT <= 7 => size,
        _ => panic!("a fixed board has at most eight columns of seven cells"),
    };
    const BOTTOM: u64 = bottom_row(WIDTH, u8::BITS as usize) as u64;
}

impl<const WIDTH: usize, const HEIGHT: usize> Geometry for FixedSize<WIDTH, HEIGHT> {
    type Bits = u64;

    #[inline]
    fn size(self) -> Connect4Size {
        Self::SIZE
    }

    #[inline]
    fn stride(self) -> u32 {
        u8::BITS
    }

    #[inline]
    fn bottom(self) -> u64 {
        Self::BOTTOM
    }

    #[inline]
    fn mirrored(self, bits: u64) -> u64 {
        bits.swap_bytes() >> (u64::BITS - u8::BITS * WIDTH as u32)
    }
}

/// A board whose size is known at run time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RuntimeSize<B> {
    bottom: B,
    size: Connect4Size,
}

impl RuntimeSize<u64> {
    /// A board of 64 bits, if the size fits.
    pub fn narrow(size: Connect4Size) -> Option<Self> {
        (size.bits() <= 64).then(|| RuntimeSize { bottom: compact_bottom_row(size) as u64, size })
    }
}

impl RuntimeSize<u128> {
    /// A board of 128 bits; every size fits.
    pub fn wide(size: Connect4Size) -> Self {
        RuntimeSize { bottom: compact_bottom_row(size), size }
    }
}

impl<B: Bits> Geometry for RuntimeSize<B> {
    type Bits = B;

    #[inline]
    fn size(self) -> Connect4Size {
        self.size
    }

    #[inline]
    fn bottom(self) -> B {
        self.bottom
    }
}

const fn compact_bottom_row(size: Connect4Size) -> u128 {
    bottom_row(size.width(), size.height() + 1)
}

const fn bottom_row(width: usize, stride: usize) -> u128 {
    let mut bottom = 0;
    let mut column = 0;
    while column < width {
        bottom |= 1 << (column * stride);
        column += 1;
    }
    bottom
}
