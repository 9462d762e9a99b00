//! Tests state strings and logs: they round-trip, any bytes are read or rejected in one line, and
//! repairs of logs are reported.

use tesuji_games::random::{Rng, below, derived, seeded};
use tesuji_games::rules::gem_island::log::{GemLog, LogError, LogHeader, LogRepair, LoggedTurn};
use tesuji_games::rules::gem_island::text::{GemSnapshot, GemTextError, LogAction, TextDialect};
use tesuji_games::rules::gem_island::{
    GemCell, GemIsland, GemSettings, GemStatus, GemView, Mask, Swap,
};

const DIALECTS: [TextDialect; 2] = [TextDialect::Python, TextDialect::Js];

fn level(number: usize) -> GemSettings {
    GemSettings::level(number).expect("levels 1 to 3")
}

/// Plays a random game and returns its log; calls `each` with every state.
fn played(
    settings: GemSettings,
    seed: u64,
    mut each: impl FnMut(&GemIsland, &GemSnapshot),
) -> GemLog {
    let mut rng = seeded(seed);
    let mut game = GemIsland::<u128>::generate(settings, &mut rng).expect("wide enough");
    let mut turns = Vec::new();
    while game.status() == GemStatus::Running {
        let state = GemSnapshot::of(&game);
        each(&game, &state);
        let swap = game.swap_at(below(&mut rng, game.swaps().count()));
        turns.push(LoggedTurn { number: 2 * turns.len() as u32, state, swap });
        game.play(swap, &mut rng, &mut ());
    }
    let end_number = 2 * turns.len() as u32;
    GemLog { header: LogHeader::of(&settings), turns, end_number, end: GemSnapshot::of(&game) }
}

fn small() -> GemSettings {
    GemSettings { rows: 4, columns: 5, kinds: 4, ice_rows: 3, medals: 1, moves: 6, ..level(1) }
}

#[test]
fn states_read_back_in_both_dialects() {
    for settings in [level(1), GemSettings { ice_layers: 3, ..level(3) }, small()] {
        played(settings, 5, |_, state| {
            for dialect in DIALECTS {
                let text = state.to_text(dialect);
                assert_eq!(text.split('\t').count(), 3 + 4 * state.cells.len(), "a tab at the end");
                assert_eq!(TextDialect::of_state(&text), dialect);
                let read = GemSnapshot::parse(&text, settings.rows, settings.columns, dialect);
                assert_eq!(read.as_ref(), Ok(state));
            }
        });
    }
}

#[test]
fn a_state_shows_what_is_seen_and_nothing_else() {
    let (mut seen, mut freed) = (0, 0);
    for seed in 0..60 {
        played(small(), seed, |game, state| {
            let (grid, board) = (game.grid(), game.board());
            let view = game.view();
            for (cell, shown) in grid.row_major().zip(&state.cells) {
                let known = board.portion(grid, view.known.board().medals, cell);
                let gone = board.portion(grid, board.freed, cell);
                assert_eq!(shown.portion, known.or(gone).filter(|_| shown.layers == 0));
                seen += u32::from(known.is_some() && shown.layers == 0);
                freed += u32::from(gone.is_some());
            }
        });
    }
    assert!(seen > 0, "no medal was ever seen");
    assert_eq!(freed, 0, "the only medal ends the game");
    played(GemSettings { moves: 300, ..level(1) }, 1, |game, state| {
        let parts = state.cells.iter().filter(|shown| shown.portion.is_some()).count();
        assert!(parts as u32 >= 4 * game.board().freed.count(), "freed medals stay in the text");
        freed += game.board().freed.count();
    });
    assert!(freed > 0, "no medal was ever freed");
}

/// The published numbers: one layer of ice is 0 in Python and 1 in the browser; a gem without a
/// bonus likewise.
/// A recorded state contains everything that a player knew.
#[test]
fn a_view_comes_back_from_a_recorded_state() {
    for number in 1..=3 {
        let settings = level(number);
        let mut rng = seeded(number as u64);
        let mut game = GemIsland::<u128>::generate(settings, &mut rng).unwrap();
        while game.status() == GemStatus::Running {
            let swap = game.swap_at(below(&mut rng, game.swaps().count()));
            game.play(swap, &mut rng, &mut ());
            let (view, snapshot) = (game.view(), GemSnapshot::of(&game));
            let read = GemView::of_snapshot(game.grid(), &snapshot, game.moves_left()).unwrap();
            let freed = |view: &GemView| view.known.board().freed;
            assert_eq!(read.hidden, view.hidden);
            assert_eq!(freed(&read).count_ones(), freed(&view).count_ones());
            assert_eq!(read.known.board(), view.known.board());
            assert_eq!(read.known.legal_swaps(), view.known.legal_swaps());
            let (past, score) = (read.known.moves_made(), read.known.score());
            assert_eq!((past, score), (game.moves_made(), game.score()));
            let moved = GemSnapshot { uncovered: settings.medals + 1, ..snapshot.clone() };
            assert!(GemView::of_snapshot(game.grid(), &moved, 3).is_none());
            let small = GemSnapshot { rows: 8, ..snapshot };
            assert!(GemView::of_snapshot(game.grid(), &small, 3).is_none());
        }
    }
}

#[test]
fn dialects_differ_where_they_should() {
    let state = GemSnapshot::parse("700\t0\t3\t1\t0\t-1\t2\t0\t-1\t2\t", 1, 2, TextDialect::Python);
    let state = state.expect("a state of two cells");
    assert_eq!(state.to_text(TextDialect::Js), "700\t0\t3\t2\t1\t-1\t2\t1\t-1\t2\t");
}

#[test]
fn wrong_states_say_where() {
    let read =
        |text: &str| GemSnapshot::parse(text, 1, 2, TextDialect::Python).map_err(|e| e.to_string());
    for (text, complaint) in [
        ("", "ends after 0 numbers"),
        ("7\t0\t1\t0\t0\t-1\t1\t0\t0\t-1", "ends after 9 numbers"),
        ("7\t0\t1\t0\t0\t-1\t1\t0\t0\t-1\t1\t", "state: too long; expected 1 rows and 2 columns"),
        ("-7\t0\t1\t0\t0\t-1\t1\t0\t0\t-1\t", "number 1: invalid '-7'; expected a score"),
        ("7\t256\t1\t0\t0\t-1\t1\t0\t0\t-1\t", "number 2: invalid '256'"),
        (
            "7\t0\t8\t0\t0\t-1\t1\t0\t0\t-1\t",
            "row 0 column 0: invalid '8'; expected a kind of gem from 0",
        ),
        (
            "7\t0\t1\t0\t0\t-1\t1\t4\t0\t-1\t",
            "row 0 column 1: invalid '4'; expected a bonus from 0 to 3",
        ),
        (
            "7\t0\t1\t0\t7\t-1\t1\t0\t0\t-1\t",
            "row 0 column 0: invalid '7'; expected ice from -1 to 6",
        ),
        (
            "7\t0\t1\t0\t-1\t4\t1\t0\t0\t-1\t",
            "row 0 column 0: invalid '4'; expected a part of a medal",
        ),
        ("7\t0\t1\t0\t0\t1\t1\t0\t0\t-1\t", "row 0 column 0: part of a medal under ice"),
        ("7\t0\t+1\t0\t0\t-1\t1\t0\t0\t-1\t", "'+1'"),
        ("7\t0\t01\t0\t0\t-1\t1\t0\t0\t-1\t", "'01'"),
        ("7\t0\t1\t0\t-0\t-1\t1\t0\t0\t-1\t", "'-0'"),
        ("7\t0\tone\t0\t0\t-1\t1\t0\t0\t-1\t", "'one'"),
    ] {
        let error = read(text).expect_err(text);
        assert!(error.contains(complaint), "{text:?}: {error}");
    }
    let zero = GemSnapshot::parse("7\t0\t1\t1\t0\t-1\t", 1, 1, TextDialect::Js).unwrap_err();
    assert!(
        zero.to_string().contains("row 0 column 0: invalid '0'; expected ice: -1 or"),
        "{zero}"
    );
}

#[test]
fn actions_read_back() {
    let swap = Swap { first: GemCell::new(4, 2), second: GemCell::new(4, 3) };
    for action in [LogAction::Swap(swap), LogAction::End] {
        assert_eq!(action.to_string().parse(), Ok(action));
    }
    assert_eq!(LogAction::Swap(swap).to_string(), "4-2-4-3");
    assert_eq!(LogAction::End.to_string(), "-1--1--1--1");
    assert_eq!("4-2-4-4".parse::<LogAction>().unwrap_err().to_string(), {
        "'4-2-4-4': not a swap; expected two neighboring cells"
    });
    for text in
        ["", "-", "4-2-4", "4-2-4-3-1", "4-2-4-3 ", "+4-2-4-3", "04-2-4-3", "4-2-4-300", "é"]
    {
        assert!(matches!(text.parse::<LogAction>(), Err(GemTextError::Action { .. })), "{text:?}");
    }
}

#[test]
fn whole_games_read_back() {
    for (seed, settings) in [level(1), level(2), level(3), small()].into_iter().enumerate() {
        let log = played(settings, seed as u64, |_, _| {});
        for dialect in DIALECTS {
            let text = log.to_text(dialect);
            let reading = GemLog::read(text.as_bytes()).expect("what was written");
            assert_eq!(reading.repairs, []);
            assert_eq!(reading.log.as_ref(), Some(&log));
            let with_returns = text.replace('\n', "\r\n");
            assert_eq!(GemLog::read(with_returns.as_bytes()), Ok(reading));
        }
        assert_eq!(log.header.level(), settings.which_level());
        for (n, turn) in log.turns.iter().enumerate() {
            assert_eq!(log.moves_left(turn), settings.moves - n as u16);
            assert_eq!(log.medals_left(&turn.state), settings.medals - turn.state.uncovered);
        }
        assert_eq!(log.won(), log.end.uncovered == settings.medals);
    }
}

/// The header of a log and its numbered lines.
fn parts(log: &GemLog) -> (String, Vec<String>) {
    let (header, text) = (log.header.to_text(), log.to_text(TextDialect::Js));
    let lines = text[header.len()..].split_inclusive('\n').map(str::to_string).collect();
    (header, lines)
}

#[test]
fn what_can_be_repaired_is_repaired() {
    let log = played(small(), 3, |_, _| {});
    let (header, lines) = parts(&log);
    assert_eq!(lines.len(), 14, "six moves and the end");
    let first = header.lines().count() + 1;
    let read = |lines: &[String]| {
        GemLog::read((header.clone() + &lines.concat()).as_bytes()).expect("can be repaired")
    };
    let without = |dropped: &[u32]| {
        let mut log = log.clone();
        log.turns.retain(|turn| !dropped.contains(&turn.number));
        Some(log)
    };

    let mut late = lines.clone();
    late.swap(3, 4);
    let reading = read(&late);
    assert_eq!(
        (reading.log, reading.repairs),
        (without(&[]), vec![LogRepair::Sorted { line: first + 4 }])
    );
    late.reverse();
    assert_eq!(read(&late).log, without(&[]), "any order will do");

    let mut twice = lines.clone();
    twice.insert(5, lines[2].clone());
    let reading = read(&twice);
    let repeated = LogRepair::Repeated { line: first + 5, number: 2 };
    assert_eq!((reading.log, reading.repairs), (without(&[]), vec![repeated]));

    let mut no_action = lines.clone();
    no_action.remove(5);
    let reading = read(&no_action);
    let lonely = LogRepair::NoAction { line: first + 4, number: 4 };
    assert_eq!((reading.log, reading.repairs), (without(&[4]), vec![lonely]));

    let mut no_state = lines.clone();
    no_state.remove(4);
    let reading = read(&no_state);
    let lonely = LogRepair::NoState { line: first + 4, number: 5 };
    assert_eq!((reading.log, reading.repairs), (without(&[4]), vec![lonely]));

    let reading = read(&lines[..13]);
    let lonely = LogRepair::NoAction { line: first + 12, number: 12 };
    assert_eq!((reading.log, reading.repairs), (None, vec![lonely, LogRepair::NoEnd]));
    assert_eq!(read(&lines[..12]).repairs, [LogRepair::NoEnd]);
    assert_eq!(read(&[]).repairs, [LogRepair::NoEnd]);
    assert!(!LogRepair::NoEnd.to_string().is_empty() && repeated.to_string().contains("number 2"));

    // An end marker that is not the last line is not the end.
    let mut on = lines.clone();
    on[3] = "3\t-1--1--1--1\n".to_string();
    assert_eq!(read(&on[..12]).log, None);
}

#[test]
fn errors_of_logs_have_line_numbers() {
    let (header, lines) = parts(&played(small(), 3, |_, _| {}));
    let first = header.lines().count() + 1;
    let all = lines.concat();
    let read = |text: &str| GemLog::read(text.as_bytes()).map_err(|error| error.to_string());
    let line = |n: usize| format!("line {}: ", first + n);
    for (text, complaint) in [
        (all.clone(), "header: missing; expected a line of four numbers".to_string()),
        (format!("{header}0\t1\t2\t"), line(0) + "state: ends after"),
        (
            format!("{header}{all}99\t1-1-1-2\n"),
            line(14) + "number 99 is too large; expected a game of 6 moves",
        ),
        (format!("{header}{all}20000\t1-1-1-2\n"), line(14) + "invalid number '20000'"),
        (
            format!("{header}{all}99999999999999999999\t1\n"),
            line(14) + "invalid number '99999999999999999999'",
        ),
        (format!("{header}1\t1-1-1-3\n"), line(0) + "'1-1-1-3': not a swap"),
        (
            format!("{header}1\t3-4-4-4\n"),
            line(0) + "'3-4-4-4' is outside of the board; expected cells within 4 rows and 5",
        ),
        (format!("{header}1\tx\n"), line(0) + "'x': not an action"),
        (format!("{header}{header}"), "second header; expected one game per log".to_string()),
        ("20\t3\t0\t9\n".to_string(), "line 1: invalid header; expected moves".to_string()),
        ("20\t3\t9\t32\n".to_string(), "line 1: invalid header; expected moves".to_string()),
        (
            header.clone() + &lines[0].replacen("0\t0\t0\t", "0\t0\t2\t", 1),
            line(0) + "2 freed medals; expected at most 1",
        ),
    ] {
        let error = read(&text).expect_err(&complaint);
        assert!(error.contains(&complaint) && !error.contains('\n'), "{complaint}: {error}");
    }
    let not_text = [header.as_bytes(), b"0\t\xff\xfe\n"].concat();
    assert_eq!(GemLog::read(&not_text), Err(LogError::NotText { line: first }));
}

/// Checks that any bytes are read or rejected in one line.
fn takes(bytes: &[u8]) {
    match GemLog::read(bytes) {
        Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
        Ok(reading) => {
            if let Some(log) = reading.log {
                let again =
                    GemLog::read(log.to_text(TextDialect::Js).as_bytes()).expect("reads back");
                assert_eq!((again.log, again.repairs.len()), (Some(log), 0));
            }
        }
    }
    let text = String::from_utf8_lossy(bytes);
    for dialect in DIALECTS {
        if let Ok(state) = GemSnapshot::parse(&text, 2, 3, dialect) {
            assert_eq!(state.to_text(dialect), text);
        }
    }
    if let Ok(action) = text.parse::<LogAction>() {
        assert_eq!(action.to_string(), text);
    }
}

fn damaged(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + below(rng, 4) {
        let at = below(rng, bytes.len() as u32) as usize;
        let letters = b"0123456789-\t\n\rx\xff";
        let letter = letters[below(rng, letters.len() as u32) as usize];
        match below(rng, 4) {
            0 => bytes[at] = letter,
            1 => bytes.insert(at, letter),
            2 => drop(bytes.remove(at)),
            _ => {
                let to = (at + 1 + below(rng, 40) as usize).min(bytes.len());
                bytes.drain(at..to);
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

#[test]
fn any_bytes_are_read_or_rejected() {
    let mut rng = seeded(11);
    for _ in 0..3000 {
        let letters = b"0123456789-\t\n ab\xc3\xff";
        let length = below(&mut rng, 80);
        let some = |rng: &mut Rng| letters[below(rng, letters.len() as u32) as usize];
        takes(&(0..length).map(|_| some(&mut rng)).collect::<Vec<u8>>());
    }
    for seed in 0..6 {
        let log = played(small(), derived(seed, [1]), |_, _| {});
        let text = log.to_text(DIALECTS[seed as usize % 2]);
        for _ in 0..300 {
            takes(&damaged(text.as_bytes(), &mut rng));
        }
        let state = log.end.to_text(TextDialect::Python);
        for _ in 0..300 {
            takes(&damaged(state.as_bytes(), &mut rng));
        }
    }
}
