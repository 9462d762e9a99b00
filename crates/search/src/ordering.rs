//! Move ordering: alpha-beta prunes most when the best move is searched first. One stack holds the
//! moves of all nodes on the path from the root, so no node allocates. Moves are selected one at a
//! time, since most nodes need only the first few.

use std::ops::Range;

use tesuji_games::{Position, Side};

use crate::Evaluator;
use crate::limits::MAX_DEPTH;

/// The ordering of moves in a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MoveOrdering {
    /// As the rules generate them.
    Off,
    /// By the evaluator's [`order`](Evaluator::order), by default the game's own.
    Game,
    /// The table's move, killer moves, then the evaluator's order, with history for ties. (History
    /// above the game's order costs a fifth more nodes on Connect Four at depth 14.)
    #[default]
    Full,
}

/// After this number of moves without a cutoff, the remaining moves are not ordered: all will
/// probably be searched, and repeated selection from hundreds costs more than it saves.
const MAX_SELECTED: usize = 12;

const TABLE_MOVE: i32 = i32::MAX;
const KILLERS: [i32; 2] = [i32::MAX - 1, i32::MAX - 2];
/// Counts are halved when one reaches this limit.
const HISTORY_LIMIT: i32 = 1 << 10;
/// The limit of an ordering score; its product with [`HISTORY_LIMIT`] stays below the killers.
const MOVE_SCORE_LIMIT: i32 = 1 << 20;

/// The moves of all nodes on the path, with their ranks.
#[derive(Clone, Debug)]
pub(crate) struct MovePicker<P: Position> {
    ordering: MoveOrdering,
    /// Whether the moves on the stack were generated in order, so that none needs to be selected.
    generated_in_order: bool,
    stack: Vec<(P::Move, i32)>,
    /// Per ply, the two moves that most recently caused a cutoff in a sibling node (Huberman,
    /// 1968).
    killers: Vec<[Option<P::Move>; 2]>,
    /// How often a move caused a cutoff anywhere in the tree; deep cutoffs count more (Schaeffer,
    /// 1983).
    history: [Vec<i32>; 2],
}

impl<P: Position> MovePicker<P> {
    pub(crate) fn new(position: &P, ordering: MoveOrdering) -> Self {
        let mut picker = MovePicker {
            ordering,
            generated_in_order: false,
            stack: Vec::new(),
            killers: vec![[None; 2]; MAX_DEPTH as usize + 2],
            history: [Vec::new(), Vec::new()],
        };
        picker.prepare(position);
        picker
    }

    /// Prepares a new search: clears the killers and halves the history.
    pub(crate) fn prepare(&mut self, position: &P) {
        self.stack.clear();
        self.killers.fill([None; 2]);
        if self.ordering == MoveOrdering::Full {
            for counts in &mut self.history {
                counts.resize(position.num_move_indices(), 0);
                halve(counts);
            }
        }
    }

    /// Clears killers and history.
    pub(crate) fn forget(&mut self) {
        self.killers.fill([None; 2]);
        self.history.iter_mut().for_each(|counts| counts.fill(0));
    }

    /// Pushes the evaluator's candidates with their ranks; returns their range on the stack.
    #[inline]
    pub(crate) fn push<E: Evaluator<P>>(
        &mut self,
        position: &P,
        evaluator: &mut E,
        ply: u32,
        table_move: Option<u16>,
    ) -> Range<usize> {
        let base = self.stack.len();
        let stack = &mut self.stack;
        match self.ordering {
            MoveOrdering::Off => evaluator.for_each_candidate(position, |_, m| stack.push((m, 0))),
            MoveOrdering::Game => {
                self.generated_in_order =
                    evaluator.for_each_candidate_in_order(position, |_, m| stack.push((m, 0)));
                if !self.generated_in_order {
                    evaluator.for_each_candidate(position, |evaluator, m| {
                        stack.push((m, evaluator.order(position, m)));
                    });
                }
            }
            MoveOrdering::Full => {
                let killers = self.killers[ply as usize];
                let history = &self.history[position.to_move().index()];
                evaluator.for_each_candidate(position, |evaluator, m| {
                    let index = position.move_index(m);
                    let rank = if table_move == Some(index as u16) {
                        TABLE_MOVE
                    } else if killers[0] == Some(m) {
                        KILLERS[0]
                    } else if killers[1] == Some(m) {
                        KILLERS[1]
                    } else {
                        let move_score = evaluator.order(position, m);
                        let move_score = move_score.clamp(-MOVE_SCORE_LIMIT, MOVE_SCORE_LIMIT);
                        move_score * HISTORY_LIMIT + history[index]
                    };
                    stack.push((m, rank));
                });
            }
        }
        base..self.stack.len()
    }

    /// Moves the best of the remaining moves to index `next` and returns it. Moves of equal rank
    /// keep their order.
    #[inline]
    pub(crate) fn pick(&mut self, all: &Range<usize>, next: usize) -> P::Move {
        if self.selects() && next - all.start < MAX_SELECTED {
            let rest = &mut self.stack[next..all.end];
            let mut best = 0;
            for i in 1..rest.len() {
                if rest[i].1 > rest[best].1 {
                    best = i;
                }
            }
            if best > 0 {
                rest[..=best].rotate_right(1);
            }
        }
        self.stack[next].0
    }

    /// Whether moves are selected by rank; otherwise they are searched as they are on the stack.
    #[inline]
    fn selects(&self) -> bool {
        self.ordering != MoveOrdering::Off && !self.generated_in_order
    }

    /// Stores a deferred move at the index of a move that was already selected.
    #[inline]
    pub(crate) fn defer(&mut self, index: usize, m: P::Move) {
        self.stack[index].0 = m;
    }

    /// The move at an index of the stack.
    #[inline]
    pub(crate) fn at(&self, index: usize) -> P::Move {
        self.stack[index].0
    }

    /// Moves `m` to the front of its node.
    pub(crate) fn bring_to_front(&mut self, all: &Range<usize>, m: P::Move) {
        let selects = self.selects();
        let moves = &mut self.stack[all.clone()];
        let Some(index) = moves.iter().position(|entry| entry.0 == m) else { return };
        if selects {
            moves[index].1 = TABLE_MOVE;
        } else {
            moves[..=index].rotate_right(1);
        }
    }

    #[inline]
    pub(crate) fn pop(&mut self, all: Range<usize>) {
        self.stack.truncate(all.start);
    }

    /// Rewards `m` for a cutoff.
    #[inline]
    pub(crate) fn reward_cutoff(&mut self, position: &P, m: P::Move, depth: u32, ply: u32) {
        if self.ordering != MoveOrdering::Full {
            return;
        }
        let killers = &mut self.killers[ply as usize];
        if killers[0] != Some(m) {
            *killers = [Some(m), killers[0]];
        }
        self.reward_history(position.to_move(), position.move_index(m), depth);
    }

    #[inline]
    fn reward_history(&mut self, side: Side, index: usize, depth: u32) {
        let counts = &mut self.history[side.index()];
        counts[index] += (depth * depth).min(HISTORY_LIMIT as u32 / 2) as i32;
        if counts[index] >= HISTORY_LIMIT {
            halve(counts);
        }
    }
}

#[cold]
fn halve(counts: &mut [i32]) {
    counts.iter_mut().for_each(|count| *count /= 2);
}
