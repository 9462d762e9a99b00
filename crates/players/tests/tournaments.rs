//! Tournaments with a real store: after any interruption the final table is the same.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use tesuji_games::Outcome;
use tesuji_play::statistics::PoolGame;
use tesuji_play::{Openings, Tournament, TournamentResult, TournamentSettings};
use tesuji_search::Game;
use tesuji_store::{
    AddCounts, EndingKind, GameRecord, Record, Selection, Store, StoreError, StoreInfo,
};

const PLAYERS: &str = "players = ['random', 'heuristic', 'minimax:depth=2', 'mcts:sims=20', \
                       { name = 'deep', spec = 'pvs:depth=9' }]";

fn tictactoe() -> Game {
    tesuji_builtin::registry().open("tictactoe").unwrap()
}

fn tournament(lines: &str) -> Tournament {
    let text = format!("name = 'test'\ngame = 'tictactoe'\npairs = 3\n{PLAYERS}\n{lines}");
    let settings = TournamentSettings::read(&text).unwrap();
    Tournament::new(settings, &tictactoe(), tesuji_players::roster(), Openings::Random { plies: 1 })
        .unwrap()
}

fn table(result: &TournamentResult) -> Vec<PoolGame> {
    result.games.clone()
}

fn played(lines: &str) -> TournamentResult {
    tournament(lines).run(None, &|_| {}).unwrap()
}

#[test]
fn all_pairs_meet_with_both_colors() {
    let result = played("");
    assert_eq!((result.score.done, result.score.total), (60, 60));
    let mut meetings: BTreeMap<[usize; 2], u32> = BTreeMap::new();
    for game in &result.games {
        *meetings.entry(game.players).or_default() += 1;
    }
    assert_eq!(meetings.len(), 20);
    assert!(meetings.values().all(|count| *count == 3), "{meetings:?}");
    assert_eq!(result.score.points.iter().sum::<f64>(), 60.0);
    assert!(result.score.points[4] > result.score.points[0]);
}

#[test]
fn concurrency_changes_nothing() {
    for format in ["", "format = 'swiss'\nrounds = 4", "format = 'gauntlet'"] {
        let one = played(format);
        let four = played(&format!("{format}\nconcurrency = 4"));
        assert_eq!(table(&one), table(&four), "{format}");
    }
}

/// Neither other participants nor the order in the file change the games of two players.
#[test]
fn a_new_player_leaves_the_other_games_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = tesuji_store::open(folder.path().join("t.db").to_str().unwrap()).unwrap();
    let run = |players: &str| {
        let text = format!("name = 'test'\ngame = 'tictactoe'\npairs = 2\nplayers = [{players}]");
        let settings = TournamentSettings::read(&text).unwrap();
        let tournament =
            Tournament::new(settings, &tictactoe(), tesuji_players::roster(), Openings::none())
                .unwrap();
        tournament.run(Some(&*store), &|_| {}).unwrap().score
    };
    assert_eq!(run("'random', 'heuristic'").resumed, 0);
    let three = run("'minimax:depth=2', 'heuristic', 'random'");
    assert_eq!((three.resumed, three.done), (4, 12));
    assert_eq!(run("'random', 'minimax:depth=2', 'heuristic'").resumed, 12);
    // Another spec under the same name is another player.
    assert_eq!(run("{ name = 'random', spec = 'random:seed=3' }, 'heuristic'").resumed, 0);
    assert_eq!(store.info().unwrap().counts[&tesuji_store::RecordKind::Game], 16);
}

/// A store that fails after a number of records.
struct Failing<'a> {
    store: &'a dyn Store,
    left: AtomicU64,
}

impl Store for Failing<'_> {
    fn place(&self) -> &str {
        self.store.place()
    }
    fn add(&self, records: &[Record]) -> Result<AddCounts, StoreError> {
        let count = records.len() as u64;
        let enough = self
            .left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(count));
        match enough {
            Ok(_) => self.store.add(records),
            Err(_) => Err(StoreError::Full { place: "here".into(), why: "enough".into() }),
        }
    }
    fn for_each(
        &self,
        selection: &Selection,
        each: &mut dyn FnMut(Record) -> std::ops::ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.store.for_each(selection, each)
    }
    fn info(&self) -> Result<StoreInfo, StoreError> {
        self.store.info()
    }
}

/// However often the store fails, acknowledged games are kept, no game is counted twice, and the
/// final table is that of an undisturbed run.
#[test]
fn a_failed_tournament_resumes() {
    for (format, concurrency) in [("", 1), ("", 3), ("format = 'swiss'\nrounds = 5", 2)] {
        let lines = format!("{format}\nconcurrency = {concurrency}");
        let undisturbed = played(&lines);
        let folder = tempfile::tempdir().unwrap();
        let store = tesuji_store::open(folder.path().join("t.db").to_str().unwrap()).unwrap();
        let mut breaks = 0;
        let result = loop {
            let failing = Failing { store: &*store, left: AtomicU64::new(7) };
            match tournament(&lines).run(Some(&failing), &|_| {}) {
                Ok(result) => break result,
                Err(error) => assert!(error.to_string().contains("no room left"), "{error}"),
            }
            breaks += 1;
            assert!(breaks < 200);
        };
        assert!(breaks > 2, "{breaks}");
        assert_eq!(table(&result), table(&undisturbed));
        let kept = store.games(&Selection::event(&result.event)).unwrap();
        assert_eq!(kept.len() as u64, result.score.total);
    }
}

/// A store in which another program always adds the games first, with other results.
struct Overtaking<'a>(&'a dyn Store);

impl Store for Overtaking<'_> {
    fn place(&self) -> &str {
        self.0.place()
    }
    fn add(&self, records: &[Record]) -> Result<AddCounts, StoreError> {
        let drawn = |record: &Record| match record.clone() {
            Record::Game(game) => Record::Game(GameRecord { outcome: Outcome::Draw, ..game }),
            other => other,
        };
        self.0.add(&records.iter().map(drawn).collect::<Vec<_>>())?;
        self.0.add(records)
    }
    fn for_each(
        &self,
        selection: &Selection,
        each: &mut dyn FnMut(Record) -> std::ops::ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.0.for_each(selection, each)
    }
    fn info(&self) -> Result<StoreInfo, StoreError> {
        self.0.info()
    }
}

/// The table is that of the games in the store.
#[test]
fn what_the_store_has_counts() {
    for format in ["", "format = 'swiss'\nrounds = 3"] {
        let folder = tempfile::tempdir().unwrap();
        let store = tesuji_store::open(folder.path().join("t.db").to_str().unwrap()).unwrap();
        let result = tournament(format).run(Some(&Overtaking(&*store)), &|_| {}).unwrap();
        assert_eq!(result.score.done, result.score.total);
        assert!(result.games.iter().all(|game| game.outcome == Outcome::Draw));
        let kept = store.games(&Selection::event(&result.event)).unwrap();
        assert!(kept.iter().all(|game| game.outcome == Outcome::Draw));
    }
}

#[test]
fn a_gauntlet_and_a_competition_play_their_own_pairings() {
    let gauntlet = played("format = 'gauntlet'\nchallengers = ['deep', 'random']");
    assert_eq!(gauntlet.score.done, 2 * 3 * 3 * 2);
    assert!(gauntlet.games.iter().all(|game| {
        game.players.iter().filter(|player| [0, 4].contains(*player)).count() == 1
    }));
    let text = "name = 'c'\ngame = 'tictactoe'\nformat = 'competition'\ndepths = [1, 3]\nweights = [1, 2]\n\
                players = [{ name = 'a', spec = 'negamax:depth={depth}' }, 'pvs:depth={depth}']";
    let settings = TournamentSettings::read(text).unwrap();
    let tournament =
        Tournament::new(settings, &tictactoe(), tesuji_players::roster(), Openings::none())
            .unwrap();
    assert_eq!(tournament.names(), ["a d1", "pvs:depth=1", "a d3", "pvs:depth=3"]);
    let result = tournament.run(None, &|_| {}).unwrap();
    let pairings: Vec<[usize; 2]> = result.games.iter().map(|game| game.players).collect();
    assert_eq!(pairings, [[0, 1], [1, 0], [2, 3], [3, 2]]);
    let table = tournament.competition(&result.games).unwrap();
    assert_eq!(table.games, 4);
    let first = &table.rows[0];
    assert_eq!(first.weighted, first.scores[0] + 2.0 * first.scores[1]);
}

#[test]
fn nonsense_is_refused_before_the_first_game() {
    let refused = |text: &str| {
        let text = format!("name = 'x'\ngame = 'tictactoe'\n{text}");
        let settings = TournamentSettings::read(&text).unwrap();
        match Tournament::new(settings, &tictactoe(), tesuji_players::roster(), Openings::none()) {
            Ok(_) => panic!("{text} was taken"),
            Err(error) => error.to_string(),
        }
    };
    for (text, words) in [
        ("players = ['random', 'rando']", "player 'rando': unknown"),
        ("players = ['random', 'random']", "two have the name 'random'"),
        ("players = ['random', 'human']", "cannot play without a terminal"),
        ("players = ['random', 'pvs']\n[ratings]\nanchor = 'x'", "anchor 'x': no such player"),
        (
            "players = ['random', 'pvs']\nformat = 'gauntlet'\nchallengers = ['random', 'pvs']",
            "every player is a challenger",
        ),
        ("players = ['random', 'pvs']\nformat = 'competition'\ndepths = [1]", "no {depth}"),
        (
            "players = ['pvs:depth={depth}', 'minimax:depth={depth}']\n\
             format = 'competition'\ndepths = [1]",
            "expected one per depth",
        ),
    ] {
        let error = refused(text);
        assert!(error.contains(words) && !error.contains('\n'), "{words}: {error}");
    }
}

#[test]
fn endings_are_counted() {
    let result = played("[adjudication]\nmax-plies = 3");
    assert_eq!(result.endings, BTreeMap::from([(EndingKind::Length.word(), 60)]));
    let solved = played("[adjudication]\nsolver = { nodes = 100000 }");
    assert_eq!(solved.endings, BTreeMap::from([(EndingKind::Solver.word(), 60)]));
}
