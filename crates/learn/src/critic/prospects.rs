//! Basic pruning: the moves that the report looks at, and what threats leave of them, each with what the critic thinks
//! of the position after it.

use tesuji_games::{Playable, Position, Side, Stones};

use super::line_memory::{LineCounts, field};
use super::patterns::{PATTERNS, is_forcing, is_four, is_winning};
use super::position::CriticPosition;
use super::tally::Through;

/// A move, looked at.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Prospect<M> {
    /// The move.
    pub m: M,
    /// The chance that the side that makes it wins, as the critic sees it.
    pub chance: f32,
    own: Threat,
    other: Threat,
}

/// What a stone of a side on a cell would give it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Threat {
    row: bool,
    /// Two ways to win at once.
    winning: bool,
    /// A new threat to complete a row.
    four: bool,
}

impl<M> Prospect<M> {
    /// Whether the other side would complete a row here.
    pub(super) fn stops_row(&self) -> bool {
        self.other.row
    }
}

/// Which moves threats leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pruning {
    /// The report's: two ways to win are made, or stopped on the very cells where they would be made.
    #[default]
    Report,
    /// Two ways to win may also be stopped by threats to complete a row, which must be answered first; and a double
    /// threat that is none of a row does not keep from stopping the other side's.
    Careful,
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
    /// The move that the critic likes best; of equals the first.
    pub fn best(&self) -> Option<&Prospect<M>> {
        self.moves.iter().reduce(|best, next| if next.chance > best.chance { next } else { best })
    }

    /// Best first; equals keep their order.
    pub fn sort(&mut self) {
        self.moves.sort_by(|a, b| b.chance.total_cmp(&a.chance));
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

    /// The moves that basic pruning leaves. In the report's order: a row is completed; a row is stopped; two ways to
    /// win are made; two ways to win are stopped; else every cell in reach of a stone.
    pub fn prospects(&self, found: &mut Prospects<P::Move>) {
        self.prospects_by(Pruning::Report, found);
    }

    /// The same, with more or less left.
    pub fn prospects_by(&self, pruning: Pruning, found: &mut Prospects<P::Move>) {
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
        found.urgency = narrow(&mut found.moves, pruning);
    }

    fn prospect(&self, m: P::Move, cell: usize, turn: Turn) -> Prospect<P::Move> {
        let side = turn.side;
        let own = self.tally().through(cell, side);
        let other = self.tally().through(cell, !side);
        Prospect {
            m,
            chance: self.chance_with(turn, &own),
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
        let fours = |counts: LineCounts| -> u16 {
            (0..PATTERNS).filter(|&p| is_four(p)).map(|p| field(counts, of(p))).sum()
        };
        Threat {
            row: everywhere(0),
            winning: winning || forcing(through.after) > 1,
            four: fours(through.after) > fours(through.before),
        }
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

type Test<M> = fn(&Prospect<M>) -> bool;

/// What is urgent, what shows it, and which moves are left then.
type Rule<M> = (Urgency, Test<M>, Test<M>);

/// Leaves the moves of the most urgent threat, if there is one.
fn narrow<M>(moves: &mut Vec<Prospect<M>>, pruning: Pruning) -> Urgency {
    let rules: &[Rule<M>] = match pruning {
        Pruning::Report => &[
            (Urgency::Winning, |m| m.own.row, |m| m.own.row),
            (Urgency::Stopping, |m| m.other.row, |m| m.other.row),
            (Urgency::Winning, |m| m.own.winning, |m| m.own.winning),
            (Urgency::Stopping, |m| m.other.winning, |m| m.other.winning),
        ],
        Pruning::Careful => &[
            (Urgency::Winning, |m| m.own.row, |m| m.own.row),
            (Urgency::Stopping, |m| m.other.row, |m| m.other.row),
            (Urgency::Winning, is_won, is_won),
            (
                Urgency::Stopping,
                |m| m.other.winning,
                |m| m.own.winning || m.other.winning || m.own.four,
            ),
            (Urgency::Winning, |m| m.own.winning, |m| m.own.winning || m.own.four),
        ],
    };
    for (urgency, shows, stays) in rules {
        if moves.iter().any(shows) {
            moves.retain(stays);
            return *urgency;
        }
    }
    Urgency::Quiet
}

/// Two ways to win, one of which is a row that must be stopped at once.
fn is_won<M>(m: &Prospect<M>) -> bool {
    m.own.winning && m.own.four
}
