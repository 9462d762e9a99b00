//! Games to learn from: the moves that threats leave, chosen by the critic, with some chance among them.
//! (Adaptive dynamic programming is what the report calls it.)

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::random::{Rng, below, choose, derived, seeded, unit};
use tesuji_games::{Outcome, Position, RowBoard, Side, Stones};
use tesuji_gomoku::report::{AlphaBeta, Options};
use tesuji_queue::{Life, Product, Trouble};
use tesuji_search::Followed;

use super::opponents::{self, is_free_five};
use super::players::Table;
use super::settings::{Explore, Target};
use super::{Counts, Critic, CriticEvaluator, Prospect, Prospects, Urgency};
use crate::packing::{Packer, Unpacker, damaged};

/// A position of a game that is learned from.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Seen {
    pub(super) counts: Counts,
    pub(super) to_move: Side,
    /// The chance of the first side after the best move here, or after the best reply to it.
    pub(super) best: f32,
    /// Whether another move was played.
    pub(super) strayed: bool,
    pub(super) urgency: Urgency,
}

/// A game that is learned from.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Played {
    pub(super) seen: Vec<Seen>,
    pub(super) outcome: Outcome,
    /// Stones, with those of the opening.
    pub(super) stones: u64,
}

/// A game in a note: its positions are packed, so that not a bit of them is lost.
#[derive(Serialize, Deserialize)]
pub(super) struct Noted {
    outcome: Outcome,
    stones: u64,
    seen: String,
}

const URGENCIES: [Urgency; 3] = [Urgency::Quiet, Urgency::Winning, Urgency::Stopping];

impl Played {
    pub(super) fn product(&self) -> Product {
        let mut packer = Packer::default();
        for seen in &self.seen {
            seen.counts.0.iter().for_each(|&count| packer.whole(u64::from(count)));
            let flags = [seen.to_move.index(), usize::from(seen.strayed), seen.urgency as usize];
            packer.whole((flags[0] + 2 * flags[1] + 4 * flags[2]) as u64);
            packer.float(seen.best);
        }
        let Played { outcome, stones, .. } = *self;
        Product::noted(&Noted { outcome, stones, seen: packer.text() })
    }

    /// Reads the note of a game.
    pub(super) fn of(Noted { outcome, stones, seen: text }: Noted) -> Result<Played, Trouble> {
        let (mut unpacker, mut seen) = (Unpacker::new(&text)?, Vec::new());
        while !unpacker.is_empty() {
            let mut counts = Counts::default();
            for count in &mut counts.0 {
                *count = u16::try_from(unpacker.whole()?).map_err(|_| damaged())?;
            }
            let flags = unpacker.whole()? as usize;
            seen.push(Seen {
                counts,
                to_move: Side::ALL[flags & 1],
                strayed: flags & 2 > 0,
                urgency: *URGENCIES.get(flags >> 2).ok_or_else(damaged)?,
                best: unpacker.float()?,
            });
        }
        Ok(Played { seen, outcome, stones })
    }
}

/// Who else plays.
enum Seat {
    Learner,
    Earlier(Side, Box<Followed<RowBoard, CriticEvaluator>>),
    AlphaBeta(Side, Box<AlphaBeta>),
}

/// A game under way.
struct Game {
    seen: Followed<RowBoard, CriticEvaluator>,
    prospects: Prospects<u16>,
    replies: Prospects<u16>,
    rng: Rng,
    /// How much is explored.
    exploration: f64,
}

impl Table {
    /// A game by its number, which decides all chance in it; `None` when it was told to stop.
    pub(super) fn play(&self, number: u64, life: &Life) -> Option<Played> {
        let settings = &self.settings;
        let mut game = Game {
            seen: self.seen(self.start.clone(), &self.critic),
            prospects: Prospects::default(),
            replies: Prospects::default(),
            // The numbers are part of what a seed means.
            rng: seeded(derived(settings.seed ^ 0x6372_6974_6963, [1, number])),
            exploration: settings.exploration_at(number),
        };
        let play = &settings.play;
        let opening = opening(&mut game.seen, play.opening, play.radius, &mut game.rng);
        let (mut seat, mut seen) = (self.seat(&mut game), Vec::new());
        loop {
            if let Some(outcome) = game.seen.position().outcome() {
                let stones = (opening + seen.len()) as u64;
                return Some(Played { seen, outcome, stones });
            }
            if life.is_stopped() {
                return None;
            }
            life.beat();
            let (m, it) = self.advance(&mut game, &mut seat);
            seen.push(it);
            game.seen.play(m);
        }
    }

    fn seen(&self, game: RowBoard, critic: &Arc<Critic>) -> Followed<RowBoard, CriticEvaluator> {
        Followed::new(game, CriticEvaluator::new(self.scheme.clone(), critic.clone()))
    }

    /// Who plays against the learner in this game.
    fn seat(&self, game: &mut Game) -> Seat {
        let opponents = &self.settings.opponents;
        let earlier = if self.earlier.is_empty() { 0.0 } else { opponents.earlier };
        let alphabeta = if is_free_five(&self.start) { opponents.alphabeta } else { 0.0 };
        let shares = [opponents.itself.max(1e-9), earlier, alphabeta];
        let drawn = unit(&mut game.rng) * shares.iter().sum::<f64>();
        let side = Side::ALL[below(&mut game.rng, 2) as usize];
        if drawn < shares[0] {
            return Seat::Learner;
        }
        if drawn < shares[0] + shares[1]
            && let Some(critic) = choose(&mut game.rng, &self.earlier)
        {
            let seen = self.seen(game.seen.position().clone(), critic);
            return Seat::Earlier(side, Box::new(seen));
        }
        Seat::AlphaBeta(side, Box::new(AlphaBeta::new(Options::default())))
    }

    /// The move that is played, and what is learned from here.
    fn advance(&self, game: &mut Game, seat: &mut Seat) -> (u16, Seen) {
        game.seen.evaluator().prospects(game.seen.position(), &mut game.prospects);
        let to_move = game.seen.position().to_move();
        let best = *game.prospects.best().expect("an unfinished game has moves");
        let (best, chance) = match self.settings.learning.target {
            Target::Next => (best, best.chance),
            Target::Reply => game.after_reply(self.settings.learning.width),
        };
        let m = match seat {
            Seat::Earlier(side, seen) if *side == to_move => {
                seen.evaluator().prospects(seen.position(), &mut game.replies);
                game.replies.best().map_or(best.m, |best| best.m)
            }
            Seat::AlphaBeta(side, agent) if *side == to_move => {
                opponents::choose(agent, game.seen.position()).unwrap_or(best.m)
            }
            _ => game.explore(best.m, self.settings.play.explore),
        };
        if let Seat::Earlier(_, seen) = seat {
            seen.play(m);
        }
        let seen = Seen {
            counts: *game.seen.evaluator().tally().counts(),
            to_move,
            best: if to_move == Side::First { chance } else { 1.0 - chance },
            strayed: m != best.m,
            urgency: game.prospects.urgency,
        };
        (m, seen)
    }
}

impl Game {
    /// The best move, or another.
    fn explore(&mut self, best: u16, way: Explore) -> u16 {
        let Game { prospects, rng, exploration, .. } = self;
        let drawn = match way {
            Explore::Greedy if unit(rng) < *exploration => choose(rng, &prospects.moves),
            Explore::Softmax if *exploration > 0.0 => softmax(&prospects.moves, *exploration, rng),
            _ => None,
        };
        drawn.map_or(best, |prospect| prospect.m)
    }

    /// The best of the first moves and what it is worth to the side to move, after the best reply to it.
    fn after_reply(&mut self, width: usize) -> (Prospect<u16>, f32) {
        let mut first = self.prospects.clone();
        first.sort();
        first.moves.truncate(width);
        let mut best = (first.moves[0], f32::MIN);
        let mover = self.seen.position().to_move();
        for prospect in first.moves {
            let undo = self.seen.play(prospect.m);
            let chance = self.best_reply(mover);
            self.seen.undo(prospect.m, undo);
            if chance > best.1 {
                best = (prospect, chance);
            }
        }
        best
    }

    /// The chance of the side that has just moved, after the best move that there is now.
    fn best_reply(&mut self, mover: Side) -> f32 {
        let position = self.seen.position();
        if let Some(outcome) = position.outcome() {
            return outcome.points(mover) as f32;
        }
        // What is won at once need not be estimated.
        let chance = if RowBoard::WIN_DETECTION && position.winning_move().is_some() {
            1.0
        } else {
            self.seen.evaluator().prospects(position, &mut self.replies);
            self.replies.best().map_or(0.5, |best| best.chance)
        };
        if position.to_move() == mover { chance } else { 1.0 - chance }
    }
}

/// Odds of winning to the power of one by the temperature.
fn softmax<'m, M>(
    moves: &'m [Prospect<M>],
    temperature: f64,
    rng: &mut Rng,
) -> Option<&'m Prospect<M>> {
    let logit = |it: &Prospect<M>| {
        let chance = f64::from(it.chance).clamp(1e-6, 1.0 - 1e-6);
        (chance / (1.0 - chance)).ln() / temperature
    };
    let most = moves.iter().map(logit).fold(f64::MIN, f64::max);
    let mut left = unit(rng) * moves.iter().map(|it| (logit(it) - most).exp()).sum::<f64>();
    moves.iter().find(|it| {
        left -= (logit(it) - most).exp();
        left <= 0.0
    })
}

/// Random stones near the middle, whose side is whoever's turn it is. A game that ends with them begins without. Says how
/// many there are.
fn opening(
    seen: &mut Followed<RowBoard, CriticEvaluator>,
    [least, most]: [u32; 2],
    radius: usize,
    rng: &mut Rng,
) -> usize {
    let mut way = Vec::new();
    for _ in 0..least + below(rng, most - least + 1) {
        if seen.position().outcome().is_some() {
            break;
        }
        let Some(m) = near_the_middle(seen.position(), radius, rng) else { break };
        way.push((m, seen.play(m)));
    }
    if seen.position().outcome().is_some() {
        way.drain(..).rev().for_each(|(m, undo)| seen.undo(m, undo));
    }
    way.len()
}

fn near_the_middle(game: &RowBoard, radius: usize, rng: &mut Rng) -> Option<u16> {
    let grid = game.grid();
    let mut near = Vec::new();
    game.for_each_move(|m| {
        let (row, column) = (game.cell(m) / grid.columns, game.cell(m) % grid.columns);
        let is_near = column.abs_diff(grid.columns / 2) <= radius
            && (grid.gravity || row.abs_diff(grid.rows / 2) <= radius);
        if is_near {
            near.push(m);
        }
    });
    choose(rng, &near).copied()
}
