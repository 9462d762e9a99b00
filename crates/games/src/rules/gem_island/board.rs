//! The content of the cells as bit planes: gems, ice, medals.

use super::{Bonus, Gem, GemCell, GemGrid, Mask};

/// The three layers of a board. A medal is identified by its upper left cell: it is 2 × 2, and
/// medals do not overlap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GemBoard<M> {
    /// The kinds of gems in binary, lowest digit first.
    pub kinds: [M; 3],
    /// The bonuses in binary: 1 cross, 2 star, 3 diamond.
    pub bonuses: [M; 2],
    /// The number of layers of ice in binary.
    pub ice: [M; 3],
    /// The upper left cells of the medals on the board.
    pub medals: M,
    /// The upper left cells of the freed medals.
    pub freed: M,
}

impl<M: Mask> GemBoard<M> {
    /// The gem on a cell.
    pub fn gem(&self, index: u32) -> Gem {
        Gem { kind: digits(&self.kinds, index), bonus: bonus_of(digits(&self.bonuses, index)) }
    }

    /// The kind of the gem on a cell.
    #[inline]
    pub fn kind_at(&self, index: u32) -> u8 {
        digits(&self.kinds, index)
    }

    /// Puts a gem on a cell.
    pub fn set_gem(&mut self, index: u32, gem: Gem) {
        set_digits(&mut self.kinds, index, gem.kind);
        set_digits(&mut self.bonuses, index, bonus_code(gem.bonus));
    }

    /// The layers of ice on a cell.
    pub fn layers(&self, index: u32) -> u8 {
        digits(&self.ice, index)
    }

    /// Sets the layers of ice on a cell.
    pub fn set_layers(&mut self, index: u32, layers: u8) {
        set_digits(&mut self.ice, index, layers);
    }

    /// Cells with ice.
    #[inline]
    pub fn iced(&self) -> M {
        self.ice[0] | self.ice[1] | self.ice[2]
    }

    /// Gems with a bonus.
    #[inline]
    pub fn bonus_gems(&self) -> M {
        self.bonuses[0] | self.bonuses[1]
    }

    /// Crosses.
    #[inline]
    pub fn crosses(&self) -> M {
        self.bonuses[0] & !self.bonuses[1]
    }

    /// Stars.
    #[inline]
    pub fn stars(&self) -> M {
        self.bonuses[1] & !self.bonuses[0]
    }

    /// Diamonds.
    #[inline]
    pub fn diamonds(&self) -> M {
        self.bonuses[0] & self.bonuses[1]
    }

    /// The gems among `cells` of the same kind as the one on this cell.
    #[inline]
    pub fn same_kind(&self, index: u32, cells: M) -> M {
        let like = |plane: M| if plane.has(index) { plane } else { !plane };
        like(self.kinds[0]) & like(self.kinds[1]) & like(self.kinds[2]) & cells
    }

    /// The part of a medal on a cell, among the medals with these upper left cells: 0 to 3 for
    /// upper left, upper right, lower left, lower right.
    pub fn portion(&self, grid: &GemGrid<M>, upper_left: M, cell: GemCell) -> Option<u8> {
        let index = grid.index(cell);
        (0..4u8).find(|portion| {
            let back = u32::from(portion & 1) * grid.stride + u32::from(portion >> 1);
            index >= back && upper_left.has(index - back)
        })
    }
}

/// The code of a bonus: 0 none, 1 cross, 2 star, 3 diamond.
pub fn bonus_code(bonus: Option<Bonus>) -> u8 {
    match bonus {
        None => 0,
        Some(Bonus::Cross) => 1,
        Some(Bonus::Star) => 2,
        Some(Bonus::Diamond) => 3,
    }
}

/// The bonus of a code; `None` for 0 and for codes above 3.
pub fn bonus_of(code: u8) -> Option<Bonus> {
    [Bonus::Cross, Bonus::Star, Bonus::Diamond].get(usize::from(code).checked_sub(1)?).copied()
}

#[inline]
fn digits<M: Mask, const N: usize>(planes: &[M; N], index: u32) -> u8 {
    (0..N).fold(0, |number, n| number | u8::from(planes[n].has(index)) << n)
}

#[inline]
fn set_digits<M: Mask, const N: usize>(planes: &mut [M; N], index: u32, number: u8) {
    let bit = M::bit(index);
    for (n, plane) in planes.iter_mut().enumerate() {
        *plane = if number >> n & 1 == 1 { *plane | bit } else { *plane & !bit };
    }
}
