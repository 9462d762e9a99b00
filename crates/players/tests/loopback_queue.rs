//! Matches and tournaments whose games are played as on other machines: from job payloads, with the
//! attached files. The games equal those of a local event.

use std::path::Path;

use tesuji_games::State;
use tesuji_play::{
    Adjudication, GameConditions, Match, MatchGame, MatchResult, Openings, ProgramPolicy,
    ScoreRule, SolverRule, TimeControl, Tournament, TournamentSettings,
};
use tesuji_queue::testing::LoopbackQueue;
use tesuji_queue::{JobKinds, Pool, WorkQueue};
use tesuji_search::book::{Book, BookKeys};
use tesuji_search::{Game, Limits, SearchPlan};
use tesuji_store::{GameRecord, RecordKind, Selection};

fn opened(game: &str) -> Game {
    tesuji_builtin::registry().open(game).unwrap()
}

fn worker(programs: ProgramPolicy) -> LoopbackQueue {
    LoopbackQueue::new(JobKinds::new(tesuji_players::job_kinds(
        &tesuji_builtin::registry(),
        programs,
    )))
}

fn loopback() -> LoopbackQueue {
    worker(ProgramPolicy::Allowed)
}

/// Returns a game without its times.
fn timeless(mut game: GameRecord) -> GameRecord {
    game.played_at = 0;
    game.thoughts.iter_mut().for_each(|thought| thought.micros = 0);
    // Whether search information is kept may depend on its time.
    if game.thoughts.iter().all(|thought| thought.score.is_none() && thought.nodes == 0) {
        game.thoughts.clear();
    }
    game
}

fn games(result: &MatchResult) -> Vec<GameRecord> {
    result.games.iter().map(|game: &MatchGame| timeless(game.record.clone())).collect()
}

/// Plays the same match locally and over the loopback queue; returns its games.
fn compared(
    settings: &Match,
    game: &str,
    players: [&str; 2],
    openings: &Openings,
) -> Vec<GameRecord> {
    let players = players.map(|player| tesuji_players::player(player).unwrap());
    let ready = settings.prepare(&opened(game), &players, openings).unwrap();
    let here = ready.run_on(&Pool::new(2), None, &|_| {}).unwrap();
    let there = ready.run_on(&loopback(), None, &|_| {}).unwrap();
    assert_eq!(games(&here), games(&there));
    assert_eq!(here.event, there.event);
    games(&here)
}

fn model(name: &str) -> String {
    format!("{}/../../models/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn copied(model_name: &str, folder: &Path, name: &str) -> String {
    let path = folder.join(name);
    std::fs::copy(model(model_name), &path).unwrap();
    path.display().to_string()
}

#[test]
fn a_match_under_every_condition() {
    let conditions = GameConditions {
        limits: Limits { depth: Some(2), nodes: Some(5000), ..Limits::default() },
        clock: TimeControl {
            per_move: Some(std::time::Duration::from_secs(20)),
            ..TimeControl::default()
        },
        adjudication: Adjudication {
            solver: Some(SolverRule { nodes: 3000, from_ply: 20 }),
            decided: Some(ScoreRule { score: 900, moves: 2, from_ply: 4 }),
            even: None,
            max_plies: 38,
        },
    };
    let settings = Match { games: 12, seed: 7, conditions, ..Match::default() };
    let openings = Openings::Random { plies: 3 };
    let games = compared(&settings, "connect4", ["alphabeta", "mcts:sims=50"], &openings);
    assert_eq!(games.len(), 12);
}

/// The sequential test ends the match after the same pair, though games arrive last to first.
#[test]
fn a_settled_question_ends_the_match_after_the_same_pair() {
    let sprt = Some("0,100".parse().unwrap());
    let settings = Match { games: 1000, sprt, ..Match::default() };
    let openings = Openings::Random { plies: 1 };
    let games = compared(&settings, "tictactoe", ["heuristic", "random"], &openings);
    assert!(games.len() < 200, "{}", games.len());
}

/// Openings that start from other positions, in a game with a notation for them.
#[test]
fn openings_travel_with_their_positions() {
    let openings = "e2e4 e7e5\n8/8/4k3/8/8/4K3/4P3/8 w - - 0 1\n8/8/4k3/8/8/4K3/4P3/8 b - - 0 1\n";
    let openings = Openings::read(opened("chess").start(), openings).unwrap();
    let mut conditions = GameConditions::default();
    conditions.adjudication.max_plies = 12;
    let settings = Match { games: 6, conditions, ..Match::default() };
    let games = compared(&settings, "chess", ["random", "random:seed=3"], &openings);
    assert!(games[0].start.is_none() && games[2].start.is_some(), "{:?}", games[2].start);
}

/// Every kind of file that a player names is attached to the job, and games keep the local file
/// names.
#[test]
fn files_go_along() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let book = folder.join("t.book");
    let (tictactoe, mut entries) = (opened("tictactoe"), Book::new("tictactoe"));
    let keys = BookKeys::new(Some(State::symmetry()));
    let mut search = tictactoe.searches().search(&SearchPlan::AlphaBeta, 0, None);
    entries.build(tictactoe.start(), 1, keys, &mut *search, &Limits::default(), |_| {});
    entries.save(&book).unwrap();
    let forest = copied("gomoku-15x15.xml.gz", folder, "a,forest.xml.gz");
    let critic = copied("critic-gomoku-15x15.net", folder, "critic.net");
    let weights = copied("gomoku-freestyle.weights", folder, "w.weights");
    let lines = copied("gomoku.lines", folder, "l.lines");
    for (game, one, other) in [
        (
            "gomoku",
            format!("forest:file=\"{forest}\",depth=1"),
            format!("gomoku:nodes=200,tt=1M,weights={weights}"),
        ),
        ("gomoku", format!("critic:file={critic}"), format!("line-mcts:sims=8,file={lines}")),
        ("tictactoe", format!("pvs:depth=2,book={}", book.display()), "random".to_string()),
    ] {
        let mut conditions = GameConditions::default();
        conditions.adjudication.max_plies = 16;
        let settings = Match { games: 2, conditions, ..Match::default() };
        let openings = Openings::Random { plies: 2 };
        let games = compared(&settings, game, [&one, &other], &openings);
        assert_eq!(games[0].players[0].spec, one);
        assert!(games.iter().all(|game| !game.ending.kind.is_failure()), "{games:?}");
    }
}

/// The content of a player's files is part of a game's identity, on every machine.
#[test]
fn content_is_part_of_a_games_identity_everywhere() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let forest = copied("tictactoe.xml.gz", folder.path(), "f.xml.gz");
    let engine = folder.path().join("engine");
    let replace_engine = |text: &str| {
        std::fs::write(&engine, format!("#!/bin/sh\n# {text}\nread line\n")).unwrap();
        std::fs::set_permissions(&engine, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    replace_engine("one");
    let place = folder.path().join("games.db");
    let store = tesuji_store::open(place.to_str().unwrap()).unwrap();
    let resumed = |one: &str, queue: &dyn WorkQueue| {
        let players = [one, "random"].map(|player| tesuji_players::player(player).unwrap());
        let settings = Match { games: 4, ..Match::default() };
        let ready = settings.prepare(&opened("tictactoe"), &players, &Openings::none()).unwrap();
        ready.run_on(queue, Some(&*store), &|_| {}).unwrap().score.resumed
    };
    let (here, there) = (Pool::new(1), loopback());
    for player in [format!("forest:file={forest}"), format!("external:cmd={}", engine.display())] {
        assert_eq!(resumed(&player, &there), 0, "{player}");
        assert_eq!(resumed(&player, &here), 4, "{player}");
        std::fs::copy(model("../examples/forest.xml"), &forest).unwrap();
        replace_engine("two");
        assert_eq!(resumed(&player, &here), 0, "{player}");
        assert_eq!(resumed(&player, &there), 4, "{player}");
        std::fs::copy(model("tictactoe.xml.gz"), &forest).unwrap();
        replace_engine("one");
        assert_eq!(resumed(&player, &here), 4, "{player}");
    }
}

/// A file is read once: if it is replaced during an event, all games still use the first content.
#[test]
fn a_model_replaced_during_an_event_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let forest = copied("tictactoe.xml.gz", folder.path(), "f.xml.gz");
    let ready = |players: [String; 2]| {
        let players = players.map(|player| tesuji_players::player(&player).unwrap());
        let settings = Match { games: 8, ..Match::default() };
        settings.prepare(&opened("tictactoe"), &players, &Openings::Random { plies: 1 }).unwrap()
    };
    let players = [format!("forest:depth=1,file={forest}"), "random".to_string()];
    let (calm, disturbed) = (ready(players.clone()), ready(players));
    let expected = games(&calm.run(None, &|_| {}).unwrap());
    for replacement in ["junk", ""] {
        std::fs::write(&forest, replacement).unwrap();
        for queue in [&Pool::new(2) as &dyn WorkQueue, &loopback()] {
            let result = disturbed.run_on(queue, None, &|_| {}).unwrap();
            assert_eq!(games(&result), expected);
        }
    }
}

/// A program cannot be loaded in advance: when it changes, the event ends and stores no game of it.
#[test]
fn a_program_replaced_during_an_event_ends_it() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("engine");
    std::fs::write(&program, "#!/bin/sh\nread line\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let players = [format!("external:cmd={}", program.display()), "random".to_string()];
    let players = players.map(|player| tesuji_players::player(&player).unwrap());
    let place = folder.path().join("games.db");
    let store = tesuji_store::open(place.to_str().unwrap()).unwrap();
    let settings = Match { games: 2, ..Match::default() };
    let ready = settings.prepare(&opened("tictactoe"), &players, &Openings::none()).unwrap();
    std::fs::write(&program, "#!/bin/sh\n# another\nread line\n").unwrap();
    let error = ready.run(Some(&*store), &|_| {}).unwrap_err().to_string();
    assert!(error.contains("changed while games were played"), "{error}");
    assert!(store.games(&Selection::all(RecordKind::Game)).unwrap().is_empty());
}

/// Swiss, so that later rounds depend on earlier ones, with a list of openings and a store.
#[test]
fn a_tournament_ends_alike() {
    let folder = tempfile::tempdir().unwrap();
    let forest = copied("connect4-7x6.xml.gz", folder.path(), "f.xml.gz");
    let text = format!(
        "name = 'cup'\ngame = 'connect4'\nformat = 'swiss'\nrounds = 3\npairs = 2\n\
         players = [{{ name = 'trees', spec = 'forest:depth=1,file={forest}' }}, 'random', 'heuristic', \
         'alphabeta:depth=2', 'mcts:sims=20']"
    );
    let connect4 = opened("connect4");
    let played = |queue: &dyn WorkQueue, file: &str| {
        let openings = Openings::read(connect4.start(), "44\n4 3\n1\n").unwrap();
        let settings = TournamentSettings::read(&text).unwrap();
        let tournament =
            Tournament::new(settings, &connect4, tesuji_players::roster(), openings).unwrap();
        let place = folder.path().join(file);
        let store = tesuji_store::open(place.to_str().unwrap()).unwrap();
        let result = tournament.run_on(queue, Some(&*store), &|_| {}).unwrap();
        let mut games = store.games(&Selection::event(&result.event)).unwrap();
        games.sort_by(|a, b| a.key.cmp(&b.key));
        let games: Vec<GameRecord> = games.into_iter().map(timeless).collect();
        (result.score.points, result.score.done, games)
    };
    let (here, there) = (played(&Pool::new(2), "here.db"), played(&loopback(), "there.db"));
    assert_eq!(here, there);
    assert_eq!(here.1, 3 * 2 * 4);
}

/// A worker starts no program unless allowed; that is an error of the job, and the program does not
/// run.
#[test]
fn a_worker_that_starts_no_programs_says_so() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (program, trace) = (folder.path().join("engine"), folder.path().join("trace"));
    let script = format!("#!/bin/sh\necho started >> {}\nread line\n", trace.display());
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let players = [format!("external:cmd={}", program.display()), "random".to_string()];
    let players = players.map(|player| tesuji_players::player(&player).unwrap());
    let ready = Match { games: 2, ..Match::default() }
        .prepare(&opened("tictactoe"), &players, &Openings::none())
        .unwrap();
    // Preparing the match has started it once.
    let _ = std::fs::remove_file(&trace);
    let worker = worker(ProgramPolicy::Refused);
    let error = ready.run_on(&worker, None, &|_| {}).unwrap_err().to_string();
    assert!(error.contains("external:cmd=") && error.contains("--allow-programs"), "{error}");
    assert!(!trace.exists());
}

/// A missing program is an error of the job, not a lost game.
#[test]
fn a_missing_program_loses_no_game() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("engine");
    std::fs::write(&program, "#!/bin/sh\nread line\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let players = [format!("external:cmd={}", program.display()), "random".to_string()];
    let players = players.map(|player| tesuji_players::player(&player).unwrap());
    let ready = Match { games: 2, ..Match::default() }
        .prepare(&opened("tictactoe"), &players, &Openings::none())
        .unwrap();
    std::fs::remove_file(&program).unwrap();
    let error = ready.run_on(&loopback(), None, &|_| {}).unwrap_err().to_string();
    assert!(error.contains("a program that can be started"), "{error}");
}
