//! Tests of the agents.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tesuji_games::random::{seeded, unit};
use tesuji_games::rules::mnk::line_board::LineBoard;
use tesuji_games::rules::mnk::{Mnk, MnkRules};
use tesuji_games::rules::renju::Renju;
use tesuji_games::rules::tictactoe::TicTacToe;
use tesuji_games::{Notation, Playable, Position, RowPosition, Score, Side};
use tesuji_search::{Limits, ProgressFn, Puct, PuctOptions, Search, SearchReport};

use super::*;
use crate::network::Network;

type Gomoku = Mnk<LineBoard>;

fn gomoku(size: usize) -> Gomoku {
    Mnk::new(MnkRules::new(size, size, 5).unwrap())
}

/// A critic with large random weights, so that its estimates are arbitrary and extreme.
fn random_critic(seed: u64) -> Arc<Critic> {
    let mut rng = seeded(seed);
    let network = Critic::random_init(1);
    let weights = network.parameters().iter().map(|_| 2.0 * unit(&mut rng) as f32 - 1.0).collect();
    let network = Network::with_parameters(Critic::input(), &Critic::layers(), weights).unwrap();
    Arc::new(Critic::new(network).unwrap())
}

fn critic(game: &impl RowPosition, seed: u64) -> BoardCritic {
    BoardCritic::new(&game.grid(), random_critic(seed)).unwrap()
}

/// Positions of random games near the center of the board.
fn positions(size: usize, count: usize) -> Vec<Gomoku> {
    let mut rng = seeded(7);
    let mut found = Vec::new();
    while found.len() < count {
        let mut game = gomoku(size);
        let critic = critic(&game, 1);
        for _ in 0..3 + found.len() % 20 {
            let root_moves = critic.root_moves(&game);
            let root_move = tesuji_games::random::choose(&mut rng, &root_moves).unwrap();
            game.play(root_move.m);
            if game.outcome().is_some() {
                break;
            }
        }
        if game.outcome().is_none() {
            found.push(game);
        }
    }
    found
}

fn with_lambda(lambda: f64) -> CriticMctsOptions {
    CriticMctsOptions { lambda, ..CriticMctsOptions::default() }
}

#[test]
fn lambda_1_equals_the_critic() {
    for (seed, position) in positions(11, 60).into_iter().enumerate() {
        let critic = critic(&position, seed as u64);
        let mut mixed = CriticMcts::new(critic.clone(), with_lambda(1.0));
        let mixed = mixed.run(&position, &Limits::default());
        let alone = OnePly::new(critic).run(&position, &Limits::default());
        assert_eq!((mixed.best, mixed.score), (alone.best, alone.score));
        assert_eq!(mixed.nodes, 0, "there is no tree search");
        assert_eq!(mixed.moves[..], alone.moves[..mixed.moves.len()]);
    }
}

/// The tree search alone, after each of the five best moves.
fn by_tree_search(critic: &BoardCritic, position: &Gomoku, simulations: u64) -> (u16, Option<f64>) {
    let mut best: Option<(u16, f64)> = None;
    for root_move in critic.root_moves(position).into_iter().take(5) {
        if root_move.wins() {
            return (root_move.m, None);
        }
        let guide = CriticGuide::new(critic.evaluator(), CriticMctsOptions::default().guide);
        let mut puct = Puct::new(PuctOptions::default(), guide);
        let mut after = position.clone();
        after.play(root_move.m);
        let chance = match after.outcome() {
            Some(_) => 0.5,
            None => {
                puct.run(&after, &Limits::nodes(simulations));
                1.0 - puct.chance()
            }
        };
        if best.is_none_or(|(_, most)| chance > most) {
            best = Some((root_move.m, chance));
        }
    }
    best.map(|(m, chance)| (m, Some(chance))).unwrap()
}

#[test]
fn lambda_0_equals_the_tree_search() {
    for (seed, position) in positions(9, 40).into_iter().enumerate() {
        let critic = critic(&position, seed as u64);
        let mut mixed = CriticMcts::new(critic.clone(), with_lambda(0.0));
        let root_moves = critic.root_moves(&position).len().min(5) as u64;
        let mixed = mixed.run(&position, &Limits::nodes(40 * root_moves));
        let (m, chance) = by_tree_search(&critic, &position, 40);
        assert_eq!(mixed.best, Some(m), "{seed}");
        if let Some(chance) = chance.filter(|_| !mixed.score.is_decided()) {
            assert_eq!(mixed.score, score_of(chance));
        }
    }
}

#[test]
fn lambda_between_averages_both() {
    let position = gomoku(9).parse_line("e5d4d5").unwrap().end;
    let critic = critic(&position, 3);
    let run = |lambda| {
        let mut agent = CriticMcts::new(critic.clone(), with_lambda(lambda));
        let mut report = agent.run(&position, &Limits::nodes(300));
        report.moves.sort_by_key(|root_move| root_move.m);
        report
    };
    let (critic, half, trees) = (run(1.0), run(0.5), run(0.0));
    assert_eq!(half.nodes, 300);
    for ((a, b), c) in critic.moves.iter().zip(&half.moves).zip(&trees.moves) {
        assert_eq!((a.m, b.m), (b.m, c.m));
        let mean = (a.score.raw() + c.score.raw()) / 2;
        assert!((b.score.raw() - mean).abs() <= 1, "{a:?} {b:?} {c:?}");
    }
}

/// A tree search that the critic guides.
fn uct<P: Playable + RowPosition>(
    critic: &BoardCritic,
    guide: GuideOptions,
) -> Puct<P, CriticGuide<P::Move>> {
    Puct::new(PuctOptions::default(), CriticGuide::new(critic.evaluator(), guide))
}

/// Plays the first move of an analysis.
struct Analyzing<S>(S);

impl<P: Playable + RowPosition, S: Search<P>> Search<P> for Analyzing<S> {
    fn search(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: ProgressFn<'_, P::Move>,
    ) -> SearchReport<P::Move> {
        self.0.analyze(position, limits, progress)
    }
}

fn agents<P: Playable + RowPosition>(game: &P) -> Vec<(&'static str, Box<dyn Search<P>>)> {
    let critic = critic(game, 5);
    let guide = |prior, value| GuideOptions { prior, value, ..GuideOptions::default() };
    let uct = |guide| Box::new(uct(&critic, guide));
    let mcts = |guide| {
        let options = CriticMctsOptions { guide, ..with_lambda(0.5) };
        Box::new(CriticMcts::new(critic.clone(), options))
    };
    vec![
        ("critic", Box::new(OnePly::new(critic.clone()))),
        ("critic-mcts", mcts(guide(PriorSource::Critic, CriticLeafValue::Critic))),
        ("critic-mcts, playouts", mcts(guide(PriorSource::Critic, CriticLeafValue::Playout))),
        ("uct", uct(guide(PriorSource::Critic, CriticLeafValue::Reply))),
        ("uct, even", uct(guide(PriorSource::Even, CriticLeafValue::Critic))),
        ("every move", Box::new(Analyzing(OnePly::new(critic.clone())))),
    ]
}

/// Plays a game with each agent and checks that every move is legal.
fn play_through<P: Playable + RowPosition>(start: P) {
    for (name, mut agent) in agents(&start) {
        let mut position = start.clone();
        while position.outcome().is_none() {
            let report = agent.run(&position, &Limits::nodes(4));
            let m = report.best.unwrap_or_else(|| panic!("{name} has no move"));
            assert!(position.is_legal(m), "{name}");
            assert_eq!(report.line[0], m, "{name}");
            assert_eq!(report.moves[0].m, m, "{name}");
            position.play(m);
        }
        assert_eq!(agent.run(&position, &Limits::nodes(6)).best, None, "{name}");
    }
}

#[test]
fn moves_are_legal_in_every_game() {
    play_through(gomoku(7));
    play_through(Mnk::<LineBoard>::new(MnkRules::new(8, 7, 6).unwrap().with_turns(2, 1).unwrap()));
    play_through(Renju::new(7, 7).unwrap());
    play_through(tesuji_games::rules::connect4::Connect4::new());
    play_through(TicTacToe::new());
}

#[test]
fn rows_are_completed_and_blocked() {
    let start = gomoku(9);
    for (name, mut agent) in agents(&start) {
        let position = start.parse_line("b2a9 c2c9 d2e9 e2a2").unwrap().end;
        let report = agent.run(&position, &Limits::nodes(200));
        assert_eq!(position.move_text(report.best.unwrap()), "f2", "{name}");
        assert_eq!(report.score, Score::win_in(1), "{name}");
        let position = start.parse_line("b2a9 c2c9 d2e9 e2a2 h1").unwrap().end;
        let report = agent.run(&position, &Limits::nodes(200));
        assert_eq!(position.move_text(report.best.unwrap()), "f2", "{name}");
    }
}

/// A four and a three with one stone: a forced win that needs no critic.
#[test]
fn a_tree_search_proves_a_win_by_fours() {
    let start = gomoku(11);
    // c3 d3 e3 with b3 taken; f4 f5: a stone on f3 makes a four and, with f4 f5, a three.
    let position = start.parse_line("c3b3 d3b9 e3d9 f4h9 f5j9").unwrap().end;
    let critic = critic(&position, 2);
    let mut uct = uct(&critic, GuideOptions::default());
    let report = uct.run(&position, &Limits::nodes(20_000));
    assert!(report.score.is_win() || report.score == Score::estimate(500), "{:?}", report.score);
    assert_eq!(position.to_move(), Side::First);
}

#[test]
fn searches_are_reproducible() {
    let position = gomoku(9).parse_line("e5d4d5").unwrap().end;
    let result = |report: SearchReport<u16>| (report.best, report.moves, report.line, report.nodes);
    for ((name, mut one), (_, mut other)) in agents(&position).into_iter().zip(agents(&position)) {
        let limits = Limits::nodes(150);
        assert_eq!(
            result(one.run(&position, &limits)),
            result(other.run(&position, &limits)),
            "{name}"
        );
    }
}

#[test]
fn the_stop_flag_ends_a_search() {
    let position = gomoku(9).parse_line("e5d4d5").unwrap().end;
    // A one-ply search has nothing to stop.
    for (name, mut agent) in agents(&position).into_iter().filter(|(name, _)| *name != "every move")
    {
        let stop = Some(Arc::new(AtomicBool::new(true)));
        let report = agent.run(&position, &Limits { stop, ..Limits::default() });
        assert!(report.best.is_some(), "{name}");
        assert!(report.nodes < 100, "{name}: {}", report.nodes);
    }
}

#[test]
fn analysis_covers_every_move() {
    let position = gomoku(9).parse_line("b2a9 c2c9 d2e9 e2a2 h1").unwrap().end;
    let critic = critic(&position, 4);
    let uct = uct(&critic, GuideOptions::default());
    let mcts = CriticMcts::new(critic.clone(), with_lambda(0.5));
    let searches: [Box<dyn Search<Gomoku>>; 3] =
        [Box::new(OnePly::new(critic)), Box::new(uct), Box::new(mcts)];
    for mut search in searches {
        let report = search.analyze(&position, &Limits::nodes(2_000), &mut |_| {});
        assert_eq!(report.moves.len(), position.move_count());
        assert_eq!(position.move_text(report.moves[0].m), "f2");
        // After any other move the opponent's row is completed.
        assert!(report.moves[1..].iter().all(|root_move| root_move.score == Score::loss_in(2)));
    }
}
