//! The laws of an analysis, for every registered game and every player that can analyze it, on
//! positions of seeded random games:
//!
//! 1. a move that wins at once is first, with that score;
//! 2. if the other side threatens to win at once and one move defends, that move is first;
//! 3. otherwise the first move is one that the player would play, unless a proof contradicts;
//! 4. a move has a score only if it was searched or proven, and moves without a score come last.
//!
//! The laws also hold for every intermediate table.

use std::collections::BTreeSet;

use tesuji_app::position_view::{self, LegalMove, MoveTable, ValuedMove};
use tesuji_games::{Notation, Position, Score, State};
use tesuji_search::Limits;

use super::{chosen, context, games, opened, player};
use tesuji_games::random::{below, seeded};

/// The players, with limits that do not depend on a clock.
const PLAYERS: [&str; 27] = [
    "minimax:depth=2",
    "negamax:depth=2",
    "alphabeta:depth=2",
    "engine:depth=2",
    "pvs:depth=2,tt=1M",
    "pvs:depth=2,tt=1M,ties=random",
    "determine:after=1",
    "mcts:sims=150,tree-nodes=100000",
    "mcts:sims=150,tree-nodes=100000,solver=off",
    "flat-ucb:sims=200",
    "solver:nodes=300",
    "solver:level=1",
    "solver:level=3",
    "forest:depth=1",
    "forest:depth=0",
    "weights:depth=1",
    "weights:depth=0",
    "gomoku:depth=3,tt=1M",
    "connect6:depth=2,tt=1M",
    "fudan-alphabeta:depth=1",
    "fudan-naive",
    "fudan-mcts:playouts=1",
    "critic",
    "critic-mcts:sims=30",
    "critic-puct:sims=30",
    "line-mcts:sims=40",
    "line-alphabeta:depth=2,tt=1M",
];

/// Players that cannot analyze, and why.
const NOT_ANALYZING: [(&str, &str); 4] = [
    ("random", "it values nothing"),
    ("heuristic", "it has no search"),
    ("human", "it is a person"),
    ("external", "it is another program"),
];

/// Players whose choice is not always their best move, and why. Their first move is their best,
/// which is one that they may choose.
const BY_CHANCE: [(&str, &str); 4] = [
    ("solver:level", "a level errs on purpose"),
    ("pvs:depth=2,tt=1M,ties=random", "it chooses among equally good moves"),
    ("determine:after=1", "it chooses among equally good moves"),
    ("solver:nodes", "it gives up and plays anything"),
];

#[test]
fn every_player_is_tested_or_excluded_with_a_reason() {
    for info in tesuji_players::roster().all() {
        let tested = PLAYERS.iter().any(|text| player(text).name() == info.name);
        let excluded = NOT_ANALYZING.iter().any(|(name, _)| *name == info.name);
        assert!(tested != excluded, "{}", info.name);
    }
}

#[test]
fn the_laws_hold_on_small_boards() {
    let (mut counts, small) =
        (AnalysisCounts::default(), ["tictactoe", "tictactoe3d", "connect4:5x4"]);
    for game in small {
        check_game(game, &positions(game, 4), &mut counts);
    }
    counts.assert_enough();
}

#[test]
fn the_laws_hold_in_five_and_six_in_a_row() {
    let mut counts = AnalysisCounts::default();
    for game in ["gomoku", "renju", "caro", "connect6", "mnk:10x10,k=5"] {
        check_game(game, &positions(game, 1), &mut counts);
    }
    counts.assert_enough();
}

#[test]
fn the_laws_hold_in_every_other_game() {
    let mut counts = AnalysisCounts::default();
    let apart = ["tictactoe", "tictactoe3d", "gomoku", "renju", "caro", "connect6"];
    for game in games().into_iter().filter(|game| !apart.contains(game)) {
        check_game(game, &positions(game, 1), &mut counts);
    }
    counts.assert_enough();
}

/// Both sides can make five in the first position, only the side to move in the second.
#[test]
fn an_open_four_is_won_at_once() {
    let moves = "h8a1i8a2j8a3k8a4";
    let table = analyzed("gomoku", moves, "gomoku:nodes=20000,tt=1M", &mut |_| {});
    let first: BTreeSet<&str> = table.moves[..2].iter().map(|m| m.step.text.as_str()).collect();
    assert_eq!(first, BTreeSet::from(["g8", "l8"]));
    assert!(table.moves[..2].iter().all(|known| known.score == Some(Score::win_in(1))));
    assert_eq!(table.moves.last().unwrap().score, Some(Score::loss_in(2)), "white wins at a5");
    let quiet = analyzed("gomoku", "h8a1i8a3j8a5k8a7", "gomoku:nodes=20000,tt=1M", &mut |_| {});
    assert_eq!(quiet.moves[1].score, Some(Score::win_in(1)));
    assert_eq!(quiet.moves.last().unwrap().score, None, "not every point was searched");
    let other = "h7i10c10i6k1k8j7j9l7i7i8h9k6j11j5k12g8";
    let table = analyzed("gomoku", other, "gomoku:nodes=20000,tt=1M", &mut |_| {});
    assert_eq!(table.moves[0].step.text, "l13");
    assert_eq!(table.moves[0].score, Some(Score::win_in(1)));
}

/// The first lines of an analysis have more than one move.
#[test]
fn the_first_five_lines_are_played_out() {
    for (game, moves, text) in [
        ("gomoku", "h8i9j7", "gomoku:depth=4,tt=1M"),
        ("renju", "h8i9j7g6", "gomoku:depth=4,tt=1M"),
        ("connect6", "j10k11l9", "connect6:depth=3,tt=1M"),
    ] {
        let table = analyzed(game, moves, text, &mut |_| {});
        let lines: Vec<usize> = table.moves[..5].iter().map(|known| known.line.len()).collect();
        assert!(lines.iter().all(|&length| length >= 2), "{game}: {lines:?}");
        assert!(table.moves[..5].iter().all(|known| known.score.is_some()), "{game}");
    }
}

/// How often each law was tested.
#[derive(Default, Debug)]
struct AnalysisCounts {
    wins: usize,
    defenses: usize,
    choices: usize,
    unsearched: usize,
}

impl AnalysisCounts {
    fn assert_enough(&self) {
        assert!(self.wins > 10 && self.defenses > 0 && self.choices > 10, "{self:?}");
    }
}

fn analyzed(game: &str, moves: &str, text: &str, tell: &mut dyn FnMut(&MoveTable)) -> MoveTable {
    let table =
        position_view::analyze(&context(game), moves, &player(text), &Limits::default(), tell);
    table.unwrap_or_else(|error| panic!("{game} {moves:?} {text}: {error}"))
}

fn check_game(game: &str, positions: &[String], counts: &mut AnalysisCounts) {
    let can = |text: &&&str| player(text).supports(&context(game)).is_ok();
    for text in PLAYERS.iter().filter(can) {
        for moves in positions {
            let truth = RulesSay::of(&opened(game).line(moves).unwrap().end);
            let place = format!("{game} {moves:?} {text}");
            let mut tables = Vec::new();
            let last = analyzed(game, moves, text, &mut |table| tables.push(table.clone()));
            for table in tables.iter().chain([&last]) {
                truth.check(table, &place);
            }
            truth.check_choice(game, moves, text, &last, &place, counts);
            counts.wins += usize::from(!truth.wins.is_empty());
            counts.defenses += usize::from(truth.only_defense().is_some());
            counts.unsearched += last.moves.iter().filter(|m| m.score.is_none()).count();
        }
    }
}

/// The immediate results of all moves of a position, by the rules.
struct RulesSay {
    legal: BTreeSet<String>,
    /// Moves that win at once.
    wins: BTreeSet<String>,
    /// Moves after which the other side does not win at once.
    safe: BTreeSet<String>,
}

impl RulesSay {
    fn only_defense(&self) -> Option<&String> {
        let threatened = self.wins.is_empty() && self.safe.len() == 1 && self.legal.len() > 1;
        self.safe.first().filter(|_| threatened)
    }

    /// Laws 1, 2 and 4.
    fn check(&self, table: &MoveTable, place: &str) {
        let listed: BTreeSet<String> =
            table.moves.iter().map(|known| known.step.text.clone()).collect();
        assert_eq!(listed, self.legal, "{place}: every legal move");
        assert_eq!(table.moves.len(), self.legal.len(), "{place}: each move once");
        for known in &table.moves {
            let is_win = known.score == Some(Score::win_in(1));
            assert_eq!(is_win, self.wins.contains(&known.step.text), "{place}: {known:?}");
            let is_loss = known.score == Some(Score::loss_in(2));
            assert_eq!(is_loss, !self.safe.contains(&known.step.text), "{place}: {known:?}");
            assert_eq!(known.line.first(), Some(&known.step), "{place}");
        }
        let first = &table.moves[0];
        if !self.wins.is_empty() {
            assert!(self.wins.contains(&first.step.text), "{place}: {first:?}");
        } else if let Some(defense) = self.only_defense() {
            assert_eq!(&first.step.text, defense, "{place}: {first:?}");
        }
        let unsearched = |known: &ValuedMove| known.score.is_none();
        assert!(
            table.moves[1..].is_sorted_by_key(unsearched),
            "{place}: unsearched moves are last"
        );
        assert!(
            table
                .moves
                .iter()
                .filter(|m| unsearched(m))
                .all(|m| m.line.len() == 1 && m.visits == 0),
            "{place}: nothing is made up for moves that were not searched"
        );
    }

    /// Law 3.
    fn check_choice(
        &self,
        game: &str,
        moves: &str,
        text: &str,
        table: &MoveTable,
        place: &str,
        counts: &mut AnalysisCounts,
    ) {
        let first = &table.moves[0];
        let Some(score) = first.score.filter(|score| !score.is_decided()) else { return };
        if BY_CHANCE.iter().any(|(name, _)| text.starts_with(name)) {
            let best = table.moves.iter().filter_map(|known| known.score).max();
            assert_eq!(Some(score), best, "{place}");
            return;
        }
        let choice = chosen(game, moves, text).step.text;
        // A player that searches one ply may choose a move that loses at once.
        if !self.safe.contains(&choice) {
            return;
        }
        counts.choices += 1;
        let chosen = table.moves.iter().find(|known| known.step.text == choice).unwrap();
        let agree = chosen.step == first.step || chosen.score == first.score;
        assert!(agree, "{place}: it plays {chosen:?}, and the table begins with {first:?}");
    }
}

impl RulesSay {
    fn of(position: &State) -> RulesSay {
        let side = position.to_move();
        let mut say =
            RulesSay { legal: BTreeSet::new(), wins: BTreeSet::new(), safe: BTreeSet::new() };
        position.for_each_move(|m| {
            let (text, mut after) = (position.move_text(m), position.clone());
            after.play(m);
            let winner = after.outcome().map(|outcome| outcome.winner());
            if winner == Some(Some(side)) {
                say.wins.insert(text.clone());
            }
            if winner.is_some() || after.to_move() == side || !wins_at_once(&after) {
                say.safe.insert(text.clone());
            }
            say.legal.insert(text);
        });
        say
    }
}

fn wins_at_once(position: &State) -> bool {
    let mut wins = false;
    position.for_each_move(|m| {
        let mut after = position.clone();
        after.play(m);
        wins |= after.outcome().and_then(|o| o.winner()) == Some(position.to_move());
    });
    wins
}

/// Positions of random games: one from the middle, and the last ones before the end with their wins
/// and threats.
fn positions(game: &str, seeds: u64) -> Vec<String> {
    let mut found = BTreeSet::new();
    for seed in 0..seeds {
        let all = crowded_game(game, 11 + seed);
        let shown = position_view::snapshot(&opened(game), &all).unwrap();
        let plies = shown.played.len();
        for ply in [plies / 2, plies.saturating_sub(2), plies.saturating_sub(1)] {
            let until = ply.checked_sub(1).map_or(0, |last| shown.played[last].until);
            let moves = &shown.position[..until];
            if position_view::snapshot(&opened(game), moves).unwrap().outcome.is_none() {
                found.insert(moves.to_string());
            }
        }
    }
    found.into_iter().collect()
}

/// A random game to its end or to 120 plies. Stones are placed next to others to form rows.
fn crowded_game(game: &str, seed: u64) -> String {
    let (opened, mut rng) = (opened(game), seeded(seed));
    let mut moves = String::new();
    for _ in 0..120 {
        let now = position_view::snapshot(&opened, &moves).unwrap();
        if now.outcome.is_some() {
            break;
        }
        let width = now.board.columns.len();
        let last = now.played.iter().filter_map(|played| played.step.cells.last()).copied();
        let taken: BTreeSet<usize> = last.collect();
        let is_near = |cell: usize| {
            let steps = [1, width - 1, width, width + 1];
            steps.iter().any(|&n| {
                taken.contains(&(cell + n))
                    || cell.checked_sub(n).is_some_and(|c| taken.contains(&c))
            })
        };
        let near = |m: &&LegalMove| matches!(m.cells[..], [cell] if is_near(cell));
        let mut candidates: Vec<_> = now.moves.iter().filter(near).collect();
        if candidates.is_empty() {
            candidates = now.moves.iter().collect();
        }
        let m = candidates[below(&mut rng, candidates.len() as u32) as usize];
        moves = position_view::played(&opened, &moves, &m.text).unwrap();
    }
    moves
}
