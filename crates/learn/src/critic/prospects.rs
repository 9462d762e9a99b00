//! Basic pruning: the moves that the report looks at, and what threats leave of them, each with what the critic thinks
//! of the position after it.

use std::cmp::Ordering;

use tesuji_games::{Playable, Position, RowRule, Side, Stones};

use super::evaluator::CriticEvaluator;
use super::judgement::Row;
use super::line_memory::{LineCounts, field};
use super::patterns::{PATTERNS, SIMPLE_FOUR, is_forcing, is_winning};
use super::tally::{Tally, Through};

/// A move, looked at.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Prospect<M> {
    /// The move.
    pub m: M,
    /// The chance that the side that makes it wins, as the critic sees it.
    pub chance: f32,
    /// How many stones have the cell within their reach, neighbours counted twice.
    near: u8,
    own: Threat,
    other: Threat,
}

impl<M> Prospect<M> {
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
    swift: bool,
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
pub struct Prospects<M> {
    /// In the order of the cells; none only where the game is over.
    pub moves: Vec<Prospect<M>>,
    /// Why others are missing.
    pub urgency: Urgency,
}

impl<M> Default for Prospects<M> {
    fn default() -> Self {
        Prospects { moves: Vec::new(), urgency: Urgency::Quiet }
    }
}

impl<M: Copy> Prospects<M> {
    /// The move that the critic likes best; of equals, such as stones that make no pattern, the one that most stones
    /// reach, and of these the first.
    pub fn best(&self) -> Option<&Prospect<M>> {
        self.moves.iter().min_by(|one, other| one.order(other))
    }

    /// Best first; equals keep their order.
    pub fn sort(&mut self) {
        self.moves.sort_by(Prospect::order);
    }
}

impl CriticEvaluator {
    /// The chance that the side to move wins after a move, as the critic sees it.
    pub fn chance_after<P: Playable + Stones>(&self, game: &P, m: P::Move) -> f32 {
        self.chance_with_sums(game, m, &self.critic().sums(self.tally().counts()))
    }

    pub(super) fn chance_with_sums<P: Playable + Stones>(
        &self,
        game: &P,
        m: P::Move,
        sums: &Row,
    ) -> f32 {
        let look = Look { game, seen: self, sums: *sums };
        look.chance_to(Turn::of(game, m), game.cell(m))
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
        let (look, turn) = (Look::of(game, self), Turn::of(game, first));
        chances.extend(moves.iter().map(|&m| look.chance_to(turn, game.cell(m))));
    }

    /// The moves to cells in reach of a stone.
    pub fn push_reached_moves<P: Playable + Stones>(&self, game: &P, moves: &mut Vec<P::Move>) {
        game.for_each_move(|m| {
            if self.is_reached(game.cell(m)) {
                moves.push(m);
            }
        });
    }

    /// The moves that basic pruning leaves: a row is completed; a row is stopped; two ways to win are made; two ways to
    /// win are stopped, or put off by a four; else every cell in reach of a stone. The report leaves it at that, and
    /// makes two threes where the other side makes an open four out of one; here what wins a move earlier comes
    /// before what wins later, whoever makes it, and what stops one threat of two is no stop.
    pub fn prospects<P: Playable + Stones>(&self, game: &P, found: &mut Prospects<P::Move>) {
        Look::of(game, self).find(found);
    }
}

/// A position that a critic looks at.
struct Look<'a, P> {
    game: &'a P,
    seen: &'a CriticEvaluator,
    /// What the counts bring to the critic's hidden units.
    sums: Row,
}

impl<'a, P: Playable + Stones> Look<'a, P> {
    fn of(game: &'a P, seen: &'a CriticEvaluator) -> Self {
        Look { game, seen, sums: seen.critic().sums(seen.tally().counts()) }
    }

    #[inline]
    fn chance_to(&self, turn: Turn, cell: usize) -> f32 {
        self.chance_with(turn, &self.seen.tally().through(cell, turn.side))
    }

    fn chance_with(&self, turn: Turn, through: &Through) -> f32 {
        let first =
            self.seen.critic().value_after(&self.sums, self.seen.tally(), through, turn.next);
        if turn.side == Side::First { first } else { 1.0 - first }
    }

    /// See [`CriticEvaluator::prospects`].
    fn find(&self, found: &mut Prospects<P::Move>) {
        let mut turn = None;
        found.moves.clear();
        self.game.for_each_move(|m| {
            let cell = self.game.cell(m);
            if self.seen.is_reached(cell) {
                let turn = *turn.get_or_insert_with(|| Turn::of(self.game, m));
                found.moves.push(self.prospect(m, cell, turn));
            }
        });
        if found.moves.is_empty() {
            self.without_reach(&mut found.moves);
        }
        found.urgency = self.narrow(&mut found.moves);
    }

    fn prospect(&self, m: P::Move, cell: usize, turn: Turn) -> Prospect<P::Move> {
        let side = turn.side;
        let own = self.seen.tally().through(cell, side);
        let other = self.seen.tally().through(cell, !side);
        let chance = self.chance_with(turn, &own);
        let mut own = threat(self.seen.tally(), side, &own);
        own.row = own.row && self.wins(m);
        let other = threat(self.seen.tally(), !side, &other);
        Prospect { m, chance, near: self.seen.reached(cell), own, other }
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
    fn without_reach(&self, moves: &mut Vec<Prospect<P::Move>>) {
        let mut add = |m| moves.push(self.prospect(m, self.game.cell(m), Turn::of(self.game, m)));
        match self.game.move_to(self.seen.centre()) {
            Some(m) => add(m),
            None => self.game.for_each_move(add),
        }
    }

    /// Leaves the moves of the most urgent threat, if there is one: what wins earlier comes first.
    fn narrow(&self, moves: &mut Vec<Prospect<P::Move>>) -> Urgency {
        let threats: [fn(&Threat) -> bool; 3] = [|it| it.row, |it| it.swift, |it| it.winning];
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
    fn stop(&self, moves: &mut Vec<Prospect<P::Move>>, is_threat: fn(&Threat) -> bool) {
        let (side, cell_of) = (self.game.to_move(), |m: &Prospect<P::Move>| self.game.cell(m.m));
        let cells: Vec<usize> = moves.iter().filter(|m| is_threat(&m.other)).map(cell_of).collect();
        let mut tally = self.seen.tally().clone();
        // A stone takes threats away from the other side and gives it none: only these cells can be left.
        let mut stops = |m: &Prospect<P::Move>| {
            let cell = cell_of(m);
            tally.flip(cell, side);
            let mut left = cells.iter().filter(|&&at| at != cell);
            let any = left.any(|&at| is_threat(&threat(&tally, !side, &tally.through(at, !side))));
            tally.flip(cell, side);
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
fn threat(tally: &Tally, side: Side, through: &Through) -> Threat {
    let of = |pattern: usize| side.index() * PATTERNS + pattern;
    let everywhere = |pattern: usize| {
        let now = tally.counts().0[of(pattern)];
        now + field(through.after, of(pattern)) > field(through.before, of(pattern))
    };
    let forcing = |counts: LineCounts| -> u16 {
        (0..PATTERNS).filter(|&p| is_forcing(p)).map(|p| field(counts, of(p))).sum()
    };
    let winning = (0..PATTERNS).any(|pattern| is_winning(pattern) && everywhere(pattern));
    let fours = |counts: LineCounts| field(counts, of(SIMPLE_FOUR));
    let four = winning || fours(through.after) > fours(through.before);
    let double = forcing(through.after) > 1;
    let swift = winning || (four && double);
    // By some rules a row may lie there that did not win.
    let row = field(through.after, of(0)) > field(through.before, of(0));
    Threat { row, four, swift, winning: winning || double }
}
