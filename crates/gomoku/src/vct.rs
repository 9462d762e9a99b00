//! Victory by continuous threats: every move of the attacker threatens five or a four that cannot be stopped, so
//! that the other side must answer. Longer and wider than a victory by fours alone ([`vcf`](crate::vcf)).
//!
//! Seen as a game of its own ([`ThreatGame`]) in which whoever has no such move, or no answer, has lost, it is
//! left to the proof-number search that all games share. A proof holds in Gomoku too: the answers that are left out
//! lose. A disproof only says that threats alone do not win.

use tesuji_games::{Outcome, Position, Side};
use tesuji_search::proof::ProofVerdict;
use tesuji_search::{GameCapabilities, Limits, ProofSearch, TableSize};

use crate::board::Board;
use crate::cell::{CELL_NUMBERS, Cell, CellSet};
use crate::class::Class;
use crate::engine::moves::{Pressure, answers, fours};

/// The attacker makes threats, the other side answers them.
#[derive(Clone, Debug)]
pub struct ThreatGame {
    board: Board,
    attacker: Side,
}

impl ThreatGame {
    /// The attacker, to move on this board, looks for a win.
    pub fn new(board: &Board, attacker: Side) -> ThreatGame {
        let mut board = board.clone();
        if board.to_move() != attacker {
            board.pass();
        }
        ThreatGame { board, attacker }
    }

    /// Where the side to move may play.
    fn cells(&self) -> CellSet {
        let side = self.board.to_move();
        let pressure = Pressure::on(&self.board);
        match pressure {
            Pressure::Five | Pressure::OpenFour if side != self.attacker => {
                answers(&self.board, pressure)
            }
            Pressure::Five => answers(&self.board, pressure),
            _ if side == self.attacker => fours(&self.board).or(&threes(&self.board)),
            // There is no threat, so there is nothing to answer.
            _ => CellSet::NONE,
        }
    }

    /// The result as far as the numbers of cells tell it.
    fn at_sight(&self) -> Option<Side> {
        let (own, other) = (self.board.to_move(), !self.board.to_move());
        let count = |side, class| self.board.count(side, class) > 0;
        if self.board.winner().is_some() {
            return self.board.winner();
        }
        if count(own, Class::Five) {
            return Some(own);
        }
        if count(other, Class::Five) {
            return None;
        }
        if count(own, Class::OpenFour) {
            return Some(own);
        }
        let threatens = count(other, Class::OpenFour);
        (own != self.attacker && !threatens).then_some(own)
    }
}

/// Where the side to move makes an open three.
fn threes(board: &Board) -> CellSet {
    let side = board.to_move();
    let classes = [Class::OpenThree, Class::OpenThreePlus, Class::ThreeThree];
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
        let winner = self.at_sight().or_else(|| stuck().then(|| !self.board.to_move()));
        winner.map(Outcome::Win)
    }

    fn key(&self) -> u64 {
        self.board.key()
    }

    fn for_each_move(&self, mut each: impl FnMut(Cell)) {
        if self.at_sight().is_none() {
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

    fn move_indices(&self) -> usize {
        CELL_NUMBERS
    }
}

/// What a search for a victory by threats came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum VctOutcome {
    /// The attacker's moves and answers in turn, as far as they are known.
    Win(Vec<Cell>),
    /// There is none.
    None,
    /// The limits did not suffice to tell.
    Unknown,
}

/// A searcher for victories by threats.
pub struct Vct {
    search: ProofSearch<ThreatGame>,
    nodes: u64,
}

impl Vct {
    /// A searcher with this much memory for positions.
    pub fn new(table: TableSize) -> Vct {
        Vct { search: ProofSearch::with_capabilities(GameCapabilities::none(), table), nodes: 0 }
    }

    /// Whether `attacker`, to move on this board, wins by threats.
    pub fn solve(&mut self, board: &Board, attacker: Side, limits: &Limits) -> VctOutcome {
        let proof = self.search.prove(&ThreatGame::new(board, attacker), attacker, limits);
        self.nodes = proof.nodes;
        match proof.verdict {
            ProofVerdict::Proven => VctOutcome::Win(proof.line),
            ProofVerdict::Disproven => VctOutcome::None,
            ProofVerdict::Unknown => VctOutcome::Unknown,
        }
    }

    /// How many positions the last search looked at.
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

    /// Against every answer of the other side, also those that the search leaves out.
    #[test]
    fn a_proof_holds_against_all_answers() {
        let start =
            board(&[(5, 7), (6, 7), (8, 9), (8, 10)], &[(1, 1), (13, 1), (1, 13), (13, 13)]);
        let mut vct = Vct::new(TableSize::megabytes(4));
        win_against_all(start, &mut vct, 0);
    }

    fn win_against_all(mut board: Board, vct: &mut Vct, depth: usize) {
        assert!(depth < 12, "the win gets nearer");
        let next = if let Some(five) = board.cells(Side::First, Class::Five).first() {
            five
        } else {
            match vct.solve(&board, Side::First, &Limits::nodes(1_000_000)) {
                VctOutcome::Win(line) if !line.is_empty() => line[0],
                // At sight: the unstoppable four.
                VctOutcome::Win(_) => board.cells(Side::First, Class::OpenFour).first().unwrap(),
                other => panic!("no win any more: {other:?}"),
            }
        };
        board.play(next);
        if board.winner().is_some() {
            return;
        }
        // Far answers are all alike.
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
