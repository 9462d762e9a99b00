//! The players `fudan-alphabeta`, `fudan-naive` and `fudan-mcts`: the Gomoku agents of a report of
//! Fudan students, from `tesuji_gomoku::fudan`.
//!
//! The agents know only freestyle. By other rules they misjudge some rows. In renju the cells that
//! are forbidden to Black are walls to them while Black is to move, so that their moves are legal.

use std::time::Instant;

use tesuji_games::{Move, Outcome, Position, RowRule, Score, SpecError, State};
use tesuji_gomoku::fudan::{
    CandidateReach, FudanAgent, FudanAlphaBeta, FudanAlphaBetaOptions, FudanBoard, FudanBoardError,
    FudanCell, FudanChoice, FudanMcts, FudanMctsOptions, FudanNaive, FudanNaiveOptions,
    ParameterSet, TENTHS,
};
use tesuji_play::options::{
    OptionInfo, PlayerOptions, SEED, ValueType, WordValues, decimal, number, option, word, words,
};
use tesuji_play::{PlayerKind, PlayerSetup, SearchKind, SearchProfile};
use tesuji_search::report::sort_best_first;
use tesuji_search::terminal::terminal_score;
use tesuji_search::{Limits, MoveScore, ProgressFn, Search, SearchReport};

use crate::five_in_a_row::FiveInARow;
use crate::monte_carlo::MOST_SIMULATIONS;
use crate::rows::stones;
use crate::searching::{NODES, TIME_AT_MOST, depth_and_effort, search_setup, simulations};

const SETS: WordValues<ParameterSet, 2> =
    [("final", ParameterSet::Final), ("pydan2", ParameterSet::Pydan2)];
const REACHES: WordValues<CandidateReach, 2> =
    [("1", CandidateReach::One), ("2", CandidateReach::Two)];

const FAITHFUL: OptionInfo =
    option("faithful", ValueType::Switch, "keep the bugs of the published program [default: off]");

pub(super) static PLAYERS: &[PlayerKind] = &[
    PlayerKind {
        name: "fudan-alphabeta",
        former_name: Some("report-alphabeta"),
        summary: "Gomoku: alpha-beta with ten patterns, from a report of 2021 (needs five in a row)",
        options: &[
            option("set", word(&words(&SETS)), "parameter set [default: final]"),
            FAITHFUL,
            option(
                "depth",
                number(1, 255),
                "levels below the root; 1 is a move and the best reply [default: 1 for final, 3 for pydan2]",
            ),
            option(
                "deepen",
                ValueType::Switch,
                "iterative deepening up to the limits [default: on if time or nodes is given]",
            ),
            option(
                "time",
                ValueType::Time,
                "maximum time per move [default: 3s for final, 13s for pydan2]",
            ),
            NODES,
            SEED,
        ],
        read: |options| {
            let set = options.choice("set", &SETS).unwrap_or_default();
            let faithful = is_faithful(options);
            let deepen = options.switch("deepen").or(faithful.then_some(false));
            fudan_player(SearchKind::SelfTerminating, depth_and_effort(options), move |seed| {
                let agent = FudanAlphaBetaOptions {
                    set,
                    faithful,
                    seed,
                    ..FudanAlphaBetaOptions::default()
                };
                Box::new(DeepeningAlphaBeta { agent: FudanAlphaBeta::new(agent), deepen })
            })
        },
    },
    PlayerKind {
        name: "fudan-naive",
        former_name: Some("report-naive"),
        summary: "Gomoku: seven patterns, a move and a reply, from the same report (needs five in a row)",
        options: &[
            option(
                "reach",
                word(&words(&REACHES)),
                "maximum distance of a move from a stone [default: 1]",
            ),
            option("depth", number(1, 255), "levels below the root [default: 1]"),
            FAITHFUL,
            TIME_AT_MOST,
            NODES,
            SEED,
        ],
        read: |options| {
            let usual = FudanNaiveOptions::default();
            let reach = options.choice("reach", &REACHES).unwrap_or(usual.reach);
            let agent = FudanNaiveOptions { reach, faithful: is_faithful(options), ..usual };
            fudan_player(SearchKind::SelfTerminating, depth_and_effort(options), move |seed| {
                Box::new(FudanNaive::new(FudanNaiveOptions { seed, ..agent }))
            })
        },
    },
    PlayerKind {
        name: "fudan-mcts",
        former_name: Some("report-mcts"),
        summary: "Gomoku: flat Monte Carlo in two stages, from the same report (needs five in a row)",
        options: &[
            option("playouts", number(1, 1_000_000), "playouts per move and stage [default: 100]"),
            option(
                "intelligence",
                decimal(0.0, 1.0),
                "probability that a playout move blocks [default: 0]",
            ),
            option(
                "sims",
                number(1, MOST_SIMULATIONS),
                "maximum number of playouts per move of the game",
            ),
            FAITHFUL,
            TIME_AT_MOST,
            SEED,
        ],
        read: |options| {
            let mut agent = FudanMctsOptions::default();
            if let Some(playouts) = options.number("playouts") {
                agent.short.playouts = playouts as u32;
                agent.long.playouts = playouts as u32;
            }
            agent.intelligence = options.decimal("intelligence").unwrap_or(agent.intelligence);
            agent.faithful = is_faithful(options);
            fudan_player(SearchKind::Simulations(None), simulations(options), move |seed| {
                Box::new(FudanMcts::new(FudanMctsOptions { seed, ..agent }))
            })
        },
    },
];

fn is_faithful(options: &PlayerOptions) -> bool {
    options.switch("faithful").unwrap_or(false)
}

/// Sets up a player with an agent, which is made for a seed.
fn fudan_player(
    pace: SearchKind,
    limits: Limits,
    agent: impl Fn(u64) -> Box<dyn FudanAgent + Send> + Send + Sync + 'static,
) -> Result<Box<dyn PlayerSetup>, SpecError> {
    search_setup(SearchProfile::new(pace, limits), FiveInARow::for_player, move |game, context| {
        Ok(Box::new(FudanSearch { agent: agent(context.seed), game }))
    })
}

/// Alpha-beta with iterative deepening set for every move.
struct DeepeningAlphaBeta {
    agent: FudanAlphaBeta,
    /// `None`: deepens unless the depth is given.
    deepen: Option<bool>,
}

impl FudanAgent for DeepeningAlphaBeta {
    fn consider(&mut self, board: &FudanBoard, limits: &Limits) -> Option<FudanChoice> {
        let limited = limits.time.is_some() || limits.nodes.is_some();
        self.agent.set_deepening(self.deepen.unwrap_or(limited && limits.depth.is_none()));
        self.agent.consider(board, limits)
    }

    fn forget(&mut self) {
        self.agent.forget();
    }
}

/// An agent as a [`Search`].
struct FudanSearch {
    agent: Box<dyn FudanAgent + Send>,
    game: FiveInARow,
}

impl FudanSearch {
    fn report(&mut self, position: &State, limits: &Limits) -> SearchReport {
        let board = board_of(position, self.game).ok();
        let Some(choice) = board.and_then(|board| self.agent.consider(&board, limits)) else {
            return SearchReport::empty();
        };
        let (row, column) = (usize::from(choice.cell.row), usize::from(choice.cell.column));
        let best = position.move_to(row * self.game.width + column);
        SearchReport {
            best,
            score: score_of(position, best, &choice),
            line: best.into_iter().collect(),
            depth: choice.depth,
            nodes: choice.nodes,
            ..SearchReport::empty()
        }
    }

    /// Returns the score of a move for the side that plays it, and the agent's report on the
    /// position after it.
    fn value_of(&mut self, position: &State, m: Move, limits: &Limits) -> (Score, SearchReport) {
        let after = played(position, m);
        if let Some(outcome) = after.outcome() {
            return (terminal_score(outcome, position.to_move(), 1), SearchReport::empty());
        }
        let replies = self.report(&after, limits);
        ((-replies.score).further(1), replies)
    }
}

impl Search<State> for FudanSearch {
    fn search(
        &mut self,
        position: &State,
        limits: &Limits,
        progress: ProgressFn<'_>,
    ) -> SearchReport {
        let started = Instant::now();
        let mut report = self.report(position, limits);
        report.time = started.elapsed();
        progress(&report);
        report
    }

    /// Chooses a move and then scores every move by the agent's report on the position after it.
    /// The chosen move stays first unless there is a proof: the published agents play by the score
    /// of the position itself, which is one level less.
    ///
    /// Half of the time is for the choice, half is divided among the moves. The choice gets as many
    /// nodes as in a game, so that it is the same.
    fn analyze(
        &mut self,
        position: &State,
        limits: &Limits,
        progress: ProgressFn<'_>,
    ) -> SearchReport {
        let started = Instant::now();
        let moves = position.legal_moves();
        let own = Limits { time: limits.time.map(|time| time / 2), ..limits.clone() };
        let mut report = self.report(position, &own);
        let Some(chosen) = report.best else { return report };
        report.moves = vec![MoveScore { m: chosen, score: report.score, visits: 0 }];
        report.time = started.elapsed();
        progress(&report);
        let parts = moves.len().max(1) as u32;
        let limits = Limits {
            time: own.time.map(|time| time / parts),
            nodes: own.nodes.map(|nodes| (nodes / u64::from(parts)).max(1)),
            ..own
        };
        report.moves.clear();
        report.line.clear();
        for m in moves {
            let (score, replies) = self.value_of(position, m, &limits);
            report.nodes += replies.nodes;
            report.moves.push(MoveScore { m, score, visits: 0 });
            report.lines.push(std::iter::once(m).chain(replies.line).collect());
        }
        sort_best_first(&mut report.moves);
        if let Some(place) = report.moves.iter().position(|known| known.m == chosen) {
            report.moves[..=place].rotate_right(1);
            report.score = report.moves[0].score;
            report.line = report.line_from(chosen);
        }
        report.sort_by_proof();
        report.time = started.elapsed();
        report
    }

    fn forget(&mut self) {
        self.agent.forget();
    }
}

fn played(position: &State, m: Move) -> State {
    let mut after = position.clone();
    after.play(m);
    after
}

/// Converts a position to the agents' board.
fn board_of(position: &State, game: FiveInARow) -> Result<FudanBoard, FudanBoardError> {
    let cell =
        |cell: usize| FudanCell::row_column((cell / game.width) as u8, (cell % game.width) as u8);
    let mut board = FudanBoard::new(game.height, game.width)?;
    for (side, number) in stones(position) {
        board.place(cell(number), side)?;
    }
    if game.rule == RowRule::Renju {
        let is_wall = |&n: &usize| position.stone_at(n).is_none() && position.move_to(n).is_none();
        for number in (0..game.width * game.height).filter(is_wall) {
            board.block(cell(number))?;
        }
    }
    board.set_to_move(position.to_move());
    Ok(board)
}

/// Rounds the agent's score to whole points; a winning move is a win.
fn score_of(position: &State, best: Option<Move>, choice: &FudanChoice) -> Score {
    let end = best.and_then(|m| played(position, m).outcome());
    if end == Some(Outcome::Win(position.to_move())) {
        return Score::win_in(1);
    }
    let points = (choice.points / TENTHS).clamp(i32::MIN.into(), i32::MAX.into());
    Score::estimate(points as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opened;
    use tesuji_games::random::seeded;
    use tesuji_games::{GameLine, Notation};
    use tesuji_play::{Choice as Chosen, PlayerContext, PlayerSpec, Turn};

    const QUICK: [&str; 6] = [
        "fudan-alphabeta:depth=1",
        "fudan-alphabeta:nodes=30",
        "fudan-alphabeta:set=pydan2,faithful=on,depth=1",
        "fudan-naive",
        "fudan-naive:reach=2,nodes=20,faithful",
        "fudan-mcts:playouts=2,sims=100,intelligence=0.5",
    ];

    /// Five in a row on a rectangular board.
    const GOMOKU: &str = "mnk:11x9,k=5";

    /// Plays a game against random moves and checks that every move is legal.
    fn plays_through(player: &str, game: &str, seed: u64) {
        let (spec, start): (PlayerSpec, _) = (crate::player(player).unwrap(), opened(game));
        let mut player = spec.build(&PlayerContext::new(&start, seed)).unwrap();
        let (mut line, mut rng) = (GameLine::new(start.start().clone()), seeded(seed));
        while line.end.outcome().is_none() {
            let own_turn = line.moves.len() as u64 % 2 == seed % 2;
            let m = match own_turn {
                true => player.choose(&line, &Turn::default()).unwrap().m,
                false => line.end.random_move(&mut rng),
            };
            line.play(m).unwrap_or_else(|error| panic!("{spec} {game} {seed}: {error}"));
        }
    }

    #[test]
    fn every_agent_plays_legal_games_by_every_rule() {
        for player in QUICK {
            for seed in 0..4 {
                plays_through(player, GOMOKU, seed);
                plays_through(player, "renju:9x9", seed);
            }
        }
    }

    fn chosen(player: &str, moves: &str) -> (String, Chosen) {
        let spec: PlayerSpec = crate::player(player).unwrap();
        let context = PlayerContext::new(&opened(GOMOKU), 1);
        let mut player = spec.build(&context).unwrap();
        let line = opened(GOMOKU).line(moves).unwrap();
        let choice = player.choose(&line, &Turn::default()).unwrap();
        (line.end.move_text(choice.m), choice)
    }

    #[test]
    fn fives_are_made_and_stopped() {
        for player in QUICK {
            let (m, choice) = chosen(player, "b2a9 c2c9 d2e9 e2a2 k1");
            assert_eq!(m, "f2", "{player}");
            assert!(choice.score().unwrap() < Score::win_in(1), "{player}");
            let (m, choice) = chosen(player, "b2a9 c2c9 d2e9 e2a2 k1k9");
            assert_eq!((m.as_str(), choice.score()), ("f2", Some(Score::win_in(1))), "{player}");
        }
    }

    /// Limited by nodes, so that the result does not depend on the clock.
    #[test]
    fn time_is_used_to_go_deeper() {
        let depth = |player: &str| chosen(player, "e5f6e6").1.report.unwrap().depth;
        assert_eq!(depth("fudan-alphabeta"), 1);
        assert_eq!(depth("fudan-alphabeta:depth=2"), 2);
        assert!(depth("fudan-alphabeta:time=60s,nodes=3000") > 1);
        assert_eq!(depth("fudan-alphabeta:time=60s,nodes=3000,faithful=on"), 1);
        assert_eq!(depth("fudan-alphabeta:time=60s,nodes=3000,deepen=off"), 1);
        assert_eq!(depth("fudan-alphabeta:set=pydan2,nodes=5"), 3);
    }

    #[test]
    fn an_analysis_values_every_move() {
        let position = opened(GOMOKU).line("b2a9 c2c9 d2e9 e2a2 k1").unwrap().end;
        let context = PlayerContext::new(&opened(GOMOKU), 1);
        for player in QUICK {
            let spec: PlayerSpec = crate::player(player).unwrap();
            let given = Limits::default();
            let found =
                tesuji_play::analyze(&position, &spec, &given, &context, &mut |_| {}).unwrap();
            assert_eq!(found.moves.len(), position.move_count(), "{player}");
            assert_eq!(position.move_text(found.moves[0].m), "f2", "{player}");
            assert_eq!(found.moves[1].score, Some(Score::loss_in(2)), "{player}");
        }
    }

    #[test]
    fn the_seed_decides_random_choices() {
        let moves = |seed: u64| -> Vec<String> {
            let player = format!("fudan-mcts:playouts=3,seed={seed}");
            ["e5f6", "e5f6e6", "e5f6e6d4"].map(|line| chosen(&player, line).0).to_vec()
        };
        assert_eq!(moves(1), moves(1));
        assert!((2..9).any(|seed| moves(seed) != moves(1)));
    }

    #[test]
    fn options_that_cannot_be_are_refused() {
        for (text, words) in [
            ("fudan-alphabeta:set=pydan3", "one of final, pydan2"),
            ("fudan-alphabeta:faithful=very", "on or off"),
            ("fudan-alphabeta:depth=0", "a whole number from 1 to 255"),
            ("fudan-naive:reach=3", "one of 1, 2"),
            ("fudan-mcts:playouts=0", "a whole number from 1 to"),
            ("fudan-mcts:intelligence=2", "a number from 0 to 1"),
            ("fudan-mcts:depth=2", "unknown option 'depth'"),
            ("fudan-alphabet", "did you mean 'fudan-alphabeta'"),
        ] {
            let error = crate::player(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
