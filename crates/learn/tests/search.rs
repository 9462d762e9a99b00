//! Invariant of the search: in the thesis's style, its value equals that of plain minimax with the
//! plain evaluation, for any number of threads and any move order.

use std::sync::Arc;

use crate::forests::{contents, random_forest};
use tesuji_games::random::{below, choose, seeded};
use tesuji_games::rules::connect4::{Connect4, FixedSize};
use tesuji_games::rules::mnk::bit_board::BitBoard;
use tesuji_games::rules::mnk::line_board::LineBoard;
use tesuji_games::rules::mnk::{Mnk, MnkRules};
use tesuji_games::rules::tictactoe::TicTacToe;
use tesuji_games::{Notation, Outcome, Playable, Position, RowBoard, RowPosition, Score, Side};
use tesuji_learn::forest::{
    CandidateOrder, Class, ForestCandidates, ForestEvaluation, ForestEvaluator, ForestSearch,
    ForestSearchOptions, LineOrder, ParallelMode, SearchStyle, TieBreak, heuristic_move,
};
use tesuji_learn::shipped::SHIPPED_MODELS;
use tesuji_search::{
    Engine, EngineOptions, EvaluatedPosition, Evaluator, GameHeuristic, Limits, Minimax, Search,
};

fn gomoku(side: usize, k: usize) -> Mnk<LineBoard> {
    Mnk::new(MnkRules::new(side, side, k).unwrap())
}

/// Evaluates positions by the forest's trees; the candidates are the moves near a stone.
#[derive(Clone)]
struct TreeEvaluator {
    evaluation: Arc<ForestEvaluation>,
    candidates: Arc<ForestCandidates>,
    owner: Side,
}

impl<P: Playable + RowPosition> Evaluator<P> for TreeEvaluator {
    fn evaluate(&mut self, position: &P) -> i32 {
        let to_move = position.to_move();
        let value = self.evaluation.by_trees(&contents(self.owner, position), to_move);
        if to_move == self.owner { value } else { -value }
    }

    fn for_each_candidate(&mut self, position: &P, mut each: impl FnMut(&Self, P::Move)) {
        let mut fresh = ForestEvaluator::new(self.evaluation.clone(), self.candidates.clone());
        fresh.start(position);
        fresh.for_each_near_move(position, |m| each(self, m));
    }
}

/// A position in the middle of a game between random players.
fn after_random_moves<P: Playable>(start: &P, moves: usize, seed: u64) -> P {
    let mut rng = seeded(seed);
    let mut position = start.clone();
    for _ in 0..moves {
        let mut next = position.clone();
        next.play(position.random_move(&mut rng));
        if next.outcome().is_some() {
            break;
        }
        position = next;
    }
    position
}

fn evaluation_for<P: RowPosition>(start: &P, seed: u64) -> Arc<ForestEvaluation> {
    let grid = start.grid();
    let forest = random_forest(&grid, 3, 5, 4, seed);
    Arc::new(ForestEvaluation::of_forest(&forest, &grid).unwrap())
}

fn check<P: Playable + RowPosition>(start: P, moves: usize, depth: u32, radius: Option<usize>) {
    let evaluation = evaluation_for(&start, 5);
    for seed in 0..2 {
        let position = after_random_moves(&start, moves, seed);
        let owner = position.to_move();
        let candidates =
            Arc::new(ForestCandidates::new(&start.grid(), radius, CandidateOrder::Off, false));
        let reference = TreeEvaluator { evaluation: evaluation.clone(), candidates, owner };
        let plain = Minimax::new(reference).run(&position, &Limits::depth(depth));
        for order in [CandidateOrder::Patterns, CandidateOrder::Forest, CandidateOrder::Off] {
            for (threads, parallel) in [
                (1, ParallelMode::RootSplit),
                (2, ParallelMode::RootSplit),
                (4, ParallelMode::RootSplit),
                (2, ParallelMode::SharedTable),
                (4, ParallelMode::SharedTable),
            ] {
                let options = ForestSearchOptions {
                    order,
                    threads,
                    parallel,
                    radius,
                    ..ForestSearchOptions::default()
                };
                let mut search = ForestSearch::new(evaluation.clone(), options, 1);
                let report = search.run(&position, &Limits::depth(depth));
                assert_eq!(report.score, plain.score, "{order:?} {threads} {parallel:?}");
                let best = plain.moves.iter().find(|scored| Some(scored.m) == report.best);
                assert_eq!(best.map(|scored| scored.score), Some(plain.score));
            }
        }
        let options = ForestSearchOptions {
            ties: TieBreak::Random,
            radius,
            ..ForestSearchOptions::default()
        };
        let report = ForestSearch::new(evaluation.clone(), options, seed)
            .run(&position, &Limits::depth(depth));
        let mut values = plain.moves.clone();
        for scored in &report.moves {
            let index = values.iter().position(|v| v.m == scored.m).unwrap();
            assert_eq!(values.swap_remove(index).score, scored.score);
        }
        assert!(values.is_empty(), "every move has its value");
    }
}

#[test]
fn tictactoe() {
    check(TicTacToe::new(), 3, 6, Some(2));
    check(TicTacToe::new(), 1, 4, Some(1));
}

#[test]
fn connect_four() {
    check(Connect4::new(), 10, 4, Some(2));
    check(Connect4::on(FixedSize::<7, 7>), 16, 4, None);
}

#[test]
fn gomoku_on_small_and_large_boards() {
    check(Mnk::<BitBoard>::new(MnkRules::new(6, 5, 4).unwrap()), 6, 3, Some(1));
    check(gomoku(10, 5), 8, 2, Some(2));
    check(gomoku(7, 5), 12, 3, Some(1));
    check(gomoku(15, 5), 10, 2, Some(1));
}

#[test]
fn two_stones_per_turn() {
    let rules = MnkRules::new(9, 9, 4).unwrap().with_turns(2, 1).unwrap();
    check(Mnk::<LineBoard>::new(rules), 7, 3, Some(1));
}

#[test]
fn play_and_undo_restore_the_evaluation() {
    // The side that is to move at the start is the owner.
    for start in [gomoku(10, 5), gomoku(10, 5).parse_line("e5").unwrap().end] {
        for order in [CandidateOrder::Patterns, CandidateOrder::Off] {
            check_play_and_undo(&start, order);
        }
    }
}

fn check_play_and_undo(start: &Mnk<LineBoard>, order: CandidateOrder) {
    let evaluation = evaluation_for(start, 3);
    let candidates = Arc::new(ForestCandidates::new(&start.grid(), Some(2), order, true));
    let owner = start.to_move();
    let reference =
        TreeEvaluator { evaluation: evaluation.clone(), candidates: candidates.clone(), owner };
    let mut rng = seeded(6);
    let mut evaluated =
        EvaluatedPosition::new(start.clone(), ForestEvaluator::new(evaluation, candidates));
    let near = |evaluated: &EvaluatedPosition<Mnk<LineBoard>, ForestEvaluator<u16>>| {
        let mut moves = Vec::new();
        evaluated
            .evaluator()
            .clone()
            .for_each_candidate(evaluated.position(), |_, m| moves.push(m));
        moves
    };
    let mut done = Vec::new();
    while evaluated.position().outcome().is_none() {
        let expected = reference.clone().evaluate(evaluated.position());
        assert_eq!(evaluated.evaluate(), expected);
        let candidates = near(&evaluated);
        let m = *choose(&mut rng, &candidates).unwrap();
        let undo = evaluated.play(m);
        let value = evaluated.evaluate();
        // A second move writes the first one into the accumulator.
        if evaluated.position().outcome().is_none() {
            let reply = *choose(&mut rng, &near(&evaluated)).unwrap();
            let undo = evaluated.play(reply);
            evaluated.undo(reply, undo);
            assert_eq!(evaluated.evaluate(), value);
        }
        evaluated.undo(m, undo);
        assert_eq!(evaluated.evaluate(), expected);
        assert_eq!(near(&evaluated), candidates);
        done.push((m, evaluated.play(m)));
    }
    for (m, undo) in done.into_iter().rev() {
        evaluated.undo(m, undo);
    }
    assert_eq!(evaluated.evaluate(), reference.clone().evaluate(start));
}

#[test]
fn candidates_are_the_center_and_cells_near_stones() {
    let start = gomoku(10, 5);
    let mut search: ForestSearch<Mnk<LineBoard>> =
        ForestSearch::new(evaluation_for(&start, 3), ForestSearchOptions::default(), 0);
    let mut moves = |position: &Mnk<LineBoard>| {
        search.near_moves(position).into_iter().map(|m| position.move_text(m)).collect::<Vec<_>>()
    };
    assert_eq!(moves(&start), ["f5"]);
    let position = start.parse_line("a1").unwrap().end;
    assert_eq!(moves(&position), ["b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]);
}

#[test]
fn depth_0_plays_the_child_with_the_highest_score() {
    let start = gomoku(10, 5);
    let evaluation = evaluation_for(&start, 3);
    let position = after_random_moves(&start, 9, 4);
    let mut search = ForestSearch::new(evaluation.clone(), ForestSearchOptions::default(), 0);
    let report = search.run(&position, &Limits::depth(0));
    let value = |m| {
        let mut child = position.clone();
        child.play(m);
        evaluation.by_trees(&contents(position.to_move(), &child), child.to_move())
    };
    let moves = search.near_moves(&position);
    let best = moves.iter().map(|&m| value(m)).max().unwrap();
    assert_eq!(report.score, Score::estimate(best));
    assert_eq!(value(report.best.unwrap()), best);
    assert_eq!(report.moves.len(), moves.len());
}

#[test]
fn the_strong_search_wins_immediately_and_blocks_wins() {
    let start = gomoku(10, 5);
    let options =
        ForestSearchOptions { style: SearchStyle::Strong, ..ForestSearchOptions::default() };
    let mut search = ForestSearch::new(evaluation_for(&start, 3), options, 0);
    let mut best = |line: &str, depth| {
        let position = start.parse_line(line).unwrap().end;
        let report = search.run(&position, &Limits::depth(depth));
        (position.move_text(report.best.unwrap()), report.score)
    };
    let (m, score) = best("c3c4d3d4e3e4f3f4", 1);
    assert!(["b3", "g3"].contains(&m.as_str()));
    assert_eq!(score, Score::win_in(1));
    assert_eq!(best("c3b3d3d4e3e4f3", 1).0, "g3");
    assert_eq!(best("c3c4d3d4e3a8", 5).1, Score::win_in(3), "an open three");
}

#[test]
fn limits_end_a_search() {
    let start = gomoku(10, 5);
    let position = after_random_moves(&start, 9, 4);
    for style in [SearchStyle::Thesis, SearchStyle::Strong] {
        let options = ForestSearchOptions { style, ..ForestSearchOptions::default() };
        let mut search = ForestSearch::new(evaluation_for(&start, 3), options, 0);
        let report = search.run(&position, &Limits { depth: Some(9), ..Limits::nodes(3_000) });
        assert!(report.best.is_some() && report.nodes <= 3_000, "{}", report.nodes);
    }
}

/// Plays the thesis's heuristic player against another after three random stones; returns its wins
/// and losses.
fn heuristic_player_against(
    other: &mut dyn FnMut(&Mnk<LineBoard>) -> u16,
    games: u64,
) -> (usize, usize) {
    let start = gomoku(10, 5);
    let order = LineOrder::new(&start.grid());
    let (mut won, mut lost) = (0, 0);
    for game in 0..games {
        let simple = Side::ALL[game as usize % 2];
        let mut rng = seeded(game / 2);
        let mut position = start.clone();
        while position.move_count() > 97 {
            let [column, row] = [(); 2].map(|()| 3 + below(&mut rng, 4) as usize);
            let free = position.move_to(row * 10 + column);
            if let Some(m) = free {
                position.play(m);
            }
        }
        while position.outcome().is_none() {
            let m = match position.to_move() == simple {
                true => heuristic_move(&position, &order, &mut rng),
                false => other(&position),
            };
            position.play(m);
        }
        won += usize::from(position.outcome() == Some(Outcome::Win(simple)));
        lost += usize::from(position.outcome() == Some(Outcome::Win(!simple)));
    }
    (won, lost)
}

#[test]
fn the_heuristic_player_beats_random_moves_and_loses_to_minimax() {
    let mut rng = seeded(2);
    let (won, _) = heuristic_player_against(&mut |position| position.random_move(&mut rng), 20);
    assert!(won >= 19, "{won} of 20");
    let options = EngineOptions { table: None, ..EngineOptions::exact() };
    let mut engine = Engine::new(GameHeuristic, options);
    let mut look_ahead = |position: &_| engine.run(position, &Limits::depth(4)).best.unwrap();
    let (won, lost) = heuristic_player_against(&mut look_ahead, 4);
    assert!(lost > won, "{won} won, {lost} lost");
}

/// Counts the games of a forest without search against every possible opponent: won, drawn, lost.
fn all_games(
    position: &RowBoard,
    own: Side,
    search: &mut ForestSearch<RowBoard>,
    counts: &mut [u32; 3],
) {
    if let Some(outcome) = position.outcome() {
        counts[Class::of(outcome, own) as usize] += 1;
        return;
    }
    let mut moves = Vec::new();
    match position.to_move() == own {
        true => moves.extend(search.run(position, &Limits::depth(0)).best),
        false => position.push_moves(&mut moves),
    }
    for m in moves {
        let mut next = position.clone();
        next.play(m);
        all_games(&next, own, search, counts);
    }
}

/// The shipped forest for tic-tac-toe never loses without any search, whatever the opponent plays.
#[test]
fn the_tic_tac_toe_forest_is_perfect_without_search() {
    let start = RowBoard::of(&tesuji_games::registry::start("tictactoe").unwrap()).unwrap();
    let shipped = SHIPPED_MODELS.iter().find(|model| model.name == "tictactoe").unwrap();
    let evaluation = Arc::new(shipped.model().unwrap().evaluation(&start.grid()).unwrap());
    for (own, radius) in Side::ALL.into_iter().flat_map(|own| [(own, None), (own, Some(2))]) {
        let options = ForestSearchOptions { radius, ..ForestSearchOptions::default() };
        let mut search = ForestSearch::<RowBoard>::new(evaluation.clone(), options, 1);
        let mut counts = [0; 3];
        all_games(&start, own, &mut search, &mut counts);
        let [won, drawn, lost] = counts;
        assert!(won > drawn && drawn > 0 && lost == 0, "{own:?}, {radius:?}: {counts:?}");
    }
}
