//! Threats: windows with four or five stones of a side and none of the opponent, which one turn can
//! fill. Each has one or two empty cells, and a stone of the opponent on either blocks it. The
//! least number of stones that block all threats is a minimum vertex cover of a graph; from three
//! on, a turn of two stones does not suffice (Wu and Huang, 2005).

use tesuji_games::Side;

use super::board::Connect6Board;
use crate::cell::Cell;

/// The empty cells of a threatening window: two cells, or the same cell twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threat(pub Cell, pub Cell);

impl Threat {
    /// Whether a stone of the opponent on this cell blocks the threat.
    #[inline]
    pub fn contains(&self, cell: Cell) -> bool {
        self.0 == cell || self.1 == cell
    }

    fn ends(&self) -> impl Iterator<Item = Cell> {
        [Some(self.0), (self.0 != self.1).then_some(self.1)].into_iter().flatten()
    }
}

/// The least number of stones that block all threats.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ThreatCount {
    /// There is no threat.
    None,
    /// One stone blocks all threats.
    One,
    /// Two stones block all threats.
    Two,
    /// A turn does not suffice.
    ThreeOrMore,
}

/// Pushes all threats of a side.
pub fn push_threats(board: &Connect6Board, side: Side, threats: &mut Vec<Threat>) {
    for stones in [5, 4] {
        if board.count(side, stones) == 0 {
            continue;
        }
        board.windows_with(side, stones).for_each(|window| {
            let cells = board.windows().cells(window);
            let mut empty = cells.iter().copied().filter(|&cell| board.is_empty_cell(cell));
            if let Some(first) = empty.next() {
                threats.push(Threat(first, empty.next().unwrap_or(first)));
            }
        });
    }
}

/// Counts the stones needed to block all threats.
#[inline]
pub fn threat_count(threats: &[Threat]) -> ThreatCount {
    let Some(first) = threats.first() else { return ThreatCount::None };
    if is_blocked_by(threats, first.0) || is_blocked_by(threats, first.1) {
        return ThreatCount::One;
    }
    let with_another = |one: Cell| match threats.iter().find(|threat| !threat.contains(one)) {
        None => true,
        Some(rest) => are_blocked_by(threats, one, rest.0) || are_blocked_by(threats, one, rest.1),
    };
    if with_another(first.0) || with_another(first.1) {
        ThreatCount::Two
    } else {
        ThreatCount::ThreeOrMore
    }
}

/// Whether one stone blocks all threats.
#[inline]
pub fn is_blocked_by(threats: &[Threat], cell: Cell) -> bool {
    threats.iter().all(|threat| threat.contains(cell))
}

/// Whether two stones block all threats.
#[inline]
pub fn are_blocked_by(threats: &[Threat], one: Cell, another: Cell) -> bool {
    threats.iter().all(|threat| threat.contains(one) || threat.contains(another))
}

/// The single stones that block all threats. There must be a threat.
pub fn single_blocks(threats: &[Threat]) -> impl Iterator<Item = Cell> {
    let ends = threats.first().into_iter().flat_map(Threat::ends);
    ends.filter(|&cell| is_blocked_by(threats, cell))
}

/// The pairs of stones that block all threats, where neither stone does so alone. Each pair occurs
/// once.
pub fn double_blocks(threats: &[Threat]) -> Vec<(Cell, Cell)> {
    let mut pairs = Vec::new();
    for one in threats.first().into_iter().flat_map(Threat::ends) {
        let Some(rest) = threats.iter().find(|threat| !threat.contains(one)) else { continue };
        for another in rest.ends() {
            let pair = (one.min(another), one.max(another));
            let needed = are_blocked_by(threats, one, another) && !is_blocked_by(threats, another);
            if needed && !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
    }
    pairs
}
