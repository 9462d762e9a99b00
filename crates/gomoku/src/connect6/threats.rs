//! Threats: windows that their side fills in one turn, because four or five of its stones are there and none of
//! the other's. Such a window has one or two empty cells left; a stone of the other side on either stops it. So the
//! least number of stones that stop all threats is the least number of ends that meet every edge of a graph, and
//! with three or more of them two stones a turn do not suffice (Wu and Huang, 2005).

use tesuji_games::Side;

use super::board::Board;
use crate::cell::Cell;

/// What is empty of a threatening window: two cells, or one named twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gap(pub Cell, pub Cell);

impl Gap {
    /// Whether a stone of the other side on this cell stops the threat.
    #[inline]
    pub fn has(&self, cell: Cell) -> bool {
        self.0 == cell || self.1 == cell
    }

    fn ends(&self) -> impl Iterator<Item = Cell> {
        [Some(self.0), (self.0 != self.1).then_some(self.1)].into_iter().flatten()
    }
}

/// How many stones it takes to stop all threats.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Blocks {
    /// There is no threat.
    None,
    /// One stone stops all.
    One,
    /// Two stones stop all.
    Two,
    /// A turn does not suffice.
    Lost,
}

/// The gaps of all threats of a side.
pub fn push_gaps(board: &Board, side: Side, gaps: &mut Vec<Gap>) {
    for stones in [5, 4] {
        if board.count(side, stones) == 0 {
            continue;
        }
        board.alone(side, stones).for_each(|window| {
            let cells = board.windows().cells(window);
            let mut empty = cells.iter().copied().filter(|&cell| board.is_empty_cell(cell));
            if let Some(first) = empty.next() {
                gaps.push(Gap(first, empty.next().unwrap_or(first)));
            }
        });
    }
}

/// How many stones stop all of these.
#[inline]
pub fn blocks(gaps: &[Gap]) -> Blocks {
    let Some(first) = gaps.first() else { return Blocks::None };
    if is_stopped_by(gaps, first.0) || is_stopped_by(gaps, first.1) {
        return Blocks::One;
    }
    let with_another = |one: Cell| match gaps.iter().find(|gap| !gap.has(one)) {
        None => true,
        Some(rest) => are_stopped_by(gaps, one, rest.0) || are_stopped_by(gaps, one, rest.1),
    };
    if with_another(first.0) || with_another(first.1) { Blocks::Two } else { Blocks::Lost }
}

/// Whether one stone stops all of these.
#[inline]
pub fn is_stopped_by(gaps: &[Gap], cell: Cell) -> bool {
    gaps.iter().all(|gap| gap.has(cell))
}

/// Whether two stones stop all of these.
#[inline]
pub fn are_stopped_by(gaps: &[Gap], one: Cell, another: Cell) -> bool {
    gaps.iter().all(|gap| gap.has(one) || gap.has(another))
}

/// The single stones that stop all of these. There must be a gap.
pub fn single_stops(gaps: &[Gap]) -> impl Iterator<Item = Cell> {
    let ends = gaps.first().into_iter().flat_map(Gap::ends);
    ends.filter(|&cell| is_stopped_by(gaps, cell))
}

/// The pairs of stones that stop all of these when neither of the two does alone. Each comes once.
pub fn double_stops(gaps: &[Gap]) -> Vec<(Cell, Cell)> {
    let mut pairs = Vec::new();
    for one in gaps.first().into_iter().flat_map(Gap::ends) {
        let Some(rest) = gaps.iter().find(|gap| !gap.has(one)) else { continue };
        for another in rest.ends() {
            let pair = (one.min(another), one.max(another));
            let needed = are_stopped_by(gaps, one, another) && !is_stopped_by(gaps, another);
            if needed && !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
    }
    pairs
}
