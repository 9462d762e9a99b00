//! Victory by continuous fours (VCF): every move of the attacker threatens five, so the defender
//! has one reply and the search goes deeper than a general one.
//!
//! The search is depth first and tries the best moves first. Whether a position has a VCF does not
//! depend on the order of its moves, so failed positions are stored in a small table and searched
//! once.

mod replay;

use tesuji_games::bits::mix;
use tesuji_games::{RowRule, Side};

use crate::board::Board;
use crate::cell::Cell;
use crate::class::MoveClass;
use crate::engine::moves::fives_blocking_cells;
use crate::pattern::LinePattern;

pub use replay::{VcfLineError, verify};

/// The result of a search for a victory by continuous fours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum VcfOutcome {
    /// The attacker's moves and the replies in turn, up to five. If no reply is legal (for black in
    /// renju), the line ends with the four. In caro a four may have several replies; the line shows
    /// the one that resists longest.
    Win(Vec<Cell>),
    /// There is no win, or none with the allowed number of fours.
    None,
    /// The nodes did not suffice.
    Unknown,
}

/// Entries of the table of failed positions: 8 MiB. Most positions recur.
const TABLE_ENTRIES: usize = 1 << 20;

/// A solver for victories by continuous fours. It keeps its table between searches.
#[derive(Clone, Debug)]
pub struct Vcf {
    /// Failed positions: the key, and in the lowest eight bits the greatest number of fours that
    /// failed, plus 1.
    failed: Box<[u64]>,
    /// A stack of the moves not yet tried at each node of the current line.
    moves: Vec<Cell>,
    /// The winning line, last move first.
    line: Vec<Cell>,
    salt: u64,
    nodes: u64,
    max_nodes: u64,
}

/// The result of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeResult {
    Won,
    /// No number of fours wins.
    Failed,
    /// The allowed number of fours does not win.
    TooFewFours,
    /// The nodes did not suffice.
    Stopped,
}

/// More fours than any search makes.
const ANY_NUMBER: u32 = 254;
const FOURS_MASK: u64 = 255;

/// The classes with a four, best first. A doubtful move may have only two threes.
const FOURS: [MoveClass; 5] = [
    MoveClass::OpenFour,
    MoveClass::FourThree,
    MoveClass::FourPlus,
    MoveClass::Doubtful,
    MoveClass::Four,
];

impl Default for Vcf {
    fn default() -> Self {
        Vcf::new()
    }
}

impl Vcf {
    /// Creates a solver with an empty table.
    pub fn new() -> Vcf {
        Vcf {
            failed: vec![0; TABLE_ENTRIES].into_boxed_slice(),
            moves: Vec::with_capacity(512),
            line: Vec::with_capacity(256),
            salt: 0,
            nodes: 0,
            max_nodes: 0,
        }
    }

    /// Searches for a win of `attacker`, to move on this board, by fours alone. Visits at most
    /// `max_nodes` positions. The line found need not be the shortest.
    pub fn solve(&mut self, board: &mut Board, attacker: Side, max_nodes: u64) -> VcfOutcome {
        self.solve_within(board, attacker, ANY_NUMBER, max_nodes)
    }

    /// Same as [`solve`](Vcf::solve), with at most `max_fours` fours before the five.
    pub fn solve_within(
        &mut self,
        board: &mut Board,
        attacker: Side,
        max_fours: u32,
        max_nodes: u64,
    ) -> VcfOutcome {
        (self.nodes, self.max_nodes) = (0, max_nodes);
        let result = self.search(board, attacker, max_fours.min(ANY_NUMBER));
        self.outcome(result)
    }

    /// Same as [`solve`](Vcf::solve), with the least number of fours (iterative deepening).
    pub fn shortest(&mut self, board: &mut Board, attacker: Side, max_nodes: u64) -> VcfOutcome {
        (self.nodes, self.max_nodes) = (0, max_nodes);
        let mut fours = 0;
        loop {
            match self.search(board, attacker, fours) {
                NodeResult::TooFewFours if fours < ANY_NUMBER => fours += 1,
                result => return self.outcome(result),
            }
        }
    }

    fn outcome(&self, result: NodeResult) -> VcfOutcome {
        match result {
            NodeResult::Won => VcfOutcome::Win(self.line.iter().rev().copied().collect()),
            NodeResult::Failed | NodeResult::TooFewFours => VcfOutcome::None,
            NodeResult::Stopped => VcfOutcome::Unknown,
        }
    }

    fn search(&mut self, board: &mut Board, attacker: Side, fours: u32) -> NodeResult {
        self.salt = salt(board);
        self.line.clear();
        if board.winner().is_some() {
            return NodeResult::Failed;
        }
        let passed = board.to_move() != attacker;
        if passed {
            board.pass();
        }
        let result = self.attack(board, fours);
        if passed {
            board.pass();
        }
        result
    }

    /// The number of positions that the last search visited.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Searches a node with the attacker to move and this many fours allowed.
    fn attack(&mut self, board: &mut Board, fours: u32) -> NodeResult {
        self.nodes += 1;
        if self.nodes > self.max_nodes {
            return NodeResult::Stopped;
        }
        let attacker = board.to_move();
        if board.count(attacker, MoveClass::Five) > 0 {
            self.line.extend(board.cells(attacker, MoveClass::Five).first());
            return NodeResult::Won;
        }
        let key = (board.key() ^ self.salt) & !FOURS_MASK;
        if let Some(result) = self.lookup(key, fours) {
            return result;
        }
        let result = self.try_fours(board, fours);
        match result {
            NodeResult::Failed => self.store(key, ANY_NUMBER),
            NodeResult::TooFewFours => self.store(key, fours),
            NodeResult::Won | NodeResult::Stopped => {}
        }
        result
    }

    /// The table's result for a key.
    #[inline]
    fn lookup(&self, key: u64, fours: u32) -> Option<NodeResult> {
        let entry = self.failed[table_index(key)];
        let failed_with = (entry & FOURS_MASK).checked_sub(1)?;
        match entry & !FOURS_MASK == key && failed_with >= u64::from(fours) {
            true if failed_with == u64::from(ANY_NUMBER) => Some(NodeResult::Failed),
            true => Some(NodeResult::TooFewFours),
            false => None,
        }
    }

    #[inline]
    fn store(&mut self, key: u64, failed_with: u32) {
        self.failed[table_index(key)] = key | u64::from(failed_with + 1);
    }

    fn try_fours(&mut self, board: &mut Board, fours: u32) -> NodeResult {
        let first = self.moves.len();
        self.push_fours(board);
        let mut result = NodeResult::Failed;
        if fours == 0 && self.moves.len() > first {
            result = NodeResult::TooFewFours;
            self.moves.truncate(first);
        }
        for n in first..self.moves.len() {
            match self.try_four(board, self.moves[n], fours - 1) {
                NodeResult::Failed => {}
                NodeResult::TooFewFours => result = NodeResult::TooFewFours,
                decided => {
                    result = decided;
                    break;
                }
            }
        }
        self.moves.truncate(first);
        result
    }

    fn try_four(&mut self, board: &mut Board, cell: Cell, fours_after: u32) -> NodeResult {
        board.play(cell);
        let result = self.reply_to_four(board, fours_after);
        board.undo();
        if result == NodeResult::Won {
            self.line.push(cell);
        }
        result
    }

    /// Pushes the attacker's moves that make a four and leave the defender no five.
    fn push_fours(&mut self, board: &Board) {
        let attacker = board.to_move();
        let threatened = board.cells(!attacker, MoveClass::Five);
        // One stone cannot block two fives, except in caro, where a stone may close the ends of
        // both.
        let must_block =
            board.rule() != RowRule::Caro && board.count(!attacker, MoveClass::Five) > 0;
        if must_block && board.count(!attacker, MoveClass::Five) > 1 {
            return;
        }
        for class in FOURS {
            if board.count(attacker, class) > 0 {
                board.cells(attacker, class).for_each(|cell| {
                    let blocks = !must_block || threatened.contains(cell);
                    if blocks
                        && (class != MoveClass::Doubtful || is_legal_four(board, attacker, cell))
                    {
                        self.moves.push(cell);
                    }
                });
            }
        }
    }

    /// Searches a node where the defender must block a five.
    fn reply_to_four(&mut self, board: &mut Board, fours: u32) -> NodeResult {
        let (attacker, defender) = (!board.to_move(), board.to_move());
        if board.count(defender, MoveClass::Five) > 0 {
            return NodeResult::Failed;
        }
        if board.rule() == RowRule::Caro {
            return self.reply_to_caro_four(board, fours);
        }
        let five = board.cells(attacker, MoveClass::Five).first();
        match five.filter(|&five| !board.is_forbidden(defender, five)) {
            Some(five) if board.count(attacker, MoveClass::Five) == 1 => {
                self.reply_at(board, five, fours)
            }
            _ => {
                self.push_five(board);
                NodeResult::Won
            }
        }
    }

    fn reply_at(&mut self, board: &mut Board, reply: Cell, fours: u32) -> NodeResult {
        board.play(reply);
        let result = self.attack(board, fours);
        board.undo();
        if result == NodeResult::Won {
            self.line.push(reply);
        }
        result
    }

    /// In caro a stone next to a potential five may also block it, so every blocking reply is
    /// tried. The line continues with the one that resists longest.
    fn reply_to_caro_four(&mut self, board: &mut Board, fours: u32) -> NodeResult {
        let start = self.line.len();
        let mut replies = Vec::new();
        fives_blocking_cells(board).for_each(|reply| replies.push(reply));
        for reply in replies {
            let end = self.line.len();
            let result = self.reply_at(board, reply, fours);
            if result != NodeResult::Won {
                self.line.truncate(start);
                return result;
            }
            if self.line.len() - end > end - start {
                self.line.drain(start..end);
            } else {
                self.line.truncate(end);
            }
        }
        if self.line.len() == start {
            self.push_five(board);
        }
        NodeResult::Won
    }

    /// No reply stops the attacker: the line continues with a legal one, if any, and the five.
    fn push_five(&mut self, board: &mut Board) {
        let (attacker, defender) = (!board.to_move(), board.to_move());
        let mut reply = None;
        board.cells(attacker, MoveClass::Five).for_each(|cell| {
            if reply.is_none() && !board.is_forbidden(defender, cell) {
                reply = Some(cell);
            }
        });
        if let Some(reply) = reply {
            board.play(reply);
            if let Some(five) = board.cells(attacker, MoveClass::Five).first() {
                self.line.extend([five, reply]);
            }
            board.undo();
        }
    }
}

#[inline]
fn table_index(key: u64) -> usize {
    (key >> 32) as usize % TABLE_ENTRIES
}

/// Separates the keys of different board sizes and rules.
fn salt(board: &Board) -> u64 {
    mix(board.rule() as u64 * 10_000 + board.width() as u64 * 100 + board.height() as u64)
}

/// Whether a move that makes two or more open threes also makes a four and is legal.
pub(crate) fn is_legal_four(board: &Board, side: Side, cell: Cell) -> bool {
    let is_four =
        |&pattern: &LinePattern| matches!(pattern, LinePattern::Four | LinePattern::OpenFour);
    board.patterns(side, cell).iter().any(is_four) && !board.is_forbidden(side, cell)
}
