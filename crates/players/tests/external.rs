//! Other programs as players: whole games with the example engines, and engines that fail in every
//! way. A failure loses the game with a reason, the next game is played, and no process is left.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tesuji_games::{GameLine, Notation, Outcome, Position, Score, Side};
use tesuji_play::{Choice, Clock, Openings, Player, PlayerContext, PlayerError, PlayerSpec, Turn};
use tesuji_search::{Game, Limits};
use tesuji_store::EndingKind;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// An engine of `examples/engines`, as a player.
fn example(name: &str) -> String {
    format!("external:cmd=\"python3 {}\"", root().join("examples/engines").join(name).display())
}

/// The engine that fails in the given way. All its processes have the marker in their environment.
fn faulty(mode: &str, mark: &str, options: &str) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines/faulty.py");
    let command = format!("env TESUJI_MARK={mark} python3 {} {mode}", script.display());
    format!("external:cmd=\"{command}\"{options}")
}

fn opened(game: &str) -> Game {
    tesuji_builtin::registry().open(game).unwrap()
}

/// The start of a game.
fn start(game: &str) -> GameLine {
    GameLine::new(opened(game).start().clone())
}

fn build(player: &str, game: &str) -> Box<dyn Player> {
    let spec: PlayerSpec = tesuji_players::player(player).unwrap();
    spec.build(&PlayerContext::new(&opened(game), 1)).unwrap()
}

/// Half a minute per move, more than any test needs.
fn patient() -> Turn {
    let clock = Clock { per_move: Some(Duration::from_secs(30)), ..Clock::default() };
    Turn { limits: Limits::time(Duration::from_millis(50)), clock, ..Turn::default() }
}

/// Plays a game until it ends or a player fails.
fn play(
    opening: &GameLine,
    players: [&mut dyn Player; 2],
    turn: &Turn,
) -> (GameLine, Result<Outcome, (Side, PlayerError)>) {
    let mut line = opening.clone();
    loop {
        if let Some(outcome) = line.end.outcome() {
            return (line, Ok(outcome));
        }
        let side = line.end.to_move();
        match players[side.index()].choose(&line, turn) {
            Ok(Choice { m, .. }) => line.play(m).unwrap(),
            Err(error) => return (line, Err((side, error))),
        }
    }
}

/// Returns the processes with the marker in their environment.
fn marked(mark: &str) -> Vec<String> {
    let wanted = format!("TESUJI_MARK={mark}");
    fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter(|entry| {
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|word| word == wanted.as_bytes())
        })
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

/// Returns the marked processes that still run after a moment: a killed process needs one to exit.
fn left_over(mark: &str) -> Vec<String> {
    let deadline = Instant::now() + Duration::from_secs(2);
    while !marked(mark).is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    marked(mark)
}

/// Returns our children that have exited and were not waited for. Other tests of this file run in
/// parallel, so each child gets a moment.
fn zombies() -> Vec<String> {
    let own = std::process::id().to_string();
    let dead = || -> Vec<String> {
        let is_ours = |path: &Path| {
            let stat = fs::read_to_string(path.join("stat")).unwrap_or_default();
            let after_name: Vec<&str> =
                stat.rsplit(')').next().unwrap_or_default().split_whitespace().take(2).collect();
            after_name == ["Z", &own]
        };
        let all = fs::read_dir("/proc").unwrap().flatten();
        all.filter(|entry| is_ours(&entry.path()))
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect()
    };
    let before = dead();
    std::thread::sleep(Duration::from_secs(3));
    let after = dead();
    before.into_iter().filter(|process| after.contains(process)).collect()
}

#[test]
fn the_example_for_connect_four_beats_chance() {
    let mut engine = build(&example("connect4_center.py"), "connect4");
    let mut random = build("random", "connect4");
    let mut points = 0.0;
    for game in 0..10 {
        engine.new_game(game);
        random.new_game(game);
        let opening = start("connect4");
        let (seats, side): ([&mut dyn Player; 2], _) = if game % 2 == 0 {
            ([engine.as_mut(), random.as_mut()], Side::First)
        } else {
            ([random.as_mut(), engine.as_mut()], Side::Second)
        };
        let (_, end) = play(&opening, seats, &patient());
        points += end.unwrap().points(side);
    }
    assert!(points >= 8.0, "{points} of 10");
}

#[test]
fn what_an_engine_tells_is_reported() {
    let mut engine = build(&example("connect4_center.py"), "connect4");
    let line = opened("connect4").line("4 1 4 1 4 1").unwrap();
    let choice = engine.choose(&line, &patient()).unwrap();
    assert_eq!(choice.score(), Some(Score::win_in(1)));
    assert_eq!(engine.choose(&start("connect4"), &patient()).unwrap().score(), None);
}

#[test]
fn an_engine_that_refuses_the_game_loses_it() {
    let mut engine = build(&example("connect4_center.py"), "tictactoe");
    let error = engine.choose(&start("tictactoe"), &patient()).unwrap_err();
    assert_eq!(error.ending(), EndingKind::Error);
    assert!(error.to_string().contains("it plays connect4 on 7x6 only"), "{error}");
}

/// Plays from several openings, on both sides.
#[test]
fn the_example_for_gomoku_plays_on_every_board() {
    for game in ["gomoku", "mnk:20x20,k=5,exact", "mnk:12x9,k=5"] {
        let mut engine = build(&example("pbrain_neighbor.py"), game);
        let mut random = build("random", game);
        for (plies, side) in
            [(0, Side::First), (0, Side::Second), (3, Side::First), (4, Side::First)]
        {
            let opening = Openings::Random { plies }.opening(opened(game).start(), 5, 0);
            engine.new_game(1);
            random.new_game(2);
            let seats: [&mut dyn Player; 2] = match side {
                Side::First => [engine.as_mut(), random.as_mut()],
                Side::Second => [random.as_mut(), engine.as_mut()],
            };
            let (line, end) = play(&opening, seats, &patient());
            assert_eq!(end.unwrap().winner(), Some(side), "{game}: {}", line.text());
        }
    }
}

/// A position that does not continue the engine's position is sent as a whole.
#[test]
fn a_gomocup_engine_follows_takebacks_and_jumps() {
    let mut engine = build(&example("pbrain_neighbor.py"), "gomoku");
    for (moves, wanted) in [
        // Four of its own with an open end, four of the opponent, four of its own again.
        ("a1 a3 b1 c5 c1 e7 d1 g9", &["e1"][..]),
        ("a1 h8 c3 i8 e5 j8 g9 k8", &["g8", "l8"]),
        ("o1 a3 o2 c5 o3 e7 o4 g9", &["o5"]),
    ] {
        let line = opened("gomoku").line(moves).unwrap();
        let choice = engine.choose(&line, &patient()).unwrap();
        let text = line.end.move_text(choice.m);
        assert!(wanted.contains(&text.as_str()), "{moves}: {text}");
    }
}

/// Mode, how the game must end, part of the reason.
const FAULTS: &[(&str, EndingKind, &str)] = &[
    ("crash", EndingKind::Crash, "exit status 3; stderr: ZeroDivisionError: as told"),
    ("signal", EndingKind::Crash, "signal 6"),
    ("hang", EndingKind::Time, "does not answer in"),
    ("illegal", EndingKind::Illegal, "moves 'a1'"),
    ("word", EndingKind::Illegal, "moves ' [31mzz"),
    ("error", EndingKind::Error, "I do not feel like it"),
    ("resign", EndingKind::Resigned, "resigns"),
    ("flood", EndingKind::Error, "too many lines"),
    ("infos", EndingKind::Time, "does not answer in"),
    ("endless", EndingKind::Error, "a line of more than 65536 bytes"),
    ("bytes", EndingKind::Error, "faulty bytes"),
    ("closes", EndingKind::Crash, "closed its output"),
    ("grandchild", EndingKind::Crash, "exit status 4"),
    ("escape", EndingKind::Crash, "exit status 5"),
];

/// Each engine moves once and fails at its second move; then a new game starts normally.
#[test]
fn every_fault_costs_one_game_and_leaves_nothing_behind() {
    let mark = format!("faults-{}", std::process::id());
    for &(mode, ending, words) in FAULTS {
        let mut engine = build(&faulty(mode, &mark, ""), "tictactoe");
        let mut opponent = build("random", "tictactoe");
        // A short clock only for engines that never answer: on a busy machine others may be late.
        let seconds = if ending == EndingKind::Time { 1 } else { 20 };
        let clock = Clock {
            per_move: Some(Duration::from_secs(seconds)),
            margin: Duration::from_millis(100),
            ..Clock::default()
        };
        let turn = Turn { clock, ..Turn::default() };
        for game in 0..2 {
            engine.new_game(game);
            let opening = start("tictactoe");
            let started = Instant::now();
            let (line, end) = play(&opening, [engine.as_mut(), opponent.as_mut()], &turn);
            let (side, error) = end.unwrap_err();
            assert_eq!(
                (side, error.ending(), line.moves.len()),
                (Side::First, ending, 2),
                "{mode}: {error}"
            );
            let text = error.to_string();
            assert!(text.starts_with(&format!("faulty {mode}")) && text.contains(words), "{text}");
            assert!(!text.contains(char::is_control) && text.len() < 500, "{text:?}");
            assert!(started.elapsed() < Duration::from_secs(10), "{mode}: {:?}", started.elapsed());
        }
        drop(engine);
        if mode == "escape" {
            // It left its process group and exits by itself.
            std::thread::sleep(Duration::from_secs(3));
        }
        assert_eq!(left_over(&mark), Vec::<String>::new(), "{mode}");
    }
    assert_eq!(zombies(), Vec::<String>::new());
}

#[test]
fn engines_that_fail_at_the_start() {
    let mark = format!("start-{}", std::process::id());
    for (mode, options, ending, words) in [
        ("mute", ",timeout=500ms,name=Mute", EndingKind::Time, "Mute does not answer in 500 ms"),
        ("stillborn", "", EndingKind::Crash, "exit status 1; stderr: no licence found"),
        ("refuse", "", EndingKind::Error, "answers 'game tictactoe' with 'error not this one'"),
    ] {
        let spec = faulty(mode, &mark, options);
        let mut engine = build(&spec, "tictactoe");
        for game in 0..2 {
            engine.new_game(game);
            let error = engine.choose(&start("tictactoe"), &patient()).unwrap_err();
            assert_eq!(error.ending(), ending, "{mode}: {error}");
            assert!(error.to_string().contains(words), "{mode}: {error}");
            // A second request in the same game gets the same answer at once.
            assert_eq!(engine.choose(&start("tictactoe"), &patient()).unwrap_err(), error);
        }
        drop(engine);
        assert_eq!(left_over(&mark), Vec::<String>::new(), "{mode}");
    }
}

/// Engines that play well and then do not quit, or leave a child.
#[test]
fn engines_end_with_all_their_children() {
    let mark = format!("end-{}", std::process::id());
    for mode in ["none", "parent", "ignores-quit"] {
        let mut engine = build(&faulty(mode, &mark, ""), "tictactoe");
        engine.choose(&start("tictactoe"), &patient()).unwrap();
        assert!(!marked(&mark).is_empty(), "the mark is not found: the test has lost its way");
        let started = Instant::now();
        drop(engine);
        assert!(started.elapsed() < Duration::from_secs(3), "{mode}: {:?}", started.elapsed());
        assert_eq!(left_over(&mark), Vec::<String>::new(), "{mode}");
    }
}

/// One process plays a hundred games; file descriptors of earlier processes are closed.
#[test]
fn many_games_leave_no_descriptors_open() {
    let own = |mark: &str| {
        let mut engine = build(&faulty("none", mark, ""), "tictactoe");
        let mut random = build("random", "tictactoe");
        for game in 0..100 {
            engine.new_game(game);
            random.new_game(game);
            let opening = start("tictactoe");
            let (_, end) = play(&opening, [engine.as_mut(), random.as_mut()], &patient());
            end.unwrap();
        }
        assert_eq!(marked(mark).len(), 1, "one process for all games");
    };
    let pipes = || {
        let all = fs::read_dir("/proc/self/fd").unwrap().flatten();
        let is_pipe = |path: PathBuf| {
            fs::read_link(path).is_ok_and(|link| link.to_string_lossy().starts_with("pipe:"))
        };
        all.filter(|entry| is_pipe(entry.path())).count()
    };
    let mark = format!("many-{}", std::process::id());
    let before = pipes();
    own(&mark);
    // The other tests of this file hold at most a few engines with three pipes each.
    assert!(pipes() <= before + 15, "{before} pipes became {}", pipes());
}

#[test]
fn the_log_has_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let spec = format!("{},log={}", example("pbrain_neighbor.py"), log.display());
    let mut engine = build(&spec, "gomoku");
    let clock = Clock {
        per_move: Some(Duration::from_secs(5)),
        per_game: Some(Duration::from_secs(60)),
        left: Some(Duration::from_secs(40)),
        ..Clock::default()
    };
    let turn = Turn { clock, ..Turn::default() };
    let mut line = start("gomoku");
    for reply in ["a1", "a2"] {
        let choice = engine.choose(&line, &turn).unwrap();
        line.play(choice.m).unwrap();
        line.extend(reply).unwrap();
    }
    engine.choose(&line, &turn).unwrap();
    engine.new_game(2);
    drop(engine);
    let text = fs::read_to_string(&log).unwrap();
    let lines: Vec<&str> = text.lines().filter_map(|line| line.splitn(3, ' ').nth(2)).collect();
    let expected = [
        "> ABOUT",
        "< name=\"Neighbour\", version=\"1.0\", author=\"Tesuji\", country=\"-\"",
        "> START 15",
        "< OK",
        "> INFO rule 0",
        "> INFO max_memory 367001600",
        "> INFO game_type 2",
        "> INFO timeout_turn 5000",
        "> INFO timeout_match 60000",
        "> INFO time_left 40000",
        "> BEGIN",
        "< 7,7",
        "> INFO time_left 40000",
        "> TURN 0,14",
        "< 7,6",
        "> INFO time_left 40000",
        "> TURN 0,13",
        "< 7,5",
        "> RESTART",
        "< OK",
        "> END",
    ];
    for (number, (line, expected)) in lines.iter().zip(expected).enumerate() {
        assert!(
            *line == expected || expected.starts_with("< 7,"),
            "line {number}: {line}, not {expected}"
        );
    }
    assert_eq!(lines.len(), expected.len(), "{text}");
}
