//! Matches: many games between two players in color-swapped pairs, several in parallel. The seed
//! decides the result; the number of parallel games does not.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use tesuji_games::{Side, SpecError};
use tesuji_queue::{Pool, WorkQueue};
use tesuji_search::Game;
use tesuji_store::{GameRecord, Store};

use crate::event::{Event, EventError, Participant, ScheduledGame, event_id};
use crate::event_runner::EventRunner;
use crate::{
    GameConditions, Openings, Pentanomial, PlayerSpec, Rating, Sprt, SprtState, SprtVerdict,
    WinDrawLoss,
};

/// The settings of a match.
#[derive(Clone, Debug)]
pub struct Match {
    /// Maximum number of games.
    pub games: u64,
    /// Seeds the openings and the players' random numbers.
    pub seed: u64,
    /// Number of parallel games.
    pub concurrency: usize,
    /// Limits, clocks and adjudication of each game.
    pub conditions: GameConditions,
    /// Ends the match as soon as this test accepts a hypothesis.
    pub sprt: Option<Sprt>,
}

impl Default for Match {
    fn default() -> Self {
        Match {
            games: 100,
            seed: 1,
            concurrency: 1,
            conditions: GameConditions::default(),
            sprt: None,
        }
    }
}

/// The score of a match so far.
#[derive(Clone, Debug, Default, Serialize)]
pub struct MatchScore {
    /// Wins, draws and losses of the first player.
    pub tally: WinDrawLoss,
    /// The same by pairs of games.
    pub pairs: Pentanomial,
    /// The state of the sequential test, if there is one.
    pub sprt: Option<SprtState>,
    /// Games that were read from the store instead of played.
    pub resumed: u64,
}

impl MatchScore {
    /// The strength estimate of the score: by pairs if all games are paired, since the two games of
    /// a pair share their opening; otherwise by single games.
    pub fn rating(&self) -> Option<Rating> {
        let paired = 2 * self.pairs.pairs() == self.tally.games();
        if paired { self.pairs.rating() } else { self.tally.rating() }
    }
}

/// The result of a match.
#[derive(Clone, Debug, Default, Serialize)]
pub struct MatchResult {
    /// The identity of the event in the store.
    pub event: String,
    /// The score.
    #[serde(flatten)]
    pub score: MatchScore,
    /// The strength estimate.
    pub rating: Option<Rating>,
    /// Number of distinct games.
    pub distinct: usize,
    /// Number of games in which a player failed.
    pub failures: usize,
    /// Number of games by the reason why they ended.
    pub endings: BTreeMap<&'static str, u64>,
    /// Every game, in order.
    pub games: Vec<MatchGame>,
}

/// One game of a match.
#[derive(Clone, Debug, Serialize)]
pub struct MatchGame {
    /// Counted from 1.
    pub number: u64,
    /// The side of the match's first player.
    pub first_player_side: Side,
    /// Points (1, ½ or 0) of the match's first player.
    pub points: f64,
    /// The record of the game.
    #[serde(flatten)]
    pub record: GameRecord,
}

/// A match that has been checked: both players could be created.
pub struct PreparedMatch {
    settings: Match,
    event: Arc<Event>,
    stop: Option<Arc<AtomicBool>>,
}

impl Match {
    /// Plays the match. `progress` is called after every game.
    pub fn run(
        &self,
        game: &Game,
        players: &[PlayerSpec; 2],
        openings: &Openings,
        progress: &dyn Fn(&MatchScore),
    ) -> Result<MatchResult, EventError> {
        self.prepare(game, players, openings)?.run(None, progress)
    }

    /// Creates both players once, so that errors are reported before the first game.
    pub fn prepare(
        &self,
        game: &Game,
        players: &[PlayerSpec; 2],
        openings: &Openings,
    ) -> Result<PreparedMatch, SpecError> {
        let event = Event {
            id: event_id("match", game.name(), openings, &self.conditions, self.seed),
            game: game.clone(),
            participants: players.iter().cloned().map(Participant::unnamed).collect(),
            openings: openings.clone(),
            conditions: self.conditions.clone(),
            seed: self.seed,
        };
        event.check()?;
        Ok(PreparedMatch { settings: self.clone(), event: Arc::new(event), stop: None })
    }
}

impl PreparedMatch {
    /// Ends the match soon after `stop` is set. Unfinished games are discarded.
    pub fn stopped_by(self, stop: Arc<AtomicBool>) -> PreparedMatch {
        PreparedMatch { stop: Some(stop), ..self }
    }

    /// Plays the match on threads of this process. Games that `store` already has are not replayed;
    /// new ones are added. `progress` is called after every game.
    pub fn run(
        &self,
        store: Option<&dyn Store>,
        progress: &dyn Fn(&MatchScore),
    ) -> Result<MatchResult, EventError> {
        self.run_on(&Pool::new(self.settings.concurrency.max(1)), store, progress)
    }

    /// Plays the match on a work queue.
    pub fn run_on(
        &self,
        queue: &dyn WorkQueue,
        store: Option<&dyn Store>,
        progress: &dyn Fn(&MatchScore),
    ) -> Result<MatchResult, EventError> {
        let Match { games, seed, sprt, .. } = self.settings;
        let runner = EventRunner { event: &self.event, queue, store, stop: self.stop.as_ref() };
        runner.run_uncontested(|stored| {
            let sprt_state = sprt.map(|sprt| sprt.judge(&Pentanomial::default()));
            let mut result = MatchResult {
                event: self.event.id.clone(),
                score: MatchScore { sprt: sprt_state, ..MatchScore::default() },
                ..MatchResult::default()
            };
            let schedule =
                (0..games).map(|number| ScheduledGame { players: [0, 1], number, seed }).collect();
            let uncontested =
                runner.play_round("1", schedule, stored, &mut |scheduled, game, is_stored| {
                    let flow = result.add(scheduled, game, is_stored, sprt);
                    progress(&result.score);
                    flow
                })?;
            result.rating = result.score.rating();
            result.distinct =
                result.games.iter().map(|game| &game.record.moves).collect::<HashSet<_>>().len();
            Ok(uncontested.then_some(result))
        })
    }
}

impl MatchResult {
    /// Counts a game; breaks when the sequential test has decided. The test is evaluated after
    /// whole pairs only, so that its decision does not depend on the number of parallel games.
    fn add(
        &mut self,
        scheduled: &ScheduledGame,
        record: GameRecord,
        is_stored: bool,
        sprt: Option<Sprt>,
    ) -> ControlFlow<()> {
        let side = if scheduled.number.is_multiple_of(2) { Side::First } else { Side::Second };
        let points = record.outcome.points(side);
        let before = self.games.last().map_or(0.0, |game| game.points);
        self.score.tally.add(points);
        self.score.resumed += u64::from(is_stored);
        *self.endings.entry(record.ending.kind.word()).or_default() += 1;
        self.failures += usize::from(record.ending.kind.is_failure());
        let number = scheduled.number + 1;
        self.games.push(MatchGame { number, first_player_side: side, points, record });
        if side == Side::First {
            return ControlFlow::Continue(());
        }
        self.score.pairs.add(before, points);
        self.score.sprt = sprt.map(|sprt| sprt.judge(&self.score.pairs));
        match &self.score.sprt {
            Some(state) if state.verdict != SprtVerdict::Continue => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{opened, player};

    fn played(settings: Match) -> MatchResult {
        let players = ["pvs:depth=1", "random"].map(player);
        let openings = Openings::Random { plies: 1 };
        settings.run(&opened("tictactoe"), &players, &openings, &|_| {}).unwrap()
    }

    fn games(games: u64, concurrency: usize, seed: u64) -> MatchResult {
        played(Match { games, seed, concurrency, ..Match::default() })
    }

    fn moves(result: &MatchResult) -> Vec<&str> {
        result.games.iter().map(|game| game.record.moves.as_str()).collect()
    }

    #[test]
    fn the_seed_decides_and_concurrency_does_not() {
        let (one, four) = (games(31, 1, 5), games(31, 4, 5));
        assert_eq!(one.score.tally, four.score.tally);
        assert_eq!(moves(&one), moves(&four));
        assert_ne!(moves(&one), moves(&games(31, 1, 6)));
    }

    #[test]
    fn pairs_share_the_opening_and_swap_the_colors() {
        let result = games(31, 1, 1);
        assert_eq!(result.games.len(), 31);
        assert_eq!(result.score.pairs.pairs(), 15);
        for pair in result.games.chunks_exact(2) {
            let opening = |game: &MatchGame| game.record.moves[..2].to_string();
            assert_eq!(pair[0].record.opening_plies, 1);
            assert_eq!(opening(&pair[0]), opening(&pair[1]));
            assert_eq!(pair[0].record.pair, pair[1].record.pair);
            assert_eq!(pair[0].first_player_side, Side::First);
            assert_eq!(pair[1].first_player_side, Side::Second);
        }
    }

    #[test]
    fn a_search_beats_random_moves() {
        let tally = games(31, 2, 1).score.tally;
        assert!(tally.wins > 3 * tally.losses, "{tally:?}");
    }

    /// The sequential test ends the match after the same pair, whatever the number of parallel
    /// games.
    #[test]
    fn a_decided_test_ends_the_match() {
        let test = |concurrency| {
            let sprt = Some("0,100".parse().unwrap());
            played(Match { games: 1000, concurrency, sprt, ..Match::default() })
        };
        let (one, four) = (test(1), test(4));
        assert_eq!(moves(&one), moves(&four));
        assert!(one.games.len() < 200, "{}", one.games.len());
        assert_eq!(one.score.sprt.unwrap().verdict, SprtVerdict::AcceptsH1);
    }
}
