//! Victory by continuous double threats (VCDT): every turn of the attacker makes threats that take
//! two stones to block, so the defender has no stone to spare, until a turn makes more threats than
//! two stones can block (Wu and Huang, 2005).
//!
//! The defender's replies can be tried one by one or all at once: it gets every stone that would
//! block a threat. An attack that wins even then also wins against each single reply with the same
//! turns, because additional stones never hurt; and there is one position to search instead of
//! three to nine.

mod threat_turns;

use std::time::Instant;

use tesuji_games::Side;
use tesuji_games::bits::mix;

use super::board::Connect6Board;
use super::threats::{Threat, ThreatCount, double_blocks, push_threats, threat_count};
use crate::cell::Cell;
use threat_turns::{ThreatTurn, ThreatTurnFinder};

/// The result of a search for a victory by continuous double threats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum VcdtOutcome {
    /// The stones of both sides in turn, up to six in a row, with one of the possible replies each
    /// time.
    Win(Vec<Cell>),
    /// There is no win, or none with the allowed number of turns.
    None,
    /// The nodes did not suffice.
    Unknown,
}

/// Which replies of the defender to search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReplyMode {
    /// All blocking stones at once: fast and sound, but it misses some wins.
    AllAtOnce,
    /// Every pair of stones that blocks all threats, one after the other.
    EachPair,
}

/// The result of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NodeResult {
    Won,
    Failed,
    TooFewTurns,
    Stopped,
}

/// Entries of the table of failed positions: 512 KiB.
const TABLE_ENTRIES: usize = 1 << 16;
/// Marks a position that fails with any number of turns.
const ANY_NUMBER: u32 = 254;
const TURNS_MASK: u64 = 255;
/// Nodes between two checks of the deadline.
const NODES_BETWEEN_CHECKS: u64 = 32;

/// A solver for victories by continuous double threats. It keeps its table between searches.
#[derive(Clone, Debug)]
pub struct Vcdt {
    /// Failed positions: the key, and in the lowest eight bits the greatest number of turns that
    /// failed, plus 1.
    failed: Box<[u64]>,
    finder: ThreatTurnFinder,
    /// A stack of the turns not yet tried at each node of the current line.
    turns: Vec<ThreatTurn>,
    /// The winning line, last stone first.
    line: Vec<Cell>,
    replies: ReplyMode,
    salt: u64,
    nodes: u64,
    max_nodes: u64,
    deadline: Option<Instant>,
}

impl Default for Vcdt {
    fn default() -> Self {
        Vcdt::new()
    }
}

impl Vcdt {
    /// Creates a solver with an empty table.
    pub fn new() -> Vcdt {
        Vcdt {
            failed: vec![0; TABLE_ENTRIES].into(),
            finder: ThreatTurnFinder::default(),
            turns: Vec::with_capacity(1024),
            line: Vec::with_capacity(64),
            replies: ReplyMode::AllAtOnce,
            salt: 0,
            nodes: 0,
            max_nodes: 0,
            deadline: None,
        }
    }

    /// Searches for a win of `attacker`, which has a whole turn, with at most `max_turns` turns of
    /// threats before the one that fills a window. Visits at most `max_nodes` positions, by
    /// iterative deepening.
    pub fn solve(
        &mut self,
        board: &mut Connect6Board,
        attacker: Side,
        replies: ReplyMode,
        (max_turns, max_nodes): (u32, u64),
    ) -> VcdtOutcome {
        (self.nodes, self.max_nodes) = (0, max_nodes);
        self.replies = replies;
        self.salt = salt(board, attacker, replies);
        let mut turns = 0;
        loop {
            self.line.clear();
            match self.search_node(board, attacker, turns) {
                NodeResult::TooFewTurns if turns < max_turns.min(ANY_NUMBER) => turns += 1,
                NodeResult::Won => {
                    return VcdtOutcome::Win(self.line.iter().rev().copied().collect());
                }
                NodeResult::Stopped => return VcdtOutcome::Unknown,
                NodeResult::Failed | NodeResult::TooFewTurns => return VcdtOutcome::None,
            }
        }
    }

    /// Sets the time at which searches stop.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// The number of positions that the last search visited.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Searches a node with the attacker to move and this many turns of threats allowed.
    fn search_node(&mut self, board: &mut Connect6Board, attacker: Side, turns: u32) -> NodeResult {
        self.nodes += 1;
        if self.nodes > self.max_nodes || self.is_late() {
            return NodeResult::Stopped;
        }
        if board.winner().is_some() || board.empty_cells() < 2 {
            return NodeResult::Failed;
        }
        if let Some((one, another)) = board.winning_stones(attacker, 2) {
            self.line.push(another);
            if one != another {
                self.line.push(one);
            }
            return NodeResult::Won;
        }
        let key = (board.key() ^ self.salt) & !TURNS_MASK;
        if let Some(result) = self.lookup(key, turns) {
            return result;
        }
        let result = self.try_turns(board, attacker, turns);
        match result {
            NodeResult::Failed => self.store(key, ANY_NUMBER),
            NodeResult::TooFewTurns => self.store(key, turns),
            NodeResult::Won | NodeResult::Stopped => {}
        }
        result
    }

    fn is_late(&self) -> bool {
        let is_check_due = self.nodes.is_multiple_of(NODES_BETWEEN_CHECKS);
        is_check_due && self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn lookup(&self, key: u64, turns: u32) -> Option<NodeResult> {
        let entry = self.failed[table_index(key)];
        let failed_with = (entry & TURNS_MASK).checked_sub(1)?;
        match entry & !TURNS_MASK == key && failed_with >= u64::from(turns) {
            true if failed_with == u64::from(ANY_NUMBER) => Some(NodeResult::Failed),
            true => Some(NodeResult::TooFewTurns),
            false => None,
        }
    }

    fn store(&mut self, key: u64, failed_with: u32) {
        self.failed[table_index(key)] = key | u64::from(failed_with + 1);
    }

    fn try_turns(&mut self, board: &mut Connect6Board, attacker: Side, turns: u32) -> NodeResult {
        let first = self.turns.len();
        self.finder.push_turns(board, attacker, &mut self.turns);
        let result = self.try_turns_from(board, attacker, first, turns);
        self.turns.truncate(first);
        result
    }

    fn try_turns_from(
        &mut self,
        board: &mut Connect6Board,
        attacker: Side,
        first: usize,
        turns: u32,
    ) -> NodeResult {
        if self.turns.len() == first {
            return NodeResult::Failed;
        }
        if turns == 0 {
            return NodeResult::TooFewTurns;
        }
        let mut result = NodeResult::Failed;
        for n in first..self.turns.len() {
            match self.try_turn(board, attacker, self.turns[n], turns - 1) {
                NodeResult::Failed => {}
                NodeResult::TooFewTurns => result = NodeResult::TooFewTurns,
                decided => return decided,
            }
        }
        result
    }

    fn try_turn(
        &mut self,
        board: &mut Connect6Board,
        attacker: Side,
        turn: ThreatTurn,
        turns_after: u32,
    ) -> NodeResult {
        if turns_after == 0 && turn.threat_count < ThreatCount::ThreeOrMore {
            return NodeResult::TooFewTurns;
        }
        let (one, another) = turn.cells;
        board.add_stone(attacker, one);
        board.add_stone(attacker, another);
        let mut threats = Vec::new();
        push_threats(board, attacker, &mut threats);
        let result = match (threat_count(&threats), self.replies) {
            (ThreatCount::ThreeOrMore, _) => self.push_win(&threats),
            (_, ReplyMode::AllAtOnce) => {
                self.reply_with_all(board, attacker, &threats, turns_after)
            }
            (_, ReplyMode::EachPair) => {
                self.reply_with_each_pair(board, attacker, &threats, turns_after)
            }
        };
        board.remove_stone(attacker, another);
        board.remove_stone(attacker, one);
        if result == NodeResult::Won {
            self.line.extend([another, one]);
        }
        result
    }

    /// No two stones block all threats: the line continues with two that block some, and six in a
    /// row.
    fn push_win(&mut self, threats: &[Threat]) -> NodeResult {
        let Some(first) = threats.first() else { return NodeResult::Failed };
        let second = threats.iter().find(|threat| !threat.contains(first.0)).unwrap_or(first);
        let is_blocked = |threat: &&Threat| threat.contains(first.0) || threat.contains(second.0);
        let Some(open) = threats.iter().find(|threat| !is_blocked(threat)) else {
            return NodeResult::Failed;
        };
        self.line.push(open.1);
        if open.0 != open.1 {
            self.line.push(open.0);
        }
        self.line.extend([second.0, first.0]);
        NodeResult::Won
    }

    fn reply_with_all(
        &mut self,
        board: &mut Connect6Board,
        attacker: Side,
        threats: &[Threat],
        turns: u32,
    ) -> NodeResult {
        let mut cells = Vec::new();
        for threat in threats {
            for cell in [threat.0, threat.1] {
                if !cells.contains(&cell) {
                    board.add_stone(!attacker, cell);
                    cells.push(cell);
                }
            }
        }
        let result = self.search_node(board, attacker, turns);
        for &cell in cells.iter().rev() {
            board.remove_stone(!attacker, cell);
        }
        if result == NodeResult::Won
            && let Some(&(one, another)) = double_blocks(threats).first()
        {
            self.line.extend([another, one]);
        }
        result
    }

    fn reply_with_each_pair(
        &mut self,
        board: &mut Connect6Board,
        attacker: Side,
        threats: &[Threat],
        turns: u32,
    ) -> NodeResult {
        let start = self.line.len();
        for (one, another) in double_blocks(threats) {
            self.line.truncate(start);
            board.add_stone(!attacker, one);
            board.add_stone(!attacker, another);
            let result = self.search_node(board, attacker, turns);
            board.remove_stone(!attacker, another);
            board.remove_stone(!attacker, one);
            if result != NodeResult::Won {
                return result;
            }
            self.line.extend([another, one]);
        }
        NodeResult::Won
    }
}

fn table_index(key: u64) -> usize {
    (key >> 32) as usize % TABLE_ENTRIES
}

/// Separates the keys of different board sizes, attackers and reply modes.
fn salt(board: &Connect6Board, attacker: Side, replies: ReplyMode) -> u64 {
    let size = board.width() as u64 * 100 + board.height() as u64;
    mix(size << 2 | (attacker as u64) << 1 | replies as u64)
}
