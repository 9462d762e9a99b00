//! Games to learn from: the moves that threats leave, chosen by the critic, with some chance among them.
//! (Adaptive dynamic programming is what the report calls it.)

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::random::{Rng, below, choose, derived, seeded, unit};
use tesuji_games::{Outcome, Position, RowBoard, Side, Stones};
use tesuji_queue::{Bench, Brief, Hand, Life, Product, Trouble};
use tesuji_search::Followed;

use super::opponents::{AlphaBetaSeat, is_free_five};
use super::players::Players;
use super::settings::{Explore, Target};
use super::{Counts, Critic, CriticEvaluator, Prospect, Prospects, Scheme, Urgency};
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

impl Played {
    /// 1 where the first side has won, ½ where nobody has.
    pub(super) fn result(&self) -> f32 {
        self.outcome.winner().map_or(0.5, |winner| if winner == Side::First { 1.0 } else { 0.0 })
    }
}

/// A game in a note: its positions are packed, so that not a bit of them is lost.
#[derive(Serialize, Deserialize)]
struct Noted {
    outcome: Outcome,
    stones: u64,
    seen: String,
}

const URGENCIES: [Urgency; 3] = [Urgency::Quiet, Urgency::Winning, Urgency::Stopping];

impl Played {
    fn product(&self) -> Product {
        let mut packer = Packer::default();
        for seen in &self.seen {
            seen.counts.0.iter().for_each(|&count| packer.whole(u64::from(count)));
            let urgency = URGENCIES.iter().position(|&it| it == seen.urgency).unwrap_or(0);
            let flags = [seen.to_move.index(), usize::from(seen.strayed), urgency];
            packer.whole((flags[0] + 2 * flags[1] + 4 * flags[2]) as u64);
            packer.float(seen.best);
        }
        let Played { outcome, stones, .. } = *self;
        Product::noted(&Noted { outcome, stones, seen: packer.text() })
    }

    /// Reads the note of a game.
    pub(super) fn of(product: &Product) -> Result<Played, Trouble> {
        let Noted { outcome, stones, seen: text } = product.note()?;
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

/// What chance is needed for. The numbers are part of what a seed means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose {
    Game = 1,
}

pub(super) fn chance(seed: u64, purpose: Purpose, number: u64) -> Rng {
    seeded(derived(seed ^ 0x6372_6974_6963, [purpose as u64, number]))
}

/// Who else plays.
enum Seat {
    Learner,
    Earlier(Side, Box<Followed<RowBoard, CriticEvaluator>>),
    AlphaBeta(Side, Box<AlphaBetaSeat>),
}

/// Where games are played; a unit is the number of a game.
pub(super) struct Table {
    pub(super) players: Players,
    pub(super) start: RowBoard,
    pub(super) scheme: Arc<Scheme>,
}

impl Bench for Table {
    fn brief(&self) -> Result<Brief, Trouble> {
        self.players.brief()
    }

    fn hand<'a>(&'a self, life: &'a Life) -> Result<Box<dyn Hand + 'a>, Trouble> {
        Ok(Box::new(|number: u64| Ok(self.play(number, life).map(|played| played.product()))))
    }
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
    fn play(&self, number: u64, life: &Life) -> Option<Played> {
        let settings = &self.players.settings;
        let mut game = Game {
            seen: self.seen(self.start.clone(), &self.players.critic),
            prospects: Prospects::default(),
            replies: Prospects::default(),
            rng: chance(settings.seed, Purpose::Game, number),
            exploration: settings.exploration_at(number),
        };
        let play = &settings.play;
        opening(&mut game.seen, play.opening, play.radius, &mut game.rng);
        let mut seat = self.seat(&mut game);
        let mut seen = Vec::new();
        let mut stones = (0..self.scheme.grid().cells())
            .filter(|&cell| game.seen.position().stone_at(cell).is_some())
            .count() as u64;
        loop {
            if let Some(outcome) = game.seen.position().outcome() {
                return Some(Played { seen, outcome, stones });
            }
            if life.is_stopped() {
                return None;
            }
            life.beat();
            let (m, it) = self.advance(&mut game, &mut seat);
            seen.push(it);
            game.seen.play(m);
            stones += 1;
        }
    }

    fn seen(&self, game: RowBoard, critic: &Arc<Critic>) -> Followed<RowBoard, CriticEvaluator> {
        Followed::new(game, CriticEvaluator::new(self.scheme.clone(), critic.clone()))
    }

    /// Who plays against the learner in this game.
    fn seat(&self, game: &mut Game) -> Seat {
        let Players { settings, earlier: selves, .. } = &self.players;
        let opponents = &settings.opponents;
        let earlier = if selves.is_empty() { 0.0 } else { opponents.earlier };
        let alphabeta = if is_free_five(&self.start) { opponents.alphabeta } else { 0.0 };
        let shares = [opponents.itself.max(1e-9), earlier, alphabeta];
        let drawn = unit(&mut game.rng) * shares.iter().sum::<f64>();
        let side = Side::ALL[below(&mut game.rng, 2) as usize];
        if drawn < shares[0] {
            return Seat::Learner;
        }
        if drawn < shares[0] + shares[1]
            && let Some(critic) = choose(&mut game.rng, selves)
        {
            let seen = self.seen(game.seen.position().clone(), critic);
            return Seat::Earlier(side, Box::new(seen));
        }
        AlphaBetaSeat::at(game.seen.position())
            .map_or(Seat::Learner, |seat| Seat::AlphaBeta(side, Box::new(seat)))
    }

    /// The move that is played, and what is learned from here.
    fn advance(&self, game: &mut Game, seat: &mut Seat) -> (u16, Seen) {
        game.seen.evaluator().prospects(game.seen.position(), &mut game.prospects);
        let to_move = game.seen.position().to_move();
        let best = *game.prospects.best().expect("an unfinished game has moves");
        let (best, chance) = match self.players.settings.learning.target {
            Target::Next => (best, best.chance),
            Target::Reply => game.after_reply(self.players.settings.learning.width),
        };
        let m = match seat {
            Seat::Earlier(side, seen) if *side == to_move => {
                seen.evaluator().prospects(seen.position(), &mut game.replies);
                game.replies.best().map_or(best.m, |best| best.m)
            }
            Seat::AlphaBeta(side, agent) if *side == to_move => {
                agent.choose(game.seen.position()).unwrap_or(best.m)
            }
            _ => game.explore(best.m, self.players.settings.play.explore),
        };
        match seat {
            Seat::Learner => {}
            Seat::Earlier(_, seen) => drop(seen.play(m)),
            Seat::AlphaBeta(_, agent) => agent.follow(game.seen.position().cell(m)),
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
            return outcome.winner().map_or(0.5, |it| if it == mover { 1.0 } else { 0.0 });
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

/// Random stones near the middle, whose side is whoever's turn it is. A game that ends with them begins without.
pub(super) fn opening(
    seen: &mut Followed<RowBoard, CriticEvaluator>,
    [least, most]: [u32; 2],
    radius: usize,
    rng: &mut Rng,
) {
    let mut way = Vec::new();
    for _ in 0..least + below(rng, most - least + 1) {
        if seen.position().outcome().is_some() {
            break;
        }
        let Some(m) = near_the_middle(seen.position(), radius, rng) else { break };
        way.push((m, seen.play(m)));
    }
    if seen.position().outcome().is_some() {
        way.into_iter().rev().for_each(|(m, undo)| seen.undo(m, undo));
    }
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
