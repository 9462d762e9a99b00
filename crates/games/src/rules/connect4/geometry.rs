//! How a board lies in the bits of an integer. Bit `stride * column + row` is a cell; at least one bit
//! above each column is a guard that is never set, so that a shift cannot carry a line from one column
//! into the next. [`Fixed`] boards are compiled to constants, [`AnySize`] boards carry theirs along.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Shl, Shr, Sub};

use super::lines;
use super::size::Size;
use crate::bits::{mix, nth_set_bit, nth_set_bit_wide, zobrist};

/// The integers that hold a board: `u64` and `u128`.
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
    /// No bit.
    const ZERO: Self;
    /// The lowest bit.
    const ONE: Self;
    /// How many bits there are.
    const COUNT: u32;

    /// How many bits are set.
    fn count(self) -> u32;

    /// The index of the lowest set bit.
    fn lowest(self) -> u32;

    /// The `n`-th set bit, counted from 0, as a mask. There must be one.
    fn nth_set(self, n: u32) -> Self;

    /// A key in which every bit is as good as any other; different for different 64-bit boards.
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

/// The size of a board and the integer it lies in.
pub trait Geometry: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// The integer.
    type Bits: Bits;

    /// Columns and rows.
    fn size(self) -> Size;

    /// The lowest cell of each column.
    fn bottom(self) -> Self::Bits;

    /// How many columns.
    #[inline]
    fn width(self) -> u32 {
        self.size().width() as u32
    }

    /// How many rows.
    #[inline]
    fn height(self) -> u32 {
        self.size().height() as u32
    }

    /// The distance between neighbours in a row.
    #[inline]
    fn stride(self) -> u32 {
        self.height() + 1
    }

    /// How many bits the board takes, guards included.
    #[inline]
    fn bits(self) -> u32 {
        self.width() * self.stride()
    }

    /// Every cell, without the guards.
    #[inline]
    fn cells(self) -> Self::Bits {
        // The difference of guards and bottom cells borrows its way down each column.
        (self.bottom() << self.height()) - self.bottom()
    }

    /// The lowest cell of one column.
    #[inline]
    fn bottom_of(self, column: u32) -> Self::Bits {
        Self::Bits::ONE << (column * self.stride())
    }

    /// Calls `each` with the distance between neighbours in each direction in which there is room for
    /// four: up a column, then the falling diagonal, the row and the rising diagonal. On boards of
    /// fewer than four columns the last three would shift by more bits than there are.
    #[inline(always)]
    fn for_each_step(self, mut each: impl FnMut(u32)) {
        each(1);
        if self.width() >= 4 {
            each(self.stride() - 1);
            each(self.stride());
            each(self.stride() + 1);
        }
    }

    /// Whether `stones` hold four in a row.
    #[inline]
    fn has_four(self, stones: Self::Bits) -> bool {
        lines::has_four(self, stones)
    }

    /// The cells of the board, taken or not, that stand in a line with three of `stones`.
    #[inline]
    fn fourth_cells(self, stones: Self::Bits) -> Self::Bits {
        lines::fourth_cells(self, stones) & self.cells()
    }

    /// The board with its columns, guards included, in opposite order.
    #[inline]
    fn mirrored(self, bits: Self::Bits) -> Self::Bits {
        let mut image = bits;
        for column in 0..self.width() / 2 {
            let lowest_column = (Self::Bits::ONE << self.stride()) - Self::Bits::ONE;
            let right = self.width() - 1 - column;
            let (left, distance) = (column * self.stride(), (right - column) * self.stride());
            // Exchanges two columns by the difference of their bits.
            let difference = (bits ^ bits >> distance) & lowest_column << left;
            image = image ^ difference ^ difference << distance;
        }
        image
    }
}

/// A board whose size is known when the program is compiled: at most eight columns of at most seven
/// cells, one byte a column, so that exchanging left and right is one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Fixed<const WIDTH: usize, const HEIGHT: usize>;

impl<const WIDTH: usize, const HEIGHT: usize> Fixed<WIDTH, HEIGHT> {
    const SIZE: Size = match Size::new(WIDTH, HEIGHT) {
        Some(size) if WIDTH <= 8 && HEIGHT <= 7 => size,
        _ => panic!("a fixed board has at most eight columns of seven cells"),
    };
    const BOTTOM: u64 = bottom_row(WIDTH, u8::BITS as usize) as u64;
}

impl<const WIDTH: usize, const HEIGHT: usize> Geometry for Fixed<WIDTH, HEIGHT> {
    type Bits = u64;

    #[inline]
    fn size(self) -> Size {
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

/// A board whose size is known only when the program runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AnySize<B> {
    bottom: B,
    size: Size,
}

impl AnySize<u64> {
    /// A board in 64 bits, if it fits.
    pub fn narrow(size: Size) -> Option<Self> {
        (size.bits() <= 64).then(|| AnySize { bottom: compact_bottom_row(size) as u64, size })
    }
}

impl AnySize<u128> {
    /// A board in 128 bits; every size fits.
    pub fn wide(size: Size) -> Self {
        AnySize { bottom: compact_bottom_row(size), size }
    }
}

impl<B: Bits> Geometry for AnySize<B> {
    type Bits = B;

    #[inline]
    fn size(self) -> Size {
        self.size
    }

    #[inline]
    fn bottom(self) -> B {
        self.bottom
    }
}

const fn compact_bottom_row(size: Size) -> u128 {
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
