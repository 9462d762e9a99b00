//! Basic pruning: the moves that the report looks at, and what threats leave of them, each with what the critic thinks
//! of the position after it.

use std::cmp::Ordering;

use tesuji_games::{Playable, Position, Side, Stones};

use super::line_memory::{LineCounts, field};
use super::patterns::{PATTERNS, SIMPLE_FOUR, is_forcing, is_winning};
use super::position::CriticPosition;
use super::tally::Through;

/// A move, looked at.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Prospect<M> {
    /// The move.
    pub m: M,
    /// The chance that the side that makes it wins, as the critic sees it.
    pub chance: f32,
    /// How many stones have the cell within their reach.
    near: u8,
    own: Threat,
    other: Threat,
}

impl<M> Prospect<M> {
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
        self.moves.iter().reduce(|best, next| match next.order(best) {
            Ordering::Less => next,
            _ => best,
        })
    }

    /// Best first; equals keep their order.
    pub fn sort(&mut self) {
        self.moves.sort_by(Prospect::order);
    }
}

impl<P: Playable + Stones> CriticPosition<P> {
    /// The chance that the side to move wins after a move, as the critic sees it.
    pub fn chance_after(&self, m: P::Move) -> f32 {
        let (cell, turn) = (self.game().cell(m), Turn::of(self.game(), m));
        self.chance_with(turn, &self.tally().through(cell, turn.side))
    }

    fn chance_with(&self, turn: Turn, through: &Through) -> f32 {
        let first = self.critic().value_after(self.sums(), self.tally(), through, turn.next);
        if turn.side == Side::First { first } else { 1.0 - first }
    }

    /// The moves that basic pruning leaves: a row is completed; a row is stopped; two ways to win are made; two ways to
    /// win are stopped, or put off by a four; else every cell in reach of a stone. The report goes no further, and makes
    /// two threes where the other side makes an open four out of one; here what wins a move earlier comes before
    /// what wins later, whoever makes it.
    pub fn prospects(&self, found: &mut Prospects<P::Move>) {
        let mut turn = None;
        found.moves.clear();
        self.game().for_each_move(|m| {
            let cell = self.game().cell(m);
            if self.is_reached(cell) {
                let turn = *turn.get_or_insert_with(|| Turn::of(self.game(), m));
                found.moves.push(self.prospect(m, cell, turn));
            }
        });
        if found.moves.is_empty() {
            self.without_reach(&mut found.moves);
        }
        found.urgency = narrow(&mut found.moves);
    }

    fn prospect(&self, m: P::Move, cell: usize, turn: Turn) -> Prospect<P::Move> {
        let side = turn.side;
        let own = self.tally().through(cell, side);
        let other = self.tally().through(cell, !side);
        Prospect {
            m,
            chance: self.chance_with(turn, &own),
            near: self.reached(cell),
            own: self.threat(side, &own),
            other: self.threat(!side, &other),
        }
    }

    /// A winning threat anywhere on the board after the stone, or two forcing ones on its lines.
    fn threat(&self, side: Side, through: &Through) -> Threat {
        let of = |pattern: usize| side.index() * PATTERNS + pattern;
        let everywhere = |pattern: usize| {
            let now = self.tally().counts().0[of(pattern)];
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
        Threat { row: everywhere(0), four, swift, winning: winning || double }
    }

    /// Before the first stone, and when all cells near stones are full: the middle if it is free, else any.
    fn without_reach(&self, moves: &mut Vec<Prospect<P::Move>>) {
        let mut add =
            |m| moves.push(self.prospect(m, self.game().cell(m), Turn::of(self.game(), m)));
        match self.game().move_to(self.centre()) {
            Some(m) => add(m),
            None => self.game().for_each_move(add),
        }
    }
}

/// Leaves the moves of the most urgent threat, if there is one.
fn narrow<M>(moves: &mut Vec<Prospect<M>>) -> Urgency {
    type Test<M> = fn(&Prospect<M>) -> bool;
    // The threat that is looked for, and the moves that answer it.
    let urgent: [(Urgency, Test<M>, Test<M>); 6] = [
        (Urgency::Winning, |m| m.own.row, |m| m.own.row),
        (Urgency::Stopping, |m| m.other.row, |m| m.other.row),
        (Urgency::Winning, |m| m.own.swift, |m| m.own.swift),
        (Urgency::Stopping, |m| m.other.swift, |m| m.other.swift || m.own.four),
        (Urgency::Winning, |m| m.own.winning, |m| m.own.winning),
        (Urgency::Stopping, |m| m.other.winning, |m| m.other.winning || m.own.four),
    ];
    for (urgency, is_urgent, answers) in urgent {
        if moves.iter().any(is_urgent) {
            moves.retain(answers);
            return urgency;
        }
    }
    Urgency::Quiet
}
