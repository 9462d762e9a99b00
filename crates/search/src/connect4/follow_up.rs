//! Bounds from a simple strategy: always reply on top of the opponent's stone.
//!
//! Call the side to move the *mover* and the other the *follower*. While every column has an even
//! number of empty cells, the follower can always reply in the mover's column and so gets every
//! other cell: the cells at an even distance from the top (`Board::follow`). This is the claimeven
//! rule of Allis (1988) for all columns at once. When the number of empty cells is even, columns
//! with an odd number of empty cells come in pairs: after the first stone in one, the follower
//! plays the first in another, and both are even from then on. The mover decides who gets those
//! first cells, so they are given to the mover here. If the mover has no four in a row even with
//! all cells that are not the follower's, the mover does not win.
//!
//! Threats make the follower stronger. Let the follower have three in a row with the empty fourth
//! cell, the *threat*, among the cells it will get. The mover cannot play directly below it, so the
//! cells above are never filled: the column ends below the threat. When all else is full, the mover
//! is in zugzwang and loses.
//!
//! A threat at an odd distance from the top also ends its column and thereby changes the parity of
//! the column. The follower still has a reply to every move, and the mover the zugzwang, if the
//! number of such columns is even when an even number of cells is empty, and odd otherwise. In
//! these columns the follower gets the cells at an odd distance from the top (the odd threat of the
//! first player on a board of even height).

use tesuji_games::rules::connect4::{Bits, Geometry};

use super::board::{Board, Stones};

/// The bound of a strategy that guarantees nothing.
const NO_BOUND: i32 = i32::MAX;

/// A position in which neither side can win with the next stone.
#[derive(Clone, Copy)]
pub(super) struct QuietPosition<B> {
    pub(super) stones: Stones<B>,
    /// The empty cells that complete four in a row for the follower; none is playable.
    pub(super) threats: B,
    pub(super) ply: i32,
}

impl<G: Geometry> Board<G> {
    /// An upper bound of the mover's score if the follower always follows up. Stops at the first
    /// bound below `goal`.
    #[inline(always)]
    pub(super) fn follow_up_bound(&self, quiet: QuietPosition<G::Bits>, goal: i32) -> i32 {
        let odd_threats = quiet.threats & !self.follow;
        let even_number_empty = (self.count - quiet.ply) & 1 == 0;
        let mut bound = NO_BOUND;
        if even_number_empty {
            bound = if quiet.threats & self.follow == G::Bits::ZERO {
                self.claim(quiet, goal)
            } else {
                self.zugzwang(quiet, G::Bits::ZERO)
            };
            if bound < goal {
                return bound;
            }
        }
        if odd_threats == G::Bits::ZERO {
            return bound;
        }
        bound.min(self.zugzwang_with_odd_threats(quiet, odd_threats, even_number_empty))
    }

    /// The bound without threats: assigns the empty cells to both sides by following and checks the
    /// lines that each could complete.
    #[inline(always)]
    fn claim(&self, quiet: QuietPosition<G::Bits>, goal: i32) -> i32 {
        let QuietPosition { stones, ply, .. } = quiet;
        let empty = self.cells & !stones.mask;
        let claimed = self.follow & empty & !self.playable(stones.mask);
        let mover = stones.own | empty & !claimed;
        let follower = stones.other() | claimed;
        let mut follower_lines = LineSet::none();
        let mut mover_lines = G::Bits::ZERO;
        let mut direction = 0;
        self.geometry.for_each_step(|step| {
            let lines = lines_of_four(follower, step);
            // The mover's lines whose cells lie above a completed line of the follower come too
            // late.
            mover_lines = mover_lines | lines_of_four(mover, step) & !self.upward(lines);
            follower_lines.add(direction, lines, step);
            direction += 1;
        });
        if mover_lines != G::Bits::ZERO {
            return NO_BOUND;
        }
        if follower_lines.is_empty() {
            return 0;
        }
        if goal > 0 { -1 } else { self.latest_line(&follower_lines, empty, ply) }
    }

    /// The score if the follower's lines of claimed cells are completed as late as possible: the
    /// mover plays last in the column with the fewest empty cells above the line.
    #[cold]
    fn latest_line(&self, lines: &LineSet<G::Bits>, empty: G::Bits, ply: i32) -> i32 {
        let (height, stride) = (self.geometry.height(), self.geometry.stride());
        let mut left_empty = 0;
        for &(starts, step) in &lines.by_direction {
            starts.for_each(|start| {
                let cells = (0..4).map(|n| start + n * step);
                let open = cells.filter(|&cell| empty & G::Bits::ONE << cell != G::Bits::ZERO);
                let above = open.map(|cell| height - 1 - cell % stride).min().unwrap_or(0);
                left_empty = left_empty.max(above);
            });
        }
        -self.win_at(ply + empty.count() as i32 - left_empty as i32)
    }

    /// The score if the follower wins by zugzwang with a threat among the cells that it gets. In
    /// the `flipped` columns these are the cells at an odd distance from the top.
    #[inline(always)]
    fn zugzwang(&self, quiet: QuietPosition<G::Bits>, flipped: G::Bits) -> i32 {
        let QuietPosition { stones, threats, ply } = quiet;
        let empty = self.cells & !stones.mask;
        let claimed = (self.follow ^ flipped) & empty & !self.playable(stones.mask);
        let from_threats = self.upward(threats & claimed);
        let unreachable = from_threats & from_threats << 1;
        if self.geometry.has_four(stones.own | empty & !claimed & !unreachable) {
            return NO_BOUND;
        }
        let columns_with_threats = (from_threats & !unreachable).count() as i32;
        let reachable = (empty & !unreachable).count() as i32;
        // All cells are full except two cells, below and at the threat, in each column; one of
        // these pairs is played.
        -self.win_at(ply + reachable - 2 * (columns_with_threats - 1))
    }

    /// The best bound over all sets of columns whose parity odd threats may change.
    #[inline(never)]
    fn zugzwang_with_odd_threats(
        &self,
        quiet: QuietPosition<G::Bits>,
        odd_threats: G::Bits,
        even_number_empty: bool,
    ) -> i32 {
        let mut columns = [G::Bits::ZERO; MAX_FLIPPED];
        let mut count = 0;
        let mut rest = odd_threats;
        while rest != G::Bits::ZERO && count < MAX_FLIPPED {
            columns[count] = self.column_of(rest.lowest());
            rest = rest & !columns[count];
            count += 1;
        }
        let mut bound = NO_BOUND;
        for choice in 1u32..1 << count {
            if (choice.count_ones() & 1 == 0) == even_number_empty {
                let mut flipped = G::Bits::ZERO;
                for (n, &column) in columns[..count].iter().enumerate() {
                    if choice >> n & 1 != 0 {
                        flipped = flipped | column;
                    }
                }
                bound = bound.min(self.zugzwang(quiet, flipped));
            }
        }
        bound
    }
}

/// The maximum number of columns with an odd threat to consider; others are ignored.
const MAX_FLIPPED: usize = 4;

/// The first cells of all lines of four among `cells`.
#[inline(always)]
fn lines_of_four<B: Bits>(cells: B, step: u32) -> B {
    let pairs = cells & cells >> step;
    pairs & pairs >> (2 * step)
}

/// Lines by their first cell: one set per direction, with the step to the next cell.
struct LineSet<B> {
    by_direction: [(B, u32); 4],
}

impl<B: Bits> LineSet<B> {
    #[inline(always)]
    fn none() -> Self {
        LineSet { by_direction: [(B::ZERO, 1); 4] }
    }

    #[inline(always)]
    fn add(&mut self, direction: usize, starts: B, step: u32) {
        self.by_direction[direction] = (starts, step);
    }

    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.by_direction.iter().all(|&(starts, _)| starts == B::ZERO)
    }
}
