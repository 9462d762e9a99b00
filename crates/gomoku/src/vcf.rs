//! Victory by continuous fours: every move of the attacker threatens five, so the other side has one answer
//! and the search goes deep where others cannot.
//!
//! Depth first, moves that promise most first. A position without such a victory has none by whichever order of
//! moves it was reached, so failed positions are remembered in a small table and looked at once.

use tesuji_games::Side;
use tesuji_games::bits::mix;

use crate::board::Board;
use crate::cell::Cell;
use crate::class::Class;
use crate::lines::Direction;
use crate::pattern::Pattern;
use crate::rule::Rule;

/// What a search for a victory by fours came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum VcfOutcome {
    /// The attacker's moves and the answers in turn, up to five. Where no answer is left that is legal (to black
    /// in renju), the line ends with the four. In caro a four may have several answers; the line shows
    /// one, and the search has refuted all.
    Win(Vec<Cell>),
    /// There is none.
    None,
    /// The nodes did not suffice to tell.
    Unknown,
}

/// Entries of the table of failed positions: 512 KiB.
const TABLE_ENTRIES: usize = 1 << 16;

/// A searcher for victories by fours. What it learnt about positions serves later searches too.
#[derive(Clone, Debug)]
pub struct Vcf {
    failed: Box<[u64]>,
    /// The moves still to be tried at every node on the way here, one after the other.
    moves: Vec<Cell>,
    /// The winning line, last move first.
    line: Vec<Cell>,
    salt: u64,
    nodes: u64,
    most_nodes: u64,
}

/// What is known about a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Won,
    Failed,
    Stopped,
}

/// The classes that contain a four, the most promising first. A doubtful one may be just two threes.
const FOURS: [Class; 5] =
    [Class::OpenFour, Class::FourThree, Class::FourPlus, Class::Doubtful, Class::Four];

impl Default for Vcf {
    fn default() -> Self {
        Vcf::new()
    }
}

impl Vcf {
    /// A searcher that knows nothing yet.
    pub fn new() -> Vcf {
        Vcf {
            failed: vec![0; TABLE_ENTRIES].into_boxed_slice(),
            moves: Vec::with_capacity(512),
            line: Vec::with_capacity(256),
            salt: 0,
            nodes: 0,
            most_nodes: 0,
        }
    }

    /// Whether `attacker`, to move on this board, wins by fours alone. Looks at `most_nodes` positions at most.
    pub fn solve(&mut self, board: &mut Board, attacker: Side, most_nodes: u64) -> VcfOutcome {
        (self.nodes, self.most_nodes) = (0, most_nodes);
        self.salt = salt(board);
        self.line.clear();
        if board.winner().is_some() {
            return VcfOutcome::None;
        }
        let passed = board.to_move() != attacker;
        if passed {
            board.pass();
        }
        let verdict = self.attack(board);
        if passed {
            board.pass();
        }
        match verdict {
            Verdict::Won => VcfOutcome::Win(self.line.iter().rev().copied().collect()),
            Verdict::Failed => VcfOutcome::None,
            Verdict::Stopped => VcfOutcome::Unknown,
        }
    }

    /// How many positions the last search looked at.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The attacker is to move.
    fn attack(&mut self, board: &mut Board) -> Verdict {
        self.nodes += 1;
        if self.nodes > self.most_nodes {
            return Verdict::Stopped;
        }
        let attacker = board.to_move();
        if let Some(five) = board.cells(attacker, Class::Five).first() {
            self.line.push(five);
            return Verdict::Won;
        }
        // The lowest bit tells an entry from an empty place.
        let key = (board.key() ^ self.salt) | 1;
        let place = (key >> 32) as usize % TABLE_ENTRIES;
        if self.failed[place] == key {
            return Verdict::Failed;
        }
        let verdict = self.try_fours(board);
        if verdict == Verdict::Failed {
            self.failed[place] = key;
        }
        verdict
    }

    fn try_fours(&mut self, board: &mut Board) -> Verdict {
        let first = self.moves.len();
        self.push_fours(board);
        let mut verdict = Verdict::Failed;
        for n in first..self.moves.len() {
            let cell = self.moves[n];
            board.play(cell);
            verdict = self.answer_four(board);
            board.undo();
            if verdict == Verdict::Won {
                self.line.push(cell);
            }
            if verdict != Verdict::Failed {
                break;
            }
        }
        self.moves.truncate(first);
        verdict
    }

    /// The attacker's moves that make a four and leave the other side no five.
    fn push_fours(&mut self, board: &Board) {
        let attacker = board.to_move();
        let threatened = board.cells(!attacker, Class::Five);
        // Two fives cannot be stopped by one stone, except in caro, where a stone may stand at the ends of both.
        let must_stop = board.rule() != Rule::Caro && board.count(!attacker, Class::Five) > 0;
        if must_stop && board.count(!attacker, Class::Five) > 1 {
            return;
        }
        for class in FOURS {
            if board.count(attacker, class) > 0 {
                board.cells(attacker, class).for_each(|cell| {
                    let stops = !must_stop || threatened.contains(cell);
                    if stops && (class != Class::Doubtful || is_legal_four(board, attacker, cell)) {
                        self.moves.push(cell);
                    }
                });
            }
        }
    }
    /// The other side is to move and must stop a five.
    fn answer_four(&mut self, board: &mut Board) -> Verdict {
        let (attacker, defender) = (!board.to_move(), board.to_move());
        if board.count(defender, Class::Five) > 0 {
            return Verdict::Failed;
        }
        if board.rule() == Rule::Caro {
            return self.answer_caro_four(board);
        }
        let five = board.cells(attacker, Class::Five).first();
        match five.filter(|&five| !board.is_forbidden(defender, five)) {
            Some(five) if board.count(attacker, Class::Five) == 1 => self.answer_on(board, five),
            _ => {
                self.push_five(board);
                Verdict::Won
            }
        }
    }

    fn answer_on(&mut self, board: &mut Board, answer: Cell) -> Verdict {
        board.play(answer);
        let verdict = self.attack(board);
        board.undo();
        if verdict == Verdict::Won {
            self.line.push(answer);
        }
        verdict
    }

    /// In caro a stone beside the five to be may stop it as well: every answer that stops it is tried.
    fn answer_caro_four(&mut self, board: &mut Board) -> Verdict {
        let mut shown = None;
        for answer in caro_answers(board) {
            let verdict = self.answer_on(board, answer);
            if verdict != Verdict::Won {
                self.line.truncate(shown.unwrap_or(self.line.len()));
                return verdict;
            }
            self.line.truncate(*shown.get_or_insert(self.line.len()));
        }
        if shown.is_none() {
            self.push_five(board);
        }
        Verdict::Won
    }

    /// No answer stops the attacker: the line goes on with one that is legal, if there is one, and five.
    fn push_five(&mut self, board: &mut Board) {
        let (attacker, defender) = (!board.to_move(), board.to_move());
        let mut answer = None;
        board.cells(attacker, Class::Five).for_each(|cell| {
            if answer.is_none() && !board.is_forbidden(defender, cell) {
                answer = Some(cell);
            }
        });
        if let Some(answer) = answer {
            board.play(answer);
            if let Some(five) = board.cells(attacker, Class::Five).first() {
                self.line.extend([five, answer]);
            }
            board.undo();
        }
    }
}

/// Boards of other sizes and rules have other victories.
fn salt(board: &Board) -> u64 {
    mix(board.rule() as u64 * 10_000 + board.width() as u64 * 100 + board.height() as u64)
}

/// Whether a stone that makes two open threes or more also makes a four, and is allowed.
fn is_legal_four(board: &Board, side: Side, cell: Cell) -> bool {
    let is_four = |&pattern: &Pattern| matches!(pattern, Pattern::Four | Pattern::OpenFour);
    board.patterns(side, cell).iter().any(is_four) && !board.is_forbidden(side, cell)
}

/// The answers after which the side that made a four has no five left.
fn caro_answers(board: &mut Board) -> Vec<Cell> {
    let attacker = !board.to_move();
    let mut answers = Vec::new();
    board.cells(attacker, Class::Five).for_each(|five| {
        answers.push(five);
        for direction in Direction::ALL {
            answers.extend(board.lines().empty_cells_around(direction, five));
        }
    });
    answers.sort_unstable();
    answers.dedup();
    answers.retain(|&answer| {
        board.play(answer);
        let stopped = board.count(attacker, Class::Five) == 0;
        board.undo();
        stopped
    });
    answers
}

/// Why a line is not a victory by fours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoVictory {
    /// A move cannot be played.
    #[error("move {ply} is {cell}, which cannot be played: {why}")]
    Illegal {
        /// Which move of the line, from 1.
        ply: usize,
        /// Where.
        cell: Cell,
        /// Why not.
        why: crate::BoardError,
    },
    /// A move of the attacker does not threaten five, or lets the other side make five.
    #[error("move {ply}, {cell}, does not force an answer")]
    NotForcing {
        /// Which move of the line, from 1.
        ply: usize,
        /// Where.
        cell: Cell,
    },
    /// An answer is not the one that stops five.
    #[error("move {ply}, {cell}, is not the answer that stops five")]
    NotTheAnswer {
        /// Which move of the line, from 1.
        ply: usize,
        /// Where.
        cell: Cell,
    },
    /// The line ends and nobody has won.
    #[error("the line ends before the win")]
    TooShort,
}

/// Plays a line of [`VcfOutcome::Win`] on a copy of the board and checks every move of it. In caro, where a four
/// may have several answers, only the answers of the line are checked.
pub fn verify(board: &Board, attacker: Side, line: &[Cell]) -> Result<(), NoVictory> {
    let mut board = board.clone();
    if board.to_move() != attacker {
        board.pass();
    }
    for (&cell, ply) in line.iter().zip(1..) {
        if board.to_move() != attacker && !is_answer(&board, cell) {
            return Err(NoVictory::NotTheAnswer { ply, cell });
        }
        board.try_play(cell).map_err(|why| NoVictory::Illegal { ply, cell, why })?;
        let (threats, counter) = (fives(&board, attacker), fives(&board, !attacker));
        if board.winner().is_none() && board.to_move() != attacker && (threats == 0 || counter > 0)
        {
            return Err(NoVictory::NotForcing { ply, cell });
        }
    }
    let cannot_be_stopped = || {
        let stop = board.cells(attacker, Class::Five).first();
        board.to_move() != attacker && stop.is_some_and(|cell| board.is_forbidden(!attacker, cell))
    };
    match board.winner() {
        Some(side) if side == attacker => Ok(()),
        None if cannot_be_stopped() => Ok(()),
        _ => Err(NoVictory::TooShort),
    }
}

fn fives(board: &Board, side: Side) -> usize {
    board.count(side, Class::Five)
}

/// Whether this is the answer to a four, or there is none.
fn is_answer(board: &Board, cell: Cell) -> bool {
    let threatened = board.cells(!board.to_move(), Class::Five);
    board.rule() == Rule::Caro || threatened.len() > 1 || threatened.contains(cell)
}
