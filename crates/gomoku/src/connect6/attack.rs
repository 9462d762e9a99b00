//! Wins by threats alone: every turn of the attacker makes threats that take two stones to stop, so the other side
//! has no stone to spare, until a turn makes more threats than two stones can stop. (Wu and Huang, 2005, call
//! it victory by continuous double threats.)
//!
//! The other side's answers can be tried one by one, or all at once: it is given every stone that would stop a
//! threat. Who wins even then wins against each single answer with the same turns, because more stones never
//! hurt; and there is one position to look at instead of three to nine.

mod turns;

use std::time::Instant;

use tesuji_games::Side;
use tesuji_games::bits::mix;

use super::board::Board;
use super::threats::{Blocks, Gap, blocks, double_stops, push_gaps};
use crate::cell::Cell;
use turns::{Finder, Threatening};

/// What a search for a win by threats came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AttackOutcome {
    /// The stones of both sides in turn, up to six in a row. The answers are some of those possible.
    Win(Vec<Cell>),
    /// There is none, or none with as few turns as were allowed.
    None,
    /// The nodes did not suffice to tell.
    Unknown,
}

/// Which answers are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Replies {
    /// All stones that stop a threat, at once: quick, and a win found is a win, but some wins are not found.
    AllAtOnce,
    /// Every pair that stops all threats, one after the other.
    EachPair,
}

/// What is known about a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Won,
    Failed,
    TooFewTurns,
    Stopped,
}

/// Entries of the table of failed positions: 512 KiB.
const TABLE_ENTRIES: usize = 1 << 16;
/// Failed with however many turns.
const ANY_NUMBER: u32 = 254;
const TURNS_MASK: u64 = 255;
/// How often the deadline is looked at.
const NODES_BETWEEN_LOOKS: u64 = 32;

/// A searcher for wins by threats. What it learnt about positions serves later searches too.
#[derive(Clone, Debug)]
pub struct Attack {
    /// Where a position failed: its key, and in the lowest eight bits with how many turns at most, plus 1.
    failed: Box<[u64]>,
    finder: Finder,
    /// The turns still to be tried at every node on the way here, one after the other.
    turns: Vec<Threatening>,
    /// The winning line, last stone first.
    line: Vec<Cell>,
    replies: Replies,
    salt: u64,
    nodes: u64,
    most_nodes: u64,
    deadline: Option<Instant>,
}

impl Default for Attack {
    fn default() -> Self {
        Attack::new()
    }
}

impl Attack {
    /// A searcher that knows nothing yet.
    pub fn new() -> Attack {
        Attack {
            failed: vec![0; TABLE_ENTRIES].into(),
            finder: Finder::default(),
            turns: Vec::with_capacity(1024),
            line: Vec::with_capacity(64),
            replies: Replies::AllAtOnce,
            salt: 0,
            nodes: 0,
            most_nodes: 0,
            deadline: None,
        }
    }

    /// Whether `attacker`, about to put two stones, wins with at most `most_turns` turns of threats before the one
    /// that fills a window. Looks at `most_nodes` positions at most, at short wins first.
    pub fn solve(
        &mut self,
        board: &mut Board,
        attacker: Side,
        replies: Replies,
        (most_turns, most_nodes): (u32, u64),
    ) -> AttackOutcome {
        (self.nodes, self.most_nodes) = (0, most_nodes);
        self.replies = replies;
        self.salt = salt(board, attacker, replies);
        let mut turns = 0;
        loop {
            self.line.clear();
            match self.attack(board, attacker, turns) {
                Verdict::TooFewTurns if turns < most_turns.min(ANY_NUMBER) => turns += 1,
                Verdict::Won => {
                    return AttackOutcome::Win(self.line.iter().rev().copied().collect());
                }
                Verdict::Stopped => return AttackOutcome::Unknown,
                Verdict::Failed | Verdict::TooFewTurns => return AttackOutcome::None,
            }
        }
    }

    /// No search goes on after this moment.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// How many positions the last search looked at.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The attacker is to move and may make threats on this many turns.
    fn attack(&mut self, board: &mut Board, attacker: Side, turns: u32) -> Verdict {
        self.nodes += 1;
        if self.nodes > self.most_nodes || self.is_late() {
            return Verdict::Stopped;
        }
        if board.winner().is_some() || board.empty_cells() < 2 {
            return Verdict::Failed;
        }
        if let Some((one, another)) = board.winning_stones(attacker, 2) {
            self.line.push(another);
            if one != another {
                self.line.push(one);
            }
            return Verdict::Won;
        }
        let key = (board.key() ^ self.salt) & !TURNS_MASK;
        if let Some(verdict) = self.known(key, turns) {
            return verdict;
        }
        let verdict = self.try_turns(board, attacker, turns);
        match verdict {
            Verdict::Failed => self.remember(key, ANY_NUMBER),
            Verdict::TooFewTurns => self.remember(key, turns),
            Verdict::Won | Verdict::Stopped => {}
        }
        verdict
    }

    fn is_late(&self) -> bool {
        let look = self.nodes.is_multiple_of(NODES_BETWEEN_LOOKS);
        look && self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn known(&self, key: u64, turns: u32) -> Option<Verdict> {
        let entry = self.failed[place(key)];
        let failed_with = (entry & TURNS_MASK).checked_sub(1)?;
        match entry & !TURNS_MASK == key && failed_with >= u64::from(turns) {
            true if failed_with == u64::from(ANY_NUMBER) => Some(Verdict::Failed),
            true => Some(Verdict::TooFewTurns),
            false => None,
        }
    }

    fn remember(&mut self, key: u64, failed_with: u32) {
        self.failed[place(key)] = key | u64::from(failed_with + 1);
    }

    fn try_turns(&mut self, board: &mut Board, attacker: Side, turns: u32) -> Verdict {
        let first = self.turns.len();
        self.finder.push_turns(board, attacker, &mut self.turns);
        let verdict = self.try_turns_from(board, attacker, first, turns);
        self.turns.truncate(first);
        verdict
    }

    fn try_turns_from(
        &mut self,
        board: &mut Board,
        attacker: Side,
        first: usize,
        turns: u32,
    ) -> Verdict {
        if self.turns.len() == first {
            return Verdict::Failed;
        }
        if turns == 0 {
            return Verdict::TooFewTurns;
        }
        let mut verdict = Verdict::Failed;
        for n in first..self.turns.len() {
            match self.try_turn(board, attacker, self.turns[n], turns - 1) {
                Verdict::Failed => {}
                Verdict::TooFewTurns => verdict = Verdict::TooFewTurns,
                decided => return decided,
            }
        }
        verdict
    }

    fn try_turn(
        &mut self,
        board: &mut Board,
        attacker: Side,
        turn: Threatening,
        turns_after: u32,
    ) -> Verdict {
        if turns_after == 0 && turn.blocks < Blocks::Lost {
            return Verdict::TooFewTurns;
        }
        let (one, another) = turn.cells;
        board.put(attacker, one);
        board.put(attacker, another);
        let mut gaps = Vec::new();
        push_gaps(board, attacker, &mut gaps);
        let verdict = match (blocks(&gaps), self.replies) {
            (Blocks::Lost, _) => self.win_over(&gaps),
            (_, Replies::AllAtOnce) => self.answer_at_once(board, attacker, &gaps, turns_after),
            (_, Replies::EachPair) => self.answer_each(board, attacker, &gaps, turns_after),
        };
        board.take(attacker, another);
        board.take(attacker, one);
        if verdict == Verdict::Won {
            self.line.extend([another, one]);
        }
        verdict
    }

    /// No two stones stop all of these: the line goes on with two that stop some, and six in a row.
    fn win_over(&mut self, gaps: &[Gap]) -> Verdict {
        let Some(first) = gaps.first() else { return Verdict::Failed };
        let second = gaps.iter().find(|gap| !gap.has(first.0)).unwrap_or(first);
        let stopped = |gap: &&Gap| gap.has(first.0) || gap.has(second.0);
        let Some(open) = gaps.iter().find(|gap| !stopped(gap)) else { return Verdict::Failed };
        self.line.push(open.1);
        if open.0 != open.1 {
            self.line.push(open.0);
        }
        self.line.extend([second.0, first.0]);
        Verdict::Won
    }

    fn answer_at_once(
        &mut self,
        board: &mut Board,
        attacker: Side,
        gaps: &[Gap],
        turns: u32,
    ) -> Verdict {
        let mut cells = Vec::new();
        for gap in gaps {
            for cell in [gap.0, gap.1] {
                if !cells.contains(&cell) {
                    board.put(!attacker, cell);
                    cells.push(cell);
                }
            }
        }
        let verdict = self.attack(board, attacker, turns);
        for &cell in cells.iter().rev() {
            board.take(!attacker, cell);
        }
        if verdict == Verdict::Won
            && let Some(&(one, another)) = double_stops(gaps).first()
        {
            self.line.extend([another, one]);
        }
        verdict
    }

    fn answer_each(
        &mut self,
        board: &mut Board,
        attacker: Side,
        gaps: &[Gap],
        turns: u32,
    ) -> Verdict {
        let start = self.line.len();
        for (one, another) in double_stops(gaps) {
            self.line.truncate(start);
            board.put(!attacker, one);
            board.put(!attacker, another);
            let verdict = self.attack(board, attacker, turns);
            board.take(!attacker, another);
            board.take(!attacker, one);
            if verdict != Verdict::Won {
                return verdict;
            }
            self.line.extend([another, one]);
        }
        Verdict::Won
    }
}

fn place(key: u64) -> usize {
    (key >> 32) as usize % TABLE_ENTRIES
}

/// Boards of other sizes, other attackers and other ways to answer have other wins.
fn salt(board: &Board, attacker: Side, replies: Replies) -> u64 {
    let size = board.width() as u64 * 100 + board.height() as u64;
    mix(size << 2 | (attacker as u64) << 1 | replies as u64)
}
