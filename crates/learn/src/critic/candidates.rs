//! Basic pruning: the moves that the report considers, restricted by threats, each with the
//! critic's estimate of the position after it.

use std::cmp::Ordering;

use tesuji_games::{Playable, Position, RowPosition, RowRule, Side};

use super::evaluator::CriticEvaluator;
use super::line_cache::{LineCounts, field};
use super::model::HiddenVec;
use super::pattern_board::{LineChange, PatternBoard};
use super::patterns::{PATTERNS, SIMPLE_FOUR, is_forcing, is_winning};

/// A candidate move with its estimate and threats.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Candidate<M> {
    /// The move.
    pub m: M,
    /// The chance that the side to move wins after it.
    pub chance: f32,
    /// The number of stones within two steps of the cell; direct neighbors count twice.
    near: u8,
    own: Threat,
    other: Threat,
}

impl<M> Candidate<M> {
    /// Whether it blocks a row that the opponent would complete here.
    pub(super) fn blocks_row(&self) -> bool {
        self.other.row
    }

    /// Orders the better candidate first.
    fn order(&self, other: &Self) -> Ordering {
        other.chance.total_cmp(&self.chance).then(other.near.cmp(&self.near))
    }
}

/// The threats that a stone of one side on a cell creates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Threat {
    row: bool,
    /// Completes a row with the next stone unless the opponent blocks its one open end.
    four: bool,
    /// Completes a row with the next stone regardless of the reply, or is a four combined with
    /// another threat.
    wins_next: bool,
    /// Threatens to win in two ways at once.
    winning: bool,
}

/// The side that places a stone, and the side to move after it, which is the same if the turn has
/// another stone.
#[derive(Clone, Copy, Debug)]
struct Turn {
    side: Side,
    next: Side,
}

impl Turn {
    /// Determines it with any move, since it depends only on the number of stones.
    fn of<P: Position>(game: &P, m: P::Move) -> Turn {
        let mut after = game.clone();
        after.play(m);
        Turn { side: game.to_move(), next: after.to_move() }
    }
}

/// How threats restrict the candidates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Urgency {
    /// No threat.
    #[default]
    Quiet,
    /// The side to move completes a row or makes a winning threat.
    Winning,
    /// The opponent would do so and must be stopped.
    Stopping,
}

/// The candidate moves of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidates<M> {
    /// In the order of the cells; empty only if the game is over.
    pub moves: Vec<Candidate<M>>,
    /// The reason for which moves were pruned.
    pub urgency: Urgency,
}

impl<M> Default for Candidates<M> {
    fn default() -> Self {
        Candidates { moves: Vec::new(), urgency: Urgency::Quiet }
    }
}

impl<M: Copy> Candidates<M> {
    /// The move with the best estimate; among equals, such as stones that make no pattern, the one
    /// with the most stones near it, and among these the first.
    pub fn best(&self) -> Option<&Candidate<M>> {
        self.moves.iter().min_by(|one, other| one.order(other))
    }

    /// Sorts the best first; the sort is stable.
    pub fn sort(&mut self) {
        self.moves.sort_by(Candidate::order);
    }
}

impl CriticEvaluator {
    /// The chance that the side to move wins after a move.
    pub fn chance_after<P: Playable + RowPosition>(&self, game: &P, m: P::Move) -> f32 {
        self.chance_with_sums(game, m, &self.critic().sums(self.pattern_board().counts()))
    }

    pub(super) fn chance_with_sums<P: Playable + RowPosition>(
        &self,
        game: &P,
        m: P::Move,
        sums: &HiddenVec,
    ) -> f32 {
        let evaluator = MoveEvaluator { game, evaluator: self, sums: *sums };
        evaluator.chance_to(Turn::of(game, m), game.cell(m))
    }

    /// [`chance_after`](Self::chance_after) for several moves; determines the side to move after
    /// them once.
    pub fn chances_after<P: Playable + RowPosition>(
        &self,
        game: &P,
        moves: &[P::Move],
        chances: &mut Vec<f32>,
    ) {
        chances.clear();
        let Some(&first) = moves.first() else { return };
        let (evaluator, turn) = (MoveEvaluator::of(game, self), Turn::of(game, first));
        chances.extend(moves.iter().map(|&m| evaluator.chance_to(turn, game.cell(m))));
    }

    /// Pushes the moves to cells near a stone.
    pub fn push_near_moves<P: Playable + RowPosition>(&self, game: &P, moves: &mut Vec<P::Move>) {
        game.for_each_move(|m| {
            if self.is_near_stone(game.cell(m)) {
                moves.push(m);
            }
        });
    }

    /// Finds the moves that basic pruning keeps, by the first rule that applies: complete a row;
    /// block a row; make a winning threat; stop one, or delay it by a four; make two threes; stop
    /// these; else every cell near a stone. The report has only two rules in place of the four
    /// about threats, so its agent makes two threes when the opponent can turn a three into an open
    /// four. A stone that stops one of two threats does not count as a stop.
    pub fn candidates<P: Playable + RowPosition>(&self, game: &P, found: &mut Candidates<P::Move>) {
        MoveEvaluator::of(game, self).find(found);
    }
}

/// Evaluates the moves of one position.
struct MoveEvaluator<'a, P> {
    game: &'a P,
    evaluator: &'a CriticEvaluator,
    /// The counts' contribution to the critic's hidden units.
    sums: HiddenVec,
}

impl<'a, P: Playable + RowPosition> MoveEvaluator<'a, P> {
    fn of(game: &'a P, evaluator: &'a CriticEvaluator) -> Self {
        MoveEvaluator {
            game,
            evaluator,
            sums: evaluator.critic().sums(evaluator.pattern_board().counts()),
        }
    }

    #[inline]
    fn chance_to(&self, turn: Turn, cell: usize) -> f32 {
        self.chance_with(turn, &self.evaluator.pattern_board().line_change(cell, turn.side))
    }

    fn chance_with(&self, turn: Turn, change: &LineChange) -> f32 {
        let first = self.evaluator.critic().value_after(
            &self.sums,
            self.evaluator.pattern_board(),
            change,
            turn.next,
        );
        if turn.side == Side::First { first } else { 1.0 - first }
    }

    /// See [`CriticEvaluator::candidates`].
    fn find(&self, found: &mut Candidates<P::Move>) {
        let mut turn = None;
        found.moves.clear();
        self.game.for_each_move(|m| {
            let cell = self.game.cell(m);
            if self.evaluator.is_near_stone(cell) {
                let turn = *turn.get_or_insert_with(|| Turn::of(self.game, m));
                found.moves.push(self.candidate(m, cell, turn));
            }
        });
        if found.moves.is_empty() {
            self.push_fallback_moves(&mut found.moves);
        }
        found.urgency = self.keep_urgent(&mut found.moves);
    }

    fn candidate(&self, m: P::Move, cell: usize, turn: Turn) -> Candidate<P::Move> {
        let side = turn.side;
        let own = self.evaluator.pattern_board().line_change(cell, side);
        let other = self.evaluator.pattern_board().line_change(cell, !side);
        let chance = self.chance_with(turn, &own);
        let mut own = threat(self.evaluator.pattern_board(), side, &own);
        own.row = own.row && self.wins(m);
        let other = threat(self.evaluator.pattern_board(), !side, &other);
        Candidate { m, chance, near: self.evaluator.nearby_stones(cell), own, other }
    }

    /// Whether a row that a move completes wins: by some rules an overline does not.
    fn wins(&self, m: P::Move) -> bool {
        if self.game.row_rule() == RowRule::AtLeast {
            return true;
        }
        let (side, mut after) = (self.game.to_move(), self.game.clone());
        after.play(m);
        after.outcome().and_then(|outcome| outcome.winner()) == Some(side)
    }

    /// Before the first stone, and when all cells near stones are full: the center if it is free,
    /// else every cell.
    fn push_fallback_moves(&self, moves: &mut Vec<Candidate<P::Move>>) {
        let mut add = |m| moves.push(self.candidate(m, self.game.cell(m), Turn::of(self.game, m)));
        match self.game.move_to(self.evaluator.center()) {
            Some(m) => add(m),
            None => self.game.for_each_move(add),
        }
    }

    /// Keeps the moves of the most urgent threat, if there is one. Faster wins are more urgent.
    fn keep_urgent(&self, moves: &mut Vec<Candidate<P::Move>>) -> Urgency {
        let threats: [fn(&Threat) -> bool; 3] = [|it| it.row, |it| it.wins_next, |it| it.winning];
        for is_threat in threats {
            if moves.iter().any(|m| is_threat(&m.own)) {
                moves.retain(|m| is_threat(&m.own));
                return Urgency::Winning;
            }
            if moves.iter().any(|m| m.other.row) {
                moves.retain(|m| m.other.row);
                return Urgency::Stopping;
            }
            if moves.iter().any(|m| is_threat(&m.other)) {
                self.keep_stopping(moves, is_threat);
                return Urgency::Stopping;
            }
        }
        Urgency::Quiet
    }

    /// Keeps the moves to cells of the opponent's threat after which no such threat is left; if
    /// there are none, moves elsewhere that achieve this, or else all moves to cells of the threat.
    /// Also keeps fours, which the opponent must answer first.
    fn keep_stopping(&self, moves: &mut Vec<Candidate<P::Move>>, is_threat: fn(&Threat) -> bool) {
        let (side, cell_of) = (self.game.to_move(), |m: &Candidate<P::Move>| self.game.cell(m.m));
        let cells: Vec<usize> = moves.iter().filter(|m| is_threat(&m.other)).map(cell_of).collect();
        let mut pattern_board = self.evaluator.pattern_board().clone();
        // A stone removes threats of the opponent and creates none for it: only these cells can
        // remain.
        let mut stops = |m: &Candidate<P::Move>| {
            let cell = cell_of(m);
            pattern_board.flip(cell, side);
            let mut left = cells.iter().filter(|&&at| at != cell);
            let any_left = left.any(|&at| {
                is_threat(&threat(&pattern_board, !side, &pattern_board.line_change(at, !side)))
            });
            pattern_board.flip(cell, side);
            !any_left
        };
        let mut kept: Vec<bool> = moves.iter().map(|m| is_threat(&m.other) && stops(m)).collect();
        if !kept.contains(&true) {
            kept = moves.iter().map(stops).collect();
        }
        if !kept.contains(&true) {
            kept = moves.iter().map(|m| is_threat(&m.other)).collect();
        }
        let mut kept = kept.into_iter();
        moves.retain(|m| kept.next() == Some(true) || m.own.four);
    }
}

/// The threats of a stone of one side on a cell: a winning threat anywhere on the board after the
/// stone, or two forcing ones on the lines through the cell.
fn threat(pattern_board: &PatternBoard, side: Side, change: &LineChange) -> Threat {
    let of = |pattern: usize| side.index() * PATTERNS + pattern;
    let exists_after = |pattern: usize| {
        let now = pattern_board.counts().0[of(pattern)];
        now + field(change.after, of(pattern)) > field(change.before, of(pattern))
    };
    let forcing = |counts: LineCounts| -> u16 {
        (0..PATTERNS).filter(|&p| is_forcing(p)).map(|p| field(counts, of(p))).sum()
    };
    let winning = (0..PATTERNS).any(|pattern| is_winning(pattern) && exists_after(pattern));
    let fours = |counts: LineCounts| field(counts, of(SIMPLE_FOUR));
    let four = winning || fours(change.after) > fours(change.before);
    let double = forcing(change.after) > 1;
    let wins_next = winning || (four && double);
    // The row must be new: by some rules the board may contain an overline that did not win.
    let row = field(change.after, of(0)) > field(change.before, of(0));
    Threat { row, four, wins_next, winning: winning || double }
}
