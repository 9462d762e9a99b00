//! The turns of the attacker: pairs of stones after which the defender needs two or more stones to
//! block all threats.
//!
//! One stone turns a window with three stones into a threat; two stones turn a window with two into
//! one. So the threats of a pair follow from these windows without playing the stones.

use tesuji_games::Side;

use super::super::board::Connect6Board;
use super::super::threats::{Threat, ThreatCount, are_blocked_by, push_threats, threat_count};
use crate::cell::{CELL_NUMBERS, Cell};

/// A pair of stones that makes a double threat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ThreatTurn {
    pub(super) cells: (Cell, Cell),
    /// The stones needed to block the threats: two, or more than a turn has.
    pub(super) threat_count: ThreatCount,
    move_score: i32,
}

/// The most turns to try at a node, best first.
const MAX_TURNS: usize = 40;

/// Generates such turns; keeps its buffers.
#[derive(Clone, Default, Debug)]
pub(super) struct ThreatTurnFinder {
    /// For every cell that makes a threat alone, the resulting threats, sorted by cell.
    threats_by_stone: Vec<(Cell, Threat)>,
    /// The threats of `threats_by_stone`, in the same order.
    sorted_threats: Vec<Threat>,
    /// For each cell, the start and end of its threats.
    ranges: Vec<(Cell, usize, usize)>,
    /// By cell number, the index into `ranges` plus 1.
    range_of_cell: Vec<u16>,
    /// Pairs that make a threat together in a window with two stones, once for each such window.
    pairs: Vec<(Cell, Cell)>,
    opponent_threats: Vec<Threat>,
    threats: Vec<Threat>,
}

impl ThreatTurnFinder {
    /// Pushes the turns of `side`, which cannot win at once. They also block the opponent's
    /// threats.
    pub(super) fn push_turns(
        &mut self,
        board: &Connect6Board,
        side: Side,
        turns: &mut Vec<ThreatTurn>,
    ) {
        let first = turns.len();
        self.opponent_threats.clear();
        push_threats(board, !side, &mut self.opponent_threats);
        if threat_count(&self.opponent_threats) == ThreatCount::ThreeOrMore {
            return;
        }
        self.find_single_threats(board, side);
        self.push_pairs_of_threats(board, side, turns);
        self.push_pairs_in_windows(board, side, turns);
        self.push_with_spare_stone(board, side, turns);
        turns[first..].sort_unstable_by_key(|turn| {
            (turn.threat_count < ThreatCount::ThreeOrMore, -turn.move_score)
        });
        turns.truncate(first + MAX_TURNS);
    }

    fn find_single_threats(&mut self, board: &Connect6Board, side: Side) {
        self.threats_by_stone.clear();
        if board.count(side, 3) > 0 {
            board.windows_with(side, 3).for_each(|window| {
                let [a, b, c] = empty_cells(board, window);
                self.threats_by_stone.extend([
                    (a, Threat(b, c)),
                    (b, Threat(a, c)),
                    (c, Threat(a, b)),
                ]);
            });
        }
        self.threats_by_stone.sort_unstable_by_key(|&(cell, _)| cell);
        self.sorted_threats.clear();
        self.sorted_threats.extend(self.threats_by_stone.iter().map(|&(_, threat)| threat));
        for &(cell, _, _) in &self.ranges {
            self.range_of_cell[cell.number()] = 0;
        }
        self.range_of_cell.resize(CELL_NUMBERS, 0);
        self.ranges.clear();
        for (n, &(cell, _)) in self.threats_by_stone.iter().enumerate() {
            match self.ranges.last_mut() {
                Some((last, _, end)) if *last == cell => *end = n + 1,
                _ => {
                    self.ranges.push((cell, n, n + 1));
                    self.range_of_cell[cell.number()] = self.ranges.len() as u16;
                }
            }
        }
    }

    /// Both stones make a threat.
    fn push_pairs_of_threats(
        &mut self,
        board: &Connect6Board,
        side: Side,
        turns: &mut Vec<ThreatTurn>,
    ) {
        for n in 0..self.ranges.len() {
            for m in n + 1..self.ranges.len() {
                self.push_if_double(board, side, (self.ranges[n].0, self.ranges[m].0), turns);
            }
        }
    }

    /// Both stones are in a window with two stones. If neither makes a threat alone, it takes three
    /// such windows in a row, an open four, to require two blocking stones.
    fn push_pairs_in_windows(
        &mut self,
        board: &Connect6Board,
        side: Side,
        turns: &mut Vec<ThreatTurn>,
    ) {
        self.pairs.clear();
        if board.count(side, 2) == 0 {
            return;
        }
        board.windows_with(side, 2).for_each(|window| {
            let [a, b, c, d] = empty_cells(board, window);
            self.pairs.extend([(a, b), (a, c), (a, d), (b, c), (b, d), (c, d)]);
        });
        self.pairs.sort_unstable();
        let mut n = 0;
        while n < self.pairs.len() {
            let pair = self.pairs[n];
            let windows = self.pairs[n..].iter().take_while(|&&other| other == pair).count();
            n += windows;
            match (self.threats_of(pair.0).is_empty(), self.threats_of(pair.1).is_empty()) {
                (true, true) if windows < 3 => {}
                (false, false) => {} // Pushed above.
                _ => self.push_if_double(board, side, pair, turns),
            }
        }
    }

    /// One stone suffices; the other blocks the opponent's threats or goes to the cell with the
    /// best move score.
    fn push_with_spare_stone(
        &mut self,
        board: &Connect6Board,
        side: Side,
        turns: &mut Vec<ThreatTurn>,
    ) {
        for n in 0..self.ranges.len() {
            let one = self.ranges[n].0;
            if threat_count(self.threats_of(one)) < ThreatCount::Two {
                continue;
            }
            let best = best_other_cell(board, side, one);
            let opponent_threats =
                self.opponent_threats.iter().flat_map(|threat| [threat.0, threat.1]);
            let spare: Vec<Cell> =
                opponent_threats.chain(best).filter(|&cell| cell != one).collect();
            for cell in spare {
                let pair = (one.min(cell), one.max(cell));
                if self.threats_of(cell).is_empty() {
                    self.push_if_double(board, side, pair, turns);
                }
            }
        }
    }

    fn threats_of(&self, cell: Cell) -> &[Threat] {
        match self.range_of_cell[cell.number()].checked_sub(1) {
            Some(range) => {
                let (_, start, end) = self.ranges[usize::from(range)];
                &self.sorted_threats[start..end]
            }
            None => &[],
        }
    }

    fn push_if_double(
        &mut self,
        board: &Connect6Board,
        side: Side,
        (one, another): (Cell, Cell),
        turns: &mut Vec<ThreatTurn>,
    ) {
        if !are_blocked_by(&self.opponent_threats, one, another) {
            return;
        }
        let mut threats = std::mem::take(&mut self.threats);
        threats.clear();
        threats.extend(self.threats_of(one).iter().map(|&threat| without(threat, another)));
        threats.extend(self.threats_of(another).iter().map(|&threat| without(threat, one)));
        board.windows().for_each_through_both(one, another, |window| {
            if board.windows_with(side, 2).contains(window) {
                threats.push(other_empty_pair(board, window, one, another));
            }
        });
        let threat_count = threat_count(&threats);
        if threat_count >= ThreatCount::Two {
            let move_score = board.move_score(side, one) + board.move_score(side, another);
            turns.push(ThreatTurn { cells: (one, another), threat_count, move_score });
        }
        self.threats = threats;
    }
}

/// The rest of a threat after its side plays on a cell.
fn without(threat: Threat, cell: Cell) -> Threat {
    match threat {
        Threat(a, b) if a == cell => Threat(b, b),
        Threat(a, b) if b == cell => Threat(a, a),
        threat => threat,
    }
}

/// The empty cells of a window that has `N` of them.
fn empty_cells<const N: usize>(board: &Connect6Board, window: u16) -> [Cell; N] {
    let mut empty = [Cell::default(); N];
    let cells = board.windows().cells(window).iter().copied();
    for (slot, cell) in empty.iter_mut().zip(cells.filter(|&cell| board.is_empty_cell(cell))) {
        *slot = cell;
    }
    empty
}

/// The two empty cells, other than these, of a window with four of them.
fn other_empty_pair(board: &Connect6Board, window: u16, one: Cell, another: Cell) -> Threat {
    let mut rest = [Cell::default(); 2];
    let cells = empty_cells::<4>(board, window).into_iter();
    for (slot, cell) in rest.iter_mut().zip(cells.filter(|&cell| cell != one && cell != another)) {
        *slot = cell;
    }
    Threat(rest[0], rest[1])
}

fn best_other_cell(board: &Connect6Board, side: Side, one: Cell) -> Option<Cell> {
    let mut best: Option<(i32, Cell)> = None;
    board.empty().for_each(|cell| {
        let move_score = board.move_score(side, cell);
        if cell != one && best.is_none_or(|(known, _)| move_score > known) {
            best = Some((move_score, cell));
        }
    });
    best.map(|(_, cell)| cell)
}
