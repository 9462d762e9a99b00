//! A null-window alpha-beta search: does the side to move reach a given score? The result is a
//! bound of the score, at least the goal or below it.
//!
//! Each move is first followed through its forced replies; moves decided by this never become
//! nodes. The remaining moves are all looked up in the table before any is searched (enhanced
//! transposition cutoffs, Schaeffer and Plaat, 1996), then searched in the order of the threats
//! they make.

use std::sync::atomic::Ordering::Relaxed;

use tesuji_games::rules::connect4::{Bits, Geometry};

use super::board::{Board, Stones};
use super::busy_marks::{BusyMarks, UNMARKED};
use super::follow_up::QuietPosition;
use super::table::{BoundsTable, ScoreBounds, TableWord};

/// A position with a choice: neither side wins with its next stone, and the mover has two moves or
/// more.
#[derive(Clone, Copy)]
struct Node<B> {
    quiet: QuietPosition<B>,
    code: B,
    /// The result of the table look-up.
    lookup: TableLookup,
    /// Whether the mover is the side whose node this is: forced moves may have changed the side to
    /// move.
    same_mover: bool,
    /// The move-ordering score among its siblings.
    move_score: i32,
}

#[derive(Clone, Copy)]
enum TableLookup {
    Pending,
    Missing,
    Found(ScoreBounds),
}

/// The result of playing out the forced moves of a position.
enum Forced<B> {
    /// A bound of the score that decides the search.
    Decided(i32),
    /// A position with a choice.
    Open(Node<B>),
}

/// When a search ends without a result.
pub(super) struct Budget<'a> {
    /// After this many nodes.
    pub(super) nodes: u64,
    /// Called from time to time with the number of nodes since the last call.
    pub(super) is_reached: &'a dyn Fn(u64) -> bool,
}

/// The number of nodes between two checks of the limits.
const CHECK_INTERVAL: u64 = 1024;
/// With fewer empty cells than this, moves are not looked up in the table: searching them is as
/// fast. (Measured on 7x6: 12 to 18 make little difference.)
const MIN_EMPTY_FOR_LOOKUP: i32 = 14;

/// The ordering score of a move that has been searched.
const SEARCHED: i32 = i32::MIN;
/// Orders a move that another thread is searching after all others.
const DEFERRED: i32 = -1_000_000;
/// Positions with fewer empty cells are too cheap to mark for other threads.
const MIN_EMPTY_FOR_MARK: i32 = 14;

/// A search in progress.
pub(super) struct NullWindowSearch<'a, G: Geometry<Bits: TableWord>> {
    board: Board<G>,
    table: &'a BoundsTable<G::Bits>,
    budget: Budget<'a>,
    /// The undecided moves of all nodes from the root to the current one, as one stack.
    moves_stack: Vec<Node<G::Bits>>,
    nodes: u64,
    next_check: u64,
    last_check: u64,
    stopped: bool,
    /// The marks shared with other threads, if there are any.
    marks: Option<&'a BusyMarks>,
}

impl<'a, G: Geometry<Bits: TableWord>> NullWindowSearch<'a, G> {
    pub(super) fn new(
        board: Board<G>,
        table: &'a BoundsTable<G::Bits>,
        budget: Budget<'a>,
        marks: Option<&'a BusyMarks>,
    ) -> Self {
        let next_check = budget.nodes.min(CHECK_INTERVAL);
        NullWindowSearch {
            board,
            table,
            budget,
            moves_stack: Vec::with_capacity(256),
            nodes: 0,
            next_check,
            last_check: 0,
            stopped: false,
            marks,
        }
    }

    /// Returns a bound of the score, at least `goal` or below it; `None` when the budget ends the
    /// search. The mover must not have a move that wins at once.
    pub(super) fn search(&mut self, stones: Stones<G::Bits>, goal: i32) -> Option<i32> {
        let ply = stones.mask.count() as i32;
        let threats = self.board.threats(stones.other(), stones.mask);
        let bound = match self.forced(QuietPosition { stones, threats, ply }, goal) {
            Forced::Decided(bound) => bound,
            Forced::Open(node) if node.same_mover => self.bound(&node, goal),
            Forced::Open(node) => -self.bound(&node, 1 - goal),
        };
        let result = (!self.stopped).then_some(bound);
        self.check_limits();
        result
    }

    /// Plays moves while only one does not lose at once. The mover has no move that wins at once;
    /// `goal` and the returned bound are from the point of view of the given position's mover.
    #[inline(always)]
    fn forced(&self, mut quiet: QuietPosition<G::Bits>, mut goal: i32) -> Forced<G::Bits> {
        let board = &self.board;
        let mut sign = 1;
        loop {
            let QuietPosition { stones, threats, ply } = quiet;
            let playable = board.playable(stones.mask);
            let not_below_threat = playable & !(threats >> 1);
            let must_answer = playable & threats;
            let moves = if must_answer == G::Bits::ZERO {
                not_below_threat
            } else if has_one(must_answer) {
                must_answer & not_below_threat
            } else {
                G::Bits::ZERO
            };
            if moves == G::Bits::ZERO {
                let full = playable == G::Bits::ZERO;
                return Forced::Decided(if full { 0 } else { -board.win_at(ply + 2) } * sign);
            }
            // Neither side wins with the next stone, so these are the earliest possible results.
            let highest = board.win_at(ply + 3);
            if highest < goal {
                return Forced::Decided(highest * sign);
            }
            let lowest = -board.win_at(ply + 4);
            if lowest >= goal {
                return Forced::Decided(lowest * sign);
            }
            if has_one(moves) {
                let next = stones.after(moves);
                let threats = board.threats(next.other(), next.mask);
                quiet = QuietPosition { stones: next, threats, ply: ply + 1 };
                goal = 1 - goal;
                sign = -sign;
                continue;
            }
            let side_that_must_win = if goal > 0 { stones.own } else { stones.other() };
            if !board.can_win(side_that_must_win, stones.mask) {
                return Forced::Decided(0);
            }
            let bound = board.follow_up_bound(quiet, goal);
            if bound < goal {
                return Forced::Decided(bound * sign);
            }
            let code = board.code(stones);
            self.table.prefetch(code);
            let same_mover = sign > 0;
            return Forced::Open(Node {
                quiet,
                code,
                lookup: TableLookup::Pending,
                same_mover,
                move_score: 0,
            });
        }
    }

    fn bound(&mut self, node: &Node<G::Bits>, goal: i32) -> i32 {
        if self.count_node() {
            return 0;
        }
        let first = self.moves_stack.len();
        let bound = self.search_node(node, goal, first);
        self.moves_stack.truncate(first);
        bound
    }

    #[inline(always)]
    fn search_node(&mut self, node: &Node<G::Bits>, goal: i32, first: usize) -> i32 {
        let ply = node.quiet.ply;
        let mut best = match self.push_moves(node, goal) {
            Ok(best) => best,
            Err(bound) => return bound,
        };
        // No move was a forced win, so the earliest win is one move later.
        let highest = self.board.win_at(ply + 5);
        if highest < goal {
            return highest.max(best);
        }
        if self.moves_stack.len() == first {
            return best;
        }
        let known = match node.lookup {
            TableLookup::Pending => self.table.get(node.code),
            TableLookup::Missing => None,
            TableLookup::Found(bounds) => Some(bounds),
        };
        if let Some(bound) = known.and_then(|bounds| bounds.bound_for(goal)) {
            return bound;
        }
        if self.board.count - ply > MIN_EMPTY_FOR_LOOKUP {
            match self.look_up_moves(goal, first) {
                Ok(known_best) => best = best.max(known_best),
                Err(bound) => return bound,
            }
        }
        let nodes_before = self.nodes;
        let mut searched_one = false;
        while best < goal
            && let Some(next) = self.take_best(first)
        {
            if searched_one && self.is_marked(&next) {
                let move_score = next.move_score + 2 * DEFERRED;
                self.moves_stack.push(Node { move_score, ..next });
                continue;
            }
            searched_one = true;
            self.mark(&next, next.code.key());
            let bound = if next.same_mover {
                self.bound(&next, goal)
            } else {
                -self.bound(&next, 1 - goal)
            };
            self.mark(&next, UNMARKED);
            if self.stopped {
                return 0;
            }
            best = best.max(bound);
        }
        let mut bounds =
            known.unwrap_or(ScoreBounds { lower: -self.board.win_at(ply + 4), upper: highest });
        if best >= goal {
            bounds.lower = bounds.lower.max(best);
        } else {
            bounds.upper = bounds.upper.min(best);
        }
        let work = (self.nodes - nodes_before + 1).ilog2();
        self.table.put(node.code, bounds, work);
        best
    }

    /// Pushes every move that forced replies do not decide. Returns the best score of the decided
    /// moves, or as an error a bound that decides the search.
    #[inline(always)]
    fn push_moves(&mut self, node: &Node<G::Bits>, goal: i32) -> Result<i32, i32> {
        let QuietPosition { stones, threats, ply } = node.quiet;
        let mut moves = self.board.playable(stones.mask) & !(threats >> 1);
        let mut best = -i32::MAX;
        while moves != G::Bits::ZERO {
            let cell = moves & !(moves - G::Bits::ONE);
            moves = moves & !cell;
            let next = stones.after(cell);
            let own_threats = self.board.threats(next.other(), next.mask);
            let quiet = QuietPosition { stones: next, threats: own_threats, ply: ply + 1 };
            match self.forced(quiet, 1 - goal) {
                Forced::Decided(bound) if -bound >= goal => return Err(-bound),
                Forced::Decided(bound) => best = best.max(-bound),
                Forced::Open(open) => {
                    let move_score = self.move_score(cell, next.mask, own_threats, threats);
                    let same_mover = !open.same_mover;
                    self.moves_stack.push(Node { move_score, same_mover, ..open });
                }
            }
        }
        Ok(best)
    }

    /// Looks up the pushed moves in the table and removes those that it decides.
    #[inline(always)]
    fn look_up_moves(&mut self, goal: i32, first: usize) -> Result<i32, i32> {
        let mut best = -i32::MAX;
        let mut left = first;
        for n in first..self.moves_stack.len() {
            let node = &mut self.moves_stack[n];
            node.lookup = TableLookup::Missing;
            if let Some(bounds) = self.table.get(node.code) {
                node.lookup = TableLookup::Found(bounds);
                let own = if node.same_mover { bounds } else { bounds.negated() };
                match own.bound_for(goal) {
                    Some(bound) if bound >= goal => return Err(bound),
                    Some(bound) => {
                        best = best.max(bound);
                        continue;
                    }
                    None => {}
                }
            }
            self.moves_stack.swap(left, n);
            left += 1;
        }
        self.moves_stack.truncate(left);
        Ok(best)
    }

    #[inline(always)]
    fn take_best(&mut self, first: usize) -> Option<Node<G::Bits>> {
        let mut best = first;
        let mut move_score = SEARCHED;
        for (n, node) in self.moves_stack.iter().enumerate().skip(first) {
            if node.move_score > move_score {
                (best, move_score) = (n, node.move_score);
            }
        }
        if move_score == SEARCHED {
            return None;
        }
        let chosen = self.moves_stack[best];
        self.moves_stack[best].move_score = SEARCHED;
        Some(chosen)
    }

    /// The move-ordering score. Threats count more the sooner their cell can be reached, and not at
    /// all directly above a threat of the other side. The weights were found by coordinate descent
    /// on the number of nodes of about 300 positions of all phases.
    #[inline(always)]
    fn move_score(&self, cell: G::Bits, mask: G::Bits, own: G::Bits, others: G::Bits) -> i32 {
        let useful = own & !(others << 1);
        let playable = self.board.playable(mask);
        let count = |cells: G::Bits| cells.count() as i32;
        let width = self.board.geometry.width() as i32;
        let column = (cell.lowest() / self.board.geometry.stride()) as i32;
        let center = column.min(width - 1 - column);
        28 * count(useful & playable << 1)
            + 23 * count(useful & playable << 2)
            + 9 * count(useful)
            + 3 * center
    }

    #[inline(always)]
    fn is_marked(&self, node: &Node<G::Bits>) -> bool {
        let key = node.code.key();
        match self.marks_for(node) {
            Some(marks) => node.move_score > DEFERRED && marks.slot(key).load(Relaxed) == key,
            None => false,
        }
    }

    #[inline(always)]
    fn mark(&self, node: &Node<G::Bits>, busy_with: u64) {
        if let Some(marks) = self.marks_for(node) {
            marks.slot(node.code.key()).store(busy_with, Relaxed);
        }
    }

    #[inline(always)]
    fn marks_for(&self, node: &Node<G::Bits>) -> Option<&'a BusyMarks> {
        let is_large = self.board.count - node.quiet.ply >= MIN_EMPTY_FOR_MARK;
        self.marks.filter(|_| is_large)
    }

    /// Counts a node; true when the search must end.
    #[inline(always)]
    fn count_node(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes >= self.next_check {
            self.check_limits();
        }
        self.stopped
    }

    #[cold]
    fn check_limits(&mut self) {
        let Budget { nodes, is_reached } = self.budget;
        self.stopped |= is_reached(self.nodes - self.last_check) || self.nodes >= nodes;
        self.last_check = self.nodes;
        self.next_check = (self.nodes + CHECK_INTERVAL).min(nodes).max(self.nodes + 1);
    }
}

impl ScoreBounds {
    /// The bound that decides whether the score reaches `goal`, if there is one.
    #[inline(always)]
    fn bound_for(self, goal: i32) -> Option<i32> {
        if self.lower >= goal {
            Some(self.lower)
        } else if self.upper < goal {
            Some(self.upper)
        } else {
            None
        }
    }

    #[inline(always)]
    fn negated(self) -> Self {
        ScoreBounds { lower: -self.upper, upper: -self.lower }
    }
}

#[inline(always)]
fn has_one<B: Bits>(bits: B) -> bool {
    bits & (bits - B::ONE) == B::ZERO
}
