//! Basic pruning: the moves that the report looks at, and what threats leave of them, each with what the critic thinks
//! of the position after it.

use std::cmp::Ordering;

use tesuji_games::{Playable, Position, RowRule, Side, Stones};

use super::evaluator::CriticEvaluator;
use super::line_cache::{LineCounts, field};
use super::model::HiddenVec;
use super::pattern_board::{LineChange, PatternBoard};
use super::patterns::{PATTERNS, SIMPLE_FOUR, is_forcing, is_winning};

/// A move, looked at.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Candidate<M> {
    /// The move.
    pub m: M,
    /// The chance that the side that makes it wins, as the critic sees it.
    pub chance: f32,
    /// How many stones have the cell within their reach, neighbors counted twice.
    near: u8,
    own: Threat,
    other: Threat,
}

impl<M> Candidate<M> {
    /// Whether the other side would complete a row here.
    pub(super) fn stops_row(&self) -> bool {
        self.other.row
    }

    /// The better one is less.
    fn order(&self, other: &Self) -> Ordering {
        other.chance.total_cmp(&self.chance).then(other.near.cmp(&self.near))
    }
}

/// What a stone of a side on a cell would give it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Threat {
    row: bool,
    /// A row with the next stone but for one answer.
    four: bool,
    /// A row with the next stone, whatever the answer; or a four that comes with another threat.
    wins_next: bool,
    /// Two ways to win at once.
    winning: bool,
}

/// Who puts a stone, and who is to move then: the same side where a turn has more than one stone.
#[derive(Clone, Copy, Debug)]
struct Turn {
    side: Side,
    next: Side,
}

impl Turn {
    /// Any move tells: whose turn it is depends on how many stones there are.
    fn of<P: Position>(game: &P, m: P::Move) -> Turn {
        let mut after = game.clone();
        after.play(m);
        Turn { side: game.to_move(), next: after.to_move() }
    }
}

/// Whether threats have narrowed the choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Urgency {
    /// Nothing is urgent.
    #[default]
    Quiet,
    /// The side to move completes a row, or makes two ways to win at once.
    Winning,
    /// The other side would, and must be stopped.
    Stopping,
}

/// The moves that are left.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidates<M> {
    /// In the order of the cells; none only where the game is over.
    pub moves: Vec<Candidate<M>>,
    /// Why others are missing.
    pub urgency: Urgency,
}

impl<M> Default for Candidates<M> {
    fn default() -> Self {
        Candidates { moves: Vec::new(), urgency: Urgency::Quiet }
    }
}

impl<M: Copy> Candidates<M> {
    /// The move that the critic likes best; of equals, such as stones that make no pattern, the one that most stones
    /// reach, and of these the first.
    pub fn best(&self) -> Option<&Candidate<M>> {
        self.moves.iter().min_by(|one, other| one.order(other))
    }

    /// Best first; equals keep their order.
    pub fn sort(&mut self) {
        self.moves.sort_by(Candidate::order);
    }
}

impl CriticEvaluator {
    /// The chance that the side to move wins after a move, as the critic sees it.
    pub fn chance_after<P: Playable + Stones>(&self, game: &P, m: P::Move) -> f32 {
        self.chance_with_sums(game, m, &self.critic().sums(self.pattern_board().counts()))
    }

    pub(super) fn chance_with_sums<P: Playable + Stones>(
        &self,
        game: &P,
        m: P::Move,
        sums: &HiddenVec,
    ) -> f32 {
        let moves_evaluator = MoveEvaluator { game, evaluator: self, sums: *sums };
        moves_evaluator.chance_to(Turn::of(game, m), game.cell(m))
    }

    /// The same for many moves, whose turn it is then being found only once.
    pub fn chances_after<P: Playable + Stones>(
        &self,
        game: &P,
        moves: &[P::Move],
        chances: &mut Vec<f32>,
    ) {
        chances.clear();
        let Some(&first) = moves.first() else { return };
        let (moves_evaluator, turn) = (MoveEvaluator::of(game, self), Turn::of(game, first));
        chances.extend(moves.iter().map(|&m| moves_evaluator.chance_to(turn, game.cell(m))));
    }

    /// The moves to cells in reach of a stone.
    pub fn push_near_moves<P: Playable + Stones>(&self, game: &P, moves: &mut Vec<P::Move>) {
        game.for_each_move(|m| {
            if self.is_near_stone(game.cell(m)) {
                moves.push(m);
            }
        });
    }

    /// The moves that basic pruning leaves: a row is completed; a row is stopped; two ways to win are made; two ways to
    /// win are stopped, or put off by a four; else every cell in reach of a stone. The report leaves it at that, and
    /// makes two threes where the other side makes an open four out of one; here what wins a move earlier comes
    /// before what wins later, whoever makes it, and what stops one threat of two is no stop.
    pub fn candidates<P: Playable + Stones>(&self, game: &P, found: &mut Candidates<P::Move>) {
        MoveEvaluator::of(game, self).find(found);
    }
}

/// A position that a critic looks at.
struct MoveEvaluator<'a, P> {
    game: &'a P,
    evaluator: &'a CriticEvaluator,
    /// What the counts bring to the critic's hidden units.
    sums: HiddenVec,
}

impl<'a, P: Playable + Stones> MoveEvaluator<'a, P> {
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
            self.without_near_cells(&mut found.moves);
        }
        found.urgency = self.narrow(&mut found.moves);
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

    /// Whether a row that a move completes wins: a longer one does not by every rule.
    fn wins(&self, m: P::Move) -> bool {
        if self.game.row_rule() == RowRule::AtLeast {
            return true;
        }
        let (side, mut after) = (self.game.to_move(), self.game.clone());
        after.play(m);
        after.outcome().and_then(|outcome| outcome.winner()) == Some(side)
    }

    /// Before the first stone, and when all cells near stones are full: the middle if it is free, else any.
    fn without_near_cells(&self, moves: &mut Vec<Candidate<P::Move>>) {
        let mut add = |m| moves.push(self.candidate(m, self.game.cell(m), Turn::of(self.game, m)));
        match self.game.move_to(self.evaluator.center()) {
            Some(m) => add(m),
            None => self.game.for_each_move(add),
        }
    }

    /// Leaves the moves of the most urgent threat, if there is one: what wins earlier comes first.
    fn narrow(&self, moves: &mut Vec<Candidate<P::Move>>) -> Urgency {
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
                self.stop(moves, is_threat);
                return Urgency::Stopping;
            }
        }
        Urgency::Quiet
    }

    /// Leaves the moves to cells of a threat of the other side after which it has no such threat; where there are
    /// none, moves elsewhere that do this, or else all to cells of the threat. Fours are left too: they must be
    /// answered first.
    fn stop(&self, moves: &mut Vec<Candidate<P::Move>>, is_threat: fn(&Threat) -> bool) {
        let (side, cell_of) = (self.game.to_move(), |m: &Candidate<P::Move>| self.game.cell(m.m));
        let cells: Vec<usize> = moves.iter().filter(|m| is_threat(&m.other)).map(cell_of).collect();
        let mut pattern_board = self.evaluator.pattern_board().clone();
        // A stone takes threats away from the other side and gives it none: only these cells can be left.
        let mut stops = |m: &Candidate<P::Move>| {
            let cell = cell_of(m);
            pattern_board.flip(cell, side);
            let mut left = cells.iter().filter(|&&at| at != cell);
            let any = left.any(|&at| {
                is_threat(&threat(&pattern_board, !side, &pattern_board.line_change(at, !side)))
            });
            pattern_board.flip(cell, side);
            !any
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

/// What a stone of a side on a cell would give it: a winning threat anywhere on the board after the stone, or two
/// forcing ones on its lines.
fn threat(pattern_board: &PatternBoard, side: Side, change: &LineChange) -> Threat {
    let of = |pattern: usize| side.index() * PATTERNS + pattern;
    let everywhere = |pattern: usize| {
        let now = pattern_board.counts().0[of(pattern)];
        now + field(change.after, of(pattern)) > field(change.before, of(pattern))
    };
    let forcing = |counts: LineCounts| -> u16 {
        (0..PATTERNS).filter(|&p| is_forcing(p)).map(|p| field(counts, of(p))).sum()
    };
    let winning = (0..PATTERNS).any(|pattern| is_winning(pattern) && everywhere(pattern));
    let fours = |counts: LineCounts| field(counts, of(SIMPLE_FOUR));
    let four = winning || fours(change.after) > fours(change.before);
    let double = forcing(change.after) > 1;
    let wins_next = winning || (four && double);
    // By some rules a row may lie there that did not win.
    let row = field(change.after, of(0)) > field(change.before, of(0));
    Threat { row, four, wins_next, winning: winning || double }
}
