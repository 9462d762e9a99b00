//! How strong a critic is at one ply: games against others, in pairs from one opening with exchanged colours.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::random::{Rng, word};
use tesuji_games::{Outcome, Position, RowBoard, Side, Stones};
use tesuji_queue::{Bench, Brief, Hand, Life, Product, Trouble};
use tesuji_search::Followed;

use super::opponents::{AlphaBetaSeat, ReportSeat, one_ply};
use super::players::{MEASURE, Players};
use super::self_play::{Purpose, chance, opening};
use super::{CriticEvaluator, Prospects, Scheme};

/// Somebody to play against.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Rival {
    /// The game's own estimate at one ply.
    Heuristic,
    /// The report's alpha-beta agent.
    AlphaBeta,
    /// The report's Monte Carlo agent with so many playouts a move in each stage.
    Playouts(u32),
}

/// How games ended for the critic.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Standing {
    /// Games that it won.
    pub won: u64,
    /// Games that nobody won.
    pub drawn: u64,
    /// Games that it lost.
    pub lost: u64,
}

impl Standing {
    /// How games ended whose colours change from game to game.
    pub(super) fn of(ended: &[Outcome]) -> Standing {
        let mut standing = Standing::default();
        for (number, &outcome) in ended.iter().enumerate() {
            standing.count(outcome, Side::ALL[number % 2]);
        }
        standing
    }

    fn count(&mut self, outcome: Outcome, side: Side) {
        match outcome.winner() {
            Some(winner) if winner == side => self.won += 1,
            Some(_) => self.lost += 1,
            None => self.drawn += 1,
        }
    }

    fn games(&self) -> f64 {
        (self.won + self.drawn + self.lost) as f64
    }

    /// The share of points, a draw being half of one.
    pub fn share(&self) -> f64 {
        (self.won as f64 + 0.5 * self.drawn as f64) / self.games().max(1.0)
    }

    /// Two standard errors of that share.
    pub fn margin(&self) -> f64 {
        let (share, games) = (self.share(), self.games().max(1.0));
        let squares = (self.won as f64 + 0.25 * self.drawn as f64) / games;
        2.0 * ((squares - share * share).max(0.0) / games).sqrt()
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (share, margin) = (100.0 * self.share(), 100.0 * self.margin());
        write!(f, "{share:.1} ± {margin:.1} % of {} games", self.games())
    }
}

/// Random stones before both players begin to think; both games of a pair begin alike.
const OPENING: [u32; 2] = [1, 5];
const OPENING_RADIUS: usize = 3;

/// A critic at a game, to be measured; a unit is the number of a game, those against the first rival before those
/// against the second. Half of them are played with each colour.
pub(super) struct Measured {
    /// Where games begin.
    pub(super) start: RowBoard,
    /// The scheme of its board.
    pub(super) scheme: Arc<Scheme>,
    /// Who is measured. The seed of the settings decides the openings and all other chance.
    pub(super) players: Players,
    /// Against whom.
    pub(super) rivals: Vec<Rival>,
    /// In so many games each.
    pub(super) games: u64,
}

enum Seat {
    Heuristic(Rng),
    AlphaBeta(Box<AlphaBetaSeat>),
    Playouts(ReportSeat<tesuji_gomoku::report::Playouts>),
}

impl Bench for Measured {
    fn brief(&self) -> Result<Brief, Trouble> {
        self.players.brief(MEASURE, &self.rivals, self.games)
    }

    fn hand<'a>(&'a self, life: &'a Life) -> Result<Box<dyn Hand + 'a>, Trouble> {
        Ok(Box::new(|unit: u64| {
            let rival = unit.checked_div(self.games).and_then(|n| self.rivals.get(n as usize));
            let rival = *rival.ok_or_else(|| Trouble(format!("there is no game {unit}")))?;
            let ended = self.game(rival, unit % self.games, life);
            Ok(ended.map(|outcome| Product::noted(&outcome)))
        }))
    }
}

impl Measured {
    fn game(&self, rival: Rival, number: u64, life: &Life) -> Option<Outcome> {
        let own = Side::ALL[number as usize % 2];
        let Players { settings, critic, .. } = &self.players;
        let critic = CriticEvaluator::new(self.scheme.clone(), critic.clone());
        let mut seen = Followed::new(self.start.clone(), critic);
        let mut rng = chance(settings.seed, Purpose::MeasureOpening, number / 2);
        opening(&mut seen, OPENING, OPENING_RADIUS, &mut rng);
        let rng = chance(settings.seed, Purpose::Measure, number);
        let mut seat = Seat::new(rival, seen.position(), rng);
        let mut prospects = Prospects::default();
        loop {
            let position = seen.position();
            if let Some(outcome) = position.outcome() {
                return Some(outcome);
            }
            if life.is_stopped() {
                return None;
            }
            life.beat();
            seen.evaluator().prospects(position, &mut prospects);
            let best = prospects.best().expect("an unfinished game has moves").m;
            let m = match position.to_move() == own {
                true => best,
                false => seat.choose(position).unwrap_or(best),
            };
            seat.follow(position.cell(m));
            seen.play(m);
        }
    }
}

impl Seat {
    fn new(rival: Rival, game: &RowBoard, mut rng: Rng) -> Seat {
        let seed = word(&mut rng);
        let seat = match rival {
            Rival::Heuristic => None,
            Rival::AlphaBeta => AlphaBetaSeat::at(game).map(|seat| Seat::AlphaBeta(Box::new(seat))),
            Rival::Playouts(playouts) => {
                ReportSeat::playing_out(game, playouts, seed).map(Seat::Playouts)
            }
        };
        seat.unwrap_or(Seat::Heuristic(rng))
    }

    fn choose(&mut self, game: &RowBoard) -> Option<u16> {
        match self {
            Seat::Heuristic(rng) => one_ply(game, rng),
            Seat::AlphaBeta(seat) => seat.choose(game),
            Seat::Playouts(seat) => seat.choose(game),
        }
    }

    fn follow(&mut self, cell: usize) {
        match self {
            Seat::Heuristic(_) => {}
            Seat::AlphaBeta(seat) => seat.follow(cell),
            Seat::Playouts(seat) => seat.follow(cell),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_and_their_margin() {
        let standing = Standing { won: 6, drawn: 2, lost: 2 };
        assert_eq!(standing.share(), 0.7);
        // Squares: six of 1 and two of 1/4 in ten games are 0.65, less 0.49.
        assert!((standing.margin() - 2.0 * (0.16f64 / 10.0).sqrt()).abs() < 1e-12);
        assert_eq!(Standing::default().to_string(), "0.0 ± 0.0 % of 0 games");
    }
}
