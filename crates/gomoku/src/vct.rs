//! Victory by continuous threats (VCT): every move of the attacker threatens five or an unstoppable
//! four, so the defender must answer. It is longer and wider than a victory by fours alone
//! ([`vcf`](crate::vcf)).
//!
//! [`ThreatGame`] is a game in which the side without such a move, or without a reply, loses; the
//! generic proof-number search solves it. A proof also holds in Gomoku, because the omitted replies
//! lose. A disproof only shows that threats alone do not win.

use tesuji_games::{Outcome, Position, Side};
use tesuji_search::proof::ProofVerdict;
use tesuji_search::{GameCapabilities, Limits, ProofSearch, TableSize};

use crate::board::Board;
use crate::cell::{CELL_NUMBERS, Cell, CellSet};
use crate::class::MoveClass;
use crate::engine::moves::{OpponentThreat, allowed_cells, fours};

/// The game in which the attacker makes threats and the defender answers them.
#[derive(Clone, Debug)]
pub struct ThreatGame {
    board: Board,
    attacker: Side,
}

impl ThreatGame {
    /// Creates the game with the attacker to move on this board.
    pub fn new(board: &Board, attacker: Side) -> ThreatGame {
        let mut board = board.clone();
        if board.to_move() != attacker {
            board.pass();
        }
        ThreatGame { board, attacker }
    }

    /// The candidate moves of the side to move.
    fn cells(&self) -> CellSet {
        let side = self.board.to_move();
        let threat = OpponentThreat::facing(&self.board);
        match threat {
            OpponentThreat::Five | OpponentThreat::OpenFour if side != self.attacker => {
                allowed_cells(&self.board, threat)
            }
            OpponentThreat::Five => allowed_cells(&self.board, threat),
            _ if side == self.attacker => fours(&self.board).or(&threes(&self.board)),
            // There is no threat to answer.
            _ => CellSet::NONE,
        }
    }

    /// The winner as far as the counts of classes decide.
    fn immediate_winner(&self) -> Option<Side> {
        let (own, other) = (self.board.to_move(), !self.board.to_move());
        let count = |side, class| self.board.count(side, class) > 0;
        if self.board.winner().is_some() {
            return self.board.winner();
        }
        if count(own, MoveClass::Five) {
            return Some(own);
        }
        if count(other, MoveClass::Five) {
            return None;
        }
        if count(own, MoveClass::OpenFour) {
            return Some(own);
        }
        let threatens = count(other, MoveClass::OpenFour);
        (own != self.attacker && !threatens).then_some(own)
    }
}

/// The cells where the side to move makes an open three.
fn threes(board: &Board) -> CellSet {
    let side = board.to_move();
    let classes = [MoveClass::OpenThree, MoveClass::OpenThreePlus, MoveClass::ThreeThree];
    classes.iter().fold(CellSet::NONE, |cells, &class| cells.or(board.cells(side, class)))
}

impl Position for ThreatGame {
    type Move = Cell;
    type Undo = ();

    fn to_move(&self) -> Side {
        self.board.to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        let stuck = || self.move_count() == 0;
        let winner = self.immediate_winner().or_else(|| stuck().then(|| !self.board.to_move()));
        winner.map(Outcome::Win)
    }

    fn key(&self) -> u64 {
        self.board.key()
    }

    fn for_each_move(&self, mut each: impl FnMut(Cell)) {
        if self.immediate_winner().is_none() {
            let side = self.board.to_move();
            self.cells().for_each(|cell| {
                if !self.board.is_forbidden(side, cell) {
                    each(cell);
                }
            });
        }
    }

    fn is_legal(&self, cell: Cell) -> bool {
        let mut found = false;
        self.for_each_move(|legal| found |= legal == cell);
        found
    }

    fn play(&mut self, cell: Cell) {
        self.board.play(cell);
    }

    fn undo(&mut self, _: Cell, (): ()) {
        self.board.undo();
    }

    fn move_index(&self, cell: Cell) -> usize {
        cell.number()
    }

    fn num_move_indices(&self) -> usize {
        CELL_NUMBERS
    }
}

/// The result of a search for a victory by continuous threats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum VctOutcome {
    /// The attacker's moves and replies in turn, as far as known.
    Win(Vec<Cell>),
    /// There is no such win.
    None,
    /// The limits did not suffice.
    Unknown,
}

/// A solver for victories by continuous threats.
pub struct Vct {
    search: ProofSearch<ThreatGame>,
    nodes: u64,
}

impl Vct {
    /// Creates a solver with this table size.
    pub fn new(table: TableSize) -> Vct {
        Vct { search: ProofSearch::with_capabilities(GameCapabilities::none(), table), nodes: 0 }
    }

    /// Searches for a win of `attacker`, to move on this board, by threats.
    pub fn solve(&mut self, board: &Board, attacker: Side, limits: &Limits) -> VctOutcome {
        let proof = self.search.prove(&ThreatGame::new(board, attacker), attacker, limits);
        self.nodes = proof.nodes;
        match proof.verdict {
            ProofVerdict::Proven => VctOutcome::Win(proof.line),
            ProofVerdict::Disproven => VctOutcome::None,
            ProofVerdict::Unknown => VctOutcome::Unknown,
        }
    }

    /// The number of positions that the last search visited.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_games::RowRule;

    fn board(black: &[(usize, usize)], white: &[(usize, usize)]) -> Board {
        let stones = |side, cells: &[(usize, usize)]| {
            cells.iter().map(|&(x, y)| (side, Cell::new(x, y))).collect::<Vec<_>>()
        };
        let all = [stones(Side::First, black), stones(Side::Second, white)].concat();
        Board::with_stones(RowRule::AtLeast, (15, 15), &all, Side::First).unwrap()
    }

    #[test]
    fn two_crossing_twos_win_by_threats_and_not_by_fours() {
        let board =
            board(&[(5, 7), (6, 7), (8, 9), (8, 10)], &[(1, 1), (13, 1), (1, 13), (13, 13)]);
        let mut fours = crate::vcf::Vcf::new();
        let by_fours = fours.solve(&mut board.clone(), Side::First, 100_000);
        assert_eq!(by_fours, crate::vcf::VcfOutcome::None);
        let mut vct = Vct::new(TableSize::megabytes(4));
        let found = vct.solve(&board, Side::First, &Limits::nodes(100_000));
        assert!(matches!(&found, VctOutcome::Win(line) if !line.is_empty()), "{found:?}");
    }

    #[test]
    fn one_two_is_not_enough() {
        let board = board(&[(5, 7), (6, 7)], &[(1, 1), (13, 13)]);
        let mut vct = Vct::new(TableSize::megabytes(4));
        let found = vct.solve(&board, Side::First, &Limits::nodes(1_000_000));
        assert_eq!(found, VctOutcome::None);
    }

    /// Tests every reply, including those that the search omits.
    #[test]
    fn a_proof_holds_against_all_answers() {
        let start =
            board(&[(5, 7), (6, 7), (8, 9), (8, 10)], &[(1, 1), (13, 1), (1, 13), (13, 13)]);
        let mut vct = Vct::new(TableSize::megabytes(4));
        win_against_all(start, &mut vct, 0);
    }

    fn win_against_all(mut board: Board, vct: &mut Vct, depth: usize) {
        assert!(depth < 12, "the win gets nearer");
        let next = if let Some(five) = board.cells(Side::First, MoveClass::Five).first() {
            five
        } else {
            match vct.solve(&board, Side::First, &Limits::nodes(1_000_000)) {
                VctOutcome::Win(line) if !line.is_empty() => line[0],
                // Immediate: the unstoppable four.
                VctOutcome::Win(_) => {
                    board.cells(Side::First, MoveClass::OpenFour).first().unwrap()
                }
                other => panic!("the win is lost: {other:?}"),
            }
        };
        board.play(next);
        if board.winner().is_some() {
            return;
        }
        // Distant replies are all alike.
        board.candidates().for_each(|answer| {
            let mut after = board.clone();
            after.play(answer);
            if after.winner() != Some(Side::Second) {
                win_against_all(after, vct, depth + 1);
            } else {
                panic!("white won");
            }
        });
    }
}
