//! Many games between two players: colour-swapped pairs, several at once, the same result by the same
//! seed however many.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use tesuji_games::bits::mix;
use tesuji_games::{Playable, Side, SpecError};
use tesuji_search::{Limits, Scheduler};

use crate::{
    GameRecord, Openings, Player, PlayerContext, PlayerSpec, Rating, Reason, Tally, play_game,
};

/// How a match is played.
#[derive(Clone, Debug)]
pub struct Match {
    /// The game as text, for complaints.
    pub game: String,
    /// How many games.
    pub games: u64,
    /// Decides openings and every player's chance.
    pub seed: u64,
    /// How many games run at once.
    pub concurrency: usize,
    /// What a move may cost, where a player's own options say nothing.
    pub per_move: Limits,
    /// After so many moves a game is a draw.
    pub max_plies: usize,
}

impl Default for Match {
    fn default() -> Self {
        Match {
            game: String::new(),
            games: 100,
            seed: 1,
            concurrency: 1,
            per_move: Limits::default(),
            max_plies: 1000,
        }
    }
}

/// How a match went.
#[derive(Clone, Debug, Serialize)]
pub struct MatchResult {
    /// Points of the first player.
    pub tally: Tally,
    /// What they say about strength.
    pub rating: Option<Rating>,
    /// How many of the games differ from each other.
    pub distinct: usize,
    /// Games that did not end by the rules of the game.
    pub failures: usize,
    /// Every game, in order.
    pub games: Vec<MatchGame>,
}

/// One game of a match.
#[derive(Clone, Debug, Serialize)]
pub struct MatchGame {
    /// Counted from 1.
    pub number: u64,
    /// Which side the first player of the match had.
    pub first_player_side: Side,
    /// 1, ½ or 0, for the first player of the match.
    pub points: f64,
    /// The game itself.
    #[serde(flatten)]
    pub record: GameRecord,
}

impl Match {
    /// Plays the match. `progress` is called after every game, from any thread, with the tally so far.
    pub fn run<P: Playable>(
        &self,
        start: &P,
        players: &[PlayerSpec; 2],
        openings: &Openings<P>,
        progress: &(dyn Fn(&Tally) + Sync),
    ) -> Result<MatchResult, SpecError> {
        let context = PlayerContext {
            game: self.game.clone(),
            seed: self.seed,
            scheduler: Some(Scheduler::for_this_machine()),
        };
        // One pair of players for each thread, made before anything starts: an error comes at once.
        let workers = (self.concurrency.max(1) as u64).min(self.games.max(1));
        let mut crews = Vec::new();
        for _ in 0..workers {
            crews.push([players[0].build::<P>(&context)?, players[1].build::<P>(&context)?]);
        }
        let hall = Hall {
            settings: self,
            start,
            openings,
            scheduler: context.scheduler.unwrap_or_else(Scheduler::for_this_machine),
            next: AtomicU64::new(0),
            finished: Mutex::new((Tally::default(), Vec::new())),
            progress,
        };
        std::thread::scope(|scope| {
            for players in crews {
                scope.spawn(|| hall.work(players));
            }
        });
        let (tally, mut games) =
            hall.finished.into_inner().unwrap_or_else(|poison| poison.into_inner());
        games.sort_by_key(|game| game.number);
        Ok(summary(tally, games))
    }

    /// Game `number`, counted from 0. All chance in it comes from the seed and the number, so that it does
    /// not matter which thread plays it, or when.
    fn play<P: Playable>(
        &self,
        number: u64,
        start: &P,
        players: &mut [Box<dyn Player<P>>; 2],
        openings: &Openings<P>,
    ) -> MatchGame {
        let opening = openings.opening(start, self.seed, number / 2);
        for (index, player) in players.iter_mut().enumerate() {
            player.new_game(mix(self.seed ^ mix(2 * number + index as u64 + 1)));
        }
        let [one, other] = players;
        let (side, seats): (Side, [&mut dyn Player<P>; 2]) = if number.is_multiple_of(2) {
            (Side::First, [one.as_mut(), other.as_mut()])
        } else {
            (Side::Second, [other.as_mut(), one.as_mut()])
        };
        let record = play_game(&opening, seats, &self.per_move, self.max_plies);
        let points = record.outcome.points(side);
        MatchGame { number: number + 1, first_player_side: side, points, record }
    }
}

/// What the threads of a match share.
struct Hall<'a, P: Playable> {
    settings: &'a Match,
    start: &'a P,
    openings: &'a Openings<P>,
    scheduler: Scheduler,
    next: AtomicU64,
    finished: Mutex<(Tally, Vec<MatchGame>)>,
    progress: &'a (dyn Fn(&Tally) + Sync),
}

impl<P: Playable> Hall<'_, P> {
    /// One thread: takes the next game until none is left.
    fn work(&self, mut players: [Box<dyn Player<P>>; 2]) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.settings.games {
                return;
            }
            let running = self.scheduler.start_game();
            let game = self.settings.play(number, self.start, &mut players, self.openings);
            drop(running);
            let mut finished = self.finished.lock().unwrap_or_else(|poison| poison.into_inner());
            finished.0.add(game.points);
            finished.1.push(game);
            (self.progress)(&finished.0);
        }
    }
}

fn summary(tally: Tally, games: Vec<MatchGame>) -> MatchResult {
    let distinct = games.iter().map(|game| &game.record.moves).collect::<HashSet<_>>().len();
    let failures = games
        .iter()
        .filter(|game| matches!(game.record.reason, Reason::IllegalMove | Reason::Error(_)))
        .count();
    MatchResult { tally, rating: tally.rating(), distinct, failures, games }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_games::rules::tictactoe::TicTacToe;

    fn played(concurrency: usize, seed: u64) -> MatchResult {
        let players = ["heuristic".parse().unwrap(), "random".parse().unwrap()];
        let settings = Match { games: 31, seed, concurrency, ..Match::default() };
        settings.run(&TicTacToe::new(), &players, &Openings::Random { plies: 1 }, &|_| {}).unwrap()
    }

    fn moves(result: &MatchResult) -> Vec<&str> {
        result.games.iter().map(|game| game.record.moves.as_str()).collect()
    }

    #[test]
    fn the_seed_decides_and_concurrency_does_not() {
        let (one, four) = (played(1, 5), played(4, 5));
        assert_eq!(one.tally, four.tally);
        assert_eq!(moves(&one), moves(&four));
        assert_ne!(moves(&one), moves(&played(1, 6)));
    }

    #[test]
    fn pairs_share_the_opening_and_swap_the_colours() {
        let result = played(1, 1);
        assert_eq!(result.games.len(), 31);
        for pair in result.games.chunks_exact(2) {
            assert_eq!(pair[0].record.opening, pair[1].record.opening);
            assert_eq!(pair[0].first_player_side, Side::First);
            assert_eq!(pair[1].first_player_side, Side::Second);
        }
    }

    #[test]
    fn a_heuristic_beats_chance() {
        let tally = played(2, 1).tally;
        assert!(tally.wins > 3 * tally.losses, "{tally:?}");
    }
}
