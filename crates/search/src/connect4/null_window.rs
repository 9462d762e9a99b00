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
use super::follow_up::Quiet;
use super::busy_marks::{BusyMarks, UNMARKED};
use super::table::{BoundsTable, ScoreBounds, TableWord};

/// A position with a choice: neither side wins with its next stone, and the mover has two moves or
/// more.
#[derive(Clone, Copy)]
struct Node<B> {
    quiet: Quiet<B>,
    code: B,
    /// The result of the table look-up.
    known: Known,
    /// Whether the mover is the side whose node this is: forced moves may have changed the side to
    /// move.
    same_mover: bool,
    /// The move-ordering score among its siblings.
    promise: i32,
}

#[derive(Clone, Copy)]
enum Known {
    NotAsked,
    Nothing,
    ScoreBounds(ScoreBounds),
}

/// The result of playing out the forced moves of a position.
enum Forced<B> {
    /// A bound of the score that decides the search.
    Settled(i32),
    /// A position with a choice.
    Open(Node<B>),
}

/// When a search ends without a result.
pub(super) struct Budget<'a> {
    /// After this many nodes.
    pub(super) nodes: u64,
    /// Called from time to time with the number of nodes since the last call.
    pub(super) is_over: &'a dyn Fn(u64) -> bool,
}

/// The number of nodes between two checks of the limits.
const NODES_BETWEEN_LOOKS: u64 = 1024;
/// With fewer empty cells than this, moves are not looked up in the table: searching them is as
/// fast. (Measured on 7x6: 12 to 18 make little difference.)
const LAST_PLIES: i32 = 14;

/// The ordering score of a move that has been searched.
const TAKEN: i32 = i32::MIN;
/// Orders a move that another thread is searching after all others.
const DEFERRED: i32 = -1_000_000;
/// Positions with fewer empty cells are too cheap to mark for other threads.
const SMALLEST_SHARED: i32 = 14;

/// A search in progress.
pub(super) struct NullWindowSearch<'a, G: Geometry<Bits: TableWord>> {
    board: Board<G>,
    table: &'a BoundsTable<G::Bits>,
    budget: Budget<'a>,
    /// The undecided moves of all nodes from the root to the current one, as one stack.
    queue: Vec<Node<G::Bits>>,
    nodes: u64,
    next_look: u64,
    last_look: u64,
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
        let next_look = budget.nodes.min(NODES_BETWEEN_LOOKS);
        NullWindowSearch {
            board,
            table,
            budget,
            queue: Vec::with_capacity(256),
            nodes: 0,
            next_look,
            last_look: 0,
            stopped: false,
            marks,
        }
    }

    /// Returns a bound of the score, at least `goal` or below it; `None` when the budget ends the
    /// search. The mover must not have a move that wins at once.
    pub(super) fn answer(&mut self, stones: Stones<G::Bits>, goal: i32) -> Option<i32> {
        let ply = stones.mask.count() as i32;
        let threats = self.board.threats(stones.other(), stones.mask);
        let bound = match self.forced(Quiet { stones, threats, ply }, goal) {
            Forced::Settled(bound) => bound,
            Forced::Open(node) if node.same_mover => self.bound(&node, goal),
            Forced::Open(node) => -self.bound(&node, 1 - goal),
        };
        let answer = (!self.stopped).then_some(bound);
        self.look();
        answer
    }

    /// Plays moves while only one does not lose at once. The mover has no move that wins at once;
    /// `goal` and the returned bound are from the point of view of the given position's mover.
    #[inline(always)]
    fn forced(&self, mut quiet: Quiet<G::Bits>, mut goal: i32) -> Forced<G::Bits> {
        let board = &self.board;
        let mut sign = 1;
        loop {
            let Quiet { stones, threats, ply } = quiet;
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
                return Forced::Settled(if full { 0 } else { -board.win_at(ply + 2) } * sign);
            }
            // Neither side wins with the next stone, so these are the earliest possible results.
            let highest = board.win_at(ply + 3);
            if highest < goal {
                return Forced::Settled(highest * sign);
            }
            let lowest = -board.win_at(ply + 4);
            if lowest >= goal {
                return Forced::Settled(lowest * sign);
            }
            if has_one(moves) {
                let next = stones.after(moves);
                let threats = board.threats(next.other(), next.mask);
                quiet = Quiet { stones: next, threats, ply: ply + 1 };
                goal = 1 - goal;
                sign = -sign;
                continue;
            }
            let who_must_be_able = if goal > 0 { stones.own } else { stones.other() };
            if !board.can_win(who_must_be_able, stones.mask) {
                return Forced::Settled(0);
            }
            let bound = board.follow_up_bound(quiet, goal);
            if bound < goal {
                return Forced::Settled(bound * sign);
            }
            let code = board.code(stones);
            self.table.prefetch(code);
            let same_mover = sign > 0;
            return Forced::Open(Node {
                quiet,
                code,
                known: Known::NotAsked,
                same_mover,
                promise: 0,
            });
        }
    }

    fn bound(&mut self, node: &Node<G::Bits>, goal: i32) -> i32 {
        if self.tick() {
            return 0;
        }
        let first = self.queue.len();
        let bound = self.bound_with_stack(node, goal, first);
        self.queue.truncate(first);
        bound
    }

    #[inline(always)]
    fn bound_with_stack(&mut self, node: &Node<G::Bits>, goal: i32, first: usize) -> i32 {
        let ply = node.quiet.ply;
        let mut best = match self.queue_moves(node, goal) {
            Ok(best) => best,
            Err(bound) => return bound,
        };
        // No move was a forced win, so the earliest win is one move later.
        let highest = self.board.win_at(ply + 5);
        if highest < goal {
            return highest.max(best);
        }
        if self.queue.len() == first {
            return best;
        }
        let known = match node.known {
            Known::NotAsked => self.table.get(node.code),
            Known::Nothing => None,
            Known::ScoreBounds(bounds) => Some(bounds),
        };
        if let Some(answer) = known.and_then(|bounds| bounds.answer(goal)) {
            return answer;
        }
        if self.board.count - ply > LAST_PLIES {
            match self.look_up_moves(goal, first) {
                Ok(known_best) => best = best.max(known_best),
                Err(bound) => return bound,
            }
        }
        let nodes_before = self.nodes;
        let mut tried = false;
        while best < goal
            && let Some(next) = self.take_most_promising(first)
        {
            if tried && self.is_busy(&next) {
                let promise = next.promise + 2 * DEFERRED;
                self.queue.push(Node { promise, ..next });
                continue;
            }
            tried = true;
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
    fn queue_moves(&mut self, node: &Node<G::Bits>, goal: i32) -> Result<i32, i32> {
        let Quiet { stones, threats, ply } = node.quiet;
        let mut moves = self.board.playable(stones.mask) & !(threats >> 1);
        let mut best = -i32::MAX;
        while moves != G::Bits::ZERO {
            let cell = moves & !(moves - G::Bits::ONE);
            moves = moves & !cell;
            let next = stones.after(cell);
            let own_threats = self.board.threats(next.other(), next.mask);
            let quiet = Quiet { stones: next, threats: own_threats, ply: ply + 1 };
            match self.forced(quiet, 1 - goal) {
                Forced::Settled(bound) if -bound >= goal => return Err(-bound),
                Forced::Settled(bound) => best = best.max(-bound),
                Forced::Open(open) => {
                    let promise = self.promise(cell, next.mask, own_threats, threats);
                    let same_mover = !open.same_mover;
                    self.queue.push(Node { promise, same_mover, ..open });
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
        for n in first..self.queue.len() {
            let node = &mut self.queue[n];
            node.known = Known::Nothing;
            if let Some(bounds) = self.table.get(node.code) {
                node.known = Known::ScoreBounds(bounds);
                let own = if node.same_mover { bounds } else { bounds.negated() };
                match own.answer(goal) {
                    Some(bound) if bound >= goal => return Err(bound),
                    Some(bound) => {
                        best = best.max(bound);
                        continue;
                    }
                    None => {}
                }
            }
            self.queue.swap(left, n);
            left += 1;
        }
        self.queue.truncate(left);
        Ok(best)
    }

    #[inline(always)]
    fn take_most_promising(&mut self, first: usize) -> Option<Node<G::Bits>> {
        let mut best = first;
        let mut promise = TAKEN;
        for (n, node) in self.queue.iter().enumerate().skip(first) {
            if node.promise > promise {
                (best, promise) = (n, node.promise);
            }
        }
        if promise == TAKEN {
            return None;
        }
        let taken = self.queue[best];
        self.queue[best].promise = TAKEN;
        Some(taken)
    }

    /// The move-ordering score. Threats count more the sooner their cell can be reached, and not at
    /// all directly above a threat of the other side. The weights were found by coordinate descent
    /// on the number of nodes of about 300 positions of all phases.
    #[inline(always)]
    fn promise(&self, cell: G::Bits, mask: G::Bits, own: G::Bits, others: G::Bits) -> i32 {
        let useful = own & !(others << 1);
        let playable = self.board.playable(mask);
        let count = |cells: G::Bits| cells.count() as i32;
        let width = self.board.geometry.width() as i32;
        let column = (cell.lowest() / self.board.geometry.stride()) as i32;
        let centre = column.min(width - 1 - column);
        28 * count(useful & playable << 1)
            + 23 * count(useful & playable << 2)
            + 9 * count(useful)
            + 3 * centre
    }

    #[inline(always)]
    fn is_busy(&self, node: &Node<G::Bits>) -> bool {
        let key = node.code.key();
        match self.marks_for(node) {
            Some(marks) => node.promise > DEFERRED && marks.slot(key).load(Relaxed) == key,
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
        let is_large = self.board.count - node.quiet.ply >= SMALLEST_SHARED;
        self.marks.filter(|_| is_large)
    }

    /// Counts a node; true when the search must end.
    #[inline(always)]
    fn tick(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes >= self.next_look {
            self.look();
        }
        self.stopped
    }

    #[cold]
    fn look(&mut self) {
        let Budget { nodes, is_over } = self.budget;
        self.stopped |= is_over(self.nodes - self.last_look) || self.nodes >= nodes;
        self.last_look = self.nodes;
        self.next_look = (self.nodes + NODES_BETWEEN_LOOKS).min(nodes).max(self.nodes + 1);
    }
}

impl ScoreBounds {
    /// The bound that decides whether the score reaches `goal`, if there is one.
    #[inline(always)]
    fn answer(self, goal: i32) -> Option<i32> {
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
